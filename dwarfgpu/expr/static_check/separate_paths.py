"""What is known of the stack before each operation, kept apart for the paths that lead there.

Law: each path that known conditions allow has one of the shapes; where paths are many, a shape
holds for several of them. The work is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from heapq import heappop, heappush
from typing import Final

from dwarfgpu.expr.static_check.stack_shape import UNKNOWN_SHAPE, Shape

_KEPT_APART: Final = 8
"""Shapes before one operation that are kept apart; more of them are joined."""
_JOINS: Final = 8
"""How often the joined shape before an operation may change before it is dropped."""


def shapes_of_paths(
    start: Shape, end: int, following: Callable[[int, Shape], Iterable[tuple[int, Shape]]]
) -> list[list[Shape]]:
    """Return the shapes before each operation, and at the end.

    `following`: the operations that an operation leads to, with the stack that it leaves.
    """
    shapes: list[list[Shape]] = [[] for _ in range(end + 1)]
    arrived: dict[int, list[Shape]] = {0: [start]}
    joins = [0] * (end + 1)
    # The first of those that wait: nearly all branches go forward, so that one pass suffices.
    pending = [0]
    while pending:
        index = heappop(pending)
        kept = shapes[index]
        new = [shape for shape in arrived.pop(index) if shape not in kept]
        if joins[index] or len(kept) + len(new) > _KEPT_APART:
            joined = reduce(Shape.joined, [*kept, *new])
            new = [] if kept == [joined] else [joined]
            if new:
                joins[index] += 1
                new = [UNKNOWN_SHAPE] if joins[index] > _JOINS else new
                kept.clear()
        kept += new
        if index == end:
            continue
        for shape in new:
            for target, after in following(index, shape):
                if target not in arrived:
                    arrived[target] = []
                    heappush(pending, target)
                if after not in arrived[target]:
                    arrived[target].append(after)
    return shapes
