"""The main function: where the stacks end that a user is shown, as in GDB.

For GDB 13 the main function is the one that the compiler marks (DWARF 5 3.3.1), that of Ada, D or
Go, or `main`. A marked function is known by its symbol, but in Fortran, and if no symbol has its
name, by its entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.by_pc import MAIN_NAMES
from dwarfgpu.dwarf.scope.symbol_at_address import function_of_label, symbol_covering
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.dwarf.code_object import CodeObject
    from dwarfgpu.dwarf.die import Die
    from dwarfgpu.dwarf.scope.subprogram import Subprogram
    from dwarfgpu.dwarf.unit import CompilationUnit
    from dwarfgpu.objfile.elf import ObjectFile
    from dwarfgpu.objfile.symbols import Symbol

_CC_PROGRAM: Final = 0x02
"""DW_CC_program."""
_LONGEST_NAME: Final = 1024
"""Bytes of the name of a main procedure that are read."""


def entry_in_file(session: Session) -> int | None:
    """Return where a frame's function is entered, as an address of its file; by the symbols if the
    function is not described. Code that the compiler split off (`main.cold`) is of its function."""
    try:
        code_object = session.code_object
        if code_object is None or session.pc is None:
            return None
        function = _described(code_object, session.pc)
        if function is not None:
            entry = function.entry
            return None if entry is None else entry - code_object.load_address
        symbol = symbol_covering((code_object,), session.pc)
        offset = session.pc - code_object.load_address
        if symbol is not None and not symbol.has_size:
            return offset - function_of_label((code_object,), session.pc, symbol).offset
        # A stripped file has only the symbols that the dynamic linker needs: code behind the end
        # of one is of a function without a name.
        symbols = [file.symbol_before(offset) for file in symbol_files(code_object)]
    except DwarfGpuError:
        return None
    return max(
        (symbol.address for symbol in symbols if symbol is not None and _reaches(symbol, offset)),
        default=None,
    )


def is_main(session: Session) -> bool:
    """Return whether the function of the frame in focus is the main one, where stacks end in GDB.

    A function named `main` of a class or a namespace is not."""
    own, code_object = entry_in_file(session), session.code_object
    if own is None or code_object is None or session.pc is None:
        return False
    function = _described(code_object, session.pc)
    if function is not None and _is_marked(function.die):
        name = function.die.linkage_name or function.die.name
        symbols = _functions_named(code_object, name) if name else ()
        return not symbols or function.die.unit.style == "fortran" or own in symbols
    if function is not None and _has_main_program(function.die.unit):
        return False
    ada = _main_of_ada(code_object)
    names = MAIN_NAMES if ada is None else (ada,)
    named = (_functions_named(code_object, name) for name in names)
    return own in next(filter(None, named), ())


def _reaches(symbol: Symbol, offset: int) -> bool:
    """Return whether code is of a symbol; a call at its end returns just behind it."""
    return not symbol.size_bytes or offset <= symbol.address + symbol.size_bytes


def _described(code_object: CodeObject, pc: int) -> Subprogram | None:
    try:
        return code_object.scopes.subprogram_at(pc)
    except DwarfGpuError:
        return None  # the symbols are read without the debug information


def _is_marked(function: Die) -> bool:
    """Return whether a function is marked as the main one; before DWARF 4 by its calling
    convention (DWARF 5 3.3.1.1), which GDB reads too."""
    try:
        convention = function.integer(dw.AT_CALLING_CONVENTION)
        return function.flag(dw.AT_MAIN_SUBPROGRAM) or convention == _CC_PROGRAM
    except DwarfGpuError:
        return False  # a damaged mark ends no frames


def _has_main_program(unit: CompilationUnit) -> bool:
    """Return whether a unit of Fortran has a main program, which its `main` calls."""
    if unit.style != "fortran":
        return False
    try:
        children = unit.root.children()
        return any(child.tag == dw.TAG_SUBPROGRAM and _is_marked(child) for child in children)
    except DwarfGpuError:
        return False


def _main_of_ada(code_object: CodeObject) -> str | None:
    """Return the symbol of the main procedure of Ada, which GNAT's binder writes as a string."""
    for symbol in code_object.file.symbols_named("__gnat_ada_main_program_name"):
        data = code_object.file.loaded_from(symbol.address, _LONGEST_NAME)
        if b"\0" in data:
            return data.partition(b"\0")[0].decode("latin-1")
    return None


def _functions_named(code_object: CodeObject, name: str) -> tuple[int, ...]:
    return tuple(
        symbol.address
        for file in symbol_files(code_object)
        for symbol in file.symbols_named(name, with_untyped=True)
        if symbol.kind == "function" or _is_untyped_function(file, symbol)
    )


def _is_untyped_function(file: ObjectFile, symbol: Symbol) -> bool:
    """Return whether a symbol without a type may be that of a function in assembler code: NASM
    calls the label `.main` of `main` as Go calls its main function."""
    is_inside = symbol.is_local and "." in symbol.name
    is_code = symbol.is_in_section and file.is_code(symbol.address)
    return symbol.kind == "other" and is_code and not is_inside
