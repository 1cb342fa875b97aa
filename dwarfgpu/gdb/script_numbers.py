"""Numbers that a script gives: those that it assigns become values of the language, without a text
of an expression.

Law: a number that the object cannot hold is a `UsageError`; a fraction is rounded to the nearest
number of a floating-point type.
"""

from __future__ import annotations

import struct
from fractions import Fraction
from math import isfinite
from typing import Final, TypeAlias

import gdb

from dwarfgpu.base.arguments import WrongType, is_integer, wrong_type
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian, from_bytes
from dwarfgpu.dwarf.types.types import Base, Enum, Pointer, Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.gdb.script_arguments import plain_integer
from dwarfgpu.language import TypedValue
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.session.session import Session

Number: TypeAlias = int | float | complex
_SIZES: Final = (32, 64, 128)
_DOUBLE_BYTES: Final = 8


def number_to_assign(session: Session, target: TypedValue, name: str, new: object) -> TypedValue:
    """Return a number for a target; `UsageError` if it is none, or the target cannot hold it."""
    number = _plain(new)
    if number is None:
        raise _wrong_type("Value.assign: new", new, "a number, a value, str or bytes")
    if isinstance(number, complex) and not _is_complex(target) and number.imag == 0:
        number = number.real
    require_held(target, name, number)
    if isinstance(number, float) and _integer_bits(target) is not None:
        number = int(number)
    return _typed(Builtins(session.architecture), number)


def pointer_to_convert(target: TypedValue, new: object) -> str | None:
    """Return the expression of a pointer of GDB's to another class than a pointer has, which may be
    a base class of it at another address; None for anything else."""
    if not isinstance(new, gdb.Value):
        return None
    kind, bare = new.type.strip_typedefs(), _bare(target)
    if kind.code != gdb.TYPE_CODE_PTR or not isinstance(bare, Pointer):
        return None
    pointed, wanted = kind.target().strip_typedefs().unqualified(), strip(bare.target)
    if pointed.code != gdb.TYPE_CODE_STRUCT or not isinstance(wanted, Struct):
        return None
    if pointed.name is None:
        raise UsageError("a pointer to a structure without a name: assign its number")
    if pointed.name == str(wanted).removeprefix(f"{wanted.kind} "):  # C writes `struct s`
        return None
    return f"({pointed} *) {int(new)}"


def require_held(target: TypedValue, name: str, number: Number | Fraction) -> None:
    """Raise `UsageError` for a number that an object cannot hold."""
    if not _holds(target, number):
        raise UsageError(f"{name} cannot hold {_text(number)}")


def real_number(name: str, number: object) -> int | float:
    """Return a real number of Python or of GDB's Python, of a pointer its address; `WrongType` for
    anything else."""
    plain = _plain(number)
    if isinstance(plain, int | float):
        return plain
    raise _wrong_type(name, number, "a number")


def _plain(number: object) -> Number | None:
    """Return a number of Python, of a pointer its address; None for anything else, and for a `long
    double` of GDB's: Python has no such number."""
    value = int(number) if isinstance(number, bool) else plain_integer(number)
    kind = value.type.strip_typedefs() if isinstance(value, gdb.Value) else None
    if kind is not None and kind.code == gdb.TYPE_CODE_FLT and kind.sizeof <= _DOUBLE_BYTES:
        return float(value)
    if kind is not None and kind.code == gdb.TYPE_CODE_PTR:
        return int(value)
    if is_integer(value):
        return int(value)
    return value if isinstance(value, float | complex) else None


def _wrong_type(name: str, value: object, expected: str) -> WrongType:
    if isinstance(value, gdb.Value):
        return WrongType(f"{name}: expected {expected}, not a gdb.Value of type {value.type}")
    return wrong_type(name, value, expected)


def _holds(target: TypedValue, number: Number | Fraction) -> bool:
    """Return whether an object can hold a number: an integer as its bits, with a sign or without
    one. The language judges types that have no numbers."""
    size = _integer_bits(target)
    if size is None:
        parts = (number.real, number.imag) if isinstance(number, complex) else (number,)
        is_held = not isinstance(number, complex) or _is_complex(target)
        return is_held and not any(_overflows(target, part) for part in parts)
    if isinstance(number, complex) or (isinstance(number, float) and not isfinite(number)):
        return False
    if int(number) != number:
        return False
    return -(1 << size - 1) <= int(number) < 1 << size if size > 1 else number in (0, 1)


def _integer_bits(target: TypedValue) -> int | None:
    """Return how many bits of an integer an object holds, of a truth value 1; None for another
    type."""
    bare = _bare(target)
    if isinstance(bare, Base) and not (bare.base.is_integral and bare.base.vector_size is None):
        return None
    if isinstance(bare, Base) and bare.base.encoding == "boolean":
        return 1
    if isinstance(bare, Base) and target.bit_size is None:
        return bare.base.bit_size
    if isinstance(bare, Enum) and target.bit_size is None:
        return None if bare.size_bytes is None else 8 * bare.size_bytes
    return target.size_bits if isinstance(bare, Base | Enum | Pointer) else None


def _bare(target: TypedValue) -> Type | None:
    """Return the type of an object, of a reference that of what it refers to."""
    bare = strip(target.type)
    if isinstance(bare, Pointer) and bare.kind != "pointer":
        return strip(bare.target)
    return bare


def _is_complex(target: TypedValue) -> bool:
    bare = _bare(target)
    return isinstance(bare, Base) and bare.base.encoding == "complex_float"


def _overflows(target: TypedValue, number: int | float | Fraction) -> bool:
    """Return whether the nearest number of a floating-point type is an infinity."""
    bare = _bare(target)
    form = bare.base.float_format if isinstance(bare, Base) else None
    if form is None or (isinstance(number, float) and not isfinite(number)):
        return False
    return isinstance(form.decode(form.encode(Fraction(number))), str)


def _text(number: Number | Fraction) -> str:
    if isinstance(number, int) and number.bit_length() > _SIZES[-1]:
        return f"a number of {number.bit_length()} bits"
    return repr(float(number) if isinstance(number, Fraction) else number)


def _typed(builtins: Builtins, number: Number) -> TypedValue:
    endian = builtins.endian
    if isinstance(number, complex):
        parts = [_double(part, endian) for part in (number.real, number.imag)]
        part = builtins.floating("double").base
        base = BaseType(
            "complex double", "complex_float", 128, endian, None, None, part.float_format
        )
        return TypedValue(Base(base), bits=concatenate(parts, endian))
    if isinstance(number, float):
        return TypedValue(builtins.floating("double"), bits=_double(number, endian))
    fitting = [
        (size, is_signed)
        for size in _SIZES
        for is_signed in (True, False)
        if -(1 << size - 1) * is_signed <= number < 1 << size - is_signed
    ]
    if not fitting:
        raise UsageError(f"{_text(number)}: integers have at most {_SIZES[-1]} bits")
    size, is_signed = fitting[0]
    kind = builtins.integer(size, is_signed=is_signed)
    return TypedValue(kind, bits=Bits(number & (1 << size) - 1, size))


def _double(number: float, endian: Endian) -> Bits:
    data = struct.pack("<d" if endian == "little" else ">d", number)
    return Bits(from_bytes(data, 64, endian), 64)
