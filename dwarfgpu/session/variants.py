"""The members of an object: of variant parts, those that its discriminant selects."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dwarfgpu.dwarf.types.class_parts import Variant, VariantPart
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Member
from dwarfgpu.errors import DwarfGpuError, IllFormed, UndefinedBits
from dwarfgpu.model.object import Bits

ReadMember = Callable[[Member], Bits]
"""The bits of a member of the object."""


def variant_members(
    parts: tuple[VariantPart, ...], read: ReadMember
) -> Iterator[Member | DwarfGpuError]:
    """Return the members of the variants of an object, in order; or why they are unknown."""
    for part in parts:
        try:
            chosen = _chosen(part, read)
        except DwarfGpuError as error:
            yield error
            continue
        if chosen is not None:
            yield from chosen.members
            yield from variant_members(chosen.parts, read)


def _chosen(part: VariantPart, read: ReadMember) -> Variant | None:
    """Return the variant of the discriminant's value, else the default one (DWARF 5 5.7.10).

    `IllFormed` where several variants have the value, or none has it and several are the default.
    `UndefinedBits` where none is that of an enumeration of Rust: it always has one, and its
    discriminant is artificial. A record of Ada may have no components for a value.
    """
    defaults = [variant for variant in part.variants if not variant.values]
    discriminant = part.discriminant
    if discriminant is None:
        if len(part.variants) != len(defaults) or len(defaults) > 1:
            raise UndefinedBits("the variants have no discriminant")
        return next(iter(defaults), None)
    bits = read(discriminant)
    if not bits.is_complete:
        subject = f"discriminant {discriminant.name or ''}".rstrip()  # Rust's has no name
        raise UndefinedBits(f"the {subject} is unknown")
    size = discriminant.bit_size or size_bits(discriminant.type) or bits.size_bits
    mask = (1 << size) - 1
    chosen = [
        variant
        for variant in part.variants
        # A range whose last value is below its first contains none, as in GDB.
        if any((bits.value - low) & mask <= high - low for low, high in variant.values)
    ]
    if len(chosen or defaults) > 1:
        which = f"have the value {bits.value} of the discriminant" if chosen else "have no value"
        raise IllFormed(f"{len(chosen or defaults)} variants {which}")
    if not (chosen or defaults) and discriminant.is_artificial:
        raise UndefinedBits(f"no variant has the value {bits.value} of the discriminant")
    return next(iter(chosen or defaults), None)
