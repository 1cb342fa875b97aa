"""Evaluate a syntax tree in the focus of a session.

Law: operands are evaluated in C's order, and only when C evaluates them; only what the result needs
is read. Every error is one line, with GDB's wording if GDB has the same error.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.scope.declarations import overloaded
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Function,
    Pointer,
    Struct,
    Type,
    declared_name,
    strip,
    strip_reference,
)
from dwarfgpu.errors import Unavailable, UndefinedBits, UsageError
from dwarfgpu.language.arithmetic_conversions import (
    is_integer,
    is_number,
    is_unicode_character,
)
from dwarfgpu.language.array_expressions import alignment_bytes, elements, repeated
from dwarfgpu.language.assignment import store
from dwarfgpu.language.assumptions import assumptions
from dwarfgpu.language.builtin_types import INT_BITS
from dwarfgpu.language.c_numbers import NOT_A_NUMBER
from dwarfgpu.language.calls import called
from dwarfgpu.language.casts import in_memory, named_cast, written_cast
from dwarfgpu.language.class_operators import refuse_overloaded
from dwarfgpu.language.conditional import Arm, conditional
from dwarfgpu.language.convenience_functions import FUNCTIONS, INTERNAL
from dwarfgpu.language.dereference import LONG_LONG_BITS, NO_POINTER, TOO_WIDE
from dwarfgpu.language.evaluation_options import DEFAULT, Options
from dwarfgpu.language.fortran_operators import (
    complex_literal,
    negated,
    real_literal,
    strings_compared,
    widened,
)
from dwarfgpu.language.fortran_power import power
from dwarfgpu.language.function_context import DebuggerFunction
from dwarfgpu.language.library_operators import container_element, smart_pointee
from dwarfgpu.language.machine_variables import (
    ROLES,
    machine_value,
    unknown_name_error,
    without_thread,
)
from dwarfgpu.language.member_access import MemberAccess
from dwarfgpu.language.member_pointers import has_this, member_pointer
from dwarfgpu.language.name_resolution import Names, Typed
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.fortran_tokens import EQUIVALENCES, POWER
from dwarfgpu.language.syntax.literals import text
from dwarfgpu.language.syntax.parser import parse, parse_type, parse_type_of
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.untyped_symbols import NO_TYPE, as_type, typed
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits
from dwarfgpu.session.kernel_start import at_start
from dwarfgpu.session.session import NOT_STARTED, Session

NO_STRING_COMPARISON: Final = (
    "A string literal has no address to compare: $_streq(A, B) compares two strings."
)
_NO_ASSIGNMENT: Final = "A number on which the type depends assigns: only the type is wanted here."
VOID: Final = TypedValue(None, bits=Bits(0, 0))


def _forget(name: str, value: TypedValue) -> None:
    """Discard the value: nothing is kept without evaluation."""


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
    name = parse_type(text, names, radix) or parse_type_of(text, names, radix)
    return None if name is None else evaluator.type_named(name)


def has_effect(text: str, session: Session, options: Options = DEFAULT) -> bool:
    """Return whether an expression assigns, as GDB takes it: by its outermost operator."""
    node = parse(text, Names(session), options.radix)
    if isinstance(node, ast.Unary):
        return node.operator.endswith(("++", "--"))
    return isinstance(node, ast.Assign) or isinstance(node, ast.Binary) and node.operator == ","


@names_wrong_arguments
def source_type(text: str, session: Session, options: Options = DEFAULT) -> Typed:
    """Return the type of an expression; reads and writes nothing. Raises what `evaluate_source`
    raises."""
    evaluator = Evaluator(session, options)._unevaluated()
    try:
        value = evaluator.value(parse(text, evaluator.names, options.radix))
    except Unavailable as error:
        raise without_thread(session, at_start(session, error)) from None
    return Typed(value.type, evaluator.in_style(value).unit)


type_of: Final = source_type
"""The name inside the package; errors have that of the library."""


class Evaluator(MemberAccess):
    """One focus and what expressions mean there."""

    def whole(self, text: str) -> TypedValue:
        """Return the value of an expression, read."""
        before = self.session.reads_before_start
        try:
            node = parse(text, self.names, self.options.radix)
            value = self.value(node)
            if isinstance(node, ast.Name):
                value = typed(value, node.name)
            value = self.objects.read(value)
            value = self.in_style(value)
        finally:
            if self.options.looked_at is not None:
                for variable in self.objects.variables:
                    self.options.looked_at(variable)
        notes = (*assumptions(self.session, self.objects.variables), *self.doubts)
        if self.session.reads_before_start != before:
            notes = (*notes, NOT_STARTED)
        return evolve(value, notes=notes)

    def in_style(self, value: TypedValue) -> TypedValue:
        """Return a value that no unit has in the style of the language in focus."""
        is_own = value.unit is None and value.location in (None, UNDEFINED_LOCATION)
        is_other = self.is_fortran or self.is_ada
        return evolve(value, unit=self.names.current_unit) if is_own and is_other else value

    def value(self, node: ast.Node) -> TypedValue:
        """Return the value of a tree, not read unless that was needed."""
        match node:
            case ast.Integer() | ast.Floating():
                number = self.numbers.literal(node)
                if self.is_fortran and number.is_float:
                    return real_literal(self.arithmetic, number)
                return self.number(number)
            case ast.Character() | ast.String():
                return text(self.names, self.numbers, node, cplusplus=self.is_cplusplus)
            case ast.Logical(is_true=is_true):
                return self.truth(is_true)
            case ast.Complex():
                return complex_literal(
                    self.arithmetic, self.object(node.real), self.object(node.imaginary)
                )
            case ast.Name():
                named = self.named(node)
                return named if named.type is not None else evolve(named, type=NO_TYPE)
            case ast.OnEntry():
                from dwarfgpu.language.entry_expressions import entry_value  # few expressions

                return entry_value(self.session, self.names, node.name)
            case ast.Dollar():
                return self._dollar(node.name)
            case ast.AddressOf():
                return self._address(node)
            case ast.Unary():
                return self._unary(node)
            case ast.Binary():
                return self._binary(node)
            case ast.Assign():
                return self._assign(node)
            case ast.Conditional():
                return self._conditional(node)
            case ast.Access():
                return self.of_package(node) or self.member(node)
            case ast.Index():
                return self._element(node)
            case ast.Call():
                return called(self, node)
            case ast.Triplet():
                raise UsageError("A section is written in parentheses after an array or a string.")
            case ast.Cast():
                return self._cast(node)
            case ast.SizeOf(is_alignment=True):
                return self._length(alignment_bytes(self.names.type_of(node.type).type))
            case ast.SizeOf():
                return self._size(self.names.type_of(node.type).type)
            case ast.Elements():
                return elements(self.objects, [self.object(element) for element in node.elements])

    def object(self, node: ast.Node) -> TypedValue:
        """Return the value of an operand; for a reference, its target."""
        return self._object_of(node, self.value(node))

    def _object_of(self, node: ast.Node, value: TypedValue) -> TypedValue:
        referred = self._referred(value)
        return typed(referred, node.name) if isinstance(node, ast.Name) else referred

    def _referred(self, value: TypedValue) -> TypedValue:
        bare = strip(value.type)
        if isinstance(bare, Pointer) and bare.kind != "pointer":
            return self.objects.dereferenced(value)
        return value

    # Operands

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

    # Operations

    def _unary(self, node: ast.Unary) -> TypedValue:
        operator = node.operator
        if operator == "sizeof":
            unread = self._unevaluated()
            match node.operand:
                case ast.Unary("*", pointer) if is_integer(unread.value(pointer).type):
                    raise UsageError(NO_POINTER)
            operand = unread.object(node.operand)
            if operand.bit_size is not None:
                raise UsageError("Attempt to take the size of a bit-field.")
            if operand.error is not None and size_bytes(operand.type) is None:
                raise operand.error  # why the size is unknown
            return self._size(operand.constant_type or operand.type)
        if operator == "&" and isinstance(node.operand, ast.Name):
            member = self._member_pointer(node.operand)
            if member is not None:
                return member
        if operator == "&" and isinstance(node.operand, ast.Unary) and node.operand.operator == "*":
            number = self.object(node.operand.operand)
            if is_integer(number.type):  # GDB: the number itself
                return number
        if operator == "&":
            operand = self._referred(self.value(node.operand))
            if isinstance(node.operand, ast.Access):  # GDB names only variables that are written
                operand = evolve(operand, variable=None)
            return self.objects.address_of(operand)
        written = self.value(node.operand)
        value = self._object_of(node.operand, written)
        if operator != "*":
            simple = operator.removeprefix("after")
            refuse_overloaded(simple, value, cplusplus=self.is_cplusplus)
        match operator:
            case "*":
                return self._contents(value, written)
            case "!":
                return self.truth(not self.arithmetic.truth(value))
            case "++" | "--" | "after++" | "after--":
                if value.type is None or isinstance(strip(value.type), Struct):
                    raise UsageError("Not a numeric type.")
                unit_value = self.number(self.numbers.integer(1))
                before = self.objects.read(value)
                stored = store(
                    self.arithmetic,
                    self.options,
                    value,
                    self.arithmetic.binary(operator[-1], value, unit_value),
                )
                return evolve(before, location=None) if operator.startswith("after") else stored
            case "-" if self.is_fortran or self.is_ada:
                return negated(self.arithmetic, value)
            case _:
                return self.arithmetic.unary(operator, value)

    def _member_pointer(self, node: ast.Name) -> TypedValue | None:
        """Return `&Class::x`; None if the name is not that of a part of an object."""
        if node.file is not None or node.is_quoted or "::" not in node.name:
            return None
        functions = [
            meaning for meaning in self.names.meaning(node.name) if isinstance(meaning, Die)
        ]
        if len(functions) > 1 and has_this(functions[0]):
            raise UsageError(overloaded(functions))
        _, written = split_last(node.name)
        return member_pointer(self.objects, functions[0], written) if functions else None

    def _contents(self, value: TypedValue, written: TypedValue) -> TypedValue:
        """Return what an operand points to, which is `written` before references are followed."""
        bare = strip(value.type)
        if self.is_ada and isinstance(bare, Struct):
            from dwarfgpu.language.ada_indexing import array_of, stands_for_array

            if stands_for_array(bare):
                return array_of(self.objects, value)
        pointee = smart_pointee(self.objects, value, "*")
        if pointee is not None:
            return pointee
        if not isinstance(self.objects, Unevaluated):
            refuse_overloaded("*", value, cplusplus=self.is_cplusplus)
        if isinstance(bare, Function):
            return value
        form = bare.form if isinstance(bare, Dynamic | Absent) else bare
        if isinstance(form, Array) and self.is_fortran:  # its elements have no address there
            raise UsageError(NO_POINTER)
        if isinstance(form, Array):
            return self.objects.element(value, 0)
        if is_integer(value.type):  # GDB: the address of an int
            return self._int_at(value, written)
        return self.objects.dereferenced(value)

    def _int_at(self, address: TypedValue, written: TypedValue) -> TypedValue:
        kind = self.names.builtins.integer(INT_BITS)
        if isinstance(self.objects, Unevaluated) and not is_unicode_character(address.type):
            return TypedValue(kind, UNDEFINED_LOCATION, unit=address.unit)
        if isinstance(strip(written.type), Pointer) or is_unicode_character(address.type):
            raise UsageError(NO_POINTER)
        if (address.size_bits or 0) > LONG_LONG_BITS:
            raise UsageError(TOO_WIDE)
        pointer = self.names.builtins.pointer(kind)
        return self.objects.dereferenced(self.arithmetic.cast(address, pointer))

    def _binary(self, node: ast.Binary) -> TypedValue:
        operator = node.operator
        if operator in ("&&", "||"):
            from dwarfgpu.language.logical_operators import holds  # few expressions

            operands = self.object(node.left), partial(self.object, node.right)
            unread, cplusplus = partial(self._unread().object, node.right), self.is_cplusplus
            return self.truth(
                holds(self.arithmetic, operator, *operands, unread, cplusplus=cplusplus)
            )
        if operator in EQUIVALENCES:
            sides = {self.arithmetic.truth(self.object(side)) for side in (node.left, node.right)}
            return self.truth((len(sides) == 1) == (operator == ".eqv."))
        if operator == ",":
            self.objects.read(self.value(node.left))
            return self.value(node.right)
        if operator == "@":
            return self._repeated(node)
        left, right = self.object(node.left), self.object(node.right)
        if operator in (".*", "->*"):
            return self.pointed_by(left, right)
        if operator == POWER:
            return power(self.arithmetic, left, right)
        refuse_overloaded(operator, left, right, cplusplus=self.is_cplusplus)
        if operator in ("==", "!=", "<", ">", "<=", ">="):
            text_result = (
                strings_compared(self.objects, operator, left, right, pads=self.is_fortran)
                if self.is_fortran or self.is_ada
                else None
            )
            if text_result is not None:
                return self.truth(text_result)
            is_read = not isinstance(self.objects, Unevaluated)
            if is_read and isinstance(node.left, ast.String) | isinstance(node.right, ast.String):
                raise UsageError(NO_STRING_COMPARISON)
            return self.truth(self.arithmetic.compared(operator, left, right))
        return self._combined(operator, left, right)

    def _repeated(self, node: ast.Binary) -> TypedValue:
        """Evaluate `x@8`: the number is evaluated even where only the type is wanted."""
        first = self.object(node.left)
        if isinstance(self.objects, Unevaluated):
            counting = self.counting()
            number = counting.arithmetic.number(counting.object(node.right))
            return repeated(first, number, is_unevaluated=True)
        array = node.left.operand if isinstance(node.left, ast.Index) else None
        container = None if array is None else self.object(array)
        return repeated(first, self.arithmetic.number(self.object(node.right)), container)

    def counting(self) -> Evaluator:
        """Return an evaluator for numbers on which a type depends."""
        if not isinstance(self.objects, Unevaluated):
            return self
        options = evolve(self.options, read_only=self.options.read_only or _NO_ASSIGNMENT)
        return Evaluator(self.session, options)

    def _combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an arithmetic operator, with a warning about a shift that C does not define."""
        if self.is_fortran and any(isinstance(strip(side.type), Array) for side in (left, right)):
            raise UsageError(NOT_A_NUMBER)
        if self.is_fortran or self.is_ada:
            left, right = widened(self.arithmetic, left, right)
        value = self.arithmetic.binary(operator, left, right)
        if operator not in ("<<", ">>") or not is_number(left.type) or not is_number(right.type):
            return value
        numbers = (self.arithmetic.number(left), self.arithmetic.number(right))
        doubt = self.numbers.shift_doubt(operator, *numbers)
        if doubt is None or isinstance(self.objects, Unevaluated):
            return value
        report = self.doubts.append if self.options.warn is None else self.options.warn
        report(doubt)
        return value

    def _conditional(self, node: ast.Conditional) -> TypedValue:
        holds = self.arithmetic.truth(self.object(node.condition))
        yes, no = (node.yes, node.no) if holds else (node.no, node.yes)
        unchosen, chosen = Arm(no, self._unread().object(no)), Arm(yes, self.object(yes))
        return conditional(self.arithmetic, chosen, unchosen, cplusplus=self.is_cplusplus)

    def member(self, node: ast.Access, *, is_called: bool = False) -> TypedValue:
        return self.member_of(self.object(node.operand), node, is_called=is_called)

    def _element(self, node: ast.Index) -> TypedValue:
        value = self.object(node.operand)
        index = self.object(node.index)
        if is_number(value.type) and not is_number(index.type):
            value, index = index, value
        bare = strip(value.type)
        if isinstance(bare, Pointer):
            return self.objects.dereferenced(self.arithmetic.binary("+", value, index))
        is_vector = isinstance(bare, Base) and bare.base.vector_size is not None
        form = bare.form if isinstance(bare, Dynamic) else bare
        element = container_element(self.objects, self.arithmetic, value, index)
        if element is not None:
            return element
        refuse_overloaded("[]", value, cplusplus=self.is_cplusplus)
        if not isinstance(form, Array | Absent) and not is_vector:
            spelled = "void" if value.type is None else declared_name(bare)
            if spelled is None:
                raise UsageError("cannot subscript requested type")
            raise UsageError(f"cannot subscript something of type `{spelled}'")
        number = self.arithmetic.number(index)
        if number.is_float:
            raise UsageError("Argument to subscript operation is not an integer.")
        return self.objects.element(value, number.value.integer)

    def type_named(self, name: ast.TypeName | ast.TypeOf) -> Typed:
        """Return the written type, or that of an expression."""
        if isinstance(name, ast.TypeName):
            return self.names.type_of(name)
        if isinstance(name.operand, ast.TypeName):
            return self.names.type_of(name.operand)
        value = self._unevaluated().value(name.operand)
        return Typed(value.type, value.unit)

    def _cast(self, node: ast.Cast) -> TypedValue:
        to = self.type_named(node.type)
        if node.is_memory:
            return in_memory(self.arithmetic, self.object(node.operand), to)
        if isinstance(node.operand, ast.Elements) and isinstance(strip(to.type), Struct | Array):
            from dwarfgpu.language.compound_literals import literal

            return literal(self.arithmetic, self.object, node.operand, to)
        operand = self._referred(self.value(node.operand))
        if node.how:
            return named_cast(self.arithmetic, node.how, operand, to)
        return as_type(operand, to.type) or written_cast(self.arithmetic, operand, to)

    def _assign(self, node: ast.Assign) -> TypedValue:
        if self.options.read_only is not None:
            raise UsageError(self.options.read_only)
        target = self.object(node.left)
        value = self.object(node.right)
        if node.operator not in (None, ":"):  # `:=` of Ada assigns
            cplusplus = self.is_cplusplus
            refuse_overloaded(f"{node.operator}=", target, value, cplusplus=cplusplus)
            value = self._combined(node.operator, target, value)
        return store(self.arithmetic, self.options, target, value)

    def _unread(self) -> Evaluator:
        return self if isinstance(self.objects, Unevaluated) else self._unevaluated()

    def _unevaluated(self) -> Evaluator:
        keep = None if self.options.keep is None else _forget
        options = evolve(self.options, keep=keep, looked_at=None, wrote=None)
        return Evaluator(self.session, options, Unevaluated(self.session))

    def _size(self, type_: Type | None) -> TypedValue:
        bare = strip_reference(type_)
        size = 1 if bare is None or isinstance(bare, Function) else size_bytes(bare)
        if isinstance(bare, Array) and bare.lost_length is not None:
            raise UndefinedBits(bare.lost_length)
        if size is None:
            raise UsageError("The type is incomplete: its size is unknown.")
        return self._length(size)

    def _length(self, size_bytes: int) -> TypedValue:
        long_bits = self.names.builtins.long_bits
        return self.number(self.numbers.integer(size_bytes, long_bits, is_signed=False))
