"""Access to the bits of a location for one lane, through the verbs of its target.

Law: this is the definition; access for many lanes (`dwarfgpu.access.many_lanes`) gives each of
them the same bits.
"""

from __future__ import annotations

from dwarfgpu.access.coalesced_reads import CoalescedReads, Fetch, Run, RunBudget
from dwarfgpu.access.location_access import LocationAccess
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.machine.target import Sparse
from dwarfgpu.model.storage import Memory, Register


@frozen
class ScalarAccess(LocationAccess):
    """Access for one lane: integers are plain Python integers."""

    def _fetch(self, storage: Memory | Register, bit_offset: int, size_bits: int) -> int:
        return self._fetch_same(storage, bit_offset, size_bits)

    def _coalesced(self, runs: list[Run], budget: RunBudget) -> Fetch:
        return CoalescedReads(self.load, self.endian, runs, budget, self._is_unreadable)

    def _is_unreadable(self, where: Memory, address: int, size_bytes: int) -> bool:
        """Return whether the target says at once that no byte of a range can be read."""
        target = self.target
        return isinstance(target, Sparse) and target.is_unreadable(where, address, size_bytes)
