"""Selections by a mask (DW_OP_LLVM_select_bit_piece) that are read one range for each location.

A vector register that is spilled under EXEC has a run of bits for each run of lanes. One range of
each location holds all of them, and the mask says which bits are whose.

Law: the result is the run-by-run reading of the same location, and nothing is read that this one
would not read.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.access.coalesced_reads import CoalescedReads, Run
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import frozen
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Memory, Register, Selected

MAX_BITS: Final = 8 * CoalescedReads.GAP_BYTES
"""Largest selection: the elements of a location are so close that they are fetched together."""
MAX_SPANS: Final = 16
"""Locations that selections of selections end in: frames of a deep stack had different masks."""
MAX_RUNS: Final = MAX_BITS * MAX_SPANS
"""More pieces than the run-by-run reading of any selection within both limits counts."""


@frozen
class Span:
    """The range of a location from the first to the last element that a selection takes of it."""

    run: Run
    first_bit: int
    """Where the range begins in the bits of the selection, as their integer has them."""
    taken: int
    """The mask of the bits that the selection takes, of its integer."""


def spans(
    location: Location, size_bits: int, endian: Endian, stop: int | None
) -> list[Span] | None:
    """Return the ranges, at least two, of a whole selection that has `size_bits`.

    None for any other object, and where reading it run by run raises or marks bits as unknown.
    """
    whole = location.single_locations[0].storage
    if type(whole) is not Selected or whole.size_bits != size_bits or size_bits > MAX_BITS:
        return None
    element_bits, count = whole.element_bits, whole.count
    out: list[Span] = []
    pending = [(location, (1 << count) - 1)]
    while pending:
        current, elements = pending.pop()
        if not elements:
            continue
        single = current.single_locations[0]
        storage = single.storage
        if len(current.single_locations) != 1 or current.stop not in (None, stop):
            return None
        if type(storage) is Selected:
            if single.bit_offset or (storage.element_bits, storage.count) != (element_bits, count):
                return None
            pending.append((storage.one, elements & storage.mask))
            pending.append((storage.zero, elements & ~storage.mask))
            continue
        if type(storage) is not Memory and type(storage) is not Register:
            return None
        first_bit = ((elements & -elements).bit_length() - 1) * element_bits
        end_bit = elements.bit_length() * element_bits
        if single.bit_offset + end_bit > storage.size_bits or len(out) == MAX_SPANS:
            return None
        start = SingleLocation(storage, single.bit_offset + first_bit)
        out.append(
            Span(
                Run((start,), end_bit - first_bit, stop),
                first_bit if endian == "little" else size_bits - end_bit,
                _bits_of(elements, count, element_bits, endian),
            )
        )
    return out if len(out) > 1 else None


def read_spans(ranges: list[Span], fetched: CoalescedReads) -> int | None:
    """Return the bits of a selection; None where a range is unreadable."""
    value = 0
    for span in ranges:
        single = span.run.single_locations[0]
        assert isinstance(single.storage, Memory | Register)
        bits = fetched.whole(single.storage, single.bit_offset, span.run.size_bits)
        if bits is None:
            return None
        value |= bits << span.first_bit & span.taken
    return value


@lru_cache(maxsize=256)
def _bits_of(elements: int, count: int, element_bits: int, endian: Endian) -> int:
    """Return the mask of the bits of some elements. All registers of a frame have the same."""
    digits = format(elements, f"0{count}b")
    if endian == "big":
        digits = digits[::-1]
    bits = {ord("0"): "0" * element_bits, ord("1"): "1" * element_bits}
    return int(digits.translate(bits), 2)
