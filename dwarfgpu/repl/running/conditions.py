"""Conditions of breakpoints and watchpoints: in which lane they are true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.running.condition_frames import frame_of_condition
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.frame.focus import active_lane_numbers
from dwarfgpu.service.lanes.lane_conditions import holds_in_lanes
from dwarfgpu.service.value.condition import has_assignment, holds

_NO_FRAME: Final = "Watchpoint condition cannot be tested in the current scope"


def condition_holds(
    shell: Shell, item: Breakpoint, lanes: list[int] | None, *, returns_to: int | None
) -> bool:
    """Return whether the condition of a breakpoint or watchpoint is true in one of its lanes, and
    focus on that lane.

    `lanes` is None for the active ones. A condition that cannot be evaluated counts as true. One
    with side effects is evaluated up to the first lane in which it is true. `returns_to`: as of
    `frame_of_condition`.
    """
    session, tested = shell.session, shell.session
    try:
        if isinstance(item, Watchpoint):
            frame = frame_of_condition(shell, item, returns_to)
            if frame is None:
                shell.console.warn(_NO_FRAME)
                return True
            tested = frame
        if not session.architecture.is_simt:
            return holds(tested, shell.values, item.condition)
        if lanes is None:
            lanes = active_lane_numbers(session)
        holds_in = holds_in_lanes(tested, shell.values, item.condition, lanes)
        for lane in lanes:
            try:
                is_hit = holds_in(lane)
            except DwarfGpuError as error:
                _note(shell, item, error)
                is_hit = True
            if is_hit:
                shell.session = session.focused(lane)
                item.hit_lanes = (lane,)
                if not has_assignment(tested, shell.values, item.condition):
                    item.hit_lanes = tuple(lane for lane in lanes if _counts(holds_in, lane))
                return True
    except DwarfGpuError as error:
        _note(shell, item, error)
        return True
    return False


def _note(shell: Shell, item: Breakpoint, error: DwarfGpuError) -> None:
    kind = "watchpoint" if isinstance(item, Watchpoint) else "breakpoint"
    shell.console.note(f"Error in testing condition for {kind} {item.number}: {error}")


def _counts(holds_in: Callable[[int], bool], lane: int) -> bool:
    try:
        return holds_in(lane)
    except DwarfGpuError:
        return True


def is_active(shell: Shell, lane: int | None) -> bool:
    """Return whether a lane of the wave in focus executes; of a CPU there is only one."""
    session = shell.session
    if lane is None or not session.architecture.is_simt:
        return True
    mask = session.active_lanes()[0]
    return mask is None or bool(mask >> lane & 1)
