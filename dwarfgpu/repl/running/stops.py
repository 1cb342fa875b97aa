"""Stops of a machine that runs: which breakpoints they are about, and how they are reported.

Law: a stop is reported as in GDB, and then in focus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.machine.run_control import Halt
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.undo import RecordedTarget
from dwarfgpu.repl.data.display_commands import displayed
from dwarfgpu.repl.files.shown_source import source_line
from dwarfgpu.repl.open_files import wave_names
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.running.catchpoint import Catchpoint
from dwarfgpu.repl.running.conditions import condition_holds, is_active
from dwarfgpu.repl.running.runner import arm
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.running.watchpoint_values import looked_again, note_unknown_value
from dwarfgpu.repl.shell import LastStop, Shell
from dwarfgpu.repl.waves.lane_commands import lane_data
from dwarfgpu.repl.waves.thread_commands import focus_on, who
from dwarfgpu.service.frame.argument_words import focused_frame_line
from dwarfgpu.service.frame.focus import active_lane_numbers
from dwarfgpu.service.frame.frame_answer import frame_record
from dwarfgpu.service.gdb_error_text import message_of
from dwarfgpu.service.waves.wave_frames import innermost_of
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.frame_identity import FrameIdentity, identity_of
from dwarfgpu.session.kernel_start import is_before_start
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import (
    before_inlined,
    frame_of,
    frame_position,
    selected_number,
)
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.number_runs import runs_text

if TYPE_CHECKING:
    from dwarfgpu.service.run.barrier_waits import BarrierPosition


@frozen(eq=False)
class Stop:
    """Why the program is stopped."""

    halt: Halt
    items: tuple[Breakpoint, ...] = ()
    """The breakpoints, watchpoints and catchpoints that stopped it."""
    changes: tuple[tuple[str, str], ...] = field(default=())
    """The values before and after, one pair for each item."""
    is_other: bool = False
    """Whether another wave or lane was in focus before."""
    is_other_call: bool = False
    """Whether a step has entered a function or returned from one, as far as that is known."""

    @property
    def is_step(self) -> bool:
        """Whether the machine did what it was asked, and nothing stopped it before."""
        return self.halt.reason == "end-stepping-range"


def focus_on_stop(shell: Shell, halt: Halt) -> None:
    """Focus on the wave or thread that stopped, and on the lane whose access failed."""
    target = shell.session.target
    if isinstance(target, RecordedTarget):  # what was written before cannot be taken back now
        target.undone_by.clear()
        target.undone.clear()
    shell.lanes.clear()
    if halt.wave is None:
        _end_of_program(shell)
        return
    threads = _threads_of_cpu(shell) | wave_names(shell.session, shell.machine.threads)
    if threads or not shell.machine.threads:
        shell.know_threads(threads or {halt.wave: f"Thread {halt.wave}"})
    lane = shell.session.lane if halt.wave == shell.session.wave else None
    focus_on(shell, halt.wave)
    failed = shell.session.focused(halt.lanes[0]) if halt.lanes else None
    if failed is not None:
        shell.session = shell.session if failed.is_unused else failed
    elif lane is not None and (halt.reason == "end-stepping-range" or is_active(shell, lane)):
        shell.session = shell.session.focused(lane)


def _threads_of_cpu(shell: Shell) -> dict[WaveId, str]:
    """Return threads of a core file, which stay where they are."""
    core = shell.machine.core
    threads = shell.machine.threads
    return {} if core is None else {n: threads[n] for n in core.threads if n in threads}


def _end_of_program(shell: Shell) -> None:
    """End the program: there is no wave any more; memory and threads of a CPU can still be read."""
    threads = _threads_of_cpu(shell)
    shell.know_threads(threads)
    top = shell.session.top or shell.session
    shell.session = evolve(top, pc=None, lane=None, top=None, level=0, inline_level=0)
    if threads:
        focus_on(shell, next(iter(threads)))
    delete_local_watchpoints(shell)
    arm(shell)


def delete_local_watchpoints(shell: Shell, *, is_restart: bool = False) -> None:
    """Delete the watchpoints whose expressions use local variables: their functions have ended.

    With `is_restart`, those of waves that have not run yet are kept: they begin there again.
    """
    for item in list(shell.breakpoints.values()):
        if not isinstance(item, Watchpoint) or item.watch.scope is None:
            continue
        if not (is_restart and is_before_start(innermost_of(shell.session, item.session.wave))):
            del shell.breakpoints[item.number]


def stop_of(shell: Shell, halt: Halt) -> Stop | None:
    """Focus on a stop; None if nothing that it hit stops the program."""
    wave = shell.session.wave
    focus_on_stop(shell, halt)
    items, pc = shell.breakpoints.values(), shell.session.pc
    if halt.reason == "breakpoint-hit":
        reached = [item for item in items if pc in item.inserted]
    elif halt.reason in ("watchpoint-trigger", "watchpoint-scope"):
        # The next instruction may have a breakpoint.
        reached = [item for item in items if item.number in halt.watchpoints or pc in item.inserted]
    else:
        faults = halt.reason == "signal-received" and halt.is_fault
        reached = [
            item
            for item in items
            if faults and isinstance(item, Catchpoint) and item.event == "fault" and item.is_enabled
        ]
        stopping = _stopping(shell, reached, halt)
        return Stop(halt, tuple(stopping), is_other=wave != shell.session.wave)
    if halt.reason == "watchpoint-scope":
        stopping = _stopping(shell, reached, halt)
        _leave_inlined_unless_meant(shell, stopping)
        return Stop(halt, tuple(stopping), is_other=wave != shell.session.wave)
    changes = {item.number: _change(shell, item, halt) for item in reached}
    arm(shell)  # what is watched may be elsewhere now
    stopping = _stopping(shell, [item for item in reached if changes[item.number]], halt)
    if not stopping:
        return None
    first = stopping[0]
    if isinstance(first, Watchpoint) and first.hit_lanes:
        shell.session = shell.session.focused(first.hit_lanes[0])
    _leave_inlined_unless_meant(shell, stopping)
    return Stop(halt, tuple(stopping), tuple(changes[item.number] or ("", "") for item in stopping))


def _leave_inlined_unless_meant(shell: Shell, items: Sequence[Breakpoint]) -> None:
    """Focus on the function before calls that are inlined at a stop, unless the location of a
    breakpoint is in one. Watchpoints do not count, as in GDB."""
    points = [item for item in items if not isinstance(item, Watchpoint)]
    if not points or is_at_body(shell.session, points):
        shell.session = before_inlined(shell.session)


def _stopping(shell: Shell, reached: Sequence[Breakpoint], halt: Halt) -> list[Breakpoint]:
    """Return those that stop the program, and focus on a lane for which the first one does; those
    that do not stop it, and further ones, do not change the focus."""
    before, stopping, of_first = shell.session, list[Breakpoint](), shell.session
    for item in reached:
        if _is_left(item, halt) or _is_to_stop(shell, item, halt):
            of_first = of_first if stopping else shell.session
            stopping.append(item)
        shell.session = before
    shell.session = of_first
    return stopping


def _is_left(item: Breakpoint, halt: Halt) -> bool:
    """Return whether an item is a watchpoint whose block the program has left."""
    return halt.reason == "watchpoint-scope" and item.number in halt.watchpoints


def is_at_body(session: Session, items: Sequence[Breakpoint]) -> bool:
    """Return whether all breakpoints of a stop name functions whose bodies begin here, or are those
    of dispatches and workgroups that do; without any, whether the kernel has not begun (`starti`).
    Code that is inlined at the beginning is not entered yet then, as in GDB."""
    if not items:
        return is_before_start(session)
    return all(
        item.event != "fault"
        if isinstance(item, Catchpoint)
        else any(location.is_body and location.pc == session.pc for location in item.locations)
        for item in items
    )


def _change(shell: Shell, item: Breakpoint, halt: Halt) -> tuple[str, str] | None:
    """Return what a watched object was, and is; None where it has not changed."""
    if not isinstance(item, Watchpoint):
        return "", ""
    return looked_again(shell, item, returns_to=dict(halt.in_calls).get(item.number))


def _is_to_stop(shell: Shell, item: Breakpoint, halt: Halt) -> bool:
    """Return whether a breakpoint that was reached stops: by wave, lane, condition and count."""
    session = shell.session
    if item.wave is not None and item.wave != session.wave:
        return False
    if isinstance(item, Catchpoint) and not item.is_about(session):
        return False
    if item.lane is not None and not is_active(shell, item.lane):
        return False
    item.hit_lanes = None
    lanes = None if item.lane is None else [item.lane]
    if isinstance(item, Watchpoint):
        item.hit_lanes = item.lanes_of(halt) or None
        lanes = None if item.hit_lanes is None else [*item.hit_lanes]
    returns_to = dict(halt.in_calls).get(item.number)
    if item.condition and not condition_holds(shell, item, lanes, returns_to=returns_to):
        return False
    if item.lane is not None:
        shell.session = shell.session.focused(item.lane)
    item.hits += 1
    if item.ignored:
        item.ignored -= 1
        return False
    if item.disposition == "dis":
        item.stops_left -= 1
        item.is_enabled = item.stops_left > 0
    return True


# Reports.


def reported(
    shell: Shell, stop: Stop, before: FrameIdentity | None = None, result: Part | None = None
) -> Iterator[Part]:
    """Yield the report of a stop. The commands of its breakpoints follow the command that led to
    it (`Shell.run`).

    `before` is the frame that was in focus, for which the line is sufficient. `result` is what a
    function returned.
    """
    shell.stops += 1
    session = shell.session
    record = _record(shell, stop)
    shell.last_stop = LastStop(stop.halt.wave, stop.items, stop.halt, session, session.stop, record)
    for item in stop.items[:1]:
        _set_variable(shell, "_hit_bpnum", item.number)
        _set_variable(shell, "_hit_locno", _location_number(shell, item))
    has_ended = stop.halt.reason == "exited"
    resumed_wave, shell.resumed_wave = shell.resumed_wave, None
    if has_ended:
        yield from _lines(shell, stop, record, before)
    elif stop.is_other or resumed_wave not in (None, session.wave):
        yield heading(f"[Switching to thread {who(shell)}]")
    stops = shell.stops
    yield from _hooked(shell)
    if shell.stops != stops:
        return  # the hook let the program run, and that stop is reported
    left = [item for item in stop.items if _is_left(item, stop.halt)]
    shown = [n for n, item in enumerate(stop.items) if item in left or not _is_silent(item)]
    if not has_ended and (shown or not stop.items):
        changes = [stop.changes[number] for number in shown] if stop.changes else []
        items = tuple(stop.items[number] for number in shown)
        audible = evolve(stop, items=items, changes=tuple(changes))
        record = record if items == stop.items else _record(shell, audible)
        yield from _lines(shell, audible, record, before)
        if result is not None:
            yield result
    for item in stop.items:
        if item in left or item.is_temporary:
            shell.breakpoints.pop(item.number, None)
    arm(shell)
    # The commands of a watchpoint are for changes only, as in GDB.
    having = [item for item in stop.items if item not in left]
    shell.stop_commands = tuple(line for item in having for line in _commands_of(item))


def _hooked(shell: Shell) -> Iterator[Part]:
    """Run the commands that `hook-stop` defines."""
    try:
        yield from shell.hooked("hook-stop")
    except DwarfGpuError as error:
        shell.console.warn(message_of(error), head="Error while running hook_stop")


def _is_silent(item: Breakpoint) -> bool:
    return item.commands[:1] == ("silent",)


def _commands_of(item: Breakpoint) -> tuple[str, ...]:
    return item.commands[1:] if _is_silent(item) else item.commands


def _set_variable(shell: Shell, name: str, number: int) -> None:
    """Set a convenience variable."""
    value = integer_value(shell.session.architecture, number)
    shell.values.named[name] = evolve(value, convenience=name)


def _record(shell: Shell, stop: Stop) -> JsonObject:
    """Return why the program stopped, with the keys of GDB's machine interface; for the rest `stop`
    and `barrier` as of `run --json`."""
    halt, session = stop.halt, shell.session
    data: JsonObject = {"reason": halt.reason, "thread-id": halt.wave}
    if halt.reason == "exited":
        return {**data, "exit-code": halt.exit_code or 0}
    left = [item.number for item in stop.items if _is_left(item, halt)]
    hits = [item for item in stop.items if item.number not in left]
    first = hits[0] if hits else None
    if halt.reason == "watchpoint-scope":
        data["wpnum"] = [*left]
    elif isinstance(first, Watchpoint):
        data |= {"reason": first.reason, "wpnum": first.number, **first.named}
        data["value"] = _changed(*stop.changes[0])
    point = next((item for item in hits if not isinstance(item, Watchpoint)), None)
    if point is not None:
        data |= {"disp": point.disposition, "bkptno": point.number}
        if len(point.locations) > 1:
            data["locno"] = _location_number(shell, point)
    if halt.reason == "signal-received":
        from dwarfgpu.repl.running.signal_commands import signal_meaning  # few stops are signals

        data |= {"signal-name": halt.signal or "0", "signal-meaning": signal_meaning(halt.signal)}
    if halt.barriers:
        data["barrier"] = [
            {**position.record, "pc": f"{position.pc:#x}"}
            for position in _at_barriers(halt, session)
        ]
    named = (("reason", halt.stop_reason), ("text", halt.text))
    why: JsonObject = {key: text for key, text in named if text is not None}
    if why:
        why["lanes"] = [*halt.lanes]
    elif first is not None and (lanes := _lanes_of(session, halt, first)):
        why["lanes"] = [*lanes]
    if len(hits) > 1:
        changes = stop.changes or [None] * len(stop.items)
        why["hits"] = [
            _hit_record(session, halt, item, change)
            for item, change in zip(stop.items, changes, strict=True)
            if item in hits
        ]
    return {**data, "stop": why} if why else data


def _hit_record(
    session: Session, halt: Halt, item: Breakpoint, change: tuple[str, str] | None
) -> JsonObject:
    """Return one of several breakpoints and watchpoints of a stop."""
    lanes = _lanes_of(session, halt, item)
    return {
        "number": item.number,
        **({"lanes": [*lanes]} if lanes else {}),
        **({"value": _changed(*change)} if isinstance(item, Watchpoint) and change else {}),
    }


def _changed(old: str, new: str) -> JsonObject:
    """Return the values of a watched object before and after."""
    return {"value": new} if old == new else {"old": old, "new": new}


def _at_barriers(halt: Halt, session: Session) -> tuple[BarrierPosition, ...]:
    """Return where waves are at an unmet barrier."""
    from dwarfgpu.service.run.barrier_waits import barrier_positions  # few stops are at barriers

    return barrier_positions(halt.barriers, session.code_objects)


def _lines(
    shell: Shell, stop: Stop, record: JsonObject, before: FrameIdentity | None
) -> Iterator[Part]:
    halt, session = stop.halt, shell.session
    if halt.reason == "exited":
        code = halt.exit_code or 0
        how = f"with code {code:02o}" if code else "normally"
        if not shell.machine.threads:
            _set_variable(shell, "_exitcode", code)
        yield Output(
            "[All waves have ended; the CPU threads have not run]"
            if shell.machine.threads
            else f"[Inferior 1 exited {how}]",
            record,
        )
        return
    style = shell.settings.frame_style()
    frame = frame_of(session, selected_number(session))
    shown = frame_record(frame, with_arguments=True, style=style)
    data = {**record, **lane_data(session), "frame": shown}
    first = stop.items[0] if stop.items else None
    line = focused_frame_line(session, style)
    is_alone = False
    if halt.reason == "watchpoint-scope":
        left = [item for item in stop.items if _is_left(item, halt)]
        for item in left:
            yield heading(
                f"\nWatchpoint {item.number} deleted because the program has left the block in\n"
                "which its expression is valid."
            )
        other = next((item for item in stop.items if item not in left), None)
        if other is not None:
            line = f"\n{_hit(shell, halt, other)}, {line}"
        yield Output(line, data)
    elif isinstance(first, Watchpoint):
        yield from _watched_lines(shell, stop)
        other = next((item for item in stop.items if not isinstance(item, Watchpoint)), None)
        if other is not None:
            line = f"\n{_hit(shell, halt, other)}, {line}"
        yield Output(line, data)
    elif isinstance(first, Catchpoint):
        about = first.text if halt.why is None else f"{first.event} {halt.why}"
        yield Output(f"\n{_who(shell)}{first.kind} {first.number} ({about}), {line}", data)
    elif first is not None:
        yield Output(f"\n{_hit(shell, halt, first)}, {line}", data)
    elif halt.reason == "signal-received":
        yield from _signal_lines(shell, halt)
        if halt.text is not None:
            # Few stops have a text.
            from dwarfgpu.service.run.run_report import hint_on_unknown

            if (hint := hint_on_unknown(halt.text)) is not None:
                yield heading(f"  {hint}")
        if halt.barriers:
            # Few stops are at barriers.
            from dwarfgpu.service.run.barrier_waits import barrier_lines

            lines = barrier_lines(_at_barriers(halt, session))
            yield from (heading(f"  {text}") for text in lines)
        yield Output(line, data)
    elif stop.is_other:  # what was stepped has ended, or is not active here
        yield Output(line, data)
    elif (
        before is not None
        and before.may_be_same_call(identity_of(session))
        and not stop.is_other_call
        and source_position(session) is not None
    ):
        is_alone = True
        yield Output("", data)
    else:
        yield Output(line, data)
    if session.vgpr_holds is not None and not is_alone:
        from dwarfgpu.service.frame.argument_notes import argument_notes  # few assume it

        for note in argument_notes([frame], style):
            shell.console.note(note, once=True)
    yield from source_line(shell, session, is_alone=is_alone)
    yield from displayed(shell)


def _watched_lines(shell: Shell, stop: Stop) -> Iterator[Part]:
    """Yield the objects that changed, or were read; as in GDB, those before a breakpoint of the
    stop."""
    for item, (old, new) in zip(stop.items, stop.changes, strict=True):
        if not isinstance(item, Watchpoint):
            return
        where = _with_lanes(_lanes_of(shell.session, stop.halt, item))
        yield heading(f"\n{_who(shell)}{item.kind} {item.number}{where}: {item.typed}\n")
        if old == new or item.watch.kind == "read":
            yield heading(f"Value = {new}")
        else:
            yield heading(f"Old value = {old}\nNew value = {new}")
        error = item.watched.value.error
        if isinstance(error, Unavailable):
            note_unknown_value(shell, item.typed, error)


def _signal_lines(shell: Shell, halt: Halt) -> Iterator[Part]:
    # As GDB: there were several, or a GPU has them.
    has_threads = shell.session.architecture.is_simt or max(shell.machine.threads, default=0) > 1
    who = f"Thread {shell.session.wave}" if has_threads else "Program"
    why = "." if halt.why is None else f", {halt.why}."
    if halt.signal is None:
        yield heading(f"\n{who} stopped{why}")
    else:
        yield heading(f"\n{who} received signal {halt.signal}{why}")


def _who(shell: Shell) -> str:
    """Return `Thread 6 hit `; empty for the only thread of a CPU."""
    session = shell.session
    if not session.architecture.is_simt and max(shell.machine.threads, default=0) < 2:
        return ""
    return f"Thread {session.wave} hit "


def _hit(shell: Shell, halt: Halt, item: Breakpoint) -> str:
    """Return `Thread 6 hit Breakpoint 2, with lanes [0-63]`; `Breakpoint 2.3` is one of several
    locations."""
    number = f"{item.number}"
    if len(item.locations) > 1:
        number += f".{_location_number(shell, item)}"
    lanes = _lanes_of(shell.session, halt, item)
    return f"{_who(shell)}{item.kind} {number}{_with_lanes(lanes)}"


def _location_number(shell: Shell, item: Breakpoint) -> int:
    """Return the number of the location where a breakpoint has stopped; 1 if it has none."""
    pc = (shell.session.top or shell.session).pc
    here = (number for number, location in enumerate(item.locations, 1) if location.pc == pc)
    return next(here, 1)


def _lanes_of(session: Session, halt: Halt, item: Breakpoint) -> Sequence[int]:
    """Return the lanes for which a breakpoint stopped, or those that accessed what a watchpoint
    watches; none on a CPU, and for an event of a wave."""
    if not session.architecture.is_simt or isinstance(item, Catchpoint):
        return ()
    if isinstance(item, Watchpoint) and not item.lanes_of(halt):
        return ()
    return active_lane_numbers(session) if item.hit_lanes is None else item.hit_lanes


def _with_lanes(lanes: Sequence[int]) -> str:
    """Return `, with lanes [0-63]`; empty without lanes."""
    if not lanes:
        return ""
    if len(lanes) == 1:
        return f", with lane {lanes[0]}"
    return f", with lanes [{runs_text(lanes).replace(',', ' ')}]"


# Where a stop is.


def source_position(session: Session) -> FramePosition | None:
    """Return the source line of the frame in focus."""
    return None if session.pc is None else frame_position(session, session.pc)
