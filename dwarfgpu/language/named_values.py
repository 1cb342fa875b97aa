"""Find the value that a name in an expression denotes: a variable, function, enumerator, member
of `this`, a symbol, a built-in name of a GPU language. A name of several overloads is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import filterfalse
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.producer import widens_enumerators
from dwarfgpu.dwarf.scope.declarations import declaration_of, is_member, symbol_name
from dwarfgpu.dwarf.scope.function_clones import without_parts
from dwarfgpu.dwarf.scope.functions_by_name import functions_named
from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.scope.overloads import are_overloads, overloaded_member
from dwarfgpu.dwarf.scope.parameters import qualifiers_of
from dwarfgpu.dwarf.scope.scope_entries import entry_of, name_of
from dwarfgpu.dwarf.scope.symbols_by_name import function_at, function_of_symbol, is_instance
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.written_parameters import has_behind
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.types import Enum, Function, Member, Pointer, Struct, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, NotUnderstood, Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import Number, bounded
from dwarfgpu.language.builtin_types import INT_BITS
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.class_operators import NO_CALLS, refuse_overloaded
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.frame_of_function import (
    in_enclosing_frame,
    in_frame,
    without_capture,
)
from dwarfgpu.language.gpu_builtins import BUILTIN_VARIABLES, builtin_variable, is_free
from dwarfgpu.language.member_lookup import member_meant, path_to
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.object_access import ObjectAccess, function_type
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.expression_language import SourceLanguage, language_of
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.untyped_symbols import TEXT, quoted_symbol, untyped
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import differs_by_lane
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.language.number_rules import NumberRules

_IS_TYPE: Final = "Attempt to use a type name as an expression"


class NamedValues:
    """The values of names in one focus."""

    def __init__(
        self, session: Session, options: Options, objects: ObjectAccess | None = None
    ) -> None:
        self.session = session
        self.options = options
        self.doubts: list[str] = []
        """Warnings about the expression, for the notes where the caller takes none."""
        self.renamings: tuple[Variable, ...] = ()
        """The renamings of Ada that are being evaluated, each inside the one before it."""
        self.followed: list[Variable] = []
        """All that were."""
        self.names = Names(session)
        self.objects = objects or ObjectAccess(session)
        is_evaluated = not isinstance(self.objects, Unevaluated)
        self.numbers = Numbers(self.names.builtins, is_evaluated)
        self.arithmetic = Arithmetic(self.objects, self.numbers)

    @cached_property
    def language(self) -> SourceLanguage:
        """The language of the unit in focus."""
        return self.names.language

    @cached_property
    def rules(self) -> NumberRules | None:
        """How the language in focus computes with numbers; None for C and its relatives."""
        if not self.language.has_own_arithmetic:
            return None
        from dwarfgpu.language.choose_number_rules import rules_of  # few programs

        own = rules_of(self.language)
        return None if own is None else own(self.numbers, self.report)

    def has_bounds(self, array: TypedValue) -> bool:
        """Return whether an index outside of an array is refused, which C takes for pointer
        arithmetic; without a unit in focus, the array's own decides."""
        unit = self.names.current_unit or array.unit
        return language_of(unit).has_whole_arrays

    def number(self, number: Number) -> TypedValue:
        """Return a number as a value."""
        return self.arithmetic.value(number)

    def truth(self, holds: bool) -> TypedValue:
        """Return the result of a comparison: logical in Fortran, boolean in Ada, bool in C++, D,
        Go, Pascal and Rust, otherwise int."""
        number = holds if differs_by_lane(holds) else int(holds)
        if self.language.is_fortran:
            return TypedValue(self.names.builtins.logical_type, bits=Bits(number, 32))
        if self.language.is_ada:
            return TypedValue(self.names.builtins.boolean_type, bits=Bits(number, 8))
        if not (self.language.is_cplusplus or self.rules is not None):
            return self.number(self.numbers.integer(number))
        if self.language.is_pascal:
            return TypedValue(self.names.builtins.truth_of_pascal, bits=Bits(number, 8))
        return TypedValue(self.names.builtins.bool_type, bits=Bits(number, 8))

    def report(self, doubt: str) -> None:
        """Give the caller a warning; where it takes none, add it to the notes on the value."""
        report = self.doubts.append if self.options.warn is None else self.options.warn
        report(doubt)

    def refuse_overloaded(self, operator: str, *operands: TypedValue) -> None:
        """Raise `Unsupported` or `UsageError` for an operator of classes, which is a function."""
        functions = self._functions_named if self.language.is_cplusplus else None
        if self.language.is_d or self.language.is_go:
            bare = strip(operands[0].type)
            if isinstance(bare, Struct) and bare.kind != "union":
                named = bare.name or "structures"
                raise Unsupported(f"{operator} of {named} is supported only of its members")
        refuse_overloaded(operator, *operands, functions=functions)

    def overloaded(self, operator: str, *operands: TypedValue) -> TypedValue | None:
        """Return the result of an operator of classes, as `operator_result` does; None for one of
        the language.

        Raises the errors of `refuse_overloaded`.
        """
        result = self.operator_result(operator, *operands)
        if result is None:
            self.refuse_overloaded(operator, *operands)
        return result

    def operator_result(self, operator: str, *operands: TypedValue) -> TypedValue | None:
        """Return a value of the result type of an operator of classes, where only the type is
        wanted; None where that is not so, not known, or where the operator is the language's."""
        if not isinstance(self.objects, Unevaluated) or not isinstance(
            strip(operands[0].type), Struct
        ):
            return None
        from dwarfgpu.language.operator_overloads import overload  # few expressions have them

        functions = self._functions_named if self.language.is_cplusplus else None
        function = overload(operator, [operand.type for operand in operands], functions)
        if function is None:
            return None
        return TypedValue(function.result, UNDEFINED_LOCATION, unit=operands[0].unit)

    def _functions_named(self, name: str) -> list[Function]:
        meanings = self.names.meaning(name)
        return [
            function_type(meaning)
            for meaning in meanings
            if isinstance(meaning, Die) and meaning.tag == dw.TAG_SUBPROGRAM
        ]

    def named(self, node: ast.Name, *, is_called: bool = False) -> TypedValue:
        """Return the value that a name denotes; `UsageError` with GDB's wording for an unknown
        name.

        `is_called`: functions are only called, which is `Unsupported`.
        """
        name = node.name
        if self.language.is_ada and "." in name:
            # Few programs are in Ada.
            from dwarfgpu.language.ada.subprograms_around import of_subprogram

            expanded = of_subprogram(self.session, name)
            if expanded is not None:
                variable, is_innermost = expanded
                find = self.objects.variable if is_innermost else self.of_enclosing
                return find(variable)
        if node.file is None and not node.is_quoted:
            name = self.names.spelled(name)
        literal = self.names.literal(name) if node.file is None else None
        if literal in ("null", "nil"):
            bits = self.session.architecture.address_bits
            return TypedValue(Pointer(None, size_bytes=bits // 8), bits=Bits(0, bits))
        meanings = self._meanings(node, name)
        is_plain = node.file is None and not (node.is_quoted and "::" in name)
        if is_plain and self.names.remarks:  # few programs have any
            self.names.used(name)
        if node.file is None:
            of_enclosing = self.names.in_enclosing_functions(name, meanings)
            if of_enclosing is not None:
                return self.of_enclosing(of_enclosing)
        if self.language.is_go and (escaped := self._escaped(node, meanings)) is not None:
            return escaped
        if literal is not None and not meanings:
            if self.language.is_cplusplus or self.language.is_ada or self.language.is_pascal:
                return self.truth(literal == "true")
            return TypedValue(self.names.builtins.bool_type, bits=Bits(int(literal == "true"), 8))
        if not meanings and node.file is not None:
            raise NotUnderstood(f'No symbol "{name}" in specified context.')
        if name in BUILTIN_VARIABLES and node.file is None and is_free(meanings):
            builtin = builtin_variable(self.session, name)
            if builtin is not None:
                return builtin
        if not meanings:
            is_type = node.file is None and not node.is_quoted and self.names.is_predeclared(name)
            symbol = None if is_type else self._symbol(name, is_called=is_called)
            if symbol is None and (node.is_quoted or is_instance(name)):
                symbol = self._quoted_symbol(name)
            if symbol is None:
                self.session.require_entered(name)
                is_whole = node.is_quoted and "::" in name
                if not is_whole and self.names.is_built_in_type(name):
                    raise UsageError(_IS_TYPE)
                if is_whole:
                    raise NotUnderstood(f'No symbol "{name}" in current context.')
                # GDB looks such a function up for its arguments ([basic.lookup.argdep]).
                if is_called and self.language.is_cplusplus and "::" not in name:
                    raise UsageError(self.names.unknown(name).message)
                raise self.names.unknown(name)
            return symbol
        first = meanings[0]
        if isinstance(first, Variable):
            is_of_function = first.kind != "global" and (node.file is not None or "::" in name)
            if not is_of_function:
                return self.objects.variable(first)
            return self._in_its_frame(first, in_frame)
        if first.tag == dw.TAG_SUBPROGRAM:
            functions = [meaning for meaning in meanings if isinstance(meaning, Die)]
            is_named = "::" in name and not node.is_quoted
            simple = split_last(name)[1]
            is_named = is_named and not simple.startswith("~")  # in which GDB sees no virtual one
            is_virtual = is_named and _is_virtual(functions)
            is_evaluated = not isinstance(self.objects, Unevaluated)
            function = self._with_code(name, functions, is_called=is_called)
            if function is None and not is_virtual:
                raise self.names.unknown(name)
            if is_evaluated and is_virtual and (function is None or "(" not in name):
                simple = functions[0].name or simple
                raise UsageError(f'Cannot reference virtual member function "{simple}"')
            if function is None:
                return _pure(of_overload(functions, name)[0])
            return function
        if first.tag == dw.TAG_ENUMERATOR:
            return self._enumerator(*self.names.enumerator(first), first.unit)
        if first.tag == dw.TAG_MEMBER:
            if isinstance(self.objects, Unevaluated) and "::" in name:  # C++ expr.prim.id
                return TypedValue(types_of(first.unit).type_of(first), unit=first.unit)
            return self._member_of_this(name)
        if first.tag == dw.TAG_NAMELIST:
            from dwarfgpu.language.fortran.namelists import (  # few programs have them
                defined,
                namelist,
            )

            scope = split_last(name)[0]
            first = defined(self.session, first, scope, self.report)
            return namelist(self.objects, first, scope, self._variable_named)
        if (
            first.tag == dw.TAG_MODULE
            and first.unit.language == dw.LANG_D
            and not self.language.is_d
        ):
            raise self.names.unknown(name)  # which only quotes can name there
        raise UsageError(_IS_TYPE)

    def _meanings(self, node: ast.Name, spelled: str) -> tuple[Meaning, ...]:
        """Return what a name means, as it is written and as the file spells it."""
        if node.file is not None:
            return self.names.in_file(spelled, node.file)
        if node.is_quoted and "::" in spelled:
            return self._quoted_meaning(spelled)
        return self.names.meaning(node.name)

    def enumerator_name(self, node: ast.Name) -> str:
        """Return the name of the symbol of an enumerator; that which is written if it has none."""
        for first in self._meanings(node, node.name)[:1]:
            if isinstance(first, Die) and first.tag == dw.TAG_ENUMERATOR:
                return symbol_name(first)
        return node.name

    def _escaped(self, node: ast.Name, meanings: tuple[Meaning, ...]) -> TypedValue | None:
        """Return the variable of Go that is on the heap: gc describes a pointer to x as `&x`. None
        where the name is that of another variable in the same block or a nearer one, or there is
        none."""
        if node.file is not None or node.is_quoted:
            return None
        pointers = self.names.meaning(f"&{node.name}")
        if not pointers or not isinstance(pointers[0], Variable):
            return None
        lookup = self.session.meanings(node.name)
        if meanings and lookup.depth(meanings[0]) >= lookup.depth(pointers[0]):
            return None
        return self.objects.dereferenced(self.objects.variable(pointers[0]))

    def _variable_named(self, name: str, linked: str | None) -> TypedValue | None:
        """Return the variable of a name; None for the name of anything else, and for a variable of
        another linkage name."""
        try:
            meanings = self.names.meaning(name)
        except UsageError:  # a scope in it does not exist
            return None
        variable = meanings[0] if meanings and isinstance(meanings[0], Variable) else None
        variable = self.names.in_enclosing_functions(name, meanings) or variable
        if variable is None or (linked and variable.die.linkage_name != linked):
            return None
        return self.named(ast.Name(name))

    def of_enclosing(self, variable: Variable) -> TypedValue:
        """Return a variable of a function whose text encloses the one in focus."""
        value = self._in_its_frame(variable, in_enclosing_frame)
        if not isinstance(self.objects, Unevaluated):
            note = without_capture(self.session, variable)
            self.names.remarks.update({} if note is None else {note: None})
        return value

    def _in_its_frame(
        self,
        variable: Variable,
        find: Callable[[Session, Variable], tuple[Variable, Session]],
    ) -> TypedValue:
        """Return a variable of another function, in the frame that executes it.

        A type may depend on that frame, too, or those of its parts do: only one that does not is
        known without it.
        """
        try:
            placed = find(self.session, variable)
        except DwarfGpuError:
            if not isinstance(self.objects, Unevaluated):
                raise
            if is_dynamic(variable.type) and self.session.pc is not None:
                raise
            return self.objects.variable(variable)
        value = self.objects.variable(*placed)
        if value.frame is None or isinstance(self.objects, Unevaluated):
            return value
        from dwarfgpu.language.settled_values import settled  # most variables are of the focus

        return settled(value, self.session)

    def _function(self, name: str, functions: list[Die], *, is_called: bool) -> TypedValue:
        """Return the function of a name; `UsageError` for several, or for one without code."""
        function = self._with_code(name, functions, is_called=is_called)
        if function is None:
            raise self.names.unknown(name)
        return function

    def _with_code(self, name: str, functions: list[Die], *, is_called: bool) -> TypedValue | None:
        """Return the function of a name; None for one without code, `UsageError` for several."""
        if is_called and not isinstance(self.objects, Unevaluated):
            raise Unsupported(NO_CALLS)  # for every overload
        if "(" not in name and is_member(functions[0]):
            functions = without_artificial(functions)
            if are_overloads(functions):
                raise UsageError(overloaded_member(functions))
        with_code = [function for function in functions if entry_of(function) is not None]
        with_code = with_code or self._of_other_units(functions) or self.names.own_call(functions)
        if len(with_code) > 1:
            with_code = without_parts(of_overload(with_code, name))
        if len(with_code) > 1:
            raise UsageError(self.names.overloaded(with_code))
        if not with_code:
            return self._symbol(name, is_called=is_called)
        return self.objects.function(with_code[0])

    def _of_other_units(self, functions: list[Die]) -> list[Die]:
        """Return the functions with code whose abstract instances are given: gcc's link-time
        optimization describes the code in units of its own."""
        declarations = {declaration_of(function) for function in functions}
        names = {name for die in declarations if (name := name_of(die)) is not None}
        return [
            named.die
            for code_object in self.session.code_objects
            if any(function.unit.info.main is code_object.info for function in functions)
            for name in sorted(names)
            for named in functions_named(code_object, name)
            if not named.is_call and declaration_of(named.die) in declarations
        ]

    def _quoted_meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the entities of a quoted name; functions alone if a scope in it does not exist."""
        try:
            return self.names.meaning(name)
        except UsageError:
            return self.names.printed_functions(name)

    def _quoted_symbol(self, name: str) -> TypedValue | None:
        """Return the symbol with a demangled name, as a described function if it is one."""
        return self._as_described(name, quoted_symbol(self.objects, name))

    def _as_described(self, name: str, value: TypedValue | None) -> TypedValue | None:
        """Return the value of a symbol, as that of the described function if it is one."""
        if value is None or value.type is not TEXT or value.location is None:
            return value
        address = value.location.single_locations[0].byte_address
        function = None if address is None else function_at(self.session.loaded_objects(), address)
        return value if function is None else self._function(name, [function], is_called=False)

    def _symbol(self, name: str, *, is_called: bool) -> TypedValue | None:
        """Return the symbol of a name; as in GDB, a symbol where the code of a described function
        begins is an alias of that function. None if the symbol tables do not have it."""
        function = function_of_symbol(self.session.objects_with(name), name)
        if function is not None:
            return self._function(name, [function], is_called=is_called)
        return self._as_described(name, untyped(self.objects, name, is_called=is_called))

    def _member_of_this(self, name: str) -> TypedValue:
        this = [meaning for meaning in self.names.meaning("this") if isinstance(meaning, Variable)]
        if not this:
            raise self._without_object(name)
        value = self.objects.variable(this[0])
        if not isinstance(strip(value.type), Struct):  # as in Free Pascal's methods of an `object`
            value = self.objects.dereferenced(value)
        path = self._path(value, name)
        if path is None and (captured := self._path(value, "this")) is not None:
            value = self.objects.along(value, captured)  # of a lambda of clang
            if isinstance(strip(value.type), Pointer):
                value = self.objects.dereferenced(value)
            path = self._path(value, name)
        if path is None:  # of another class, or of the closure, as `__a` of gcc
            raise self._without_object(name)
        return self.objects.along(value, path)

    def _path(self, value: TypedValue, name: str) -> Sequence[Member] | None:
        bare = strip(value.type)
        return self.path_in(bare, name) if isinstance(bare, Struct) else None

    def path_in(self, struct_type: Struct, name: str) -> Sequence[Member] | None:
        """Return the way to the data member of a name that is written for an object; None if it
        means no data, as that of a member function. `UsageError` if it is ambiguous."""
        if "::" not in name:
            return path_to(struct_type, name)
        naming = self.naming_class(struct_type, name)
        if naming is None:
            return None
        meant = member_meant(struct_type, split_last(name)[1], naming)
        return meant.path if meant is not None and meant.is_data else None

    def naming_class(self, struct_type: Struct, name: str) -> Struct | None:
        """Return the class that a qualified name of a member names; None if it is none of the
        object."""
        from dwarfgpu.language.naming_class import naming_class  # few names are qualified

        return naming_class(self.names, struct_type, name)

    def _without_object(self, name: str) -> DwarfGpuError:
        """Return the error of a member that no object has in this place."""
        simple = split_last(name)[1]
        if simple == name:  # as in C, of an unnamed structure that a variable has
            return self.names.unknown(name)
        return UsageError(f'Cannot reference non-static field "{simple}"')

    def _enumerator(self, kind: Enum, number: int, unit: CompilationUnit) -> TypedValue:
        """Return an enumerator: in C an int (6.7.2.2p3), except, as compilers have it, one that int
        does not hold; newer ones except all of its enumeration, too."""
        size = bounded(kind.value_bits)
        value = TypedValue(kind, bits=Bits(number & (1 << size) - 1, size), unit=unit)
        limit = 1 << INT_BITS - 1
        numbers = [self.arithmetic.number(value).value.integer]
        if widens_enumerators(unit.full.producer):
            numbers += kind.table.least, kind.table.greatest
        if language_of(unit).is_cplusplus or not all(-limit <= one < limit for one in numbers):
            return value
        return evolve(value, constant_type=self.names.builtins.int_type)


def of_overload(functions: list[Die], name: str) -> list[Die]:
    """Return the overload that has what follows the written parameters, `f(int) const`; all if no
    parameters are written, or none of the functions has it."""
    if ")" not in name:
        return functions
    typed = name.rpartition(")")[2].strip()
    if not typed:
        return [item for item in functions if not qualifiers_of(item)] or functions
    return [item for item in functions if has_behind(item, typed)] or functions


def _is_virtual(functions: list[Die]) -> bool:
    return any(declaration_of(function).integer(dw.AT_VIRTUALITY) for function in functions)


def _pure(function: Die) -> TypedValue:
    """Return a function without code, which has no value but a type."""
    return TypedValue(function_type(function), unit=function.unit)


def without_artificial(functions: list[Die]) -> list[Die]:
    """Return the functions that the compiler has not added; all if there are only such, as in
    GDB."""
    return [*filterfalse(_is_artificial, functions)] or functions


def _is_artificial(function: Die) -> bool:
    return any(origin.flag(dw.AT_ARTIFICIAL) for origin in function.origins())
