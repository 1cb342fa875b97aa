"""Inputs of operations that are not on the stack: frame bases, canonical frame addresses, rules of
registers, values on entry, called expressions, targets of synthetic pointers, list entries.

Law: this changes no answer. An input is looked up or evaluated again, in the operation's context,
with an observer; if that fails, the operation already has the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import name_of
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, EvaluationError
from dwarfgpu.expr.context import ConstValue, Context, ExprLoc, LocationAttribute, LocList, Unit
from dwarfgpu.expr.dialect.upstream_clang import KERNEL_FRAME_BASE
from dwarfgpu.expr.evaluate import Step, evaluate_attribute
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.expr.text.assembly import readable_text, shortened
from dwarfgpu.model.location import ImplicitPointerValue
from dwarfgpu.session.call_site_values import (
    EntryValueSource,
    call_site_returning_to,
    entry_value_attribute,
)
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.lane_states import UNKNOWN
from dwarfgpu.session.session import Session
from dwarfgpu.view.explanation_text import Detail, Recorder, StepView, views
from dwarfgpu.view.frame_inputs import FrameWords, cfa, entry_register
from dwarfgpu.view.location_text import entry_text, location_text

MAX_INPUTS: Final = 256
"""Things of one explanation that are looked into."""
_MAX_NESTED: Final = 16
"""Things that are looked into within one another."""
_MAX_ENTRIES: Final = 32
"""List entries that are shown."""
_POINTERS: Final = ("implicit_pointer", "GNU_implicit_pointer", "LLVM_aspace_implicit_pointer")
_IN_SECTION: Final = ("call_ref", "GNU_variable_value")
"""Operations that use the location of an entry, by its offset in `.debug_info`."""
_REGISTERS: Final = (
    "bregx", "regx", "regval_type", "GNU_regval_type", "LLVM_aspace_bregx", "aspace_bregx",
)  # fmt: skip


class OperationInputs:
    """Looks into the steps of one explanation, into each thing once."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._shown: dict[object, str] = {}
        self._nested = 0
        self._words = FrameWords()

    def words(self, session: Session) -> str:
        """Return `frame 2 (f9)`, numbered as in backtraces."""
        return self._words.of(session)

    def look(self, recorded: Recorder) -> tuple[StepView, ...]:
        """Return the recorded steps, each with what it used."""
        step_views = views(recorded.steps, self.session.architecture)
        parents = {step_view.step.parent for step_view in step_views}
        return tuple(
            evolve(
                step_view,
                insides=self._of(step_view.step, has_nested=step_view.step.number in parents),
            )
            for step_view in step_views
        )

    def of_list(self, attribute: LocationAttribute | None, pc: int | None) -> tuple[Detail, ...]:
        """Return the entries of a location list; empty if it is not a list, or has one entry."""
        if not isinstance(attribute, LocList) or len(attribute.entries) < 2:
            return ()
        count = len(attribute.entries)
        facts = tuple(_list_facts(self.session, attribute, pc))
        return (Detail(f"DW_AT_location is a list of {count} entries", facts),)

    def of_lane_pc(self, failure: DwarfGpuError) -> Detail | None:
        """Return DW_AT_LLVM_lane_pc, whose evaluation for the lane in focus failed; None if it is
        not what failed."""
        session, tried = self.session, list[tuple[Subprogram, Recorder]]()
        if session.lane is None or not failure.message.startswith(UNKNOWN):
            return None

        def observer_of(subprogram: Subprogram) -> Recorder:
            tried.append((subprogram, Recorder()))
            return tried[-1][1]

        with suppress(DwarfGpuError):  # which is `failure`
            session.frame.observed_lane_location(session.lane, observer_of)
        if not tried:
            return None
        subprogram, steps = tried[-1]
        name = "DW_AT_LLVM_lane_pc"
        facts = _attribute_facts(session, name, subprogram.lane_pc, session.pc)
        return Detail(name, tuple(facts), self.look(steps), steps.omitted)

    def _of(self, step: Step, *, has_nested: bool) -> tuple[Detail, ...]:
        """Return the inputs of a step, whose own steps may be among the recorded ones
        (`has_nested`)."""
        details: tuple[Detail, ...] = ()
        try:
            used = self._used(step)
            details = () if used is None else (used,)
        except DwarfGpuError:
            details = ()  # the operation has the error
        if not has_nested:
            return details
        if not details:
            details = (Detail(_pointed_title(step)),)
        return (*details[:-1], evolve(details[-1], is_performed=True))

    def once(self, key: object, make: Callable[[], Detail]) -> Detail:
        title = self._shown.get(key)
        if title is not None:
            return Detail(title, ("as above",))
        if len(self._shown) >= MAX_INPUTS or self._nested >= _MAX_NESTED:
            return Detail("not expanded: it is too large")
        self._shown[key] = "the same"
        self._nested += 1
        try:
            details = make()
        finally:
            self._nested -= 1
        self._shown[key] = details.title
        return details

    def _used(self, step: Step) -> Detail | None:
        """Return the input of an operation; None if all of it is on the stack."""
        context, name = step.context, step.instruction.operation.name
        operands = step.instruction.operands
        if context is None:
            return None
        frame = context.frame
        if name in ("call2", "call4", *_IN_SECTION, *_POINTERS):
            unit, die = context.unit, operands[0]
            if unit is None:
                return None  # which is the error of the operation
            assert isinstance(die, int)
            if name in _POINTERS:
                return self.once(("pointer", unit, die), lambda: self._pointee(context, unit, die))
            target = die if name in _IN_SECTION else unit.section_offset(die)
            return self._called(context, unit, target)
        if isinstance(frame, SubprogramFrame) and isinstance(frame.session, Session):
            return self._of_frame(step, frame, frame.session)
        if isinstance(frame, CfiFrame):
            outer_session = self.session.at_level(frame.level)
            if name != "LLVM_call_frame_entry_reg":
                return self._of_register(step, outer_session)
            assert isinstance(operands[0], int)
            return entry_register(outer_session, operands[0], self)
        return None

    def _of_frame(self, step: Step, frame: SubprogramFrame, session: Session) -> Detail | None:
        name, operands = step.instruction.operation.name, step.instruction.operands
        level = frame.level
        if name == "fbreg":
            return self.once(("frame base", level), lambda: self._frame_base(frame, session))
        if name == "call_frame_cfa":
            return cfa(session, self)
        if name == "LLVM_call_frame_entry_reg":
            assert isinstance(operands[0], int)
            return entry_register(session, operands[0], self)
        if name in ("entry_value", "GNU_entry_value"):
            expression = operands[0]
            assert isinstance(expression, bytes)
            key = "entry", level, expression
            return self.once(key, lambda: self._entry_value(frame, session, expression))
        unit = None if step.context is None else step.context.unit
        if name == "GNU_parameter_ref" and isinstance(unit, CompilationUnit):
            assert isinstance(operands[0], int)
            parameter = unit.info.die_at(unit.section_offset(operands[0]))
            look = partial(self._entry_value, frame, session, parameter)
            return self.once(("parameter", level, parameter), look)
        return self._of_register(step, session)

    def _of_register(self, step: Step, session: Session) -> Detail | None:
        """Describe a register of an outer frame, which is where its callee's caller has it."""
        number = _register(step)
        if number is None or not session.level:
            return None
        return entry_register(session.at_level(session.level - 1), number, self)

    def _frame_base(self, frame: SubprogramFrame, session: Session) -> Detail:
        where = self.words(session)
        if session.given_frame_base is not None and not frame.level:
            base_text = location_text(frame.frame_base())
            return Detail(f"the frame base of {where}, {base_text}", ("--frame-base gives it",))
        if frame.starts_private_memory:
            base_text = location_text(frame.frame_base())
            return Detail(f"the frame base of {where}, {base_text}", (KERNEL_FRAME_BASE,))
        subprogram, attribute = frame.described_frame_base()
        steps = Recorder()
        try:
            result = location_text(frame.frame_base_of(attribute, steps))
        except DwarfGpuError as error:
            result = f"which is unknown: {error.message}"
        title = f"the frame base of {subprogram.name or where}, {result}"
        pc = frame.program_location(session.lane)
        facts = tuple(_attribute_facts(session, "DW_AT_frame_base", attribute, pc))
        return Detail(title, facts, self.look(steps), steps.omitted)

    def _entry_value(
        self, frame: SubprogramFrame, session: Session, value_passed: EntryValueSource
    ) -> Detail:
        """Explain a value on entry: by a parameter of the call, or in the frame of the caller."""
        subprogram = frame.subprogram
        unit = None if subprogram is None else subprogram.die.unit
        if isinstance(value_passed, Die):
            text, value = (
                _die_words(value_passed.unit, value_passed.offset),
                frame.parameter_value(value_passed.offset),
            )
        else:
            text = (
                value_passed.hex()
                if unit is None
                else _expression_text(session, unit, value_passed)
            )
            value = frame.entry_value(value_passed)
        calling, return_address = session.calling()
        caller = self.words(calling)
        title = f"the value of {text} on entry to {self.words(session)}"
        facts = [f"the caller is {caller}, which continues at {return_address:#x}"]
        call = call_site_returning_to(calling.code_object, return_address)
        if call is None:
            facts.append("no entry of debugging information describes the call")
        else:
            facts.append(f"the call is described by the entry at {call.die.offset:#x}")
        passed = None
        if call is not None and subprogram is not None:
            passed = entry_value_attribute(subprogram, call, value_passed)
        if value is None or passed is None:
            if isinstance(value_passed, bytes):
                facts.append(f"no call-site parameter gives it: it is evaluated in {caller}")
            else:
                facts.append("no call-site parameter describes it")
            return Detail(title, tuple(facts))
        shown = _expression_text(session, passed.unit, passed.expression)
        facts.append(f"a call-site parameter gives it: DW_AT_call_value {shown}, in {caller}")
        steps = Recorder()
        context = evolve(calling.context(), unit=passed.unit, result_kind="value")
        _observed(passed, context, steps)
        return Detail(
            f"{title}, {entry_text(value)}", tuple(facts), self.look(steps), steps.omitted
        )

    def _called(self, context: Context, unit: Unit, section_offset: int) -> Detail:
        title = f"the location of {_die_words(unit, section_offset)}"
        attribute = unit.location_at(section_offset)
        if attribute is None:
            return Detail(title, ("it has neither DW_AT_location nor DW_AT_const_value",))
        facts = _attribute_facts(self.session, "DW_AT_location", attribute, context.pc)
        return Detail(title, tuple(facts))

    def _pointee(self, context: Context, unit: Unit, section_offset: int) -> Detail:
        """Return what an implicit pointer points to, where it is in the context of the pointer."""
        title = f"the pointer was optimized out; it points to {_die_words(unit, section_offset)}"
        attribute = unit.location_at(section_offset)
        if attribute is None:
            return Detail(title, ("that has neither DW_AT_location nor DW_AT_const_value",))
        facts = tuple(_attribute_facts(self.session, "DW_AT_location", attribute, context.pc))
        if isinstance(attribute, ConstValue):
            return Detail(title, facts)
        steps = Recorder()
        _observed(attribute, context.nested(unit=attribute.unit), steps)
        return Detail(title, facts, self.look(steps), steps.omitted)


def _observed(attribute: ExprLoc | LocList, context: Context, steps: Recorder) -> None:
    context = evolve(context, object=None, initial_stack=())
    with suppress(DwarfGpuError):  # its step has the error
        evaluate_attribute(attribute, context, observe=steps)


def _pointed_title(step: Step) -> str:
    """Return the title of an evaluation within an operation that is known for none: through an
    implicit pointer."""
    for entry in reversed(step.before):
        if isinstance(entry, ImplicitPointerValue):
            reference = entry.storage.die
            unit = reference.unit
            if isinstance(unit, CompilationUnit):
                words = _die_words(unit, reference.section_offset)
                return f"the implicit pointer points to {words}: its location"
    return "another expression, which the operation evaluates"


def _register(step: Step) -> int | None:
    """Return the register that an operation names."""
    operation, operands = step.instruction.operation, step.instruction.operands
    if operation.name in _REGISTERS:
        return operands[0] if isinstance(operands[0], int) else None
    if operation.name in (f"reg{operation.number}", f"breg{operation.number}"):
        return operation.number
    return None


def _die_words(unit: Unit, section_offset: int) -> str:
    """Return `n, the entry at 0x45`."""
    entry = f"the entry at {section_offset:#x}"
    if not isinstance(unit, CompilationUnit):
        return entry
    try:
        die: Die = unit.referred(section_offset)
        name = name_of(die)
    except DwarfGpuError as error:
        return f"{entry}, which cannot be read: {error.message}"
    return entry if name is None else f"{name}, {entry}"


def _attribute_facts(
    session: Session, name: str, attribute: LocationAttribute | None, pc: int | None
) -> Iterator[str]:
    """Describe an attribute; for a list, its entries."""
    match attribute:
        case ConstValue(data=data):
            yield f"DW_AT_const_value: {data[:64].hex()}{'…' if len(data) > 64 else ''}"
        case ExprLoc(expression=expression, unit=unit):
            yield f"{name}: {_expression_text(session, unit, expression)}"
        case LocList(entries=entries):
            yield f"{name}: a list of {len(entries)} entries"
            yield from (f"  {fact}" for fact in _list_facts(session, attribute, pc))


def _list_facts(session: Session, attribute: LocList, pc: int | None) -> Iterator[str]:
    """Yield the entries of a list, at most those around the ones that apply."""
    entries = attribute.entries
    try:
        chosen = attribute.matching(pc)
    except EvaluationError as error:
        chosen = []
        yield error.message
    first = next((n for n, entry in enumerate(entries) if any(entry is c for c in chosen)), 0)
    begin = max(0, min(first - _MAX_ENTRIES // 2, len(entries) - _MAX_ENTRIES))
    if begin:
        yield f"{begin} entries before these"
    for entry in entries[begin : begin + _MAX_ENTRIES]:
        mark = "=> " if any(entry is candidate for candidate in chosen) else "   "
        text = _expression_text(session, attribute.unit, entry.expression)
        yield f"{mark}{_range_text(entry)} {text}"
    remaining = len(entries) - begin - _MAX_ENTRIES
    if remaining > 0:
        yield f"{remaining} entries after these"
    if not chosen and pc is not None:
        yield f"none of them covers {pc:#x}"


def _range_text(entry: LocationListEntry) -> str:
    if entry.begin is None or entry.end is None:
        return "by default"
    return f"[{entry.begin:#x},{entry.end:#x})"


def _expression_text(session: Session, unit: Unit, expression: bytes) -> str:
    text = readable_text(expression, unit.dialect, unit.format, session.architecture)
    return shortened(text) or "(empty)"
