"""Location descriptions and the entries of the DWARF stack (AMD text A.2.5.3, A.2.5.4).

The storages that they name, composites with their parts among them, are in `storage`.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TypeAlias, assert_never

from dwarfgpu.base.argument_types import (
    names_wrong_arguments,
    refuse_wrong_field,
    require_right_arguments,
)
from dwarfgpu.base.arguments import FOREIGN, plain_integer, wrong_value
from dwarfgpu.base.base_type import BaseType, unsigned_type
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve, field, frozen, plain_fields
from dwarfgpu.errors import OutOfRange, UsageError, shown
from dwarfgpu.model.storage import (
    UNDEFINED,
    Composite,
    Implicit,
    ImplicitPointer,
    Memory,
    Part,
    Register,
    Repeated,
    Selected,
    Storage,
    Undefined,
)
from dwarfgpu.model.value import Value


@frozen
class SingleLocation:
    """A position within one location storage."""

    storage: Storage
    bit_offset: int = 0
    holder_bits: int | None = field(default=None, eq=False, repr=False)
    """Size in bits of the register or stack value that fills it, if the storage does not have
    one."""

    def __attrs_post_init__(self) -> None:
        if type(self.bit_offset) is not int or self.holder_bits is not None:
            plain_fields(self, "bit_offset", "holder_bits")

    @property
    def remaining_bits(self) -> int | None:
        """Bits from the position to the end of the storage; None if it has no end."""
        try:
            size_bits = self.storage.size_bits
            return None if size_bits is None else size_bits - self.bit_offset
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    @property
    def byte_address(self) -> int | None:
        """The address of a memory byte address location description, else None."""
        if isinstance(self.storage, Memory) and not self.bit_offset % 8:
            return self.bit_offset // 8
        return None

    def displaced(self, bits: int) -> SingleLocation:
        """Return the location moved by `bits`; `OutOfRange` outside the storage (A.2.5.4.4.1)."""
        try:
            storage, bit_offset = self.storage, self.bit_offset
            if type(bits) is not int:
                bits = plain_integer(bits)
            bit_offset += bits
            size_bits = storage.size_bits
            if size_bits is None:
                return self  # undefined storage has no offset: A.2.5.4.4.2
            if not 0 <= bit_offset < size_bits:
                raise OutOfRange(
                    f"bit offset {shown(bit_offset)} is outside the {size_bits} bits "
                    f"of {storage_name(storage)}"
                )
            return SingleLocation(storage, bit_offset)
        except FOREIGN:
            require_right_arguments(SingleLocation.displaced, self, bits)
            raise

    def low(self, size_bits: int) -> SingleLocation:
        """Return the low bits of a whole register or stack value; on a big-endian target, the last
        bits.

        Any other place stays as it is: docs/spec-notes.md.
        """
        try:
            if type(size_bits) is not int:
                size_bits = plain_integer(size_bits)
            holder_bits = self.holder_bits
            if holder_bits is None and isinstance(self.storage, Register) and not self.bit_offset:
                holder_bits = self.storage.size_bits
            if holder_bits is None or not 0 < size_bits < holder_bits:
                return self
            return self.displaced(holder_bits - size_bits)
        except FOREIGN:
            require_right_arguments(SingleLocation.low, self, size_bits)
            raise


@frozen
class Location:
    """A location description: one or more single locations that hold the same object."""

    single_locations: tuple[SingleLocation, ...]
    stop: int | None = field(default=None, eq=False, repr=False)
    """The target's stop at which it was made; None if it depends on no machine state."""

    def displaced(self, bits: int) -> Location:
        """Return every single location moved by `bits`; `OutOfRange` if any leaves its storage."""
        try:
            singles = self.single_locations
            if len(singles) == 1:
                return Location((singles[0].displaced(bits),), self.stop)
            self.require_single_locations()
            return Location(tuple([single.displaced(bits) for single in singles]), self.stop)
        except FOREIGN:
            require_right_arguments(Location.displaced, self, bits)
            raise

    def require_single_locations(self) -> None:
        """Raise `UsageError` for a location that is nowhere, not even undefined (A.2.5.3)."""
        try:
            if not self.single_locations:
                raise UsageError("Location.single_locations: expected at least one, not ()")
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    @property
    def remaining_bits(self) -> int | None:
        """rbss (A.2.5.4.4.6): the least remaining size of any single location; None if
        unbounded."""
        try:
            if len(self.single_locations) == 1:
                return self.single_locations[0].remaining_bits
            sizes = [single.remaining_bits for single in self.single_locations]
            return min((size for size in sizes if size is not None), default=None)
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    @names_wrong_arguments
    def in_register(self, holder_bits: int) -> Location:
        """Return the same location with each single location as a register of `holder_bits`
        bits."""
        singles = [
            single
            if single.holder_bits is not None or isinstance(single.storage, Undefined)
            else SingleLocation(single.storage, single.bit_offset, holder_bits)
            for single in self.single_locations
        ]
        return Location(tuple(singles), self.stop)

    def of_object(self, size_bits: int, endian: Endian) -> Location:
        """Return the location of an object here: in a wider register it is in the low bits, and so
        is each part of a composite."""
        try:
            if endian == "little":
                return self
            if endian != "big":
                raise wrong_value("endian", endian, "'little' or 'big'")
            singles = tuple([_low(single, size_bits) for single in self.single_locations])
            return self if singles == self.single_locations else Location(singles, self.stop)
        except FOREIGN:
            require_right_arguments(Location.of_object, self, size_bits, endian)
            raise

    @property
    def is_undefined(self) -> bool:
        """Whether every single location is undefined storage: the object is optimized out."""
        try:
            if len(self.single_locations) == 1:
                return isinstance(self.single_locations[0].storage, Undefined)
            return all(isinstance(single.storage, Undefined) for single in self.single_locations)
        except FOREIGN:
            refuse_wrong_field(self)
            raise


def _low(single: SingleLocation, size_bits: int) -> SingleLocation:
    """Return where an object is: in the low bits of a register, and so are parts of a composite."""
    if not isinstance(single.storage, Composite):
        return single.low(size_bits)
    parts = []
    for part in single.storage.parts:
        inner = [single.low(part.size_bits) for single in part.location.single_locations]
        parts.append(Part(Location(tuple(inner), part.location.stop), part.size_bits))
    return SingleLocation(evolve(single.storage, parts=tuple(parts)), single.bit_offset)


def single_location_in(location: Location | None) -> SingleLocation | None:
    """Return the only single location of a location; None for none and for several."""
    if location is None or len(location.single_locations) != 1:
        return None
    return location.single_locations[0]


@frozen
class ImplicitPointerValue:
    """The whole contents of an implicit pointer storage, on the stack (A.2.5.4.4.5)."""

    storage: ImplicitPointer
    type: BaseType

    @classmethod
    @names_wrong_arguments
    def of(cls, storage: ImplicitPointer, generic: BaseType) -> ImplicitPointerValue:
        """Return the value; its type is generic in the default address space, else an integral type
        of its size."""
        space = storage.space
        return cls(storage, generic if space.number == 0 else unsigned_type(space.address_bits))


@frozen(eq=False)
class IncompleteComposite:
    """An incomplete composite location description: only composite operations accept it.

    It is a chain, so that appending a part copies nothing.
    """

    part: Part
    before: IncompleteComposite | None = field(repr=False)
    count: int
    size_bits: int

    def completed(self) -> Location:
        """Return a complete composite of the same parts (DW_OP_LLVM_piece_end)."""
        parts: list[Part] = []
        link: IncompleteComposite | None = self
        while link is not None:
            parts.append(link.part)
            link = link.before
        parts.reverse()
        return composite(parts)


Entry: TypeAlias = Value | ImplicitPointerValue | Location | IncompleteComposite
"""What a stack entry can be."""

UNDEFINED_LOCATION = Location((SingleLocation(UNDEFINED),))


NARROWED = 8
"""Composites inside one another that `narrowed` looks through: a bound, so that it is cheap."""


def narrowed(location: Location, size_bits: int, bit_offset: int = 0) -> Location:
    """Return the location of `size_bits` bits from bit `at`, without enclosing composites.

    If a single part of a composite holds all of them, the result is in that part.
    """
    for _ in range(NARROWED):
        if len(location.single_locations) != 1 or size_bits == 0:
            break
        single = location.single_locations[0]
        storage, first = single.storage, single.bit_offset + bit_offset
        if isinstance(storage, Composite):
            index = bisect_right(storage.starts, first) - 1
            if index < 0:
                break
            part, start = storage.parts[index], storage.starts[index]
            inner, part_bits, within = part.location, part.size_bits, first - start
        elif isinstance(storage, Repeated):
            inner, part_bits = storage.part, storage.element_bits
            within = first % part_bits
            start = first - within
        elif isinstance(storage, Selected):
            part_bits, within = storage.element_bits, first
            index = first // part_bits
            inner = storage.one if storage.mask >> index & 1 else storage.zero
            start = index * part_bits
        else:
            break
        if first + size_bits > start + part_bits:
            break
        location, bit_offset = inner, within
    return location.displaced(bit_offset) if bit_offset else location


def selection(location: Location, mask: int, element_bits: int, count: int) -> Location:
    """Return the location without a selection if its elements in `mask` come from one location.

    A selection of the same elements that all come from one location becomes that location.
    """
    for _ in range(NARROWED):
        single = location.single_locations[0]
        storage = single.storage
        if (
            not isinstance(storage, Selected)
            or len(location.single_locations) != 1
            or single.bit_offset
            or (storage.element_bits, storage.count) != (element_bits, count)
        ):
            break
        selected = storage.mask & mask
        if selected not in (0, mask):
            break
        location = storage.one if selected else storage.zero
    return location


def composite(parts: list[Part]) -> Location:
    """Return a complete composite location description of the parts, at bit offset 0."""
    starts = (0, *accumulate([part.size_bits for part in parts]))
    storage = Composite(tuple(parts), starts[:-1], starts[-1])
    return Location((SingleLocation(storage),))


def storage_name(storage: Storage) -> str:
    """Return the storage in an error message."""
    match storage:
        case Memory():
            return f"{storage.space.name} memory"
        case Register():
            return f"register {storage.register}"
        case Implicit():
            return "an implicit value"
        case ImplicitPointer():
            return "an implicit pointer"
        case Undefined():
            return "undefined storage"
        case Composite() | Repeated() | Selected():
            return "a composite"
        case other:
            assert_never(other)
