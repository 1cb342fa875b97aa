"""A debug session: a session, the commands it understands, and what later lines may refer to.

Law: no line that is executed raises anything but `KeyboardInterrupt` and a broken output; a
command that fails prints one error, and the session continues.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.absolute_path import absolute_path
from dwarfgpu.base.printable import on_one_line
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.constants import Spelling
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.units_on_demand import reporting_units
from dwarfgpu.errors import DwarfGpuError, SeveralLines, UsageError, shortened
from dwarfgpu.expr.dialect.dialect import VGPR_HOLDS
from dwarfgpu.expr.operation_budget import budget_of_command
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.machine.target import RegisterOffset, WaveId
from dwarfgpu.machine.undo import RecordedTarget
from dwarfgpu.repl.command import Command, parse
from dwarfgpu.repl.console import Console
from dwarfgpu.repl.data.display import Display
from dwarfgpu.repl.data.setting_functions import setting_functions
from dwarfgpu.repl.declared_settings import OF_FRAME, SPELLED, UNASSUMED
from dwarfgpu.repl.files.source_path import SourcePath
from dwarfgpu.repl.files.symbol_index import SymbolIndex
from dwarfgpu.repl.json_answer import Answer, without_token
from dwarfgpu.repl.numbered_items import Numbered
from dwarfgpu.repl.opened_machine import Opened, OpenedMachine
from dwarfgpu.repl.output import Group, NestedOutput, Part, heading, printed, single_parts
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.script_state import Leaving, ScriptLines, ScriptState
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.terminal.colour import PAINTS, painted
from dwarfgpu.repl.typed_lines import TypedLines
from dwarfgpu.service.error_text import exhausted, unwrapped
from dwarfgpu.service.file.source_language import frame_language
from dwarfgpu.service.gdb_error_text import message_of
from dwarfgpu.service.machine.examine_format import Examined
from dwarfgpu.service.value.value_history import ValueHistory
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.dwarf.code_object import CodeObject
    from dwarfgpu.dwarf.line.file_table import FileTable
    from dwarfgpu.machine.run_control import Halt
    from dwarfgpu.repl.language_warning import LanguageWarning
    from dwarfgpu.repl.stack.last_backtrace import LastBacktrace
    from dwarfgpu.view.json_object import JsonObject

NO_MACHINE: Final = OpenedMachine()
_MANY_FILES: Final = 100
"""Each of thousands of waves may be in another one."""


@frozen
class Listed:
    """Source text that was listed last."""

    frame: FramePosition | None
    """Where the frame in focus was; with another one a new listing begins."""
    position: FramePosition
    """In the file."""
    first: int
    """0: only `info line` has shown it, which lists nothing."""
    next: int
    """The line that comes next."""
    next_line: int | None = None
    """The next line of `info line`; None for the first listed one."""


@frozen(eq=False)
class LastStop:
    """Where the program stopped last, and why."""

    wave: WaveId | None
    """None where it has ended."""
    items: tuple[Breakpoint, ...]
    """The breakpoints, watchpoints and catchpoints that stopped it."""
    halt: Halt | None
    """None where it was stopped before its first instruction."""
    session: Session
    """The frame in focus, whose function may be about to enter inlined ones."""
    stop: int | None
    """The stop of the machine (`Session.stop`)."""
    record: JsonObject
    """Why, as data: with the keys of GDB's machine interface, and of `run --json`."""


class Shell:
    """Runs lines, and keeps what later lines may refer to."""

    def __init__(
        self,
        session: Session,
        commands: Collection[Command],
        streams: Streams,
        machine: OpenedMachine = NO_MACHINE,
        *,
        stdin_is_script: bool = False,
        is_batch: bool = False,
    ) -> None:
        self.session = session
        """The focus; commands that move it replace the session."""
        self.machine = machine
        """The machine of the session."""
        self.commands = commands
        self.settings = Settings()
        self.settings.of_frame = self._spelling_of_frame
        self.settings["vgpr-holds"] = session.vgpr_holds or UNASSUMED
        self.console = Console(
            streams, self.settings, stdin_is_script=stdin_is_script, is_batch=is_batch
        )
        self.script = ScriptState()
        self.history = TypedLines()
        self.names: dict[tuple[WaveId, int | None], str] = {}
        """Names that the user gave to waves and threads, and to lanes of waves."""
        self.lanes: dict[WaveId, int] = {}
        """The lanes that were in focus in other waves since the last stop."""
        functions = setting_functions(self.settings, self._folders_of, self._setting_named)
        self.values = ValueHistory(functions, self.names, self.console.warn)
        self.values.radix = lambda: self.settings.limit("input-radix") or 10
        self.values.real_types = lambda: self.settings.flag("print object")
        self.symbols = SymbolIndex()
        self.source_path = SourcePath()
        self.listed: Listed | None = None
        self._followed: FileTable | None = None
        """The line table of the file whose names are known where there is no frame."""
        self.missing_source: str | None = None
        """The source file that was looked for last, if its text is missing: GDB says so once."""
        self.last_shown: FramePosition | None = None
        """Where the last frame was that had a line."""
        self.default_shown: FramePosition | None = None
        """The default line, if a line without a file meant its file."""
        self._language_warning: LanguageWarning | None = None
        """None as long as no language was set."""
        self.searched = ""
        """The regular expression of the last search."""
        self.last_backtrace: LastBacktrace | None = None
        self.examined = Examined()
        """Where a further `x` continues."""
        self.displays: Numbered[Display] = Numbered()
        self.breakpoints: Numbered[Breakpoint] = Numbered()
        self.stops = 0
        """How often the program has stopped."""
        self.last_stop: LastStop | None = None
        self.resumed_wave: WaveId | None = None
        """The wave in focus when the program was resumed; None once its stop is reported."""
        self.stop_commands: tuple[str, ...] = ()
        """Commands of the breakpoints of the last stop that are still to be run."""
        self.is_over = False
        self.exit_status: int | None = None
        """The argument of `quit`."""
        self.failures = 0
        """Commands that gave an error."""
        self._commands = 0
        """Number of commands run; `undo` takes back the writes of one together."""
        self._give_values(machine)

    def look_at(self, opened: Opened) -> None:
        """Replace the session and its machine."""
        self.session, self.machine = self.as_assumed(opened.session), opened.machine
        self._give_values(opened.machine)
        self.listed = self._followed = None

    def as_assumed(self, session: Session) -> Session:
        """Return a session that assumes of vector registers what the settings say."""
        assumed = self.settings.word("vgpr-holds")
        chosen = {name for name, contents in VGPR_HOLDS.items() if contents == assumed}
        quirks = session.quirks.difference(VGPR_HOLDS) | chosen
        if quirks == session.quirks:
            return session
        top = None if session.top is None else evolve(session.top, quirks=quirks)
        return evolve(session, quirks=quirks, top=top)

    def keep_paths(self) -> None:
        """Let the names of the open files mean the same in another working folder."""
        for code_object in self.session.code_objects:
            code_object.file.path = absolute_path(code_object.file.path)
        machine = self.machine
        if machine.core is not None:
            file = machine.core.dump.file
            file.path = absolute_path(file.path)
        if machine.opener is not None:
            machine.opener.keep_paths()
        if machine.state_path is not None:
            self.machine = evolve(machine, state_path=absolute_path(machine.state_path))

    def _give_values(self, machine: OpenedMachine) -> None:
        """Set `$_thread`, `$_siginfo` and others for a machine."""
        self.values.thread_count = len(machine.threads)
        self.values.siginfo = None if machine.core is None else machine.siginfo
        self.values.named.pop("_exitsignal", None)
        if machine.ending_signal:
            signal = integer_value(self.session.architecture, machine.ending_signal)
            self.values.named["_exitsignal"] = signal

    def know_threads(self, threads: Mapping[WaveId, str]) -> None:
        """Set which waves or threads there are, after the program has run."""
        self.machine = evolve(self.machine, threads=threads)
        self.values.thread_count = len(threads)

    def _folders_of(self, setting: str) -> str | None:
        """Return the text of a setting that is about folders; None for other names."""
        if setting == "directories":
            return self.source_path.directories
        opener = self.machine.opener
        if opener is not None and setting in ("sysroot", "solib-absolute-prefix"):
            return opener.folders.sysroot or ""
        if opener is not None and setting == "debug-file-directory":
            return ":".join(opener.folders.debug_directories)
        return None

    def _setting_named(self, text: str) -> str:
        """Return the name of the setting that `show` shows for a text; the text itself where it
        shows none."""
        try:
            return parse(self.commands, f"show {text}").command.name.removeprefix("show ")
        except UsageError:
            return text

    def _spelling_of_frame(self) -> Spelling | None:
        """Return how the language of the frame in focus writes all values, as in GDB; None if each
        is written as in its own."""
        name = frame_language(self.session)
        return SPELLED[name] if name in OF_FRAME else None

    @property
    def ignores_case(self) -> bool:
        """Whether regular expressions match names in both cases, as in Fortran."""
        chosen = self.settings.word("language")
        is_of_frame = chosen in ("auto", "local")
        return (frame_language(self.session) if is_of_frame else chosen) == "fortran"

    @property
    def is_of_core(self) -> bool:
        """Whether a core file is open."""
        return self.machine.core is not None

    @property
    def prompt(self) -> str:
        """`(dwarfgpu w0 l3) `, of a thread `(dwarfgpu t1) `, unless another one was set."""
        session, own = self.session, self.settings.word("prompt")
        if own:
            return f"{own} "
        if session.has_ended:
            return "(dwarfgpu) "
        lane = "" if session.lane is None else f" l{session.lane}"
        is_thread = self.machine.threads and not session.architecture.is_simt
        return f"(dwarfgpu {'t' if is_thread else 'w'}{session.wave}{lane}) "

    def execute(self, line: str, *, repeats: bool = False, is_option: bool = False) -> bool:
        """Run a line; False where it failed. `repeats`: an empty line is the previous one;
        `is_option`: an option has its effect, as `-x`, so that it is no command for traces and
        hooks."""
        console, history = self.console, self.history
        typed = line.strip()
        line = history.begin(line, is_empty_again=repeats and not console.is_json)
        if is_blank(line):
            return True
        if repeats:
            history.run(line)
            if console.is_interactive and typed:
                history.typed.append(typed)
        history.again = ""
        answer = None
        if console.is_json:
            token, line = without_token(line.strip())
            answer = Answer(line, token)
        self.values.notes.clear()  # of a command that was interrupted
        self.stop_commands = ()
        outer = console.begin(answer)
        try:
            # a copy: Ctrl-C while the blocks inside end leaves nothing of theirs to the next line
            return copy_context().run(self._executed, line, answer, is_option)
        finally:
            console.end(outer)
            if repeats:
                history.end()
            if answer is not None:
                console.send(answer, is_last=self.is_over)
            console.streams.out.flush()

    def refuse(self, beginning: str, error: UsageError) -> None:
        """Answer a line that cannot be read with an error; `beginning`: of the line, with its
        token."""
        answer = None
        if self.console.is_json:
            token, line = without_token(beginning.strip())
            answer = Answer(line, token)
        outer = self.console.begin(answer)
        self.failures += 1
        self.console.fail(error.message, error)
        self.console.end(outer)
        if answer is not None:
            self.console.send(answer, is_last=self.is_over)
        self.console.streams.out.flush()

    def _executed(self, line: str, answer: Answer | None, is_option: bool) -> bool:
        console = self.console
        pager = console.pager()
        try:
            with (
                reporting_units(console.progress),
                budget_of_command(),
                unwrapped(),
                closing(self.run(line, is_option=is_option)) as output,
            ):
                for part in output:
                    if pager is None:
                        console.put(part)
                        continue
                    for single in single_parts(part):
                        if not pager.admits(printed(single)):
                            raise KeyboardInterrupt
                        console.put(single)
        except (DwarfGpuError, RecursionError, MemoryError, ModuleNotFoundError) as raised:
            if not isinstance(raised, DwarfGpuError):
                self.session.forget_frames()  # some may be half computed
            self._failed(exhausted(raised))  # not kept here, where it would keep this frame
            return False
        except KeyboardInterrupt:
            self.session.forget_frames()
            self.failures += 1
            if answer is not None:
                answer.fail("Quit")
            raise
        return True

    def _failed(self, error: DwarfGpuError) -> None:
        self.failures += 1
        message = message_of(error)
        self.remark()
        self._note_unread_units(message)
        self.console.fail(shortened(message), error)

    def run(
        self,
        line: str,
        written: str | None = None,
        *,
        is_hook: bool = False,
        is_option: bool = False,
    ) -> Generator[Part, None, None]:
        """Yield the output of a line as it is produced; errors are raised, with the notes on what
        failed still to be printed.

        `written`: how a script has it, before the arguments of a user-defined command are filled
        in; as in GDB, the trace of a condition inside a body shows that, after one blank. The line
        of a hook is not traced. `is_option`: as `execute`.
        """
        line = line.lstrip(" \t")
        if is_blank(line):
            return
        self._follow_source()
        call = parse(self.commands, line)
        if not call.command.repeats:
            self.history.forget()
        traced = line
        if written is not None and self.script.bodies and call.command.name in ("if", "while"):
            condition = parse(self.commands, written.lstrip(" \t")).argument
            traced = f"{call.command.name} {condition}"
        if not is_hook and not is_option:
            yield from self._traced(traced)
        if not is_option:
            yield from self.hooked(f"hook-{call.command.name}")
        self._commands += 1
        if isinstance(self.session.target, RecordedTarget):
            self.session.target.group = self._commands
        parts = call.command.run(self, call.argument)
        paint = PAINTS.get(call.command.name)
        if paint is not None and self.console.has_colours:
            parts = (painted(single, paint) for part in parts for single in single_parts(part))
        writes = self.session.write_count.writes
        try:
            yield from parts
        except DwarfGpuError as error:
            if self.session.write_count.writes != writes:
                self.follow_pc()
            if not isinstance(error, UsageError):
                raise
            self.values.notes |= dict.fromkeys(error.remarks)
            from dwarfgpu.repl.advice import advised  # only mistakes need it

            raise advised(self.session, error) from None
        self._note_unread_units()
        if self.values.notes:
            self.remark()
        for code_object in self._asked_files:
            if code_object.info.bare_names is not None:
                self.console.note(str(code_object.info.bare_names), once=True)
        if self.session.write_count.writes != writes:
            self.follow_pc()
        if not is_option:
            yield from self.hooked(f"hookpost-{call.command.name}")
        yield from self._warned(is_set=call.command.name == "set language")
        if self.stop_commands and not self.script.bodies:
            yield from self._run_stop_commands()

    def _warned(self, *, is_set: bool) -> Iterator[Part]:
        """Yield GDB's warning of another language than that of the frame; `is_set`: "set language"
        was run."""
        chosen, warning = self.settings.word("language"), self._language_warning
        if warning is None:
            if chosen == "auto":
                return
            from dwarfgpu.repl.language_warning import LanguageWarning  # few sessions set one

            warning = self._language_warning = LanguageWarning()
        if warning.is_due(self.session, chosen, is_set=is_set):
            yield heading(warning.text)

    def _run_stop_commands(self) -> Iterator[Part]:
        """Run the commands of the breakpoints that stopped the program. Where they let it run,
        those of the next stop follow, and the rest is dropped, as in GDB."""
        self.script.bodies += 1
        try:
            while self.stop_commands:
                lines, self.stop_commands = self.stop_commands, ()
                yield from self.run_lines(self._until_next_stop(lines))
        finally:
            self.script.bodies -= 1
            self.stop_commands = ()

    def _until_next_stop(self, lines: tuple[str, ...]) -> Iterator[str]:
        stops = self.stops
        for line in lines:
            if self.stops != stops:
                return
            yield line

    def _note_unread_units(self, message: str = "") -> None:
        for note in self.session.unread_notes(message, self._asked_files):
            self.console.note(note, once=True)

    @property
    def _asked_files(self) -> Sequence[CodeObject]:
        """The files that may have notes after a command: all, but while one of very many items has
        it applied, that in focus. The command that applies it asks all of them."""
        files = self.session.code_objects
        if not self.script.applied or len(files) <= _MANY_FILES:
            return files
        focus = self.session.code_object
        return () if focus is None else (focus,)

    def remark(self) -> None:
        """Print the assumptions behind evaluated expressions, each once in a session."""
        for note in self.values.notes:
            self.console.note(note, once=True)
        self.values.notes.clear()

    def follow_pc(self) -> None:
        """Focus on the frame at the program counter, where the last assignment, or the last one
        undone, has set that of the wave in focus."""
        top, target = self.session.top or self.session, self.session.target
        number = top.architecture.program_counter
        if not isinstance(target, RecordedTarget) or number is None:
            return
        counter = top.architecture.register(number)
        last = [writes for _, writes in (*target.undone_by[-1:], *target.undone[-1:])]
        for start in (write.start for writes in last for write in writes):
            if isinstance(start, RegisterOffset) and start.register is counter:
                if start.wave == top.wave:
                    data = target.read_register(top.wave, counter)
                    pc = int.from_bytes(data, top.architecture.endian)
                    self.session = self.session if pc == top.pc else evolve(top, pc=pc)
                return

    def _follow_source(self) -> None:
        """Let names mean what they mean in the file listed last, where there is no frame, as in
        GDB."""
        listed = self.listed
        if listed is None or not listed.first or self.session.pc is not None:
            return
        table = listed.position.source.table
        if table is self._followed and self.session.source_unit is not None:
            return
        self._followed = table
        if isinstance(table.unit, CompilationUnit):
            with suppress(DwarfGpuError):  # a split unit is missing: only its lines are known
                self.session = evolve(self.session, source_unit=table.unit.full)

    def _traced(self, line: str) -> Iterator[Part]:
        """Yield a line as "set trace-commands on" has it, before it runs."""
        if self.settings.flag("trace-commands"):
            yield heading("+" * (self.script.bodies + 1) + line.rstrip(" \t"))

    def hooked(self, name: str) -> Iterator[Part]:
        """Yield the output of a command that is defined to run before or after another one."""
        if self.script.has_hook(name):
            with self.script.hook(name):
                yield from self.run(name, is_hook=True)

    def run_script(self, name: str, lines: list[str]) -> Iterator[Part]:
        """Yield the output of a script up to its first error, which names file and line."""
        script = ScriptLines(lines)
        with self.script.script():
            try:
                yield from self.run_lines(script)
            except DwarfGpuError as error:
                where = f"{on_one_line(name)}:{script.number}: Error in sourced command file:"
                raise SeveralLines(f"{where}\n{message_of(error)}") from None

    def run_lines(self, lines: Iterator[str]) -> Iterator[Part]:
        """Yield the output of lines up to the first error; a command with a body takes it from
        them."""
        with self.script.reading(lines):
            for line in lines:
                if self.script.bodies and line.strip() in ("loop_break", "loop_continue"):
                    yield from self._traced(line.strip())
                    raise Leaving(line.strip())
                filled = self.script.filled(line)
                with budget_of_command():
                    group = Group("commands", {"command": filled.strip()})
                    yield from self.run_inside(group, filled, line)
                if self.is_over:
                    return

    def run_inside(
        self, group: Group, line: str, written: str | None = None
    ) -> Iterator[NestedOutput]:
        """Yield the output of a nested line; its messages belong to the group, too.

        `written`: as `run`.
        """
        with self.console.inside(group):
            yield from (NestedOutput(group, part) for part in self.run(line, written))

    def captured(self, line: str) -> str:
        """Return the output of a line as text without colours; errors are raised."""
        with self.console.capturing():
            return "".join(map(printed, self.run(line)))

    def read_line(self, prompt: str) -> str | None:
        """Return the line after the current one, from the script or the debug session."""
        if self.script.is_typed:
            return self.console.input.ask(prompt)
        return self.script.next_line()

    @property
    def is_from_tty(self) -> bool:
        """Whether a user gives the command under way, at a terminal, through a pipe or with `-ex`,
        and not with --batch: then commands also say what they have done."""
        return self.script.is_given and not self.console.is_batch

    def confirms(self, question: str, *, or_no: bool = False) -> bool:
        """Return whether to do something, as `Console.confirms`; a script means what it says."""
        return self.console.confirms(question, is_typed=self.script.is_typed, or_no=or_no)

    def give_name(self, name: str, lane: int | None = None) -> None:
        """Name the wave in focus, or one of its lanes; an empty name removes it."""
        key = self.session.wave, lane
        if name:
            self.names[key] = name
        else:
            self.names.pop(key, None)


def is_blank(line: str) -> bool:
    """Return whether a line is empty or a comment."""
    text = line.lstrip()
    return not text or text[0] == "#"
