"""The sections of the files that GDB has loaded, and where a file is by them."""

from __future__ import annotations

import re
from itertools import pairwise
from os.path import realpath

import gdb

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.gdb.machine.gdb_values import exact, gdb_message, path_of, said
from dwarfgpu.objfile.elf import ObjectFile

_SECTION = re.compile(r"^\s*(0x[0-9a-f]+) - (0x[0-9a-f]+) is (\S+)(?: in (.+))?$", re.MULTILINE)
_CORE_FILE = re.compile(r"^Local core dump file:\n(?:\s+0x.* is \S+\n|\s+`.*\n)*", re.MULTILINE)
"""What is in the core file itself: parts of memory, which are not sections of a program."""
_EXEC_FILE = re.compile(r"^Local exec file:\n\s*`(.*)', file type ", re.MULTILINE)
"""The file whose code runs; the symbols may be those of another one (`symbol-file`)."""
_ALLOCATED = re.compile(
    r"^ *\[[0-9]+\] +(0x[0-9a-f]+)->(0x[0-9a-f]+) at \S+: (\S+) ALLOC\b", re.MULTILINE
)
"""A section of a file, in the list of GDB's maintainers."""
_FILE = re.compile(r"^(?:Object|Exec|Core) file: ?", re.MULTILINE)


@frozen
class LoadedSection:
    """A section where GDB has it."""

    begin: int
    end: int
    name: str
    path: str | None
    """The file by GDB's name; None for that of the program itself."""


def loaded_sections() -> list[LoadedSection]:
    """Return the sections of all loaded files, by their addresses.

    Of files with one begin, those that only have symbols are last.
    """
    text = _CORE_FILE.sub("", _sections_text("info files"))
    executed = _EXEC_FILE.search(text)
    symbols = _path_of_symbols()
    program = None if executed is None else executed[1].removeprefix("target:")
    is_one_file = symbols is None or program is None or realpath(symbols) == realpath(program)
    sections = [
        LoadedSection(
            int(begin, 16), int(end, 16), name, path or (None if is_one_file else program)
        )
        for begin, end, name, path in _SECTION.findall(text)
    ]
    if is_one_file and all(section.path is not None for section in sections):
        # "info files" of GDB 13 lacks them in the child that it follows after a fork.
        sections += _allocated(_sections_text("maintenance info sections"), None)
    if symbols is not None and all(section.path not in (None, symbols) for section in sections):
        text = _sections_text("maintenance info sections -all-objects")
        sections += _allocated(text, symbols)
    return sorted(sections, key=lambda section: section.begin)


def _path_of_symbols() -> str | None:
    """Return the path of the file that has the symbols of the program."""
    name = path_of(gdb.current_progspace())
    return None if name is None else name.removeprefix("target:")


def _allocated(text: str, path: str | None) -> list[LoadedSection]:
    """Return the sections of a file in the list of GDB's maintainers, by default of the program."""
    starts = [*(match.start() for match in _FILE.finditer(text)), len(text)]
    for begin, end in pairwise(starts):
        part = text[begin:end]
        if part.startswith("Exec file:" if path is None else f"Object file: `{path}',"):
            return [
                LoadedSection(int(first, 16), int(last, 16), name, path)
                for first, last, name in _ALLOCATED.findall(part)
            ]
    return []


def _sections_text(command: str) -> str:
    try:
        return exact(lambda: said(command)) or ""
    except gdb.error as error:
        raise Unavailable(f"the sections: {gdb_message(error)}") from None


def bias_of(file: ObjectFile, loaded: LoadedSection) -> int:
    """Return the load bias of a file from one of GDB's sections.

    Exactly one section of the file with that name and size determines it. `UsageError` if GDB and
    the file do not agree.
    """
    size_bytes = loaded.end - loaded.begin
    spaces = {
        loaded.begin - section.address
        for section in file.sections
        if section.name == loaded.name and section.size_bytes == size_bytes
    }
    if len(spaces) != 1:
        raise UsageError(
            f"{file.path} is not the file that GDB has at {loaded.begin:#x}: no section matches"
        )
    return spaces.pop()


def load_address(file: ObjectFile, address: int) -> int:
    """Return the difference between the address at which GDB has a file and the file's own
    addresses.

    `UsageError` where GDB and the file do not agree.
    """
    for section in loaded_sections():
        if section.begin <= address < section.end:
            return bias_of(file, section)
    raise UsageError(f"GDB has no section of a file at {address:#x}")
