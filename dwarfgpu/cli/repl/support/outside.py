"""Commands that reach outside: the shell of the system, and Python."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from traceback import StackSummary, TracebackException
from typing import Any, Final, TextIO

import dwarfgpu
from dwarfgpu import language
from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import Part, Told, command
from dwarfgpu.cli.repl.data.values import evaluated, options_of
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.repl.support.script import body
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.language.wave_variables import integer_value

_DELIMITED: Final = re.compile(r"-d\s+(?P<delimiter>\S+)\s+(?P<rest>.*)", re.DOTALL)


_OURS: Final = str(Path(dwarfgpu.__file__).parent)


@command("shell", topic="support", aliases=("!",), complete=candidates.files)
def shell_(shell: Shell, argument: str) -> Iterator[Part]:
    """Run a command of the system's shell.

    Usage: shell [COMMAND]
           !COMMAND

    Without an argument, an interactive shell. $_shell_exitcode is then its exit status.
    """
    program = os.environ.get("SHELL", "/bin/sh")
    yield from _ran(shell, argument or program, None)


@command("pipe", topic="support", aliases=("|",), complete=candidates.piped)
def pipe(shell: Shell, argument: str) -> Iterator[Part]:
    """Send the output of a command to a program.

    Usage: pipe COMMAND | SHELL_COMMAND
           | COMMAND | SHELL_COMMAND
           pipe -d DELIMITER COMMAND DELIMITER SHELL_COMMAND

    DELIMITER is for commands that have a "|" of their own.
    """
    match = _DELIMITED.fullmatch(argument)
    delimiter, text = ("|", argument) if match is None else (match["delimiter"], match["rest"])
    command, is_there, program = (each.strip() for each in text.partition(delimiter))
    if not text.strip() or (is_there and not command):
        raise UsageError("Missing COMMAND")
    if not is_there:
        raise UsageError("Missing delimiter before SHELL_COMMAND")
    if not program:
        raise UsageError("Missing SHELL_COMMAND")
    yield from _ran(shell, program, shell.captured(command))


def _ran(shell: Shell, program: str, given: str | None) -> Iterator[Part]:
    """Run a program: on a terminal it has that, otherwise its output is the command's."""
    import subprocess  # only here: the start of each conversation would pay for it

    shell.streams.out.flush()
    has_terminal = shell.is_talk and shell.settings.word("output") == "text"
    try:
        done = subprocess.run(
            program,
            shell=True,
            input=None if given is None else given.encode("utf-8", "replace"),
            stdin=subprocess.DEVNULL if given is None and not has_terminal else None,
            stdout=None if has_terminal else subprocess.PIPE,
            check=False,
        )
    except (OSError, ValueError) as error:
        raise UsageError(f"Cannot run {program!r}: {error}") from None
    status = done.returncode
    architecture = shell.session.architecture
    told, other = "_shell_exitcode", "_shell_exitsignal"
    if status < 0:  # that of the signal that ended it
        told, other = other, told
    shell.values.named[told] = integer_value(architecture, abs(status))
    shell.values.named.pop(other, None)
    text = "" if has_terminal else done.stdout.decode("utf-8", "backslashreplace")
    yield Told(text, {"exitcode": status, "output": text}, ends_line=False)


@command("python", topic="support", aliases=("py",), repeats=False)
def python(shell: Shell, argument: str) -> Iterator[Part]:
    """Run Python code, which reaches the session's objects.

    Usage: python [CODE]

    Without CODE, the lines that follow up to "end". Names stay from one to the next. "session" is
    the dwarfgpu.session.Session that is looked at; evaluate(TEXT) gives the value of an
    expression, text(VALUE) what "print" shows of it, execute(COMMAND) the output of a command.
    """
    code = argument or dedent("\n".join(body(shell, "python")))
    names = shell.python_names
    names |= _names(shell)
    out = _Output()
    try:
        with lent_streams(out):
            exec(compile(code, "<string>", "exec"), names)
    except SystemExit as leaving:  # as in GDB, the code may end the conversation
        yield _python_output(out)
        status: object = leaving.code or 0
        if not isinstance(status, int):
            shell.streams.complain(str(status))
        shell.is_over = True
        shell.exit_status = status & 0xFF if isinstance(status, int) else 1
        return
    except BaseException as error:  # noqa: BLE001 (the user's code may raise anything)
        yield _python_output(out)
        traced = _traced(error)
        if shell.settings.word("output") == "text":
            shell.streams.complain(traced.removesuffix("\n"))
            traced = ""
        raise UsageError(f"{traced}Error while executing Python code.") from None
    yield _python_output(out)


def _traced(error: BaseException) -> str:
    """An error of the user's code as Python shows it, without our own part of the way to it."""
    told = TracebackException.from_exception(error)
    told.stack = StackSummary.from_list(
        [each for each in told.stack if not each.filename.startswith(_OURS)]
    )
    if not told.stack:
        return "".join(told.format_exception_only())
    return "".join(told.format(chain=False))


class _Output(io.StringIO):
    """What code prints; it stays readable when the code closes it."""

    def close(self) -> None:
        self.flush()


class _Lent:
    """A stream of the process that code uses and cannot close: the conversation goes on with it.

    `exit()` closes stdin, before it raises anything.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)

    def close(self) -> None:
        """Nothing: it is not the code's."""


@contextmanager
def lent_streams(out: TextIO) -> Iterator[None]:
    """The streams of the process while code runs that is not ours; what it prints goes to `out`."""
    outputs, others = ("stdout", "__stdout__"), ("stdin", "stderr", "__stdin__", "__stderr__")
    before = {name: getattr(sys, name) for name in (*outputs, *others)}
    for name, stream in before.items():
        lent = None if stream is None else _Lent(stream)
        setattr(sys, name, out if name in outputs else lent)
    try:
        yield
    finally:
        for name, stream in before.items():
            setattr(sys, name, stream)


def _python_output(out: io.StringIO) -> Part:
    return Told(out.getvalue(), {"output": out.getvalue()}, ends_line=False)


def _names(shell: Shell) -> dict[str, Any]:
    """What Python code finds."""

    def evaluate(text: str) -> TypedValue:
        return evaluated(shell.session, shell.values, text)

    def text(value: TypedValue) -> str:
        return language.format(value, shell.session, shell.settings.format_options())

    return {
        "__name__": "__dwarfgpu__",
        "session": shell.session,
        "execute": shell.captured,
        "evaluate": evaluate,
        "text": text,
        "options": options_of(shell.session, shell.values),
        "DwarfGpuError": DwarfGpuError,
    }
