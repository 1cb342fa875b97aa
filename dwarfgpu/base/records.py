"""Classes with fields: `frozen`, `define`, and what goes with them.

They are declared and checked as classes of attrs. msgspec makes them, which is quicker; attrs does
where msgspec cannot be imported, as in GDB's Python of another version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwarfgpu.base.arguments import plain_integer

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
    "plain_fields",
]


def plain_fields(instance: object, *names: str) -> None:
    """Replace integers of NumPy in fields of an object, also a frozen one, as `plain_integer`."""
    for name in names:
        value = getattr(instance, name)
        if type(value).__module__ == "numpy":
            force_setattr(instance, name, plain_integer(value))
