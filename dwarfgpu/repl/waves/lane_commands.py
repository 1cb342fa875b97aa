"""Commands that show the lanes of the wave, and select one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve
from dwarfgpu.base.regexp import Regexp, regexp
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.language.machine_variables import used_lanes
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.number_lists import listed
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.frame_commands import shown_frame
from dwarfgpu.service.frame.argument_words import focused_frame_line
from dwarfgpu.service.frame.focus import (
    frame_pc,
    lane_numbers,
    target_id,
    thread_and_lane,
)
from dwarfgpu.service.lanes.lane_choice import CHOICES
from dwarfgpu.service.value.value_history import whole_number
from dwarfgpu.session.focused_lane import UNUSED
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import (
    StackFrame,
    innermost,
    outer_frame,
    outer_frames,
    selected_number,
)
from dwarfgpu.session.unreadable_frames import UnreadableFrames
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.lane_grid import state_letter
from dwarfgpu.view.lane_position import lane_position


def chosen_lanes(session: Session, lanes: Iterable[int], choice: str) -> list[int]:
    """Return the lanes that satisfy a choice of `CHOICES`."""
    states = session.lane_states(lanes) if choice != "all" else None
    if states is None:
        return list(lanes)
    return [state.lane for state in states if state.is_active in CHOICES[choice]]


@command("lane", topic="waves", aliases=("la", "lan"), complete=completion.lanes, takes_other=True)
def lane(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the lane in focus, or select another one.

    Usage: lane [N]

    Variables are then read in that lane, active or not; in an inactive lane, at its own program
    location, if the debugging information gives it. The frame in focus is the innermost that the
    lane entered, with its number in the wave's call stack; after "up", the selected frame stays in
    focus if the lane entered it.
    """
    session = shell.session
    if not argument:
        if session.lane is None:
            raise UsageError("No lane selected.")
        text = f"[Current thread is {thread_and_lane(session)}]"
        yield Output(text, _focus_data(session))
    else:
        if argument.startswith("$"):
            argument = str(whole_number(session, shell.values, argument))
        session = shell.session = _focused(session, _other_lane(session, argument))
        number = session.lane
        text = f"[Switching to thread {thread_and_lane(session)}]"
        yield Output(text, _focus_data(session))
        has_frame = session.pc is not None and number is not None and not session.is_unused
        if has_frame and not _state(session, number or 0).is_absent:
            yield from shown_frame(shell, selected_number(session))
        from dwarfgpu.repl.data.display_commands import displayed  # a core of a CPU has no lanes

        yield from displayed(shell)
    if session.lane is not None:
        special = standing(session, _state(session, session.lane))
        if special is not None:
            shell.console.warn(special)


def _focus_data(session: Session) -> JsonObject:
    return {"current-thread-id": session.wave, **lane_data(session)}


def lane_data(session: Session) -> JsonObject:
    """Return the lane in focus; empty on a CPU."""
    if session.lane is None or not session.architecture.is_simt:
        return {}
    return {"current-lane-id": session.lane, "target-id": target_id(session)}


def _other_lane(session: Session, text: str) -> Session:
    if not is_decimal(text):
        raise UsageError(f"Invalid lane ID: {text}")
    digits = text.lstrip("0") or "0"
    if len(digits) > 9 or int(digits) not in lane_numbers(session):
        arch = session.architecture
        why = "" if arch.is_simt else f" A thread of {arch.name} has no lanes."
        raise UsageError(f"Lane {digits} does not exist on this thread.{why}")
    return session.focused(int(digits))


def _focused(before: Session, session: Session) -> Session:
    """Return the session for a new lane: in its innermost frame if the previous focus was
    innermost; otherwise in the same frame, if the lane entered it."""
    assert session.lane is not None
    own = before if before.lane is None else own_frame(before)
    went_out = (before.level, before.inline_level) != (own.level, own.inline_level)
    stays = went_out and not _state(session, session.lane).is_absent
    return session if stays else own_frame(session)


def own_frame(session: Session) -> Session:
    """Return the innermost frame that the lane in focus entered; if that is unknown, the innermost
    of all."""
    top = session.top or session
    assert top.lane is not None
    try:
        outer = outer_frame(top) if _state(top, top.lane).is_absent else None
    except LimitExceeded:
        outer = None
    return innermost(top) if outer is None else outer.session


def _state(session: Session, lane: int) -> LaneState:
    return session.lane_states([lane])[0]


def standing(session: Session, state: LaneState) -> str | None:
    """Return the state of an inactive lane in focus, and where it continues."""
    if session.is_unused:
        return f"lane {state.lane} {UNUSED}"
    if state.is_absent:
        return f"lane {state.lane} {session.why_absent}"
    if state.is_active is not False:
        return None
    position = lane_position(session) or f"lane {state.lane} is inactive"
    if session.top is None or not _state(session.top, state.lane).is_absent:
        return position
    return f"{position}, in frame {selected_number(session)}, the innermost that it entered"


@command("lane name", topic="waves")
def lane_name(shell: Shell, argument: str) -> Iterator[Part]:
    """Set the name of the lane in focus, or remove it.

    Usage: lane name [NAME]

    "info lanes" shows the name, and "lane find" finds it.
    """
    if shell.session.lane is None:
        raise UsageError("No lane selected.")
    shell.give_name(argument, shell.session.lane)
    yield from ()


@command("lane find", topic="waves")
def lane_find(shell: Shell, argument: str) -> Iterator[Part]:
    """Find lanes of the wave by their names and target ids.

    Usage: lane find REGEXP
    """
    pattern = find_pattern(argument)
    lines = list(matching_lanes(shell, shell.session, pattern, ""))
    yield from lines or [Output(f"No lanes match '{argument}'", {"found": []})]


def find_pattern(text: str) -> Regexp:
    """Return the pattern of a command `find`; `UsageError` with GDB's wording."""
    if not text:
        raise UsageError("Command requires an argument.")
    try:
        return regexp(text)
    except UsageError as error:
        raise UsageError(f"Invalid regexp: {text}: {error}") from None


def matching_lanes(
    shell: Shell, session: Session, pattern: Regexp, before: str
) -> Iterator[Output]:
    """Yield a line for the matches of each lane of a wave; `before` is `Thread 6, ` or empty."""
    for number in range(used_lanes(session)):
        who = f"{before}lane {number}"
        who = who[:1].upper() + who[1:]
        name = shell.names.get((session.wave, number))
        if name is not None and pattern.search(name):
            data: JsonObject = {"thread": session.wave, "lane": number, "name": name}
            yield Output(f"{who} has name '{name}'", data, "found")
        target = target_id(session.focused(number))
        if pattern.search(target):
            data = {"thread": session.wave, "lane": number, "target-id": target}
            yield Output(f"{who} has target id '{target}'", data, "found")


@command(
    "info lanes",
    topic="waves",
    complete=completion.with_options(tuple(f"-{choice}" for choice in CHOICES)),
)
def info_lanes(shell: Shell, argument: str) -> Iterator[Part]:
    """List the lanes of the wave.

    Usage: info lanes [-all | -active | -inactive] [ID...]

    ID is a lane or a range of lanes: "info lanes 0-3 7". State is A for an active lane, I for an
    inactive one, U for one without a work-item, which is shown only with -all or its ID, ? if
    unknown; * marks the lane in focus. An inactive lane is shown at the location where it will
    continue, if the debugging information gives it. A lane that never entered the function is shown
    in its outer frame, with the number of that frame, or as "(not in this frame)".
    """
    session = shell.session
    words = argument.split()
    choice, has_unused = "all", False
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option[1:] not in CHOICES:
            raise UsageError(f"Unrecognized option at: {option}")
        choice, has_unused = option[1:], option == "-all"
    numbers = lane_numbers(session)
    used = used_lanes(session)
    rows = [
        state
        for state in session.lane_states(listed(words, numbers, "lane") if words else numbers)
        if state.is_active in CHOICES[choice] and (has_unused or words or state.lane < used)
    ]
    if not rows:
        text = f"No lanes match '{' '.join(words)}'." if words else "No lanes."
        yield Output(text, {"lanes": []})
        return
    names = [_name(shell, session.focused(row.lane)) for row in rows]
    width = max(len("Target Id"), *map(len, names))
    yield heading(f"  Id  State   {'Target Id':<{width}}  Frame")
    frames, unreadable = dict[int | None, str](), UnreadableFrames()
    style = shell.settings.frame_style()
    outer = outer_frames(session, (row.lane for row in rows if row.is_absent and row.lane < used))
    for row, name in zip(rows, names, strict=True):
        state = state_letter(row, used)
        where = "(unused)" if row.lane >= used else _where(session, row, frames, style, unreadable)
        if row.lane in outer:
            where = (
                f"#{outer[row.lane].number} {_frame(outer[row.lane].session, style, unreadable)}"
            )
        mark = "*" if row.lane == session.lane else " "
        text = f"{mark} {row.lane:<3} {state:<7} {name:<{width}}  {where}"
        yield Output(text, _record(row, outer.get(row.lane), state, name, where), "lanes")
    if session.lane is not None:
        yield Output("", {"current-lane-id": session.lane})
    _, unknown = session.executing_lanes()
    if unknown is not None:
        shell.console.note(unknown)
    for note in unreadable.notes():
        shell.console.note(note, once=True)


def _record(
    state: LaneState, outer: StackFrame | None, letter: str, name: str, where: str
) -> JsonObject:
    pc = None if state.location is None else state.location.pc
    pc = pc if outer is None else outer.pc
    addr = None if pc is None else f"{pc:#x}"
    return {"id": state.lane, "state": letter, "target-id": name, "addr": addr, "frame": where}


def _name(shell: Shell, session: Session) -> str:
    assert session.lane is not None
    name = shell.names.get((session.wave, session.lane))
    return target_id(session) + ("" if name is None else f' "{name}"')


def _where(
    session: Session,
    state: LaneState,
    frames: dict[int | None, str],
    style: FrameStyle,
    unreadable: UnreadableFrames,
) -> str:
    """Return the frame of a lane; lanes at the same program location share its text."""
    if state.location is None:
        return f"<error: {state.error}>"
    if state.is_absent:
        return "(not in this frame)"
    if state.is_active is False and state.location.was_active is None:
        return "(inactive)"
    pc = state.location.pc
    if pc not in frames:
        frames[pc] = _frame(session.focused(state.lane), style, unreadable)
    return frames[pc]


def _frame(session: Session, style: FrameStyle, unreadable: UnreadableFrames) -> str:
    """Return the frame of the lane in focus; of an unreadable one, why. A line that cannot be read
    is added to `unreadable`."""
    if session.pc is None:
        return "<no program location>"
    try:
        unreadable.position(session, frame_pc(session))
        return focused_frame_line(session, evolve(style, arguments="presence"))
    except DwarfGpuError as error:
        return f"<error: {error}>"
