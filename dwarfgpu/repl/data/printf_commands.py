"""`printf` and `echo`: texts as in C."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Part, Raw
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal.colour import CONTROL


@command("echo", topic="support")
def echo(shell: Shell, argument: str) -> Iterator[Part]:
    """Print text.

    Usage: echo TEXT

    TEXT may contain the escapes of C; write "\\n" to end the line.
    """
    from dwarfgpu.service.value.printf import unescaped  # few sessions need it

    text = unescaped(argument)
    yield Output(Raw(text), {"output": text}, ends_line=False)


@command("printf", topic="data", complete=completion.VALUES)
def printf(shell: Shell, argument: str) -> Iterator[Part]:
    """Print values with a format string, as printf in C.

    Usage: printf "FORMAT", EXPRESSION...

    %d %i %u %x %o %c %s %p %e %f %g with width and precision, as in C; %s takes an array of
    characters or a pointer to them. As in GDB, %f reads an object that is not a float as the float
    of its size: write (double) N for an integer.
    """
    text = formatted(shell, argument)
    yield Output(Raw(text), {"output": text}, ends_line=False)


def formatted(shell: Shell, argument: str) -> str:
    """Return the text of `"FORMAT", VALUES`; on a terminal, control characters of the values are
    shown by number."""
    from dwarfgpu.service.value import printf as service

    control = CONTROL if shell.console.is_seen else None
    return service.formatted(shell.session, shell.values, argument, control)
