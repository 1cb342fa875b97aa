"""Whose turn it is: rounds in which each wave that can go on has one turn.

Law: the order is a function of the seed and of which waves can go on at the beginning of a round. A
stop of the machine does not change whose turn it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from dwarfgpu.machine.simulated.execution.barriers import release
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave

QUANTUM: Final = 1 << 12
"""Instructions of a wave before another one has its turn, behind the next one that may branch."""


class Schedule:
    """The turns of the waves of a machine."""

    def __init__(self, seed: int = 0) -> None:
        """`seed`: of the order in a round; 0 is that of the waves."""
        self.seed = seed
        self._rounds = 0
        self._round: list[SimulatedWave] = []
        """Waves that still have a turn; the first one has it now."""
        self._used = 0
        """Instructions that the first one has executed in its turn."""

    def whose_turn(self, waves: Sequence[SimulatedWave]) -> SimulatedWave | None:
        """Return the wave that goes on; None where none can."""
        while True:
            while self._round:
                wave = self._round[0]
                if not (wave.is_ended or wave.is_waiting):
                    return wave
                self._end_turn()
            release(waves)
            ready = [wave for wave in waves if not (wave.is_ended or wave.is_waiting)]
            if not ready:
                return None
            if self.seed:
                Random(self.seed << 32 | self._rounds).shuffle(ready)
            self._rounds += 1
            self._round = ready

    def has_turn(self, wave: SimulatedWave) -> bool:
        """Return whether it is the turn of a wave."""
        return self._round[:1] == [wave]

    def remaining(self, wave: SimulatedWave) -> int:
        """Return how many instructions a wave executes before its turn may end."""
        return QUANTUM - self._used if self.has_turn(wave) else QUANTUM

    def spend(self, instructions: int, *, is_over: bool) -> None:
        """Record what the wave whose turn it is has executed, and whether its turn has ended."""
        self._used += instructions
        if is_over:
            self._end_turn()

    def _end_turn(self) -> None:
        self._used = 0
        self._round.pop(0)
