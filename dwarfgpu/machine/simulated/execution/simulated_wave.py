"""A wave of a simulated machine: memory, registers, and what it shares with its workgroup."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from dwarfgpu.base.records import fields
from dwarfgpu.machine.simulated.semantics.rounding import EXCEPTIONS_AT, SATURATES_F16
from dwarfgpu.machine.simulated.semantics.source_statements import PLAIN_MODE, StepMode
from dwarfgpu.machine.simulated.storage.allocated_registers import AllocatedRegisters
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.simulated.storage.hardware_registers import (
    read_hardware_register,
    write_hardware_register,
)
from dwarfgpu.machine.simulated.storage.scalar_slots import M0
from dwarfgpu.machine.simulated.storage.undefined_numbers import known_bits
from dwarfgpu.machine.simulated.storage.wave_accesses import WaveAccesses
from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemories
from dwarfgpu.machine.simulated.wave_fault import WaveStop, trap
from dwarfgpu.machine.topology import Barrier, StopReason, Wave

_ALWAYS_SINCE_GFX12: Final = 0x300
_GPR_IDX_EN: Final = 1 << 27
"""A bit of MODE ("VGPR Indexing" of AMD's ISA documents of GFX9)."""
_INDEXED_AT: Final = 12
"""The bits of M0 that say which operands are indexed."""
NO_BARRIER: Final = Barrier()
SOPP_BYTES: Final = 4
"""The size of an instruction that waits at a barrier or ends a wave."""


class SimulatedWave(WaveAccesses):
    """A wave with what it needs of its machine."""

    def __init__(
        self,
        wave: Wave,
        lane_count: int,
        vgprs: int,
        agprs: int,
        global_memory: GlobalMemory,
        fill: int | None = None,
        memories: WaveMemories | None = None,
        *,
        pc: int = 0,
        generation: int = 9,
        allocated: AllocatedRegisters | None = None,
        barrier: Barrier = NO_BARRIER,
        group: list[SimulatedWave] | None = None,
    ) -> None:
        """`generation`: of the processor, 12 for gfx1200; `group`: the waves of its workgroup that
        were made before, to which it is added; other arguments as attributes of that name."""
        super().__init__(wave, lane_count, vgprs, agprs, global_memory, fill, memories)
        self.pc = pc
        self.allocated = allocated
        self.generation = generation
        self.is_halted = False
        self.step_mode = PLAIN_MODE
        self.signals = barrier.signals
        """How often it has signalled the barrier of its workgroup without having met it."""
        self.is_barrier_recorded = barrier.is_recorded
        """Whether the number of signals is known, as it is once a barrier is met."""
        self.met = barrier.met
        """Barriers that are met before it has waited for them."""
        self.group = [] if group is None else group
        """The waves of its workgroup."""
        self.group.append(self)
        self.stop_reason: StopReason | None = None
        """Why the wave cannot continue; None if it can."""
        self.stop_lanes: tuple[int, ...] = ()
        """The lanes for which it cannot, ascending; none where it is the whole wave."""
        self.reported_pc: int | None = None
        """Where the debugger last reported the wave: a breakpoint there is not hit again."""

    @property
    def stop_pc(self) -> int:
        """Where a debugger shows the wave: at a barrier, the instruction that still waits."""
        return self.pc - SOPP_BYTES if self.is_waiting else self.pc

    @property
    def clock(self) -> int:
        """The counter of clocks: instructions that the wave has executed."""
        return self.instructions

    def trap(self, number: int) -> None:
        active = self.active_lanes
        raise trap(number, () if active.all() else tuple(np.flatnonzero(active).tolist()))

    def halt(self, is_halted: int) -> None:
        self.is_halted = bool(is_halted)

    def invalidate_code(self) -> None:
        """Execute `s_icache_inv`."""
        self.global_memory.code.invalidate()

    def set_mode(self, value: int) -> None:
        """Write MODE; on GFX9 it says with M0 which operands are indexed."""
        self.mode = value
        is_indexed = self.generation == 9 and value & known_bits(value) & _GPR_IDX_EN
        self.indexed = self.s[M0] >> _INDEXED_AT & 0xF if is_indexed else 0
        self.step_mode = step_mode(self.indexed, self._relevant(value), self.allocated)

    def _relevant(self, mode: int) -> int:
        """Return MODE with the bits that GFX12 has no longer: there IEEE and DX10_CLAMP are always
        on, and TRAP_CTRL enables exceptions."""
        return mode if self.generation < 12 else mode & 0x8000FF | _ALWAYS_SINCE_GFX12

    def index(self, is_on: int) -> None:
        """Execute `s_set_gpr_idx_on` or off, when M0 is written."""
        self.set_mode(self.mode & ~_GPR_IDX_EN | is_on * _GPR_IDX_EN)

    def hardware_register(self, name: str) -> int:
        """Return the value that `s_getreg_b32` reads, as far as its bits are defined."""
        return read_hardware_register(self, name, self.clock)

    def write_hardware_register(self, name: str, mask: int, value: int) -> None:
        """Write the bits of the mask, as `s_setreg_b32` does."""
        if name == "MODE":
            self.set_mode(self.mode & ~mask | value & mask)
        else:
            write_hardware_register(self, name, mask, value)

    def signal(self) -> None:
        """Execute `s_barrier_signal` of the barrier of the workgroup."""
        self.signals += 1

    def leave_barrier(self) -> None:
        """Wait no longer: the instruction has not been executed, or the wave is put elsewhere."""
        self.is_waiting = False
        self.signals = self.barrier.signals

    def leave_breakpoint(self) -> None:
        """Do not stop again where it is; behind a barrier at which it waits, it has not been."""
        self.reported_pc = None if self.is_waiting else self.pc

    @property
    def barrier(self) -> Barrier:
        """What the wave has done about its barrier before the instruction at `stop_pc`."""
        if self.generation < 12:
            return Barrier()
        return Barrier(self.signals, self.met, self.is_barrier_recorded)

    def is_first_to_signal(self) -> int:
        """Return whether no other wave of the workgroup has signalled the barrier; `WaveStop` where
        a core file does not record it."""
        if any(wave.signals for wave in self.group):
            return 0
        if not all(wave.is_barrier_recorded for wave in self.group if wave is not self):
            text = "whether another wave has signalled the barrier is not recorded in the core file"
            raise WaveStop(StopReason.UNAVAILABLE, text)
        return 1

    def has_to_wait(self) -> bool:
        """Execute `s_barrier_wait`: whether the barrier is still to be met."""
        if not self.met:
            return True
        self.met -= 1
        return False


@cache
def step_mode(indexed: int, value: int, allocated: AllocatedRegisters | None = None) -> StepMode:
    """Return the only object for the bits of MODE that instructions depend on ("MODE" in AMD's ISA
    documents), and the registers that they may name."""
    rounding = (
        value & 0xF | (value >> 23 & 1) * SATURATES_F16 | (value >> 12 & 0x7F) << EXCEPTIONS_AT
    )
    is_ieee, is_dx10_clamp = bool(value & 1 << 9), bool(value & 1 << 8)
    key = indexed, value >> 4 & 0xF, rounding, is_ieee, is_dx10_clamp, allocated
    return _modes.setdefault(key, StepMode(*key))


_modes: Final[dict[tuple[Any, ...], StepMode]] = {
    tuple(getattr(PLAIN_MODE, field.name) for field in fields(StepMode)): PLAIN_MODE
}
