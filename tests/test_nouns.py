"""Classes of `dwarfgpu.nouns` behave as those of attrs, before and after their methods are made."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from pickle import dumps, loads
from typing import Any

import attrs
import pytest

from dwarfgpu import nouns


def classes(module: Any) -> dict[str, type]:
    """The same classes by attrs and by ours."""

    @module.frozen
    class Empty:
        pass

    @module.frozen
    class Pair:
        first: int
        second: str = attrs.field(default="b", eq=False)

    @module.frozen
    class Shown:
        address: int = attrs.field(repr=hex)
        data: bytes = attrs.field(repr=False)
        hashed: int = attrs.field(default=0, eq=False, hash=True)

    @module.frozen(eq=False)
    class Alone:
        number: int

    @module.frozen(cache_hash=True)
    class Kept:
        number: int

    @module.define
    class Mutable:
        number: int
        items: list[object] = attrs.field(factory=list)

    @module.frozen(slots=False)
    class Open:
        number: int

    @module.frozen
    class Own:
        number: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.number % 10 == other.number % 10

        def __hash__(self) -> int:
            return self.number % 10

        def __repr__(self) -> str:
            return "own"

    class Derived(Pair):  # type: ignore[misc, valid-type]
        pass

    return {name: value for name, value in locals().items() if isinstance(value, type)}


MAKERS: dict[str, Callable[[dict[str, type]], list[Any]]] = {
    "Empty": lambda c: [c["Empty"](), c["Empty"](), c["Open"](1)],
    "Pair": lambda c: [c["Pair"](1), c["Pair"](1, "c"), c["Pair"](2), c["Derived"](1), (1, "b")],
    "Shown": lambda c: [c["Shown"](16, b"a"), c["Shown"](16, b"a", 1), c["Shown"](16, b"c")],
    "Alone": lambda c: [c["Alone"](1), c["Alone"](1)],
    "Kept": lambda c: [c["Kept"](1), c["Kept"](1), c["Kept"](2)],
    "Mutable": lambda c: [c["Mutable"](1), c["Mutable"](1, [2]), c["Mutable"](1, [2])],
    "Open": lambda c: [c["Open"](1), c["Open"](1), c["Open"](2)],
    "Own": lambda c: [c["Own"](1), c["Own"](11), c["Own"](2)],
    "Derived": lambda c: [c["Derived"](1), c["Derived"](1), c["Derived"](3), c["Pair"](1)],
}


def hashes(objects: list[Any]) -> list[int] | str:
    """Which have the same hash, or why none has one; those that have an identity have their own."""
    try:
        found = [hash(each) for each in objects]
    except TypeError:
        return "unhashable"
    return [found.index(each) for each in found]


@pytest.mark.parametrize("name", MAKERS)
def test_like_attrs(name: str) -> None:
    theirs, ours = (MAKERS[name](classes(module)) for module in (attrs, nouns))
    for _ in range(2):  # as they are at first, and as they are then
        for a, b in ((a, b) for a in range(len(ours)) for b in range(len(ours))):
            assert (ours[a] == ours[b]) == (theirs[a] == theirs[b])
            assert (ours[a] != ours[b]) == (theirs[a] != theirs[b])
        assert hashes(ours) == hashes(theirs)
        if name != "Alone":
            assert list(map(repr, ours)) == list(map(repr, theirs))
        assert [type(each).__eq__(each, 7) for each in ours] == [
            type(each).__eq__(each, 7) for each in theirs
        ]


def test_an_object_in_itself_is_shown() -> None:
    made = classes(nouns)["Mutable"](1)
    made.items.append(made)
    assert repr(made).endswith("Mutable(number=1, items=[...])")


@nouns.frozen
class Named:
    number: int
    text: str = attrs.field(kw_only=True)


def test_the_rest_is_that_of_attrs() -> None:
    named = Named(1, text="a")
    assert loads(dumps(named)) == copy(named) == named == attrs.evolve(named)
    assert attrs.evolve(named, number=2) == Named(2, text="a")
    assert Named.__match_args__ == ("number",)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        named.number = 3  # type: ignore[misc]


def test_methods_are_made_once() -> None:
    pair = classes(nouns)["Pair"]
    before = pair.__eq__
    assert pair(1) == pair(1)
    after = pair.__eq__
    assert pair(2) != pair(1)
    assert pair.__eq__ is after is not before
