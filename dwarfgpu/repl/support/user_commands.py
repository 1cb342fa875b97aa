"""Commands of the user's own: `define`, `document`, `alias`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, command, find, first_word, fitting, subcommand_list
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.script_state import MAX_CHARACTERS, TOO_LONG, Leaving
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.command_bodies import indented
from dwarfgpu.repl.support.script_commands import body, ran
from dwarfgpu.view.json_object import JsonObject

MAX_CALLS: Final = 50
"""User-defined commands that call one another."""
MAX_DEFINED: Final = 2_000
"""User-defined commands and aliases together: each line, and each definition, looks through all."""
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_NOT_OF_NAME: Final = re.compile(r"[^\w.-].*", re.DOTALL)
_ARGUMENT: Final = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|\S)+""")
_FORMAL: Final = re.compile(r"\$arg(c|\*|[0-9]+)")
_HOOK: Final = re.compile(r"hook(?:post)?-(?P<name>.+)")
_ALIAS_OPTIONS: Final = re.compile(r"^(?:(?:-a|--)\s+)*")
_ALIAS_USAGE: Final = "Usage: alias [-a] [--] ALIAS = COMMAND [DEFAULT-ARGS...]"


@command("define", topic="support", repeats=False, complete=completion.NESTED_NAMES)
def define(shell: Shell, argument: str) -> Iterator[Part]:
    """Define a new command by a list of commands.

    Usage: define NAME

    The commands follow, one per line, up to "end". $arg0, $arg1 ... are its arguments, $arg* all of
    them, $argc their number. "document NAME" gives it a help text. The commands of "hook-NAME" run
    before the command NAME, those of "hookpost-NAME" after it.
    """
    name = _name_of(shell, argument)
    if name not in shell.script.user_defined:
        _require_room(shell)
    existing = _command_named(shell, name)
    question = f'Redefine command "{name}"?'
    if existing is not None and existing.topic != "user-defined":
        question = f'Really redefine built-in command "{name}"?'
    if existing is not None and not shell.confirms(question):
        raise UsageError(f'Command "{name}" not redefined.')
    hooked = _HOOK.fullmatch(name)
    if hooked is not None and _command_named(shell, hooked["name"]) is None:
        shell.console.warn(f"Your new `{name}' command does not hook any existing command.")
        if not shell.confirms("Proceed?"):
            raise UsageError("Not confirmed.")
    if shell.script.is_typed and shell.console.is_interactive:
        yield f'Type commands for definition of "{name}".'
        yield 'End with a line saying just "end".'
    lines = tuple(body(shell, "define"))
    text = (
        existing.help
        if existing is not None and name in shell.script.user_defined
        else "User-defined."
    )
    run = partial(_called, lines)
    new = Command(name, text, run, "user-defined", complete=completion.VALUES, takes_other=True)
    if existing is not None:
        new = evolve(
            new,
            aliases=existing.aliases,
            subcommands=existing.subcommands,
            user_aliases=existing.user_aliases,
        )
    add(shell, new)
    shell.script.user_defined[name] = lines


@command("define-prefix", topic="support", repeats=False, complete=completion.command_names)
def define_prefix(shell: Shell, argument: str) -> Iterator[Part]:
    """Define a prefix command, for user-defined subcommands.

    Usage: define-prefix NAME

    "define NAME OTHER" then defines a subcommand.
    """
    name = _name_of(shell, argument)
    if _command_named(shell, name) is None:
        _require_room(shell)
        run = partial(_family, name)
        add(shell, Command(name, "User-defined.", run, "user-defined"))
        shell.script.user_defined[name] = ()
        shell.script.prefixes.add(name)
    yield from ()


def _family(name: str, shell: Shell, argument: str) -> Iterator[Part]:
    """Yield what a user-defined family of commands says by itself."""
    if argument:
        word, _ = first_word(argument)
        raise UsageError(f'Undefined {name} command: "{word}".  Try "help {name}".')
    yield f'"{name}" must be followed by the name of a subcommand.'
    family = _command_named(shell, name)
    yield from subcommand_list(name, () if family is None else family.subcommands)


def _name_of(shell: Shell, argument: str) -> str:
    """Return the name of a user-defined command, with the full names of its families."""
    if not argument:
        raise UsageError("Argument required (name of command to define).")
    *families, word = (word for word in argument.replace("\t", " ").split(" ") if word)
    commands, full = shell.commands, ""
    for family in families:
        command = find(commands, family, full)
        if not command.subcommands and command.name not in shell.script.prefixes:
            raise UsageError(f'"{" ".join(families)}" is not a prefix command.')
        commands, full = command.subcommands, command.name
    junk = _NOT_OF_NAME.search(word)
    if junk is not None or _NAME.fullmatch(word) is None:
        raise UsageError(f'Junk in argument list: "{word if junk is None else junk[0]}"')
    return f"{full} {word}".strip()


def _command_named(shell: Shell, name: str) -> Command | None:
    """Return the command that is so called."""
    commands, member = shell.commands, None
    for word in name.split():
        member = next((command for command in commands if command.word == word), None)
        if member is None:
            return None
        commands = member.subcommands
    return member


def _require_room(shell: Shell) -> None:
    """Raise `LimitExceeded` if no further command or alias may be defined."""
    if len(shell.script.user_defined) + shell.script.aliases >= MAX_DEFINED:
        raise LimitExceeded(f"more than {MAX_DEFINED} user-defined commands and aliases")


def add(shell: Shell, new: Command) -> None:
    """Make a command known, in place of one of the same name: aliases of that one are its own."""
    aliases = tuple(_renewed(alias, new) for alias in new.user_aliases)
    new = evolve(new, user_aliases=aliases)
    shell.commands = commands = _with(tuple(shell.commands), new.name.split()[:-1], new)
    for alias in [*_aliases_of(new.name, commands)]:
        add(shell, _renewed(alias, new))


def _aliases_of(name: str, commands: Iterable[Command]) -> Iterator[Command]:
    """Yield the aliases of a command that are commands of their own."""
    for known in commands:
        if known.alias_of is not None and known.alias_of[0] == name:
            yield known
        yield from _aliases_of(name, known.subcommands)


def _renewed(alias: Command, target: Command) -> Command:
    """Return an alias of a command that has changed."""
    assert alias.alias_of is not None
    _, defaults = alias.alias_of
    return evolve(
        _alias_of(target, alias.name, defaults),
        is_abbreviation=alias.is_abbreviation,
        aliases=alias.aliases,
        user_aliases=alias.user_aliases,
    )


def _with(
    commands: tuple[Command, ...], families: Sequence[str], new: Command
) -> tuple[Command, ...]:
    if not families:
        kept = (command for command in commands if command.word != new.word)
        return (new, *(_without(command, new.word) for command in kept))
    family = find(commands, families[0])
    changed = evolve(family, subcommands=_with(family.subcommands, families[1:], new))
    return tuple(changed if command is family else command for command in commands)


def _without(command: Command, word: str) -> Command:
    """Return a command without a short name, as that is now a command of its own."""
    if word not in command.aliases:
        return command
    return evolve(
        command,
        aliases=tuple(alias for alias in command.aliases if alias != word),
        user_aliases=tuple(alias for alias in command.user_aliases if alias.word != word),
    )


def _called(lines: tuple[str, ...], shell: Shell, argument: str) -> Iterator[Part]:
    if shell.script.calls >= MAX_CALLS:
        raise UsageError("Max user call depth exceeded -- command aborted.")
    remaining = iter(lines)
    is_done = False
    shell.script.calls += 1
    shell.script.fillers.append(partial(_filled, argument))
    try:
        while not is_done:
            with suppress(Leaving):  # which leaves no loop outside of the command
                yield from ran(shell, remaining)
                is_done = True
    finally:
        shell.script.fillers.pop()
        shell.script.calls -= 1


def _filled(body: str, line: str) -> str:
    """Return a line with its formal arguments replaced; `UsageError` if it becomes longer than a
    line may be.

    The arguments are found again for each line: calls inside one another would each keep theirs.
    """
    arguments: list[str] | None = None
    out: list[str] = []
    position = characters = 0
    for match in _FORMAL.finditer(line):
        if arguments is None and match[1] != "*":
            arguments = _ARGUMENT.findall(body)
        meant = _meant(match[1], body, arguments or [])
        out += line[position : match.start()], meant
        position = match.end()
        characters += len(out[-2]) + len(meant)
        _require_short(characters)
    _require_short(characters + len(line) - position)
    return "".join((*out, line[position:]))


def _require_short(characters: int) -> None:
    if characters > MAX_CHARACTERS:
        raise UsageError(TOO_LONG)


def _meant(reference: str, body: str, arguments: list[str]) -> str:
    """Return what `$arg` and a reference mean."""
    if reference == "c":
        return str(len(arguments))
    if reference == "*":
        return body
    number = int(reference.lstrip("0")[:9] or "0")
    if number >= len(arguments):
        raise UsageError(f"Missing argument {number} in user function.")
    return arguments[number]


@command("document", topic="support", repeats=False, complete=completion.NESTED_NAMES)
def document(shell: Shell, argument: str) -> Iterator[Part]:
    """Give a user-defined command a help text.

    Usage: document NAME

    The text follows, up to a line "end"; lists of commands show its first line.
    """
    name = _name_of(shell, argument)
    existing = _command_named(shell, name)
    if existing is None:
        raise UsageError(f'Undefined command: "{name}".')
    if name not in shell.script.user_defined:
        raise UsageError(f'Command "{name}" is built-in.')
    if shell.script.is_typed and shell.console.is_interactive:
        yield f'Type documentation for "{name}".'
        yield 'End with a line saying just "end".'
    text = "\n".join(body(shell, "document"))
    add(shell, evolve(existing, help=text or "User-defined."))


@command("show user", topic="status")
def show_user(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the definitions of user-defined commands.

    Usage: show user [NAME]
    """
    if argument and argument not in shell.script.user_defined:
        find(shell.commands, argument)
        raise UsageError("Not a user command.")
    yield Output("", {"user-defined": []})
    for name, lines in sorted(shell.script.user_defined.items()):
        if not argument or f"{name} ".startswith(f"{argument} "):
            kind = "prefixcommand" if name in shell.script.prefixes else "command"
            text = [f'User {kind} "{name}":', *indented(lines), *([""] if lines else ())]
            data: JsonObject = {"name": name, "lines": [*lines]}
            yield Output("\n".join(text), data, "user-defined")


@command("alias", topic="support", repeats=False, complete=completion.ALIASED)
def alias(shell: Shell, argument: str) -> Iterator[Part]:
    """Define an alias of a command.

    Usage: alias [-a] [--] ALIAS = COMMAND [DEFAULT-ARGS...]

    DEFAULT-ARGS precede the arguments of ALIAS. With -a, lists do not show ALIAS as an
    abbreviation. The name of a subcommand begins with its family: alias set pe = set print
    elements.
    """
    text = _ALIAS_OPTIONS.sub("", argument)
    options = argument.removesuffix(text).split()
    if text.startswith("-"):
        raise UsageError(f"Unrecognized option at: {text}")
    name, is_given, target = (part.strip() for part in text.partition("="))
    words = name.split()
    if not is_given or not words or not target:
        raise UsageError(_ALIAS_USAGE)
    if any(_NAME.fullmatch(word) is None for word in words):
        raise UsageError(f"Invalid command name: {name}")
    command, rest = _command_in(shell.commands, target)
    if words[:-1] != command.name.split()[: len(words) - 1]:
        raise UsageError("Mismatched command length between ALIAS and COMMAND.")
    _require_room(shell)
    new = _alias_of(command, " ".join(words), rest)
    new = evolve(new, is_abbreviation="-a" in options)
    shell.commands = _with_alias(tuple(shell.commands), words, command, new)
    shell.script.aliases += 1
    yield from ()


def _command_in(commands: Collection[Command], text: str) -> tuple[Command, str]:
    """Return the command with which a text begins, and the rest."""
    word, rest = first_word(text)
    command = find(commands, word)
    while command.subcommands and rest.strip():
        word, after = first_word(rest)
        if command.takes_other and not fitting(command.subcommands, word):
            break
        command, rest = find(command.subcommands, word, command.name), after
    return command, rest.strip()


def _with_alias(
    commands: tuple[Command, ...], words: list[str], target: Command, new: Command
) -> tuple[Command, ...]:
    word, *inner = words
    if inner:
        family = find(commands, word)
        subcommands = _with_alias(family.subcommands, inner, target, new)
        changed = evolve(family, subcommands=subcommands)
        return tuple(changed if command is family else command for command in commands)
    if any(word == command.word and command.topic != "aliases" for command in commands):
        raise UsageError(f"Alias {word} is the name of an existing command")
    if any(word in command.words for command in commands):
        raise UsageError(f"Alias already exists: {word}")
    if new.run is target.run and target in commands:
        aliases, user_aliases = (word, *target.aliases), (new, *target.user_aliases)
        named = evolve(target, aliases=aliases, user_aliases=user_aliases)
        return tuple(named if command is target else command for command in commands)
    return (*commands, new)


def _alias_of(target: Command, name: str, defaults: str) -> Command:
    """Return a command that is another one with arguments before its own."""
    complete = target.complete
    if defaults and complete is not None:
        complete = completion.lines_after(f"{target.name} {defaults} ")
    run = target.run if not defaults else partial(_with_defaults, target, defaults)
    text = f"Alias of {target.name} {defaults}".rstrip() + f".\n\n{target.help}"
    return evolve(
        target,
        name=name,
        help=text,
        run=run,
        aliases=(),
        topic="aliases",
        complete=complete,
        user_aliases=(),
        alias_of=(target.name, defaults),
    )


def _with_defaults(target: Command, defaults: str, shell: Shell, argument: str) -> Iterator[Part]:
    yield from shell.hooked(f"hook-{target.name}")
    yield from target.run(shell, f"{defaults} {argument}".strip())
    yield from shell.hooked(f"hookpost-{target.name}")
