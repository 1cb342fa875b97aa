"""`set logging`: copies the output to a file."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TextIO, cast

from dwarfgpu.base.printable import escaped
from dwarfgpu.base.records import frozen
from dwarfgpu.base.writing import opened_at_once
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.session_streams import Streams, send
from dwarfgpu.repl.settings import Settings

_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")


def _representable(character: str) -> str:
    is_byte = "\udc80" <= character <= "\udcff"
    return character if is_byte or not "\ud800" <= character <= "\udfff" else escaped(character)


class LogFile:
    """The file of a log. What cannot be written costs the log, not the debug session."""

    def __init__(self, path: Path, mode: Literal["w", "a"], failed: Callable[[str], None]) -> None:
        """`failed` is called once, with the reason, where the file cannot be written any more."""
        self._file = open(  # noqa: SIM115
            path, mode, encoding="utf-8", errors="surrogateescape", opener=opened_at_once
        )
        self._failed = failed
        self.is_open = True

    def write(self, text: str) -> None:
        """Write at once: what waits in a buffer would be lost."""
        if not self.is_open:
            return
        try:
            try:
                self._file.write(text)
            except UnicodeEncodeError:  # a surrogate that is no byte, out of a JSON file
                self._file.write("".join(map(_representable, text)))
            self._file.flush()
        except OSError as error:
            self.close()
            self._failed(error.strerror or str(error))

    def close(self) -> None:
        self.is_open = False
        with suppress(OSError):  # it tries again to write what it could not
            self._file.close()


class Log(io.TextIOBase):
    """A stream whose text, without colours, also goes to a file; or only to the file."""

    def __init__(self, stream: TextIO, file: LogFile, *, redirects: bool) -> None:
        self._stream, self._file, self._redirects = stream, file, redirects

    @property
    def _is_alone(self) -> bool:
        return self._redirects and self._file.is_open

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def buffer(self) -> LogBytes:
        """Takes UTF-8, and bytes that are none."""
        return LogBytes(self)

    def isatty(self) -> bool:
        return not self._is_alone and self._stream.isatty()

    def write(self, text: str) -> int:
        self._file.write(_ESCAPES.sub("", text))
        return len(text) if self._is_alone else self._stream.write(text)

    def write_bytes(self, data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        self._file.write(text)
        if not self._is_alone:
            send(text, self._stream)

    def flush(self) -> None:
        self._stream.flush()


@frozen
class LogBytes:
    """A log as a stream of bytes."""

    log: Log

    def write(self, data: bytes) -> None:
        self.log.write_bytes(data)


@frozen(eq=False)
class Logging:
    """A log that is kept."""

    name: str
    """As `logging file` has it."""
    before: Streams
    """The streams of the debug session without the log."""
    streams: Streams
    """The streams of the debug session with the log."""
    file: LogFile
    is_alone: bool
    """Whether what it keeps goes nowhere else."""

    def end(self) -> None:
        self.streams.out.flush()
        self.file.close()


def logging_to(settings: Settings, before: Streams, failed: Callable[[str], None]) -> Logging:
    """Open the log of the settings; `UsageError` if the file cannot be written.

    `failed` is called once, with the reason, where it cannot be written any more.
    """
    name = settings.word("logging file")
    mode: Literal["w", "a"] = "w" if settings.flag("logging overwrite") else "a"
    try:
        file = LogFile(Path(os.path.expanduser(name)), mode, failed)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"set logging: {reason}.") from None
    is_alone = settings.flag("logging redirect")
    out, err = (
        cast(TextIO, Log(stream, file, redirects=is_alone)) for stream in (before.out, before.err)
    )
    return Logging(name, before, Streams(out, err), file, is_alone)
