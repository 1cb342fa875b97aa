"""Commands that print, explain and locate values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dwarfgpu import language
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.types.types import Base
from dwarfgpu.errors import UndefinedBits, UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.examine_commands import go_on_after
from dwarfgpu.repl.data.option_settings import PRINT_OPTIONS, values_by_option, with_options
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.machine.examine_format import IGNORED
from dwarfgpu.service.value.expression_answer import value_record
from dwarfgpu.service.value.value_history import evaluated, options_of, reasons, required
from dwarfgpu.session.unknown_members import has_all_members
from dwarfgpu.view.command_options import OF_PRINT, first_option, without_options
from dwarfgpu.view.values import FormatOptions

_FORMAT = pattern(r"/(?P<count>-?[0-9]*)(?P<letters>[a-z]*)\s*(?P<rest>.*)", re.DOTALL)
_LETTERS = "xduotacfzsr"
_SIZES = "bhwg"


def format_of(shell: Shell, argument: str, name: str) -> tuple[FormatOptions, str]:
    """Parse `/x t` or `-elements 3 -- t` into a format and an expression; errors have GDB's
    wording."""
    settings, argument = with_options(argument, name, shell.settings)
    options = settings.print_options()
    match = _FORMAT.fullmatch(argument)
    if match is None:
        return options, argument
    repeats = name in ("print", "call")  # GDB keeps the format of these and of `x`
    meaningless = f'meaningless in "{"print" if repeats else name}" command.'
    letter = shell.examined.last_letter if repeats else None
    is_raw = False
    for mark in match["letters"]:
        if mark in _SIZES:
            raise UsageError(f"Size letters are {meaningless}")
        if mark not in f"{_LETTERS}{IGNORED}i":
            raise UsageError(f'Undefined output format "{mark}".')
        if mark == "r":
            is_raw = True
        elif mark not in IGNORED:
            letter = mark
    if letter == "i":
        raise UsageError(f'Format letter "i" is {meaningless}')
    if match["count"] not in ("", "1"):
        raise UsageError(f"Item count other than 1 is {meaningless}")
    if repeats and letter is not None:
        format_ = evolve(shell.examined.format, letter=letter)
        shell.examined = evolve(shell.examined, format=format_, last_letter=letter)
    options = evolve(options, letter=letter, raw=options.raw or is_raw)
    word = first_option(match["rest"])
    if word is not None and any(option.startswith(word[1:]) for option in OF_PRINT):
        written = f"/{match['count']}{match['letters']}"
        raise UsageError(
            f"options go before the format: write {name} {word} ... -- {written} EXPRESSION"
        )
    return options, without_options(match["rest"], name)


def shown_value(shell: Shell, value: TypedValue) -> str:
    """Return the text of a value according to the settings."""
    return language.format(value, shell.session, shell.settings.print_options())


def _remark(shell: Shell, value: TypedValue) -> None:
    """Print the assumptions behind a value once, and why it is unknown each time."""
    shell.remark()
    for reason in reasons(value, shell.session):
        shell.console.note(reason)
    is_missing, bits = isinstance(value.error, UndefinedBits), value.bits
    if bits is not None and bits.undefined:
        endian, resolver = shell.session.architecture.endian, shell.session.resolver
        is_missing = not has_all_members(bits, value.type, endian, value.location, resolver)
    if value.variable is not None and is_missing:
        variable = value.variable
        is_global = variable.kind == "global"
        shell.console.hint(qualified_name(variable.die) if is_global else variable.name)
    _remark_written(shell)


def _remark_unset(shell: Shell, text: str) -> None:
    """Suggest a name for an unset convenience variable with `_`, as the debugger's have it."""
    if text.startswith("$_") and text[1:].isidentifier():
        names = (operand.text[1:] for operand in completion.operands(shell, "$"))
        advice = did_you_mean(text[1:], names, "$")
        if advice:
            shell.console.note(f"{text} has no value.{advice}")


def _remark_written(shell: Shell) -> None:
    """Say once that assignments to a core file are only in memory."""
    if shell.is_of_core and shell.values.has_written:
        shell.console.note(
            "only this session's registers and memory change, not the core file", once=True
        )


_PRINTED: Final = completion.with_options(values_by_option(PRINT_OPTIONS), completion.VALUES)


@command("print", topic="data", aliases=("p", "inspect"), complete=_PRINTED)
def print_(shell: Shell, argument: str) -> Iterator[Part]:
    """Print the value of an expression.

    Usage: print[/FMT] [[--] EXPRESSION]

    EXPRESSION is in the source language, with the variables in scope: s.at[2]->x + 1, *p@4, (char)
    c, local#0x10, $v6[3], 'file.c'::x. $REGISTER is a register of the wave ($v6, $exec, $pc), $N
    the value printed as "$N = ..."; $ is the last value, $$ the one before it, $$N the N-th before
    the last; $NAME a convenience variable. Without an argument it shows the last value again. FMT
    is one of x (hex), d (decimal), u (unsigned decimal), o (octal), t (binary), a (address), c
    (char), f (float), z (hex, zero padded), s (string), r (raw). A value that the compiler removed
    is <optimized out>; "explain EXPRESSION" shows why.
    """
    options, text = format_of(shell, argument, "print")
    value = evaluated(shell.session, shell.values, text)
    yield from _kept(shell, value, options)
    _remark(shell, value)
    if value.type is None:
        _remark_unset(shell, text)


@command("call", topic="data", complete=_PRINTED)
def call(shell: Shell, argument: str) -> Iterator[Part]:
    """Evaluate an expression, and print it unless it is void.

    Usage: call[/FMT] EXPRESSION

    Functions of the program cannot be called: nothing runs.
    """
    options, text = format_of(shell, argument, "call")
    value = evaluated(shell.session, shell.values, text)
    if value.type is not None:
        yield from _kept(shell, value, options)
    _remark(shell, value)


def _kept(shell: Shell, value: TypedValue, options: FormatOptions) -> Iterator[Part]:
    """Add the value to the history, and yield it with its number."""
    line = language.format(value, shell.session, options)
    kept = value
    if value.type.__class__ is not Base:
        from dwarfgpu.language.settled_values import settled  # a number means the same everywhere

        kept = settled(value, shell.session)
    number = shell.values.keep(kept)
    data = {"number": number, **value_record(value, line)} if shell.console.is_json else {}
    yield Output(f"${number} = {line}", data)
    go_on_after(shell, value)


@command("output", topic="data", complete=completion.VALUES)
def output(shell: Shell, argument: str) -> Iterator[Part]:
    """Like "print", without "$1 = " and the end of the line.

    Usage: output[/FMT] EXPRESSION
    """
    options, text = format_of(shell, argument, "output")
    value = evaluated(shell.session, shell.values, required(text))
    line = language.format(value, shell.session, options)
    _remark(shell, value)  # first: the line has no end
    data = value_record(value, line) if shell.console.is_json else {}
    yield Output(line, data, ends_line=False)
    go_on_after(shell, value)


@command("set var", topic="data", aliases=("variable",), complete=completion.VALUES)
def set_var(shell: Shell, argument: str) -> Iterator[Part]:
    """Evaluate an expression for its assignments.

    Usage: set var VARIABLE = EXPRESSION

    Writes every single location of a variable, and only the bits of a bit-field. If one of them
    is not writable, nothing is written. The state file does not change. "set var $NAME =
    EXPRESSION" assigns to a convenience variable.
    """
    evaluated(shell.session, shell.values, required(argument))
    options = options_of(shell.session, shell.values)
    if not language.has_effect(argument, shell.session, options):
        shell.console.warn("Expression is not an assignment (and might have no effect)")
    _remark_written(shell)
    yield from ()


_INITIAL: Final = pattern(r"\$(?P<name>[A-Za-z_][A-Za-z_0-9]*)\s*=(?!=)")


@command("init-if-undefined", topic="data", complete=completion.VALUES)
def init_if_undefined(shell: Shell, argument: str) -> Iterator[Part]:
    """Give a convenience variable a value, unless it has one.

    Usage: init-if-undefined $NAME = EXPRESSION

    A variable that is void has none.
    """
    if not argument:
        raise UsageError("Argument required (expression to compute).")
    match = _INITIAL.match(argument)
    if match is None:
        raise UsageError("Init-if-undefined requires an assignment expression.")
    variable = shell.values.named.get(match["name"])
    if variable is None or variable.type is None:
        evaluated(shell.session, shell.values, argument)
    yield from ()
