"""Which bytes of registers an instruction reads, and of vector registers writes, as masks of four
bits.

Law: they are those that its statements read and write; a byte that is not sure not to be read is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
_FULL: Final = 0xFFFFFFFF
_UNSIGNED_BYTE: Final = "v_cvt_f32_ubyte"

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
    `moved_bytes` and `bytes_that_matter` tell.
    """
    out: dict[Dword, int] = {}
    declared_sources = [declared for declared in item.operation.sources if declared.is_operand]
    for declared, operand in zip(declared_sources, item.sources, strict=False):
        if operand.register is None or declared.type == "mask":
            continue
        masks = _source_bytes(item, target, operand, declared.name_or_type)
        for number, dword in enumerate(_dwords(operand.register)):
            mask = masks[number] if number < len(masks) else WHOLE
            out[dword] = out.get(dword, 0) | mask
    return out


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


def moved_bytes(name: str, values: Sequence[int | None]) -> list[int] | None:
    """Return the bytes that an operation on bits reads of each source, as numbers decide that are
    the same in all lanes; None for the others of `values`.

    None if the operation is no such one, or depends on a number that is not the same.
    """
    if name.startswith(_UNSIGNED_BYTE):
        return [1 << int(name[-1])]
    match name, [None if value is None else value & _FULL for value in values]:
        case "v_lshlrev_b32", [int(count), _]:
            return [WHOLE, of_bits(_FULL >> (count & 31))]
        case "v_lshrrev_b32" | "v_ashrrev_i32", [int(count), _]:
            return [WHOLE, of_bits(_FULL << (count & 31) & _FULL)]
        case "v_lshl_or_b32" | "v_lshl_add_u32", [_, int(count), _]:
            return [of_bits(_FULL >> (count & 31)), WHOLE, WHOLE]
        case "v_bfe_u32" | "v_bfe_i32", [_, int(first), int(width)]:
            field = (1 << (width & 31)) - 1 << (first & 31)
            return [of_bits(field & _FULL), WHOLE, WHOLE]
        case "v_alignbit_b32", [_, _, int(count)]:
            return [of_bits((1 << (count & 31)) - 1), of_bits(_FULL << (count & 31) & _FULL), WHOLE]
        case "v_alignbyte_b32", [_, _, int(count)]:
            bits = 8 * (count & 3)
            return [of_bits((1 << bits) - 1), of_bits(_FULL << bits & _FULL), WHOLE]
        case "v_perm_b32", [_, _, int(selectors)]:
            return [*_permuted(selectors), WHOLE]
        case (("s_bfm_b32" | "s_bfm_b64"), [_, _]):
            return [0b0001, 0b0001]
        case "s_cvt_hi_f32_f16", [_]:
            return [HIGH]
    return None


def bytes_that_matter(name: str, values: Sequence[int | None]) -> list[int] | None:
    """Return the bytes of each source that those of the result depend on, for an operation whose
    bytes depend on the same bytes of its sources; None for any other.

    `values`: those that are the same in all lanes, None for others.
    """
    match name, values:
        case "v_and_b32", [first, second]:
            return [_anded(second), _anded(first)]
        case "v_and_or_b32", [first, second, _]:
            return [_anded(second), _anded(first), WHOLE]
        case "v_bfi_b32", [mask, _, _]:
            return [WHOLE, _anded(mask), _anded(None if mask is None else ~mask & _FULL)]
        case (("v_or_b32" | "v_xor_b32" | "v_xnor_b32" | "v_or3_b32" | "v_xor3_b32"), _):
            return [WHOLE] * len(values)
        case "v_not_b32", _:
            return [WHOLE]
        case "v_cndmask_b32", _:  # each lane depends on one source, as its bit of the third says
            return [WHOLE, WHOLE]
    return None


def _anded(mask: int | None) -> int:
    """Return the bytes of the other source of an AND that matter."""
    return WHOLE if mask is None else of_bits(mask)


def _permuted(selectors: int) -> tuple[int, int]:
    """Return the bytes of the first two sources that `v_perm_b32` reads: byte 0 to 3 of the second,
    4 to 7 of the first; from 8 the sign of a half; from 12 a constant."""
    chosen = 0
    for number in range(4):
        selector = selectors >> 8 * number & 0xFF
        if selector < 12:
            chosen |= 1 << (selector if selector < 8 else 2 * (selector - 8) + 1)
    return chosen >> 4, chosen & WHOLE
