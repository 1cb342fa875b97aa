"""The commands `dwarfgpu …` inside GDB: thin, in GDB's manners."""

from __future__ import annotations

from collections.abc import Iterator

import gdb

from dwarfgpu.backends.ingdb import one_line_errors
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.gdb import Debugger, GdbSession, print_options
from dwarfgpu.view.description import conclusion, description
from dwarfgpu.view.explain import Recorder, views


class PrefixCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Look at the program through dwarfgpu's own reading of its DWARF.

    dwarfgpu print VAR    its value
    dwarfgpu explain VAR  how its location is computed, or why it has none"""

    def __init__(self) -> None:
        super().__init__("dwarfgpu", gdb.COMMAND_DATA, prefix=True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB calls this where no known command follows."""
        if argument:
            raise gdb.GdbError(f'Undefined dwarfgpu command: "{argument}".  Try "help dwarfgpu".')
        gdb.execute("help dwarfgpu", from_tty)


class _VariableCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """A command on one variable of the selected frame."""

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

    def found(self, argument: str) -> tuple[GdbSession, Variable]:
        """The session and the variable that the argument names; `UsageError` for no name."""
        name = argument.strip()
        if not name.replace("::", "").replace("$", "").isidentifier():
            raise UsageError(f'dwarfgpu {self.name} needs the name of one variable, not "{name}".')
        session = self.debugger.session()
        return session, session.variable(name)


class PrintCommand(_VariableCommand):
    """Print a variable of the selected frame, as dwarfgpu reads its DWARF.

    Usage: dwarfgpu print[/FMT] VAR

    FMT is one of the letters x d u o t a c f z s. The settings of `set print` apply."""

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB's `print`, by our own means."""
        with one_line_errors():
            letter, name = None, argument
            if argument.startswith("/"):
                letter, _, name = argument[1:].partition(" ")
            options = print_options(letter)
            session, variable = self.found(name)
            reading = session.read(variable)
            print(f"{variable.name} = {session.text(reading, options)}")
            for note in reading.notes:
                print(f"note: {note}")


class ExplainCommand(_VariableCommand):
    """Show step by step how the location of a variable is computed, or why it has none.

    Usage: dwarfgpu explain VAR"""

    def invoke(self, argument: str, from_tty: bool) -> None:
        """The description, every operation, and a verdict."""
        with one_line_errors():
            session, variable = self.found(argument)
            print("\n".join(explanation(session, variable)))


def explanation(session: GdbSession, variable: Variable) -> Iterator[str]:
    """The lines of `dwarfgpu explain`."""
    steps = Recorder()
    reading = session.read(variable, steps)
    yield from description(session, variable)
    for note in (*session.notes, *reading.notes):
        yield f"note: {note}"
    shown = views(steps.steps, session.architecture)
    yield from (step.text for step in shown)
    text = "" if reading.error is not None else session.text(reading, print_options())
    sentences = conclusion(reading, text, shown)
    yield from (f"{'   ' if n else '=> '}{each}" for n, each in enumerate(sentences))


def install() -> None:
    """Add the commands to GDB."""
    debugger = Debugger()
    PrefixCommand()
    PrintCommand("print", debugger)
    ExplainCommand("explain", debugger)
