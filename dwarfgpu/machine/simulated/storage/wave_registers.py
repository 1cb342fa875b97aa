"""The registers of one running wave, as arrays `[register][lane]`, and its masks as numbers.

Law: masks, scalar registers and SCC are Python integers; a mask of lanes becomes an array of
booleans when it is needed, and each mask only once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from dwarfgpu.base.cached import cached_property
from dwarfgpu.machine.simulated.storage.allocated_registers import AllocatedRegisters
from dwarfgpu.machine.simulated.storage.scalar_slots import SLOTS
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, replaced, undefined
from dwarfgpu.machine.simulated.wave_fault import WaveStop, not_simulated
from dwarfgpu.machine.topology import StopReason, Wave

Lanes = np.ndarray[Any, Any]
Bank: TypeAlias = Literal["vectors", "accumulators"]

_ROWS: Final = {"vectors": ("v", "i", "f"), "accumulators": ("av", "ai", "af")}
_MASK32: Final = 0xFFFFFFFF


@lru_cache(maxsize=4096)
def lanes_of(mask: int, lane_count: int) -> Lanes:
    """Return a read-only array with a boolean for each lane of a mask."""
    data = np.frombuffer(mask.to_bytes(8, "little"), np.uint8)
    out = np.unpackbits(data, bitorder="little")[:lane_count].astype(bool)
    out.flags.writeable = False
    return out


def mask_of(lanes: Lanes) -> int:
    """Return the mask of an array of booleans; of a single one, all bits or none."""
    if not lanes.ndim:
        return -int(lanes)
    return int.from_bytes(np.packbits(lanes, bitorder="little").tobytes(), "little")


class RunningWave:
    """The registers of a wave, and where it is."""

    def __init__(
        self, wave: Wave, lane_count: int, vgprs: int, agprs: int, fill: int | None = None
    ) -> None:
        """Make all registers undefined, with the bytes of `fill`; without it, they are zeros."""
        self.wave = wave
        self.lane_count = self.wave_size = lane_count
        self.all_lanes = (1 << lane_count) - 1
        self.lane = np.arange(lane_count, dtype=np.uint32)
        self.pc = 0
        self.s: list[int] = [undefined(4, fill)] * SLOTS
        self.vcc = undefined(8, fill)
        self.exec = 0
        self.active: Lanes | None = None
        """The lanes of EXEC; None where it has them all."""
        self.unmasked: Lanes | None = None
        """The lanes that an operation writes which EXEC does not matter to; None for all."""
        self.scc = 0 if fill is None else Undefined(fill & 1)
        self.mode = 0
        self.indexed = 0
        """The operands that M0 moves, for the three sources and the destination, as MODE says."""
        self.scratch_base = 0
        """FLAT_SCRATCH of processors where it is architected."""
        self._initial = int(undefined(4, fill))
        self.given_vectors: Mapping[int, Sequence[int]] = {}
        """Of VGPRs, what the first lanes have when registers are made."""
        self.vgprs, self.agprs = vgprs, agprs
        self.allocated: AllocatedRegisters | None = None
        """The subset of these registers that instructions may name; None for all."""
        self._shared: dict[Bank, tuple[Lanes, int]] = {}
        """The array that registers are a part of with those of other waves, and which part."""
        self.written = [self.all_lanes if fill is None else 0] * (vgprs + agprs)
        """For each VGPR, then for each AGPR, the mask of the lanes whose dword was written; kept up
        to date by programs that track writes."""
        self.written_in_part: dict[int, Lanes] = {}
        """For each lane, the mask of the bits of its dword that were written, by the index in
        `written`; only of registers that were written in part. Lanes of `written` do not count."""
        self.is_ended = False
        self.is_waiting = False
        """At a barrier."""
        self.instructions = 0

    # Registers are made when they are first needed: few kernels have AGPRs, and few waves run at
    # the same time.

    @cached_property
    def vectors(self) -> Lanes:
        """The VGPRs."""
        out = np.full((self.vgprs, self.wave_size), self._initial, np.uint32)
        for number, values in self.given_vectors.items():
            out[number, : len(values)] = values
        return out

    @cached_property
    def accumulators(self) -> Lanes:
        """The AGPRs."""
        return np.full((self.agprs, self.wave_size), self._initial, np.uint32)

    # Their rows by type.

    @cached_property
    def v(self) -> list[Lanes]:
        return list(self.vectors)

    @cached_property
    def i(self) -> list[Lanes]:
        return list(self.vectors.view(np.int32))

    @cached_property
    def f(self) -> list[Lanes]:
        return list(self.vectors.view(np.float32))

    @cached_property
    def av(self) -> list[Lanes]:
        return list(self.accumulators)

    @cached_property
    def ai(self) -> list[Lanes]:
        return list(self.accumulators.view(np.int32))

    @cached_property
    def af(self) -> list[Lanes]:
        return list(self.accumulators.view(np.float32))

    @property
    def has_registers(self) -> bool:
        """Whether its vector registers are made."""
        return any(bank in vars(self) for bank in _ROWS)

    @property
    def register_bytes(self) -> int:
        """The size of its vector registers when all are made."""
        return 4 * (self.vgprs + self.agprs) * self.wave_size

    def remove_registers(self) -> None:
        """Remove vector registers: they are made again, with the first contents, when they are
        needed."""
        self._shared = {}
        for bank, rows in _ROWS.items():
            for name in (bank, *rows):
                vars(self).pop(name, None)

    def end_registers(self) -> None:
        """Remove all registers of a wave that has ended, because nothing reads them any more."""
        self.remove_registers()
        self.vgprs = self.agprs = 0
        self.given_vectors, self.written, self.written_in_part, self.s = {}, [], {}, []

    def vgpr_offset(self, first: int, offset: int, count: int) -> int:
        """Return the offset to add to the number of the first of `count` VGPRs; `WaveStop` for a
        VGPR that the wave does not have."""
        if self.allocated is not None:
            self.allocated.require("v", first + offset, count)
        if first + offset + count > self.vgprs:
            raise not_simulated(f"v{first + offset}, which the wave has not, by an index")
        return offset

    def sgpr_number(self, number: int, count: int, sgprs: int) -> int:
        """Return the index of the first of `count` SGPRs; `WaveStop` for one that does not exist
        in a processor with `sgprs` of them."""
        if number + count > sgprs:
            what = f"register s{number}, which M0 gives, does not exist"
            raise WaveStop(StopReason.NOT_SIMULATED, what)
        if number % count:
            raise not_simulated(f"s{number}, which M0 gives, as the first of {count}")
        if self.allocated is not None:
            self.allocated.require("s", number, count)
        return number

    def known_bits(self, row: int) -> Lanes:
        """Return the mask of the written bits of each lane of a vector register.

        `row`: its index in `written`, as of the following methods.
        """
        whole = lanes_of(self.written[row], self.lane_count) * np.uint32(_MASK32)
        part = self.written_in_part.get(row)
        return whole if part is None else whole | part

    def set_known_bits(self, row: int, known: Lanes) -> None:
        """Note which bits of each lane are written, and that the others are undefined."""
        whole = known == np.uint32(_MASK32)
        self.written[row] = mask_of(whole)
        self.written_in_part.pop(row, None)
        if (known[~whole] != 0).any():
            self.written_in_part[row] = known

    def write_bytes(self, row: int, selected: int, lanes: int) -> None:
        """Note that bytes are written in some lanes; `selected` is their mask in the dword."""
        if lanes & self.all_lanes & ~self.written[row]:
            self.set_known_bits(row, self.known_bits(row) | self._of_bytes(selected, lanes))

    def forget_bytes(self, row: int, selected: int, lanes: int) -> None:
        """Make bytes undefined in some lanes; `selected` is their mask in the dword."""
        self.set_known_bits(row, self.known_bits(row) & ~self._of_bytes(selected, lanes))

    def forget_bits(self, row: int, mask: int) -> None:
        """Make bits undefined; `mask` has the dwords of all lanes, one after the other."""
        data = mask.to_bytes(4 * self.lane_count, "little")
        self.set_known_bits(row, self.known_bits(row) & ~np.frombuffer(data, np.uint32))

    def _of_bytes(self, selected: int, lanes: int) -> Lanes:
        """Return the masks of bytes of a dword, in some lanes."""
        bits = sum(0xFF << 8 * byte for byte in range(4) if selected >> byte & 1)
        return lanes_of(lanes & self.all_lanes, self.lane_count) * np.uint32(bits)

    def set_exec(self, mask: int) -> None:
        """Write EXEC."""
        self.exec = mask = mask & self.all_lanes
        self.active = None if mask == self.all_lanes else lanes_of(mask, self.lane_count)

    def set_vcc(self, mask: int) -> None:
        """Write a mask of lanes to VCC; VCC_HI of wave32 is a register of its own."""
        self.vcc = replaced(self.vcc, mask, self.all_lanes)

    def set_vcc_dword(self, index: int, number: int) -> None:
        """Write VCC_LO (0) or VCC_HI (1)."""
        self.vcc = replaced(self.vcc, number << 32 * index, _MASK32 << 32 * index)

    @property
    def vcc_of_lanes(self) -> int:
        return self.vcc & self.all_lanes

    @property
    def active_lanes(self) -> Lanes:
        """A boolean for each lane."""
        return lanes_of(self.exec, self.lane_count)


def shared_registers(waves: Sequence[RunningWave], bank: Bank) -> Lanes:
    """Return the registers of waves of one kind as one array, shape (registers, waves, lanes);
    created if no wave has used any."""
    registers, begin = waves[0]._shared.get(bank, (None, 0))
    slots = [wave._shared.get(bank, (None, 0)) for wave in waves]
    if registers is not None and all(
        array is registers and slot == begin + number for number, (array, slot) in enumerate(slots)
    ):
        return registers[:, begin : begin + len(waves)]
    if any(bank in vars(wave) for wave in waves):
        registers = np.stack([getattr(wave, bank) for wave in waves], 1)
    else:
        wave = waves[0]
        count = wave.vgprs if bank == "vectors" else wave.agprs
        registers = np.full((count, len(waves), wave.wave_size), wave._initial, np.uint32)
        for number, wave in enumerate(waves if bank == "vectors" else ()):
            for row, values in wave.given_vectors.items():
                registers[row, number, : len(values)] = values
    for number, wave in enumerate(waves):
        wave._shared[bank] = registers, number
        setattr(wave, bank, registers[:, number])
        for name in _ROWS[bank]:
            vars(wave).pop(name, None)
    return registers
