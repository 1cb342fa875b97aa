"""The process of a core file: `info proc`, `info auxv` and `info inferiors`, in GDB's words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.model.storage import Memory
from dwarfgpu.repl.command import Command, command
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.strings import CharacterKind, quoted_string

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core

_MAX_CHARACTERS: Final = 200


def _core(shell: Shell, why: str) -> Core:
    """The core file; `UsageError` with GDB's words where there is none."""
    if shell.machine.core is None:
        raise UsageError(why)
    return shell.machine.core


_NO_PROCESS: Final = "No current process: you must name one."


def _exe(shell: Shell, argument: str) -> Iterator[Part]:
    process = _core(shell, _NO_PROCESS).dump.process
    if process is None:
        raise UsageError("the core file does not say what ran (NT_PRPSINFO)")
    command = process.command or process.name
    yield Output(f"exe = '{command}'", {"exe": command, "pid": process.pid})


def _mappings(shell: Shell, argument: str) -> Iterator[Part]:
    core = _core(shell, _NO_PROCESS)
    if not core.dump.mapped:
        raise UsageError("unable to find mappings in core file")
    width = 18 if core.architecture.address_bits > 32 else 10
    title = ("Start Addr", "End Addr", "Size", "Offset")
    yield heading("Mapped address spaces:\n")
    yield heading(
        f"  {title[0]:>{width}} {title[1]:>{width}} {title[2]:>10} {title[3]:>10} objfile"
    )
    for area in core.dump.mapped:
        start, end, size, offset = (
            f"{number:#x}" for number in (area.start, area.end, area.end - area.start, area.offset)
        )
        data: JsonObject = {
            "begin": start, "end": end, "size": area.end - area.start, "offset": area.offset,
            "objfile": area.path,
        }  # fmt: skip
        text = f"  {start:>{width}} {end:>{width}} {size:>10} {offset:>10} {area.path}"
        yield Output(text, data, "mappings")


def _all(shell: Shell, argument: str) -> Iterator[Part]:
    yield from _exe(shell, argument)
    yield from _mappings(shell, argument)


def _unknown(shell: Shell, argument: str) -> Iterator[Part]:
    _core(shell, _NO_PROCESS)
    raise UsageError("unable to handle request")


def _part(name: str, about: str, more: str, run: object) -> Command:
    text = f"{about}\n\nUsage: info proc {name} [PROCESS]\n\n{more}"
    return Command(f"info proc {name}", text, run, "status")  # type: ignore[arg-type]


_NOT_IN_CORE: Final = "A core file does not have this."
_PROC: Final = (
    _part("all", "List all available info about the specified process.",
          "That is what ran, and the files that were mapped.", _all),
    _part("cmdline", "List command line arguments of the specified process.", _NOT_IN_CORE,
          _unknown),
    _part("cwd", "List current working directory of the specified process.", _NOT_IN_CORE,
          _unknown),
    _part("exe", "List the absolute file name of the executable.",
          "A core file has the beginning of the command line.", _exe),
    _part("files", "List files opened by the specified process.", _NOT_IN_CORE, _unknown),
    _part("mappings", "List memory regions mapped by the specified process.",
          "A core file has those of files.", _mappings),
    _part("stat", "List process info from /proc/PID/stat.", _NOT_IN_CORE, _unknown),
    _part("status", "List process info from /proc/PID/status.", _NOT_IN_CORE, _unknown),
)  # fmt: skip


@command("info proc", topic="status", subcommands=_PROC, takes_other=True)
def info_proc(shell: Shell, argument: str) -> Iterator[Part]:
    """Show additional information about a process.

    Usage: info proc [all | exe | mappings]

    The process is always that of the core file. A core file has the beginning of its command line,
    and the mappings of files.
    """
    yield from _exe(shell, argument)


@command("info auxv", topic="status")
def info_auxv(shell: Shell, argument: str) -> Iterator[Part]:
    """Display the inferior's auxiliary vector.

    Usage: info auxv

    This is information provided by the operating system at program startup.
    """
    core = shell.machine.core
    if core is None or not core.dump.auxiliary:
        raise UsageError("The program has no auxiliary information now.")
    from dwarfgpu.service.core.auxiliary_vector import AUXILIARY_ENTRIES  # few ask for it

    for number, value in core.dump.auxiliary.items():
        name, form, about = AUXILIARY_ENTRIES.get(number, ("???", "x", ""))
        shown = str(value) if form == "d" else f"{value:#x}"
        text = _text_at(shell, value) if form == "s" else None
        shown = shown if text is None else f"{shown} {text}"
        label = name if number in AUXILIARY_ENTRIES else None
        data: JsonObject = {"type": number, "name": label, "description": about or None}
        data["value"] = shown
        yield Output(f"{number:<4} {name:<20} {about:<30} {shown}", data, "auxv")


def _text_at(shell: Shell, address: int) -> str:
    """The string at an address between quotes; GDB's words where it cannot be read."""
    session = shell.session
    where = Memory(session.architecture.address_space(0), session.wave)
    characters = bytearray()
    try:
        while len(characters) <= _MAX_CHARACTERS and not characters.endswith(b"\0"):
            assert session.target is not None
            characters += session.target.read_memory(where, address + len(characters), 1)
    except DwarfGpuError:
        return f"<error: Cannot access memory at address {address + len(characters):#x}>"
    return quoted_string(
        bytes(characters),
        CharacterKind(1),
        session.architecture.endian,
        elements=_MAX_CHARACTERS,
        repeats=shell.settings.limit("print repeats") or 1 << 31,
    )


_COLUMNS: Final = (4, 17, 20, 17)


def _row(mark: str, cells: tuple[str, str, str, str]) -> str:
    padded = (f"{cell:<{width}}" for cell, width in zip(cells, _COLUMNS, strict=True))
    return f"{mark} {' '.join(padded)}".rstrip()


@command("info inferiors", topic="status")
def info_inferiors(shell: Shell, argument: str) -> Iterator[Part]:
    """Print a list of inferiors being managed.

    Usage: info inferiors [ID]...

    There is one: the program.
    """
    words = argument.split()
    if any(not word.isdecimal() for word in words):
        raise UsageError(f"Invalid inferior ID: {next(w for w in words if not w.isdecimal())}")
    if words and "1" not in words:
        yield Output("No inferiors.", {"inferiors": []})
        return
    core, objects = shell.machine.core, shell.session.code_objects
    process = None if core is None else core.dump.process
    pid = None if process is None else process.pid
    connection = "" if core is None else "1 (core)"
    path = os.path.abspath(objects[0].file.path) if objects else ""
    description = "<null>" if pid is None else f"process {pid}"
    rows = (
        ("Num", "Description", "Connection", "Executable"),
        ("1", description, connection, path),
    )
    yield heading(_row(" ", rows[0]))
    data: JsonObject = {
        "number": 1, "pid": pid, "connection": connection or None, "executable": path or None,
        "current": True,
    }  # fmt: skip
    yield Output(_row("*", ("1", description, connection, path)), data, "inferiors")
