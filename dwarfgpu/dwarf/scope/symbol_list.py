"""List a file's definitions outside functions: functions, variables and types, unordered.

Law: entries are read on demand; nothing is cached, and an unreadable entry does not hide others.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from contextlib import suppress
from typing import Final, Protocol

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.entry_tree import Tree
from dwarfgpu.dwarf.names.demangle import MANGLED, demangled_function, last_of_path
from dwarfgpu.dwarf.names.fortran_ada import ada_type
from dwarfgpu.dwarf.scope.declarations import around
from dwarfgpu.dwarf.scope.imports import imported_units, type_sources
from dwarfgpu.dwarf.scope.listed_symbol import (
    TAGS,
    Kind,
    ListedSymbol,
    is_listed_variable,
    listed_name,
    symbol_of,
)
from dwarfgpu.dwarf.scope.named_entries import TAGGED, VARIABLES, NamedEntries
from dwarfgpu.dwarf.scope.plain_symbols import PlainSymbols, SimpleNames
from dwarfgpu.dwarf.scope.required_word import (
    COMPLETING,
    FunctionNames,
    mangled_lacks,
    required_words,
    units_with_words,
)
from dwarfgpu.dwarf.scope.scope_entries import (
    BLOCKS,
    CLASSES,
)
from dwarfgpu.dwarf.scope.searched_names import (
    DEEP,
    FEW_SCOPES,
    LEFT_OUT,
    REBUILT,
    SPELLED,
    WRITTEN,
    SearchedNames,
    cost_of_mangled,
)
from dwarfgpu.dwarf.scope.variable_names import may_name_instance
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

_SCOPES: Final = CLASSES | {dw.TAG_NAMESPACE, dw.TAG_MODULE}
_LINKING: Final = frozenset({*dw.LINKAGE_NAMES, *COMPLETING})
_LINKED: Final = 4
"""What a character counts of a mangled name, compared with those of functions: the parts of the
name are read besides the whole."""
_SHORT_NAME: Final = 1_000
_MOST_CHARACTERS: Final = 1 << 23
"""Of the longer names that one answer searches beyond the first `_SHORT_NAME`, besides twice the
size of the file: functions may share the long name of a parameter's class."""


class NamePattern(Protocol):
    """What the names of a list match, such as a `Regexp`."""

    @property
    def pattern(self) -> str:
        """A regular expression that all these names match."""

    def search(self, text: str) -> bool: ...


def listed_symbols(
    info: DebugInfo,
    kind: Kind,
    pattern: NamePattern | None = None,
    units: Iterable[CompilationUnit] | None = None,
    *,
    only_defined: bool = True,
    with_linkage_names: bool = False,
    problems: list[DwarfGpuError] | None = None,
    simple: str | None = None,
    searched: SearchedNames | None = None,
) -> Iterator[ListedSymbol]:
    """Yield all symbols of a kind, or those whose names match; unreadable ones are skipped, and
    the reasons appended to `problems`.

    `LimitExceeded` where very many names are very long, or more than `searched` allows. The
    declaration position is read for these only. `units`: limits the search to these. `simple`: what
    all names that match end with, before the arguments of a template.
    `only_defined`: False also yields declarations of variables outside of classes, and exported
    variables without a location or value.
    `with_linkage_names`: also yields those of C whose linkage names match: `int f(void) asm("g")`.
    """
    words = () if pattern is None else required_words(pattern.pattern)
    skipped = [] if problems is None else problems
    if units is None:
        units = _units_of_kind(info, words, kind, skipped)
    searched = searched or SearchedNames(info)
    of_names = None if pattern is None else _Matching(pattern, info)
    of_ada = None if pattern is None else _Matching(_OfAda(pattern), info)
    for unit in units:
        searched.unit = unit
        try:
            full = unit.full
            if not full.root.abbreviation.has_children:
                continue
            tree = full.tree
        except DwarfGpuError as error:
            skipped.append(error.with_traceback(None))
            continue
        matching = of_ada if kind == "types" and full.style == "ada" else of_names
        searched.spend_unit()
        is_linked = with_linkage_names and full.style in dw.WITH_TYPES_OF_C
        written = SimpleNames(full, kind, with_linkage_names=is_linked)
        plain = PlainSymbols(full, kind)
        is_readable = kind == "functions" and full.is_cplusplus and matching is not None
        functions = FunctionNames(full, words) if is_readable else None
        is_rebuilt = kind == "functions" and full.has_bare_templates
        cost_of_entries = REBUILT if is_rebuilt else SPELLED
        text_of = full.sections.budget.text
        has_name = None
        if simple is not None and full.style in dw.WITH_TYPES_OF_C:
            has_name = NamedEntries(full).may_have((simple,), with_more=True)
        for above, index, abbreviation in _candidates(full, tree, kind):
            if has_name is not None and not has_name(index, abbreviation):
                continue
            if written.are_in(above, abbreviation):
                searched.spend(WRITTEN)
                name = written.name_at(index, abbreviation)
                if name is not None and matching is not None and not matching.search(name):
                    continue
                symbol = None if name is None else plain.symbol_at(index, abbreviation, name)
                if symbol is not None:
                    yield symbol
                    continue
            elif functions is not None:
                texts, has_linked = functions.texts_at(index)
                if functions.lack_words(texts, above, index, has_linkage_name=has_linked):
                    searched.spend(LEFT_OUT)
                    continue
                cost = cost_of_mangled(len(texts[-1])) if has_linked else cost_of_entries
                searched.spend(cost)
                name = demangled_function(text_of(texts[-1])) if has_linked else None
                searched.spend_spelled(name or "")
                assert matching is not None
                if name is not None and not matching.matches(name):
                    matching.require_few()
                    continue
            else:
                linked = _linked_name(full, index, abbreviation)
                if linked.startswith("_Z") and mangled_lacks(linked, words):
                    searched.spend(LEFT_OUT)
                    continue
                cost = cost_of_entries + (cost_of_mangled(_LINKED * len(linked)) if linked else 0)
                searched.spend(cost + _cost_of_scopes(full.die(index)))
            die = full.die(index)
            try:
                listed = _listed(die, index, kind, matching, only_defined, is_linked)
            except DwarfGpuError as error:
                skipped.append(die.located(error).with_traceback(None))
                continue
            if listed is not None:
                yield listed
            elif matching is not None:
                matching.require_few()


def _linked_name(unit: CompilationUnit, index: int, abbreviation: Abbreviation) -> str:
    """Return the name of a linker that must be demangled for that of a type, or of an instance of a
    variable template; empty for others."""
    names = abbreviation.positions
    is_type = abbreviation.tag in TAGGED
    if (is_type and dw.AT_NAME in names) or names.keys().isdisjoint(_LINKING):
        return ""
    if not is_type and abbreviation.tag not in TAGS["variables"]:
        return ""
    with suppress(DwarfGpuError):  # what reads its name reports the error
        linked = unit.die(index).linkage_name or ""
        if is_type:
            return "" if last_of_path(linked) else linked
        return linked if unit.is_cplusplus and may_name_instance(linked) else ""
    return ""


def _cost_of_scopes(die: Die) -> int:
    """Return what a name counts, besides others, for the scopes in which it is beyond a few."""
    with suppress(DwarfGpuError):  # what reads its name reports the error
        is_made = die.tag not in VARIABLES or is_listed_variable(die, only_defined=False)
        return DEEP * max(0, len([*around(die)]) - FEW_SCOPES) if is_made else 0
    return 0


class _OfAda:
    """A pattern of names of types as the source of Ada has them: `pk.rec` for `pk__rec`."""

    def __init__(self, pattern: NamePattern) -> None:
        self._search = pattern.search
        self.pattern = pattern.pattern

    def search(self, text: str) -> bool:
        """Return whether the name in the source matches, of one in the file."""
        return self._search(ada_type(text))


class _Matching:
    """The names that a regular expression matches, and how much of long ones may be searched."""

    def __init__(self, pattern: NamePattern, info: DebugInfo) -> None:
        self.search = pattern.search
        self.characters_left = _MOST_CHARACTERS + 2 * info.object.size_bytes

    def matches(self, name: str) -> bool:
        if len(name) > _SHORT_NAME:
            self.characters_left -= len(name) - _SHORT_NAME
        return self.search(name)

    def require_few(self) -> None:
        """Raise `LimitExceeded` where too much of long names was searched."""
        if self.characters_left < 0:
            message = "long names take far more characters than the file has bytes"
            raise LimitExceeded(f"{message}; no option raises it")


def _candidates(
    unit: CompilationUnit, tree: Tree, kind: Kind
) -> Iterator[tuple[int, int, Abbreviation]]:
    """Yield the entries that may be symbols of a kind, each after the index of its parent."""
    roles: dict[Abbreviation, tuple[bool, bool]] = {}
    pending = [0]
    while pending:
        above = pending.pop()
        for index in tree.children(above):
            abbreviation = tree.abbreviations[index]
            role = roles.get(abbreviation)
            if role is None:
                role = roles[abbreviation] = _role(unit, abbreviation, kind)
            is_scope, is_listed = role
            if is_scope:
                pending.append(index)
            if is_listed:
                yield above, index, abbreviation
    if kind == "functions" and (unit.is_cplusplus or unit.language == dw.LANG_D):
        for index in _external_inner_functions(unit, tree):
            yield tree.parents[index], index, tree.abbreviations[index]
    if kind == "types" and unit.is_cplusplus:
        aliases = set(filter(_is_alias, set(tree.abbreviations)))
        for index, abbreviation in enumerate(tree.abbreviations if aliases else ()):
            if abbreviation in aliases and _is_in_function(tree, index):
                yield tree.parents[index], index, abbreviation


def _is_alias(abbreviation: Abbreviation) -> bool:
    """Return whether an entry may be the alias of a namespace: GDB lists those of functions."""
    is_import = abbreviation.tag == dw.TAG_IMPORTED_DECLARATION
    return is_import and dw.AT_NAME in abbreviation.positions


def _external_inner_functions(unit: CompilationUnit, tree: Tree) -> Iterator[int]:
    """Yield the functions in functions of C++ or D that GDB lists: those with external linkage,
    such as lambdas of inline functions and of templates, and the nested functions of ldc2."""
    wanted = {
        abbreviation
        for abbreviation in set(tree.abbreviations)
        if abbreviation.tag == dw.TAG_SUBPROGRAM and _has_code(abbreviation)
    }
    for index, abbreviation in enumerate(tree.abbreviations):
        if abbreviation not in wanted or not _is_in_function(tree, index):
            continue
        try:
            is_external = any(origin.flag(dw.AT_EXTERNAL) for origin in unit.die(index).origins())
        except DwarfGpuError:
            is_external = True  # what reads its name reports the error
        if is_external:
            yield index


def _is_in_function(tree: Tree, index: int) -> bool:
    """Return whether an entry is below a function; one without attributes is none, and its
    variables are those of the file."""
    above = tree.parents[index]
    while above > 0:
        abbreviation = tree.abbreviations[above]
        if abbreviation.tag == dw.TAG_SUBPROGRAM and abbreviation.attributes:
            return True
        above = tree.parents[above]
    return False


def _units_of_kind(
    info: DebugInfo, words: Collection[str], kind: Kind, problems: list[DwarfGpuError]
) -> Iterator[CompilationUnit]:
    """Yield the units that may have symbols of a kind, those of a supplementary file that are
    imported included; types are also in type units of split files and packages, which no skeleton
    leads to."""
    with_word: set[CompilationUnit] = set()
    for unit in units_with_words(info, words):
        with_word.add(unit)
        yield unit
    if kind == "types" and words:
        yield from _named_elsewhere(info, with_word)
    try:
        has_supplementary = info.supplementary_link is not None
    except DwarfGpuError as error:
        has_supplementary = False
        problems.append(error)
    visited: set[CompilationUnit] = set()
    for unit in info.reported_units() if has_supplementary else ():
        try:
            for imported in imported_units(unit, visited):
                if imported.info is not info:
                    yield imported
        except DwarfGpuError as error:
            problems.append(error.with_traceback(None))
    for source in type_sources(info) if kind == "types" else ():
        yield from source.type_units


def _named_elsewhere(
    info: DebugInfo, known: Container[CompilationUnit]
) -> Iterator[CompilationUnit]:
    """Yield the other type units of clang whose names have words in other units: those of scopes
    that are only declared, and of arguments of templates."""
    if info.type_units and any("clang" in unit.producer for unit in info.units):
        for unit in info.type_units:
            try:
                scopes = map(_is_nameless_scope, unit.abbreviations.values())
                if unit not in known and (any(scopes) or unit.has_bare_templates):
                    yield unit
            except DwarfGpuError:
                continue  # the search without a word reports it


def _is_nameless_scope(abbreviation: Abbreviation) -> bool:
    positions = abbreviation.positions
    is_declared = dw.AT_SIGNATURE in positions and dw.AT_NAME not in positions
    return is_declared and abbreviation.has_children


def _role(unit: CompilationUnit, abbreviation: Abbreviation, kind: Kind) -> tuple[bool, bool]:
    """Return whether symbols may be below the entries of an abbreviation, and whether they may be
    symbols themselves. As in GDB, functions in functions of Fortran or Ada are listed, those of C
    are local; for C++ and D see `_external_inner_functions`."""
    tag = abbreviation.tag
    is_scope = tag in _SCOPES or (tag == dw.TAG_SUBPROGRAM and not abbreviation.attributes)
    if kind == "functions" and unit.style in ("fortran", "ada"):
        is_scope = is_scope or tag == dw.TAG_SUBPROGRAM or tag in BLOCKS
    is_listed = tag in TAGS[kind]
    if tag == dw.TAG_SUBPROGRAM:
        is_listed = is_listed and _has_code(abbreviation)
    elif tag == dw.TAG_IMPORTED_DECLARATION and kind == "variables":
        is_listed = dw.AT_NAME in abbreviation.positions
    elif tag == dw.TAG_MEMBER:  # a static one of DWARF 4 and before
        is_listed = is_listed and dw.AT_CONST_VALUE in abbreviation.positions
    elif kind == "types" and not unit.is_cplusplus and tag != dw.TAG_BASE_TYPE:
        positions = abbreviation.positions
        has_name = dw.AT_NAME in positions or not positions.keys().isdisjoint(COMPLETING)
        is_listed = is_listed and has_name
    return is_scope, is_listed


def _has_code(abbreviation: Abbreviation) -> bool:
    positions = abbreviation.positions
    return dw.AT_LOW_PC in positions or dw.AT_RANGES in positions


def _listed(
    die: Die,
    index: int,
    kind: Kind,
    matching: _Matching | None,
    only_defined: bool,
    is_linked: bool,
) -> ListedSymbol | None:
    if die.tag not in TAGS[kind]:
        return None
    name = listed_name(die, kind, only_defined)
    if name is None:
        return None
    if matching is not None and not matching.matches(name):
        linked = (die.linkage_name if is_linked else None) or MANGLED
        if linked.startswith(MANGLED) or not matching.matches(linked):
            return None
    return symbol_of(die, index, name, kind)
