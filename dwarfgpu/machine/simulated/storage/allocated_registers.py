"""The registers allocated to a wave; an instruction that names any other register stops it."""

from __future__ import annotations

from typing import NamedTuple

from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import Dispatch, StopReason


class AllocatedRegisters(NamedTuple):
    """How many registers of each bank a wave has, by the dispatch; None where it is unknown."""

    s: int | None = None
    v: int | None = None
    a: int | None = None

    def require(self, bank: str, first: int, count: int) -> None:
        """Raise `WaveStop` if one of consecutive registers is not allocated; those of other banks
        always are."""
        allocated = {"s": self.s, "v": self.v, "a": self.a}.get(bank)
        if allocated is None or first + count <= allocated:
            return
        extent = f"{bank}0 to {bank}{allocated - 1}" if allocated else f"no {bank} registers"
        raise WaveStop(
            StopReason.NOT_SIMULATED,
            f"register {bank}{max(first, allocated)} is not allocated: the wave has {extent}",
        )


def allocated_registers(dispatch: Dispatch | None) -> AllocatedRegisters | None:
    """Return what the waves of a dispatch have; None where nothing says it."""
    if dispatch is None:
        return None
    return AllocatedRegisters(dispatch.sgprs, dispatch.vgprs, dispatch.agprs)
