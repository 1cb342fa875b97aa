"""The types of D that keywords name (spec/type, "Basic Data Types"), and those that its module
`object` declares, which a program describes only where it uses them."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Base, Member, Struct, Type
from dwarfgpu.language.builtin_types import Builtins

_INTEGERS: Final = {
    "byte": (8, True),
    "ubyte": (8, False),
    "short": (16, True),
    "ushort": (16, False),
    "int": (32, True),
    "uint": (32, False),
    "long": (64, True),
    "ulong": (64, False),
    "cent": (128, True),
    "ucent": (128, False),
}
_FLOATS: Final = {"float": "float", "double": "double", "real": "long double"}
"""The types of C that have their formats."""
_STRINGS: Final = {"string": "char", "wstring": "wchar", "dstring": "dchar"}
_OF_ADDRESSES: Final = {"size_t": "u", "ptrdiff_t": "", "sizediff_t": "", "hash_t": "u"}
"""What is before `int` or `long` in the name of the type."""


def keyword_type(builtins: Builtins, name: str) -> Base | None:
    """Return the type that a keyword names; None for any other name, and for `void`."""
    if name in _INTEGERS:
        bits, is_signed = _INTEGERS[name]
        base = evolve(builtins.integer(bits, is_signed=is_signed).base, name=name)
        return Base(base, is_range=True)  # a number, as in GDB
    if name in _FLOATS:
        return Base(evolve(builtins.floating(_FLOATS[name]).base, name=name))
    if name in ("wchar", "dchar"):
        return builtins.wide(name)
    if name == "char":
        return builtins.char_type
    return builtins.bool_type if name == "bool" else None


def object_type(builtins: Builtins, name: str) -> Type | None:
    """Return the type that the module `object` declares; None for any other name."""
    sign = _OF_ADDRESSES.get(name)
    if sign is not None:
        word = "long" if builtins.long_bits == 64 else "int"
        return keyword_type(builtins, f"{sign}{word}")
    if name not in _STRINGS:
        return None
    size, element = builtins.long_bits, keyword_type(builtins, _STRINGS[name])
    assert element is not None
    named = f"immutable({element.name})"  # so ldc2 describes it
    pointer = builtins.pointer(Base(evolve(element.base, name=named)))
    members = (
        Member("length", object_type(builtins, "size_t"), 0),
        Member("ptr", evolve(pointer, own_name=f"{named}*"), size),
    )
    return Struct("struct", name, 2 * size // 8, members)
