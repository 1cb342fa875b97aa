"""Vector registers whose DWARF number names all of their width.

The numbers 17 to 32 and 67 to 82 of x86-64 are "Vector Registers 0-15" and "16-31" (System V psABI,
"DWARF register number mapping"): xmm to an object of at most 128 bits, ymm or zmm to a larger one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from dwarfgpu.arch.model import Architecture, PseudoRegister
from dwarfgpu.base.records import evolve
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, SingleLocation, composite
from dwarfgpu.model.storage import Composite, Memory, Part, Register


@lru_cache(maxsize=16)
def wider_registers(architecture: Architecture) -> dict[int, tuple[PseudoRegister, ...]]:
    """Return the pseudo registers that begin with a whole register and go on after it, the smallest
    first, by the DWARF number of that register."""
    wider: dict[int, tuple[PseudoRegister, ...]] = {}
    pseudo_registers = architecture.pseudo_registers.values()
    for pseudo in sorted(pseudo_registers, key=lambda pseudo: pseudo.type.bit_size):
        if not pseudo.pieces:
            continue
        register, first_bit, size_bits = pseudo.pieces[0]
        is_whole = not first_bit and size_bits == register.size_bits < pseudo.type.bit_size
        if is_whole and register.number is not None:
            wider[register.number] = (*wider.get(register.number, ()), pseudo)
    return wider


def register_name(
    architecture: Architecture, number: int, object_bits: Callable[[], int | None] | None = None
) -> str | None:
    """Return the name of the register of a DWARF number; None if there is none.

    `object_bits` returns the size of the object in it, if that is known; it is called where the
    name depends on it.
    """
    register = architecture.registers.get(number)
    if register is None:
        return None
    if object_bits is None or number not in wider_registers(architecture):
        return register.name
    size_bits = object_bits() or 0
    is_within = size_bits <= register.size_bits
    pseudo = None if is_within else _holding(architecture, number, size_bits)
    return register.name if pseudo is None else pseudo.name


def in_wide_register(
    architecture: Architecture | None, location: Location, size_bits: int
) -> Location:
    """Return the location of the first `size_bits` bits from a location on: where that is in a
    register which ends before, and is the beginning of a wider one, in this one.

    What memory holds of a vector register of an outer frame is the narrow one: the call frame
    information gives no size, and the psABI preserves none of it. The rest is undefined.
    """
    if architecture is None or len(location.single_locations) != 1:
        return location
    single = location.single_locations[0]
    storage = single.storage
    if not wider_registers(architecture):
        return location
    if isinstance(storage, Memory) and single.holder_bits is not None:
        rest_bits = size_bits - single.holder_bits
        if rest_bits <= 0:
            return location
        return composite([Part(location, single.holder_bits), Part(UNDEFINED_LOCATION, rest_bits)])
    if not isinstance(storage, Register) or storage.register.number is None:
        return location
    first_bit = single.bit_offset
    if first_bit + size_bits <= storage.size_bits:
        return location
    pseudo = _holding(architecture, storage.register.number, first_bit + size_bits)
    if pseudo is None:
        return location
    parts = [
        Part(
            Location((SingleLocation(evolve(storage, register=register), first),), location.stop),
            part_bits,
        )
        for register, first, part_bits in pseudo.pieces
    ]
    whole = composite(parts).single_locations[0].storage
    assert isinstance(whole, Composite)
    named = evolve(whole, register=pseudo.name)
    return Location((SingleLocation(named, first_bit),), location.stop)


def _holding(architecture: Architecture, number: int, size_bits: int) -> PseudoRegister | None:
    """Return the smallest of the wider registers with that many bits."""
    wider = wider_registers(architecture).get(number, ())
    return next((pseudo for pseudo in wider if size_bits <= pseudo.type.bit_size), None)
