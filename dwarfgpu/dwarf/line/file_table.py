"""The files and directories that a line table names (DWARF 5 6.2.4; AMD text A.6.2.4.1).

Law: a name is read when it is asked for, once for all units that share its table; the names of one
table have a budget of bytes.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from posixpath import normpath
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import LONGEST_NAME_BYTES, is_cut, name_bytes, name_text, printable
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.dwarf.line.header import LineHeader, NameEntry
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.line_unit import LineUnit

MAX_NAME_BYTES: Final = 64 << 20
"""Maximum for the names of one table: a hostile one names one long string many times."""

_MAX_KEPT_PATHS: Final = 1_000
_MAX_KEPT_PATH: Final = 512
"""Characters of a path that is kept."""

_ABSOLUTE: Final = pattern(r"/|\\|[A-Za-z]:[/\\]")


@frozen
class SourceFile:
    """A file of a line table."""

    table: FileTable = field(repr=False)
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
        file, else the name with the directory that the table gives. Very long ones are cut."""
        return self.table.shown_name_of(self)

    @property
    def folder_and_name(self) -> tuple[str, str]:
        """The folder of the unit, as `./sunrpc`, and the name in the unit as they are written, by
        which GDB sorts files."""
        return self.table.folder_and_name_of(self)

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
        without its `..` components; a relative path with such components only as the table has
        them, as in GDB."""
        path = self.path
        if is_path_end(path, sought):
            return True
        if sought[:1] == "/":
            return "/../" in path + sought and normpath(path) == normpath(sought)
        return "/../" in path and is_path_end(normpath(path), sought)


def is_path_end(path: str, sought: str) -> bool:
    """Return whether a path, perhaps without leading directories, denotes another one."""
    sought = joined("", sought)
    return path == sought or path.endswith("/" + sought)


def is_primary_file(unit: LineUnit, sought: str) -> bool:
    """Return whether a path, perhaps without leading directories, denotes the primary file of a
    unit, which a unit without a line table has, too."""
    name = unit.primary_file
    if not name or name.rsplit("/", 1)[-1] != sought.rsplit("/", 1)[-1]:
        return False
    path = joined(unit.root.string(dw.AT_COMP_DIR) or "", name)
    return is_path_end(path, sought) or (sought[:1] == "/" and normpath(path) == normpath(sought))


def short_name(name: str) -> str:
    """Return a name, a very long one cut as those of entries are."""
    is_whole = len(name) <= LONGEST_NAME_BYTES or is_cut(name)
    return name if is_whole else name_text(name_bytes(name))


def joined(directory: str, name: str) -> str:
    """Return a path in a directory, without `.` components."""
    path = name if not directory or _ABSOLUTE.match(name) else f"{directory}/{name}"
    steps = [step for step in path.split("/") if step not in ("", ".")]
    return "/" * path.startswith("/") + "/".join(steps)


class FileNames:
    """The names of a header that were read. They never change: its units share them."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self.texts: dict[Attribute, str] = {}
        self.numbers: dict[str, list[tuple[int, NameEntry]]] | None = None
        """The files by the last part of their names."""
        self.has_file = KeptAnswers[tuple[str, str], bool](_MAX_KEPT_PATHS)
        """Whether a path denotes one, by the directory of the unit and the path."""


class FileTable(ABC):
    """The files of a line table, and the directories that their names are relative to."""

    def __init__(self, unit: LineUnit, header: LineHeader) -> None:
        self.unit = unit
        self.header = header
        # The table never changes: what a few files lead to is kept.
        self._paths = KeptAnswers[int, str](_MAX_KEPT_PATHS)
        self._shown_names = KeptAnswers[int, str](_MAX_KEPT_PATHS)
        self._paths_to_open = KeptAnswers[int, str](_MAX_KEPT_PATHS)

    @property
    def offset(self) -> int:
        """Bytes from the start of `.debug_line`."""
        return self.header.offset

    @property
    @abstractmethod
    def _names(self) -> FileNames:
        """The names that were read, for this unit or for others."""

    @abstractmethod
    def _defined_files(self) -> Sequence[NameEntry]:
        """Return the files that the program of the table defines (`DW_LNE_define_file`)."""

    def file(self, number: int) -> SourceFile:
        """Return the file with a number, as rows use it; `IllFormed` if the table has no such
        file."""
        files, first = self.header.files, self.header.first_file
        index = number - first
        if 0 <= index < len(files):
            return SourceFile(self, number, files[index])
        defined = self._defined_files()
        if len(files) <= index < len(files) + len(defined):
            return SourceFile(self, number, defined[index - len(files)])
        count = len(files) + len(defined)
        raise self._located(self.header.problem or _no_file(number, first, count))

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """Every file, including those that the program defines."""
        entries = (*self.header.files, *self._defined_files())
        return tuple(
            SourceFile(self, number, entry)
            for number, entry in enumerate(entries, self.header.first_file)
        )

    def files_named(self, path: str) -> tuple[SourceFile, ...]:
        """Return the files that a path, perhaps without leading directories, denotes.

        The program is read only if it may define a file of that name.
        """
        return tuple(self._files_named(path))

    def has_file(self, path: str) -> bool:
        """Return whether `files_named` returns any: thousands of entries of a unit may ask."""
        directory = self._compilation_directory
        return self._names.has_file.answer(
            (directory, path), lambda _: next(self._files_named(path), None) is not None
        )

    def _files_named(self, path: str) -> Iterator[SourceFile]:
        name = path.rsplit("/", 1)[-1]
        program = self.unit.sections.section(".debug_line")
        inline = name_bytes(name) + b"\0"
        numbered = self._numbers_by_name.get(name, [])
        if program.find(inline, self.header.program_at, self.header.end) >= 0:
            first = self.header.first_file + len(self.header.files)
            numbered = [*numbered, *enumerate(self._defined_files(), first)]
        files = (SourceFile(self, number, entry) for number, entry in numbered)
        return (file for file in files if file.name.endswith(name) and file.matches(path))

    @property
    def _numbers_by_name(self) -> dict[str, list[tuple[int, NameEntry]]]:
        """The files of the header by the last part of their names: a command asks several times."""
        files = self._names.numbers
        if files is None:
            files = {}
            for number, entry in enumerate(self.header.files, self.header.first_file):
                name = self.text(entry.path).rsplit("/", 1)[-1]
                files.setdefault(name, []).append((number, entry))
            self._names.numbers = files
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
                self._paths[file.number] = path
        return path

    def path_to_open_of(self, file: SourceFile) -> str:
        """Return the path of a file as `SourceFile.path_to_open`."""
        path = self._paths_to_open.get(file.number)
        if path is None:
            directory = self.directory(file.entry.directory, to_open=True)
            path = joined(directory, self.text(file.entry.path, to_open=True))
            if len(path) <= _MAX_KEPT_PATH:
                self._paths_to_open[file.number] = path
        return path

    def shown_name_of(self, file: SourceFile) -> str:
        """Return the name of a file as `SourceFile.shown_name`."""
        name = self._shown_names.get(file.number)
        if name is None:
            folder, primary = self._folder_and_primary
            directory = self.written_directory(file.entry.directory)
            own = joined(short_name(directory), short_name(file.name))
            is_primary = joined(folder, own) == joined(folder, primary)
            name = joined("", primary) if is_primary else own
            if len(name) <= _MAX_KEPT_PATH:
                self._shown_names[file.number] = name
        return name

    def folder_and_name_of(self, file: SourceFile) -> tuple[str, str]:
        """Return what `SourceFile.folder_and_name` has."""
        folder, primary = self._folder_and_primary
        directory, name = self.written_directory(file.entry.directory), self.text(file.entry.path)
        if joined(folder, joined(directory, name)) == joined(folder, primary):
            return folder, primary
        is_whole = not directory or _ABSOLUTE.match(name) is not None
        return folder, name if is_whole else f"{directory}/{name}"

    @property
    def _folder_and_primary(self) -> tuple[str, str]:
        """The folder of the unit and its primary file, as they are written."""
        return self.unit.root.string(dw.AT_COMP_DIR) or "", self.unit.primary_file

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
            unit = self.unit.with_directory
            attribute = unit.root.attribute(dw.AT_COMP_DIR)
            return "" if attribute is None else os.fsdecode(unit.string_of(attribute))
        return folder

    @cached_property
    def _compilation_directory(self) -> str:
        return self.unit.with_directory.root.string(dw.AT_COMP_DIR) or ""

    def text(self, attribute: Attribute | None, *, to_open: bool = False) -> str:
        """Return the text of a name; empty if there is none. `to_open`: as it is on disk."""
        if attribute is None:
            return ""
        names = self._names
        if attribute not in names.texts:
            data = self.bytes_of(attribute)
            names.size_bytes += len(data)
            if names.size_bytes > MAX_NAME_BYTES:
                raise self._located(LimitExceeded(f"names of more than {MAX_NAME_BYTES} bytes"))
            names.texts[attribute] = printable(data)
        text = names.texts[attribute]
        return self._text_to_open(attribute) if to_open and "\\" in text else text

    def _text_to_open(self, attribute: Attribute | None) -> str:
        return "" if attribute is None else os.fsdecode(self.bytes_of(attribute))

    def bytes_of(self, attribute: Attribute) -> bytes:
        """Return the bytes of a string of the header."""
        try:
            return self.unit.string_of(attribute)
        except DwarfGpuError as error:
            raise self._located(error)

    def name_fault(self) -> DwarfGpuError | None:
        """Return why the name or the embedded source of a directory or file cannot be read, of the
        first one; None if all can. Nothing of them is kept."""
        read = set[Attribute]()
        for entry in (*self.header.directories, *self.header.files):
            for attribute in (entry.path, entry.source):
                if attribute is None or attribute.kind == "string" or attribute in read:
                    continue
                read.add(attribute)
                try:
                    self.unit.string_of(attribute)
                except DwarfGpuError as error:
                    return error
        return None

    def _located(self, error: DwarfGpuError) -> DwarfGpuError:
        return located(error, self.unit.sections, self.offset)


def _no_file(number: int, first: int, count: int) -> IllFormed:
    known = f", only {first} to {first + count - 1}" if count else ", and no other"
    return IllFormed(f"the line table has no file {number}{known}")


def located(error: DwarfGpuError, sections: Sections, offset: int) -> DwarfGpuError:
    """Return the error, with its table as the context."""
    where = f"{sections.path}: .debug_line table {offset:#x}"
    if error.context is None:
        error.context = where
    elif not error.context.startswith(sections.path):
        error.context = f"{where}: {error.context}"
    return error
