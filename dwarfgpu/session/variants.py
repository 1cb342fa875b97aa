"""The members of an object: of variant parts, those that its discriminant selects."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from weakref import WeakKeyDictionary

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
_MOST: Final = 20_000
"""Members of these that are looked at for one variant part, and not yet for another one."""


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


def declared_members(parts: tuple[VariantPart, ...]) -> Iterator[Member]:
    """Yield the members of all variants of Ada, in order, whatever the discriminants are."""
    for part in parts:
        if is_of_rust(part):
            continue
        for variant in part.variants:
            yield from variant.members
            yield from declared_members(variant.parts)


def _chosen(part: VariantPart, read: ReadMember) -> Variant | None:
    """Return the variant of the discriminant's value, else the default one (DWARF 5 5.7.10).

    `IllFormed` where several variants have the value, or none has it and several are the default.
    `UndefinedBits` where none is that of an enumeration of Rust: it always has one, and its
    discriminant is artificial. A record of Ada may have no components for a value.
    """
    discriminant = part.discriminant
    choices = _choices_of(part)
    defaults = choices.defaults
    if discriminant is None:
        if len(choices.numbers) != len(defaults) or len(defaults) > 1:
            raise UndefinedBits("the variants have no discriminant")
        return part.variants[defaults[0]] if defaults else None
    bits = read(discriminant)
    subject = f"discriminant {discriminant.name or ''}".rstrip()  # Rust's has no name
    if not bits.is_complete:
        raise UndefinedBits(f"the {subject} is unknown")
    size = discriminant.bit_size or size_bits(discriminant.type) or bits.size_bits
    if size > bits.size_bits:
        raise UndefinedBits(f"the {subject} has {size} bits, and {bits.size_bits} were read")
    count, number = choices.of(part, bits.value, size)
    if (count or len(defaults)) > 1:
        which = f"have the value {bits.value} of the discriminant" if count else "have no value"
        raise IllFormed(f"{count or len(defaults)} variants {which}")
    if not (count or defaults) and discriminant.is_artificial:
        raise UndefinedBits(f"no variant has the value {bits.value} of the discriminant")
    if not (count or defaults):
        return None
    return part.variants[number if count else defaults[0]]


class _Choices:
    """The numbers of the variants of a part that an object can have, by the value of its
    discriminant. The variants lead to their part, which is to be freed."""

    def __init__(self, part: VariantPart) -> None:
        variants = part.variants
        self.numbers: Sequence[int] = range(len(variants))
        if is_of_rust(part):
            can_be = _Inhabited().can_be
            self.numbers = [n for n in self.numbers if can_be(variants[n])] or self.numbers
        self.defaults = [number for number in self.numbers if not variants[number].values]
        self._sorted: tuple[int, list[int], list[tuple[int, int]]] | None = None

    def of(self, part: VariantPart, value: int, size_bits: int) -> tuple[int, int]:
        """Return how many variants a value of this size chooses, and which, if it is one."""
        known = self._sorted
        if known is None or known[0] != size_bits:
            known = self._sorted = size_bits, *self._changes(part.variants, size_bits)
        _, starts, counts_and_sums = known
        return counts_and_sums[bisect_right(starts, value & (1 << size_bits) - 1) - 1]

    def _changes(
        self, variants: tuple[Variant, ...], size_bits: int
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the values from which on a variant more, or one less, is chosen, in order: with
        how many are, and the sum of their numbers, which is the number of one alone."""
        changes: dict[int, list[int]] = {0: [0, 0]}
        for number in self.numbers:
            for first, end in _apart(variants[number].values, 1 << size_bits):
                for start, sign in ((first, 1), (end, -1)):
                    change = changes.setdefault(start, [0, 0])
                    change[0] += sign
                    change[1] += sign * number
        count = total = 0
        starts, counts_and_sums = sorted(changes), []
        for start in starts:
            count += changes[start][0]
            total += changes[start][1]
            counts_and_sums.append((count, total))
        return starts, counts_and_sums


_CHOICES: Final[WeakKeyDictionary[VariantPart, _Choices]] = WeakKeyDictionary()


def _choices_of(part: VariantPart) -> _Choices:
    declared = part if part.declared is None else part.declared
    choices = _CHOICES.get(declared)
    if choices is None:
        choices = _CHOICES[declared] = _Choices(declared)
    return choices


def _apart(ranges: tuple[tuple[int, int], ...], modulus: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of values modulo a power of two, each with its end, in order and apart from
    each other. A range whose last value is below its first contains none, as in GDB."""
    pieces: list[tuple[int, int]] = []
    for low, high in ranges:
        if high < low:
            continue
        first, end = low % modulus, low % modulus + min(high - low + 1, modulus)
        pieces.append((first, min(end, modulus)))
        if end > modulus:
            pieces.append((0, end - modulus))
    pieces.sort()
    last: tuple[int, int] | None = None
    for first, end in pieces:
        if last is not None and first <= last[1]:
            last = last[0], max(last[1], end)
            continue
        if last is not None:
            yield last
        last = first, end
    if last is not None:
        yield last


def is_of_rust(part: VariantPart) -> bool:
    """Return whether a variant part is that of an enumeration of Rust: its discriminant, if there
    is one, is no component that the program names."""
    return part.discriminant is None or part.discriminant.is_artificial


class _Inhabited:
    """Which variants an enumeration of Rust can be: not where a part of one has a type without
    values, as `Infallible`, which rustc describes like any other (The Rust Reference, "Never type",
    "Zero-variant enumerations"). Its discriminant, if it has one, may be that of another variant.
    """

    def __init__(self) -> None:
        self._left = _MOST

    def can_be(self, variant: Variant) -> bool:
        """Return whether all parts have values; of more than are looked at, those that are."""
        try:
            return self._all_have(variant.members)
        except DwarfGpuError:
            return True  # what reads the variant reports it

    def _all_have(self, members: Iterable[Member], depth: int = 0) -> bool:
        return all(self._has(member.type, depth) for member in members if not member.is_static)

    def _has(self, type_: Type | None, depth: int) -> bool:
        """Return whether a type of Rust has values: those after the last that is looked at, too."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return True
        bare = strip(type_)
        if isinstance(bare, Array):
            return 0 in bare.dimensions or self._has(bare.element, depth + 1)
        if not isinstance(bare, Struct):
            return declared_name(bare) != _NEVER
        if bare.kind == "union":  # one field has a value
            return True
        known = _INHABITED.get(bare)
        if known is None:
            known = self._structure_has(bare, depth)
            if not known or self._left >= 0:
                _INHABITED[bare] = known
        return known

    def _structure_has(self, struct_type: Struct, depth: int) -> bool:
        parts = filter(is_of_rust, struct_type.declared.variant_parts)
        return (
            len(struct_type.members) > _MOST or self._all_have(struct_type.members, depth + 1)
        ) and all(
            any(self._all_have(variant.members, depth + 1) for variant in part.variants)
            for part in parts
        )


_INHABITED: Final[WeakKeyDictionary[Struct, bool]] = WeakKeyDictionary()
