"""Interrupts (SIGINT) that wait for the end of what must not be left half done."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def interrupts_kept(report: Callable[[], None] = lambda: None) -> Iterator[list[int]]:
    """Collect the interrupts of the block: they raise nothing within it. `report` is called for
    the first.

    Those of a program that handles them itself stay its own.
    """
    kept: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    is_ours = before is signal.default_int_handler and current_thread() is main_thread()

    def keep(number: int, _: object) -> None:
        kept.append(number)
        if len(kept) == 1:
            report()

    if is_ours:
        signal.signal(signal.SIGINT, keep)
    try:
        yield kept
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, before)
