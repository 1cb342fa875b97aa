"""Commands about the frame in focus: its variables, registers and program location."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.frames import contents, frame_line, require_frame, symbol_at, variables
from dwarfgpu.cli.repl.registers import read_register, register_named, registers
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.errors import UsageError

CLASSES = ("all", "general", "scalar", "vector", "system", "trap")


@command("frame", topic="stack", aliases=("f",))
def frame(shell: Shell, argument: str) -> Iterator[str]:
    """Show the frame in focus.

    Usage: frame [0]

    Shown are its number, program location, function and arguments, and the place in its file.

    Only the innermost frame is known so far; callers come with the call frame information.
    """
    if shell.session.pc is None:
        raise UsageError("No stack.")
    if argument and not argument.isdecimal():
        raise UsageError(f"Invalid frame specification: {argument}")
    if argument.strip("0"):
        raise UsageError(f"No frame at level {argument}.")
    yield f"#0  {frame_line(shell.session)}"


@command("pc", topic="stack")
def pc(shell: Shell, argument: str) -> Iterator[str]:
    """Show the program location.

    Usage: pc

    As loaded, in the file of the code, and in the function.
    """
    session = shell.session
    address = require_frame(session)
    code_object = session.code_object
    origin = "" if code_object is None else f" = {code_object.offset_text(address)}"
    symbol = symbol_at(session, address)
    yield f"{address:#x}{origin}" + (f" <{symbol}>" if symbol else "")


@command("info locals", topic="stack", complete=candidates.variables)
def info_locals(shell: Shell, argument: str) -> Iterator[str]:
    """Show the local variables of the frame.

    Usage: info locals [REGEXP]

    Their values are those of the lane in focus; variables of inner blocks come first.
    REGEXP limits them to those whose names match.
    """
    yield from _listed(shell, "local", argument, "locals")


@command("info args", topic="stack", complete=candidates.variables)
def info_args(shell: Shell, argument: str) -> Iterator[str]:
    """Show the arguments of the frame.

    Usage: info args [REGEXP]

    Their values are those of the lane in focus. REGEXP limits them as with "info locals".
    """
    yield from _listed(shell, "parameter", argument, "arguments")


def _listed(shell: Shell, kind: str, argument: str, called: str) -> Iterator[str]:
    session = shell.session
    try:
        pattern = re.compile(argument)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(f"Invalid regexp: {argument}: {error}") from None
    found = [each for each in variables(session, kind) if pattern.search(each.name)]
    if not found:
        yield f"No matching {called}." if argument else f"No {called}."
    notes: list[str] = []
    for each in found:
        reading = session.read(each)
        yield f"{each.name} = {contents(session, reading)}"
        notes += reading.notes
    for note in notes:
        shell.note(note, once=True)


@command("info registers", topic="stack", aliases=("r",), complete=candidates.registers)
def info_registers(shell: Shell, argument: str) -> Iterator[str]:
    """Show registers of the wave.

    Usage: info registers [REGISTER | CLASS]...

    Shown are the name, the value in hexadecimal and, unless it is a vector, by its type.
    CLASS is one of all, general, scalar, vector, system, trap. Without an argument, every register
    of which anything is known.
    """
    session = shell.session
    if not argument:
        known = [read_register(session, each) for each in registers(session)]
        lines = [each.line for each in known if each.is_known]
        if not lines:
            raise UsageError("No register of the wave is known.")
        yield from lines
        return
    chosen = [
        found
        for word in argument.split()
        for found in (
            registers(session, word) if word in CLASSES else [register_named(session, word)]
        )
    ]
    for each in chosen:
        yield read_register(session, each).line
