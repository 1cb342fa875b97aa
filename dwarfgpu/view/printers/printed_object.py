"""An object as printers see it: its members, its target, its number.

Law: nothing is read before a number or characters are requested; unreadable parts are a
`DwarfGpuError` with GDB's wording, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.arguments import wrong_value
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf.names.type_names import full_name, type_name
from dwarfgpu.dwarf.types.type_sizes import element_type, size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, Malformed, Unavailable, UndefinedBits, counted
from dwarfgpu.model.object import Bits
from dwarfgpu.session.bit_field import bit_order, field_bits, number_bits
from dwarfgpu.view.object_bits import ClassOfMethod, ObjectBytes, ReadMemory

_DEEPEST: Final = 64
"""Maximum nesting of base classes and unnamed structures in the search for a member."""
_MAX_BYTES: Final = 1 << 20
"""Maximum size in bytes of one object that is read."""


class UnexpectedLayout(Exception):
    """The object has not the layout that its printer knows: its members are shown."""


@frozen(eq=False)
class Layouts:
    """What is worked out once for each class, however many objects of it are shown."""

    members: dict[tuple[Struct, str], tuple[Member, int] | None] = field(factory=dict)
    """The members of a name, and the bits at which they begin; None where there is none."""
    names: dict[Struct, str] = field(factory=dict)
    """The names in full."""


@methods_name_wrong_arguments
@frozen(eq=False)
class Object:
    """An object of the program: a type, and bits or an address."""

    type: Type | None
    endian: Endian
    pointer_bytes: int
    """The size in bytes of an address of the program."""
    read_memory: ReadMemory | None = field(default=None, repr=False)
    enclosing: ObjectBytes | None = field(default=None, repr=False)
    """The object to which it belongs, already read; None for an object in memory."""
    first_bit: int = 0
    """The first bit of the object in `enclosing`."""
    address: int | None = None
    """None for an object that is not in memory."""
    space: int = 0
    """The DWARF address space of its address."""
    bit_size: int | None = None
    """The size of a bit-field, in bits."""
    is_optimized_out: bool = False
    """Whether a synthetic pointer points to it, and nothing of it is left."""
    class_of_method: ClassOfMethod | None = field(default=None, repr=False)
    is_in_c: bool = False
    """Whether it is shown in the language C: a truth is an `int`, classes have a keyword."""
    layouts: Layouts = field(factory=Layouts, repr=False)
    """Those of the classes that were asked for."""

    # Its type

    @property
    def name(self) -> str:
        """The name of its type in full: `std::vector<int, std::allocator<int> >`."""
        bare = strip(self.type)
        if isinstance(bare, Struct) and bare.name:
            names = self.layouts.names
            if bare not in names:
                names[bare] = full_name(bare)
            return names[bare]
        return type_name(self.type, cplusplus=True)

    @property
    def size_bytes(self) -> int:
        """`UnexpectedLayout` if unknown."""
        return size_bytes_of(self.type)

    def template_type(self, index: int) -> Type | None:
        """Return the type that is a template argument, counted among type arguments;
        `UnexpectedLayout` if there is none."""
        bare = strip(self.type)
        declared = bare.declared.template_types if isinstance(bare, Struct) else ()
        if not 0 <= index < len(declared):
            raise UnexpectedLayout(f"{self.name} has no template argument {index}")
        return declared[index].type

    def typedef(self, *names: str) -> Type | None:
        """Return the type that a typedef of its class, or of a base class, denotes; None if there
        is none."""
        level = [self]
        for _ in range(_DEEPEST):
            for base in level:
                bare = strip(base.type)
                nested = bare.declared.typedefs if isinstance(bare, Struct) else ()
                named_type = next(
                    (declaration.type for declaration in nested if declaration.type.name in names),
                    None,
                )
                if named_type is not None:
                    return named_type.target
            level = [base for object_ in level for base in object_.bases()]
        return None

    # Its parts

    def __getitem__(self, name: str) -> Object:
        """Return the member with a name, also of a base class or an unnamed structure; otherwise
        raise `UnexpectedLayout`."""
        member = self.find(name)
        if member is None:
            raise UnexpectedLayout(f"{self.name} has no member {name}")
        return member

    def find(self, *names: str) -> Object | None:
        """Return the member with the first of these names that exists; None if none does."""
        for name in names:
            member = self._find(name)
            if member is not None:
                return member
        return None

    def _find(self, name: str) -> Object | None:
        bare = strip(self.type)
        if not isinstance(bare, Struct):
            return None
        members = self.layouts.members
        if (bare, name) not in members:
            members[bare, name] = _placed_member(bare, name)
        placed = members[bare, name]
        if placed is None:
            return None
        member, bit_offset = placed
        return self._part(member.type, bit_offset, member.bit_size)

    def bases(self) -> list[Object]:
        """Return the base classes in order."""
        return [part for member, part in self._parts() if member.is_base_class]

    def members(self) -> list[tuple[str, Object]]:
        """Return the members with names, in order."""
        parts = self._parts()
        return [
            (member.name, part)
            for member, part in parts
            if member.name and not member.is_base_class
        ]

    def _parts(self) -> Iterator[tuple[Member, Object]]:
        for member, bit_offset in _placed_members(strip(self.type)):
            yield member, self._part(member.type, bit_offset, member.bit_size)

    def part(self, type_: Type | None, bit_offset: int) -> Object:
        """Return a part as an object of a type."""
        return self._part(type_, bit_offset, None)

    def _part(self, type_: Type | None, bit_offset: int, bit_size: int | None) -> Object:
        first_bit = self.first_bit + bit_offset
        from_address = self.first_bit % 8 + bit_offset
        address = None if self.address is None else self.address + from_address // 8
        if self.enclosing is None and address is not None:
            first_bit = from_address % 8
        return evolve(self, type=type_, address=address, first_bit=first_bit, bit_size=bit_size)

    def cast(self, type_: Type | None) -> Object:
        """Return the same location as an object of another type: of a bit-field that is wider, the
        low bits; `UnexpectedLayout` for a bit-field as anything but a number."""
        if self.bit_size is None:
            return self.part(type_, 0)
        if not isinstance(strip(type_), Base | Pointer | Enum):
            raise UnexpectedLayout(f"a bit-field is no {type_name(type_, cplusplus=True)}")
        count = min(self.bit_size, 8 * size_bytes_of(type_))
        is_big = bit_order(self.type, self.endian) == "big"
        return self._part(type_, self.bit_size - count if is_big else 0, count)

    def element(self, index: int) -> Object:
        """Return an element of an array, or one after what a pointer points to."""
        bare = strip(self.type)
        if isinstance(bare, Array):
            kind = element_type(bare)
            return self.part(kind, 8 * index * size_bytes_of(kind))
        target = self.target()
        return target.part(target.type, 8 * index * target.size_bytes)

    def count(self) -> int:
        """Return the number of elements of an array; `UnexpectedLayout` for anything else."""
        bare = strip(self.type)
        if not isinstance(bare, Array) or not bare.dimensions or bare.dimensions[0] is None:
            raise UnexpectedLayout(f"{self.name} is not an array")
        return bare.dimensions[0]

    def target(self) -> Object:
        """Return the object that it points to; `UnexpectedLayout` if it is not a pointer."""
        bare = strip(self.type)
        if not isinstance(bare, Pointer):
            raise UnexpectedLayout(f"{self.name} is not a pointer")
        points_nowhere = None if self.enclosing is None else self.enclosing.points_nowhere
        if points_nowhere is not None and points_nowhere(self.type, self.first_bit):
            return evolve(self, type=bare.target, enclosing=None, first_bit=0, address=None,
                          is_optimized_out=True)  # fmt: skip
        return self.at(self.number, bare.target, bare.address_space)

    def at(self, address: int, type_: Type | None, space: int = 0) -> Object:
        """Return an object in memory."""
        address &= (1 << 8 * self.pointer_bytes) - 1
        return evolve(self, type=type_, enclosing=None, first_bit=0, address=address, space=space,
                      bit_size=None)  # fmt: skip

    def of_number(self, number: int, base: Base) -> Object:
        """Return a number without a location as an object of a base type."""
        size = base.base.bit_size
        bits = Bits(number & (1 << size) - 1, size)
        contents = ObjectBytes.of(bits, self.endian)
        return evolve(self, type=base, enclosing=contents, first_bit=0, address=None, bit_size=None)

    def truth(self, value: bool) -> Object:
        """Return a `bool`, in C an `int`, without a location."""
        if self.is_in_c:
            return self.of_number(int(value), Base(BaseType("int", "signed", 32, self.endian)))
        return self.of_number(int(value), Base(BaseType("bool", "boolean", 8, self.endian)))

    # Its contents

    @property
    def number(self) -> int:
        """Return its number, with its sign; for a pointer its address.

        `UndefinedBits` or `Unavailable` if that is unknown, `UnexpectedLayout` if it has none.
        """
        bare = strip(self.type)
        if not isinstance(bare, Base | Pointer | Enum):
            raise UnexpectedLayout(f"{self.name} is not a number")
        bits = self.bits()
        if not bits.is_complete:
            raise _unknown(is_undefined=bool(bits.undefined))
        has_sign = bare.base.is_signed if isinstance(bare, Base) else False
        has_sign = bare.is_signed if isinstance(bare, Enum) else has_sign
        return signed(bits.value, bits.size_bits) if has_sign else bits.value

    def bits(self) -> Bits:
        """Return the bits of its number, of a bit-field its own, in the byte order of its type."""
        bare = strip(self.type)
        contents, first_bit = self.contents()
        if self.bit_size is not None:
            return field_bits(contents.bits, first_bit, self.bit_size, bare, self.endian)
        return number_bits(contents.bits(first_bit, 8 * size_bytes_of(bare)), bare, self.endian)

    def contents(self) -> tuple[ObjectBytes, int]:
        """Return bytes that contain the object, and the bit at which it begins in them."""
        size_bits = self.bit_size
        if size_bits is None:
            size_bits = 8 * (self.size_bytes if self.enclosing is None else self._known_size)
        if self.is_optimized_out:
            return ObjectBytes.of(Bits(0, size_bits, (1 << size_bits) - 1), self.endian), 0
        enclosing, first_bit = self._enclosing(size_bits)
        if enclosing is not None:
            return enclosing, first_bit
        data = self._loaded((first_bit + size_bits + 7) // 8)
        return ObjectBytes(data, None, None, 8 * len(data), self.endian), first_bit

    @property
    def _known_size(self) -> int:
        return ((size_bits(self.type) or 0) + 7) // 8

    def _enclosing(self, size_bits: int) -> tuple[ObjectBytes | None, int]:
        """Return what has its bits, and the first of them; None if they are read from memory, as
        those behind the bytes that were read of a longer object, or of a flexible array are."""
        enclosing, first_bit = self.enclosing, self.first_bit
        if enclosing is None or 0 <= first_bit <= enclosing.size_bits - size_bits:
            return enclosing, first_bit
        if size_bits > 8 * _MAX_BYTES and 0 <= first_bit < enclosing.size_bits:
            return enclosing, first_bit  # its beginning is shown
        if self.address is None:
            count = counted(enclosing.size_bits // 8, "byte")
            raise Unavailable(f"it is not in the {count} that were read of the object")
        return None, first_bit % 8

    def read(self) -> Object:
        """Return the same object with its contents, read at once."""
        contents, first_bit = self.contents()
        return evolve(self, enclosing=contents, first_bit=first_bit)

    def memory(self, size_bytes: int) -> bytes:
        """Return the bytes at its beginning; raises `Unavailable` with GDB's wording, and for a
        bit-field that does not begin at a byte."""
        if size_bytes < 0:
            raise wrong_value("size_bytes", size_bytes, "at least 0")
        if self.first_bit % 8:
            raise Unavailable("the object does not begin at a byte")
        enclosing, first_bit = self._enclosing(8 * size_bytes)
        if enclosing is None:
            return self._loaded(size_bytes)
        data = enclosing.known_bytes(first_bit, 8 * size_bytes)
        if data is None:
            raise _unknown(is_undefined=enclosing.is_undefined(first_bit, 8 * size_bytes))
        return data

    def _loaded(self, size_bytes: int) -> bytes:
        if self.is_optimized_out:
            raise _unknown(is_undefined=True)
        if size_bytes > _MAX_BYTES:
            raise Malformed(f"an object of {counted(size_bytes, 'byte')} is not read")
        if self.address is None or self.read_memory is None:
            raise Unavailable("the object is at no address")
        try:
            return self.read_memory(self.address, self.space, size_bytes)
        except DwarfGpuError:
            raise Unavailable(f"Cannot access memory at address {self.address:#x}") from None


def _unknown(*, is_undefined: bool) -> UndefinedBits | Unavailable:
    """Return the error for unknown bits, with GDB's wording."""
    if is_undefined:
        return UndefinedBits("value has been optimized out")
    return Unavailable("value is not available")


def _placed_member(struct_type: Struct, name: str) -> tuple[Member, int] | None:
    """Return the member with a name, and the bit at which it begins, also of a base class or an
    unnamed structure; None if there is none."""
    level: list[tuple[Type | None, int]] = [(struct_type, 0)]
    for _ in range(_DEEPEST):
        below: list[tuple[Type | None, int]] = []
        for type_, start in level:
            for member, bit_offset in _placed_members(strip(type_)):
                if member.name == name and not member.is_base_class:
                    return member, start + bit_offset
                if member.is_base_class or member.name is None:
                    below.append((member.type, start + bit_offset))
        level = below
        if not level:
            break
    return None


def _placed_members(bare: Type | None) -> Iterator[tuple[Member, int]]:
    """Yield the members whose places need not be evaluated, and the bits at which they begin."""
    for member in bare.members if isinstance(bare, Struct) else ():
        if not member.is_static and member.location is None and member.bit_offset is not None:
            yield member, member.bit_offset


def size_bytes_of(type_: Type | None) -> int:
    """Return the size of a type; `UnexpectedLayout` if unknown."""
    size = size_bits(type_)
    if size is None:
        raise UnexpectedLayout(f"the size of {type_name(type_, cplusplus=True)} is unknown")
    return (size + 7) // 8
