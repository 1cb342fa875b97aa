"""Declarations of units in namespaces: those of the place first, what they import, then those of
other units, completed by their definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Final, TypeAlias

from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import Part, canonical, joined
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.block_declarations import in_several_blocks
from dwarfgpu.dwarf.scope.declarations import (
    around,
    followed,
    imports_by_scope,
    is_data,
    is_definition,
    is_in_anonymous_namespace,
    is_member,
    is_within,
    named_within,
    path_of,
    qualified_name,
    scope_path,
)
from dwarfgpu.dwarf.scope.imports import imported_units, refers_to
from dwarfgpu.dwarf.scope.meaning import (
    EXPORTED_IN_CPLUSPLUS,
    DieFilter,
    Meaning,
    besides_namespaces,
    distinguished,
    is_external,
    is_function,
    is_in_nameless,
    is_removed,
    order,
    ordinary,
    shares_its_name,
)
from dwarfgpu.dwarf.scope.named_entries import TAGGED, TYPES, VARIABLES, named_entries
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS, decl_file, name_of
from dwarfgpu.dwarf.scope.unit_search import Doubt, Path, UnitSearch
from dwarfgpu.dwarf.scope.variable import Variable, with_abstract
from dwarfgpu.dwarf.scope.variable_names import (
    instances_of_member,
    is_outside_its_class,
    listed_instances,
    outside_class,
)
from dwarfgpu.dwarf.scope.written_parameters import has_parameters
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError

_MAX_IMPORTS: Final = 50_000
"""Maximum number of using-directives, using-declarations and imported units to follow for one name,
counted once per scope."""
_NAMESPACE: Final = 16
"""What a namespace counts towards them whose declarations are searched: as that takes longer."""
_MAX_KEPT: Final = 256
"""Names whose meanings in other units are kept for a unit."""
_IN_UNIT: Final = frozenset(
    {dw.FORM_REF1, dw.FORM_REF2, dw.FORM_REF4, dw.FORM_REF8, dw.FORM_REF_UDATA}
)
"""Forms of references to entries of the same unit."""
_OF_ONE_BLOCK: Final = TAGGED | {dw.TAG_VARIABLE}
_OBJECTS: Final = VARIABLES | {dw.TAG_SUBPROGRAM}
MAX_COMPARED: Final = 32
"""Units that are read to find out whether a name has another meaning in one of them."""


@frozen
class _Found:
    """What the other units have for a name."""

    meanings: tuple[Meaning, ...]
    doubts: list[Doubt]
    remarks: dict[str, None]


_Question: TypeAlias = tuple[tuple[DebugInfo, ...], tuple[Die, ...], str, Path, Part, DieFilter]


@kept_with(first, 1)
def _kept_in_others(_: CompilationUnit) -> KeptAnswers[_Question, _Found]:
    """Return what other units than this one have for names that were sought."""
    return KeptAnswers(_MAX_KEPT)


class UnitDeclarations(UnitSearch):
    """What units declare in namespaces, seen from a program location."""

    def __init__(
        self,
        infos: Iterable[DebugInfo],
        unit: CompilationUnit | None,
        chain: Iterable[Die],
        enclosing_scopes: Iterable[Die],
    ) -> None:
        super().__init__(infos, unit)
        self.chain = tuple(chain)
        """The scopes of the function in focus, from itself inwards."""
        self.enclosing_scopes = tuple(enclosing_scopes)
        """All scopes of the program location, from the subprogram inwards: including those of
        functions into which the one in focus is inlined, and those that are inlined into it."""
        self._imports_left = _MAX_IMPORTS
        self.is_global = False
        """Whether the name sought begins with `::`: what functions import does not count."""
        self.remarks: dict[str, None] = {}
        """Whose a name is that several files define, each for itself, and none of them is that of
        the place."""
        self.instances: list[Die] = []
        """Instances of the variable template that the name sought, which has no arguments, is in
        the unit of the place: what other files have by that name is not meant."""
        self._unnamed: list[Die] = []
        """Those in the scopes that were searched last."""

    def begin(self, name: str) -> None:
        """Begin the search for a name."""
        self.is_global = name.startswith("::")
        self.doubts, self.name, self.remarks = [], name, {}
        self.instances = []
        self._imports_left = _MAX_IMPORTS

    @property
    def on_template(self) -> str:
        """What follows the message that the name sought is unknown, if it is that of a template:
        the instances; else empty."""
        return listed_instances(self.instances)

    @property
    def imports_spent(self) -> int:
        """How many imports the search for the last name went through."""
        return _MAX_IMPORTS - self._imports_left

    def in_this_unit(self, path: Path, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return the declarations of this unit in a namespace, and its imports into it."""
        if self.unit is None:
            return ()
        self._unnamed = []
        try:
            dies = self.declared(self.unit, path, part, accepts)
            dies = dies or self._in_own_type_units(path, part, accepts)
            dies = dies or self._by_import(path, part, accepts)
        except DwarfGpuError as error:
            self.doubt(error)
            return ()
        if not dies and self._unnamed:
            self.instances = self._unnamed
        if dies and all(is_in_nameless(die) for die in dies):
            before, self.remarks = self.remarks, dict(self.remarks)
            outside = self.in_other_units(path, part, accepts)
            if outside and is_external(outside[0]) and not is_in_nameless(outside[0]):
                return outside  # the text of another function sees it, not the variable
            self.remarks = before
        meanings = self.defined(dies)
        if meanings and _is_completion(meanings[0], dies):
            self._remark(meanings[0], path, part, accepts)
        if meanings and accepts is ordinary and shares_its_name(meanings[0]):
            return self.in_other_units(path, part, besides_namespaces) or meanings
        return meanings

    def declared(
        self,
        unit: CompilationUnit,
        path: Path,
        part: Part,
        accepts: DieFilter,
        visited: set[CompilationUnit] | None = None,
    ) -> list[Die]:
        """Yield the declarations of a unit and its imports in a namespace. `visited`: as for
        `imported_units`."""
        dies: list[Die] = []
        for imported_unit in self._with_imported(unit, visited):
            within = named_within(imported_unit, path, part.name)
            for die in within or outside_class(imported_unit, path, part.name):
                if not accepts(die) or (not path and is_outside_its_class(die)):
                    continue
                if has_parameters(die, part):
                    dies.append(die)
                elif part.parameters is None and part.name[-1:] != ">":
                    self._unnamed.append(die)
            self.doubts.append(imported_unit)
        return dies

    def _with_imported(
        self, unit: CompilationUnit, visited: set[CompilationUnit] | None
    ) -> Iterator[CompilationUnit]:
        yield unit
        try:
            for imported in imported_units(unit, visited):
                self.spend_import(1)
                yield imported
        except DwarfGpuError as error:
            self.doubt(error)

    def _by_import(self, path: Path, part: Part, accepts: DieFilter) -> list[Die]:
        """Return the results of the using-directives and -declarations of a namespace, in the unit
        of the place; those in the function's blocks count for the unit."""
        visited: set[Die] = set()
        pending = [iter(self._directives(path))]
        while pending:
            directive = next(pending[-1], None)
            if directive is None:
                pending.pop()
                continue
            if directive.tag == dw.TAG_IMPORTED_DECLARATION:
                dies = self.imported(directive, part, accepts)
                if dies:
                    return dies
                continue
            target = directive.reference(dw.AT_IMPORT)
            if target is None or target in visited:
                continue
            visited.add(target)
            inner = scope_path(target)
            names = named_entries(target.unit).with_name(part.name)
            self.spend_import(_NAMESPACE + len(names) // 8)
            dies = self.declared(target.unit, inner, part, accepts)
            dies = dies or self._in_type_units(inner, part, accepts)
            if dies:
                return dies
            pending.append(iter(self._directives(inner)))
        return []

    def _in_own_type_units(self, path: Path, part: Part, accepts: DieFilter) -> list[Die]:
        """Return the types of this unit, and their enumerators, whose entries are in units of their
        own: it need not have declarations of them."""
        if self.unit is None or not self.unit.abbreviations.accepted(_has_signature):
            return []
        for unit in self._type_units(path, part):
            if self._is_of_this(unit) and (dies := self.declared(unit, path, part, accepts)):
                return dies
        return []

    def _in_type_units(self, path: Path, part: Part, accepts: DieFilter) -> list[Die]:
        """Return the types of a namespace whose entries are in units of their own."""
        for unit in self._type_units(path, part):
            dies = self.declared(unit, path, part, accepts)
            if dies and (not is_in_anonymous_namespace(dies[0]) or self._is_of_this(unit)):
                return dies
        return []

    def _type_units(self, path: Path, part: Part) -> Iterator[CompilationUnit]:
        """Yield the type units that may have a type or an enumerator of a name."""
        for unit in self.other_units(path, part.name, EXPORTED_IN_CPLUSPLUS):
            if unit.header.is_type_unit:
                yield unit

    def _directives(self, path: Path) -> list[Die]:
        assert self.unit is not None
        directives: list[Die] = []
        for directive in imports_by_scope(self.unit).get(path[-1] if path else "", ()):
            self.spend_import(1)
            if is_within(directive, path):
                directives.append(directive)
        if path or self.is_global or self.unit.style == "fortran" or not self.chain:
            return directives
        if self.chain[0].unit.abbreviations.accepted(_may_lead_to_directive):
            # A nested function or a lambda sees those of the functions around it, too.
            scopes = around(self.chain[0])
            outer = [scope for scope in scopes if scope.tag in BLOCKS | FUNCTIONS]
            for scope in (*reversed(self.chain), *outer):
                for directive in _directives_in(scope):
                    self.spend_import(1)
                    directives.append(directive)
        return directives

    def spend_import(self, work: int) -> None:
        self._imports_left -= work
        if self._imports_left < 0:
            raise LimitExceeded("the imports of a unit lead through too many scopes")

    def imported(self, declaration: Die, part: Part, accepts: DieFilter) -> list[Die]:
        """Return what a using-declaration gives, if it has the name."""
        target = declaration.reference(dw.AT_IMPORT)
        if target is None:
            return []
        name = declaration.name if declaration.has(dw.AT_NAME) else target.name
        if canonical(name or "") != part.name:
            return []
        self.spend_import(_NAMESPACE)  # many may have the name, and lead to a long chain
        target = followed(target)
        return [target] if accepts(target) and has_parameters(target, part) else []

    def in_other_units(self, path: Path, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return the declarations of other units in a namespace; if they have none, those in the
        namespaces that using-directives of the unit of the place make visible in it."""
        return self._in_others(path, part, accepts) or self._in_imported(path, part, accepts, set())

    def outside_namespaces(self, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return the declarations of other units outside of namespaces: what other files see comes
        first, then what using-directives make visible (C++ [namespace.udir]); what only its own
        file sees is last, as in GDB."""
        before = self.remarks
        self.remarks = dict(before)
        meanings = self._in_others((), part, accepts)
        if any(map(is_external, meanings)):
            return meanings
        hidden, self.remarks = self.remarks, before
        imported = self._in_imported((), part, accepts, set())
        if meanings and not imported:
            self.remarks = hidden
        return imported or meanings

    def by_imports(
        self, path: Path, part: Part, accepts: DieFilter, searched: set[Path]
    ) -> tuple[Meaning, ...]:
        """Return what the using-directives and -declarations of this unit give in a namespace.
        `searched`: the namespaces in which other units were found to have nothing."""
        try:
            meanings = self.defined(self._by_import(path, part, accepts))
        except DwarfGpuError as error:
            self.doubt(error)
            return ()
        return meanings or self._in_imported(path, part, accepts, searched)

    def _in_imported(
        self, path: Path, part: Part, accepts: DieFilter, searched: set[Path]
    ) -> tuple[Meaning, ...]:
        if self.unit is None:
            return ()
        try:
            for namespace in self._imported_namespaces(path):
                if namespace in searched:
                    continue
                if imported := self._in_others(namespace, part, accepts):
                    return imported
                searched.add(namespace)
        except DwarfGpuError as error:
            self.doubt(error)
        return ()

    def _imported_namespaces(self, path: Path) -> Iterator[Path]:
        """Yield the namespaces whose names using-directives make visible in a namespace."""
        visited: set[Die] = set()
        pending = [path]
        while pending:
            for directive in self._directives(pending.pop()):
                if directive.tag == dw.TAG_IMPORTED_MODULE:
                    target = directive.reference(dw.AT_IMPORT)
                    if target is not None and target not in visited:
                        visited.add(target)
                        pending.append(scope_path(target))
                        yield pending[-1]

    def _in_others(self, path: Path, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return what `_search_others` returns. The answers for ordinary names are kept: a display
        or a loop that reads a variable of another file searches all units once."""
        if self.instances:
            return ()
        if self.unit is None or accepts not in (ordinary, besides_namespaces):
            return self._search_others(path, part, accepts)
        kept = _kept_in_others(self.unit)
        innermost = self.enclosing_scopes[-1:]  # which has the others around it
        question = self.infos, innermost, self.name, path, part, accepts
        answer = kept.get(question)
        if answer is None:
            doubts, remarks = self.doubts, self.remarks
            self.doubts, self.remarks = [], {}
            try:
                meanings = self._search_others(path, part, accepts)
                answer = kept[question] = _Found(meanings, self.doubts, self.remarks)
            finally:
                doubts.extend(self.doubts)
                self.doubts, self.remarks = doubts, remarks | self.remarks
        else:
            self.doubts.extend(answer.doubts)
            self.remarks.update(answer.remarks)
        return answer.meanings

    def _search_others(self, path: Path, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return the declarations of other units in a namespace: exported ones before others, and
        variables that compilers removed behind the rest of their file, only those of this file
        and of the program, and variables of functions without names last."""
        hidden: tuple[Meaning, ...] = ()
        removed: tuple[Meaning, ...] = ()
        namespaces: tuple[Meaning, ...] = ()
        nameless: tuple[Meaning, ...] = ()
        searched: set[CompilationUnit | None] = {self.unit}
        visited: set[CompilationUnit] = set()
        pending = self.other_units(path, part.name)
        while (unit := next(pending, None)) is not None:
            if unit in searched:
                continue
            searched.add(unit)
            try:
                meanings = self.defined(self.declared(unit, path, part, accepts, visited))
            except DwarfGpuError as error:
                self.doubt(error)
                continue
            if meanings and accepts is ordinary and shares_its_name(meanings[0]):
                namespaces = namespaces or meanings
                continue
            if meanings and is_in_nameless(meanings[0]):
                nameless = nameless or meanings
                continue
            if any(map(is_external, meanings)):
                self._remark(meanings[0], path, part, accepts)
                return meanings
            if all(is_removed(meaning) for meaning in meanings):
                is_visible = self.unit is None or unit.info.main in (
                    self.unit.info.main,
                    self.infos[0],
                )
                removed = removed or (meanings if is_visible else ())
            elif not (hidden or removed and not _is_of_file(removed[0], unit)):
                hidden = meanings
                exporting = self.exporting(path, part.name)
                pending = pending if exporting is None else iter(exporting)
        meanings = hidden or removed or namespaces or nameless
        if meanings:
            self._remark(meanings[0], path, part, accepts)
        return meanings

    def remark_on_completion(self, taken: Die, name: str) -> None:
        """Remark that another file, too, completes a declaration of a type with this name."""
        self.begin(name)
        path = tuple(scope.name for scope in path_of(taken))
        self._remark(taken, path, Part(canonical(taken.name or "")), is_definition)

    def _remark(self, taken: Meaning, path: Path, part: Part, accepts: DieFilter) -> None:
        """Remark that another file than that of a meaning defines the name, too, as something that
        only that file sees. Only the units that may define it are read, and not more than
        `MAX_COMPARED`: most units of a large program have the types of its headers."""
        # Most names are those of the place, or exported.
        from dwarfgpu.dwarf.scope.several_files import differ, is_of_its_file, several

        if not is_of_its_file(taken):
            return
        tags = {taken.die.tag if isinstance(taken, Variable) else taken.tag}
        if tags <= _OBJECTS:
            tags = set(_OBJECTS)
        here = () if self.unit is None else (self.unit,)  # of an entry of another unit
        units = chain(here, self.other_units(path, part.name, tags))
        for unit in islice((unit for unit in units if unit != taken.unit), MAX_COMPARED):
            with suppress(DwarfGpuError):  # what was found needs nothing from it
                for other in self.defined(self.declared(unit, path, part, accepts)):
                    if is_of_its_file(other) and differ(taken, other):
                        self.remarks[several(self.name, taken, other)] = None
                        return

    def _is_of_this(self, unit: CompilationUnit) -> bool:
        """Return whether a type unit describes a type of this unit."""
        return self.unit is not None and refers_to(self.unit, unit)

    def defined(self, dies: Iterable[Die]) -> tuple[Meaning, ...]:
        """Return the definitions of entries, each once. Declarations stay if other files can define
        them: a symbol may locate them.

        But for functions only the first counts: entries that cannot be it are not read.
        `LimitExceeded` for very many functions.
        """
        dies = list(dies)
        _require_few_functions(dies)
        if len(dies) > 1 and dies[0].tag in _OF_ONE_BLOCK:
            _require_one(dies)
        out: dict[Meaning, None] = {}
        has_type = has_function = has_namespace = False
        for die in dies:
            if (has_type and die.tag in TYPES) or (has_namespace and shares_its_name(die)):
                continue
            meaning = self._meaning(die)
            if meaning is None:
                continue
            out[meaning] = None
            if shares_its_name(meaning):
                has_namespace = True
            elif order(meaning):
                has_type = True
            elif is_function(meaning):
                has_function = True
            elif not has_function and not is_in_nameless(meaning):
                return (meaning,)
        meanings = distinguished(sorted(out, key=order), self.enclosing_scopes)
        functions = [meaning for meaning in meanings if is_function(meaning)]
        return tuple(functions if functions and functions[0] is meanings[0] else meanings[:1])

    def _meaning(self, die: Die) -> Meaning | None:
        """Return what an entry defines or declares; None for data that nothing can define."""
        defined = self.definition(die)
        if not is_data(defined):
            return defined
        if instances := instances_of_member(die, defined):
            self.instances = instances
            return None
        variable = Variable(name_of(defined) or "", defined, "global")
        can_be = is_definition(defined) or is_member(defined) or variable.is_external
        return variable if can_be else None


def require_one_instance(name: str, dies: Iterable[Die]) -> None:
    """Raise `UsageError` where a name means instances of a template that differ in the types of
    their arguments alone."""
    from dwarfgpu.dwarf.names.comparable import ambiguous_instance  # few names have values
    from dwarfgpu.dwarf.scope.exact_instances import instances

    shown = sorted(instances(dies).values())
    if len(shown) > 1:
        raise UsageError(ambiguous_instance(name, shown))


def _require_few_functions(dies: list[Die]) -> None:
    most = dies[0].unit.sections.object.limits.namesakes if dies else 0
    if len(dies) <= most or dies[0].tag != dw.TAG_SUBPROGRAM:
        return  # of others the first one counts
    if [die.tag for die in dies].count(dw.TAG_SUBPROGRAM) > most:
        message = f"more than {most} functions of a unit are named {dies[0].name}"
        raise LimitExceeded(message, "--max-namesakes")


def _require_one(dies: list[Die]) -> None:
    """Raise `UsageError` where a scope has several variables of a name: they are instances of a
    template, whose arguments gcc does not write, or of blocks of a function, which rustc does not
    write, or of several crates of one name. Of these there may be several types, too."""
    unit, above = dies[0].unit, dies[0].parent()
    if unit.language == dw.LANG_RUST and above is not None and above.tag == dw.TAG_NAMESPACE:
        tags = TAGGED if dies[0].tag in TAGGED else {dw.TAG_VARIABLE}
        same = [die for die in dies if die.tag in tags and die.parent() == above]
        if len(same) > 1:
            raise UsageError(_in_several_of_rust(above, dies[0].name or "", same))
    is_variable = dies[0].tag == dw.TAG_VARIABLE
    if above is None or not (is_variable and unit.is_cplusplus) or above.tag in BLOCKS | FUNCTIONS:
        return
    declared = [
        die
        for die in dies
        if die.tag == dw.TAG_VARIABLE and die.unit is unit and die.parent() == above
        if die.linkage_name is None and is_definition(die)
    ]
    if len(declared) < 2 or not parse_producer(unit.producer).is_gcc:
        return
    raise UsageError(
        f'"{qualified_name(dies[0])}" is a template of {len(declared)} variables, whose template '
        "arguments the file does not have"
    )


def _in_several_of_rust(namespace: Die, name: str, declared: list[Die]) -> str:
    """Return the message that blocks of a function, or crates of one name, have the same name."""
    crate, *inner = scope_path(namespace)
    files = {None if (file := decl_file(die)) is None else file.path for die in declared}
    if not inner or len(files) > 1:
        return f'several crates "{crate}" declare "{joined((*inner, name))}"'
    is_known = None not in files  # a function is in one file; rustc does not write those of types
    if is_known or _is_of_function(namespace):
        return in_several_blocks(namespace, name, declared)
    where = joined((crate, *inner))
    return f'several blocks of "{where}", or several crates "{crate}", declare "{name}"'


def _is_of_function(namespace: Die) -> bool:
    """Return whether a namespace of Rust has the name of a function beside it in its unit."""
    *path, name = scope_path(namespace)
    return any(map(is_function, named_within(namespace.unit, tuple(path), name)))


def _may_lead_to_directive(abbreviation: Abbreviation) -> bool:
    """Return whether an entry is a using-directive, or inherits from one of another unit, which may
    have some."""
    if abbreviation.tag == dw.TAG_IMPORTED_MODULE:
        return True
    positions = map(abbreviation.positions.get, (dw.AT_ABSTRACT_ORIGIN, dw.AT_SPECIFICATION))
    forms = {abbreviation.attributes[index].form for index in positions if index is not None}
    return not forms <= _IN_UNIT


@kept_with(lambda scope: scope.unit)
def _directives_in(scope: Die) -> tuple[Die, ...]:
    """Return the using-directives in a scope: lookups from all scopes inside it follow them."""
    holders = with_abstract(scope)
    return tuple(
        chain.from_iterable(holder.children((dw.TAG_IMPORTED_MODULE,)) for holder in holders)
    )


def _has_signature(abbreviation: Abbreviation) -> bool:
    """Return whether entries may refer to a type unit."""
    forms = (dw.FORM_REF_SIG8, dw.FORM_INDIRECT)
    return any(attribute.form in forms for attribute in abbreviation.attributes)


def _is_of_file(meaning: Meaning, unit: CompilationUnit) -> bool:
    """Return whether the file of a unit has a meaning."""
    die = meaning.die if isinstance(meaning, Variable) else meaning
    return die.unit.info.main is unit.info.main


def _is_completion(meaning: Meaning, declarations: Iterable[Die]) -> bool:
    """Return whether a type is the definition, in another unit, of what this one only declares."""
    if not isinstance(meaning, Die) or meaning.tag not in TAGGED:
        return False
    return all(meaning.unit != die.described.unit for die in declarations if die.tag in TAGGED)
