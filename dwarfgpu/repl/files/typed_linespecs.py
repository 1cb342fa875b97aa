"""Linespecs that are typed at the prompt, with the values that their expressions may use."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.language import linespec
from dwarfgpu.language.linespec import CodeLocation, LinespecNotFound
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import convenience_integer, options_of
from dwarfgpu.session.focused_frame import FramePosition

_VARIABLE: Final = pattern(r"(?P<file>[^$]+:)?(?P<name>\$[$\w]*)")


def code_location_of(shell: Shell, text: str, around: FramePosition | None) -> CodeLocation:
    """Return the first of `code_locations_of`, with the code of all of them."""
    session = shell.session
    return linespec.code_location_of(
        session, with_number(shell, text), around, options_of(session, shell.values)
    )


def code_locations_of(
    shell: Shell, text: str, around: FramePosition | None
) -> tuple[CodeLocation, ...]:
    """Return the code locations that a text denotes (`dwarfgpu.language.linespec`)."""
    session = shell.session
    return linespec.code_locations_of(
        session, with_number(shell, text), around, options_of(session, shell.values)
    )


def with_number(shell: Shell, text: str) -> str:
    """Return `45` or `FILE:45` for a convenience variable as the line."""
    match = _VARIABLE.fullmatch(text) if "$" in text else None
    if match is None:
        return text
    file, name = match["file"] or "", match["name"]
    if name[1:].strip("$0123456789") and name[1:] not in shell.values.named:
        where = f' in "{file.rstrip(":")}"' if file else ""
        unknown = f'Undefined convenience variable or function "{name}" not defined{where}.'
        raise LinespecNotFound(unknown)
    try:
        return f"{file}{convenience_integer(shell.session, shell.values, name)}"
    except UsageError:
        unfit = "Convenience variables used in line specs must have integer values."
        raise UsageError(unfit) from None
