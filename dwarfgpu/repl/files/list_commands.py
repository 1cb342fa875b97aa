"""Source text at the prompt: `list` and `info line`, with GDB's wording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final
from weakref import WeakKeyDictionary

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, SeveralLines, UsageError
from dwarfgpu.language.address_symbols import symbolizer
from dwarfgpu.language.explicit_location import is_line_alone
from dwarfgpu.language.function_locations import CodeLocation
from dwarfgpu.language.linespec import (
    NO_SYMBOL_TABLE,
    LinespecNotFound,
    split_at_comma,
    without_quotes,
)
from dwarfgpu.language.source_lines import (
    LineStep,
    has_units,
    start_in_own_table,
    starts_of,
    step_at,
    why_no_line,
)
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.examine_commands import examined_code
from dwarfgpu.repl.files.shown_source import missing_line, note_unreadable_line, text_of
from dwarfgpu.repl.files.typed_linespecs import code_location_of, code_locations_of
from dwarfgpu.repl.output import Output, Part, SourceLines, heading
from dwarfgpu.repl.settings import UNLIMITED
from dwarfgpu.repl.shell import Listed, Shell
from dwarfgpu.service.frame.focus import frame_pc, symbol_at
from dwarfgpu.session.focused_frame import FocusedFrame, FramePosition, position_in_file
from dwarfgpu.session.kernel_start import is_before_start
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import declaration_at, frame_position
from dwarfgpu.view.json_object import JsonObject

_ADDEND: Final = pattern(r"[+-][0-9]+$")
_LINES: Final = 100
"""Lines that are printed at once."""
_NAME: Final = pattern(r"[^*+\-,0-9]|-(?!l)[a-z]")
"""What begins a name, or an explicit location other than a line."""

_MAX_KEPT: Final = 1_000
_KNOWN: Final[WeakKeyDictionary[FocusedFrame, dict[str, list[CodeLocation]]]] = WeakKeyDictionary()
"""What names denote, by the frame in focus, which decides the order of the files: it follows from
files alone."""


@command("list", topic="data", aliases=("l",), complete=completion.SYMBOLS)
def list_(shell: Shell, argument: str) -> Iterator[Part]:
    """List source text.

    Usage: list [PLACE | FIRST,LAST | FIRST, | ,LAST | + | -]

    A PLACE is LINE, +LINES or -LINES from the next line to list, FILE:LINE, FUNCTION,
    FILE:FUNCTION, *ADDRESS, or a label as of "break". Without an argument, lists ten lines around
    the line of the frame in focus, of main or of the first kernel; repeated, the next ten. "-"
    lists the ten before the lines listed last. "set listsize" changes the number of lines. The text
    comes from the debugging information if it contains source text, otherwise from the file.
    """
    kept = _KNOWN.get(shell.session.focused_frame)
    if kept is None:
        if not has_units(shell.session):
            raise UsageError(NO_SYMBOL_TABLE)
        kept = _KNOWN[shell.session.focused_frame] = {}
    frame = default_or_frame(shell)
    before = _listed_last(shell, frame)
    before = before if before is not None and before.first else None
    locations = kept.get(argument)
    if locations is None:
        locations = _locations_by_line(shell, argument.strip(), before)
        if argument.isidentifier():
            if len(kept) >= _MAX_KEPT:
                kept.clear()
            kept[argument] = locations
    if len(locations) > 1:
        yield from _titled_positions(shell, locations, frame)
        return
    if locations:
        position, first, last = _lines_around(shell, locations[0])
    else:
        position, first, last = _lines_of(shell, argument.strip(), before)
    text = text_of(shell, position)
    if text is None:
        shell.listed = Listed(frame, position, first, first)
        yield from _where(shell, argument)
        yield missing_line(shell, position, first)
        return
    count = len(text)
    if first > last:  # as in GDB, nothing is listed backwards
        shell.listed = Listed(frame, position, first, first)
        yield from _where(shell, argument)
        yield Output("", {"file": position.file, "fullname": position.path})
        return
    if not 0 < first <= count:
        shell.listed = Listed(frame, position, first, first)
        raise UsageError(f"Line number {first} out of range; {position.file} has {count} lines.")
    if "*" in argument:
        yield from _where(shell, argument)
    shell.listed = Listed(frame, position, first, max(min(last, count), first) + 1)
    shell.history.again = "list -" if argument.strip() == "-" else "list"
    data: JsonObject = {"file": position.file, "fullname": position.path}
    if last < first:
        yield Output("", data)
    for start in range(first - 1, min(last, count), _LINES):
        end = min(start + _LINES, last, count)
        yield SourceLines(start + 1, text.counted(range(start, end)), data)


def _locations_by_line(shell: Shell, argument: str, before: Listed | None) -> list[CodeLocation]:
    """Return the code locations of a name, one for each file and line; empty for numbers and
    ranges, in GDB's order of files: `list` goes on in the last, which libraries from
    `./sunrpc/auth.c` are not."""
    start, comma, _ = split_at_comma(argument)
    if comma or not _NAME.match(without_quotes(start)):
        return []
    around = default_or_frame(shell) if before is None else before.position
    locations_by_line: dict[tuple[str, int], CodeLocation] = {}
    for location in _shown_locations(shell, start, around or _shown_or_default(shell)):
        if location.position is not None:
            locations_by_line.setdefault((location.position.path, location.position.line), location)
    return sorted(locations_by_line.values(), key=_order)


def _order(location: CodeLocation) -> tuple[str, str, int]:
    assert location.position is not None
    return *location.position.source.folder_and_name, location.position.line


def _lines_around(shell: Shell, location: CodeLocation) -> tuple[FramePosition, int, int]:
    """Return the file, and the first and last line to list around a code location."""
    assert location.position is not None
    count = _count(shell)
    first = max(location.position.line - count // 2, 1)
    return location.position, first, first + count - 1


def _titled_positions(
    shell: Shell, locations: list[CodeLocation], frame: FramePosition | None
) -> Iterator[Part]:
    """Yield each code location with its title."""
    count = _count(shell)
    for location in locations:
        assert location.position is not None
        text = text_of(shell, location.position)
        first = max(location.position.line - count // 2, 1)
        yield heading(_title(location))
        if text is None:
            shell.listed = Listed(frame, location.position, first, first)
            yield missing_line(shell, location.position, first)
            continue
        last = min(first + count - 1, len(text))
        shell.listed = Listed(frame, location.position, first, last + 1)
        yield SourceLines(first, text[first - 1 : last])


def _title(location: CodeLocation) -> str:
    assert location.position is not None
    name = location.name or "???"
    return (
        f'file: "{location.position.file}", line number: {location.position.line}, symbol: "{name}"'
    )


def listed_locations(
    shell: Shell, text: str, around: FramePosition | None
) -> tuple[CodeLocation, ...]:
    """Return where variables and types of a name are declared, and what `code_locations_of` does:
    as in GDB, a name is also that of functions in any scope, as `str` in the C++ library."""
    try:
        locations = code_locations_of(shell, text, around)
    except LinespecNotFound:
        declared = _declared(shell, text, of_function=False) if text else ()
        if not declared:
            raise
        return declared
    if any(location.kind != "function" for location in locations):
        return locations
    try:
        return (*_declared(shell, text, of_function=True), *locations)
    except LimitExceeded as error:
        shell.console.note(f"variables and types named {text}: {error.kind}: {error}", once=True)
        return locations


def _declared(shell: Shell, text: str, *, of_function: bool) -> tuple[CodeLocation, ...]:
    from dwarfgpu.language.symbol_locations import symbol_locations  # for names alone

    return symbol_locations(shell.session, text, of_function=of_function)


def _shown_locations(
    shell: Shell, text: str, around: FramePosition | None
) -> tuple[CodeLocation, ...]:
    """Return `listed_locations`; functions whose first code is from another file are at their
    declaration."""
    locations = listed_locations(shell, text, around)
    if not any(location.declared for location in locations):
        return locations
    return tuple(
        evolve(location, position=location.declared or location.position) for location in locations
    )


def _where(shell: Shell, argument: str) -> Iterator[Part]:
    """Yield the description of an address whose source is listed."""
    start = argument.partition(",")[0].strip()
    if not start.startswith("*"):
        return
    location = code_location_of(shell, start, None)
    symbol = symbol_at(shell.session, location.pcs[0])
    name = "??" if symbol is None else _ADDEND.sub("", symbol)
    assert location.position is not None
    line = f"{location.position.file}:{location.position.line}"
    data: JsonObject = {
        "addr": f"{location.pcs[0]:#x}",
        "func": name,
        "line": location.position.line,
    }
    yield Output(
        f"{location.pcs[0]:#x} is {f'at {line}' if symbol is None else f'in {name} ({line})'}.",
        data,
    )


def _count(shell: Shell) -> int:
    return shell.settings.limit("listsize") or UNLIMITED


def _lines_of(shell: Shell, argument: str, before: Listed | None) -> tuple[FramePosition, int, int]:
    """Return the file, and the first and last line to list."""
    count = _count(shell)
    if argument in ("", "-", "+") and before is None:
        position = _position_of_frame(shell)
        first = max(position.line - count // 2, 1)
        return position, first, first + count - 1
    if before is not None and argument in ("", "+"):
        return before.position, before.next, before.next + count - 1
    if before is not None and argument == "-":
        if before.first == 1:
            raise UsageError(f"Already at the start of {before.position.file}.")
        return before.position, max(before.first - count, 1), before.first - 1
    around = default_or_frame(shell) if before is None else before.position
    start, comma, end = split_at_comma(argument)
    if split_at_comma(end)[1]:
        raise UsageError("Junk at end of line specification.")
    if comma and not (start or end):
        raise UsageError("Two empty args do not say what lines to list.")
    if around is not None:
        around = evolve(around, line=_next_line(shell, around, before))
    return _span(shell, start, comma, end, around or _shown_or_default(shell))


def _next_line(shell: Shell, around: FramePosition | None, before: Listed | None) -> int:
    """Return the line from which `+LINES`, `-LINES` and `-line +LINES` count: as in GDB, that of a
    frame that was shown, and without one the first that `list` shows."""
    if before is not None:
        return before.next
    line = 0 if around is None else around.line
    return line if around == shell.last_shown else line - _count(shell) // 2


def _span(
    shell: Shell, start: str, comma: bool, end: str, around: FramePosition | None
) -> tuple[FramePosition, int, int]:
    count = _count(shell)
    if end and not start:
        only = _single_position(shell, end, around, "last")
        return only, max(only.line - count + 1, 1), only.line
    position = _single_position(shell, start, around, "first")
    last = _single_position(shell, end, position, "last") if end else None
    if last is not None and last.path != position.path:
        raise UsageError("Specified first and last lines are in different files.")
    first = position.line if comma else max(position.line - count // 2, 1)
    return position, first, first + count - 1 if last is None else last.line


def _single_position(
    shell: Shell, text: str, around: FramePosition | None, position: str
) -> FramePosition:
    locations = _shown_locations(shell, text, around)
    locations_by_line = {
        (location.position.path, location.position.line): location
        for location in reversed(locations)  # the first of a line names it
        if location.position is not None
    }
    if len(locations_by_line) > 1:
        titles = "\n".join(_title(locations_by_line[key]) for key in sorted(locations_by_line))
        raise SeveralLines(f"Specified {position} line '{text}' is ambiguous:\n{titles}")
    if not locations_by_line:
        raise UsageError(f"No line number known for {text}.")
    [location] = locations_by_line.values()
    assert location.position is not None
    return location.position


@command("info line", topic="data", complete=completion.SYMBOLS)
def info_line(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the addresses of the code of a source line.

    Usage: info line [LINE | FILE:LINE | FUNCTION | FILE:FUNCTION | *ADDRESS]

    The place may also be a label, as of "break". Without an argument, shows the line listed last,
    or that of the frame in focus; repeated, the next line. Afterwards "x" without an address
    examines that code.
    """
    session = shell.session
    if session.code_object is None and not session.code_objects:
        raise UsageError(NO_SYMBOL_TABLE)
    frame = default_or_frame(shell)
    before = _listed_last(shell, frame)
    if argument:
        locations = _located(shell, argument)
    elif before is None and _has_no_line(shell, frame):
        yield Output("No line number information available.", {"lines": []})
        note_unreadable_line(shell, shell.session)
        return
    else:
        position = _position_of_frame(shell) if before is None else before.position
        line = position.line if before is None else before.next_line or before.first
        locations = code_locations_of(shell, str(line), position)
    shown: set[tuple[int, int]] = set()  # several calls of a function may be inlined on one line
    for location in locations:
        if location.position is None:
            pc = next(iter(location.pcs), 0)
            where = f" for address {_address(shell, pc)}" if pc else "."
            yield Output(f"No line number information available{where}", {"lines": []})
            reason = why_no_line(session, pc)
            if reason is not None:
                shell.console.note(reason)
            continue
        if location.kind == "symbol" and location.pcs:
            yield _data_output(shell, location.position, location.pcs[0])
            continue
        steps_before = frozenset(shown)  # several units may have a line at one address
        starts: tuple[int | None, ...] = location.pcs
        if location.kind in ("line", "symbol"):
            starts = starts_of(session, location.position)
        if location.kind == "line" and not argument:  # as in GDB, of the unit in focus alone
            starts = (start_in_own_table(session, location.position),)
        if location.kind == "symbol":
            starts = starts[:1]
        for start in starts or (None,):
            step = None if start is None or location.position.line < 1 else step_at(session, start)
            if step is not None and (location.position.line, step.begin) in steps_before:
                continue
            if step is not None:
                shown.add((location.position.line, step.begin))
            yield _line_output(shell, location.position, step)
            if step is not None:
                examined_code(shell, step.begin)
                last = before or Listed(frame, location.position, 0, location.position.line)
                shell.listed = evolve(last, next_line=location.position.line + 1)


def _located(shell: Shell, text: str) -> tuple[CodeLocation, ...]:
    """Return `listed_locations`, or else the variables that only symbol tables have."""
    try:
        return listed_locations(shell, text, position_of_lines(shell, text))
    except LinespecNotFound:
        from dwarfgpu.language.symbol_locations import locations_of_data  # for names alone

        data = locations_of_data(shell.session, text)
        if not data:
            raise
        return data


def _has_no_line(shell: Shell, frame: FramePosition | None) -> bool:
    """Return whether neither the frame in focus has a line nor one was shown before. The default
    line does not count, as in GDB: it was not asked for."""
    session = shell.session
    if session.pc is None or not has_units(session):
        return True
    return frame is None and shell.last_shown is None


def _data_output(shell: Shell, position: FramePosition, address: int) -> Output:
    """Return where a variable is that a line declares."""
    address_text = _address(shell, address)
    line = f'Line {position.line} of "{position.file}"'
    text = f"{line} is at address {address_text} but contains no code."
    return Output(text, _span_record(shell, position, position.line, address, None), "lines")


def _line_output(shell: Shell, position: FramePosition, step: LineStep | None) -> Output:
    """Return where a line's code is, by its step; None is after all lines."""
    head = f'Line {position.line} of "{position.file}"'
    if step is None:
        return Output(
            f'Line number {position.line} is out of range for "{position.file}".', {"lines": []}
        )
    begin, end = _address(shell, step.begin), _address(shell, step.end)
    is_own = step.position.line == position.line
    text = f"{head} starts at address {begin} and ends at {end}."
    if not is_own:
        text = f"{head} is at address {begin} but contains no code."
    last = step.end if is_own else None
    return Output(text, _span_record(shell, position, position.line, step.begin, last), "lines")


def _span_record(
    shell: Shell, position: FramePosition, line: int, begin: int, end: int | None
) -> JsonObject:
    """Return code of a line with the keys of GDB's machine interface."""
    return {
        "pc": f"{begin:#x}",
        "end": None if end is None else f"{end:#x}",
        "symbol": _symbol(shell, begin),
        "line": line,
        "file": position.file,
        "fullname": position.path,
    }


def _address(shell: Shell, pc: int) -> str:
    symbol = _symbol(shell, pc)
    return f"{pc:#x}" + (f" <{symbol}>" if symbol else "")


def _symbol(shell: Shell, pc: int) -> str | None:
    return symbolizer(shell.session, shell.settings.format_options())(pc)


def position_or_none(session: Session) -> FramePosition | None:
    if session.pc is None:
        return None
    try:
        return frame_position(session, frame_pc(session))
    except DwarfGpuError:
        return None


def default_or_frame(shell: Shell) -> FramePosition | None:
    """Return the source line of the frame in focus; None if there is none.

    Before a kernel runs, its declaration, as GDB's default source is that of `main`: the first
    instruction may belong to a function of another file, inlined into the kernel.
    """
    session = shell.session
    has_stopped = shell.last_stop is not None and shell.last_stop.wave is not None
    code_object, pc = session.code_object, session.pc  # a descriptor may name any address
    if has_stopped or session.inline_level or code_object is None or pc is None:
        return position_or_none(session)
    if is_before_start(session):
        with suppress(DwarfGpuError):  # then the line of the first instruction
            declared = declaration_at(code_object, pc)
            if declared is not None:
                return declared
    return position_or_none(session)


def _listed_last(shell: Shell, frame: FramePosition | None) -> Listed | None:
    """Return what was listed last; None if another frame with a line is in focus since."""
    listed = shell.listed
    return listed if listed is not None and frame in (None, listed.frame) else None


def _position_of_frame(shell: Shell) -> FramePosition:
    """Return the source line of the frame in focus; where it has no line, the one shown last;
    without either, one just before the default line."""
    session, position = shell.session, default_or_frame(shell)
    if position is not None:
        return position
    note_unreadable_line(shell, shell.session)
    position = _shown_or_default(shell)
    if position is None:
        what = "frame selected" if session.pc is None else "source line is known for the frame"
        raise UsageError(f"No {what}.")
    return position


def _shown_or_default(shell: Shell) -> FramePosition | None:
    """Return the source line that was shown last, or the default one; with a frame in focus, one
    without a line."""
    return (None if shell.session.pc is None else shell.last_shown) or default_position(shell)


def default_position(shell: Shell) -> FramePosition | None:
    """Return the default source line, as in GDB: nine lines before the body of `main` or before
    the declaration of the first kernel, or else the first line of the last unit; None if kernels
    are declared in several files, and without debugging information."""
    from dwarfgpu.language.default_source import default_source  # most listings have a frame

    position = default_source(shell.session)
    if position is None:
        return None
    line = max(position.line - _count(shell) + 1, 1)
    return position_in_file(position.source, line, is_start=True)


def position_of_lines(shell: Shell, text: str) -> FramePosition | None:
    """Return the location that determines the file of a line without a file, as in GDB: the frame
    in focus, else what was listed last (not what "info line" named), else what was shown last, else
    the default, whose file is the current one if the text is such a line."""
    frame, listed = default_or_frame(shell), shell.listed
    if frame is not None:
        return frame
    if listed is None or not listed.first:
        position = _shown_or_default(shell)
        if is_line_alone(text):
            shell.default_shown = position
        return position
    return position_in_file(listed.position.source, listed.next, is_start=True)


def listed_before(shell: Shell) -> tuple[FramePosition, FramePosition | None, int]:
    """Return the file that was listed last, the location of the frame in focus, and the line that
    was listed first; without one, the location of the frame, or 0 without a frame."""
    frame = default_or_frame(shell)
    before = _listed_last(shell, frame)
    if before is not None and before.first:
        return before.position, frame, before.first
    position = _position_of_frame(shell)
    return position, frame, position.line if frame is not None else 0
