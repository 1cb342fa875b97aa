"""How strongly the operators of each language bind, and where comparisons need parentheses.

Law: this is the only table of precedences; C's is that of C++, OpenCL and of no language, with
GDB's `@`. The levels are those of Fortran 2018 10.1.2, Ada 2012 4.5, ISO 7185 6.7.1 (Free Pascal
adds `shl`, `shr` and `xor`), The Rust Reference ("Expression precedence"), The Go Programming
Language Specification ("Operator precedence") and the D Language Specification (spec/expression).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.language.syntax.fortran_tokens import CONCATENATION, POWER
from dwarfgpu.language.syntax.words import (
    AND,
    AND_NOT,
    AS,
    DIV,
    IN,
    IS,
    IS_NOT,
    JOIN,
    LOGICAL,
    MOD,
    NOT_IN,
    OR,
    SHIFT_OF_BITS,
    XOR,
)

COMMA: Final = 1
ASSIGNMENT: Final = 2
CONDITIONAL: Final = 3
UNARY: Final = 17
COMPARISONS: Final = ("==", "!=", "<", ">", "<=", ">=")
_MULTIPLYING: Final = 15
_POWER: Final = 16
_OF_C: Final = {
    ",": COMMA,
    **dict.fromkeys(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ":="),
                    ASSIGNMENT),
    "?": CONDITIONAL, ".eqv.": 4, ".neqv.": 4, "||": 5, "&&": 6, "|": 7, "^": 8, "&": 9,
    "==": 10, "!=": 10, "<": 11, ">": 11, "<=": 11, ">=": 11, "<<": 12, ">>": 12, "@": 13,
    "+": 14, "-": 14, "*": _MULTIPLYING, "/": _MULTIPLYING, "%": _MULTIPLYING,
    ".*": 16, "->*": 16, POWER: _POWER, AS: 16,
}  # fmt: skip
_ONE_LEVEL: Final = {**_OF_C, **dict.fromkeys(COMPARISONS, 10)}
_WITHOUT_COMMA: Final = {mark: level for mark, level in _OF_C.items() if mark != ","}
_WITH_ONE_LEVEL: Final = {**_WITHOUT_COMMA, **dict.fromkeys(COMPARISONS, 10)}


@frozen
class Precedences:
    """The precedences of one language."""

    binary: Mapping[str, int]
    after_sign: int = UNARY
    """How strongly the operators in the operand of `-` or `+` bind."""
    after_prefix: int = UNARY
    """The same of other operators before an operand, and of casts."""
    after_not: int = UNARY
    """The same of `not` and `.not.`."""
    apart: tuple[str, ...] = ()
    """Operators whose operands are no comparisons without parentheses."""
    unmixed: tuple[str, ...] = ()
    """Operators of one level that need parentheses beside one another."""


C: Final = Precedences(_OF_C)
_FORTRAN: Final = Precedences(
    {**_WITH_ONE_LEVEL, CONCATENATION: 12}, after_sign=_MULTIPLYING, after_not=7, apart=COMPARISONS
)
_LOGICAL_OF_ADA: Final = (*LOGICAL, "&&", "||")
_ADA: Final = Precedences(
    {
        **_WITH_ONE_LEVEL,
        **dict.fromkeys(_LOGICAL_OF_ADA, 5),
        IN: 10,
        NOT_IN: 10,
        "&": 14,
        MOD: _MULTIPLYING,
    },
    after_sign=_MULTIPLYING,
    apart=(*COMPARISONS, IN, NOT_IN),
    unmixed=_LOGICAL_OF_ADA,
)
_PASCAL: Final = Precedences(
    {**_WITH_ONE_LEVEL, OR: 14, XOR: 14, AND: 15, DIV: 15, "<<": 15, ">>": 15}
)
_RUST: Final = Precedences(
    {**_WITHOUT_COMMA, **dict.fromkeys(COMPARISONS, 7), "|": 8, "^": 9, "&": 10}, apart=COMPARISONS
)
_GO: Final = Precedences(
    {
        **_WITH_ONE_LEVEL,
        "|": 14,
        "^": 14,
        "&": 15,
        AND_NOT: 15,
        "<<": 15,
        ">>": 15,
        f"{AND_NOT}=": ASSIGNMENT,
    }
)
_D: Final = Precedences(
    {
        **_ONE_LEVEL,
        IS: 10,
        IS_NOT: 10,
        SHIFT_OF_BITS: 12,
        JOIN: 14,
        f"{SHIFT_OF_BITS}=": ASSIGNMENT,
        f"{POWER}=": ASSIGNMENT,
        f"{JOIN}=": ASSIGNMENT,
    },
    after_sign=_POWER,
    after_prefix=_POWER,
    apart=(*COMPARISONS, IS, IS_NOT, "&", "|", "^"),
)
BY_LANGUAGE: Final[Mapping[int | None, Precedences]] = {
    **dict.fromkeys(dw.FORTRAN, _FORTRAN),
    **dict.fromkeys(dw.ADA, _ADA),
    dw.LANG_PASCAL83: _PASCAL,
    dw.LANG_RUST: _RUST,
    dw.LANG_GO: _GO,
    dw.LANG_D: _D,
}
"""By DW_LANG; those of C for any other language."""
