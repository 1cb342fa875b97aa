"""Which bytes of registers an instruction reads, and of vector registers writes, as masks of four
bits.

Law: they are those that its statements read and write; a byte that is not sure not to be read is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.modifiers import OP_SELECT, OP_SELECT_HIGH
from dwarfgpu.isa.operation import DeclaredOperand
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.instruction_operands import Bound
from dwarfgpu.machine.simulated.semantics.operand_text import Operand, type_shape

LOW: Final = 0b0011
HIGH: Final = 0b1100
WHOLE: Final = 0b1111
_PRESERVE: Final = 2
"""`dst_unused` of SDWA: the other bytes of the destination stay."""
_KEEPS_HIGH_ON_GFX9: Final = frozenset(
    {"v_fma_f16", "v_mad_f16", "v_mad_u16", "v_mad_i16", "v_div_fixup_f16"}
)
"""16-bit operations of GFX9 that leave the high half of their register alone; others clear it."""
_LOW_RESULTS: Final = ("d & 0xffff0000 | ",)
_HIGH_RESULTS: Final = ("d & 0xffff | ",)
"""How expressions of loads begin that keep the other half."""
_HALVES: Final = frozenset({"b16", "u16", "i16", "f16", "bf16"})
_UNSIGNED_BYTE: Final = "v_cvt_f32_ubyte"
_COUNTED: Final = (
    ("v_lshlrev_b32 v_lshrrev_b32 v_ashrrev_i32", {0: 31}),
    ("v_lshlrev_b64 v_lshrrev_b64 v_ashrrev_i64", {0: 63}),
    ("v_lshlrev_b16 v_lshrrev_b16 v_ashrrev_i16", {0: 15}),
    ("v_lshl_or_b32 v_lshl_add_u32", {1: 31}),
    ("v_bfe_u32 v_bfe_i32", {1: 31, 2: 31}),
    ("v_lshl_add_u64", {1: 7}),
    ("v_add_lshl_u32", {2: 31}),
    ("v_bfm_b32", {0: 31, 1: 31}),
    ("v_alignbit_b32", {2: 31}),
    ("v_alignbyte_b32", {2: 3}),
)
COUNTS: Final[Mapping[str, Mapping[int, int]]] = {
    name: bits for names, bits in _COUNTED for name in names.split()
}
"""The bits of the sources that are numbers of bits or bytes; the rest of these is not read."""

Dword: TypeAlias = tuple[str, int]
"""The bank and the number of a register."""


def of_bits(mask: int) -> int:
    """Return the bytes of a dword that have a bit of a mask."""
    return sum(1 << byte for byte in range(4) if mask >> 8 * byte & 0xFF)


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


def bytes_read(item: Bound, target: IsaTarget) -> dict[Dword, int]:
    """Return the bytes of the registers that one operation reads as its sources.

    Neither those of an address nor `d`, the destination; all bytes where a number decides, as
    `influences` says.
    """
    out: dict[Dword, int] = {}
    counts = COUNTS.get(item.operation.name, {})
    declared_sources = [declared for declared in item.operation.sources if declared.is_operand]
    operands = enumerate(zip(declared_sources, item.sources, strict=False))
    for source, (declared, operand) in operands:
        if operand.register is None or declared.type == "mask":
            continue
        masks = _source_bytes(item, target, operand, declared.name_or_type)
        if source in counts:
            masks = [_lowest(masks[0] if masks else WHOLE)]
        for number, dword in enumerate(_dwords(operand.register)):
            mask = masks[number] if number < len(masks) else WHOLE
            out[dword] = out.get(dword, 0) | mask
    return out


def reads_high_half(item: Bound, target: IsaTarget, operand: Operand) -> bool:
    """Return whether a source of 16 bits is the high half of its register."""
    return _source_bytes(item, target, operand, "b16") == [HIGH]


def bytes_accumulated(item: Bound, target: IsaTarget) -> dict[Dword, int]:
    """Return the bytes of the destination that an operation computes with that adds to it."""
    destination, mask = item.results[0], WHOLE
    if item.operation.results[0].type in _HALVES:
        is_high = destination.modifiers & OP_SELECT_HIGH and selects_half(item, target)
        mask = HIGH if is_high or _is_high(destination) else LOW
    return dict.fromkeys(_dwords(destination.register), mask)


def _dwords(register: Register | None) -> Iterator[Dword]:
    if register is not None:
        for number in range(register.size):
            yield register.bank, register.first + number


def _lowest(mask: int) -> int:
    """Return the lowest byte of a mask: a number of bits or bytes is not more than 63."""
    return mask & -mask


def _is_high(operand: Operand) -> bool:
    return operand.register is not None and operand.register.half == "h"


def _source_bytes(item: Bound, target: IsaTarget, operand: Operand, type: str) -> list[int]:
    """Return the bytes that are read of each dword of a source; all of those after."""
    name = item.operation.name
    if type.startswith("["):
        is_half = type[1:-1] in ("f16", "bf16") and target.generation == 11
        if is_half and len(item.sources) > 2 and operand is item.sources[2]:
            register = operand.register
            half = HIGH if operand.modifiers & OP_SELECT else LOW
            return [half] * (0 if register is None else register.size)
        return []
    if operand.is_sdwa and operand.select != 6:
        return [selected_bytes(operand.select)]
    if name.startswith(_UNSIGNED_BYTE):
        return [1 << int(name[-1])]
    if name in ("s_bfm_b32", "s_bfm_b64", "s_set_gpr_idx_on", "s_set_gpr_idx_idx"):
        return [0b0001]
    if name == "s_cvt_hi_f32_f16":
        return [HIGH]
    if "_mix" in name and type == "f32":
        if not operand.modifiers & OP_SELECT_HIGH:
            return []
        return [HIGH if operand.modifiers & OP_SELECT else LOW]
    if "_d16_hi" in name and item.operation.is_store:
        return [0b0100 if item.operation.memory[0].type == "b8" else HIGH]
    shape = type_shape(type)
    first, second = operand.modifiers & OP_SELECT, operand.modifiers & OP_SELECT_HIGH
    if shape.count == 2 and shape.bits == 16:
        return [(HIGH if first else LOW) | (HIGH if second else LOW)]
    if shape.count > 1:
        return []
    if shape.bits == 16:
        is_plain = "op_sel_hi" in item.instruction.encoding.format.syntax and shape.is_float
        is_high = first and not is_plain and not operand.is_sdwa
        return [HIGH if is_high or _is_high(operand) else LOW]
    if shape.bits == 8 and item.operation.is_store:
        return [0b0001]
    return [0b0111] if shape.bits == 24 else []
