"""Classes of `dwarfgpu.base.light_attrs` behave as those of attrs."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from functools import cached_property
from pathlib import Path
from pickle import dumps, loads
from typing import Any, ClassVar, Generic, TypeVar

import attrs
import pytest

from dwarfgpu.base import light_attrs

T = TypeVar("T")


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

    @module.frozen
    class Further(Pair):  # type: ignore[misc, valid-type]
        third: int = 3
        second: str = "c"
        count: ClassVar[int] = 7

        def __attrs_post_init__(self) -> None:
            super().__init__  # noqa: B018 (the class that is meant is this one)

        @property
        def parent(self) -> object:
            return super().__repr__()

        @classmethod
        def made(cls) -> Any:
            return super().__new__(cls)

    @module.define
    class Thawed(Pair):  # type: ignore[misc, valid-type]
        third: int = 3

    @module.define
    class Checked:
        number: int = attrs.field(converter=int, validator=attrs.validators.ge(0))
        twice: int = attrs.field()

        @twice.default
        def _(self) -> int:
            return 2 * self.number

    @module.frozen
    class Generous(Generic[T]):
        value: T

        @cached_property
        def text(self) -> str:
            return str(self.value)

    @module.frozen
    class Box(Generic[T]):
        value: T

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
    "Further": lambda c: [c["Further"](1), c["Further"](1, "b"), c["Further"](1, third=4)],
    "Thawed": lambda c: [c["Thawed"](1), c["Thawed"](1), c["Thawed"](1, third=4), c["Pair"](1)],
    "Checked": lambda c: [c["Checked"]("1"), c["Checked"](1), c["Checked"](1, 3)],
    "Generous": lambda c: [c["Generous"](1), c["Generous"](1), c["Generous"](2)],
    "Box": lambda c: [c["Box"][int](1), c["Box"](1), c["Box"](2)],
    "Derived": lambda c: [c["Derived"](1), c["Derived"](1), c["Derived"](3), c["Pair"](1)],
}


def hashes(objects: list[Any]) -> list[int] | str:
    """Which have the same hash, or why none has one; those that have an identity have their own."""
    try:
        result = [hash(code_object) for code_object in objects]
    except TypeError:
        return "unhashable"
    return [result.index(item) for item in result]


@pytest.mark.parametrize("name", MAKERS)
def test_like_attrs(name: str) -> None:
    theirs, ours = (MAKERS[name](classes(module)) for module in (attrs, light_attrs))
    for a, b in ((a, b) for a in range(len(ours)) for b in range(len(ours))):
        assert (ours[a] == ours[b]) == (theirs[a] == theirs[b])
        assert (ours[a] != ours[b]) == (theirs[a] != theirs[b])
    assert hashes(ours) == hashes(theirs)
    if name != "Alone":
        assert list(map(repr, ours)) == list(map(repr, theirs))
    assert [type(answer).__eq__(answer, 7) for answer in ours] == [
        type(their).__eq__(their, 7) for their in theirs
    ]


def test_an_object_in_itself_is_shown() -> None:
    made = classes(light_attrs)["Mutable"](1)
    made.items.append(made)
    assert repr(made).endswith("Mutable(number=1, items=[...])")


@light_attrs.frozen
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


@pytest.mark.parametrize("name", classes(attrs))
def test_a_class_has_the_members_that_attrs_gives_it(name: str) -> None:
    theirs, ours = (classes(module)[name] for module in (attrs, light_attrs))
    if name != "Derived":
        shown = [list(map(repr, attrs.fields(kind))) for kind in (ours, theirs)]
        bare = [[re.sub(r" at 0x\w+", "", field) for field in fields] for fields in shown]
        assert bare[0] == bare[1]
    else:
        assert [field.name for field in attrs.fields(ours)] == ["first", "second"]
    made = {"__eq__", "__hash__", "__repr__", "__ne__", "__annotations__"}
    assert set(vars(ours)) - made == set(vars(theirs)) - made
    for word in ("__slots__", "__match_args__", "__qualname__", "__module__"):
        assert getattr(ours, word, None) == getattr(theirs, word, None)
    assert isinstance(vars(ours).get("__attrs_attrs__", ()), tuple)


@pytest.mark.parametrize("name", ["Pair", "Further", "Thawed", "Checked", "Mutable", "Derived"])
def test_what_can_be_changed(name: str) -> None:
    def outcome(made: Any, value: object) -> str:
        try:
            setattr(made, attrs.fields(type(made))[0].name, value)
        except Exception as error:  # noqa: BLE001 (the same, whatever it is)
            return type(error).__name__
        return repr(made)

    theirs, ours = (MAKERS[name](classes(module))[0] for module in (attrs, light_attrs))
    for value in ("5", -1, None):
        assert outcome(ours, value) == outcome(theirs, value)
    with pytest.raises(AttributeError):
        ours.nosuch = 1


def test_super_means_the_class_that_is_seen() -> None:
    further = classes(light_attrs)["Further"]
    assert further(1).parent == repr(further(1))
    assert type(further.made()) is further


def test_every_module_takes_the_two_from_there(repository: Path) -> None:
    direct = re.compile(r"^from attrs import .*\b(define|frozen|mutable)\b", re.MULTILINE)
    modules = set((repository / "dwarfgpu").rglob("*.py")) - {Path(light_attrs.__file__)}
    assert [str(module) for module in modules if direct.search(module.read_text())] == []
