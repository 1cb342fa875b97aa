"""Static variables of the classes and functions of D, which compilers describe as variables of the
module: gdc those of classes, ldc2 those of functions. Only the linkage name says whose they are.

Law: a name means what the nearest scope around the code has (spec/module, "Symbol Lookup"), of a
class also what its base classes have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.d_names import MANGLED, DName, Step, d_name
from dwarfgpu.dwarf.names.qualified import MAIN_OF_D, parts
from dwarfgpu.dwarf.scope.declarations import around, declaration_of
from dwarfgpu.dwarf.scope.global_variables import own_globals_of
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, CLASSES, CONTAINERS, FUNCTIONS, decl_line
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.class_scope import bases
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import UsageError
from dwarfgpu.session.session import Session

_OF_CPLUSPLUS: Final = "_Z"
_CONVENTION_OF_CPLUSPLUS: Final = "R"
_UNKNOWN: Final = 1_000_000
"""The number of steps of a path that is not known: more than any path has."""
_MOST_CLASSES: Final = 1_000
"""Maximum number of base classes to search."""


def chosen(
    session: Session, lookup: NameLookup, name: str, meanings: tuple[Meaning, ...], takes: DieFilter
) -> tuple[Meaning, ...]:
    """Return what a name means; a lookup returned some meanings, which may be static variables of
    other scopes.

    `UsageError` for a static variable of several scopes, or one that no entry describes. `takes`:
    the filter of the lookup.
    """
    first = meanings[0] if meanings else None
    if isinstance(first, Variable) and first.kind != "global":
        return meanings
    *outer, simple = name.split("::")
    search = _Search(session, lookup, simple, meanings)
    entities = search.in_scope("::".join(outer)) if any(outer) else search.around_code()
    return search.in_module(name, takes) if entities is None else entities


def of_module_itself(die: Die) -> bool:
    """Return whether an entry is in no class, function or namespace that only its linkage name
    shows."""
    if die.tag != dw.TAG_VARIABLE or _is_in_class(die):
        return True
    linked = die.linkage_name or ""
    if linked.startswith(_OF_CPLUSPLUS):
        return len(_words(linked)) < 2
    known = d_name(linked)
    return known is None or len(known.steps) == len(_module(die)) + 1


class NotDescribed(UsageError):
    """A name means a static variable that no entry describes."""


@frozen
class _Scope:
    """What is known of the linkage names of the static variables of a function, class or
    template."""

    steps: tuple[Step, ...]
    """The path of the scope; without the parameters of functions where they are unknown."""
    beginning: str
    """How the names begin."""
    is_exact: bool = True
    """Whether all parameters in the path are known."""
    convention: str = ""
    """How the parameters of the function begin, as far as that is known."""

    def has(self, variable: Die) -> bool:
        """Return whether a variable is declared in the scope."""
        known = d_name(variable.linkage_name or "")
        return known is not None and self.is_around(known.steps)

    def is_around(self, steps: Sequence[Step]) -> bool:
        """Return whether a path is that of a variable in the scope."""
        *path, last = steps
        if last.is_function or len(path) != len(self.steps):
            return False
        if self.is_exact:
            return tuple(path) == self.steps
        is_called = all(map(_is_step, path, self.steps))
        return is_called and (path[-1].parameters or "").startswith(self.convention)

    def inner(self, word: str) -> _Scope:
        """Return a class or function in the scope, without its parameters."""
        return _Scope((*self.steps, Step(word)), self.beginning, is_exact=False)


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
    def code(self) -> list[Die]:
        """The function in focus and the scopes around it, the nearest first."""
        chain = self.lookup.chain[:1]
        return [*chain, *around(chain[0])] if chain else []

    def around_code(self) -> tuple[Meaning, ...] | None:
        """Return what the functions and classes around the code have; None for nothing."""
        for number, scope in enumerate(self.code):
            if scope.tag in FUNCTIONS:
                entities = self._of_functions(_functions(self.code[number:]), (scope,))
                entities = entities if number or entities is None else _of_code_itself(entities)
            else:
                entities = self._of_class(scope) if scope.tag in CLASSES else None
            if entities is not None:
                return entities
            for around_it in _scopes_without_entry(self.code[number:]):
                statics = self._of_scope(around_it, scope)
                if statics:
                    return statics
        return None

    def in_scope(self, path: str) -> tuple[Meaning, ...] | None:
        """Return what a class or functions have; None for no such scope, and for nothing in a
        class."""
        lookup, tags = self.session.meanings(path), CLASSES | {dw.TAG_SUBPROGRAM}
        entities: tuple[Meaning, ...] = ()
        with suppress(UsageError):
            entities = lookup.of(path, lambda die: die.tag in tags)
        scopes = [meaning for meaning in entities if isinstance(meaning, Die)]
        if scopes and scopes[0].tag in CLASSES:
            return self._of_class(scopes[0])
        if not scopes:
            return None
        functions = [item for scope in scopes for item in _functions([scope, *around(scope)])]
        statics = self._of_functions(functions, scopes)
        if statics is None and self.owner is None:
            return ()  # what is beside a function, outside of the module, is not in it
        return statics

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

    # Classes

    def _of_class(self, kind: Die) -> tuple[Meaning, ...] | None:
        """Return what a class or its base classes have."""
        pending, searched = [kind], set[Die]()
        while pending and len(searched) < _MOST_CLASSES:
            current = pending.pop()
            if current in searched:
                continue
            searched.add(current)
            statics = self._statics_of(current)
            if statics:
                return self._one(statics)
            if self.owner == current:
                return self.meanings
            if not self._is_owner_called(current):
                self._require_described(_classes([current, *around(current)]))
            above = [base for _, base, _ in bases(current, self.lookup.definition)]
            pending += reversed(above)
        return None

    def _is_owner_called(self, kind: Die) -> bool:
        """Return whether the owner may be another entry of a class."""
        owner = self.owner
        return owner is not None and owner.tag in CLASSES and owner.name == kind.name

    def _statics_of(self, kind: Die) -> list[Variable]:
        """Return the static members of a class itself: several only of instances of a template."""
        return self._described(kind, _members(kind))

    def _described(self, inner: Die, is_of_it: DieFilter) -> list[Variable]:
        """Return the variables of a scope around or at an entry: those of its unit, or of others
        that have its module."""
        statics = [item for item in self._of_unit(inner.unit) if is_of_it(item.die)]
        module = next((scope for scope in around(inner) if scope.tag in CONTAINERS), None)
        if statics or module is None or module.name is None or module in self.code:
            return statics
        path = f"{module.name}::{self.name}"
        with suppress(UsageError):
            entities = self.session.meanings(path).of(path, is_of_it)
            return [item for item in entities if isinstance(item, Variable)]
        return []

    def _one(self, statics: list[Variable]) -> tuple[Meaning, ...]:
        """Return the only static variable; `UsageError` for those of several scopes."""
        scopes = dict.fromkeys(map(_scope_of, statics))
        if len(scopes) > 1:
            listed = ", ".join(dict.fromkeys(map(_spelled, scopes)))
            raise UsageError(f'"{self.name}" is a static variable of several scopes: {listed}')
        if len({variable.die.linkage_name for variable in statics}) > 1:
            lines = sorted({decl_line(variable.die) or 0 for variable in statics})
            raise UsageError(
                f'several blocks of "{_spelled(_scope_of(statics[0]))}" declare "{self.name}", '
                f"at lines {', '.join(map(str, lines))}"
            )
        return (statics[0],)

    # Functions

    def _of_functions(
        self, functions: list[_Scope], dies: Iterable[Die]
    ) -> tuple[Meaning, ...] | None:
        """Return what functions have; `UsageError` for a static variable of several blocks, or one
        that only a symbol shows."""
        dies = tuple(dies)
        statics = [
            variable
            for unit in dict.fromkeys(die.unit for die in dies)
            for variable in self._of_unit(unit)
            if any(function.has(variable.die) for function in functions)
        ]
        if statics:
            return self._one(statics)
        if self.owner is not None and any(self.owner in tuple(die.origins()) for die in dies):
            return self.meanings
        self._require_described(functions)
        return None

    def _of_scope(self, scope: _Scope, inner: Die) -> tuple[Meaning, ...]:
        """Return what a scope without an entry has, which is around a class or function; empty for
        nothing."""
        statics = self._described(inner, scope.has)
        if not statics:
            self._require_described([scope])
        return self._one(statics) if statics else ()

    def _require_described(self, scopes: list[_Scope]) -> None:
        """Raise `NotDescribed` if scopes have a static variable of the name that no entry
        describes."""
        symbols: dict[str, _Scope] = {}
        for scope in scopes:
            symbols.update(dict.fromkeys(self._symbols_in(scope), scope))
        if symbols:
            whose = _spelled(next(iter(symbols.values())).steps)
            raise NotDescribed(
                f'the compiler does not describe the static variable "{self.name}" of {whose}: '
                f"its symbol is {' or '.join(symbols)}"
            )

    def _symbols_in(self, scope: _Scope) -> Iterator[str]:
        """Yield the symbols of static variables of a scope that have the name."""
        for code_object in self.session.objects_with(self.name):
            for file in symbol_files(code_object):
                for symbol in file.symbols_named(scope.beginning, scope.beginning):
                    steps = known.steps if (known := d_name(symbol.name)) is not None else ()
                    if steps and steps[-1].word == self.name and scope.is_around(steps):
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


def _module(die: Die) -> tuple[str, ...]:
    """Return the words of the module around an entry."""
    names = [scope.name or "" for scope in around(die) if scope.tag in CONTAINERS]
    return tuple(word for name in reversed(names) for word in name.split("."))


def _scope_of(variable: Variable) -> tuple[Step, ...]:
    """Return the path around a static variable."""
    linked = variable.die.linkage_name or ""
    known = d_name(linked)
    return tuple(map(Step, _words(linked)[:-1])) if known is None else known.steps[:-1]


def _spelled(steps: Sequence[Step]) -> str:
    """Return a path as it is written, but for the arguments of templates."""
    words: list[str] = []
    for step in steps:
        word, mark, _ = step.word.partition("!")
        if words and words[-1] == f"{word}!(…)":
            continue  # what the template declares with its own name
        words.append(f"{word}!(…)" if mark else word)
    return ".".join(words)


def _words(linked: str) -> list[str]:
    """Return the parts of a name of C++; none of one that cannot be read."""
    from dwarfgpu.dwarf.names.demangle import demangled  # few variables are extern(C++)

    return [part.text for part in parts(demangled(linked) or "")]


def _is_in_namespace(die: Die) -> bool:
    """Return whether an entry is in a namespace of C++, whose names the module has, and in no
    class."""
    linked, above = die.linkage_name or "", die.parent()
    if not linked.startswith(_OF_CPLUSPLUS) or above is None:
        return False
    outermost = _words(linked)[0]
    return all(kind.name != outermost for kind in above.children(CLASSES))


def _members(kind: Die) -> DieFilter:
    """Return a filter for the static members of a class."""
    scopes = (kind, *around(kind))
    outer = [scope.name or "" for scope in scopes if scope.tag in CLASSES][::-1]
    known = _classes(scopes)
    words = [*_module(kind), *outer]

    def is_member(die: Die) -> bool:
        if die.tag != dw.TAG_VARIABLE:
            return False
        linked = die.linkage_name or ""
        if linked.startswith(_OF_CPLUSPLUS):
            return _words(linked)[:-1] == outer
        if known:
            return any(scope.has(die) for scope in known)
        name = d_name(linked)
        return (
            name is not None
            and not name.steps[-1].is_function
            and _is_called(name.steps[:-1], words)
        )

    return is_member


def _name_in(die: Die) -> DName | None:
    """Return a linkage name of D that begins with the path of a class, that of one of its
    functions; of a function, its own. None if there is none."""
    functions = die.children((dw.TAG_SUBPROGRAM,)) if die.tag in CLASSES else (die,)
    names = (d_name(function.linkage_name or "") for function in functions)
    return next((name for name in names if name is not None and name.steps[-1].is_function), None)


def _classes(scopes: Sequence[Die]) -> list[_Scope]:
    """Return what is known of a class, the first of some scopes from the inside outwards, that has
    functions or is in one: several if that may have several names; empty for any other."""
    kind, *outer = scopes
    known = _name_in(kind)
    if known is not None:
        return [_Scope(known.steps[:-1], known.before[-1])]
    around_it = [scope for scope in outer if scope.tag not in BLOCKS - FUNCTIONS]
    if kind.name is None or "!" in kind.name or FUNCTIONS.isdisjoint(item.tag for item in outer):
        return []
    if around_it[0].tag not in FUNCTIONS | CLASSES:
        return []
    above = _functions if around_it[0].tag in FUNCTIONS else _classes
    return [scope.inner(kind.name) for scope in above(around_it)]


def _scopes_without_entry(scopes: Sequence[Die]) -> list[_Scope]:
    """Return the scopes directly around a class or function, the first of some scopes from the
    inside outwards, that only its linkage name shows, the nearest first: instances of templates,
    mixins, and with gdc the class of a function that is the instance of a template."""
    inner, *outer = scopes
    known = _name_in(inner)
    if known is None:
        return []
    end = _count_of_steps(outer)
    if not end:
        around_it = [scope for scope in outer if scope.tag == dw.TAG_MODULE]
        modules = _words_of(around_it) or _modules_of_unit(inner.unit)
        words = tuple(step.word for step in known.steps)
        end = max((len(item) for item in modules if words[: len(item)] == item), default=0)
    last = len(known.steps) - (2 if inner.tag in CLASSES else 1)
    return [
        _Scope(known.steps[:count], known.before[count]) for count in range(last, end or last, -1)
    ]


def _count_of_steps(scopes: Sequence[Die]) -> int:
    """Return the number of steps of the first class or function of some scopes; 0 if there is
    none."""
    for number, scope in enumerate(scopes):
        if scope.tag in CLASSES | FUNCTIONS:
            known = (
                _classes(scopes[number:]) if scope.tag in CLASSES else _functions(scopes[number:])
            )
            return min((len(item.steps) for item in known), default=_UNKNOWN)
    return 0


def _is_called(steps: Sequence[Step], words: Sequence[str]) -> bool:
    """Return whether the entries of the classes and modules of a path may have some names: that of
    an instance of a template, `T!int`, is the template and the class of its name in it."""
    left = list(steps)
    for word in words:
        template, mark, _ = word.partition("!")
        step = left.pop(0) if left else None
        if step is None or step.is_function:
            return False
        if not mark and step.word != word:
            return False
        if mark and not step.word.startswith(f"{template}!"):
            return False
        if mark and left and left[0].word == template:
            left.pop(0)
    return not left


def _functions(scopes: Sequence[Die]) -> list[_Scope]:
    """Return what is known of a function, the first of some scopes from the inside outwards:
    several if its entry does not say which one is meant."""
    function, *outer = scopes
    known = _name_in(function)
    if known is not None:
        return [_Scope(known.steps, known.beginning)]
    name = function.name or ""
    word = "main" if name == MAIN_OF_D else name
    for number, scope in enumerate(outer):
        if scope.tag in FUNCTIONS:
            return [above.inner(word) for above in _functions(outer[number:])]
    classes = [scope.name or "" for scope in outer if scope.tag in CLASSES][::-1]
    module = _module(function)
    modules = [module] if module else _modules_of_unit(function.unit) or [()]
    linked = function.linkage_name or ""
    namespaces = _words(linked)[:-1] if linked.startswith(_OF_CPLUSPLUS) and not module else classes
    candidates: list[_Scope] = []
    for words in modules:
        candidates.append(_of_words([*words, *namespaces, word]))
        if namespaces != classes:  # extern(C++, "space") is no scope of D
            candidates.append(_of_words([*words, *classes, word], _CONVENTION_OF_CPLUSPLUS))
    return candidates


def _of_words(words: Sequence[str], convention: str = "") -> _Scope:
    """Return the function of a path with nothing known but its words."""
    beginning, before = MANGLED, set[str]()
    for item in words:
        if item in before:
            break  # a reference, as compilers since 2017 write it
        before.add(item)
        beginning += f"{len(item)}{item}"
    return _Scope(tuple(map(Step, words)), beginning, is_exact=False, convention=convention)


def _modules_of_unit(unit: CompilationUnit) -> list[tuple[str, ...]]:
    """Return the words of the modules that a unit has, without those that it only imports."""
    modules = unit.root.children((dw.TAG_MODULE,))
    return _words_of(module for module in modules if not module.has(dw.AT_DECLARATION))


def _words_of(modules: Iterable[Die]) -> list[tuple[str, ...]]:
    return [tuple(module.name.split(".")) for module in modules if module.name is not None]


def _is_step(step: Step, of_function: Step) -> bool:
    """Return whether a step of a variable's path is that of its function's, whose parameters may be
    unknown."""
    if step.word != of_function.word:
        return False
    return of_function.parameters is None or step.parameters == of_function.parameters
