"""Base types: what the bits of a value mean (AMD text A.2.5.2, A.5.1; DWARF 5 section 5.1).

DW_ATE_signed is the encoding "signed" here, DW_ATE_boolean "boolean", and so on (7.8).

`dwarfgpu.model.value` has the number of such bits, `dwarfgpu.view.scalars` their text, and
`dwarfgpu.dwarf.types.base_types` reads the entries.
"""

from __future__ import annotations

from functools import lru_cache
from numbers import Rational
from typing import Final

from dwarfgpu.base.arguments import integer, require, wrong_type, wrong_value
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.float_format import (
    BINARY16,
    BINARY32,
    BINARY64,
    BINARY128,
    X87_EXTENDED,
    FloatFormat,
)
from dwarfgpu.base.records import field, frozen, plain_fields

ENCODINGS: Final = {
    0x01: "address",
    0x02: "boolean",
    0x03: "complex_float",
    0x04: "float",
    0x05: "signed",
    0x06: "signed_char",
    0x07: "unsigned",
    0x08: "unsigned_char",
    0x09: "imaginary_float",
    0x0A: "packed_decimal",
    0x0B: "numeric_string",
    0x0C: "edited",
    0x0D: "signed_fixed",
    0x0E: "unsigned_fixed",
    0x0F: "decimal_float",
    0x10: "UTF",
    0x11: "UCS",
    0x12: "ASCII",
}
"""DW_ATE_* codes to names without their prefix."""
OTHER_ENCODING: Final = "encoding 0x"
"""What the names of all other codes begin with."""

CURRENCY: Final = "currency"
"""The name, in any case of letters, of a number of Free Pascal with four decimal places."""

_NAMED: Final = frozenset({*ENCODINGS.values(), "generic", "void"})
SIGNED: Final = frozenset({"signed", "signed_char"})
INTEGRAL: Final = SIGNED | {"unsigned", "unsigned_char", "boolean"}
"""The integral encodings of A.2.5.2, except the generic type."""
CHARACTERS: Final = frozenset({"signed_char", "unsigned_char", "UTF", "UCS", "ASCII"})
"""The encodings of characters; a small integer is none in Fortran and Ada."""


@frozen
class BaseType:
    """The type of a value; two base types are the same when all but their names agree."""

    name: str = field(eq=False)
    encoding: str
    """A name of `ENCODINGS`, `generic`, `void`, or `encoding 0x80` for another one of a file."""
    bit_size: int
    """Bits of a whole value, all elements of a vector included."""
    endian: Endian = "little"
    vector_size: int | None = None
    """Number of elements (DW_AT_LLVM_vector_size), None for a type that is not a vector."""
    address_space: int | None = None
    """DW_AT_LLVM_address_space of an `address` type."""
    float_format: FloatFormat | None = None
    """Format of a float, or of each of the two parts of a complex number: one of those in
    `dwarfgpu.base.float_format`. None if it is unknown; arithmetic is `Unsupported` then."""
    scale: Rational | None = None
    """Factor of a fixed-point type; None if the file gives none."""

    def __attrs_post_init__(self) -> None:
        if type(self.name) is not str:
            require("BaseType.name", self.name, str)
        if type(self.bit_size) is not int:
            plain_fields(self, "bit_size")
        if self.bit_size < 0:
            raise wrong_value("BaseType.bit_size", self.bit_size, "an integer of at least 0")
        if self.vector_size is not None:
            plain_fields(self, "vector_size")
            integer("BaseType.vector_size", self.vector_size, 1)
        if type(self.encoding) is not str:
            raise wrong_type("BaseType.encoding", self.encoding, "str")
        if self.encoding not in _NAMED and not self.encoding.startswith(OTHER_ENCODING):
            raise wrong_value("BaseType.encoding", self.encoding, "a name, as 'signed'")
        if self.endian not in ("little", "big"):
            raise wrong_value("BaseType.endian", self.endian, "'little' or 'big'")

    @property
    def is_generic(self) -> bool:
        """Whether it is the generic type (AMD text A.2.5.1)."""
        return self.encoding == "generic"

    @property
    def is_integral(self) -> bool:
        """Whether its encoding is integral (A.2.5.2); the generic type is, too."""
        return self.encoding in INTEGRAL or self.encoding == "generic"

    @property
    def is_signed(self) -> bool:
        """Whether its integers have a sign; false for floats."""
        return self.encoding in SIGNED

    @property
    def size_bytes(self) -> int:
        """The size in bytes, the last one perhaps not full."""
        return (self.bit_size + 7) // 8

    @property
    def padding_bits(self) -> int:
        """Bits of a float above those of its format, as x87 numbers have in memory."""
        if self.float_format is None or self.encoding != "float" or self.vector_size:
            return 0
        return self.bit_size - self.float_format.size_bits

    def __str__(self) -> str:
        return self.name


_TRUE_UNLESS_ZERO: Final = frozenset({"bytebool", "wordbool", "longbool", "qwordbool"})


def truth(base: BaseType, number: int) -> bool | None:
    """Return whether a Boolean value is true; None for one that the type does not have, which is
    neither. Every number but 0 is true in the types of Free Pascal that are those of C (reference
    guide, "Boolean types"): it writes -1."""
    if number < 2:
        return bool(number)
    return True if base.name.lower() in _TRUE_UNLESS_ZERO else None


def is_currency(base: BaseType) -> bool:
    """Return whether it is the type Currency of Free Pascal."""
    return base.scale is not None and base.name.lower() == CURRENCY


def bits_in_register(base: BaseType, register_bits: int | None) -> int:
    """Return the bits of a value in a register: no padding where it ends before that."""
    value_bits = base.bit_size - base.padding_bits
    return value_bits if register_bits == value_bits else base.bit_size


@lru_cache(maxsize=64)
def generic_type(bit_size: int, endian: Endian = "little") -> BaseType:
    """Return the generic type: integral, of the size of a default address, of unspecified
    signedness."""
    return BaseType("generic", "generic", bit_size, endian)


def merged(first: BaseType, second: BaseType) -> BaseType | None:
    """Return the signed base type that is one type with the generic type where the generic type is
    signed, as GDB has it: of two types, the one has the size of the other; None for any other
    two."""
    base, generic = (second, first) if first.is_generic else (first, second)
    is_as_large = generic.is_generic and base.bit_size == generic.bit_size
    return base if is_as_large and base.is_signed and base.vector_size is None else None


@lru_cache(maxsize=256)
def unsigned_type(bit_size: int, endian: Endian = "little") -> BaseType:
    """Return the hypothetical unsigned base types that the AMD text refers to."""
    return BaseType(f"unsigned {bit_size}-bit", "unsigned", bit_size, endian)


_BINARY128: Final = ("float128", "f128", "kind=16", "real*16", "complex*32", "quad")
"""In names of types that are binary128 also where others of 128 bits are of the x87: those of GDB,
and that of Rust."""


def float_format(name: str, bit_size: int, *, x87: bool = False) -> FloatFormat | None:
    """Return the format of a float, or of a part of a complex number.

    None for an unknown format: another size, or a name such as `bfloat16`. `x87`: as in GDB, 128
    bits are the x87 extended format, padded (x86 targets), except for the names of binary128.
    """
    lowered = name.lower()
    if any(mark in lowered for mark in ("bf16", "bfloat", "fp8", "bf8", "float8", "e4m3", "e5m2")):
        return None
    if bit_size in (80, 96) or (
        x87 and bit_size == 128 and not any(mark in lowered for mark in _BINARY128)
    ):
        return X87_EXTENDED
    return {16: BINARY16, 32: BINARY32, 64: BINARY64, 128: BINARY128}.get(bit_size)
