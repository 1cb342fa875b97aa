"""What `=` does: writes to the machine, or keeps a value under a name."""

from __future__ import annotations

from attrs import evolve

from dwarfgpu.dwarf.types import Array, Base, Enum, Pointer, Struct, strip
from dwarfgpu.errors import EvaluationError, UndefinedBits, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.functions import INTERNAL
from dwarfgpu.language.options import Options
from dwarfgpu.language.places import Places
from dwarfgpu.language.value import TypedValue


def store(
    arithmetic: Arithmetic, options: Options, target: TypedValue, value: TypedValue
) -> TypedValue:
    """Write a value, converted to the type of what is written."""
    places = arithmetic.places
    if options.read_only is not None:
        raise UsageError(options.read_only)
    if target.is_fixed:
        raise UsageError("Left operand of assignment is not a modifiable lvalue.")
    if target.type is INTERNAL:
        raise UsageError(f"Cannot overwrite convenience function {target.convenience}")
    if target.convenience is not None and options.keep is not None:
        kept = _copied(places, value, target.convenience)
        options.keep(target.convenience, kept)
        return kept
    if target.location is None:
        raise UsageError("Left operand of assignment is not an lvalue.")
    bare = strip(target.type)
    if isinstance(bare, Struct | Array):
        bits = places.known(value)
        if not isinstance(strip(value.type), Struct | Array):
            raise UsageError("Invalid cast.")
        if bits.size_bits != target.size_bits:
            raise UsageError("Assignment of an object of another size.")
        number = bits.value
    elif isinstance(bare, Base | Enum | Pointer):
        number = arithmetic.stored(value, target)
    else:
        raise EvaluationError("Left operand of assignment is not a modifiable lvalue.")
    written = places.write(target, number)
    if options.wrote is not None:
        options.wrote()
    return places.read(written)


def _copied(places: Places, value: TypedValue, name: str) -> TypedValue:
    """A value as that of a convenience variable: contents and type, which are nowhere."""
    value = places.read(value)
    if value.error is not None and not isinstance(value.error, UndefinedBits):
        raise value.error
    return evolve(value, convenience=name, location=None, variable=None, is_fixed=False)
