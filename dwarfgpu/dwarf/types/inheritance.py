"""Member inheritance from base classes (C++ class.member.lookup).

A member hides those of the same name in the base classes of its class. The remaining members with
the name belong to parts of an object: several make it ambiguous.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LimitExceeded, UsageError

K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound=Hashable)
M = TypeVar("M")

MOST_BASES: Final = 1_000
"""Base classes of one class."""


@frozen
class Inherited(Generic[K, S, M]):
    """Members of one name in one part of an object."""

    classes: tuple[K, ...]
    """From the class to that which has the members."""
    steps: tuple[S, ...]
    """The base classes on the way."""
    members: tuple[M, ...]


class _Way(Generic[K, S]):
    """The way to a base class, which shares its steps with others: there may be many of them."""

    __slots__ = ("kind", "outer", "step")

    def __init__(self, kind: K, step: S | None = None, outer: _Way[K, S] | None = None) -> None:
        self.kind, self.step, self.outer = kind, step, outer

    def with_members(self, members: tuple[M, ...]) -> Inherited[K, S, M]:
        """Return the part to which it leads."""
        classes, steps = [self.kind], list[S]()
        way = self
        while way.outer is not None and way.step is not None:
            steps.append(way.step)
            way = way.outer
            classes.append(way.kind)
        return Inherited((*reversed(classes),), (*reversed(steps),), members)


def inherited(
    kind: K,
    own: Callable[[K], Iterable[M]],
    bases: Callable[[K], Iterable[tuple[S, K, bool]]],
) -> list[Inherited[K, S, M]]:
    """Return the members with a name, for each part of an object that has them; `own` returns those
    of one class.

    `bases` gives the base classes of one class, and whether they are virtual.
    """
    parts: dict[int, tuple[_Way[K, S], tuple[M, ...]]] = {}
    numbers: dict[Hashable, int] = {}
    """Of the parts of an object, by the virtual class, or by the part around it and the step."""
    hidden: set[int] = set()
    """Parts below one that has a member: of a virtual base class also where it is not below."""
    visited: set[tuple[int, bool]] = set()
    pending = deque([(-1, _Way[K, S](kind), False)])
    may_have = 1
    """How many of these are not hidden: without one, none is compared with the only part."""
    while pending and (may_have or len(parts) > 1):
        part, way, is_hidden = pending.popleft()
        may_have -= not is_hidden
        members = () if is_hidden else tuple(own(way.kind))
        if members:
            parts.setdefault(part, (way, members))
        is_below = is_hidden or bool(members)
        for step, base, is_virtual in bases(way.kind):
            inner = numbers.setdefault(base if is_virtual else (part, step), len(numbers))
            if is_below:
                hidden.add(inner)
            if (inner, is_below) in visited:
                continue
            visited.add((inner, is_below))
            if len(visited) > MOST_BASES:
                raise LimitExceeded(f"more than {MOST_BASES} base classes")
            pending.append((inner, _Way(base, step, way), is_below))
            may_have += not is_below
    return [way.with_members(named) for part, (way, named) in parts.items() if part not in hidden]


def ambiguous(name: str, kind: str, candidates: Iterable[str]) -> UsageError:
    """Return the error for a name that several parts of an object have as a member; `candidates`
    are these."""
    listed = ", ".join(candidates)
    return UsageError(
        f"Request for member '{name}' is ambiguous in type '{kind}'. Candidates are: {listed}"
    )
