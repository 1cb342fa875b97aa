"""Why memory cannot be read, in GDB's wording."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.machine.sparse_memory import NO_MEMORY, NOT_IN_STATE, UNMAPPED

NOTHING_THERE: Final = (NOT_IN_STATE, UNMAPPED, NO_MEMORY)
"""Reasons that say no more than that memory cannot be accessed."""
_OF_LANE: Final = pattern(
    r"(?P<address>\w+#\w+) of lane (?P<lane>[0-9]+): cannot access memory at address "
    r"(?P<inner>[\w#]+): (?P<why>.*)",
    re.DOTALL,
)
_ELSEWHERE: Final = pattern(
    r"(?P<address>\w+#\w+): cannot access memory at address (?P<inner>[\w#]+): (?P<why>.*)",
    re.DOTALL,
)


def no_access(reason: str) -> str:
    """Return a reason as an error of its own, with GDB's wording: the first requested address."""
    match = _OF_LANE.fullmatch(reason)
    plain = _ELSEWHERE.fullmatch(reason)
    if match is None and plain is not None:
        message = f"Cannot access memory at address {plain['address']}"
        return f"{message}: it is {plain['inner']}: {plain['why']}"
    if match is None:
        return reason[:1].upper() + reason[1:]
    message = f"Cannot access memory at address {match['address']}"
    return f"{message}: of lane {match['lane']} it is {match['inner']}: {match['why']}"
