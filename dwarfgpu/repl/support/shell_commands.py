"""Commands that reach outside: the shell of the system, and Python."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from textwrap import dedent
from traceback import StackSummary, TracebackException
from typing import Any, Final

import dwarfgpu
from dwarfgpu import printers
from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.printable import text_bytes
from dwarfgpu.errors import DwarfGpuError, SeveralLines, UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.print_commands import shown_value
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.added_printers import add_printer
from dwarfgpu.repl.support.borrowed_streams import CapturedText, with_borrowed_streams
from dwarfgpu.repl.support.script_commands import body
from dwarfgpu.service.value.value_history import evaluated, options_of
from dwarfgpu.session.session import Session

_DELIMITED: Final = re.compile(r"-d\s+(?P<delimiter>\S+)\s+(?P<rest>.*)", re.DOTALL)


_OURS: Final = str(Path(dwarfgpu.__file__).parent)


@command("shell", topic="support", aliases=("!",), complete=completion.files)
def shell_(shell: Shell, argument: str) -> Iterator[Part]:
    """Run a command of the system's shell.

    Usage: shell [COMMAND]
           !COMMAND

    Without an argument, starts an interactive shell. Afterwards $_shell_exitcode is its exit
    status.
    """
    program = os.environ.get("SHELL", "/bin/sh")
    yield from _ran(shell, argument or program, None)


@command("pipe", topic="support", aliases=("|",), complete=completion.PIPED)
def pipe(shell: Shell, argument: str) -> Iterator[Part]:
    """Send the output of a command to a program.

    Usage: pipe COMMAND | SHELL_COMMAND
           | COMMAND | SHELL_COMMAND
           pipe -d DELIMITER COMMAND DELIMITER SHELL_COMMAND

    Use DELIMITER for commands that contain a "|".
    """
    if argument == "-d":
        raise UsageError("-d requires an argument")
    match = _DELIMITED.fullmatch(argument)
    delimiter, text = ("|", argument) if match is None else (match["delimiter"], match["rest"])
    command, is_there, program = (part.strip() for part in text.partition(delimiter))
    if not text.strip() or (is_there and not command):
        raise UsageError("Missing COMMAND")
    if not is_there:
        raise UsageError("Missing delimiter before SHELL_COMMAND")
    if not program:
        raise UsageError("Missing SHELL_COMMAND")
    yield from _ran(shell, program, shell.captured(command))


def _ran(shell: Shell, program: str, stdin_text: str | None) -> Iterator[Part]:
    """Run a program: on a terminal it has that, otherwise its output is the command's."""
    import subprocess  # only here: the start of each session would pay for it

    shell.console.streams.out.flush()
    has_terminal = shell.console.is_interactive and not shell.console.is_json
    output = None if has_terminal else _descriptor(shell)
    try:
        process = subprocess.run(
            program,
            shell=True,
            input=None if stdin_text is None else text_bytes(stdin_text),
            stdin=subprocess.DEVNULL if stdin_text is None and not has_terminal else None,
            stdout=subprocess.PIPE if output is None and not has_terminal else output,
            check=False,
        )
    except (OSError, ValueError) as error:
        raise UsageError(f"Cannot run {program!r}: {error}") from None
    status = process.returncode
    architecture = shell.session.architecture
    set_name, unset_name = "_shell_exitcode", "_shell_exitsignal"
    if status < 0:  # that of the signal that ended it
        set_name, unset_name = unset_name, set_name
    shell.values.named[set_name] = integer_value(architecture, abs(status))
    shell.values.named.pop(unset_name, None)
    text = (process.stdout or b"").decode("utf-8", "backslashreplace")
    yield Output(text, {"exitcode": status, "output": text}, ends_line=False)


def _descriptor(shell: Shell) -> int | None:
    """Return where answers go as they come, so that what a program says on stderr is not before
    them."""
    if not shell.console.is_plain or shell.console.is_json:
        return None
    try:
        return shell.console.streams.out.fileno()
    except (AttributeError, OSError, ValueError):  # it is in memory, or goes to a log
        return None


@command("python", topic="support", aliases=("py",), repeats=False)
def python(shell: Shell, argument: str) -> Iterator[Part]:
    """Run Python code with access to the session.

    Usage: python [CODE]

    Without CODE, the lines up to "end". Names persist between commands. "session" is the current
    dwarfgpu.session.session.Session; evaluate(TEXT) returns the value of an expression, text(VALUE)
    its text as in "print", execute(COMMAND) the output of a command, options the
    dwarfgpu.language.SourceOptions of expressions, add_printer(NAME, PATTERN, FUNCTION) adds a
    pretty-printer, with Object, Printed and the other names of dwarfgpu.printers available. If the
    code redefines one of these names, its definition counts, until "del" restores the original. If
    commands come from a pipe, the code's stdin is empty.
    """
    code = argument or dedent("\n".join(body(shell, "python")))
    yield from run_python(shell, code, "<string>")


def run_python(shell: Shell, code: str, name: str) -> Iterator[Part]:
    """Return the output of Python code with the names of the session; `name`: its origin."""
    if not isinstance(shell.script.python_names, _Names):
        shell.script.python_names = _Names(shell, shell.script.python_names)
    out = CapturedText()

    def flush() -> None:
        if shell.console.is_plain:  # otherwise the caller gets the output in one piece
            shell.console.streams.print(out.drained())
            shell.console.streams.out.flush()

    shell.console.streams.out.flush()
    lent = with_borrowed_streams(
        out,
        has_stdin=not shell.console.stdin_is_script and not shell.console.is_json,
        is_apart=shell.console.is_json,
        flush=flush,
    )
    try:
        with lent:
            exec(compile(code, name, "exec"), shell.script.python_names)
    except SystemExit as leaving:  # as in GDB, the code may end the debug session
        yield _python_output(out)
        if shell.is_over:  # by "quit", which knows the status
            return
        status: object = leaving.code or 0
        if not isinstance(status, int):
            shell.console.streams.complain(str(status))
        shell.is_over = True
        shell.exit_status = status & 0xFF if isinstance(status, int) else 1
        return
    except BaseException as error:  # noqa: BLE001 (the user's code may raise anything)
        yield _python_output(out)
        raise _python_failed(shell, error) from None
    yield _python_output(out)


def _python_failed(shell: Shell, error: BaseException) -> UsageError:
    """Return the error of a command whose code raised one; for GDB's API it names the
    alternative."""
    if isinstance(error, NameError | ImportError) and error.name == "gdb":
        have = "session, evaluate(TEXT), text(VALUE) and execute(COMMAND)"
        return UsageError(f'The module gdb is not available; use {have}. Type "help python".')
    traced = _traced(error)
    if not shell.console.is_json:
        shell.console.streams.complain(traced.removesuffix("\n"))
        traced = ""
    return SeveralLines(f"{traced}Error while executing Python code.")


def _traced(error: BaseException) -> str:
    """Return an error of the user's code as Python shows it, without our own part of the way to
    it."""
    trace = TracebackException.from_exception(error)
    first: TracebackException | None = trace
    while first is not None:
        first.stack = StackSummary.from_list(
            [summary for summary in first.stack if not summary.filename.startswith(_OURS)]
        )
        first = first.__cause__ or first.__context__
    is_alone = trace.__cause__ is None and (trace.__context__ is None or trace.__suppress_context__)
    if not trace.stack and is_alone:
        return "".join(trace.format_exception_only())
    return "".join(trace.format())


def _python_output(out: CapturedText) -> Part:
    text = out.drained()
    return Output(text, {"output": text}, ends_line=False)


@names_wrong_arguments
def evaluate(shell: Shell, text: str) -> TypedValue:
    """Return the value of an expression, for Python code."""
    return evaluated(shell.session, shell.values, text)


@names_wrong_arguments
def text(shell: Shell, value: TypedValue) -> str:
    """Return the text of a value as in `print`, for Python code."""
    return shown_value(shell, value)


@names_wrong_arguments
def execute(shell: Shell, command: str) -> str:
    """Return the output of a command; one that ends the debug session ends the code, as in GDB."""
    output = shell.captured(command)
    if shell.is_over:
        raise SystemExit
    return output


class _Names(dict[str, Any]):
    """The names of Python code: its own, and below them the current ones of the debug session."""

    def __init__(self, shell: Shell, names: Mapping[str, Any]) -> None:
        super().__init__(names)
        self._shell = shell
        self._presented: tuple[Session, Session] | None = None
        self.setdefault("__name__", "__dwarfgpu__")

    def _session(self) -> Session:
        """Return the current session, with `text` and `value` for its readings."""
        from dwarfgpu.language.presented_session import presented  # for scripts alone

        current = self._shell.session
        if self._presented is None or self._presented[0] is not current:
            self._presented = current, presented(current)
        return self._presented[1]

    def __missing__(self, name: str) -> Any:
        shell = self._shell
        match name:
            case "session":
                return self._session()
            case "execute":
                return partial(execute, shell)
            case "evaluate":
                return partial(evaluate, shell)
            case "text":
                return partial(text, shell)
            case "options":
                return options_of(shell.session, shell.values)
            case "DwarfGpuError":
                return DwarfGpuError
            case "add_printer":
                return partial(add_printer, shell.settings)
        if name in printers.__all__:
            return getattr(printers, name)
        raise KeyError(name)
