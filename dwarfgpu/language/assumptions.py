"""Assumptions on which the value of an expression depends."""

from __future__ import annotations

from collections.abc import Iterable

from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.session.session import Session


def assumptions(session: Session, variables: Iterable[Variable]) -> tuple[str, ...]:
    """Return the assumptions about the descriptions of variables, once each; reads nothing."""
    notes = (note for variable in variables for note in session.notes_on(variable))
    return tuple(dict.fromkeys(notes))
