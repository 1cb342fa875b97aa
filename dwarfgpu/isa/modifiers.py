"""Modifiers of operands and of whole instructions as text: DPP, SDWA, op_sel, clamp, offsets …

Each function takes a field and gives the text that LLVM prints for it, with the space before it
where there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.named_numbers import (
    delay_text,
    index_mode_text,
    swizzle_text,
    version_text,
)

NEGATE: Final = 1
ABSOLUTE: Final = 2
SIGN_EXTEND: Final = 1
OP_SELECT: Final = 4
OP_SELECT_HIGH: Final = 8
"""Of a source; on the first source of VOP3 it selects the half of the destination."""

_SELECTS: Final = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
_UNUSED: Final = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
_DIMENSIONS: Final = (
    *("1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"),
)


def dpp_control_text(field: int, target: IsaTarget, is_64_bit: bool) -> str:
    """Return how a DPP instruction moves lanes."""
    low = field & 15
    if is_64_bit and not 0x150 <= field < 0x160:
        return " /* DP ALU dpp only supports row_newbcast */"
    if field < 0x100:
        lanes = ",".join(str(field >> 2 * lane & 3) for lane in range(4))
        return f"quad_perm:[{lanes}]"
    is_new = target.generation >= 10
    for first, name in ((0x100, "row_shl"), (0x110, "row_shr"), (0x120, "row_ror")):
        if first < field < first + 16:
            return f"{name}:{low}"
    if field in _WHOLE_WAVE:
        name, amount = _WHOLE_WAVE[field]
        if is_new:
            return f"/* {name} is not supported starting from GFX10 */"
        return f"{name}:{amount}"
    if field == 0x140:
        return "row_mirror"
    if field == 0x141:
        return "row_half_mirror"
    if 0x150 <= field < 0x160:
        if "gfx90a" in target.features:
            return f"row_newbcast:{low}"
        if is_new:
            return f"row_share:{low}"
        return " /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */"
    if 0x160 <= field < 0x170:
        if not is_new:
            return "/* row_xmask is not supported on ASICs earlier than GFX10 */"
        return f"row_xmask:{low}"
    return "/* Invalid dpp_ctrl value */"


_WHOLE_WAVE: Final = {
    0x130: ("wave_shl", 1),
    0x134: ("wave_rol", 1),
    0x138: ("wave_shr", 1),
    0x13C: ("wave_ror", 1),
    0x142: ("row_bcast", 15),
    0x143: ("row_bcast", 31),
}


def _dimension(field: int) -> str:
    name = _DIMENSIONS[field] if field < len(_DIMENSIONS) else field
    return f" dim:SQ_RSRC_IMG_{name}"


def _dpp8(field: int) -> str:
    return f"dpp8:[{','.join(str(field >> 3 * lane & 7) for lane in range(8))}]"


def _slot(field: int) -> str:
    return ("p10", "p20", "p0")[field] if field < 3 else f"invalid_param_{field}"


def _hexadecimal(value: int) -> str:
    """Write a number as LLVM does: the sign before `0x`."""
    return f"-{-value:#x}" if value < 0 else f"{value:#x}"


def _short(field: int) -> str:
    """Return a 16-bit immediate, or 32 bits where the high half is not the sign."""
    return f"{field:#x}" if field >> 16 else f"{field & 0xFFFF:#x}"


def _if_set(text: str) -> Callable[[int], str]:
    return lambda field: text if field else ""


def _if_nonzero(text: str) -> Callable[[int], str]:
    return lambda field: f"{text}{field}" if field else ""


PLAIN: Final[dict[str, Callable[[int], str]]] = {
    "dpp8": _dpp8,
    "dpp_fi": lambda field: " fi:1" if field in (1, 0xEA) else "",
    "dpp_row_mask": lambda field: f" row_mask:{field & 15:#x}",
    "dpp_bank_mask": lambda field: f" bank_mask:{field & 15:#x}",
    "dpp_bound_ctrl": _if_set(" bound_ctrl:1"),
    "o_mod_si": lambda field: ("", " mul:2", " mul:4", " div:2")[field & 3],
    "sdwa_dst_sel": lambda field: f"dst_sel:{_SELECTS[field]}",
    "sdwa_src0_sel": lambda field: f"src0_sel:{_SELECTS[field]}",
    "sdwa_src1_sel": lambda field: f"src1_sel:{_SELECTS[field]}",
    "sdwa_dst_unused": lambda field: f"dst_unused:{_UNUSED[field]}",
    "d_mask": lambda field: f" dmask:{field:#x}" if field else "",
    "dim": _dimension,
    "cbsz": _if_nonzero(" cbsz:"),
    "abid": _if_nonzero(" abid:"),
    "blgp": _if_nonzero(" blgp:"),
    "bitop3": lambda field: f" bitop3:{field:#x}" if field else "",
    "byte_sel": _if_nonzero(" byte_sel:"),
    "index_key16bit": _if_nonzero(" index_key:"),
    "index_key8bit": _if_nonzero(" index_key:"),
    "u32_imm_operand": lambda field: f"{field & 0xFFFFFFFF:#x}",
    "u16_imm_operand": _short,
    "smem_offset": _hexadecimal,
    "smem_offset_mod": lambda field: f" offset:{_hexadecimal(field)}",
    "offset0": lambda field: f" offset0:{field & 255}" if field else "",
    "offset1": lambda field: f" offset1:{field & 255}" if field else "",
    "interp_attr": lambda field: f"attr{field}",
    "interp_attr_chan": lambda field: "." + "xyzw"[field & 3],
    "interp_slot": _slot,
    "wait_exp": lambda field: f" wait_exp:{field & 15}",
    "wait_vdst": lambda field: f" wait_vdst:{field & 15}",
    "wait_vav_dst": lambda field: f" wait_va_vdst:{field & 15}",
    "wait_vmv_src": lambda field: f" wait_vm_vsrc:{field & 15}",
    "endpgm": lambda field: f" {field}" if field else "",
    "swizzle": swizzle_text,
    "s_delay_alu": delay_text,
    "gpr_idx_mode": index_mode_text,
    "version": version_text,
}
"""Text of the fields that depends on the field only, by the printer of the tables."""


def packed_text(name: str, bit: int, fields: list[int], default: int, destination: int) -> str:
    """Return `op_sel:[0,1]` or a similar modifier: one bit of each source; empty if all have the
    default.

    `destination` is the field that has the bit of the destination, or -1.
    """
    bits = [1 if field & bit else 0 for field in fields]
    last = 1 if destination >= 0 and destination & OP_SELECT_HIGH else 0
    if not last and all(value == default for value in bits):
        return ""
    if destination >= 0:
        bits.append(last)
    return f" {name}:[{','.join(map(str, bits))}]"
