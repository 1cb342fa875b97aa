"""The parts of a composite, in order, for every form of storage.

Law: neighbours are compared by the storage objects themselves, never by their contents, so that the
cost is proportional to the visited part of a location.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.model.location import (
    Entry,
    ImplicitPointerValue,
    Location,
    PartialComposite,
    SingleLocation,
)
from dwarfgpu.model.storage import Composite, Compound, Repeated, Selected, Undefined
from dwarfgpu.model.value import Value

SEARCHED: Final = 10_000
"""Maximum number of parts of composites to search for undefined ones; beyond, nothing is
reported."""


@frozen(eq=False)
class DistinctPart:
    """`count` equal parts of a composite, one after the other."""

    location: Location
    size_bits: int
    """The size in bits of each part."""
    count: int


def distinct_parts(storage: Compound) -> Iterator[DistinctPart]:
    """Yield the parts in order, equal neighbours as one; lazily, because there may be 2**60 of
    them."""
    last: DistinctPart | None = None
    for part in _parts(storage):
        if last is None:
            last = part
        elif last.size_bits == part.size_bits and _is_same_part(last.location, part.location):
            last = DistinctPart(last.location, last.size_bits, last.count + part.count)
        else:
            yield last
            last = part
    if last is not None:
        yield last


def part_count(storage: Compound) -> int:
    """Return the number of parts, equal ones each."""
    return len(storage.parts) if isinstance(storage, Composite) else storage.count


def _parts(storage: Compound) -> Iterator[DistinctPart]:
    match storage:
        case Repeated():
            yield DistinctPart(storage.part, storage.element_bits, storage.count)
        case Composite():
            for part in storage.parts:
                yield DistinctPart(part.location, part.size_bits, 1)
        case Selected():
            yield from _selected(storage)


def _selected(storage: Selected) -> Iterator[DistinctPart]:
    """Yield each element as its own part, at its own location, unless it is undefined."""
    index, size = 0, storage.element_bits
    while index < storage.count:
        chosen, count = chosen_run(storage, index)
        if chosen.is_undefined:
            yield DistinctPart(chosen, size, count)
            index += count
            continue
        for element in range(index, index + count):
            yield DistinctPart(moved(chosen, element * size), size, 1)
        index += count


def chosen_run(storage: Selected, index: int) -> tuple[Location, int]:
    """Return the source of an element, and the number of consecutive elements from that source."""
    lanes = storage.mask >> index
    is_one = lanes & 1
    if is_one:
        lanes = ~lanes
    limit = storage.count - index
    count = (lanes & -lanes).bit_length() - 1 if lanes else limit
    return (storage.one if is_one else storage.zero), min(count, limit)


def moved(location: Location, bits: int) -> Location:
    """Return the location moved by `bits` without a check, for display."""
    return Location(
        tuple(
            single
            if isinstance(single.storage, Undefined)
            else SingleLocation(single.storage, single.bit_offset + bits)
            for single in location.single_locations
        ),
        location.stop,
    )


def _is_same_part(a: Location, b: Location) -> bool:
    if a is b:
        return True
    return len(a.single_locations) == len(b.single_locations) and all(
        left.bit_offset == right.bit_offset and is_same_storage(left, right)
        for left, right in zip(a.single_locations, b.single_locations, strict=True)
    )


def is_same_storage(a: SingleLocation, b: SingleLocation) -> bool:
    """Return whether two places are in one storage; composites are compared by identity only."""
    if a.storage is b.storage:
        return True
    if isinstance(a.storage, Compound) or isinstance(b.storage, Compound):
        return False
    return a.storage == b.storage


def is_undefined_somewhere(entry: Entry) -> bool:
    """Return whether any examined part is undefined storage."""
    if isinstance(entry, Value | ImplicitPointerValue):
        return False
    if isinstance(entry, PartialComposite):
        link: PartialComposite | None = entry
        for _ in range(SEARCHED):
            if link is None:
                return False
            if is_undefined_somewhere(link.part.location):
                return True
            link = link.before
        return False
    pending, visited = [entry], 0
    while pending and visited < SEARCHED:
        location = pending.pop()
        visited += 1
        for single in location.single_locations:
            match single.storage:
                case Undefined():
                    return True
                case Composite(parts=parts):
                    pending.extend(part.location for part in parts[: SEARCHED - visited])
                case Repeated(part=part):
                    pending.append(part)
                case Selected(mask=mask, one=one, zero=zero, count=count):
                    everything = (1 << count) - 1
                    pending.extend([one] if mask & everything else [])
                    pending.extend([zero] if ~mask & everything else [])
                case _:
                    pass
    return False
