"""The prompt without a line editor: pipes, dumb terminals, and `-ex` and `-x`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import parse
from dwarfgpu.repl.console import InputSource
from dwarfgpu.repl.script_state import MAX_CHARACTERS, LongLine, joined_lines
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.command_bodies import Nesting, opened

_MAX_SKIPPED: Final = 1 << 26
"""Characters of a line that is too long after which its end is not waited for: a device may have
none."""
_ENDLESS: Final = f"A line of more than {_MAX_SKIPPED} characters."
_PIECE: Final = 1 << 16
_EACH_PIECE: Final = 32
"""Characters that take as long as a short piece does."""
_BYTE_ORDER_MARK: Final = "\ufeff"
"""So some editors begin a file of UTF-8."""


@frozen
class StartupCommand:
    """A command of the command line."""

    text: str
    is_script: bool
    """`-x FILE`, not `-ex COMMAND`."""


def run_startup_commands(shell: Shell, commands: Iterable[StartupCommand]) -> None:
    """Run the commands in order; neither a failure nor Ctrl-C prevents the next from running.

    A command with a body takes it from the following commands, if they contain its end; otherwise
    from stdin as in GDB. Ctrl-C ends the command with all of its body.
    """
    following = _StartupLines(commands)
    shell.console.input = InputSource(partial(_ask, shell, prompts=False))
    for line in following:
        begin = following.number
        try:
            name = _with_body(shell, line)
            if name is not None and following.after_body(name, begin) is None:
                shell.execute(line)
            else:
                with shell.script.starting(following):
                    shell.execute(line, is_option=following.is_script(begin - 1))
        except KeyboardInterrupt:
            shell.console.streams.complain("Quit")
            name = _with_body(shell, line)  # it may be what was interrupted
            after_body = None if name is None else following.after_body(name, begin)
            following.number = max(following.number, after_body or 0)
        if shell.is_over:
            return


class _StartupLines(Iterator[str]):
    """The commands of the command line; no generator, which Ctrl-C amid it would end."""

    def __init__(self, commands: Iterable[StartupCommand]) -> None:
        self._commands = tuple(commands)
        self._lines = tuple(
            f"source {command.text}" if command.is_script else command.text
            for command in self._commands
        )
        self.number = 0
        """Of the next one."""

    def __next__(self) -> str:
        if self.number == len(self._lines):
            raise StopIteration
        self.number += 1
        return self._lines[self.number - 1]

    def is_script(self, number: int) -> bool:
        """Return whether a line is that of `-x`."""
        return self._commands[number].is_script

    def after_body(self, name: str, begin: int) -> int | None:
        """Return the number of the line after a body; None if it has no end."""
        nesting = Nesting(name)
        for number in range(begin, len(self._lines)):
            nesting.take(self._lines[number])
            if not nesting.open:
                return number + 1
        return None


def _with_body(shell: Shell, line: str) -> str | None:
    """Return the name of the command of a line if a body follows it."""
    try:
        call = parse(shell.commands, line)
    except UsageError:
        return None
    return opened(f"{call.command.name} {call.argument}".strip())


def _ask(shell: Shell, prompt: str, *, prompts: bool) -> str | None:
    """Return a line of stdin; None at its end.

    `LongLine` for one that is too long, which is skipped, `UsageError` for one that is not text.
    """
    if prompts:
        sys.stdout.write(prompt)
        sys.stdout.flush()
    if sys.stdin is None or sys.stdin.closed:  # by Python code of the user
        return None
    try:
        line = sys.stdin.readline(MAX_CHARACTERS + 1)
        if len(line) > MAX_CHARACTERS and not line.endswith("\n"):
            pieces = iter(partial(sys.stdin.readline, _PIECE), "")
            is_ended = _goes_by(pieces, lambda piece: piece.endswith("\n"))
            raise _long_line(shell, line.removeprefix(_BYTE_ORDER_MARK), is_ended=is_ended)
    except OSError:  # closed by Python code of the user, too
        return None
    except UnicodeError:  # another encoding than the environment's; ASCII's others are replaced
        shell.is_over = True
        raise UsageError(f"standard input is not text in {sys.stdin.encoding}") from None
    return line.removesuffix("\n").removeprefix(_BYTE_ORDER_MARK) if line else None


def _goes_by(pieces: Iterable[str], is_last: Callable[[str], bool]) -> bool:
    """Read pieces up to the last one, or up to the end, without keeping them; False where there are
    more than are waited for."""
    characters = 0
    for piece in pieces:
        characters += len(piece) + _EACH_PIECE
        if is_last(piece):
            return True
        if characters > _MAX_SKIPPED:
            return False
    return True


def _long_line(shell: Shell, line: str, *, is_ended: bool) -> LongLine:
    """Return the error about a line; without its end, the session cannot be read on."""
    if is_ended:
        return LongLine(line)
    shell.is_over = True
    return LongLine(line, _ENDLESS)


def converse(shell: Shell, *, prompts: bool) -> None:
    """Read lines of stdin until it ends; Ctrl-C ends the line or the command, as in GDB.

    `prompts`: there is a terminal, without powers.
    """
    ask = partial(_ask, shell, prompts=prompts)
    shell.console.input = InputSource(ask, ask, prompts)
    while not shell.is_over:
        try:
            adapt(shell)
            line = joined(shell, shell.prompt)
            if line is None:
                if prompts:
                    print("quit")
                return
            shell.execute(line, repeats=True)
        except UsageError as error:
            shell.refuse(error.beginning if isinstance(error, LongLine) else "", error)
        except KeyboardInterrupt:
            shell.console.streams.complain("Quit")


def adapt(shell: Shell) -> None:
    """Set the page size to that of the terminal, if there is one."""
    if shell.console.is_interactive:
        import shutil  # imports those of four compressions

        columns, rows = shutil.get_terminal_size()
        shell.settings.adapt("width", columns)
        shell.settings.adapt("height", rows)


def terminal_answer(prompt: str) -> str | None:
    """Read a short answer from the terminal; None at its end."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    try:
        return sys.stdin.readline(MAX_CHARACTERS) or None
    except UnicodeError:  # not in the encoding of the environment: no answer
        return None


def joined(shell: Shell, prompt: str) -> str | None:
    """Return the next line of the debug session, joined with those after a backslash; None at the
    end. `UsageError` as of `_ask`, also for lines that are too long together."""
    ask = shell.console.input.ask
    line = ask(prompt)
    if line is None:
        return None
    more = chain(iter(partial(ask, ">"), None), [""])
    try:
        return joined_lines(line, more)
    except LongLine:  # the last of them, which is skipped
        raise
    except UsageError:
        is_ended = _goes_by(more, lambda piece: not piece.endswith("\\"))
        raise _long_line(shell, line, is_ended=is_ended) from None
