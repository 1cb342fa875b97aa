"""Call frame instructions and rows as text, in the syntax of llvm-dwarfdump, and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, assert_never

from dwarfgpu.arch.model import Architecture
from dwarfgpu.cfi.declaration import CfiFormat, Operand, OperandKind
from dwarfgpu.cfi.decode import CfaInstruction, CfaProgram
from dwarfgpu.cfi.rule import (
    Architectural,
    CfaRule,
    ExpressionCfa,
    ExpressionRule,
    OffsetRule,
    RegisterCfa,
    RegisterRule,
    Row,
    Rule,
    SameValueRule,
    UndefinedRule,
    ValExpressionRule,
    ValOffsetRule,
)

ExpressionText: TypeAlias = Callable[[bytes], str]
"""How an operation expression is written."""
Plain: TypeAlias = None | int | str | list["Plain"] | dict[str, "Plain"]


def hexadecimal(expression: bytes) -> str:
    """Return an expression as its bytes, for callers that bring no disassembler."""
    return " ".join(f"{byte:02x}" for byte in expression)


def register_name(number: int, architecture: Architecture | None) -> str:
    """Return the name of a register; `reg16` if the architecture is unknown or does not define
    it."""
    if architecture is None or number not in architecture.registers:
        return f"reg{number}"
    return architecture.dwarf_name(number)


def instruction_text(
    instruction: CfaInstruction,
    form: CfiFormat,
    location: int | None = None,
    expression_text: ExpressionText = hexadecimal,
) -> str:
    """Format an instruction with the CIE's factors applied: `DW_CFA_offset: RIP -8`.

    `location` is the start of the current row; with it an advance shows the start of the next row.
    """
    parts = [f"{instruction.title}:"]
    pairs = zip(instruction.operation.operands, instruction.operands, strict=True)
    for info, operand in pairs:
        parts.append(_operand_text(info.kind, operand, form, location, expression_text))
    return " ".join(parts)


def _operand_text(
    kind: OperandKind,
    encoded: Operand,
    form: CfiFormat,
    location: int | None,
    expression_text: ExpressionText,
) -> str:
    value = kind.scaled(encoded, form)
    if isinstance(value, bytes):
        return expression_text(value)
    match kind.meaning:
        case "register":
            return register_name(value, form.architecture)
        case "offset":
            return f"{value}" if kind.factor else f"{value:+}"
        case "space":
            return f"in addrspace{value}"
        case "advance":
            return f"{value}" if location is None else f"{value} to {location + value:#x}"
        case "address" | "expression":
            return f"{value:#x}"
        case other:
            assert_never(other)


def program_text(
    program: CfaProgram, initial_location: int | None, expression_text: ExpressionText = hexadecimal
) -> Iterator[str]:
    """Return a line per instruction; `initial_location` is that of the FDE, None for a CIE."""
    location = initial_location
    for instruction in program.instructions:
        yield instruction_text(instruction, program.format, location, expression_text)
        location = instruction.location_after(location, program.format)


def cfa_text(
    rule: CfaRule | None,
    architecture: Architecture | None,
    expression_text: ExpressionText = hexadecimal,
) -> str:
    """Return `RSP+8`, `SGPR32+0 in addrspace6`, an expression, or `unspecified`."""
    match rule:
        case None:
            return "unspecified"
        case ExpressionCfa():
            return expression_text(rule.expression)
        case RegisterCfa():
            name = register_name(rule.register, architecture)
            if rule.address_space:
                return f"{name}{rule.offset_bytes:+} in addrspace{rule.address_space}"
            return name + _displacement(rule.offset_bytes)
        case other:
            assert_never(other)


def rule_text(
    rule: Rule, architecture: Architecture | None, expression_text: ExpressionText = hexadecimal
) -> str:
    """Format a rule; brackets mean the contents at the address."""
    match rule:
        case UndefinedRule():
            return "undefined"
        case SameValueRule():
            return "same"
        case OffsetRule():
            return f"[CFA{_displacement(rule.offset_bytes)}]"
        case ValOffsetRule():
            return f"CFA{_displacement(rule.offset_bytes)}"
        case RegisterRule():
            return register_name(rule.register, architecture)
        case ExpressionRule():
            return f"[{expression_text(rule.expression)}]"
        case ValExpressionRule():
            return expression_text(rule.expression)
        case Architectural():
            return str(rule.value)
        case other:
            assert_never(other)


def _displacement(offset_bytes: int) -> str:
    return f"{offset_bytes:+}" if offset_bytes else ""


def row_text(
    row: Row, architecture: Architecture | None, expression_text: ExpressionText = hexadecimal
) -> str:
    """Return `0x1921: CFA=RSP+16: RBP=[CFA-16], RIP=[CFA-8]`."""
    head = f"{row.start:#x}: CFA={cfa_text(row.cfa, architecture, expression_text)}"
    rules = ", ".join(
        f"{register_name(number, architecture)}={rule_text(rule, architecture, expression_text)}"
        for number, rule in sorted(row.rules.items())
    )
    return f"{head}: {rules}" if rules else head


def row_json(row: Row, rules: dict[str, Plain] | None = None) -> dict[str, Plain]:
    """Return a row as in the conformance format (`cfi_rows`); `rules`: those of the row, where they
    are known."""
    if rules is None:
        rules = {str(n): rule_json(rule) for n, rule in sorted(row.rules.items())}
    return {
        "start": row.start,
        "end": row.end,
        "cfa": cfa_json(row.cfa),
        "rules": rules,
        "args_size": row.args_size_bytes,
    }


def cfa_json(rule: CfaRule | None) -> Plain:
    match rule:
        case None:
            return None
        case ExpressionCfa():
            return {"expression": rule.expression.hex()}
        case RegisterCfa():
            out: dict[str, Plain] = {"reg": rule.register, "offset": rule.offset_bytes}
            if rule.address_space:
                out["address_space"] = rule.address_space
            return out
        case other:
            assert_never(other)


def rule_json(rule: Rule) -> list[Plain]:
    match rule:
        case UndefinedRule():
            return ["undefined"]
        case SameValueRule():
            return ["same_value"]
        case OffsetRule():
            return ["offset", rule.offset_bytes]
        case ValOffsetRule():
            return ["val_offset", rule.offset_bytes]
        case RegisterRule():
            return ["register", rule.register]
        case ExpressionRule():
            return ["expression", rule.expression.hex()]
        case ValExpressionRule():
            return ["val_expression", rule.expression.hex()]
        case Architectural():
            return ["architectural", rule.name, rule.value]
        case other:
            assert_never(other)


def instruction_json(instruction: CfaInstruction) -> dict[str, Plain]:
    """Return an instruction as in the conformance format (`cfi_decode`): operands are not
    factored."""
    out: dict[str, Plain] = {"instruction": instruction.title}
    for name, operand in instruction.named_operands().items():
        plain = operand.hex() if isinstance(operand, bytes) else operand
        out[name.removesuffix("_bytes")] = plain
    return out
