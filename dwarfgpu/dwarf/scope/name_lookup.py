"""Name lookup at a program location: one rule for the language, `where` and GDB.

The rule is that of C++ (basic.lookup), which includes that of C. A simple name is searched in the
blocks of the function, in the class that it is a member of, and in the enclosing namespaces, from
the inside outwards; in each also through using-directives, using-declarations, aliases, inline and
anonymous namespaces. After `::` it is searched in the named scope.

Of overloaded functions all are returned, or those with the written parameters, `f(int)`;
`dwarfgpu.language.named_values` refuses a name that several have.

Law: the unit at the place is searched first, and others only for names that it does not define; an
unreadable unit is an error only if no other one has the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import (
    Part,
    canonical,
    joined,
    parts,
    require_few_scopes,
)
from dwarfgpu.dwarf.scope.block_declarations import (
    in_unknown_block,
    is_of_block,
    may_be_of_any_block,
    require_only_variable,
)
from dwarfgpu.dwarf.scope.declarations import (
    around,
    module_around,
    name_problem,
    scope_path,
    unknown_in,
)
from dwarfgpu.dwarf.scope.instance_lookup import InstanceLookup
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning, ordinary
from dwarfgpu.dwarf.scope.named_entries import TAGGED, named_entries
from dwarfgpu.dwarf.scope.nameless_functions import in_nameless, nameless_variables, one_at
from dwarfgpu.dwarf.scope.scope_entries import (
    BLOCKS,
    CLASSES,
    CONTAINERS,
    FUNCTIONS,
    has_child,
)
from dwarfgpu.dwarf.scope.scope_members import parameter_of_template
from dwarfgpu.dwarf.scope.unit_search import Doubt, Path
from dwarfgpu.dwarf.scope.variable import Variable, declared_in, variables_below, with_abstract
from dwarfgpu.dwarf.scope.written_parameters import has_parameters
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, NotUnderstood, UsageError

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.shared_namespaces import SharedNamespaces

_SCOPES: Final = (
    CONTAINERS | TAGGED | dw.TYPEDEFS | {dw.TAG_SUBPROGRAM, dw.TAG_TEMPLATE_TYPE_PARAMETER}
)

Lacking: TypeAlias = tuple[dict[tuple[Die, str], int], dict[tuple[Die, str], int]]
"""How many scopes around one remain to be searched for a name that neither it nor those between
have: of a function and its blocks, and of those into which it is inlined."""


class NameLookup(InstanceLookup):
    """What names mean where a program is."""

    def __init__(
        self,
        infos: Iterable[DebugInfo],
        unit: CompilationUnit | None = None,
        chain: Iterable[Die] = (),
        outer: Iterable[Die] = (),
        declared: Callable[[Die, str], Iterable[Variable]] = declared_in,
        enclosing_scopes: Iterable[Die] = (),
        why_no_unit: DwarfGpuError | None = None,
        lacking: Lacking | None = None,
    ) -> None:
        """`lacking`: kept for lookups at other program locations."""
        super().__init__(infos, unit, chain, enclosing_scopes, declared)
        self.outer = tuple(outer)
        """The scopes of functions into which that is inlined, which its text does not see, from the
        outermost inwards."""
        self._lacking, self._lacking_outside = lacking or ({}, {})
        self.why_no_unit = why_no_unit
        """Why the unit of the place cannot be read; None where it can, or there is none."""

    def of(self, name: str, accepts: DieFilter = ordinary) -> tuple[Meaning, ...]:
        """Return the entities that a name denotes: several only for functions; empty if there are
        none.

        `UsageError` if it is ambiguous, or that of a template of variables in the unit of the
        place, or a scope before `::` does not exist; another error if a unit that may have it
        cannot be read: only a remark where that is the unit of the place, and another one has it.

        An instance of a template is that with the types of the values in the name, or else the only
        one with these values: `count<9>` is `count<9u>`, unless there are both.
        """
        self.begin(name)
        sought = parts(name)
        if not sought:
            return ()
        why = self.why_no_unit
        try:
            meanings = self._scopes_named(sought, name.startswith("::"), accepts)
        except UsageError:
            if why is not None:  # the unit may have the scope, or say which of several is meant
                raise why.anew() from None
            raise
        if why is not None:
            if not meanings:
                raise why.anew()
            self.remarks[hidden_by_unread(name, why)] = None
        if not meanings:
            for problem in filter(None, map(_problem_of, dict.fromkeys(self.doubts))):
                raise problem.anew()
            if self.instances:
                error = self.why_not(name)
                raise type(error)(f"{error.message.rstrip('.')}.{self.on_template}")
        return meanings

    def _scopes_named(
        self, sought: tuple[Part, ...], is_global: bool, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        *outer, last = sought
        if not outer:
            find = self._global if is_global else self._simple
            if "<" not in last.text:  # nearly always
                return find(last, accepts)
            return self.instance(lambda part: find(part, accepts), last, accepts)
        if meanings := self._in_modules(sought, is_global, accepts):
            return meanings
        first, *inner = outer
        scopes = self.instance(lambda one: self._first_scope(one, is_global), first, _is_scope)
        holder = tuple(meaning for meaning in scopes if isinstance(meaning, Die))
        if not holder:
            if not is_global and self._simple(first, ordinary):
                remainder = "".join(f"::{sought_part.text}" for sought_part in sought[1:])
                raise NotUnderstood(f"A syntax error in expression, near `{remainder}'.")
            raise NotUnderstood(f'No symbol "{first.text}" in current context.')
        return self.below(holder, (*inner, last), accepts)

    def below(
        self, holder: tuple[Die, ...], sought: tuple[Part, ...], accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return what the parts of a name after `::` mean in a scope, each in the one before it;
        `UsageError` where one is no scope."""
        require_few_scopes(sought)
        *outer, last = sought
        for part in outer:
            meanings = self._in_scopes(holder, part, _is_scope)
            inner = tuple(meaning for meaning in meanings if isinstance(meaning, Die))
            if not inner:
                where = joined(scope_path(holder[0]))
                raise NotUnderstood(f'No type "{part.text}" within class or namespace "{where}".')
            holder = inner
        return self._in_scopes(holder, last, accepts)

    def _in_scopes(
        self, holders: tuple[Die, ...], part: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        return self.instance(lambda one: self.in_scopes(holders, one, accepts), part, accepts)

    def _in_modules(
        self, sought: tuple[Part, ...], is_global: bool, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return what a path of Rust means that begins with the nearest module of a name: no
        function is in a path (The Rust Reference, "Paths"). Nothing if that has no such name."""
        if self.unit is None or self.unit.language != dw.LANG_RUST:
            return ()
        first, *inner, last = sought
        find, remarks = self._global if is_global else self._simple, self.remarks
        self.remarks = dict(remarks)
        meanings = find(first, self._is_module_of_rust)
        for part, accepted in (*((part, _is_scope) for part in inner), (last, accepts)):
            holders = tuple(meaning for meaning in meanings if isinstance(meaning, Die))
            meanings = self.in_scopes(holders, part, accepted) if holders else ()
        if not meanings:
            self.remarks = remarks
        return meanings

    def _is_module_of_rust(self, die: Die) -> bool:
        """Return whether an entry is a crate, or a namespace that is not of a function alone."""
        from dwarfgpu.dwarf.scope.modules_of_rust import may_be_module

        return _is_module(die) and may_be_module(die, self.infos)

    def _first_scope(self, part: Part, is_global: bool) -> tuple[Meaning, ...]:
        """Return what the first part of a qualified name means. In Rust, a module or crate may have
        the name of a function, as `main` of most programs, and is meant first; the nearest module
        may be that of the function's closures, and the crate is meant."""
        find = self._global if is_global else self._simple
        scopes = find(part, _is_scope)
        if not scopes or self.unit is None or self.unit.language != dw.LANG_RUST:
            return scopes
        modules = (*find(part, _is_module), *self._global(part, _is_module))
        return tuple(dict.fromkeys((*modules, *scopes)))

    def depth(self, meaning: Meaning) -> int:
        """Return how many blocks of the function in focus are around a declaration: 0 for one
        outside of functions, less for one of the functions into which that is inlined."""
        block = (meaning.die if isinstance(meaning, Variable) else meaning).parent()
        for number, scope in (
            *enumerate(self.chain, 1),
            *enumerate(reversed(self.outer), -len(self.outer)),
        ):
            if block is not None and block in tuple(scope.origins()):
                return number
        return 0

    def why_not(self, name: str) -> UsageError:
        """Return the error that a name denotes nothing, with GDB's wording."""
        self.name = name
        *outer, last = parts(name) or (Part(name, text=name),)
        if not outer:
            return NotUnderstood(f'No symbol "{last.text}" in current context.')
        try:
            scopes = self._scopes_named(tuple(outer), name.startswith("::"), _is_scope)
        except DwarfGpuError as error:
            return error if isinstance(error, UsageError) else UsageError(error.message)
        for scope in scopes:
            return unknown_in(scope if isinstance(scope, Die) else None, last.text)
        return NotUnderstood(f'No symbol "{name}" in current context.')

    def _simple(self, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        if part.parameters is not None:
            accepts = _with_parameters(part, accepts)
        if self.chain and self.is_fortran:
            return self._in_fortran(part, accepts)
        nearest = self._in_functions_around(part, accepts)
        if meanings := next((meanings for meanings, is_own in nearest if is_own), ()):
            self._remark_unknown_block(part, meanings[0], accepts, nearest)
            return meanings
        scopes = [*around(self.chain[0])] if self.chain else []
        classes = [scope for scope in scopes if scope.tag in CLASSES]
        paths = [scope_path(scope) for scope in scopes if scope.tag in CONTAINERS]
        if self.chain and self.chain[0].unit.language == dw.LANG_RUST:
            paths = self._around_impl(self.chain[0]) or paths
            if meanings := self._in_items(self.chain[0], part, accepts, paths):
                return meanings
        if self.chain and (module := module_around(self.chain[0])) and module not in scopes:
            paths.append(scope_path(module))
        for path in (*paths, ()):
            meanings = self.in_this_unit(path, part, accepts)
            if meanings or self.instances:
                return meanings
        if meanings := self._in_callers(part, accepts):
            return meanings
        for path in (*map(scope_path, classes), *paths):
            meanings = self.in_other_units(path, part, accepts)
            if meanings:
                return meanings
        meanings = self.outside_namespaces(part, accepts)
        meanings = meanings or self._in_any_nameless(part, accepts)
        if self.chain and self._is_ada and all(item.unit.style != "ada" for item in meanings):
            self._remark_another_file(part, meanings)
        return meanings

    def _in_functions_around(
        self, part: Part, accepts: DieFilter
    ) -> Iterator[tuple[tuple[Meaning, ...], bool]]:
        """Yield what the blocks of the function in focus declare, then the functions and classes
        whose text is around it, the nearest first; and whether it is for this lookup: variables of
        other frames are what `in_enclosing_functions` finds."""

        def of_scope(scope: Die) -> tuple[tuple[Meaning, ...], bool]:
            noted = len(self.doubts), len(self.remarks)
            meanings = self.in_block(scope, part, accepts)
            meanings = meanings or in_nameless((scope,), part.name, accepts)
            if meanings or noted != (len(self.doubts), len(self.remarks)):
                return meanings, False
            return (), not any(map(_has_imports, with_abstract(scope)))

        lacking = self._lacking if accepts is ordinary else {}
        for meanings in self._search(self.chain, part.name, of_scope, lacking):
            yield meanings, True
        written, is_hidden = None, False
        for scope in around(self.chain[0]) if self.chain else ():
            if scope.tag in CLASSES and (meanings := self.in_class(scope, part, accepts)):
                yield meanings, True
            if scope.tag in BLOCKS | FUNCTIONS and not is_hidden:
                hiding = self._hiding(scope, written, part, accepts)
                if hiding is not None:
                    yield (hiding,), False
                    is_hidden = True
                elif meanings := self.in_block(
                    scope, part, _no_variable(accepts)
                ) or self.imported_by(scope, part, accepts):
                    yield meanings, True
            if not is_hidden and (meanings := parameter_of_template(scope, part, accepts)):
                yield meanings, True
            written = scope if scope.tag in CLASSES else None

    def _remark_unknown_block(
        self,
        part: Part,
        taken: Meaning,
        accepts: DieFilter,
        further_out: Iterator[tuple[tuple[Meaning, ...], bool]],
    ) -> None:
        """Remark that a type or enumerator may be that of a block which is not around the code,
        where something further out has the name, too: first what remains of the functions and
        classes around the code."""
        if not isinstance(taken, Die) or not may_be_of_any_block(taken):
            return
        paths = [scope_path(scope) for scope in around(taken) if scope.tag in CONTAINERS]
        in_namespaces = (self.in_this_unit(path, part, accepts) for path in (*paths, ()))
        doubts, remarks = self.doubts, self.remarks
        self.doubts, self.remarks = [], {}
        try:
            named = chain((meanings for meanings, _ in further_out), in_namespaces)
            outside = next(filter(None, named), None)
            if outside is not None:
                remarks[in_unknown_block(part.text, taken, outside[0])] = None
        except DwarfGpuError:  # several of them, or one that cannot be read
            remarks[in_unknown_block(part.text, taken, None)] = None
        finally:
            self.doubts, self.remarks = doubts, remarks

    def _in_items(
        self, function: Die, part: Part, accepts: DieFilter, outer: list[Path]
    ) -> tuple[Meaning, ...]:
        """Return an item of the function of Rust in focus, which is in a namespace of its name, or
        of the nearest module or function around it; remark that what is around the function has
        the name, too. `UsageError` where one of these has several of it."""
        from dwarfgpu.dwarf.scope.items_of_functions import (
            in_unknown_block,
            in_unknown_module,
            is_around_closure,
            paths_of_items,
        )
        from dwarfgpu.dwarf.scope.shared_namespaces import SharedNamespaces

        units = self.other_units((), part.name)
        own = [*paths_of_items(function, units, self.doubts)]
        shared = SharedNamespaces(function, own, outer[0] if outer else (), self.infos)
        paths = [*own, *outer]
        for number, path in enumerate(paths, 1):
            meanings = self._in_one_namespace(path, part, accepts, shared)
            if not meanings:
                continue
            is_in_function = path in own or is_around_closure(function, path)
            is_in_function = is_in_function or shared.may_be_of_function(path, meanings[0])
            further_out = paths[number:]
            if is_in_function and self._has_another(
                meanings[0], further_out, part, accepts, shared
            ):
                may_be = shared.may_be_of_module(path, meanings[0])
                self.remarks[in_unknown_block(meanings[0], may_be_of_module=may_be)] = None
            if number > len(own) and (note := in_unknown_module(function)) is not None:
                self.remarks[note] = None
            return meanings
        return ()

    @staticmethod
    def _around_impl(function: Die) -> list[Path]:
        """Return the namespaces around the `impl` of a method of Rust, the nearest first; nothing
        if it is unknown, and for any other function."""
        from dwarfgpu.dwarf.scope.items_of_functions import path_around_impl

        path = path_around_impl(function) or ()
        return [path[:count] for count in range(len(path), 0, -1)]

    def _in_one_namespace(
        self, path: Path, part: Part, accepts: DieFilter, shared: SharedNamespaces
    ) -> tuple[Meaning, ...]:
        """Return the declarations in a namespace around the code. `UsageError` where a unit has
        several of the name there: one further out is not meant."""
        before = len(self.doubts)
        with suppress(UsageError):  # of several, one may be of the module with the code
            meanings = self._declared_in_namespace(path, part, accepts)
            if all(shared.has(path, meaning) for meaning in meanings):
                return meanings
        del self.doubts[before:]
        return self._declared_in_namespace(
            path, part, lambda die: accepts(die) and shared.has(path, die)
        )

    def _declared_in_namespace(
        self, path: Path, part: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return the declarations in a namespace of this unit, or else of others. `UsageError`
        where a unit has several of the name."""
        if meanings := self.in_this_unit(path, part, accepts):
            return meanings
        before = len(self.doubts)
        meanings = self.in_other_units(path, part, accepts)
        for doubt in self.doubts[before:]:
            if isinstance(doubt, UsageError):
                raise doubt
        return meanings

    def _has_another(
        self,
        taken: Meaning,
        paths: list[Path],
        part: Part,
        accepts: DieFilter,
        shared: SharedNamespaces,
    ) -> bool:
        """Return whether one of these namespaces, or what is outside of all in this unit, has
        another item that a name may mean."""
        from dwarfgpu.dwarf.scope.items_of_functions import are_rivals

        doubts, remarks = self.doubts, self.remarks
        self.doubts, self.remarks = [], {}
        try:
            there = chain.from_iterable(
                self._in_one_namespace(path, part, accepts, shared) for path in paths
            )
            outside = self.in_this_unit((), part, accepts)
            return any(are_rivals(taken, one) for one in chain(there, outside))
        except UsageError:  # several of them
            return True
        finally:
            self.doubts, self.remarks = doubts, remarks

    def _remark_another_file(self, part: Part, meanings: tuple[Meaning, ...]) -> None:
        """Remark that the code here cannot mean the static variable of another file."""
        if meanings and not self.remarks and self.unit is not None:
            from dwarfgpu.dwarf.scope.fortran_names import of_another_file

            note = of_another_file(part.text, meanings[0], self.unit)
            self.remarks.update({} if note is None else {note: None})

    def _in_callers(self, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return a variable of the functions into which the one in focus is inlined."""

        def of_scope(scope: Die) -> tuple[tuple[Meaning, ...], bool]:
            has_name = False
            for variable in self.declared_in_scope(scope, part.name):
                if variable.name == part.name:
                    has_name = True
                    if accepts(variable.die):
                        return (variable,), False
            return (), not has_name

        return next(self._search(self.outer, part.name, of_scope, self._lacking_outside), ())

    def _search(
        self,
        scopes: tuple[Die, ...],
        name: str,
        search: Callable[[Die], tuple[tuple[Meaning, ...], bool]],
        lacking: dict[tuple[Die, str], int],
    ) -> Iterator[tuple[Meaning, ...]]:
        """Yield what scopes have, from the last one outwards. `search` also returns whether a scope
        without a meaning lacks the name for every lookup: that is kept, because as many waves as
        scopes in one another may look for it."""
        remaining = len(scopes)
        passed: list[tuple[Die, str]] = []
        while remaining:
            question = scopes[remaining - 1], name
            further = lacking.get(question)
            meanings: tuple[Meaning, ...] = ()
            if further is None:
                meanings, is_lacking = search(question[0])
                further = remaining - 1 if is_lacking else None
            if further is not None:
                passed.append(question)
                remaining = further
                continue
            for one in passed:
                lacking[one] = remaining
            passed.clear()
            remaining -= 1
            if meanings:
                yield meanings
        for one in passed:
            lacking[one] = 0

    @property
    def _is_ada(self) -> bool:
        return self.unit is not None and self.unit.style == "ada"

    def _in_fortran(self, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return what the scoping units around a procedure of Fortran have, or else the program;
        nothing for a variable of its host."""
        try:
            known = self.of_fortran(part, accepts).find()
        except UsageError:
            raise
        except DwarfGpuError as error:
            self.doubt(error)
            return ()
        self.remarks.update(dict.fromkeys(known.notes))
        if known.meanings or known.of_enclosing is not None:
            return known.meanings
        meanings = self.in_this_unit((), part, accepts) or self._in_callers(part, accepts)
        meanings = meanings or self._type_of_module(part, accepts)
        meanings = meanings or self.in_other_units((), part, accepts)
        meanings = meanings or self._in_any_nameless(part, accepts)
        self._remark_another_file(part, meanings)
        return meanings

    def _type_of_module(self, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return the only type of a name in the modules of this unit: the code may use it by
        `only`, which gfortran does not describe."""
        assert self.unit is not None
        from dwarfgpu.dwarf.scope.fortran_names import of_module, types_of_modules

        types = [die for die in types_of_modules(self.unit, part.name) if accepts(die)]
        if len(types) != 1:
            return ()
        self.remarks[of_module(part.text, types[0])] = None
        return self.defined(types)

    def in_enclosing_functions(self, name: str) -> Variable | None:
        """Return the variable of a simple name in the functions whose text encloses the one in
        focus, as that of a lambda or of a nested function; None if there is none. It is of another
        frame. `UsageError` where it is unknown which of several is meant."""
        if not self.chain or len(parts(name)) != 1:
            return None
        if self.is_fortran:
            (part,) = parts(name)
            accepts = ordinary if part.parameters is None else _with_parameters(part, ordinary)
            with suppress(DwarfGpuError):  # the search for its meanings raises it
                return self.of_fortran(part, accepts).find().of_enclosing
            return None
        sought = canonical(name)
        written: Die | None = None
        for scope in around(self.chain[0]):
            if scope.tag in BLOCKS | FUNCTIONS:
                variable = self._of_enclosing(scope, written, sought)
                if variable is not None:
                    return variable
            written = scope if scope.tag in CLASSES else None
        return None

    def _of_enclosing(self, scope: Die, written: Die | None, sought: str) -> Variable | None:
        """Return the variable of a function or block around the function in focus, which is in the
        class `written` if that is in the function."""
        if written is not None and written.unit.is_cplusplus:
            from dwarfgpu.dwarf.scope.text_around_class import seen_by_class  # for lambdas

            variable = seen_by_class(scope, written, sought)
        else:
            named = (one for one in declared_in(scope, sought) if canonical(one.name) == sought)
            variable = next((one for one in named if ordinary(one.die)), None)
        if variable is not None:
            require_only_variable(scope, variable, ordinary)
        return variable

    def _hiding(
        self, scope: Die, written: Die | None, part: Part, accepts: DieFilter
    ) -> Variable | None:
        """Return the variable of a function or block around the one in focus that hides what is
        declared further out; None if there is none. `UsageError` as `in_enclosing_functions`."""
        of_class = written is not None and written.unit.is_cplusplus
        variables = variables_below(scope) if of_class else declared_in(scope, part.name)
        is_declared = any(
            canonical(one.name) == part.name and accepts(one.die) for one in variables
        )
        return self._of_enclosing(scope, written, part.name) if is_declared else None

    def of_enclosing_functions(self) -> Iterator[Variable]:
        """Yield the variables of the functions whose text encloses the one in focus, the nearest
        first."""
        for scope in around(self.chain[0]) if self.chain else ():
            if scope.tag in BLOCKS | FUNCTIONS:
                yield from (one for one in declared_in(scope) if ordinary(one.die))

    def nested_functions(self) -> Iterator[Die]:
        """Yield the nested functions that the text of the function in focus sees."""
        if not self.chain or self.is_fortran:
            return
        for scope in (*reversed(self.chain), *around(self.chain[0])):
            if scope.tag in BLOCKS | FUNCTIONS:
                for origin in scope.origins():
                    yield from filter(is_of_block, origin.children((dw.TAG_SUBPROGRAM,)))

    def _in_any_nameless(self, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        """Return a variable of a function that has no name for qualifying it."""
        units = chain(() if self.unit is None else (self.unit,), self.other_units((), part.name))
        for unit in units:
            try:
                variables = nameless_variables(unit)
            except DwarfGpuError as error:
                self.doubt(error)
                continue
            same = [variable for variable in variables if canonical(variable.name) == part.name]
            takable = [variable for variable in same if accepts(variable.die)]
            if takable:
                return (one_at(takable, self.enclosing_scopes),)
        return ()

    def _global(self, part: Part, accepts: DieFilter) -> tuple[Meaning, ...]:
        return self.in_this_unit((), part, accepts) or self.in_other_units((), part, accepts)


def hidden_by_unread(name: str, why: DwarfGpuError) -> str:
    """Return the remark on what a name means outside of the unit of the place, which cannot be
    read."""
    reason = why.brief or why
    return f"another {name} may be meant, as the unit of the code here cannot be read: {reason}"


def _with_parameters(part: Part, accepts: DieFilter) -> DieFilter:
    """Return a filter for functions with the parameters that are written."""
    return lambda die: accepts(die) and has_parameters(die, part)


def _has_imports(scope: Die) -> bool:
    return has_child(scope, {dw.TAG_IMPORTED_DECLARATION})


def _no_variable(accepts: DieFilter) -> DieFilter:
    variables = (dw.TAG_VARIABLE, dw.TAG_FORMAL_PARAMETER)
    return lambda die: die.tag not in variables and accepts(die)


def _is_scope(die: Die) -> bool:
    """Return whether something can be in an entry."""
    return die.tag in _SCOPES


def _is_module(die: Die) -> bool:
    return die.tag in CONTAINERS


def _problem_of(doubt: Doubt) -> DwarfGpuError | None:
    """Return an error, or that of the first entry of a unit whose name cannot be read."""
    if isinstance(doubt, DwarfGpuError):
        return doubt
    try:
        unreadable = named_entries(doubt).first_unreadable
    except DwarfGpuError as error:
        return error
    return None if unreadable is None else name_problem(unreadable)
