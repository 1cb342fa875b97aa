"""Namelists of Fortran: structures whose members are variables in any storage (DWARF 5 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, qualified_name
from dwarfgpu.dwarf.scope.meaning import Meaning
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

Named: TypeAlias = Callable[[str, str | None], TypedValue | None]
"""The variable that a name in an expression denotes; None if it denotes anything else, also if its
linkage name differs from one that is known."""

_USES: Final = dw.TAG_IMPORTED_MODULE, dw.TAG_IMPORTED_DECLARATION

_WITHOUT_LISTS: Final = {"ieee_arithmetic", "ieee_exceptions", "ieee_features", "omp_lib"}
"""Modules of compilers, which have no namelists."""


class _Definition(NamedTuple):
    """A definition of a namelist."""

    die: Die
    modules: tuple[str, ...]
    """The modules whose namelist it may be."""
    variables: tuple[str, ...]


def of_module(session: Session, name: str) -> tuple[Meaning, ...]:
    """Return a namelist of a name such as `module::list`; empty if no module has it."""
    module, simple = split_last(name)
    own = _of(module, _definitions(session, module, simple))
    return (own[0].die,) if own else ()


def defined(session: Session, die: Die, scope: str, doubt: Callable[[str], None]) -> Die:
    """Return the definition of a namelist. GCC only declares that of a module where the module is
    used, and defines it outside of the module, beside its entry.

    `scope`: what the expression has before its name; `doubt` gets a note where the namelist may be
    that of another module.
    `MissingContext` if no unit has the definition, `UsageError` if it is one of several.
    """
    outer, name = split_last(qualified_name(die))
    if _is_local(die) or (outer and _is_definition(die)):
        return die
    definitions = _definitions(session, outer, name)
    alike = {definition.variables for definition in definitions}
    if module := outer or scope:
        own = _of(module, definitions)
        if not own:
            raise MissingContext(
                f"the variables of the namelist {module}::{name} are unknown: no namelist of that "
                "name has a variable of the module"
            )
        if len(own) > 1:
            several = f"several namelists {name} may be that of {module}"
            raise UsageError(f"{several}: which of them is its own is unknown")
        is_sure = own[0].modules == (module,) or outer
        if not is_sure and (len(alike) > 1 or _modules(own[0].die) != {module}):
            doubt(_taken(own[0].die, f"{module}::{name}", len(alike)))
        return own[0].die
    by_module: dict[str, list[_Definition]] = {}
    for definition in definitions:
        for module in definition.modules:
            by_module.setdefault(module, []).append(definition)
    scopes = [*_modules_in_focus(session)]
    visible = [
        {own.variables: own for module in modules for own in _of(module, by_module.get(module, ()))}
        for modules in scopes
    ]
    nearest = next(filter(None, visible), None)
    if nearest is None and len(alike) < 2:
        nearest = {definition.variables: definition for definition in definitions[:1]}
    if nearest is None or len(nearest) > 1:
        raise UsageError(f"the namelist {name} is one of several: give MODULE::{name}")
    if not nearest:
        return die
    (chosen,) = nearest.values()
    count = len({variables for lists in visible for variables in lists})
    if count > 1 or not all(_is_known(session, module) for modules in scopes for module in modules):
        doubt(_taken(chosen.die, name, count))
    return chosen.die


def _taken(chosen: Die, name: str, count: int) -> str:
    """Return a note on the choice of a namelist."""
    of_several = f"of {count} such namelists the one" if count > 1 else "a namelist"
    modules = " and ".join(sorted(_modules(chosen)))
    contents = (
        f"variables of {modules}" if modules else ", ".join(item for item, _ in _items(chosen))
    )
    return f"{name}: {of_several} with {contents} is taken for it"


def _is_local(die: Die) -> bool:
    """Return whether a namelist is one of a function."""
    above = die.parent()
    return above is not None and above.tag in BLOCKS | FUNCTIONS


def _is_definition(die: Die) -> bool:
    return die.tag == dw.TAG_NAMELIST and not die.flag(dw.AT_DECLARATION)


def _is_defined_module(die: Die) -> bool:
    return die.tag == dw.TAG_MODULE and not die.flag(dw.AT_DECLARATION)


def _is_known(session: Session, module: str) -> bool:
    """Return whether the namelists of a module are known: if a unit defines it."""
    whole = f"::{module}"
    return module in _WITHOUT_LISTS or bool(session.meanings(whole).of(whole, _is_defined_module))


def _modules_in_focus(session: Session) -> Iterator[list[str]]:
    """Yield the modules whose namelists are visible in each scope around the place in focus, the
    nearest scope first: those that a function uses, and that no nearer one does. GCC defines the
    namelists that a module uses as if they were its own."""
    nearer: dict[str, None] = {}
    chain = session.meanings().chain
    for scope in (*reversed(chain), *(around(chain[0]) if chain else ())):
        modules = [scope]
        if scope.tag != dw.TAG_MODULE:
            uses = declaration_of(scope).children((dw.TAG_IMPORTED_MODULE,))
            modules = [used for use in uses if (used := use.reference(dw.AT_IMPORT)) is not None]
        names = dict.fromkeys(module.name or "" for module in modules)
        yield [name for name in names if name not in nearer]
        nearer |= names


def _of(module: str, definitions: Sequence[_Definition]) -> list[_Definition]:
    """Return the namelists that may be the one of a module, once for each list of variables; only
    one if it can be that of no other module."""
    own: dict[tuple[str, ...], _Definition] = {}
    for definition in definitions:
        if definition.modules == (module,):
            return [definition]
        if module in definition.modules:
            own.setdefault(definition.variables, definition)
    return list(own.values())


def _definitions(session: Session, module: str, name: str) -> list[_Definition]:
    """Return the namelists of a name that units define, in a module or outside."""
    inside: list[_Definition] = []
    units: dict[Die, None] = {}

    def collect(die: Die) -> bool:
        above = die.parent()
        if _is_definition(die) and above is not None:
            if above.tag == dw.TAG_MODULE:
                inside.append(_Definition(die, (above.name or "",), _variables(die)))
            else:
                units[above] = None
        return False  # so that the search goes on

    for whole in (f"::{module}::{name}", f"::{name}") if module else (f"::{name}",):
        with suppress(UsageError):  # the module is in no unit
            session.meanings(whole).of(whole, collect)
    return [*inside, *(definition for unit in units for definition in _in_unit(unit, name))]


def _in_unit(unit: Die, name: str) -> Iterator[_Definition]:
    """Yield the namelists of a name that a unit defines outside of its modules.

    GCC defines those of a module behind its entry, which it writes for the first variable; those of
    a module without one before its entry. Behind all modules it defines each one again.
    """
    entries = [*unit.children((dw.TAG_MODULE, dw.TAG_NAMELIST))]
    lists = [die for die in entries if _is_definition(die) and die.name == name]
    variables = {die: _variables(die) for die in lists}
    first, last = lists[: len(lists) // 2], lists[len(lists) // 2 :]
    is_twice = [variables[die] for die in first] == [variables[die] for die in last]
    again = set(last if is_twice else ())
    between: list[Die] = []
    before: list[str] = []
    for entry in (*entries, None):
        if entry in variables:
            if entry not in again:
                between.append(entry)
        elif entry is None or _is_defined_module(entry):
            after = [entry.name or ""] if entry is not None and _is_behind_lists(entry) else []
            modules = (*before, *after)
            if len(between) == len(modules) == 2:
                owners: list[tuple[str, ...]] = [(module,) for module in modules]
            else:  # of an unknown module, too, if there are more
                unknown = ("",) if len(between) > len(modules) else ()
                owners = [(*modules, *unknown)] * len(between)
            for die, of in zip(between, owners, strict=True):
                yield _Definition(die, of, variables[die])
            between = []
            before = [entry.name or ""] if entry is not None and _is_before_lists(entry) else []


def _is_behind_lists(module: Die) -> bool:
    """Return whether the entry of a module may be behind one of its namelists: if it does not begin
    with a variable."""
    first = next(module.children((dw.TAG_VARIABLE, *_USES)), None)
    return first is None or first.tag != dw.TAG_VARIABLE


def _is_before_lists(module: Die) -> bool:
    """Return whether the entry of a module may be before one of its namelists: also if GCC writes
    it for a variable in a common block that is in the first of them."""
    is_of_common = next(module.children((dw.TAG_COMMON_BLOCK,)), None) is not None
    return is_of_common or not _is_behind_lists(module)


def _variables(die: Die) -> tuple[str, ...]:
    """Return the linkage names, or the names, of the variables of a namelist."""
    return tuple(variable.linkage_name or qualified_name(variable) for _, variable in _items(die))


def _modules(die: Die) -> set[str]:
    """Return the modules of the variables of a namelist, as far as their entries are in one: GCC
    declares those of other files in the unit."""
    return {split_last(qualified_name(variable))[0] for _, variable in _items(die)} - {""}


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
    GCC refers to a declaration of its own; else the one to which DW_AT_namelist_item refers, of
    which GCC may have only the linkage name."""
    whole = qualified_name(variable)
    linked = None if _is_local(die) else variable.linkage_name
    candidates = [f"{function}::{name}" if function else name, whole]
    if not _is_local(die):
        candidates = [whole, linked or "", *([] if "::" in whole else [f"::{whole}", *candidates])]
    for candidate in filter(None, candidates):
        value = named(candidate, linked)
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
