"""Choose the breakpoint address for a program location, at the prompt and the command line."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.functions import full_function_name
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.errors import DwarfGpuError
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
from dwarfgpu.service.frame.focus import symbol_at
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import FramePosition, place_in

_OFFSET: Final = re.compile(r"[+-][0-9]+$")


@frozen
class BreakAddress:
    """One of the locations of a breakpoint."""

    pc: int
    function: str
    """The innermost function there, which may be inlined, in C++ with its parameters; `??`."""
    position: FramePosition | None
    """Its source line; None if it is unknown."""

    def __str__(self) -> str:
        """Return `nest at hip/nest.hip:14`."""
        source = self.position
        return self.function + ("" if source is None else f" at {source.file}:{source.line}")


def break_addresses(
    session: Session, text: str, around: FramePosition | None, options: Options
) -> tuple[BreakAddress, ...]:
    """Return the locations of a place, in the order of their addresses for a function, as GDB: of a
    line without code those of the next line that has code, and none in the prologue of a function.

    `around`: what a line without a file is in. `options` are those of the expression of `*ADDRESS`.
    `UsageError` with GDB's wording for a place that does not exist.
    """
    spot = spot_of(session, text, around, options)
    if spot.kind == "address":
        return tuple(BreakAddress(pc, function_at(session, pc), spot.position) for pc in spot.pcs)
    if spot.kind == "function":
        spots = spots_of(session, text, around, options)
        entries = {
            spot.pcs[0] if spot.is_call else body_of(session, spot.pcs[0]): spot.position
            for spot in spots
        }
        return tuple(_break_address(session, pc, entries[pc]) for pc in sorted(entries))
    begun = with_code(session, spot)
    if not begun.pcs:
        raise no_line(text, spot)
    bodies: dict[int, int] = {}
    for pc in begun.pcs:
        bodies.setdefault(after_prologue(session, pc), pc)
    return tuple(
        BreakAddress(pc, function_at(session, pc), begun.position)
        if pc == first
        else _break_address(session, pc, begun.position)
        for pc, first in bodies.items()
    )


def _break_address(session: Session, pc: int, otherwise: FramePosition | None) -> BreakAddress:
    line = line_at(session, pc)
    position = otherwise if line is None else place_in(line.file, line.line, is_start=True)
    return BreakAddress(pc, function_at(session, pc), position)


def function_at(session: Session, pc: int) -> str:
    """Return the innermost function at an address, or the symbol if no entry describes it."""
    for code_object in session.code_objects:
        if code_object.covers(pc):
            try:
                for scope in reversed(code_object.scopes.chain_at(pc)):
                    if scope.tag in FUNCTIONS:
                        return full_function_name(scope) or "??"
            except DwarfGpuError:
                return "??"
    return _OFFSET.sub("", symbol_at(session, pc) or "??")
