"""Commands: declared once, found by any prefix that only one of them has.

Law: what a command is called, does, says of itself and completes to is in its declaration, and
nowhere else. The words of errors are GDB's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from inspect import getdoc
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from attrs import field, frozen

from dwarfgpu.errors import UsageError

if TYPE_CHECKING:
    from dwarfgpu.cli.repl.shell import Shell

Topic = Literal["data", "lanes", "stack", "support"]
TOPICS: dict[Topic, str] = {
    "data": "Examining data.",
    "lanes": "Looking at the lanes of a wave.",
    "stack": "Examining the stack.",
    "support": "Support facilities.",
}

Run: TypeAlias = "Callable[[Shell, str], Iterator[str]]"
"""Takes the text after the command's name; gives the lines of its output."""
Complete: TypeAlias = "Callable[[Shell, str], Iterable[Candidate]]"
"""Takes the word that is being typed; what it filters out need not be filtered by it."""

RUNNING: Final = frozenset({
    "b", "br", "break", "tb", "tbreak", "watch", "r", "run", "start", "n", "next", "ni", "nexti",
    "s", "step", "si", "stepi", "fin", "finish", "u", "until", "advance", "c", "continue", "jump",
})  # fmt: skip
"""GDB's commands, with their short names, that make a program run or say where it stops."""

_WORD = re.compile(r"\s*([A-Za-z][\w.-]*|[^\s\w]?)")


@frozen
class Candidate:
    """One way to go on with a word."""

    text: str
    about: str = ""


@frozen(eq=False)
class Command:
    """A command, or a family of them (`info`)."""

    name: str
    """With that of its family: `info locals`."""
    help: str
    """Its first line stands for the whole in lists."""
    run: Run = field(repr=False)
    topic: Topic
    aliases: tuple[str, ...] = ()
    """Short names that win over any other command that begins so."""
    complete: Complete | None = field(default=None, repr=False)
    subcommands: tuple[Command, ...] = field(default=(), repr=False)
    repeats: bool = True
    """Whether an empty line runs it again."""

    @property
    def word(self) -> str:
        """The last word of the name, by which the command is found in its family."""
        return self.name.rsplit(" ", 1)[-1]

    @property
    def words(self) -> tuple[str, ...]:
        return (self.word, *self.aliases)

    @property
    def names(self) -> str:
        """Every full name: `print, inspect, p`."""
        family = self.name.removesuffix(self.word)
        return ", ".join(f"{family}{word}" for word in self.words)

    @property
    def summary(self) -> str:
        return self.help.partition("\n")[0]


def command(
    name: str,
    *,
    topic: Topic,
    aliases: tuple[str, ...] = (),
    complete: Complete | None = None,
    subcommands: tuple[Command, ...] = (),
    repeats: bool = True,
) -> Callable[[Run], Command]:
    """Declare a command; the function's docstring is what `help` prints."""

    def declared(run: Run) -> Command:
        text = getdoc(run) or ""
        return Command(name, text, run, topic, aliases, complete, subcommands, repeats)

    return declared


@frozen
class Call:
    """A line as understood."""

    command: Command
    argument: str


def find(commands: Iterable[Command], word: str, family: str = "") -> Command:
    """The command that a word means; `UsageError` in GDB's words where it means none or several."""
    fitting: dict[str, Command] = {}
    for each in commands:
        if word in each.words:
            return each
        name = next((name for name in each.words if name.startswith(word)), None)
        if name is not None:
            fitting[name] = each
    kind = f"{family} " if family else ""
    if not fitting or not word:
        help_of = f"help {family}" if family else "help"
        raise UsageError(f'Undefined {kind}command: "{word}".  Try "{help_of}".')
    if len(fitting) > 1:
        names = ", ".join(sorted(fitting))
        raise UsageError(f'Ambiguous {kind}command "{word}": {names}.')
    return next(iter(fitting.values()))


def first_word(line: str) -> tuple[str, str]:
    """The word that names a command, and the rest: `p/x t` is `p` and `/x t`."""
    match = _WORD.match(line)
    assert match is not None
    return match[1], line[match.end() :]


def parse(commands: Iterable[Command], line: str) -> Call:
    """The command of a line, subcommands included, and its argument."""
    word, rest = first_word(line)
    if word in RUNNING:
        raise UsageError("The target does not run: a state or core file is looked at only.")
    found = find(commands, word)
    while found.subcommands and rest.strip():
        word, rest = first_word(rest)
        found = find(found.subcommands, word, found.name)
    return Call(found, rest.strip())


def listed(commands: Iterable[Command]) -> Iterator[str]:
    """One line a command, as in GDB's lists: `print, inspect, p -- Print the value of …`."""
    for each in sorted(commands, key=lambda command: command.name):
        yield f"{each.names} -- {each.summary}"
