"""Decoded operations, and the sequence of them that an expression is."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, overload

from dwarfgpu.base.records import frozen
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.expr.operation import Operation

_KEPT: Final = 64
"""Instructions of a sequence that are made once: compilers write a handful."""


@frozen
class Instruction:
    """A decoded operation."""

    offset: int
    """Bytes from the start of the expression."""
    operation: Operation
    operands: tuple[Operand, ...]
    encoding: bytes
    """The bytes as found, padded LEB128 numbers included."""

    @property
    def end(self) -> int:
        return self.offset + len(self.encoding)


class Instructions(Sequence[Instruction]):
    """Instructions in the order of their offsets.

    Long expressions repeat themselves: `distinct` keeps equal instructions once, with the offset of
    the first; `order` gives the one at each position.
    """

    __slots__ = ("_kept", "distinct", "offsets", "order")

    def __init__(self, instructions: Iterable[Instruction] = ()) -> None:
        self.distinct: list[Instruction] = []
        self.order = array("L")
        self.offsets = array("Q")
        self._kept: list[Instruction] = []
        """All of a short sequence, once it was read and until it grows."""
        for instruction in instructions:
            self.append(self.add(instruction), instruction.offset)

    def add(self, new: Instruction) -> int:
        """Keep another distinct instruction; its number."""
        self.distinct.append(new)
        return len(self.distinct) - 1

    def append(self, number: int, offset: int) -> None:
        """Place the distinct instruction of a number at an offset."""
        self.order.append(number)
        self.offsets.append(offset)

    def index_at(self, offset: int) -> int | None:
        """Return the index of the instruction at an offset; None if none starts there."""
        index = bisect_left(self.offsets, offset)
        is_start = index < len(self.offsets) and self.offsets[index] == offset
        return index if is_start else None

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> Instruction: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Instruction]: ...
    def __getitem__(self, index: int | slice) -> Instruction | Sequence[Instruction]:
        if len(self.order) <= _KEPT:
            return self._all()[index]
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        return self._moved(self.order[index], self.offsets[index])

    def __iter__(self) -> Iterator[Instruction]:
        if len(self.order) <= _KEPT:
            return iter(self._all())
        return map(self._moved, self.order, self.offsets)

    def _all(self) -> list[Instruction]:
        if len(self._kept) != len(self.order):
            self._kept = list(map(self._moved, self.order, self.offsets))
        return self._kept

    def _moved(self, number: int, offset: int) -> Instruction:
        distinct = self.distinct[number]
        if distinct.offset == offset:
            return distinct
        return Instruction(offset, distinct.operation, distinct.operands, distinct.encoding)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash((len(self), *self.distinct))

    def __repr__(self) -> str:
        return f"Instructions({list(self)!r})"
