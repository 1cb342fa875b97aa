"""Headers of ELF sections and segments, entries of symbol tables, and the numbers in their fields
(System V ABI, chapters 4 and 5)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import frozen

EV_CURRENT: Final = 1
ET_REL: Final = 1
ET_EXEC: Final = 2
ET_DYN: Final = 3
ET_LOOS: Final = 0xFE00
"""Types of files from here on are for operating systems and processors."""
PT_NULL: Final = 0
PT_LOAD: Final = 1
PT_TLS: Final = 7
PT_GNU_EH_FRAME: Final = 0x6474E550
PF_X: Final = 1
PF_W: Final = 2
SHT_NULL: Final = 0
SHT_SYMTAB: Final = 2
SHT_RELA: Final = 4
SHT_NOBITS: Final = 8
SHT_REL: Final = 9
SHT_DYNSYM: Final = 11
SHT_SYMTAB_SHNDX: Final = 18
SHT_GNU_VERSYM: Final = 0x6FFFFFFF
VERSYM_HIDDEN: Final = 0x8000
"""The bit of the number of a version that is not the default (Linux Standard Base, "Symbol Version
Table")."""
SHF_WRITE: Final = 0x1
SHF_ALLOC: Final = 0x2
SHF_EXECINSTR: Final = 0x4
SHF_TLS: Final = 0x400
SHF_COMPRESSED: Final = 0x800
SHN_LORESERVE: Final = 0xFF00
"""Section indices from here on denote no section."""
SHN_XINDEX: Final = 0xFFFF
RESERVED_BELOW_ZERO: Final = 0x10000
"""What is subtracted from reserved indices of symbols: SHT_SYMTAB_SHNDX has sections of the same
numbers (System V ABI, "Section Header Table Indexes")."""
GNU_COMPRESSED: Final = ".zdebug_"
"""How the name of a debug section begins that GNU tools compressed before SHF_COMPRESSED."""
ELFCOMPRESS_ZLIB: Final = 1
ELFCOMPRESS_ZSTD: Final = 2


def uncompressed(name: str) -> str:
    """Return the name that a section has when it is not compressed."""
    return name.replace(GNU_COMPRESSED, ".debug_", 1) if name.startswith(".z") else name


def relocated_name(table: str) -> tuple[int | None, str]:
    """Return the type of the table of relocations that a name says, SHT_RELA or SHT_REL, and the
    name of the section that it relocates; None and "" for the name of another section."""
    for prefix, kind in ((".rela.", SHT_RELA), (".rel.", SHT_REL)):
        if table.startswith(prefix):
            return kind, uncompressed(table[len(prefix) - 1 :])
    return None, ""


@frozen
class Section:
    """One section header."""

    index: int
    name: str
    type: int
    flags: int
    address: int
    """In a relocatable object: where it is placed (`dwarfgpu.objfile.section_placement`)."""
    offset: int
    size_bytes: int
    link: int
    info: int
    entry_bytes: int
    alignment: int = 1
    """Bytes; 0 and 1 for none."""

    def covers(self, address: int) -> bool:
        """Return whether the section is loaded at this address of the file; .tbss is at none: other
        sections have the addresses in its header (System V ABI, `PT_TLS`)."""
        if not self.flags & SHF_ALLOC or (self.flags & SHF_TLS and self.type == SHT_NOBITS):
            return False
        return 0 <= address - self.address < self.size_bytes


@frozen
class Segment:
    """One program header."""

    type: int
    flags: int
    offset: int
    address: int
    file_bytes: int
    memory_bytes: int
    alignment: int = 1
    """Bytes; 0 and 1 for none."""
    physical_address: int = 0
    """0 in a core file of a process."""


@frozen
class SymbolFields:
    """One entry of a symbol table as encoded; `name` is an offset into the names."""

    name: int
    address: int
    size_bytes: int
    info: int
    other: int
    section: int


@frozen
class Layout:
    """The structures of one ELF class, as `struct` formats without their byte order."""

    header: str
    section: str
    segment: str
    symbol: str
    compression: str


LAYOUTS: Final = {
    1: Layout("HHIIIIIHHHHHH", "IIIIIIIIII", "IIIIIIII", "IIIBBH", "III"),
    2: Layout("HHIQQQIHHHHHH", "IIQQQQIIQQ", "IIQQQQQQ", "IBBHQQ", "IIQQ"),
}
