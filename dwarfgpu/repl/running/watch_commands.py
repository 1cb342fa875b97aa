"""`watch`, `rwatch` and `awatch`: objects whose accesses stop the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf.die import Die
from dwarfgpu.errors import Ambiguous, MissingContext, UsageError
from dwarfgpu.machine.run_control import Watch, WatchKind, WatchScope
from dwarfgpu.machine.target import RegisterOffset
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.break_commands import keep
from dwarfgpu.repl.running.condition_frames import names_of
from dwarfgpu.repl.running.runner import arm, watcher
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.running.watchpoint_values import note_unknown_value
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.waves.thread_ids import single_thread
from dwarfgpu.service.value.condition import require_valid_condition
from dwarfgpu.service.value.expression_block import block_of
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.service.value.watched_object import text_of, watched
from dwarfgpu.session.frame_identity import identity_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import readable_functions_at

_LOCATION: Final = re.compile(r"-l(?:ocation)?(?:\s+|$)")
_CONDITION: Final = re.compile(r"(?P<text>.*\S)\s+if\b\s*(?P<condition>\S.*)")
_OF_THREAD: Final = re.compile(r"(?P<text>.*\S)\s+(?:thread|wave)\s+(?P<id>\S+)")
_MASKED: Final = re.compile(r".*\S\s+mask\s+\S+")
_ONLY_WRITES: Final = "Expression cannot be implemented with read/access watchpoint."


def _set(shell: Shell, argument: str, kind: WatchKind) -> Iterator[Part]:
    machine = watcher(shell)
    if not argument:
        raise UsageError("Argument required (expression to compute).")
    is_location = _LOCATION.match(argument)
    text = argument[is_location.end() :] if is_location else argument
    if not text:
        raise UsageError("Argument required (expression to compute).")
    match = _CONDITION.fullmatch(text)
    text, condition = (text, "") if match is None else (match["text"], match["condition"])
    session, wave = shell.session, None
    match = _OF_THREAD.fullmatch(text)
    if match is not None:
        text = match["text"]
        wave, rest = single_thread(shell, match["id"])
        if rest:
            raise UsageError(f"Invalid thread ID: {match['id']}")
    if _MASKED.fullmatch(text):
        raise UsageError("This target does not support masked watchpoints.")
    if condition:
        require_valid_condition(session, (), condition, shell.values)
    options = options_of(session, shell.values, writes=False)
    item = watched(session, text, options, is_location=bool(is_location))
    if isinstance(item.value.error, Ambiguous):  # a choice of the user decides, no later stop
        raise item.value.error
    watched_bytes = item.object_bytes
    if not watched_bytes and item.value.error is not None and (is_location or kind != "write"):
        raise item.value.error
    is_in_registers = not watched_bytes or any(
        isinstance(p.start, RegisterOffset) for p in watched_bytes
    )
    if is_in_registers and kind != "write":
        raise UsageError(_ONLY_WRITES)
    if not watched_bytes and is_location:
        raise UsageError("Attempt to take address of value not located in memory.")
    is_local = any(variable.kind != "global" for variable in item.variables) and not is_location
    follows = kind == "write" and not is_location
    number = shell.breakpoints.new_number()
    scope = scope_of(session) if is_local else None
    added = Watchpoint(
        number,
        f"-location {text}" if is_location else text,
        condition=condition,
        wave=wave,
        watch=Watch(
            number,
            kind,
            item.bytes if follows else watched_bytes,
            scope,
            item.code if follows and is_local else None,
        ),
        watched=item,
        text=text_of(item.value, session, shell.settings.format_options()),
        expression=text if follows else None,
        session=session,
        of_function=function_of(session),
        frame=identity_of(session) if is_local else None,
        is_in_registers=is_in_registers,
        block=block_of(session, item.variables) if is_local else None,
        condition_names=names_of(shell, session, condition),
        writes=session.write_count.writes,
    )
    watches = [
        breakpoint.watch
        for breakpoint in shell.breakpoints.values()
        if isinstance(breakpoint, Watchpoint)
    ]
    if machine is not None:
        machine.watch([*watches, added.watch])  # complains about what cannot be watched
    keep(shell, added)
    arm(shell)
    if not watched_bytes and item.value.error is not None and not item.is_optimized_out:
        note_unknown_value(shell, text, item.value.error)
    yield Output(f"{added.kind} {number}: {added.typed}", added.named)


def function_of(session: Session) -> Die | None:
    """Return the function of the frame in focus, which may be inlined."""
    return next(iter(readable_functions_at(session)[session.inline_level :]), None)


def scope_of(session: Session) -> WatchScope:
    """Return the call of the function whose variables are watched."""
    subprogram = session.frame.subprogram
    ranges = () if subprogram is None else tuple((s.begin, s.end) for s in subprogram.ranges)
    top = session.top or session
    returns = []
    for level in range(session.level, 0, -1):
        try:
            frame = top.at_level(level).physical_frame
        except MissingContext:
            break
        assert frame is not None
        returns.append(frame.pc)
    return WatchScope(session.wave, ranges, tuple(returns))


_WATCHED: Final = completion.with_options(("-location",), completion.VALUES)


@command("watch", topic="running", complete=_WATCHED, repeats=False)
def watch(shell: Shell, argument: str) -> Iterator[Part]:
    """Stop the program when a value changes.

    Usage: watch [-location] EXPRESSION [thread N] [if CONDITION]

    EXPRESSION is evaluated in the lane in focus: a variable, POINTER->MEMBER, ARRAY[I], $v3, A + B.
    A change of a pointer or an index in it counts too, and so does a variable that moves to another
    place. Registers and private memory are those of the wave in focus. A watchpoint with local
    variables is deleted when their function returns. -location watches the object at its current
    address as long as the program runs. With "thread N", only that wave or thread stops.
    """
    yield from _set(shell, argument, "write")


@command("rwatch", topic="running", complete=_WATCHED, repeats=False)
def rwatch(shell: Shell, argument: str) -> Iterator[Part]:
    """Stop the program when an object is read.

    Usage: rwatch [-location] EXPRESSION [thread N] [if CONDITION]
    """
    yield from _set(shell, argument, "read")


@command("awatch", topic="running", complete=_WATCHED, repeats=False)
def awatch(shell: Shell, argument: str) -> Iterator[Part]:
    """Stop the program when an object is read or written.

    Usage: awatch [-location] EXPRESSION [thread N] [if CONDITION]
    """
    yield from _set(shell, argument, "access")
