"""Built-in types of C, in the layout of the target."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.types.types import Base, Pointer, Type

INT_BITS: Final = 32
_COMPLEX: Final = {
    "float": "complex",
    "double": "double complex",
    "long double": "_Complex long double",
}
_FIXED: Final = {"char", "short", "int", "float", "double", "void", "_Bool", "bool", "__int128"}


@frozen
class Builtins:
    """The base types of an architecture."""

    architecture: Architecture
    has_unsigned_char: bool = False
    """Whether `char` has no sign whatever the machine, as in D."""

    @property
    def endian(self) -> Endian:
        return self.architecture.endian

    @property
    def long_bits(self) -> int:
        return self.architecture.address_bits

    def integer(self, bit_size: int, *, is_signed: bool = True, longs: int = 0) -> Base:
        """Return the C integer type of a size, at least that of int; of several, that with a number
        of words `long`."""
        words = {64: "long" if self.long_bits == 64 else "long long", INT_BITS: "int"}
        name = words.get(bit_size, f"__int{bit_size}")
        if bit_size == {1: self.long_bits, 2: 64}.get(longs):
            name = " ".join(["long"] * longs)
        return _base(name if is_signed else f"unsigned {name}", is_signed, bit_size, self.endian)

    @property
    def int_type(self) -> Base:
        return self.integer(INT_BITS)

    @property
    def bool_type(self) -> Base:
        return Base(BaseType("bool", "boolean", 8, self.endian))

    @property
    def boolean_type(self) -> Base:
        """The type of a condition of Ada."""
        return Base(BaseType("boolean", "boolean", 8, self.endian))

    @property
    def truth_of_pascal(self) -> Base:
        """The type of a condition of Pascal."""
        return Base(BaseType("Boolean", "boolean", 8, self.endian))

    @property
    def logical_type(self) -> Base:
        """The default logical type of Fortran."""
        return Base(BaseType("logical(kind=4)", "boolean", 32, self.endian))

    @property
    def complex_type(self) -> Base:
        """The type of a complex literal of Fortran, in GDB."""
        part = self.floating("double").base
        return Base(evolve(part, name="complex*16", encoding="complex_float", bit_size=128))

    def complex_of(self, part: Base) -> Base:
        """Return the complex type of a real floating type of C, with GDB's name."""
        name, bit_size = _COMPLEX[part.base.name], 2 * part.base.bit_size
        return Base(evolve(part.base, name=name, encoding="complex_float", bit_size=bit_size))

    @property
    def char_type(self) -> Base:
        is_signed = self.architecture.abi.is_char_signed and not self.has_unsigned_char
        return Base(
            BaseType("char", "signed_char" if is_signed else "unsigned_char", 8, self.endian)
        )

    @property
    def rust_char_type(self) -> Base:
        """The `char` of Rust, a Unicode scalar value (The Rust Reference, "Textual types")."""
        return Base(BaseType("char", "UTF", 32, self.endian))

    def floating(self, name: str) -> Base:
        """Return `half`, `float`, `double` or `long double`."""
        abi = self.architecture.abi
        bits = {"half": 16, "float": 32, "double": 64}.get(name, abi.long_double_bits)
        form = float_format(name, bits, x87=abi.has_x87)
        return Base(BaseType(name, "float", bits, self.endian, float_format=form))

    def wide(self, name: str) -> Base:
        """Return `char16_t` or `char32_t`, in D `wchar` or `dchar`."""
        bits = 16 if name in ("char16_t", "wchar") else 32
        return Base(BaseType(name, "UTF", bits, self.endian))

    @property
    def wchar_type(self) -> Base:
        """The `wchar_t` of C++."""
        encoding = "signed" if self.architecture.abi.is_char_signed else "unsigned"
        return Base(BaseType("wchar_t", encoding, 32, self.endian))

    def wide_character(self, name: str) -> Base | None:
        """Return the type of characters that a keyword of C++ names; None for other words."""
        if name == "wchar_t":
            return self.wchar_type
        return self.wide(name) if name in ("char16_t", "char32_t") else None

    def pointer(self, target: Type | None) -> Pointer:
        """Return a pointer of the default address space."""
        return Pointer(target, size_bytes=self.architecture.address_bits // 8)

    def named(self, words: tuple[str, ...]) -> Base | None:
        """Return the type of words such as `unsigned long`; None if they form no type, or void."""
        count = Counter(words)
        complexes = count.pop("_Complex", 0)
        if complexes:
            part = self.named(tuple(count.elements())) if complexes == 1 and count else None
            is_real = part is not None and part.base.name in _COMPLEX
            return self.complex_of(part) if part is not None and is_real else None
        signs = count.pop("signed", 0), count.pop("unsigned", 0)
        longs = count.pop("long", 0)
        dimensions = [*count.elements()]
        if (
            sum(signs) > 1
            or longs > 2
            or (len(dimensions) > 1 and set(dimensions) != {"short", "int"})
        ):
            return None
        name = "short" if "short" in dimensions else dimensions[0] if dimensions else "int"
        if name in ("float", "double"):
            if sum(signs) or longs > 1 or (longs and name == "float"):
                return None
            return self.floating("long double" if longs else name)
        if name not in _FIXED or (longs and name != "int"):
            return None
        return self._integral(name, longs, signs)

    def _integral(self, name: str, longs: int, signs: tuple[int, int]) -> Base | None:
        is_signed, is_unsigned = signs
        if name in ("bool", "_Bool", "void"):
            if is_signed or is_unsigned:
                return None
            return None if name == "void" else Base(BaseType(name, "boolean", 8, self.endian))
        if name == "char":
            if not (is_signed or is_unsigned):
                return self.char_type
            prefix = "signed" if is_signed else "unsigned"
            return Base(BaseType(f"{prefix} char", f"{prefix}_char", 8, self.endian))
        bits = {"short": 16, "__int128": 128}.get(name, INT_BITS)
        if longs:
            name, bits = ("long", self.long_bits) if longs == 1 else ("long long", 64)
        return _base(
            f"unsigned {name}" if is_unsigned else name, not is_unsigned, bits, self.endian
        )


@lru_cache(maxsize=128)
def _base(name: str, is_signed: bool, bit_size: int, endian: Endian) -> Base:
    return Base(BaseType(name, "signed" if is_signed else "unsigned", bit_size, endian))
