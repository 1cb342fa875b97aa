"""Access to the bits of a location for one lane, through the verbs of its target.

Law: this is the definition; access for many lanes (`dwarfgpu.access.many_lanes`) gives each of
them the same bits.
"""

from __future__ import annotations

from dwarfgpu.access.coalesced_reads import CoalescedReads, Run, RunBudget
from dwarfgpu.access.location_access import LocationAccess
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.machine.target import Sparse
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory, Register, Selected


@frozen
class ScalarAccess(LocationAccess):
    """Access for one lane: integers are plain Python integers."""

    def _fetch(self, storage: Memory | Register, bit_offset: int, size_bits: int) -> int:
        return self._fetch_same(storage, bit_offset, size_bits)

    def _read(self, location: Location, size_bits: int, budget: RunBudget) -> Bits:
        if type(location.singles[0].storage) is Selected:
            bits = self._read_selection(location, size_bits, budget)
            if bits is not None:
                return bits
        return super()._read(location, size_bits, budget)

    def _read_selection(self, location: Location, size_bits: int, budget: RunBudget) -> Bits | None:
        """Return a whole selection of registers and memory; None for any other object."""
        from dwarfgpu.access.selected_reads import MAX_RUNS, read_spans, spans  # few commands

        stop = None if self.target is None else self.target.stop
        location_spans = spans(location, size_bits, self.endian, stop)
        if location_spans is None or budget.left < MAX_RUNS:
            return None
        self._require_size(size_bits)
        fetched = self._coalesced([span.run for span in location_spans], budget)
        value = read_spans(location_spans, fetched)
        if value is not None:
            return Bits(value, size_bits)
        return self._read_runs([*self.runs(location, size_bits, budget)], budget, fetched)

    def _coalesced(self, runs: list[Run], budget: RunBudget) -> CoalescedReads:
        return CoalescedReads(self.load, self.endian, runs, budget, self._is_unreadable)

    def _is_unreadable(self, where: Memory, address: int, size_bytes: int) -> bool:
        """Return whether the target says at once that no byte of a range can be read."""
        target = self.target
        return isinstance(target, Sparse) and target.is_unreadable(where, address, size_bytes)
