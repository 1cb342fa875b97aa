"""Explain a result: the steps of an evaluation, and a verdict in plain words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import (
    Ambiguous,
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    InconsistentContext,
    LimitExceeded,
    Malformed,
    MissingContext,
    OutOfRange,
    PartlyDescribed,
    StaleLocation,
    Unavailable,
    UndefinedBits,
    UnknownAugmentation,
    Unsupported,
    UsageError,
    plural,
)
from dwarfgpu.expr.dialect.vgpr_contents import ONE_READING, TWO_READINGS
from dwarfgpu.expr.evaluate import Result, Step
from dwarfgpu.expr.ops.special_value import TYPED_REGISTERS
from dwarfgpu.expr.text.assembly import instruction_text, shortened
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import REASON_LOST, REASON_UNDESCRIBED, Bits
from dwarfgpu.model.storage import Undefined
from dwarfgpu.view.composite_parts import UndefinedParts
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.location_json import operand_json
from dwarfgpu.view.location_text import entry_text, location_text
from dwarfgpu.view.stacks import Stacks, exchanged

FAULTS: dict[type[DwarfGpuError], str] = {
    Malformed: "the bytes are not operations: the file is damaged, or has another dialect",
    IllFormed: "the DWARF breaks a rule of its specification: the compiler's mistake",
    MissingContext: "the context lacks information that the operation needs: the DWARF is not "
    "at fault",
    InconsistentContext: "the context contradicts itself: the DWARF is not at fault",
    StaleLocation: "the target has moved since the location was made: evaluate it again",
    UndefinedBits: "the compiler did not keep the value: it is optimized out here",
    OutOfRange: "the operation leaves the storage that it works on",
    Ambiguous: "the DWARF can be read in two ways, and dwarfgpu does not guess",
    PartlyDescribed: "the DWARF gives less storage than the object has: the compiler's mistake",
    Unavailable: "the machine lacks the information: the DWARF is not at fault",
    EvaluationError: "the operation has no result for these operands",
    UnknownAugmentation: "the frame information is unknown: the operation is not at fault",
    Unsupported: "the operation is valid, but dwarfgpu does not implement it",
    LimitExceeded: "a limit of dwarfgpu is reached: the expression is too large or never ends",
    UsageError: "the request cannot be carried out",
}
"""Who is at fault for each kind of error."""

_BEYOND: Final = "what is read is beyond the end of its storage"
GIVES_UNDEFINED = "this gives undefined bits"

_LISTED: Final = 8
"""Ranges of bits and offsets that a verdict shows."""
KEPT_STEPS = 1_000
"""Steps kept from the beginning, and as many from the end."""


class Recorder:
    """An observer that keeps the first and the last steps of an evaluation."""

    def __init__(self) -> None:
        self.first: list[Step] = []
        self.last: deque[Step] = deque(maxlen=KEPT_STEPS)
        self.count = 0

    def __call__(self, step: Step) -> None:
        self.count += 1
        if len(self.first) < KEPT_STEPS:
            self.first.append(step)
        else:
            self.last.append(step)

    @property
    def steps(self) -> list[Step]:
        return [*self.first, *self.last]

    @property
    def omitted(self) -> int:
        """Steps performed between the first and the last that are kept."""
        return self.count - len(self.first) - len(self.last)


@frozen
class Detail:
    """An input of an operation that is not on the stack: something evaluated or looked up."""

    title: str
    """Its name, with the result."""
    facts: tuple[str, ...] = ()
    """Facts looked up for it, one line each."""
    steps: tuple[StepView, ...] = ()
    """The steps of its evaluation."""
    omitted: int = 0
    """Number of steps omitted in the middle."""
    insides: tuple[Detail, ...] = ()
    """What the facts rest on."""
    is_performed: bool = False
    """Whether its steps are among those of the operation's own evaluation: those whose parent is
    the operation."""

    @property
    def record(self) -> JsonObject:
        """An item of `inside` in `dwarfgpu-explain-1`."""
        return {
            "title": self.title,
            "facts": [*self.facts],
            "steps": [step.record for step in self.steps],
            "steps_omitted": self.omitted,
            "inside": [inside.record for inside in self.insides],
        }


@frozen
class StepView:
    """A step, ready to be shown."""

    offset: int
    operation: str
    """With its operands."""
    section: str
    depth: int
    """0 in the expression itself, more in what it calls or evaluates."""
    note: str | None
    step: Step
    stacks: Stacks = field(eq=False, repr=False)
    """Of the explanation."""
    makes_undefined: bool = False
    """Whether the operation put undefined bits on the stack by itself."""
    insides: tuple[Detail, ...] = ()

    @property
    def text(self) -> str:
        """Two lines: offset, operation and section; the stack before and after."""
        return self.text_at(self.depth)

    def text_at(self, level: int) -> str:
        """Return the text, indented by a level."""
        indent = "  " * level
        step = self.step
        before = self.stacks.text(step.before, step.stack_depth_before)
        after = self.stacks.text(step.after, step.stack_depth_after)
        if step.error is not None:
            after = f"{step.error.kind}: {step.error.message}"
        lines = [
            f"{self.offset:#06x}  {indent}{shortened(self.operation)}  ({self.section})",
            f"        {indent}{before} -> {after}",
        ]
        if self.note is not None:
            lines.append(f"        {indent}^ {self.note}")
        return "\n".join(lines)

    @property
    def record(self) -> JsonObject:
        """The member of `steps` of `dwarfgpu-explain-1`."""
        step = self.step
        operands: list[Plain] = [operand_json(operand) for operand in step.instruction.operands]
        return {
            "offset": self.offset,
            "operation": step.instruction.operation.title,
            "operands": operands,
            "depth": self.depth,
            "stack_before": self.stacks.record(step.before, step.stack_depth_before),
            "stack_after": self.stacks.record(step.after, step.stack_depth_after),
            "section": self.section,
            "note": self.note,
            "number": step.number,
            "parent": step.parent,
            "inside": [inside.record for inside in self.insides],
        }


def views(steps: Sequence[Step], architecture: Architecture | None) -> list[StepView]:
    """Return the steps with notable facts about each."""
    least = min((step.depth for step in steps), default=0)
    stacks = Stacks()
    return [_view(step, step.depth - least, stacks, architecture) for step in steps]


def _view(step: Step, depth: int, stacks: Stacks, architecture: Architecture | None) -> StepView:
    makes_undefined = stacks.is_made_undefined(step)
    instruction = step.instruction
    return StepView(
        instruction.offset,
        instruction_text(instruction, architecture),
        instruction.operation.section,
        depth,
        _note(step, makes_undefined),
        step,
        stacks,
        makes_undefined,
    )


def _note(step: Step, makes_undefined: bool) -> str | None:
    operation = step.instruction.operation
    if step.error is not None:
        return f"this operation fails: {fault(step.error)}"
    if makes_undefined:
        if operation.name in ("piece", "bit_piece"):
            if step.before and isinstance(step.before[-1], Location):
                return "what it has beyond the register is padding"
            return "no location comes before this piece: its bits are undefined"
        if operation.name in ("LLVM_undefined", "undefined"):
            return "the compiler describes no value here"
        return GIVES_UNDEFINED
    if operation.name in TYPED_REGISTERS and step.context and step.context.x87_as_compilers:
        from dwarfgpu.view.x87_conversion import conversion_of_value  # few operations

        return conversion_of_value(step) or operation.interpretation
    holds = None if step.context is None else step.context.vgpr_holds
    if operation.interpretation == TWO_READINGS and holds is not None:
        return ONE_READING[holds]
    return operation.interpretation


def fault(error: DwarfGpuError) -> str:
    """Return who is at fault for an error, in plain words."""
    return next(FAULTS[kind] for kind in type(error).__mro__ if kind in FAULTS)


def verdict_on_error(error: DwarfGpuError) -> list[str]:
    """Return which operation failed, and why."""
    site = error.site
    where = ""
    if site is not None:
        section = ""
        if site.section:
            is_of_amd = site.section.startswith("A.")
            section = (
                f", section {site.section} of the AMD text" if is_of_amd else f", {site.section}"
            )
        where = f"{site.operation or 'the bytes'} at offset {site.offset:#x}{section}: "
    is_of_no_operation = site is None and isinstance(error, OutOfRange)
    return [f"{where}{error.message}", _BEYOND if is_of_no_operation else fault(error)]


def verdict(
    result: Result,
    steps: Sequence[StepView],
    bits: Bits | None,
    where: str | None = None,
    endian: Endian = "little",
) -> list[str]:
    """Return what the result is, and which operations left bits of it undefined.

    `where`: the location, if there is more to say than its kind.
    """
    out: list[str] = []
    if not isinstance(result, Location):
        out.append(f"the result is the value {entry_text(result)}")
        return out
    culprits = _makers(_culprits(steps), steps)
    if result.is_undefined:
        if not steps:
            out.append("the expression is empty: the object is optimized out (A.2.5.4)")
        elif not culprits and (why := _why_undefined(result)) is not None:
            out.append(f"the object is optimized out: {why}")
        elif not culprits:
            out.append("the stack is empty at the end: the object is optimized out (A.2.5.4)")
        else:
            out.append(_blame(culprits[-1:], "the object is optimized out"))
        return out
    out.append(f"the object is at {where or location_text(result)}")
    if bits is not None and bits.undefined:
        out += _on_undefined_bits(result, bits.undefined_ranges(endian), bits.reasons, culprits)
    elif culprits and bits is None and UndefinedParts().are_in(result):
        out.append(_blame(culprits, "parts of it are undefined"))
    if bits is not None and bits.unavailable:
        reason = bits.why_unavailable or "the machine does not provide them"
        out.append(f"some of its bits are not available: {reason}")
    return out


def _culprits(steps: Sequence[StepView]) -> list[StepView]:
    """Return the steps that put undefined bits on the stack; of an operation that called or
    evaluated another of them, only that."""
    culprits = [view for view in steps if view.makes_undefined]
    outer = {view.step.parent for view in culprits}
    return [view for view in culprits if view.step.number not in outer]


def _makers(culprits: list[StepView], steps: Sequence[StepView]) -> list[StepView]:
    """Return those from which the last entry at the end was made; all if not every step is known.

    An entry is made from what its operation took from the stack, and evaluated.
    """
    last = next((view.step for view in reversed(steps) if view.step.parent is None), None)
    is_cut = len(steps) <= max((view.step.number for view in steps), default=0)
    if last is None or last.error is not None or is_cut:
        return culprits
    blamed = {view.step.number for view in culprits}
    inside: dict[int | None, set[int]] = {}
    made_from: dict[int, set[int]] = {}
    for view in steps:  # what an operation evaluates comes before it
        step = view.step
        own = inside.pop(step.number, set()) | blamed & {step.number}
        inside.setdefault(step.parent, set()).update(own)
        taken, put = exchanged(step)
        sources = own.union(*(made_from.get(id(entry), ()) for entry in taken))
        for entry in put:
            if view.stacks.has_undefined(entry):
                made_from.setdefault(id(entry), sources)
    numbers = made_from.get(id(last.after[-1]), ()) if last.after else ()
    return [view for view in culprits if view.step.number in numbers]


def _on_undefined_bits(
    location: Location,
    ranges: Sequence[tuple[int, int]],
    reasons: Sequence[str],
    culprits: Sequence[StepView],
) -> Iterator[str]:
    """Yield why bits are undefined: some operation left them so, or the location ends before
    them."""
    why = next((reason for reason in reasons if reason.startswith(REASON_UNDESCRIBED)), None)
    end = None if why is None else location.remaining_bits
    inside, beyond = list(ranges), list[tuple[int, int]]()
    if end is not None:
        inside = [(first, min(count, end - first)) for first, count in ranges if first < end]
        ends = [(max(first, end), first + count) for first, count in ranges]
        beyond = [(first, last - first) for first, last in ends if last > end]
    if inside:
        problem = f"bits {_shown(inside)} are undefined"
        yield _blame(culprits, problem) if culprits else problem
    if beyond:
        yield f"bits {_shown(beyond)} are undefined: {why}"


def _shown(ranges: Sequence[tuple[int, int]]) -> str:
    return _listed([f"{first} to {first + count - 1}" for first, count in ranges])


def _why_undefined(location: Location) -> str | None:
    storage = location.single_locations[0].storage
    why = storage.why() if isinstance(storage, Undefined) and storage.why is not None else None
    return None if why is None else why.removeprefix(REASON_LOST)


def _blame(culprits: Sequence[StepView], subject: str) -> str:
    alike: dict[tuple[str, str, str], list[str]] = {}
    for view in culprits:
        note = view.note or "it gives undefined storage"
        key = (view.step.instruction.operation.title, view.section, note)
        alike.setdefault(key, []).append(f"{view.offset:#x}")
    causes = [
        f"{title} at {plural(len(offsets), 'offset')} {_listed(offsets)} ({section}): {note}"
        for (title, section, note), offsets in alike.items()
    ]
    return f"{subject} because of {'; and of '.join(causes)}"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(items[:_LISTED]) + (" …" if len(items) > _LISTED else "")
