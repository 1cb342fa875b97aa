"""Memberships of Ada: `x in 1 .. 5`, `c not in color`, `n in 1 | 3 | v'range` (Ada 2012 4.5.2)."""

from __future__ import annotations

from typing import Protocol

from dwarfgpu.errors import Unsupported
from dwarfgpu.language.ada.expression_attributes import Naming, has_bounds
from dwarfgpu.language.number_rules import name_of
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.attribute_names import FIRST, LAST, RANGE
from dwarfgpu.language.typed_value import TypedValue


class Comparing(Naming, Protocol):
    """What compares operands; `dwarfgpu.language.evaluator.Evaluator` does."""

    def right_operand(self, node: ast.Binary, left: TypedValue) -> TypedValue: ...

    def applied(self, node: ast.Binary, left: TypedValue, right: TypedValue) -> TypedValue: ...


def is_member(evaluator: Comparing, node: ast.Membership) -> bool:
    """Return whether a value, which is evaluated once, is one of the choices."""
    value = evaluator.object(node.operand)
    are_so = (_is_so(evaluator, node.operand, value, choice) for choice in node.choices)
    return any(are_so) != node.is_negated


def _is_so(
    evaluator: Comparing, operand: ast.Node, value: TypedValue, choice: ast.Node | ast.TypeName
) -> bool:
    tests: dict[str, ast.Node]
    match choice:
        case ast.TypeName():
            typed = evaluator.type_named(choice)
            if not has_bounds(typed.type):
                name = name_of(typed.type)
                raise Unsupported(f"whether a value is of {name}: `in` is for discrete types")
            tests = {">=": ast.Attribute(choice, FIRST), "<=": ast.Attribute(choice, LAST)}
        case ast.Attribute(prefix=prefix, name=name, arguments=arguments) if name == RANGE:
            first, last = (ast.Attribute(prefix, bound, arguments) for bound in (FIRST, LAST))
            tests = {">=": first, "<=": last}
        case ast.Slice(low=low, high=high) if low is not None and high is not None:
            tests = {">=": low, "<=": high}
        case _:
            tests = {"==": choice}
    return all(_holds(evaluator, mark, operand, value, bound) for mark, bound in tests.items())


def _holds(
    evaluator: Comparing, operator: str, operand: ast.Node, value: TypedValue, bound: ast.Node
) -> bool:
    node = ast.Binary(operator, operand, bound)
    is_so = evaluator.applied(node, value, evaluator.right_operand(node, value))
    return evaluator.arithmetic.truth(is_so)
