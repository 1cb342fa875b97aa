"""A conversation: a session, the commands it understands, and what was said so far.

Law: no line that is executed raises anything but `KeyboardInterrupt` and a broken output; a
command that fails prints one error and the conversation goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, TextIO

from attrs import frozen

from dwarfgpu.backends.machine import Machine
from dwarfgpu.backtrace import Place
from dwarfgpu.cli.errors import shortened
from dwarfgpu.cli.repl.command import Command, parse
from dwarfgpu.cli.repl.values import ValueHistory
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.language import is_in_gdbs_words
from dwarfgpu.session import Session

if TYPE_CHECKING:
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
        self.out.write(_printable(text, self.out) + "\n")

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
        self.is_of_core = False
        """Whether a core file is looked at."""
        self.machine: Machine | None = None
        """What a state tells of agents, queues and dispatches."""
        self.values = ValueHistory()
        self.is_over = False
        self.exit_status: int | None = None
        """What `quit` was given."""
        self.failures = 0
        """Commands that gave an error."""
        self.listed: Listed | None = None
        self._previous = ""
        self._noted: set[str] = set()
        self._nested = 0

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
        self._previous = line if repeats else self._previous
        try:
            for text in self.run(line):
                self.streams.print(text)
        except DwarfGpuError as error:
            self.failures += 1
            self.streams.complain(shortened(error_text(error)))
            return False
        finally:
            self.streams.out.flush()
        return True

    def run(self, line: str) -> Iterator[str]:
        """The output of a line, as it comes; errors are raised."""
        line = line.strip()
        if not line or line.startswith("#"):
            return
        call = parse(self.commands, line)
        if not call.command.repeats:
            self._previous = ""
        yield from call.command.run(self, call.argument)

    def run_script(self, name: str, lines: list[str]) -> Iterator[str]:
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
        self.streams.complain(f"note: {text}")

    def warn(self, text: str) -> None:
        self.streams.complain(f"warning: {text}")


def error_text(error: DwarfGpuError) -> str:
    """GDB's words stand for themselves; an error of the engine says whose fault it is."""
    return str(error) if is_in_gdbs_words(error) else f"{error.kind}: {error}"
