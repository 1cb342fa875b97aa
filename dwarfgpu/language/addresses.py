"""Evaluate an expression to an address, for commands that take an address."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.float_format import long_long
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.dwarf.types.types import (
    Array,
    BareType,
    Base,
    Enum,
    Function,
    MemberPointer,
    Pointer,
    Unspecified,
    strip,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import is_integer, is_number
from dwarfgpu.language.complexes import is_complex
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.evaluator import evaluate
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import format
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.scalars import LONG_LONG_BITS, TOO_WIDE, format_of

_NO_INTEGER: Final = "Value can't be converted to integer."


def address_of(
    session: Session, options: Options, objects: ObjectAccess, text: str
) -> tuple[AddressSpace, int]:
    """Return the address that an expression denotes: the value of a number or a pointer, or the
    address of an array or a function, also behind a reference. `UsageError` if it denotes
    none."""
    value = evaluate(text, session, options)
    bare = strip(value.type)
    if isinstance(bare, Pointer) and bare.kind != "pointer":
        value = objects.read(objects.dereferenced(value))
        bare = strip(value.type)
    if isinstance(bare, Array | Function) and not (isinstance(bare, Array) and bare.is_vector):
        value = objects.address_of(value)
        bare = strip(value.type)
    if isinstance(bare, Pointer):
        space = objects.space_of(bare, value.unit)
        return objects.resolved(space, objects.known(value).value)
    if value.error is not None:
        raise value.error
    bits = objects.known(value)
    number = bits.value if _is_address(bare) else _number(session, value)
    return objects.resolved(objects.space_of(Pointer(None), None), number)


def whole_number(session: Session, value: TypedValue) -> int:
    """Return a count or a level: a scalar as GDB converts it to a signed number of 64 bits."""
    bare = strip(value.type)
    _require_long_long(value)
    if isinstance(bare, Base) and bare.base.encoding == "float":
        bits = ObjectAccess(session).known(value)
        form = format_of(bare.base, bits.size_bits)
        if form is None:
            raise UsageError(_NO_INTEGER)
        return long_long(form.decode(bits.value))
    text = format(value, session, FormatOptions(letter="d"), _no_symbol)
    if not is_decimal(text.removeprefix("-")):
        raise UsageError(_NO_INTEGER)
    return int(text)


def _require_long_long(value: TypedValue) -> None:
    if is_integer(strip(value.type)) and (value.size_bits or 0) > LONG_LONG_BITS:
        raise UsageError(TOO_WIDE)


def _no_symbol(_address: int) -> None:
    """Symbols may not be readable: the number alone is needed."""


def _is_address(bare: BareType | None) -> bool:
    """Return whether the bits of a scalar of C++ that is not a number are one: those of nullptr,
    and of a pointer to a data member, which is an offset."""
    if isinstance(bare, MemberPointer):
        return not isinstance(strip(bare.target), Function)
    return isinstance(bare, Unspecified) and bare.is_nullptr


def _number(session: Session, value: TypedValue) -> int:
    """Return a number as an address, cut to the bits of one: of a floating point number without
    its fraction."""
    bare = strip(value.type)
    is_one = isinstance(bare, Base | Enum) and is_number(value.type) and not is_complex(bare)
    if value.type is None or not is_one:
        raise UsageError(_NO_INTEGER)
    _require_long_long(value)
    text = format(value, session, FormatOptions(letter="a"), _no_symbol)
    if not text.startswith("0x"):  # of a type whose values have no such format: `complex int`
        raise UsageError(_NO_INTEGER)
    return int(text, 16)
