"""The commands `dwarfgpu …` inside GDB: thin, in GDB's manners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gdb

from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.gdb_compare import compare
from dwarfgpu.gdb_errors import command
from dwarfgpu.gdb_session import Debugger, GdbSession, print_options
from dwarfgpu.gdb_stack import lines
from dwarfgpu.gdb_values import the_debugger
from dwarfgpu.gdb_variables import report
from dwarfgpu.view.command_options import without_options
from dwarfgpu.view.description import conclusion, description
from dwarfgpu.view.explain import Recorder, verdict_on_error, views


class PrefixCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Look at the program through dwarfgpu's own reading of its DWARF.

    dwarfgpu print EXPRESSION    its value
    dwarfgpu explain EXPRESSION  how its variables' locations are computed, or why there is none
    dwarfgpu bt                  the call frames
    dwarfgpu compare             what differs from GDB's values of variables"""

    def __init__(self) -> None:
        super().__init__("dwarfgpu", gdb.COMMAND_DATA, prefix=True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB calls this where no known command follows."""
        if argument:
            raise gdb.GdbError(f'Undefined dwarfgpu command: "{argument}".  Try "help dwarfgpu".')
        gdb.execute("help dwarfgpu", from_tty)


class _ValueCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """A command on a value of the selected frame."""

    def __init__(self, name: str, debugger: Debugger) -> None:
        super().__init__(f"dwarfgpu {name}", gdb.COMMAND_DATA)
        self.name = name
        self.debugger = debugger

    def complete(self, text: str, word: str) -> list[str]:
        """The names of the variables in scope."""
        try:
            found = self.debugger.session().variables()
        except (DwarfGpuError, gdb.error):
            return []
        return sorted({each.name for each in found if each.name.startswith(word)})

    def required(self, argument: str) -> str:
        """The expression; `UsageError` where there is none."""
        if not argument.strip():
            raise UsageError("Argument required (expression to compute).")
        return argument.strip()


class PrintCommand(_ValueCommand):
    """Print the value of an expression in the selected frame, as dwarfgpu reads its DWARF.

    Usage: dwarfgpu print[/FMT] [--] EXPRESSION

    EXPRESSION is of C or C++ with GDB's operators: sp->in[1].weight * 2, *p@3, 'file.c'::x.
    FMT is one of the letters x d u o t a c f z s. The settings of `set print` apply."""

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB's `print`, by our own means."""
        with command():
            letter, text = None, without_options(argument, "dwarfgpu print")
            if text.startswith("/"):
                letter, _, text = text[1:].partition(" ")
                text = without_options(text, "dwarfgpu print")
            options = print_options(letter)
            text = self.required(text)
            session = self.debugger.session()
            value = session.evaluate(text)
            print(f"{text} = {session.value_text(value, options)}")
            for note in (*session.notes, *value.notes):
                print(f"note: {note}")


class ExplainCommand(_ValueCommand):
    """Show step by step how the location of a variable is computed, or why it has none.

    Usage: dwarfgpu explain [--] EXPRESSION

    Of an expression, that of each variable that it depends on. Nothing is assigned."""

    def invoke(self, argument: str, from_tty: bool) -> None:
        """The description, every operation, and a verdict."""
        with command():
            text = self.required(without_options(argument, "dwarfgpu explain"))
            session = self.debugger.session()
            print("\n".join(explanations(session, text)))


class BacktraceCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Print the call frames of the selected thread, unwound by dwarfgpu's own reading of its CFI.

    Usage: dwarfgpu bt [COUNT]
           dwarfgpu bt -compare

    Only the registers of the newest frame come from GDB. With -compare, what differs from GDB's
    own frames: their program locations, functions, lines, CFAs and registers."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__("dwarfgpu bt", gdb.COMMAND_STACK)
        self.debugger = debugger

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB's `backtrace`, by our own means."""
        with command():
            text = argument.strip()
            if text == "-compare":
                found = compare(self.debugger)
                for each in found.differences:
                    print(each)
                same = found.facts - len(found.differences)
                print(f"{found.frames} frames: {same} of {found.facts} facts are the same")
                return
            if text.startswith("-"):
                raise UsageError(f'"dwarfgpu bt" has no option {text.split()[0]}.')
            count = int(gdb.parse_and_eval(text)) if text else None
            if count is not None and count < 0:
                raise UsageError("dwarfgpu bt counts from the newest frame: give a natural number")
            for line in lines(self.debugger, count):
                print(line)


class CompareCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Print what differs between GDB's and dwarfgpu's contents of local variables.

    Usage: dwarfgpu compare [-all-frames]

    Of the selected frame or of all frames; bytes where GDB tells where they are, else texts."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__("dwarfgpu compare", gdb.COMMAND_DATA)
        self.debugger = debugger

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB calls this."""
        with command():
            if argument.strip() not in ("", "-all-frames", "--all-frames"):
                raise UsageError(f'"dwarfgpu compare" has no option {argument.split()[0]}.')
            for line in report(self.debugger, all_frames=bool(argument.strip())):
                print(line)


def explanations(session: GdbSession, text: str) -> Iterator[str]:
    """The lines of `dwarfgpu explain`."""
    variables: dict[Variable, None] = {}
    problem: DwarfGpuError | None = None
    shown = ""
    try:
        value = session.evaluate(
            text, lambda each: variables.update({each: None}), read_only="explain assigns nothing"
        )
        shown = session.value_text(value, print_options())
    except UsageError:
        raise
    except DwarfGpuError as error:
        problem = error
    for each in variables:
        yield from explanation(session, each)
    if [each.name for each in variables] != [text.removeprefix("::")]:
        yield f"expression {text}"
        found = [f"{text} = {shown}"] if problem is None else verdict_on_error(problem)
        yield from _concluded(found)


def explanation(session: GdbSession, variable: Variable) -> Iterator[str]:
    """What `dwarfgpu explain` says of a variable."""
    steps = Recorder()
    reading = session.read(variable, steps)
    yield from description(session, variable)
    for note in (*session.notes, *reading.notes):
        yield f"note: {note}"
    shown = views(steps.steps, session.architecture)
    yield from (step.text for step in shown)
    text = "" if reading.error is not None else session.text(reading, print_options())
    sentences = conclusion(reading, text, shown)
    yield from _concluded(sentences)


def _concluded(sentences: Sequence[str]) -> Iterator[str]:
    yield from (f"{'   ' if n else '=> '}{each}" for n, each in enumerate(sentences))


def install() -> None:
    """Add the commands to GDB."""
    debugger = the_debugger()
    PrefixCommand()
    PrintCommand("print", debugger)
    ExplainCommand("explain", debugger)
    BacktraceCommand(debugger)
    CompareCommand(debugger)
