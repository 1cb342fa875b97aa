"""What canonical frame addresses and registers of call frames rest on: entry, row, rule, frames."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from dwarfgpu.base.records import define, field
from dwarfgpu.cfi.prologue_frame import PrologueFrame
from dwarfgpu.cfi.rule import (
    ExpressionCfa,
    ExpressionRule,
    OffsetRule,
    RegisterCfa,
    RegisterRule,
    Rule,
    SameValueRule,
    ValExpressionRule,
    ValOffsetRule,
)
from dwarfgpu.cfi.signal_frame import SignalFrame
from dwarfgpu.cfi.text import cfa_text, register_name, rule_text
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ResultKind, format_of
from dwarfgpu.expr.text.assembly import readable_text, shortened
from dwarfgpu.model.location import Location
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import function_in_focus, stack_frames
from dwarfgpu.view.call_frame_text import with_own_names
from dwarfgpu.view.explanation_text import Detail, Recorder, StepView
from dwarfgpu.view.location_text import entry_text


class Looks(Protocol):
    """The limits of an explanation."""

    def look(self, recorded: Recorder) -> tuple[StepView, ...]:
        """Return the recorded steps, each with what it used."""
        ...

    def words(self, session: Session) -> str:
        """Return `frame 2 (f9)`, numbered as in backtraces."""
        ...

    def once(self, key: object, make: Callable[[], Detail]) -> Detail:
        """Return the result of `make`; for a repeated key, a reference to the earlier result."""
        ...


MAX_FRAMES: Final = 24
"""Frames of one chain that are shown."""


def cfa(session: Session, looks: Looks) -> Detail:
    """Return the canonical frame address of the physical frame in focus."""
    return looks.once(("cfa", session.level), lambda: _cfa(session, looks))


def entry_register(session: Session, number: int, looks: Looks) -> Detail:
    """Explain where the caller of the physical frame in focus has a register: from frame to frame
    inwards, up to the location of the register."""
    key = "register", session.level, number
    return looks.once(key, lambda: _entry_register(session, number, looks))


def _cfa(session: Session, looks: Looks) -> Detail:
    words = looks.words(session)
    title = f"the CFA of {words}, {_result(session.frame.cfa)}"
    if session.given_cfa is not None and not session.level:
        return Detail(title, ("the state or --cfa gives it",))
    frame = session.physical_frame
    if frame is None:
        return Detail(title, (session.frame_source or "there is no program location",))
    if frame.is_tail_call:
        return Detail(title, ("the function made a tail call: its CFA is that of the callee",))
    try:
        rule = frame.row.cfa
    except DwarfGpuError as error:
        return Detail(title, (*description_facts(session, frame), str(error)))
    text = _Text(session, frame)
    facts = (*description_facts(session, frame), f"CFA = {text.cfa(frame)}")
    match rule:
        case RegisterCfa() if frame.callee is not None:
            inner = entry_register(session.at_level(frame.level - 1), rule.register, looks)
            return Detail(title, facts, insides=(inner,))
        case RegisterCfa():
            return Detail(title, (*facts, _register_fact(session, frame, rule.register)))
        case ExpressionCfa():
            steps = Recorder()
            _evaluate(frame, rule.expression, "location", steps, with_cfa=False)
            return Detail(title, facts, looks.look(steps), steps.omitted)
        case None:
            return Detail(title, facts)


def _entry_register(session: Session, number: int, looks: Looks) -> Detail:
    frame = session.physical_frame
    name = register_name(number, with_own_names(session.architecture))
    result = _result(lambda: session.frame.entry_register(number))
    title = f"{name} on entry to {looks.words(session)}, {result}"
    if frame is None:
        default = "there is no program location: the default rule of the ABI applies"
        return Detail(title, (session.frame_source or default,))
    chain = _Chain(session, frame, number, looks)
    chain.follow()
    return Detail(title, tuple(chain.facts), chain.steps, chain.omitted, tuple(chain.insides))


@define
class _Chain:
    """The way of a register from a frame inwards."""

    session: Session
    frame: CfiFrame
    number: int
    looks: Looks
    facts: list[str] = field(factory=list)
    steps: tuple[StepView, ...] = ()
    omitted: int = 0
    insides: list[Detail] = field(factory=list)
    shown: int = 0
    visited: set[tuple[int, int]] = field(factory=set)

    def follow(self) -> None:
        """Follow the rules until one says where the register is."""
        while self._goes_inward():
            assert self.frame.callee is not None
            self.frame = self.frame.callee
        if self.shown > MAX_FRAMES:
            self.facts.insert(MAX_FRAMES, f"and {self.shown - MAX_FRAMES} frames further inward")

    @property
    def _name(self) -> str:
        return register_name(self.number, with_own_names(self.session.architecture))

    def _add_line(self, text: str) -> None:
        if self.shown <= MAX_FRAMES:
            self.facts.append(text)

    def _goes_inward(self) -> bool:
        """Return whether the next frame inward has the register; else it has been said where it
        is."""
        frame, number = self.frame, self.number
        if (frame.level, number) in self.visited:
            return False  # in a circle, which is the error of the operation
        self.visited.add((frame.level, number))
        self.shown += 1
        outer_session = self.session.at_level(frame.level)
        if self.shown <= MAX_FRAMES:
            self.facts += [
                f"{self.looks.words(outer_session)}:",
                *map(_indented, description_facts(outer_session, frame)),
            ]
        try:
            rule = frame.rule(number)
            rules = {} if frame.is_tail_call else frame.row.rules
        except DwarfGpuError as error:
            self._add_line(f"  {error}")
            return False
        text = _Text(outer_session, frame)
        by = "" if number in rules else self._default(frame)
        self._add_line(f"  {self._name} = {text.rule(rule)}{by}")
        source = self._moved(frame, rule)
        if source is not None:
            self.number = source
            if frame.goes_by_rule_of(number, source):
                return self._goes_inward()
            return self._leaves(frame)
        if isinstance(rule, SameValueRule):
            return self._leaves(frame)
        self._end(outer_session, frame, rule)
        return False

    def _default(self, frame: CfiFrame) -> str:
        if isinstance(frame, SignalFrame):
            return ""
        if frame.is_tail_call:
            return ", because the function made a tail call to the next one"
        if frame.convention is not None:
            return ", by the calling convention (--heuristic)"
        return f", which is the default rule of the ABI of {frame.architecture.name}"

    def _moved(self, frame: CfiFrame, rule: Rule) -> int | None:
        """Return the register that holds this one, according to the rule."""
        return rule.register if isinstance(rule, RegisterRule) else None

    def _leaves(self, frame: CfiFrame) -> bool:
        """Return where the frame itself has the register."""
        if frame.callee is not None:
            return True
        self._add_line(f"  it is {self._name} of the machine")
        return False

    def _end(self, session: Session, frame: CfiFrame, rule: Rule) -> None:
        steps = Recorder()
        match rule:
            case OffsetRule() | ValOffsetRule():
                self.insides.append(cfa(session, self.looks))
            case ExpressionRule(expression=expression):
                with_cfa = frame.convention is None
                if with_cfa:
                    self.insides.append(cfa(session, self.looks))
                _evaluate(frame, expression, "location", steps, with_cfa=with_cfa)
            case ValExpressionRule(expression=expression):
                self.insides.append(cfa(session, self.looks))
                _evaluate(frame, expression, "value", steps, with_cfa=True)
            case _:
                pass
        self.steps, self.omitted = self.looks.look(steps), steps.omitted


def description_facts(session: Session, frame: CfiFrame) -> tuple[str, ...]:
    """Return which entry and row of call frame information describe a frame."""
    location = frame.location
    owner = code_object_at(session.code_objects, location)
    if owner is None:
        return (f"{location:#x} is not in any code object",)
    try:
        description = owner.info.call_frames.description_at(owner.info.in_file(location))
    except DwarfGpuError as error:
        return (f"the call frame information of {location:#x} cannot be read: {error}",)
    if description is None:
        by = ""
        if isinstance(frame, PrologueFrame):
            by = f", by the prologue of {frame.function}"
        elif isinstance(frame, SignalFrame):
            by = ", by the instructions there, to which signal handlers return"
        return (f"no call frame information describes {location:#x} in {owner.name}{by}",)
    bias = location - owner.info.in_file(location)
    entry = _span(description.fde.initial_location + bias, description.fde.end + bias)
    row = _span(description.row.start + bias, description.row.end + bias)
    description_text = (
        f"FDE {description.fde.offset:#x} of {description.section.kind} in {owner.name}, {entry}"
    )
    return (f"{description_text}, row {row} for {location:#x}",)


class FrameWords:
    """Numbers frames as backtraces do; those from the top to the outermost needed are counted
    once."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def of(self, session: Session) -> str:
        """Return `frame 2 (f9)`."""
        if session.level not in self._numbers:
            self._count(session)
        function = function_in_focus(session)
        number = self._numbers.get(session.level, session.level)
        return f"frame {number}" + ("" if function is None else f" ({function})")

    def _count(self, session: Session) -> None:
        for frame in stack_frames(session.at_level(0)):
            self._numbers.setdefault(frame.session.level, frame.number)
            if frame.session.level >= session.level:
                return


def _span(begin: int, end: int) -> str:
    return f"[{begin:#x},{end:#x})"


def _indented(text: str) -> str:
    return f"  {text}"


def _result(find: Callable[[], Location]) -> str:
    """Return where something is, or why that is unknown."""
    try:
        return entry_text(find()).removeprefix("loc ")
    except DwarfGpuError as error:
        return f"which is unknown: {error}"


def _evaluate(
    frame: CfiFrame, expression: bytes, kind: ResultKind, steps: Recorder, *, with_cfa: bool
) -> None:
    with suppress(DwarfGpuError):  # its step has the error
        frame.evaluated(expression, kind, with_cfa=with_cfa, observe=steps)


def _register_fact(session: Session, frame: CfiFrame, number: int) -> str:
    """Return the contents of a register of the machine."""
    name = register_name(number, with_own_names(session.architecture))
    try:
        bits = frame.contents(number)
    except DwarfGpuError as error:
        return f"{name}: {error}"
    if bits.size_bits > 64 or not bits.is_complete:
        return f"{name} of the machine is read"
    return f"{name} of the machine is {bits.value:#x}"


class _Text:
    """Rules in words, with registers by their own names."""

    def __init__(self, session: Session, frame: CfiFrame) -> None:
        self.architecture = with_own_names(session.architecture)
        self.form = format_of(session.architecture)
        self.frame = frame

    def cfa(self, frame: CfiFrame) -> str:
        return cfa_text(frame.row.cfa, self.architecture, self._expression)

    def rule(self, rule: Rule) -> str:
        return rule_text(rule, self.architecture, self._expression)

    def _expression(self, expression: bytes) -> str:
        text = readable_text(expression, self.frame.dialect, self.form, self.architecture)
        return shortened(text)
