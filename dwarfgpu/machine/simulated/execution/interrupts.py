"""Ctrl-C while a machine runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interrupts(interrupt: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C call a function that stops a machine between two instructions, where that is
    possible: a handler of signals is for the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: interrupt())
    try:
        yield
    finally:
        if before is not None:  # None: a handler that Python did not set
            signal.signal(signal.SIGINT, before)
