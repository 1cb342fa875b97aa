"""Instances of templates by the types of the values among their arguments.

`W<3>` and `W<3l>` are instances of `template<auto V> struct W`: names that are compared without the
types of values mean each of them. gcc calls the two classes `W<3>`: the entries of their arguments
have the types.

A class that gcc only declares has no such entries: it may be any of them.

Law: where an instance of a scope has the types that are written, no other one of it is meant; of
several without them, none is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names import function_paths as paths
from dwarfgpu.dwarf.names.comparable import has_values
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, exact, joined, parts, split_outside
from dwarfgpu.dwarf.names.type_names import full_name
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, path_of
from dwarfgpu.dwarf.scope.named_entries import VARIABLE_TEMPLATES
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, CONTAINERS
from dwarfgpu.dwarf.scope.variable_names import (
    instance_as_linked,
    is_outside_its_class,
    shown_name,
    variable_name,
)
from dwarfgpu.dwarf.types.types import Struct, Type
from dwarfgpu.dwarf.unit import CompilationUnit

_AROUND: Final = dw.TYPEDEFS | {
    dw.TAG_ARRAY_TYPE,
    dw.TAG_CONST_TYPE,
    dw.TAG_POINTER_TYPE,
    dw.TAG_PTR_TO_MEMBER_TYPE,
    dw.TAG_REFERENCE_TYPE,
    dw.TAG_RVALUE_REFERENCE_TYPE,
    dw.TAG_SUBROUTINE_TYPE,
    dw.TAG_VOLATILE_TYPE,
}
"""Types that have others in them."""
_MOST_TYPES: Final = 1_000
"""In an argument."""


def exact_name(die: Die) -> str:
    """Return the simple name of an instance with the types of the values among its arguments, as
    far as the file has them."""
    return exact(_typed(die).name)


def has_types(die: Die) -> bool:
    """Return whether the exact name of an entry has the types of all values: gcc does not write
    them into names, and the class that it only declares has no entries for its arguments."""
    return _typed(die).has_types


def shown_with_types(die: Die) -> str:
    """Return the name of a class, with those of the scopes around it, as GDB writes it with the
    types of the values."""
    scopes = [die, *(scope for scope in around(die) if scope.tag in CLASSES | CONTAINERS)]
    names = (shown_name(_typed(scope).name, scope) or ANONYMOUS for scope in reversed(scopes))
    return joined(tuple(names))


def spelled_with_types(type_: Type | None) -> str | Type | None:
    """Return the words for an instance with values among its arguments, with their types; any other
    type as it is."""
    die = type_.die if isinstance(type_, Struct) else None
    if die is None or not isinstance(type_, Struct) or not die.unit.is_cplusplus:
        return type_
    return shown_with_types(die) if has_values(full_name(type_)) else type_


def has_all_types(die: Die) -> bool:
    """Return the same of a class and those around it."""
    scopes = (scope for scope in around(die) if scope.tag in CLASSES)
    return has_types(die) and all(map(has_types, scopes))


def path_around(die: Die) -> tuple[str, ...]:
    """Return the canonical names of the scopes around a declaration, also where only its linkage
    name has them."""
    if is_outside_its_class(die):
        return tuple(scope.name for scope in parts(variable_name(die))[:-1])
    return tuple(scope.name for scope in path_of(die))


def exact_scope(die: Die) -> tuple[str, ...]:
    """Return the names of the namespaces and classes around a declaration, with the types of the
    values among their arguments."""
    if is_outside_its_class(die):
        return tuple(exact(scope.text) for scope in parts(variable_name(die))[:-1])
    scopes = (scope for scope in around(die) if scope.tag in CLASSES | CONTAINERS)
    return tuple(exact_name(scope) or ANONYMOUS for scope in scopes)[::-1]


def within(scope: Die) -> tuple[str, ...]:
    """Return what `exact_scope` returns for the members of a class."""
    scope = declaration_of(scope)
    return (*exact_scope(scope), exact_name(scope))


def is_in_scope(die: Die, scope: tuple[str, ...]) -> bool:
    """Return whether an entry, which is in a scope of these names, is in the one with these types
    of values."""
    return not any("<" in name for name in scope) or exact_scope(declaration_of(die)) == scope


def instances(dies: Iterable[Die]) -> dict[str, str]:
    """Return the names of instances of templates of classes and variables as they are shown, by
    their exact names: without those whose types the file does not have."""
    named = (
        (_typed(die), die) for die in dies if die.tag != dw.TAG_SUBPROGRAM and die.unit.is_cplusplus
    )
    return {
        exact(typed.name): shown_name(typed.name, die)
        for typed, die in named
        if typed.has_types and typed.name.endswith(">")
    }


class _Typed(NamedTuple):
    """The name of an instance with the types of the values among its arguments."""

    name: str
    has_types: bool
    """Whether it has them all."""


def _typed(die: Die) -> _Typed:
    if die.tag in VARIABLE_TEMPLATES:
        return _Typed(instance_as_linked(die) or die.name or "", has_types=True)
    name = die.described.name or ""
    template = paths.without_arguments(name)
    if template is None:
        return _Typed(name, has_types=True)
    for origin in die.described.origins():
        parameters = [*_parameters(origin)]
        if parameters:
            return _with_types(template, name, parameters)
    is_written = die.tag not in CLASSES or not has_values(name) or _writes_types(die.unit)
    return _Typed(name, is_written)


def _writes_types(unit: CompilationUnit) -> bool:
    """Return whether the compiler of a unit writes the types of values into names, unlike gcc. Type
    units, and partial units of dwz, do not say which one it is: no unit of their file may be of
    gcc."""
    producers = [unit.producer] if unit.producer else unit.info.producers
    return not any(parse_producer(producer).is_gcc for producer in producers)


def _parameters(die: Die) -> Iterator[Die]:
    for parameter in die.children(dw.TEMPLATE_PARAMETERS):
        if parameter.tag == dw.TAG_GNU_TEMPLATE_PARAMETER_PACK:
            yield from _parameters(parameter)
        else:
            yield parameter


def _with_types(template: str, name: str, parameters: list[Die]) -> _Typed:
    """Return the name of an instance with its values as the entries have them, where these are as
    many arguments as the name has."""
    arguments = split_outside(name[len(template) :].strip()[1:-1], ",")
    if len(arguments) != len(parameters):
        return _Typed(name, has_types=True)
    typed = [*map(_argument, parameters, arguments)]
    spelled = ", ".join(one.name for one in typed)
    return _Typed(f"{template}<{spelled}>", all(one.has_types for one in typed))


def _argument(parameter: Die, text: str) -> _Typed:
    from dwarfgpu.dwarf.names.template_arguments import spelled_value  # few names need it

    if parameter.tag == dw.TAG_TEMPLATE_VALUE_PARAMETER:
        return _Typed(spelled_value(parameter, text) or text, has_types=True)
    if parameter.tag != dw.TAG_TEMPLATE_TYPE_PARAMETER or not has_values(text):
        return _Typed(text, has_types=True)
    out, end, has_all = "", 0, True
    for instance in _instances_in(parameter.reference(dw.AT_TYPE)):
        name = instance.described.name or ""
        start = text.find(name, end)
        if start >= 0:  # a shorter name than that of the instance with this argument
            typed = _typed(instance)
            out, end = f"{out}{text[end:start]}{typed.name}", start + len(name)
            has_all = has_all and typed.has_types
    return _Typed(out + text[end:], has_all)


def _instances_in(kind: Die | None) -> Iterator[Die]:
    """Yield the instances of templates of classes in a type, with those around them, in the order
    in which C++ writes them."""
    pending, left = [kind], _MOST_TYPES
    while pending and left:
        left -= 1
        current = pending.pop()
        if current is None:
            continue
        if current.tag in CLASSES:
            scopes = [current, *(scope for scope in around(current) if scope.tag in CLASSES)]
            yield from (scope for scope in reversed(scopes) if "<" in (scope.described.name or ""))
        elif current.tag in _AROUND:
            inner = [current.reference(dw.AT_TYPE), current.reference(dw.AT_CONTAINING_TYPE)]
            if current.tag == dw.TAG_SUBROUTINE_TYPE:
                written = current.children((dw.TAG_FORMAL_PARAMETER,))
                inner += (
                    one.reference(dw.AT_TYPE) for one in written if not one.flag(dw.AT_ARTIFICIAL)
                )
            pending += reversed(inner)
