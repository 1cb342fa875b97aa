"""`define` and `frozen` of attrs, with less to compile for each class.

attrs generates and compiles `__eq__`, `__hash__` and `__repr__` of every class when its module is
imported, which takes more than half of the time of making the class. Here they are three functions
that read the fields.

Law: objects are equal, have a hash and are shown as those of attrs.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from attrs import define, frozen
else:

    def define(maybe_class: type | None = None, /, **options: object) -> Any:
        """Return a class decorator that is `attrs.define`."""
        if maybe_class is None:
            return lambda decorated: define(decorated, **options)
        is_frozen = options.get("frozen", False)
        if options.get("cache_hash") or issubclass(maybe_class, BaseException):
            return attrs.define(maybe_class, **options)
        if not is_frozen and attrs.has(maybe_class):  # derived from a frozen one, it is frozen
            return attrs.define(maybe_class, **options)
        own = vars(maybe_class).keys()
        has_eq = options.pop("eq", True) and "__eq__" not in own
        if "__repr__" not in own:
            options["repr"] = False
        made = attrs.define(maybe_class, eq=False, **options)
        if "__repr__" not in own:
            made.__repr__ = _repr
        if has_eq:
            made.__eq__ = _eq_by(_key([field.name for field in attrs.fields(made) if field.eq]))
            if "__hash__" not in own:
                made.__hash__ = _hash_of(made) if is_frozen else None
        return made

    def frozen(maybe_class: type | None = None, /, **options: object) -> Any:
        """Return a class decorator that is `attrs.frozen`."""
        return define(maybe_class, frozen=True, **options)


__all__ = ["define", "frozen"]


def _key(names: list[str]) -> Callable[[object], object]:
    """Return a function that reads fields of an object: several as a tuple, a single one as it
    is."""
    return attrgetter(*names) if names else lambda thing: ()


def _eq_by(key: Callable[[object], object]) -> Callable[[object, object], bool]:
    def __eq__(self: object, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return key(self) == key(other)

    return __eq__


def _hash_of(kind: Any) -> Callable[[object], int]:
    fields = attrs.fields(kind)
    key = _key([spec.name for spec in fields if (spec.eq if spec.hash is None else spec.hash)])

    def __hash__(self: object) -> int:
        return hash((kind, key(self)))

    return __hash__


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(
        f"{field.name}={(repr if field.repr is True else field.repr)(getattr(self, field.name))}"
        for field in attrs.fields(type(self))
        if field.repr
    )
    return f"{type(self).__qualname__.rpartition('>.')[2]}({shown})"
