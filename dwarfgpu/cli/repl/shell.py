"""A conversation: a session, the commands it understands, and what was said so far.

Law: no line that is executed raises anything but `KeyboardInterrupt` and a broken output; a
command that fails prints one error and the conversation goes on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, TextIO

from attrs import frozen

from dwarfgpu.backtrace import Place
from dwarfgpu.cli.errors import shortened
from dwarfgpu.cli.location import terminal_columns
from dwarfgpu.cli.repl.answer import Answer
from dwarfgpu.cli.repl.command import Command, Painted, Part, parse, text_of
from dwarfgpu.cli.repl.settings import Settings
from dwarfgpu.cli.repl.units import Examined
from dwarfgpu.cli.repl.values import ValueHistory
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.language import is_in_gdbs_words
from dwarfgpu.session import Session

if TYPE_CHECKING:
    from dwarfgpu.cli.repl.displays import Display
    from dwarfgpu.target import WaveId

MOST_NESTED: Final = 20
"""Scripts that run scripts."""

_CONTROL: Final = {
    code: f"\\{code:03o}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)
}
"""Names come from the file that is debugged: none may drive the terminal."""


@frozen
class Streams:
    """Where answers go, and where everything else does."""

    out: TextIO
    err: TextIO

    def print(self, text: str) -> None:
        shown = str(text) if isinstance(text, Painted) else _printable(text, self.out)
        self.out.write(shown + "\n")

    def complain(self, text: str) -> None:
        """On the error stream, after all that was printed before."""
        self.out.flush()
        self.err.write(_printable(text, self.err) + "\n")
        self.err.flush()


def _printable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.translate(_CONTROL).encode(encoding, "backslashreplace").decode(encoding)


@frozen
class Listed:
    """Source text that was listed last."""

    frame: Place | None
    """Where the frame in focus was; with another one a listing begins anew."""
    place: Place
    """In the file."""
    first: int
    next: int
    """The line that comes next."""


class Shell:
    """Runs lines, and keeps what later lines may refer to."""

    def __init__(self, session: Session, commands: tuple[Command, ...], streams: Streams) -> None:
        self.session = session
        """Where the user looks; commands that move the focus replace it."""
        self.commands = commands
        self.streams = streams
        self.threads: Mapping[WaveId, str] = {}
        """The names of the waves of a state, or of the threads of a core file by GDB's numbers."""
        self.names: dict[tuple[WaveId, int | None], str] = {}
        """Names that the user gave to waves and threads, and to lanes of waves."""
        self.is_of_core = False
        """Whether a core file is looked at."""
        self.values = ValueHistory()
        self.settings = Settings()
        self.is_over = False
        self.exit_status: int | None = None
        """What `quit` was given."""
        self.failures = 0
        """Commands that gave an error."""
        self.listed: Listed | None = None
        self.examined = Examined()
        """What a further `x` goes on from."""
        self.displays: list[Display] = []
        self.displays_made = 0
        self._previous = ""
        self._noted: set[str] = set()
        self._nested = 0
        self._has_hinted = False
        self._answer: Answer | None = None
        """Of the command that is under way, where answers are JSON."""

    @property
    def has_colours(self) -> bool:
        """Whether answers may have colours: on a terminal that has them, unless not wanted."""
        return (
            self.settings.flag("style enabled")
            and self.settings.word("output") != "json"
            and self.streams.out.isatty()
            and os.environ.get("TERM", "dumb") != "dumb"
            and not os.environ.get("NO_COLOR")
        )

    @property
    def columns(self) -> int:
        """In which tables and drawings are folded."""
        width = self.settings.limit("width")
        return terminal_columns(self.streams.out.isatty()) if width is None else max(width, 20)

    @property
    def prompt(self) -> str:
        """`(dwarfgpu w0 l3) `, of a thread `(dwarfgpu t1) `."""
        session = self.session
        lane = "" if session.lane is None else f" l{session.lane}"
        letter = "t" if self.threads and not session.architecture.is_simt else "w"
        return f"(dwarfgpu {letter}{session.wave}{lane}) "

    def execute(self, line: str, *, repeats: bool = False) -> bool:
        """Run a line; False where it failed. `repeats`: an empty line is the previous one."""
        if repeats and not line.strip():
            line = self._previous
        if is_blank(line):
            return True
        self._previous = line if repeats else self._previous
        answer = Answer(line.strip()) if self.settings.word("output") == "json" else None
        outer, self._answer = self._answer, answer
        try:
            for part in self.run(line):
                self._tell(part)
        except DwarfGpuError as error:
            self.failures += 1
            message = shortened(error_text(error))
            if answer is None:
                self.streams.complain(message)
            else:
                answer.fail(message, error)
            return False
        except KeyboardInterrupt:
            if answer is not None:
                answer.fail("Quit")
            raise
        finally:
            self._answer = outer
            if answer is not None:
                self.streams.print(answer.text())
            self.streams.out.flush()
        return True

    def _tell(self, part: Part) -> None:
        text = text_of(part)
        if self._answer is not None:
            self._answer.add(part)
        elif text is not None:
            self.streams.print(text)

    def run(self, line: str) -> Iterator[Part]:
        """The output of a line, as it comes; errors are raised."""
        line = line.strip()
        if is_blank(line):
            return
        call = parse(self.commands, line)
        if not call.command.repeats:
            self._previous = ""
        yield from call.command.run(self, call.argument)

    def run_script(self, name: str, lines: list[str]) -> Iterator[Part]:
        """The output of a script up to its first error, which tells file and line."""
        if self._nested >= MOST_NESTED:
            raise LimitExceeded(f"scripts nested more than {MOST_NESTED} deep")
        self._nested += 1
        try:
            for number, line in enumerate(lines, 1):
                try:
                    yield from self.run(line)
                except DwarfGpuError as error:
                    where = f"{name}:{number}: Error in sourced command file:"
                    raise UsageError(f"{where}\n{error_text(error)}") from None
                if self.is_over:
                    return
        finally:
            self._nested -= 1

    def note(self, text: str, *, once: bool = False) -> None:
        """Say what a value rests on or why it is missing, beside the output."""
        if once and text in self._noted:
            return
        self._noted.add(text)
        self._remark(f"note: {text}", text)

    def hint(self, name: str) -> None:
        """Say once in a conversation how to learn why something is missing."""
        if not self._has_hinted and self._answer is None:
            self._has_hinted = True
            self.streams.complain(f'type "explain {name}" to see why')

    def warn(self, text: str) -> None:
        self._remark(f"warning: {text}", text)

    def _remark(self, line: str, text: str) -> None:
        if self._answer is None:
            self.streams.complain(line)
        else:
            self._answer.note(text)


def is_blank(line: str) -> bool:
    """Whether a line says nothing: a comment does not."""
    return not line.strip() or line.lstrip().startswith("#")


def error_text(error: DwarfGpuError) -> str:
    """GDB's words stand for themselves; an error of the engine says whose fault it is."""
    return str(error) if is_in_gdbs_words(error) else f"{error.kind}: {error}"
