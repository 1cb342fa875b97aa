"""Built-in types of OpenCL C, which units describe only where they use them (OpenCL C 6.1.1,
6.1.2)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.types.type_sizes import vector_type
from dwarfgpu.dwarf.types.types import Array, Base, Type, Typedef, strip
from dwarfgpu.language.builtin_types import Builtins

_SCALARS: Final[dict[str, tuple[str, int]]] = {
    "char": ("signed_char", 8), "uchar": ("unsigned_char", 8),
    "short": ("signed", 16), "ushort": ("unsigned", 16),
    "int": ("signed", 32), "uint": ("unsigned", 32),
    "long": ("signed", 64), "ulong": ("unsigned", 64),
    "half": ("float", 16), "float": ("float", 32), "double": ("float", 64),
}  # fmt: skip
_NAMES: Final = {form: name for name, form in _SCALARS.items()}
_OF_ADDRESSES: Final = {
    "size_t": False, "ptrdiff_t": True, "intptr_t": True, "uintptr_t": False
}  # fmt: skip
"""Integers of the size of a pointer, and whether they are signed."""
_VECTOR: Final = pattern("([a-z]+)(2|3|4|8|16)")
SCALARS_AND_VECTORS: Final = tuple(
    f"{name}{count}" for name in _SCALARS for count in ("", 2, 3, 4, 8, 16)
)
"""The names of numbers, and of vectors of them."""


def opencl_type(builtins: Builtins, name: str) -> Base | Typedef | None:
    """Return the type of a name such as `uint`, `size_t` or `float4`; None for any other name."""
    if name in _SCALARS:
        return _scalar(builtins, name)
    if name in _OF_ADDRESSES:
        bits = builtins.architecture.address_bits
        return Typedef(name, builtins.integer(bits, is_signed=_OF_ADDRESSES[name]))
    match = _VECTOR.fullmatch(name)
    if match is None or match[1] not in _SCALARS:
        return None
    element, count = _scalar(builtins, match[1]), int(match[2])
    return Typedef(name, vector_type(element, count))


def opencl_vector(element: Type | None, count: int) -> Array | Typedef:
    """Return the type of the language that has such elements, by its name; an unnamed one of
    elements that no type of the language has."""
    bare, kind = strip(element), vector_type(element, count)
    name = _NAMES.get((bare.base.encoding, bare.base.bit_size)) if isinstance(bare, Base) else None
    return kind if name is None else Typedef(f"{name}{count}", kind)


def _scalar(builtins: Builtins, name: str) -> Base:
    encoding, bits = _SCALARS[name]
    form = float_format(name, bits) if encoding == "float" else None
    return Base(BaseType(name, encoding, bits, builtins.endian, float_format=form))
