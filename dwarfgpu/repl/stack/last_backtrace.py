"""The backtrace that was listed last, for listing it again.

Law: it is listed again only if nothing has changed that it shows: the machine has not run, nothing
was written, and the wave, lane, files, settings and the number of frames are the same. Moving
between frames changes none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.setting import SettingValue
from dwarfgpu.repl.settings import Settings
from dwarfgpu.session.session import Session
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.printers.standard import STANDARD

MAX_KEPT: Final = 1_000
"""Parts; longer backtraces are not kept."""


@frozen
class Basis:
    """What a backtrace depends on."""

    top: Session
    """The session in the innermost frame: the wave, the lane and the files."""
    stop: int | None
    writes: int
    settings: Mapping[str, SettingValue]
    style: FrameStyle
    limit: int | None


@frozen(eq=False)
class LastBacktrace:
    """The output of a backtrace."""

    basis: Basis
    parts: tuple[Part, ...]
    notes: tuple[str, ...]


def basis_of(
    session: Session, settings: Settings, style: FrameStyle, limit: int | None
) -> Basis | None:
    """Return what a backtrace without local variables depends on; None if it depends on more:
    source files or user-defined printers, which may change at any time."""
    own_printers = settings.printers.collections != STANDARD.collections
    if own_printers or style.has_source(is_focus=False):
        return None
    top, writes = session.top or session, session.write_count.writes
    return Basis(top, session.stop, writes, settings.values, style, limit)
