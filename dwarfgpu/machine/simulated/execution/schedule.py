"""The order of waves: in each round, every wave that can continue gets one turn.

Law: the order is a function of the seed and of the waves that can continue at the beginning of a
round. A stop of the machine does not change whose turn it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.machine.simulated.execution.barriers import release
from dwarfgpu.machine.simulated.execution.rounds import Rounds
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave

QUANTUM: Final = 1 << 12
"""Instructions of a wave before another one has its turn, behind the next one that may branch."""


class Schedule(Rounds[SimulatedWave]):
    """The turns of the waves of a machine."""

    def __init__(self, seed: int = 0) -> None:
        """`seed`: of the order in a round; 0 is that of the waves."""
        super().__init__(seed)
        self._used = 0
        """Instructions that the wave whose turn it is has executed in it."""

    def whose_turn(self, waves: Sequence[SimulatedWave]) -> SimulatedWave | None:
        """Return the wave that continues; None if none can."""

        def released() -> Sequence[SimulatedWave]:
            release(waves)
            return waves

        return self.current(released)

    def can_go_on(self, candidate: SimulatedWave) -> bool:
        """Return whether a wave has neither ended nor waits at a barrier."""
        return not (candidate.is_ended or candidate.is_waiting)

    def remaining(self, wave: SimulatedWave) -> int:
        """Return how many instructions a wave executes before its turn may end."""
        return QUANTUM - self._used if self.has_turn(wave) else QUANTUM

    def spend(self, instructions: int, *, is_over: bool) -> None:
        """Record what the wave whose turn it is has executed, and whether its turn has ended."""
        self._used += instructions
        if is_over:
            self.end_turn()

    def end_turn(self) -> None:
        """Let the next wave have its turn."""
        self._used = 0
        super().end_turn()
