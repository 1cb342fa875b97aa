"""Operands of a signed base type and the generic type that count as one type.

DWARF 5 2.5.1.4 and 2.5.1.5 require both operands of an operation to have one type. Clang computes
with a base type and literals, which are of the generic type; GDB's generic type is the signed
integer with the size of an address, and one with a signed base type of that size.
`Context.merges_signed` selects that reading; the result has the base type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import define, field
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocList, Unit
from dwarfgpu.expr.decode import Expression, decode
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.named_types import named_types

_CALLS: Final = frozenset({"call2", "call4", "call_ref"})
_BRANCHES: Final = frozenset({"skip", "bra"})
_REGISTERS: Final = frozenset({"reg", "regx"})
_DEEPEST: Final = 8
"""Expressions that are performed within one another."""
_MOST_BYTES: Final = 1 << 13
"""Of the expressions that one performs, however often."""


def merged_type_notes(
    program: Program, architecture: Architecture | None, unit: Unit, pc: int | None = None
) -> tuple[str, ...]:
    """Return a note on each base type that is merged with the generic type, if a context does it,
    by an expression, those that it calls and those that it evaluates on entry.

    `unit`: that of the expression. `pc`: the program location, for those in lists.
    """
    if not any(map(_may_have_types, program.instructions.distinct)):
        return ()
    whole = _Whole(pc)
    if not whole.has_types(program.expression, unit):
        return ()
    whole.add(program.expression, unit)
    notes: dict[str, None] = {}
    for expression, of_unit in whole.parts:
        notes |= dict.fromkeys(_notes_on(expression, of_unit, architecture))
    return tuple(notes)


def _may_have_types(instruction: Instruction) -> bool:
    operation = instruction.operation
    meanings = [info.codec.meaning for info in operation.operands]
    return "type" in meanings or "expression" in meanings or _is_call(instruction)


def _has_type(instruction: Instruction) -> bool:
    return any(info.codec.meaning == "type" for info in instruction.operation.operands)


def _is_call(instruction: Instruction) -> bool:
    return instruction.operation.function.__name__ in _CALLS


def _notes_on(
    expression: Expression, unit: Unit, architecture: Architecture | None
) -> Iterator[str]:
    """Yield the notes on one expression, which may begin with any stack."""
    distinct = expression.instructions.distinct
    types = named_types(distinct, unit)
    if not types or not any(instruction.operation.is_of_one_type for instruction in distinct):
        return
    from dwarfgpu.expr.static_check.checker import check  # few expressions have types

    findings = check(
        expression.data,
        expression.dialect,
        expression.format,
        architecture,
        initial_stack_depth=None,
        base_types=types,
        merges_signed=True,
    )
    for finding in findings:
        if (finding.rule, finding.severity) == ("mixed-types", "note"):
            how = "as clang means them and GDB reads them; --strict refuses them"
            yield f"{finding.message}, {how}"


@define(eq=False)
class _Whole:
    """An expression and those that it performs: each in the position of the operation that does so,
    as they have one stack."""

    pc: int | None
    parts: list[tuple[Expression, Unit]] = field(init=False, factory=list)
    """Each with the unit to which it refers."""
    bytes_left: int = field(init=False, default=_MOST_BYTES)
    known: dict[tuple[bytes, int, bool], bytes] = field(init=False, factory=dict)
    """What is in the position of an operation, by its bytes, the unit and whether nothing may move:
    expressions that call one another twice each are as many as two to the power of their depth."""

    def has_types(self, expression: Expression, unit: Unit) -> bool:
        """Return whether an expression or one that it performs, each looked at once, names a type:
        few do."""
        pending = [(expression, unit)]
        visited: set[tuple[bytes, int]] = set()
        bytes_left = _MOST_BYTES
        while pending:
            expression, unit = pending.pop()
            for instruction in expression.instructions.distinct:
                if _has_type(instruction):
                    return True
                if (instruction.encoding, id(unit)) in visited:
                    continue
                visited.add((instruction.encoding, id(unit)))
                attribute = self._inner(instruction, unit)
                if attribute is None:
                    continue
                of_unit = attribute.unit
                for data in self._expressions(attribute):
                    bytes_left -= len(data)
                    if bytes_left < 0:
                        return True
                    pending.append((decode(data, of_unit.dialect, of_unit.format), of_unit))
        return False

    def add(self, expression: Expression, unit: Unit, depth: int = 0) -> None:
        """Add an expression as a part."""
        dialect = expression.dialect
        if dialect.is_of_compilers and unit.dialect.is_of_compilers:
            data = self._performed(expression, unit, depth)
            self.parts.append((decode(data, dialect, expression.format), unit))

    def _performed(self, expression: Expression, unit: Unit, depth: int) -> bytes:
        """Return the operations of an expression, and in the position of a call those that are
        called. Where that would move the target of a branch, or offsets would be of another unit,
        and where they are in a list, which has a stack of its own, they are a part of their own."""
        distinct = expression.instructions.distinct
        self.bytes_left -= len(expression.data)
        if depth >= _DEEPEST or not any(_is_call(one) or _on_entry(one) for one in distinct):
            return expression.data
        has_branches = any(one.operation.name in _BRANCHES for one in distinct)
        is_fixed = has_branches or expression.dialect is not unit.dialect
        out: list[bytes] = []
        for instruction in expression.instructions:
            key = instruction.encoding, id(unit), is_fixed
            performed = self.known.get(key)
            if performed is None:
                performed = self.known[key] = self._operations_of(
                    instruction, unit, is_fixed, depth
                )
            elif performed != instruction.encoding:
                self.bytes_left -= len(performed)
                if self.bytes_left < 0:
                    performed = instruction.encoding
            out.append(performed)
        return b"".join((*out, expression.undecoded))

    def _operations_of(
        self, instruction: Instruction, unit: Unit, is_fixed: bool, depth: int
    ) -> bytes:
        """Return what is performed in the position of an operation: mostly itself."""
        performed = instruction.encoding
        attribute = self._inner(instruction, unit)
        if attribute is None:
            return performed
        of_unit = attribute.unit
        for data in self._expressions(attribute):
            inner = decode(data, of_unit.dialect, of_unit.format)
            if is_fixed or of_unit is not unit or isinstance(attribute, LocList):
                self.add(inner, of_unit, depth + 1)
            else:
                performed = self._performed(inner, unit, depth + 1)
        return performed

    def _expressions(self, attribute: ExprLoc | LocList) -> Iterator[bytes]:
        """Yield the expressions of an attribute at the program location, as far as bytes are
        left."""
        try:
            expressions = attribute.expressions(self.pc)
        except DwarfGpuError:  # the evaluation reports it
            return
        for data in expressions:
            if len(data) <= self.bytes_left:
                yield data

    def _inner(self, instruction: Instruction, unit: Unit) -> ExprLoc | LocList | None:
        """Return what an instruction performs; None if it is nothing, and where the evaluation
        reports an error."""
        data = _on_entry(instruction)
        if data is not None:
            last = decode(data, unit.dialect, unit.format).instructions[-1:]
            is_register = any(one.operation.function.__name__ in _REGISTERS for one in last)
            return None if is_register else ExprLoc(data, unit)  # its contents are generic
        if not _is_call(instruction):
            return None
        try:
            (offset,) = instruction.operands
            assert isinstance(offset, int)
            is_in_unit = instruction.operation.name != "call_ref"
            attribute = unit.location_at(unit.section_offset(offset) if is_in_unit else offset)
        except DwarfGpuError:
            return None
        return None if isinstance(attribute, ConstValue) else attribute


def _on_entry(instruction: Instruction) -> bytes | None:
    """Return the expression whose value on entry an instruction pushes; None for any other."""
    for info, operand in zip(instruction.operation.operands, instruction.operands, strict=True):
        if info.codec.meaning == "expression" and isinstance(operand, bytes):
            return operand
    return None
