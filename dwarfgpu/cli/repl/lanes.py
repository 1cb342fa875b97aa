"""Commands that look at the lanes of the wave, and move between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dwarfgpu.backtrace import selected_number
from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.frames import frame_line, lane_numbers
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.session import LaneState, Session
from dwarfgpu.target import Named

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
    mask, _ = session.active_lanes()
    return next((lane for lane in numbers if (mask or 0) >> lane & 1), 0 if numbers else None)


def target_id(session: Session) -> str:
    """ROCgdb's name of the lane in focus; what is not known is `?`, as there.

    Agent, queue, dispatch and wave, then the lane, the work-group and the work-item.
    """
    if isinstance(session.target, Named):
        return session.target.target_id(session.wave, session.lane)
    return f"AMDGPU Lane ?:?:?:{session.wave}/{session.lane} (?,?,?)[?,?,?]"


def used_lanes(session: Session) -> int:
    """Lanes that have a work-item; all, where nothing tells."""
    used = session.target.used_lanes(session.wave) if isinstance(session.target, Named) else None
    return len(lane_numbers(session)) if used is None else used


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
        if session.pc is not None and not _state(session, int(digits)).is_absent:
            yield f"#{selected_number(session):<3}{frame_line(session)}"
    if session.lane is not None:
        state = _state(session, session.lane)
        if state.is_absent:
            shell.warn("Current lane was not active on entry to the function.")
        elif state.is_active is False:
            shell.warn("Current lane is inactive.")


def _state(session: Session, lane: int) -> LaneState:
    return session.lane_states([lane])[0]


@command("info lanes", topic="lanes")
def info_lanes(shell: Shell, argument: str) -> Iterator[str]:
    """List the lanes of the wave.

    Usage: info lanes [-all | -active | -inactive] [ID...]

    ID is a lane or a range of lanes: "info lanes 0-3 7". State is A for an active lane, I for an
    inactive one, U for one without a work-item, which is shown with -all or its ID, ? where that
    is not known; * marks the lane in focus. An inactive lane is shown
    where it will go on, if the debugging information tells; if it never entered the function, as
    "(not in this frame)".
    """
    session = shell.session
    words = argument.split()
    states = _OPTIONS["-all"]
    has_unused = False
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option not in _OPTIONS:
            raise UsageError(f"Unrecognized option at: {option}")
        states, has_unused = _OPTIONS[option], option == "-all"
    numbers = lane_numbers(session)
    wanted = _wanted(words, numbers) if words else list(numbers)
    used = used_lanes(session)
    rows = [
        each
        for each in session.lane_states(wanted)
        if each.is_active in states and (has_unused or words or each.lane < used)
    ]
    if not rows:
        yield f"No lanes match '{' '.join(words)}'." if words else "No lanes."
        return
    yield "  Id  State   Frame"
    frames: dict[int | None, str] = {}
    for row in rows:
        mark = "*" if row.lane == session.lane else " "
        if row.lane >= used:
            yield f"{mark} {row.lane:<3} U       (unused)"
            continue
        yield f"{mark} {row.lane:<3} {_STATES[row.is_active]:<7} {_where(session, row, frames)}"
    _, unknown = session.active_lanes()
    if unknown is not None:
        shell.note(unknown)


def _where(session: Session, state: LaneState, frames: dict[int | None, str]) -> str:
    """The frame of a lane; lanes at the same program location share its text."""
    if state.location is None:
        return f"<error: {state.error}>"
    if state.is_absent:
        return "(not in this frame)"
    if state.is_active is False and state.location.was_active is None:
        return "(inactive)"
    pc = state.location.pc
    if pc not in frames:
        frames[pc] = _frame(session.focused(state.lane))
    return frames[pc]


def _frame(session: Session) -> str:
    """The frame of the lane in focus; of an unreadable one, why."""
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
