"""`define` and `frozen` of attrs, late: attrs makes a class when its first object is made, and
`__eq__`, `__hash__` and `__repr__` are made when one of them is first called.

attrs compiles the methods of every class when its module is loaded, which was two fifths of the
start of each command. Of three classes in four no object is made in one run; of most nothing is
compared, hashed or shown.

Law: what is made is what attrs would have made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from inspect import Signature, signature
from reprlib import recursive_repr
from threading import RLock
from types import CellType
from typing import TYPE_CHECKING, Any, Final, cast

import attrs

if TYPE_CHECKING:
    from attrs import define, frozen
else:

    def define(maybe_class: type | None = None, /, **options: object) -> Any:
        """`attrs.define`."""
        if maybe_class is None:
            return lambda given: define(given, **options)
        if not options.get("frozen") and hasattr(maybe_class, "__attrs_attrs__"):
            _make(maybe_class)  # it may be derived from a frozen one, and is then frozen
            return attrs.define(maybe_class, **options)
        if options.get("eq", True) and not options.get("cache_hash") and _lacks(maybe_class, "eq"):
            maybe_class.__eq__ = _eq
            if _lacks(maybe_class, "hash"):
                maybe_class.__hash__ = _hash if options.get("frozen") else None
        if _lacks(maybe_class, "repr"):
            maybe_class.__repr__ = _repr
        if options.keys() <= _PLAIN and _is_plain(maybe_class):
            return _unmade(maybe_class, options)
        return attrs.define(maybe_class, **options)

    def frozen(maybe_class: type | None = None, /, **options: object) -> Any:
        """`attrs.frozen`."""
        return define(maybe_class, frozen=True, **options)


__all__ = ["define", "frozen"]

_PLAIN: Final = frozenset({"eq", "frozen"})
"""Options that change nothing in how a class is late."""
_FIELD: Final = type(attrs.field())
_MAKING: Final = RLock()
"""Two threads may want the first object of a class."""


class _Unmade:
    """In the place of a class's `__attrs_attrs__`: who asks for the fields has attrs make it."""

    def __init__(self, written: type, options: Mapping[str, object]) -> None:
        self.written = written
        self.options = options

    def __get__(self, instance: object, asked: type) -> object:
        _make(asked)
        return attrs.fields(asked)


class _LateSignature:
    """In the place of a class's `__signature__`, which `inspect` asks for: that of `__init__` as
    attrs makes it."""

    def __get__(self, instance: object, asked: type) -> Signature:
        if instance is not None:  # an object's is that of its `__call__`
            raise AttributeError("__signature__")
        _make(asked)
        return signature(asked)


def _is_plain(written: type) -> bool:
    """Whether nothing but slots must be there before the first object."""
    return (
        type(written) is type
        and not issubclass(written, BaseException)
        and not vars(written).keys() & _METHODS.keys()
        and all(
            name in written.__annotations__
            if type(each) is _FIELD
            else type(each) is not cached_property
            for name, each in vars(written).items()
        )
    )


def _unmade(written: type, options: Mapping[str, object]) -> type:
    """The class with its slots, and with the methods that make the others."""
    bases = written.__mro__[1:-1]
    of_bases = {name for each in bases for name in vars(each).get("__slots__", ())}
    fields = [name for name, hint in written.__annotations__.items() if "ClassVar" not in str(hint)]
    slots = [name for name in fields if name not in of_bases]
    if not any("__weakref__" in vars(each) for each in bases):
        slots.append("__weakref__")
    hidden = {*fields, "__dict__", "__weakref__"}
    content = {name: each for name, each in vars(written).items() if name not in hidden}
    content |= _METHODS
    content["__qualname__"] = written.__qualname__
    content["__slots__"] = tuple(slots)
    content["__attrs_attrs__"] = _Unmade(written, options)
    content["__signature__"] = _LateSignature()
    shown = type(written.__name__, written.__bases__, content)
    for cell in _cells(content.values()):
        with suppress(ValueError):  # it is empty
            if cell.cell_contents is written:  # what `super()` means
                cell.cell_contents = shown
    return shown


def _cells(members: Iterable[Any]) -> Iterator[CellType]:
    for each in members:
        function = each.fget if isinstance(each, property) else getattr(each, "__func__", each)
        yield from getattr(function, "__closure__", None) or ()


def _make(kind: type) -> None:
    """Have attrs make a class, and those that it is derived from, where they are not made."""
    with _MAKING:
        for each in reversed(kind.__mro__):
            unmade = vars(each).get("__attrs_attrs__")
            if isinstance(unmade, _Unmade):
                made = attrs.define(unmade.written, **cast(Any, unmade.options))
                _fill(each, vars(made))


def _fill(kind: type, made: Mapping[str, Any]) -> None:
    """Give a class what attrs has made of it; slots and the methods of its author are its own."""
    del cast(Any, kind).__signature__
    own = vars(kind).keys() - _METHODS.keys() - {"__attrs_attrs__"}
    for name in made.keys() - own:
        setattr(kind, name, made[name])


def _init(self: object, *values: object, **named: object) -> None:
    _make(type(self))
    cast(Any, type(self)).__init__(self, *values, **named)


def _setstate(self: Any, state: object) -> None:
    """An object that is read from a pickle comes without `__init__`."""
    _make(type(self))
    self.__setstate__(state)


_METHODS: Final = {"__init__": _init, "__setstate__": _setstate}


def _lacks(kind: type, name: str) -> bool:
    """Whether a class leaves a method to attrs."""
    return vars(kind).get(f"__{name}__") is None


def _made(kind: type, name: str, late: object, lines: Callable[[type], Iterable[str]]) -> Any:
    """The method, which from now on stands where `late` stood for it."""
    for owner in kind.__mro__:
        if vars(owner).get(name) is late:
            space: dict[str, Any] = {}
            exec("\n ".join(lines(owner)), space)
            setattr(owner, name, space[name])
            break
    return getattr(kind, name)


def _eq(self: object, other: object) -> bool:
    return cast(bool, _made(type(self), "__eq__", _eq, _eq_lines)(self, other))


def _eq_lines(owner: type) -> Iterable[str]:
    names = [each.name for each in attrs.fields(owner) if each.eq]
    yield "def __eq__(self, other):"
    yield "if other.__class__ is not self.__class__: return NotImplemented"
    yield "return " + (" and ".join(f"self.{name} == other.{name}" for name in names) or "True")


def _hash(self: object) -> int:
    return cast(int, _made(type(self), "__hash__", _hash, _hash_lines)(self))


def _hash_lines(owner: type) -> Iterable[str]:
    fields = attrs.fields(owner)
    names = [each.name for each in fields if (each.eq if each.hash is None else each.hash)]
    yield "def __hash__(self):"
    yield f"return hash(({hash(owner)}, {''.join(f'self.{name}, ' for name in names)}))"


@recursive_repr()
def _repr(self: object) -> str:
    """Not compiled: nobody waits for it."""
    owner = next(each for each in type(self).__mro__ if vars(each).get("__repr__") is _repr)
    shown = ", ".join(
        f"{each.name}={(repr if each.repr is True else each.repr)(getattr(self, each.name))}"
        for each in attrs.fields(owner)
        if each.repr
    )
    return f"{type(self).__qualname__.rpartition('>.')[2]}({shown})"
