"""Scheduling in rounds: everyone who can continue gets one turn per round.

Law: the order is a function of the seed, the number of the round and of the waves that can continue
when it begins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Rounds(ABC, Generic[_T]):
    """Whose turn it is."""

    def __init__(self, seed: int = 0) -> None:
        """`seed`: of the order in a round; 0 is that in which they are given."""
        self.seed = seed
        self._count = 0
        self._round: list[_T] = []
        """Who still has a turn; the first one has it now."""

    @abstractmethod
    def can_go_on(self, candidate: _T) -> bool:
        """Return whether one can use a turn."""

    def current(self, candidates: Callable[[], Sequence[_T]]) -> _T | None:
        """Return the wave that continues; None if none can. `candidates`: those of a new round."""
        while self._round:
            if self.can_go_on(self._round[0]):
                return self._round[0]
            self.end_turn()
        ready = [candidate for candidate in candidates() if self.can_go_on(candidate)]
        if not ready:
            return None
        if self.seed:
            Random(self.seed << 32 | self._count).shuffle(ready)
        self._count += 1
        self._round = ready
        return ready[0]

    def has_turn(self, candidate: _T) -> bool:
        """Return whether it is the turn of one."""
        return bool(self._round) and self._round[0] is candidate

    def end_turn(self) -> None:
        """Let the next one have its turn."""
        self._round.pop(0)
