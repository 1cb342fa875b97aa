"""Conversations without a line editor: pipes, dumb terminals, and `-ex` and `-x`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final

from attrs import frozen

from dwarfgpu.cli.repl.shell import Shell

MOST_CHARACTERS: Final = 1 << 20
"""Of a line; what is no text may never end one."""


@frozen
class Given:
    """A command of the command line."""

    text: str
    is_script: bool
    """`-x FILE`, not `-ex COMMAND`."""


def run_given(shell: Shell, commands: Iterable[Given]) -> None:
    """The commands in order; one that fails does not keep the next from running."""
    for each in commands:
        if shell.is_over:
            return
        shell.execute(f"source {each.text}" if each.is_script else each.text)


def converse(shell: Shell, *, prompts: bool) -> None:
    """Read lines of stdin until it ends. `prompts`: there is a terminal, without powers."""
    while not shell.is_over:
        try:
            if prompts:
                sys.stdout.write(shell.prompt)
                sys.stdout.flush()
            line = sys.stdin.readline(MOST_CHARACTERS + 1)
            if len(line) > MOST_CHARACTERS:
                shell.streams.complain(f"A line of more than {MOST_CHARACTERS} characters.")
                shell.failures += 1
                return
            if not line:
                if prompts:
                    print("quit")
                return
            shell.execute(line, repeats=True)
        except KeyboardInterrupt:
            if not prompts:
                raise
            shell.streams.complain("Quit")
