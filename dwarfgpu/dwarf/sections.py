"""The debug sections of one part of a program: bytes, strings, abbreviations and list headers.

Split files, rows of packages and supplementary files are parts besides the main file; each has
`Sections` of its own, and all share one `Program`.

Law: a section is read once, on first use, however often its file is loaded. This module knows
neither units nor entries.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar, cast
from weakref import WeakValueDictionary

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Data
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.printable import LONGEST_NAME_BYTES
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf.abbrev import Abbreviation, AbbreviationTable, read_abbreviations
from dwarfgpu.dwarf.patch_space import has_patch_space
from dwarfgpu.dwarf.section_budget import LONG_NAME_BYTES, SectionBudget
from dwarfgpu.errors import DwarfGpuError, FailedReads, Malformed, Unsupported
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_architecture import architecture_of, other_architecture_of
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.objfile.relocate import Field, relocated_data, relocated_where_known, section_buffer

if TYPE_CHECKING:
    from pathlib import Path

    from dwarfgpu.dwarf.split.contributions import Contributions
    from dwarfgpu.dwarf.split.dwp import PackageRow
    from dwarfgpu.objfile.section_buffer import SectionBuffer

EMPTY_STRINGS: Final = bytes(8)
"""More empty strings beside one another than a linker that keeps all strings leaves."""

T = TypeVar("T")

_PARTLY_KNOWN: Final = (".debug_info", ".debug_types", ".debug_addr")
"""Sections whose readers ask for a value at a time whether it is known."""
_MAX_TEXTS: Final = 1 << 14
"""Names that are kept as text: most entries of a file share them."""


@frozen(eq=False, slots=False)
class Program:
    """What all parts of one program share."""

    loaded: ObjectFile
    """The file with the code."""
    load_address: int = 0
    """Difference between addresses as loaded and those of the file, in bytes."""
    forced_dialect: str | None = None
    """The name of the dialect that the user wants, whatever the units show."""
    is_literal: bool = False
    """Whether what upstream clang writes is read by the letter."""
    directories: tuple[str | Path, ...] = ()
    """Where other files are looked for."""
    _shared: dict[object, object] = field(factory=dict, init=False, repr=False)

    def shared(self, make: Callable[[], T]) -> T:
        """Return the one object of a class that all parts share, made on first use."""
        shared = self._shared.get(make)
        if shared is None:
            shared = self._shared[make] = make()
        return cast("T", shared)

    @cached_property
    def architecture(self) -> Architecture | None:
        """The architecture of the code; None if it is not supported."""
        try:
            return architecture_of(self.loaded)
        except Unsupported:
            return None

    @cached_property
    def other_architecture(self) -> Architecture | None:
        """The same processor with its other wave size, if the code may be for it too."""
        own = self.architecture
        return None if own is None else other_architecture_of(self.loaded, own)

    def in_file(self, pc: int) -> int:
        """Return the address of the file of a program location as loaded."""
        return pc - self.load_address


def _is_overwritten(data: bytes, offset: int) -> bool:
    """Return whether an empty string lies among zeros that replaced strings: producers write each
    string once (DWARF 5 7.26), and do not pad. The end of the last string before zeros is the empty
    string of a linker that lets strings end in others."""
    count = len(EMPTY_STRINGS)
    zeros = data.find(EMPTY_STRINGS, max(offset - count + 1, 0), offset + count)
    return zeros >= 0 and not any(data[max(offset - 1, 0) : offset])


class ReadOnce:
    """What was read of the sections of a file: a session may load one file thousands of times."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}
        self.buffers: dict[str, SectionBuffer | None] = {}
        self.failed = FailedReads()
        self.unknown_fields: dict[str, Sequence[Field]] = {}
        """The fields, in order, whose relocations have no known value, of sections with entries
        (`dwarfgpu.dwarf.unknown_values`) and of `.debug_addr`, of those that were read."""
        self.contributions: dict[str, Contributions] = {}
        self.abbreviations: dict[tuple[int, UnitFormat], AbbreviationTable] = {}
        self.declared: dict[UnitFormat, dict[bytes, Abbreviation]] = {}
        """Declarations of abbreviations, by their bytes."""
        self.ends: dict[str, int] = {}
        self.long_strings: dict[tuple[str, int], bytes] = {}
        self.texts = KeptAnswers[int, str](_MAX_TEXTS)  # what comes often comes again
        """Names, by their offset in `.debug_str`."""
        self.dialects: dict[tuple[str, int], str] = {}
        """The detected dialects of units, by the section and offset of the unit."""

    @cached_property
    def _answers(self) -> WeakValueDictionary[Hashable, object]:
        return WeakValueDictionary()  # a package has a part for each row

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is made once for all loads of the file, by a key of its own: it must not
        depend on where the file is loaded. It ends with the last object that keeps it."""
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = make()
        return cast("T", known)


def _read_of(object: ObjectFile, program: Program, suffix: str) -> ReadOnce:
    """Return what was read of a file with debug information for the same file with the code."""
    reads, key = _reads_of(object), (id(program.loaded), suffix)
    return reads.get(key) or reads.setdefault(key, ReadOnce())


@kept_with(first)
def _reads_of(object: ObjectFile) -> WeakValueDictionary[tuple[int, str], ReadOnce]:
    """Return what was read of a file for each file with the code, which lives as long as what was
    read for it, and end of section names."""
    return WeakValueDictionary()


@methods_name_wrong_arguments
class Sections(OfOpenFile):
    """The debug sections of an object file, or of one row of a package."""

    def __init__(
        self,
        object: ObjectFile,
        program: Program,
        *,
        suffix: str = "",
        path: str | None = None,
        row: PackageRow | None = None,
    ) -> None:
        self.object = object
        self.program = program
        self.suffix = suffix
        """The end of the section names in the file: `.dwo` of a split unit, else empty."""
        self.path = path or object.path
        """The name of the part in messages."""
        self.budget = SectionBudget(object.size_bytes, object.limits)
        self._row = row
        read = ReadOnce() if row is not None else _read_of(object, program, suffix)
        self.for_all_loads = read
        """What does not depend on where the file is loaded."""
        self._data, self._buffers, self._failed = read.data, read.buffers, read.failed
        self.unknown_fields = read.unknown_fields
        self._contributions = read.contributions
        self._abbreviations = read.abbreviations if row is None else row.tables
        self._declared = read.declared if row is None else row.declared
        self._ends, self._long_strings, self._texts = read.ends, read.long_strings, read.texts

    @property
    def is_whole_file(self) -> bool:
        """Whether these are the sections of a file itself: not of split units, nor of a row of a
        package."""
        return not self.suffix and self._row is None

    @property
    def endian(self) -> Endian:
        return self.object.endian

    def section(self, name: str) -> bytes:
        """Return the bytes of a debug section, relocated; empty if the file does not have it.

        The name is that of the standard, without `.dwo`.
        """
        try:
            data = self._data.get(name)
            if data is None:
                data = self._data[name] = self._failed.read(name, lambda: self._read(name))
            return data
        except FOREIGN:
            require_right_arguments(Sections.section, self, name)
            raise

    def buffer(self, name: str) -> SectionBuffer | None:
        """Return the memory into which ranges of a large section are loaded; None for a section
        that is read whole. The name is as for `section`."""
        try:
            if name not in self._buffers:
                is_own = self._row is None and name not in self._data
                buffer = section_buffer(self.object, name + self.suffix) if is_own else None
                self._buffers.setdefault(name, buffer)
            return self._buffers[name]
        except FOREIGN:
            require_right_arguments(Sections.buffer, self, name)
            raise

    def loaded(self, name: str, start: int, end: int) -> Data:
        """Return the bytes of a section by their offsets, at least those of a range; errors as for
        `section`."""
        try:
            buffer = self.buffer(name)
            return self.section(name) if buffer is None else buffer.load(start, end)
        except FOREIGN:
            require_right_arguments(Sections.loaded, self, name, start, end)
            raise

    def _read(self, name: str) -> bytes:
        if self._row is not None:
            return self._row.read(name)
        if name in _PARTLY_KNOWN:
            data, unknown = relocated_where_known(self.object, name + self.suffix)
            if unknown:
                self.unknown_fields[name] = unknown
        else:
            data = relocated_data(self.object, name + self.suffix)
        if not data and self.object.has_section(name + self.suffix):
            from dwarfgpu.objfile.lost_sections import section_without_contents  # few are empty

            if (error := section_without_contents(self.object, name + self.suffix)) is not None:
                raise error
        return data

    def start_of(self, section: str) -> int:
        """Return where this part begins in a section of its file, by its name without `.dwo`."""
        return 0 if self._row is None else self._row.start(section)

    def contributions(self, section: str) -> Contributions:
        """Return the headers of a section of lists."""
        contributions = self._contributions.get(section)
        if contributions is None:
            # Many units have no lists by index.
            from dwarfgpu.dwarf.split.contributions import Contributions

            shown = section + self.suffix
            contributions = Contributions(shown, self.section(section), self.endian)
            self._contributions[section] = contributions
        return contributions

    def string(self, section: str, offset: int) -> bytes:
        """Return the bytes of a string in a string section; `Malformed` where none starts there, or
        where zeros replaced it or its end."""
        try:
            cached = self._long_strings.get((section, offset))
            if cached is not None:
                return cached
            data = self.section(section)
            end = data.find(b"\0", offset)
            if offset >= len(data) or end < 0:
                raise Malformed(f"no string starts at {section}{self.suffix}+{offset:#x}")
            is_zeroed = (
                data.startswith(EMPTY_STRINGS, end) and not self._is_patch_space(section, end)
                if end > offset
                else _is_overwritten(data, offset)
            )
            if is_zeroed:
                raise Malformed(
                    f"the string at {section}{self.suffix}+{offset:#x} is overwritten with zeros"
                )
            if end - offset <= LONGEST_NAME_BYTES:
                return data[offset:end]
            # Many entries may refer to one long string, or to parts of it.
            self.budget.spend(section, len(data), end - offset)
            return self._long_strings.setdefault((section, offset), data[offset:end])
        except FOREIGN:
            require_right_arguments(Sections.string, self, section, offset)
            raise

    def end_of_contents(self, section: str) -> int:
        """Return where the zeros at the end of a section begin, which may be padding."""
        if section not in self._ends:
            self._ends[section] = len(self.section(section).rstrip(b"\0"))
        return self._ends[section]

    def _is_patch_space(self, section: str, begin: int) -> bool:
        """Return whether zeros of a section from an offset on are room that gold left."""
        is_last = begin >= self.end_of_contents(section)
        return is_last and has_patch_space(self.object)

    def overwritten(self, section: str) -> Malformed | None:
        """Return where zeros replaced the strings of a string section; None if none did."""
        data = self.section(section)
        begin = data.find(EMPTY_STRINGS)
        if begin < 0 or self._is_patch_space(section, begin):
            return None
        size_bytes = len(data) - begin - len(data[begin:].lstrip(b"\0"))
        return Malformed(
            f"{size_bytes} bytes of strings at {section}{self.suffix}+{begin:#x} are 0"
        )

    def text(self, offset: int) -> str:
        """Return the text of a string of `.debug_str`, a very long one cut; errors as `string`."""
        try:
            text = self._texts.get(offset)
            if text is None:
                data = self.string(".debug_str", offset)
                text = self.budget.text(data)
                if len(data) < LONG_NAME_BYTES:
                    self._texts[offset] = text
            return text
        except FOREIGN:
            require_right_arguments(Sections.text, self, offset)
            raise

    def abbreviations(self, offset: int, format: UnitFormat) -> AbbreviationTable:
        """Return the abbreviation table at an offset, as units of a format read it."""
        try:
            key = (offset, format)
            if key not in self._abbreviations:
                self._abbreviations[key] = self._failed.read(
                    key, lambda: self._table(offset, format)
                )
            return self._abbreviations[key]
        except FOREIGN:
            require_right_arguments(Sections.abbreviations, self, offset, format)
            raise

    def _table(self, offset: int, format: UnitFormat) -> AbbreviationTable:
        section = ".debug_abbrev"
        data = self.section(section)
        declared = self._declared.setdefault(format, {})
        try:
            return self.budget.read(
                section,
                data,
                offset,
                format.endian,
                lambda reader: read_abbreviations(reader, format, declared),
            )
        except DwarfGpuError as error:
            where = f"{self.path}: {section}{self.suffix} table {offset:#x}"
            error.context = error.context or where
            raise
