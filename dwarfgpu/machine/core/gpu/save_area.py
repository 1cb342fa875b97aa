"""Context save areas of AMD GPUs: where the trap handlers save the registers and the LDS of waves.

A save area has a control stack of words with bit fields, followed by the saved waves. A STATE word
defines the block sizes of the waves after it, a WAVE word identifies a wave; the waves are stored
downwards from the high end of the wave area, in the order of their words.

Law: differences between GFX levels are fields of `SaveLayout`; this module reads no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final

from attrs import evolve, field

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import Malformed, Unsupported

WORD_BYTES: Final = 4
HEADER: Final = Struct("<6IQI4x")
"""Offset and size of the control stack, of the waves (the offset is that of their end), of the
debugger's part; payload and event of errors (`mqd_header` of Linux' KFD)."""
SKIPPED_WORDS: Final = 2
"""At the beginning of a control stack: a PM4 header."""
EVENT: Final = 1 << 30
STATE: Final = 1 << 31


@frozen
class Bits:
    """A field of a word."""

    first: int
    last: int

    def of(self, word: int) -> int:
        return word >> self.first & (1 << self.last - self.first + 1) - 1

    def put(self, number: int) -> int:
        """The word with a number in the field; `Malformed` where it does not fit."""
        if not 0 <= number < 1 << self.last - self.first + 1:
            raise Malformed(f"{number} does not fit bits {self.first} to {self.last}")
        return number << self.first


@frozen
class Count:
    """How many there are: (field + bias) * granule - less."""

    bits: Bits
    granule: int
    bias: int = 0
    less: int = 0
    wave32_granule: int | None = None
    """The granule of waves of 32 lanes, where it is another one."""

    def of(self, word: int, lanes: int) -> int:
        return (self.bits.of(word) + self.bias) * self._granule(lanes) - self.less

    def put(self, count: int, lanes: int) -> int:
        """Return the field for a count; `Malformed` if no field value encodes that count."""
        units, rest = divmod(count + self.less, self._granule(lanes))
        if rest:
            raise Malformed(f"{count} is not a multiple of {self._granule(lanes)}")
        return self.bits.put(units - self.bias)

    def _granule(self, lanes: int) -> int:
        return self.granule if lanes == 64 else self.wave32_granule or self.granule


@frozen(eq=False)
class SaveLayout:
    """What the trap handler of a GFX level saves, and how its control stack describes it."""

    level: str
    """GFX level: `9.0.a`."""
    state_words: int
    """Of a STATE record; only the first one is read."""
    wave32: Bits | None
    """Nonzero for waves of 32 lanes. None if all have `lanes`."""
    lanes: int
    vgprs: Count
    accumulators: Count | None
    """AGPRs; None if the level has none."""
    is_unified: bool
    """Whether that count includes both VGPRs and AGPRs."""
    shared_vgprs: Count | None
    sgprs: Count | int
    lds: Count
    """Bytes."""
    whole_lds: tuple[Bits, int] | None
    """A workgroup that has the LDS of a whole WGP, and its bytes."""
    scoreboard: Bits
    shader_engine: Bits
    scratch: Bits
    """Whether the wave has scratch memory."""
    first: Bits
    """The wave of its workgroup whose registers are followed by the LDS."""
    last: Bits
    hardware: Mapping[str, tuple[int, int]]
    """Register to its first slot among the hardware registers, and how many slots it has."""
    hardware_words: int
    """With the TTMPs, where these are behind the others."""
    ttmps_in_sgprs: bool
    """The last 16 slots of the SGPRs are TTMPs, not the last 16 hardware slots."""
    tail_bytes: int
    """Behind each wave."""
    aliases_low_sgprs: bool
    """VCC, XNACK_MASK and FLAT_SCRATCH are the last six allocated SGPRs; else VCC is s[106:107]."""
    parked_pc: tuple[int, Callable[[int], bool]] | None
    """Where the trap handler parks stopped waves: the TTMP with the low word of their pc, and
    whether it does for an `r_version`."""
    is_compared: bool
    """Whether results for a core of this level were compared with AMD's library."""

    def lanes_of(self, state: int) -> int:
        if self.wave32 is None:
            return self.lanes
        return 32 if self.wave32.of(state) else 64


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
class Place:
    """Where a register is: bytes in memory."""

    address: int
    size_bytes: int


@lru_cache(maxsize=4096)
def blocks_of(layout: SaveLayout, state: int) -> Blocks:
    """The blocks that a STATE word describes."""
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
        word, at = words[position], position
        position += 1
        if word & EVENT:
            continue
        if word & STATE:
            blocks = blocks_of(layout, word)
            position += layout.state_words - 1
            continue
        if blocks is None:
            raise Malformed(
                f"word {at} of the control stack is a wave, and no STATE word is before"
            )
        if layout.first.of(word):
            leader = len(saved)
        elif leader < 0:
            raise Malformed(f"word {at} of the control stack is a wave of no workgroup")
        size = blocks.lds_at + (blocks.lds_bytes if leader == len(saved) else 0)
        cursor -= size + layout.tail_bytes
        if cursor < low_end:
            raise Malformed(
                f"word {at} of the control stack is a wave of {size + layout.tail_bytes} bytes, "
                f"{low_end - cursor} more than the wave area has left"
            )
        saved.append(SavedWave(cursor, blocks, word, leader))
        if layout.last.of(word):
            leader = -1
    if cursor != low_end:
        raise Malformed(
            f"the {len(saved)} waves of the control stack leave {cursor - low_end} bytes of the "
            "wave area over"
        )
    return saved


TTMPS: Final = 16
SHARED_ROW_BYTES: Final = 128
SAVED_TTMPS: Final = (*range(4, 12), 13)
"""TTMPs that a trap handler stores; the slots of others have no contents."""
_VCC_HIGH_SGPRS: Final = 106
"""The slot of VCC, where it is not among the allocated SGPRs."""
_MOST_LOW_SGPRS: Final = 108
"""SGPRs and their aliases, below the trap handler's own."""


def sgpr_end(layout: SaveLayout, blocks: Blocks) -> int:
    """The slot behind VCC."""
    return min(_MOST_LOW_SGPRS, blocks.sgprs) if layout.aliases_low_sgprs else _MOST_LOW_SGPRS


def place_of(layout: SaveLayout, wave: SavedWave, name: str) -> Place | str:
    """Where a register is, or why it is nowhere.

    `pc` is where the hardware had it; `parked_pc` says where else the trap handler puts it.
    """
    blocks, bank, number = wave.blocks, name[:1], name[1:]
    if bank in "vas" and number.isdecimal():
        return _numbered(layout, wave, bank, int(number))
    if name.startswith("ttmp") and name[4:].isdecimal():
        index = int(name[4:])
        if index not in SAVED_TTMPS:
            return "the trap handler does not save it"
        return Place(wave.start + blocks.ttmps_at + index * WORD_BYTES, WORD_BYTES)
    alias = _alias(layout, blocks, name)
    if alias is not None:
        first, count = alias
        if not 0 <= first <= first + count <= blocks.sgprs:
            return f"the wave has {blocks.sgprs} SGPRs, none of them for {name}"
        return Place(wave.start + blocks.sgprs_at + first * WORD_BYTES, count * WORD_BYTES)
    slot = _slot(layout, blocks, name)
    if slot is None:
        return "the trap handler does not save it"
    first, count = slot
    return Place(wave.start + blocks.hardware_at + first * WORD_BYTES, count * WORD_BYTES)


def _numbered(layout: SaveLayout, wave: SavedWave, bank: str, number: int) -> Place | str:
    blocks, row = wave.blocks, WORD_BYTES * wave.blocks.lanes
    counts = {"v": blocks.vgprs, "a": blocks.accumulators, "s": sgprs_of(layout, blocks)}
    if number >= counts[bank]:
        known = f"{bank}0 to {bank}{counts[bank] - 1}" if counts[bank] else f"no {bank} registers"
        return f"it is not allocated: the wave has {known}"
    if bank == "s":
        xnack = number - (sgpr_end(layout, blocks) - 4)
        if layout.aliases_low_sgprs and xnack in (0, 1):  # saved as hardware register alone
            first = layout.hardware["xnack_mask"][0] + xnack
            return Place(wave.start + blocks.hardware_at + first * WORD_BYTES, WORD_BYTES)
        return Place(wave.start + blocks.sgprs_at + number * WORD_BYTES, WORD_BYTES)
    first = 0 if bank == "v" else blocks.accumulators_at
    return Place(wave.start + first + number * row, row)


def sgprs_of(layout: SaveLayout, blocks: Blocks) -> int:
    """How many SGPRs have a number: s0 and so on."""
    if layout.aliases_low_sgprs:
        return blocks.sgprs
    return min(_VCC_HIGH_SGPRS, blocks.sgprs)


def _alias(layout: SaveLayout, blocks: Blocks, name: str) -> tuple[int, int] | None:
    """The SGPR slots of a register that is an alias of some."""
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


PARKED_HIGH: Final = Bits(7, 22)
"""Of TTMP11."""


def _slots(text: str) -> dict[str, tuple[int, int]]:
    """`m0 pc:2 exec:2`: names and sizes of slots, one after the other."""
    out: dict[str, tuple[int, int]] = {}
    at = 0
    for word in text.split():
        name, _, count = word.partition(":")
        out[name] = at, int(count or 1)
        at += int(count or 1)
    return out


def _always(_: int) -> bool:
    return True


def _since_9(r_version: int) -> bool:
    return r_version > 8


_GFX9: Final = SaveLayout(
    level="9.0",
    state_words=1,
    wave32=None,
    lanes=64,
    vgprs=Count(Bits(0, 5), 4, bias=1),
    accumulators=None,
    is_unified=False,
    shared_vgprs=None,
    sgprs=Count(Bits(6, 8), 16, bias=1, less=16),
    lds=Count(Bits(9, 17), 512),
    whole_lds=None,
    scoreboard=Bits(0, 8),
    shader_engine=Bits(11, 12),
    scratch=Bits(15, 15),
    first=Bits(17, 17),
    last=Bits(16, 16),
    hardware=_slots("m0 pc:2 exec:2 status trapsts xnack_mask:2 mode"),
    hardware_words=32,
    ttmps_in_sgprs=False,
    tail_bytes=64,
    aliases_low_sgprs=True,
    parked_pc=(7, _always),
    is_compared=True,
)
_GFX908: Final = evolve(_GFX9, level="9.0.8", accumulators=_GFX9.vgprs, shader_engine=Bits(11, 13))
_GFX90A: Final = evolve(
    _GFX9,
    level="9.0.a",
    vgprs=Count(Bits(24, 29), 4, bias=1),
    accumulators=Count(Bits(0, 5), 8, bias=1),
    is_unified=True,
    lds=Count(Bits(9, 16), 512),
    shader_engine=Bits(9, 11),
)
_GFX94: Final = evolve(_GFX90A, level="9.4", shader_engine=Bits(9, 10), parked_pc=None)
_GFX95: Final = evolve(_GFX94, level="9.5", lds=Count(Bits(9, 16), 1280), is_compared=False)
_GFX101: Final = evolve(
    _GFX9,
    level="10.1",
    state_words=2,
    wave32=Bits(24, 24),
    vgprs=Count(Bits(0, 5), 4, bias=1, wave32_granule=8),
    shared_vgprs=Count(Bits(26, 29), 8),
    sgprs=128,
    lds=Count(Bits(10, 17), 512),
    scoreboard=Bits(0, 9),
    shader_engine=Bits(24, 25),
    scratch=Bits(11, 11),
    first=Bits(12, 12),
    last=Bits(29, 29),
    hardware=_slots("m0 pc:2 exec:2 status trapsts xnack_mask mode flat_scratch:2"),
    tail_bytes=0,
    aliases_low_sgprs=False,
)
_GFX103: Final = evolve(_GFX101, level="10.3", parked_pc=None)
_GFX11: Final = evolve(_GFX101, level="11", shader_engine=Bits(24, 26), parked_pc=(7, _since_9))
_GFX115: Final = evolve(_GFX11, level="11.5", is_compared=False)
_GFX12: Final = evolve(
    _GFX11,
    level="12.0",
    whole_lds=(Bits(6, 6), 128 << 10),
    hardware=_slots(
        "m0 pc:2 exec:2 state_priv excp_flag_priv xnack_mask mode scratch_base:2 excp_flag_user "
        "trap_ctrl status"
    ),
    parked_pc=(10, _since_9),
)
_GFX125: Final = evolve(
    _GFX12,
    level="12.5",
    wave32=None,
    lanes=32,
    vgprs=Count(Bits(0, 5), 16, bias=1),
    shared_vgprs=None,
    lds=Count(Bits(10, 18), 1024),
    whole_lds=None,
    last=Bits(13, 13),
    hardware=_slots(
        "m0 pc:2 exec:2 state_priv excp_flag_priv xnack_mask mode scratch_base:2 excp_flag_user "
        "trap_ctrl status barrier"
    ),
    hardware_words=128,
    ttmps_in_sgprs=True,
    parked_pc=None,
    is_compared=False,
)
LAYOUTS: Final = {
    layout.level: layout
    for layout in (
        _GFX9, _GFX908, _GFX90A, _GFX94, _GFX95, _GFX101, _GFX103, _GFX11, _GFX115, _GFX12, _GFX125,
    )
}  # fmt: skip
"""Every layout that is known, by its GFX level."""


def layout_of(gfx_target_version: int) -> SaveLayout:
    """Return the layout of a target version; `Unsupported` for an unknown one."""
    major, minor, step = (
        gfx_target_version // 10_000,
        gfx_target_version // 100 % 100,
        gfx_target_version % 100,
    )
    for level in (f"{major}.{minor}.{step:x}", f"{major}.{minor}", f"{major}"):
        # 11 is the level of gfx110x; a later minor number has a layout of its own, or none.
        if level in LAYOUTS and (level != f"{major}" or minor == 0):
            return LAYOUTS[level]
    raise Unsupported(f"the save areas of gfx{major}{minor:x}{step:x}")
