"""Definitions of a debug session, and the scripts and user-defined commands under way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from dwarfgpu.errors import LimitExceeded, UsageError

MAX_NESTED: Final = 20
"""Maximum nesting of scripts."""
MAX_CHARACTERS: Final = 1 << 20
"""Maximum length of a line, with the lines that backslashes join to it; binary input may have no
line ends."""
_SHOWN: Final = 64
"""Characters of a line that is too long: an answer has its token, and how it begins."""
TOO_LONG: Final = f"A line of more than {MAX_CHARACTERS} characters."


class LongLine(UsageError):
    """A line that is too long to be kept, and was read to its end."""

    def __init__(self, beginning: str, message: str = TOO_LONG) -> None:
        super().__init__(message)
        self.beginning = beginning[:_SHOWN]

    @property
    def kind(self) -> str:
        return UsageError.__name__


class Leaving(Exception):
    """Raised by `loop_break` and `loop_continue`; caught by the loop around them."""


def joined_lines(line: str, more: Iterator[str]) -> str:
    """Return a line with the next ones as long as a backslash ends it; `UsageError` where they are
    too long together."""
    parts, characters = [], 0
    while line.endswith("\\"):
        parts.append(line[:-1])
        characters += len(line)
        if characters > MAX_CHARACTERS:
            raise UsageError(TOO_LONG)
        line = next(more)
    return "".join((*parts, line))


class ScriptLines(Iterator[str]):
    """The lines of a script. A backslash joins a line to the next one; the last line is lost if it
    ends with one, as in GDB."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.number = 0
        """The number of the last line read."""
        self._lines = self._counted(lines)

    def __next__(self) -> str:
        return joined_lines(next(self._lines), self._lines)

    def _counted(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self.number += 1
            yield line


class ScriptState:
    """Defined commands and names, and the lines that are being run."""

    def __init__(self) -> None:
        self.user_defined: dict[str, tuple[str, ...]] = {}
        """The lines of commands that were defined."""
        self.prefixes: set[str] = set()
        """Commands that `define-prefix` made."""
        self.aliases = 0
        """How many were defined."""
        self.python_names: dict[str, Any] = {}
        """The names of Python code."""
        self.calls = 0
        """Depth of user-defined commands that call one another."""
        self.bodies = 0
        """Depth of bodies of commands."""
        self.applied = 0
        """Depth of commands that run others, as `thread apply`."""
        self.changed_settings = 0
        """Depth of commands with a setting changed, as `with`."""
        self.fillers: list[Callable[[str], str]] = []
        """Substitute the arguments of user-defined commands, the innermost last."""
        self._sources: list[Iterator[str]] = []
        """The scripts that are being run, the innermost last."""
        self._startup: Iterator[str] | None = None
        """The commands of the command line, which are a script as well."""
        self._hooks: set[str] = set()
        """The hooks that are being run."""
        self._nested = 0

    @property
    def is_typed(self) -> bool:
        """Whether the current line comes from the debug session, not from a script."""
        return not self._sources

    @property
    def is_given(self) -> bool:
        """Whether the current line is typed or a command of the command line (`-ex`)."""
        return all(lines is self._startup for lines in self._sources)

    def next_line(self) -> str | None:
        """Return the next line of the innermost script; None at its end."""
        return next(self._sources[-1], None)

    def filled(self, line: str) -> str:
        """Return a line with the arguments of the user-defined command around it."""
        return self.fillers[-1](line) if self.fillers else line

    @contextmanager
    def reading(self, lines: Iterator[str]) -> Iterator[None]:
        """Let commands within the block read their bodies from these lines."""
        self._sources.append(lines)
        try:
            yield
        finally:
            self._sources.remove(lines)

    @contextmanager
    def starting(self, commands: Iterator[str]) -> Iterator[None]:
        """Let commands within the block read their bodies from those of the command line."""
        self._startup = commands
        with self.reading(commands):
            yield

    @contextmanager
    def script(self) -> Iterator[None]:
        """Run a script within; `LimitExceeded` if scripts are nested too deep."""
        if self._nested >= MAX_NESTED:
            raise LimitExceeded(f"scripts nested more than {MAX_NESTED} deep")
        self._nested += 1
        self.fillers.append(str)
        try:
            yield
        finally:
            self.fillers.pop()
            self._nested -= 1

    def has_hook(self, name: str) -> bool:
        """Return whether a hook is defined, and is not being run."""
        return name in self.user_defined and name not in self._hooks

    @contextmanager
    def hook(self, name: str) -> Iterator[None]:
        """Run a hook within; it is not run again for its own commands."""
        self._hooks.add(name)
        try:
            yield
        finally:
            self._hooks.remove(name)
