"""The block whose variables an expression names, and the frame that executes in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from dwarfgpu import language
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.service.value.value_history import ValueHistory, options_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import blocks_at


def named_variables(session: Session, history: ValueHistory, text: str) -> tuple[Variable, ...]:
    """Return the variables that an expression names; up to an error, those before it."""
    named: list[Variable] = []
    options = options_of(session, history, writes=False)
    noting = evolve(options, looked_at=lambda variable, _: named.append(variable))
    with suppress(DwarfGpuError):
        language.type_of(text, session, noting)
    return tuple(named)


def block_of(session: Session, variables: Iterable[Variable]) -> Die | None:
    """Return the innermost block or function at the focus whose variables are among some; None
    where all are static."""
    blocks = blocks_at(session)
    local = [variable for variable in variables if variable.kind != "global"]
    around = [_block_around(variable.die, blocks) for variable in local]
    return min(
        around,
        key=lambda block: blocks.index(block) if block in blocks else len(blocks),
        default=None,
    )


def _block_around(variable: Die, blocks: Sequence[Die]) -> Die | None:
    """Return the block of a variable among those at the focus, whose variables may be described in
    an abstract instance; else its function."""
    by_declaration = {declaration_of(block): block for block in reversed(blocks)}
    around = variable.parent()
    while around is not None:
        block = by_declaration.get(declaration_of(around))
        if block is not None or around.tag in FUNCTIONS:
            return block or around
        around = around.parent()
    return None


def frame_in_block(session: Session, block: Die) -> Session | None:
    """Return the session in the function of a block: the focus, or a frame into which it is
    inlined; None where the focus is outside of the block."""
    blocks = blocks_at(session)
    if block not in blocks:
        return None
    inside = blocks[: blocks.index(block)]
    inlined = sum(block.tag in FUNCTIONS for block in inside)
    if not inlined:
        return session
    try:
        return session.at_level(session.level, session.inline_level + inlined)
    except DwarfGpuError:
        return None
