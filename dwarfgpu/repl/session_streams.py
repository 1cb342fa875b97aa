"""The streams of a debug session: answers on one, errors and notes on the other.

Law: a text of what is debugged never drives the terminal.
"""

from __future__ import annotations

from typing import Final, TextIO

from dwarfgpu.base.printable import ESCAPES
from dwarfgpu.base.records import define
from dwarfgpu.repl.output import Painted, Raw
from dwarfgpu.repl.terminal.colour import CONTROL

MAX_UNENDED: Final = 10_000
"""Characters that are kept of a line that does not end."""


@define
class Streams:
    """The stream of answers, and that of errors and notes."""

    out: TextIO
    err: TextIO
    unended: str = ""
    """The printed part of a line that has not ended."""

    def print(self, text: str) -> None:
        """Print text, which contains its own line ends."""
        shown = str(text) if isinstance(text, (Painted, Raw)) else _printable(text, self.out)
        if isinstance(text, Raw):
            send(text, self.out)
        else:
            self.out.write(shown)
        self.unended = (self.unended + shown).rpartition("\n")[2][-MAX_UNENDED:]

    def complain(self, text: str) -> None:
        """Print on the error stream, after all that was printed before."""
        self.out.flush()
        self.err.write(_printable(text, self.err) + "\n")
        self.err.flush()
        self.unended = ""


def send(text: str, stream: TextIO) -> None:
    """Write the UTF-8 of a text, with halves of surrogate pairs as the bytes that they
    represent."""
    data = text.encode("utf-8", "surrogateescape")
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # it takes characters only
        stream.write(data.decode(stream.encoding or "utf-8", "backslashreplace"))
    else:
        stream.flush()
        buffer.write(data)


def _printable(text: str, stream: TextIO) -> str:
    if text.isascii():  # which every encoding of a terminal has
        return text.translate(CONTROL)
    encoding = stream.encoding or "utf-8"
    return text.translate(CONTROL).encode(encoding, ESCAPES).decode(encoding)
