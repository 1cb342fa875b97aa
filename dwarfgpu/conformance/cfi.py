"""Cases about call frame instructions."""

from __future__ import annotations

from dwarfgpu.conformance.case import Case


def run(case: Case) -> tuple[str, str] | None:
    """Expected and got where they differ."""
    return ("call frame instructions", "not there yet")
