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
from dwarfgpu.repl.declared_settings import STARTS_NO_PROCESS
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell

TUI: Final = '"list" and "disassemble /s" show source text and instructions'
_NOT_RECORDED: Final = 'execution is not recorded; "run" starts it anew'
ABSENT: Final = {
    "add-symbol-file": '"file" or "load" opens another code object or state',
    "checkpoint": '"save" writes the state of a run, "run" starts it anew',
    "compile": "no code is compiled for the program",
    "dprintf": '"break", with "silent", "printf" and "continue" as its "commands", prints there',
    "exec-file": 'use "file"',
    "explore": '"print" and "ptype" show values and their types whole',
    "focus": TUI,
    "layout": TUI,
    "macro": "macros of -g3 are not read",
    "nosharedlibrary": 'without "--sysroot" of the libraries their symbols are not read',
    "record": _NOT_RECORDED,
    "refresh": TUI,
    "reverse-continue": _NOT_RECORDED,
    "reverse-finish": _NOT_RECORDED,
    "reverse-next": _NOT_RECORDED,
    "reverse-nexti": _NOT_RECORDED,
    "reverse-step": _NOT_RECORDED,
    "reverse-stepi": _NOT_RECORDED,
    "symbol-file": 'use "file"',
    "tui": TUI,
    "winheight": TUI,
}
"""Why GDB's command is not here, by its name."""
WITHOUT_EFFECT: Final = {
    "add-auto-load-safe-path": "files of the program bring no scripts",
    "add-auto-load-scripts-directory": "files of the program bring no scripts",
    "handle": "waves receive no signals, and every fault stops them",
    "skip": '"step" enters every function with line numbers, "next" passes over it',
    "tty": STARTS_NO_PROCESS,
}
"""Why GDB's command changes nothing here, by its name: files of commands often have it."""


@command("pwd", topic="files")
def pwd(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the working folder.

    Usage: pwd
    """
    yield _working_folder()


@command("cd", topic="files", complete=completion.files, repeats=False)
def cd(shell: Shell, argument: str) -> Iterator[Part]:
    """Change the working folder.

    Usage: cd [FOLDER]

    Without FOLDER, that is the home folder. Files are found from there.
    """
    try:
        folder = Path(argument or "~").expanduser()
        if folder.is_dir():
            shell.keep_paths()
        os.chdir(folder)
    except (OSError, RuntimeError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{argument}: {why}.") from None
    if shell.console.is_interactive:
        yield _working_folder()


def _working_folder() -> Output:
    try:
        folder = os.getcwd()
    except OSError as error:
        raise UsageError(f"Cannot determine the working folder: {error.strerror}.") from None
    return Output(f"Working directory {folder}.", {"cwd": folder})


def _refused(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    raise UsageError(f'"{name}" is not supported: {why}.')


def _ignored(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    shell.console.note(f'"{name}" has no effect: {why}', once=True)
    return iter(())


def _absent(name: str, why: str) -> Command:
    text = f"GDB's; not here.\n\nUsage: {name}\n\n{why}."
    run = partial(_ignored if name in WITHOUT_EFFECT else _refused, name, why)
    return Command(name, text, run, "support", is_absent=True)


@command("sharedlibrary", topic="files")
def sharedlibrary(shell: Shell, argument: str) -> Iterator[Part]:
    """Read the symbols of shared libraries.

    Usage: sharedlibrary [REGEXP]

    They are read when they are needed; "info sharedlibrary" lists the libraries.
    """
    yield from ()


HABITS: Final = (
    pwd,
    cd,
    sharedlibrary,
    *(_absent(name, why) for name, why in (ABSENT | WITHOUT_EFFECT).items()),
)
