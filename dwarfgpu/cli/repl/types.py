"""Commands that show types; nothing is read for them."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu import language
from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.repl.values import options_of
from dwarfgpu.dwarf.type_names import type_name
from dwarfgpu.dwarf.types import Typedef
from dwarfgpu.language import Typed
from dwarfgpu.language.untyped import TEXT
from dwarfgpu.view.type_text import type_text


@command("whatis", topic="data", complete=candidates.values)
def whatis(shell: Shell, argument: str) -> Iterator[str]:
    """Show the type of an expression.

    Usage: whatis EXPRESSION | TYPE

    The expression is not evaluated. Of a typedef, what it is another name of.
    """
    named = language.named_type(argument, shell.session)
    if named is not None and isinstance(named.type, Typedef):
        named = Typed(named.type.target, named.unit)
    found = named or _type_of(shell, argument)
    yield f"type = {type_name(found.type, cplusplus=found.is_cplusplus, style=found.style)}"


@command("ptype", topic="data", complete=candidates.values)
def ptype(shell: Shell, argument: str) -> Iterator[str]:
    """Show the definition of a type.

    Usage: ptype EXPRESSION | TYPE

    What it is made of, in the words of its language; the expression is not evaluated.
    """
    found = language.named_type(argument, shell.session) or _type_of(shell, argument)
    if found.type is TEXT:
        yield "type = <unknown return type> ()"
        return
    yield f"type = {type_text(found.type, cplusplus=found.is_cplusplus, style=found.style)}"


def _type_of(shell: Shell, argument: str) -> Typed:
    options = options_of(shell.session, shell.values)
    return language.type_of(argument or "$", shell.session, options)
