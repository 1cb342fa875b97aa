"""Commands that show values: what they are, why, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dwarfgpu.cli.explain import explain_variable
from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.repl.values import Shown, of_reading, sentence, shown, variable_named
from dwarfgpu.dwarf.types import size_bits
from dwarfgpu.errors import UndefinedBits, UsageError
from dwarfgpu.view.locations import location_text
from dwarfgpu.view.values import FormatOptions

_FORMAT = re.compile(r"/(?P<count>-?\d*)(?P<letters>\S*)\s*(?P<rest>.*)", re.DOTALL)
_LETTERS = "xduotacfzsr"
_SIZES = "bhwg"


def format_of(argument: str, name: str) -> tuple[FormatOptions, str]:
    """The format of `/x t`, and what is to be shown in it; errors in GDB's words."""
    match = _FORMAT.fullmatch(argument)
    if match is None:
        return FormatOptions(), argument
    letter = None
    for each in match["letters"]:
        if each in _SIZES:
            raise UsageError(f'Size letters are meaningless in "{name}" command.')
        if each not in _LETTERS:
            raise UsageError(f'Undefined output format "{each}".')
        letter = each
    if match["count"] not in ("", "1"):
        raise UsageError(f'Item count other than 1 is meaningless in "{name}" command.')
    return FormatOptions(letter=letter), match["rest"].strip()


def _remark(shell: Shell, value: Shown) -> None:
    """Say what a value rests on, once, and why it is not known, always."""
    for note in value.assumed:
        shell.note(note, once=True)
    for reason in value.reasons:
        shell.note(reason)


@command("print", topic="data", aliases=("p", "inspect"), complete=candidates.values)
def print_(shell: Shell, argument: str) -> Iterator[str]:
    """Print a variable, a register or an earlier value.

    Usage: print[/FMT] [NAME | $REGISTER | $N]

    NAME is a variable in scope, $REGISTER a register of the wave ($v6, $exec, $pc), $N the
    value printed as "$N = ..."; $ is the last value, $$ the one before it, $$N the N-th before
    the last. Without an argument the last value is shown again.
    FMT is one of x (hex), d (decimal), u (unsigned decimal), o (octal), t (binary),
    a (address), c (char), f (float), z (hex, zero padded), s (string), r (raw).
    A value that the compiler removed is <optimized out>; "explain NAME" tells why.
    """
    options, text = format_of(argument, "print")
    value = shown(shell.session, shell.values, text)
    line = value.render(options)
    yield f"${shell.values.keep(value)} = {line}"
    _remark(shell, value)


@command("output", topic="data", complete=candidates.values)
def output(shell: Shell, argument: str) -> Iterator[str]:
    """Like "print", without the value history.

    Usage: output[/FMT] [NAME | $REGISTER | $N]
    """
    options, text = format_of(argument, "output")
    if not text:
        raise UsageError("Argument required (expression to compute).")
    value = shown(shell.session, shell.values, text)
    yield value.render(options)
    _remark(shell, value)


@command("explain", topic="data", complete=candidates.variables)
def explain(shell: Shell, argument: str) -> Iterator[str]:
    """Explain a variable's value, or why there is none.

    Usage: explain NAME

    Shows the description that applies at the program location, each of its operations with the
    stack before and after it, and what to make of the result for the lane in focus.
    """
    explanation = explain_variable(shell.session, variable_named(shell.session, _name(argument)))
    yield from explanation.text.split("\n")
    for note in explanation.answer.notes:
        shell.note(note, once=True)


@command("location", topic="data", complete=candidates.variables)
def location(shell: Shell, argument: str) -> Iterator[str]:
    """Show where a variable is.

    Usage: location NAME

    In registers, memories, or pieces of both, for the lane in focus.
    """
    session = shell.session
    variable = variable_named(session, _name(argument))
    reading = session.read(variable)
    if reading.location is None:
        if isinstance(reading.error, UndefinedBits):
            raise UsageError(sentence(reading.error.message))
        of_reading(session, reading)
    assert reading.location is not None
    for note in reading.notes:
        shell.note(note, once=True)
    bits = size_bits(reading.type)
    if bits is None:
        size = "of unknown size"
    elif bits % 8:
        size = f"{bits} bits"
    else:
        size = f"{bits // 8} byte{'' if bits == 8 else 's'}"
    yield f'Symbol "{variable.name}" is {location_text(reading.location)}, {size}.'


def _name(argument: str) -> str:
    if not argument:
        raise UsageError("Argument required (the name of a variable).")
    return argument
