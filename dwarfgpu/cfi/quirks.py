"""Corrections for known producer bugs; each is off unless requested by name.

Law: a quirk changes a row into one that the producer could have written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dwarfgpu.arch.amdgpu import PRIVATE_WAVE
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.quirk_names import CFA_NOT_SCALED, LEGACY_AUGMENTATION
from dwarfgpu.cfi.rule import ExpressionCfa, RegisterCfa
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.dialect.dialect import AMD_DIRECT


@frozen
class Quirk:
    """One mistake."""

    summary: str
    corrected: Callable[[FrameRow, Architecture], FrameRow]


def _scaled(row: FrameRow, architecture: Architecture) -> FrameRow:
    """Return the CFA as `(register << log2 lanes) + offset` in private_wave memory."""
    cfa = row.cfa
    if not isinstance(cfa, RegisterCfa) or cfa.address_space != PRIVATE_WAVE:
        return row
    shift = architecture.lane_count.bit_length() - 1
    expression = b"\x90" + encode_uleb(cfa.register)  # DW_OP_regx
    expression += b"\x94\x04" + bytes((0x30 + shift, 0x24))  # deref_size 4, lit, shl
    expression += b"\x11" + encode_sleb(cfa.offset_bytes) + b"\x22"  # consts, plus
    expression += bytes((0x30 + PRIVATE_WAVE, 0xE9, 0x02))  # lit, LLVM_form_aspace_address
    return evolve(row, cfa=ExpressionCfa(expression))


def _direct(row: FrameRow, architecture: Architecture) -> FrameRow:
    """Read expressions in the one-byte encodings."""
    return evolve(row, dialect=AMD_DIRECT) if architecture.machine == "AMDGPU" else row


QUIRKS: Final[Mapping[str, Quirk]] = {
    CFA_NOT_SCALED: Quirk(
        "the CFA of code with flat scratch is in bytes of a lane (LLVM before PR 209534)",
        _scaled,
    ),
    LEGACY_AUGMENTATION: Quirk(
        "expressions have the one-byte encodings of LLVM 12 to 18, which the augmentation "
        "[llvm:v0.0] should announce",
        _direct,
    ),
}


def quirk(name: str) -> Quirk:
    """Return the quirk of a name; `UsageError` lists the existing ones."""
    try:
        return QUIRKS[name]
    except KeyError:
        raise UsageError(f"unknown quirk {name}; known: {', '.join(QUIRKS)}") from None


def corrected(row: FrameRow, names: frozenset[str], architecture: Architecture) -> FrameRow:
    """Return the row with the named mistakes corrected."""
    for name in sorted(names):
        row = quirk(name).corrected(row, architecture)
    return row
