"""An object that is shown, and all that its text depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from dwarfgpu.access.location_access import NO_BITS
from dwarfgpu.arch.model import AddressSpace, Architecture
from dwarfgpu.base.records import define, evolve, field, frozen
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.dynamic_types import is_descriptor
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Base, Enum, Member, Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, EvaluationError
from dwarfgpu.expr.implicit_conversions import constant_location
from dwarfgpu.machine.sparse_memory import NOT_WRITTEN
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.resolve_type import Resolver, TypedObject
from dwarfgpu.session.type_attributes import (
    PART_OF_COPY,
    VIRTUAL_OF_COPY,
    EnclosingObject,
    displaced,
)
from dwarfgpu.view.format_options import (
    OPTIMIZED_OUT,
    UNAVAILABLE,
    FormatOptions,
    Symbolize,
    error_as_text,
)
from dwarfgpu.view.object_bits import (
    NO_FIELD,
    ClassOfMethod,
    ObjectBytes,
    ReadMemory,
    widened,
)
from dwarfgpu.view.printers.printed_object import Layouts
from dwarfgpu.view.printers.printer import Printer
from dwarfgpu.view.strings import CharacterKind, quoted_string

ReadStatic: TypeAlias = Callable[[Member], tuple[Bits, Location | None] | None]
"""A static member to its bits and location; None if no unit has it."""


MOST_PRINTED: Final = 20_000
"""Objects that printers show, and their children, of one value in all, beyond those of one
container with as many elements as are shown."""


_JOINED: Final = 200
"""Characters of a member that are one piece of the text around it."""


_MOST_MEMBERS: Final = 20_000
"""Members of the structures of one value: without names they can be shorter than three characters,
with names as many characters as are shown have fewer of them."""


class TooManyPrinted(Exception):
    """The text of the value ends here."""


class Printings:
    """How many objects and children the printers, or members the structures, may still show of one
    value."""

    def __init__(self, left: int = MOST_PRINTED) -> None:
        self._left = left

    def add(self, count: int = 1) -> None:
        """Count one, or several; `TooManyPrinted` if that is too many."""
        self._left -= count
        if self._left < 0:
            raise TooManyPrinted


@frozen(eq=False)
class Whole:
    """The place of an object, and how to find its dynamic parts."""

    location: Location
    resolver: Resolver
    around: EnclosingObject | None = None
    """The structures that it is a part of."""

    def part(self, first_bit: int) -> Location:
        """Return where a part of it is."""
        return displaced(self.location, first_bit)

    def is_implicit_pointer(self, type_: Type | None, first_bit: int, bits: Bits) -> bool:
        """Return whether a part without bits is an implicit pointer (A.2.5.4.4.5)."""
        if bits.undefined or bits.unavailable != (1 << bits.size_bits) - 1:
            return False
        return self.resolver.pointer(type_, self.part(first_bit)) is not None


def kept_descriptors(
    object: ObjectBytes, part: Type | None, resolver: Resolver | None
) -> Whole | None:
    """Return the contents of an object that is nowhere as its place, for a part that describes data
    in another object, as an allocatable component of Fortran; None for any other part."""
    if resolver is None or not is_descriptor(part):
        return None
    data = object.known_bytes(0, object.size_bits)
    return None if data is None else Whole(constant_location(data, object.endian), resolver)


@define
class StaticsShown:
    """The static members shown so far in the structures around that are none themselves, each once,
    as GDB's two stacks have them."""

    members: dict[int | None, None] = field(factory=dict)
    """Those that are structures or unions, by their addresses."""
    arrays: dict[Type, None] = field(factory=dict)
    """Those that are arrays of structures, by the types of their elements."""
    _depth: int | None = field(default=None, init=False)

    @contextmanager
    def of_fields(self, depth: int) -> Iterator[None]:
        """Forget behind the fields of a structure what is shown in them. As in GDB, arrays are
        forgotten only where the fields have had structures, which are not collapsed."""
        members, arrays = len(self.members), 0
        if self._depth != depth:
            arrays, self._depth = len(self.arrays), depth
        try:
            yield
        finally:
            while len(self.members) > members:
                self.members.popitem()
            if self._depth != depth:
                self._depth = None
                while len(self.arrays) > arrays:
                    self.arrays.popitem()


@frozen(eq=False)
class Shown:
    """An object and all that its text depends on."""

    object: ObjectBytes
    options: FormatOptions
    address: int | None
    """Its address in the default address space."""
    architecture: Architecture | None
    symbolize: Symbolize | None
    read_memory: ReadMemory | None
    pieces: Callable[[Shown, Type | None, int, int, str | None], Iterator[str]]
    """Yields the text of an object; arguments: type, bit offset, depth, format letter."""
    scalar: Callable[[Shown, Type | None, Type, Bits, int, str | None], Iterator[str]]
    """Yields the text of a scalar; arguments: type, the same without typedefs, bits, depth, format
    letter."""
    whole: Whole | None = None
    """None for an object without a location: then nothing can be evaluated for it."""
    resolver: Resolver | None = None
    """It evaluates parts of the object and of what its references refer to; None: they are not
    shown."""
    is_cut: bool = False
    """Whether the object extends beyond the bits that were read."""
    static: ReadStatic | None = None
    """None: static members are not shown."""
    class_of_method: ClassOfMethod | None = None
    """None: what a `std::any` has is not shown."""
    space_of: Callable[[Pointer], int] | None = None
    """The address space that the class of a pointer means; None: 0."""
    statics: StaticsShown = field(factory=StaticsShown)
    is_static: bool = False
    """Whether the object is a static member of a class: those in it count for what is around."""
    bases: set[Type] | None = None
    """The virtual base classes shown so far, while the base classes of an object are shown."""
    has_targets: bool = False
    """Whether references inside of other objects show their targets, which members of structures
    never do."""
    sizes: dict[Type, int | None] = field(factory=dict)
    """Sizes already worked out, so that arrays of arrays are not walked for each element."""
    inside: set[tuple[Struct, int]] = field(factory=set)
    """The structures around the current one, in the same `object`, by its `id`."""
    parts: dict[Struct, tuple[list[Member], list[tuple[Struct, int, list[Member]]]]] = field(
        factory=dict
    )
    """The base classes and the other members of structures; those of the parents of a tagged type
    of Ada first, each with the record that has them and the bit where that begins."""
    located_elsewhere: set[Member] = field(factory=set)
    """Members whose place or shape must be evaluated."""
    printers_of: dict[Struct, Printer | None] = field(factory=dict)
    """The printers of structures, looked up once."""
    layouts: Layouts = field(factory=Layouts)
    """For the printers, of all objects that they show."""
    printings: Printings = field(factory=Printings)
    members: Printings = field(factory=lambda: Printings(_MOST_MEMBERS))
    """For the members of structures."""

    def value(
        self, type_: Type | None, first_bit: int, depth: int, letter: str | None
    ) -> Iterator[str]:
        """Yield the object of that type at a bit offset; at depth 0 pointers show their type."""
        return self.pieces(self, type_, first_bit, depth, letter)

    def size(self, type_: Type | None) -> int:
        """Return the size of a type in bits, 0 if unknown."""
        if type_ is None:
            return 0
        if type_ not in self.sizes:
            self.sizes[type_] = size_bits(type_)
        return self.sizes[type_] or 0

    def required(self, part: Type | None = None, *, is_virtual: bool = False) -> Whole:
        """Return where the object is, to evaluate the type of a part, or to find it if it is a
        virtual base class; `EvaluationError` where the object is nowhere."""
        whole = self.whole or kept_descriptors(self.object, part, self.resolver)
        if whole is None:
            raise EvaluationError(VIRTUAL_OF_COPY if is_virtual else PART_OF_COPY)
        return whole

    def placed(
        self, placed: TypedObject, around: EnclosingObject | None, depth: int, letter: str | None
    ) -> Iterator[str]:
        """Yield an object at a place of its own."""
        resolver = self.resolver or self.required().resolver
        bits = resolver.contents(placed)
        unknown = unknown_text(bits)
        if unknown is not None:
            yield unknown
            return
        inner = evolve(
            self,
            object=ObjectBytes.of(bits, self.object.endian),
            address=address_of(placed.location),
            whole=Whole(placed.location, resolver, around),
            is_cut=bits.size_bits < self.size(placed.type),
        )
        yield from inner.value(placed.type, 0, depth, letter)

    def bit_field(
        self, type_: Type | None, bits: Bits, depth: int, letter: str | None
    ) -> Iterator[str]:
        """Yield a bit-field, as wide as its type."""
        bare = strip(type_)
        number = widened(bits, size_bits(bare), has_sign=has_sign_bit(bare))
        if bare is None or number is None:
            yield f"<error: {NO_FIELD}>"
            return
        yield from self.scalar(self, type_, bare, number, depth, letter)

    def guarded(self, pieces: Iterator[str]) -> Iterator[str]:
        """Yield the pieces, or the error in their place, so that the other members are still
        shown. Short pieces are joined: each takes a step of all the generators around it."""
        joined = ""
        try:
            for piece in pieces:
                joined += piece
                if len(joined) >= _JOINED:
                    yield joined
                    joined = ""
        except DwarfGpuError as error:
            joined += self.error_text(error)
        except TooManyPrinted:
            yield joined
            raise
        yield joined

    def incomplete_text(self, type_: Type | None) -> str:
        """Return what is shown in place of an object of a structure without a size."""
        from dwarfgpu.dwarf.scope.undecided_class import why_undecided  # few are so

        why = why_undecided(type_)
        return "<incomplete type>" if why is None else self.error_text(why)

    def error_text(self, error: DwarfGpuError) -> str:
        """Return an error in place of a part, and report it."""
        self.report(error)
        return error_as_text(error)

    def report(self, error: DwarfGpuError) -> None:
        """Report an error that is shown in place of a part."""
        if self.options.report is not None:
            self.options.report(error)

    def quoted(
        self,
        data: bytes,
        kind: CharacterKind,
        *,
        is_cut: bool,
        has_length: bool = False,
        is_counted: bool = False,
    ) -> str:
        """Return characters between quotes; `has_length`: a NUL does not end them; `is_counted`:
        one at their end is no terminator of C."""
        options, endian = self.options, self.object.endian
        if options.null_stop and not has_length:
            data, is_cut = _to_nul(data, kind.unit_bytes, is_cut)
            most_bytes = options.most_characters * kind.unit_bytes
            data, is_cut = data[:most_bytes], is_cut or len(data) > most_bytes
        return quoted_string(
            data,
            kind,
            endian,
            elements=options.most_characters,
            repeats=options.repeats,
            cut_runs=options.cut_runs,
            is_cut=is_cut,
            is_counted=is_counted,
            utf8=options.utf8,
            sevenbit=options.sevenbit,
            most=options.characters,
        )

    def type_name(self, type_: Type | None) -> str:
        """Return the type as the language spells it."""
        options = self.options
        return type_name(type_, cplusplus=options.cplusplus, style=options.style)

    def address_text(self, address: int, space: int = 0, *, symbol: bool = True) -> str:
        """Return `0x4508 <g+40>`, or `private_lane#0x10` in an address space that is not the
        default."""
        number = f"{self.space_text(space)}{address:#x}"
        if space or not symbol or self.symbolize is None:
            return number
        shown_symbol = self.symbolize(address)
        return f"{number} <{shown_symbol}>" if shown_symbol else number

    def printed_address(self, address: int, space: int = 0, *, symbol: bool = True) -> str:
        """Return the text of a place; the options may leave out the number."""
        text = self.address_text(address, space, symbol=symbol)
        return text if self.options.address else text.partition(" ")[2]

    def space_text(self, space: int) -> str:
        """Return `private_lane#`; empty for the default address space."""
        spaces = {} if self.architecture is None else self.architecture.address_spaces
        name = spaces[space].name if space in spaces else f"aspace({space})"
        return f"{name}#" if space else ""

    def read(self, address: int, space: int, size_bytes: int) -> bytes | None:
        """Return memory; None if it is unreadable."""
        if self.read_memory is None:
            return None
        try:
            return self.read_memory(address, space, size_bytes)
        except DwarfGpuError:
            return None

    def no_access(self, address: int, space: int, size_bytes: int) -> str:
        """Return why memory cannot be read, as GDB says it, and that nothing has written it yet:
        the address is not wrong then."""
        text = f"Cannot access memory at address {self.address_text(address, space, symbol=False)}"
        assert self.read_memory is not None
        try:
            self.read_memory(address, space, size_bytes)
        except DwarfGpuError as error:
            return f"{text}: {NOT_WRITTEN}" if error.message.endswith(NOT_WRITTEN) else text
        return text


def _to_nul(data: bytes, width: int, is_cut: bool) -> tuple[bytes, bool]:
    """Return the characters before the first NUL, and whether more follow after them."""
    for position in range(0, len(data) // width * width, width):
        if not any(data[position : position + width]):
            return data[:position], False
    return data, is_cut


def unknown_text(bits: Bits) -> str | None:
    """Return the placeholder for a completely unknown object."""
    if not bits.size_bits or bits.is_complete:
        return None
    everything = (1 << bits.size_bits) - 1
    if bits.undefined == everything:
        return OPTIMIZED_OUT
    if bits.unavailable != everything or NO_BITS in bits.reasons:
        return None  # its parts may be implicit pointers
    return UNAVAILABLE


def address_of(location: Location | None) -> int | None:
    """Return the address of an object in the default address space; None if it is elsewhere."""
    located = space_and_address(location)
    return None if located is None or located[0].number else located[1]


def space_and_address(location: Location | None) -> tuple[AddressSpace, int] | None:
    """Return the address space and the address of an object in memory; None if it is elsewhere."""
    if location is None or len(location.single_locations) != 1:
        return None
    single = location.single_locations[0]
    if not isinstance(single.storage, Memory) or single.byte_address is None:
        return None
    return single.storage.space, single.byte_address


def is_signed(bare: Type | None) -> bool:
    """Return whether numbers of the type are shown with a sign: as in GDB, those of an enumeration
    only if an enumerator is negative, whatever its underlying type."""
    if isinstance(bare, Base):
        return bare.base.is_signed
    return isinstance(bare, Enum) and bare.has_negative


def has_sign_bit(bare: Type | None) -> bool:
    """Return whether numbers of the type are shown with a sign, fixed-point ones too."""
    return is_signed(bare) or (isinstance(bare, Base) and bare.base.encoding == "signed_fixed")
