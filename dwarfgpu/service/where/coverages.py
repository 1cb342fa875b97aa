"""Find the coverage of the variables that a user asked for, and describe one in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.base.suggest import MOST_SUGGESTED, did_you_mean
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import CodeScope, Coverage
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables, is_function, is_template
from dwarfgpu.dwarf.coverage.unit_groups import UnitGroups
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.function_names import bare_name
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.scope.nameless_functions import is_nameless, owners_of, without_arguments
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.written_parameters import is_called
from dwarfgpu.dwarf.types.address_class import storage_of
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.service.error_text import error_line
from dwarfgpu.view.coverage_text import (
    function_text,
    share,
    variable_name,
)

_MAX_LISTED: Final = 4
_XDEREF: Final = b"\x18"
"""DW_OP_xderef, which is in every location in LDS that upstream clang writes."""
_OTHER_SCOPE: Final = pattern(r"\w+\.\w+|\w+:\w+")
"""A variable after its function as in other languages: `nest.t`."""
_PART: Final = pattern(r"[*&(\s]*(?P<name>\w+)\s*(?:\.|->|\[)")
"""The beginning of an expression with a part of a variable: `p.a`, `*p->next`, `in[3]`."""


def _of_nameless(variable: Variable) -> str:
    """Say to which nameless function a variable belongs, by file and line."""
    try:
        if not is_nameless(variable.die):
            return ""
        owners = dict.fromkeys(bare_name(name) or "" for name in owners_of(variable))
    except DwarfGpuError:
        return ""
    names = dict.fromkeys(filter(None, owners))
    if len(names) > 1:  # the instances of a template
        names = dict.fromkeys(without_arguments(name) for name in names)
    return f" of {' or '.join(names)}" if names else ""


def heading(coverage: Coverage) -> str:
    """Describe a variable: kind, type, name, line and function."""
    variable, scope = coverage.variable, coverage.code_scope
    try:
        typed = "" if variable.type_text is None else f"{variable.type_text} "
    except DwarfGpuError as error:
        typed = f"<error: {error_line(error)}> "
    try:
        line = "" if variable.decl_line is None else f", declared at line {variable.decl_line}"
    except DwarfGpuError as error:
        line = f", line <error: {error_line(error)}>"
    try:
        storage = storage_of(variable.die)
    except DwarfGpuError as error:
        storage = f"<error: {error_line(error)}>"
    line += "" if storage is None else f", in {storage} storage"
    of = _of_nameless(variable) if scope is None else f" of {function_text(scope)}"
    return f"{variable.kind} {typed}{variable_name(variable)}{line}{of}"


def amount(coverage: Coverage) -> str:
    """Return how much of its scope it is described in."""
    text = f"{share(coverage)} of {coverage.scope_bytes} bytes"
    part = coverage.described_bytes - coverage.complete_bytes
    if not part:
        return text
    kinds = {description.extent.completeness for description in coverage.descriptions}
    certainly = "" if "partly" in kinds else "perhaps "
    return f"{text}, {part} of them {certainly}in part"


def may_be_unplaced(coverage: Coverage) -> bool:
    """Return whether upstream clang describes a variable where another one may be, in LDS."""
    location, variable = coverage.location, coverage.variable
    if not isinstance(location, ExprLoc) or _XDEREF not in location.expression:
        return False
    from dwarfgpu.dwarf.lds_layout import is_unplaced  # few files have variables in LDS

    try:
        return is_unplaced(variable, location.expression)
    except DwarfGpuError:
        return False  # what cannot be read is a problem of the coverage


def described(
    file: CodeObject, query: Wanted, in_file: str, unknown: dict[str, UsageError] | None = None
) -> Iterator[UnitGroups]:
    """Yield the units of a file with the variables of a question, read on demand.

    A name without the arguments of its template is that of every instance, if nothing has the name
    itself; the same holds for the function. `UsageError` with `in_file` (`in FILE`) if the file has
    none of the names; at the end, `unknown` gets that error for each name that is not found while
    others are.
    """
    names = dict.fromkeys(query.names)
    if len(names) < 2 or unknown is None:
        return _described(file, query, in_file)
    return _several(file, query, in_file, list(names), unknown)


def _several(
    file: CodeObject,
    query: Wanted,
    in_file: str,
    missing: list[str],
    unknown: dict[str, UsageError],
) -> Iterator[UnitGroups]:
    """Return the units as `_described`, which record the names that none of them has."""
    first = _described(file, query, in_file)

    def units() -> Iterator[UnitGroups]:
        yield from _removing_found(first, query, missing)
        again = evolve(query, names=tuple(missing), is_generic=True, with_functions=False)
        if missing:
            wanted = find_variables(file.scopes, again)
            yield from _removing_found((unit for unit in wanted if unit.groups), again, missing)
        for name in missing:
            unknown[name] = _unknown(file, evolve(query, names=(name,)), in_file)

    return units()


def _removing_found(
    units: Iterable[UnitGroups], query: Wanted, missing: list[str]
) -> Iterator[UnitGroups]:
    """Yield the units, and remove the names of their variables from the missing ones."""
    for unit in units:
        for group in unit.groups if missing else ():
            for variable, code_scope in group.declared:
                missing[:] = [
                    name for name in missing if not query.matches_name(variable, code_scope, name)
                ]
        yield unit


def _described(file: CodeObject, query: Wanted, in_file: str) -> Iterator[UnitGroups]:
    units = find_variables(file.scopes, query)
    buffered: list[UnitGroups] = []
    for unit in units:
        if not query.with_functions:
            unit.functions = []  # there may be millions of them without a wanted variable
        buffered.append(unit)
        if unit.groups:
            return chain(buffered, units)
    is_named = bool(query.names) or query.function is not None
    if is_named and not query.is_generic and not any(unit.problems for unit in buffered):
        generic = list(find_variables(file.scopes, evolve(query, is_generic=True)))
        if any(unit.groups for unit in generic):
            return iter(generic)
    if any(unit.problems for unit in buffered) or evolve(query, with_functions=False) == Wanted():
        return iter(buffered)
    raise _unknown(file, query, in_file)


def _unknown(file: CodeObject, query: Wanted, in_file: str) -> UsageError:
    """Return the error for names that a file does not have."""
    if query.function is not None:
        similar = _similar_function(file, query.function)
        if similar is not None:
            return UsageError(f'Function "{query.function}" not defined {in_file}.{similar}')
    where = "" if query.function is None else f" in {query.function}"
    where += "" if query.pc is None else f" at {query.pc:#x}"
    title = " or ".join(f'"{name}"' for name in query.names)
    if not query.names:
        return UsageError(f"{file.name} describes no variables{where}")
    variables = _variables_of_function(file, query)
    if variables:
        listed = ", ".join(variables[:_MAX_LISTED])
        more = ", …" if len(variables) > _MAX_LISTED else ""
        return UsageError(f"{title} is a function {in_file}; its variables are {listed}{more}")
    suggestion = _suggestion(file, query) or _line_tables_only(file, query)
    return UsageError(f"No symbol {title}{where} {in_file}.{suggestion}")


def _line_tables_only(file: CodeObject, query: Wanted) -> str:
    """Return that the unit of the program location, or all, have no variables; empty if not."""
    from dwarfgpu.dwarf.scope.line_tables_only import no_variables  # most names are known

    if query.pc is None:
        return no_variables(file.info.units)
    try:
        unit = file.scopes.unit_at(query.pc)
    except DwarfGpuError:
        return ""
    return no_variables([] if unit is None else [unit])


def _variables_of_function(file: CodeObject, query: Wanted) -> list[str]:
    """Return the qualified names of the variables of a function whose name was given in place of
    theirs; none if the name is not that of a function."""
    if query.function is not None or query.pc is not None or len(query.names) != 1:
        return []
    name = query.names[0]
    names: dict[str, None] = {}
    for unit in find_variables(file.scopes, Wanted(function=name)):
        for group in unit.groups:
            for variable, code_scope in group.declared:
                if code_scope is not None and is_function(code_scope.functions[-1], name):
                    names[f"{name}{variable.die.unit.joint}{variable.name}"] = None
    return list(names)


def _similar_function(file: CodeObject, name: str) -> str | None:
    """Return a suggestion, or nothing, for a function that a file does not describe; None for one
    that it describes. The name is compared with the first functions only."""
    from dwarfgpu.dwarf.scope.functions_by_name import functions_named  # few names are unknown

    if any(_is_function(function.die, name) for function in functions_named(file, name)):
        return None
    functions: dict[str, None] = {}
    first = Wanted(with_functions=True, most_entries=MOST_SUGGESTED)
    for unit in find_variables(file.scopes, first):
        for code_scope in unit.functions:
            try:
                qualified = code_scope.qualified_name
                if is_called(code_scope.die, name) or is_template(qualified, name):
                    return None
                functions[without_arguments(qualified)] = None
            except DwarfGpuError:
                continue
        if unit.problems:
            return None
    return did_you_mean(name, functions)


def _is_function(die: Die, name: str) -> bool:
    """Return whether a name is that of a function, perhaps a template without its arguments."""
    try:
        return is_called(die, name) or is_template(qualified_name(die), name)
    except DwarfGpuError:
        return False


def _suggestion(file: CodeObject, query: Wanted) -> str:
    """Return ` Did you mean "limit"?` with a similar variable, and why names are not searched;
    otherwise empty."""
    first = Wanted((), query.function, query.pc, most_entries=MOST_SUGGESTED)
    every = list(find_variables(file.scopes, first))
    variables = [variable for unit in every for group in unit.groups for variable in group.declared]
    simple = {variable.name for variable, _ in variables}
    part = _PART.match(query.names[0])
    if part is not None and part["name"] in simple:
        name = part["name"]
        return f' "{name}" is a variable: give its name alone; location shows parts of variables'
    suggestion, last = "", query.names[0]
    for joint in dict.fromkeys(variable.die.unit.joint for variable, _ in variables):
        name = _with_scopes(query.names[0], joint)
        suggestion = suggestion or _similar_qualified(query.names[0], name, joint, variables)
        last = name.rpartition("::")[2]
    suggestion = suggestion or did_you_mean(last, sorted(simple))
    for cut in file.info.why_not_found:
        return f"{suggestion} Not searched: {cut.kind}: {cut}"
    problem = next((problem for unit in every for problem in unit.problems), None)
    return suggestion if problem is None else f"{suggestion} Not all names are readable: {problem}"


def _with_scopes(name: str, joint: str) -> str:
    """Return a name with `::`, of one that has the joint of a language, or may be qualified as in
    another language."""
    name = name.replace(joint, "::")
    if _OTHER_SCOPE.fullmatch(name):
        return name.replace(".", "::") if "." in name else name.replace(":", "::")
    return name


def _similar_qualified(
    written: str, name: str, joint: str, declared: Iterable[tuple[Variable, CodeScope | None]]
) -> str:
    """Return ` Did you mean "nest::t"?` with a similar variable of a language with this joint, for
    a name with `::`; empty where there is none."""
    if "::" not in name:
        return ""
    qualified = {
        full
        for variable, code_scope in declared
        if variable.die.unit.joint == joint
        for full in _qualified(variable, code_scope)
    }
    if name != written and name in qualified:
        return f' Did you mean "{name.replace("::", joint)}"?'
    return did_you_mean(name, sorted(qualified)).replace("::", joint)


def _qualified(variable: Variable, code_scope: CodeScope | None) -> Iterator[str]:
    """Yield the names by which a variable is found, with `::` also in D: `nest::t`,
    `detail::count::hits`."""
    joint = variable.die.unit.joint
    try:
        if code_scope is not None:
            function = without_arguments(code_scope.functions[-1].qualified_name)
            yield f"{function.replace(joint, '::')}::{variable.name}"
        elif is_nameless(variable.die):
            for owner in owners_of(variable):
                yield f"{without_arguments(bare_name(owner) or '')}::{variable.name}"
        else:
            yield variable_name(variable).replace(joint, "::")
    except DwarfGpuError:
        return
