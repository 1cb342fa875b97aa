"""Resolve names and types in an expression by `dwarfgpu.dwarf.scope.name_lookup`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import parts, split_last
from dwarfgpu.dwarf.names.type_names import full_name
from dwarfgpu.dwarf.scope.declarations import (
    declaration_of,
    is_in_unnamed_namespace,
    unit_of_unnamed,
    unknown_in,
)
from dwarfgpu.dwarf.scope.imports import imported_units
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning, has_tag, is_function, is_type, ordinary
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import TYPES
from dwarfgpu.dwarf.scope.scope_entries import CONTAINERS
from dwarfgpu.dwarf.scope.symbols_by_name import (
    d_symbols,
    demangled_symbol,
    function_of_symbol,
    is_instance,
    symbol_demangled_to,
    untyped_symbol,
)
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_entries import enumerator_value
from dwarfgpu.dwarf.types.types import (
    Base,
    Enum,
    Struct,
    Type,
    strip,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, NotUnderstood, UsageError
from dwarfgpu.language.base_classes import is_local
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.choose_name_rules import name_rules_of
from dwarfgpu.language.declarators import Declarators
from dwarfgpu.language.dotted_names import joined_names
from dwarfgpu.language.fortran.types import written_type
from dwarfgpu.language.hsa_types import hsa_type
from dwarfgpu.language.syntax.expression_language import SourceLanguage, language_of
from dwarfgpu.language.syntax.words import (
    FORTRAN,
    TYPE_WORDS,
    UNRESERVED_IN_C,
    UNRESERVED_IN_CPLUSPLUS,
)
from dwarfgpu.session.focused_names import variable_among
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.language.syntax.ast import TypeName

_STRUCTURES: Final = frozenset({dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE, dw.TAG_INTERFACE_TYPE})
_TAGGED: Final = {
    "struct": _STRUCTURES,
    "class": _STRUCTURES,
    "union": frozenset({dw.TAG_UNION_TYPE}),
    "enum": frozenset({dw.TAG_ENUMERATION_TYPE}),
}
_WITHOUT_SYMBOLS: Final = TYPES | {dw.TAG_ENUMERATOR, dw.TAG_NAMESPACE}
"""Entities that have no symbol, and so no linkage name."""
_OTHERS: Final = {
    "struct": "class, union or enum",
    "union": "class, struct or enum",
    "enum": "class, struct or union",
}


@frozen
class Typed:
    """A type and the unit that it comes from."""

    type: Type | None
    unit: CompilationUnit | None

    @property
    def is_cplusplus(self) -> bool:
        """Whether it is spelled as in C++."""
        return language_of(self.unit).is_cplusplus

    @property
    def style(self) -> Style:
        """The language whose spelling to use."""
        return "c" if self.unit is None else self.unit.style


class Names:
    """Looks up names for the focus of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.builtins = Builtins(session.architecture, has_unsigned_char=self.language.is_d)
        self.remarks: dict[str, None] = {}
        """Whose the names are that several files define, each for itself."""
        self._remarks_of: dict[str, tuple[str, ...]] = {}
        self._evaluated: set[str] = set()
        self._intrinsics: set[str] = set()
        self._meanings: dict[str, tuple[Meaning, ...] | UsageError] = {}
        """By name: the parser asks whether a name is a type, then the evaluation what it means."""
        self.undescribed: dict[str, DwarfGpuError] = {}
        """By name of a symbol: why the unit that may describe it cannot be read."""
        self._joined: dict[tuple[str, ...], tuple[int, str]] = {}
        """By the words between points: what `joined_names` returns."""
        rules = name_rules_of(self.language)
        self._rules = rules(session, self.current_unit, self.language, self.builtins)
        self._declarators = Declarators(self._rules, lambda name: self.type_of(name).type)
        self.spelled = self._rules.spelled
        """Returns a name as the file has it."""
        self.overloaded = self._rules.overloaded
        """Returns the message that a name means several functions."""

    @cached_property
    def current_unit(self) -> CompilationUnit | None:
        """The unit at the program location; without one, the unit of `main`, or the only
        unit. None where it cannot be read."""
        try:
            unit = self.session.unit
            # The style is in the own entry of the unit, which may be unreadable.
            return unit if unit is not None and unit.style else None
        except DwarfGpuError:
            return None

    @cached_property
    def language(self) -> SourceLanguage:
        """The language of that unit; that of C where there is none."""
        return language_of(self.current_unit)

    def meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the entities of a name: several only for functions; empty for an unknown name. The
        name of a source file in quotes may be before it."""
        if name.startswith("'"):
            file, _, simple = name[1:].partition("'::")
            return self.in_file(simple, file) if file and simple else ()
        known = self._meanings.get(name)
        if known is None:
            try:
                spelled = self.spelled(name)
                known = self._in_scope(spelled)
                if not (known or self.is_predeclared(spelled)):
                    known = self._rarer_meaning(spelled)
                if self._rules.numbers_overloads:
                    known = self._rules.together(name, spelled, known)
                    doubt = self._rules.doubt(name, spelled)
                    self.remarks.update({} if doubt is None else {doubt: None})
            except UsageError as error:
                known = error.with_traceback(None)
            except DwarfGpuError as error:
                known = self._despite(error, name)
            self._meanings[name] = known
        if isinstance(known, UsageError):
            raise known.anew()
        return known

    def in_file(self, name: str, file: str) -> tuple[Meaning, ...]:
        """Return the entities of a name in a source file; `UsageError` with GDB's wording if there
        are none."""
        key = f"'{file}'::{name}"
        known = self._meanings.get(key)
        if known is None:
            from dwarfgpu.language.names_of_files import meaning_in_file  # few names are so

            try:
                known = meaning_in_file(self, name, file)
            except UsageError as error:
                known = error.with_traceback(None)
            self._meanings[key] = known
        if isinstance(known, UsageError):
            raise known.anew()
        return known

    def in_class(
        self, struct_type: Struct, name: str, unit: CompilationUnit | None = None
    ) -> tuple[Meaning, ...]:
        """Return what a name after `::` means in a class: of a function's, or of an instance of a
        template, in its own entry, as the class of its name may be another one; of one in an
        unnamed namespace, in its unit. `UsageError` if a scope in the name does not exist.

        `unit`: of the object, as the type units of several files may be one.
        """
        die = struct_type.die
        if die is not None and is_in_unnamed_namespace(die) and not is_local(struct_type):
            return self._of_unnamed(unit_of_unnamed(die, unit), f"::{full_name(struct_type)}", name)
        is_instance = "<" in full_name(struct_type)
        if die is not None and (is_instance or is_local(struct_type)):
            lookup = self.session.meanings(name)
            lookup.begin(name)
            meanings = lookup.below((die,), parts(name), ordinary)
            if meanings or not is_instance or is_local(struct_type):
                return meanings
            # Few classes have templates of static members.
            from dwarfgpu.dwarf.scope.exact_instances import is_in_scope, shown_with_types, within
            from dwarfgpu.language.member_templates import class_with_template

            owner = class_with_template(self.session, struct_type, name)
            if owner is not None and owner is not struct_type:
                return self.in_class(owner, name)
            scope, named = within(die), self._of_class(f"::{shown_with_types(die)}", name)
            return tuple(one for one in named if is_in_scope(_entry(one), scope))
        return self._of_class(f"::{full_name(struct_type)}", name) if struct_type.name else ()

    def _of_unnamed(
        self, unit: CompilationUnit | None, owner: str, name: str
    ) -> tuple[Meaning, ...]:
        """Return the same of a class in the unnamed namespace of a unit; without one, of that in
        focus, or else of any."""
        if unit is None:
            return self._of_class(owner, name)
        meanings = NameLookup((), unit).of(f"{owner}::{name}")
        definition = self.session.meanings(name).definition  # gcc -flto has code in other units
        return tuple(definition(one) if isinstance(one, Die) else one for one in meanings)

    def inherited_constructors(self, struct_type: Struct, name: str) -> list[Die]:
        """Return the constructors of a base class of a name that are those of the class, too: GDB
        takes them for member functions of an object."""
        if struct_type.die is None:
            return []
        from dwarfgpu.dwarf.types.class_scope import inherited_constructors  # few classes have any

        lookup = self.session.meanings(name)
        lookup.begin(name)
        defined = lookup.defined(inherited_constructors(struct_type.die, name))
        return [one for one in defined if isinstance(one, Die)]

    def _of_class(self, owner: str, name: str) -> tuple[Meaning, ...]:
        return self.meaning(f"{owner}::{name}") if self.is_name(owner) else ()

    def _despite(self, error: DwarfGpuError, name: str) -> tuple[Meaning, ...]:
        """Return that nothing is described by a name, with a remark, where a unit that may have it
        cannot be read, and a symbol has it; the same of that of a source file, as in
        `'file.c'::x`. Raise the error for other names."""
        if "." in name and self._is_source_file(name):
            return ()
        if untyped_symbol(self.session.objects_with(name), name) is None:
            raise error
        self.undescribed[name] = error
        reason = error.brief or error
        self.remarks[f"{name} is only a symbol, as a unit cannot be read: {reason}"] = None
        return ()

    def _is_source_file(self, name: str) -> bool:
        from dwarfgpu.language.source_lines import has_file  # few names are of a file

        return has_file(self.session, name)

    def _in_scope(self, name: str) -> tuple[Meaning, ...]:
        """Return the entities of a name in a scope around the program location, or written before
        it."""
        try:
            return self._looked_up(name) or self._visible_in_function(name)
        except UsageError:
            # In D, the error may be of a static variable that no entry describes.
            meanings = None if self.language.is_d else self._in_linked_function(name)
            meanings = self._of_resolved_parameters(name) if meanings is None else meanings
            if meanings is None:
                raise
            return meanings

    def _of_resolved_parameters(self, name: str) -> tuple[Meaning, ...] | None:
        """Return the function of a name that has typedefs in its parameters, `f(my_int)`, where its
        entry has what they denote; None if there is none."""
        if "(" not in name or not self.language.is_cplusplus:
            return None
        from dwarfgpu.language.resolved_parameters import with_resolved_parameters  # few are

        resolved = with_resolved_parameters(self, name)
        if resolved is None or resolved == name:
            return None
        with suppress(UsageError):
            return self._looked_up(resolved) or self._visible_in_function(resolved) or None
        return None

    def _rarer_meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the entities of a name that is none of a scope around the program location."""
        meanings = self._of_linkage_name(name) or self.printed_functions(name)
        meanings = meanings or self.of_member_template(name)
        meanings = meanings or self._of_resolved_parameters(name) or ()
        return meanings or self._rules.rarer_meaning(name)

    def of_member_template(self, name: str) -> tuple[Meaning, ...]:
        """Return the variable of an instance of a static member template, `K::v<int>`: compilers
        put it into no class, or name it without arguments there."""
        if not (is_instance(name) and "::" in name and self.language.is_cplusplus):
            return ()
        from dwarfgpu.dwarf.scope.linked_variables import instance_named  # few names are so

        objects = self.session.objects_with(name)
        symbol = symbol_demangled_to(objects, name)
        instance = instance_named(objects, name) if symbol is None else None
        meanings = () if symbol is None else self._of_linkage_name(symbol)
        if instance is not None:
            return (instance,)
        return meanings or self._of_inherited_template(name)

    def _of_inherited_template(self, name: str) -> tuple[Meaning, ...]:
        """Return the same by the name of a typedef or a derived class before `::`."""
        from dwarfgpu.language.member_templates import class_with_template
        from dwarfgpu.language.syntax import ast

        scope, simple = split_last(name)
        owner: Struct | None = None
        with suppress(UsageError):  # as of a namespace
            kind = strip(self.type_of(ast.TypeName((scope,))).type) if self.is_name(scope) else None
            if isinstance(kind, Struct):
                owner = class_with_template(self.session, kind, simple)
        whole = "" if owner is None else full_name(owner)
        return (
            () if whole in ("", scope.removeprefix("::")) else self.meaning(f"::{whole}::{simple}")
        )

    def printed_functions(self, name: str) -> tuple[Meaning, ...]:
        """Return the functions whose names are printed so, where compilers name the entry of an
        instance of a template or of a conversion otherwise."""
        if "<" not in name and "operator " not in name:
            return ()
        # Few names are so.
        from dwarfgpu.dwarf.names.function_paths import is_full_name
        from dwarfgpu.dwarf.scope.functions_by_name import functions_named, in_all_files

        return tuple(
            item.die
            for item in in_all_files(functions_named, self.session.objects_with(name), name)
            if not item.is_call and is_full_name(item.name, name)
        )

    def linked(self, name: str) -> tuple[Meaning, ...]:
        """Return the entity of a linkage name, or that after `FUNCTION::` with one."""
        variables = self._of_linkage_name(name)
        if variables:
            return variables
        function = function_of_symbol(self.session.objects_with(name), name)
        if function is not None and function.linkage_name == name:
            return (function,)
        return self._in_linked_function(name) or ()

    def _of_linkage_name(self, name: str) -> tuple[Meaning, ...]:
        """Return the variable of a linkage name, a global one or a static one of a function; its
        entry need not have a mangled one. Else what has no symbol, and a name that is mangled as
        those are: a type, an enumerator or a namespace."""
        from dwarfgpu.dwarf.scope.linked_variables import linked_variable, static_variable

        objects = self.session.objects_with(name)
        if name.startswith("_ZZ"):
            static = static_variable(objects, name)
            return () if static is None else (static,)
        meanings = self._of_mangled(name)
        if named := tuple(m for m in meanings if isinstance(m, Variable) and m.kind == "global"):
            return named
        variable = linked_variable(objects, name)
        if variable is not None:
            return (variable,)
        return tuple(m for m in meanings if isinstance(m, Die) and m.tag in _WITHOUT_SYMBOLS)

    def _of_mangled(self, name: str, accepts: DieFilter = ordinary) -> tuple[Meaning, ...]:
        """Return the entities of the text of a mangled name."""
        if not name.startswith("_Z"):
            return ()
        from dwarfgpu.dwarf.names.demangle import demangled  # few names are written so

        with suppress(UsageError):  # as of a function, whose text is no name
            return self._looked_up(demangled(name) or name, accepts)
        return ()

    def _in_linked_function(self, name: str) -> tuple[Meaning, ...] | None:
        """Return what `FUNCTION::NAME` means where the symbol of the function has another name than
        its entry: `_Z1fv`, or that of `int f(void) asm("g")`. None if there is no such function."""
        scope, simple = split_last(name)
        function: Die | None = None
        if scope.isidentifier():
            function = function_of_symbol(self.session.objects_with(scope), scope)
        if function is None or function.linkage_name != scope:  # None, or that of an alias
            return None
        lookup = self.session.meanings(simple)
        lookup.begin(simple)
        meanings = lookup.in_scopes((function,), parts(simple)[0], ordinary)
        meanings = meanings or self.visible_in((function,), simple)
        if not meanings:
            raise unknown_in(function, simple)
        return meanings

    def in_enclosing_functions(self, name: str, meanings: Sequence[Meaning]) -> Variable | None:
        """Return the variable of a function whose text encloses the one in focus, which is of
        another frame; None if there is none, or if it is hidden by one of the given meanings of
        the name."""
        if not all(map(_is_outside_of_functions, meanings)):
            return None
        return self.session.meanings(name).in_enclosing_functions(name)

    def find_variable(self, name: str) -> Variable | None:
        """Return the variable that a name of the file means alone; None if it means none."""
        lookup = self.session.meanings(name)
        meanings = self._looked_up(name, lookup=lookup)
        doubt = self._rules.doubt(name, name)
        lookup.remarks.update({} if doubt is None else {doubt: None})
        return variable_among(self.session, meanings, lookup, name)

    def _looked_up(
        self, name: str, accepts: DieFilter = ordinary, lookup: NameLookup | None = None
    ) -> tuple[Meaning, ...]:
        lookup = lookup or self.session.meanings(name)
        has_own_rules = accepts is ordinary and self._rules.hides_others  # not those of C
        is_of_language = has_own_rules and self.is_predeclared(name)
        takes = self._is_ordinary_of_language if is_of_language else accepts
        look_up = self._rules.looked_up if has_own_rules else NameLookup.of
        try:
            meanings = look_up(lookup, name, takes)
        except UsageError:
            self.remarks.update(lookup.remarks)  # what a scope before `::` means may be why
            raise
        if is_of_language:
            return meanings
        remarks = lookup.remarks
        is_ordinary = bool(meanings) and accepts is ordinary
        if remarks and is_ordinary and self.in_enclosing_functions(name, meanings):
            return meanings  # the variable of the enclosing function hides them
        self.remarks.update(remarks)
        if remarks:
            self._remarks_of[name] = (*remarks,)
        return meanings

    def used(self, name: str) -> None:
        """Note that an expression has the value of a name."""
        self._evaluated.add(name)

    def used_as_intrinsic(self, name: str) -> None:
        """Note that an expression has an intrinsic function with a name that objects have, too."""
        self._intrinsics.add(self.spelled(name))

    @property
    def remarks_on_used(self) -> list[str]:
        """The remarks but for those on names that are intrinsic functions only, and on those of
        templates whose instances are used."""
        templates = {name.partition("<")[0] for name in self._evaluated if name.endswith(">")}
        names = (self._intrinsics | templates) - self._evaluated
        unused = [self._remarks_of.get(name, ()) for name in names]
        left_out = {remark for remarks in unused for remark in remarks}
        return [remark for remark in self.remarks if remark not in left_out]

    def _visible_in_function(self, name: str) -> tuple[Meaning, ...]:
        """Return what the last part of `FUNCTION::NAME` means in the file of the function."""
        scope, simple = split_last(name)
        if not scope:
            return ()
        return self.visible_in(self.session.meanings(scope).of(scope), simple)

    def is_around_function(self, name: str) -> bool:
        """Return whether `FUNCTION::NAME` means what is outside of the function: as in GDB, no
        linespec does."""
        spelled = self.spelled(name)
        try:
            return not self._looked_up(spelled) and bool(self._visible_in_function(spelled))
        except UsageError:
            return False  # the search for its meaning reports it

    def visible_in(self, functions: Sequence[Meaning], simple: str) -> tuple[Meaning, ...]:
        """Return what a name outside of a function means to its text, where the language has
        that after `FUNCTION::`."""
        if not any(map(is_function, functions)):
            return ()
        from dwarfgpu.dwarf.scope.around_functions import visible_in  # few names are so

        return visible_in(functions, self.session.meanings(simple).infos, simple)

    def written_scopes(self) -> list[tuple[str, str]]:
        """Return what may be written before a name in the focus, and what the file has in its
        place: `crate::` and `a::` in Rust, nothing and `main.` in Go."""
        return self._rules.written_scopes()

    def is_type(self, name: str) -> bool:
        """Return whether a name in an expression is a type."""
        if self._keyword(name) is not None:
            return True
        cached = self._known(name)
        if not cached:
            return self._built_in(name) is not None
        if self._is_primitive_of_rust(name, cached[0]):
            return True
        return isinstance(cached[0], Die) and is_type(cached[0])

    def _keyword(self, name: str) -> Base | None:
        """Return the type that a keyword is in the language in focus, whatever it is in others;
        None where the unit has a typedef of the name, as C++98 allows."""
        keyword = self._rules.keyword(name)
        if keyword is None or self._rules.reserves_types:
            return keyword
        is_declared = any(
            isinstance(meaning, Die) and meaning.tag in dw.TYPEDEFS and self._is_of_unit(meaning)
            for meaning in self._known(name)
        )
        return None if is_declared else keyword

    def is_built_in_type(self, name: str) -> bool:
        """Return whether a name that the program does not describe is a type."""
        return self._keyword(name) is not None or self._built_in(name) is not None

    def _is_of_unit(self, die: Die) -> bool:
        """Return whether the unit in focus has an entry, or imports the unit that has it, as one
        that dwz has made."""
        unit = self.current_unit
        with suppress(DwarfGpuError):
            return unit is not None and (die.unit == unit or die.unit in imported_units(unit))
        return False

    def _built_in(self, name: str) -> Type | None:
        """Return a type that a program need not describe: of the language in focus, or a structure
        of the HSA runtime."""
        return self._rules.predeclared(name) or hsa_type(self.session, name)

    def is_predeclared(self, name: str) -> bool:
        """Return whether the language of the unit in focus has a type of a name, which hides what
        other languages have of the name, their symbols, too."""
        if not self._rules.hides_others:
            return False
        return name in self.language.described_types or self._rules.predeclared(name) is not None

    def _is_ordinary_of_language(self, die: Die) -> bool:
        """Return whether an entry has an ordinary name in that language."""
        return ordinary(die) and self._is_of_language(die)

    def is_hidden_symbol(self, name: str) -> bool:
        """Return whether a name has a symbol that only quotes can mean, as a type of the language
        in focus hides it."""
        symbols = self.session.objects_with(name)
        return self.is_predeclared(name) and untyped_symbol(symbols, name) is not None

    def _is_of_language(self, die: Die) -> bool:
        """Return whether an entry is of the language of the unit in focus."""
        return self.language.is_kin(language_of(die.unit)) or self._is_of_unit(die)

    def _is_primitive_of_rust(self, name: str, meaning: Meaning) -> bool:
        """Return whether a name is that of a primitive type of Rust, and otherwise of a module
        only, as `f32` is in the code of `core` (The Rust Reference, "Preludes")."""
        is_module = isinstance(meaning, Die) and meaning.tag == dw.TAG_NAMESPACE
        return is_module and self.language.is_rust and self._rules.primitive(name) is not None

    def _is_keyword_type(self, die: Die) -> bool:
        """Return whether an entry is what a keyword means in the language of the unit in focus."""
        return die.tag == dw.TAG_BASE_TYPE and self._is_of_language(die)

    def is_function(self, name: str) -> bool:
        """Return whether a name in an expression is a function."""
        return any(map(is_function, self._known(name)))

    def is_unreserved(self, word: str) -> bool:
        """Return whether a keyword of C or C++ names an object, and the language of the unit in
        focus does not reserve it, as Fortran does not reserve `long`."""
        unit = self.current_unit
        if unit is None or (unit.is_cplusplus and word not in UNRESERVED_IN_CPLUSPLUS):
            return False
        if unit.language in dw.C | dw.OPENCL and word not in UNRESERVED_IN_C:
            return False
        return any(map(_is_object, self._known(word)))

    def literal(self, name: str) -> str | None:
        """Return the literal that a name is in the language of the unit in focus; None for
        another name."""
        literal = name.lower() if self.language.is_caseless else name
        return literal if literal in self.language.literals else None

    def is_opencl_vector(self, name: TypeName) -> bool:
        """Return whether the unit in focus is of OpenCL, and a type is a vector there."""
        if not self.language.is_opencl:
            return False
        from dwarfgpu.language.vectors import is_vector  # few kernels are of OpenCL

        try:
            return is_vector(self.type_of(name).type)
        except DwarfGpuError:
            return False  # the cast reports it

    def joined_names(self, names: Sequence[str]) -> tuple[int, str]:
        """Return how many of the names between points are one name, the first its package, module
        or enumeration, and that name; 1 if the first is an object."""
        words = tuple(names)
        if words not in self._joined:
            self._joined[words] = joined_names(self, words)
        return self._joined[words]

    def quoted(self, name: str) -> str:
        """Return a name in quotes as the program's entries have it: in a frame of any language,
        that of D with its module, `'app.core.x'`."""
        if "." not in name or self._known(name):
            return name
        from dwarfgpu.dwarf.names.d_spellings import d_spellings  # few names are quoted

        before = dict(self.remarks)
        spelled = next(filter(self._is_of_d, d_spellings(name)), None)
        if spelled is None:  # what was looked up means something else
            self.remarks.clear()
            self.remarks.update(before)
        return spelled or self._symbol_of_d(name) or name

    def _symbol_of_d(self, name: str) -> str | None:
        """Return the linkage name of the variable of D that symbols have by a name; `UsageError`
        if several have it. gdc describes static members as variables of the module."""
        symbols = d_symbols(self.session.objects_with(name), name)
        if len(symbols) > 1:
            raise UsageError(f'"{name}" is ambiguous: {", ".join(symbols)}')
        return symbols[0] if symbols else None

    def _is_of_d(self, name: str) -> bool:
        first = next(iter(self._known(name)), None)
        return first is not None and first.unit.language == dw.LANG_D

    def is_name(self, name: str) -> bool:
        """Return whether a name in an expression means anything."""
        if self._known(name) or self._built_in(name) is not None:
            return True
        if self.language.is_go and self._known(f"&{name}"):  # on the heap
            return True
        if self.session.architecture.is_simt:
            from dwarfgpu.language import gpu_builtins  # for expressions with mistakes only

            if name in gpu_builtins.BUILTIN_VARIABLES | gpu_builtins.BUILTIN_FUNCTIONS:
                return True
        if self.literal(name) is not None:
            return True
        is_symbol = is_instance(name) and demangled_symbol(self.session.code_objects, name)
        return bool(is_symbol)

    def _known(self, name: str) -> tuple[Meaning, ...]:
        try:
            return self.meaning(name)
        except UsageError:
            return ()  # its use raises the error

    def own_call(self, functions: list[Die]) -> list[Die]:
        """Return the inlined call in focus if it is a call of one of these functions: as in GDB, a
        function without code of its own has a location only there."""
        chain = self.session.meanings().chain[:1]
        declarations = [declaration_of(function) for function in functions]
        return [function for function in chain if declaration_of(function) in declarations]

    def unknown(self, name: str) -> UsageError:
        """Return the error that a name is unknown, with GDB's wording, or that it has several
        meanings."""
        try:
            self.meaning(name)
        except UsageError as error:
            return error
        shown = name.replace("__", ".") if self.language.is_ada else name
        return self.session.meanings(name).why_not(shown)

    def unknown_type(self, name: TypeName) -> UsageError | None:
        """Return the error for the name of no type, with GDB's wording; None for that of one."""
        try:
            self.type_of(name)
        except UsageError as error:
            return error
        return None

    def enumerator(self, die: Die) -> tuple[Enum, int]:
        """Return the type and value of an enumerator; `IllFormed` if it has no value."""
        above = die.parent()
        kind = None if above is None else types_of(die.unit).build(above)
        value = enumerator_value(die, kind.underlying) if isinstance(kind, Enum) else None
        if not isinstance(kind, Enum) or value is None:
            raise die.located(IllFormed(f"the enumerator {die.name} has no value"))
        return kind, value

    def type_of(self, name: TypeName, of_operand: Typed | None = None) -> Typed:
        """Return the type that a type name denotes; `UsageError` with GDB's wording if there is
        none.

        `of_operand`: the type that `typeof` of its operand means.
        """
        specified = self._specified(name) if of_operand is None else of_operand
        return Typed(self._declarators.derived(specified.type, name), specified.unit)

    def _specified(self, name: TypeName) -> Typed:
        if name.operand is not None:  # a parameter
            raise UsageError("typeof is not supported in the parameters of a function type.")
        words = name.words
        primitive = self._rules.primitive(words[0]) if words[0] in TYPE_WORDS else None
        if primitive is not None and len(words) == 1 and name.tag is None:
            return Typed(primitive, self.current_unit)
        if name.tag is None and all(word in TYPE_WORDS for word in words):
            if len(words) == 1 and (own := self._rules.own_number_type(words[0])) is not None:
                return Typed(own, self.current_unit)
            kind = self.builtins.named(words)
            if kind is None and words != ("void",):
                raise NotUnderstood(f"No type named {' '.join(words)}.")
            return Typed(kind, self.current_unit)
        if name.tag is None and words[0] == FORTRAN and len(words) == 2:
            return Typed(written_type(self.builtins, words[1]), self.current_unit)
        (simple,) = words
        simple = self.spelled(simple)
        keyword = self._keyword(simple) if name.tag is None else None
        if keyword is not None:
            described = self.session.meanings(simple).of(simple, self._is_keyword_type)[:1]
            dies = [die for die in described if isinstance(die, Die)]
            if not dies:
                return Typed(keyword, self.current_unit)
            return Typed(types_of(dies[0].unit).build(dies[0]), dies[0].unit)
        takes = ordinary if name.tag is None else has_tag(_TAGGED[name.tag])
        is_in_file = simple.startswith("'")
        meanings = self.meaning(simple) if is_in_file else self._looked_up(simple, takes)
        if not meanings and name.tag is None:
            meanings = self._visible_in_function(simple)
        meanings = meanings or self._of_mangled(simple, takes)
        (die,) = meanings[:1] or (None,)
        if isinstance(die, Die) and die.tag == dw.TAG_TEMPLATE_TYPE_PARAMETER:
            return Typed(types_of(die.unit).type_of(die), die.unit)
        if not isinstance(die, Die) or die.tag not in TYPES:
            is_free = die is None or self._is_primitive_of_rust(simple, die)
            built_in = self._built_in(simple) if is_free else None
            has_tag_of_it = name.tag == "struct" and isinstance(built_in, Struct)
            if built_in is not None and (name.tag is None or has_tag_of_it):
                is_spelled = self.language.is_ada or self.language.is_d
                return Typed(built_in, self.current_unit if is_spelled else None)
            tag = "struct" if name.tag == "class" else name.tag
            if tag is not None and (tags := _OTHERS[tag]):
                any_tag = has_tag(frozenset().union(*_TAGGED.values()))
                if self.session.meanings(simple).of(simple, any_tag):
                    article = "an" if tag == "enum" else "a"
                    raise NotUnderstood(f"This context has {tags} {simple}, not {article} {tag}.")
            if tag is not None:
                raise NotUnderstood(f"No {tag} type named {simple}.")
            raise self.unknown(simple)
        return Typed(types_of(die.unit).build(die), die.unit)


def _entry(meaning: Meaning) -> Die:
    return meaning.die if isinstance(meaning, Variable) else meaning


def _is_object(meaning: Meaning) -> bool:
    """Return whether a name means an object or a function, and no type or module."""
    is_module = isinstance(meaning, Die) and meaning.tag == dw.TAG_NAMESPACE
    return not is_module and not (isinstance(meaning, Die) and is_type(meaning))


def _is_outside_of_functions(meaning: Meaning) -> bool:
    if isinstance(meaning, Variable):
        return meaning.kind == "global"
    above = declaration_of(meaning).parent()
    if above is not None and above.tag == dw.TAG_ENUMERATION_TYPE:
        above = above.parent()
    return above is None or above.tag in CONTAINERS or above == above.unit.root
