"""Operators that in a frame of Fortran or Ada mean what they mean there, not in C (as in GDB).

Law: an operator of Fortran is never evaluated as an operation of C that it is not: `/=` compares,
`%` selects a component, parentheses after an array select elements, `**` raises to a power.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.complexes import is_complex, joined_as, parts_of
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue

_MARKS: Final = {"/": "/=", None: "="}
_COMPARISONS: Final[dict[str, dict[str | None, str]]] = {
    "fortran": {"/": "!="},
    "ada": {"/": "!=", None: "=="},
}
"""What the marks of assignments of C mean in a language, by the operator before `=`."""
_AS_STRONG: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
"""Operators of C that bind no stronger than a comparison, but stronger than an assignment."""


def comparison(node: ast.Assign, style: Style) -> ast.Binary | None:
    """Return the comparison that `/=`, or `=` of Ada, is; None for an assignment.

    `UsageError` where the parts of the expression would be others than in that language.
    """
    operator = _COMPARISONS.get(style, {}).get(node.operator)
    if operator is None:
        return None
    right = node.right
    if isinstance(right, ast.Assign | ast.Conditional) or (
        isinstance(right, ast.Binary) and right.operator in _AS_STRONG
    ):
        mark, language = _MARKS[node.operator], style.capitalize()
        raise UsageError(
            f"In {language} {mark} compares: write {operator} with parentheses around its operands."
        )
    return ast.Binary(operator, node.left, right)


def complex_literal(arithmetic: Arithmetic, real: TypedValue, imaginary: TypedValue) -> TypedValue:
    """Return `(real, imaginary)`; `UsageError` for parts that are not real numbers."""
    if is_complex(real.type) or is_complex(imaginary.type):
        raise UsageError("The parts of a complex number are real numbers.")
    builtins = arithmetic.numbers.builtins
    first, second = (parts_of(arithmetic, part)[0] for part in (real, imaginary))
    kind, part = builtins.complex_type, builtins.floating("double")
    return joined_as(arithmetic, first, second, kind, part)


def strings_compared(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare two strings, the shorter with blanks at its end (Fortran 2018 10.1.5.5.1); None for
    other operands."""
    if not (is_string(left.type) and is_string(right.type)):
        return None
    endian = objects.context.endian
    first, second = (objects.known(side).to_bytes(endian) for side in (left, right))
    size = max(len(first), len(second))
    first, second = first.ljust(size), second.ljust(size)
    is_less, is_equal = first < second, first == second
    return {"==": is_equal, "!=": not is_equal, "<": is_less, "<=": is_less or is_equal,
            ">": not (is_less or is_equal), ">=": not is_less}[operator]  # fmt: skip
