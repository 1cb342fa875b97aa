"""Operators that Rust has otherwise than C (The Rust Reference, "Operator expressions")."""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Base, Pointer, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_integer, is_unicode_character
from dwarfgpu.language.typed_value import TypedValue


def inverted(
    arithmetic: Arithmetic, value: TypedValue, truth: Callable[[bool], TypedValue]
) -> TypedValue:
    """Return `!x`: of an integer the complement of its bits, in its own type, and of a bool its
    negation. `UsageError` for other types, which Rust does not negate."""
    bare = strip(value.type)
    if is_integer(bare) and not is_unicode_character(bare):
        return arithmetic.cast(arithmetic.unary("~", value), value.type)
    if value.type is None or (isinstance(bare, Base) and bare.base.encoding == "boolean"):
        return truth(not arithmetic.truth(value))
    hint = "; compare it with 0" if isinstance(bare, Base | Pointer) else ""
    name = type_name(value.type)
    raise UsageError(f"Rust has ! of integers and of bool, not of the type {name}{hint}.")
