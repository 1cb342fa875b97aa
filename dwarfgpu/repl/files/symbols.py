"""The symbol at an address, and the location of a symbol, in GDB's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.demangle import demangled
from dwarfgpu.dwarf.names.functions import full_function_name
from dwarfgpu.dwarf.scope.declarations import TYPES
from dwarfgpu.dwarf.scope.elf_symbols import symbol_place
from dwarfgpu.dwarf.scope.entities import (
    FUNCTIONS,
    Subprogram,
    Variable,
    declared_in,
    entries_of,
    name_of,
)
from dwarfgpu.dwarf.scope.symbols_by_name import untyped_symbol
from dwarfgpu.dwarf.types.types import size_bytes
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.context import ConstValue
from dwarfgpu.language.linespec import body_of, first_after, no_line
from dwarfgpu.language.names import Names
from dwarfgpu.language.places import Places
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.examine import address_of
from dwarfgpu.repl.files.linespec import spot_of
from dwarfgpu.repl.files.listing import place_of_main, place_or_none
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.backtrace import place_in
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.location_words import Describer

_MANGLED: Final = "_Z"
"""With which symbols of C++ begin (Itanium C++ ABI 5.1.2)."""


@command("info symbol", topic="data", complete=completion.symbols)
def info_symbol(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the symbol at an address.

    Usage: info symbol EXPRESSION

    For an array or a function, the symbol at its address.
    """
    if not argument:
        raise UsageError("Argument required (address).")
    session = shell.session
    space, address = address_of(shell, Places(session), argument)
    symbol = None if space.number else symbol_place(session.code_objects, address)
    if symbol is None:
        yield Output(f"No symbol matches {argument}.", {"symbol": None})
        return
    offset = f" + {symbol.offset}" if symbol.offset else ""
    is_one = len(session.code_objects) == 1 and not shell.is_of_core
    where = "" if is_one else f" of {full_path(symbol.code_object)}"
    data: JsonObject = {
        "name": symbol.name,
        "offset": symbol.offset,
        "section": symbol.section,
        "from": full_path(symbol.code_object),
    }
    # As in GDB, a C function has the name of its symbol, not that of its entry with parameters.
    is_mangled = symbol.symbol.startswith(_MANGLED)
    name = (demangled(symbol.symbol) or symbol.name) if is_mangled else symbol.symbol
    yield Output(f"{name}{offset} in section {symbol.section}{where}", {"symbol": data})


def full_path(code_object: CodeObject) -> str:
    """The path of a file from the root; what the system adds to a process has none."""
    if code_object.name.startswith("["):
        return f"system-supplied DSO at {code_object.load_address:#x}"
    try:
        return str(Path(code_object.file.path).absolute())
    except (OSError, ValueError):
        return str(code_object.file.path)


@command("info address", topic="data", complete=completion.symbols)
def info_address(shell: Shell, argument: str) -> Iterator[Part]:
    """Show where a symbol is, according to its description.

    Usage: info address SYMBOL

    Reads nothing; "location" shows where it is now, "where" its location in the whole code.
    """
    if not argument:
        raise UsageError("Argument required.")
    session = shell.session
    names = Names(session)
    entities = names.meaning(argument)
    first = entities[0] if entities else None
    if isinstance(first, Die) and first.tag == dw.TAG_SUBPROGRAM and not Subprogram(first).ranges:
        first = next(iter(names.own_call([first])), first)
    if first is None or (isinstance(first, Die) and not _has_place(first)):
        symbol = untyped_symbol(session.code_objects, argument)
        if symbol is None:
            raise names.unknown(argument)
        text = f"at {symbol[0]:#x} in a file compiled without debugging"
    else:
        text = _description(session, first)
    name = argument
    if isinstance(first, Die) and first.tag in FUNCTIONS:
        name = full_function_name(first) or argument
    data: JsonObject = {"name": argument, "description": text}
    yield Output(f'Symbol "{name}" is {text}.', {"symbol": data})


def _has_place(die: Die) -> bool:
    """Return whether GDB finds an entry by its name: not tags of types, nor functions defined in
    other files."""
    if die.tag in FUNCTIONS:
        return bool(Subprogram(die).ranges)
    return die.tag not in TYPES - {dw.TAG_TYPEDEF}


def _description(session: Session, entity: Variable | Die, *, is_scope: bool = False) -> str:
    if isinstance(entity, Variable):
        if isinstance(entity.location, ConstValue) and not is_scope:
            return "constant"
        symbol = session.at_symbol(entity) if entity.location is None else None
        if symbol is not None:
            return f"static storage at address {symbol.places[0].byte_address:#x}"
        return _describer(session, entity).text(entity.location)
    match entity.tag:
        case dw.TAG_SUBPROGRAM | dw.TAG_INLINED_SUBROUTINE:
            ranges = Subprogram(entity).ranges
            return f"a function at address {ranges[0].begin:#x}" if ranges else "optimized out"
        case dw.TAG_ENUMERATOR:
            return "constant"
        case dw.TAG_TYPEDEF:
            return "a typedef"
        case dw.TAG_MEMBER:
            return "a field of this"
        case _:
            return "a name that has no place"


def _describer(session: Session, variable: Variable) -> Describer:
    """What the description of a variable is read with."""
    function: Die | None = variable.die
    while function is not None and function.tag != dw.TAG_SUBPROGRAM:
        function = function.parent()
    base = None if function is None else Subprogram(function).frame_base
    info = variable.unit.info
    owner = next(
        (code_object for code_object in session.code_objects if code_object.info.main is info.main),
        None,
    )
    return Describer(session.architecture, "" if owner is None else full_path(owner), base)


@command("info scope", topic="data", complete=completion.symbols)
def info_scope(shell: Shell, argument: str) -> Iterator[Part]:
    """List the local variables at a place.

    Usage: info scope FUNCTION | LINE | FILE:LINE | *ADDRESS

    Reads nothing.
    """
    if not argument:
        raise UsageError("requires an argument (function, line or *addr) to define a scope")
    session = shell.session
    around = place_or_none(session) or place_of_main(shell)
    listed = shell.listed
    if listed is not None and listed.first and listed.frame == place_or_none(session):
        around = place_in(listed.place.source, listed.next, is_start=True)
    spot = spot_of(shell, argument, around)
    after = None if spot.pcs or spot.place is None else first_after(session, spot.place)
    pc = spot.pcs[0] if spot.pcs else after
    if pc is None and spot.kind == "line" and spot.place is not None:
        raise no_line(argument, spot)
    if pc is not None and spot.kind == "function" and not spot.is_call:
        pc = body_of(session, pc)
    symbols = [] if pc is None else list(_symbols_at(session, pc))
    if not symbols:
        yield Output(f"Scope for {argument} contains no locals or arguments.", {"scope": []})
        return
    yield heading(f"Scope for {argument}:")
    for name, text in symbols:
        data: JsonObject = {"name": name, "description": text}
        yield Output(f"Symbol {name} is {text}.", data, "scope")


def _symbols_at(session: Session, pc: int) -> Iterator[tuple[str, str]]:
    """What the scopes at a location have, the innermost first, up to the function."""
    owner = next(
        (code_object for code_object in session.code_objects if code_object.covers(pc)), None
    )
    if owner is None:
        return
    for scope in reversed(owner.scopes.chain_at(pc)):
        if scope.tag == dw.TAG_INLINED_SUBROUTINE:
            yield name_of(scope) or "??", f"{_description(session, scope)}, length 1"
        yield from _in_scope(session, scope)
        if scope.tag in FUNCTIONS:
            return


def _in_scope(session: Session, scope: Die) -> Iterator[tuple[str, str]]:
    """Variables, types and enumerators in the order of the file; then those variables that only the
    abstract instance has."""
    variables = {variable.die: variable for variable in declared_in(scope)}
    for die in entries_of(scope):
        if die in variables:
            yield _variable(session, variables.pop(die))
        if die.tag == dw.TAG_ENUMERATION_TYPE:
            length = die.integer(dw.AT_BYTE_SIZE) or 0
            for child in die.children():
                value = child.signed_integer(dw.AT_CONST_VALUE) or 0
                number = value & (1 << 8 * length) - 1
                text = f"a constant with value {value} ({number:#x}), length {length}"
                yield child.name or "??", text
        if die.tag in TYPES and die.name is not None:
            yield die.name, "a typedef"
    for variable in variables.values():
        yield _variable(session, variable)


def _variable(session: Session, variable: Variable) -> tuple[str, str]:
    try:
        text = _description(session, variable, is_scope=True)
    except DwarfGpuError as error:
        return variable.name, f"<error: {error.message}>"
    if text == "optimized out":
        return variable.name, text
    static = "in " if text.startswith("static storage") else ""
    return variable.name, f"{static}{text}, length {_length(variable)}"


def _length(variable: Variable) -> int:
    try:
        return size_bytes(variable.type) or 0
    except DwarfGpuError:
        return 0
