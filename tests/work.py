"""How much work something is, whatever else the machine does: calls are counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Fails as soon as more calls were made in the block, so that endless work ends too.

    A generator that goes on counts as one; so does what is written in C.
    """
    left = calls

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal left
        left -= event in ("call", "c_call")
        if left < 0:
            sys.setprofile(None)
            raise AssertionError(f"more than {calls} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)


def sometimes_at_most(number: int, calls: int) -> AbstractContextManager[None]:
    """Counts one round in four: counting costs twice as much again as the round."""
    return nullcontext() if number % 4 else at_most(calls)


def calls_of(work: Callable[[], object]) -> int:
    """How many calls a function makes."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def assert_linear(work: Callable[[int], Callable[[], object]], size: int) -> None:
    """Four times the size takes at most five times the calls; what is quadratic takes sixteen.

    `work` prepares a piece of work of a size, which is not counted. `size`: from where on the
    quadratic part of the work would be greater than the linear one.
    """
    work(1)()  # what is done once
    small, large = (calls_of(work(count)) for count in (size, 4 * size))
    assert large <= 5 * small, (small, large)
