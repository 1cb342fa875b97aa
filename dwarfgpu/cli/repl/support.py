"""Commands about commands: help, scripts, and the end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import TOPICS, Command, Part, command, find, first_word, listed
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.unit_options import read_all
from dwarfgpu.errors import UsageError

FIRST: Final = (
    'To begin: "info locals" shows the variables, "lane 17" looks at another lane, "lanes x" at x',
    'in every lane. "explain x" tells why x is what it is, or <optimized out>, "where x" where in',
    'the code it is described, "location x" draws where its bits live.',
    "",
)


@command("help", topic="support", aliases=("h",), complete=candidates.command_names)
def help_(shell: Shell, argument: str) -> Iterator[str]:
    """Print help on a command, or the list of all commands.

    Usage: help [COMMAND]
    """
    if argument in TOPICS:
        inside = [each for each in shell.commands if each.topic == argument]
        yield from listed(inside)
    elif argument:
        yield from _help_on(_command_of(shell, argument))
    else:
        yield from FIRST
        yield "List of commands:"
        for topic, about in TOPICS.items():
            yield ""
            yield f"{topic} -- {about}"
            inside = [each for each in shell.commands if each.topic == topic]
            yield from (f"  {line}" for line in listed(inside))
        yield ""
        yield 'Type "help" followed by a command for its full documentation.'
        yield 'Type "apropos WORD" to search for commands related to WORD.'
        yield "Any beginning of a name that only one command has is enough."


def _command_of(shell: Shell, text: str) -> Command:
    """The command of a text that is nothing but its name: `help i lo`, `help p/x`."""
    word, rest = first_word(text)
    found = find(shell.commands, word)
    while found.subcommands and rest.strip():
        word, rest = first_word(rest)
        found = find(found.subcommands, word, found.name)
    return found


def _help_on(found: Command) -> Iterator[str]:
    if found.aliases:
        yield found.names
    yield from found.help.split("\n")
    if found.subcommands:
        yield ""
        yield f"List of {found.name} subcommands:"
        yield ""
        yield from listed(found.subcommands)


@command("apropos", topic="support")
def apropos(shell: Shell, argument: str) -> Iterator[str]:
    """Search for commands by words of their documentation.

    Usage: apropos WORD...

    Listed are those whose name and documentation have all the words.
    """
    words = argument.lower().split()
    if not words:
        raise UsageError("Argument required (words to search for).")
    everything = [inner for each in shell.commands for inner in (each, *each.subcommands)]
    yield from listed(
        each
        for each in everything
        if all(word in f"{each.names}\n{each.help}".lower() for word in words)
    )


@command("complete", topic="support")
def complete(shell: Shell, argument: str) -> Iterator[str]:
    """List the completions of the rest of the line as a command.

    Usage: complete TEXT
    """
    start, found = candidates.completions(shell, argument)
    for each in found:
        yield argument[:start] + each.text


@command("echo", topic="support")
def echo(shell: Shell, argument: str) -> Iterator[str]:
    """Print a text.

    Usage: echo TEXT

    A line ends with it, with or without "\\n", which starts a new line elsewhere in TEXT.
    """
    yield argument.replace("\\n", "\n").removesuffix("\n")


@command("source", topic="support", complete=candidates.files, repeats=False)
def source(shell: Shell, argument: str) -> Iterator[Part]:
    """Run the commands of a file, up to the first that fails.

    Usage: source FILE
    """
    if not argument:
        raise UsageError("source command requires file name of file to source.")
    try:
        with Path(argument).expanduser().open("rb") as file:
            text = read_all(file, argument).decode("utf-8", "replace")
    except (OSError, ValueError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{argument}: {why}.") from None
    yield from shell.run_script(argument, text.splitlines())


@command("quit", topic="support", aliases=("q", "exit"), repeats=False)
def quit_(shell: Shell, argument: str) -> Iterator[str]:
    """Leave.

    Usage: quit [STATUS]

    STATUS is the exit status, a number from 0 to 255. Without it, that of a conversation on a
    terminal is 0; that of a script is 1 where a command failed.
    """
    if argument:
        if not re.fullmatch(r"[0-9]{1,3}", argument) or int(argument) > 255:
            raise UsageError(f"{argument!r} is no exit status: a number from 0 to 255")
        shell.exit_status = int(argument)
    shell.is_over = True
    yield from ()
