"""Commands that GDB's users type by habit: the working folder, and commands that do not apply
here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell

ABSENT: Final = {
    "add-symbol-file": '"file" or "load" opens another code object or state',
    "catch": "dwarfgpu runs no program",
    "checkpoint": "dwarfgpu runs no program",
    "compile": "dwarfgpu runs no program",
    "exec-file": 'use "file"',
    "explore": '"print" and "ptype" show values and their types whole',
    "handle": "dwarfgpu runs no program",
    "macro": "macros of -g3 are not read",
    "skip": "dwarfgpu runs no program",
    "symbol-file": 'use "file"',
    "tty": "dwarfgpu runs no program",
}
"""Why GDB's command is not here, by its name."""


@command("pwd", topic="files")
def pwd(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the working folder.

    Usage: pwd
    """
    yield _not_supported()


@command("cd", topic="files", complete=completion.files, repeats=False)
def cd(shell: Shell, argument: str) -> Iterator[Part]:
    """Change the working folder.

    Usage: cd [FOLDER]

    Without FOLDER, that is the home folder. Files are found from there.
    """
    try:
        os.chdir(Path(argument or "~").expanduser())
    except (OSError, RuntimeError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{argument}: {why}.") from None
    yield _not_supported()


def _not_supported() -> Output:
    try:
        folder = os.getcwd()
    except OSError as error:
        raise UsageError(f"Cannot determine the working folder: {error.strerror}.") from None
    return Output(f"Working directory {folder}.", {"cwd": folder})


def _refused(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    raise UsageError(f'"{name}" is not supported: {why}.')


def _absent(name: str, why: str) -> Command:
    text = f"GDB's; not here.\n\nUsage: {name}\n\n{why}."
    return Command(name, text, partial(_refused, name, why), "support", is_absent=True)


HABITS: Final = (pwd, cd, *(_absent(name, why) for name, why in ABSENT.items()))
