"""Linespecs that are typed at the prompt, with the values that their expressions may use."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.language import linespec
from dwarfgpu.language.linespec import LinespecNotFound, Spot
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import convenience_integer, options_of
from dwarfgpu.session.focused_frame import FramePosition

_VARIABLE: Final = pattern(r"(?P<file>[^$]+:)?(?P<name>\$[$\w]*)")


def spot_of(shell: Shell, text: str, around: FramePosition | None) -> Spot:
    """Return the first of `spots_of`, with the code of all of them."""
    session = shell.session
    return linespec.spot_of(
        session, with_number(shell, text), around, options_of(session, shell.values)
    )


def spots_of(shell: Shell, text: str, around: FramePosition | None) -> tuple[Spot, ...]:
    """Return the locations that a text denotes, as `dwarfgpu.language.linespec.spots_of`."""
    session = shell.session
    return linespec.spots_of(
        session, with_number(shell, text), around, options_of(session, shell.values)
    )


def with_number(shell: Shell, text: str) -> str:
    """Return `45` or `FILE:45` for a convenience variable as the line."""
    match = _VARIABLE.fullmatch(text)
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
