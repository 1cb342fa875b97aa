"""A conversation: a session, the commands it understands, and what was said so far.

Law: no line that is executed raises anything but `KeyboardInterrupt` and a broken output; a
command that fails prints one error and the conversation goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

from dwarfgpu.base.light_attrs import define, frozen
from dwarfgpu.errors import (
    DwarfGpuError,
    LimitExceeded,
    UsageError,
)
from dwarfgpu.machine.undo import RecordedTarget
from dwarfgpu.objfile.file_limits import DEFAULT_LIMITS
from dwarfgpu.repl.advice import advised
from dwarfgpu.repl.answer import Answer, without_token
from dwarfgpu.repl.command import (
    Command,
    Group,
    NestedOutput,
    Painted,
    Part,
    Raw,
    heading,
    parse,
    printed,
)
from dwarfgpu.repl.data.memory_units import Examined
from dwarfgpu.repl.data.setting_functions import setting_functions
from dwarfgpu.repl.files.source_path import SourcePath
from dwarfgpu.repl.files.symbol_index import SymbolIndex
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.terminal.colour import CONTROL, PAINTS, painted
from dwarfgpu.repl.terminal.pager import Pager
from dwarfgpu.service.error_text import shortened
from dwarfgpu.service.gdb_error_text import message_of
from dwarfgpu.service.value_history import ValueHistory
from dwarfgpu.session.backtrace import Place
from dwarfgpu.session.session import Session
from dwarfgpu.terminal.columns import terminal_columns
from dwarfgpu.terminal.progress import Progress
from dwarfgpu.terminal.streams import shows_colours
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core
    from dwarfgpu.machine.target import WaveId
    from dwarfgpu.repl.data.displays import Display
    from dwarfgpu.repl.running.breakpoints import Breakpoint
    from dwarfgpu.repl.support.log import Logging

MOST_NESTED: Final = 20
"""Scripts that run scripts."""
MOST_UNENDED: Final = 10_000
"""Characters that are kept of a line that does not end."""


@define
class Streams:
    """Where answers go, and where everything else does."""

    out: TextIO
    err: TextIO
    unended: str = ""
    """What was printed of a line that has not ended."""

    def print(self, text: str) -> None:
        """A text, which has its own ends of lines."""
        shown = str(text) if isinstance(text, Painted | Raw) else _printable(text, self.out)
        if isinstance(text, Raw):
            send(text, self.out)
        else:
            self.out.write(shown)
        self.unended = (self.unended + shown).rpartition("\n")[2][-MOST_UNENDED:]

    def complain(self, text: str) -> None:
        """On the error stream, after all that was printed before."""
        self.out.flush()
        self.err.write(_printable(text, self.err) + "\n")
        self.err.flush()
        self.unended = ""


def send(text: str, stream: TextIO) -> None:
    """The UTF-8 of a text, with the bytes that halves of surrogate pairs stand for."""
    data = text.encode("utf-8", "surrogateescape")
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # it takes characters only
        stream.write(data.decode(stream.encoding or "utf-8", "backslashreplace"))
    else:
        stream.flush()
        buffer.write(data)


def _printable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.translate(CONTROL).encode(encoding, "backslashreplace").decode(encoding)


@frozen
class Listed:
    """Source text that was listed last."""

    frame: Place | None
    """Where the frame in focus was; with another one a listing begins anew."""
    place: Place
    """In the file."""
    first: int
    """0: only `info line` has told of it, which lists nothing."""
    next: int
    """The line that comes next."""
    next_line: int | None = None
    """The line that `info line` tells next; None for the first listed."""


class Shell:
    """Runs lines, and keeps what later lines may refer to."""

    def __init__(self, session: Session, commands: tuple[Command, ...], streams: Streams) -> None:
        self.session = session
        """Where the user looks; commands that move the focus replace it."""
        self.commands = commands
        self.symbols = SymbolIndex()
        self.streams = streams
        self.progress = Progress(streams.err)
        self.threads: Mapping[WaveId, str] = {}
        """The names of the waves of a state, or of the threads of a core file by GDB's numbers."""
        self.names: dict[tuple[WaveId, int | None], str] = {}
        """Names that the user gave to waves and threads, and to lanes of waves."""
        self.signals: Mapping[WaveId, JsonObject] = {}
        """Those that ended threads of a core file, as data."""
        self.is_batch = False
        """Whether nobody reads what is said only to whoever sits there."""
        self.core: Core | None = None
        """The core file that is looked at."""
        self.searched = ""
        """The regular expression of the last search."""
        self.typed: list[str] = []
        """The lines that somebody typed, of which `show commands` tells."""
        self.shown_commands = 0
        """How many of them `show commands +` goes on after."""
        self.values = ValueHistory()
        self.settings = Settings()
        self.source_path = SourcePath()
        self.log: Logging | None = None
        """Where what is said goes too."""
        self.earlier = ""
        """The line before the one that is run, of those that somebody typed."""
        self.values.functions = setting_functions(self.settings)
        self.values.names = self.names
        self.values.warn = self.warn
        self.is_interactive = False
        """Whether somebody at a terminal converses."""
        self.stdin_is_script = False
        """Whether stdin has the commands, and nothing for those who run in them."""
        self.breakpoints: dict[int, Breakpoint] = {}
        self.breakpoints_made = 0
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
        self.again = ""
        """What an empty line runs after the command that set it, where that is another line."""
        self._commands = 0
        """That were run; what one of them writes is taken back together."""
        self._previous = ""
        self._noted: set[str] = set()
        self.file_limits = DEFAULT_LIMITS
        """Of each file that is read, states included."""
        self.state_path: str | None = None
        """The state file that is looked at."""
        self.load_core: Callable[[Shell, str | None], None] | None = None
        """Lets it look at another core file, or at none."""
        self.load: Callable[[Shell, str], None] | None = None
        """Lets it look at another state file."""
        self.open: Callable[[Session, str | None], Session] | None = None
        """Makes a session that looks at another code object, or at none."""
        self._captured = 0
        """Commands whose output does not go where answers go."""
        self.ask: Callable[[str], str | None] = _no_input
        """The next line of whoever converses, after a prompt; None at the end."""
        self.prompt_answer: Callable[[str], str | None] = _no_input
        """The same, for a short answer that no history keeps."""
        self._sources: list[Iterator[str]] = []
        """The lines that are being run, innermost last."""
        self.user_defined: dict[str, tuple[str, ...]] = {}
        """The lines of commands that were defined."""
        self.prefixes: set[str] = set()
        """Commands that were defined to be the first word of others."""
        self.calls = 0
        """User-defined commands that are under way, one called by the other."""
        self.bodies = 0
        """Bodies of commands that are being run, one in the other."""
        self.fillers: list[Callable[[str], str]] = []
        """Put the arguments of user-defined commands in their lines, innermost last."""
        self._hooks: set[str] = set()
        """That are under way."""
        self.python_names: dict[str, Any] = {}
        """What Python code has defined."""
        self._nested = 0
        self.has_hinted = False
        """Whether how to ask why something is missing was said, or is known."""
        self.applied = 0
        """Commands that run others, one in the other, that are under way."""
        self._groups: list[Group] = []
        """Of the commands that the command under way runs, the outermost first."""
        self._answer: Answer | None = None
        """Of the command that is under way, where answers are JSON."""

    @property
    def is_of_core(self) -> bool:
        """Whether a core file is looked at."""
        return self.core is not None

    @property
    def is_json(self) -> bool:
        """Whether answers are JSON."""
        return self.settings.word("output") == "json"

    @property
    def is_plain(self) -> bool:
        """Whether what a command prints goes where answers go as it comes."""
        return self._answer is None and not self._captured

    @property
    def has_colours(self) -> bool:
        """Whether answers may have colours: on a terminal that has them, unless not wanted."""
        return (
            self.settings.flag("style enabled")
            and not self._captured
            and not self.is_json
            and shows_colours(self.streams.out)
        )

    @property
    def is_seen(self) -> bool:
        """Whether what is printed drives a terminal."""
        return self.streams.out.isatty() and not self._captured

    @property
    def columns(self) -> int:
        """In which tables and drawings are folded."""
        width = self.settings.limit("width")
        return terminal_columns(self.streams.out.isatty()) if width is None else max(width, 20)

    @property
    def prompt(self) -> str:
        """`(dwarfgpu w0 l3) `, of a thread `(dwarfgpu t1) `, unless another one was set."""
        session, own = self.session, self.settings.word("prompt")
        if own:
            return f"{own} "
        lane = "" if session.lane is None else f" l{session.lane}"
        letter = "t" if self.threads and not session.architecture.is_simt else "w"
        return f"(dwarfgpu {letter}{session.wave}{lane}) "

    def execute(self, line: str, *, repeats: bool = False) -> bool:
        """Run a line; False where it failed. `repeats`: an empty line is the previous one."""
        if repeats and not line.strip() and not self.is_json:
            line = self._previous
        if is_blank(line):
            return True
        self.earlier = self._previous if repeats else self.earlier
        self._previous = line if repeats else self._previous
        if repeats and self.is_interactive:
            self.typed.append(line.strip())
        self.again = ""
        answer = None
        if self.is_json:
            token, line = without_token(line.strip())
            answer = Answer(line, token)
        outer, self._answer = self._answer, answer
        groups, self._groups = self._groups, []
        pager = self._pager()
        self.progress.begin()
        for code_object in self.session.code_objects:
            code_object.info.watch = self.progress
        try:
            for part in self.run(line):
                if pager is not None and not pager.admits(printed(part)):
                    raise KeyboardInterrupt
                self._emit(part)
        except (DwarfGpuError, RecursionError) as raised:
            error: DwarfGpuError = LimitExceeded("commands nested too deep")
            if isinstance(raised, DwarfGpuError):
                error = raised
            self.failures += 1
            self.progress.clear()
            message = shortened(message_of(error))
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
            self.progress.clear()
            self._answer, self._groups = outer, groups
            if repeats:
                self._previous = self.again or self._previous
            if answer is not None:
                self._send(answer)
            self.streams.out.flush()
        return True

    def _send(self, answer: Answer) -> None:
        """Who asked waits for it, even where all that is said goes to a file."""
        text = answer.text(is_last=self.is_over) + "\n"
        self.streams.print(text)
        if self.log is not None and self.log.is_alone:
            self.log.before.print(text)

    def _pager(self) -> Pager | None:
        """Where somebody at a terminal reads."""
        if (
            not self.is_interactive
            or self._answer is not None
            or not self.settings.flag("pagination")
        ):
            return None
        columns = self.settings.limit("width")
        return Pager(self.settings.limit("height"), columns, self.prompt_answer)

    def _emit(self, part: Part) -> None:
        self.progress.clear()
        text = printed(part)
        if self._answer is not None:
            self._answer.add(part)
        elif text:
            self.streams.print(text)

    def run(self, line: str) -> Iterator[Part]:
        """The output of a line, as it comes; errors are raised."""
        line = line.lstrip(" \t")
        if is_blank(line):
            return
        call = parse(self.commands, line)
        if not call.command.repeats:
            self._previous = ""
        if self.settings.flag("trace-commands"):
            yield heading("+" * (self.bodies + 1) + line.rstrip(" \t"))
        yield from self._hooked(f"hook-{call.command.name}")
        self._commands += 1
        if isinstance(self.session.target, RecordedTarget):
            self.session.target.group = self._commands
        parts = call.command.run(self, call.argument)
        paint = PAINTS.get(call.command.name)
        if paint is not None and self.has_colours:
            parts = (painted(part, paint) for part in parts)
        try:
            yield from parts
        except UsageError as error:
            raise advised(self.session, error) from None
        yield from self._hooked(f"hookpost-{call.command.name}")

    def _hooked(self, name: str) -> Iterator[Part]:
        """The output of a command that is defined to run before or after another one."""
        if name not in self.user_defined or name in self._hooks:
            return
        self._hooks.add(name)
        try:
            yield from self.run(name)
        finally:
            self._hooks.remove(name)

    def run_script(self, name: str, lines: list[str]) -> Iterator[Part]:
        """The output of a script up to its first error, which tells file and line."""
        if self._nested >= MOST_NESTED:
            raise LimitExceeded(f"scripts nested more than {MOST_NESTED} deep")
        script = Lines(lines)
        self._nested += 1
        self.fillers.append(str)
        try:
            yield from self.run_lines(script)
        except DwarfGpuError as error:
            where = f"{name}:{script.number}: Error in sourced command file:"
            raise UsageError(f"{where}\n{message_of(error)}") from None
        finally:
            self.fillers.pop()
            self._nested -= 1

    def run_lines(self, lines: Iterator[str]) -> Iterator[Part]:
        """The output of lines up to the first error; a command that has a body takes it of them."""
        with self.reading(lines):
            for script_line in lines:
                if self.bodies and script_line.strip() in ("loop_break", "loop_continue"):
                    raise Leaving(script_line.strip())
                line = self.fillers[-1](script_line) if self.fillers else script_line
                yield from self.run_inside(Group("commands", {"command": line.strip()}), line)
                if self.is_over:
                    return

    def run_inside(self, group: Group, line: str) -> Iterator[NestedOutput]:
        """The output of a line as one of several; what it says beside that is told there, too."""
        self._groups.append(group)
        try:
            yield from (NestedOutput(group, part) for part in self.run(line))
        finally:
            self._groups.pop()

    def captured(self, line: str) -> str:
        """The output of a line as text without colours; errors are raised."""
        self._captured += 1
        try:
            return "".join(map(printed, self.run(line)))
        finally:
            self._captured -= 1

    @contextmanager
    def reading(self, lines: Iterator[str]) -> Iterator[None]:
        """Bodies of commands are the next of these lines."""
        self._sources.append(lines)
        try:
            yield
        finally:
            self._sources.remove(lines)

    def read_line(self, prompt: str) -> str | None:
        """The line after the one that is run, of the script or of whoever converses."""
        return next(self._sources[-1], None) if self._sources else self.ask(prompt)

    @property
    def is_typed(self) -> bool:
        """Whether the line that is run comes from whoever converses, and not from a script."""
        return not self._sources

    def confirms(self, question: str) -> bool:
        """Whether to do something dangerous; a script means what it says."""
        if not self.settings.flag("confirm"):
            return True
        if self._sources or not self.is_interactive:
            if self._answer is None:
                answered = "(y or n) [answered Y; input not from terminal]"
                self.streams.print(f"{question} {answered}\n")
            return True
        while True:
            answer = self.prompt_answer(f"{question} (y or n) ")
            if answer is None or answer.strip().lower() in ("y", "yes"):
                return True
            if answer.strip().lower() in ("n", "no"):
                return False

    def note(self, text: str, *, once: bool = False) -> None:
        """Say what a value rests on or why it is missing, beside the output."""
        if once and text in self._noted and self._answer is None:  # each answer has its own
            return
        self._noted.add(text)
        self._remark(f"note: {text}", text)

    def give_name(self, name: str, lane: int | None = None) -> None:
        """To the wave in focus, or a lane of it; an empty name takes it away."""
        key = self.session.wave, lane
        if name:
            self.names[key] = name
        else:
            self.names.pop(key, None)

    def hint(self, name: str) -> None:
        """Say once in a conversation how to learn why something is missing."""
        if not self.has_hinted and self._answer is None:
            self.has_hinted = True
            self.streams.complain(f'type "explain {name}" to see why')

    def warn(self, text: str, head: str = "warning") -> None:
        self._remark(f"{head}: {text}", text)

    def _remark(self, line: str, text: str) -> None:
        self.progress.clear()
        if self._answer is None:
            self.streams.complain(line)
        else:
            self._answer.note(text, self._groups)


class Leaving(Exception):
    """`loop_break` and `loop_continue`, on their way to the loop that they leave."""


class Lines(Iterator[str]):
    """The lines of a script; a backslash at the end joins two, and one at the end of all is lost
    with its line, as in GDB."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.number = 0
        """Of the line that was read last."""

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        while line.endswith("\\"):
            line = line[:-1] + next(self._lines)
            self.number += 1
        return line


def _no_input(prompt: str) -> str | None:
    return None


def is_blank(line: str) -> bool:
    """Whether a line says nothing: a comment does not."""
    return not line.strip() or line.lstrip().startswith("#")
