"""Instances of templates by the types of the values among their arguments.

`W<3>` and `W<3l>` are instances of `template<auto V> struct W`: names that are compared without the
types of values mean each of them. gcc calls the two classes `W<3>`: the entries of their arguments
have the types.

Law: where an instance of a scope has the types that are written, no other one of it is meant; of
several without them, none is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names import function_paths as paths
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, exact, parts, split_outside
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, path_of
from dwarfgpu.dwarf.scope.named_entries import VARIABLE_TEMPLATES
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, CONTAINERS
from dwarfgpu.dwarf.scope.variable_names import (
    instance_as_linked,
    is_outside_its_class,
    shown_name,
    variable_name,
)


def exact_name(die: Die) -> str:
    """Return the simple name of an instance with the types of the values among its arguments."""
    return exact(_typed(die))


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
    their exact names."""
    return {
        exact(name): shown_name(name, die)
        for die in dies
        if die.tag != dw.TAG_SUBPROGRAM and die.unit.is_cplusplus
        if (name := _typed(die)).endswith(">")
    }


def _typed(die: Die) -> str:
    if die.tag in VARIABLE_TEMPLATES:
        return instance_as_linked(die) or die.name or ""
    name = die.described.name or ""
    template = paths.without_arguments(name)
    if template is None:
        return name
    for origin in die.described.origins():
        parameters = [*_parameters(origin)]
        if parameters:
            return _with_types(template, name, parameters)
    return name


def _parameters(die: Die) -> Iterator[Die]:
    for parameter in die.children(dw.TEMPLATE_PARAMETERS):
        if parameter.tag == dw.TAG_GNU_TEMPLATE_PARAMETER_PACK:
            yield from _parameters(parameter)
        else:
            yield parameter


def _with_types(template: str, name: str, parameters: list[Die]) -> str:
    """Return the name of an instance with its values as the entries have them, where these are as
    many arguments as the name has."""
    from dwarfgpu.dwarf.names.template_arguments import spelled_value  # few names need it

    arguments = split_outside(name[len(template) :].strip()[1:-1], ",")
    if len(arguments) != len(parameters):
        return name
    values = (
        spelled_value(parameter) if parameter.tag == dw.TAG_TEMPLATE_VALUE_PARAMETER else None
        for parameter in parameters
    )
    spelled = [value or text for value, text in zip(values, arguments, strict=True)]
    return f"{template}<{', '.join(spelled)}>"
