"""What is in one another, each with the one around it.

Law: thousands may be in one another, and each of them may be asked: what was asked of one is not
asked again for those inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, Self, TypeVar

Answer = TypeVar("Answer")
Content = TypeVar("Content")


class Nested(Generic[Content]):
    """Something that is in something of its kind, and the answers that are kept for it."""

    __slots__ = ("_answers", "content", "outer", "outermost")

    def __init__(self, content: Content, outer: Self | None) -> None:
        self.content = content
        self.outer = outer
        self.outermost: Content = content if outer is None else outer.outermost
        self._answers: dict[Hashable, Any] = {}

    def nearest(
        self, question: Hashable, answer_of: Callable[[Self], Answer | None]
    ) -> Answer | None:
        """Return the first answer that is not None, from this one outwards; each one is asked a
        question once."""
        asked: list[Self] = []
        around: Self | None = self
        answer: Answer | None = None
        while around is not None and answer is None:
            if question in around._answers:
                answer = around._answers[question]
                break
            asked.append(around)
            answer, around = answer_of(around), around.outer
        for one in asked:
            one._answers[question] = answer
        return answer
