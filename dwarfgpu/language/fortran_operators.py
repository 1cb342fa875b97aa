"""Literals of Fortran, and what operators of Fortran and Ada have that those of C have not, as in
GDB: the types of arithmetic, and comparisons of strings."""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_number
from dwarfgpu.language.complexes import is_complex, joined_as, parts_of
from dwarfgpu.language.fortran_types import intrinsic_type
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue


def complex_literal(arithmetic: Arithmetic, real: TypedValue, imaginary: TypedValue) -> TypedValue:
    """Return `(real, imaginary)`; `UsageError` for parts that are not real numbers."""
    if is_complex(real.type) or is_complex(imaginary.type):
        raise UsageError("The parts of a complex number are real numbers.")
    builtins = arithmetic.numbers.builtins
    first, second = (parts_of(arithmetic, part)[0] for part in (real, imaginary))
    reals = [part.value.type.bit_size // 8 for part in (first, second) if part.is_float]
    kind = max(reals, default=None)  # Fortran 2018 7.4.3.3
    of_part = intrinsic_type(builtins, "real", kind)
    return joined_as(arithmetic, first, second, intrinsic_type(builtins, "complex", kind), of_part)


def widened(
    arithmetic: Arithmetic, left: TypedValue, right: TypedValue
) -> tuple[TypedValue, TypedValue]:
    """Return the operands as GDB calculates with them outside of C: as `double`, or as `long` or
    `unsigned long`, unless one of them is longer. Others than real numbers stay as they are."""
    numbers, sides = arithmetic.numbers, (left, right)
    if any(not is_number(side.type) or is_complex(side.type) for side in sides):
        return left, right
    operands = numbers.usual(*(arithmetic.number(side) for side in sides))
    base, builtins = operands[0].value.type, numbers.builtins
    if operands[0].is_float:
        target = builtins.floating("double")
    else:
        target = builtins.integer(builtins.long_bits, is_signed=base.is_signed)
    if base.bit_size > target.base.bit_size:
        return left, right
    first, second = (arithmetic.value(numbers.cast(side, target)) for side in operands)
    return first, second


def strings_compared(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue, *, pads: bool
) -> bool | None:
    """Compare two strings; None for other operands.

    `pads`: the shorter one has blanks at its end (Fortran 2018 10.1.5.5.1), not in Ada (4.5.2).
    """
    if not (is_string(left.type) and is_string(right.type)):
        return None
    endian = objects.context.endian
    first, second = (objects.known(side).to_bytes(endian) for side in (left, right))
    size = max(len(first), len(second)) if pads else 0
    first, second = first.ljust(size), second.ljust(size)
    is_less, is_equal = first < second, first == second
    return {"==": is_equal, "!=": not is_equal, "<": is_less, "<=": is_less or is_equal,
            ">": not (is_less or is_equal), ">=": not is_less}[operator]  # fmt: skip
