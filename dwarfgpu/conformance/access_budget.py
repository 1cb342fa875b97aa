"""How much work the accesses of one case may be: each is short, and a case may have many."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from dwarfgpu.access.access_protocol import Access
from dwarfgpu.access.coalesced_reads import RunBudget
from dwarfgpu.base.limits import Limits
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.model.location import Location

_MOST: Final = 1 << 26
"""Bytes read and written by the accesses of a case: two seconds."""
_OF_A_PIECE: Final = 1 << 7
"""Bytes that are accessed in the time of a piece of storage."""
_OF_AN_ACCESS: Final = 1 << 12


class AccessBudget:
    """What is left for the accesses of a case."""

    def __init__(self) -> None:
        self.left = _MOST

    def begin(self) -> None:
        """Count an access; `LimitExceeded` where those before it were too much work."""
        self.left -= _OF_AN_ACCESS
        if self.left < 0:
            raise LimitExceeded(
                f"the accesses of the case are more work than to read {_MOST} bytes, where each "
                f"access counts as {_OF_AN_ACCESS} more, and each piece of storage as {_OF_A_PIECE}"
            )

    def count_object(self, access: Access, location: Location, size_bits: int) -> None:
        """Count the bytes of an object, and the pieces that it is in, as far as they are
        visited."""
        budget = RunBudget(Limits().runs)
        pending = [(location, size_bits)]
        with suppress(DwarfGpuError):  # the access itself has it
            while pending:
                for run in access.runs(*pending.pop(), budget):
                    if len(run.single_locations) > 1:
                        pending += [
                            (Location((single,), run.stop), run.size_bits)
                            for single in run.single_locations
                        ]
        pieces = budget.limit - max(budget.remaining, 0)
        self.count_bytes(size_bits // 8 + _OF_A_PIECE * pieces)

    def count_bytes(self, size_bytes: int) -> None:
        self.left -= size_bytes
