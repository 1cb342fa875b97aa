"""Answers that are kept for a question that repeats, up to a maximum of them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class KeptAnswers(dict[Question, Answer]):
    """A dictionary that forgets all its answers where one more than its maximum is added."""

    def __init__(self, maximum: int) -> None:
        super().__init__()
        self._maximum = maximum

    def __setitem__(self, question: Question, answer: Answer) -> None:
        if len(self) >= self._maximum:
            self.clear()
        super().__setitem__(question, answer)
