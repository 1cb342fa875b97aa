"""`info frame` of a thread of a CPU, with GDB's wording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeAlias

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.cfi.rule import RegisterRule, SameValueRule
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_covering
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.frame_base_address import frame_base_address
from dwarfgpu.model.storage import Composite, Memory
from dwarfgpu.service.file.source_language import language_of
from dwarfgpu.service.frame.argument_words import arguments_text
from dwarfgpu.service.frame.focus import unread_arguments
from dwarfgpu.service.output import Output, heading
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame
from dwarfgpu.view.frame_line import arguments_of
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.json_object import JsonObject

FramesFrom: TypeAlias = Callable[[Session, int], Iterator[StackFrame]]
"""The frames of a session's stack, from a number on, within the limits of the settings."""


def thread_frame_info(
    frame: StackFrame, style: FrameStyle, frames_from: FramesFrom, *, is_selected: bool
) -> Iterator[Output]:
    """Describe a frame. `frames_from`: the frames of the stack, from a number on."""
    session = frame.session
    counter = _program_counter(session)
    head = f"Stack level {frame.number}," if is_selected else "Stack"
    yield heading(f"{head} frame at {_shown(_cfa(session))}:")
    position = frame.position
    line = "" if position is None else f" ({position.file}:{position.line})"
    # As in GDB, a symbol is that of the pc: after a call that does not return there may be none.
    described = frame.function if frame.is_described else None
    function = described or _symbol(session, frame.pc)
    name = "" if function is None else f" in {function}"
    saved_pc = _return_address(session)
    text = f" {counter} = {frame.pc:#x}{name}{line}; saved {counter} = {saved_pc}"
    yield Output(text, {"saved-pc": saved_pc})
    yield from _neighbours(frame, frames_from)
    yield from tail_call_lines(frame)
    yield from _language_line(frame)
    physical = session.physical_frame
    if frame.is_inlined or frame.is_tail_call:  # GDB has no frame base for it
        yield Output(" Arglist at unknown address.", {"arglist-addr": None})
        callee = None if physical is None or not frame.is_inlined else physical.callee
        # Its registers are those of the frame into which it is inlined.
        saved = {} if callee is None else dict(saved_registers(callee))
        saved_sp = saved.pop(_stack_pointer(session), None)  # by a signal frame
        frame_base = None if callee is None else _shown(_of_stack_pointer(session))
        sp = frame_base or _stack_pointer(session)
        verb, key = "is" if frame_base else "in", "previous-sp"
        if saved_sp is not None:
            verb, sp, key = "at", _shown(saved_sp), "previous-sp-saved-at"
        text = f" Locals at unknown address, Previous frame's sp {verb} {sp}"
        yield Output(text, {"locals-addr": None, key: sp})
        yield from _saved_lines(saved)
        return
    saved = {} if physical is None else dict(saved_registers(physical))
    if frame.is_signal_frame:  # GDB has no frame base for it, either
        yield Output(" Arglist at unknown address.", {"arglist-addr": None})
        yield _locals_line(None, saved.pop(_stack_pointer(session), None), session)
        yield from _saved_lines(saved)
        return
    try:
        arguments = arguments_text(session, arguments_of(frame), style)
    except DwarfGpuError as error:
        arguments = unread_arguments(error)
    base = frame_base_address(session) or None
    where = "unknown address." if base is None else f"{base:#x}, args: {arguments}"
    frame_base = None if base is None else f"{base:#x}"
    yield Output(f" Arglist at {where}", {"arglist-addr": frame_base})
    yield _locals_line(base, saved.pop(_stack_pointer(session), None), session)
    if physical is not None and _is_jumped_to(session, physical):
        # It returns to the function that jumped, but that address is not saved.
        saved.pop(_program_counter(session), None)
    yield from _saved_lines(saved)


def _language_line(frame: StackFrame) -> Iterator[Output]:
    """Yield the source language; as in GDB, a line without a described function is enough."""
    session, is_of_source = frame.session, frame.is_described or frame.position is not None
    if not is_of_source or session.code_object is None or frame.is_signal_frame:
        return
    try:
        unit = session.code_object.scopes.unit_at(session.pc or 0)
    except DwarfGpuError:  # the split unit is not found: its skeleton has lines, but no language
        return
    if unit is not None:
        language = language_of(unit)
        yield Output(f" source language {language}.", {"language": language})


def _locals_line(base: int | None, saved_sp: int | None, session: Session) -> Output:
    """Return where the variables are, and the caller's stack pointer: computed, or kept in
    memory."""
    locals_at = None if base is None else f"{base:#x}"
    sp = _shown(_cfa(session) if saved_sp is None else saved_sp)
    text = f" Locals at {locals_at or 'unknown address'}, Previous frame's sp "
    data: JsonObject = {"locals-addr": locals_at}
    data["previous-sp" if saved_sp is None else "previous-sp-saved-at"] = sp
    return Output(f"{text}{'is' if saved_sp is None else 'at'} {sp}", data)


def _is_jumped_to(session: Session, physical: CfiFrame) -> bool:
    stack = session.call_stack
    caller = None if stack is None else stack.frame(physical.level + 1)
    return caller is not None and caller.is_tail_call


def tail_call_lines(frame: StackFrame) -> Iterator[Output]:
    """Yield lines that say that tail-call frames are missing outside of a frame, and why."""
    if frame.tail_calls is not None:
        text = f" tail call; the callers are unknown: {frame.tail_calls}"
        yield Output(text, {"tail-calls": frame.tail_calls})


def _saved_lines(slots: Mapping[str, int]) -> Iterator[Output]:
    saved = {name: f"{address:#x}" for name, address in slots.items()}
    if saved:
        text = ",".join(f" {name} at {address}" for name, address in saved.items())
        yield Output(f" Saved registers:\n {text}", {"saved-registers": {**saved}})


def _of_stack_pointer(session: Session) -> int | None:
    """Return the contents of the frame's stack pointer."""
    number, physical = session.architecture.stack_pointer, session.physical_frame
    if number is None or physical is None:
        return None
    try:
        bits = physical.contents(number)
    except DwarfGpuError:
        return None
    return bits.value if bits.is_complete else None


def _stack_pointer(session: Session) -> str:
    return session.architecture.register(session.architecture.stack_pointer or 0).name


def _program_counter(session: Session) -> str:
    return session.architecture.register(session.architecture.program_counter or 0).name


def _symbol(session: Session, pc: int) -> str | None:
    """Return the name of code that is not a function by its description, as what a handler returns
    to."""
    symbol = symbol_covering(session.code_objects, pc)
    return None if symbol is None else symbol.name


def _shown(address: int | None) -> str:
    return "<not known>" if address is None else f"{address:#x}"


def _cfa(session: Session) -> int | None:
    try:
        return session.frame.cfa().single_locations[0].byte_address
    except DwarfGpuError:
        return None


def _caller(session: Session) -> Session | None:
    try:
        return session.at_level(session.level + 1)
    except DwarfGpuError:
        return None


def _return_address(session: Session) -> str:
    caller = _caller(session)
    physical = None if caller is None else caller.physical_frame
    return "<not saved>" if physical is None else f"{physical.pc:#x}"


def _neighbours(frame: StackFrame, frames_from: FramesFrom) -> Iterator[Output]:
    """Yield the frames that called this one and that it called."""
    nearby = islice(frames_from(frame.session, max(frame.number - 1, 0)), 3)
    frames = {nearby_frame.number: nearby_frame for nearby_frame in nearby}
    outer, inner = frames.get(frame.number + 1), frames.get(frame.number - 1)
    words: list[str] = []
    data: JsonObject = {}
    if frame.is_inlined:
        data["inlined-into"] = frame.number + 1
        words.append(f" inlined into frame {frame.number + 1}")
    elif frame.is_tail_call:
        words.append(" tail call frame")
    elif outer is not None:
        data["called-by"] = _shown(_cfa(outer.session))
        words.append(f" called by frame at {data['called-by']}")
    elif _caller(frame.session) is None:
        stack = frame.session.call_stack
        end = "unknown" if stack is None else str(stack.end)
        yield Output(f" Outermost frame: {end}", {"stack-end": end})
    if inner is not None:
        data["caller-of"] = _shown(_cfa(inner.session))
        words.append(f" caller of frame at {data['caller-of']}")
    if words:
        yield Output(",".join(words), data)


def saved_registers(frame: CfiFrame) -> Iterator[tuple[str, int]]:
    """Return the registers of its caller that a frame saves in memory, and their addresses."""
    architecture = frame.architecture
    order: Iterable[RegisterInfo] = architecture.registers.values()
    groups = architecture.register_groups
    if groups is not None:
        names = groups.members("save", lambda name: False)
        order = map(architecture.by_name.__getitem__, names)
    for number in (register.number for register in order if register.number is not None):
        try:
            if isinstance(frame.rule(number), SameValueRule | RegisterRule):
                continue  # where an inner frame has put it
            single = frame.entry_register(number).single_locations[0]
        except DwarfGpuError:
            continue
        singles = [single]
        if number in architecture.preserved_bits and isinstance(single.storage, Composite):
            # One of its parts is saved.
            singles = [part.location.single_locations[0] for part in single.storage.parts]
        for single in singles:
            if isinstance(single.storage, Memory) and single.byte_address is not None:
                yield architecture.register(number).name, single.byte_address
