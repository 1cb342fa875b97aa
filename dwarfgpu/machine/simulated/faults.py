"""Why a wave stops: the stop reasons of amd-dbgapi, precise to the instruction."""

from __future__ import annotations

from enum import Enum
from typing import Final


class StopReason(Enum):
    """`AMD_DBGAPI_WAVE_STOP_REASON_*`."""

    BREAKPOINT = "BREAKPOINT"
    WATCHPOINT = "WATCHPOINT"
    FP_INPUT_DENORMAL = "FP_INPUT_DENORMAL"
    FP_DIVIDE_BY_0 = "FP_DIVIDE_BY_0"
    FP_OVERFLOW = "FP_OVERFLOW"
    FP_UNDERFLOW = "FP_UNDERFLOW"
    FP_INEXACT = "FP_INEXACT"
    FP_INVALID_OPERATION = "FP_INVALID_OPERATION"
    INT_DIVIDE_BY_0 = "INT_DIVIDE_BY_0"
    DEBUG_TRAP = "DEBUG_TRAP"
    ASSERT_TRAP = "ASSERT_TRAP"
    TRAP = "TRAP"
    MEMORY_VIOLATION = "MEMORY_VIOLATION"
    ADDRESS_ERROR = "ADDRESS_ERROR"
    ILLEGAL_INSTRUCTION = "ILLEGAL_INSTRUCTION"
    FATAL_HALT = "FATAL_HALT"
    INTERRUPTED = "INTERRUPTED"
    """The debugger asks the machine to stop; amd-dbgapi has no such reason."""
    WAITING = "WAITING"
    """At a barrier for waves that do not run; no reason of amd-dbgapi."""
    UNAVAILABLE = "UNAVAILABLE"
    """The instruction needs what the state does not have, from which the machine was made; no
    reason of amd-dbgapi."""
    NOT_SIMULATED = "NOT_SIMULATED"
    """No reason of amd-dbgapi: the instruction is one that a GPU has and this simulator has not."""


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
        """Of the memory that could not be accessed."""


def trap(number: int) -> WaveStop:
    """The stop of `s_trap` ("Trap Handler ABI": 1 breakpoint, 2 assert, 3 debug)."""
    return WaveStop(_TRAPS.get(number, StopReason.TRAP), f"s_trap {number}")


def not_simulated(what: str) -> WaveStop:
    return WaveStop(StopReason.NOT_SIMULATED, f"not simulated: {what}")
