"""Commands: declared once, found by any prefix that only one of them has.

Law: what a command is called, does, says of itself and completes to is in its declaration, and
nowhere else. The words of errors are GDB's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import field, frozen
from dwarfgpu.base.signature import documentation_of
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.repl.shell import Shell

Topic = Literal[
    "aliases",
    "data",
    "files",
    "lldb",
    "running",
    "stack",
    "status",
    "support",
    "user-defined",
    "waves",
]
TOPICS: dict[Topic, str] = {
    "aliases": "User-defined aliases of other commands.",
    "data": "Examining data.",
    "files": "Specifying and examining files.",
    "lldb": "LLDB's names for commands.",
    "running": "Running the program.",
    "stack": "Examining the stack.",
    "status": "Status inquiries.",
    "support": "Support facilities.",
    "user-defined": "User-defined commands.",
    "waves": "Examining waves and lanes.",
}

HINTS: Final = (
    'Type "help" followed by command name for full documentation.',
    'Type "apropos word" to search for commands related to "word".',
    'Type "apropos -v word" for full documentation of commands related to "word".',
    "Command name abbreviations are allowed if unambiguous.",
)
"""What GDB says below a list of commands."""

Run: TypeAlias = "Callable[[Shell, str], Iterator[Part]]"
"""Takes the text after the command's name; gives the lines of its output."""
WordCompleter: TypeAlias = "Callable[[Shell, str], Iterable[Candidate]]"
"""Takes the word that is being typed. It may also give candidates that do not begin with the word:
the caller omits these."""
Completions: TypeAlias = "tuple[int, Iterable[Candidate]]"
"""Where the word in the text begins, and its candidates."""

_WORD = pattern(r"\s*([\w.-]+|[^\s\w]?)")
_NOT_OF_GDB: Final = frozenset({
    "check", "diff", "dispatch", "info agents", "info dispatches", "info queues", "info waves",
    "laas", "lane", "lanes", "lfaas", "location", "pc", "queue", "redo", "set editing-mode",
    "set output", "show editing-mode", "show output", "show processor", "show vgpr-holds", "undo",
    "wave",
})  # fmt: skip
"""Names that GDB does not have: an abbreviation that is unambiguous in GDB (`disp`) stays so."""


@frozen
class Candidate:
    """A completion of a word."""

    text: str
    about: str = ""


@frozen
class ArgumentCompleter:
    """Completes words of an argument, with knowledge of all of its text."""

    offer: Callable[[Shell, str], Completions]
    is_fitting: bool = False
    """Whether every candidate is valid, even one that does not begin with the word."""


Completer: TypeAlias = "WordCompleter | ArgumentCompleter | None"


@frozen(eq=False)
class Command:
    """A command, or a family of them (`info`)."""

    name: str
    """The full name with its family: `info locals`."""
    help: str
    """Lists show the first line only."""
    run: Run = field(repr=False)
    topic: Topic
    aliases: tuple[str, ...] = ()
    """Short names that win over any other command that begins so."""
    complete: Completer = field(default=None, repr=False)
    subcommands: tuple[Command, ...] = field(default=(), repr=False)
    repeats: bool = True
    """Whether an empty line runs it again."""
    takes_other: bool = False
    """Whether the `run` of a family takes what begins with none of its subcommands' names."""
    keeps_end: bool = False
    """Whether blanks at the end of its argument mean something."""
    is_foreign: bool = False
    """Whether it is another debugger's name, found by its beginning only where no other fits."""
    is_absent: bool = False
    """Whether it only reports that GDB's command does not apply here: no list contains it, and its
    abbreviations work in families only, so that it hides no variable of the program."""
    is_abbreviation: bool = False
    """Whether lists and completion leave it out: `alias -a`."""
    user_aliases: tuple[Command, ...] = field(default=(), repr=False)
    """Those of `aliases` that `alias` has made, as commands of their own, for `help aliases`."""
    alias_of: tuple[str, str] | None = field(default=None, repr=False)
    """The name of the command whose alias it is, and the arguments before its own."""
    word: str = field(init=False, repr=False)
    """The last word of the name, by which the command is found in its family; cached as the next
    ones, because every typed line is compared with those of every command."""
    words: tuple[str, ...] = field(init=False, repr=False)
    """Its last word and its short names."""

    word_lines: str = field(init=False, repr=False)
    """A newline before each of `words`: one search in it rules out nearly every command."""

    @word.default
    def _word(self) -> str:
        return self.name.rsplit(" ", 1)[-1]

    @words.default
    def _words(self) -> tuple[str, ...]:
        return (self.word, *self.aliases)

    @word_lines.default
    def _word_lines(self) -> str:
        return "".join(f"\n{word}" for word in self.words)

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
    complete: Completer = None,
    subcommands: tuple[Command, ...] = (),
    repeats: bool = True,
    takes_other: bool = False,
    keeps_end: bool = False,
) -> Callable[[Run], Command]:
    """Declare a command; the function's docstring is what `help` prints."""

    def declared(run: Run) -> Command:
        text = documentation_of(run)
        return Command(
            name, text, run, topic, aliases, complete, subcommands, repeats, takes_other, keeps_end
        )

    return declared


class AllCommands(Collection[Command]):
    """Commands whose modules are loaded when they are looked through.

    Law: a frequent one that is typed by its exact name is found by loading its own module alone.
    """

    def __init__(
        self, frequent: Mapping[str, tuple[str, str]], load: Callable[[], Collection[Command]]
    ) -> None:
        """`frequent`: module and name of commands, by what is typed, their family included."""
        self._frequent, self._load = frequent, load
        self._loaded: dict[str, Command] = {}

    def __iter__(self) -> Iterator[Command]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def __contains__(self, command: object) -> bool:
        return command in self._load()

    def frequent(self, typed: str) -> Command | None:
        """Return the command with an exact name: `bt`, `info locals`; None if it is not
        frequent."""
        if typed in self._loaded or typed not in self._frequent:
            return self._loaded.get(typed)
        module, name = self._frequent[typed]
        command = getattr(import_module(module), name)
        assert isinstance(command, Command)
        self._loaded[typed] = command
        return command


@frozen
class Call:
    """A line as understood."""

    command: Command
    argument: str


def fitting(commands: Iterable[Command], word: str) -> dict[str, Command]:
    """Return the commands that a word can denote, by name: the one with that name, else all that
    begin with it, those of GDB first."""
    by_name: dict[str, Command] = {}
    of_gdb: dict[str, Command] = {}
    line = f"\n{word}"
    for command in commands:
        if line not in command.word_lines:
            continue
        if word in command.words:
            return {word: command}
        for name in command.words:
            if name.startswith(word):
                is_counted = command.name.count(" ") > 1 or command.name.startswith(
                    ("info ", "show ")
                )
                if is_counted or not command.is_absent:
                    by_name[name] = command
                    family = command.name.removesuffix(command.word)
                    if not command.is_foreign and f"{family}{name}" not in _NOT_OF_GDB:
                        of_gdb[name] = command
                break
    if of_gdb:
        return of_gdb
    own = {name: candidate for name, candidate in by_name.items() if not candidate.is_foreign}
    return own or by_name


def find(commands: Collection[Command], word: str, family: str = "", rest: str = "") -> Command:
    """Return the command that a word denotes; `UsageError` with GDB's wording if it denotes none or
    several: in a family, such words are the rest of the line."""
    matches = fitting(commands, word)
    line = word + rest.rstrip() if family else word
    kind = f"{family} " if family else ""
    if not matches or not word:
        help_of = f"help {family}" if family else "help"
        own = (command.word for command in commands if not command.is_absent)
        advice = (_in_family(commands, word) or did_you_mean(word, own)) if word else ""
        raise UsageError(f'Undefined {kind}command: "{line}".  Try "{help_of}".{advice}')
    if len(matches) > 1:
        names = ", ".join(sorted(matches))
        raise UsageError(f'Ambiguous {kind}command "{line}": {names}.')
    return next(iter(matches.values()))


def _in_family(commands: Collection[Command], word: str) -> str:
    """Return ` Did you mean "info threads"?` for `threads`; otherwise empty."""
    for command in commands:
        if command.word == "info":
            for subcommand in command.subcommands:
                if subcommand.word == word and not subcommand.is_absent:
                    return f' Did you mean "info {word}"?'
    return ""


def first_word(line: str) -> tuple[str, str]:
    """Return the word that names a command, and the rest: `p/x t` is `p` and `/x t`."""
    match = _WORD.match(line)
    assert match is not None
    return match[1], line[match.end() :]


def parse(commands: Collection[Command], line: str) -> Call:
    """Return the command of a line, subcommands included, and its argument."""
    word, rest = first_word(line)
    if isinstance(commands, AllCommands):
        second, after = first_word(rest)
        for typed, argument in ((f"{word} {second}", after), (word, rest)):
            frequent = commands.frequent(typed)
            if frequent is not None:
                return _call(frequent, argument)
    command = find(commands, word)
    while command.subcommands and rest.strip():
        word, after = first_word(rest)
        is_named = any(word in subcommand.words for subcommand in command.subcommands)
        is_other = not word or (after.lstrip().startswith("=") and not is_named)  # `set t = 3`
        is_other |= command.name == "save" and after.startswith("/")  # `save b/c.json`: a folder
        if command.takes_other and (is_other or not fitting(command.subcommands, word)):
            break
        command, rest = find(command.subcommands, word, command.name, after), after
    return _call(command, rest)


def _call(command: Command, rest: str) -> Call:
    return Call(command, rest.lstrip(" \t") if command.keeps_end else rest.strip(" \t"))


def every(commands: Iterable[Command]) -> Iterator[Command]:
    """Yield commands and their subcommands, by name."""
    for command in sorted(commands, key=lambda command: command.name):
        if not command.is_absent:
            yield command
            yield from every(command.subcommands)


def listed(commands: Iterable[Command]) -> Iterator[Output]:
    """Yield a line for each command, as in GDB's lists: `print, inspect, p -- Print the value of
    …`."""
    for command in sorted(commands, key=lambda command: command.name):
        if command.is_absent or command.is_abbreviation:
            continue
        data: JsonObject = {
            "name": command.name,
            "aliases": [*command.aliases],
            "summary": command.summary,
        }
        yield Output(f"{command.names} -- {command.summary}", data, "help")


def subcommand_list(family: str, subcommands: Iterable[Command]) -> Iterator[Part]:
    """Yield what GDB prints for the name of a family alone."""
    yield heading(f"List of {family} subcommands:\n")
    yield from listed(subcommands)
    yield heading("")
    yield heading(
        f'Type "help {family}" followed by {family} subcommand name for full documentation.'
    )
    yield from map(heading, HINTS[1:])
