"""How long an instruction is that the tables lack, from its first two dwords.

AMD's ISA documents have the first bits of each encoding in the chapter "Microcode Formats". The
sizes of all instructions of the tables are the same by these rules (`tests/isa/`).
"""

from __future__ import annotations

from typing import Final

_LITERAL: Final = 255
_DPP8: Final = frozenset({233, 234})
_DPP16: Final = 250
_SDWA: Final = 249
_CDNA: Final = {
    0b110000: 8,  # SMEM
    0b110100: 8,  # VOP3, VOP3P, MFMA
    0b110110: 8,  # DS
    0b110111: 8,  # FLAT, GLOBAL, SCRATCH
    0b111000: 8,  # MUBUF
    0b111010: 8,  # MTBUF
}
_GFX11: Final = {
    0b110110: 8,  # DS
    0b110111: 8,  # FLAT, GLOBAL, SCRATCH
    0b111000: 8,  # MUBUF
    0b111010: 8,  # MTBUF
    0b111101: 8,  # SMEM
    0b111110: 8,  # EXP
}
_GFX12: Final = {
    0b110001: 12,  # VBUFFER
    0b110100: 12,  # VIMAGE
    0b110110: 8,  # DS
    0b111001: 12,  # VSAMPLE
    0b111011: 12,  # FLAT, GLOBAL, SCRATCH
    0b111101: 8,  # SMEM
    0b111110: 8,  # EXP
}
_SIZES: Final = {9: _CDNA, 11: _GFX11, 12: _GFX12}
"""Bytes of encodings that have always as many, by generation and their first six bits."""
_VECTOR_EXTRA: Final = {
    9: frozenset({_SDWA, _DPP16, _LITERAL}),
    11: frozenset({*_DPP8, _DPP16, _LITERAL}),
    12: frozenset({*_DPP8, _DPP16, _LITERAL}),
}
"""First sources of VOP1, VOP2 and VOPC after which a dword follows."""
_WITH_CONSTANT: Final = (1, 2)
"""Operations of VOPD that always have a literal: fmaak, fmamk."""


def size_of_unknown(word: int, generation: int) -> int | None:
    """Return the bytes of an instruction of GFX9, GFX11 or GFX12 from its first two dwords; None
    if no encoding begins like that."""
    prefix = word >> 26 & 0b111111
    if prefix < 0b100000:  # VOP1, VOP2, VOPC
        return 8 if word & 0x1FF in _VECTOR_EXTRA[generation] else 4
    if prefix < 0b110000:
        return _scalar_size(word)
    size = _SIZES[generation].get(prefix)
    if size is not None or generation == 9:
        return size
    if prefix == 0b111100 and generation == 11:  # MIMG; one dword more of addresses, or none
        return 12 if word & 1 else 8
    if prefix == 0b110010:
        return _dual_size(word)
    first_byte = word >> 24 & 0xFF
    if first_byte == 0b11001110:  # LDSDIR
        return 4
    if first_byte == 0b11001101:  # VINTERP
        return 8
    if prefix == 0b110101 or first_byte == 0b11001100:  # VOP3, VOP3P
        return _vector_size(word)
    return None


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


def _vector_size(word: int) -> int:
    """Return the bytes of VOP3 and VOP3P: a literal or DPP follows."""
    sources = [word >> bit & 0x1FF for bit in (32, 41, 50)]
    has_dpp = sources[0] in _DPP8 or sources[0] == _DPP16
    return 12 if has_dpp or _LITERAL in sources else 8
