"""The attributes of Ada that expressions know (Ada 2012 K.2), and how they are abbreviated."""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import UsageError

FIRST: Final = "first"
LAST: Final = "last"
LENGTH: Final = "length"
MINIMUM: Final = "min"
MAXIMUM: Final = "max"
MODULUS: Final = "modulus"
POSITION: Final = "pos"
VALUE: Final = "val"
ADDRESS: Final = "address"
SIZE: Final = "size"
OBJECT_TAG: Final = "tag"
ACCESSES: Final = ("access", "unchecked_access", "unrestricted_access")
BOUNDS: Final = (FIRST, LAST, LENGTH)
"""Of arrays, with the number of a dimension in parentheses or without, and of scalar types."""
RANGE: Final = "range"
_ARGUMENTS: Final = {MINIMUM: 2, MAXIMUM: 2, POSITION: 1, VALUE: 1}
_NAMES: Final = (
    *BOUNDS, *ACCESSES, ADDRESS, MODULUS, SIZE, OBJECT_TAG, RANGE, *_ARGUMENTS,
)  # fmt: skip


def attributes_begun(word: str) -> list[str]:
    """Return the attributes that begin with a word, in any case of letters."""
    return [name for name in _NAMES if name.startswith(word.lower())]


def attribute_name(word: str) -> str:
    """Return the attribute that a word is, or begins: GDB takes `'len` for `'length`.

    `UsageError` with GDB's wording for a word that begins none, or several.
    """
    lowered, begun = word.lower(), attributes_begun(word)
    if lowered not in begun and len(begun) != 1:
        kind = "ambiguous attribute name" if begun else "unrecognized attribute"
        raise UsageError(f"{kind}: `{word}'")
    return lowered if lowered in begun else begun[0]


def argument_counts(name: str) -> tuple[int, ...]:
    """Return how many arguments in parentheses an attribute may have."""
    return (0, 1) if name in (*BOUNDS, RANGE) else (_ARGUMENTS.get(name, 0),)
