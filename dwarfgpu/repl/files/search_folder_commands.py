"""The folders in which the files that a core file names, and separate debug files, are searched."""

from __future__ import annotations

import os
from collections.abc import Iterator

from dwarfgpu.base.absolute_path import absolute_path
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.opened_machine import Opener, SearchFolders
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.replaced_machine import look_at
from dwarfgpu.repl.shell import Shell


@command(
    "set sysroot",
    topic="files",
    aliases=("solib-absolute-prefix",),
    complete=completion.FILE,
    repeats=False,
)
def set_sysroot(shell: Shell, argument: str) -> Iterator[Part]:
    """Set the root folder of the libraries of a core file.

    Usage: set sysroot [FOLDER]

    Reads an open core file again, which undoes assignments. Without FOLDER, the files are where
    the core file says. A folder that does not exist gives a warning; with an open core file it is
    an error, and nothing changes.
    """
    folder = _absolute(argument)
    if folder is not None and not os.path.isdir(folder):
        problem = f"{argument}: there is no such folder"
        if shell.machine.core is not None:
            raise UsageError(problem)
        shell.console.warn(f"{problem}.")
    opener = _opener(shell)
    _search(shell, evolve(opener.folders, sysroot=folder))
    yield from ()


@command("show sysroot", topic="files", aliases=("solib-absolute-prefix",))
def show_sysroot(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the root folder of the libraries of a core file.

    Usage: show sysroot
    """
    folder = _opener(shell).folders.sysroot or ""
    yield Output(f'The current system root is "{folder}".', {"value": folder})


@command("set debug-file-directory", topic="files", complete=completion.files, repeats=False)
def set_debug_file_directory(shell: Shell, argument: str) -> Iterator[Part]:
    """Set the folders of separate debug files.

    Usage: set debug-file-directory [FOLDER:FOLDER...]

    They are searched after the folder of the file, for files that are opened from now on: with -iex
    for those of the command line, too. Without FOLDER, no others are searched.
    """
    opener = _opener(shell)
    folders = debug_folders(argument)
    shell.machine = evolve(
        shell.machine, opener=opener.searching(evolve(opener.folders, debug_directories=folders))
    )
    yield from ()


@command("show debug-file-directory", topic="files")
def show_debug_file_directory(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the folders of separate debug files.

    Usage: show debug-file-directory
    """
    folders = ":".join(_opener(shell).folders.debug_directories)
    said = "The directory where separate debug symbols are searched for is"
    yield Output(f'{said} "{folders}".', {"value": folders})


def debug_folders(argument: str) -> tuple[str, ...]:
    """Return the folders that `set debug-file-directory` names."""
    return tuple(filter(None, (_absolute(part) for part in argument.split(":"))))


def _absolute(text: str) -> str | None:
    """Return a folder that stays the same after `cd`; None without one."""
    text = text.strip()
    return absolute_path(os.path.expanduser(text)) if text else None


def _opener(shell: Shell) -> Opener:
    opener = shell.machine.opener
    if opener is None:
        raise UsageError("This session belongs to a Python program, which opened its files.")
    return opener


def _search(shell: Shell, folders: SearchFolders) -> None:
    """Search in other folders from now on; a core file is read again, in the same thread."""
    opener = _opener(shell).searching(folders)
    core, focus = shell.machine.core, shell.session
    if core is None:
        shell.machine = evolve(shell.machine, opener=opener)
        return
    look_at(shell, opener.core(focus, core.dump.file.path, wave=focus.wave))
    for note in shell.session.notes:
        shell.console.note(note, once=True)
