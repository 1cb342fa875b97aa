"""Location storages of the plain model, one bit at a time (AMD text A.2.5.3).

Every storage answers for one bit; a location description is a list of (storage, bit offset).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.model.plain_values import Fault, Open, Type, Value


@dataclass(frozen=True)
class Space:
    address_bits: int
    per_thread: bool = False
    per_lane: bool = False

    @property
    def size(self) -> int:
        return 8 << self.address_bits


@dataclass
class Machine:
    """All bits there are. A bit of memory that is absent cannot be read; so a register of None."""

    generic: Type
    endian: str
    spaces: dict[int, Space]
    register_types: dict[int, Type]
    registers: dict[int, list[int] | None]
    memory: dict[tuple[int, int | None], dict[int, int]]

    def largest(self) -> int:
        return max(space.size for space in self.spaces.values())


# Storages: `size` in bits, None for undefined storage, which has none.


@dataclass(frozen=True)
class Undefined:
    size: None = None


@dataclass(frozen=True)
class Memory:
    space: int
    lane: int | None
    size: int


@dataclass(frozen=True)
class Register:
    number: int
    size: int


@dataclass(frozen=True)
class Implicit:
    bits: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.bits)


@dataclass(frozen=True)
class Pointer:
    """An implicit pointer storage, and on the stack the value that is all of it."""

    die: int
    displacement: int
    space: int
    size: int


@dataclass(eq=False)
class Composite:
    """Parts: location, bits, and how many times the same part follows."""

    parts: list[tuple[Location, int, int]]
    complete: bool

    @property
    def size(self) -> int:
        return sum(bits * count for _, bits, count in self.parts)

    def find(self, bit: int) -> tuple[Location, int]:
        """The part location that holds a bit, and the bit's number in the part."""
        for location, bits, count in self.parts:
            if bit < bits * count:
                return location, bit % bits
            bit -= bits * count
        raise AssertionError(bit)


Storage = Undefined | Memory | Register | Implicit | Pointer | Composite


@dataclass(frozen=True)
class Place:
    storage: Storage
    offset: int

    def remaining(self) -> int | None:
        return None if self.storage.size is None else self.storage.size - self.offset


@dataclass(frozen=True)
class Location:
    places: tuple[Place, ...]

    def remaining(self) -> int | None:
        """rbss(L); None where every place is undefined."""
        sizes = [left for place in self.places if (left := place.remaining()) is not None]
        return min(sizes) if sizes else None

    def incomplete(self) -> Composite | None:
        storage = self.places[0].storage
        return storage if isinstance(storage, Composite) and not storage.complete else None

    def moved(self, bits: int) -> Location:
        """A.2.5.4.4.1; an undefined location description is left unchanged."""
        places = []
        for place in self.places:
            if place.storage.size is None:
                places.append(place)
            elif 0 <= place.offset + bits < place.storage.size:
                places.append(Place(place.storage, place.offset + bits))
            else:
                raise Fault("OutOfRange")
        return Location(tuple(places))


UNDEFINED = Location((Place(Undefined(), 0),))
Entry = Value | Pointer | Location


# Reading and writing.


def bits_of(data: bytes, endian: str) -> list[int]:
    """Bytes as bits in storage order."""
    order = range(8) if endian == "little" else range(7, -1, -1)
    return [byte >> n & 1 for byte in data for n in order]


def bits_of_number(number: int, size: int, endian: str) -> list[int]:
    bits = [number >> n & 1 for n in range(size)]
    return bits if endian == "little" else bits[::-1]


def number_of(bits: list[int], endian: str) -> int:
    ordered = bits if endian == "little" else bits[::-1]
    return sum(bit << n for n, bit in enumerate(ordered))


@dataclass(frozen=True)
class PointerBit:
    pointer: Pointer
    index: int


Bit = int | str | PointerBit
"""0, 1, "undefined", "unavailable", or a bit of an implicit pointer."""


def read_place(machine: Machine, place: Place, bit: int) -> Bit:
    """One bit, counted from the position of the place."""
    at = place.offset + bit
    match place.storage:
        case Undefined():
            return "undefined"
        case Memory(space, lane, size):
            if at >= size:
                raise Fault("OutOfRange")
            return machine.memory.get((space, lane), {}).get(at, "unavailable")
        case Register(number, size):
            if at >= size:
                raise Fault("OutOfRange")
            contents = machine.registers[number]
            return "unavailable" if contents is None else contents[at]
        case Implicit(bits):
            if at >= len(bits):
                raise Fault("OutOfRange")
            return bits[at]
        case Pointer() as pointer:
            if at >= pointer.size:
                raise Fault("OutOfRange")
            return PointerBit(pointer, at)
        case Composite() as composite:
            if at >= composite.size:
                raise Fault("OutOfRange")
            location, within = composite.find(at)
            return read_bit(machine, location, within)


def read_bit(machine: Machine, location: Location, bit: int) -> Bit:
    """Any place may be selected: one that has the bit, if any; contradictions are open."""
    result = {read_place(machine, place, bit) for place in location.places}
    known = result & {0, 1}
    if len(known) == 1 and not any(isinstance(what, PointerBit) for what in result):
        return known.pop()
    if len(result) > 1:
        raise Open
    return result.pop()


def read(machine: Machine, location: Location, size: int) -> list[Bit]:
    return [read_bit(machine, location, bit) for bit in range(size)]


def retrieve(machine: Machine, location: Location, size: int) -> int | Pointer:
    """The bits for DW_OP_deref_type: all of them, or a fault."""
    for place in location.places:
        left = place.remaining()
        if left is not None and left < size:
            raise Fault("OutOfRange")
    bits = read(machine, location, size)
    pointers = [bit for bit in bits if isinstance(bit, PointerBit)]
    faults = {"undefined": "UndefinedBits", "unavailable": "Unavailable"}
    result = {faults[bit] for bit in bits if isinstance(bit, str)}
    if pointers:
        pointer = pointers[0].pointer
        if bits == [PointerBit(pointer, n) for n in range(pointer.size)]:
            return pointer
        result.add("EvaluationError")
    if result:
        raise Fault(*result)
    return number_of([bit for bit in bits if isinstance(bit, int)], machine.endian)


def leaves(location: Location, bit: int) -> Iterator[tuple[Storage, int]]:
    """Where a bit really is: every place of it, composites resolved."""
    for place in location.places:
        if isinstance(place.storage, Composite):
            inner, within = place.storage.find(place.offset + bit)
            yield from leaves(inner, within)
        else:
            yield place.storage, place.offset + bit


def write(machine: Machine, location: Location, bits: list[int]) -> None:
    """To every place, or nothing."""
    faults = set()
    cells: dict[tuple[Storage, int], int] = {}
    for number, bit in enumerate(bits):
        for storage, at in leaves(location, number):
            if isinstance(storage, Undefined):
                faults.add("UndefinedBits")
            elif isinstance(storage, (Implicit, Pointer)):
                faults.add("EvaluationError")
            elif read_place(machine, Place(storage, at), 0) == "unavailable":
                faults.add("Unavailable")
            elif cells.setdefault((storage, at), bit) != bit:
                raise Open  # one bit of the machine, two bits of the object
    if faults:
        raise Fault(*faults)
    for (storage, at), bit in cells.items():
        if isinstance(storage, Memory):
            machine.memory[storage.space, storage.lane][at] = bit
        elif isinstance(storage, Register):
            contents = machine.registers[storage.number]
            assert contents is not None
            contents[at] = bit
