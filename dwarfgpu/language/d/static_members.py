"""Static variables of the classes and functions of D, which compilers describe as variables of the
module: gdc those of classes, ldc2 those of functions. Only the linkage name says whose they are.

Law: a name means what the nearest scope around the code has (spec/module, "Symbol Lookup"), of a
class also what its base classes have.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.d_names import Step
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, module_around, scope_path
from dwarfgpu.dwarf.scope.global_variables import own_globals_of
from dwarfgpu.dwarf.scope.imports import units_with_names
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, CONTAINERS, FUNCTIONS, decl_line
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.class_scope import bases
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import UsageError, plural
from dwarfgpu.language.d.scopes import (
    Path,
    Scope,
    linked_path,
    namespace,
    path_of,
    scope_of,
    scopes_of,
    spelled,
)
from dwarfgpu.session.session import Session

_MOST_CLASSES: Final = 1_000
"""Maximum number of base classes to search."""
_INTERFACE: Final = "11__InterfaceZ"
"""How the symbol of an interface ends, behind its path."""


class NotDescribed(UsageError):
    """A name means a static variable that no entry describes."""


def looked_up(
    session: Session, lookup: NameLookup, name: str, takes: DieFilter
) -> tuple[Meaning, ...]:
    """Return what a name means; what a lookup returns may be static variables of other scopes.

    `UsageError` for a static variable of several scopes, or one that no entry describes.
    """
    *outer, simple = name.split("::")
    try:
        meanings = lookup.of(name, takes)
    except UsageError:
        if statics := _Search(session, lookup, simple, ()).in_namespace(outer):
            return statics
        raise
    first = meanings[0] if meanings else None
    if isinstance(first, Variable) and first.kind != "global":
        return meanings
    search = _Search(session, lookup, simple, meanings)
    entities = search.in_scope(outer) if any(outer) else search.around_code()
    return search.in_module(name, takes) if entities is None else entities


def of_module_itself(die: Die) -> bool:
    """Return whether an entry is in no class, function or namespace that only its linkage name
    shows."""
    if die.tag != dw.TAG_VARIABLE or _is_in_class(die):
        return True
    path = path_of(die)
    if path is None:
        return True
    if path.is_of_cplusplus:
        return len(path.steps) == 2
    module = module_around(die)
    return len(path.steps) == (0 if module is None else len((module.name or "").split("."))) + 1


class _Search:
    """The search for a simple name."""

    def __init__(
        self, session: Session, lookup: NameLookup, name: str, meanings: tuple[Meaning, ...]
    ) -> None:
        self.session = session
        self.lookup = lookup
        self.name = name
        self.meanings = meanings
        """What the lookup returned."""

    @cached_property
    def owner(self) -> Die | None:
        """The class, function or module that declares the first of them."""
        if not self.meanings:
            return None
        first = self.meanings[0]
        die = first.die if isinstance(first, Variable) else first
        return next(filter(_is_owner, around(die)), None)

    @cached_property
    def module(self) -> Die | None:
        """The module of the code; without code, none."""
        return module_around(self.lookup.chain[0]) if self.lookup.chain else None

    def around_code(self) -> tuple[Meaning, ...] | None:
        """Return what the functions and classes around the code have; None for nothing."""
        for number, scope in enumerate(
            scopes_of(self.lookup.chain[0]) if self.lookup.chain else ()
        ):
            entities = None if scope.dies[0] == self.module else self._of(scope)
            if entities is not None:
                return entities if number else _of_code_itself(entities)
        return None

    def in_scope(self, outer: list[str]) -> tuple[Meaning, ...] | None:
        """Return what a class, functions or a namespace have; None for no such scope, and for
        nothing in a class."""
        path, tags = "::".join(outer), CLASSES | {dw.TAG_SUBPROGRAM}
        entities: tuple[Meaning, ...] = ()
        with suppress(UsageError):
            entities = self.session.meanings(path).of(path, lambda die: die.tag in tags)
        scopes = [meaning for meaning in entities if isinstance(meaning, Die)]
        if not scopes:
            return self.in_namespace(outer) or None
        if scopes[0].tag in CLASSES:
            return self._of(scope_of(scopes[:1]))
        statics = self._of(scope_of(scopes))
        if statics is None and self.owner is None:
            return ()  # what is beside a function, outside of the module, is not in it
        return statics

    def in_namespace(self, outer: list[str]) -> tuple[Meaning, ...]:
        """Return the variable of a namespace of C++ in the module of the code; empty for none."""
        module = self.module
        if module is None or module.name is None or not any(outer):
            return ()
        words = outer[1:] if outer[0] == module.name else outer
        statics = self._described(Scope((module,), namespace(words, module)))
        return self._one(statics) if statics else ()

    def in_module(self, name: str, takes: DieFilter) -> tuple[Meaning, ...]:
        """Return what a name means outside of classes and functions; a static variable of the only
        one that has it, which its code alone can name so, as in GDB."""
        if all(of_module_itself(item.die) for item in self.meanings if isinstance(item, Variable)):
            return self.meanings
        own = self.lookup.of(name, lambda die: takes(die) and of_module_itself(die))
        unit = self.lookup.unit
        if own and _unit_of(own[0]) == unit:
            return own
        statics = [] if unit is None else [*self._of_unit(unit)]
        statics = [item for item in statics if not of_module_itself(item.die)]
        in_namespaces = [item for item in statics if _is_in_namespace(item.die)]
        if own and not in_namespaces and _is_in_reach(own[0]):
            return own
        self.lookup.begin(name)  # without remarks on others
        taken = in_namespaces or statics
        return self._one(taken) if taken else own or self.meanings

    def _of_unit(self, unit: CompilationUnit) -> Iterator[Variable]:
        variables = own_globals_of(unit, {self.name})
        return (variable for variable in variables if variable.name == self.name)

    def _of(self, scope: Scope) -> tuple[Meaning, ...] | None:
        """Return what a scope has, a class also by its base classes; None for nothing."""
        pending, searched = [scope], set[Die]()
        while pending and len(searched) < _MOST_CLASSES:
            current = pending.pop()
            statics = self._described(current)
            if statics:
                return self._one(statics)
            if self._is_owner(current):
                return self.meanings
            if not self._is_owner_called(current):
                self._require_described(current)
            if statics := self._in_namespaces_of(current):
                return self._one(statics)
            kind = current.dies[0]
            if current.is_entry and kind.tag in CLASSES and kind not in searched:
                searched.add(kind)
                above = [base for _, base, _ in bases(kind, self.lookup.definition)]
                pending += [scope_of([base]) for base in reversed(above)]
        pointer = self.session.architecture.address_bits // 8
        if any(_has_room(kind, pointer) for kind in searched):
            self._require_no_interface(scope)
        return None

    def _require_no_interface(self, scope: Scope) -> None:
        """Raise `NotDescribed` if an interface has a static variable of the name: no compiler
        describes the interfaces of a class."""
        for code_object in self.session.objects_with(self.name):
            for unit in units_with_names(code_object.info):
                for variable in self._of_unit(unit) if unit.language == dw.LANG_D else ():
                    path = path_of(variable.die)
                    if path is not None and _is_of_interface(path, code_object):
                        owner = spelled(path.steps[:-1])
                        raise NotDescribed(
                            f'"{self.name}" may be that of the interface {owner}: the compiler '
                            f"does not describe the interfaces of {scope.dies[0].name}; write "
                            f"{owner}.{self.name}, or the module before the name"
                        )

    def _in_namespaces_of(self, scope: Scope) -> list[Variable]:
        """Return the variables of the namespaces in one, whose names it has, too; a nearer one
        hides those of the namespaces in its own."""
        entry = scope.dies[0]
        if scope.is_entry and entry.tag != dw.TAG_NAMESPACE:
            return []
        paths = [path for path in scope.paths if path.is_of_cplusplus]
        inside = {
            variable: path.steps[:-1]
            for variable in (self._of_unit(entry.unit) if paths else ())
            if (path := path_of(variable.die)) is not None and _is_in_namespace(variable.die)
            if any(outer.is_above(path) for outer in paths)
        }
        hidden = {
            steps
            for steps in inside.values()
            if any(steps[:count] in inside.values() for count in range(len(steps)))
        }
        return [variable for variable, steps in inside.items() if steps not in hidden]

    def _is_owner(self, scope: Scope) -> bool:
        """Return whether a scope declares what the lookup returned."""
        origins = (tuple(die.origins()) for die in scope.dies if scope.is_entry)
        return self.owner is not None and any(self.owner in items for items in origins)

    def _is_owner_called(self, scope: Scope) -> bool:
        """Return whether the owner may be another entry of a class."""
        owner = self.owner
        if owner is None or owner.tag not in CLASSES or not scope.is_entry:
            return False
        return any(owner.name == die.name for die in scope.dies)

    def _described(self, scope: Scope) -> list[Variable]:
        """Return the variables of a scope, several only of instances of a template: those of its
        units, or of others that have its module."""

        def is_of_it(die: Die) -> bool:
            path = path_of(die) if die.tag == dw.TAG_VARIABLE else None
            return path is not None and any(item.is_around(path) for item in scope.paths)

        units = dict.fromkeys(die.unit for die in scope.dies)
        variables = (variable for unit in units for variable in self._of_unit(unit))
        statics = [variable for variable in variables if is_of_it(variable.die)]
        module = module_around(scope.dies[0])
        if statics or module is None or module == self.module:
            return statics
        path = "::".join((*scope_path(module), self.name))
        with suppress(UsageError):
            entities = self.session.meanings(path).of(path, is_of_it)
            return [item for item in entities if isinstance(item, Variable)]
        return []

    def _one(self, statics: list[Variable]) -> tuple[Meaning, ...]:
        """Return the only static variable; `UsageError` for those of several scopes."""
        scopes = dict.fromkeys(map(_scope_of, statics))
        if len(scopes) > 1:
            listed = ", ".join(dict.fromkeys(map(spelled, scopes)))
            raise UsageError(f'"{self.name}" is a static variable of several scopes: {listed}')
        if len({variable.die.linkage_name for variable in statics}) > 1:
            lines = sorted({decl_line(variable.die) or 0 for variable in statics})
            raise UsageError(
                f'several blocks of "{spelled(_scope_of(statics[0]))}" declare "{self.name}", '
                f"at {plural(len(lines), 'line')} {', '.join(map(str, lines))}"
            )
        return (statics[0],)

    def _require_described(self, scope: Scope) -> None:
        """Raise `NotDescribed` if a scope has a static variable of the name that no entry
        describes."""
        symbols: dict[str, Path] = {}
        for path in scope.paths:
            symbols.update(dict.fromkeys(self._symbols_in(path), path))
        if symbols:
            whose = spelled(next(iter(symbols.values())).steps)
            raise NotDescribed(
                f'the compiler does not describe the static variable "{self.name}" of {whose}: '
                f"its symbol is {' or '.join(symbols)}"
            )

    def _symbols_in(self, scope: Path) -> Iterator[str]:
        """Yield the symbols of static variables of a scope that have the name."""
        if not scope.beginning:
            return
        for code_object in self.session.objects_with(self.name):
            for file in symbol_files(code_object):
                for symbol in file.symbols_named(scope.beginning, scope.beginning):
                    path = linked_path(symbol.name)
                    is_called = path is not None and path.steps[-1].word == self.name
                    if is_called and scope.is_around(path):
                        yield symbol.name


def _of_code_itself(entities: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
    """Return what the function in focus has, whose static variables hide the variables of functions
    around it."""
    return tuple(
        evolve(meaning, kind="local") if isinstance(meaning, Variable) else meaning
        for meaning in entities
    )


def _unit_of(meaning: Meaning) -> CompilationUnit:
    return meaning.die.unit if isinstance(meaning, Variable) else meaning.unit


def _is_in_reach(meaning: Meaning) -> bool:
    """Return whether code of D may mean something, and it is not static in a file of C."""
    is_of_d = _unit_of(meaning).language == dw.LANG_D
    return is_of_d or not isinstance(meaning, Variable) or meaning.is_external


def _is_owner(scope: Die) -> bool:
    """Return whether names are declared in a scope, and not in the one around it."""
    is_named = scope.name is not None or scope.has(dw.AT_SPECIFICATION)
    return scope.tag in FUNCTIONS | CONTAINERS or (scope.tag in CLASSES and is_named)


def _is_in_class(die: Die) -> bool:
    """Return whether an entry is declared in that of its class."""
    above = declaration_of(die).parent()
    return above is not None and above.tag in CLASSES


def _scope_of(variable: Variable) -> tuple[Step, ...]:
    """Return the path around a static variable."""
    path = path_of(variable.die)
    return () if path is None else path.steps[:-1]


def _is_in_namespace(die: Die) -> bool:
    """Return whether an entry is in a namespace of C++, whose names the module has, and in no
    class."""
    path, above = path_of(die), die.parent()
    if path is None or not path.is_of_cplusplus or above is None:
        return False
    words = {step.word for step in path.steps[1:-1]}
    return words.isdisjoint(kind.name for kind in _classes_around(above))


def _classes_around(scope: Die) -> Iterator[Die]:
    """Yield the classes beside what is in a scope, and those of the modules and namespaces of its
    unit."""
    yield from scope.children(CLASSES)
    pending = [scope.unit.root]
    while pending:
        current = pending.pop()
        yield from current.children(CLASSES)
        pending += current.children(CONTAINERS)


def _is_of_interface(variable: Path, code_object: CodeObject) -> bool:
    """Return whether a static variable is that of an interface, which has a symbol of its own."""
    symbol = f"{variable.texts[-2]}{_INTERFACE}"
    return any(file.symbols_named(symbol) for file in symbol_files(code_object))


def _has_room(kind: Die, pointer: int) -> bool:
    """Return whether the objects of a class may have the pointer of an interface: bytes that no
    member and no base class has."""
    if kind.name == "Object":
        return False
    size = kind.integer(dw.AT_BYTE_SIZE)
    if size is None:
        return True
    parts = [*kind.children((dw.TAG_MEMBER, dw.TAG_INHERITANCE))]
    is_derived = any(part.tag == dw.TAG_INHERITANCE for part in parts)
    taken = [(0, 0 if is_derived else pointer)]  # that of its functions
    for part in parts:
        start = part.integer(dw.AT_DATA_MEMBER_LOCATION)
        if start is not None:
            bits = size_bits(types_of(kind.unit).type_of(part)) or 0
            taken.append((start, start + bits // 8))
    end = 0
    for start, following in sorted(taken):
        if start - end >= pointer:
            return True
        end = max(end, following)
    return size - end >= pointer
