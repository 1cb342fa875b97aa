"""The sections of the files that GDB has loaded, and where a file is by them."""

from __future__ import annotations

import re

import gdb

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.gdb.machine.gdb_values import gdb_message, said
from dwarfgpu.objfile.elf import ObjectFile

_SECTION = re.compile(r"^\s*(0x[0-9a-f]+) - (0x[0-9a-f]+) is (\S+)(?: in (.+))?$", re.MULTILINE)
_OF_PROGRAM = re.compile(
    r"^ *\[[0-9]+\] +(0x[0-9a-f]+)->(0x[0-9a-f]+) at \S+ (\S+) ALLOC\b", re.MULTILINE
)
"""A section of the program, in the list of GDB's maintainers."""


@frozen
class LoadedSection:
    """A section where GDB has it."""

    begin: int
    end: int
    name: str
    path: str | None
    """The file by GDB's name; None for that of the program itself."""


def loaded_sections() -> list[LoadedSection]:
    """Return the sections of all loaded files, by their addresses."""
    sections = [
        LoadedSection(int(begin, 16), int(end, 16), name, path or None)
        for begin, end, name, path in _SECTION.findall(_sections_text("info files"))
    ]
    if all(section.path is not None for section in sections):
        sections += _sections_of_program()
    return sorted(sections, key=lambda section: section.begin)


def _sections_of_program() -> list[LoadedSection]:
    """Return the sections of the program: "info files" of GDB 13 lacks them in the child that it
    follows after a fork."""
    text = _sections_text("maintenance info sections").partition("Core file:")[0]
    return [
        LoadedSection(int(begin, 16), int(end, 16), name, None)
        for begin, end, name in _OF_PROGRAM.findall(text)
    ]


def _sections_text(command: str) -> str:
    try:
        return said(command)
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
