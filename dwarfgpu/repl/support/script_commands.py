"""Commands that have a body: `if` and `while`, and how the bodies of all are read and run.

A body is read line by line up to its `end`, from where the command itself came from.
`define` and `document` are in `user_commands`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.printf_commands import formatted
from dwarfgpu.repl.json_answer import without_token
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.script_state import Leaving, LongLine
from dwarfgpu.repl.shell import Shell, is_blank
from dwarfgpu.repl.support.command_bodies import Nesting
from dwarfgpu.service.value.condition import holds

MAX_BODIES: Final = 100
"""Maximum number of bodies that run inside one another."""


def body(shell: Shell, name: str) -> list[str]:
    """Yield the lines up to the `end` of the command that runs, or up to the end of all lines.

    Of commands without what GDB leaves out: blank lines, comments and indentation; and without
    tokens where answers are JSON.
    """
    out: list[str] = []
    nesting = Nesting(name)
    is_too_deep, too_long = False, None
    while True:
        try:
            line = shell.read_line(_prompt(nesting))
        except LongLine as error:
            if shell.is_over or not shell.script.is_typed:
                raise
            too_long = too_long or error  # the lines up to the end are no commands
            continue
        if line is None:
            break
        was_text, was_open = nesting.is_text, nesting.open[-1]
        if shell.console.is_json:  # the tokens of these lines are not answered
            _, rest = without_token(line.strip())
            line = line if was_text and rest != "end" else rest
        nesting.take(line)
        is_too_deep = is_too_deep or len(nesting.open) > MAX_BODIES
        if not nesting.open:
            break
        if line.strip() == "else" and not was_text and was_open != "if":
            shell.console.warn("Error reading in canned sequence of commands.")
            return []
        if is_too_deep:
            out.clear()  # the lines up to the end are no commands either
        elif was_text or not is_blank(line):
            out.append(line if was_text else line.strip())
    if too_long is not None:
        raise too_long
    if is_too_deep:  # each body reads those inside it again
        raise _too_deep()
    return out


def _prompt(nesting: Nesting) -> str:
    """Return GDB's prompt, indented as far as bodies can be in one another."""
    return " " * min(len(nesting.open) - 1, MAX_BODIES) + ">"


def ran(shell: Shell, lines: Iterable[str]) -> Iterator[Part]:
    """Yield the output of a body; `Leaving` if it leaves a loop.

    `LimitExceeded` for bodies in one another that are too deep.
    """
    if shell.script.bodies >= MAX_BODIES:
        raise _too_deep()
    shell.script.bodies += 1
    try:
        yield from shell.run_lines(iter(lines))
    finally:
        shell.script.bodies -= 1


@command("end", topic="support", repeats=False)
def end(shell: Shell, argument: str) -> Iterator[Part]:
    """End a list of commands.

    Usage: end

    "define", "if", "while", "python" and others read the lines that follow up to "end".
    """
    yield from ()
    raise UsageError("This command cannot be used at the top level.")


@command("dont-repeat", topic="support", repeats=False)
def dont_repeat(shell: Shell, argument: str) -> Iterator[Part]:
    """Disable repetition of a user-defined command.

    Usage: dont-repeat

    Write it in the definition of the command. An empty line then does not repeat that command.
    """
    yield from ()


@command("eval", topic="support", complete=completion.VALUES)
def eval_(shell: Shell, argument: str) -> Iterator[Part]:
    """Format a command with "printf", and run it.

    Usage: eval "FORMAT", EXPRESSION...
    """
    line = formatted(shell, argument)
    yield from shell.run(shell.script.filled(line))


@command("if", topic="support", repeats=False, complete=completion.VALUES)
def if_(shell: Shell, argument: str) -> Iterator[Part]:
    """Run commands if an expression is not zero.

    Usage: if EXPRESSION

    The commands follow, one per line, up to "end", or up to "else" and the commands for the
    other case.
    """
    _require(argument, "if")
    yes, no = _arms(body(shell, "if"))
    try:
        yield from ran(shell, yes if holds(shell.session, shell.values, argument) else no)
    except Leaving:
        if shell.script.bodies:
            raise


@command("while", topic="support", repeats=False, complete=completion.VALUES)
def while_(shell: Shell, argument: str) -> Iterator[Part]:
    """Repeat commands while an expression is not zero.

    Usage: while EXPRESSION

    The commands follow, one per line, up to "end". Among them, "loop_break" ends the loop, and
    "loop_continue" begins its next iteration.
    """
    _require(argument, "while")
    lines = body(shell, "while")
    while holds(shell.session, shell.values, argument) and not shell.is_over:
        try:
            yield from ran(shell, lines)
        except Leaving as leaving:
            if str(leaving) == "loop_break":
                return


def _too_deep() -> LimitExceeded:
    return LimitExceeded(f"commands with a body nested more than {MAX_BODIES} deep")


def _require(argument: str, name: str) -> None:
    if not argument:
        raise UsageError(f"{name} command requires an argument.")


def _arms(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the commands before and after the `else` that belongs to the outermost `if`."""
    arms: tuple[list[str], list[str]] = ([], [])
    nesting = Nesting()
    arm = 0
    for line in lines:
        if line == "else" and not nesting.open:
            arm = 1
            continue
        nesting.take(line)
        arms[arm].append(line)
    return arms
