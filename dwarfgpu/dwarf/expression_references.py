"""What the operands of expressions refer to: base types, entries, indexed addresses.

Law: what an operand means depends on the unit, so that each is looked up once for each unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.base.base_type import BaseType, bits_in_register
from dwarfgpu.base.records import define, evolve, field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.reference_targets import ANY, Refused, refused_by_operation, tag_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_header import WrongHeader
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, counted
from dwarfgpu.expr.decode import Expression, decode
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.static_check.operand_rules import DEEPEST
from dwarfgpu.expr.static_check.severity import Severity

Kind: TypeAlias = Literal["type", "entry", "entry of the unit", "address"]
_LATER: Final = frozenset({"implicit_pointer", "LLVM_aspace_implicit_pointer", "GNU_parameter_ref"})
"""Functions of operations that name an entry without evaluating it."""


@frozen
class Reference:
    """An operand that leads out of the expression."""

    offset: int
    """The offset of the operation, in bytes from the start of the expression."""
    operation: str
    section: str
    severity: Severity
    kind: Kind
    value: int
    size_bytes: int | None = None
    """The size that the operation gives the type."""
    register: int | None = None
    """The register of the frame that is read as the type."""
    refused: Refused = ANY
    """The tags of entries that the operation cannot mean."""
    is_number: bool = False
    """Whether the entry is that of a variable that the operation reads as a number."""


def references(expression: Expression, depth: int = 0) -> Iterator[Reference]:
    """Yield the references of an expression; those of nested ones are at the outer operation, and
    name both."""
    for instruction in expression.instructions:
        for info, operand in zip(instruction.operation.operands, instruction.operands, strict=True):
            if isinstance(operand, bytes):
                if info.codec.meaning == "expression" and depth < DEEPEST:
                    inner = decode(operand, expression.dialect, expression.format)
                    for finding in references(inner, depth + 1):
                        outer = _at(
                            instruction, "warning", finding.kind, finding.value, finding.size_bytes
                        )
                        yield evolve(outer, operation=f"{finding.operation} in {outer.operation}")
            elif info.codec.meaning == "type":
                if operand or instruction.operation.section != "A.2.5.4.3.3":  # 0 is generic there
                    finding = _at(instruction, "error", "type", operand, _size_bytes(instruction))
                    yield evolve(finding, register=_register(instruction))
            elif info.codec.meaning == "die":
                kind: Kind = "entry" if info.codec.name == "offset" else "entry of the unit"
                name = instruction.operation.function.__name__
                finding = _at(instruction, "warning" if name in _LATER else "error", kind, operand)
                is_number = name == "GNU_variable_value"
                yield evolve(finding, refused=refused_by_operation(name), is_number=is_number)
            elif instruction.operation.function.__name__ in ("addrx", "constx"):
                yield _at(instruction, "error", "address", operand)


def _at(
    instruction: Instruction,
    severity: Severity,
    kind: Kind,
    value: int,
    size_bytes: int | None = None,
) -> Reference:
    operation = instruction.operation
    return Reference(
        instruction.offset, operation.title, operation.section, severity, kind, value, size_bytes
    )


def _size_bytes(instruction: Instruction) -> int | None:
    for info, operand in zip(instruction.operation.operands, instruction.operands, strict=True):
        if info.codec.meaning == "size" and isinstance(operand, int):
            return operand
        if info.codec.meaning == "block" and isinstance(operand, bytes):
            return len(operand)
    return None


def _register(instruction: Instruction) -> int | None:
    """Return the register that DW_OP_regval_type reads; None for any other operation."""
    register = instruction.operands[0] if instruction.operands else None
    is_read = instruction.operation.function.__name__ == "regval_type"
    return register if is_read and isinstance(register, int) else None


@define
class References:
    """The references of one unit."""

    unit: CompilationUnit
    _reasons: dict[tuple[Kind, int, int | None, Refused, bool], str | None] = field(
        init=False, factory=dict
    )

    def fault(self, reference: Reference) -> str | None:
        """Return why a reference leads nowhere; None if it is valid, or cannot be judged."""
        target = reference.kind, reference.value, reference.size_bytes
        key = (*target, reference.refused, reference.is_number)
        if key not in self._reasons:
            self._reasons[key] = self._fault(reference)
        return self._reasons[key]

    def base_types(self, references: Iterable[Reference]) -> dict[int, BaseType]:
        """Return the base types to which references lead, by offset in the unit."""
        return {
            reference.value: self.unit.base_type(reference.value)
            for reference in references
            if reference.kind == "type" and self.fault(reference) is None
        }

    def shortage(self, reference: Reference, register: RegisterInfo) -> str | None:
        """Return why reading a register as its type fails in the top call frame; None if it may
        succeed.

        DW_OP_regval_type is DW_OP_regx and DW_OP_deref_type (A.2.5.4.3.4).
        """
        try:
            needed_bits = bits_in_register(self.unit.base_type(reference.value), register.size_bits)
        except DwarfGpuError:
            return None  # `fault` reports it
        if needed_bits <= register.size_bits:
            return None
        return (
            f"{needed_bits} bits needed at bit offset 0 of register {register}, "
            f"{register.size_bits} remain, in the top call frame"
        )

    def _fault(self, reference: Reference) -> str | None:
        unit, value = self.unit, reference.value
        try:
            match reference.kind:
                case "type":
                    entry = unit.die_at(unit.section_offset(value))
                    if entry.tag != dw.TAG_BASE_TYPE:
                        name = tag_name(entry.tag)
                        return f"the entry at offset {entry.offset:#x} is a {name}, no base type"
                    base, size_bytes = unit.base_type(value), reference.size_bytes
                    if size_bytes not in (None, base.size_bytes):
                        expected = counted(base.size_bytes, "byte")
                        return f"size {size_bytes} for the type {base} of {expected}"
                case "entry":
                    return self._entry_fault(value, reference)
                case "entry of the unit":
                    return self._entry_fault(unit.section_offset(value), reference)
                case "address":
                    return self._address_fault(value)
        except WrongHeader:
            return None  # reported with the headers
        except IllFormed as error:
            return error.message
        except DwarfGpuError:
            return None  # reported where it is read, or no error of the file
        return None

    def _entry_fault(self, offset: int, reference: Reference) -> str | None:
        """Return that an entry is of a tag that cannot be meant; raises if it cannot be read."""
        entry = self.unit.referred(offset)
        if entry.tag in reference.refused:
            return f"the entry at offset {offset:#x} is a {tag_name(entry.tag)}"
        location = entry.unit.location_attribute(entry)
        if reference.is_number and location is not None:
            entry.unit.number_type(entry)
        return None

    def _address_fault(self, index: int) -> str | None:
        """Return why `.debug_addr` has no address of an index; None where only a linked file can
        have it."""
        try:
            self.unit.address(index)
        except WrongHeader:
            return None  # reported with the headers
        except (IllFormed, Malformed) as error:
            return error.message
        except DwarfGpuError:
            return None
        return None
