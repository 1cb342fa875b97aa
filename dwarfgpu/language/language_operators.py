"""Operators that a language has otherwise than C: what each language's class overrides.

Law: `Operations` computes as C does and asks the object of the language first; only that object
knows the language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.language.arithmetic_conversions import is_boolean, is_number
from dwarfgpu.language.complexes import is_complex
from dwarfgpu.language.function_context import FunctionContext
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.expression_language import SourceLanguage
from dwarfgpu.language.typed_value import TypedValue

if TYPE_CHECKING:
    from dwarfgpu.language.conditional import Arm
    from dwarfgpu.language.number_rules import NumberRules


class Evaluation(FunctionContext, Protocol):
    """What evaluates operands; `dwarfgpu.language.evaluator.Evaluator` does."""

    @property
    def language(self) -> SourceLanguage: ...

    @property
    def rules(self) -> NumberRules | None: ...

    def object(self, node: ast.Node) -> TypedValue: ...

    def object_as(self, node: ast.Node, type_: Type | None) -> TypedValue: ...

    def is_untyped(self, node: ast.Node) -> bool:
        """Return whether an expression has the type of what is beside it."""

    def assigned(self, node: ast.Node, type_: Type | None) -> TypedValue:
        """Return the value of an operand that becomes an object of a type."""

    def unread(self) -> Evaluation:
        """Return what evaluates operands for their types only."""

    def counting(self) -> Evaluation:
        """Return what evaluates operands on which a type depends."""

    def operands(self, node: ast.Binary) -> tuple[TypedValue, TypedValue]:
        """Return the operands of an operator, an untyped one as one of the other's type."""

    def beside(self, node: ast.Node, type_: Type | None, operator: str) -> TypedValue:
        """Return the value of an operand of an operator whose other one is of a type."""

    def applied(self, node: ast.Binary, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an operator to its operands, which were evaluated."""

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an arithmetic operator of the language."""

    def computed(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an arithmetic operator to numbers, or as in C."""

    def of_one(self, operator: str, value: TypedValue) -> TypedValue:
        """Apply `-`, `+`, `~` or `abs` to a number, or as in C."""

    def refuse_overloaded(self, operator: str, *operands: TypedValue) -> None:
        """Raise `Unsupported` where a class declares the operator."""


class LanguageOperators:
    """The operators of one language in one evaluation. This class itself has those of C and C++.

    A method that returns None leaves the operands to the rules of C.
    """

    widens: bool = False
    """Whether numbers of types that the language lacks become `long` or `double` first."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.arithmetic = evaluation.arithmetic
        self.objects = evaluation.objects

    def as_type(self, node: ast.Node, type_: Type | None) -> TypedValue | None:
        """Return the value of an operand that means something only where a type is expected."""
        return None

    def becoming(
        self, node: ast.Node, type_: Type | None, *, is_assigned: bool
    ) -> TypedValue | None:
        """Return the value of an operand that is assigned or converted to a type, where more of it
        is known there than anywhere else."""
        return None

    def require_assignable(self, node: ast.Node, type_: Type | None) -> None:
        """Raise `UsageError` for an operand that no object of a type can become."""

    def elements(self, node: ast.Elements) -> list[TypedValue]:
        """Return the elements of an array that is written out."""
        return [self.evaluation.object(element) for element in node.elements]

    def index(self, node: ast.Node) -> TypedValue:
        """Return the value of an index or of a bound of a slice."""
        return self.evaluation.object(node)

    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        """Apply an operator to one operand."""
        return None

    def address(self, node: ast.Node) -> TypedValue | None:
        """Return `&node` where that is no address."""
        return None

    def slice(
        self, value: TypedValue, low: int, high: int | None, limit: int | None
    ) -> TypedValue | None:
        """Return the elements from `low` to before `high`, or to the end, of what is no array.

        `limit`: where the capacity ends, if that is written.
        """
        return None

    def target(self, node: ast.Node, value: TypedValue) -> TypedValue | None:
        """Return `*node`, where `value` is that of the operand."""
        return None

    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        """Apply an operator that decides itself which operands are evaluated."""
        return None

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        """Return the operands where one of them has the type that the other gives it."""
        return left, right

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        """Compare objects that are no single numbers."""
        return None

    def of_parts(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        """Apply an operator whose result is an array or a vector."""
        return None

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        """Apply an arithmetic operator."""
        return None

    def of_assignment(
        self, operator: str, target: TypedValue, value: TypedValue
    ) -> TypedValue | None:
        """Return what `target operator= value` assigns where that is another value."""
        return None

    def as_stored(self, target: TypedValue, value: TypedValue) -> TypedValue:
        """Return what is stored in an object to which a value is assigned; an error where that is
        nothing that the program could have there."""
        return value

    def converted(self, value: TypedValue, to: Type | None) -> TypedValue | None:
        """Return a value that is converted to a type as C does not convert it; None for others."""
        return None

    def declared(self, type_: Type | None) -> Type | None:
        """Return the type of an object that is declared with a type's name."""
        return type_

    def refuse_assignment(self, operator: str, target: TypedValue) -> None:
        """Raise an error for `target operator= x` that only the program can do."""

    def of_booleans(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        """Apply `&`, `|`, `^`, or `and`, `or`, `xor`, to two Booleans, which is one; None for other
        operands and operators."""
        from dwarfgpu.language.logical_operators import is_of_truths, of_truths  # few expressions

        are_booleans = is_boolean(left.type) and is_boolean(right.type)
        if not are_booleans or not is_of_truths(operator):
            return None
        truth = self.arithmetic.truth
        return self.evaluation.truth(bool(of_truths(operator, truth(left), truth(right))))

    def widened(self, left: TypedValue, right: TypedValue) -> tuple[TypedValue, TypedValue]:
        """Return the operands as GDB calculates with them: as `double`, or as `long` or `unsigned
        long`, unless one of them is longer. Others than real numbers stay as they are."""
        numbers, sides = self.arithmetic.numbers, (left, right)
        if not self.widens or any(
            not is_number(side.type) or is_complex(side.type) for side in sides
        ):
            return left, right
        operands = numbers.usual(*(self.arithmetic.number(side) for side in sides))
        base, builtins = operands[0].value.type, numbers.builtins
        if operands[0].is_float:
            target = builtins.floating("double")
        else:
            target = builtins.integer(builtins.long_bits, is_signed=base.is_signed)
        if base.bit_size > target.base.bit_size:
            return left, right
        first, second = (self.arithmetic.value(numbers.cast(side, target)) for side in operands)
        return first, second

    def size(self, size_bytes: int) -> TypedValue | None:
        """Return a size in the type that the language has for sizes."""
        return None

    def member(self, value: TypedValue, name: str) -> TypedValue | None:
        """Return a property of an object that is no member of its type."""
        return None

    def by_element(self, node: ast.Conditional, condition: TypedValue) -> TypedValue | None:
        """Evaluate `condition ? yes : no` where both arms are evaluated."""
        return None

    def of_arms(self, chosen: Arm, unchosen: Arm) -> TypedValue:
        """Return the result of `?:`, the chosen arm in the type of both."""
        from dwarfgpu.language.conditional import conditional  # few expressions

        keeps = self.evaluation.language.is_cplusplus
        return conditional(self.arithmetic, chosen, unchosen, keeps_objects=keeps)
