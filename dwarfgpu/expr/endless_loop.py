"""Detect endless loops before the limit of steps is reached.

Law: evaluation is a pure function of the program, its context and the stack (A.2.5.4). If a branch
returns to an earlier state, with the same stack, it does so forever.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.operation import Stack
from dwarfgpu.model.location import Entry
from dwarfgpu.model.value import Value

At: TypeAlias = tuple[Program, int, Context]
"""A program, the step that is next, and the context it is performed in."""

_COMPARED: Final = 64
"""Maximum number of stack entries to compare; comparing more costs more than it finds."""
_WIDEST_BITS: Final = 128
"""Maximum size in bits of a value that is compared by its bits."""


class Loops:
    """Compares the state at backward branches with that at an earlier one.

    The earlier one is the last whose count is a power of two (Brent's cycle detection), so that a
    loop is found within about three times its length.
    """

    __slots__ = ("at", "callers", "count", "next_kept", "stack")

    def __init__(self) -> None:
        self.count, self.next_kept = 0, 1
        self.at: At | None = None
        self.callers: list[At] = []
        self.stack: Stack = []

    def is_endless(self, position: At, callers: list[At], stack: Stack) -> bool:
        """Return whether a backward branch returns to an earlier state, and so will again."""
        self.count += 1
        if len(stack) > _COMPARED:
            return False
        if (
            self.at is not None
            and _is_same_location(self.at, position)
            and len(stack) == len(self.stack)
            and len(callers) == len(self.callers)
            and all(map(_is_same_entry, reversed(stack), reversed(self.stack)))
            and all(map(_is_same_location, callers, self.callers))
        ):
            return True
        if self.count >= self.next_kept:
            self.next_kept = 2 * self.count
            self.at, self.callers, self.stack = position, callers.copy(), stack.copy()
        return False


def _is_same_location(a: At, b: At) -> bool:
    return a[1] == b[1] and a[0] is b[0] and a[2] is b[2]


def _is_same_entry(a: Entry, b: Entry) -> bool:
    """Return whether entries are surely equal; what takes longer to compare is not."""
    if a is b:
        return True
    if type(a) is not Value or type(b) is not Value or a.type is not b.type:
        return False
    # The bits of many lanes are not a single integer: each lane decides for itself.
    return type(a.bits) is type(b.bits) is int and (
        a.type.bit_size <= _WIDEST_BITS and a.bits == b.bits
    )
