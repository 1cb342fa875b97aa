"""`directory`, and the rules by which directories of source files are rewritten."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from dwarfgpu.base.absolute_path import absolute_path
from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, command, subcommand_list
from dwarfgpu.repl.files.source_path import DEFAULT
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{error}: {text}") from None


@command("set substitute-path", topic="files", complete=completion.files, repeats=False)
def set_substitute_path(shell: Shell, argument: str) -> Iterator[Part]:
    """Add a rule that rewrites directories of source files.

    Usage: set substitute-path FROM TO

    The rule applies to file names that begin with FROM and a slash. It replaces an earlier rule for
    FROM.
    """
    words = _words(argument)
    if len(words) != 2:
        few = "few" if len(words) < 2 else "many"
        raise UsageError(f"Incorrect usage, too {few} arguments in command")
    old, new = (word.rstrip("/") for word in words)
    if not words[0]:
        raise UsageError("First argument must be at least one character long")
    shell.source_path.rules.pop(old, None)
    shell.source_path.rules[old] = new
    yield from ()


@command("show substitute-path", topic="files")
def show_substitute_path(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the rules that rewrite directories of source files.

    Usage: show substitute-path [FROM]

    With FROM, shows the rule that applies to it.
    """
    words = _words(argument)
    if len(words) > 1:
        raise UsageError("Too many arguments in command")
    rules = shell.source_path.rules
    if words:
        yield heading(f"Source path substitution rule matching `{words[0]}':")
        rule = shell.source_path.rule_for(words[0])
        rules = {} if rule is None else dict([rule])
    else:
        yield heading("List of all source path substitution rules:")
    yield Output("", {"rules": []})
    for old, new in rules.items():
        yield Output(f"  `{old}' -> `{new}'.", {"from": old, "to": new}, "rules")


@command("unset substitute-path", topic="files", repeats=False)
def unset_substitute_path(shell: Shell, argument: str) -> Iterator[Part]:
    """Delete rules that rewrite directories of source files.

    Usage: unset substitute-path [FROM]
    """
    words = _words(argument)
    if len(words) > 1:
        raise UsageError("Incorrect usage, too many arguments in command")
    rules = shell.source_path.rules
    if not words:
        if shell.confirms("Delete all source path substitution rules?"):
            rules.clear()
    elif rules.pop(words[0], None) is None:
        raise UsageError(f"No substitution rule defined for `{words[0]}'")
    yield from ()


@command("directory", topic="files", aliases=("dir",), complete=completion.files, repeats=False)
def directory(shell: Shell, argument: str) -> Iterator[Part]:
    """Add directories to the search path for source files.

    Usage: directory [DIR[:DIR]...]

    They precede the others. $cdir is the compilation directory, $cwd the working directory.
    A DIR with blanks is quoted. Without an argument, resets the path to these two.
    """
    path = shell.source_path
    if not argument:
        if shell.is_from_tty and not shell.confirms("Reinitialize source path to empty?"):
            return
        path.directories = DEFAULT
    else:
        path.set_directories(f"{':'.join(_existing(shell, argument))}:{path.directories}")
    if shell.is_from_tty:
        yield from show_directories.run(shell, "")


@command("set directories", topic="files", complete=completion.files, repeats=False)
def set_directories(shell: Shell, argument: str) -> Iterator[Part]:
    """Set the search path for finding source files.

    Usage: set directories [DIR[:DIR]...]

    $cdir is the compilation directory, $cwd the working directory; they come last unless given.
    """
    shell.source_path.set_directories(":".join(_existing(shell, argument)))
    yield from ()


def _existing(shell: Shell, argument: str) -> Iterator[str]:
    """Yield directories with absolute names; warn of those that do not exist."""
    for directory in filter(None, ":".join(_words(argument)).split(":")):
        if directory.startswith("$"):
            yield directory
            continue
        path = absolute_path(os.path.expanduser(directory))
        if os.path.exists(path) and not os.path.isdir(path):
            shell.console.warn(f"{path} is not a directory.")
        elif not os.path.isdir(path):
            shell.console.warn(f"{path}: No such file or directory.", head="Warning")
        yield path


@command("show directories", topic="files")
def show_directories(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the search path for finding source files.

    Usage: show directories
    """
    directories = shell.source_path.directories
    yield Output(f"Source directories searched: {directories}", {"value": directories})


_UNSET: tuple[Command, ...] = (unset_substitute_path,)


@command("unset", topic="support", subcommands=_UNSET)
def unset(shell: Shell, argument: str) -> Iterator[Part]:
    """Undo what "set" added.

    Usage: unset substitute-path [FROM]
    """
    yield from subcommand_list("unset", _UNSET)
