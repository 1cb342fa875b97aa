"""`define` and `frozen` of attrs; their `__eq__`, `__hash__` and `__repr__` are made when one of
them is first called.

attrs compiles the three for every class when its module is loaded, which was a fifth of the start
of each command, and of most classes nothing is compared, hashed or shown in one run.

Law: what is made is what attrs would have made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, cast

import attrs

if TYPE_CHECKING:
    from attrs import define, frozen
else:

    def define(maybe_class: type | None = None, /, **options: object) -> Any:
        """`attrs.define`."""
        if maybe_class is None:
            return lambda given: define(given, **options)
        if options.get("eq", True) and not options.get("cache_hash") and _lacks(maybe_class, "eq"):
            maybe_class.__eq__ = _eq
            if _lacks(maybe_class, "hash"):
                maybe_class.__hash__ = _hash if options.get("frozen") else None
        if _lacks(maybe_class, "repr"):
            maybe_class.__repr__ = _repr
        return attrs.define(maybe_class, **options)

    def frozen(maybe_class: type | None = None, /, **options: object) -> Any:
        """`attrs.frozen`."""
        return define(maybe_class, frozen=True, **options)


__all__ = ["define", "frozen"]


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
