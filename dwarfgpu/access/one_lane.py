"""Access to the bits of a location for one lane, through the verbs of its target.

Law: this is the definition; access for many lanes (`dwarfgpu.access.many_lanes`) gives each of
them the same bits.
"""

from __future__ import annotations

from operator import index
from typing import Final

from dwarfgpu.access.coalesced_reads import CoalescedReads, Run, RunBudget
from dwarfgpu.access.exact_reads import exact_bytes
from dwarfgpu.access.location_access import PLAIN_LEVELS, LocationAccess
from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import FOREIGN
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.target import Sparse, Target
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Composite, Implicit, Memory, Register, Selected

PIECES: Final = 16
"""Pieces of one composite that are read without what partly known bits need."""


@frozen
class ScalarAccess(LocationAccess):
    """Access for one lane: integers are plain Python integers."""

    def _fetch(self, storage: Memory | Register, bit_offset: int, size_bits: int) -> int:
        return self._fetch_same(storage, bit_offset, size_bits)

    def read_bytes(self, location: Location, size_bytes: int) -> bytes:
        """Return the bytes of an object; `UndefinedBits` or `Unavailable` unless all are known.

        Whole bytes of one register or memory, or of several in pieces, are asked of the target at
        once.
        """
        try:
            if type(size_bytes) is not int:
                size_bytes = index(size_bytes)
            target, singles, stop = self.target, location.single_locations, location.stop
            if (
                target is not None
                and len(singles) == 1
                and (stop is None or stop == target.stop)
                and 0 <= size_bytes <= self.read_bytes_limit
            ):
                single = singles[0]
                storage, first_bit = single.storage, single.bit_offset
                if type(storage) is Register:
                    register = storage.register
                    if not first_bit & 7 and first_bit + 8 * size_bytes <= register.size_bits:
                        data = target.read_register(
                            storage.wave, register, first_bit >> 3, size_bytes
                        )
                        if type(data) is not bytes or len(data) != size_bytes:
                            return exact_bytes(target, data, size_bytes)
                        return data
                elif type(storage) is Memory:
                    if not first_bit & 7 and first_bit + 8 * size_bytes <= storage.size_bits:
                        data = target.read_memory(storage, first_bit >> 3, size_bytes)
                        if type(data) is not bytes or len(data) != size_bytes:
                            return exact_bytes(target, data, size_bytes)
                        return data
                elif type(storage) is Composite:
                    pieces = self._pieces(target, storage, first_bit, size_bytes)
                    if pieces is not None:
                        return pieces
                elif (
                    type(storage) is Implicit
                    and 8 * size_bytes == storage.size_bits
                    and not first_bit
                ):
                    return storage.bits.to_bytes(size_bytes, self.endian)
            return super().read_bytes(location, size_bytes)
        except FOREIGN:
            require_right_arguments(ScalarAccess.read_bytes, self, location, size_bytes)
            raise

    def _pieces(
        self, target: Target, whole: Composite, first_bit: int, size_bytes: int
    ) -> bytes | None:
        """Return the bytes of a composite of whole bytes of different registers and memories.

        None for anything else, and where a byte cannot be read: `runs` has the reason.
        """
        left_bits = 8 * size_bytes
        if first_bit or left_bits > whole.size_bits or len(whole.parts) > PIECES:
            return None
        if self.runs_limit < (1 + PIECES) * PLAIN_LEVELS:
            return None  # the pieces within pieces have to be counted
        stop = target.stop
        names: list[str] = []
        loads: list[tuple[Memory | Register, int, int]] = []
        for part in whole.parts:
            if not left_bits:
                break
            location, size_bits = part.location, part.size_bits
            if size_bits > left_bits:
                size_bits = left_bits
            single = location.single_locations[0]
            storage, first = single.storage, single.bit_offset
            if (
                type(storage) is not Register
                or first + size_bits > storage.register.size_bits
                or len(location.single_locations) != 1
                or location.stop != stop
            ):
                plain = self._plain(location, size_bits)
                if plain is None:
                    return None
                storage, first = plain
            name = (storage.register if isinstance(storage, Register) else storage.space).name
            if name in names or first & 7 or size_bits & 7:
                return None  # what is in one memory is read together
            names.append(name)
            loads.append((storage, first, size_bits >> 3))
            left_bits -= size_bits
        try:
            return b"".join([_loaded(target, *of_part) for of_part in loads])
        except Unavailable:
            return None

    def _read(self, location: Location, size_bits: int, budget: RunBudget) -> Bits:
        if type(location.single_locations[0].storage) is Selected:
            bits = self._read_selection(location, size_bits, budget)
            if bits is not None:
                return bits
        return super()._read(location, size_bits, budget)

    def _read_selection(self, location: Location, size_bits: int, budget: RunBudget) -> Bits | None:
        """Return a whole selection of registers and memory; None for any other object."""
        from dwarfgpu.access.selected_reads import MAX_RUNS, read_spans, spans  # few commands

        stop = None if self.target is None else self.target.stop
        location_spans = spans(location, size_bits, self.endian, stop)
        if location_spans is None or budget.remaining < MAX_RUNS:
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


def _loaded(target: Target, storage: Register | Memory, first_bit: int, size_bytes: int) -> bytes:
    """Return whole bytes of a register or of memory; `Unavailable` unless all are known."""
    if type(storage) is Register:
        data = target.read_register(storage.wave, storage.register, first_bit >> 3, size_bytes)
    else:
        assert type(storage) is Memory
        data = target.read_memory(storage, first_bit >> 3, size_bytes)
    if type(data) is not bytes or len(data) != size_bytes:
        return exact_bytes(target, data, size_bytes)
    return data
