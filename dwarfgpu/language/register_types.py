"""Register types as in GDB: the output of `ptype $xmm0`, and their members."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from dwarfgpu.arch.model import PseudoRegister, RegisterInfo
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.float_format import BFLOAT16, BINARY16, BINARY32, BINARY64
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Base, Function, Member, Pointer, Struct, Type, Typedef

_CODE: Final = ("pc", "pc_32", "rip", "eip")
_FORMATS: Final = {
    "bfloat16": BFLOAT16, "half": BINARY16, "float": BINARY32, "double": BINARY64,
}  # fmt: skip
_DESCRIBED: Final = {
    "bfloat16": "builtin_type_bfloat16",
    "half": "builtin_type_ieee_half",
    "float": "builtin_type_ieee_single",
    "double": "builtin_type_ieee_double",
}
"""What GDB calls them in registers of its descriptions of a processor: xmm, not ymm."""
_VECTORS: Final = {
    "bfloat16": ("bf16", 16), "half": ("h", 16), "float": ("f", 32), "double": ("d", 64),
    "int8": ("i8", 8), "int16": ("i16", 16), "int32": ("i32", 32), "int64": ("i64", 64),
}  # fmt: skip
"""Element to the suffix of the name of its vector, and its size in bits."""


def register_type(register: RegisterInfo | PseudoRegister) -> Type:
    """Return the type that GDB gives a register: vectors are arrays or unions of them, addresses
    are pointers."""
    base = register.type
    if base.name in _UNIONS:
        return _union(base.name)
    if base.name == "aarch64v":
        return _aarch64_vector(base.endian)
    if base.name.startswith(_VIEW):
        return _aarch64_view(base.name[-1], base.endian)
    if isinstance(register, PseudoRegister):
        return Base(base, is_range=True)
    is_code = register.name in _CODE
    if base.encoding == "address" or is_code:
        target = Function(is_prototyped=False) if is_code else None
        return Pointer(target, size_bytes=base.size_bytes)
    if base.vector_size is None:
        is_named = bool(register.flags) and base.name.startswith("uint")
        base = evolve(base, name=register.name) if is_named else base
        # Of rflags the upper half is reserved; GDB has the lower one.
        bit_size = 32 if base.name == "i386_eflags" else base.bit_size
        return Base(evolve(base, bit_size=bit_size), flags=register.flags)
    name = base.name.partition("[")[0]
    bit_size = base.bit_size // base.vector_size
    element = Base(evolve(base, name=name, bit_size=bit_size, vector_size=None))
    return Array(element, (base.vector_size,), is_vector=True)


_UNIONS: Final = {
    "builtin_type_vec64i": 64, "vec128": 128, "builtin_type_vec256i": 256,
    "builtin_type_vec512i": 512,
}  # fmt: skip
"""The sizes of x86's vector registers, in bits."""


@cache
def _union(name: str) -> Struct:
    """Return `union vec128 {v8bf16 v8_bfloat16; ...}`."""
    size_bits = _UNIONS[name]
    if size_bits == 64:
        return _mmx(name)
    members: list[Member] = []
    for element, (mark, element_bits) in _VECTORS.items():
        count = size_bits // element_bits
        type_: Type = Array(_element(element, size_bits), (count,), is_vector=True)
        if size_bits == 128:
            type_ = Typedef(f"v{count}{mark}", type_)
        members.append(Member(f"v{count}_{element}", type_))
    if size_bits == 128:
        members.append(Member("uint128", Base(BaseType("uint128_t", "unsigned", 128))))
    else:
        quadword = Base(BaseType("int128_t", "signed", 128))
        count = size_bits // 128
        members.append(Member(f"v{count}_int128", Array(quadword, (count,), is_vector=True)))
    return Struct("union", name, size_bits // 8, tuple(members))


def _mmx(name: str) -> Struct:
    """Return the union of a register of MMX, which has integers alone."""
    members = [Member("uint64", _element("int64", 64))]
    for element in ("int32", "int16", "int8"):
        count = 64 // _VECTORS[element][1]
        array = Array(_element(element, 64), (count,), is_vector=True)
        members.append(Member(f"v{count}_{element}", array))
    return Struct("union", name, 8, tuple(members))


_VIEW: Final = "__gdb_builtin_type_vn"
"""What GDB calls the types of the low parts of AArch64's vector registers, before their letters."""
_FLOATS: Final = {
    "d": (("f", "double"),),
    "s": (("f", "float"),),
    "h": (("bf", "bfloat16"), ("f", "half")),
}
"""The members of AArch64's views with floating-point numbers, by the letters of the views."""
_VIEW_BITS: Final = {"d": 64, "s": 32, "h": 16, "b": 8, "q": 128}


@cache
def _aarch64_view(letter: str, endian: Endian) -> Struct:
    """Return `union __gdb_builtin_type_vnd {double f; uint64_t u; int64_t s;}`."""
    members = tuple(Member(name, kind) for name, kind in _readings(letter, endian, is_long=False))
    return Struct("union", f"{_VIEW}{letter}", _VIEW_BITS[letter] // 8, members)


@cache
def _aarch64_vector(endian: Endian) -> Struct:
    """Return `union aarch64v {union vnd d; ...}`, each with arrays of all elements."""
    views: list[Member] = []
    for letter, bit_size in _VIEW_BITS.items():
        count = 128 // bit_size
        members: list[Member] = []
        for name, element in _readings(letter, endian, is_long=True):
            array = Array(element, (count,), is_vector=True)
            mark = {"u": "u", "s": "i", "bf": "bf16", "f": "d" if letter == "d" else "f"}[name]
            members.append(Member(name, Typedef(f"v{count}{mark}", array)))
        views.append(Member(letter, Struct("union", f"vn{letter}", 16, tuple(members))))
    return Struct("union", "aarch64v", 16, tuple(views))


def _readings(letter: str, endian: Endian, *, is_long: bool) -> Iterator[tuple[str, Base]]:
    """Yield the ways to read an element: its floating-point formats, unsigned and signed.

    `is_long`: with the names of floating-point types in descriptions of a processor.
    """
    bit_size = _VIEW_BITS[letter]
    for name, form in _FLOATS.get(letter, ()):
        called = _DESCRIBED[form] if is_long else form
        yield name, Base(BaseType(called, "float", bit_size, endian, float_format=_FORMATS[form]))
    for name, sign, encoding in (("u", "u", "unsigned"), ("s", "", "signed")):
        kind = BaseType(f"{sign}int{bit_size}_t", encoding, bit_size, endian)
        yield name, Base(kind, is_range=True)


def _element(name: str, size_bits: int) -> Base:
    bit_size = _VECTORS[name][1]
    form = _FORMATS.get(name)
    if form is None:
        return Base(BaseType(f"{name}_t", "signed", bit_size), is_range=True)
    called = _DESCRIBED[name] if size_bits == 128 else name
    return Base(BaseType(called, "float", bit_size, float_format=form))
