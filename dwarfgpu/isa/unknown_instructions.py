"""Which words are instructions that the tables lack, and how long these are.

AMD's ISA documents have the first bits of each encoding in the chapter "Microcode Formats".
"""

from __future__ import annotations

from typing import Final

_LITERAL: Final = 255
_SECOND_DWORD: Final = frozenset({249, 250, _LITERAL})
"""Sources of VOP1, VOP2 and VOPC of CDNA: SDWA, DPP, and a constant that follows."""
_CDNA: Final = {
    0b110000: 8,  # SMEM
    0b110100: 8,  # VOP3, VOP3P, MFMA
    0b110110: 8,  # DS
    0b110111: 8,  # FLAT, GLOBAL, SCRATCH
    0b111000: 8,  # MUBUF
    0b111010: 8,  # MTBUF
}
"""Bytes of the encodings of CDNA that have always as many, by their first six bits."""
_DUAL: Final = (
    (0xFFC00000, 0xCB400000, None),  # v_dual_dot2acc_f32_bf16, the first operation
    (0xFC3E0000, 0xC81A0000, None),  # and the second
)
_LATER: Final = {
    11: (
        (0xFE01FE00, 0x7E00CC00, 4),  # v_swap_b16
        *_DUAL,
    ),
    12: (
        (0xFE01FE00, 0x7E00CC00, 4),  # v_swap_b16
        *_DUAL,
        (0xFFC00000, 0xCB000000, None),  # v_dual_dot2acc_f32_f16, the first operation
        (0xFC3E0000, 0xC8180000, None),  # and the second
        (0xFF80FF00, 0xBE805300, None),  # s_alloc_vgpr
        (0xFFFC0000, 0xDB340000, 8),  # ds_bpermute_fi_b32
        (0xFFFC0000, 0xDB800000, 8),  # ds_bvh_stack_push4_pop1_rtn_b32
        (0xFFFC0000, 0xDB840000, 8),  # ds_bvh_stack_push8_pop1_rtn_b32
        (0xFFFC0000, 0xDB880000, 8),  # ds_bvh_stack_push8_pop2_rtn_b64
        (0xFC3FC000, 0xD0200000, 12),  # image_bvh_dual_intersect_ray
        (0xFC3FC000, 0xD0204000, 12),  # image_bvh8_intersect_ray
    ),
}
"""What LLVM 24 has and the tables lack, by generation: bits, their values, and bytes, where these
do not depend on operands."""
_WITH_CONSTANT: Final = (1, 2)
"""Operations of VOPD that always have a literal: fmaak, fmamk."""


def size_of_unknown(word: int, generation: int) -> int | None:
    """Return the bytes of an instruction that the tables of GFX11 or GFX12 lack, or of any of CDNA,
    from its first two dwords; None if none begins like that."""
    if generation == 9:
        return _size_of_cdna(word)
    for bits, value, size in _LATER[generation]:
        if word & bits == value:
            is_dual = value >> 26 == 0b110010
            return size or (_dual_size(word) if is_dual else _scalar_size(word))
    return None


def _size_of_cdna(word: int) -> int | None:
    prefix = word >> 26 & 0b111111
    if prefix < 0b100000:  # VOP1, VOP2, VOPC
        return 8 if word & 0x1FF in _SECOND_DWORD else 4
    return _CDNA.get(prefix) if prefix >= 0b110000 else _scalar_size(word)


def _scalar_size(word: int) -> int:
    family = word >> 23 & 0x1FF
    is_immediate = family >> 5 == 0b1011
    if is_immediate and family not in (0b101111101, 0b101111110):  # SOPK, SOPP
        return 4
    is_one_source = family == 0b101111101  # SOP1; otherwise SOP2, SOPC
    sources = {word & 0xFF, 0 if is_one_source else word >> 8 & 0xFF}
    return 8 if _LITERAL in sources else 4


def _dual_size(word: int) -> int:
    """Return the bytes of VOPD: a literal is that of an operation, or of a first source."""
    operations = word >> 22 & 0xF, word >> 17 & 0x1F
    has_literal = any(operation in _WITH_CONSTANT for operation in operations)
    return 12 if has_literal or _LITERAL in (word & 0x1FF, word >> 32 & 0x1FF) else 8
