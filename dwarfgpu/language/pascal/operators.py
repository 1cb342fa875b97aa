"""Operators that Pascal has otherwise than C: `and`, `or`, `xor` and `not` are of Booleans or of
integers, and `/` divides real numbers (ISO 7185 6.7.2.2, 6.7.2.3)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.short_strings import MOST_CHARACTERS
from dwarfgpu.dwarf.types.types import Array, Base, Pointer, Type, is_set, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import bounded, is_boolean, is_floating, is_integer
from dwarfgpu.language.c_numbers import holds, not_comparable
from dwarfgpu.language.concatenation import joined
from dwarfgpu.language.contents import arrays_compared
from dwarfgpu.language.language_operators import Evaluation, LanguageOperators
from dwarfgpu.language.logical_operators import holds as holds_lazily
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.pascal import currency as currency_operators
from dwarfgpu.language.pascal.allocated_strings import allocated_name, is_pointer_to_characters
from dwarfgpu.language.pascal.functions import is_of_numbers
from dwarfgpu.language.pascal.integers import Kind, PascalConstant, compared_beside
from dwarfgpu.language.pascal.short_string_elements import as_string
from dwarfgpu.language.pascal.texts import texts_compared
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.syntax.words import AND, BITWISE, COMPLEMENT, DIV, LOGICAL, OR, XOR
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits

_ARITHMETIC: Final = ("+", "-", "*", "/")
_WITHOUT_EFFECT: Final = {AND: True, OR: False, "==": True, "!=": False}
"""What leaves a Boolean beside it as it is."""


class PascalOperators(LanguageOperators):
    widens = True

    def __init__(self, evaluation: Evaluation) -> None:
        super().__init__(evaluation)
        self._known_units: dict[int, tuple[ast.Node, tuple[Fraction, Type] | None]] = {}
        """By the identity of the nodes, which are kept: no other gets the identity."""

    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        if operator == COMPLEMENT:
            if not is_boolean(value.type):
                return self.evaluation.of_one("~", value)
            return _of_bits(_base(value), int(not self.arithmetic.truth(value)))
        if operator == "-" and currency_operators.has_currency(value):
            return currency_operators.negated(self.arithmetic, value)
        return None

    def becoming(
        self, node: ast.Node, type_: Type | None, *, is_assigned: bool
    ) -> TypedValue | None:
        """Return what is computed of a Currency as a real number, which keeps its places, and what
        becomes a Boolean."""
        if type_ is None:
            return None
        if is_boolean(type_):
            return self._as_boolean(node, type_, is_assigned=is_assigned)
        if not isinstance(node, ast.Binary | ast.Unary) or not is_floating(type_):
            return None
        counted = self._units(node)
        if counted is None:
            return None
        return currency_operators.real_of_units(self.arithmetic, *counted, type_)

    def _as_boolean(self, node: ast.Node, type_: Type, *, is_assigned: bool) -> TypedValue | None:
        """Return a Boolean or an integer as a Boolean of a type: an integer, and in a conversion a
        Boolean with as many bits, is not changed unless it was computed. None for any other."""
        kind, value = strip(type_), self.evaluation.object(node)
        assert isinstance(kind, Base)
        if is_boolean(value.type):
            kinds = is_of_numbers(kind), is_of_numbers(_base(value))
            is_changed = is_assigned and (kinds[0] != kinds[1] or self._is_computed(node))
            if is_changed:
                return self._truth(kind, self.arithmetic.truth(value))
            return _of_bits(kind, self._in_boolean(node, value, kind))
        if is_integer(value.type) and not is_assigned:
            return _of_bits(kind, self.arithmetic.number(value).value.integer)
        return None

    def _truth(self, kind: Type | None, holds: bool) -> TypedValue:
        assert isinstance(kind, Base)
        return _of_bits(kind, int(holds) * (-1 if is_of_numbers(kind) else 1))

    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        if node.operator in LOGICAL:
            return self._logical(node)
        if _is_nested(node):
            if node.operator in COMPARISONS:
                sides = self._two_in_units(node)
                if sides is not None:
                    a, b, _ = sides
                    return self.evaluation.truth(holds(node.operator, (a > b) - (a < b)))
            elif (counted := self._units(node)) is not None:
                return currency_operators.rounded(counted[1], counted[0])
        if node.operator in COMPARISONS:
            return self._compared_with_constant(node)
        if node.operator == "-":
            return self._subtracted_from_zero(node)
        return self._divided_by_one(node) if node.operator == DIV else None

    def _units(self, node: ast.Node) -> tuple[Fraction, Type] | None:
        """Return what a tree of operators makes of a Currency, in units of its last place, and the
        type; None for what is none of it."""
        if isinstance(node, ast.Binary):
            known = self._known_units.get(id(node))
            if known is None:
                known = self._known_units[id(node)] = node, self._computed_units(node)
            return known[1]
        if isinstance(node, ast.Unary) and node.operator in ("-", "+"):
            counted = self._units(node.operand)
            if counted is None or node.operator == "+":
                return counted
            return -counted[0], counted[1]
        if isinstance(node, ast.Cast):
            counted = self._units(node.operand)
            is_same = counted and currency_operators.has_currency(self.evaluation.object(node))
            if counted is not None and is_same:
                return counted
        value = self.evaluation.object(node)
        if value.type is None or not currency_operators.has_currency(value):
            return None
        return currency_operators.units(self.arithmetic, value, value.type), value.type

    def _computed_units(self, node: ast.Binary) -> tuple[Fraction, Type] | None:
        operator = node.operator
        if operator not in _ARITHMETIC or (sides := self._two_in_units(node)) is None:
            return None
        left, right, kind = sides
        constants = [self._integer_constant(side) for side in (node.left, node.right)]
        for constant, other in zip(constants, (right, left), strict=True):
            if operator == "*" and constant is not None:
                return currency_operators.units_multiplied(other, constant), kind
        of_units = currency_operators.units_combined
        return of_units(self.arithmetic, operator, left, right, kind), kind

    def _two_in_units(self, node: ast.Binary) -> tuple[Fraction, Fraction, Type] | None:
        """Return both operands in units of the last place, and the type, where one of them is a
        Currency and the other a number."""
        sides = node.left, node.right
        counted = [self._units(side) for side in sides]
        kind = next((side[1] for side in counted if side is not None), None)
        if kind is None:
            return None
        numbers = []
        for side, known in zip(sides, counted, strict=True):
            if known is not None:
                numbers.append(known[0])
                continue
            value = self.evaluation.object(side)
            if not currency_operators.is_operand(value.type):
                return None
            if _is_real(side) or self._integer_constant(side) is not None:
                value = currency_operators.converted(self.arithmetic, value, kind)
            numbers.append(currency_operators.units(self.arithmetic, value, kind))
        return numbers[0], numbers[1], kind

    def _integer_constant(self, node: ast.Node) -> int | None:
        constant = None if self.evaluation.rules is None else self.evaluation.rules.constant(node)
        return constant if isinstance(constant, int) else None

    def _logical(self, node: ast.Binary) -> TypedValue:
        """Apply `and`, `or` or `xor`; the right one of two Booleans is evaluated only where the
        left one does not decide."""
        operator, evaluation = node.operator, self.evaluation
        left, right = evaluation.object(node.left), partial(evaluation.object, node.right)
        unread = partial(evaluation.unread().object, node.right)
        if not _are_boolean(operator, left.type, unread().type):
            of_bits = evolve(node, operator=BITWISE[operator])
            if evaluation.is_untyped(node.left):
                return evaluation.combined(of_bits.operator, *evaluation.operands(of_bits))
            beside = evaluation.beside(node.right, left.type, of_bits.operator)
            return evaluation.combined(of_bits.operator, left, beside)
        if operator == XOR:
            return self._of_two_booleans(node, left, right())
        of_c = "&&" if operator == AND else "||"
        refuse = evaluation.refuse_overloaded
        is_so = holds_lazily(self.arithmetic, of_c, left, right, unread, refuse)
        return _of_bits(_larger_boolean(_base(left), _base(unread())), int(is_so))

    def _of_two_booleans(self, node: ast.Binary, left: TypedValue, right: TypedValue) -> TypedValue:
        """Return `xor` of two Booleans, as Free Pascal has it of their numbers: of the larger type,
        and of two objects of one size unchanged, so that that of a Boolean and a ByteBool is
        -2."""
        nodes = self._simplified(node.left), self._simplified(node.right)
        if any(self._constant_truth(side) is not None for side in nodes):
            truths = [self.arithmetic.truth(side) for side in (left, right)]
            return self.evaluation.truth(truths[0] != truths[1])
        sides = [(side, self.evaluation.object(side)) for side in nodes]
        kind = _larger_boolean(*(_base(value) for _, value in sides))
        first, second = (self._in_boolean(side, value, kind) for side, value in sides)
        return _of_bits(kind, first ^ second)

    def _in_boolean(self, node: ast.Node, value: TypedValue, kind: Base) -> int:
        """Return the number of a Boolean in a type: itself where an object has as many bits, and 1
        for what is computed in the type."""
        own = _base(value)
        is_same_type = own.base.name.lower() == kind.base.name.lower()
        is_same_size = own.base.bit_size == kind.base.bit_size
        if is_same_type or (is_same_size and not self._is_computed(node)):
            return self.objects.known(value).value
        return (-1 if is_of_numbers(kind) else 1) if self.arithmetic.truth(value) else 0

    def _is_computed(self, node: ast.Node) -> bool:
        """Return whether a Boolean is the result of a comparison, `not`, `and` or `or`, or a
        constant: the program has no number of it until it becomes one."""
        node = self._simplified(node)
        match node:
            case ast.Binary(operator=operator):
                return operator != XOR
            case ast.Unary():
                return node.operator in (COMPLEMENT, "!")
            case _:
                return self._constant_truth(node) is not None

    def _simplified(self, node: ast.Node) -> ast.Node:
        """Return what the compiler makes of a Boolean: `x` of `x and true`, `x = true` and `not not
        x`."""
        match node:
            case ast.Binary(operator=operator) if operator in _WITHOUT_EFFECT:
                for constant, other in ((node.left, node.right), (node.right, node.left)):
                    if self._constant_truth(constant) is _WITHOUT_EFFECT[operator]:
                        is_truth = is_boolean(self.evaluation.unread().object(other).type)
                        return self._simplified(other) if is_truth else node
                return node
            case ast.Unary(operator=outer, operand=ast.Unary(operator=inner, operand=operand)):
                is_twice = (outer, inner) == (COMPLEMENT, COMPLEMENT)
                return self._simplified(operand) if is_twice else node
            case _:
                return node

    def _constant_truth(self, node: ast.Node) -> bool | None:
        """Return what `true` or `false` is; None for any other tree."""
        if not isinstance(node, ast.Name | ast.Logical):
            return None
        value = self.evaluation.object(node)
        if value.location is not None or not is_boolean(value.type):
            return None
        return self.arithmetic.truth(value)

    def _compared_with_constant(self, node: ast.Binary) -> TypedValue | None:
        """Compare an integer with a constant; None for other operands."""
        rules = self.evaluation.rules
        if rules is None:
            return None
        left, right = rules.constant(node.left), rules.constant(node.right)
        constant = left if right is None else right
        if (left is None) == (right is None) or not isinstance(constant, PascalConstant):
            return None
        value = self._integer(node.left if left is None else node.right)
        if value is None:
            return None
        number = self.arithmetic.number(value).value
        beside = compared_beside(constant, Kind(number.type.bit_size, number.type.is_signed))
        order = (number.integer > beside) - (number.integer < beside)
        return self.evaluation.truth(holds(node.operator, order if left is None else -order))

    def _divided_by_one(self, node: ast.Binary) -> TypedValue | None:
        """Divide an integer by the constant 1: as the compiler has it, the result has the type of
        the integer. None for another divisor, and for a constant."""
        rules = self.evaluation.rules
        if rules is None or rules.constant(node.right) != 1 or rules.constant(node) is not None:
            return None
        return self._integer(node.left)

    def _subtracted_from_zero(self, node: ast.Binary) -> TypedValue | None:
        """Subtract an integer from the constant 0: the compiler takes `0 - x` as `-x`. None for
        other operands."""
        rules = self.evaluation.rules
        if rules is None or rules.constant(node.left) != 0 or rules.constant(node) is not None:
            return None
        value = self._integer(node.right)
        return None if value is None else self.evaluation.of_one("-", value)

    def _integer(self, node: ast.Node) -> TypedValue | None:
        """Return the value of an operand that is an integer; None for any other."""
        rules, type_ = self.evaluation.rules, self.evaluation.unread().object(node).type
        if rules is None or not rules.applies(type_) or not is_integer(type_):
            return None
        return self.arithmetic.value(self.arithmetic.number(self.evaluation.object(node)))

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        """Compare sets, strings, arrays, Booleans, and numbers of the type Currency."""
        arithmetic, objects = self.arithmetic, self.objects
        if is_set(left.type) or is_set(right.type):
            return _sets_compared(objects, operator, left, right)
        is_so = texts_compared(objects, operator, left, right)
        if is_so is not None:
            return is_so
        if is_boolean(left.type) and is_boolean(right.type):
            # As truths: Free Pascal writes -1 for that of a WordBool.
            a, b = arithmetic.truth(left), arithmetic.truth(right)
            return holds(operator, a - b)
        if currency_operators.has_currency(left, right):
            return currency_operators.compared(arithmetic, operator, left, right)
        return arrays_compared(arithmetic, operator, left, right)

    def of_parts(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        """Join two strings or characters, by `+`."""
        if operator != "+":
            return None
        first, second = (as_string(self.objects, side) for side in (left, right))
        for side, other in ((left, second), (right, first)):
            is_named = allocated_name(side.type) is not None
            if other is not None and is_pointer_to_characters(side.type) and not is_named:
                raise Unsupported(
                    '"+" of a PChar and a string or character, which the program joins, is not'
                    " supported"
                )
        if first is not None and second is not None:
            return _joined(self.objects, first, second)
        for side, other in ((left, second), (right, first)):
            name = allocated_name(side.type) if isinstance(strip(side.type), Pointer) else None
            if name is not None and other is not None:
                raise Unsupported(f"the type {name} does not say how long its strings are")
        return None

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        """Return a constant beside a Currency as one."""
        if node.operator not in _ARITHMETIC and node.operator not in COMPARISONS:
            return left, right
        if currency_operators.has_currency(left) and _is_real(node.right) and right.type:
            assert left.type is not None
            return left, currency_operators.converted(self.arithmetic, right, left.type)
        if currency_operators.has_currency(right) and _is_real(node.left) and left.type:
            assert right.type is not None
            return currency_operators.converted(self.arithmetic, left, right.type), right
        return left, right

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        if currency_operators.has_currency(left, right):
            return currency_operators.combined(self.arithmetic, operator, left, right)
        if operator not in (DIV, "/"):
            return None
        left = _divided(self.arithmetic, operator, left, right)
        return self.evaluation.computed("/", left, right)


def _joined(objects: ObjectAccess, left: TypedValue, right: TypedValue) -> TypedValue:
    """Return two strings as one; `UsageError` for one that may be cut. Where only the type is
    wanted, the length of a short string that is a record is not known."""
    bare = strip(left.type)
    if isinstance(objects, Unevaluated) and isinstance(bare, Array):
        kind = Array(bare.element, (None,), lower_bounds=(1,))
        return TypedValue(kind, UNDEFINED_LOCATION, unit=left.unit or right.unit)
    whole = joined(objects, left, right, 1)
    assert isinstance(whole.type, Array)
    if (whole.type.dimensions[0] or 0) > MOST_CHARACTERS:
        raise UsageError(
            f"The strings have more than {MOST_CHARACTERS} characters, where a ShortString ends."
        )
    return whole


def _is_nested(node: ast.Binary) -> bool:
    """Return whether an operand is computed, as far as its tree says it."""
    computed = (ast.Binary, ast.Unary, ast.Cast)
    return isinstance(node.left, computed) or isinstance(node.right, computed)


def _is_real(node: ast.Node) -> bool:
    """Return whether a tree is made of numbers alone."""
    match node:
        case ast.Integer() | ast.Floating():
            return True
        case ast.Unary(operator="-" | "+"):
            return _is_real(node.operand)
        case ast.Binary():
            return _is_real(node.left) and _is_real(node.right)
        case _:
            return False


def _base(value: TypedValue) -> Base:
    bare = strip(value.type)
    assert isinstance(bare, Base)
    return bare


def _larger_boolean(first: Base, second: Base) -> Base:
    """Return the type of an operator between two Booleans."""
    if first.base.bit_size != second.base.bit_size:
        return max(first, second, key=lambda side: side.base.bit_size)
    return second if is_of_numbers(second) else first


def _of_bits(kind: Base, number: int) -> TypedValue:
    size = bounded(kind.base.bit_size)
    return TypedValue(kind, bits=Bits(number & (1 << size) - 1, size))


def _are_boolean(operator: str, left: Type | None, right: Type | None) -> bool:
    """Return whether both operands are Booleans; `UsageError` where only one is."""
    if is_boolean(left) != is_boolean(right):
        raise UsageError(
            f'"{operator}" is between two Booleans or two integers;'
            " comparisons beside it need parentheses."
        )
    return is_boolean(left)


def _sets_compared(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue
) -> bool:
    """Compare two sets by `=` and `<>`; `UsageError` for other operands and operators, as in
    GDB."""
    are_sets = is_set(left.type) and is_set(right.type)
    if operator not in ("==", "!=") or not are_sets or left.size_bits != right.size_bits:
        raise not_comparable(operator)
    if isinstance(objects, Unevaluated):
        return False  # only the type is wanted
    is_same = objects.known(left).value == objects.known(right).value
    return is_same == (operator == "==")


def _divided(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> TypedValue:
    """Return the left operand of a division: of `/` between two integers, as Double, as Free Pascal
    computes it; `UsageError` for `div` of real numbers."""
    are_integers = is_integer(left.type) and is_integer(right.type)
    if operator != "/" and not are_integers:
        raise UsageError("Integer-only operation on floating point number.")
    if operator != "/" or not are_integers:
        return left
    double = arithmetic.numbers.builtins.floating("double")
    return arithmetic.cast(left, Base(evolve(double.base, name="Double")))
