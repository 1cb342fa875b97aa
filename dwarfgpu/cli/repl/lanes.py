"""Commands that look at the lanes of the wave, and move between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.frames import frame_line, lane_numbers
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.session import Session

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_STATES = {True: "A", False: "I", None: "?"}
_OPTIONS: dict[str, tuple[bool | None, ...]] = {
    "-all": (True, False, None),
    "-active": (True,),
    "-inactive": (False,),
}


def first_lane(session: Session) -> int | None:
    """The lane that a user looks at first: the lowest active one."""
    numbers = lane_numbers(session)
    return next((lane for lane in numbers if session.is_active(lane)), 0 if numbers else None)


def target_id(session: Session) -> str:
    """ROCgdb's name of the lane in focus; what is not known is `?`, as there.

    Agent, queue, dispatch and wave, then the lane, the work-group and the work-item.
    """
    return f"AMDGPU Lane ?:?:?:{session.wave}/{session.lane} (?,?,?)[?,?,?]"


@command("lane", topic="lanes", complete=candidates.lanes)
def lane(shell: Shell, argument: str) -> Iterator[str]:
    """Look at another lane, or tell which one is in focus.

    Usage: lane [N]

    Variables are then those of that lane, whether it is active or not.
    """
    session = shell.session
    if not argument:
        if session.lane is None:
            raise UsageError("No lane selected.")
        yield f"[Current thread is {session.wave}, lane {session.lane} ({target_id(session)})]"
    else:
        if not (argument.isascii() and argument.isdecimal()):
            raise UsageError(f"Invalid lane ID: {argument}")
        digits = argument.lstrip("0") or "0"
        numbers = lane_numbers(session)
        if len(digits) > 9 or int(digits) not in numbers:
            raise UsageError(f"Lane {digits} does not exist on this thread.")
        session = shell.session = session.focused(int(digits))
        yield f"[Switching to thread {session.wave}, lane {digits} ({target_id(session)})]"
        if session.pc is not None:
            yield f"#0  {frame_line(session)}"
    if session.lane is not None and session.is_active(session.lane) is False:
        shell.warn("Current lane is inactive.")


@command("info lanes", topic="lanes")
def info_lanes(shell: Shell, argument: str) -> Iterator[str]:
    """List the lanes of the wave.

    Usage: info lanes [-all | -active | -inactive] [ID...]

    ID is a lane or a range of lanes: "info lanes 0-3 7". State is A for an active lane, I for an
    inactive one, ? where the execution mask is not known; * marks the lane in focus.
    """
    session = shell.session
    words = argument.split()
    states = _OPTIONS["-all"]
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option not in _OPTIONS:
            raise UsageError(f"Unrecognized option at: {option}")
        states = _OPTIONS[option]
    numbers = lane_numbers(session)
    wanted = _wanted(words, numbers) if words else list(numbers)
    rows = [(each, session.is_active(each)) for each in wanted]
    rows = [row for row in rows if row[1] in states]
    if not rows:
        yield f"No lanes match '{' '.join(words)}'." if words else "No lanes."
        return
    yield "  Id  State   Frame"
    frame = _frame(session)
    for number, is_active in rows:
        mark = "*" if number == session.lane else " "
        shown = "(inactive)" if is_active is False else frame
        yield f"{mark} {number:<3} {_STATES[is_active]:<7} {shown}"


def _frame(session: Session) -> str:
    """What every active lane shares; of an unreadable one, why."""
    if session.pc is None:
        return "<no program location>"
    try:
        return frame_line(session, with_values=False)
    except DwarfGpuError as error:
        return f"<error: {error}>"


def _wanted(words: list[str], numbers: range) -> list[int]:
    """The lanes of a list of numbers and ranges, in order."""
    out: set[int] = set()
    for word in words:
        match = _RANGE.fullmatch(word)
        if match is None or len(word) > 20:
            raise UsageError(f"Invalid lane ID: {word}")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if last < first:
            raise UsageError("inverted range")
        out.update(each for each in numbers if first <= each <= last)
    return sorted(out)
