"""Location storage (AMD text A.2.5.3): linear streams of bits, each with a size.

Law: these are nouns; nothing here reads a machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from attrs import field, frozen

from dwarfgpu.arch.model import AddressSpace, RegisterInfo

if TYPE_CHECKING:
    from dwarfgpu.model.location import Location


@frozen
class Memory:
    """An address space as seen by the wave and lane that it depends on."""

    space: AddressSpace
    wave: int | None = None
    """The wave (architecture thread) whose memory it is; None where all waves see the same."""
    lane: int | None = None
    """The lane whose memory it is; None where all lanes of the wave see the same."""

    @property
    def size_bits(self) -> int:
        return self.space.size_bits


@frozen
class Register:
    """An architecture register of a wave."""

    register: RegisterInfo
    wave: int = 0
    frame: int = 0
    """Level of the frame whose physical register it is."""

    @property
    def size_bits(self) -> int:
        return self.register.size_bits


@frozen
class Implicit:
    """A fixed value that can only be read."""

    bits: int = field(repr=hex)
    """The run of all bits (see `dwarfgpu.bits`)."""
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
    """No value is available. It has neither size nor offset (A.2.5.4.4.2)."""


@frozen
class Part:
    """A part of a composite: `size_bits` bits at each place of `location`."""

    location: Location
    size_bits: int


@frozen
class Composite:
    """Parts one after the other, with no gaps."""

    parts: tuple[Part, ...]
    starts: tuple[int, ...] = field(repr=False)
    """Bit offset of each part."""
    size_bits: int


@frozen
class Repeated:
    """`count` identical parts (DW_OP_LLVM_extend)."""

    part: Location
    element_bits: int
    count: int

    @property
    def size_bits(self) -> int:
        return self.element_bits * self.count


@frozen
class Selected:
    """Part N is N elements into `one` or `zero`, as bit N of `mask` says."""

    mask: int = field(repr=hex)
    one: Location
    zero: Location
    element_bits: int
    count: int

    @property
    def size_bits(self) -> int:
        return self.element_bits * self.count


Storage: TypeAlias = (
    Memory | Register | Implicit | ImplicitPointer | Undefined | Composite | Repeated | Selected
)
UNDEFINED = Undefined()
