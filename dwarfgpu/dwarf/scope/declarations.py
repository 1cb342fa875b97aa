"""Declarations: the scopes around them, and what they mean.

Law: a scope without a name of its own, or with an optional one (DWARF 5 3.2.2, 5.7, 5.8), is
transparent.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final, Literal

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, canonical
from dwarfgpu.dwarf.scope.named_entries import (
    TAGGED,
    TYPES,
    VARIABLE_TEMPLATES,
    VARIABLES,
    imports,
    named,
    named_outside_functions,
)
from dwarfgpu.dwarf.scope.scope_entries import (
    BLOCKS,
    CLASSES,
    CONTAINERS,
    TEMPLATE_PARAMETERS,
    code_ranges,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, NotUnderstood, UsageError

Kind = Literal["function", "variable", "type", "struct", "union", "enum"]
"""What a declaration outside functions and classes declares."""
MAX_AROUND: Final = 100
"""At most this many enclosing scopes are followed."""
_MAX_ALIASES: Final = 16


def name_problem(die: Die) -> DwarfGpuError | None:
    """Return why the name of an entry cannot be read; None if it can."""
    try:
        die.name  # noqa: B018
        declaration_of(die)
    except DwarfGpuError as error:
        return error.with_traceback(None)  # each of many entries may have one
    return None


def declaration_of(die: Die) -> Die:
    """Return the declaration that an entry completes."""
    *_, first = die.origins()
    return first


class _Enclosing:
    """A scope around entries, with that around it: all entries of a scope share what was read."""

    def __init__(self, die: Die) -> None:
        self.die = die

    @cached_property
    def outer(self) -> _Enclosing | None:
        """The next scope; None around a unit."""
        return _scope_around(self.die)

    @cached_property
    def is_unit(self) -> bool:
        return self.die.parent() is None

    @cached_property
    def is_anonymous_namespace(self) -> bool:
        return self.die.tag == dw.TAG_NAMESPACE and self.die.name is None

    @cached_property
    def step(self) -> Scope | None:
        """The scope in a path; None for blocks, which that leaves out."""
        die = self.die
        if die.tag in BLOCKS:
            return None
        return Scope(scope_name(die), is_transparent(die), die.tag == dw.TAG_SUBPROGRAM)

    @cached_property
    def qualifier(self) -> str | None:
        """The name before those of its entries; None for scopes that give none."""
        die = self.die
        if die.tag in CONTAINERS:
            return die.name or ANONYMOUS
        return die.name if die.tag in TAGGED else None


@kept_with(first)
def _kept_scopes(unit: CompilationUnit) -> KeptAnswers[Die, _Enclosing]:
    """Return those of a unit by what their entries are directly in."""
    return KeptAnswers(10_000)


def forget_scopes(unit: CompilationUnit) -> None:
    """Free the scopes around entries of a unit: a reader of the whole file no longer needs them."""
    _kept_scopes(unit).clear()


def _scope_around(die: Die) -> _Enclosing | None:
    """Return the scope of an entry's declaration."""
    above = declaration_of(die).parent()
    if above is None:
        return None
    kept = _kept_scopes(above.unit)
    scope = kept.get(above)
    if scope is None:
        scope = kept[above] = _Enclosing(above.described)
    return scope


def _outwards(die: Die) -> Iterator[_Enclosing]:
    """Yield the scopes of an entry's declaration, the nearest first; at most 100 are followed."""
    scope = _scope_around(die)
    for _ in range(MAX_AROUND):
        if scope is None:
            return
        yield scope
        scope = scope.outer


def is_in_anonymous_namespace(die: Die) -> bool:
    """Return whether a scope around an entry is an anonymous namespace."""
    return any(scope.is_anonymous_namespace for scope in _outwards(die))


def around(die: Die) -> Iterator[Die]:
    """Yield the entries of these scopes."""
    return (scope.die for scope in _outwards(die))


def module_around(die: Die) -> Die | None:
    """Return the module of D around an entry, which gdc may describe beside it; None for any
    other entry."""
    outermost = die
    for scope in around(die):
        if scope.tag == dw.TAG_MODULE:
            return scope
        if scope.parent() is not None:
            outermost = scope
    if die.unit.language != dw.LANG_D:
        return None
    from dwarfgpu.dwarf.scope.d_modules import module_beside  # for programs of D only

    return module_beside(outermost)


def _is_beside(die: Die, path: tuple[str, ...]) -> bool:
    """Return whether a path begins with the module that an entry is beside, and the rest is that
    of the entry."""
    if die.unit.language != dw.LANG_D or not path or not is_within(die, path[1:]):
        return False
    module = module_around(die)
    return module is not None and scope_name(module) == path[0]


def followed(die: Die) -> Die:
    """Return the target of a using-declaration or a namespace alias; after 16 that lead to each
    other, the next one of them."""
    for _ in range(_MAX_ALIASES):
        if die.tag != dw.TAG_IMPORTED_DECLARATION:
            break
        target = die.reference(dw.AT_IMPORT)
        if target is None:
            break
        die = target
    return die


def is_variable_alias(die: Die) -> bool:
    """Return whether an entry is another name of a variable, as clang describes `alias("x")` of C:
    a declaration that is imported under a name. In Fortran that is a name in one scope."""
    if die.tag != dw.TAG_IMPORTED_DECLARATION or die.unit.style not in dw.WITH_TYPES_OF_C:
        return False
    return die.name is not None and followed(die).tag == dw.TAG_VARIABLE


def is_nameless_function(die: Die) -> bool:
    """Return whether an entry is a function without attributes, as clang writes them for variables
    of functions that it does not describe otherwise."""
    return die.tag == dw.TAG_SUBPROGRAM and not die.abbreviation.attributes


def is_transparent(scope: Die) -> bool:
    """Return whether the names in a scope are also in the enclosing scope: for anonymous and inline
    namespaces, unnamed classes, structures of C (6.2.1) and Ada, in which GNAT describes subtypes
    with their whole names, enumerations other than `enum class`, blocks, and functions without
    attributes."""
    if scope.tag == dw.TAG_NAMESPACE:
        return scope.flag(dw.AT_EXPORT_SYMBOLS) or scope.name is None
    if scope.tag == dw.TAG_ENUMERATION_TYPE:
        return not scope.flag(dw.AT_ENUM_CLASS)
    if scope.tag in CLASSES:
        return scope.name is None or scope.unit.language in dw.C | dw.ADA
    return scope.tag in BLOCKS or is_nameless_function(scope)


def scope_name(scope: Die) -> str:
    """Return the canonical name of a namespace, type or function."""
    return canonical(scope.name or ANONYMOUS)


@frozen
class Scope:
    """One of the scopes around an entry."""

    name: str
    is_transparent: bool
    is_function: bool = False


def _steps_outwards(die: Die) -> Iterator[Scope]:
    """Yield the named scopes around an entry, the nearest first; without the unit."""
    for scope in _outwards(die):
        if scope.is_unit:
            return
        if scope.step is not None:
            yield scope.step


def path_of(die: Die) -> tuple[Scope, ...]:
    """Return the named scopes around an entry, from the outermost; without the unit."""
    return tuple(_steps_outwards(die))[::-1]


def is_in_function(die: Die) -> bool:
    """Return whether an entry is in a function: no name means it outside of that."""
    return any(scope.is_function for scope in _steps_outwards(die))


def is_in_unnamed_namespace(die: Die) -> bool:
    """Return whether an entry is in an unnamed namespace: what has its name in another unit is
    another entity (C++ [namespace.unnamed])."""
    return die.unit.is_cplusplus and any(scope.name == ANONYMOUS for scope in _steps_outwards(die))


def unit_of_unnamed(die: Die, user: CompilationUnit | None) -> CompilationUnit | None:
    """Return the unit whose entities are those of an unnamed namespace: that of a declaration, or
    of an object where the declaration is in a type unit, as those of several files may be one.
    None if neither is known."""
    units = (die.unit, user)
    return next((unit for unit in units if unit and not unit.header.is_type_unit), None)


def is_within(die: Die, scopes: tuple[str, ...]) -> bool:
    """Return whether `scopes` are the qualified name of an entry before its last part: every
    non-transparent scope is named, and nothing else. Farther scopes are not read for nothing."""
    positions = {len(scopes)}
    """How many of the wanted names may be left, from the inside outwards."""
    for scope in _steps_outwards(die):
        named = {count - 1 for count in positions if count and scopes[count - 1] == scope.name}
        positions = named | positions if scope.is_transparent else named
        if not positions:
            return False
    return 0 in positions


def scope_path(scope: Die) -> tuple[str, ...]:
    """Return the canonical names of a scope and of those around it."""
    return (*(outer.name for outer in path_of(scope)), scope_name(scope))


@kept_with(first, 64)
def named_within(unit: CompilationUnit, path: tuple[str, ...], name: str) -> tuple[Die, ...]:
    """Return the entities of a name in a namespace or class of a unit; a command asks for it
    several times. A function of the same name is another scope: its variables are of its frames."""
    members: list[Die] = []
    ends: dict[Die, Die] = {}
    template = name.partition("<")[0] if name.endswith(">") else ""
    instances = named(unit, template, VARIABLE_TEMPLATES) if template else ()
    for die in chain(named_outside_functions(unit, name), instances):
        is_part = die.tag == dw.TAG_MEMBER and not is_data(die)  # of an object only
        if is_part or not (is_within(die, path) or _is_beside(die, path)):
            continue
        if not _is_of_function(die):
            members.append(_end_of(die, ends))
    return tuple(dict.fromkeys(members))


def _is_of_function(die: Die) -> bool:
    """Return whether an entry is a variable of a function or of its blocks; those of functions
    without attributes are not."""
    if die.tag not in VARIABLES:
        return False
    scope = next((scope for scope in around(die) if scope.tag not in BLOCKS), None)
    return scope is not None and scope.tag == dw.TAG_SUBPROGRAM and not is_nameless_function(scope)


def _end_of(die: Die, ends: dict[Die, Die]) -> Die:
    """Return the target as `followed` does, however far it is; every step is taken once, because
    a file may have many aliases of one another."""
    passed: dict[Die, None] = {}
    while die.tag == dw.TAG_IMPORTED_DECLARATION and die not in passed:
        passed[die] = None
        target = ends[die] if die in ends else die.reference(dw.AT_IMPORT)
        if target is None:
            break
        die = target
    ends.update(dict.fromkeys(passed, die))
    return die


@kept_with(first)
def imports_by_scope(unit: CompilationUnit) -> dict[str, list[Die]]:
    """Return the using-directives and -declarations of a unit by the last names that the path to
    them may have, without those of transparent scopes; "" is the global namespace."""
    directives: dict[str, list[Die]] = {}
    for directive in imports(unit):
        for scope in reversed(path_of(directive)):
            directives.setdefault(scope.name, []).append(directive)
            if not scope.is_transparent:
                break
        else:
            directives.setdefault("", []).append(directive)
    return directives


def qualified(die: Die) -> tuple[str, ...]:
    """Return the names of the scopes around an entry and its own name, as written in the source; as
    in GDB, none of an unnamed class or enumeration."""
    names = [die.name or ""]
    scope = _scope_around(die)
    for _ in range(MAX_AROUND):  # not `_outwards`: many long names are made for a list
        if scope is None:
            break
        if scope.qualifier is not None:
            names.append(scope.qualifier)
        scope = scope.outer
    return tuple(reversed(names))


def qualified_function(die: Die) -> tuple[str, ...]:
    """Return the same for a function, in D after those of the functions that it is nested in."""
    names = qualified(die)
    if die.unit.language != dw.LANG_D:
        return names
    inner: tuple[str, ...] = ()
    for above in around(die):
        if above.tag == dw.TAG_SUBPROGRAM:
            outer = qualified(above)
            names, inner = outer, names[len(outer) - 1 :] + inner
    return names + inner


def qualified_name(die: Die) -> str:
    """Return the name of an entry, qualified with its enclosing namespaces and types."""
    return die.unit.joint.join(qualified(die))


def symbol_name(die: Die) -> str:
    """Return the name that GDB gives the symbol of an entry: of one in a function its own, of an
    enumerator without its enumeration, unless that is around it in the source."""
    if is_in_function(die):
        return die.name or ""
    above = die.parent()
    *scopes, simple = qualified(die)
    if above is not None and above.tag == dw.TAG_ENUMERATION_TYPE:
        is_around = above.flag(dw.AT_ENUM_CLASS) or above.name is None
        scopes = scopes if is_around else scopes[:-1]
    return die.unit.joint.join((*scopes, simple))


def template_parameter(scope: Die, name: str) -> Die | None:
    """Return a parameter of the template that a function or class is an instance of (DWARF 5
    2.23)."""
    for holder in scope.origins():
        for child in holder.children(TEMPLATE_PARAMETERS):
            if canonical(child.name or "") == name:
                return child
    return None


def is_data(die: Die) -> bool:
    """Return whether an entry is a variable, which a static member is: of DWARF 4, a member too."""
    if die.tag == dw.TAG_MEMBER:
        return die.flag(dw.AT_DECLARATION) or die.flag(dw.AT_EXTERNAL)
    return die.tag in VARIABLES


def is_member(die: Die) -> bool:
    """Return whether an entry was declared in a class."""
    above = declaration_of(die).parent()
    return above is not None and above.tag in CLASSES


def is_definition(die: Die) -> bool:
    """Return whether an entry is more than a declaration: a function, if it has code."""
    if die.tag == dw.TAG_SUBPROGRAM:
        return bool(code_ranges(die))
    if die.tag in TYPES and die.has(dw.AT_SIGNATURE):
        return True
    return not is_declared(die) or die.has(dw.AT_CONST_VALUE)


def is_declared(die: Die) -> bool:
    """Return whether an entry is a declaration, which may have a constant. gcc describes instances
    of inline templates as declarations that have a location: they are definitions."""
    return die.flag(dw.AT_DECLARATION) and not die.has(dw.AT_LOCATION)


def unknown_in(scope: Die | None, name: str) -> UsageError:
    """Return the error, with GDB's wording, that a scope has no such name; it may have no entry."""
    tag = None if scope is None else scope.tag
    if tag == dw.TAG_SUBPROGRAM:
        return NotUnderstood(f'No symbol "{name}" in specified context.')
    if scope is not None and tag in CONTAINERS:
        *outer, own = qualified(scope)
        shown = scope.unit.joint.join((*outer, own or ANONYMOUS))
        # GDB parses it in C++: what a namespace has is sought for the value.
        error = UsageError if scope.unit.is_cplusplus else NotUnderstood
        return error(f'No symbol "{name}" in namespace "{shown}".')
    if scope is not None and tag == dw.TAG_ENUMERATION_TYPE:
        return UsageError(f'no constant named "{name}" in enum "{qualified_name(scope)}"')
    return UsageError(f"There is no field named {name}")
