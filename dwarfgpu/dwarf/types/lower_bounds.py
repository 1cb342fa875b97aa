"""Lower bounds of subranges (DWARF 5 5.13)."""

from __future__ import annotations

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die


def default_lower(die: Die) -> int | None:
    """Return the default lower bound of the language; None for a language without a known one.

    A unit without a language is treated as C.
    """
    language = die.unit.language
    if language is None or language in dw.LOWER_BOUND_ZERO:
        return 0
    return 1 if language in dw.LOWER_BOUND_ONE else None


def constant_lower(die: Die) -> int | None:
    """Return the lower bound of a subrange: the default of its language, which producers leave out
    (DWARF 5, 5.13), without the attribute; None if it is not known, or computed."""
    return die.integer(dw.AT_LOWER_BOUND) if die.has(dw.AT_LOWER_BOUND) else default_lower(die)
