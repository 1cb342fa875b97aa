"""What DWARF 6 changes in the plain model, written from its public texts (docs/dwarf6.md).

A scenario stays in the names of the AMD text: `LLVM_nop` stands where DWARF 6 has `composite`, and
`LLVM_piece_end` does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.model import plain_locations, plain_operations
from tests.model.plain_locations import displacement, fits, grown
from tests.model.plain_model import OPERATIONS, Machinery, Operation
from tests.model.plain_storage import (
    UNDEFINED,
    Composite,
    Entry,
    Implicit,
    Location,
    Place,
    Register,
    Undefined,
)
from tests.model.plain_values import Fault, Value

AMD: dict[str, Operation] = dict(OPERATIONS)


@dataclass(frozen=True)
class SizedUndefined(Undefined):
    """Section 3.9: undefined storage of the size of the largest memory address space."""

    size: int  # type: ignore[assignment]


def undefined(m: Machinery) -> None:
    m.push(Location((Place(SizedUndefined(m.machine.largest()), 0),)))


def composite(m: Machinery) -> None:
    m.push(Location((Place(Composite([], True), 0),)))


def nothing(m: Machinery) -> None:
    pass


def whole(entry: Entry) -> Composite | None:
    """The composite that an entry is a location in."""
    if not isinstance(entry, Location) or len(entry.places) != 1:
        return None
    storage = entry.places[0].storage
    return storage if isinstance(storage, Composite) else None


def piece(m: Machinery) -> None:
    """Section 3.12, its rules in their order."""
    size = m.numbers()[0] * (8 if m.op.name == "piece" else 1)
    if not m.stack:
        m.stack += [Location((Place(Composite([], True), 0),)), UNDEFINED]
    elif len(m.stack) == 1 and whole(m.stack[0]) is not None:
        m.stack.append(UNDEFINED)
    elif len(m.stack) == 1:
        m.stack.insert(0, Location((Place(Composite([], True), 0),)))
    if whole(m.stack[-2]) is None:
        raise Fault("IllFormed")
    part = m.pop_location()
    base = m.stack.pop()
    assert isinstance(base, Location)
    before = base.places[0].storage
    assert isinstance(before, Composite)
    if m.op.name == "bit_piece":
        part = from_bit(m, part, m.numbers()[1], size)
    fits(part, size)
    after = Composite([*before.parts, (part, size, 1)], True)
    grown(m, after)
    m.push(Location((Place(after, base.places[0].offset),)))


def from_bit(m: Machinery, location: Location, by: int, size: int) -> Location:
    """The offset of DW_OP_bit_piece, which depends on the kind of location."""
    places = []
    for place in location.places:
        match place.storage:
            case Undefined():
                moved = place
            case Register() | Implicit() if m.machine.endian == "big":
                left = place.remaining()
                assert left is not None
                if by + size > left:
                    raise Fault("IllFormed")
                moved = replace(place, offset=place.offset + left - by - size)
            case _:
                moved = Location((place,)).moved(by).places[0] if by else place
        places.append(moved)
    return Location(tuple(places))


def overlay(m: Machinery) -> None:
    """Issue 251120.1, section 3.12.2: bit by bit, what each of the result's bits is."""
    scale = 8 if m.op.name == "LLVM_overlay" else 1
    width, offset, over, base = m.take("integral", "integral", "location", "location")
    assert isinstance(width, Value) and isinstance(offset, Value)
    assert isinstance(over, Location) and isinstance(base, Location)
    count, by = displacement(width) * scale, displacement(offset) * scale
    if len(base.places) != 1:
        raise Fault("Unsupported", "IllFormed")
    place = base.places[0]
    size = m.machine.largest() if place.storage.size is None else place.storage.size
    begin = place.offset + by
    if count < 0 or begin < 0:
        raise Fault("IllFormed")
    if count == 0 and begin <= size:
        m.push(base)
        return
    fits(over, count)
    parts = [(Location((Place(place.storage, 0),)), min(begin, size), 1)]
    parts.append((UNDEFINED, max(begin - size, 0), 1))
    parts.append((over, count, 1))
    end = begin + count
    if end < size:
        parts.append((Location((Place(place.storage, end),)), size - end, 1))
    made = Composite([part for part in parts if part[1]], True)
    grown(m, made)
    m.push(Location((Place(made, place.offset),)))


def deref_size(m: Machinery) -> None:
    """Section 3.13: at most the generic type."""
    if m.stack and 8 * m.numbers()[0] > m.generic.bits:
        m.pop_location()
        raise Fault("IllFormed")
    AMD["deref_size"](m)


def call(m: Machinery) -> None:
    """Section 3.15: without DW_AT_location there is no effect."""
    unit = m.unit()
    (offset,) = m.numbers()
    die = unit.dies.get(offset if m.op.name == "call_ref" else offset + unit.offset)
    if die is None or die.constant is None:
        plain_operations.call(m)


DWARF6: dict[str, Operation] = {
    "LLVM_undefined": undefined,
    "LLVM_nop": composite,
    "LLVM_piece_end": nothing,
    "piece": piece,
    "bit_piece": piece,
    "LLVM_overlay": overlay,
    "LLVM_bit_overlay": overlay,
    "deref_size": deref_size,
    "call2": call,
    "call4": call,
    "call_ref": call,
}
"""The operations that mean something else."""
assert plain_locations.piece is AMD["piece"]
