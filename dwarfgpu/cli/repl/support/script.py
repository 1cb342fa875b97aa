"""Commands that are programs: `define`, `document`, `if`, `while`, `alias`.

A body is read line by line up to its `end`, from where the command itself came from.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Final

from attrs import evolve

from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import Command, Part, Told, command, find, first_word, fitting
from dwarfgpu.cli.repl.data.values import evaluated
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.errors import UsageError
from dwarfgpu.view.plain import Record

MOST_CALLS: Final = 50
"""User-defined commands that call one another."""
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_ARGUMENT: Final = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|\S)+""")
_FORMAL: Final = re.compile(r"\$arg(c\b|\*|\d+\b)")
_ALIAS_USAGE: Final = "Usage: alias [-a] [--] ALIAS = COMMAND [DEFAULT-ARGS...]"


def opens_body(line: str) -> bool:
    """Whether a line is followed by a body that ends with `end`."""
    word, rest = first_word(line)
    if word in ("python", "py"):
        return not rest.strip()
    return word in ("if", "while", "define", "document")


def body(shell: Shell) -> list[str]:
    """The lines up to the `end` that belongs to the command that is run."""
    out: list[str] = []
    depth = 0
    while True:
        line = shell.read_line(">")
        if line is None:
            raise UsageError('The commands end before the "end" of a body.')
        if line.strip() == "end":
            if not depth:
                return out
            depth -= 1
        elif opens_body(line):
            depth += 1
        out.append(line)


@command("define", topic="support", repeats=False, complete=candidates.command_names)
def define(shell: Shell, argument: str) -> Iterator[Part]:
    """Define a new command by a list of commands.

    Usage: define NAME

    The commands follow, one a line, up to "end". $arg0, $arg1 ... stand for its arguments, $arg*
    for all, $argc for how many there are. "document NAME" gives it a help text.
    """
    if not argument:
        raise UsageError("Argument required (name of command to define).")
    if _NAME.fullmatch(argument) is None:
        raise UsageError(f'Junk in argument list: "{argument}"')
    known = fitting(shell.commands, argument).get(argument)
    question = f'Redefine command "{argument}"?'
    if known is not None and known.topic != "user-defined":
        question = f'Really redefine built-in command "{argument}"?'
    if known is not None and not shell.confirms(question):
        raise UsageError(f'Command "{argument}" not redefined.')
    lines = body(shell)
    text = "User-defined."
    run = partial(_called, argument, tuple(lines))
    add(shell, Command(argument, text, run, "user-defined", repeats=True))
    shell.user_defined[argument] = tuple(lines)
    yield from ()


def add(shell: Shell, new: Command) -> None:
    """Make a command known, in place of one of the same name."""
    others = tuple(each for each in shell.commands if each.word != new.word)
    shell.commands = (new, *others)


def _called(name: str, lines: tuple[str, ...], shell: Shell, argument: str) -> Iterator[Part]:
    arguments = _ARGUMENT.findall(argument)
    if shell.calls >= MOST_CALLS:
        raise UsageError("Max user call depth exceeded -- command aborted.")
    shell.calls += 1
    try:
        yield from shell.run_lines(_filled(line, argument, arguments) for line in lines)
    finally:
        shell.calls -= 1


def _filled(line: str, whole: str, arguments: list[str]) -> str:
    """A line with what its formal arguments stand for."""

    def meant(match: re.Match[str]) -> str:
        which = match[1]
        if which == "c":
            return str(len(arguments))
        if which == "*":
            return whole
        if int(which[:9]) >= len(arguments):
            raise UsageError(f"Missing argument {which} in user function.")
        return arguments[int(which)]

    return _FORMAL.sub(meant, line)


@command("document", topic="support", repeats=False, complete=candidates.command_names)
def document(shell: Shell, argument: str) -> Iterator[Part]:
    """Give a user-defined command a help text.

    Usage: document NAME

    The text follows, up to a line "end"; its first line stands for the command in lists.
    """
    if not argument:
        raise UsageError("Argument required (name of command to define).")
    if argument not in shell.user_defined:
        if fitting(shell.commands, argument):
            raise UsageError("Command is built-in.")
        raise UsageError(f'Undefined command: "{argument}".')
    text = "\n".join(body(shell))
    add(shell, evolve(find(shell.commands, argument), help=text or "User-defined."))
    yield from ()


@command("show user", topic="status")
def show_user(shell: Shell, argument: str) -> Iterator[Part]:
    """Show what user-defined commands do.

    Usage: show user [NAME]
    """
    if argument and argument not in shell.user_defined:
        raise UsageError("Not a user command.")
    for name, lines in shell.user_defined.items():
        if argument in ("", name):
            text = "".join(f"  {line.strip()}\n" for line in lines)
            data: Record = {"name": name, "lines": [*lines]}
            yield Told(f'User command "{name}":\n{text}', data, "user-defined")


@command("if", topic="support", repeats=False, complete=candidates.values)
def if_(shell: Shell, argument: str) -> Iterator[Part]:
    """Run commands if an expression is not zero.

    Usage: if EXPRESSION

    The commands follow, one a line, up to "end", or to "else" and those for the other case.
    """
    _require(argument, "if")
    yes, no = _arms(body(shell))
    yield from shell.run_lines(iter(yes if _holds(shell, argument) else no))


@command("while", topic="support", repeats=False, complete=candidates.values)
def while_(shell: Shell, argument: str) -> Iterator[Part]:
    """Run commands as long as an expression is not zero.

    Usage: while EXPRESSION

    The commands follow, one a line, up to "end".
    """
    _require(argument, "while")
    lines = body(shell)
    while _holds(shell, argument) and not shell.is_over:
        yield from shell.run_lines(iter(lines))


def _require(argument: str, name: str) -> None:
    if not argument:
        raise UsageError(f"{name} command requires an argument.")


def _holds(shell: Shell, text: str) -> bool:
    value = evaluated(shell.session, shell.values, f"!({text})")
    return value.bits is not None and value.bits.is_complete and not value.bits.value


def _arms(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """The commands before and after the `else` that belongs to the outermost `if`."""
    arms: tuple[list[str], list[str]] = ([], [])
    depth = which = 0
    for line in lines:
        if line.strip() == "else" and not depth and not which:
            which = 1
            continue
        depth += opens_body(line) - (line.strip() == "end")
        arms[which].append(line)
    return arms


@command("alias", topic="support", repeats=False)
def alias(shell: Shell, argument: str) -> Iterator[Part]:
    """Give a command another name.

    Usage: alias [-a] [--] ALIAS = COMMAND [DEFAULT-ARGS...]

    DEFAULT-ARGS come before what is given with ALIAS. With -a, ALIAS is no abbreviation that is
    listed. A subcommand's name begins as that of its family: alias set pe = set print elements.
    """
    text = re.sub(r"^(?:(?:-a|--)\s+)+", "", argument)
    name, is_given, target = (each.strip() for each in text.partition("="))
    words = name.split()
    if not is_given or not words or not target:
        raise UsageError(_ALIAS_USAGE)
    if any(_NAME.fullmatch(word) is None for word in words):
        raise UsageError(f"Invalid command name: {name}")
    found, rest = _command_in(shell.commands, target)
    shell.commands = _with_alias(shell.commands, words, found, rest)
    yield from ()


def _command_in(commands: Collection[Command], text: str) -> tuple[Command, str]:
    """The command with which a text begins, and the rest."""
    word, rest = first_word(text)
    found = find(commands, word)
    while found.subcommands and rest.strip():
        word, after = first_word(rest)
        if found.takes_other and not fitting(found.subcommands, word):
            break
        found, rest = find(found.subcommands, word, found.name), after
    return found, rest.strip()


def _with_alias(
    commands: tuple[Command, ...], words: list[str], target: Command, defaults: str
) -> tuple[Command, ...]:
    word, *inner = words
    if inner:
        family = find(commands, word)
        subcommands = _with_alias(family.subcommands, inner, target, defaults)
        changed = evolve(family, subcommands=subcommands)
        return tuple(changed if each is family else each for each in commands)
    if any(word in each.words for each in commands):
        raise UsageError(f"Alias already exists: {word}")
    if not defaults and target in commands:
        named = evolve(target, aliases=(word, *target.aliases))
        return tuple(named if each is target else each for each in commands)
    run = target.run if not defaults else partial(_with_defaults, target, defaults)
    text = f"Alias of {target.name} {defaults}".rstrip() + f".\n\n{target.help}"
    name = f"{target.name.removesuffix(target.word)}{word}"
    return (
        *commands,
        evolve(target, name=name, help=text, run=run, aliases=(), topic="aliases"),
    )


def _with_defaults(target: Command, defaults: str, shell: Shell, argument: str) -> Iterator[Part]:
    yield from target.run(shell, f"{defaults} {argument}".strip())
