"""Line tables map program locations to source lines and back (DWARF 5 6.2; AMD text A.6.2).

Law: a header is read with its table, its program with the first row, both once. Rows contain
addresses of the file; only `LineLookup` uses program locations as loaded.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import printable
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.dwarf.index.address_map import SpanIndex
from dwarfgpu.dwarf.line.header import LineHeader, NameEntry, read_line_header
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.errors import DwarfGpuError, FailedReads, IllFormed, LimitExceeded
from dwarfgpu.expr.context import UnitFormat

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.program import LineMatrix, LineRow, LineSequence

MAX_NAME_BYTES: Final = 64 << 20
"""Maximum for the names of one table: a hostile one names one long string many times."""

_MAX_KEPT: Final = 1_000
"""Maximum number of addresses and of files whose answers a table keeps."""
_MAX_KEPT_PATH: Final = 512
"""Characters of a path that is kept."""
_T = TypeVar("_T")

_ABSOLUTE: Final = pattern(r"/|\\|[A-Za-z]:[/\\]")


class UnitEntry(Protocol):
    """The own entry of a unit."""

    def has(self, name: int) -> bool: ...

    def attribute(self, name: int) -> Attribute | None: ...

    def string(self, name: int) -> str | None: ...


class LineUnit(Protocol):
    """What a line table needs to know of its unit."""

    @property
    def sections(self) -> Sections: ...

    @property
    def format(self) -> UnitFormat: ...

    @property
    def root(self) -> UnitEntry: ...

    @property
    def tombstone(self) -> int: ...

    @property
    def producer(self) -> str: ...

    @property
    def language(self) -> int | None: ...

    @property
    def is_cplusplus(self) -> bool: ...

    @property
    def style(self) -> dw.Style: ...

    def string_of(self, attribute: Attribute) -> bytes:
        """Return the bytes of a string attribute."""
        ...


@frozen
class SourceFile:
    """A file of a line table."""

    table: LineTable = field(repr=False)
    number: int
    """The number by which rows name it."""
    entry: NameEntry = field(repr=False, eq=False)

    @property
    def name(self) -> str:
        """The name in the table, without its directory."""
        return self.table.text(self.entry.path)

    @property
    def directory(self) -> str:
        """The directory that its name is relative to; empty where it is unknown."""
        return self.table.directory(self.entry.directory)

    @property
    def path(self) -> str:
        """The name with its directory."""
        return self.table.path_of(self)

    @property
    def shown_name(self) -> str:
        """The name as GDB shows it, but without `.` components: that of the unit for its primary
        file, else the name with the directory that the table gives."""
        return self.table.shown_name_of(self)

    @property
    def path_to_open(self) -> str:
        """The path as it is on disk: `path` has escapes for control characters and bytes that are
        not UTF-8."""
        return self.table.path_to_open_of(self)

    @property
    def md5(self) -> bytes | None:
        return self.entry.md5

    @property
    def source(self) -> str | None:
        """The embedded source text; None if there is none (A.6.2.4.1).

        An empty string means no source; a single line end means an empty file.
        """
        if self.entry.source is None:
            return None
        data = self.table.bytes_of(self.entry.source)
        if not data:
            return None
        return "" if data == b"\n" else data.decode("utf-8", "backslashreplace")

    def matches(self, sought: str) -> bool:
        """Return whether a path, perhaps without leading directories, denotes this file, also
        without its `..` components."""
        path = self.path
        return is_path_end(path, sought) or (
            "/../" in path and is_path_end(normpath(path), normpath(sought))
        )


def is_path_end(path: str, sought: str) -> bool:
    """Return whether a path, perhaps without leading directories, denotes another one."""
    sought = joined("", sought)
    return path == sought or path.endswith("/" + sought)


def _with_room(kept: dict[int, _T]) -> dict[int, _T]:
    """Return what is kept; nothing where that is full."""
    return kept if len(kept) < _MAX_KEPT else {}


def joined(directory: str, name: str) -> str:
    """Return a path in a directory, without `.` components."""
    path = name if not directory or _ABSOLUTE.match(name) else f"{directory}/{name}"
    steps = [step for step in path.split("/") if step not in ("", ".")]
    return "/" * path.startswith("/") + "/".join(steps)


class LineTable:
    """The line table of a unit: `DW_AT_stmt_list` of its own entry."""

    def __init__(self, unit: LineUnit, header: LineHeader, tables: LineTables) -> None:
        self.unit = unit
        self.header = header
        self._tables = tables
        self._name_bytes = 0
        self._texts: dict[Attribute, str] = {}
        # The table never changes: what a few addresses and files lead to is kept.
        self._paths: dict[int, str] = {}
        self._shown_names: dict[int, str] = {}
        self._paths_to_open: dict[int, str] = {}
        self._rows_at: dict[int, tuple[LineRow, Range] | None] = {}
        self._begins_at: dict[int, bool] = {}

    @property
    def offset(self) -> int:
        """Bytes from the start of `.debug_line`."""
        return self.header.offset

    @cached_property
    def matrix(self) -> LineMatrix:
        """Rows and sequences."""
        return self._tables.matrix(self.header)

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why names or rows are missing; the program is read for that."""
        problems = (self.header.problem, self.matrix.problem)
        return tuple(problem for problem in problems if problem is not None)

    def first_problem(self) -> DwarfGpuError | None:
        """Return the first of `problems`; no rows are kept."""
        return self.header.problem or self._tables.program_problem(self.header)

    # Files

    def file(self, number: int) -> SourceFile:
        """Return the file with a number, as rows use it; `IllFormed` if the table has no such
        file."""
        files, first = self.header.files, self.header.first_file
        index = number - first
        if 0 <= index < len(files):
            return SourceFile(self, number, files[index])
        defined = self.matrix.defined_files
        if len(files) <= index < len(files) + len(defined):
            return SourceFile(self, number, defined[index - len(files)])
        count = len(files) + len(defined)
        raise self._located(self.header.problem or _no_file(number, first, count))

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """Every file, including those that the program defines."""
        entries = (*self.header.files, *self.matrix.defined_files)
        return tuple(
            SourceFile(self, number, entry)
            for number, entry in enumerate(entries, self.header.first_file)
        )

    def files_named(self, path: str) -> tuple[SourceFile, ...]:
        """Return the files that a path, perhaps without leading directories, denotes.

        The program is read only if it may define a file of that name.
        """
        name = path.rsplit("/", 1)[-1]
        program = self.unit.sections.section(".debug_line")
        inline = name.encode("utf-8", "surrogatepass") + b"\0"
        numbered = self._numbers_by_name.get(name, [])
        if program.find(inline, self.header.program_at, self.header.end) >= 0:
            first = self.header.first_file + len(self.header.files)
            numbered = [*numbered, *enumerate(self.matrix.defined_files, first)]
        files = (SourceFile(self, number, entry) for number, entry in numbered)
        return tuple(file for file in files if file.name.endswith(name) and file.matches(path))

    @cached_property
    def _numbers_by_name(self) -> dict[str, list[tuple[int, NameEntry]]]:
        """The files of the header by the last part of their names: a command asks several times."""
        files: dict[str, list[tuple[int, NameEntry]]] = {}
        for number, entry in enumerate(self.header.files, self.header.first_file):
            name = self.text(entry.path).rsplit("/", 1)[-1]
            files.setdefault(name, []).append((number, entry))
        return files

    def written_directory(self, index: int) -> str:
        """Return the directory with an index as the table has it; empty before DWARF 5 for the
        compilation directory, and for an unknown one."""
        position = index - self.header.first_file
        directories = self.header.directories
        return self.text(directories[position].path) if 0 <= position < len(directories) else ""

    def path_of(self, file: SourceFile) -> str:
        """Return the name of a file with its directory."""
        path = self._paths.get(file.number)
        if path is None:
            path = joined(file.directory, file.name)
            if len(path) <= _MAX_KEPT_PATH:
                self._paths = _with_room(self._paths)
                self._paths[file.number] = path
        return path

    def path_to_open_of(self, file: SourceFile) -> str:
        """Return the path of a file as `SourceFile.path_to_open`."""
        path = self._paths_to_open.get(file.number)
        if path is None:
            directory = self.directory(file.entry.directory, to_open=True)
            path = joined(directory, self.text(file.entry.path, to_open=True))
            if len(path) <= _MAX_KEPT_PATH:
                self._paths_to_open = _with_room(self._paths_to_open)
                self._paths_to_open[file.number] = path
        return path

    def shown_name_of(self, file: SourceFile) -> str:
        """Return the name of a file as `SourceFile.shown_name`."""
        name = self._shown_names.get(file.number)
        if name is None:
            root = self.unit.root
            folder, primary = root.string(dw.AT_COMP_DIR) or "", root.string(dw.AT_NAME) or ""
            own = joined(self.written_directory(file.entry.directory), file.name)
            is_primary = joined(folder, own) == joined(folder, primary)
            name = joined("", primary) if is_primary else own
            if len(name) <= _MAX_KEPT_PATH:
                self._shown_names = _with_room(self._shown_names)
                self._shown_names[file.number] = name
        return name

    def directory(self, index: int, *, to_open: bool = False) -> str:
        """Return the directory with an index of the header, made absolute; `to_open`: as it is on
        disk.

        Before DWARF 5, index 0 is the compilation directory; since DWARF 5, it is in the table.
        """
        directories, first = self.header.directories, self.header.first_file
        base = self.compilation_directory(to_open=to_open)
        if first == 0 and directories:
            own = self.text(directories[0].path, to_open=to_open)
            # A relative path is relative to the unit's directory, if that is relative too.
            base = joined(base, own) if _ABSOLUTE.match(base) else own
        if index == 0:
            return base
        if not first <= index < len(directories) + first:
            raise self._located(IllFormed(f"the line table has no directory {index}"))
        return joined(base, self.text(directories[index - first].path, to_open=to_open))

    def compilation_directory(self, *, to_open: bool = False) -> str:
        """Return the directory of the unit; `to_open`: as it is on disk."""
        folder = self._compilation_directory
        if to_open and "\\" in folder:
            return self._text_to_open(self.unit.root.attribute(dw.AT_COMP_DIR))
        return folder

    @cached_property
    def _compilation_directory(self) -> str:
        return self.unit.root.string(dw.AT_COMP_DIR) or ""

    def text(self, attribute: Attribute | None, *, to_open: bool = False) -> str:
        """Return the text of a name; empty if there is none. `to_open`: as it is on disk."""
        if attribute is None:
            return ""
        if attribute not in self._texts:
            data = self.bytes_of(attribute)
            self._name_bytes += len(data)
            if self._name_bytes > MAX_NAME_BYTES:
                raise self._located(LimitExceeded(f"names of more than {MAX_NAME_BYTES} bytes"))
            self._texts[attribute] = printable(data)
        text = self._texts[attribute]
        return self._text_to_open(attribute) if to_open and "\\" in text else text

    def _text_to_open(self, attribute: Attribute | None) -> str:
        return "" if attribute is None else os.fsdecode(self.bytes_of(attribute))

    def bytes_of(self, attribute: Attribute) -> bytes:
        """Return the bytes of a string of the header."""
        try:
            return self.unit.string_of(attribute)
        except DwarfGpuError as error:
            raise self._located(error)

    # Rows

    @cached_property
    def _index(self) -> SpanIndex[LineSequence]:
        return SpanIndex(
            (sequence.span, sequence)
            for sequence in self.matrix.sequences
            if not self._is_dropped(sequence.span)
        )

    @property
    def sequences(self) -> Iterator[LineSequence]:
        """The sequences of code that is present, by address."""
        return (sequence for _, sequence in self._index)

    def _is_dropped(self, span: Range) -> bool:
        """Return whether a linker dropped the code: it leaves 0, or one of the two highest
        addresses, on code that they dropped."""
        file = self.unit.sections.object
        if span.begin == 0:
            return not file.is_code(0)
        return span.begin >= self.unit.tombstone

    def line_at(self, address: int) -> tuple[LineRow, Range] | None:
        """Return the row that describes an address of the file, and the addresses it describes.

        None if no sequence covers the address; if the program could not be read to its end, raises
        the reason instead.
        """
        if address not in self._rows_at:
            self._rows_at = _with_room(self._rows_at)
            self._rows_at[address] = self._row_at(address)
        return self._rows_at[address]

    def _row_at(self, address: int) -> tuple[LineRow, Range] | None:
        rows = self.matrix.rows
        for sequence in self._index.covering(address):
            position = sequence.position_at(rows, address)
            row = rows[sequence.order[position]]
            return row, Range(row.address, sequence.end_of(rows, position))
        if self.matrix.problem is not None:
            raise self._located(self.matrix.problem)
        return None

    def begins_line(self, address: int) -> bool:
        """Return whether GDB takes the code of a line to begin at an address of the file.

        At every statement, except for rows that continue the line and file of the row before them
        from the first of these on that has a discriminator: it drops them when it reads the table.
        """
        if address not in self._begins_at:
            self._begins_at = _with_room(self._begins_at)
            self._begins_at[address] = self._begins_line(address)
        return self._begins_at[address]

    def _begins_line(self, address: int) -> bool:
        rows = self.matrix.rows
        for sequence in self._index.covering(address):
            position = bisect_right(sequence.order, address, key=rows.address) - 1
            while position >= 0 and rows[sequence.order[position]].address == address:
                is_stmt = rows[sequence.order[position]].is_stmt
                if is_stmt and not self._is_dropped_by_gdb(sequence, position):
                    return True
                position -= 1
            return False
        return False

    def _is_dropped_by_gdb(self, sequence: LineSequence, position: int) -> bool:
        rows = self.matrix.rows
        row = rows[sequence.order[position]]
        has_discriminator, first = bool(row.discriminator), position
        while first > 0:
            before = rows[sequence.order[first - 1]]
            if (before.line, before.file) != (row.line, row.file):
                break
            has_discriminator = has_discriminator or bool(before.discriminator)
            first -= 1
        return first < position and has_discriminator

    def rows_in(self, span: Range) -> Iterator[LineRow]:
        """Return the rows that describe the addresses of a range, by address, up to the first
        address without a row."""
        address = span.begin
        while address < span.end:
            line = self.line_at(address)
            if line is None:
                return
            row, described = line
            yield row
            address = max(described.end, address + 1)

    def _located(self, error: DwarfGpuError) -> DwarfGpuError:
        return located(error, self.unit.sections, self.offset)


def _no_file(number: int, first: int, count: int) -> IllFormed:
    return IllFormed(f"the line table has no file {number}, only {first} to {first + count - 1}")


def located(error: DwarfGpuError, sections: Sections, offset: int) -> DwarfGpuError:
    """Return the error, with its table as the context."""
    where = f"{sections.path}: .debug_line table {offset:#x}"
    if error.context is None:
        error.context = where
    elif not error.context.startswith(sections.path):
        error.context = f"{where}: {error.context}"
    return error


class LineTables:
    """The line tables of one file; units may share them.

    Tables that do not overlap have no more bytes than their section: beyond that programs are
    `LimitExceeded`.
    """

    def __init__(self, sections: Sections) -> None:
        self._sections = sections
        self._headers: dict[tuple[int, int], LineHeader] = {}
        self._failed = FailedReads()
        self._matrices: dict[tuple[int, int], LineMatrix] = {}
        self._program_bytes = 0
        self._checked_bytes = 0

    def of(self, unit: LineUnit) -> LineTable | None:
        """Return the table of a unit; None if it has none.

        `IllFormed` if its address size differs from that of the unit (A.2.5.1).
        """
        attribute = unit.root.attribute(dw.AT_STMT_LIST)
        if attribute is None:
            return None
        offset = attribute.raw
        try:
            if not isinstance(offset, int):
                raise IllFormed(f"DW_AT_stmt_list is of class {attribute.kind}")
            header = self._header(offset, unit)
            if header.format.address_size != unit.format.address_size:
                raise IllFormed(
                    f"address_size {header.format.address_size} of .debug_line and address_size "
                    f"{unit.format.address_size} of its unit disagree"
                )
        except DwarfGpuError as error:
            raise located(error, self._sections, offset if isinstance(offset, int) else 0)
        return LineTable(unit, header, self)

    def _header(self, offset: int, unit: LineUnit) -> LineHeader:
        key = (offset, unit.format.address_size)
        if key not in self._headers:
            self._headers[key] = self._failed.read(key, lambda: self._read_header(offset, unit))
        return self._headers[key]

    def _read_header(self, offset: int, unit: LineUnit) -> LineHeader:
        return read_line_header(self._sections.section(".debug_line"), offset, unit.format)

    def matrix(self, header: LineHeader) -> LineMatrix:
        """Return the rows of a table."""
        key = (header.offset, header.format.address_size)
        if key not in self._matrices:
            data = self._sections.section(".debug_line")
            self._program_bytes += header.end - header.offset
            self._refuse_overlap(self._program_bytes, header)
            from dwarfgpu.dwarf.line.program import run_line_program  # for rows alone

            self._matrices[key] = run_line_program(header, data)
        return self._matrices[key]

    def program_problem(self, header: LineHeader) -> DwarfGpuError | None:
        """Return why the program of a table cannot be read to its end; its rows are not kept."""
        matrix = self._matrices.get((header.offset, header.format.address_size))
        if matrix is not None:
            return matrix.problem
        self._checked_bytes += header.end - header.offset
        self._refuse_overlap(self._checked_bytes, header)
        from dwarfgpu.dwarf.line.program import line_program_problem  # for rows alone

        return line_program_problem(header, self._sections.section(".debug_line"))

    def _refuse_overlap(self, size_bytes: int, header: LineHeader) -> None:
        if size_bytes > len(self._sections.section(".debug_line")):
            raise located(
                LimitExceeded("line tables overlap, they have more bytes than .debug_line"),
                self._sections,
                header.offset,
            )
