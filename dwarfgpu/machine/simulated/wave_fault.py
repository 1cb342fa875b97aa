"""The exception that stops a wave before an instruction, with the reason."""

from __future__ import annotations

from typing import Final

from dwarfgpu.machine.topology import StopReason

_TRAPS: Final = {1: StopReason.BREAKPOINT, 2: StopReason.ASSERT_TRAP, 3: StopReason.DEBUG_TRAP}


class WaveStop(Exception):
    """A wave stops before the instruction that it was about to execute."""

    def __init__(
        self,
        reason: StopReason,
        text: str,
        *,
        lanes: tuple[int, ...] = (),
        address: int | None = None,
    ) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text
        self.lanes = lanes
        """Those for which it happened; none where it is the whole wave."""
        self.address = address
        """The address of the memory that could not be accessed."""


def other_lanes(lanes: tuple[int, ...]) -> str:
    """Return `; 3 more of its lanes fault`, behind the text about the first one; empty for no
    others."""
    return f"; {len(lanes) - 1} more of its lanes fault" if len(lanes) > 1 else ""


def trap(number: int, lanes: tuple[int, ...]) -> WaveStop:
    """Return the stop of `s_trap` ("Trap Handler ABI": 1 breakpoint, 2 assert, 3 debug).

    `lanes`: those in the branch that it is in; none where it is the whole wave.
    """
    return WaveStop(_TRAPS.get(number, StopReason.TRAP), f"s_trap {number}", lanes=lanes)


def not_simulated(what: str) -> WaveStop:
    return WaveStop(StopReason.NOT_SIMULATED, f"not simulated: {what}")
