"""Select the frame in focus, and show its program location."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice, takewhile

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.shown_source import note_unreadable_line, source_line
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.past_main import numbers_of
from dwarfgpu.repl.stack.wrap_line import wrapped
from dwarfgpu.service.frame.focus import require_frame, symbol_at
from dwarfgpu.service.frame.frame_answer import frame_record, frame_text
from dwarfgpu.session.stack_frames import (
    StackFrame,
    frame_of,
    frame_position,
    selected,
    selected_number,
    why_caller_is_unknown,
)
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.json_object import JsonObject

MAX_OUTWARDS = 999_999_999
"""No stack is deeper."""


@command("frame", topic="stack", aliases=("f",))
def frame(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the frame in focus, or select another one.

    Usage: frame [NUMBER | level NUMBER | function NAME | address ADDRESS]

    Shows its number, program location, function and arguments, and its source line. Frame 0 is the
    innermost; "backtrace" lists them.
    """
    if shell.session.pc is None and not argument:
        raise UsageError("No stack.")
    chosen = None
    if argument:
        from dwarfgpu.repl.stack.frame_spec import frame_number  # most show the frame in focus

        chosen = frame_number(shell, argument)
    number = selected_number(shell.session)
    if chosen is not None and chosen != number:
        yield from _focus(shell, chosen)
    else:
        require_frame(shell.session)
        yield from shown_frame(shell, number)


@command("select-frame", topic="stack")
def select_frame(shell: Shell, argument: str) -> Iterator[Part]:
    """Select another frame without showing it.

    Usage: select-frame [NUMBER | level NUMBER | function NAME | address ADDRESS]
    """
    if shell.session.pc is None and not argument:
        raise UsageError("No stack.")
    if argument:
        from dwarfgpu.repl.stack.frame_spec import frame_number  # it is seldom used

        shell.session = selected(shell.session, frame_number(shell, argument))
    yield from ()


@command("up", topic="stack")
def up(shell: Shell, argument: str) -> Iterator[Part]:
    """Select the frame that called this one.

    Usage: up [COUNT]

    COUNT is an expression; a negative one goes down.
    """
    yield from _moved(shell, argument, 1)


@command("down", topic="stack", aliases=("dow", "do"))
def down(shell: Shell, argument: str) -> Iterator[Part]:
    """Select the frame that this one called.

    Usage: down [COUNT]

    COUNT is an expression; a negative one goes up.
    """
    yield from _moved(shell, argument, -1)


@command("up-silently", topic="support")
def up_silently(shell: Shell, argument: str) -> Iterator[Part]:
    """Select an outer frame without showing it, as "up" does.

    Usage: up-silently [COUNT]
    """
    shell.session = selected(shell.session, _destination(shell, argument, 1))
    yield from ()


@command("down-silently", topic="support")
def down_silently(shell: Shell, argument: str) -> Iterator[Part]:
    """Select an inner frame without showing it, as "down" does.

    Usage: down-silently [COUNT]
    """
    shell.session = selected(shell.session, _destination(shell, argument, -1))
    yield from ()


def _moved(shell: Shell, argument: str, direction: int) -> Iterator[Part]:
    yield from _focus(shell, _destination(shell, argument, direction))


def _integer(shell: Shell, text: str) -> int:
    from dwarfgpu.repl.stack.frame_spec import integer  # most frames are counted from where one is

    return integer(shell, text)


def _destination(shell: Shell, argument: str, direction: int) -> int:
    """Return the number of the frame to move to among those that include the lane; as in GDB, a
    larger COUNT stops at the end."""
    if shell.session.pc is None:
        raise UsageError("No stack.")
    count = _integer(shell, argument) if argument else 1
    if count < 0:
        count, direction = -count, -direction
    count = min(count, MAX_OUTWARDS)
    here = selected_number(shell.session)
    numbers = numbers_of(shell)
    if direction > 0:
        passed = list(deque(islice((n for n in numbers if n > here), count), maxlen=1))
        ends = "Initial frame selected; you cannot go up."
    else:
        inner = list(takewhile(lambda number: number < here, numbers))
        passed = inner[::-1][:count]
        ends = "Bottom (innermost) frame selected; you cannot go down."
    if not passed and not argument:  # GDB complains only without a number
        if direction > 0:
            note_unknown_caller(shell)
        raise UsageError(ends)
    return passed[-1] if passed else here


def note_unknown_caller(shell: Shell) -> None:
    """Say why the last frame, which GDB calls the outermost, is another one."""
    reason = why_caller_is_unknown(shell.session)
    if reason is not None:
        shell.console.note(f"the caller is unknown: {reason}")


def _focus(shell: Shell, number: int) -> Iterator[Part]:
    shell.session = selected(shell.session, number)
    yield from shown_frame(shell, number)
    from dwarfgpu.repl.data.display_commands import displayed  # a backtrace needs none

    yield from displayed(shell)


def shown_frame(shell: Shell, number: int) -> Iterator[Part]:
    """Yield the frame in focus, with its source line."""
    frame = frame_of(shell.session, number)
    if frame.position is not None:  # otherwise "list" continues what it listed last
        shell.listed = None
    style = shell.settings.frame_style()
    record = frame_record(frame, with_arguments=True, style=style)
    yield Output("", {"frame": record})
    yield from frame_lines(shell, frame, record, style, is_focus=True)
    stack = frame.session.call_stack
    for note in () if stack is None else stack.assumed_to(frame.session.level):
        shell.console.note(note, once=True)
    if frame.session.vgpr_holds is not None:
        from dwarfgpu.service.frame.argument_notes import argument_notes  # few assume it

        for note in argument_notes([frame], style):
            shell.console.note(note, once=True)
    if not frame.is_readable:
        from dwarfgpu.session.unreadable_frames import unreadable_notes  # most frames are readable

        for note in unreadable_notes((frame,)):
            shell.console.note(note, once=True)
    if shell.settings.word("disassemble-next-line") != "off":
        from dwarfgpu.repl.data.examined_instructions import next_line

        yield from next_line(shell, has_source=frame.position is not None)


def frame_lines(
    shell: Shell, frame: StackFrame, record: JsonObject, style: FrameStyle, *, is_focus: bool
) -> Iterator[Part]:
    """Yield a frame, whose keys are data, and its line of source text."""
    lines = [*source_line(shell, frame.session)] if style.has_source(is_focus=is_focus) else []
    is_located = style.has_location(has_source=bool(lines))
    columns = shell.settings.limit("width") if shell.console.is_interactive else None
    text = wrapped(frame_text(frame, record, style), columns) if is_located else ""
    yield Output(text, {})
    position = frame.position
    is_inside = (
        not is_located and style.has_address and position is not None and not position.is_start
    )
    digits = frame.session.architecture.address_bits // 4
    where = f"{frame.pc:#0{digits + 2}x}\t" if is_inside else ""
    yield from (evolve(line, text=where + line.text) for line in lines)


@command("pc", topic="stack")
def pc(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the program location.

    Usage: pc

    Shows the loaded address, the address in the code object, the function and the source line.
    """
    session = shell.session
    address = require_frame(session)
    code_object = session.code_object
    origin = "" if code_object is None else f" = {code_object.offset_text(address)}"
    symbol = symbol_at(session, address)
    position = frame_position(session, address)
    line = "" if position is None else f" at {position.file}:{position.line}"
    data: JsonObject = {
        "addr": f"{address:#x}",
        "from": None if code_object is None else str(code_object.file.path),
        "symbol": symbol,
        "file": None if position is None else position.file,
        "line": None if position is None else position.line,
    }
    text = f"{address:#x}{origin}" + (f" <{symbol}>" if symbol else "") + line
    yield Output(text, {"pc": data})
    note_unreadable_line(shell, shell.session)
