"""Decode the saved hardware registers and TTMPs of a wave: its ids, pc and stop reason.

The trap handlers of ROCr store these in TTMPs 4 to 11 and 13; the packet processor (SPI) writes the
ids. Law: the results are those of amd-dbgapi; differences between GFX levels are fields of
`WaveWords`.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import Malformed
from dwarfgpu.machine.core.gpu.save_area import PARKED_HIGH, WORD_BYTES, SavedWave
from dwarfgpu.machine.core.gpu.save_area_layout import BitField, SaveLayout
from dwarfgpu.machine.topology import STOP_REASONS, Position

PC_BITS: Final = 48
"""Above these the trap handler of GFX9 keeps counters in the saved pc."""
_INSTRUCTION_EXCEPTIONS: Final = (
    "fp_invalid_operation", "fp_input_denormal", "fp_divide_by_0", "fp_overflow", "fp_underflow",
    "fp_inexact", "int_divide_by_0",
)  # fmt: skip
"""In the order of their bits, of what happened and of what traps."""
_TRAP_IDS: Final = {1: "breakpoint", 2: "assert_trap", 3: "debug_trap"}
_LAST_TRAP_ID: Final = 14
_STOPPED: Final = (6, BitField(30, 30))
_HALTED: Final = (6, BitField(29, 29))
_INVALID: Final = (6, BitField(31, 31))
_FIRST_WITH_INVALID: Final = 10
"""The `r_version` from which TTMP6 says that SPI has not written the others."""
SKIP_EXPORT: Final = 1 << 18
PRIVILEGED: Final = 1 << 5
STATUS_HALT: Final = BitField(13, 13)
STATE_HALT: Final = BitField(14, 14)
"""The bit in STATE_PRIV, for GFX12 and later."""
NO_VGPRS: Final = 1 << 24
"""Bit of STATUS, for GFX11 and later: the wave has deallocated its VGPRs."""

TtmpField = tuple[int, BitField]
"""The number of a TTMP, and a field of it."""


@frozen(eq=False)
class WaveWords:
    """Where a GFX level keeps facts about a wave."""

    packet: TtmpField = (6, BitField(0, 24))
    """Index of the dispatch packet in the ring."""
    wave_in_group: TtmpField = (11, BitField(0, 5))
    trap_id: TtmpField = (6, BitField(25, 28))
    invalid_needs: TtmpField | None = None
    """The field that must also be set for TTMP6 to say that SPI has written no ids."""
    never_invalid: bool = False
    has_group_in_ttmp7: bool = False
    """The workgroup's y and z are halves of TTMP7, where bit 30 of TTMP8 says so."""
    has_flags: bool = False
    """EXCP_FLAG_PRIV, EXCP_FLAG_USER and TRAP_CTRL, not TRAPSTS and MODE."""
    after_instruction: int = 0
    """Mask in TRAPSTS or EXCP_FLAG_PRIV: a trap after every instruction."""
    begin_or_end: int = 0
    """Mask of traps at the beginning and at the end of waves."""
    gives_vgprs_back: bool = False


_GFX9: Final = WaveWords()
_GFX94: Final = WaveWords(
    packet=(11, BitField(6, 30)),
    invalid_needs=(11, BitField(31, 31)),
    after_instruction=1 << 25,
    begin_or_end=3 << 23,
)
_GFX11: Final = WaveWords(after_instruction=1 << 20, begin_or_end=3 << 17, gives_vgprs_back=True)
_GFX12: Final = WaveWords(
    packet=(8, BitField(0, 24)),
    wave_in_group=(8, BitField(25, 29)),
    never_invalid=True,
    has_group_in_ttmp7=True,
    has_flags=True,
    after_instruction=1 << 11,
    begin_or_end=3 << 8,
    gives_vgprs_back=True,
)
_WORDS: Final = {
    "9.0": _GFX9, "9.0.8": _GFX9, "9.0.a": _GFX9, "9.4": _GFX94, "9.5": _GFX94, "10.1": _GFX9,
    "10.3": _GFX9, "11": _GFX11, "11.5": _GFX11, "12.0": _GFX12,
    "12.5": evolve(_GFX12, trap_id=(11, BitField(28, 31))),
}  # fmt: skip


def words_of(layout: SaveLayout) -> WaveWords:
    """Return where a GFX level keeps facts about a wave."""
    return _WORDS[layout.level]


@frozen
class WaveIds:
    """Identity of a wave, numbered by the packet processor; None if not written."""

    packet: int | None = None
    wave_in_group: int | None = None
    position: Position | None = None


class HardwareWords:
    """The hardware registers and TTMPs of a saved wave."""

    def __init__(self, layout: SaveLayout, wave: SavedWave, data: bytes) -> None:
        """`data`: the bytes of `hardware_range`."""
        self._layout = layout
        self._fields = words_of(layout)
        blocks = wave.blocks
        first = min(blocks.hardware_at, blocks.ttmps_at)
        self._words: tuple[int, ...] = unpack(f"<{len(data) // WORD_BYTES}I", data)
        self._hardware = (blocks.hardware_at - first) // WORD_BYTES
        self._ttmps = (blocks.ttmps_at - first) // WORD_BYTES
        self._lanes = blocks.lanes

    def ttmp(self, number: int) -> int:
        return self._words[self._ttmps + number]

    def register(self, name: str) -> int:
        """Return a hardware register; 0 for one that the level does not save."""
        slot, count = self._layout.hardware.get(name, (0, 0))
        offset = self._hardware + slot
        if count == 2:
            return self._words[offset] | self._words[offset + 1] << 32
        return self._words[offset] if count else 0

    def _of(self, field: TtmpField) -> int:
        return field[1].of(self.ttmp(field[0]))

    @property
    def is_stopped(self) -> bool:
        """Whether the trap handler stopped the wave; others were stopped for the dump alone."""
        return bool(self._of(_STOPPED))

    @property
    def is_halted(self) -> bool:
        """Whether the wave was halted before the trap handler halted it."""
        return bool(self._of(_HALTED))

    @property
    def trap_id(self) -> int:
        return self._of(self._fields.trap_id)

    @property
    def exec_mask(self) -> int:
        return self.register("exec") & (1 << self._lanes) - 1

    def pc(self, r_version: int) -> int:
        """Return where the wave stopped."""
        parked = self._layout.parked_pc
        if self.is_stopped and parked is not None and parked[1](r_version):
            return self.ttmp(parked[0]) | PARKED_HIGH.of(self.ttmp(11)) << 32
        return self.register("pc") & (1 << PC_BITS) - 1

    def has_ids(self, r_version: int) -> bool:
        """Return whether the packet processor has written the ids of the wave, where it does at
        all."""
        if self._fields.never_invalid or r_version < _FIRST_WITH_INVALID:
            return True
        needs = self._fields.invalid_needs
        return not (self._of(_INVALID) and (needs is None or self._of(needs)))

    def ids(self, r_version: int) -> WaveIds:
        """Return the ids; `WaveIds()` if the packet processor has written none."""
        if not self.has_ids(r_version):
            return WaveIds()
        x, y, z = self.ttmp(9), self.ttmp(9), self.ttmp(10)
        if self._fields.has_group_in_ttmp7:
            has_yz, yz = self.ttmp(8) >> 30 & 1, self.ttmp(7)
            y, z = (yz & 0xFFFF, yz >> 16) if has_yz else (0, 0)
        else:
            x = self.ttmp(8)
        return WaveIds(
            self._of(self._fields.packet), self._of(self._fields.wave_in_group), (x, y, z)
        )

    @property
    def has_vgprs(self) -> bool:
        return not (self._fields.gives_vgprs_back and self.register("status") & NO_VGPRS)

    def stop_reasons(self) -> tuple[str, ...]:
        """Return the stop reasons of amd-dbgapi, by bit number; none for a wave that was stopped
        only for the core file."""
        if not self.is_stopped:
            return ()
        trap = self.trap_id
        reasons = set(self.exceptions())
        if 0 < trap <= _LAST_TRAP_ID:
            reasons.add(_TRAP_IDS.get(trap, "trap"))
        return tuple(sorted(reasons, key=STOP_REASONS.index))

    def exceptions(self) -> Iterator[str]:
        """Return the exceptions that occurred, whether or not the wave stopped for them."""
        if self._fields.has_flags:
            private, user = self.register("excp_flag_priv"), self.register("excp_flag_user")
            enabled = self.register("trap_ctrl")
            watched, violation, illegal, retried = private & 0xF, 4, 6, 12
        else:
            private = user = self.register("trapsts")
            enabled = self.register("mode") >> 12
            watched, violation, illegal, retried = private & 0x7080, 8, 11, 28
        for bit, name in enumerate(_INSTRUCTION_EXCEPTIONS):
            if user & enabled & 1 << bit:
                yield name
        if watched and enabled & 1 << len(_INSTRUCTION_EXCEPTIONS):
            yield "watchpoint"
        if private & 1 << retried:
            yield "memory_violation"
        elif private & 1 << violation:
            yield "address_error"
        if private & 1 << illegal:
            yield "illegal_instruction"
        if private & self._fields.after_instruction:
            yield "single_step"
        if private & self._fields.begin_or_end:
            yield "trap"

    def shown(self, name: str) -> int | None:
        """Return a register that amd-dbgapi composes: its HALT is that of the wave before it was
        stopped.

        None for one shown as saved.
        """
        halted = int(self.is_halted)
        if name == "status" and not self._fields.has_flags:
            raw = self.register(name) & ~(SKIP_EXPORT | PRIVILEGED | STATUS_HALT.put(1))
            return raw | STATUS_HALT.put(halted)
        if name == "status":
            return self.register(name) & ~PRIVILEGED
        if name == "state_priv":
            return self.register(name) & ~STATE_HALT.put(1) | STATE_HALT.put(halted)
        return None


_EXCEPTION_BITS: Final = {"memory_violation": 28, "address_error": 8, "illegal_instruction": 11}
_EXCEPTION_FLAGS: Final = {"memory_violation": 12, "address_error": 4, "illegal_instruction": 6}
"""BitField of TRAPSTS, and of EXCP_FLAG_PRIV."""


@frozen
class StatusWords:
    """The words of a wave: registers by name, TTMPs by number."""

    registers: dict[str, int]
    ttmps: dict[int, int]


def status_words(
    layout: SaveLayout,
    *,
    pc: int,
    ids: WaveIds,
    stop_reasons: tuple[str, ...] | None,
    r_version: int,
    is_halted: bool = False,
) -> StatusWords:
    """Return the saved words of a wave: the inverse of `HardwareWords`.

    `stop_reasons`: why the trap handler stopped it; None if it did not. `Malformed` for reasons
    that no register of the level can represent.
    """
    fields, ttmps = words_of(layout), dict.fromkeys(range(4, 14), 0)
    registers = {"pc": pc}

    def put(field: TtmpField, number: int) -> None:
        ttmps[field[0]] |= field[1].put(number)

    put(_HALTED, int(is_halted))
    if ids.packet is None or ids.wave_in_group is None or ids.position is None:
        put(_INVALID, 1)
        if fields.invalid_needs is not None:
            put(fields.invalid_needs, 1)
    else:
        put(fields.packet, ids.packet)
        put(fields.wave_in_group, ids.wave_in_group)
        x, y, z = ids.position
        if fields.has_group_in_ttmp7:
            ttmps[9], ttmps[7] = x, y & 0xFFFF | z << 16
            ttmps[8] |= 1 << 30
        else:
            ttmps[8], ttmps[9], ttmps[10] = x, y, z
    if stop_reasons is not None:
        put(_STOPPED, 1)
        put(fields.trap_id, _trap_id(stop_reasons))
        registers |= _exception_registers(fields, stop_reasons)
        parked = layout.parked_pc
        if parked is not None and parked[1](r_version):
            ttmps[parked[0]] = pc & 0xFFFFFFFF
            ttmps[11] |= PARKED_HIGH.put(pc >> 32)
    return StatusWords(registers, ttmps)


def _trap_id(reasons: tuple[str, ...]) -> int:
    """Return the id of s_trap; a wave has executed one at most."""
    ids = [number for number, name in _TRAP_IDS.items() if name in reasons]
    ids += [_LAST_TRAP_ID] if "trap" in reasons else []
    if len(ids) > 1:
        raise Malformed(f"a wave stops for one s_trap: {', '.join(reasons)}")
    return ids[0] if ids else 0


def _exception_registers(fields: WaveWords, reasons: tuple[str, ...]) -> dict[str, int]:
    private = user = enabled = 0
    bits = _EXCEPTION_FLAGS if fields.has_flags else _EXCEPTION_BITS
    for name in reasons:
        if name in _INSTRUCTION_EXCEPTIONS:
            bit = 1 << _INSTRUCTION_EXCEPTIONS.index(name)
            user, enabled = user | bit, enabled | bit
        elif name == "watchpoint":
            private |= 1 if fields.has_flags else 1 << 7
            enabled |= 1 << len(_INSTRUCTION_EXCEPTIONS)
        elif name in bits:
            private |= 1 << bits[name]
        elif name == "single_step" and fields.after_instruction:
            private |= fields.after_instruction
        elif name not in (*_TRAP_IDS.values(), "trap"):
            raise Malformed(f"no register of a wave holds the stop reason {name}")
    if fields.has_flags:
        return {"excp_flag_priv": private, "excp_flag_user": user, "trap_ctrl": enabled}
    return {"trapsts": private | user, "mode": enabled << 12}


def hardware_range(wave: SavedWave) -> tuple[int, int]:
    """Return the address and size of the bytes with the hardware registers and TTMPs of a wave."""
    first = min(wave.blocks.hardware_at, wave.blocks.ttmps_at)
    return wave.start + first, wave.blocks.lds_at - first
