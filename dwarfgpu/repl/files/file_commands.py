"""Commands about files."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator

from dwarfgpu.base.absolute_path import absolute_path, unquoted
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.language.source_lines import has_units
from dwarfgpu.objfile.elf_file import not_elf
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.greeting import show_core
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.replaced_machine import look_at, setting_again
from dwarfgpu.repl.shell import Shell


@command("file", topic="files", complete=completion.QUOTED_FILE, repeats=False)
def file(shell: Shell, argument: str) -> Iterator[Part]:
    """Open another code object.

    Usage: file [FILE]

    Reads the state or core file again, which undoes assignments. Without FILE, only the code
    objects of the state remain.
    """
    opener = shell.machine.opener
    if opener is None:
        raise UsageError(
            "This session belongs to a Python program: its code objects cannot be replaced."
        )
    if argument:
        argument = os.path.expanduser(unquoted(argument))
        _require_file(argument)
        if is_core(argument):
            raise _no_program(argument)
        question = f'Load new symbol table from "{argument}"?'
        is_asked = shell.is_from_tty and has_units(shell.session)
        if is_asked and not shell.confirms(question):
            raise UsageError("Not confirmed.")
    try:
        opened = opener.code_object(shell.session, argument or None)
    except UsageError as error:
        if not error.message.startswith(not_elf(argument)):
            raise
        raise _no_program(argument) from None
    with setting_again(shell):
        shell.session = shell.as_assumed(opened.session)
        shell.machine = evolve(shell.machine, opener=opened.machine.opener)
        shell.know_threads(opened.machine.threads)  # those that had ended are back
    shell.listed = shell.last_shown = shell.default_shown = None
    names = ", ".join(code_object.name for code_object in shell.session.code_objects)
    if not argument:
        yield Output("No executable file now." if not names else f"Back to {names}.", {})
        return
    says = f"Reading symbols from {argument}..." if shell.is_from_tty else ""
    yield Output(says, {"file": argument})


def _no_program(path: str) -> UsageError:
    full = absolute_path(path)
    return UsageError(f'"{full}": not in executable format: file format not recognized')


def _require_file(path: str) -> None:
    """Raise `UsageError` with GDB's wording if a path does not exist, or is a folder."""
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except ValueError as error:  # a NUL in the path
        raise UsageError(f"{path}: {error}") from None


@command("core-file", topic="files", aliases=("core",), complete=completion.FILE, repeats=False)
def core_file(shell: Shell, argument: str) -> Iterator[Part]:
    """Use FILE as core dump for examining memory and registers.

    Usage: core-file [FILE]

    Without FILE, close the core file and keep the program. Undoes assignments.
    """
    opener = shell.machine.opener
    if opener is None:
        raise UsageError(
            "This session belongs to a Python program: its machine cannot be replaced."
        )
    opened = opener.core(shell.session, argument or None)
    for warning in opened.warnings:
        shell.console.warn(warning)
        program = opened.session.program  # not the one that was open
        now = "unknown" if program is None else f"{program.file.path}, which the core file names"
        shell.console.note(f"the program is now {now}")
    look_at(shell, opened)
    if shell.is_of_core:
        show_core(shell)
    for note in shell.session.notes:
        shell.console.note(note, once=True)
    said = "No core file now." if not argument and shell.is_from_tty else ""
    yield Output(said, {"core-file": argument or None})


@command("sharedlibrary", topic="files")
def sharedlibrary(shell: Shell, argument: str) -> Iterator[Part]:
    """Read the symbols of shared libraries.

    Usage: sharedlibrary [REGEXP]

    This command has no effect: symbols are read when needed. "info sharedlibrary" lists the
    libraries.
    """
    yield from ()
