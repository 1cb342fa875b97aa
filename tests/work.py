"""How much work something is, whatever else the machine does: calls are counted, not seconds."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from cProfile import Profile

_INTERVAL = 0.2
"""Seconds of processor time between two looks at how many calls were made."""
_QUICKEST = 5e-9
"""Seconds of processor time: no machine makes a call of Python in less."""
_MANY = 1_000_000
"""A bound of fewer calls is reached before the first tick of the timer."""


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Fails where more calls were made in the block; several times a second they are counted, so
    that endless work ends too.

    A generator that goes on counts as one; so does what is written in C. Counting makes a call
    several times as slow: many calls are counted only from the time on in which no machine makes
    that many, so that twice as many as the bound are never made. How fast the machine is decides
    nothing else: what is counted was called.
    """
    profile = Profile(subcalls=False)
    is_counting = False

    def check() -> None:
        if _calls(profile) > calls:
            raise AssertionError(f"more than {calls} calls")

    def tick(*_: object) -> None:
        nonlocal is_counting
        if is_counting:
            check()
        else:
            is_counting = True
            profile.enable()

    before = signal.signal(signal.SIGPROF, tick)
    if calls < _MANY:
        tick()
    signal.setitimer(signal.ITIMER_PROF, calls * _QUICKEST, _INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if is_counting:
            profile.disable()
    check()


def _calls(profile: Profile) -> int:
    return sum(entry.callcount for entry in profile.getstats())


def sometimes_at_most(number: int, calls: int) -> AbstractContextManager[None]:
    """Counts one round in four: counting costs twice as much again as the round."""
    return nullcontext() if number % 4 else at_most(calls)


def calls_of(work: Callable[[], object]) -> int:
    """How many calls a function makes; what other tests left is not freed meanwhile."""
    with _no_collection(), Profile(subcalls=False) as profile:
        work()
    return _calls(profile)


@contextmanager
def _no_collection() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def assert_linear(work: Callable[[int], Callable[[], object]], size: int) -> None:
    """Four times the size takes at most five times the calls; what is quadratic takes sixteen.

    `work` prepares a piece of work of a size, which is not counted. `size`: from where on the
    quadratic part of the work would be greater than the linear one.
    """
    work(1)()  # what is done once
    small, large = (calls_of(work(count)) for count in (size, 4 * size))
    assert large <= 5 * small, (small, large)
