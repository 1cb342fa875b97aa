"""The streams of the process, lent to code that is not ours: it cannot close them, and what it
prints is the output of a command.

Law: afterwards they are as they were.
"""

from __future__ import annotations

import io
import os
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import Any, Final, TextIO

_MAX_READ: Final = 1 << 20


class CapturedText(io.StringIO):
    """What code prints, that which it writes on the file descriptor of standard output between.

    It stays readable when the code closes it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.direct: Callable[[], str] = str
        """Returns the text written on the file descriptor since the last call."""

    def write(self, text: str, /) -> int:
        super().write(self.direct())
        return super().write(text)

    def drained(self) -> str:
        """Return the text printed since the last call."""
        text = self.getvalue() + self.direct()
        self.seek(0)
        self.truncate()
        return text

    def close(self) -> None:
        self.flush()


class _BorrowedStream:
    """A stream of the process that code uses and cannot close: the session continues with it.

    `exit()` closes stdin, before it raises anything.
    """

    def __init__(self, stream: TextIO, before: Callable[[], None]) -> None:
        self._stream, self._before = stream, before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)

    def write(self, text: str) -> int:
        """Write after earlier output."""
        self._before()
        return self._stream.write(text)

    def close(self) -> None:
        """Do nothing: the code does not own it."""


@contextmanager
def with_borrowed_streams(
    out: CapturedText, *, has_stdin: bool, is_apart: bool, flush: Callable[[], None]
) -> Iterator[None]:
    """Replace the streams while code runs; its output goes to `out`.

    `has_stdin`: the code reads the standard input of the process; otherwise its stdin is empty.
    `is_apart`: the file descriptor of standard output leads to `out`, too, also for its children.
    `flush` is called before anything is written on stderr.
    """
    names = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
    before = {name: getattr(sys, name) for name in names}
    for name, stream in before.items():
        borrowed: object = None if stream is None else _BorrowedStream(stream, flush)
        if name.strip("_") == "stdout":
            borrowed = out
        elif name.strip("_") == "stdin" and not has_stdin:
            borrowed = io.StringIO()
        setattr(sys, name, borrowed)
    try:
        with _empty_stdin(not has_stdin), _collected(out, is_apart):
            yield
    finally:
        for name, stream in before.items():
            setattr(sys, name, stream)


@contextmanager
def _empty_stdin(is_wanted: bool) -> Iterator[None]:
    """Put the file descriptor of standard input at its end."""
    if not is_wanted:
        yield
        return
    with open(os.devnull, "rb") as nothing, _replaced(0, nothing.fileno()):
        yield


@contextmanager
def _collected(out: CapturedText, is_wanted: bool) -> Iterator[None]:
    """Redirect the file descriptor of standard output to `out`."""
    if not is_wanted:
        yield
        return
    with TemporaryFile() as file:
        decode = getincrementaldecoder("utf-8")("backslashreplace").decode
        read = 0

        def direct(is_end: bool = False) -> str:
            nonlocal read
            text = ""
            while data := os.pread(file.fileno(), _MAX_READ, read):
                read += len(data)
                text += decode(data)
            return text + decode(b"", is_end)

        out.direct = direct
        try:
            with _replaced(1, file.fileno()):
                yield
        finally:
            out.direct = str
            out.write(direct(is_end=True))


@contextmanager
def _replaced(number: int, replacement: int) -> Iterator[None]:
    """Replace a file descriptor by another one; leave a closed one closed."""
    try:
        saved = os.dup(number)
    except OSError:
        yield
        return
    os.dup2(replacement, number)
    try:
        yield
    finally:
        os.dup2(saved, number)
        with suppress(OSError):
            os.close(saved)
