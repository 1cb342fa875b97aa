"""Namelists of Fortran: structures whose members are variables in any storage (DWARF 5 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS
from dwarfgpu.dwarf.scope.variable import Variable
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


def of_module(session: Session, name: str) -> tuple[Meaning, ...]:
    """Return a namelist of a name such as `module::list`; empty if no module has it."""
    module, simple = split_last(name)
    whole = f"::{simple}"
    return session.meanings(whole).of(
        whole, lambda die: _is_definition(die) and module in _modules(die)
    )


def defined(
    session: Session,
    die: Die,
    scope: str,
    means: Callable[[str], Sequence[Meaning]],
    doubt: Callable[[str], None],
) -> Die:
    """Return the definition of a namelist. GCC only declares that of a module where the module is
    used, and defines it outside of the module, in the unit: of several there it is the one whose
    variables are all visible.

    `scope`: what the expression has before its name; `means`: what a name means in focus; `doubt`
    gets a note where the namelist may be that of another module.
    `MissingContext` if no unit has the definition, `UsageError` if it is one of several.
    """
    outer, name = split_last(qualified_name(die))
    if _is_local(die) or (outer and _is_definition(die)):
        return die
    definitions = _definitions(session, outer, name)
    if module := outer or scope:
        if outer and len(definitions) == 1:
            return definitions[0]
        matching = [definition for definition in definitions if module in _modules(definition)]
        alone = [definition for definition in matching if _modules(definition) == {module}]
        chosen = _only_one(alone, matching)
        if chosen is not None:
            if len(definitions) > 1 or not alone:
                doubt(_taken(chosen, f"{module}::{name}", definitions))
            return chosen
        if matching:
            several = f"several namelists {name} have variables of {module}"
            raise UsageError(f"{several}: which of them is its own is unknown")
        raise MissingContext(
            f"the variables of the namelist {module}::{name} are unknown: no namelist of that name "
            "has a variable of the module"
        )
    if len(definitions) < 2:
        return die
    means = cache(means)
    visible = [
        definition
        for definition in definitions
        if all(_means(means(name), variable) for name, variable in _items(definition))
    ]
    of_unit = [definition for definition in visible if definition.unit is session.unit]
    chain = session.meanings().chain
    around = qualified_name(chain[0]).partition("::")[0] if chain else ""
    enclosing = [definition for definition in visible if around in _modules(definition)]
    chosen = _only_one(of_unit)
    if chosen is not None:
        return chosen
    chosen = _only_one(enclosing, visible)
    if chosen is not None:
        if len(visible) > 1:
            doubt(_taken(chosen, name, visible))
        return chosen
    raise UsageError(f"the namelist {name} is one of several: give MODULE::{name}")


def _only_one(*groups: Sequence[Die]) -> Die | None:
    """Return the namelist of the first group that has just one."""
    return next((group[0] for group in groups if len(group) == 1), None)


def _taken(chosen: Die, name: str, candidates: Sequence[Die]) -> str:
    """Return a note on the choice of a namelist."""
    modules = " and ".join(sorted(_modules(chosen)))
    of_several = f"of {len(candidates)} such namelists the one" if candidates[1:] else "a namelist"
    return f"{name}: {of_several} with variables of {modules} is taken for it"


def _is_local(die: Die) -> bool:
    """Return whether a namelist is one of a function."""
    above = die.parent()
    return above is not None and above.tag in BLOCKS | FUNCTIONS


def _is_definition(die: Die) -> bool:
    return die.tag == dw.TAG_NAMELIST and not die.flag(dw.AT_DECLARATION)


def _definitions(session: Session, module: str, name: str) -> list[Die]:
    """Return the namelists of a name that units define, in a module or outside, once for each list
    of variables."""
    definitions: dict[tuple[str, ...], Die] = {}

    def collect(die: Die) -> bool:
        if _is_definition(die):
            variables = tuple(
                variable.linkage_name or qualified_name(variable) for _, variable in _items(die)
            )
            definitions.setdefault(variables, die)
        return False  # so that the search goes on

    for whole in (f"::{module}::{name}", f"::{name}") if module else (f"::{name}",):
        with suppress(UsageError):  # the module is in no unit
            session.meanings(whole).of(whole, collect)
    return list(definitions.values())


def _modules(die: Die) -> set[str]:
    """Return the modules of the variables of a namelist, as far as their entries are in one: GCC
    declares those of other files in the unit."""
    return {split_last(qualified_name(variable))[0] for _, variable in _items(die)} - {""}


def _means(meanings: Sequence[Meaning], variable: Die) -> bool:
    """Return whether a name means a variable."""
    first = next(iter(meanings), None)
    if not isinstance(first, Variable):
        return False
    linked = variable.linkage_name
    is_same = linked is not None and first.die.linkage_name == linked
    return is_same or qualified_name(first.die) == qualified_name(variable)


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
    whole = qualified_name(variable)
    simple = f"{function}::{name}" if function else name
    for candidate in (simple, whole) if _is_local(die) else (whole, simple):
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
