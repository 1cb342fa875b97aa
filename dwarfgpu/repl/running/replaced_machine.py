"""Another machine behind the prompt, as a state or core file that is opened, or another reading of
it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dwarfgpu.errors import Ambiguous
from dwarfgpu.repl.opened_machine import Opened
from dwarfgpu.repl.running.runner import arm
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.running.watchpoint_values import looked_again
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.error_text import error_line


def look_at(shell: Shell, opened: Opened) -> None:
    """Replace the session and its machine, and set the breakpoints again."""
    with setting_again(shell):
        shell.look_at(opened)


@contextmanager
def setting_again(shell: Shell) -> Iterator[None]:
    """Set breakpoints and watchpoints again after the block, which opens other files."""
    if not shell.breakpoints:
        yield
        return
    # Few sessions have breakpoints when they open files.
    from dwarfgpu.repl.running.set_again import numbers_in_libraries, set_again

    in_libraries = numbers_in_libraries(shell)
    yield
    set_again(shell, in_libraries)
    arm(shell)


def assume_of_registers(shell: Shell) -> None:
    """Let the session assume of vector registers what the settings say; watchpoints watch what
    their expressions denote then."""
    shell.session = shell.as_assumed(shell.session)
    for item in shell.breakpoints.values():
        if isinstance(item, Watchpoint):
            looked_again(shell, item)
            error = item.watched.value.error
            if isinstance(error, Ambiguous):
                why = error_line(error)
                shell.console.note(f"{item.kind.lower()} {item.number} watches nothing: {why}")
    arm(shell)
