"""Evaluate an expression to an address, for commands that take an address."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Function, Pointer, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import is_integer, is_number
from dwarfgpu.language.complexes import is_complex
from dwarfgpu.language.dereference import LONG_LONG_BITS, TOO_WIDE
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.evaluator import evaluate
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import format
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import FormatOptions

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
    objects.known(value)
    number = _number(session, value)
    return objects.resolved(objects.space_of(Pointer(None), None), number)


def _number(session: Session, value: TypedValue) -> int:
    """Return a number as an address: of a floating point number without its fraction, as in GDB."""
    bare = strip(value.type)
    is_one = isinstance(bare, Base | Enum) and is_number(value.type) and not is_complex(bare)
    if value.type is None or not is_one:
        raise UsageError(_NO_INTEGER)
    if is_integer(bare) and (value.size_bits or 0) > LONG_LONG_BITS:
        raise UsageError(TOO_WIDE)
    # Without symbols, which may not be readable: the number alone is needed.
    text = format(value, session, FormatOptions(letter="a"), lambda _address: None)
    if not text.startswith("0x"):  # of a type whose values have no such format: `complex int`
        raise UsageError(_NO_INTEGER)
    return int(text, 16)
