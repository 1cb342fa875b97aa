"""What a name means in one scope: in a namespace, class, enumeration, function or block.

Law: the scope is known; `name_lookup` searches the scopes around a program location with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import is_in_no_unit
from dwarfgpu.dwarf.names.qualified import Part, canonical
from dwarfgpu.dwarf.scope.block_declarations import (
    OF_BLOCKS,
    enumerators_of,
    is_named,
    is_of_block,
    require_only_variable,
    require_unique,
)
from dwarfgpu.dwarf.scope.declarations import (
    around,
    is_definition,
    is_in_function,
    scope_path,
    template_parameter,
)
from dwarfgpu.dwarf.scope.meaning import (
    DieFilter,
    Meaning,
    has_tag,
    is_external_definition,
    is_same_function,
    ordinary,
)
from dwarfgpu.dwarf.scope.named_entries import TAGGED
from dwarfgpu.dwarf.scope.scope_entries import CONTAINERS
from dwarfgpu.dwarf.scope.unit_declarations import MAX_COMPARED, UnitDeclarations
from dwarfgpu.dwarf.scope.unit_search import Path
from dwarfgpu.dwarf.scope.variable import Variable, external_in, with_abstract
from dwarfgpu.dwarf.scope.written_parameters import has_parameters
from dwarfgpu.dwarf.types.class_scope import class_scope, constructors, is_own_name, nearest_members
from dwarfgpu.dwarf.types.type_entries import NAMES_OF_TYPES, QUALIFIERS
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.fortran_names import FortranNames
    from dwarfgpu.dwarf.scope.names_in_functions import NamesInFunctions

_MAX_TYPEDEFS: Final = 1_000
"""Maximum number of typedefs around a class."""
_MAX_CLASSES: Final = 20_000
"""Maximum number of base classes to search for one name, counted once per scope: of those that are
written before it, and of the classes around the program location."""
_TRANSPARENT_TYPES: Final = frozenset({*QUALIFIERS, *NAMES_OF_TYPES})
_NAMESPACES: Final = frozenset({dw.TAG_NAMESPACE})
_FUNCTIONS: Final = frozenset({dw.TAG_SUBPROGRAM})


class ScopeMembers(UnitDeclarations):
    """Members of the scopes of a program, seen from a program location."""

    def __init__(
        self,
        infos: Iterable[DebugInfo],
        unit: CompilationUnit | None,
        chain: Iterable[Die],
        enclosing_scopes: Iterable[Die],
        declared: Callable[[Die, str], Iterable[Variable]],
    ) -> None:
        super().__init__(infos, unit, chain, enclosing_scopes)
        self.declared_in_scope = declared
        """The variables of a scope that may have a canonical simple name, and perhaps others."""
        self._classes_left = _MAX_CLASSES

    def begin(self, name: str) -> None:
        """Begin the search for a name."""
        super().begin(name)
        self._classes_left = _MAX_CLASSES

    @property
    def is_fortran(self) -> bool:
        return self.unit is not None and self.unit.style == "fortran"

    def of_fortran(self, part: Part, accepts: DieFilter) -> FortranNames:
        from dwarfgpu.dwarf.scope.fortran_names import FortranNames  # few programs are of Fortran

        return FortranNames(self, self.in_block, part, accepts)

    def in_scopes(
        self, holders: tuple[Die, ...], part: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return a name after `::`: in a namespace, a class, an enumeration or a function."""
        first = holders[0]
        if first.tag in CONTAINERS:
            for holder in (die for die in holders if die.tag in CONTAINERS):
                if meanings := self._in_namespace(holder, part, accepts):
                    return meanings
            functions = tuple(die for die in holders if die.tag == dw.TAG_SUBPROGRAM)
            functions = functions or self.functions_beside(first)
            return self._in_functions(functions, part, accepts)
        if first.tag == dw.TAG_SUBPROGRAM:
            in_functions = self._in_functions(holders, part, accepts)
            return in_functions or self._in_namespace_of(first, part, accepts)
        scope = self._type_of(first)
        if scope is None:
            return ()
        if scope.tag == dw.TAG_ENUMERATION_TYPE:
            return self.defined(
                [child for child in scope.children() if is_named(child, part, accepts)]
            )
        of_class = constructors(scope, part.name) if accepts is ordinary else None
        if of_class is not None:
            meant = [die for die in of_class if has_parameters(die, part)]
            written = [die for die in meant if not die.flag(dw.AT_ARTIFICIAL)]
            meanings = self.defined(written or meant)
            if written:
                return meanings
            # Compilers declare those that they add in every class that could have them, or only in
            # the units that use them.
            return _functions_with_code(meanings) or _functions_with_code(
                self.in_other_units(scope_path(scope), part, accepts)
            )
        # Compilers leave out the static members and functions that a unit does not use.
        meanings = self.in_class(scope, part, accepts)
        if meanings or is_in_function(scope):  # its path is that of overloads' classes, too
            return meanings
        return self._left_out(scope, part, accepts, self.in_this_unit, self.in_other_units)

    def _left_out(
        self,
        scope: Die,
        part: Part,
        accepts: DieFilter,
        *searches: Callable[[Path, Part, DieFilter], tuple[Meaning, ...]],
    ) -> tuple[Meaning, ...]:
        """Return a member of a class or of a base class that no entry has which defines these."""

        def of_class(kind: Die) -> tuple[Meaning, ...]:
            if is_in_function(kind):
                return ()
            path, takes = scope_path(kind), accepts
            if any("<" in name for name in path):
                takes = _of_instance(kind, accepts)
            answers = (search(path, part, takes) for search in searches)
            meanings = next(filter(None, answers), ())
            if kind == scope or not is_own_name(kind, part.name.partition("<")[0]):
                return meanings
            # Constructors of a base class are not members of the derived one.
            return tuple(
                one for one in meanings if not isinstance(one, Die) or one.tag != dw.TAG_SUBPROGRAM
            )

        return nearest_members(scope, part.name, of_class, self._class_definition)

    def _in_namespace(self, scope: Die, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return a member of a namespace; if there is none, what the using-directives and
        -declarations of the units give that have the namespace (C++ [namespace.qual])."""
        if scope.tag == dw.TAG_MODULE and scope.unit.style == "fortran":
            return self.of_fortran(part, accepts).in_module(scope)
        path = scope_path(scope)
        meanings = self.in_this_unit(path, part, accepts)
        meanings = meanings or self.in_other_units(path, part, accepts)
        if meanings or scope.unit == self.unit:
            return meanings
        if all(is_in_no_unit(info, part.name) for info in self.infos):
            return ()  # no import leads to it
        try:
            return self._by_imports_of_units(scope, path, part, accepts)
        except DwarfGpuError as error:
            self.doubt(error)
            return ()

    def functions_beside(self, namespace: Die) -> tuple[Die, ...]:
        """Return the functions with which a namespace shares its name, which may be in other
        units."""
        if namespace.tag != dw.TAG_NAMESPACE or not _may_share_its_name(namespace):
            return ()
        *path, name = scope_path(namespace)
        around_it, own, takes = tuple(path), Part(name, text=name), has_tag(_FUNCTIONS)
        meanings = self.in_this_unit(around_it, own, takes)
        meanings = meanings or self.in_other_units(around_it, own, takes)
        return tuple(meaning for meaning in meanings if isinstance(meaning, Die))

    def _in_namespace_of(
        self, function: Die, part: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return a member of the namespace that shares its name with a function."""
        if not _may_share_its_name(function):
            return ()
        *path, name = scope_path(function)
        around_it, own, takes = tuple(path), Part(name, text=name), has_tag(_NAMESPACES)
        for meanings_in in (self.in_this_unit, self.in_other_units):
            for namespace in meanings_in(around_it, own, takes):
                if isinstance(namespace, Die):
                    return self._in_namespace(namespace, part, accepts)
        return ()

    def _by_imports_of_units(
        self, scope: Die, path: Path, part: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return what the imports of the first unit give that has a meaning for a name; remark that
        those of another one give something else, of not more than `MAX_COMPARED`."""
        # Few names are found by these imports only.
        from dwarfgpu.dwarf.scope.several_files import name_different_entities, several_in

        taken: tuple[Meaning, ...] = ()
        first, compared = scope.unit, 0
        searched: set[Path] = set()
        units = self.other_units(path[:-1], path[-1] if path else part.name)
        for unit in chain((scope.unit,), (unit for unit in units if unit != scope.unit)):
            there = UnitDeclarations(self.infos, unit, (), ())
            there.begin(self.name)
            meanings = there.by_imports(path, part, accepts, searched)
            if not taken:
                self.doubts.extend(there.doubts)
                self.remarks.update(there.remarks)
                taken, first = meanings, unit
            elif meanings and name_different_entities(taken[0], meanings[0]):
                self.remarks[several_in(self.name, first, unit)] = None
                break
            compared += bool(taken)
            if compared > MAX_COMPARED:
                break
        return taken

    def in_class(self, scope: Die, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return a member of a class or of a base class, as its unit declares them, or, for a class
        of a type unit, this unit."""
        defined = self._type_of(scope) or scope
        members = [
            member
            for member in class_scope(defined, part.name, self._class_definition, scope.unit)
            if accepts(member)
        ]
        meanings = self.defined([member for member in members if has_parameters(member, part)])
        if meanings or not scope.unit.header.is_type_unit:
            return meanings
        return self._left_out(defined, part, accepts, self.in_this_unit)

    def _class_definition(self, declaration: Die) -> Die:
        """Return the definition of a class; where these files have none, other loaded ones may."""
        self._classes_left -= 1
        if self._classes_left < 0:
            raise LimitExceeded(f"the scopes of a name have more than {_MAX_CLASSES} base classes")
        defined = self.definition(declaration)
        return defined if is_definition(defined) else defined.unit.info.class_definition(defined)

    def in_block(self, scope: Die, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return the declarations of a block or function itself, and its imports by name."""
        for variable in self.declared_in_scope(scope, part.name):
            if canonical(variable.name) == part.name and accepts(variable.die):
                require_only_variable(scope, variable, accepts)
                return (variable,)
        external = external_in(scope, part.name)
        if external is not None and accepts(external.die):
            return (self._outside_functions(external, part, accepts),)
        for holder in with_abstract(scope):
            for child in holder.children(OF_BLOCKS):
                if is_of_block(child) and is_named(child, part, accepts):
                    return (require_unique(scope, child, accepts),)
                for enumerator in enumerators_of(child):
                    if is_named(enumerator, part, accepts):
                        return (require_unique(scope, enumerator, accepts),)
                if child.tag == dw.TAG_IMPORTED_DECLARATION:
                    dies = self.imported(child, part, accepts)
                    if dies:
                        return self.defined(dies)
        return parameter_of_template(scope, part, accepts)

    def imported_by(self, scope: Die, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return what the using-declarations of a function or block give."""
        for child in scope.children((dw.TAG_IMPORTED_DECLARATION,)):
            if dies := self.imported(child, part, accepts):
                return self.defined(dies)
        return ()

    def _outside_functions(self, external: Variable, part: Part, accepts: DieFilter) -> Variable:
        """Return the variable that `extern int x;` in a block denotes, in the innermost namespace
        around it (C++ [basic.link]); the declaration itself if only a symbol has its place."""
        namespaces = (scope for scope in around(external.die) if scope.tag in CONTAINERS)
        path = next(map(scope_path, namespaces), ())
        for meanings_in in (self.in_this_unit, self.in_other_units):
            for meaning in meanings_in(path, part, accepts):
                if isinstance(meaning, Variable) and (
                    meaning.is_external or meaning.unit is external.unit
                ):
                    return meaning
        return external

    def _in_functions(
        self, functions: tuple[Die, ...], part: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        if not functions:
            return ()
        from dwarfgpu.dwarf.scope.names_in_functions import NamesInFunctions  # few names are so

        search = NamesInFunctions(self.chain, part, accepts, self.name, self.remarks)
        meanings = search.of(functions)
        if not meanings and all(function.has(dw.AT_DECLARATION) for function in functions):
            return search.of(self._external_definitions(functions))
        if meanings and isinstance(meanings[0], Variable) and not self.remarks:
            self._remark_function_of_header(functions[0], meanings[0], search)
        return meanings

    def _remark_function_of_header(
        self, function: Die, taken: Variable, search: NamesInFunctions
    ) -> None:
        """Remark that another file, too, has a variable of the same static function of a header,
        where the place is in none of these files."""
        from dwarfgpu.dwarf.scope.several_files import differ, is_of_its_file, several

        if function.unit == self.unit or not is_of_its_file(function):
            return
        *path, name = scope_path(function)
        accepts = has_tag(_FUNCTIONS)
        units = self.other_units(tuple(path), name, _FUNCTIONS)
        for unit in islice((unit for unit in units if unit != function.unit), MAX_COMPARED):
            with suppress(DwarfGpuError):  # what was taken needs nothing from it
                functions = self.declared(unit, tuple(path), Part(name, text=name), accepts)
                same = tuple(one for one in functions if is_same_function(function, one))
                for other in search.of(same):
                    if differ(taken, other):
                        self.remarks[several(self.name, taken, other)] = None
                        return

    def _external_definitions(self, declarations: tuple[Die, ...]) -> tuple[Die, ...]:
        """Return the entries that define external functions of a name, perhaps without code, as
        they are only inlined."""
        *path, name = scope_path(declarations[0])
        part, linkage_names = Part(name, text=name), {one.linkage_name for one in declarations}
        meanings = self.in_other_units(tuple(path), part, is_external_definition)
        return tuple(
            meaning
            for meaning in meanings
            if isinstance(meaning, Die) and meaning.linkage_name in linkage_names
        )

    def _type_of(self, die: Die) -> Die | None:
        """Return the class or enumeration that a name means, below typedefs."""
        current: Die | None = die
        for _ in range(_MAX_TYPEDEFS):
            if current is None or current.tag not in _TRANSPARENT_TYPES:
                break
            current = current.reference(dw.AT_TYPE)
        if current is None or current.tag not in TAGGED:
            return None
        return self._class_definition(current)


def _of_instance(class_: Die, accepts: DieFilter) -> DieFilter:
    """Return what accepts the members of an instance of a template only, not those of one that
    differs in the types of its values."""
    from dwarfgpu.dwarf.scope.exact_instances import is_in_scope, within

    scope = within(class_)
    return lambda die: accepts(die) and is_in_scope(die, scope)


def _functions_with_code(meanings: Iterable[Meaning]) -> tuple[Die, ...]:
    functions = (die for die in meanings if isinstance(die, Die) and die.tag == dw.TAG_SUBPROGRAM)
    return tuple(die for die in functions if is_definition(die))


def _may_share_its_name(die: Die) -> bool:
    """Return whether a function and a namespace may have one name where an entry is."""
    return not die.unit.is_cplusplus and die.unit.language not in dw.WITHOUT_NAMESPACES


def parameter_of_template(scope: Die, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
    """Return a parameter of the template that a function or class is an instance of."""
    parameter = template_parameter(scope, part.name)
    if parameter is None or not accepts(parameter):
        return ()
    is_type = parameter.tag == dw.TAG_TEMPLATE_TYPE_PARAMETER
    return (parameter if is_type else Variable(part.text, parameter, "global"),)
