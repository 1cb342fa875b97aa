"""Numbers in x87 registers, which have the extended format of 80 bits whatever the object's type.

By the text an object is the low bits of its register (A.2.5.4.4.4), and DW_OP_regval_type is
DW_OP_deref_type of it (A.2.5.4.3.4). GCC keeps a `float` and a `double` as the extended number that
the processor loads, and GDB converts it; a piece of it has the size of `long double`, with padding.
`Context.x87_as_compilers` selects that reading.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import X87_EXTENDED
from dwarfgpu.errors import EvaluationError, Unsupported
from dwarfgpu.expr.context import Context
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, SingleLocation, composite
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import ImplicitPointer, Part, Register
from dwarfgpu.model.value import Value

_PADDED_BITS: Final = (96, 128)
"""Sizes of `long double` of i386 and x86-64."""


def is_extended(base: BaseType) -> bool:
    """Return whether numbers of a type have the x87 extended format, padded or not."""
    return base.encoding == "float" and base.float_format is X87_EXTENDED


def converted_from(ctx: Context, location: Location, base: BaseType) -> BaseType | None:
    """Return the type of the number in an x87 register that an object or a value of a type is as a
    whole; None for anything that is not converted: the extended format itself, other storage.

    `Unsupported` for such a register that is one of several single locations.
    """
    is_of_other_format = base.encoding == "float" and base.float_format is not None
    if not is_of_other_format or base.vector_size is not None or is_extended(base):
        return None
    singles = location.single_locations
    number_type = next(filter(None, map(_type_of, singles)), None)
    if number_type is None or not _is_of_compilers(ctx):
        return None
    if len(singles) > 1:
        raise Unsupported(f"{base} in an x87 register and at another single location")
    return number_type


def read_converted(ctx: Context, location: Location, number_type: BaseType, base: BaseType) -> Bits:
    """Read the number in a register as one of another type, rounded to nearest even; all bits are
    unknown if one of the register is."""
    contents = ctx.access.read(location, number_type.bit_size)
    if contents.is_complete:
        return Bits(Value(contents.value, number_type).converted(base).bits, base.bit_size)
    every = (1 << base.bit_size) - 1
    undefined = every if contents.undefined else 0
    return Bits(0, base.bit_size, undefined, every ^ undefined, contents.reasons)


def write_converted(
    ctx: Context, location: Location, number_type: BaseType, base: BaseType, bits: int
) -> None:
    """Write a number of another type to a register: the extended format has all of `double`."""
    ctx.access.write(location, number_type.bit_size, Value(bits, base).converted(number_type).bits)


def retrieve_converted(
    ctx: Context, location: Location, number_type: BaseType, base: BaseType
) -> Value:
    """Retrieve the number in a register as a value of another type."""
    contents = ctx.access.retrieve(location, number_type.bit_size)
    if isinstance(contents, ImplicitPointer):
        raise EvaluationError(f"an implicit pointer in an x87 register has no value of {base}")
    return Value(contents, number_type).converted(base)


def padded(ctx: Context, location: Location, size_bits: int) -> Location:
    """Return the location of a piece with the size of `long double`, as GCC writes it for a whole
    register: what it has beyond the register is padding, and undefined. Others are unchanged."""
    singles = location.single_locations
    number_type = _type_of(singles[0]) if len(singles) == 1 else None
    if number_type is None or size_bits not in _PADDED_BITS or not _is_of_compilers(ctx):
        return location
    number_bits = number_type.bit_size
    padding = Part(UNDEFINED_LOCATION, size_bits - number_bits)
    return composite([Part(location, number_bits), padding])


def _is_of_compilers(ctx: Context) -> bool:
    return ctx.x87_as_compilers and (ctx.unit is None or ctx.unit.dialect.is_of_compilers)


def _type_of(single: SingleLocation) -> BaseType | None:
    """Return the type of the x87 register that begins at a single location; None for others."""
    storage = single.storage
    if single.bit_offset or not isinstance(storage, Register):
        return None
    return storage.register.type if is_extended(storage.register.type) else None
