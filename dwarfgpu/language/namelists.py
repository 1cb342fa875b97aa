"""Namelists of Fortran: structures whose members are variables in any storage (DWARF 5 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Member, Struct
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    LimitExceeded,
    MissingContext,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.session.session import Session

Named: TypeAlias = Callable[[str], TypedValue | None]
"""The variable that a name in an expression denotes; None if it denotes anything else."""


def defined(session: Session, die: Die) -> Die:
    """Return the definition of a namelist, which GCC only declares in the units that use its
    module; `MissingContext` if no unit has it."""
    if not die.flag(dw.AT_DECLARATION):
        return die
    module, name = split_last(qualified_name(die))

    def is_definition(other: Die) -> bool:
        if other.tag != dw.TAG_NAMELIST or other.flag(dw.AT_DECLARATION):
            return False
        modules = {split_last(qualified_name(variable))[0] for _, variable in _items(other)}
        return module in modules

    # GCC defines it outside of the module.
    for whole in (f"::{module}::{name}", f"::{name}"):
        meanings = session.meanings(whole).of(whole, is_definition)
        if meanings and isinstance(meanings[0], Die):
            return meanings[0]
    raise MissingContext(
        f"the variables of the namelist {module}::{name} are unknown: it is only declared here"
    )


def namelist(objects: ObjectAccess, die: Die, function: str, named: Named) -> TypedValue:
    """Return a namelist as a structure with a copy of each variable. Where nothing is evaluated,
    only their types are known.

    `function`: the one in whose frame the variables are, if it is not that in focus.
    A member has the error of a variable that is unknown here, or cannot be read as a whole.
    `IllFormed` for an item that is no variable, `LimitExceeded` for more than may be read.
    """
    members: list[Member] = []
    parts: list[Bits] = []
    offset_bits = 0
    is_read = not isinstance(objects, Unevaluated)
    for name, variable in _items(die):
        try:
            value = _of_item(die, name, variable, function, named)
            value = objects.read(value) if is_read else value  # a dynamic type is known then
            size = size_bits(value.type) or 0
            bits = _contents(objects, value, name) if is_read else Bits(0, size)
        except DwarfGpuError as error:
            kind = types_of(variable.unit).type_of(variable)
            members.append(Member(name, kind, offset_bits, error=error))
            continue
        members.append(Member(name, value.type, offset_bits))
        parts.append(bits)
        offset_bits += bits.size_bits
        objects.check_size(offset_bits)
    whole = concatenate(parts, objects.context.endian) if is_read else None
    whole_type = Struct("struct", die.name, offset_bits // 8, tuple(members))
    return TypedValue(whole_type, bits=whole, unit=die.unit)


def _items(die: Die) -> Iterator[tuple[str, Die]]:
    """Yield the names and the entries of the variables of a namelist."""
    for item in die.children((dw.TAG_NAMELIST_ITEM,)):
        variable = item.reference(dw.AT_NAMELIST_ITEM)
        name = None if variable is None else variable.name
        if variable is None or name is None:
            raise item.located(IllFormed("the item of a namelist is no variable"))
        yield name, variable


def _of_item(die: Die, name: str, variable: Die, function: str, named: Named) -> TypedValue:
    """Return a variable of a namelist: in a function as in GDB what its name denotes there, because
    GCC refers to a declaration of its own; else the one to which DW_AT_namelist_item refers."""
    above, whole = die.parent(), qualified_name(variable)
    is_local = above is not None and above.tag in BLOCKS | FUNCTIONS
    simple = f"{function}::{name}" if function else name
    for candidate in (simple, whole) if is_local else (whole, simple):
        value = named(candidate)
        if value is not None:
            return value
    raise UsageError(f'No symbol "{whole}" in current context.')


def _contents(objects: ObjectAccess, value: TypedValue, name: str) -> Bits:
    """Return what a variable contains; undefined bits if it is optimized out. `LimitExceeded` if
    only its beginning is read."""
    size = size_bits(value.type)
    if value.bits is not None:
        if size is not None and value.bits.size_bits < size:
            read = f"{value.bits.size_bits // 8} of {size // 8} bytes are read"
            raise LimitExceeded(f"{name} in a namelist: {read}", "--max-bytes")
        return value.bits
    if isinstance(value.error, UndefinedBits) and size is not None:
        objects.check_size(size)
        return Bits(0, size, undefined=(1 << size) - 1)
    raise value.error or Unsupported(f"{name} in a namelist")
