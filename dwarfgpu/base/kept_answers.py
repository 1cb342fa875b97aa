"""Answers that are kept for a question that repeats, up to a maximum of them or of their size."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")
Item = TypeVar("Item")


class KeptAnswers(dict[Question, Answer]):
    """A dictionary that forgets all its answers where one more than its maximum is added."""

    __slots__ = ("_maximum",)

    def __init__(self, maximum: int) -> None:
        super().__init__()
        self._maximum = maximum

    def __setitem__(self, question: Question, answer: Answer) -> None:
        if len(self) >= self._maximum:
            self.clear()
        super().__setitem__(question, answer)

    def answer(self, question: Question, find: Callable[[Question], Answer]) -> Answer:
        """Return the kept answer; if there is none, what `find` returns, which is kept then.

        Another thread may empty the dictionary at any time: an answer that was kept just now may
        be gone.
        """
        try:
            return self[question]
        except KeyError:
            pass  # an error of `find` has nothing to do with it
        answer = self[question] = find(question)
        return answer


class WeighedAnswers(KeptAnswers[Question, Answer]):
    """The same, where an answer counts as much as its question weighs."""

    __slots__ = ("_total", "_weigh")

    def __init__(self, maximum: int, weigh: Callable[[Question], int]) -> None:
        super().__init__(maximum)
        self._weigh = weigh
        self._total = 0

    def clear(self) -> None:
        """Forget all answers."""
        super().clear()
        self._total = 0

    def __setitem__(self, question: Question, answer: Answer) -> None:
        weight = self._weigh(question)
        if self._total + weight > self._maximum:
            self.clear()
        self._total += weight
        dict.__setitem__(self, question, answer)


class HashedOnce(tuple[Item, ...]):
    """A tuple that keeps its hash, which that of an equal tuple is, too: those of thousands of
    files are in questions."""

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash
