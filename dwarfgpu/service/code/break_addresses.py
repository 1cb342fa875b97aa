"""Where a breakpoint is set for a place in the program, at the prompt and on the command line."""

from __future__ import annotations

from dwarfgpu.language.linespec import (
    body_of,
    first_after,
    line_at,
    no_line,
    spot_of,
    spots_of,
)
from dwarfgpu.language.options import Options
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import FramePosition, place_in


def break_addresses(
    session: Session, text: str, around: FramePosition | None, options: Options
) -> tuple[tuple[int, ...], FramePosition | None]:
    """Return the addresses of a place, and its line: of a function after its prologue, of a line
    without code those of the next line that has code, as GDB.

    `around`: what a line without a file is in. `options` are those of the expression of `*ADDRESS`.
    `UsageError` in GDB's words for a place that does not exist.
    """
    spot = spot_of(session, text, around, options)
    pcs = spot.pcs
    if spot.kind == "function":
        spots = spots_of(session, text, around, options)
        pcs = tuple(
            sorted(spot.pcs[0] if spot.is_call else body_of(session, spot.pcs[0]) for spot in spots)
        )
        line = line_at(session, pcs[0])
        return pcs, spot.place if line is None else place_in(line.file, line.line, is_start=True)
    if not pcs and spot.place is not None:
        after = first_after(session, spot.place)
        pcs = () if after is None else (after,)
    if not pcs:
        raise no_line(text, spot)
    return pcs, spot.place
