"""Names of the entries of a procedure linkage table: `puts@plt`, as GDB and disassemblers name
them, and the words through which they jump (System V ABI, AMD64 supplement, "Procedure Linkage
Table").

Law: an entry has a name where its first instruction jumps through a word that a relocation sets to
the address of a function; what else is in the table has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from struct import Struct
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHT_NOBITS, SHT_RELA, Section
from dwarfgpu.objfile.relocate import LinkedSymbols, Sizes
from dwarfgpu.objfile.symbols import Symbol

SECTIONS: Final = (".plt", ".plt.got", ".plt.sec")
_RELOCATION: Final = Struct("<QQq")
_JUMP_SLOT: Final = 7
_SETS_FUNCTION: Final = {6, _JUMP_SLOT}
"""R_X86_64_GLOB_DAT and R_X86_64_JUMP_SLOT."""
_CHOOSES_FUNCTION: Final = 37
"""R_X86_64_IRELATIVE: its addend is the address of what chooses the function."""
_ENDBR64: Final = bytes.fromhex("f30f1efa")
_BND: Final = b"\xf2"
_JMP_THROUGH: Final = b"\xff\x25"
"""`jmp *disp32(%rip)`."""
_ENTRY_BYTES: Final = {0: 16, 8: 8, 16: 16}
"""Size of an entry by that of the section header, which lld leaves 0."""
_COST: Final = 16
"""What an entry, and a relocation that sets a function, count as towards the limit of relocations:
their names are kept."""


class PltSymbols:
    """The named entries of a file's procedure linkage tables, which are read when one is needed."""

    def __init__(self, file: ObjectFile) -> None:
        self._file = file

    @cached_property
    def _read(self) -> dict[int, Symbol] | DwarfGpuError:
        try:
            return plt_symbols(self._file)
        except DwarfGpuError as error:
            return error

    @property
    def _symbols(self) -> dict[int, Symbol]:
        """What cannot be read names nothing, as symbols."""
        return {} if isinstance(self._read, DwarfGpuError) else self._read

    @property
    def limit(self) -> LimitExceeded | None:
        """Why there are more of them than are read."""
        return self._read if isinstance(self._read, LimitExceeded) else None

    @cached_property
    def words(self) -> dict[str, int]:
        """The address of the word that holds the function of a name once it was called, or once the
        file was loaded: that of its R_X86_64_JUMP_SLOT. Empty for other machines than x86-64."""
        try:
            return _jump_slots(self._file)
        except DwarfGpuError:
            return {}

    @property
    def symbols(self) -> Collection[Symbol]:
        """All of them, in the order of the tables."""
        return self._symbols.values()

    def at(self, address: int) -> Symbol | None:
        """Return the entry that an address is in; None if there is none, or it has no name."""
        for start in (address & -8, address & -16):  # entries are aligned to their sizes
            symbol = self._symbols.get(start)
            if symbol is not None and address - start < symbol.size_bytes:
                return symbol
        return None


def plt_symbols(file: ObjectFile) -> dict[int, Symbol]:
    """Return a function symbol for each entry of the tables that has a name, by its address; none
    for files of other machines than x86-64. `Malformed` and `LimitExceeded` for tables that cannot
    be read."""
    if file.machine != "X86_64" or file.is_relocatable:
        return {}
    tables = [
        section
        for name in SECTIONS
        for section in file.sections_named(name)
        if section.entry_bytes in _ENTRY_BYTES and section.type != SHT_NOBITS
    ]
    if not tables:
        return {}
    entry_count = sum(
        file.unpacked_bytes(section) // _ENTRY_BYTES[section.entry_bytes] for section in tables
    )
    file.limits.check_relocations(f"{tables[0].name} of {file.path}", _COST * entry_count)
    names = {word: name for _, word, name in _functions_set(file)}
    return {
        symbol.address: symbol for section in tables for symbol in _entries(file, section, names)
    }


def _entries(file: ObjectFile, section: Section, names: dict[int, str]) -> list[Symbol]:
    data, out = file.data_of(section), list[Symbol]()
    size_bytes = _ENTRY_BYTES[section.entry_bytes]
    for start in range(0, len(data) - size_bytes + 1, size_bytes):
        code = data[start : start + size_bytes]
        jump = code.removeprefix(_ENDBR64).removeprefix(_BND)
        if not jump.startswith(_JMP_THROUGH) or len(jump) < 6:
            continue
        address = section.address + start
        after = address + size_bytes - len(jump) + 6
        name = names.get(after + int.from_bytes(jump[2:6], "little", signed=True))
        if name:
            out.append(Symbol(f"{name}@plt", address, size_bytes, "function", section.index))
    return out


def _jump_slots(file: ObjectFile) -> dict[str, int]:
    if file.machine != "X86_64" or file.is_relocatable:
        return {}
    return {name: word for kind, word, name in _functions_set(file) if kind == _JUMP_SLOT}


def _functions_set(file: ObjectFile) -> Iterator[tuple[int, int, str]]:
    """Yield the type of each relocation that stores the address of a function, the address of the
    word, and the function's name."""
    linked, sizes = LinkedSymbols(file), Sizes(file, "tables of relocations")
    check, cost, other_cost = file.limits.check_relocations, 0, 0
    for section in file.sections:
        if section.type != SHT_RELA or not 0 < section.link < len(file.sections):
            continue
        sizes.add(section)
        symbols, data, names = linked.of(section), file.data_of(section), dict[int, str]()
        end = len(data) - len(data) % _RELOCATION.size
        subject = f"{section.name} of {file.path}"
        other_cost, cost = other_cost + cost, end // _RELOCATION.size
        check(subject, cost, other_cost)
        for word, info, addend in _RELOCATION.iter_unpack(data[:end]):
            number, kind = info >> 32, info & 0xFFFFFFFF
            if kind == _CHOOSES_FUNCTION:
                name = f"*ABS*+{addend:#x}"
            elif kind not in _SETS_FUNCTION or not number:
                continue
            elif number in names:
                name = names[number]
            elif number >= len(symbols):
                raise Malformed(f"{subject} has no symbol {number}")
            else:
                name = names[number] = symbols.symbol(number).name
            cost += _COST
            check(subject, cost, other_cost)
            yield kind, word, name
