"""An expression and all it is evaluated in, as plain data: input of the plain model and of the
engine.

A scenario knows neither of them. Operations are kept as tuples, branches by the index of their
target, so that a counterexample can be made smaller by leaving operations out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tests.model.plain_code import Form, encode

SECOND_UNIT = 0x1000
"""Offset in `.debug_info` of the second unit; the first is at 0."""


@dataclass(frozen=True)
class To:
    """A branch operand: the index of an operation, or one past the last."""

    index: int


@dataclass(frozen=True)
class Block:
    """An expression as an operand."""

    ops: tuple[Step, ...]


@dataclass(frozen=True)
class Step:
    """One operation; `name` "raw" is bytes that are none."""

    name: str
    operands: tuple[int | bytes | To | Block, ...] = ()

    def __str__(self) -> str:
        shown = []
        for operand in self.operands:
            match operand:
                case bytes():
                    shown.append(f"[{operand.hex()}]")
                case To(index):
                    shown.append(f"->{index}")
                case Block(ops):
                    shown.append("{" + text(ops) + "}")
                case _:
                    shown.append(hex(operand) if abs(operand) > 31 else str(operand))
        return " ".join([self.name, *shown])


Steps: TypeAlias = tuple[Step, ...]


def text(steps: Steps) -> str:
    return "; ".join(map(str, steps))


def _encoded(step: Step, form: Form, displacement: int) -> bytes:
    if step.name == "raw":
        (data,) = step.operands
        assert isinstance(data, bytes)
        return data
    operands: list[int | bytes] = []
    for operand in step.operands:
        if isinstance(operand, To):
            operands.append(displacement)
        elif isinstance(operand, Block):
            operands.append(assemble(operand.ops, form))
        else:
            operands.append(operand)
    return encode(step.name, tuple(operands), form)


def assemble(steps: Steps, form: Form) -> bytes:
    ends = [0]
    for step in steps:
        ends.append(ends[-1] + len(_encoded(step, form, 0)))
    out = b""
    for number, step in enumerate(steps):
        by = 0
        if step.operands and isinstance(step.operands[0], To):
            by = ends[min(step.operands[0].index, len(steps))] - ends[number + 1]
        out += _encoded(step, form, by)
    return out


def without(steps: Steps, number: int) -> Steps:
    """The operations without one of them; branches still go to the same operations."""
    kept = []
    for step in steps[:number] + steps[number + 1 :]:
        if step.operands and isinstance(step.operands[0], To) and step.operands[0].index > number:
            step = replace(step, operands=(To(step.operands[0].index - 1),))
        kept.append(step)
    return tuple(kept)


@dataclass(frozen=True)
class PlaceData:
    """A single location description; what is not of its storage stays empty."""

    storage: str
    """memory, register, implicit, pointer, undefined or composite."""
    number: int = 0
    """Address space, register or die."""
    lane: int | None = None
    data: bytes = b""
    displacement: int = 0
    space: int = 0
    parts: tuple[tuple[LocationData, int], ...] = ()
    bit_offset: int = 0


LocationData: TypeAlias = tuple[PlaceData, ...]


@dataclass(frozen=True)
class ValueData:
    """A value of a base type of the first unit, 0 for the generic type; `bits` as a number."""

    type: int
    bits: int


EntryData: TypeAlias = ValueData | LocationData | PlaceData
"""A place by itself is an implicit pointer value."""


@dataclass(frozen=True)
class TypeData:
    encoding: str
    bits: int


@dataclass(frozen=True)
class DieData:
    """`steps`, or `entries` of a location list, or a constant, or nothing."""

    steps: Steps | None = None
    entries: tuple[tuple[int | None, int | None, Steps], ...] | None = None
    constant: bytes | None = None
    second_unit: bool = False
    effect: str = "nothing"
    """What calling it does: pushes a value or a location; for the generator only."""


@dataclass(frozen=True)
class FrameData:
    level: int = 0
    registers: dict[int, LocationData] = field(default_factory=dict)
    entry_registers: dict[int, LocationData] = field(default_factory=dict)
    cfa: LocationData | None = None
    frame_base: LocationData | None = None
    entry_values: tuple[tuple[Steps, ValueData], ...] = ()
    caller: tuple[FrameData, int] | None = None


@dataclass(frozen=True)
class RegisterData:
    type: TypeData
    bits: int | None
    """The contents as a number in the architecture's byte order; None: it cannot be read."""


@dataclass(frozen=True)
class Scenario:
    seed: int
    endian: str
    address_bytes: int
    offset_size: int
    version: int
    direct: bool
    """Whether all expressions are in the one-byte encodings."""
    registers: dict[int, RegisterData]
    memory: tuple[tuple[int, int | None, int, bytes], ...]
    """Address space, lane, first address, bytes."""
    types: dict[int, TypeData]
    second_types: dict[int, TypeData]
    addresses: dict[int, int]
    tls: dict[int, int]
    bias: int
    dies: dict[int, DieData]
    frame: FrameData | None
    has_thread: bool
    has_unit: bool
    lane: int | None
    iteration: int | None
    pc: int | None
    object: LocationData | None
    stack: tuple[EntryData, ...]
    kind: str | None
    steps: Steps
    attribute: int | None
    """A DIE whose attribute is evaluated instead of the expression."""
    written: int
    """The bits written through a location that results."""

    @property
    def form(self) -> Form:
        return Form(self.address_bytes, self.offset_size, self.version, self.endian, self.direct)

    @property
    def main_form(self) -> Form:
        """How the expression itself is encoded: without a unit, as the architecture says."""
        return self.form if self.has_unit else replace(self.form, offset_size=4, version=5)

    @property
    def expression(self) -> bytes:
        return assemble(self.steps, self.main_form)
