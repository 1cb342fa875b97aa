"""Context save areas of AMD GPUs, where trap handlers save the registers (SGPRs, VGPRs,
AGPRs) and the LDS of waves.

Law: this module finds waves and registers in the words that it is given; it reads no memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import Malformed
from dwarfgpu.machine.core.gpu.save_area_layout import BitField, SaveLayout

WORD_BYTES: Final = 4
HEADER: Final = Struct("<6IQI4x")
"""Offset and size of the control stack, of the waves (the offset is that of their end), of the
debugger's part; payload and event of errors (`mqd_header` of Linux' KFD)."""
SKIPPED_WORDS: Final = 2
"""At the beginning of a control stack: a PM4 header."""
EVENT: Final = 1 << 30
STATE: Final = 1 << 31
PARKED_HIGH: Final = BitField(7, 22)
"""BitField of TTMP11."""


@frozen
class Blocks:
    """The blocks of a saved wave: counts, and byte offsets from its first VGPR."""

    lanes: int
    vgprs: int
    accumulators: int
    shared_vgprs: int
    sgprs: int
    lds_bytes: int
    accumulators_at: int
    shared_at: int
    sgprs_at: int
    hardware_at: int
    ttmps_at: int
    lds_at: int
    """Where the LDS of the workgroup is, for its first wave; and the end of all others."""


@frozen(eq=False)
class SavedWave:
    """A wave in a save area."""

    start: int
    """Address of its first VGPR."""
    blocks: Blocks
    word: int = field(repr=hex)
    """Its WAVE word."""
    leader: int
    """Index in the area of the first wave of its workgroup, which has the LDS."""


@frozen
class SavedRegister:
    """The bytes of memory that hold a register."""

    address: int
    size_bytes: int


@lru_cache(maxsize=4096)
def blocks_of(layout: SaveLayout, state: int) -> Blocks:
    """Return the blocks that a STATE word describes."""
    lanes = layout.lanes_of(state)
    vgprs = layout.vgprs.of(state, lanes)
    accumulators = 0 if layout.accumulators is None else layout.accumulators.of(state, lanes)
    if layout.is_unified:
        accumulators -= vgprs
    if accumulators < 0:
        raise Malformed(
            f"STATE word {state:#010x}: fewer VGPRs in total than VGPRs that are not AGPRs"
        )
    shared = 0 if layout.shared_vgprs is None else layout.shared_vgprs.of(state, lanes)
    sgprs = layout.sgprs if isinstance(layout.sgprs, int) else layout.sgprs.of(state, lanes)
    lds = layout.lds.of(state, lanes)
    if layout.whole_lds is not None and layout.whole_lds[0].of(state):
        lds = layout.whole_lds[1]
    row = WORD_BYTES * lanes
    accumulators_at = vgprs * row
    shared_at = accumulators_at + accumulators * row
    sgprs_at = shared_at + shared * SHARED_ROW_BYTES
    hardware_at = sgprs_at + sgprs * WORD_BYTES
    lds_at = hardware_at + layout.hardware_words * WORD_BYTES
    ttmps_at = (hardware_at if layout.ttmps_in_sgprs else lds_at) - TTMPS * WORD_BYTES
    return Blocks(
        lanes, vgprs, accumulators, shared, sgprs, lds,
        accumulators_at, shared_at, sgprs_at, hardware_at, ttmps_at, lds_at,
    )  # fmt: skip


def saved_waves(
    layout: SaveLayout, words: Sequence[int], low_end: int, high_end: int
) -> list[SavedWave]:
    """Return the waves of a control stack, in order; `words`: all of it.

    `Malformed` if the waves do not fill the area exactly: then no position in it can be trusted.
    """
    saved: list[SavedWave] = []
    blocks: Blocks | None = None
    cursor, leader = high_end, -1
    position = SKIPPED_WORDS
    while position < len(words):
        word, offset = words[position], position
        position += 1
        if word & EVENT:
            continue
        if word & STATE:
            blocks = blocks_of(layout, word)
            position += layout.state_words - 1
            continue
        if blocks is None:
            raise Malformed(
                f"word {offset} of the control stack is a wave without a STATE word before it"
            )
        if layout.first.of(word):
            leader = len(saved)
        elif leader < 0:
            raise Malformed(f"word {offset} of the control stack is a wave of no workgroup")
        size = blocks.lds_at + (blocks.lds_bytes if leader == len(saved) else 0)
        cursor -= size + layout.tail_bytes
        if cursor < low_end:
            raise Malformed(
                f"word {offset} of the control stack is a wave of {size + layout.tail_bytes} "
                f"bytes, {low_end - cursor} more than the wave area has left"
            )
        saved.append(SavedWave(cursor, blocks, word, leader))
        if layout.last.of(word):
            leader = -1
    if cursor != low_end:
        raise Malformed(
            f"the {len(saved)} waves of the control stack leave {cursor - low_end} bytes of the "
            "wave area unused"
        )
    return saved


TTMPS: Final = 16
SHARED_ROW_BYTES: Final = 128
SAVED_TTMPS: Final = (*range(4, 12), 13)
"""TTMPs that a trap handler stores; the slots of others have no contents."""
_VCC_HIGH_SGPRS: Final = 106
"""The slot of VCC, where it is not among the allocated SGPRs."""
_MAX_LOW_SGPRS: Final = 108
"""SGPRs and their aliases, below the trap handler's own."""


def sgpr_end(layout: SaveLayout, blocks: Blocks) -> int:
    """Return the slot behind VCC."""
    return min(_MAX_LOW_SGPRS, blocks.sgprs) if layout.aliases_low_sgprs else _MAX_LOW_SGPRS


def saved_register(layout: SaveLayout, wave: SavedWave, name: str) -> SavedRegister | str:
    """Return where a register is, or why it is nowhere.

    `pc` is where the hardware had it; `parked_pc` says where else the trap handler puts it.
    """
    blocks, bank, number = wave.blocks, name[:1], name[1:]
    if bank in "vas" and is_decimal(number):
        return _numbered(layout, wave, bank, int(number))
    if name.startswith("ttmp") and is_decimal(name[4:]):
        index = int(name[4:])
        if index not in SAVED_TTMPS:
            return "the trap handler does not save it"
        return SavedRegister(wave.start + blocks.ttmps_at + index * WORD_BYTES, WORD_BYTES)
    alias = _alias(layout, blocks, name)
    if alias is not None:
        first, count = alias
        if not 0 <= first <= first + count <= blocks.sgprs:
            return f"the wave has {blocks.sgprs} SGPRs, none of them for {name}"
        return SavedRegister(wave.start + blocks.sgprs_at + first * WORD_BYTES, count * WORD_BYTES)
    slot = _slot(layout, blocks, name)
    if slot is None:
        return "the trap handler does not save it"
    first, count = slot
    return SavedRegister(wave.start + blocks.hardware_at + first * WORD_BYTES, count * WORD_BYTES)


def _numbered(layout: SaveLayout, wave: SavedWave, bank: str, number: int) -> SavedRegister | str:
    blocks, row = wave.blocks, WORD_BYTES * wave.blocks.lanes
    counts = {"v": blocks.vgprs, "a": blocks.accumulators, "s": sgprs_of(layout, blocks)}
    if number >= counts[bank]:
        allocated = (
            f"{bank}0 to {bank}{counts[bank] - 1}" if counts[bank] else f"no {bank} registers"
        )
        return f"it is not allocated: the wave has {allocated}"
    if bank == "s":
        xnack = number - (sgpr_end(layout, blocks) - 4)
        if layout.aliases_low_sgprs and xnack in (0, 1):  # saved as hardware register alone
            first = layout.hardware["xnack_mask"][0] + xnack
            return SavedRegister(wave.start + blocks.hardware_at + first * WORD_BYTES, WORD_BYTES)
        return SavedRegister(wave.start + blocks.sgprs_at + number * WORD_BYTES, WORD_BYTES)
    first = 0 if bank == "v" else blocks.accumulators_at
    return SavedRegister(wave.start + first + number * row, row)


def sgprs_of(layout: SaveLayout, blocks: Blocks) -> int:
    """Return how many SGPRs have a number: s0 and so on."""
    if layout.aliases_low_sgprs:
        return blocks.sgprs
    return min(_VCC_HIGH_SGPRS, blocks.sgprs)


def _alias(layout: SaveLayout, blocks: Blocks, name: str) -> tuple[int, int] | None:
    """Return the SGPR slots of a register that is an alias of some."""
    end = sgpr_end(layout, blocks)
    if name == "vcc":
        return end - 2, 2 if blocks.lanes == 64 else 1
    if name == "vcc_hi" and blocks.lanes == 32:
        return end - 1, 1
    if name == "flat_scratch" and layout.aliases_low_sgprs:
        return end - 6, 2
    return None


def _slot(layout: SaveLayout, blocks: Blocks, name: str) -> tuple[int, int] | None:
    if blocks.lanes == 32 and name in ("exec", "exec_hi"):
        return layout.hardware["exec"][0] + (name == "exec_hi"), 1
    return layout.hardware.get(name)


def parked_pc(layout: SaveLayout, wave: SavedWave, r_version: int) -> tuple[int, int] | None:
    """Return the addresses of the words with the parked pc of a stopped wave: its low 32 bits, and
    bits 47:32 in bits 22:7; None if waves of the level are not parked."""
    if layout.parked_pc is None or not layout.parked_pc[1](r_version):
        return None
    base = wave.start + wave.blocks.ttmps_at
    return base + layout.parked_pc[0] * WORD_BYTES, base + 11 * WORD_BYTES
