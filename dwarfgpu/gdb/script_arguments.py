"""Arguments of the functions for scripts: what GDB's Python and Python itself have for one thing.

Law: a wrong argument is a `UsageError` that names it, before anything is looked up by it.
"""

from __future__ import annotations

from operator import index
from typing import Any, Final

import gdb

from dwarfgpu.base.arguments import integer, is_integer, wrong_type, wrong_value

_INTEGERS: Final = (
    gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM,
    gdb.TYPE_CODE_RANGE,
)  # fmt: skip
"""Kinds of types whose values GDB's expressions accept as an index."""
_REFERENCES: Final = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_FIRST_INDEX: Final = -(1 << 63)
_LAST_INDEX: Final = (1 << 64) - 1
"""The numbers that an index of GDB's expressions can be: for others it has no constants."""


def integer_argument(name: str, value: object, *, expected: str = "an integer") -> int:
    """Return an integer of Python or of GDB's Python; `UsageError` for anything else."""
    return integer(name, plain_integer(value), expected=expected)


def part_argument(value: object, of: str) -> str | int:
    """Return what selects a part of an object: a name, or an index; `UsageError` for anything
    else."""
    if isinstance(value, str):
        return value
    plain = plain_integer(value)
    if not is_integer(plain):
        raise wrong_type(f"part of {of}", plain, "a name or an integer")
    if not _FIRST_INDEX <= plain <= _LAST_INDEX:
        raise wrong_value(f"index of {of}", plain, "an integer of 64 bits")
    return index(plain)


def plain_integer(value: Any) -> Any:
    """Return an integer of GDB's Python as one of Python; any other value as it is."""
    if not isinstance(value, gdb.Value):
        return value
    value = value.referenced_value() if value.type.code in _REFERENCES else value
    return int(value) if value.type.strip_typedefs().code in _INTEGERS else value
