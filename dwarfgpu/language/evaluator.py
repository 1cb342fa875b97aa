"""Evaluate a syntax tree in the focus of a session.

Law: operands are evaluated in C's order, only when C evaluates them, and once each: the work is as
the length of the expression. Only what the result needs is read. Every error is one line, with
GDB's wording if GDB has the same error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, TypeGuard

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import RENAMES
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.dynamic_types import has_descriptor, is_row
from dwarfgpu.dwarf.types.types import (
    Array,
    Dynamic,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    NotUnderstood,
    Unavailable,
    UndefinedBits,
    UsageError,
)
from dwarfgpu.language.arithmetic_conversions import is_floating, is_integer, is_number
from dwarfgpu.language.array_expressions import (
    array_without_length,
    as_elements,
    elements,
)
from dwarfgpu.language.assignment import store
from dwarfgpu.language.assumptions import assumptions
from dwarfgpu.language.calls import called
from dwarfgpu.language.casts import in_memory, loses_bits, named_cast, written_cast
from dwarfgpu.language.complexes import complex_literal, imaginary
from dwarfgpu.language.convenience_functions import FUNCTIONS
from dwarfgpu.language.element_access import ElementAccess
from dwarfgpu.language.evaluation_options import DEFAULT, Options, require_writable
from dwarfgpu.language.function_context import DebuggerFunction
from dwarfgpu.language.machine_variables import (
    ROLES,
    machine_value,
    unknown_name_error,
    without_thread,
)
from dwarfgpu.language.name_resolution import Names, Typed
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.literals import text
from dwarfgpu.language.syntax.parser import parse, parse_type
from dwarfgpu.language.typed_value import INTERNAL, TypedValue
from dwarfgpu.language.untyped_symbols import NO_TYPE, as_type, symbol_of
from dwarfgpu.language.vectors import is_vector, spread, vector_literal
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits
from dwarfgpu.session.kernel_start import at_start
from dwarfgpu.session.session import NOT_STARTED, Session

if TYPE_CHECKING:
    from dwarfgpu.language.number_rules import NumberRules

_MAY_ASSIGN: Final = re.compile(r"=|\+\+|--")
Initializer: TypeAlias = ast.Elements | ast.String
VOID: Final = TypedValue(None, bits=Bits(0, 0))


@names_wrong_arguments
def evaluate_source(text: str, session: Session, options: Options = DEFAULT) -> TypedValue:
    """Return the value of an expression of the source language.

    Raises `UsageError` if it cannot be parsed, and the machine's and the DWARF's errors if an
    operand needs missing information. The contents of the result itself are read; an error of that
    is kept in the result.
    """
    try:
        value = Evaluator(session, options).whole(text)
    except Unavailable as error:
        raise without_thread(session, at_start(session, error)) from None
    if options.noted is not None:
        for note in value.notes:
            options.noted(note)
    if value.error is None:
        return value
    return evolve(value, error=without_thread(session, at_start(session, value.error)))


evaluate: Final = evaluate_source
"""The name inside the package; errors have that of the library, where `evaluate` evaluates DWARF
expressions."""


def named_type(text: str, session: Session, options: Options = DEFAULT) -> Typed | None:
    """Return the type that a text names; None for other text."""
    evaluator = Evaluator(session, options)
    names, radix = evaluator.names, options.radix
    try:
        name = parse_type(text, names, radix)
        typed_name = None if name is None else evaluator.type_named(name)
    except UsageError as error:
        evaluator.remark_on(error)
        raise
    if typed_name is not None:
        evaluator.note_remarks()
    return typed_name


def has_effect(text: str, session: Session, options: Options = DEFAULT) -> bool:
    """Return whether an expression assigns, as GDB takes it: by its outermost operator."""
    node = parse(text, Names(session), options.radix)
    return _assigns(node) or (isinstance(node, ast.Binary) and node.operator == ",")


def has_assignment(text: str, session: Session, options: Options = DEFAULT) -> bool:
    """Return whether any operator of an expression assigns."""
    return any(map(_assigns, _parts(parse(text, Names(session), options.radix))))


def require_understood(text: str, session: Session, options: Options = DEFAULT) -> None:
    """Raise `UsageError` for what GDB refuses to parse: an expression that is none of the language,
    or with a name that means nothing, also in an operand that is not evaluated. What keeps a value
    from being computed is no error here; nothing is read or written."""
    if named_type(text, session, options) is None:
        evaluator = Evaluator(session, options).unread()
        try:
            evaluator.require_understood(parse(text, evaluator.names, options.radix))
        except DwarfGpuError:
            evaluator.note_remarks()
            raise


@names_wrong_arguments
def source_type(text: str, session: Session, options: Options = DEFAULT) -> Typed:
    """Return the type of an expression; reads and writes nothing. Raises what `evaluate_source`
    raises."""
    evaluator = Evaluator(session, options).unread()
    try:
        node = parse(text, evaluator.names, options.radix)
        value = evaluator.value_of_known_type(node)
    except Unavailable as error:
        raise without_thread(session, at_start(session, error)) from None
    except UsageError as error:
        evaluator.remark_on(error)
        raise
    finally:
        if options.looked_at is not None:
            for variable, frame in evaluator.objects.variables.items():
                options.looked_at(variable, frame)
    evaluator.note_remarks()
    return Typed(value.type, evaluator.in_style(value).unit)


type_of: Final = source_type
"""The name inside the package; errors have that of the library."""


class Evaluator(ElementAccess):
    """One focus and what expressions mean there."""

    def __init__(
        self, session: Session, options: Options, objects: ObjectAccess | None = None
    ) -> None:
        super().__init__(session, options, objects)
        self._known_values: dict[int, tuple[ast.Node, TypedValue]] = {}
        """Values by the identity of their nodes, which are kept: no other gets the identity."""
        self._known_errors: dict[int, tuple[ast.Node, DwarfGpuError]] = {}
        """Why other nodes have no value."""

    def whole(self, text: str) -> TypedValue:
        """Return the value of an expression, read."""
        before = self.session.reads_before_start
        try:
            node = parse(text, self.names, self.options.radix)
            if _MAY_ASSIGN.search(text) and not self.language.is_ada:
                self._require_names(node)
            value = self.value(node)
            value = self.typed(node, value)
            value = self.objects.read(value)
            value = self.in_style(value)
            bare = strip(value.type)
            if isinstance(bare, Pointer) and bare.kind != "pointer" and is_row(bare.target):
                with suppress(DwarfGpuError):  # what shows the array says why it has no length
                    self.objects.resolver.resolved(bare.target, UNDEFINED_LOCATION)
        except DwarfGpuError as error:
            if isinstance(error, UsageError):
                self.remark_on(error)
            if self.options.noted is not None:
                for note in self._notes(before):
                    self.options.noted(note)
            raise
        finally:
            if self.options.looked_at is not None:
                for variable, frame in self.objects.variables.items():
                    self.options.looked_at(variable, frame)
        return evolve(value, notes=self._notes(before))

    def _notes(self, reads_before_start: int) -> tuple[str, ...]:
        """Return what the evaluation so far rests on; `reads_before_start`: of the session, before
        it began."""
        notes = (*assumptions(self.session, self.objects.variables), *self.doubts)
        notes = (*self.objects.remarks, *notes, *self.objects.assumed())
        if self.names.remarks:
            notes = (*self.names.remarks_on_used, *notes)
        if self.session.reads_before_start != reads_before_start:
            notes = (*notes, NOT_STARTED)
        return notes

    def value_of_known_type(self, node: ast.Node) -> TypedValue:
        """Return the value of an expression; of a variable whose descriptor cannot be evaluated, as
        where it is optimized out, one of the declared type, which has no bounds: as in GDB."""
        try:
            return self.value(node)
        except (IllFormed, UndefinedBits):
            variables = self.objects.variables if isinstance(node, ast.Name) else ()
            for variable in variables:
                bare = strip(variable.type)
                if isinstance(bare, Dynamic) and has_descriptor(bare):
                    return TypedValue(variable.type, unit=variable.unit)
            raise

    def _require_names(self, node: ast.Node) -> None:
        """Raise `UsageError` for an unknown name before anything is assigned: GDB looks all names
        up first. What keeps a value from being found is for the evaluation."""
        parts = list(_parts(node))
        for name in self._names(parts) if any(map(_assigns, parts)) else ():
            try:
                if self._member_pointer(name) is None:
                    self.named(name)
            except UsageError:
                raise
            except DwarfGpuError:
                continue

    def require_understood(self, node: ast.Node) -> None:
        """Raise `NotUnderstood` if a tree has a name that means nothing."""
        parts = list(_parts(node))
        looked_up: list[Callable[[], object]] = [
            partial(self.named, name)
            for name in self._names(parts)
            if self._member_pointer(name) is None
        ]
        looked_up += [
            partial(self._understood_type, part)
            for part in parts
            if isinstance(part, ast.Cast | ast.SizeOf | ast.TypeProperty)
        ]
        looked_up.append(partial(self.value, node))  # has the names of what is called
        for look_up in looked_up:
            try:
                look_up()
            except NotUnderstood:
                raise
            except DwarfGpuError:
                continue

    def _understood_type(self, part: ast.Cast | ast.SizeOf | ast.TypeProperty) -> None:
        """Raise `NotUnderstood` for an unknown type; where an object could be in its place, that of
        a namespace is unknown to the value alone."""
        try:
            self.type_named(part.type)
        except UsageError as error:
            if isinstance(part, ast.Cast) or part.type.declarators:
                raise NotUnderstood(error.message) from None
            raise

    def _names(self, parts: Sequence[ast.Part]) -> list[ast.Name]:
        """Return the names of objects, functions and constants among the parts of a tree."""
        units = [part.operand for part in parts
                 if isinstance(part, ast.Access) and self._in_unit(part) is not None]  # fmt: skip
        return [part for part in parts if isinstance(part, ast.Name) and part not in units]

    def note_remarks(self) -> None:
        """Give the caller the notes on names of a type, which no value has."""
        if self.options.noted is not None:
            for remark in (*self.names.remarks_on_used, *self.objects.remarks):
                self.options.noted(remark)

    def remark_on(self, error: UsageError) -> None:
        """Add the notes on names to an error: what a name means may be why."""
        error.remarks = (*error.remarks, *self.names.remarks)

    def in_style(self, value: TypedValue) -> TypedValue:
        """Return a value that no unit has, or a register with an address, in the style of the
        language in focus."""
        if value.unit is not None or self.rules is None:
            return value
        is_computed = value.location in (None, UNDEFINED_LOCATION)
        has_own_words = self.language.is_fortran or self.language.is_ada
        if is_computed or (has_own_words and isinstance(value.type, Pointer)):
            return evolve(value, unit=self.names.current_unit)
        return value

    def value(self, node: ast.Node) -> TypedValue:
        """Return the value of a tree, not read unless that was needed. It is evaluated once, also
        where several rules ask for it, unless it is a name alone."""
        if isinstance(node, ast.Name):
            named = self.named(node)
            return named if named.type is not None else evolve(named, type=NO_TYPE)
        known = self._known_values.get(id(node))
        if known is not None:
            return known[1]
        if self._known_errors and id(node) in self._known_errors:
            raise self._known_errors[id(node)][1]
        try:
            value = self._evaluated(node)
        except DwarfGpuError as error:
            self._known_errors[id(node)] = node, error
            raise
        self._known_values[id(node)] = node, value
        return value

    def _evaluated(self, node: ast.Node) -> TypedValue:
        assert not isinstance(node, ast.Name)  # `value` answers it
        if self.rules is not None and (number := self.rules.of_constants(node)) is not None:
            return self.number(number)
        match node:
            case ast.Integer() | ast.Floating():
                number = (self.rules or self.numbers).literal(node)
                if isinstance(node, ast.Floating) and node.is_imaginary:
                    return imaginary(self.arithmetic, number)
                return self.number(number)
            case ast.Character() | ast.String():
                return text(self.names, self.numbers, node, cplusplus=self.language.is_cplusplus)
            case ast.Logical(is_true=is_true):
                return self.truth(is_true)
            case ast.Complex():
                return complex_literal(
                    self.arithmetic, self.object(node.real), self.object(node.imaginary)
                )
            case ast.OnEntry():
                from dwarfgpu.language.entry_expressions import entry_value  # few expressions

                return entry_value(self.session, self.names, node.name)
            case ast.Dollar():
                return self._dollar(node.name)
            case ast.AddressOf():
                return self._address(node)
            case ast.Unary():
                return self.unary(node)
            case ast.Binary():
                return self.binary(node)
            case ast.Assign():
                return self._assign(node)
            case ast.Conditional():
                return self.conditional(node)
            case ast.Access():
                return self.member(node)
            case ast.Index(index=ast.Slice() as bounds):
                return self.slice(node.operand, bounds)
            case ast.Index():
                return self.element(node)
            case ast.Call():
                return called(self, node)
            case ast.Attribute():
                from dwarfgpu.language.ada.expression_attributes import (
                    attribute,  # few programs are in Ada
                )

                return attribute(self, node)
            case ast.Membership():
                from dwarfgpu.language.ada.membership import is_member  # few programs are in Ada

                return self.truth(is_member(self, node))
            case ast.Triplet() | ast.Slice():
                raise UsageError("A section is written in parentheses after an array or a string.")
            case ast.Keyword(name=keyword):
                raise UsageError(f"{keyword}= is for an argument of an intrinsic function.")
            case ast.Cast():
                return self._cast(node)
            case ast.SizeOf(is_alignment=True):
                from dwarfgpu.language.alignment import alignment_bytes  # few expressions

                aligned = self.type_named(node.type).type
                return self.length(alignment_bytes(aligned, self.session.architecture.abi))
            case ast.SizeOf():
                return self.size(self.own.declared(self.type_named(node.type).type))
            case ast.TypeProperty(type=of_type, name=name):
                from dwarfgpu.language.d.type_properties import property_of  # few programs

                return property_of(self.numbers.builtins, self.type_named(of_type).type, name)
            case ast.Elements():
                values = self.own.elements(node)
                return elements(self.objects, [*map(self.arithmetic.of_whole_type, values)])

    # Operands

    def named(self, node: ast.Name, *, is_called: bool = False) -> TypedValue:
        value = self._in_renaming(node) if self.renamings else None
        if value is None:
            value = super().named(node, is_called=is_called)
        variable = value.variable
        if variable is None or RENAMES not in variable.name or variable.unit.style != "ada":
            return value
        from dwarfgpu.dwarf.names.ada_renamings import renaming_of  # few variables are so
        from dwarfgpu.language.ada.renamed_objects import renamed_object, require_few

        renaming = renaming_of(variable.name)
        if renaming is None:
            return value
        if renaming.is_package:
            raise self.names.unknown(node.name.partition(RENAMES)[0].replace("__", "."))
        self.objects.variables.pop(variable, None)
        if variable in self.renamings:
            raise UsageError(f"{node.name} is renamed by itself")
        self.followed.append(variable)
        require_few(node.name, self.renamings, self.followed)
        outer, self.renamings = self.renamings, (*self.renamings, variable)
        try:
            return renamed_object(self, renaming)
        finally:
            self.renamings = outer

    def _in_renaming(self, node: ast.Name) -> TypedValue | None:
        """Return the variable that a name in a renaming of Ada denotes where that is declared (Ada
        2012 8.5.1), which the focus may hide; None for a name that means the same in the focus."""
        from dwarfgpu.language.ada.renamed_objects import declared_before

        renaming = self.renamings[-1]
        declared = declared_before(renaming, node.name)
        meant = [one for one in self.names.meaning(node.name) if isinstance(one, Variable)]
        if declared is None:
            if any(one.kind != "global" for one in meant):
                renamed = renaming.name.partition(RENAMES)[0]
                raise UsageError(f'"{node.name}", which "{renamed}" renames, is hidden here')
            return None
        if any(declaration_of(one.die) == declaration_of(declared.die) for one in meant):
            return None
        if declared.die.parent() in self.session.meanings().chain:
            return self.objects.variable(declared)
        return self.of_enclosing(declared)

    def value_of_type(self, node: ast.Node) -> TypedValue:
        """Return a value of the type of an expression, without evaluating it."""
        unread = self.unread()
        outer = unread.renamings, unread.followed
        unread.renamings, unread.followed = self.renamings, self.followed
        try:
            return unread.value(node)
        finally:
            unread.renamings, unread.followed = outer

    def _dollar(self, name: str) -> TypedValue:
        value = self.options.dollar(name)
        if value is None:
            value = machine_value(self.session, self.numbers, name)
            is_role = name in ROLES and self.session.architecture.register_named(name) is None
            if is_role and value is not None and isinstance(value.error, UsageError):
                raise value.error  # as in GDB, even its type needs a frame
        if value is not None:
            return value
        if self.debugger_function(ast.Dollar(name)) is not None:
            return TypedValue(INTERNAL, bits=Bits(0, 0), convenience=name)
        if symbol_of(self.session, f"${name}") is not None:  # as all functions of Swift
            return self.named(ast.Name(f"${name}"))
        if self.options.is_closed:
            raise unknown_name_error(self.session, name)
        # As GDB: a convenience variable that was never set.
        return evolve(VOID, convenience=name)

    def debugger_function(self, node: ast.Node) -> DebuggerFunction | None:
        """Return the debugger's function `$_name`."""
        if not isinstance(node, ast.Dollar):
            return None
        return self.options.functions.get(node.name) or FUNCTIONS.get(node.name)

    def _address(self, node: ast.AddressOf) -> TypedValue:
        space = self.session.architecture.address_space_named(node.space)
        if space is None:
            spaces = self.session.architecture.address_spaces
            if len(spaces) == 1:  # a CPU: no name of an address space
                raise UsageError("Invalid character '#' in expression.")
            names = ", ".join(space.name for space in spaces.values())
            unknown_space = f"Address space {node.space} not recognised by the architecture"
            raise UsageError(f"{unknown_space}; known: {names}")
        address = self.arithmetic.address(self.object(node.address))
        space.require_address(address)
        return self.objects.pointer(None, space, address)

    def member(self, node: ast.Access, *, is_called: bool = False) -> TypedValue:
        of_unit = self._in_unit(node)
        if of_unit is not None:
            return self.named(of_unit, is_called=is_called)
        value = self.object(node.operand)
        own = self.own.member(value, node.name)
        return self.member_of(value, node, is_called=is_called) if own is None else own

    def _in_unit(self, node: ast.Node) -> ast.Name | None:
        """Return the name in a unit that `unit.name` of Pascal is; None for any other tree."""
        if not self.language.is_pascal:
            return None
        match node:
            case ast.Access(ast.Name(unit_name, file=None), name, is_arrow=False):
                from dwarfgpu.language.pascal.units import in_unit  # few programs are in Pascal

                return in_unit(self.names, unit_name, name)
        return None

    def type_named(self, name: ast.TypeName) -> Typed:
        """Return the written type, which may be that of an expression: `typeof(x)`."""
        if name.operand is None:
            return self.names.type_of(name)
        if isinstance(name.operand, ast.TypeName):
            return self.names.type_of(name, self.type_named(name.operand))
        value = self.unread().value(name.operand)
        return self.names.type_of(name, Typed(value.type, value.unit))

    def _cast(self, node: ast.Cast) -> TypedValue:
        to = self.type_named(node.type)
        if node.is_memory:
            return in_memory(self.arithmetic, self.object(node.operand), to)
        named, to = to, evolve(to, type=self.own.declared(to.type))
        if node.how == "vector" and isinstance(node.operand, ast.Elements) and to.type:
            values = [self.object(element) for element in node.operand.elements]
            return vector_literal(self.arithmetic, values, to.type)
        if _is_initializer(node.operand, to.type):
            return self._initialized(node.operand, to)
        if node.how == "literal" and to.type is not None and self.rules is not None:
            return self._literal(self.rules, node.operand, to.type)
        own = None
        if node.how != "reinterpret":  # which takes a null pointer constant as a number
            own = self.own.becoming(node.operand, to.type, is_assigned=False)
        if node.how == "conversion" or self.language.is_go:
            # In Go a constant that is shifted gets the type ("Operators", "Shift operators").
            operand = self.object_as(node.operand, to.type) if own is None else own
            if (text := self.own.converted(operand, to.type)) is not None:
                return text
        else:
            operand = self.objects.referred(self.value(node.operand)) if own is None else own
            is_class = to.type is not named.type
            reference = self.own.converted(operand, to.type) if is_class else None
            if reference is not None:
                return reference
        if self.language.is_rust and (saturated := self._saturated(operand, to)) is not None:
            return saturated
        if self.language.is_opencl and to.type and is_vector(to.type) and is_number(operand.type):
            return spread(self.arithmetic, operand, to.type)
        if node.how == "conversion":
            # Few programs are in Ada.
            from dwarfgpu.language.ada.conversions import converted, static_number

            constant = None if self.rules is None else static_number(self.rules, node.operand)
            return converted(self.arithmetic, self.rules, operand, to, constant)
        if node.how:
            return named_cast(self.arithmetic, node.how, operand, to)
        if self.options.warn is not None and loses_bits(self.arithmetic, operand, to):
            self.options.warn("value truncated")
        array = array_without_length(to.type)
        if array is not None:
            return self._divided(operand, array, to)
        same = as_type(operand, to.type)
        return written_cast(self.arithmetic, operand, to) if same is None else same

    def _literal(self, rules: NumberRules, node: ast.Node, type_: Type) -> TypedValue:
        """Return a number that has its type behind it."""
        from dwarfgpu.language.constant_expressions import folded  # few literals have types

        constant = folded(node, "signs")
        assert constant is not None
        number = self.number(rules.as_type(constant, type_))
        has_sign = isinstance(node, ast.Unary) and node.operator == "-" and not constant
        return self.arithmetic.unary("-", number) if has_sign else number

    def _saturated(self, operand: TypedValue, to: Typed) -> TypedValue | None:
        """Return a real number of Rust as an integer: of those that the type has, the nearest
        to what is before the point; NaN is 0 (The Rust Reference, "Type cast expressions"). None
        for another cast."""
        if not is_floating(operand.type) or not is_integer(to.type) or to.type is None:
            return None
        from dwarfgpu.language.number_rules import saturated  # few programs are in Rust

        number = self.arithmetic.number(operand)
        return evolve(self.number(saturated(self.numbers, number, to.type)), unit=to.unit)

    def _divided(self, operand: TypedValue, array: Array, to: Typed) -> TypedValue:
        """Return `(type[])x`: the elements that an object has room for, as in GDB."""
        operand = self.arithmetic.of_whole_type(operand)
        value = as_elements(self.arithmetic.objects, operand, array)
        if value.size_bits != operand.size_bits:
            self.report("array element type size does not divide object size in cast")
        return evolve(value, unit=to.unit or operand.unit)

    def _initialized(self, node: Initializer, to: Typed) -> TypedValue:
        from dwarfgpu.language.compound_literals import literal  # few expressions have them

        return literal(self.arithmetic, self.assigned, node, to)

    def _assign(self, node: ast.Assign) -> TypedValue:
        require_writable(self.options)
        target = self.object(node.left)
        self.own.require_assignable(node.right, target.type)
        is_array = self.language.is_rust and isinstance(strip(target.type), Array)
        has_list = node.operator is None and not is_array
        if has_list and _is_initializer(node.right, target.type):
            value = self._initialized(node.right, Typed(target.type, target.unit))
        elif node.operator in (None, ":"):
            value = self.assigned(node.right, target.type)
        else:
            self.own.refuse_assignment(node.operator, target)
            applied = ast.Binary(node.operator, node.left, node.right)
            value = self.right_operand(applied, target)
        if self.language.is_ada:
            from dwarfgpu.language.ada.indexing import assigned  # few programs are in Ada

            constant = None if self.rules is None else self.rules.constant(node.right)
            target, value = assigned(self.arithmetic, self.rules, target, value, constant)
        if node.operator not in (None, ":"):  # `:=` of Ada assigns
            result = self.overloaded(f"{node.operator}=", target, value)
            if result is not None:
                return result
            own = self.own.of_assignment(node.operator, target, value)
            value = self.combined(node.operator, target, value) if own is None else own
        if target.convenience is None:
            value = self.own.as_stored(target, value)
        self.forget_types()
        rules = self.rules
        if rules is not None and target.type and rules.applies(target.type, value.type):
            rules.doubt_assigned(self.arithmetic.number(value), target.type)
        if self.language.is_fortran:
            from dwarfgpu.language.fortran.array_assignment import stored  # few expressions

            return stored(self.arithmetic, self.options, target, value, rules)
        if self.language.is_pascal:
            from dwarfgpu.language.pascal import string_assignment  # few programs

            return string_assignment.stored(self.arithmetic, self.options, target, value)
        return store(self.arithmetic, self.options, target, value)


def _parts(node: ast.Node) -> Iterator[ast.Part]:
    """Yield a node and everything in it; of calls the arguments."""
    pending = list[object]([node])
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += part
        if isinstance(part, ast.Part):
            yield part
            fields: tuple[str, ...] = type(part).__match_args__[isinstance(part, ast.Call) :]
            pending += [getattr(part, field) for field in fields]


def _assigns(node: ast.Part) -> bool:
    """Return whether the operator of a node assigns."""
    if isinstance(node, ast.Unary):
        return node.operator.endswith(("++", "--"))
    return isinstance(node, ast.Assign)


def _is_initializer(node: ast.Node, type_: Type | None) -> TypeGuard[Initializer]:
    """Return whether a node is a list for a structure or an array, or a string of C for an
    array."""
    bare = strip(type_)
    if isinstance(node, ast.Elements):
        return isinstance(bare, Struct | Array)
    return isinstance(node, ast.String) and not node.is_counted and isinstance(bare, Array)
