"""What is known of a stack: the kinds of its top entries, and how many are below them.

Law: a shape holds on every path to where it is.
"""

from __future__ import annotations

from operator import is_
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.expr.static_check.abstract_value import ANY, PARTIAL, Known

TRACKED_ENTRIES: Final = 32
"""Number of entries, from the top, whose kind is tracked."""


@frozen
class Shape:
    """The known part of a stack: its top entries, and how many are below them."""

    top: tuple[Known, ...]
    least: int
    """Entries below at least."""
    most: int | None
    """Maximum number of entries below; None if unknown."""

    @property
    def least_depth(self) -> int:
        return len(self.top) + self.least

    @property
    def most_depth(self) -> int | None:
        return None if self.most is None else len(self.top) + self.most

    def pushed(self, *entries: Known) -> Shape:
        top = self.top + entries
        excess = max(len(top) - TRACKED_ENTRIES, 0)
        most = None if self.most is None else self.most + excess
        return Shape(top[excess:], self.least + excess, most)

    def popped(self, count: int) -> tuple[list[Known], Shape]:
        """Return the top entries, deepest first, and what remains."""
        if count <= len(self.top):
            split = len(self.top) - count
            rest = Shape(self.top[:split], self.least, self.most) if count else self
            return list(self.top[split:]), rest
        missing = count - len(self.top)
        most = None if self.most is None else max(self.most - missing, 0)
        entries = [Known(ANY | PARTIAL)] * missing + list(self.top)
        return entries, Shape((), max(self.least - missing, 0), most)

    def differs(self, other: Shape) -> bool:
        """Return whether what is known of an entry is not the same in both shapes."""
        pairs = zip(reversed(self.top), reversed(other.top), strict=False)
        return any(a is not b and a != b for a, b in pairs)

    def joined(self, other: Shape) -> Shape:
        """Return what holds of both shapes; the first one itself where it holds of the second."""
        count = min(len(self.top), len(other.top))
        cut, other_cut = len(self.top) - count, len(other.top) - count
        pairs = zip(self.top[cut:], other.top[other_cut:], strict=True)
        most = None
        if self.most is not None and other.most is not None:
            most = max(self.most + cut, other.most + other_cut)
        least = min(self.least + cut, other.least + other_cut)
        top = [a.joined(b) for a, b in pairs]
        is_first = not cut and (least, most) == (self.least, self.most)
        if is_first and all(map(is_, top, self.top)):
            return self
        return Shape(tuple(top), least, most)


UNKNOWN_SHAPE: Final = Shape((), 0, None)
