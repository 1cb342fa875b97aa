"""Linespecs that are typed at the prompt, with the values that their expressions may use."""

from __future__ import annotations

from dwarfgpu.language import linespec
from dwarfgpu.language.linespec import Spot
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.session.focused_frame import FramePosition


def spot_of(shell: Shell, text: str, around: FramePosition | None) -> Spot:
    """Return the first of `spots_of`, with the code of all of them."""
    session = shell.session
    return linespec.spot_of(session, text, around, options_of(session, shell.values))


def spots_of(shell: Shell, text: str, around: FramePosition | None) -> tuple[Spot, ...]:
    """Return the locations that a text denotes, as `dwarfgpu.language.linespec.spots_of`."""
    session = shell.session
    return linespec.spots_of(session, text, around, options_of(session, shell.values))
