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
        named = symbol_at_address.name_and_offset(
            session.code_objects, address, is_mangled=session.is_mangled
        )
        if named is None or is_too_far(named[1], options):
            return None
        symbol = f"{named[0]}{named[1]:+}" if named[1] else named[0]
        position = position_at_address(session, address) if options.symbol_filename else None
        return symbol if position is None else f"{symbol} at {position.file}:{position.line}"

    return name


def is_too_far(offset: int, options: FormatOptions) -> bool:
    """Return whether an offset is one at which addresses are shown without their symbol."""
    return offset > (options.max_symbolic_offset or offset)
