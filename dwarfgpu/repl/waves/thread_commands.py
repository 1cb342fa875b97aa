"""`info threads`, `thread`, `wave`: the waves of a state and the threads of a core file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.machine.target import WaveId
from dwarfgpu.repl.command import Candidate, command
from dwarfgpu.repl.data.display_commands import displayed
from dwarfgpu.repl.number_lists import listed
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.frame_commands import shown_frame
from dwarfgpu.repl.waves.lane_commands import find_pattern, lane_data, matching_lanes, own_frame
from dwarfgpu.repl.waves.thread_ids import leading_threads, single_thread
from dwarfgpu.service.frame.focus import lane_numbers, thread_and_lane
from dwarfgpu.service.waves.wave_frames import innermost_of, lane_counts, wave_frame
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import innermost, selected_number
from dwarfgpu.session.unreadable_frames import UnreadableFrames
from dwarfgpu.view.json_object import JsonObject


def _numbers(shell: Shell, word: str) -> Iterable[Candidate]:
    return (Candidate(str(number), name) for number, name in shell.machine.threads.items())


@command("thread", topic="stack", aliases=("t", "wave"), complete=_numbers, takes_other=True)
def thread(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the wave or thread in focus, or select another one.

    Usage: thread [NUMBER]

    "info threads" lists them. Afterwards the innermost frame is in focus, and, for a wave, the
    lane that was in focus in it since the last stop, or else the first lane that failed, or else
    the first active lane.
    """
    if not argument:
        if not shell.machine.threads:
            raise UsageError("No thread selected")
        yield Output(f"[Current thread is {who(shell)}]", focus_data(shell))
        return
    number, _ = single_thread(shell, argument)
    before = shell.session
    if before.lane is not None:
        shell.lanes[before.wave] = before.lane
    focus_on(shell, number)
    if shell.lanes.get(number, -1) in lane_numbers(shell.session):
        shell.session = own_frame(shell.session.focused(shell.lanes[number]))
    yield from switched(shell)


def switched(shell: Shell) -> Iterator[Part]:
    """Show the thread and the frame in focus, as after the focus has moved."""
    data = {"new-thread-id": shell.session.wave, **focus_data(shell)}
    yield Output(f"[Switching to thread {who(shell)}]", data)
    if shell.session.pc is not None:
        yield from shown_frame(shell, selected_number(shell.session))
    yield from displayed(shell)


def focus_data(shell: Shell) -> JsonObject:
    """Return the thread in focus, with the keys of GDB's machine interface."""
    session = shell.session
    if lane := lane_data(session):
        return {"current-thread-id": session.wave, **lane}
    record: JsonObject = {
        "target-id": shell.machine.threads[session.wave],
        **_signal(shell, session.wave),
    }
    return {"current-thread-id": session.wave, **record}


def _signal(shell: Shell, wave: WaveId) -> JsonObject:
    """Return the signal that ended a thread, if any."""
    return {"signal": shell.machine.signals[wave]} if wave in shell.machine.signals else {}


def focus_on(shell: Shell, wave: WaveId) -> None:
    """Focus on the innermost frame of a wave or thread, in its initial lane."""
    session = _stopped_at(shell, wave)
    shell.session = innermost(session.focused(session.initial_lane()))


def _stopped_at(shell: Shell, wave: WaveId) -> Session:
    """Return the session in the innermost frame of a wave or thread; the one that stopped last may
    have frames of inlined functions that it has not entered (`Session.not_entered`)."""
    session, stopped = innermost_of(shell.session, wave), shell.last_stop
    if stopped is None or (stopped.wave, stopped.stop) != (wave, session.stop):
        return session
    if (stopped.session.top or stopped.session).pc != session.pc:
        return session  # the user has moved it
    return evolve(session, not_entered=stopped.session.not_entered)


@command("thread name", topic="stack")
def thread_name(shell: Shell, argument: str) -> Iterator[Part]:
    """Set the name of the wave or thread in focus, or remove it.

    Usage: thread name [NAME]

    "info threads" shows the name, and "thread find" finds it.
    """
    if not shell.machine.threads:
        raise UsageError("No thread selected")
    shell.give_name(argument)
    yield from ()


@command("thread find", topic="stack")
def thread_find(shell: Shell, argument: str) -> Iterator[Part]:
    """Find waves, threads and lanes by their names and target ids.

    Usage: thread find REGEXP
    """
    pattern = find_pattern(argument)
    is_found = False
    for wave, target in shell.machine.threads.items():
        name = shell.names.get((wave, None))
        matches = []
        if name and pattern.search(name):
            data: JsonObject = {"thread": wave, "name": name}
            matches.append(Output(f"Thread {wave} has name '{name}'", data, "found"))
        if pattern.search(target):
            data = {"thread": wave, "target-id": target}
            matches.append(Output(f"Thread {wave} has target id '{target}'", data, "found"))
        if _is_simt(shell, wave):
            looking = innermost_of(shell.session, wave)
            matches += matching_lanes(shell, looking, pattern, f"Thread {wave}, ")
        is_found = is_found or bool(matches)
        yield from matches
    if not is_found:
        yield Output(f"No threads match '{argument}'", {"found": []})


@command("info threads", topic="stack")
def info_threads(shell: Shell, argument: str) -> Iterator[Part]:
    """List the waves of a state, or the threads of a core file.

    Usage: info threads [-gid] [ID...]

    ID is that of "thread apply". Shows where each one is, and for waves the number of active lanes,
    and of lanes with a work-item. With -gid, the column GId has the number in all inferiors.
    """
    has_global = argument.partition(" ")[0] == "-gid"
    argument = argument.removeprefix("-gid").strip() if has_global else argument
    if argument.startswith("-"):
        raise UsageError(f"Unrecognized option at: {argument}")
    waves = _chosen(shell, argument)
    if not waves:
        none = f"No threads match '{argument}'." if argument else "No threads."
        yield Output(none, {"threads": []})
        return
    names = {wave: _name(shell, wave) for wave in waves}
    width = max(17, *map(len, names.values()))
    has_lanes = any(map(partial(_is_simt, shell), waves))
    title = " Lanes" if has_lanes else ""
    global_title = "GId  " if has_global else ""
    yield heading(f"  Id   {global_title}{'Target Id':<{width}}{title} Frame")
    unreadable, assumed = UnreadableFrames(), dict[str, None]()
    for wave, name in names.items():
        is_in_focus = wave == shell.session.wave
        mark, lane = ("*", shell.session.lane) if is_in_focus else (" ", None)
        session = _stopped_at(shell, wave)
        counts = lane_counts(session).text if session.architecture.is_simt else ""
        lanes = f" {counts:<5}" if has_lanes else ""
        where, frame = wave_frame(session, shell.settings.frame_style(), lane, unreadable)
        if frame is not None and session.vgpr_holds is not None:
            from dwarfgpu.service.frame.argument_notes import innermost_argument_notes

            focused = session.focused(session.initial_lane() if lane is None else lane)
            notes = innermost_argument_notes(focused, shell.settings.frame_style())
            assumed |= dict.fromkeys(notes)
        data: JsonObject = {
            "id": wave,
            "target-id": shell.machine.threads[wave],
            **({"name": shell.names[wave, None]} if (wave, None) in shell.names else {}),
            **({"lanes": counts} if counts else {}),
            "state": "stopped",
            **_signal(shell, wave),
            **({"reason": where} if frame is None else {"frame": frame}),
        }
        number = f"{wave:<4} " * (2 if has_global else 1)
        yield Output(f"{mark} {number}{name:<{width}}{lanes} {where}", data, "threads")
    yield Output("", {"current-thread-id": shell.session.wave})
    for note in (*assumed, *unreadable.notes()):
        shell.console.note(note, once=True)


def _chosen(shell: Shell, argument: str) -> list[int]:
    """Return the threads of a list, as far as they exist; all without one."""
    if not argument:
        return list(shell.machine.threads)
    listed_threads, rest = leading_threads(shell, argument)
    if rest:
        raise UsageError(f"Invalid thread ID: {rest}")
    wanted = {number for _, number in listed_threads}
    return [wave for wave in shell.machine.threads if wave in wanted]


def _name(shell: Shell, wave: WaveId) -> str:
    name = shell.names.get((wave, None))
    return shell.machine.threads[wave] + ("" if name is None else f' "{name}"')


@command("info waves", topic="stack")
def info_waves(shell: Shell, argument: str) -> Iterator[Part]:
    """Count the waves.

    Usage: info waves [count] [ID...]

    "count" shows only the number. ID is a number or a range.
    """
    threads = shell.machine.threads
    if threads and not any(map(partial(_is_simt, shell), threads)):
        raise UsageError('No waves: "info threads" lists the threads of this CPU.')
    words = argument.split()
    is_count = words[:1] == ["count"]
    words = words[is_count:]
    numbers = listed(words, shell.machine.threads, "thread") if words else shell.machine.threads
    count = sum(map(partial(_is_simt, shell), numbers))
    text = f"{counted(count, 'wave')} (0 running, 0 single-stepping, {count} stopped)"
    data: JsonObject = {"count": count, "running": 0, "single-stepping": 0, "stopped": count}
    yield Output(str(count) if is_count else text, {"waves": data})


def who(shell: Shell, *, with_name: bool = False) -> str:
    """Return `3, lane 0 (AMDGPU Lane 1:1:1:3/0 (1,0,0)[0,0,0])`, `2 (LWP 4711)`; optionally with
    the name that the user gave a thread."""
    session = shell.session
    if session.architecture.is_simt and session.lane is not None:
        return thread_and_lane(session)
    named = _name(shell, session.wave) if with_name else shell.machine.threads[session.wave]
    return f"{session.wave} ({named})"


def _is_simt(shell: Shell, wave: WaveId) -> bool:
    """Return whether it is a wave of a GPU; the process of a core file may have threads of a CPU
    too."""
    target = shell.session.target
    return target is not None and target.architecture_of(wave).is_simt
