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


def inherited(
    kind: K,
    own: Callable[[K], Iterable[M]],
    bases: Callable[[K], Iterable[tuple[S, K, bool]]],
) -> list[Inherited[K, S, M]]:
    """Return the members with a name, for each part of an object that has them; `own` returns those
    of one class.

    `bases` gives the base classes of one class, and whether they are virtual.
    """
    parts: dict[tuple[Hashable, ...], Inherited[K, S, M]] = {}
    hidden: set[tuple[Hashable, ...]] = set()
    """Parts below one that has a member: of a virtual base class also where it is not below."""
    visited: set[tuple[tuple[Hashable, ...], bool]] = set()
    first: tuple[tuple[Hashable, ...], tuple[K, ...], tuple[S, ...], bool] = (
        (),
        (kind,),
        (),
        False,
    )
    pending = deque([first])
    may_have = 1
    """How many of these are not hidden: without one, none is compared with the only part."""
    while pending and (may_have or len(parts) > 1):
        part, classes, steps, is_hidden = pending.popleft()
        may_have -= not is_hidden
        members = () if is_hidden else tuple(own(classes[-1]))
        if members:
            parts.setdefault(part, Inherited(classes, steps, members))
        is_below = is_hidden or bool(members)
        for step, base, is_virtual in bases(classes[-1]):
            inner: tuple[Hashable, ...] = (base,) if is_virtual else (*part, step)
            if is_below:
                hidden.add(inner)
            if (inner, is_below) in visited:
                continue
            visited.add((inner, is_below))
            if len(visited) > MOST_BASES:
                raise LimitExceeded(f"more than {MOST_BASES} base classes")
            pending.append((inner, (*classes, base), (*steps, step), is_below))
            may_have += not is_below
    return [parts_of_name for part, parts_of_name in parts.items() if part not in hidden]


def ambiguous(name: str, kind: str, candidates: Iterable[str]) -> UsageError:
    """Return the error for a name that several parts of an object have as a member; `candidates`
    are these."""
    listed = ", ".join(candidates)
    return UsageError(
        f"Request for member '{name}' is ambiguous in type '{kind}'. Candidates are: {listed}"
    )
