"""Strings whose characters the program of Free Pascal allocates: AnsiString, UnicodeString and
their kin, which DWARF 2 describes as pointers to characters.

Law: the characters of a string are counted from 1, those that a PChar points to from 0 (Reference
guide, "Ansistrings", "PChar - Null terminated strings").
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.dwarf.types.types import Base, Pointer, Qualified, Type, Typedef, declared_name, strip
from dwarfgpu.errors import Unsupported
from dwarfgpu.language.typed_value import TypedValue

_ALLOCATED: Final = frozenset(
    {"ansistring", "rawbytestring", "unicodestring", "utf8string", "widestring"}
)
_POINTERS: Final = frozenset({"pansichar", "pchar", "punicodechar", "putf8char", "pwidechar"})
_CHARACTERS: Final = ("char", "widechar")
"""What strings are of in DWARF 2, whatever their types are called."""


def is_character(type_: Type | None) -> bool:
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding in CHARACTERS


def is_pointer_to_characters(type_: Type | None) -> bool:
    bare = strip(type_)
    return isinstance(bare, Pointer) and is_character(bare.target)


def allocated_name(type_: Type | None) -> str | None:
    """Return the name of a type of strings that are allocated; None for any other type."""
    return next((name for name in _names(type_) if name.lower() in _ALLOCATED), None)


def first_character(value: TypedValue) -> int:
    """Return the index of the first one of what a pointer points to: 1 for a string.

    `Unsupported` for a type of the program's own that the file describes as it would describe
    either a string or a pointer to characters.
    """
    if not is_pointer_to_characters(value.type):
        return 0
    if allocated_name(value.type) is not None:
        return 1
    names, unit = _names(value.type), value.unit
    bare = strip(value.type)
    characters = _names(bare.target)[:1] if isinstance(bare, Pointer) else []
    may_be_string = unit is not None and unit.style == "pascal" and unit.format.version == 2
    may_be_string = may_be_string and bool(names) and characters[0].lower() in _CHARACTERS
    if not may_be_string or any(name.lower() in _POINTERS for name in names):
        return 0
    raise Unsupported(
        f"the debug information does not say whether {names[0]} is a string, whose characters are"
        f" counted from 1, or a pointer to them: convert to AnsiString or PChar, or to"
        f" UnicodeString or PWideChar"
    )


def _names(type_: Type | None) -> list[str]:
    """Return the names of a type, from the outermost one on."""
    names = []
    while type_ is not None:
        name = declared_name(type_)
        names += [] if name is None else [name]
        if not isinstance(type_, Typedef | Qualified):
            break
        type_ = type_.target
    return names
