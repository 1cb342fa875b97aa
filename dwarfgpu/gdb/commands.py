"""The commands `dwarfgpu …` inside GDB: thin, as GDB's own commands are.

A command imports what answers it when it is used: GDB starts with these for every program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import ClassVar

import gdb

from dwarfgpu.base.printable import one_line
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.gdb.function import Function
from dwarfgpu.gdb.gdb_session import Debugger
from dwarfgpu.gdb.limit_settings import install_limits
from dwarfgpu.gdb.machine.gdb_values import said, without_calls
from dwarfgpu.gdb.machine.interruptions import interruptions
from dwarfgpu.gdb.one_line_errors import command, gdb_errors
from dwarfgpu.gdb.print_options import print_options
from dwarfgpu.gdb.save_state import SaveState
from dwarfgpu.gdb.script_objects import the_debugger
from dwarfgpu.view.command_options import without_options

_MEMBERS = re.compile(r"(?:/\w*\s+|--?\w*\s+(?:[0-9]+\s+|all\s+)?)*(.*(?:\.|->)\s*)")
"""Text before the name of a member; the expression is after a format and options."""


class PrefixCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Examine the program with dwarfgpu's own reading of its DWARF.

    dwarfgpu print EXPRESSION    its value
    dwarfgpu explain EXPRESSION  how its variables' locations are computed, or why there is none
    dwarfgpu location EXPRESSION the location of each of its bits
    dwarfgpu where VARIABLE      where in its code it is described, and where not
    dwarfgpu lanes EXPRESSION    its value in each lane of the wave
    dwarfgpu eval-ops TEXT       the result of DWARF operations
    dwarfgpu bt                  the call frames
    dwarfgpu disassemble         the machine code of a function, with its source
    dwarfgpu info-locals         the variables of all frames
    dwarfgpu compare             the differences from GDB's values of variables
    dwarfgpu save-state FILE     the stopped program as a file for dwarfgpu elsewhere

    The function $dwarfgpu("EXPRESSION") provides dwarfgpu's values in GDB's own expressions."""

    def __init__(self) -> None:
        super().__init__("dwarfgpu", gdb.COMMAND_DATA, prefix=True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Raise an error for an unknown command; GDB calls this if no known command follows."""
        if argument:
            raise gdb.GdbError(f'Undefined dwarfgpu command: "{argument}".  Try "help dwarfgpu".')
        with gdb_errors():  # GDB reads the frame's language afterwards
            gdb.execute("help dwarfgpu", from_tty)


class _ValueCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """A command on a value of the selected frame."""

    options: ClassVar[tuple[str, ...]] = ()
    """Those before the expression."""

    def __init__(self, name: str, debugger: Debugger) -> None:
        super().__init__(f"dwarfgpu {name}", gdb.COMMAND_DATA)
        self.name = name
        self.debugger = debugger

    def complete(self, text: str, word: str | None) -> list[str] | int:
        """Return the names of the variables in scope; `word` is None while GDB finds the word.

        Where none begins so, as before the program runs, GDB completes what `print` has, and
        always members.
        """
        if word is None:
            return []
        if text.startswith("-") and (options := _completed(text, word, *self.options)):
            return options
        members = _MEMBERS.fullmatch(text[: len(text) - len(word)])
        if members is not None:
            return _members(members[1], word)
        names: set[str] = set()
        with suppress(DwarfGpuError, gdb.error), interruptions().noted():
            names = {variable.name for variable in self.debugger.session().variables()}
        return sorted(name for name in names if name.startswith(word)) or int(
            gdb.COMPLETE_EXPRESSION
        )

    def required(self, argument: str) -> str:
        """Return the expression; `UsageError` where there is none."""
        if not argument.strip():
            raise UsageError("Argument required (expression to compute).")
        return argument.strip()


class PrintCommand(_ValueCommand):
    """Print the value of an expression in the selected frame, as dwarfgpu reads its DWARF.

    Usage: dwarfgpu print[/FMT] [--] EXPRESSION

    EXPRESSION is in C or C++ with GDB's operators: sp->in[1].weight * 2, *p@3, 'file.c'::x.
    FMT is one of the letters x d u o t a c f z s r. Of GDB's settings these apply: print pretty,
    array, array-indexes, null-stop, static-members, symbol, union, raw-values, elements,
    characters (of newer GDBs), repeats and max-depth.
    Others do not: print address, object and vtbl, output-radix, and pretty-printers."""

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print a value as GDB's `print`, evaluated by dwarfgpu."""
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

    Usage: dwarfgpu explain [-depth N] [--] EXPRESSION

    For an expression, that of each variable on which it depends. Nothing is assigned.
    The inputs of operations are one line each: the frame base, the canonical frame address, a
    register of an outer frame, a value on entry, a called expression. -depth 1 also shows how they
    were computed, -depth 2 also their inputs; -depth all shows everything."""

    options = ("-depth",)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print the location description, every operation, and a verdict."""
        from dwarfgpu.gdb.command_text import explanations
        from dwarfgpu.view.step_text import depth_option

        with command():
            depth, text = depth_option(argument)
            text = self.required(without_options(text, "dwarfgpu explain"))
            session = self.debugger.session()
            print("\n".join(explanations(session, text, depth)))


class LocationCommand(_ValueCommand):
    """Draw the location of each bit of an object: registers, memory, or none.

    Usage: dwarfgpu location [--] EXPRESSION

    Nothing is assigned."""

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print a drawing of a location; GDB calls this."""
        from dwarfgpu.gdb.command_text import location_of

        with command():
            text = self.required(without_options(argument, "dwarfgpu location"))
            _print(location_of(self.debugger.session(), text))


class WhereCommand(_ValueCommand):
    """Show where in its code a variable is described, with what, and where it is not.

    Usage: dwarfgpu where VARIABLE

    An arrow marks the entry for the program location of the selected frame."""

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print where a variable has a location; GDB calls this."""
        from dwarfgpu.gdb.command_text import where_described

        with command():
            text = self.required(without_options(argument, "dwarfgpu where"))
            _print(where_described(self.debugger.session(), text))


class LanesCommand(_ValueCommand):
    """Print the value of an expression in each lane of the selected wave.

    Usage: dwarfgpu lanes [-all | -active | -inactive] EXPRESSION

    Consecutive lanes with the same value share a line."""

    options = ("-active", "-all", "-inactive")

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print the value of an expression in each lane; GDB calls this."""
        from dwarfgpu.gdb.command_text import lanes

        with command():
            _print(lanes(self.debugger.session(), self.required(argument)))


class OperationsCommand(_ValueCommand):
    """Evaluate DWARF operations in the selected frame.

    Usage: dwarfgpu eval-ops OPERATION [OPERANDS]; OPERATION ...

    For example: dwarfgpu eval-ops breg7 8; deref"""

    def complete(self, text: str, word: str | None) -> list[str]:
        """Return the names of operations."""
        from dwarfgpu.expr.operation import OPERATIONS

        if word is None:
            return []
        return sorted(operation for operation in OPERATIONS if operation.startswith(word))

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print the result of operations; GDB calls this."""
        from dwarfgpu.gdb.command_text import operations_result

        with command():
            _print(operations_result(self.debugger.session(), self.required(argument)))


class DisassembleCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Disassemble a function, or the code between addresses, AMD GPUs' without ROCm.

    Usage: dwarfgpu disassemble [/r | /b] [/m | /s] [ADDRESS | START,END | START,+LENGTH]

    Without an argument the function of the selected frame; /r and /b show bytes, /s source lines
    in the order of the code, /m in the order of the source."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__("dwarfgpu disassemble", gdb.COMMAND_DATA)
        self.debugger = debugger

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Disassemble as GDB's `disassemble`, with dwarfgpu's disassembler."""
        from dwarfgpu.gdb.command_text import disassembly

        with command():
            for line in disassembly(self.debugger.session(), argument):
                print("\t".join(map(one_line, line.split("\t"))))


def _no_information(word: str) -> str:
    """Return why `dwarfgpu info-locals WORD` is refused; GDB takes `dwarfgpu info locals` for it,
    by the abbreviation, and so every word of its own `info`."""
    if word.startswith("-"):
        return f'"dwarfgpu info-locals" has no option {word}.'
    if len(word) > 1 and ("locals".startswith(word) or "args".startswith(word)):
        advice = 'use "dwarfgpu info-locals", which lists the variables of all frames'
    elif word in ("f", "frame", "s", "stack"):
        advice = 'use "dwarfgpu bt", which lists the frames'
    else:
        return f'"dwarfgpu info-locals" takes no argument: {word}. It is the only "dwarfgpu info".'
    return f'"dwarfgpu info" has no {word}: {advice}.'


class LocalsCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Print the arguments and local variables of every frame of the selected thread.

    Usage: dwarfgpu info-locals [--json]

    With --json, for each frame one object on a line: its variables with their bytes and their
    locations, and its registers."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__("dwarfgpu info-locals", gdb.COMMAND_STACK)
        self.debugger = debugger

    def complete(self, text: str, word: str | None) -> list[str]:
        """Return the only option."""
        return _completed(text, word, "--json")

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print the local variables; GDB calls this."""
        with command():
            text = argument.strip()
            is_json = _is_option(text, "dwarfgpu info-locals", "-json")
            if text and not is_json:
                raise UsageError(_no_information(text.split()[0]))
            from dwarfgpu.gdb.locals import json_lines, text_lines

            for line in (json_lines if is_json else text_lines)(self.debugger):
                print(line)


class BacktraceCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Print the call frames of the selected thread, unwound by dwarfgpu's own reading of its CFI.

    Usage: dwarfgpu bt [COUNT | -COUNT]
           dwarfgpu bt -compare

    COUNT is the number of innermost frames, -COUNT of outermost ones. Only the registers of the
    newest frame come from GDB. -compare shows the differences from GDB's own frames: their program
    locations, functions, lines, CFAs and registers."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__("dwarfgpu bt", gdb.COMMAND_STACK)
        self.debugger = debugger

    def complete(self, text: str, word: str | None) -> list[str]:
        """Return the only option."""
        return _completed(text, word, "-compare")

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print the frames as GDB's `backtrace`, unwound by dwarfgpu."""
        with command():
            text = argument.strip()
            if _is_option(text, "dwarfgpu bt", "-compare"):
                from dwarfgpu.gdb.compare_frames import compare

                comparison = compare(self.debugger)
                for difference in comparison.differences:
                    print(difference)
                same = comparison.facts - len(comparison.differences)
                frames = "1 frame" if comparison.frames == 1 else f"{comparison.frames} frames"
                print(f"{frames}: {same} of {comparison.facts} facts are the same")
                return
            if text.startswith("-") and text.lstrip("-")[:1].isalpha():
                raise UsageError(f'"dwarfgpu bt" has no option {text.split()[0]}.')
            if text.split(" ", 1)[0] == "full":
                raise UsageError('"dwarfgpu bt" has no full: use "dwarfgpu info-locals".')
            from dwarfgpu.gdb.stack_by_cfi import lines

            with without_calls():
                count = int(gdb.parse_and_eval(text)) if text else None
            for line in lines(self.debugger, count):
                print(line)


class CompareCommand(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Print the differences between GDB's and dwarfgpu's contents of local variables.

    Usage: dwarfgpu compare [-all-frames]

    For the selected frame or for all frames; compares bytes if GDB knows their location, else
    texts. Both print with GDB's default settings, not with yours, and without pretty-printers."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__("dwarfgpu compare", gdb.COMMAND_DATA)
        self.debugger = debugger

    def complete(self, text: str, word: str | None) -> list[str]:
        """Return the only option."""
        return _completed(text, word, "-all-frames")

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Print the differences from GDB; GDB calls this."""
        with command():
            text = argument.strip()
            all_frames = _is_option(text, "dwarfgpu compare", "-all-frames")
            if text and not all_frames:
                raise UsageError(f'"dwarfgpu compare" has no option {text.split()[0]}.')
            from dwarfgpu.gdb.variables import report

            for line in report(self.debugger, all_frames=all_frames):
                print(line)


def _is_option(text: str, command: str, option: str) -> bool:
    """Return whether an argument is the option, with one or two hyphens; `UsageError` for one with
    something behind it."""
    word, _, rest = text.partition(" ")
    if word not in (option, f"-{option}"):
        return False
    if rest.strip():
        raise UsageError(f'"{command} {option}" takes no argument: {rest.strip()}')
    return True


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(one_line(line))


def _members(before: str, word: str) -> list[str]:
    """Return the names that GDB offers after `.` or `->`."""
    begin = f"print {before}"
    with suppress(gdb.error):
        lines = said(f"complete {begin}{word}").splitlines()
        names = (line.removeprefix(begin) for line in lines if line.startswith(begin))
        return [name for name in names if name.isidentifier()]
    return []


def _completed(text: str, word: str | None, *options: str) -> list[str]:
    """Return the options that begin so; GDB begins a new word behind hyphens."""
    if word is None:
        return []  # GDB asks first how to find the word
    return [option[len(text) - len(word) :] for option in options if option.startswith(text)]


def install() -> None:
    """Add the commands to GDB."""
    debugger = the_debugger()
    PrefixCommand()
    PrintCommand("print", debugger)
    ExplainCommand("explain", debugger)
    BacktraceCommand(debugger)
    CompareCommand(debugger)
    LocationCommand("location", debugger)
    WhereCommand("where", debugger)
    LanesCommand("lanes", debugger)
    OperationsCommand("eval-ops", debugger)
    DisassembleCommand(debugger)
    LocalsCommand(debugger)
    SaveState()
    Function(debugger)
    install_limits()
