"""Operands that have the type of what is beside them: constants of Ada, Go, Pascal and Rust.

Law: such an operand is evaluated in that type only, so that it may be a number that it could not be
by itself.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.c_numbers import holds
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.member_access import MemberAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.fortran_tokens import POWER
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.syntax.words import ABS, AND_NOT, BITWISE, LOGICAL, MOD
from dwarfgpu.language.typed_value import TypedValue

if TYPE_CHECKING:
    from dwarfgpu.language.number_rules import NumberRules

_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", AND_NOT})
_BESIDE_COMPLEMENTS: Final = frozenset({"+", "-", "*", "/", "%", MOD, POWER, *LOGICAL})
"""Operators of Ada between constants and their complements."""


def _has_complement(rules: NumberRules, node: ast.Node) -> bool | None:
    """Return whether an expression that is made of integers has a complement, so that it has no
    value without a type; None for any other expression."""
    match node:
        case ast.Unary(operator="!", operand=operand) if rules.complements_in_type:
            return None if _has_complement(rules, operand) is None else True
        case ast.Unary(operator=operator, operand=operand) if operator in ("-", "+", ABS):
            return _has_complement(rules, operand)
        case ast.Binary(operator=operator) if operator in _BESIDE_COMPLEMENTS:
            left, right = (_has_complement(rules, side) for side in (node.left, node.right))
            return None if left is None or right is None else left or right
        case _:
            return False if isinstance(rules.constant(node), int) else None


def written_array(node: ast.Node) -> ast.Elements | None:
    """Return the array that is written out, or to which `&[1, 2]` of Rust refers; None for another
    tree."""
    while isinstance(node, ast.Unary) and node.operator == "&":
        node = node.operand
    return node if isinstance(node, ast.Elements) else None


class UntypedOperands(MemberAccess):
    """Which operands have no type of their own in one focus, and which one they get."""

    @property
    @abstractmethod
    def own(self) -> LanguageOperators:
        """The operators that the language in focus has otherwise than C."""

    @abstractmethod
    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an arithmetic operator."""

    @abstractmethod
    def of_one(self, operator: str, value: TypedValue) -> TypedValue:
        """Apply an operator to one number."""

    @abstractmethod
    def unread(self) -> Self:
        """Return what evaluates operands for their types only."""

    def object_as(self, node: ast.Node, type_: Type | None) -> TypedValue:
        """Return the value of an operand where one of a type is expected: a constant of a language
        with untyped ones is of the type."""
        if self.rules is not None and type_ is not None and self.rules.applies(type_):
            with suppress(UsageError):  # a number that the type has not is converted like others
                return self._inferred(self.rules, node, type_)
        own = self.own.as_type(node, type_)
        return self.object(node) if own is None else own

    def assigned(self, node: ast.Node, type_: Type | None) -> TypedValue:
        """Return the value of an operand that is assigned to an object of a type; `UsageError` for
        a constant that the type has not, in Go and Rust."""
        rules = self.rules
        if rules is not None and rules.has_untyped and type_ is not None and rules.applies(type_):
            return self._inferred(rules, node, type_)
        own = self.own.becoming(node, type_, is_assigned=True)
        return self.object_as(node, type_) if own is None else own

    def _inferred(
        self, rules: NumberRules, node: ast.Node, type_: Type, operator: str = ""
    ) -> TypedValue:
        """Return the value of an operand whose constants have a type where that is possible."""
        constant = rules.constant(node)
        if rules.wraps_constants(type_) and _has_complement(rules, node) is not None:
            return self._in_type(rules, node, type_)
        if constant is not None:
            rules.require_operators(node)
            return self.number(rules.beside(constant, type_, operator))
        match node:
            case ast.Unary(operator="-" | "+" | "~" | "!", operand=operand) if (
                rules.has_untyped and self.is_untyped(operand)
            ):
                return self.of_one(node.operator, self._inferred(rules, operand, type_))
            case ast.Binary(operator="<<" | ">>") if self.is_untyped(node.left):
                left = self._inferred(rules, node.left, type_)
                return self.combined(node.operator, left, self.object(node.right))
            case ast.Binary() if rules.has_untyped and self.is_untyped(node):
                left = self._inferred(rules, node.left, type_)
                return self.combined(node.operator, left, self._inferred(rules, node.right, type_))
            case _:
                return self.object(node)

    def _in_type(self, rules: NumberRules, node: ast.Node, type_: Type) -> TypedValue:
        """Return a constant whose numbers are all of a type, in which they are computed."""
        match node:
            case ast.Unary():
                return self.of_one(node.operator, self._in_type(rules, node.operand, type_))
            case ast.Binary(operator=operator, left=left, right=right):
                first = self._in_type(rules, left, type_)
                if operator == POWER:
                    return self.combined(operator, first, self.object(right))
                second = self._in_type(rules, right, type_)
                return self.combined(BITWISE.get(operator, operator), first, second)
            case _:
                return self.number(rules.beside(rules.constant(node) or 0, type_))

    def is_untyped(self, node: ast.Node) -> bool:
        """Return whether an expression has the type of what is beside it: a constant, and in Go
        and Rust one that is shifted, and all that is made of these, also arrays."""
        rules = self.rules
        if rules is None:
            return False
        match node:
            case ast.Unary(operator="-" | "+" | "~" | "!") if rules.has_untyped:
                return self.is_untyped(node.operand)
            case ast.Binary(operator="<<" | ">>") if rules.has_untyped:
                return self.is_untyped(node.left)
            case ast.Binary(operator=operator) if rules.has_untyped and operator in _ARITHMETIC:
                return self.is_untyped(node.left) and self.is_untyped(node.right)
            case ast.Unary(operator="&", operand=operand) if written_array(node) is not None:
                return self.is_untyped(operand)
            case ast.Elements(elements=elements) if rules.has_untyped:
                return all(map(self.is_untyped, elements))
            case _:
                return rules.constant(node) is not None or bool(_has_complement(rules, node))

    def operands(self, node: ast.Binary) -> tuple[TypedValue, TypedValue]:
        """Return the operands of an operator, an untyped one as one of the other's type."""
        is_left_untyped = self._meet(node.operator) and self.is_untyped(node.left)
        rules = self.rules
        if rules is not None and is_left_untyped and self.is_untyped(node.right):
            type_ = rules.type_of_untyped(node)
            if type_ is not None:
                left = self._inferred(rules, node.left, type_)
                return left, self._inferred(rules, node.right, type_)
        if is_left_untyped and not self.is_untyped(node.right):
            right = self.object(node.right)
            left = self.beside(node.left, right.type, node.operator)
        else:
            left = self.object(node.left)
            type_ = None if is_left_untyped else left.type
            right = self.beside(node.right, type_, node.operator)
        return self.own.as_one_type(node, left, right)

    def right_operand(self, node: ast.Binary, left: TypedValue) -> TypedValue:
        """Return the right operand of an operator whose left one was evaluated."""
        right = self.beside(node.right, left.type, node.operator)
        return self.own.as_one_type(node, left, right)[1]

    def beside(self, node: ast.Node, type_: Type | None, operator: str) -> TypedValue:
        """Return the value of an operand of an operator whose other one is of a type."""
        rules = self.rules
        if written_array(node) is not None:
            return self.object_as(node, type_)
        if rules is None or type_ is None or not rules.applies(type_):
            return self.object(node)
        if not self._meet(operator) or not self.is_untyped(node):
            return self.object(node)
        try:
            return self._inferred(rules, node, type_, operator)
        except UsageError:
            if operator not in COMPARISONS:  # a number that the type has not is compared as it is
                raise
            return self.object(node)

    def _meet(self, operator: str) -> bool:
        """Return whether the operands of an operator have one type."""
        if self.rules is None or operator == POWER:
            return False
        return operator not in ("<<", ">>") or self.language.is_pascal

    def compared_with_constant(self, node: ast.Binary) -> bool | None:
        """Compare an integer with a constant that no type of the language holds; None for other
        operands."""
        rules = self.rules
        if rules is None or node.operator not in COMPARISONS:
            return None
        left, right = rules.constant(node.left), rules.constant(node.right)
        constant = left if right is None else right
        if (left is None) == (right is None) or not isinstance(constant, int):
            return None
        if not rules.is_beyond_types(constant):
            return None
        operand = node.left if left is None else node.right
        type_ = self.unread().object(operand).type
        if type_ is None or not rules.applies(type_) or not is_integer(type_):
            return None
        if rules.wraps_constants(type_):
            return None
        number = self.arithmetic.number(self.object(operand)).value.integer
        order = (number > constant) - (number < constant)
        return holds(node.operator, order if left is None else -order)
