"""Variables whose data the linker dropped, as `--gc-sections` does.

Linkers leave 0 as the address of what they dropped, or one of the two largest addresses, as they do
for code (`dwarfgpu.dwarf.scope.scope_entries.pc_bounds`). An offset in thread-local storage or in
another address space may well be 0: operations follow that make a location of it. The symbols say
which variable is at the beginning of the thread-local storage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.types.memory_space import memory_space
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ExprLoc, LocationAttribute, Unit
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHF_ALLOC, SHT_SYMTAB

_ADDR: Final = 0x03
_PLUS_UCONST: Final = 0x23
_ADDRESSES: Final = frozenset({b"\x03", b"\xa1", b"\xfb"})
"""DW_OP_addr, DW_OP_addrx, and DW_OP_GNU_addr_index of DWARF 4."""
_LENGTH: Final = pattern(rb"[0-9]+")
_LONGEST: Final = 999
"""Bytes of a part of a mangled name that are compared."""
_MOST: Final = 1 << 16
"""Characters of symbols that are compared: each digit may be that of another part."""
_THREAD_ADDRESSES: Final = frozenset({b"\x9b", b"\xe0"})
"""DW_OP_form_tls_address, and its GNU form."""


def why_dropped(die: Die, location: LocationAttribute) -> str | None:
    """Return why a location of a variable says that the linker dropped its data; None if it does
    not."""
    if not isinstance(location, ExprLoc) or not may_be_dropped(location.expression):
        return None
    code = location.expression
    if code[-1:] in _THREAD_ADDRESSES:
        return _why_dropped_in_thread(die, location)
    address = _first_address(code, location.unit, die.unit.endian)
    if address is None or (address and address < die.unit.tombstone):
        return None
    file = die.unit.info.main.sections.object
    if file.is_relocatable or _may_have_data(file, address):
        return None
    if memory_space(die) is not None or die.holder(dw.AT_ADDRESS_CLASS) is not None:
        return None  # an offset in the memory of that kind
    return (
        f"the linker dropped it (no allocated section has the address {address:#x} of its "
        "DW_AT_location)"
    )


def may_be_dropped(code: bytes) -> bool:
    """Return whether an expression can be of dropped data, as far as its first and last operations
    say; most are not."""
    return code[:1] in _ADDRESSES or code[-1:] in _THREAD_ADDRESSES


def _why_dropped_in_thread(die: Die, location: ExprLoc) -> str | None:
    """Return the same of a thread-local variable: only other ones have symbols where it is said to
    be, at the beginning of the storage."""
    from dwarfgpu.expr.thread_location import pushed_in_thread  # GPUs have no such variables

    file = die.unit.info.main.sections.object
    try:
        if file.is_relocatable or pushed_in_thread(location) != 0:
            return None
    except DwarfGpuError:
        return None  # the evaluation reports it
    table = file.symbol_section
    name = die.linkage_name or die.name
    if table is None or table.type != SHT_SYMTAB or name is None:
        return None
    parent = die.parent()
    if parent is not None and parent.tag == dw.TAG_COMMON_BLOCK:
        return None  # the block alone has a symbol
    there = file.first_thread_locals
    if not there or _first_names(file).may_have(name):
        return None
    return (
        f"the linker dropped it (at the offset 0 of its DW_AT_location, thread-local storage has "
        f"{there[0]})"
    )


class _FirstNames:
    """The names that the symbols at the beginning of thread-local storage may give to variables, of
    which there may be as many as symbols: compilers and linkers add numbers to the names of static
    variables, and a mangled name has the length of each of its parts. Symbols of too many
    characters may be of any variable, and so may one that is not as it is in the file."""

    def __init__(self, symbols: Iterable[str]) -> None:
        unique = set(symbols)
        self._may_be_any = sum(map(len, unique)) > _MOST or not all(map(_is_whole, unique))
        self._pieces = set[str]()
        self._parts = set[int]()
        """Hashes, because parts overlap that have digits in their names."""
        if self._may_be_any:
            return
        for symbol in unique:
            self._pieces.update(_pieces_of(symbol))
            if symbol.startswith("_"):
                self._parts.update(map(hash, _parts_of(name_bytes(symbol))))

    def may_have(self, name: str) -> bool:
        return (
            self._may_be_any
            or self._pieces.issuperset(_pieces_of(name))
            or len(name) > _LONGEST
            or len(in_file := name_bytes(name)) > _LONGEST
            or hash(in_file) in self._parts
        )


@kept_with(first)
def _first_names(file: ObjectFile) -> _FirstNames:
    return _FirstNames(file.first_thread_locals)


def _is_whole(symbol: str) -> bool:
    """Return whether a name was read, as neither a table that is damaged nor a very long name is,
    and without escapes."""
    return symbol != "" and "\\" not in symbol


def _pieces_of(name: str) -> list[str]:
    """Return what is between the dots of numbers and the at signs of versions; older mangled names
    of Rust have other dots."""
    return name.replace("@", ".").split(".")


def _parts_of(mangled: bytes) -> Iterator[bytes]:
    """Yield what follows each number in a mangled name and has that many bytes; other digits may be
    before those of the number."""
    for digits in _LENGTH.finditer(mangled):
        end = digits.end()
        for begin in range(max(digits.start(), end - len(str(_LONGEST))), end):
            number = mangled[begin:end]
            behind = end + int(number)
            if not number.startswith(b"0") and behind <= len(mangled):
                yield mangled[end:behind]


def _first_address(code: bytes, unit: Unit, endian: Endian) -> int | None:
    """Return the address of an expression that is DW_OP_addr, DW_OP_addrx or one of these and
    DW_OP_plus_uconst, as for a part of merged variables; None for any other."""
    reader = Reader(code, endian)
    try:
        if reader.u8() == _ADDR:
            address = reader.unsigned(unit.format.address_size)
        else:
            address = unit.address(reader.uleb())
        if reader:
            if reader.u8() != _PLUS_UCONST:
                return None
            reader.uleb()
        return None if reader else address
    except DwarfGpuError:
        return None  # the evaluation reports it


def _may_have_data(file: ObjectFile, address: int) -> bool:
    """Return whether an allocated section contains an address, or none is known."""
    allocated = [section for section in file.sections if section.flags & SHF_ALLOC]
    return not allocated or any(
        section.address <= address < section.address + section.size_bytes for section in allocated
    )
