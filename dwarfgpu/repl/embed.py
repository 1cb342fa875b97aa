"""The prompt of `dwarfgpu debug` in a program of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import wrong_type
from dwarfgpu.base.input_files import recorded_inputs
from dwarfgpu.base.records import evolve
from dwarfgpu.repl.greeting import greet
from dwarfgpu.repl.start import at_terminal, debug_shell, interact
from dwarfgpu.repl.terminal.plain_prompt import StartupCommand, run_startup_commands
from dwarfgpu.session.session import Session

_MAX_WRITTEN: Final = 60
"""Characters of the list that is proposed in place of a string."""


@names_wrong_arguments
def run_interactive(
    session: Session,
    *,
    commands: Iterable[str] = (),
    names: Mapping[str, object] | None = None,
    quiet: bool = False,
) -> Session:
    """Run the prompt for a session on the terminal, or with the lines of stdin, until they end.

    `commands` run first. `names` are further names for the command `python`. Returns the session
    with its final focus (wave, lane and frame); assignments that were not undone are in its
    machine. The status given to `quit` is for programs and has no effect here. Input raises
    nothing, and Ctrl-C ends a command, not the prompt; `UsageError`
    for a lane that the wave does not have.
    """
    if isinstance(commands, str):  # each of its characters would be a command
        written = f"{commands.splitlines()!r:.{_MAX_WRITTEN + 1}}"
        if len(written) > _MAX_WRITTEN:
            written = "a list of its lines"
        raise wrong_type("commands", commands, "a list of commands", f": write {written}")
    with recorded_inputs(_files(session)):
        return _run(session, commands, names or {}, quiet=quiet)


def _files(session: Session) -> Iterator[str]:
    """Yield the paths of the code objects."""
    for code_object in (*session.code_objects, *session.other_code_objects):
        yield code_object.file.path


def _run(
    session: Session, commands: Iterable[str], names: Mapping[str, object], *, quiet: bool
) -> Session:
    is_interactive = at_terminal()
    shell = debug_shell(session, stdin_is_script=not is_interactive)
    shell.script.python_names.update(names)
    for note in session.notes:
        shell.console.note(note, once=True)
    if is_interactive and not quiet:
        greet(shell)
    run_startup_commands(shell, [StartupCommand(command, is_script=False) for command in commands])
    if not shell.is_over:
        interact(shell, is_interactive=is_interactive)
    return evolve(shell.session, target=session.target)


__all__ = ["run_interactive"]
