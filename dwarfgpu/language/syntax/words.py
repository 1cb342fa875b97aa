"""Keywords in the type names of C and C++, and operators that are words."""

from __future__ import annotations

from typing import Final

TYPE_WORDS: Final = frozenset(
    {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool"}
    | {"bool", "__int128", "_Complex"}
)
"""Words in names of base types."""
TAGS: Final = frozenset({"struct", "union", "class", "enum"})
QUALIFIERS: Final = frozenset(
    {"const", "volatile", "restrict", "__restrict", "__restrict__", "_Atomic"}
)
OPENCL_SPACES: Final = {
    "global": "global",
    "constant": "global",
    "local": "local",
    "private": "private_lane",
    "generic": "generic",
}
"""The address spaces of OpenCL, also with `__` before them (OpenCL C 6.7), and what they are."""
IN_TYPES: Final = TYPE_WORDS | TAGS | QUALIFIERS
WORDS: Final = IN_TYPES | {"sizeof"}
"""What the parser treats as keywords."""
UNRESERVED_IN_CPLUSPLUS: Final = frozenset({"restrict"})
UNRESERVED_IN_C: Final = UNRESERVED_IN_CPLUSPLUS | {"bool", "class"}
"""C 89 reserves none of them, C 23 `bool` and C 99 `restrict`."""

FORTRAN: Final = "Fortran"
"""Before the word of an intrinsic type of Fortran, such as `integer*8`, in `TypeName.words`."""
FORTRAN_TYPES: Final = frozenset({"integer", "logical", "real", "complex", "character"})
AND: Final = "and"
OR: Final = "or"
XOR: Final = "xor"
COMPLEMENT: Final = "not"
DIV: Final = "div"
"""Operators of Pascal, and but for `div` of Ada."""
LOGICAL: Final = (AND, OR, XOR)
"""Those between two Booleans, or between the bits of two integers."""
BITWISE: Final = {AND: "&", OR: "|", XOR: "^"}
"""The operator of C on bits that each is between two integers."""
AS: Final = "as"
"""The cast of Rust."""
INVERSION: Final = "unary ^"
"""The operator of Go before an operand."""
PATHS: Final = ("crate::", "self::", "super::")
"""What names of Rust may begin with."""
RAW: Final = "r#"
"""Before a raw identifier of Rust, which may be a keyword."""
MUTABLE: Final = "&mut"
"""The operator and the pointer of Rust."""
SEMICOLON: Final = ";"
"""Between the type and the number of the elements of an array of Rust."""
RANGE_TO_LAST: Final = "..="
"""The range of Rust with its end."""
BYTE: Final = "b"
"""Before the quotes of a literal of bytes of Rust."""
MOD: Final = "mod"
ABS: Final = "abs"
IN: Final = "in"
NOT_IN: Final = "not in"
"""Operators of Ada."""
AND_NOT: Final = "&^"
"""An operator of Go."""
SHIFT_OF_BITS: Final = ">>>"
"""The shift of D without a sign."""
IS: Final = "is"
IS_NOT: Final = "!is"
"""Operators of D, whether two references are one."""
JOIN: Final = "~"
"""The operator of D between two arrays; before an operand it is that of C."""
RUNE: Final = "rune"
"""The suffix of the integer that a character of Go is."""
