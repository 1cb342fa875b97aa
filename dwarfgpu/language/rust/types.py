"""The primitive types of Rust, which rustc describes only where a unit uses them, and the names of
pointers (The Rust Reference, "Types")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Pointer, Struct, Type, strip
from dwarfgpu.language.builtin_types import Builtins

_NUMERIC: Final = pattern(r"(?P<kind>[iu])(?P<bits>8|16|32|64|128|size)|f(?P<float>32|64)")
_FLOATS: Final = {"32": "float", "64": "double"}
BYTE: Final = "u8"


def rust_type(builtins: Builtins, name: str) -> Type | None:
    """Return the primitive type of a name; None for any other name."""
    if name in ("bool", "char"):
        return builtins.bool_type if name == "bool" else builtins.rust_char_type
    match = _NUMERIC.fullmatch(name)
    if match is None:
        return None
    if match["float"]:
        floating = builtins.floating(_FLOATS[match["float"]])
        return Base(evolve(floating.base, name=name))
    size = match["bits"]
    bits = builtins.architecture.address_bits if size == "size" else int(size)
    encoding = "signed" if match["kind"] == "i" else "unsigned"
    return Base(BaseType(name, encoding, bits, builtins.endian), is_byte=bits == 8)


def text_type(builtins: Builtins) -> Base:
    """Return the type of the bytes of a `str`, which are shown as text."""
    return Base(BaseType(BYTE, "unsigned", 8, builtins.endian))


def byte_type(builtins: Builtins) -> Base:
    """Return the type of the elements of `b"abc"`, which is shown as that."""
    return Base(BaseType(BYTE, "ASCII", 8, builtins.endian))


def named_pointer(pointer: Pointer, prefix: str) -> Pointer:
    """Return a pointer with the name that rustc gives it: `*const [u8; 4]`."""
    return evolve(pointer, own_name=f"{prefix}{_spelled(pointer.target)}")


def _spelled(type_: Type | None) -> str:
    bare = strip(type_)
    if isinstance(bare, Array) and bare.own_name is None:
        spelled = _spelled(bare.element)
        for count in reversed(bare.dimensions):
            spelled = f"[{spelled}; {count}]"
        return spelled
    if isinstance(bare, Struct | Enum):
        return f"{bare.scope}{bare.name}"
    return "()" if bare is None else type_name(bare)
