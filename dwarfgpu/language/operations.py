"""Operators in the focus of a session: what they mean for the values of their operands."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Final, Self

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.scope.function_clones import without_parts
from dwarfgpu.dwarf.scope.overloads import overloaded_member
from dwarfgpu.dwarf.types.type_sizes import element_type, lost_length, size_bits, size_bytes
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Dynamic,
    Function,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    strip,
    strip_reference,
)
from dwarfgpu.errors import UndefinedBits, Unsupported, UsageError
from dwarfgpu.language.arithmetic_conversions import (
    is_fixed_point,
    is_integer,
    is_number,
    is_unicode_character,
)
from dwarfgpu.language.array_expressions import repeated
from dwarfgpu.language.assignment import store
from dwarfgpu.language.builtin_types import INT_BITS
from dwarfgpu.language.c_numbers import NOT_A_NUMBER
from dwarfgpu.language.class_operators import NO_CALLS
from dwarfgpu.language.dereference import NO_POINTER, require_known_space
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.library_operators import smart_pointee
from dwarfgpu.language.member_pointers import has_this, member_pointer
from dwarfgpu.language.named_values import of_overload, without_artificial
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.fortran_tokens import POWER
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.syntax.words import (
    ABS,
    AND_NOT,
    BYTE,
    MOD,
)
from dwarfgpu.language.typed_value import TypedValue, is_enumerator, no_address_of_constant
from dwarfgpu.language.unevaluated import NIL_SIZE, Unevaluated
from dwarfgpu.language.untyped_operands import UntypedOperands, written_array
from dwarfgpu.language.untyped_symbols import INDIRECT, typed
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.session.session import Session
from dwarfgpu.view.scalars import LONG_LONG_BITS, TOO_WIDE

NO_STRING_COMPARISON: Final = (
    "A string literal has no address to compare: $_streq(A, B) compares two strings."
)
_NO_ASSIGNMENT: Final = (
    "An operand on which the type depends assigns: only the type is wanted here."
)


def _is_string_of_c(node: ast.Node) -> bool:
    """Return whether an operand is a literal that would become a pointer in the program."""
    return isinstance(node, ast.String) and not node.is_counted


def _forget(name: str, value: TypedValue) -> None:
    """Discard the value: nothing is kept without evaluation."""


class Operations(UntypedOperands):
    """What operators mean in one focus."""

    def __init__(
        self, session: Session, options: Options, objects: ObjectAccess | None = None
    ) -> None:
        super().__init__(session, options, objects)
        self._unread: Self | None = None
        self._counting: Self | None = None

    @cached_property
    def own(self) -> LanguageOperators:
        """The operators that the language in focus has otherwise than C."""
        if not self.language.has_own_operators:
            return LanguageOperators(self)
        from dwarfgpu.language.choose_operators import operators_of  # most are in C or C++

        return operators_of(self.language)(self)

    @abstractmethod
    def value(self, node: ast.Node) -> TypedValue:
        """Return the value of a tree, not read unless that was needed."""

    def object(self, node: ast.Node) -> TypedValue:
        """Return the value of an operand; for a reference, its target."""
        return self._object_of(node, self.value(node))

    def _object_of(self, node: ast.Node, value: TypedValue) -> TypedValue:
        return self.typed(node, self.objects.referred(value))

    def typed(self, node: ast.Node, value: TypedValue) -> TypedValue:
        """Return the value of a tree; an error for the name of data whose type is unknown."""
        match node:
            case ast.Name(name=name):
                return typed(value, name, self.session, self.names.undescribed.get(name))
            case ast.Dollar(name=name):  # of a symbol, as Swift has them
                return typed(value, f"${name}", self.session)
            case _:
                return value

    def unary(self, node: ast.Unary) -> TypedValue:
        operator = node.operator
        if operator == "sizeof":
            operand = self.unread()._sized(node.operand)
            if operand.bit_size is not None:
                raise UsageError("A bit-field has no size in bytes.")
            if operand.error is not None and size_bytes(operand.type) is None:
                raise operand.error  # why the size is unknown
            bare = strip(operand.type)
            if isinstance(bare, Pointer):
                require_known_space(bare, operand.unit)
            return self.size(operand.constant_type or operand.type)
        if operator == "&" and isinstance(node.operand, ast.Name):
            member = self._member_pointer(node.operand)
            if member is not None:
                return member
        if operator == "&" and isinstance(node.operand, ast.Unary) and node.operand.operator == "*":
            pointer = node.operand.operand
            written = self.value(pointer)
            number = self._object_of(pointer, written)
            if is_integer(number.type):  # GDB: the number itself
                return number
            is_value = is_number(number.type) or isinstance(
                strip(number.type), Pointer | MemberPointer
            )
            if is_value and not self.language.is_rust:
                # As if both operators were omitted (C 6.5.3.2), but for being an lvalue; in GDB
                # also for what is no pointer.
                return evolve(self.objects.read(number), location=None, variable=None)
            return self.objects.address_of(self.objects.referred(self._pointee(pointer, written)))
        own = self.own.address(node.operand) if operator == "&" else None
        if own is not None:
            return own
        if operator == "&":
            operand = self.objects.referred(self.value(node.operand))
            if isinstance(node.operand, ast.Name) and is_enumerator(operand):
                is_unread = isinstance(self.objects, Unevaluated)
                name = self.enumerator_name(node.operand)
                raise UsageError(no_address_of_constant(name, is_unread=is_unread))
            if isinstance(node.operand, ast.Access):  # GDB names only variables that are written
                operand = evolve(operand, variable=None)
            return self.objects.address_of(operand)
        if operator == "*":
            return self._pointee(node.operand, self.value(node.operand))
        value = self.object(node.operand)
        simple = operator.removeprefix("after")
        zero = (self.number(self.numbers.integer(0)),) if simple != operator else ()
        result = self.own.unary(operator, value)
        if result is None:
            result = self.operator_result(simple, value, *zero)
        if result is not None:
            return result
        self.refuse_overloaded(simple, value)
        match operator:
            case "!":
                return self.truth(self.arithmetic.truth(value) == 0)  # `not` would part lanes
            case "++" | "--" | "after++" | "after--":
                if value.type is None and isinstance(self.objects, Unevaluated):
                    return value  # as in GDB: a convenience variable, which may have a value then
                if value.type is None or isinstance(strip(value.type), Struct):
                    raise UsageError("Not a numeric type.")
                unit_value = self.number(self.numbers.integer(1))
                before = self.objects.read(value)
                self.forget_types()
                stored = store(
                    self.arithmetic,
                    self.options,
                    value,
                    self.arithmetic.binary(operator[-1], value, unit_value),
                )
                return evolve(before, location=None) if operator.startswith("after") else stored
            case _:
                return self.of_one(operator, value)

    def of_one(self, operator: str, value: TypedValue) -> TypedValue:
        """Apply `-`, `+`, `~` (in Rust `!`, too) or `abs` to a number."""
        operator = "~" if operator == "!" else operator
        if self.rules is None or not self.rules.applies(value.type):
            if operator == ABS and not is_fixed_point(value.type):
                raise UsageError(NOT_A_NUMBER)
            return self.arithmetic.unary(operator, value)
        return self.number(self.rules.unary(operator, self.arithmetic.number(value)))

    def _sized(self, node: ast.Node) -> TypedValue:
        """Return what `sizeof` is of; `UsageError` for what an integer points to."""
        match node:
            case ast.Unary("*", pointer):
                written = self.value(pointer)
                if is_integer(written.type):
                    raise UsageError(NO_POINTER)
                return self._object_of(node, self._pointee(pointer, written))
            case ast.Name(name="nil") if self.language.is_go and not self.names.meaning("nil"):
                raise UsageError(NIL_SIZE)
            case _:
                return self.object(node)

    def _pointee(self, node: ast.Node, written: TypedValue) -> TypedValue:
        """Return `*x`, where `written` is the value of `x`: operands in one another are evaluated
        once each."""
        value = self._object_of(node, written)
        if isinstance(node, ast.String) and node.prefix == BYTE:
            return value  # the literal is a reference to its bytes
        if isinstance(node, ast.Unary) and self.language.is_rust and written_array(node):
            return value  # what `&[1, 2]` refers to
        if isinstance(node, ast.Access) and isinstance(strip(value.type), Function):
            raise UsageError(NO_POINTER)  # as in GDB: a method has no pointer
        return self._contents(node, value, written)

    def _member_pointer(self, node: ast.Name) -> TypedValue | None:
        """Return `&Class::x`; None if the name is not that of a part of an object."""
        if node.file is not None or node.is_quoted or "::" not in node.name:
            return None
        functions = [
            meaning for meaning in self.names.meaning(node.name) if isinstance(meaning, Die)
        ]
        if "(" not in node.name:
            functions = without_artificial(functions)
        functions = without_parts(of_overload(functions, node.name))
        if len(functions) > 1 and has_this(functions[0]):
            raise UsageError(overloaded_member(functions))
        _, written = split_last(node.name)
        return member_pointer(self.objects, functions[0], written) if functions else None

    def _contents(self, node: ast.Node, value: TypedValue, written: TypedValue) -> TypedValue:
        """Return what an operand points to, which is `written` before references are followed."""
        bare = strip(value.type)
        target = self.own.target(node, value)
        if target is not None:
            return target
        pointee = smart_pointee(self.objects, value, "*")
        if pointee is not None:
            return pointee
        result = self.operator_result("*", value)
        if result is not None:
            return result
        if not isinstance(self.objects, Unevaluated):
            self.refuse_overloaded("*", value)
        pointee_type = bare.target if isinstance(bare, Pointer) else bare
        if pointee_type is INDIRECT and not isinstance(self.objects, Unevaluated):
            raise Unsupported(f"{NO_CALLS}, and only a call chooses what an indirect one means")
        if isinstance(bare, Function):
            return value
        form = bare.form if isinstance(bare, Dynamic | Absent) else bare
        if isinstance(form, Array):
            # Arrays become pointers to their first element in C alone, and vectors nowhere.
            if self.language.is_fortran or self.language.is_ada or form.is_vector:
                raise UsageError(NO_POINTER)
            if size_bits(kind := element_type(form)) == 0:  # which no index denotes
                return self.objects.part(value, kind, 0)
            return self.objects.element(value, form.lower_bound or 0)
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

    def binary(self, node: ast.Binary) -> TypedValue:
        operator = node.operator
        own = self.own.of_nodes(node)
        if own is not None:
            return own
        if operator in ("&&", "||"):
            from dwarfgpu.language.logical_operators import holds  # few expressions

            operands = self.object(node.left), partial(self.object, node.right)
            unread = partial(self.unread().object, node.right)
            refuse = self.refuse_overloaded
            return self.truth(holds(self.arithmetic, operator, *operands, unread, refuse))
        if operator == ",":
            self.objects.read(self.value(node.left))
            return self.value(node.right)
        if operator == "@":
            return self._repeated(node)
        if self.rules is not None:
            is_true = self.rules.constants_compared(operator, node.left, node.right)
            if is_true is not None:
                return self.truth(is_true)
            is_true = self.compared_with_constant(node)
            if is_true is not None:
                return self.truth(is_true)
        return self.applied(node, *self.operands(node))

    def applied(self, node: ast.Binary, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an operator to its operands, which were evaluated."""
        operator = node.operator
        if operator in (".*", "->*"):
            return self.pointed_by(left, right)
        is_comparison = operator in COMPARISONS
        has_literal = _is_string_of_c(node.left) or _is_string_of_c(node.right)
        if is_comparison and not has_literal:
            is_so = self.own.compared(operator, left, right)
            if is_so is not None:
                return self.truth(is_so)
        result = self.own.of_parts(operator, left, right)
        if result is None:
            result = self.overloaded(operator, left, right)
        if result is not None:
            return result
        if is_comparison:
            if has_literal and not isinstance(self.objects, Unevaluated):
                raise UsageError(NO_STRING_COMPARISON)
            if self.rules is not None and self.rules.applies(left.type, right.type):
                numbers = self.arithmetic.number(left), self.arithmetic.number(right)
                return self.truth(self.rules.compared(operator, *numbers))
            return self.truth(self.arithmetic.compared(operator, left, right))
        return self.combined(operator, left, right)

    def _repeated(self, node: ast.Binary) -> TypedValue:
        """Evaluate `x@8`: the number is evaluated even where only the type is wanted."""
        first = self.object(node.left)
        first_index = 1 if self.language.is_fortran or self.language.is_ada else 0
        if isinstance(self.objects, Unevaluated):
            counting = self.counting()
            number = counting.arithmetic.number(counting.object(node.right))
            return repeated(first, number, is_unevaluated=True, first_index=first_index)
        array = node.left.operand if isinstance(node.left, ast.Index) else None
        container = None if array is None else self.object(array)
        number = self.arithmetic.number(self.object(node.right))
        return repeated(first, number, container, first_index=first_index)

    def counting(self) -> Self:
        """Return an evaluator for operands on which a type depends."""
        if not isinstance(self.objects, Unevaluated):
            return self
        if self._counting is None:
            options = evolve(self.options, read_only=self.options.read_only or _NO_ASSIGNMENT)
            self._counting = type(self)(self.session, options)
            self._counting._unread = self  # which has no values: no further evaluator is made
        return self._counting

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an arithmetic operator."""
        if operator == POWER:
            return self._power(left, right)
        own = self.own.combined(operator, left, right)
        return self.computed(operator, left, right) if own is None else own

    def computed(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an arithmetic operator to numbers, or as in C, with a warning about a shift that C
        does not define."""
        if self.rules is not None and self.rules.applies(left.type, right.type):
            numbers = self.arithmetic.number(left), self.arithmetic.number(right)
            return self.number(self.rules.binary(operator, *numbers))
        if operator in (MOD, AND_NOT):
            from dwarfgpu.language.number_rules import require_integers  # few programs

            require_integers(operator, left.type, right.type)
        left, right = self.own.widened(left, right)
        value = self.arithmetic.binary(operator, left, right)
        if operator not in ("<<", ">>") or not is_number(left.type) or not is_number(right.type):
            return value
        numbers = (self.arithmetic.number(left), self.arithmetic.number(right))
        doubt = self.numbers.shift_doubt(operator, *numbers)
        if doubt is None or isinstance(self.objects, Unevaluated):
            return value
        self.report(doubt)
        return value

    def _power(self, base: TypedValue, exponent: TypedValue) -> TypedValue:
        """Evaluate `**` of Fortran or Ada, of integers in the type of a product."""
        from dwarfgpu.language.fortran.power import no_power, raised  # few programs

        rules = self.rules
        if rules is None or not rules.applies(base.type, exponent.type):
            raise no_power(base, exponent)
        left, right = self.arithmetic.number(base), self.arithmetic.number(exponent)
        return self.number(raised(rules, left, right))

    def conditional(self, node: ast.Conditional) -> TypedValue:
        from dwarfgpu.language.conditional import Arm  # few expressions

        condition = self.object(node.condition)
        own = self.own.by_element(node, condition)
        if own is not None:
            return own
        yes, no = node.yes, node.no
        if not self.arithmetic.truth(condition):
            yes, no = no, yes
        unchosen, chosen = Arm(no, self.unread().object(no)), Arm(yes, self.object(yes))
        return self.own.of_arms(chosen, unchosen)

    def unread(self) -> Self:
        if isinstance(self.objects, Unevaluated):
            return self
        if self._unread is None:
            keep = None if self.options.keep is None else _forget
            options = evolve(self.options, keep=keep, looked_at=None, wrote=None)
            self._unread = type(self)(self.session, options, Unevaluated(self.session))
        return self._unread

    def forget_types(self) -> None:
        """Forget the types that an assignment may change: those of convenience variables.

        Values stay, as each operand is evaluated once, when C evaluates it; what counts assigns
        nothing, and is forgotten with the types.
        """
        self._unread = None

    def size(self, type_: Type | None) -> TypedValue:
        bare = strip_reference(type_)
        if self.language.is_ada and isinstance(bare, Struct):
            from dwarfgpu.dwarf.types.gnat_encodings import undecoded_size  # few programs

            if (error := undecoded_size(bare)) is not None:
                raise error
        if self.language.is_fortran and isinstance(bare, Array):
            # That of its elements, as in gfortran.
            bare = evolve(bare, strides_bits=(), declared_bits=None)
        size = 1 if bare is None or isinstance(bare, Function) else size_bytes(bare)
        if isinstance(bare, Array) and (why := lost_length(bare)) is not None:
            raise UndefinedBits(why)
        if size is None:
            # Most types have a size.
            from dwarfgpu.language.other_units import completed_below, require_one_instance

            whole = completed_below(self.session, bare)
            size = size_bytes(whole)
            if size is None:
                require_one_instance(element_type(whole) if isinstance(whole, Array) else whole)
        if size is None:
            raise UsageError("The type is incomplete: its size is unknown.")
        if size >> self.names.builtins.long_bits:
            raise UsageError(f"The type has {size:#x} bytes, more than an unsigned long can be.")
        return self.length(size)

    def length(self, size_bytes: int) -> TypedValue:
        own = self.own.size(size_bytes)
        if own is not None:
            return own
        long_bits = self.names.builtins.long_bits
        return self.number(self.numbers.integer(size_bytes, long_bits, is_signed=False))
