"""Which bytes of vector registers an instruction writes, as masks of four bits.

Law: they are those that its statements write.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.modifiers import OP_SELECT, OP_SELECT_HIGH
from dwarfgpu.isa.operation import DeclaredOperand
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.instruction_operands import Bound
from dwarfgpu.machine.simulated.semantics.operand_text import Operand

LOW: Final = 0b0011
HIGH: Final = 0b1100
WHOLE: Final = 0b1111
_PRESERVE: Final = 2
"""`dst_unused` of SDWA: the other bytes of the destination stay."""
_KEEPS_HIGH_ON_GFX9: Final = frozenset(
    {
        *("v_fma_f16", "v_mad_f16", "v_mad_u16", "v_mad_i16", "v_div_fixup_f16"),
        "v_bitop3_b16",
    }
)
"""16-bit operations of GFX9 that leave the high half of their register alone; others clear it."""
_LOW_RESULTS: Final = ("d & 0xffff0000 | ",)
_HIGH_RESULTS: Final = ("d & 0xffff | ",)
"""How expressions of loads begin that keep the other half."""
_HALVES: Final = frozenset({"b16", "u16", "i16", "f16", "bf16"})
Dword: TypeAlias = tuple[str, int]
"""The bank and the number of a register."""


def selected_bytes(select: int) -> int:
    """Return the bytes that `src0_sel` or `dst_sel` of SDWA names."""
    return 1 << select if select < 4 else {4: LOW, 5: HIGH}.get(select, WHOLE)


def selects_half(item: Bound, target: IsaTarget) -> bool:
    """Return whether op_sel says which half a 16-bit result is written to."""
    flags = item.instruction.encoding.format.flags
    return "VOP3_OPSEL" in flags or target.generation >= 11 and "VOP3" in flags


def result_bytes(
    item: Bound, target: IsaTarget, destination: Operand, declared: DeclaredOperand
) -> int:
    """Return the bytes that are written of each dword of a vector register."""
    type, operation, fields = declared.type, item.operation, item.fields
    if type.startswith("["):
        if type[1:-1] in ("f16", "bf16") and target.generation == 11:
            return HIGH if item.sources[2].modifiers & OP_SELECT else LOW
        return WHOLE
    if "dst_sel" in fields:
        return selected_bytes(fields["dst_sel"]) if fields["dst_unused"] == _PRESERVE else WHOLE
    if operation.expression.startswith(_LOW_RESULTS) or "_mixlo_" in operation.name:
        return LOW
    if operation.expression.startswith(_HIGH_RESULTS) or "_mixhi_" in operation.name:
        return HIGH
    if operation.expression.startswith("inserted(d, "):
        return HIGH if fields.get("src0_modifiers", 0) & OP_SELECT_HIGH else LOW
    if type not in _HALVES:
        return WHOLE
    is_high = selects_half(item, target) and destination.modifiers & OP_SELECT_HIGH
    if is_high or (destination.register is not None and destination.register.half == "h"):
        return HIGH
    on_gfx9 = target.generation == 9 and operation.name in _KEEPS_HIGH_ON_GFX9
    keeps = target.generation >= 10 or on_gfx9
    return LOW if keeps else WHOLE


def bytes_written(item: Bound, target: IsaTarget) -> dict[Dword, int]:
    """Return the bytes of the vector registers that one operation writes."""
    out: dict[Dword, int] = {}
    declared_results = [declared for declared in item.operation.results if declared.type]
    for declared, operand in zip(declared_results, item.results, strict=False):
        for dword in _dwords(operand.register if operand.is_vector else None):
            out[dword] = result_bytes(item, target, operand, declared)
    return out


def bytes_computed(item: Bound, target: IsaTarget) -> int:
    """Return the bytes of a dword of a vector register that one operation computes: others that it
    writes are zeros, or the sign of these."""
    if item.fields.get("dst_sel", 6) != 6:
        return selected_bytes(item.fields["dst_sel"])
    for declared, operand in zip(item.operation.results, item.results, strict=False):
        written = result_bytes(item, target, operand, declared) if declared.type else WHOLE
        return LOW if declared.type in _HALVES and written == WHOLE else written
    return WHOLE


def _dwords(register: Register | None) -> Iterator[Dword]:
    if register is not None:
        for number in range(register.size):
            yield register.bank, register.first + number
