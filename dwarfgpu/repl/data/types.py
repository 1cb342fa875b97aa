"""Commands that show types; only `info vtbl` reads memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Final

from dwarfgpu import language
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.types.types import Typedef
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language import Typed
from dwarfgpu.language.elf_symbols import TEXT
from dwarfgpu.language.names import Names
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.declared_settings import SPELLED
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.type_layout import layout
from dwarfgpu.view.type_offsets import offset_text
from dwarfgpu.view.type_text import type_text

_OPPOSITES: Final = {"M": "m", "T": "t", "d": "x"}
_TYPE_OF: Final = re.compile(r"(?:__)?(?:typeof|decltype)(?:__)?\s*\(")
_NAME: Final = re.compile(r"[^\W\d]\w*(?:::[^\W\d]\w*)*")
_FLAGS = re.compile(r"/(?P<letters>\S*)\s*")


def _namespace(shell: Shell, argument: str) -> str | None:
    """The whole name of a namespace; None for anything else."""
    if not _NAME.fullmatch(argument):
        return None
    try:
        entities = Names(shell.session).meaning(argument)
    except DwarfGpuError:
        return None  # using it says so
    first = entities[0] if entities else None
    if not isinstance(first, Die) or first.tag != dw.TAG_NAMESPACE:
        return None
    return qualified_name(first)


@command("whatis", topic="data", complete=completion.values)
def whatis(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the type of an expression.

    Usage: whatis EXPRESSION | TYPE

    The expression is not evaluated. For a typedef, its target.
    """
    _, argument = _flags(argument)
    namespace = _namespace(shell, argument)
    if namespace is not None:
        yield Output(f"type = {namespace}", {"type": namespace})
        return
    named = language.named_type(argument, shell.session)
    is_written = not _TYPE_OF.match(argument)
    if named is not None and isinstance(named.type, Typedef) and is_written:
        named = Typed(named.type.target, named.unit)
    typed = named or _type_of(shell, argument)
    cplusplus, style = _spelled(shell, typed)
    name = type_name(typed.type, cplusplus=cplusplus, style=style)
    yield Output(f"type = {name}", {"type": name})


@command("ptype", topic="data", complete=completion.values)
def ptype(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the definition of a type.

    Usage: ptype[/FLAGS] EXPRESSION | TYPE

    Its components, in the syntax of its language; the expression is not evaluated. FLAGS are o
    (offset and size of each member of a structure, and the holes), m (without member functions), t
    (without typedefs), M and T (with them), r (raw: without replacing template arguments and
    typedefs of a class), x and d (offsets and sizes in hexadecimal, decimal). The defaults are the
    settings of "set print type".
    """
    flags, argument = _flags(argument, _of_settings(shell))
    namespace = _namespace(shell, argument)
    if namespace is not None:
        name = f"namespace {namespace}"
        yield Output(f"type = {name}", {"type": name, "definition": name})
        return
    typed = language.named_type(argument, shell.session) or _type_of(shell, argument)
    if typed.type is TEXT:
        name = "<unknown return type> ()"
        yield Output(f"type = {name}", {"type": name, "definition": name})
        return
    cplusplus, style = _spelled(shell, typed)
    name = type_name(typed.type, cplusplus=cplusplus, style=style)
    data: JsonObject = {"type": name, **layout(typed.type, cplusplus=cplusplus)}
    if "o" in flags and style == "c":
        shown = offset_text(
            typed.type, cplusplus=cplusplus, is_hexadecimal="x" in flags, is_raw="r" in flags
        )
        if shown is not None:
            yield Output(shown, {**data, "definition": shown})
            return
    text = type_text(
        typed.type,
        cplusplus=cplusplus,
        style=style,
        has_methods="m" not in flags,
        has_typedefs="t" not in flags,
        is_raw="r" in flags,
    )
    yield Output(f"type = {text}", {**data, "definition": text})


def _spelled(shell: Shell, typed: Typed) -> tuple[bool, Style]:
    """Return whether to spell it as in C++, and the language style."""
    return SPELLED[shell.settings.word("language")] or (typed.is_cplusplus, typed.style)


def _of_settings(shell: Shell) -> set[str]:
    """Return the flags equivalent to the settings."""
    settings = shell.settings
    flags = {"x"} if settings.flag("print type hex") else set()
    flags |= set() if settings.flag("print type methods") else {"m"}
    return flags | (set() if settings.flag("print type typedefs") else {"t"})


def _flags(argument: str, flags: Set[str] = frozenset()) -> tuple[set[str], str]:
    """Parse `/om`; of opposite letters the last one counts."""
    match = _FLAGS.match(argument)
    flags = set(flags)
    for letter in "" if match is None else match["letters"]:
        if letter not in "omMtTrxd":
            raise UsageError(f"unrecognized flag '{letter}'")
        flags -= {_OPPOSITES.get(letter, letter)}
        flags |= {letter} - {*_OPPOSITES}
    return flags, argument if match is None else argument[match.end() :]


def _type_of(shell: Shell, argument: str) -> Typed:
    options = options_of(shell.session, shell.values)
    return language.type_of(argument or "$", shell.session, options)


@command("info vtbl", topic="data", complete=completion.values)
def info_vtbl(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the virtual functions of an object.

    Usage: info vtbl EXPRESSION

    Those of the class that the expression has, or points to: what class the object really is of
    is not looked up.
    """
    # Only here: few conversations show such tables.
    from dwarfgpu.repl.data.vtables import shown_tables

    if not argument:
        raise UsageError("Argument required (expression to compute).")
    session = shell.session
    value = language.evaluate(argument, session, options_of(session, shell.values))
    yield from shown_tables(shell, value)
