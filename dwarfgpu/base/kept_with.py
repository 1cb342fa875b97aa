"""Answers that are kept with the object that they are about, and end with it.

Law: a function that keeps answers by units or files in a table of its own would keep the files in
memory for as long as the process lasts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from dwarfgpu.base.kept_answers import KeptAnswers

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
_ABSENT: Final = object()


def kept_with(
    owner_of: Callable[..., object], most: int = 10_000
) -> Callable[[Callable[Arguments, Answer]], Callable[Arguments, Answer]]:
    """Return a decorator that keeps the answers of a function of positional, hashable arguments in
    the `__dict__` of an object, `most` of them. `owner_of`: the object, of the same arguments.

    What is asked of the object alone has one answer, which is kept without a table: a file may have
    hundreds of thousands of units.
    """

    def decorate(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        name = f"{function.__module__}.{function.__qualname__}"
        asked: Callable[..., Answer] = function

        @wraps(function)
        def kept(*question: Any) -> Any:
            owner = owner_of(*question)
            attributes = owner.__dict__
            if len(question) == 1 and question[0] is owner:
                answer = attributes.get(name, _ABSENT)
                return attributes.setdefault(name, asked(owner)) if answer is _ABSENT else answer
            answers = attributes.get(name)
            if answers is None:
                answers = attributes[name] = KeptAnswers[Any, Any](most)
            answer = answers.get(question, _ABSENT)
            if answer is _ABSENT:
                answer = answers[question] = asked(*question)
            return answer

        return kept  # type: ignore[return-value]

    return decorate


def first(owner: object, *_: object) -> object:
    """Return the first argument: for functions that are about it."""
    return owner
