"""Commands about commands: help, completion, and the end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from os.path import commonprefix
from textwrap import wrap
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import (
    HINTS,
    TOPICS,
    ArgumentCompleter,
    Candidate,
    Command,
    Completions,
    command,
    every,
    find,
    first_word,
    listed,
    subcommand_list,
)
from dwarfgpu.repl.files.symbol_index import MAX_NAMES
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import whole_number
from dwarfgpu.view.json_object import JsonObject

FIRST: Final = (
    'To begin: "info locals" shows the variables, "lane 17" selects another lane, "lanes x" shows',
    'x in every lane. "explain x" shows why x is what it is, or <optimized out>, "where x" where',
    'in the code it is described, "location x" draws where its bits live.',
    "",
)
_USER_DEFINED: Final = (
    "The commands in this class are those defined by the user.",
    'Use the "define" command to define a command.',
)
_OF_USERS: Final = ("aliases", "user-defined")
ALL: Final = "all"


def _helped(shell: Shell, text: str) -> Completions:
    start, candidates = completion.NESTED_NAMES.offer(shell, text)
    if text[:start].strip():
        return start, candidates
    classes = (Candidate(name, about) for name, about in TOPICS.items())
    return start, (*candidates, *classes, Candidate(ALL, "all commands"))


@command("help", topic="support", aliases=("h",), complete=ArgumentCompleter(_helped))
def help_(shell: Shell, argument: str) -> Iterator[Part]:
    """Print help on a command, or the classes of commands.

    Usage: help [COMMAND | CLASS | all]
    """
    parts = _help(shell, argument)
    has_width = shell.console.is_seen or shell.settings.limit("width") is not None
    yield from _wrapped(parts, shell.console.columns) if has_width else parts


def _wrapped(parts: Iterator[Part], columns: int) -> Iterator[Part]:
    """Yield lines without broken words where a terminal is narrow: paragraphs of text are filled
    again."""
    for is_text, run in groupby(parts, _is_of_text):
        lines = [*run]
        if not is_text:
            yield from (_folded(line, columns) for line in lines)
        elif max(map(len, map(str, lines))) <= columns:
            yield from lines
        else:
            yield from wrap(" ".join(map(str, lines)), columns, break_on_hyphens=False)


def _is_of_text(part: Part) -> bool:
    return isinstance(part, str) and part[:1] not in ("", " ") and " -- " not in part


def _folded(part: Part, columns: int) -> Part:
    """Return a line of a list; continuation lines are indented."""
    text = part if isinstance(part, str) else part.text if isinstance(part, Output) else ""
    if len(text) <= columns or text.startswith(" "):
        return part
    lines = wrap(text, columns, subsequent_indent="    ", break_on_hyphens=False)
    shown = "\n".join(lines)
    return evolve(part, text=shown) if isinstance(part, Output) else shown


def _help(shell: Shell, argument: str) -> Iterator[Part]:
    if argument == ALL:
        for topic in TOPICS:
            inside = _of_topic(shell, topic)
            if inside:
                yield f"Command class: {topic}"
                yield ""
                yield from listed(inside)
                yield ""
    elif argument in TOPICS:
        yield TOPICS[argument]
        yield from _USER_DEFINED if argument == "user-defined" else ()
        yield ""
        yield "List of commands:"
        yield ""
        yield from listed(_of_topic(shell, argument))
        yield ""
        yield from HINTS
    elif argument:
        yield from _help_on(_command_of(shell, argument))
    else:
        yield from FIRST
        yield "List of classes of commands:"
        yield ""
        yield from (f"{topic} -- {about}" for topic, about in TOPICS.items())
        yield ""
        yield 'Type "help" followed by a class name for a list of commands in that class.'
        yield 'Type "help all" for the list of all commands.'
        yield from HINTS


def _of_topic(shell: Shell, topic: str) -> list[Command]:
    """Return the commands of a class; of those that users define, the subcommands, too."""
    commands = [*every(shell.commands)] if topic in _OF_USERS else shell.commands
    aliases = [alias for command in commands for alias in command.user_aliases]
    return [command for command in (*commands, *aliases) if command.topic == topic]


def _command_of(shell: Shell, text: str) -> Command:
    """Return the command of a text that is only its name: `help i lo`, `help p/x`."""
    word, rest = first_word(text)
    command = find(shell.commands, word)
    while command.subcommands and rest.strip():
        word, rest = first_word(rest)
        command = find(command.subcommands, word, command.name)
    return command


def _help_on(command: Command) -> Iterator[Part]:
    if command.aliases:
        yield command.names
    yield from command.help.split("\n")
    own = [
        subcommand
        for subcommand in command.subcommands
        if not subcommand.is_absent and (command.is_foreign or not subcommand.is_foreign)
    ]
    if own:
        yield ""
        yield from subcommand_list(command.name, own)


@command(
    "apropos",
    topic="support",
    complete=completion.with_options(("-v",), completion.VALUES),
)
def apropos(shell: Shell, argument: str) -> Iterator[Part]:
    """Search for commands by words of their documentation.

    Usage: apropos [-v] WORD...

    Lists the commands whose name and documentation contain all the words; -v shows the
    documentation.
    """
    words = argument.lower().split()
    is_full = words[:1] == ["-v"]
    words = [*dict.fromkeys(words[is_full:])]
    if not words:
        raise UsageError("Argument required (words to search for).")
    commands = []
    for match in every(shell.commands):
        text = f"{match.names}\n{match.help}".lower()
        if all(word in text for word in words):
            commands.append(match)
    if not is_full:
        yield from listed(commands)
    for match in commands if is_full else ():
        yield match.names
        yield from match.help.split("\n")
        yield ""


@command("complete", topic="support", aliases=("comp",), complete=completion.LINES, keeps_end=True)
def complete(shell: Shell, argument: str) -> Iterator[Part]:
    """List the completions of the rest of the line as a command.

    Usage: complete TEXT

    Lists the completions that Tab offers, each as a whole command line.
    """
    if completion.is_completed(argument):
        in_file = completion.as_in_file(shell, argument)
        shell.symbols.require(shell.session.code_objects, in_file)
    start, candidates = completion.completions(shell, argument)
    names = sorted(candidate.text.removesuffix("/") for candidate in candidates)[:MAX_NAMES]
    matches = [argument[:start] + name for name in names]
    is_cut = len(names) == MAX_NAMES
    data: JsonObject = {"matches": [*matches], "max_completions_reached": is_cut}
    common = commonprefix(matches)  # noqa: RUF071 (of lines, not of paths)
    yield Output("", {"completion": common, **data} if matches else data)
    yield from map(heading, matches)
    if is_cut:
        yield heading(f"{argument} *** List may be truncated, max-completions reached. ***")


@command("quit", topic="support", aliases=("q", "exit"), repeats=False)
def quit_(shell: Shell, argument: str) -> Iterator[Part]:
    """Leave dwarfgpu.

    Usage: quit [STATUS]

    STATUS is an expression; the exit status is its value modulo 256. The default is 0, or 1 for a
    script with a failed command.
    """
    if argument:
        shell.exit_status = whole_number(shell.session, shell.values, argument) & 0xFF
    shell.is_over = True
    yield from ()
