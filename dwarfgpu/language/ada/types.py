"""The types of Ada's package Standard (Ada 2012 A.1), which a program describes only where it uses
them, with the sizes that GNAT gives them."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Base, Range, Type
from dwarfgpu.language.builtin_types import INT_BITS, Builtins

_INTEGERS: Final = {
    "short_short_integer": 8,
    "short_integer": 16,
    "integer": INT_BITS,
    "long_integer": None,
    "long_long_integer": 64,
    "long_long_long_integer": 128,
}
"""Their bits; None: those of `long` in C."""
_LEAST: Final = {"natural": 0, "positive": 1}
"""Subtypes of Integer without an upper bound of their own."""
_FLOATS: Final = {
    "short_float": "float",
    "float": "float",
    "long_float": "double",
    "long_long_float": "long double",
}
"""The types of C that have their formats."""
_CHARACTERS: Final = {"character": 8, "wide_character": 16, "wide_wide_character": 32}
_STRINGS: Final = {
    "string": "character",
    "wide_string": "wide_character",
    "wide_wide_string": "wide_wide_character",
}
PREDEFINED_TYPES: Final = frozenset(
    {*_INTEGERS, *_LEAST, *_FLOATS, *_CHARACTERS, *_STRINGS, "duration", "boolean"}
)
"""The names of the types."""
_SMALL_OF_DURATION: Final = Fraction(1, 10**9)


def ada_type(builtins: Builtins, name: str) -> Type | None:
    """Return the predefined type of a name; None for any other name."""
    name = name.lower()
    if name in _INTEGERS:
        return _integer(builtins, name)
    if name in _LEAST:
        integer = _integer(builtins, "integer")
        values = Range(_LEAST[name], (1 << INT_BITS - 1) - 1, is_modular=False)
        base = evolve(integer.base, name=name)
        return Base(base, is_range=True, is_never_negative=True, range=values)
    if name in _FLOATS:
        floating = builtins.floating(_FLOATS[name])
        return Base(evolve(floating.base, name=name))
    if name in _CHARACTERS:
        encoding = "unsigned_char" if name == "character" else "UTF"
        return Base(BaseType(name, encoding, _CHARACTERS[name], builtins.endian))
    if name in _STRINGS:
        element = ada_type(builtins, _STRINGS[name])
        return Array(element, (None,), own_name=name, lower_bounds=(None,))
    if name == "duration":
        fixed = BaseType(name, "signed_fixed", 64, builtins.endian, scale=_SMALL_OF_DURATION)
        return Base(fixed)
    return builtins.boolean_type if name == "boolean" else None


def _integer(builtins: Builtins, name: str) -> Base:
    bits = _INTEGERS[name]
    return Base(BaseType(name, "signed", bits or builtins.long_bits, builtins.endian))
