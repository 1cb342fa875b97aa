"""`--verify-places`: report single locations of one object that hold different bits."""

from __future__ import annotations

import contextlib
from typing import Final

from dwarfgpu.access.compare_single_locations import LocationFinding
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import EvaluationError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.evaluate import Result
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import is_compound
from dwarfgpu.service.answer import Answer
from dwarfgpu.session.session import Session
from dwarfgpu.view.location_text import location_text

MAX_COMPARED_BITS: Final = 1 << 20
"""Limit for a location of unknown size."""


def compared(session: Session, answer: Answer, result: Result | None = None) -> Answer:
    """Return the answer with the results of comparing the single locations, if enabled.

    `result`: of operations; the object at the location is read for it.
    """
    if session.comparison is None:
        return answer
    notes = _read_for_comparison(session.context(), result) if isinstance(result, Location) else []
    findings = [_finding_text(finding) for finding in session.comparison.take_findings()]
    if not findings and not notes:
        return answer
    status = max(answer.status, 1) if findings else answer.status
    return evolve(answer.with_notes((*answer.notes, *notes, *findings)), status=status)


def _finding_text(finding: LocationFinding) -> str:
    first = f"place {finding.index}, {_single_text(finding.single)},"
    if finding.earlier is None:
        return f"{first} cannot be read: {finding.reason}"
    second = f"place {finding.earlier_index}, {_single_text(finding.earlier)}"
    return f"{first} and {second}, hold different bits: the DWARF is ill-formed"


def _single_text(single: SingleLocation) -> str:
    return location_text(Location((single,)))


def _read_for_comparison(context: Context, result: Location) -> list[str]:
    """Read the object at a location result, so that its single locations are compared."""
    size_bits = result.remaining_bits
    singles = result.single_locations
    if size_bits is None or (len(singles) == 1 and not is_compound(singles[0].storage)):
        return []
    # A whole register or value is the object; from within one its extent is unknown.
    shortest = next(single for single in singles if single.remaining_bits == size_bits)
    if shortest.bit_offset or size_bits > MAX_COMPARED_BITS:
        return ["--verify-places: the object has no size here; name a variable"]
    with contextlib.suppress(EvaluationError):  # the location itself is the answer
        context.access.read(result, size_bits)
    return []
