"""Bit fields and constants of AMD GPU context save areas that differ between GFX levels.

`save_area` computes from them where a register of a wave is saved.

A save area has a control stack of words with bit fields, followed by the saved waves. A STATE word
defines the block sizes of the waves after it, a WAVE word identifies a wave; the waves are stored
downwards from the high end of the wave area, in the order of their words.

Law: differences between GFX levels are fields of `SaveLayout`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import Malformed, Unsupported


@frozen
class BitField:
    """A field of a word."""

    first: int
    last: int

    def of(self, word: int) -> int:
        return word >> self.first & (1 << self.last - self.first + 1) - 1

    def put(self, number: int) -> int:
        """Return the word with a number in the field; `Malformed` if it does not fit."""
        if not 0 <= number < 1 << self.last - self.first + 1:
            raise Malformed(f"{number} does not fit bits {self.first} to {self.last}")
        return number << self.first


@frozen
class Count:
    """How many there are: (field + bias) * granule - less."""

    bits: BitField
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
    """The size in words of a STATE record; only the first one is read."""
    wave32: BitField | None
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
    """In bytes."""
    whole_lds: tuple[BitField, int] | None
    """A workgroup that has the LDS of a whole WGP, and its bytes."""
    scoreboard: BitField
    shader_engine: BitField
    scratch: BitField
    """Whether the wave has scratch memory."""
    first: BitField
    """The wave of its workgroup whose registers are followed by the LDS."""
    last: BitField
    hardware: Mapping[str, tuple[int, int]]
    """Register to its first slot among the hardware registers, and how many slots it has."""
    hardware_words: int
    """With the TTMPs, where these are behind the others."""
    ttmps_in_sgprs: bool
    """The last 16 slots of the SGPRs are TTMPs, not the last 16 hardware slots."""
    tail_bytes: int
    """The bytes after each wave."""
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


def _slots(text: str) -> dict[str, tuple[int, int]]:
    """Parse `m0 pc:2 exec:2`: names and sizes of slots, one after the other."""
    out: dict[str, tuple[int, int]] = {}
    bit = 0
    for word in text.split():
        name, _, count = word.partition(":")
        out[name] = bit, int(count or 1)
        bit += int(count or 1)
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
    vgprs=Count(BitField(0, 5), 4, bias=1),
    accumulators=None,
    is_unified=False,
    shared_vgprs=None,
    sgprs=Count(BitField(6, 8), 16, bias=1, less=16),
    lds=Count(BitField(9, 17), 512),
    whole_lds=None,
    scoreboard=BitField(0, 8),
    shader_engine=BitField(11, 12),
    scratch=BitField(15, 15),
    first=BitField(17, 17),
    last=BitField(16, 16),
    hardware=_slots("m0 pc:2 exec:2 status trapsts xnack_mask:2 mode"),
    hardware_words=32,
    ttmps_in_sgprs=False,
    tail_bytes=64,
    aliases_low_sgprs=True,
    parked_pc=(7, _always),
    is_compared=True,
)
_GFX908: Final = evolve(
    _GFX9, level="9.0.8", accumulators=_GFX9.vgprs, shader_engine=BitField(11, 13)
)
_GFX90A: Final = evolve(
    _GFX9,
    level="9.0.a",
    vgprs=Count(BitField(24, 29), 4, bias=1),
    accumulators=Count(BitField(0, 5), 8, bias=1),
    is_unified=True,
    lds=Count(BitField(9, 16), 512),
    shader_engine=BitField(9, 11),
)
_GFX94: Final = evolve(_GFX90A, level="9.4", shader_engine=BitField(9, 10), parked_pc=None)
_GFX95: Final = evolve(_GFX94, level="9.5", lds=Count(BitField(9, 16), 1280), is_compared=False)
_GFX101: Final = evolve(
    _GFX9,
    level="10.1",
    state_words=2,
    wave32=BitField(24, 24),
    vgprs=Count(BitField(0, 5), 4, bias=1, wave32_granule=8),
    shared_vgprs=Count(BitField(26, 29), 8),
    sgprs=128,
    lds=Count(BitField(10, 17), 512),
    scoreboard=BitField(0, 9),
    shader_engine=BitField(24, 25),
    scratch=BitField(11, 11),
    first=BitField(12, 12),
    last=BitField(29, 29),
    hardware=_slots("m0 pc:2 exec:2 status trapsts xnack_mask mode flat_scratch:2"),
    tail_bytes=0,
    aliases_low_sgprs=False,
)
_GFX103: Final = evolve(_GFX101, level="10.3", parked_pc=None)
_GFX11: Final = evolve(_GFX101, level="11", shader_engine=BitField(24, 26), parked_pc=(7, _since_9))
_GFX115: Final = evolve(_GFX11, level="11.5", is_compared=False)
_GFX12: Final = evolve(
    _GFX11,
    level="12.0",
    whole_lds=(BitField(6, 6), 128 << 10),
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
    vgprs=Count(BitField(0, 5), 16, bias=1),
    shared_vgprs=None,
    lds=Count(BitField(10, 18), 1024),
    whole_lds=None,
    last=BitField(13, 13),
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
