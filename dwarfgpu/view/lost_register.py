"""Explain a call frame's register without a value: a callee has changed it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import Step, register_of
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.ops.special_value import ENTRY_VALUES
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import selected_number
from dwarfgpu.view.explanation_text import GIVES_UNDEFINED, StepView

_READS = ("regval_type", "GNU_regval_type", "bregx")


def why_lost(session: Session, steps: Sequence[Step]) -> str | None:
    """Return the lost register and its frame, if that made the last step fail."""
    failed = next((step for step in reversed(steps) if step.error is not None), None)
    if failed is None or not isinstance(failed.error, UndefinedBits):
        return None
    instruction = failed.instruction
    is_entry = instruction.operation.name in ENTRY_VALUES
    number = _on_entry(instruction) if is_entry else _register(instruction)
    physical = session.physical_frame
    if number is None or physical is None:
        return None
    try:
        location = physical.entry_register(number) if is_entry else physical.register(number)
        name = session.architecture.register(number).name
        frame = selected_number(session)
    except DwarfGpuError:
        return None
    if not location.is_undefined:
        return None
    site = failed.error.site
    if is_entry and site is not None and site.operation != instruction.operation.title:
        return (
            f"the call site's value of {name} on entry to frame {frame} is lost: "
            f"its {site.operation} has no value in the calling frame"
        )
    if is_entry:
        return (
            f"neither a call site nor call frame information describes the value of {name} "
            f"on entry to frame {frame}"
        )
    return _may_have_changed(name, frame)


def with_reasons(session: Session, steps: Iterable[StepView]) -> list[StepView]:
    """Return the steps of a reading; those that name a lost register say why."""
    return [evolve(step, note=_why_undefined(session, step) or step.note) for step in steps]


def _why_undefined(session: Session, view: StepView) -> str | None:
    """Return the reason for the frame in focus, to which nested steps need not belong."""
    number = _register(view.step.instruction)
    physical = session.physical_frame
    if view.note != GIVES_UNDEFINED or view.depth or number is None or physical is None:
        return None
    try:
        if not physical.register(number).is_undefined:
            return None
        name = session.architecture.register(number).name
        return _may_have_changed(name, selected_number(session))
    except DwarfGpuError:
        return None


def _may_have_changed(name: str, frame: int) -> str:
    return (
        f"the compiler kept it in {name} of frame {frame}, "
        "which is caller-saved and has no CFI rule"
    )


def _register(instruction: Instruction) -> int | None:
    operation = instruction.operation
    if operation.name in _READS:
        first = instruction.operands[0]
        return first if isinstance(first, int) else None
    if operation.name.startswith("breg"):
        return int(operation.name.removeprefix("breg"))
    return register_of(instruction)


def _on_entry(instruction: Instruction) -> int | None:
    """Return the register of an operand that is just a register."""
    block = instruction.operands[0]
    if not isinstance(block, bytes):
        return None
    inner = decode(block, AMD, UnitFormat()).instructions
    return _register(inner[0]) if len(inner) == 1 else None
