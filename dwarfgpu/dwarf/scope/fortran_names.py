"""What a name means in a procedure of Fortran (Fortran 2018 14.2.2, 19.5.1.4).

From the inside outwards, each scoping unit has what it declares, and what it uses of modules; both
hide the names of its host. `use` makes the public entities of a module accessible, also those that
the module itself uses; what it renames has its new name only.

No debug information says what is private. gfortran makes the symbols of private variables hidden
and gives private procedures no DW_AT_external; of constants, types and what the module itself uses,
nothing says it. Where that decides between two entities, the name is refused as ambiguous; but a
variable or procedure of the used module itself that its symbol calls public is taken, with a note.
What is private and has no rival is taken, too.

GNU ld makes hidden symbols local in a shared library. A script of versions or link-time
optimization makes others local, too: a variable is taken for private, with a note, if its symbol is
local, the module has one that is not, and so have the external procedures of its file.

Law: what the compiler leaves out is unknown. gfortran does not describe what a block construct
uses, nor where the variables of a common block of a module are. Of what `only` lists or `use`
renames it leaves out constants, what the used module itself uses and, of a module of another file,
what nothing refers to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import Part, canonical, joined
from dwarfgpu.dwarf.scope.declarations import around, scope_path
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning, has_tag
from dwarfgpu.dwarf.scope.named_entries import TYPES, named
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, DATA, FUNCTIONS, entries_of
from dwarfgpu.dwarf.scope.unit_search import Path
from dwarfgpu.dwarf.scope.variable import Variable, declared_in, with_abstract
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import LimitExceeded, UsageError

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.unit_declarations import UnitDeclarations
    from dwarfgpu.objfile.elf import ObjectFile

_DECLARATIONS: Final = (dw.TAG_IMPORTED_DECLARATION,)
_GFORTRAN: Final = pattern(r"GNU Fortran")
_MODULE: Final = pattern(r"__.+?_MOD_")
"""How gfortran begins the names of a module's symbols."""
_MOST_ASKED: Final = 64
"""Procedures of a file whose symbols are looked at."""
_is_module: Final = has_tag(frozenset({dw.TAG_MODULE}))
_InBlock: TypeAlias = Callable[[Die, Part, DieFilter], tuple[Meaning, ...]]
_NOTHING: Final = frozenset[Path]()
_RENAMED: Final = 16
"""Renamed entities that count as one import where they are passed on."""


@frozen
class Found:
    """What the scoping units around a place have for a name."""

    meanings: tuple[Meaning, ...] = ()
    of_enclosing: Variable | None = None
    """It is this variable of the host procedure, in another frame."""
    notes: tuple[str, ...] = ()
    """What else it could be."""


class _Use(NamedTuple):
    """A module that a scoping unit uses without `only`."""

    module: Die
    renamed: frozenset[Path]
    """What it does not make accessible to the one that is asked: what that and those between them
    rename."""


class _Used(NamedTuple):
    """What a scoping unit may have for a name by `use`."""

    meanings: tuple[Meaning, ...]
    is_public: bool
    """Whether the module itself declares it, and a symbol calls it public."""
    user: Die
    """The scoping unit."""

    @property
    def identity(self) -> Path:
        """The path of the entity."""
        return _identity(self.meanings[0])


class FortranNames:
    """The search for one name, from one place."""

    def __init__(
        self, lookup: UnitDeclarations, in_block: _InBlock, part: Part, accepts: DieFilter
    ) -> None:
        self._lookup = lookup
        self._in_block = in_block
        """Returns what a block or the procedure in focus declares, and what `only` names there."""
        self._part = part
        self._accepts = accepts
        self._private: list[tuple[Meaning, ...]] = []
        """What the used modules have, and keep private."""
        self._localized: dict[Path, None] = {}
        """Those of them whose symbols are local, so that they could be public."""
        self._commons: dict[str, None] = {}
        """Common blocks of the used modules whose variables have no description."""
        self._visited: set[tuple[Path, frozenset[Path]]] = set()

    def find(self) -> Found:
        """Return what the name means; `UsageError` where it may be one of several entities."""
        used: list[_Used] = []
        for scope, is_inside in self._scopes():
            own, of_enclosing = self._declared(scope, is_inside=is_inside)
            if own or of_enclosing is not None:
                return self._doubted(self._chosen(used, own, of_enclosing))
            used += self._used_by(scope)
        if used:
            return self._doubted(self._chosen(used, (), None))
        return Found(next(iter(self._private), ()))

    def in_module(self, module: Die) -> tuple[Meaning, ...]:
        """Return what the name means after `MODULE::`: also what is private."""
        own = self._members(module)
        if own:
            return own
        taken, uses = self._reached(_Use(module, _NOTHING), module)
        taken = taken or next(self._through(uses, module), None)
        return taken.meanings if taken else next(iter(self._private), ())

    # Scoping units

    def _scopes(self) -> Iterator[tuple[Die, bool]]:
        """Yield the scoping units around a place, the nearest first, and whether each is in the
        procedure in focus. The host of a submodule is the module that it belongs to."""
        chain = self._lookup.chain
        for scope in reversed(chain):
            yield scope, True
        for scope in around(chain[0]) if chain else ():
            yield scope, False
            pending, passed = [scope], {scope}
            while pending:
                for host in _hosts(pending.pop()):
                    module = next(self._definitions(host), host)
                    if module not in passed:
                        passed.add(module)
                        pending.append(module)
                        yield module, False

    def _declared(
        self, scope: Die, *, is_inside: bool
    ) -> tuple[tuple[Meaning, ...], Variable | None]:
        """Return what a scoping unit declares, uses by `only`, or renames; and its variable, if it
        is a host procedure."""
        own: tuple[Meaning, ...] = ()
        if scope.tag == dw.TAG_MODULE:
            own = self._members(scope) or self._named_by(scope.children(_DECLARATIONS))
        elif scope.tag in BLOCKS | FUNCTIONS:
            if not is_inside:
                for variable in declared_in(scope, self._part.name):
                    is_it = canonical(variable.name) == self._part.name
                    if is_it and self._accepts(variable.die):
                        return (), variable
            takes = self._accepts if is_inside else _no_data(self._accepts)
            own = self._in_block(scope, self._part, takes)
            for holder in () if own else with_abstract(scope):
                own = own or self._named_by(holder.children(_DECLARATIONS))
                inner = filter(self._is_it, holder.children((dw.TAG_SUBPROGRAM,)))
                own = own or self._lookup.defined(inner)
        for directive in () if own else _directives(scope):
            own = own or self._named_by(directive.children(_DECLARATIONS))
        return own, None

    def _used_by(self, scope: Die) -> Iterator[_Used]:
        """Yield what a scoping unit uses without `only`."""
        hosts = {*_hosts(scope)}
        uses = self._uses(_directives(scope), _NOTHING)
        return self._through((use for use in uses if use.module not in hosts), scope)

    def _uses(self, directives: Iterable[Die], before: frozenset[Path]) -> Iterator[_Use]:
        """Yield the modules of some directives, with what all of them for a module rename, and what
        was renamed before."""
        renamed: dict[Die, set[Path]] = {}
        for directive in directives:
            self._lookup.spend_import(1)
            module = directive.reference(dw.AT_IMPORT)
            if module is not None:
                targets = renamed.setdefault(module, set())
                for child in directive.children(_DECLARATIONS):
                    target = child.reference(dw.AT_IMPORT)
                    if target is not None:
                        targets.add(scope_path(target))
        for module, paths in renamed.items():
            self._lookup.spend_import(len(before) // _RENAMED)
            yield _Use(module, before | paths)

    def _through(self, uses: Iterator[_Use], user: Die) -> Iterator[_Used]:
        """Yield what used modules may make accessible to the user, with what these use, in turn."""
        pending = [uses]
        while pending:
            use = next(pending[-1], None)
            if use is None:
                pending.pop()
                continue
            key = scope_path(use.module), use.renamed
            if key not in self._visited:
                self._visited.add(key)
                taken, inner = self._of_module(use, user, is_direct=len(pending) == 1)
                if taken is not None:
                    yield taken
                pending.append(inner)

    def _of_module(
        self, use: _Use, user: Die, *, is_direct: bool
    ) -> tuple[_Used | None, Iterator[_Use]]:
        """Return what a module may make accessible, but for what the user renames, or else the
        modules that may, as it uses them."""
        own = self._members(use.module)
        if not own:
            return self._reached(use, user)
        identity, path = _identity(own[0]), scope_path(use.module)
        if identity in use.renamed:
            return None, iter(())
        is_its = identity[: len(path)] == path  # not by `only`
        is_private = self._is_private(own[0]) if is_its else None
        if is_private:
            self._private.append(own)
            return None, iter(())
        return _Used(own, is_direct and is_private is False, user), iter(())

    def _reached(self, use: _Use, user: Die) -> tuple[_Used | None, Iterator[_Use]]:
        """Return what a module itself uses by `only` or renames, or else the modules that it
        uses."""
        definition = next(self._definitions(use.module), use.module)
        own = self._named_by(definition.children(_DECLARATIONS))
        for directive in _directives(definition):
            own = own or self._named_by(directive.children(_DECLARATIONS))
        if own:
            is_renamed = _identity(own[0]) in use.renamed
            return None if is_renamed else _Used(own, False, user), iter(())
        self._commons.update(
            (f"{block.name} of {use.module.name}", None)
            for block in definition.children((dw.TAG_COMMON_BLOCK,))
            if not block.abbreviation.has_children
        )
        return None, self._uses(_directives(definition), use.renamed)

    # Entities

    def _members(self, module: Die) -> tuple[Meaning, ...]:
        """Return what a module itself declares: where this unit only uses it, as its own unit
        describes it, if any does."""
        for holder in dict.fromkeys((*self._definitions(module), module)):
            self._lookup.spend_import(1)
            path = scope_path(holder)
            dies = self._lookup.declared(holder.unit, path, self._part, self._accepts)
            for block in () if dies else holder.children((dw.TAG_COMMON_BLOCK,)):
                dies += filter(self._is_it, entries_of(block))
            if meanings := self._lookup.defined(dies):
                return meanings
        return ()

    def _definitions(self, module: Die) -> Iterator[Die]:
        """Yield the definition of a module, which another unit may have."""
        if not module.flag(dw.AT_DECLARATION):
            yield module
            return
        *outer, name = scope_path(module)
        for unit in self._lookup.other_units(tuple(outer), name):
            for die in self._lookup.declared(unit, tuple(outer), Part(name, text=name), _is_module):
                if not die.flag(dw.AT_DECLARATION):
                    yield die
                    return

    def _named_by(self, declarations: Iterable[Die]) -> tuple[Meaning, ...]:
        """Return what `only` or a renaming gives for the name."""
        for declaration in declarations:
            if dies := self._lookup.imported(declaration, self._part, self._accepts):
                return self._lookup.defined(dies)
        return ()

    def _is_it(self, die: Die) -> bool:
        return canonical(die.name or "") == self._part.name and self._accepts(die)

    def _is_private(self, meaning: Meaning) -> bool | None:
        """Return whether a module keeps an entity private; None if nothing says it."""
        die = meaning.die if isinstance(meaning, Variable) else meaning
        if not _GFORTRAN.match(die.unit.producer):
            return None
        if die.tag == dw.TAG_SUBPROGRAM:
            return not any(origin.flag(dw.AT_EXTERNAL) for origin in die.origins())
        name = die.linkage_name or die.name
        if die.tag != dw.TAG_VARIABLE or name is None:
            return None
        sections = die.unit.info.main.sections
        for file in dict.fromkeys((sections.program.loaded, sections.object)):
            for symbol in file.symbols_named(name):
                if symbol.is_hidden or not symbol.is_local:
                    return symbol.is_hidden
                if _exports_others(file, name) and not _is_procedure_local(die.unit, file):
                    self._localized[_identity(meaning)] = None
                    return True
        return None

    # The choice

    def _chosen(
        self, used: list[_Used], own: tuple[Meaning, ...], of_enclosing: Variable | None
    ) -> Found:
        """Return the meaning of what inner scoping units use, and an outer one has."""
        outer = (of_enclosing,) if of_enclosing is not None else own
        entities = {item.identity: item.meanings for item in used}
        if outer:
            entities.setdefault(_identity(outer[0]), outer)
        name = self._part.text
        if len(entities) == 1 or not used:
            first, *_ = entities.values()
            notes: tuple[str, ...] = ()
            if not used and self._commons:
                blocks = " and ".join(self._commons)
                notes = (
                    f"{name} is {_written(first[0])}, unless a variable of the common block "
                    f"{blocks} has the name: the debug information does not describe them",
                )
            return Found(() if first[0] is of_enclosing else first, of_enclosing, notes)
        inner = {item.identity: item for item in used if item.user == used[0].user}
        public = [item for item in inner.values() if item.is_public]
        rivals = [joined(path) for path in entities]
        if len(public) != 1:
            raise UsageError(
                f'"{name}" is ambiguous here: it is {" or ".join(rivals)}, and the debug '
                "information does not say what the modules keep private"
            )
        (taken,) = public
        rivals.remove(joined(taken.identity))
        user = joined(scope_path(taken.user))
        have = "has" if len(rivals) == 1 else "have"
        note = f"{name} is {joined(taken.identity)}, which {user} uses: "
        note += f"{' and '.join(rivals)} {have} the name, too"
        return Found(taken.meanings, None, (note,))

    def _doubted(self, known: Found) -> Found:
        """Return the same, with notes on the variables that are private if they were hidden."""
        taken = known.meanings[0] if known.meanings else known.of_enclosing
        if taken is None:
            return known
        notes = (
            f"{self._part.text} is {_written(taken)}, unless {joined(path)} is public: its symbol "
            "is local, as GNU ld makes those of private variables"
            for path in self._localized
            if path != _identity(taken)
        )
        return evolve(known, notes=(*known.notes, *notes))


def of_another_file(name: str, meaning: Meaning, unit: CompilationUnit) -> str | None:
    """Return the note that a procedure of a unit cannot mean a static variable of another one, as
    of a library in C: the compiler may have left out what the name means there."""
    if not isinstance(meaning, Variable) or meaning.is_external or meaning.unit == unit:
        return None
    file = meaning.unit.full.name or "a file without a name"
    return f"{name} is the static variable of {file}, which the code here cannot mean"


def types_of_modules(unit: CompilationUnit, name: str) -> list[Die]:
    """Return the types of a name that the modules of a unit declare."""
    types = named(unit, name, TYPES)
    return [die for die in types if any(scope.tag == dw.TAG_MODULE for scope in around(die))]


def modules_in_reach(chain: Sequence[Die]) -> list[str]:
    """Return the modules that the scoping units around a place are, or use without `only`, also by
    one another: what they have may be written there without the module."""
    pending = [*chain[::-1], *(around(chain[0]) if chain else ())]
    visited = dict.fromkeys(pending)
    for scope in pending:
        for directive in _directives(scope):
            module = directive.reference(dw.AT_IMPORT)
            if module is not None and module not in visited:
                visited[module] = None
                pending.append(module)
    names = (scope.name for scope in pending if scope.tag == dw.TAG_MODULE)
    return list(dict.fromkeys(name for name in names if name is not None))


def of_module(name: str, die: Die) -> str:
    """Return the note on a type of a module that nothing says the code uses."""
    return f"{name} is the type {joined(scope_path(die))}, if the code here uses it"


def _exports_others(file: ObjectFile, name: str) -> bool:
    """Return whether the module of a variable, `__MODULE_MOD_VARIABLE`, has symbols that other
    files can mean."""
    module = _MODULE.match(name)
    if module is None:
        return False
    try:
        symbols = file.symbols_named(name, module[0])
    except LimitExceeded:
        return True  # that many symbols are not of one module's private variables
    return any(not (symbol.is_local or symbol.is_hidden) for symbol in symbols)


@kept_with(first)
def _is_procedure_local(unit: CompilationUnit, file: ObjectFile) -> bool:
    """Return whether one of the first external procedures of a unit has a local symbol."""
    external = (
        die
        for die in map(unit.die, unit.tree.with_tags({dw.TAG_SUBPROGRAM}))
        if die.flag(dw.AT_EXTERNAL) and not die.flag(dw.AT_DECLARATION)
    )
    names = [die.linkage_name or die.name or "" for die in islice(external, _MOST_ASKED)]
    return any(symbol.is_local for name in names for symbol in file.symbols_named(name))


def _no_data(accepts: DieFilter) -> DieFilter:
    return lambda die: die.tag not in DATA and accepts(die)


def _directives(scope: Die) -> Iterator[Die]:
    """Yield the entries of `use` statements without `only` of a scoping unit."""
    for holder in with_abstract(scope):
        yield from holder.children((dw.TAG_IMPORTED_MODULE,))


def _hosts(module: Die) -> Iterator[Die]:
    """Yield the module or submodule that a submodule, as gfortran names one `module.submodule`, has
    as its host."""
    ancestor, dot, _ = (module.name or "").partition(".")
    if module.tag != dw.TAG_MODULE or not dot:
        return
    for directive in module.children((dw.TAG_IMPORTED_MODULE,)):
        target = directive.reference(dw.AT_IMPORT)
        if target is not None and (target.name or "").partition(".")[0] == ancestor:
            yield target


def _identity(meaning: Meaning) -> Path:
    return scope_path(meaning.die if isinstance(meaning, Variable) else meaning)


def _written(meaning: Meaning) -> str:
    return joined(_identity(meaning))
