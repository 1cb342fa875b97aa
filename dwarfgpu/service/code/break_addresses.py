"""Where a breakpoint is set for a place in the program, at the prompt and on the command line."""

from __future__ import annotations

from dwarfgpu.language.linespec import (
    after_prologue,
    body_of,
    line_at,
    no_line,
    spot_of,
    spots_of,
    with_code,
)
from dwarfgpu.language.options import Options
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import FramePosition, place_in


def break_addresses(
    session: Session, text: str, around: FramePosition | None, options: Options
) -> tuple[tuple[int, ...], FramePosition | None]:
    """Return the addresses of a place, and the line of the first, as GDB: of a line without code
    those of the next line that has code, and none in the prologue of a function.

    `around`: what a line without a file is in. `options` are those of the expression of `*ADDRESS`.
    `UsageError` in GDB's words for a place that does not exist.
    """
    spot = spot_of(session, text, around, options)
    if spot.kind == "address":
        return spot.pcs, spot.place
    if spot.kind == "function":
        spots = spots_of(session, text, around, options)
        pcs = sorted(
            spot.pcs[0] if spot.is_call else body_of(session, spot.pcs[0]) for spot in spots
        )
        return tuple(pcs), _line_at(session, pcs[0]) or spot.place
    begun = with_code(session, spot)
    if not begun.pcs:
        raise no_line(text, spot)
    pcs = list(dict.fromkeys(after_prologue(session, pc) for pc in begun.pcs))
    is_moved = pcs[0] != begun.pcs[0]
    return tuple(pcs), (_line_at(session, pcs[0]) if is_moved else None) or begun.place


def _line_at(session: Session, pc: int) -> FramePosition | None:
    line = line_at(session, pc)
    return None if line is None else place_in(line.file, line.line, is_start=True)
