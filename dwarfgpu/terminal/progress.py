"""A line on a terminal that says what takes so long."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import PurePath
from typing import Final, TextIO

_PATIENCE: Final = 0.5
"""Seconds before anything is said."""
_PAUSE: Final = 0.1
"""Seconds between two lines."""
_LONGEST: Final = 48
"""Characters of a name: the line must not be longer than that of the terminal."""
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """Shows how far the units of a file are read, or a program has run, on one line.

    It shows nothing unless the stream is a terminal that can clear a line (not TERM=dumb).
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._next = clock() + _PATIENCE
        self._is_shown = False

    def begin(self) -> None:
        """Start the time measurement of a request."""
        self._next = self._clock() + _PATIENCE

    def __call__(self, path: str, count: int, total: int) -> None:
        """Show the share of a file's units that has been read."""
        if self._clock() >= self._next:
            percent = 100 * count // max(total, 1)
            self._show(f"Reading the names in {PurePath(path).name}: {percent}%")

    def executed(self, instructions: int) -> None:
        """Show the number of instructions executed since the start of the program."""
        if self._clock() >= self._next:
            self._show(f"{instructions:,} instructions executed")

    def examined(self, files: int, last: str) -> None:
        """Show the number of files examined in a batch; `last`: printable name of the last one."""
        if self._clock() >= self._next:
            shown = last if len(last) <= _LONGEST else f"…{last[-_LONGEST:]}"
            self._show(f"{files:,} files examined, {shown}")

    def tried(self, cases: int) -> None:
        """Show the number of conformance cases that were run."""
        if self._clock() >= self._next:
            self._show(f"{cases:,} cases run")

    def _show(self, text: str) -> None:
        now = self._clock()
        if now < self._next or threading.current_thread() is not threading.main_thread():
            return  # what another thread reads, no command waits for
        self._next = now + _PAUSE
        if not self._stream.isatty() or os.environ.get("TERM") == "dumb":
            return
        self._is_shown = True
        self._stream.write(f"{_CLEAR}{text}")
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away; whatever comes next begins where it began."""
        if self._is_shown:
            self._is_shown = False
            self._stream.write(_CLEAR)
            self._stream.flush()
