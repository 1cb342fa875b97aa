"""Source text at the prompt: `list` and `info line`, in GDB's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu import language
from dwarfgpu.backtrace import Place, place_in, place_of
from dwarfgpu.cli.expressions import DEFAULT
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.frames import frame_pc, require_frame, symbol_at
from dwarfgpu.cli.repl.settings import UNLIMITED
from dwarfgpu.cli.repl.shell import Listed, Shell
from dwarfgpu.cli.unit_options import read_file
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.lines import Lines, SourceLine
from dwarfgpu.dwarf.types import Function, strip
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.session import Session

_BEFORE = 5
"""Lines listed before one that is asked for."""
_SPAN = re.compile(r"(?P<first>.+?)(?:(?P<comma>,) *(?P<last>[0-9]{1,9})?)?")
_NUMBER = re.compile(r"[0-9]{1,9}")
_IN_FILE = re.compile(r"(?P<file>.*[^:]):(?P<inside>[^:].*)")


@command("list", topic="data", aliases=("l",))
def list_(shell: Shell, argument: str) -> Iterator[str]:
    """List source text.

    Usage: list [LINE | FILE:LINE | FUNCTION | FIRST,LAST | FIRST, | -]

    Without an argument, ten lines around that of the frame in focus; then the ten that follow.
    With "-" the ten before those listed last. FIRST may be of a file or a function, too.
    The text is that in the debugging information, else that of the file by its name.
    """
    frame = _place_or_none(shell.session)
    before = shell.listed if shell.listed is not None and shell.listed.frame == frame else None
    count = shell.settings.limit("listsize") or UNLIMITED
    place, first, last = _wanted(shell.session, argument, before, count)
    text = _text(place)
    if text is None:
        raise UsageError(f"{first}\t{place.file}: No such file or directory.")
    if not 0 < first <= len(text):
        count = len(text)
        raise UsageError(f"Line number {first} out of range; {place.file} has {count} lines.")
    shell.listed = Listed(frame, place, first, max(min(last, len(text)), first) + 1)
    for number, line in enumerate(text[first - 1 : last], first):
        yield f"{number}\t{line}"


def _wanted(
    session: Session, argument: str, before: Listed | None, count: int
) -> tuple[Place, int, int]:
    """The file, and the first and last line that are asked for."""
    if argument in ("", "-") and before is None:
        place = _place(session)
        first = max(place.line - _BEFORE, 1)
        return place, first, first + count - 1
    if before is not None and not argument:
        return before.place, before.next, before.next + count - 1
    if before is not None and argument == "-":
        if before.first == 1:
            raise UsageError(f"Already at the start of {before.place.file}.")
        return before.place, max(before.first - count, 1), before.first - 1
    given = _SPAN.fullmatch(argument)
    assert given is not None
    start = given["first"].strip()
    if _NUMBER.fullmatch(start):
        place = _place(session) if before is None else before.place
        line = int(start)
    else:
        place = _spot(session, start)
        line = place.line
    first = line if given["comma"] else max(line - _BEFORE, 1)
    return place, first, int(given["last"]) if given["last"] else first + count - 1


@command("info line", topic="data")
def info_line(shell: Shell, argument: str) -> Iterator[str]:
    """Tell where the code of a source line is.

    Usage: info line [LINE | FILE:LINE | FUNCTION]

    Without an argument, of the line of the frame in focus.
    """
    session = shell.session
    if session.code_object is None:
        raise UsageError("No symbol table is loaded.")
    if not argument:
        place = _place(session)
        pcs: tuple[int, ...] = (require_frame(session),)
    elif _NUMBER.fullmatch(argument):
        place = _place(session)
        place = place_in(place.source, int(argument), is_start=True)
        pcs = _pcs_of(session, place.path, place.line)
    elif _line_in_file(argument):
        place = _spot(session, argument)
        pcs = _pcs_of(session, place.path, place.line)
    else:
        pcs = (_entry_of(session, argument),)
        line = _line_at(session, pcs[0])
        if line is None:
            raise UsageError(f'Function "{argument}" has no line.')
        place = place_in(line.file, line.line, is_start=True)
    name, number = place.file, place.line
    found = [line for line in (_line_at(session, pc) for pc in pcs) if line is not None]
    for line in found:
        begin, end = (_address(session, each) for each in line.span)
        yield f'Line {number} of "{name}" starts at address {begin} and ends at {end}.'
    if found:
        return
    after = _first_after(session, place)
    if after is None:
        yield f'Line number {number} is out of range for "{name}".'
    else:
        where = _address(session, after)
        yield f'Line {number} of "{name}" is at address {where} but contains no code.'


def _line_in_file(text: str) -> tuple[str, int] | None:
    """`FILE:LINE`."""
    match = _IN_FILE.fullmatch(text)
    if match is None or not _NUMBER.fullmatch(match["inside"]):
        return None
    return match["file"], int(match["inside"])


def _spot(session: Session, text: str) -> Place:
    """What `FILE:LINE`, `FUNCTION` or `FILE:FUNCTION` means; `UsageError` in GDB's words."""
    spot = _line_in_file(text)
    if spot is None:
        return _place_of_function(session, text, _entry_of(session, text))
    wanted, number = spot
    for lines in _lines(session):
        file = next(lines.files_named(wanted), None)
        if file is not None:
            return place_in(file, number, is_start=True)
    raise UsageError(f"No source file named {wanted}.")


def _place_of_function(session: Session, text: str, pc: int) -> Place:
    """Where a function is declared, else where its code is from: that may be inlined there."""
    owner = next((each for each in session.code_objects if each.covers(pc)), None)
    subprogram = None if owner is None else owner.scopes.subprogram_at(pc)
    if subprogram is not None:
        lined, filed = map(subprogram.die.holder, (dw.AT_DECL_LINE, dw.AT_DECL_FILE))
        line = None if lined is None else lined.integer(dw.AT_DECL_LINE)
        number = None if filed is None else filed.integer(dw.AT_DECL_FILE)
        table = None if filed is None else filed.unit.line_table
        if line and number is not None and table is not None:
            return place_in(table.file(number), line, is_start=True)
    found = _line_at(session, pc)
    if found is None:
        raise UsageError(f'Function "{text}" has no line.')
    return place_in(found.file, found.line, is_start=True)


def _entry_of(session: Session, text: str) -> int:
    """Where the code of a function begins."""
    match = _IN_FILE.fullmatch(text)
    words = f'Function "{text}" not defined.'
    name = text
    if match is not None:
        name = f"'{match['file']}'::{match['inside']}"
        words = f'Function "{match["inside"]}" not defined in "{match["file"]}".'
    try:
        value = language.evaluate(name, session, DEFAULT)
    except UsageError:
        raise UsageError(words) from None
    place = value.location.places[0] if value.location is not None else None
    if not isinstance(strip(value.type), Function) or place is None or place.byte_address is None:
        raise UsageError(words)
    return place.byte_address


def _lines(session: Session) -> Iterator[Lines]:
    """Of every object file, the one of the focus first."""
    here = session.code_object
    objects = sorted(session.code_objects, key=lambda each: each is not here)
    return (Lines(each.scopes) for each in objects)


def _pcs_of(session: Session, file: str, line: int) -> tuple[int, ...]:
    """Of the first object file that knows the line."""
    return next(filter(None, (lines.pcs_of(file, line) for lines in _lines(session))), ())


def _first_after(session: Session, place: Place) -> int | None:
    """Where the code of the first line after a place begins that has any."""
    found = (lines.first_after(place.path, place.line) for lines in _lines(session))
    return next((pc for pc in found if pc is not None), None)


def _line_at(session: Session, pc: int) -> SourceLine | None:
    owner = next((each for each in session.code_objects if each.covers(pc)), None)
    return None if owner is None else Lines(owner.scopes).line_of(pc)


def _address(session: Session, pc: int) -> str:
    symbol = symbol_at(session, pc)
    return f"{pc:#x}" + (f" <{symbol}>" if symbol else "")


def _place_or_none(session: Session) -> Place | None:
    if session.pc is None:
        return None
    try:
        return place_of(session, frame_pc(session))
    except DwarfGpuError:
        return None


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
