"""Namelists of Fortran: structures whose members are variables in any storage (DWARF 5 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Member, Struct
from dwarfgpu.errors import IllFormed, UndefinedBits, Unsupported
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits, concatenate

Named: TypeAlias = Callable[[str], TypedValue]
"""What a name in an expression denotes."""


def namelist(objects: ObjectAccess, die: Die, named: Named) -> TypedValue:
    """Return a namelist as a structure with a copy of each variable; as in GDB, those that their
    names denote where the program is. Where nothing is evaluated, only their types are known.

    `IllFormed` for an item that is no variable, `LimitExceeded` for more than may be read, and the
    error of a variable that cannot be read.
    """
    members: list[Member] = []
    parts: list[Bits] = []
    offset_bits = 0
    is_read = not isinstance(objects, Unevaluated)
    above = die.parent()
    around = f"{above.name}::" if above is not None and above.tag == dw.TAG_MODULE else ""
    for name in _names(die):
        value = named(around + name)
        bits = _contents(objects, value, name) if is_read else Bits(0, size_bits(value.type) or 0)
        value = objects.read(value) if is_read else value  # a dynamic type is known then
        members.append(Member(name, value.type, offset_bits))
        parts.append(bits)
        offset_bits += bits.size_bits
        objects.check_size(offset_bits)
    whole = concatenate(parts, objects.context.endian) if is_read else None
    kind = Struct("struct", die.name, offset_bits // 8, tuple(members))
    return TypedValue(kind, bits=whole, unit=die.unit)


def _names(die: Die) -> Iterator[str]:
    """Yield the names of the variables of a namelist."""
    for item in die.children((dw.TAG_NAMELIST_ITEM,)):
        variable = item.reference(dw.AT_NAMELIST_ITEM)
        name = None if variable is None else variable.name
        if name is None:
            raise item.located(IllFormed("the item of a namelist is no variable"))
        yield name


def _contents(objects: ObjectAccess, value: TypedValue, name: str) -> Bits:
    """Return what a variable contains; undefined bits if it is optimized out."""
    read = objects.read(value)
    if read.bits is not None:
        return read.bits
    if isinstance(read.error, UndefinedBits):
        size = size_bits(read.type) or 0
        return Bits(0, size, undefined=(1 << size) - 1)
    raise read.error or Unsupported(f"{name} in a namelist")
