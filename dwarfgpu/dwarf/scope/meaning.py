"""The entities that a name can denote, and which of several takes precedence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import is_in_anonymous_namespace
from dwarfgpu.dwarf.scope.named_entries import TAGGED, TYPES, VARIABLES
from dwarfgpu.dwarf.scope.nameless_functions import is_nameless, one_at
from dwarfgpu.dwarf.scope.parameters import parameter_types, qualifiers_of, reference_of
from dwarfgpu.dwarf.scope.variable import Variable

Meaning: TypeAlias = Variable | Die
"""A variable; else the entry of a function, type, enumerator, namespace or member of an object."""
DieFilter: TypeAlias = Callable[[Die], bool]
EXPORTED_IN_CPLUSPLUS: Final = frozenset(TAGGED | {dw.TAG_ENUMERATOR})
"""Tags of entries that have no symbol, and that GDB finds in C++ before the static names of other
files."""

_WITHOUT_TAGS: Final = dw.FORTRAN | dw.ADA | {dw.LANG_PASCAL83, dw.LANG_D, dw.LANG_GO, dw.LANG_RUST}
"""Languages other than C++ in which the name of a type needs no `struct` before it."""


def ordinary(die: Die) -> bool:
    """Return whether an entry has an ordinary name: in C, tags of types are separate. Arrays have
    one in Ada only: gcc names vectors as the typedefs that lead to them."""
    tag = die.tag
    if tag == dw.TAG_ARRAY_TYPE:
        return die.unit.language in dw.ADA
    return tag not in TAGGED or die.unit.is_cplusplus or die.unit.language in _WITHOUT_TAGS


def besides_namespaces(die: Die) -> bool:
    """Return whether an entry has an ordinary name, and is no namespace."""
    return die.tag != dw.TAG_NAMESPACE and ordinary(die)


def is_type(die: Die) -> bool:
    """Return whether an entry that its name alone means is a type."""
    if die.tag in TAGGED or die.tag == dw.TAG_TEMPLATE_TYPE_PARAMETER:
        return True
    return die.tag in TYPES and ordinary(die)


def has_tag(tags: frozenset[int]) -> DieFilter:
    """Return a test for entries with one of these tags."""
    return lambda die: die.tag in tags


def is_function(meaning: Meaning) -> bool:
    """Return whether a name means a function."""
    return isinstance(meaning, Die) and meaning.tag == dw.TAG_SUBPROGRAM


def is_in_nameless(meaning: Meaning) -> bool:
    """Return whether a name means a variable of a function without a name."""
    die = meaning.die if isinstance(meaning, Variable) else meaning
    return die.tag == dw.TAG_VARIABLE and is_nameless(die)


def is_same_function(first: Die, second: Die) -> bool:
    """Return whether a definition belongs to a declaration of its name; only C++ functions have
    overloads, and entries of assemblers have no parameters.

    Their linkage names decide, where both have one, with the code of constructors for whole objects
    and for parts of objects as one function.
    """
    if first.tag != dw.TAG_SUBPROGRAM:
        return True
    if not second.unit.is_cplusplus and first.linkage_name is None:
        return True
    linked = first.linkage_name, second.linkage_name
    if None not in linked and first.unit.is_cplusplus and second.unit.is_cplusplus:
        if linked[0] == linked[1]:
            return True
        from dwarfgpu.dwarf.names.demangle import demangled  # few have one of two names

        printed = {demangled(name) for name in linked if name is not None}
        if None not in printed:
            return len(printed) == 1
    return _signature(first) == _signature(second)


def _signature(function: Die) -> tuple[str, ...]:
    """Return what differs between overloads, with types as they are written."""
    return (*parameter_types(function), qualifiers_of(function), reference_of(function))


def distinguished(meanings: list[Meaning], scopes: tuple[Die, ...]) -> list[Meaning]:
    """Return the same, with variables of nameless functions reduced to that of the code at a place;
    a variable of the namespace itself precedes them."""
    if len(meanings) < 2:
        return meanings
    nameless: list[Variable] = []
    named: list[Meaning] = []
    for meaning in meanings:
        if isinstance(meaning, Variable) and is_in_nameless(meaning):
            nameless.append(meaning)
        else:
            named.append(meaning)
    return named or [one_at(nameless, scopes)]


def is_external(meaning: Meaning) -> bool:
    """Return whether other units can mean an entry: a variable or function that is external; in C++
    also, as in GDB, an enumerator and a type with a tag. Those of C are only in their own file, and
    so is what is in an anonymous namespace (C++ [basic.link])."""
    die = meaning.die if isinstance(meaning, Variable) else meaning
    if is_in_anonymous_namespace(die):
        return False
    if isinstance(meaning, Variable):
        return meaning.is_external
    if die.tag in VARIABLES | {dw.TAG_SUBPROGRAM, dw.TAG_MEMBER}:
        return any(origin.flag(dw.AT_EXTERNAL) for origin in die.origins())
    if die.tag in EXPORTED_IN_CPLUSPLUS:
        return die.unit.is_cplusplus
    return die.tag not in TYPES


def is_external_definition(die: Die) -> bool:
    """Return whether an entry defines a function that other units can mean."""
    return is_function(die) and is_external(die) and not die.has(dw.AT_DECLARATION)


def is_removed(meaning: Meaning) -> bool:
    """Return whether a compiler removed a variable that no other unit can mean: it has neither a
    location nor a value."""
    if not isinstance(meaning, Variable) or meaning.is_external:
        return False
    return meaning.location is None


def shares_its_name(meaning: Meaning) -> bool:
    """Return whether a name means a namespace beside which a function can have the same name: rustc
    puts the closures of a function there. In C++ nothing can."""
    is_namespace = isinstance(meaning, Die) and meaning.tag == dw.TAG_NAMESPACE
    return is_namespace and not meaning.unit.is_cplusplus


def order(meaning: Meaning) -> int:
    """Return the rank of an entity: one that hides a type of its name is before the type (C++
    basic.scope.hiding), and all are before a namespace that shares its name."""
    if shares_its_name(meaning):
        return 2
    return int(isinstance(meaning, Die) and meaning.tag in TYPES)
