"""Find the units that may contain a name, and the definition that completes a declaration."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from copy import copy
from itertools import chain, tee
from typing import Final, NamedTuple, Self, TypeAlias

from dwarfgpu.base.kept_answers import HashedOnce, KeptAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.name_filter import mentions
from dwarfgpu.dwarf.index.units_by_name import (
    is_in_no_unit,
    likely_units,
    mentioning_units,
    most_units,
    require_few,
    units_naming,
    units_with_spellings,
)
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, canonical, joined, parts
from dwarfgpu.dwarf.scope.declarations import (
    Scope,
    declaration_of,
    is_definition,
    is_in_unnamed_namespace,
    path_of,
)
from dwarfgpu.dwarf.scope.imports import searched_units, type_sources
from dwarfgpu.dwarf.scope.meaning import EXPORTED_IN_CPLUSPLUS, is_external, is_same_function
from dwarfgpu.dwarf.scope.named_entries import (
    TAGGED,
    TYPES,
    VARIABLES,
    completed,
    named,
    named_entries,
)
from dwarfgpu.dwarf.scope.nameless_functions import nameless_variables
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_DECLARED: Final = VARIABLES | TYPES | {dw.TAG_SUBPROGRAM, dw.TAG_MEMBER}
_EXPORTED: Final = VARIABLES | {dw.TAG_SUBPROGRAM}
_WITHOUT_SYMBOL: Final = EXPORTED_IN_CPLUSPLUS | {dw.TAG_NAMESPACE}
_IDENTIFIER: Final = pattern(r"[^\W\d]\w*")
_FEW: Final = 4
"""Files that are searched as quickly as it is found out which have a name."""
_MAX_KEPT: Final = 64
"""Names for which it is kept which files have them."""
Path: TypeAlias = tuple[str, ...]
Doubt: TypeAlias = DwarfGpuError | CompilationUnit
"""Why something may not have been found: the error of a unit that cannot be read, or a unit that
may have unreadable names."""


class _Entity(NamedTuple):
    """What an entry declares."""

    tag: int
    path: tuple[Scope, ...]
    name: str


class SearchedFiles(HashedOnce[DebugInfo]):
    """The debugging information of files, in the order of a search.

    Which of them have a name is found out once: thousands of waves, each in another file, may ask
    for it.
    """

    _all: Self | None
    """The same files in the order in which they were loaded."""
    _next: KeptAnswers[str, dict[int, _Next]]
    """By a name and the index of a file: which is the next file that may have the name."""

    def __new__(cls, files: Iterable[DebugInfo]) -> Self:
        self = super().__new__(cls, files)
        self._all = None
        self._next = KeptAnswers(_MAX_KEPT)
        return self

    def beginning_with(self, file: DebugInfo) -> Self:
        """Return the same files, but one first."""
        moved = type(self)((file, *(one for one in self if one is not file)))
        moved._all = self
        return moved

    def that_may_have(self, name: str, doubts: list[Doubt]) -> Iterator[DebugInfo]:
        """Yield the files without those that are known to have no entry with a simple name; what
        may have it in these nevertheless is added to the doubts."""
        if not name.isidentifier():
            yield from self
        elif len(self) <= _FEW:
            for file in self:
                # Files that can be read are searched as quickly.
                absence = None if file.unread is None else absence_of(file, name)
                doubts += absence or ()
                if absence is None:
                    yield file
        else:
            yield from self._of_many(name, doubts)

    def _of_many(self, name: str, doubts: list[Doubt]) -> Iterator[DebugInfo]:
        here = self[0]
        absence = absence_of(here, name)
        doubts += absence or ()
        if absence is None:
            yield here
        for file in (self if self._all is None else self._all)._with(name, doubts):
            if file is not here:
                yield file

    def _with(self, name: str, doubts: list[Doubt]) -> Iterator[DebugInfo]:
        following = self._next.answer(name, lambda _: {})
        index = 0
        while index < len(self):
            known = following.get(index)
            if known is None:
                known = following[index] = self._find_next(index, name)
            index = known.position + 1
            doubts += known.doubt
            if known.position < len(self):
                yield self[known.position]

    def _find_next(self, index: int, name: str) -> _Next:
        doubt: tuple[Doubt, ...] = ()
        while index < len(self) and (absence := absence_of(self[index], name)) is not None:
            doubt = doubt or absence
            index += 1
        return _Next(index, doubt)


class _Next(NamedTuple):
    """The next file that may have a name."""

    position: int
    doubt: tuple[Doubt, ...]
    """Why a file before it may have the name nevertheless, the first of several."""


@kept_with(first, _MAX_KEPT)
def absence_of(info: DebugInfo, name: str) -> tuple[Doubt, ...] | None:
    """Return nothing if no unit of a file has an entry with a simple name, or the first reason why
    one may have it nevertheless, as a split file that is missing; None if one has it or is not
    searched."""
    try:
        if next(likely_units(info, name), None) is not None:
            return None  # most names are searched once
        return _absence_in(_units_that_may_have(info, name), most_units(info), name)
    except DwarfGpuError:
        return None


def _units_that_may_have(info: DebugInfo, name: str) -> Iterator[CompilationUnit | DwarfGpuError]:
    """Yield the units with entries that may have a simple name, and why others cannot be read."""
    if not info.has_skeletons and info.supplementary_link is None:
        yield from mentioning_units(info, name)
        return
    visited: set[CompilationUnit] = set()
    for unit in mentioning_units(info, name):
        try:
            yield from searched_units(unit, visited)
        except DwarfGpuError as error:
            yield error.anew()
    for source in type_sources(info):
        yield from source.type_units


def _absence_in(
    units: Iterable[CompilationUnit | DwarfGpuError], most: int, name: str
) -> tuple[Doubt, ...] | None:
    """Return the same for all units of a file that may have a name, but None for more than a
    number."""
    doubt: tuple[Doubt, ...] = ()
    number = 0
    for unit in units:
        if isinstance(unit, DwarfGpuError):
            doubt = doubt or (unit,)
            continue
        number += 1
        entries = named_entries(unit)
        if number > most or entries.with_name(name):
            return None
        if any(canonical(variable.name) == name for variable in nameless_variables(unit)):
            return None
        if entries.first_unreadable is not None:
            doubt = doubt or (unit,)
    return doubt


class UnitSearch:
    """The units of a program, seen from one of them."""

    def __init__(self, infos: Iterable[DebugInfo], unit: CompilationUnit | None) -> None:
        self.infos = infos if isinstance(infos, SearchedFiles) else SearchedFiles(infos)
        self.unit = unit
        """The unit of the place; None if there is none, or it is unknown."""
        self.doubts: list[Doubt] = []
        """The first ones first."""
        self.name = ""
        """The last name looked up."""
        self._kept: dict[tuple[CompilationUnit | None, _Entity], Iterator[Die]] = {}
        """Definitions that were sought, and will be."""
        self._kept_with = self.doubts

    def doubt(self, error: DwarfGpuError) -> None:
        """Note why declarations may be missing. Each of very many units may have a reason: what its
        frames hold is many times its size."""
        self.doubts.append(error.anew())

    def other_units(
        self, path: Path, name: str, tags: Collection[int] | None = None
    ) -> Iterator[CompilationUnit]:
        """Yield the other units that may have a name in a namespace, those that an index names
        first. With `tags`, units may be left out that have no such definition of the name."""
        searched = {self.unit}
        for info in self.infos.that_may_have(name, self.doubts):
            for unit in require_few(self._naming(info, path, name, tags), info, name):
                if unit not in searched:
                    searched.add(unit)
                    yield unit

    def exporting(self, path: Path, name: str) -> dict[CompilationUnit, None] | None:
        """Return the units that may export a name, in the order of the search: according to an
        index or a symbol, or, in C++, as a type, enumerator or namespace, or because they are type
        units of split files; None if neither can say."""
        units: dict[CompilationUnit, None] = {}
        for info in self.infos:
            if not (info.object.symbols or info.loaded.symbols):
                return None
            visited: set[CompilationUnit] = set()
            likely = likely_units(info, joined((*path, name)))
            in_cplusplus = require_few(_naming_in_cplusplus(info, name), info, name)
            for unit in chain(likely, in_cplusplus):
                units.update(dict.fromkeys(_searched(unit, visited)))
            for source in type_sources(info):
                units.update(dict.fromkeys(source.type_units))
        return units

    def _naming(
        self, info: DebugInfo, path: Path, name: str, tags: Collection[int] | None
    ) -> Iterator[CompilationUnit]:
        """Yield the units with a name."""
        full_name = joined((*path, name))
        if name == ANONYMOUS:  # compilers write no name: the units with what is sought in it
            sought = tuple([part.name for part in parts(self.name)])
            name, full_name = sought[-1], joined(sought)
        if is_in_no_unit(info, name):
            for source in type_sources(info):
                yield from source.type_units
            return
        has_spellings = "<" in name or name.startswith("operator") and not name.isidentifier()
        named_units = (
            units_with_spellings(info, name) if has_spellings else units_naming(info, full_name)
        )
        # A namespace extends over many units: the first one with the name counts.
        visited: set[CompilationUnit] = set()
        is_identifier = _IDENTIFIER.fullmatch(name) is not None  # others have several spellings
        may_have = mentions(info, name, tags) if tags and is_identifier else _any_unit
        for unit in chain(
            likely_units(info, self.name), likely_units(info, full_name), named_units
        ):
            try:
                if not may_have(unit):
                    continue
                yield from searched_units(unit, visited)
            except DwarfGpuError as error:
                self.doubt(error)
        for source in type_sources(info):
            yield from source.type_units

    def definition(self, die: Die) -> Die:
        """Return the definition that completes a declaration, searching other units if necessary;
        the entry itself if there is none."""
        if die.tag not in _DECLARED:
            return die
        if die.tag in TAGGED:
            die = die.described
        here = [die.unit] if self.unit is None else [die.unit, self.unit]
        definitions: Iterator[Die] = filter(is_definition, completed(die, dict.fromkeys(here)))
        if die.tag == dw.TAG_SUBPROGRAM:  # gcc may describe a clone before the function
            from dwarfgpu.dwarf.scope.function_clones import without_clones  # few names need it

            definitions = iter(without_clones(definitions))
        for completion in definitions:
            return completion.described if completion.tag in TAGGED else completion
        first = None if self.unit is die.unit else self.unit
        entity = _Entity(die.tag, path_of(die), canonical(die.name or ""))
        has_values = _has_values(entity)
        if die.tag in CLASSES and has_values:
            return die.unit.info.class_definition(die)  # by their types
        for completion in self._definitions(first, entity):
            try:
                if has_values and not _is_in_scope_of(completion, die):
                    continue
                if _defines(completion, die):
                    return completion.described if completion.tag in TAGGED else completion
            except DwarfGpuError as error:
                self.doubt(error)
        return die

    def _definitions(self, first: CompilationUnit | None, entity: _Entity) -> Iterator[Die]:
        """Yield what `_search_definitions` does. What was found is kept for declarations of the
        same entity in other units, as long as doubts are gathered in one list."""
        if self._kept_with is not self.doubts:
            self._kept, self._kept_with = {}, self.doubts
        question = first, entity
        if question not in self._kept:
            (self._kept[question],) = tee(self._search_definitions(first, entity), 1)
        try:
            yield from copy(self._kept[question])
        except DwarfGpuError:
            self._kept.pop(question, None)  # another search has the same error
            raise

    def _search_definitions(self, first: CompilationUnit | None, entity: _Entity) -> Iterator[Die]:
        """Yield the definitions of an entity in a unit, and in others than that of the place."""
        tag, path, name = entity
        tags = (tag, dw.TAG_VARIABLE) if tag == dw.TAG_MEMBER else (tag,)
        units = self.other_units(tuple(scope.name for scope in path), name, tags) if name else ()
        for unit in chain(() if first is None else (first,), units):
            try:
                for namesake in named(unit, name):
                    if namesake.tag == tag and path_of(namesake) == path:
                        yield from filter(is_definition, completed(namesake, (unit,)))
            except DwarfGpuError as error:
                self.doubt(error)


def _has_values(entity: _Entity) -> bool:
    """Return whether an entity has values among the template arguments in its name."""
    names = (entity.name, *(scope.name for scope in entity.path))
    if not any("<" in name for name in names):
        return False
    from dwarfgpu.dwarf.names.comparable import has_values  # few names have values

    return any(map(has_values, names))


def _is_in_scope_of(definition: Die, declaration: Die) -> bool:
    """Return whether two entries are in one instance of a template, by the types of its values."""
    from dwarfgpu.dwarf.scope.exact_instances import exact_scope, is_in_scope  # few have values

    return is_in_scope(definition, exact_scope(declaration))


def _defines(definition: Die, declaration: Die) -> bool:
    """Return whether a definition of another unit is that of what a unit declares: a static entity
    does not define an external one. gfortran may describe so what a module keeps private."""
    if not is_same_function(declaration, definition):
        return False
    if not declaration.unit.header.is_type_unit and is_in_unnamed_namespace(declaration):
        return declaration_of(definition).unit is declaration.unit
    is_exported = declaration.tag in _EXPORTED and is_external(declaration)
    return not is_exported or is_external(definition) or declaration.unit.style == "fortran"


def _naming_in_cplusplus(info: DebugInfo, name: str) -> Iterator[CompilationUnit]:
    """Yield the units in C++ that may have a type, enumerator or namespace of a simple name."""
    if is_in_no_unit(info, name):
        return
    is_identifier = _IDENTIFIER.fullmatch(name) is not None
    may_have = mentions(info, name, _WITHOUT_SYMBOL) if is_identifier else _any_unit
    for unit in mentioning_units(info, name) if is_identifier else units_with_spellings(info, name):
        try:
            if may_have(unit) and unit.full.is_cplusplus:
                yield unit
        except DwarfGpuError:
            continue  # the search that found another unit reports it, if no unit has the name


def _any_unit(unit: CompilationUnit) -> bool:
    return True


def _searched(unit: CompilationUnit, visited: set[CompilationUnit]) -> list[CompilationUnit]:
    try:
        return [*searched_units(unit, visited)]
    except DwarfGpuError:
        return [unit]  # its reader reports the error
