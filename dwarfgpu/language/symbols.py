"""Addresses by the symbols of a session's code objects, as GDB shows them beside pointers."""

from __future__ import annotations

from dwarfgpu.dwarf import symbols
from dwarfgpu.session import Session


def symbol_text(session: Session, address: int) -> str | None:
    """`g`, `g+40`; None outside the sections of all code objects and past a symbol's end."""
    return symbols.symbol_text(session.code_objects, address)
