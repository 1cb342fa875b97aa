"""The process of a core file: `info proc`, `info auxv` and `info inferiors`, with GDB's wording."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from dwarfgpu.access.exact_reads import memory_bytes
from dwarfgpu.base.absolute_path import absolute_path, real_path
from dwarfgpu.base.printable import one_line
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.machine.core.load import Core
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.core.auxiliary_vector import AUXILIARY_ENTRIES
from dwarfgpu.service.output import Output, heading
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.strings import CharacterKind, quoted_string

_MAX_CHARACTERS: Final = 200
_INFERIOR_WIDTHS: Final = (4, 17, 20, 17)


def executable(core: Core) -> Output:
    """Return the command line; `UsageError` if the core file has none."""
    process = core.dump.process
    if process is None:
        raise UsageError("the core file does not describe the process (no NT_PRPSINFO note)")
    command = process.command or process.name
    return Output(one_line(f"exe = '{command}'"), {"exe": command, "pid": process.pid})


def mappings(core: Core) -> Iterator[Output]:
    """Return the mappings of files (NT_FILE); `UsageError` if the core file has none."""
    if not core.dump.mapped:
        raise UsageError("unable to find mappings in core file")
    width, indent = (18, "  ") if core.architecture.address_bits > 32 else (10, "\t")
    title = ("Start Addr", "End Addr", "Size", "Offset")
    yield heading("Mapped address spaces:\n")
    yield heading(
        f"{indent}{title[0]:>{width}} {title[1]:>{width}} {title[2]:>10} {title[3]:>10} objfile"
    )
    for area in core.dump.mapped:
        start, end, size, offset = (
            f"{number:#x}" for number in (area.start, area.end, area.end - area.start, area.offset)
        )
        data: JsonObject = {
            "begin": start, "end": end, "size": area.end - area.start, "offset": area.offset,
            "objfile": area.path,
        }  # fmt: skip
        path = one_line(area.path)
        text = f"{indent}{start:>{width}} {end:>{width}} {size:>10} {offset:>10} {path}"
        yield Output(text, data, "mappings")


def auxiliary_vector(session: Session, core: Core, repeats: int) -> Iterator[Output]:
    """Return the entries of NT_AUXV; `repeats`: the number of equal characters from which they are
    counted."""
    for number, value in core.dump.auxiliary.items():
        name, form, about = AUXILIARY_ENTRIES.get(number, ("???", "x", ""))
        shown = str(value) if form == "d" else f"{value:#x}"
        text = _text_at(session, value, repeats) if form == "s" else None
        shown = shown if text is None else f"{shown} {text}"
        label = name if number in AUXILIARY_ENTRIES else None
        data: JsonObject = {"type": number, "name": label, "description": about or None}
        data["value"] = shown
        yield Output(f"{number:<4} {name:<20} {about:<30} {shown}", data, "auxv")


def _text_at(session: Session, address: int, repeats: int) -> str:
    """Return the string at an address between quotes; GDB's words where it cannot be read."""
    where = Memory(session.architecture.address_space(0), session.wave)
    characters = bytearray()
    try:
        while len(characters) <= _MAX_CHARACTERS and not characters.endswith(b"\0"):
            assert session.target is not None
            characters += memory_bytes(session.target, where, address + len(characters), 1)
    except DwarfGpuError:
        return f"<error: Cannot access memory at address {address + len(characters):#x}>"
    return quoted_string(
        bytes(characters),
        CharacterKind(1),
        session.architecture.endian,
        elements=_MAX_CHARACTERS,
        repeats=repeats,
    )


def inferiors(session: Session, core: Core | None) -> Iterator[Output]:
    """Return the program, which is the only inferior; without a core file it has no process."""
    data, description, path = _inferior_data(session, core)
    connection = str(data["connection"] or "")
    yield heading(_inferior(" ", ("Num", "Description", "Connection", "Executable")))
    row = _inferior("*", ("1", description, connection, one_line(path)))
    yield Output(row, data, "inferiors")


def current_inferior(session: Session, core: Core | None, what: str) -> Output:
    """Return `[Current inferior is 1 [process 4711] (/home/me/program)]`, `what` before the
    number."""
    data, description, path = _inferior_data(session, core)
    return Output(f"[{what} 1 [{description}] ({one_line(path) or '<noexec>'})]", data, "inferiors")


def _inferior_data(session: Session, core: Core | None) -> tuple[JsonObject, str, str]:
    """Return the data of the inferior, its process in words, and the path of its program."""
    program = session.program
    process = None if core is None else core.dump.process
    path = "" if program is None else absolute_path(program.file.path)
    path = os.path.join(real_path(os.path.dirname(path)), os.path.basename(path)) if path else ""
    pid = None if process is None else process.pid
    data: JsonObject = {
        "number": 1, "pid": pid, "connection": None if core is None else "1 (core)",
        "executable": path or None, "current": True,
    }  # fmt: skip
    return data, "<null>" if pid is None else f"process {pid}", path


def _inferior(mark: str, cells: tuple[str, str, str, str]) -> str:
    padded = (f"{cell:<{width}}" for cell, width in zip(cells, _INFERIOR_WIDTHS, strict=True))
    return f"{mark} {' '.join(padded)}".rstrip()
