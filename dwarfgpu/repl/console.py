"""The console of a debug session: output of commands, notes, warnings, and questions to the user.

Law: text and JSON have the same content: a note beside the text of an answer is a member of its
JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.base.printable import on_one_line, one_line
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import GUESS, DwarfGpuError, UsageError, shortened
from dwarfgpu.repl.json_answer import Answer
from dwarfgpu.repl.output import Group, Part, printed
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.terminal.pager import Pager
from dwarfgpu.terminal.progress import Progress
from dwarfgpu.terminal.streams import shows_colours, terminal_columns

if TYPE_CHECKING:
    from dwarfgpu.repl.support.session_log import Logging

Ask: TypeAlias = "Callable[[str], str | None]"
"""Takes a prompt; returns the next line of the user, None at the end of input."""

Outer: TypeAlias = "tuple[Answer | None, list[Group]]"
"""The answer of the command around another one, and the groups that it is in."""


def _no_input(prompt: str) -> str | None:
    return None


@frozen
class InputSource:
    """Where lines come from: a terminal, a pipe, or nowhere."""

    ask: Ask = _no_input
    prompt_answer: Ask = _no_input
    """For short answers, which are not kept in the history."""
    is_interactive: bool = False
    """Whether a user sits at a terminal."""


NO_INPUT: Final = InputSource()


class Console:
    """Output of commands, and questions to the user."""

    def __init__(
        self,
        streams: Streams,
        settings: Settings,
        *,
        stdin_is_script: bool = False,
        is_batch: bool = False,
    ) -> None:
        """`stdin_is_script`: stdin has the commands, so programs that they run get no input.

        `is_batch`: leave out what only helps an interactive user.
        """
        self.settings = settings
        self.progress = Progress(streams.err)
        self.stdin_is_script = stdin_is_script
        self.is_batch = is_batch
        self.input = NO_INPUT
        self.log: Logging | None = None
        """The log that receives a copy of the output."""
        self.has_hinted = False
        """Whether the user knows how to ask why a value is missing."""
        self._streams = streams
        self._noted: set[str] = set()
        self._captured = 0
        """Nesting of commands with captured output."""
        self._answer: Answer | None = None
        """The JSON answer of the command under way; None for text."""
        self._groups: list[Group] = []
        """The commands that the command under way runs, the outermost first."""

    @property
    def streams(self) -> Streams:
        return self._streams if self.log is None else self.log.streams

    @property
    def is_interactive(self) -> bool:
        """Whether a user sits at a terminal."""
        return self.input.is_interactive

    @property
    def is_json(self) -> bool:
        """Whether answers are JSON."""
        return self.settings.word("output") == "json"

    @property
    def is_plain(self) -> bool:
        """Whether output is printed at once: it is neither captured nor collected for JSON."""
        return self._answer is None and not self._captured

    @property
    def has_colours(self) -> bool:
        """Whether output is coloured: the terminal has colours, and the settings allow them."""
        return (
            self.settings.flag("style enabled")
            and not self._captured
            and not self.is_json
            and shows_colours(self.streams.out)
        )

    @property
    def is_seen(self) -> bool:
        """Whether the output goes to a terminal."""
        return self.streams.out.isatty() and not self._captured

    @property
    def columns(self) -> int:
        """The width for tables and drawings."""
        width = self.settings.limit("width")
        return terminal_columns(self.streams.out.isatty()) if width is None else max(width, 20)

    def begin(self, answer: Answer | None) -> Outer:
        """Begin the output of a command; `answer` collects it for JSON, None prints it."""
        outer = self._answer, self._groups
        self._answer, self._groups = answer, []
        self.progress.begin()
        return outer

    def end(self, outer: Outer) -> None:
        """End the output of a command, and resume that of the command around it."""
        self.progress.clear()
        self._answer, self._groups = outer

    @contextmanager
    def inside(self, group: Group) -> Iterator[None]:
        """Attribute notes within the block to one of several commands."""
        self._groups.append(group)
        try:
            yield
        finally:
            self._groups.pop()

    @contextmanager
    def capturing(self) -> Iterator[None]:
        """Capture the output of commands within the block."""
        self._captured += 1
        try:
            yield
        finally:
            self._captured -= 1

    def pager(self) -> Pager | None:
        """Return the pager, if a user reads at a terminal."""
        is_paged = self.is_interactive and self._answer is None
        if not is_paged or not self.settings.flag("pagination"):
            return None
        columns = self.settings.limit("width")
        return Pager(self.settings.limit("height"), columns, self.input.prompt_answer)

    def put(self, part: Part) -> None:
        """Print a part of the output, or add it to the JSON answer."""
        self.progress.clear()
        text = printed(part)
        if self._answer is not None:
            self._answer.add(part)
        elif text:
            self.streams.print(text)

    def fail(self, message: str, error: DwarfGpuError) -> None:
        """Report the error of the command under way."""
        self.progress.clear()
        if self._answer is None:
            self.streams.complain(message)
        else:
            self._answer.fail(message, error)

    def send(self, answer: Answer, *, is_last: bool) -> None:
        """Print a JSON answer, also where a log redirects other output: a program waits for it."""
        text = answer.text(is_last=is_last) + "\n"
        self.streams.print(text)
        if self.log is not None and self.log.is_alone:
            self.log.before.print(text)

    def note(self, text: str, *, once: bool = False) -> None:
        """Print a note beside the output: an assumption, or why a value is missing.

        `once`: only once in a session, unless the note is on a guess.
        """
        is_known = once and text in self._noted and not text.endswith(GUESS)
        if is_known and self._answer is None:  # each answer has its own
            return
        self._noted.add(text)
        self._remark(one_line(f"note: {text}"), text)

    def hint(self, name: str) -> None:
        """Print, once in a session, how to ask why a value is missing."""
        if not self.has_hinted and self._answer is None:
            self.has_hinted = True
            self.streams.complain(f'type "explain {name}" to see why')

    def warn(self, *lines: str, head: str = "warning") -> None:
        """Print a warning, whose lines a name in it does not end."""
        text = "\n".join(on_one_line(shortened(line)) for line in lines)
        self._remark(f"{head}: {text}", text)

    def remark(self, text: str) -> None:
        """Print a line beside the output that has GDB's words."""
        self._remark(on_one_line(shortened(text)), text)

    def _remark(self, line: str, text: str) -> None:
        self.progress.clear()
        if self._answer is None:
            self.streams.complain(line)
        else:
            self._answer.note(text, self._groups)

    def confirms(self, question: str, *, is_typed: bool, or_no: bool = False) -> bool:
        """Return whether to do what the question asks; a script is not asked.

        The answer of a script, and without `confirm`, is yes; with `or_no` it is no, as is that of
        an empty line.
        """
        if not self.settings.flag("confirm"):
            return not or_no
        choices, assumed = ("y or [n]", "N") if or_no else ("y or n", "Y")
        if not is_typed or not self.is_interactive:
            if self._answer is None:
                answered = f"({choices}) [answered {assumed}; input not from terminal]"
                self.streams.print(f"{question} {answered}\n")
            return not or_no
        while True:
            answer = self.input.prompt_answer(f"{question} ({choices}) ")
            if answer is None or (or_no and not answer.strip()):
                return not or_no
            letter = answer.strip().lower()[:1]
            if letter in ("y", "n"):
                return letter == "y"
            self.streams.print(f"Please answer {choices}.\n")

    def switch_log(self) -> Iterator[str]:
        """Start or end the log by `logging enabled`; `UsageError` if its file cannot be written."""
        from dwarfgpu.repl.support.session_log import logging_to  # few sessions keep a log

        log = self.log
        if not self.settings.flag("logging enabled"):
            self.log = None
            if log is not None:
                log.end()
                if self.is_interactive:
                    yield f"Done logging to {log.name}."
            return
        if log is not None:
            raise UsageError(f"Already logging to {log.name}.")
        try:
            self.log = logging_to(self.settings, self._streams, self._log_failed)
        except UsageError:
            self.settings["logging enabled"] = False
            raise
        if self.is_interactive:
            how = "Redirecting" if self.log.is_alone else "Copying"
            self._streams.print(f"{how} output to {self.log.name}.\n")

    def _log_failed(self, reason: str) -> None:
        self.settings["logging enabled"] = False
        name = self.settings.word("logging file") if self.log is None else self.log.name
        self.log = None
        self.warn(f"logging is off: {name} cannot be written: {reason}")

    def keep_log(self) -> None:
        """Warn that a changed setting does not affect the log that is kept."""
        if self.log is not None:
            self.warn(
                f"Currently logging to {self.log.name}.  "
                "Turn the logging off and on to make the new setting effective."
            )
