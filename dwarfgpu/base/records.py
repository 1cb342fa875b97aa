"""Classes with fields: `frozen`, `define`, and what goes with them.

They are declared and checked as classes of attrs. msgspec makes them, which is quicker; attrs does
where msgspec cannot be imported, as in GDB's Python of another version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from dwarfgpu.base.arguments import WrongType, plain_argument

if TYPE_CHECKING:
    from attrs import Factory, define, evolve, field, fields, frozen, has

    force_setattr = object.__setattr__
else:
    try:
        from dwarfgpu.base.struct_classes import (
            Factory,
            define,
            evolve,
            field,
            fields,
            force_setattr,
            frozen,
            has,
        )
    except ImportError:
        from attrs import Factory, define, evolve, field, fields, frozen, has

        force_setattr = object.__setattr__

__all__ = [
    "Factory",
    "define",
    "evolve",
    "field",
    "fields",
    "force_setattr",
    "frozen",
    "has",
    "no_number",
    "plain_fields",
]

_T = TypeVar("_T")


def plain_fields(instance: object, *names: str) -> None:
    """Replace integers and truth values of NumPy in fields of an object, also a frozen one, as
    `plain_argument`."""
    for name in names:
        value = getattr(instance, name)
        if type(value).__module__ == "numpy":
            force_setattr(instance, name, plain_argument(value))


def no_number(attribute: str, *, has_truth: bool = False) -> Callable[[type[_T]], type[_T]]:
    """Return a decorator for classes whose objects have a number and are none: to Python,
    `reading == 3` is False whatever was read, and `if reading` holds. A comparison with a number,
    and without `has_truth` the truth of an object, is a `WrongType` that names what to use."""

    def decorated(class_: type[_T]) -> type[_T]:
        is_equal = class_.__eq__

        def __eq__(self: object, other: object) -> bool:
            if other.__class__ is not class_ and _is_number(other):
                raise WrongType(f"{class_.__name__} == number: compare its {attribute}")
            return is_equal(self, other)

        def __bool__(self: object) -> bool:
            raise WrongType(f"{class_.__name__}: it is neither true nor false: use its {attribute}")

        # The class has its hash, which a method `__eq__` in its body would take away.
        methods: dict[str, object] = {"__eq__": __eq__, "__ne__": object.__ne__}
        if not has_truth:
            methods["__bool__"] = __bool__
        for name, method in methods.items():
            setattr(class_, name, method)
        return class_

    return decorated


def _is_number(value: object) -> bool:
    if isinstance(value, int | float | complex):
        return True
    from numbers import Number  # also of NumPy; few objects are compared with others

    return isinstance(value, Number)
