"""Choose the breakpoint address for a program location, at the prompt and the command line."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.functions import full_function_name
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.linespec import (
    no_line,
    spot_of,
    spots_of,
    with_code,
)
from dwarfgpu.language.options import Options
from dwarfgpu.language.prologue import after_prologue, body_of, body_position
from dwarfgpu.service.frame.focus import symbol_at
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import FramePosition

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
        bodies = {
            spot.pcs[0] if spot.is_call else body_of(session, spot.pcs[0]): spot for spot in spots
        }
        return tuple(
            _break_address(session, pc, bodies[pc].pcs[0], bodies[pc].position, bodies[pc].name)
            for pc in sorted(bodies)
        )
    begun = with_code(session, spot)
    if not begun.pcs:
        raise no_line(text, spot)
    firsts: dict[int, int] = {}
    for pc in begun.pcs:
        firsts.setdefault(after_prologue(session, pc), pc)
    return tuple(
        _break_address(session, pc, first, begun.position, None) for pc, first in firsts.items()
    )


def _break_address(
    session: Session, pc: int, first: int, position: FramePosition | None, function: str | None
) -> BreakAddress:
    """Return the location for the code of a function or line that begins at `first`, at the
    position: another one after a prologue."""
    if pc != first:
        position = body_position(session, pc) or position
    return BreakAddress(pc, function or function_at(session, first), position)


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
