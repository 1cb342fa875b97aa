"""Complete a command line: commands, and the arguments of each kind."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import ArgumentCompleter, Candidate, Command, Completions, find, fitting
from dwarfgpu.repl.shell import Shell

_BLANK = pattern(r"\s*")
_COMMAND = pattern(r"[\w.-]+|[|!]|")
_ARGUMENT = pattern(r"(?<![^\s,()])[^\s,()]*$")
_QUOTED_FILE = pattern(r"""(?<!\S)(?:'[^']*|"[^"]*)$""")
_FORMAT = pattern(r"\s*/\S*")
_APPLIED = pattern(r"\s*(?:(?:level\s+)?(?:[-0-9.$*][-\w.$*]*\s+)+|(?:all|active|inactive)\s+)")
_FLAGS = pattern(r"(?:-[a-z-]+\s+)*")
_FILE_FLAGS = pattern(r"\s*(?:-[a-z]\s+)*")
_WITH_END = pattern(r"(?:^|\s)--\s")
_DELIMITED = pattern(r"\s*(?:-d\s+\S+\s+)?")
_MAX_TYPED: Final = 1_000
"""Maximum number of characters of a line to complete."""
_MAX_WORDS: Final = 100
"""Maximum number of its words: each may be a command that takes another."""
_UNLISTED: Final = ("dll", "exit", "fg", "inspect", "mt")
"""Names of commands that GDB accepts but does not list."""


def is_completed(text: str) -> bool:
    """Return whether a line is short enough to be completed."""
    return len(text) <= _MAX_TYPED and len(text.split()) <= _MAX_WORDS


def completions(shell: Shell, text: str) -> tuple[int, list[Candidate]]:
    """Return where the word at the end of `text` begins, and its completions."""
    if not is_completed(text):
        return len(text), []
    commands, position, command = shell.commands, 0, None
    while command is None or command.subcommands:
        after, position = position, _end(_BLANK, text, position)
        end = _end(_COMMAND, text, position)
        word = text[position:end]
        takes_other = command is not None and command.takes_other
        is_other = takes_other and end < len(text) and not word
        if is_other or (takes_other and not fitting(commands, word)):
            position = after
            break
        if end == len(text):
            return position, _commands(commands, word)
        try:
            command = find(commands, word)
        except UsageError:
            return len(text), []
        commands, position = command.subcommands, end
    assert command is not None
    if command.complete is None or re.fullmatch(r"/\S*", text[position:]):  # a format is typed
        return len(text), []
    argument = text[position:]
    if isinstance(command.complete, ArgumentCompleter):
        start, offered = command.complete.offer(shell, argument)
    else:
        match = _QUOTED_FILE.search(argument) if command.complete is files else None
        match = match or _ARGUMENT.search(argument)
        assert match is not None
        start, offered = match.start(), command.complete(shell, match[0])
    word = argument[start:]
    if not (isinstance(command.complete, ArgumentCompleter) and command.complete.is_fitting):
        offered = (candidate for candidate in offered if candidate.text.startswith(word))
    unique = {candidate.text: candidate for candidate in reversed(list(offered))}
    return position + start, list(unique.values())[::-1]


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _commands(commands: Iterable[Command], word: str) -> list[Candidate]:
    """Return commands by listed names; by other names only if one is typed."""
    commands = [item for item in commands if not (item.is_absent or item.is_abbreviation)]
    own = [command for command in commands if not command.is_foreign]
    is_own = not word or any(name.startswith(word) for command in own for name in command.words)
    meant = own if own and is_own else commands
    pairs = [
        (name, command) for command in meant for name in _listed(command) if name.startswith(word)
    ]
    if not pairs:
        pairs = [
            (name, command)
            for command in meant
            for name in command.aliases
            if name.startswith(word)
        ]
    return [
        Candidate(name, command.summary)
        for name, command in sorted(pairs, key=lambda pair: pair[0])
    ]


def _listed(command: Command) -> Iterator[str]:
    """Yield a command's names except abbreviations, as GDB lists them."""
    for name in command.words:
        is_short = any(word != name and word.startswith(name) for word in command.words)
        if name == command.word or not (is_short or name in _UNLISTED):
            yield name


def words(*choices: str) -> Callable[[Shell, str], Iterator[Candidate]]:
    """Return a completer that offers these words."""
    return lambda shell, word: (Candidate(choice) for choice in choices)


def with_options(
    names: Mapping[str, tuple[str, ...]] | tuple[str, ...], then: ArgumentCompleter | None = None
) -> ArgumentCompleter:
    """Return a completer of options with their values, and of what follows them."""
    values_of = names if isinstance(names, Mapping) else dict.fromkeys(names, ())

    def offer(shell: Shell, text: str) -> Completions:
        match = re.search(r"(?<!\S)\S*$", text)
        arguments = _FORMAT.sub("", text, count=1).split()
        assert match is not None
        if (
            arguments
            and arguments[0].startswith("-")
            and "--" not in arguments[: -1 if match[0] else None]
        ):
            if match[0].startswith("-"):
                return match.start(), (Candidate(value) for value in values_of)
            before = arguments[-2 if match[0] else -1 :][0]
            if len(arguments) > bool(match[0]) and values_of.get(before):
                return match.start(), (Candidate(value) for value in values_of[before])
        return (len(text), ()) if then is None else then.offer(shell, text)

    return ArgumentCompleter(offer)


def _of_line(shell: Shell, text: str) -> Completions:
    return completions(shell, text)


LINES: Final = ArgumentCompleter(_of_line)
"""Commands with their arguments."""


def lines_after(begin: str) -> ArgumentCompleter:
    """Return a completer of the rest of the command line that `begin` starts, for example after an
    LLDB name."""

    def offer(shell: Shell, text: str) -> Completions:
        start, candidates = completions(shell, begin + text)
        return max(start - len(begin), 0), candidates

    return ArgumentCompleter(offer)


def _of_with(shell: Shell, text: str) -> Completions:
    match = _WITH_END.search(text)
    if match is None:
        return lines_after("set ").offer(shell, text)
    start, candidates = completions(shell, text[match.end() :])
    return match.end() + start, candidates


UNDER_SETTING: Final = ArgumentCompleter(_of_with)
"""A setting, and after `--` a command."""


def applied(choices: tuple[str, ...], flags: tuple[str, ...]) -> ArgumentCompleter:
    """Return a completer of what `apply` takes: IDs, flags, a command."""

    def offer(shell: Shell, text: str) -> Completions:
        match = _APPLIED.match(text)
        if match is None:
            start = len(text) - len(text.lstrip())
            return start, (Candidate(choice) for choice in choices)
        start = _end(_FLAGS, text, match.end())
        if text[start:].startswith("-"):
            return start, (Candidate(flag) for flag in flags)
        inner, candidates = completions(shell, text[start:])
        return start + inner, candidates

    return ArgumentCompleter(offer)


def _of_pipe(shell: Shell, text: str) -> Completions:
    begin = _end(_DELIMITED, text, 0)
    if "|" in text[begin:]:
        match = _ARGUMENT.search(text)
        assert match is not None
        return match.start(), files(shell, match[0])
    if text[begin:] == "-":
        return begin, (Candidate("-d", "a delimiter other than |"),)
    start, candidates = completions(shell, text[begin:])
    return begin + start, candidates


PIPED: Final = ArgumentCompleter(_of_pipe)
"""A command, and after `|` files."""


def _of_alias(shell: Shell, text: str) -> Completions:
    begin = text.find("=") + 1
    if not begin:
        return with_options(("-a",)).offer(shell, text)
    start, candidates = completions(shell, text[begin:])
    return begin + start, candidates


ALIASED: Final = ArgumentCompleter(_of_alias)
"""A command after `=`."""


def _of_command_name(shell: Shell, text: str) -> Completions:
    commands, position = shell.commands, 0
    while True:
        position = _end(_BLANK, text, position)
        end = _end(_COMMAND, text, position)
        if end == len(text):
            return position, _commands(commands, text[position:])
        try:
            commands = find(commands, text[position:end]).subcommands
        except UsageError:
            return len(text), ()
        position = end
        if text[end : end + 1] not in (" ", "\t"):
            return len(text), ()


NESTED_NAMES: Final = ArgumentCompleter(_of_command_name)
"""Commands and their subcommands, without arguments."""


def command_names(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield commands."""
    yield from _commands(shell.commands, word)


def _of_file(shell: Shell, text: str) -> Completions:
    start = _end(_FILE_FLAGS, text, 0)
    if text[start : start + 1] in ("'", '"'):  # most of these commands take no quotes
        return start, ()
    return start, files(shell, text[start:])


FILE: Final = ArgumentCompleter(_of_file)
"""A file whose name is the rest of the line, with its blanks."""


def _of_quoted_file(shell: Shell, text: str) -> Completions:
    start = _end(_FILE_FLAGS, text, 0)
    return start, files(shell, text[start:])


QUOTED_FILE: Final = ArgumentCompleter(_of_quoted_file)
"""A file like `FILE`, or in quotes."""


def files(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield the files of the folder typed so far; after a quote, files with the quote that closes
    it, and folders without, so that their files may follow."""
    quote = word[:1] if word.startswith(("'", '"')) else ""
    folder, slash, _ = word.removeprefix(quote).rpartition("/")
    try:
        for path in sorted(Path(os.path.expanduser(folder + slash or ".")).iterdir()):
            end = "/" if os.path.isdir(path) else quote
            yield Candidate(f"{quote}{folder}{slash}{path.name}{end}")
    except (OSError, ValueError):
        return
