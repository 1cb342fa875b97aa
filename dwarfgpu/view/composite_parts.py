"""The parts of a composite, in order, for every form of storage.

Law: neighbours are compared by the storage objects themselves, never by their contents, so that the
cost is proportional to the visited part of a location.
"""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.records import frozen
from dwarfgpu.model.location import (
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
    SingleLocation,
)
from dwarfgpu.model.storage import Composite, Compound, Repeated, Selected, Undefined
from dwarfgpu.model.value import Value


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
    """Return whether two single locations are in one storage; composites are compared by identity
    only."""
    if a.storage is b.storage:
        return True
    if isinstance(a.storage, Compound) or isinstance(b.storage, Compound):
        return False
    return a.storage == b.storage


class UndefinedParts:
    """Finds undefined storage in stack entries, of all depths; what entries share is searched once.

    Law: the result for a composite never changes, and it is kept together with the composite, so
    that its identity is not another one's.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Compound | IncompleteComposite, bool]] = {}

    def are_in(self, entry: Entry) -> bool:
        """Return whether any part is undefined storage, of a bit at least."""
        if isinstance(entry, Value | ImplicitPointerValue):
            return False
        if isinstance(entry, IncompleteComposite):
            return self._are_in_incomplete(entry)
        return self._are_at(entry)

    def _are_in_incomplete(self, entry: IncompleteComposite) -> bool:
        links: list[IncompleteComposite] = []
        link: IncompleteComposite | None = entry
        while link is not None and id(link) not in self._known:
            links.append(link)
            link = link.before
        known = link is not None and self._known[id(link)][1]
        for new in reversed(links):
            known = known or (new.part.size_bits > 0 and self._are_at(new.part.location))
            self._known[id(new)] = new, known
        return known

    def _are_at(self, location: Location) -> bool:
        pending: list[Compound] = []
        result = self._of_single_locations(location, pending)
        while result is None:
            storage = pending[-1]
            if id(storage) in self._known:
                pending.pop()
            else:
                inner = [
                    self._of_single_locations(part, pending) for part in _inner_locations(storage)
                ]
                if any(inner) or None not in inner:
                    self._known[id(storage)] = storage, any(inner)
            if not pending:
                result = self._of_single_locations(location, pending)
        return result

    def _of_single_locations(self, location: Location, pending: list[Compound]) -> bool | None:
        """Return the result as far as it is known; None if composites have been added to
        `pending`."""
        result: bool | None = False
        for single in location.single_locations:
            storage = single.storage
            if isinstance(storage, Undefined):
                return True
            if isinstance(storage, Composite | Repeated | Selected):
                known = self._known.get(id(storage))
                if known is None:
                    pending.append(storage)
                    result = None
                elif known[1]:
                    return True
        return result


def _inner_locations(storage: Compound) -> Iterator[Location]:
    """Yield the locations of the parts that have any bits."""
    match storage:
        case Composite(parts=parts):
            yield from (part.location for part in parts if part.size_bits)
        case Repeated(part=part):
            yield part
        case Selected(mask=mask, one=one, zero=zero, count=count):
            everything = (1 << count) - 1
            if mask & everything:
                yield one
            if ~mask & everything:
                yield zero
