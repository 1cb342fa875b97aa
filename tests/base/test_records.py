"""Classes of `dwarfgpu.base.records`, which msgspec makes, behave as those of attrs."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
import weakref
from collections.abc import Callable, Hashable, Iterator
from copy import copy, deepcopy
from functools import cached_property
from pickle import dumps, loads
from types import SimpleNamespace
from typing import Any, ClassVar, Generic, TypeVar

import attrs
import pytest

from dwarfgpu.base import records, struct_classes

T = TypeVar("T")
THEIRS = SimpleNamespace(**vars(attrs), force_setattr=object.__setattr__)


class Named:
    """A base without fields, whose attributes need no `__dict__`."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return type(self).__name__


def modulo(number: int) -> int:
    return number % 10


def classes(module: Any) -> dict[str, type]:
    """The same classes, made by attrs and by msgspec."""
    field = module.field

    class Tenth:
        """A base that compares."""

        __slots__ = ()
        number: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Tenth) and self.number // 10 == other.number // 10

        def __hash__(self) -> int:
            return self.number // 10

    @module.frozen(eq=False)
    class Inheriting(Tenth):
        number: int

    @module.frozen
    class Empty:
        pass

    @module.frozen
    class Plain:
        first: int
        second: object = None

    @module.frozen
    class Pair:
        first: int
        second: str = field(default="b", eq=False)

    @module.frozen
    class Shown:
        address: int = field(repr=hex)
        data: bytes = field(repr=False)
        hashed: int = field(default=0, eq=False, hash=True)

    @module.frozen
    class Modular:
        number: int = field(eq=modulo)

    @module.frozen(eq=False)
    class Alone:
        number: int

    @module.frozen(cache_hash=True)
    class Kept:
        number: int

    @module.define
    class Mutable:
        number: int
        items: list[object] = field(factory=list)

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

    @module.frozen
    class Generated(Own):
        pass

    class Derived(Pair):
        pass

    @module.frozen
    class Further(Pair):
        third: int = 3
        second: str = field(default="c", kw_only=True)
        count: ClassVar[int] = 7

        def __attrs_post_init__(self) -> None:
            super().__init__  # noqa: B018 (the class that is meant is this one)

        @property
        def parent(self) -> object:
            return super().__repr__()

        @classmethod
        def made(cls) -> Any:
            return super().__hash__, cls

        @cached_property
        def own(self) -> type:
            return __class__  # type: ignore[name-defined]

    @module.define
    class Thawed(Pair):
        third: int = 3

    @module.define
    class Computed:
        number: int
        twice: int = field()
        text: str = field(init=False, repr=False, eq=False)
        log: list[int] = field(factory=list, init=False)

        @twice.default
        def _twice(self) -> int:
            return 2 * self.number

        @text.default
        def _text(self) -> str:
            return f"{__class__.__name__} {self.number}"  # type: ignore[name-defined]

        def __attrs_post_init__(self) -> None:
            if self.number < 0:
                raise ValueError("negative")
            self.log.append(self.number)

    @module.frozen
    class Private(Named):
        _first: int
        second: int = 2
        _cache: dict[int, int] = field(factory=dict, init=False, repr=False, eq=False)
        _third: object = field(default=3, kw_only=True)
        height: int = field(default=0, init=False)

        def __attrs_post_init__(self) -> None:
            module.force_setattr(self, "height", self._first + 1)

    @module.frozen
    class MorePrivate(Private):
        fourth: int = field(kw_only=True)
        _fifth: int = 5

    @module.frozen
    class Generous(Generic[T]):
        value: T
        shared: dict[str, int] = module.Factory(dict)

        @cached_property
        def text(self) -> str:
            return str(self.value)

    return {
        name: value for name, value in locals().items() if name.istitle() or name == "MorePrivate"
    }


OBJECTS: dict[str, Callable[[dict[str, Any]], list[Any]]] = {
    "Empty": lambda c: [c["Empty"](), c["Empty"](), c["Open"](1)],
    "Plain": lambda c: [c["Plain"](1), c["Plain"](1, (2, "c")), c["Plain"](first=1), c["Open"](1)],
    "Pair": lambda c: [c["Pair"](1), c["Pair"](1, "c"), c["Pair"](2), (1, "b")],
    "Shown": lambda c: [c["Shown"](16, b"a"), c["Shown"](16, b"a", 1), c["Shown"](16, b"c")],
    "Modular": lambda c: [c["Modular"](1), c["Modular"](11), c["Modular"](2)],
    "Inheriting": lambda c: [c["Inheriting"](1), c["Inheriting"](2), c["Inheriting"](10)],
    "Alone": lambda c: [c["Alone"](1), c["Alone"](1)],
    "Kept": lambda c: [c["Kept"](1), c["Kept"](1), c["Kept"](2)],
    "Mutable": lambda c: [c["Mutable"](1), c["Mutable"](1, [2]), c["Mutable"](1, [2])],
    "Open": lambda c: [c["Open"](1), c["Open"](1), c["Open"](2)],
    "Own": lambda c: [c["Own"](1), c["Own"](11), c["Own"](2)],
    "Generated": lambda c: [c["Generated"](1), c["Generated"](11), c["Generated"](1)],
    "Further": lambda c: [c["Further"](1), c["Further"](1, second="b"), c["Further"](1, 4)],
    "Thawed": lambda c: [c["Thawed"](1), c["Thawed"](1), c["Thawed"](1, third=4), c["Pair"](1)],
    "Computed": lambda c: [c["Computed"](1), c["Computed"](1, 3), c["Computed"](1, 2)],
    "Private": lambda c: [
        c["Private"](1),
        c["Private"](first=1, second=3),
        c["Private"](1, third=4),
        c["Private"](second=2, first=1),
    ],
    "MorePrivate": lambda c: [
        c["MorePrivate"](1, fourth=4),
        c["MorePrivate"](1, 2, 6, fourth=4),
        c["MorePrivate"](1, fourth=4, fifth=6),
        c["Private"](1),
    ],
    "Generous": lambda c: [c["Generous"](1), c["Generous"][int](1), c["Generous"](2)],
    "Derived": lambda c: [c["Derived"](1), c["Derived"](1), c["Derived"](3)],
}


def both(name: str) -> tuple[list[Any], list[Any]]:
    """The same objects of both."""
    theirs, ours = (OBJECTS[name](classes(module)) for module in (THEIRS, struct_classes))
    return theirs, ours


def outcome(function: Callable[[], object]) -> object:
    """What a function returns, or the class of its error; a frozen field is an AttributeError."""
    try:
        return function()
    except (AttributeError, TypeError, ValueError) as error:
        name = type(error).__name__
        return {"FrozenInstanceError": "AttributeError"}.get(name, name)


def hashes(objects: list[Any]) -> list[int] | str:
    """Which have the same hash, or why none has one; those that have an identity have their own."""
    try:
        result = [hash(thing) for thing in objects]
    except TypeError:
        return "unhashable"
    return [result.index(item) for item in result]


@pytest.mark.parametrize("name", OBJECTS)
def test_equality_hash_and_representation(name: str) -> None:
    theirs, ours = both(name)
    for a, b in ((a, b) for a in range(len(ours)) for b in range(len(ours))):
        assert (ours[a] == ours[b]) == (theirs[a] == theirs[b])
        assert (ours[a] != ours[b]) == (theirs[a] != theirs[b])
    assert hashes(ours) == hashes(theirs)
    assert isinstance(ours[0], Hashable) == isinstance(theirs[0], Hashable)
    if name != "Alone":
        assert list(map(repr, ours)) == list(map(repr, theirs))
    assert [type(thing).__eq__(thing, 7) for thing in ours] == [
        type(thing).__eq__(thing, 7) for thing in theirs
    ]


@pytest.mark.parametrize("name", OBJECTS)
def test_members(name: str) -> None:
    theirs, ours = (classes(module)[name] for module in (THEIRS, struct_classes))
    words = ("name", "alias", "init", "kw_only")
    assert [[getattr(spec, word) for word in words] for spec in struct_classes.fields(ours)] == [
        [getattr(spec, word) for word in words] for spec in attrs.fields(theirs)
    ]
    for word in ("__match_args__", "__qualname__", "__module__", "__doc__"):
        assert getattr(ours, word, None) == getattr(theirs, word, None)
    parameters, expected = (
        [
            (p.name, p.kind, p.default is p.empty)
            for p in inspect.signature(kind).parameters.values()
        ]
        for kind in (ours, theirs)
    )
    assert parameters == expected
    assert struct_classes.has(ours) and not struct_classes.has(theirs)


def changed(thing: Any, name: str, value: object) -> object:
    """The representation with another value, or the error."""
    error = outcome(lambda: setattr(thing, name, value))
    return repr(thing) if error is None else error


@pytest.mark.parametrize("name", OBJECTS)
def test_changes(name: str) -> None:
    for position, spec in enumerate(attrs.fields(type(both(name)[0][0]))):
        for value in ("5", None):
            theirs, ours = (
                [changed(thing, spec.name, value) for thing in things if hasattr(thing, spec.name)]
                for things in both(name)
            )
            if name != "Alone":
                assert ours == theirs, (position, value)
    if name != "Open":
        with pytest.raises(AttributeError):
            both(name)[1][0].nosuch = 1


@pytest.mark.parametrize("name", OBJECTS)
def test_evolve(name: str) -> None:
    for thing, other in zip(*both(name), strict=True):
        if not attrs.has(type(thing)):
            continue
        given = [spec.alias for spec in attrs.fields(type(thing)) if spec.init]
        for changes in ({}, *({alias: 7} for alias in (*given, "nosuch"))):
            theirs = outcome(lambda thing=thing, c=changes: repr(attrs.evolve(thing, **c)))
            ours = outcome(lambda other=other, c=changes: repr(struct_classes.evolve(other, **c)))
            if name != "Alone":
                assert ours == theirs


def test_evolve_recomputes_fields_that_are_not_parameters() -> None:
    for module in (THEIRS, struct_classes):
        first = classes(module)["Computed"](1)
        first.log.append(2)
        second = module.evolve(first, number=3)
        assert (second.twice, second.text, second.log) == (2, "Computed 3", [3])


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "1",
        "1, 2, 3",
        "1, second=2",
        "1, second=2, first=1",
        "first=1",
        "_first=1",
        "1, height=2",
    ],
)
def test_wrong_arguments(arguments: str) -> None:
    """What attrs refuses is refused, except what has no underscore to msgspec."""
    for name in ("Plain", "Pair", "MorePrivate", "Further", "Empty"):
        theirs, ours = (
            outcome(lambda kind=kind: repr(eval(f"kind({arguments})", {"kind": kind})))
            for kind in (classes(module)[name] for module in (THEIRS, struct_classes))
        )
        assert ours == theirs


def test_an_object_in_itself_is_shown() -> None:
    thing = classes(struct_classes)["Mutable"](1)
    thing.items.append(thing)
    assert repr(thing).endswith("Mutable(number=1, items=[...])")


def test_values_are_compared_by_identity_first() -> None:
    """As those of tuples are: one NaN is equal to itself."""
    for module in (THEIRS, struct_classes):
        kind, nan = classes(module)["Plain"], (float("nan"),)
        assert kind(1, nan) == kind(1, nan)


def test_super_and_class_mean_the_class_that_is_seen() -> None:
    made = classes(struct_classes)
    further = made["Further"]
    assert further(1).parent == repr(further(1))
    assert further.made()[1] is further
    assert further(1).own is further
    assert made["Computed"](1).text == "Computed 1"


@records.frozen
class Point:
    """At the top of a module, so that it can be pickled."""

    number: int
    text: str = records.field(kw_only=True)


@records.frozen
class Cached:
    """With a cache that belongs to one object."""

    _number: int
    seen: dict[int, int] = records.field(factory=dict, init=False)

    @cached_property
    def twice(self) -> int:
        return 2 * self._number


def test_copies() -> None:
    point = Point(1, text="a")
    assert loads(dumps(point)) == copy(point) == deepcopy(point) == point
    cached = Cached(number=3)
    assert cached.twice == 6
    for thing in (loads(dumps(cached)), deepcopy(cached), copy(cached)):
        assert (thing, thing.twice) == (cached, 6)
        assert type(thing) is Cached
    assert str(inspect.signature(Cached)) == "(number: 'int')"


def test_an_object_with_an_identity_can_be_referred_to_weakly() -> None:
    alone = classes(struct_classes)["Alone"](1)
    reference = weakref.ref(alone)
    assert reference() is alone
    del alone
    assert reference() is None


def test_a_caught_error_is_of_one_class() -> None:
    """A match statement and an attribute error need nothing of attrs."""
    match Point(1, text="a"):
        case Point(number):
            assert number == 1
    with pytest.raises(AttributeError):
        Point(1, text="a").number = 3  # type: ignore[misc]


def test_declarations_that_cannot_be_are_refused() -> None:
    with pytest.raises(TypeError, match="not a parameter and needs a default"):

        @struct_classes.define
        class _Unset:
            number: int = struct_classes.field(init=False)

    with pytest.raises(TypeError, match="the field second again, not keyword-only"):

        @struct_classes.frozen
        class _Again(classes(struct_classes)["Plain"]):  # type: ignore[misc]
            second: int = 3

    with pytest.raises(TypeError, match="cannot define __init__"):

        @struct_classes.define
        class _Own:
            number: int

            def __init__(self) -> None:
                pass


def chain(kind: Any, length: int) -> Any:
    link = kind(0)
    for number in range(length):
        link = kind(number, (link,))
    return link


def links(link: Any) -> Iterator[Any]:
    while link.second is not None:
        yield link
        (link,) = link.second


def test_a_long_chain_is_freed_and_collected() -> None:
    """Neither freeing 100,000 objects in one another nor finding garbage among them recurses."""
    plain = classes(struct_classes)["Plain"]
    link = chain(plain, 100_000)
    gc.collect()
    assert sum(1 for _ in links(link)) == 100_000
    assert link == copy(link)
    del link


def test_msgspec_makes_the_classes_and_attrs_is_not_imported() -> None:
    code = (
        "import sys\nfrom dwarfgpu.expr.context import Context\n"
        "print(type(Context).__mro__[-3].__name__, 'attr' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert done.split() == ["StructMeta", "False"]


WITHOUT_MSGSPEC = """\
import sys
sys.modules["msgspec"] = None
from dwarfgpu.cli.main import main
status = main(sys.argv[1:])
assert "attr" in sys.modules
sys.exit(status)
"""


@pytest.mark.parametrize("arguments", ["eval --demo t", "bt --demo --json"])
def test_attrs_makes_them_without_msgspec(arguments: str) -> None:
    theirs, ours = (
        subprocess.run(
            [sys.executable, *start, *arguments.split()], capture_output=True, text=True, check=True
        )
        for start in (["-c", WITHOUT_MSGSPEC], ["-m", "dwarfgpu"])
    )
    assert (theirs.stdout, theirs.stderr) == (ours.stdout, ours.stderr)
