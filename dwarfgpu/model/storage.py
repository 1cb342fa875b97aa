"""Location storage (AMD text A.2.5.3): linear streams of bits, each with a size.

Laws: these are plain data; nothing here reads a machine. Composites may be nested a hundred
thousand deep and share their parts: comparing, hashing and printing them neither recurses nor
repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from dwarfgpu.arch.model import AddressSpace, RegisterInfo
from dwarfgpu.base.argument_types import refuse_wrong_field
from dwarfgpu.base.arguments import FOREIGN
from dwarfgpu.base.records import field, frozen

if TYPE_CHECKING:
    from dwarfgpu.model.location import Location


@frozen
class Memory:
    """An address space as seen by the wave and lane that it depends on."""

    space: AddressSpace
    wave: int | None = None
    """The wave (architecture thread) that owns the memory; None if all waves share it."""
    lane: int | None = None
    """The lane that owns the memory; None if all lanes of the wave share it."""

    @property
    def size_bits(self) -> int:
        """The size of the address space."""
        try:
            return self.space.size_bits
        except FOREIGN:
            refuse_wrong_field(self)
            raise


@frozen
class Register:
    """An architecture register of a wave."""

    register: RegisterInfo
    wave: int = 0
    frame: int = 0
    """Level of the frame that owns the physical register."""

    @property
    def size_bits(self) -> int:
        """The size of the register, of all lanes."""
        try:
            return self.register.size_bits
        except FOREIGN:
            refuse_wrong_field(self)
            raise


@frozen
class Implicit:
    """A fixed value that can only be read."""

    bits: int = field(repr=hex)
    """The run of all bits (see `dwarfgpu.base.bits`)."""
    size_bits: int


@frozen
class DieReference:
    """A debugging information entry named by an operation."""

    section_offset: int = field(repr=hex)
    """Bytes from the start of `.debug_info`."""
    unit: object = field(default=None, eq=False, repr=False)
    """The unit whose expression named it (an `expr.context.Unit`)."""


@frozen
class ImplicitPointer:
    """A pointer that the compiler removed; what it pointed to is described by a DIE."""

    die: DieReference
    displacement_bytes: int
    space: AddressSpace

    @property
    def size_bits(self) -> int:
        return self.space.address_bits


@frozen
class Undefined:
    """No value is available."""

    size_bits: int | None = None
    """None where it has neither size nor offset (A.2.5.4.4.2); DWARF 6 gives it a size."""
    why: Callable[[], str | None] | None = field(default=None, eq=False, repr=False)
    """Returns the reason why a register has none; None where it is unknown."""


def _outline(location: Location) -> str:
    """Return a location inside a composite, for `repr`: composites within it only by their size."""
    if any(is_compound(single.storage) for single in location.single_locations):
        return f"<composite of {location.remaining_bits} bits>"
    return repr(location)


@frozen
class Part:
    """A part of a composite: `size_bits` bits at each single location of `location`."""

    location: Location = field(repr=_outline)
    size_bits: int


def depth_of(location: Location) -> int:
    """Return the number of nested composites at a location; 0 if there is none."""
    singles = location.single_locations
    if len(singles) == 1:
        storage = singles[0].storage
        return storage.depth if isinstance(storage, _COMPOUND) else 0
    return max(single.storage.depth if is_compound(single.storage) else 0 for single in singles)


@frozen(eq=False)
class Composite:
    """Parts one after the other, with no gaps."""

    parts: tuple[Part, ...]
    starts: tuple[int, ...] = field(repr=False)
    """Bit offset of each part."""
    size_bits: int
    depth: int = field(repr=False)
    """Nesting depth of composites, including this one; see `depth_of` for locations."""
    register: str | None = field(default=None, repr=False)
    """The name of the register that the parts make; None for any other composite."""

    @depth.default
    def _depth(self) -> int:
        depth = 0
        for part in self.parts:
            singles = part.location.single_locations
            if len(singles) != 1 or type(singles[0].storage) is not Register:
                depth = max(depth, depth_of(part.location))
        return 1 + depth

    def __eq__(self, other: object) -> bool:
        return _equal(self, other) if is_compound(other) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.size_bits, len(self.parts)))


@frozen(eq=False)
class Repeated:
    """`count` identical parts (DW_OP_LLVM_extend)."""

    part: Location = field(repr=_outline)
    element_bits: int
    count: int
    depth: int = field(repr=False)
    """As of `Composite`."""

    @depth.default
    def _depth(self) -> int:
        return 1 + depth_of(self.part)

    @property
    def size_bits(self) -> int:
        return self.element_bits * self.count

    def __eq__(self, other: object) -> bool:
        return _equal(self, other) if is_compound(other) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.element_bits, self.count))


@frozen(eq=False)
class Selected:
    """Part N is N elements into `one` or `zero`, as bit N of `mask` says."""

    mask: int = field(repr=hex)
    one: Location = field(repr=_outline)
    zero: Location = field(repr=_outline)
    element_bits: int
    count: int
    depth: int = field(repr=False)
    """As of `Composite`."""

    @depth.default
    def _depth(self) -> int:
        return 1 + max(depth_of(self.one), depth_of(self.zero))

    @property
    def size_bits(self) -> int:
        return self.element_bits * self.count

    def __eq__(self, other: object) -> bool:
        return _equal(self, other) if is_compound(other) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.mask, self.element_bits, self.count))


Compound: TypeAlias = Composite | Repeated | Selected
"""The three kinds that are made of other locations: one kind to the user."""


_COMPOUND = (Composite, Repeated, Selected)


def is_compound(storage: object) -> TypeGuard[Compound]:
    return isinstance(storage, _COMPOUND)


def _inner(storage: Compound) -> tuple[object, tuple[Location, ...]]:
    """Return what identifies a compound apart from its locations, and its locations."""
    match storage:
        case Composite():
            sizes = tuple(part.size_bits for part in storage.parts)
            return sizes, tuple(part.location for part in storage.parts)
        case Repeated():
            return (storage.element_bits, storage.count), (storage.part,)
        case Selected():
            key = storage.mask, storage.element_bits, storage.count
            return key, (storage.one, storage.zero)


def _equal(left: Compound, right: Compound) -> bool:
    """Return whether they are made alike; each pair that is met is compared once."""
    pending, visited = [(left, right)], {(id(left), id(right))}
    while pending:
        a, b = pending.pop()
        (key, inside), (other_key, other_inside) = _inner(a), _inner(b)
        if type(a) is not type(b) or key != other_key:
            return False
        for left_part, right_part in zip(inside, other_inside, strict=True):
            if len(left_part.single_locations) != len(right_part.single_locations):
                return False
            for single, mate in zip(
                left_part.single_locations, right_part.single_locations, strict=True
            ):
                if single.bit_offset != mate.bit_offset:
                    return False
                x, y = single.storage, mate.storage
                if not (is_compound(x) and is_compound(y)):
                    if x != y:
                        return False
                elif x is not y and (id(x), id(y)) not in visited:
                    visited.add((id(x), id(y)))
                    pending.append((x, y))
    return True


Storage: TypeAlias = (
    Memory | Register | Implicit | ImplicitPointer | Undefined | Composite | Repeated | Selected
)
UNDEFINED = Undefined()
