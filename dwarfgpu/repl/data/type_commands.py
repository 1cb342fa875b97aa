"""Commands that show types; only `info vtbl` reads memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Final

from dwarfgpu import language
from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import options_of

_OPPOSITES: Final = {"M": "m", "m": "M", "T": "t", "t": "T", "d": "x", "x": "d"}
_FLAGS = re.compile(r"/(?P<letters>\S*)\s*")


@command("whatis", topic="data", complete=completion.VALUES)
def whatis(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the type of an expression.

    Usage: whatis EXPRESSION | TYPE

    The expression is not evaluated. For a typedef, shows its target.
    """
    from dwarfgpu.service.symbol.type_definition import name_of_type  # many never ask for a type

    _, argument = _flags(argument)
    options = options_of(shell.session, shell.values)
    name = name_of_type(shell.session, argument, options, shell.settings.spelling())
    yield Output(f"type = {name}", {"type": name})


@command("ptype", topic="data", complete=completion.VALUES)
def ptype(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the definition of a type.

    Usage: ptype[/FLAGS] EXPRESSION | TYPE

    Shows its members in the syntax of its language; the expression is not evaluated. FLAGS are o
    (offset and size of each member of a structure, and the holes), m (without member functions), t
    (without typedefs), M and T (with them), r (raw: without replacing template arguments and
    typedefs of a class), x and d (offsets and sizes in hexadecimal, decimal). The defaults are the
    settings of "set print type"; with offsets, those of m and t, unless M or T is after the o.
    """
    from dwarfgpu.service.symbol.type_definition import definition_of_type

    flags, argument = _flags(argument, _of_settings(shell))
    options = options_of(shell.session, shell.values)
    definition = definition_of_type(
        shell.session, argument, options, shell.settings.spelling(), flags
    )
    text = definition.text if definition.has_offsets else f"type = {definition.text}"
    yield Output(text, definition.record if shell.console.is_json else {})


def _of_settings(shell: Shell) -> set[str]:
    """Return the flags equivalent to the settings."""
    settings = shell.settings
    flags = {"x"} if settings.flag("print type hex") else set()
    flags |= set() if settings.flag("print type methods") else {"m"}
    return flags | (set() if settings.flag("print type typedefs") else {"t"})


def _flags(argument: str, flags: Set[str] = frozenset()) -> tuple[set[str], str]:
    """Parse `/om`; of opposite letters the last one counts. M and T before `o` have no effect: with
    offsets, member functions and typedefs are shown only where they are asked for after it."""
    match = _FLAGS.match(argument)
    flags = set(flags)
    for letter in "" if match is None else match["letters"]:
        if letter not in "omMtTrxd":
            raise UsageError(f"unrecognized flag '{letter}'")
        flags -= {"M", "T"} if letter == "o" else {_OPPOSITES.get(letter)}
        flags |= {letter}
    return flags, argument if match is None else argument[match.end() :]


@command("info vtbl", topic="data", complete=completion.VALUES)
def info_vtbl(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the virtual functions of an object.

    Usage: info vtbl EXPRESSION

    Shows those of the static class of the expression, or of its pointed-to class; the dynamic class
    is not looked up.
    """
    # Only here: few sessions show such tables.
    from dwarfgpu.repl.data.vtable_text import shown_tables

    if not argument:
        raise UsageError("Argument required (expression to compute).")
    session = shell.session
    value = language.evaluate(argument, session, options_of(session, shell.values))
    yield from shown_tables(shell, value)
