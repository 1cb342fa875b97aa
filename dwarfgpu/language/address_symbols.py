"""Express addresses by a session's code object symbols, as GDB shows them beside pointers."""

from __future__ import annotations

from functools import partial

from dwarfgpu.dwarf.scope import symbol_at_address
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import position_at_address
from dwarfgpu.view.format_options import FormatOptions, Symbolize


def symbol_text(session: Session, address: int) -> str | None:
    """Return `g` or `g+40`; None outside the sections of all code objects, and past the end of a
    symbol."""
    return symbol_at_address.symbol_text(
        session.code_objects, address, is_mangled=session.is_mangled
    )


def symbolizer(session: Session, options: FormatOptions) -> Symbolize:
    """Return how addresses are named: `g+40`, `f+12 at a.c:7`, or not at all far behind their
    symbol."""
    if options.max_symbolic_offset is None and not options.symbol_filename:
        return partial(symbol_text, session)

    def name(address: int) -> str | None:
        symbol = symbol_at_address.symbol_covering(session.code_objects, address)
        if symbol is None or symbol.offset > (options.max_symbolic_offset or symbol.offset):
            return None
        position = position_at_address(session, address) if options.symbol_filename else None
        return str(symbol) if position is None else f"{symbol} at {position.file}:{position.line}"

    return name
