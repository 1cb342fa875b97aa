"""Objects in which an address space ends, with GDB's wording."""

from __future__ import annotations

from dwarfgpu.errors import Unavailable, counted
from dwarfgpu.language.typed_value import address_in
from dwarfgpu.model.location import Location, single_location_in, storage_name
from dwarfgpu.model.storage import Memory


def beyond_memory(
    location: Location | None, size_bits: int | None, skipped_bits: int = 0
) -> Unavailable | None:
    """Return the error of an object in which the address space ends; None if there is no such end
    in it. `skipped_bits`: how far its part is from its start."""
    address = unreachable_address(location, size_bits, skipped_bits)
    single = single_location_in(location)
    if address is None or single is None:
        return None
    assert isinstance(single.storage, Memory) and size_bits is not None
    object_of = "of the object " if skipped_bits else ""
    return Unavailable(
        f"Cannot access memory at address {address}: {counted((size_bits + 7) // 8, 'byte')} "
        f"{object_of}needed, {(single.storage.size_bits - single.bit_offset) // 8} to the end of "
        f"{storage_name(single.storage)}"
    )


def unreachable_address(
    location: Location | None, size_bits: int | None, skipped_bits: int = 0
) -> str | None:
    """Return the address of an object, or of its part, if the address space ends in the object."""
    single = single_location_in(location)
    size = size_bits or 0
    if single is None or not isinstance(single.storage, Memory) or not 0 <= skipped_bits <= size:
        return None
    storage, first = single.storage, single.bit_offset
    if first + size <= storage.size_bits:
        return None
    return address_in(storage.space, (first + skipped_bits) % storage.size_bits // 8)
