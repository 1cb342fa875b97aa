"""The standard streams of a command, in any state that the shell left them in.

Law: failed output to standard error is dropped without further effect; failed output to standard
output is a failure.
"""

from __future__ import annotations

import os
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import BufferedWriter, BytesIO, FileIO, StringIO, TextIOBase, TextIOWrapper
from typing import Final, TextIO, cast

from dwarfgpu.base.printable import ESCAPES

_COLUMNS: Final = 80
_WIDEST: Final = 200


class _Lossy(TextIOWrapper):
    """A stream that accepts all output, and drops what it cannot write."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


@contextmanager
def standard_streams() -> Iterator[None]:
    """Provide usable streams: closed ones are empty, or drop all output."""
    if isinstance(sys.stdout, TextIOWrapper):  # a locale without the characters is not an error
        sys.stdout.reconfigure(errors=ESCAPES)
    if sys.stdin is None:
        sys.stdin = TextIOWrapper(BytesIO(), encoding="utf-8")
    elif isinstance(sys.stdin, TextIOWrapper) and sys.stdin.errors == "strict":
        with suppress(OSError):  # the caller has begun to read
            sys.stdin.reconfigure(errors="surrogateescape")
    with redirect_stderr(_lossy(sys.stderr)):
        yield


def _lossy(stream: TextIO | None) -> TextIO:
    """Return a stream that takes all: one in memory does already."""
    if stream is None:
        return StringIO()
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return stream
    return _Lossy(
        BufferedWriter(FileIO(number, "wb", closefd=False)),
        encoding=stream.encoding,
        errors=ESCAPES,
        line_buffering=True,
    )


class _FailingLater:
    """A stream that drops all output after a failure, which it keeps."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.error: OSError | None = None

    def write(self, text: str, /) -> int:
        try:
            if self.error is None:
                self._stream.write(text)
        except OSError as error:
            self.error = error
        return len(text)

    def flush(self) -> None:
        try:
            if self.error is None:
                self._stream.flush()
        except OSError as error:
            self.error = error

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextmanager
def failing_at_the_end() -> Iterator[None]:
    """Let a command go on where its output cannot be written, because it writes files, too; raise
    the `OSError` of the output when it has ended."""
    stream = _FailingLater(sys.stdout)
    with redirect_stdout(cast(TextIO, stream)):
        yield
        stream.flush()
    if stream.error is not None:
        raise stream.error


class _Sink(TextIOBase):
    """A stream that can only be written to, as any other."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:
        self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        flush = getattr(self._stream, "flush", None)
        if flush is not None:
            flush()


def usable(stream: TextIO | None) -> TextIO:
    """Return a usable stream for one with which a program replaced a standard stream."""
    if stream is None:
        return StringIO()
    if all(hasattr(stream, name) for name in ("encoding", "isatty", "flush")):
        return stream
    return cast(TextIO, _Sink(stream))


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether it is a terminal, even if a program replaced a standard stream."""
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty())


def shows_colours(stream: TextIO) -> bool:
    """Return whether it is a terminal with colours, and they are not disabled."""
    if not stream.isatty():
        return False
    is_dumb = os.environ.get("TERM", "dumb") == "dumb"
    return not is_dumb and not os.environ.get("NO_COLOR")


COLOUR_SETTINGS: Final = ("auto", "always", "never")
"""The arguments of `--color`, for `has_colours`."""


def has_colours(setting: str) -> bool:
    """Return whether to use colours, by `--color`: `always`, `never`, or `auto` for what standard
    output shows."""
    return shows_colours(sys.stdout) if setting == "auto" else setting == "always"


def lose_output() -> None:
    """Discard pending standard output: it could not be written."""
    with suppress(OSError, ValueError):  # it is in memory
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def terminal_columns(is_terminal: bool) -> int:
    """Return the width of the terminal; 80 without one."""
    if not is_terminal:
        return _COLUMNS
    return max(min(_columns(), _WIDEST), 40)


def _columns() -> int:
    """Return the columns, as `shutil.get_terminal_size`, whose module imports those of four
    compressions."""
    columns = 0
    with suppress(KeyError, ValueError):
        columns = int(os.environ["COLUMNS"])
    if columns <= 0:
        with suppress(AttributeError, OSError, ValueError):  # closed, or no terminal
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    return columns if columns > 0 else _COLUMNS


def help_columns() -> int:
    """Return the width of help, as argparse has it."""
    return _columns() - 2


class HelpFormatter(RawDescriptionHelpFormatter):
    """Help as wide as the terminal. argparse makes a formatter for each argument that is added."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=help_columns())
