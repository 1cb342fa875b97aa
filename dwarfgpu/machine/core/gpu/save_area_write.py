"""Write context save areas as trap handlers do: the inverse of `save_area`.

Law: reading the output gives the same waves; what a layout cannot represent is `Malformed`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack
from typing import Final

from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import Malformed
from dwarfgpu.machine.core.gpu.save_area import (
    HEADER,
    SKIPPED_WORDS,
    STATE,
    Blocks,
    SavedWave,
    blocks_of,
    saved_register,
)
from dwarfgpu.machine.core.gpu.save_area_layout import SaveLayout

CONTROL_STACK_AT: Final = 0x40
"""The offset of the control stack in a save area, after its header."""


@frozen(eq=False)
class WaveImage:
    """A wave to be saved."""

    state: int
    """Its STATE word."""
    registers: Mapping[str, bytes] = field(factory=dict, repr=False)
    """Contents by name, at the offsets of the layout; missing ones are zeros."""
    shader_engine: int = 0
    scoreboard: int = 0
    has_scratch: bool = True


@frozen(eq=False)
class GroupImage:
    """The waves of a workgroup, and its LDS."""

    waves: tuple[WaveImage, ...]
    lds: bytes = b""
    """Its beginning; the rest is zeros."""


def state_word(
    layout: SaveLayout,
    lanes: int,
    *,
    vgprs: int,
    accumulators: int = 0,
    shared_vgprs: int = 0,
    sgprs: int = 0,
    lds_bytes: int = 0,
) -> int:
    """Return the STATE word of a wave; `Malformed` for counts that the layout cannot express.

    `sgprs` matters where the layout does not save all of them.
    """
    word = STATE
    if layout.wave32 is not None:
        word |= layout.wave32.put(int(lanes == 32))
    word |= layout.vgprs.put(vgprs, lanes)
    if layout.accumulators is not None:
        total = vgprs + accumulators if layout.is_unified else accumulators
        word |= layout.accumulators.put(total, lanes)
    if layout.shared_vgprs is not None:
        word |= layout.shared_vgprs.put(shared_vgprs, lanes)
    if not isinstance(layout.sgprs, int):
        word |= layout.sgprs.put(sgprs, lanes)
    if layout.whole_lds is not None and lds_bytes == layout.whole_lds[1]:
        word |= layout.whole_lds[0].put(1)
    else:
        word |= layout.lds.put(lds_bytes, lanes)
    blocks = blocks_of(layout, word)
    requested = lanes, vgprs, accumulators, shared_vgprs, lds_bytes
    encoded = blocks.lanes, blocks.vgprs, blocks.accumulators, blocks.shared_vgprs, blocks.lds_bytes
    if requested != encoded:
        raise Malformed(f"GFX level {layout.level} saves no such wave: {requested}, but {encoded}")
    return word


def save_area(layout: SaveLayout, groups: Sequence[GroupImage], size_bytes: int = 0) -> bytes:
    """Return the save area of an XCC, padded with zeros to `size_bytes`; `Malformed` if it needs
    more."""
    words = [0] * SKIPPED_WORDS
    waves: list[bytes] = []
    state: int | None = None
    for group in groups:
        for index, wave in enumerate(group.waves):
            if wave.state != state:
                state = wave.state
                words += [state, *[0] * (layout.state_words - 1)]
            words.append(_wave_word(layout, wave, not index, index == len(group.waves) - 1))
            lds = None if index else group.lds
            waves.append(_wave_bytes(layout, wave, blocks_of(layout, state), lds))
    stack = pack(f"<{len(words)}I", *words)
    wave_bytes = b"".join(reversed(waves))
    end = CONTROL_STACK_AT + len(stack) + len(wave_bytes)
    if size_bytes and end > size_bytes:
        raise Malformed(f"the waves need a save area of {end} bytes, not {size_bytes}")
    header = HEADER.pack(CONTROL_STACK_AT, len(stack), end, len(wave_bytes), end, 0, 0, 0)
    return (header.ljust(CONTROL_STACK_AT, b"\0") + stack + wave_bytes).ljust(size_bytes, b"\0")


def _wave_word(layout: SaveLayout, wave: WaveImage, is_first: bool, is_last: bool) -> int:
    return (
        layout.first.put(int(is_first))
        | layout.last.put(int(is_last))
        | layout.shader_engine.put(wave.shader_engine)
        | layout.scoreboard.put(wave.scoreboard)
        | layout.scratch.put(int(wave.has_scratch))
    )


def _wave_bytes(layout: SaveLayout, wave: WaveImage, blocks: Blocks, lds: bytes | None) -> bytes:
    """Return a wave, with the LDS of its workgroup where it is the first one."""
    room = blocks.lds_at + (0 if lds is None else blocks.lds_bytes)
    out = bytearray(room + layout.tail_bytes)
    saved = SavedWave(0, blocks, 0, 0)
    for name, data in wave.registers.items():
        register = saved_register(layout, saved, name)
        if isinstance(register, str):
            raise Malformed(f"register {name} is not saved: {register}")
        out[register.address : register.address + register.size_bytes] = data[
            : register.size_bytes
        ].ljust(register.size_bytes, b"\0")
    if lds:
        if len(lds) > blocks.lds_bytes:
            raise Malformed(f"{len(lds)} bytes of LDS, where {blocks.lds_bytes} are allocated")
        out[blocks.lds_at : blocks.lds_at + len(lds)] = lds
    return bytes(out)
