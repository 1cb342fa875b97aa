"""Express addresses by code object symbols, as GDB shows them after pointers: `g+40`.

C++ symbols have readable names: those of functions come from their entries, others from
`dwarfgpu.dwarf.names.demangle` if it supports them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.index.units_by_name import mentioning_units
from dwarfgpu.dwarf.loaded_code import as_code_objects, code_object_at
from dwarfgpu.dwarf.names.demangle import demangled, demangled_clone, demangled_function
from dwarfgpu.dwarf.names.function_names import full_function_name, function_name
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf_structures import SHF_EXECINSTR, Section
from dwarfgpu.objfile.symbols import Symbol

_NUMBERED: Final = pattern(r"([a-z][a-z0-9_]*)\.[0-9]+")
"""The name of a variable of a function, as it would be in Ada: GDB shows no other name without the
number. The versions of symbols end so, too."""

_MOST_LABELS: Final = 1024
"""Local labels of a function that are passed over to find it."""
_PLT: Final = ".plt"
"""The beginning of the names of procedure linkage tables."""
_AT_PLT: Final = "@plt"


@frozen
class SymbolAtAddress:
    """An address by the symbol that covers it."""

    name: str
    """As people write it."""
    offset: int
    """Distance from the start of the symbol."""
    section: str
    code_object: CodeObject
    symbol: str
    """Its name in the symbol table."""
    has_size: bool = True
    """Whether the symbol table says where it ends."""
    is_label: bool = False
    """Whether it has no type and no size, and other files cannot mean it: in assembler code, so are
    functions, and labels inside of them."""

    def __str__(self) -> str:
        return f"{self.name}+{self.offset}" if self.offset else self.name


def symbol_text(
    code_objects: Iterable[CodeObject], address: int, *, is_mangled: bool = False
) -> str | None:
    """Return `g`, `g+40`, also as in the symbol table; None as for `symbol_covering`."""
    named = name_and_offset(as_code_objects(code_objects), address, is_mangled=is_mangled)
    if named is None:
        return None
    name, offset = named
    return f"{name}{offset:+}" if offset else name


def symbol_name(
    code_objects: Iterable[CodeObject], address: int, *, is_mangled: bool = False
) -> str | None:
    """Return `g` also inside of it; None as for `symbol_covering`."""
    named = name_and_offset(as_code_objects(code_objects), address, is_mangled=is_mangled)
    return None if named is None else named[0]


def name_and_offset(
    code_objects: tuple[CodeObject, ...], address: int, *, is_mangled: bool
) -> tuple[str, int] | None:
    """Return the symbol of an address and the offset in it; None as for `symbol_covering`."""
    symbol = symbol_covering(code_objects, address)
    if symbol is None:
        return _described_function(code_objects, address, is_mangled=is_mangled)
    if symbol.offset and not symbol.has_size:  # as `frame_dummy`, or a label
        described = _described_function(
            code_objects, address, is_mangled=is_mangled, start=address - symbol.offset
        )
        if described is not None:
            return described
    return symbol.symbol if is_mangled else symbol.name, symbol.offset


def _described_function(
    code_objects: Iterable[CodeObject], address: int, *, is_mangled: bool, start: int | None = None
) -> tuple[str, int] | None:
    """Return the name and the offset of a function that only the debugging information has, as in
    GDB: compilers and `strip -x` leave local symbols out. `start`: the address of a symbol without
    a size before it, which is meant if it is the entry, or in another part of the function."""
    code_object = code_object_at(code_objects, address)
    try:
        subprogram = None if code_object is None else code_object.scopes.subprogram_at(address)
        if subprogram is None or subprogram.entry is None:
            return None
        entry = subprogram.entry
        if start is not None and start >= entry:
            ranges = subprogram.ranges
            is_whole = any(low <= entry and address < high for low, high in ranges)
            if start == entry or not is_whole:
                return None
        mangled = subprogram.die.linkage_name if is_mangled else None
        name = mangled or full_function_name(subprogram.die) or subprogram.name
    except DwarfGpuError:
        return None
    return name, address - subprogram.entry


def symbol_covering(
    code_objects: Iterable[CodeObject], address: int, *, with_unsized: bool = False
) -> SymbolAtAddress | None:
    """Return the symbol at an address; None outside the sections of all files, and past the end of
    a symbol. Data without a size are left out, as in GDB's `<symbol>`; `with_unsized`, as in its
    `info symbol`, they reach to the next symbol."""
    for code_object in as_code_objects(code_objects).around(address):
        file, inside = code_object.file, address - code_object.load_address
        section = next(iter(file.sections_at(inside)), None)
        if section is None:
            continue
        entry = code_object.plt.at(inside) if section.name.startswith(_PLT) else None
        if entry is not None:
            name = demangled_entry(entry.name)
            offset = inside - entry.address
            return SymbolAtAddress(name, offset, section.name, code_object, entry.name)
        symbol = _symbol_at(code_object, section, inside, with_unsized=with_unsized)
        if symbol is None:
            return None
        offset = inside - symbol.address
        name = _name(code_object, symbol)
        has_size = symbol.size_bytes > 0
        is_label = symbol.kind == "other" and symbol.is_local and not has_size
        return SymbolAtAddress(
            name, offset, section.name, code_object, symbol.name, has_size, is_label
        )
    return None


def function_of_label(
    code_objects: Iterable[CodeObject], address: int, symbol: SymbolAtAddress
) -> SymbolAtAddress:
    """Return the function that the symbol at an address is a local label of by its name, as NASM
    writes them: `walk` before `walk.loop` and `walk.end`; else the symbol itself."""
    if not symbol.is_label or "." not in symbol.symbol:
        return symbol
    before, first_part = symbol, symbol.symbol[: symbol.symbol.index(".") + 1]
    for _ in range(_MOST_LABELS):
        outer = symbol_before(code_objects, address, before)
        if outer is None:
            break
        if symbol.symbol.startswith(f"{outer.symbol}."):
            return outer
        if not outer.is_label or not outer.symbol.startswith(first_part):
            break
        before = outer
    return symbol


def symbol_before(
    code_objects: Iterable[CodeObject], address: int, symbol: SymbolAtAddress
) -> SymbolAtAddress | None:
    """Return the symbol of the code directly before another one that is before an address; None if
    that code is of another section, or has none. Its offset is that of the address."""
    behind = symbol.offset + 1
    before = symbol_covering(code_objects, address - behind)
    if before is None or (before.code_object, before.section) != (
        symbol.code_object,
        symbol.section,
    ):
        return None
    return evolve(before, offset=before.offset + behind)


def sized_symbol_at(code_object: CodeObject, section: Section, address: int) -> Symbol | None:
    """Return the innermost symbol of a section whose size covers an address of the file: behind
    the end of a function inside another one, that is the outer one, as in GDB."""
    last = _before(code_object, section, address)
    return _sized_symbol(code_object, section, address, last)


def _before(code_object: CodeObject, section: Section, address: int) -> Symbol | None:
    # A stripped file keeps only what the dynamic linker needs.
    files = symbol_files(code_object)
    return _last_of(section, [file.symbol_before(address) for file in files])


def _sized_symbol(
    code_object: CodeObject, section: Section, address: int, last: Symbol | None
) -> Symbol | None:
    if last is not None and last.size_bytes and _names(last, address, with_unsized=False):
        return last  # nearly always
    files = symbol_files(code_object)
    return _last_of(section, [file.symbol_covering(address) for file in files])


def _symbol_at(
    code_object: CodeObject, section: Section, address: int, *, with_unsized: bool
) -> Symbol | None:
    """Return the symbol that names an address of a section of the file."""
    last = _before(code_object, section, address)
    sized = _sized_symbol(code_object, section, address, last)
    if sized is not None:
        return sized
    symbol = last if _names(last, address, with_unsized=with_unsized) else None
    if with_unsized or section.flags & SHF_EXECINSTR:
        files = symbol_files(code_object)
        label = _last_of(section, [file.label_before(address) for file in files])
        if label is not None and (last is None or label.address > last.address):
            return label if _names(label, address, with_unsized=with_unsized) else None
    return symbol


def _last_of(section: Section, symbols: Iterable[Symbol | None]) -> Symbol | None:
    """Return the last of several symbols, None if it is of another section."""
    before = [symbol for symbol in symbols if symbol is not None]
    symbol = max(before, key=lambda candidate: candidate.address, default=None)
    return symbol if symbol is not None and section.covers(symbol.address) else None


def _names(symbol: Symbol | None, address: int, *, with_unsized: bool) -> bool:
    """Return whether a symbol names an address at or after its own, as in GDB: one inside of its
    size; an object without a size names none."""
    if symbol is None:
        return False
    if symbol.size_bytes:
        return address - symbol.address < symbol.size_bytes
    return with_unsized or symbol.kind != "object"


def _name(code_object: CodeObject, symbol: Symbol) -> str:
    """Return `ns::f(int)`, `vtable for ns::X`; the symbol itself if no better name is known."""
    name = _function_name(code_object, symbol) if symbol.kind == "function" else None
    name = name or demangled_clone(symbol.name)
    if symbol.kind == "object" and symbol.name.startswith("_D"):
        from dwarfgpu.dwarf.names.shown_d_names import shown_d_name  # few programs are of D

        name = shown_d_name(symbol.name)
    if "__" in symbol.name and name in (None, symbol.name):
        name = _mentioned_in_ada(code_object, symbol.name) or name
    bare, mark, version = symbol.name.partition("@")
    readable = None if name else demangled(bare)
    return name or (f"{readable}{mark}{version}" if readable else unnumbered(symbol))


def _mentioned_in_ada(code_object: CodeObject, name: str) -> str | None:
    """Return `pk.x` for the symbol `pk__x` that a unit of Ada mentions, also where another language
    defines it. GDB decodes it in programs of any language, where `a__b` is a name of its own."""
    from dwarfgpu.dwarf.names.ada_names import decoded  # few programs are of Ada

    shown = decoded(name)
    if shown is None:
        return None
    with suppress(DwarfGpuError):  # the symbol's own name is true, too
        if any(unit.style == "ada" for unit in mentioning_units(code_object.info, name)):
            return shown
    return None


def demangled_entry(name: str) -> str:
    """Return the name of an entry of a procedure linkage table: `f(int)@plt`."""
    function = name.removesuffix(_AT_PLT)
    return f"{demangled(function) or function}{_AT_PLT}"


def unnumbered(symbol: Symbol) -> str:
    """Return the name of a symbol without the number that compilers append to a variable of a
    function: `counter.0` is `counter`, as in GDB."""
    match = _NUMBERED.fullmatch(symbol.name) if symbol.kind == "object" else None
    return match[1] if match else symbol.name


def _function_name(code_object: CodeObject, symbol: Symbol) -> str | None:
    try:
        address = symbol.address + code_object.load_address
        unit = code_object.scopes.unit_at(address)
        if unit is not None and unit.style == "ada":  # GNAT describes not all that it makes
            from dwarfgpu.dwarf.names.ada_names import decoded  # few programs are of Ada

            return decoded(symbol.name)
        subprogram = None if unit is None else code_object.scopes.subprogram_at(address)
        if subprogram is None:
            return None
        is_start, linkage = subprogram.entry == address, subprogram.die.linkage_name
        if is_start and (linkage is None or subprogram.die.unit.style == "fortran"):
            return full_function_name(subprogram.die)  # of C, a lambda, or main
        if is_start and linkage is not None and (described := demangled_function(linkage)):
            return described  # several equal functions may be at one address: this is in DWARF
        name = function_name(subprogram.die, symbol.name)
        # As in GDB, a described function is shown without its result.
        return None if name is None else demangled_function(symbol.name) or name
    except DwarfGpuError:
        return None  # the symbol's own name is true, too
