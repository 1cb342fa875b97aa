"""Variables of functions that have neither a name nor code.

Clang puts the LDS variables of a function that is only inlined into a DW_TAG_subprogram without
attributes. Nothing refers to it, but each variable has a declaration position (DWARF 5 2.14).

Law: a variable belongs to the last function declared before it in the same file. If the instances
of a template disagree on its type, the variable of one instance is known only if the types
correspond one to one to a template argument, which a note says; otherwise the name is ambiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.forms import read_uleb
from dwarfgpu.dwarf.names.qualified import canonical
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import declaration_of, is_nameless_function
from dwarfgpu.dwarf.scope.scope_entries import (
    BLOCKS,
    CONTAINERS,
    FUNCTIONS,
    TEMPLATE_PARAMETERS,
    calls_below,
    decl_file,
    decl_line,
    name_of,
)
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Array, Type, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.context import ExprLoc

DeclarationLine: TypeAlias = tuple[str, int]
"""Source file and line of a declaration."""
_OP_ADDRX: Final = 0xA1
_MAX_SHOWN: Final = 8
"""Types that one message names."""


@kept_with(first)
def nameless_variables(unit: CompilationUnit) -> tuple[Variable, ...]:
    """Return the variables of nameless functions of a unit, in the order of the file."""
    tree = unit.tree
    variables: list[Variable] = []
    for index in tree.with_tags({dw.TAG_SUBPROGRAM}):
        if not tree.abbreviations[index].attributes:
            function = unit.die(index)
            if is_nameless_function(function):
                variables += variables_below(function)
    return tuple(evolve(variable, kind="global") for variable in variables)


def is_nameless(variable: Die) -> bool:
    """Return whether the entry of a variable is in a nameless function."""
    above = variable.parent()
    while above is not None and above.tag in BLOCKS:
        above = above.parent()
    return above is not None and is_nameless_function(above)


def variables_of(function: Die, name: str | None = None) -> list[Variable]:
    """Return the variables of nameless functions that belong to a function, or to the inlined
    function: all, or those with a canonical name. Several of one name belong to several
    instances."""
    candidates = [
        variable
        for variable in nameless_variables(declaration_of(function).unit)
        if name is None or canonical(variable.name) == name
    ]
    own = _declaration_line(function) if candidates else None
    return [candidate for candidate in candidates if own is not None and _owner(candidate) == own]


def in_nameless(
    functions: Iterable[Die], name: str, accepts: Callable[[Die], bool]
) -> tuple[Variable, ...]:
    """Return a variable that belongs to a function without being in its entry."""
    for function in functions:
        if function.tag in FUNCTIONS:
            variables = [
                variable for variable in variables_of(function, name) if accepts(variable.die)
            ]
            if variables:
                return (one_of(variables, function),)
    return ()


def owners_of(variable: Variable) -> Iterator[Die]:
    """Return the functions to which a variable of a nameless function may belong."""
    owner = _owner(variable)
    if owner is not None:
        for index in _functions_by_line(variable.unit).get(owner, ()):
            yield variable.unit.die(index)


@kept_with(first)
def _functions_by_line(unit: CompilationUnit) -> dict[DeclarationLine, tuple[int, ...]]:
    """Return the functions of a unit that say where they are declared, in the order of the file."""
    functions: dict[DeclarationLine, list[int]] = {}
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.tag == dw.TAG_SUBPROGRAM and abbreviation.attributes:
            declared_line = _declaration_line(unit.die(index))
            if declared_line is not None:
                functions.setdefault(declared_line, []).append(index)
    return {declared_line: tuple(indices) for declared_line, indices in functions.items()}


def without_arguments(name: str) -> str:
    """Return the name of a function without the template arguments at its end."""
    return name.partition("<")[0] if name.endswith(">") and "operator" not in name else name


def one_of(variables: Iterable[Variable], function: Die | None = None) -> Variable:
    """Return the variable that represents all of several, or the instance of a function.

    `UsageError` if they differ and nothing selects one.
    """
    alike: dict[Hashable, Variable] = {}
    for variable in variables:
        alike.setdefault(_meaning(variable), variable)
    remaining = list(alike.values())
    if len(remaining) > 1 and function is not None:
        for feature, parameter in ((_element, _type_argument), (_count, _value_argument)):
            remaining = _following(remaining, function, feature, parameter)
        if len(remaining) == 1:
            note = (
                f"{remaining[0].name}: of {len(alike)} instances of a template, that of the same "
            )
            return evolve(remaining[0], note=note + "template arguments is used, by its type")
    if len(remaining) > 1:
        raise UsageError(_ambiguous(remaining))
    return remaining[0]


def one_at(variables: list[Variable], scopes: Sequence[Die]) -> Variable:
    """Return the variable of one name for the code at a place: that of the innermost function that
    has one, else of functions inlined anywhere in the subprogram; else as `one_of`.

    `scopes`: those there, from the subprogram inwards. `UsageError` if several differ.
    """
    functions = [scope for scope in scopes if scope.tag in FUNCTIONS]
    for function in reversed(functions):
        if own := _among(variables, function):
            return one_of(own, function)
    inlined: dict[Variable, Die] = {}
    for call in calls_below(functions[0]) if functions else ():
        if own := _among(variables, call):
            inlined.setdefault(one_of(own, call), call)
    if not inlined:
        return one_of(variables)
    chosen = one_of(inlined)
    owner = name_of(inlined[chosen]) or "a function"
    note = f"{chosen.name} is that of {owner}, which is inlined into this function"
    return evolve(chosen, note="; ".join(filter(None, (note, chosen.note))))


def _among(variables: list[Variable], function: Die) -> list[Variable]:
    return [
        variable
        for variable in variables_of(function, canonical(variables[0].name))
        if variable in variables
    ]


def agreed(function: Die) -> list[Variable]:
    """Return the variables of nameless functions that belong to a function, each name once;
    variables with several types in the instances of a template are all listed."""
    named: dict[str, list[Variable]] = {}
    for local in variables_of(function):
        named.setdefault(local.name, []).append(local)
    locals_here: list[Variable] = []
    for several in named.values():
        try:
            locals_here.append(one_of(several, function))
        except UsageError:
            locals_here += {_meaning(variable): variable for variable in several}.values()
    return locals_here


# Where things are declared


def _declaration_line(die: Die) -> DeclarationLine | None:
    """Return the DW_AT_decl_file and DW_AT_decl_line of an entry or of its origins."""
    try:
        line = decl_line(die)
        file = decl_file(die) if line else None
        return (file.path, line) if line and file is not None else None
    except DwarfGpuError:
        return None  # without a declaration position it belongs to no function


@kept_with(first)
def _functions(unit: CompilationUnit) -> dict[str, tuple[int, ...]]:
    """Return the lines at which functions of a unit are declared that are not in others, by
    file."""
    lines: dict[str, set[int]] = {}
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.tag == dw.TAG_SUBPROGRAM and abbreviation.attributes:
            die = unit.die(index)
            declared_line = None if _is_inside(die) else _declaration_line(die)
            if declared_line is not None:
                lines.setdefault(declared_line[0], set()).add(declared_line[1])
    return {file: tuple(sorted(entries)) for file, entries in lines.items()}


def _is_inside(die: Die) -> bool:
    """Return whether a function is in another one, as a member of a local class is."""
    above = die.parent()
    while above is not None and above.tag not in CONTAINERS:
        if above.tag in FUNCTIONS:
            return True
        above = above.parent()
    return False


@kept_with(lambda variable: variable.unit)
def _owner(variable: Variable) -> DeclarationLine | None:
    """Return the declaration of the function to which a variable belongs."""
    declared_line = _declaration_line(variable.die)
    if declared_line is None:
        return None
    file, line = declared_line
    before = [
        function_line
        for function_line in _functions(variable.unit).get(file, ())
        if function_line <= line
    ]
    return (file, before[-1]) if before else None


# Several instances of a template


def _meaning(variable: Variable) -> Hashable:
    """Return what indistinguishable variables have in common: type, place, and declaration."""
    location: Hashable = variable.location
    if isinstance(variable.location, ExprLoc):
        location = _with_address(variable.unit, variable.location.expression)
    return _declaration_line(variable.die), variable.type_text, location


def _with_address(unit: CompilationUnit, expression: bytes) -> Hashable:
    """Return an expression that begins with an address by index, with the address in its place."""
    if expression[:1] == bytes((_OP_ADDRX,)):
        index, end = read_uleb(expression, 1, len(expression))
        return unit.address(index), expression[end:]
    return expression


def _following(
    remaining: list[Variable],
    function: Die,
    feature: Callable[[Variable], Hashable],
    argument: Callable[[Die], Hashable],
) -> list[Variable]:
    """Return the variables whose feature is a template argument of the function, if the features of
    all correspond one to one to those arguments of all instances."""
    features = {feature(variable) for variable in remaining}
    if len(features) < 2:
        return remaining
    own = _arguments(function, argument)
    every = [_arguments(instance, argument) for instance in _instances(function)]
    for position, mine in enumerate(own):
        if {arguments[position] for arguments in every if position < len(arguments)} == features:
            return [variable for variable in remaining if feature(variable) == mine]
    return remaining


def _instances(function: Die) -> Iterator[Die]:
    """Yield the functions of a unit that are declared where one is."""
    declared_line, unit = _declaration_line(function), declaration_of(function).unit
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.tag == dw.TAG_SUBPROGRAM and dw.AT_NAME in abbreviation.positions:
            die = unit.die(index)
            if _declaration_line(die) == declared_line:
                yield die


def _arguments(function: Die, argument: Callable[[Die], Hashable]) -> list[Hashable]:
    """Return the template arguments of a function; None for parameters of another kind."""
    for holder in function.origins():
        arguments = [
            argument(child) for child in holder.children() if child.tag in TEMPLATE_PARAMETERS
        ]
        if arguments:
            return arguments
    return []


def _type_argument(parameter: Die) -> Hashable:
    if parameter.tag != dw.TAG_TEMPLATE_TYPE_PARAMETER:
        return None
    return _text(types_of(parameter.unit).type_of(parameter))


def _value_argument(parameter: Die) -> Hashable:
    is_value = parameter.tag == dw.TAG_TEMPLATE_VALUE_PARAMETER
    return parameter.integer(dw.AT_CONST_VALUE) if is_value else None


def _element(variable: Variable) -> Hashable:
    kind = strip(variable.type)
    return _text(kind.element if isinstance(kind, Array) else kind)


def _count(variable: Variable) -> Hashable:
    kind = strip(variable.type)
    return kind.dimensions[0] if isinstance(kind, Array) and kind.dimensions else None


def _text(type_: Type | None) -> str:
    return type_name(strip(type_), cplusplus=True)


def _ambiguous(variables: list[Variable]) -> str:
    first = variables[0]
    declared_line = _declaration_line(first.die)
    if any(_declaration_line(variable.die) != declared_line for variable in variables):
        declarations = dict.fromkeys(
            _shown(_declaration_line(variable.die)) for variable in variables
        )
        return f'"{first.name}" is ambiguous: it is declared {_joined(declarations)}'
    types = dict.fromkeys(variable.type_text or "of no type" for variable in variables)
    have = "have one each" if len(types) == 1 else f"declare it as {_joined(types)}"
    return (
        f'"{first.name}" is ambiguous: the instances of the function around it, '
        f"{_shown(declared_line)}, {have}"
    )


def _shown(declared_line: DeclarationLine | None) -> str:
    return (
        "nowhere"
        if declared_line is None
        else f"at {declared_line[0].rpartition('/')[2]}:{declared_line[1]}"
    )


def _joined(parts: Iterable[str]) -> str:
    *first, last = parts
    cut = [*first[:_MAX_SHOWN], "…"] if len(first) > _MAX_SHOWN else first
    return f"{', '.join(cut)} and {last}" if first else last
