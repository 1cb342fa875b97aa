"""Source text at the prompt: `list` and `info line`, in GDB's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.backtrace import Place, place_of
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.frames import frame_pc, require_frame, symbol_at
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.unit_options import read_file
from dwarfgpu.dwarf.lines import Lines
from dwarfgpu.errors import UsageError
from dwarfgpu.session import Session

_COUNT = 10
_BEFORE = 5
"""Lines listed before one that is asked for."""
_LINES = re.compile(r"([0-9]{1,9})\s*(?:(,)\s*([0-9]{1,9})?)?")


@command("list", topic="data", aliases=("l",))
def list_(shell: Shell, argument: str) -> Iterator[str]:
    """List source text.

    Usage: list [LINE | FIRST,LAST | FIRST,]

    Without an argument, ten lines around that of the frame in focus; then the ten that follow.
    The text is that in the debugging information, else that of the file by its name.
    """
    place = _place(shell.session)
    first = max(place.line - _BEFORE, 1)
    if shell.listed is not None and shell.listed[0] == place:
        first = shell.listed[1]
    last = first + _COUNT - 1
    if argument:
        given = _LINES.fullmatch(argument)
        if given is None:
            raise UsageError(f'Function "{argument}" not defined.')
        first = int(given[1]) if given[2] else max(int(given[1]) - _BEFORE, 1)
        last = int(given[3]) if given[3] else first + _COUNT - 1
    text = _text(place)
    if text is None:
        raise UsageError(f"{first}\t{place.file}: No such file or directory.")
    if not 0 < first <= len(text):
        count = len(text)
        raise UsageError(f"Line number {first} out of range; {place.file} has {count} lines.")
    shell.listed = place, max(min(last, len(text)), first) + 1
    for number, line in enumerate(text[first - 1 : last], first):
        yield f"{number}\t{line}"


@command("info line", topic="data")
def info_line(shell: Shell, argument: str) -> Iterator[str]:
    """Tell where the code of a source line is.

    Usage: info line [LINE | FILE:LINE]

    Without an argument, of the line of the frame in focus.
    """
    session = shell.session
    code_object = session.code_object
    if code_object is None:
        raise UsageError("No symbol table is loaded.")
    lines = Lines(code_object.scopes)
    if not argument:
        place = _place(session)
        pcs: tuple[int, ...] = (require_frame(session),)
        name, number = place.file, place.line
    else:
        file, _, digits = argument.rpartition(":")
        if not re.fullmatch(r"[0-9]{1,9}", digits):
            raise UsageError(f'Function "{argument}" not defined.')
        name, number = file or _place(session).file, int(digits)
        pcs = lines.pcs_of(name, number)
    found = [line for line in map(lines.line_of, pcs) if line is not None]
    if not found:
        yield f'Line number {number} is out of range for "{name}".'
    for line in found:
        begin, end = (_address(session, each) for each in line.span)
        yield f'Line {number} of "{name}" starts at address {begin} and ends at {end}.'


def _address(session: Session, pc: int) -> str:
    symbol = symbol_at(session, pc)
    return f"{pc:#x}" + (f" <{symbol}>" if symbol else "")


def _place(session: Session) -> Place:
    if session.pc is None:
        raise UsageError("No frame selected.")
    place = place_of(session, frame_pc(session))
    if place is None:
        raise UsageError("No source line is known for the frame in focus.")
    return place


def _text(place: Place) -> list[str] | None:
    """The lines; None where the text is nowhere. Only a regular file is read, no huge one."""
    text = place.source.source
    if text is None:
        try:
            if not Path(place.path).is_file():
                return None
        except ValueError:  # a NUL in the name
            return None
        text = read_file(place.path).decode("utf-8", "backslashreplace")
    return text.removesuffix("\n").split("\n")


def source_line(session: Session) -> Iterator[str]:
    """The line of the frame in focus, as GDB shows it under a frame; none where it is nowhere."""
    place = place_of(session, frame_pc(session))
    text = None if place is None else _text(place)
    if place is not None and text is not None and place.line <= len(text):
        yield f"{place.line}\t{text[place.line - 1]}"
