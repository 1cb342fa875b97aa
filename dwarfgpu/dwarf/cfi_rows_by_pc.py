"""Call frame information by program location: the CFI rows of an object file (AMD text A.6.4).

`dwarfgpu.cfi.section` finds the FDE.

Law: a section is read once for all loads of a file; the rows of an entry are read on first use.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from heapq import nsmallest
from typing import Final

from dwarfgpu.arch.registry import other_wave_size
from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, plain_integer
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi import eh_frame_hdr
from dwarfgpu.cfi.eh_frame_hdr import SearchTable, read_search_table
from dwarfgpu.cfi.entry import Cie, Fde
from dwarfgpu.cfi.frame_entries import SectionKind
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rows import RowTable
from dwarfgpu.cfi.rule import Row, Rules
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.errors import DwarfGpuError, FailedReads, LimitExceeded, UnknownAugmentation
from dwarfgpu.expr.dialect.dialect import AMD, AMD_DIRECT, Dialect, dialect
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PT_GNU_EH_FRAME, SHT_NOBITS
from dwarfgpu.objfile.relocate import relocated_data

SECTIONS: Final[tuple[SectionKind, ...]] = (".debug_frame", ".eh_frame")
"""In the order of the search: the first is for debuggers."""
_SECTIONS_OF_GO: Final = frozenset(
    {".note.go.buildid", ".go.buildinfo", ".gopclntab", ".data.rel.ro.gopclntab"}
)
"""A reproducible build may have no build ID."""
_MAX_ROWS: Final = 10_000
"""Maximum number of cached rows, by program location."""
_MAX_RULES: Final = 2_000_000
"""Maximum number of register rules in cached rows: some 70 MB."""
_MANY_RULES: Final = 100_000
"""Rules of an entry that no compiler makes."""
_MAX_AGAIN: Final = 4_000_000
"""Maximum number of rules of such entries that are made again."""
_MOST_NAMED: Final = 8
"""Unknown registers in a note."""


@frozen
class Description:
    """What call frame information says of an address."""

    section: FrameSection
    fde: Fde
    row: Row


class _Read:
    """What was read of the sections and the rows, for all loads of the file."""

    def __init__(self) -> None:
        self.sections: tuple[FrameSection, ...] | None = None
        self.tables: dict[tuple[SectionKind, int], RowTable] = {}
        self.rule_count = 0
        self.many: dict[tuple[SectionKind, int], int] = {}
        """How many rules the entries have that have many, of those that were made."""
        self.rules_again = 0
        self.unknown: dict[int, tuple[Rules, str | None]] = {}
        self.rows = KeptAnswers[int, FrameRow | None](_MAX_ROWS)
        """By the address of the file."""
        self.failed = FailedReads()
        self.notes: list[str] = []
        self.damage: dict[str, None] = {}


@methods_name_wrong_arguments
class CallFrames:
    """The sections `.debug_frame` and `.eh_frame` of a file, or of its separate debug file."""

    def __init__(self, sections: Sections) -> None:
        self._object = sections.object
        self._program = sections.program
        self._loaded = sections.program.loaded
        key = "call frames", sections.program.forced_dialect
        self._read = read = sections.for_all_loads.once(key, _Read)
        self.notes = read.notes
        """Errors for which there were other ways to find the same information."""
        self.damage = read.damage
        """What shows that rows which were asked for may be wrong."""

    @property
    def sections(self) -> tuple[FrameSection, ...]:
        """The sections of the file; a separate debug file has the first, the program the second."""
        read = self._read
        if read.sections is None:
            read.sections = read.failed.read("sections", lambda: tuple(self._sections()))
        return read.sections

    def _sections(self) -> Iterator[FrameSection]:
        kinds: set[SectionKind] = set()
        for kind in SECTIONS:
            for file in dict.fromkeys((self._object, self._loaded)):
                section = file.sections_by_name.get(kind)
                if not file.has_section(kind) or (section and section.type == SHT_NOBITS):
                    continue
                address = section.address if section else 0
                search = self._search_table(file) if kind == ".eh_frame" else None
                if search is not None and search.frames_address != address:
                    self.notes.append(
                        f"{eh_frame_hdr.SECTION} of {file.path} is of other frames: .eh_frame is "
                        f"at {address:#x}, not at {search.frames_address:#x}"
                    )
                    search = None
                kinds.add(kind)
                alignment = section.alignment if section else None
                data = relocated_data(file, kind)
                yield self._section(file, kind, data, address, search, alignment)
                break
        if ".eh_frame" not in kinds:
            search = self._search_table(self._loaded)
            data = self._loaded.loaded_from(search.frames_address) if search else b""
            if search is not None and data:
                frames_address = search.frames_address
                yield self._section(
                    self._loaded, ".eh_frame", data, frames_address, search, ends_at_zero=True
                )

    def _section(
        self,
        file: ObjectFile,
        kind: SectionKind,
        data: bytes,
        address: int,
        search: SearchTable | None,
        alignment: int | None = None,
        *,
        ends_at_zero: bool = False,
    ) -> FrameSection:
        return FrameSection(
            kind,
            data,
            section_address=address,
            address_size=file.address_bytes,
            endian=file.endian,
            architecture=self._program.architecture,
            machine=file.machine,
            search=search,
            ends_at_zero=ends_at_zero,
            most_instructions=file.limits.cfa_instructions,
            most_entries=file.limits.frame_entries,
            alignment=alignment,
        )

    def _search_table(self, file: ObjectFile) -> SearchTable | None:
        try:
            return search_table_of(file)
        except DwarfGpuError as error:
            self.notes.append(f"{eh_frame_hdr.SECTION} of {file.path} is not used: {error}")
            return None

    def entries_at(self, address: int) -> Iterator[tuple[FrameSection, Fde]]:
        """Return the entries that describe an address of the file, at most one of each section."""
        for section in self.sections:
            description = section.find(address)
            if section.search_error is not None:
                path, error = self._loaded.path, section.search_error
                self._add_note(f"the search table of {path} is not used: {error}")
            if description is not None:
                yield section, description

    def _add_note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def table(self, section: FrameSection, fde: Fde) -> RowTable:
        """Return the rows of an entry, made once unless others need the memory. `LimitExceeded` for
        entries of very many rules that take turns."""
        read, key = self._read, (section.kind, fde.offset)
        table = read.tables.get(key)
        if table is None:
            again = read.many.get(key, 0)
            read.rules_again += again
            if again and read.rules_again > _MAX_AGAIN:
                raise LimitExceeded(
                    f"frame entries of more than {_MANY_RULES} register rules take turns, and "
                    "their rows do not fit into memory together"
                )
            table = fde.table()
            if table.rule_count > _MANY_RULES:
                read.many[key] = table.rule_count
            read.rule_count += table.rule_count
            if read.rule_count > _MAX_RULES:
                read.tables.clear()
                read.rows.clear()
                read.unknown.clear()
                read.rule_count = table.rule_count
            read.tables[key] = table
        return table

    def row_at(self, pc: int) -> FrameRow | None:
        """Return the row of a program location, as loaded; None if there is none.

        An entry without rules counts only if no other section has rules. Raises the
        error that ends the rows of an entry before the location.
        """
        try:
            address = self._program.in_file(pc if type(pc) is int else plain_integer(pc))
            return self._read.rows.answer(address, self._row_at)
        except FOREIGN:
            require_right_arguments(CallFrames.row_at, self, pc)
            raise

    def _row_at(self, address: int) -> FrameRow | None:
        description = self.description_at(address)
        if description is None:
            return None
        cie = description.fde.cie
        if cie.initial.offset_assumed_by is not None:
            where = f"the CIE at {cie.offset:#x} of {description.section.kind}"
            why = "gives the CFA a register and no offset: it is taken as 0"
            self._add_note(f"{self._object.path}: {where} {why}")
        row = self._frame_row(cie, description.row)
        self._note_overlapped(description, row, address)
        self._note_damaged(description)
        return row

    def _note_damaged(self, description: Description) -> None:
        """Note rules of a row that no producer writes: of registers that the architecture does not
        have, of the last row where others begin after the end of the FDE (A.6.4.1), or of rows
        whose instructions are zeros."""
        section, fde, row = description.section, description.fde, description.row
        table = self.table(section, fde)
        undefined = self._undefined_registers(fde.cie, row.rules)
        reasons = [] if undefined is None else [undefined]
        if table.beyond is not None and row is table.rows[-1]:
            reasons.append(f"a row begins at {table.beyond:#x}, after its end")
        if table.zeroed_from is not None and row.end > table.zeroed_from and not reasons:
            from dwarfgpu.objfile.linker_room import leaves_room  # few files have as many zeros

            if leaves_room(self._object):
                return
            reasons.append(f"zeros replaced instructions from {table.zeroed_from:#x} on")
        for reason in reasons:
            note = (
                f"{self._object.path}: the FDE of [{fde.initial_location:#x},{fde.end:#x}) at "
                f"{fde.offset:#x} of {section.kind} may be damaged, and frames by it wrong: "
                f"{reason}"
            )
            self.damage[note] = None

    def _undefined_registers(self, cie: Cie, rules: Rules) -> str | None:
        """Return which registers of rules the architecture does not have; None if it has all."""
        known = self._read.unknown.get(id(rules))
        if known is None:  # rows at many addresses have the same, and there may be very many
            known = self._read.unknown[id(rules)] = rules, self._look_for_undefined(cie, rules)
        return known[1]

    def _look_for_undefined(self, cie: Cie, rules: Rules) -> str | None:
        architecture = self._program.architecture
        if architecture is None or rules.keys() <= architecture.registers.keys():
            return None
        unknown = rules.keys() - self._defined_registers - {cie.return_register}
        if not unknown or not architecture.has_every_register:
            return None
        numbers = nsmallest(_MOST_NAMED, unknown)
        return architecture.undefined_registers(*numbers, more=len(unknown) - len(numbers))

    @cached_property
    def _defined_registers(self) -> frozenset[int]:
        """The numbers of the architecture's registers, whatever the size of the wave."""
        architecture = self._program.architecture
        other = None if architecture is None else other_wave_size(architecture)
        return frozenset(
            number for one in (architecture, other) if one is not None for number in one.registers
        )

    def _note_overlapped(self, description: Description, row: FrameRow, address: int) -> None:
        """Note another entry of the section that describes an address in another way: which of them
        is right is unknown (A.6.4.1)."""
        section, fde = description.section, description.fde
        second = section.overlapped(address, fde)
        file = self._object
        if second is None or file.is_relocatable or not second.initial_location:
            return  # every section begins at 0, and code that a linker dropped
        if not file.is_code(second.initial_location):
            return
        try:
            same = self._frame_row(second.cie, self._row(self.table(section, second), address))
        except DwarfGpuError:
            return  # `check` names it
        if same == row:
            return
        chosen, other = (
            f"[{one.initial_location:#x},{one.end:#x}) at {one.offset:#x}" for one in (fde, second)
        )
        self._add_note(
            f"{self._object.path}: FDEs of {section.kind} disagree about {address:#x}: "
            f"that of {chosen} is used, not that of {other}"
        )

    def why_incomplete(self) -> DwarfGpuError | None:
        """Return why there may be an entry for an address for which none is found; None if all
        entries are known."""
        reasons = (section.why_incomplete() for section in self.sections)
        return next(filter(None, reasons), None)

    def description_at(self, address: int) -> Description | None:
        """Return the entry and the row that apply to an address of the file, as `row_at`."""
        try:
            empty: Description | None = None
            for section, fde in self.entries_at(address):
                row = self._row(self.table(section, fde), address)
                described = Description(section, fde, row)
                if not self._frame_row(fde.cie, row).is_empty:
                    return described
                empty = empty or described
            return empty
        except FOREIGN:
            require_right_arguments(CallFrames.description_at, self, address)
            raise

    def _row(self, table: RowTable, address: int) -> Row:
        index = bisect_right(table.rows, address, key=lambda row: row.start) - 1
        if index >= 0 and address < table.rows[index].end:
            return table.rows[index]
        assert table.error is not None  # else the rows cover the entry
        raise copy(table.error)

    def _frame_row(self, cie: Cie, row: Row) -> FrameRow:
        if cie.return_register is None:
            raise UnknownAugmentation.of(cie.augmentation.text)
        is_signal = cie.augmentation.is_signal_frame
        # C code beside it, for cgo, has the augmentation "zR".
        of_go = self._is_of_go and not cie.augmentation.text
        dialect = self.dialect(cie)
        return FrameRow(row.cfa, row.rules, cie.return_register, is_signal, dialect, of_go)

    @cached_property
    def _is_of_go(self) -> bool:
        """Whether Go's linker made the file."""
        return any(section.name in _SECTIONS_OF_GO for section in self._object.sections)

    def dialect(self, cie: Cie) -> Dialect:
        """Return the dialect of an entry's expressions."""
        try:
            return dialect_of_entry(cie, self._program.forced_dialect)
        except FOREIGN:
            require_right_arguments(CallFrames.dialect, self, cie)
            raise


def dialect_of_entry(cie: Cie, forced: str | None) -> Dialect:
    """Return the dialect of an entry's expressions, which belong to no unit.

    `[llvm:…]` marks compilers that wrote the one-byte encodings, along with the others. `forced`:
    the name of the dialect of the whole file.
    """
    if forced is not None:
        return dialect(forced)
    return AMD_DIRECT if cie.augmentation.text.startswith("[llvm") else AMD


def search_table_of(file: ObjectFile) -> SearchTable | None:
    """Return the search table that PT_GNU_EH_FRAME locates, or else the section of that name; None
    if there is neither.

    `Malformed`, `Unsupported` where it cannot be read.
    """
    section = file.sections_by_name.get(eh_frame_hdr.SECTION)
    if section is not None and section.type == SHT_NOBITS:  # of a debug file: the program has it
        return None
    for segment in file.segments:
        if segment.type == PT_GNU_EH_FRAME:
            if not segment.file_bytes and section is None and file.sections:
                return None  # objcopy -R removed the section
            data = file.file_bytes(segment.offset, segment.file_bytes, eh_frame_hdr.SECTION)
            return read_search_table(data, segment.address, file.address_bytes, file.endian)
    if section is None or file.is_relocatable:
        return None
    data = file.data_of(section)
    return read_search_table(data, section.address, file.address_bytes, file.endian)
