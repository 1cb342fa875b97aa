"""Complex literals of Fortran, and comparisons of strings of Fortran and Ada (as in GDB)."""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.complexes import is_complex, joined_as, parts_of
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue


def complex_literal(arithmetic: Arithmetic, real: TypedValue, imaginary: TypedValue) -> TypedValue:
    """Return `(real, imaginary)`; `UsageError` for parts that are not real numbers."""
    if is_complex(real.type) or is_complex(imaginary.type):
        raise UsageError("The parts of a complex number are real numbers.")
    builtins = arithmetic.numbers.builtins
    first, second = (parts_of(arithmetic, part)[0] for part in (real, imaginary))
    kind, part = builtins.complex_type, builtins.floating("double")
    return joined_as(arithmetic, first, second, kind, part)


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
