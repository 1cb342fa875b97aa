"""Addresses of the generic address space, which is memory of several others ("Address Spaces" of
the AMDGPU usage)."""

from __future__ import annotations

from dwarfgpu.arch.model import AddressSpace, Apertures, Architecture
from dwarfgpu.errors import DwarfGpuError


def actual_address(
    arch: Architecture, space: AddressSpace, address: int, lane: int | None, apertures: Apertures
) -> tuple[AddressSpace, int]:
    """Return an address in its actual space: a generic address is in an aperture or in global
    memory.

    Other spaces, and generic null, stay as they are.
    """
    generic = arch.address_space_named("generic")
    if generic is None or space is not generic or not address:
        return (arch.address_space(0), 0) if space is generic else (space, address)
    everywhere, local = arch.address_space(0), arch.address_space_named("local")
    private = arch.address_space_named("private_lane")
    assert local is not None and private is not None
    for definition in (local, everywhere):
        try:
            converted, _ = arch.convert(address, generic.number, definition.number, lane, apertures)
        except DwarfGpuError:
            continue
        if definition is local or converted == address:
            return definition, converted
    converted, _ = arch.convert(address, generic.number, private.number, None, apertures)
    return private, converted
