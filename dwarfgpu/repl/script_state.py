"""What scripts and user-defined commands are in the middle of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from dwarfgpu.errors import LimitExceeded

MOST_NESTED: Final = 20
"""Scripts that run scripts."""


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


class ScriptState:
    """The commands and names that a conversation has defined, and the lines that are being run."""

    def __init__(self) -> None:
        self.user_defined: dict[str, tuple[str, ...]] = {}
        """The lines of commands that were defined."""
        self.prefixes: set[str] = set()
        """Commands that were defined to be the first word of others."""
        self.python_names: dict[str, Any] = {}
        """What Python code has defined."""
        self.calls = 0
        """User-defined commands that are under way, one called by the other."""
        self.bodies = 0
        """Bodies of commands that are being run, one in the other."""
        self.applied = 0
        """Commands that run others, one in the other, that are under way."""
        self.fillers: list[Callable[[str], str]] = []
        """Put the arguments of user-defined commands in their lines, innermost last."""
        self._sources: list[Iterator[str]] = []
        """The lines that are being run, innermost last."""
        self._hooks: set[str] = set()
        """That are under way."""
        self._nested = 0

    @property
    def is_typed(self) -> bool:
        """Whether the current line comes from the conversation, not from a script."""
        return not self._sources

    def next_line(self) -> str | None:
        """The line after the one that is run; None at the end of the script."""
        return next(self._sources[-1], None)

    def filled(self, line: str) -> str:
        """A line with the arguments of the user-defined command that it is of."""
        return self.fillers[-1](line) if self.fillers else line

    @contextmanager
    def reading(self, lines: Iterator[str]) -> Iterator[None]:
        """Bodies of commands are the next of these lines."""
        self._sources.append(lines)
        try:
            yield
        finally:
            self._sources.remove(lines)

    @contextmanager
    def script(self) -> Iterator[None]:
        """A script is run; `LimitExceeded` for too many, one run by the other."""
        if self._nested >= MOST_NESTED:
            raise LimitExceeded(f"scripts nested more than {MOST_NESTED} deep")
        self._nested += 1
        self.fillers.append(str)
        try:
            yield
        finally:
            self.fillers.pop()
            self._nested -= 1

    def has_hook(self, name: str) -> bool:
        """Whether a command that runs before or after another one is defined, and not under way."""
        return name in self.user_defined and name not in self._hooks

    @contextmanager
    def hook(self, name: str) -> Iterator[None]:
        """That command is run: for what it runs itself it is not run again."""
        self._hooks.add(name)
        try:
            yield
        finally:
            self._hooks.remove(name)
