"""Answers with where their lane stands."""

from __future__ import annotations

from attrs import evolve

from dwarfgpu.errors import InconsistentContext
from dwarfgpu.service.answer import Answer
from dwarfgpu.session.session import Session
from dwarfgpu.view.position import lane_position


def positioned(session: Session, found: Answer) -> Answer:
    """The answer for a lane; of one that is inactive, with where it stands."""
    if isinstance(found.error, InconsistentContext):
        return found  # the wave has no such lane
    note = lane_position(session)
    if note is None:
        return found
    return with_notes(found, (note, *found.notes))


def with_notes(found: Answer, notes: tuple[str, ...]) -> Answer:
    return evolve(found, notes=notes, record={**found.record, "notes": [*notes]})
