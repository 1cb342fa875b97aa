"""The working folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell


@command("pwd", topic="files")
def pwd(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the working folder.

    Usage: pwd
    """
    if argument:
        raise UsageError(f'The "pwd" command does not take an argument: {argument}')
    yield _working_folder()


@command("cd", topic="files", complete=completion.FILE, repeats=False)
def cd(shell: Shell, argument: str) -> Iterator[Part]:
    """Change the working folder.

    Usage: cd [FOLDER]

    Without FOLDER, changes to the home folder. Relative file names are resolved there.
    """
    try:
        folder = Path(os.path.expanduser(argument or "~"))
        if os.path.isdir(folder):
            shell.keep_paths()
        os.chdir(folder)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{argument or '~'}: {why}.") from None
    if shell.is_from_tty:
        yield _working_folder()


def _working_folder() -> Output:
    try:
        folder = os.getcwd()
    except OSError as error:
        raise UsageError(f"Cannot determine the working folder: {error.strerror}.") from None
    return Output(f"Working directory {folder}.", {"cwd": folder})
