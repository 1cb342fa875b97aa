"""The members of an object: of variant parts, those that its discriminant selects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from dwarfgpu.dwarf.types.class_parts import Variant, VariantPart
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Member, Struct, Type, declared_name, strip
from dwarfgpu.errors import DwarfGpuError, IllFormed, UndefinedBits
from dwarfgpu.model.object import Bits

ReadMember = Callable[[Member], Bits]
"""The bits of a member of the object."""

_NEVER: Final = "!"
"""The type of Rust that has no value."""
_DEEPEST: Final = 32
"""Levels of types in one another: those of programs are fewer."""
_MOST: Final = 10_000
"""Members of these that are looked at."""


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
    discriminant = part.discriminant
    variants = part.variants
    if is_of_rust(part):
        variants = tuple(filter(_is_inhabited, variants)) or variants
    defaults = [variant for variant in variants if not variant.values]
    if discriminant is None:
        if len(variants) != len(defaults) or len(defaults) > 1:
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
        for variant in variants
        # A range whose last value is below its first contains none, as in GDB.
        if any((bits.value - low) & mask <= high - low for low, high in variant.values)
    ]
    if len(chosen or defaults) > 1:
        which = f"have the value {bits.value} of the discriminant" if chosen else "have no value"
        raise IllFormed(f"{len(chosen or defaults)} variants {which}")
    if not (chosen or defaults) and discriminant.is_artificial:
        raise UndefinedBits(f"no variant has the value {bits.value} of the discriminant")
    return next(iter(chosen or defaults), None)


def is_of_rust(part: VariantPart) -> bool:
    """Return whether a variant part is that of an enumeration of Rust: its discriminant, if there
    is one, is no component that the program names."""
    return part.discriminant is None or part.discriminant.is_artificial


@lru_cache(maxsize=256)
def _is_inhabited(variant: Variant) -> bool:
    """Return whether an enumeration of Rust can be a variant: not where a part of it has a type
    without values, as `Infallible`, which rustc describes like any other (The Rust Reference,
    "Never type", "Zero-variant enumerations"). Its discriminant, if it has one, may be that of
    another variant.
    """
    try:
        return _has_parts(variant.members, [_MOST])
    except DwarfGpuError:
        return True  # what reads the variant reports it


def _has_parts(members: Iterable[Member], left: list[int], depth: int = 0) -> bool:
    """Return whether all members have values."""
    return all(_has_values(member.type, left, depth) for member in members if not member.is_static)


def _has_values(type_: Type | None, left: list[int], depth: int = 0) -> bool:
    """Return whether a type of Rust has values. `left`: how many members may still be looked at; a
    type with more is taken to have values."""
    left[0] -= 1
    if depth > _DEEPEST or left[0] < 0:
        return True
    bare = strip(type_)
    if isinstance(bare, Array):
        return 0 in bare.dimensions or _has_values(bare.element, left, depth + 1)
    if not isinstance(bare, Struct):
        return declared_name(bare) != _NEVER
    if bare.kind == "union":  # one field has a value
        return True
    parts = filter(is_of_rust, bare.declared.variant_parts)
    return _has_parts(bare.members, left, depth + 1) and all(
        any(_has_parts(variant.members, left, depth + 1) for variant in part.variants)
        for part in parts
    )
