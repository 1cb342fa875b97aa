"""Typed values as text, as GDB prints them.

Laws: a bit that is not known is never shown as a number; the text is made piece by piece and
stops at `FormatOptions.characters`, so that no type, however hostile, costs more than its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias, assert_never

from attrs import evolve, field, frozen

from dwarfgpu.arch.model import Architecture
from dwarfgpu.basetype import BaseType
from dwarfgpu.bits import Endian, signed
from dwarfgpu.dwarf.types import (
    MAX_CHAIN,
    Array,
    Base,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Qualified,
    Struct,
    Type,
    Unspecified,
    size_bits,
    strip,
    type_name,
)
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.model.object import Bits
from dwarfgpu.view import scalars
from dwarfgpu.view.parts import ObjectBytes
from dwarfgpu.view.strings import CharacterKind, character_kind, quoted_character, quoted_string

Symbolize: TypeAlias = Callable[[int], str | None]
"""An address to `g+40`, or None where no symbol is known."""
ReadMemory: TypeAlias = Callable[[int, int, int], bytes]
"""Address, DWARF address space and size in bytes to bytes; raises a `DwarfGpuError`."""

OPTIMIZED_OUT: Final = "<optimized out>"
UNAVAILABLE: Final = "<unavailable>"
_LETTERS: Final = "xduotacfzsr"
_DEEPEST: Final = 100
_DIMENSIONS: Final = 100


def _check_letter(_: FormatOptions, __: object, letter: str | None) -> None:
    if letter is not None and (len(letter) != 1 or letter not in _LETTERS):
        raise UsageError(f"unknown output format {letter!r}: use one of {' '.join(_LETTERS)}")


@frozen
class FormatOptions:
    """What `print` can be asked for; the defaults are GDB's."""

    letter: str | None = field(default=None, validator=_check_letter)
    """Output format, as in `print/x`: one of x d u o t a c f z s r."""
    pretty: bool = False
    elements: int = 200
    """Elements of one array or characters of one string; then `...`."""
    repeats: int = 10
    """More equal neighbours than this are one element with `<repeats N times>`."""
    max_depth: int = 20
    """Structures and arrays in one another; then `{...}`."""
    characters: int = 100_000
    """Characters of the whole text; then `...`."""
    cplusplus: bool = False
    """Types are named without `struct` and `enum`."""


DEFAULT_OPTIONS: Final = FormatOptions()


def format_value(
    bits: Bits,
    kind: Type | None,
    options: FormatOptions = DEFAULT_OPTIONS,
    *,
    endian: Endian = "little",
    address: int | None = None,
    architecture: Architecture | None = None,
    symbolize: Symbolize | None = None,
    read_memory: ReadMemory | None = None,
) -> str:
    """The text of an object of a type, from its bits.

    `address`: where the object is in the default address space, for functions and empty arrays.
    `architecture` names address spaces; without `read_memory`, strings and what references refer
    to are not shown. Bits that the type has and `bits` has not are `<optimized out>`, a type that
    cannot be is `<error: ...>`; `IllFormed` for one that is a cycle of typedefs.
    """
    if bits.size_bits and not bits.is_complete:
        everything = (1 << bits.size_bits) - 1
        if bits.undefined == everything:
            return OPTIMIZED_OUT
        if bits.unavailable == everything:
            return UNAVAILABLE
    data = ObjectBytes.of(bits, endian)
    formatter = _Formatter(data, options, address, architecture, symbolize, read_memory)
    strip(kind)
    pieces = formatter._guarded(formatter.value(kind, 0, 0, options.letter))
    return _bounded(pieces, options.characters)


def _bounded(pieces: Iterator[str], characters: int) -> str:
    out: list[str] = []
    for piece in pieces:
        if len(piece) > characters:
            out.append(piece[: max(characters, 0)] + "...")
            break
        out.append(piece)
        characters -= len(piece)
    return "".join(out)


@frozen(eq=False)
class _Formatter:
    """One object and all that its text depends on. Methods give the text in pieces."""

    object: ObjectBytes
    options: FormatOptions
    address: int | None
    architecture: Architecture | None
    symbolize: Symbolize | None
    read_memory: ReadMemory | None
    sizes: dict[Type, int | None] = field(factory=dict)
    """Sizes already worked out, so that arrays of arrays are not walked for each element."""
    parts: dict[Struct, tuple[list[Member], list[Member]]] = field(factory=dict)

    def _size(self, kind: Type | None) -> int:
        """Bits of a type, 0 where that is not known."""
        if kind is None:
            return 0
        if kind not in self.sizes:
            self.sizes[kind] = size_bits(kind)
        return self.sizes[kind] or 0

    def value(
        self, kind: Type | None, first_bit: int, depth: int, letter: str | None
    ) -> Iterator[str]:
        """The object of that type at a bit offset; at depth 0 pointers tell their type."""
        bare = strip(kind)
        match bare:
            case None:
                yield "void"
            case Struct():
                yield from self._struct(bare, first_bit, depth, letter)
            case Array():
                yield from self._array_type(bare, first_bit, depth, letter)
            case Function():
                where = "" if self.address is None else " " + self._address(self.address)
                yield f"{{{type_name(kind, cplusplus=self.options.cplusplus)}}}{where}"
            case Base(base=BaseType(vector_size=int() as count) as base):
                yield from self._vector(base, count, first_bit, depth, letter)
            case Base() | Pointer() | MemberPointer() | Enum() | Unspecified():
                size = size_bits(bare)
                if size is None:
                    yield "<incomplete type>"
                elif size > scalars.MAX_BITS:
                    yield f"<more than {scalars.MAX_BITS} bits of type {type_name(kind)}>"
                elif size == 0:
                    yield "<no bits>"
                else:
                    bits = self._in_order(self.object.bits(first_bit, size), bare)
                    yield from self._scalar(kind, bare, bits, depth, letter)
            case other:
                assert_never(other)

    def _in_order(self, bits: Bits, bare: Type) -> Bits:
        """The bits in the byte order of their base type (DW_AT_endianity)."""
        whole = bits.size_bits % 8 == 0
        if isinstance(bare, Base) and bare.base.endian != self.object.endian and whole:
            return evolve(bits, value=scalars.swapped(bits.value, bits.size_bits))
        return bits

    # Aggregates

    def _parts(self, kind: Struct) -> tuple[list[Member], list[Member]]:
        """The base classes of a structure and its other members that are in the object."""
        if kind not in self.parts:
            bases = [member for member in kind.members if member.is_base_class]
            fields = [m for m in kind.members if not m.is_base_class and not m.is_static]
            self.parts[kind] = bases, fields
        return self.parts[kind]

    def _struct(
        self, kind: Struct, first_bit: int, depth: int, letter: str | None
    ) -> Iterator[str]:
        bases, fields = self._parts(kind)
        if kind.is_declaration or (kind.size_bytes is None and not fields):
            yield "<incomplete type>"
            return
        if depth >= min(self.options.max_depth, _DEEPEST):
            yield "{...}"
            return
        new_line = "\n" + "  " * (depth + 1) if self.options.pretty else ""
        yield "{"
        for member in bases:
            base = strip(member.type)
            name = member.name or (base.name if isinstance(base, Struct) else None)
            yield f"{new_line}<{name or 'anonymous'}> = "
            yield from self._guarded(self._member(member, first_bit, depth + 1, letter))
            yield ", "
        if not fields:
            yield "<No data fields>"
        for index, member in enumerate(fields):
            if index:
                yield "," if new_line else ", "
            elif bases and new_line:
                yield f"{new_line}members of {kind.name or 'anonymous'}:"
            yield new_line + (f"{member.name} = " if member.name else "")
            yield from self._guarded(self._member(member, first_bit, depth + 1, letter))
        yield "\n" + "  " * depth + "}" if new_line and (fields or bases) else "}"

    def _guarded(self, pieces: Iterator[str]) -> Iterator[str]:
        """The pieces, or the error in their place, so that the other members are still shown."""
        try:
            yield from pieces
        except DwarfGpuError as error:
            yield f"<error: {error.message}>"

    def _member(
        self, member: Member, first_bit: int, depth: int, letter: str | None
    ) -> Iterator[str]:
        if member.bit_offset is None:
            yield "<error: its place in the object is told by an expression>"
            return
        first_bit += member.bit_offset
        count = member.bit_size
        if count is None:
            formatter = self
            if member.name is None and not member.is_base_class:  # it is no level to the reader
                options = evolve(self.options, max_depth=self.options.max_depth + 1)
                formatter = evolve(self, options=options)
            yield from formatter.value(member.type, first_bit, depth, letter)
            return
        bare = strip(member.type)
        size = size_bits(bare) or 0
        if not 0 < count <= max(size, count) <= scalars.MAX_BITS or bare is None:
            yield "<error: bit-field of no bits or of too many>"
            return
        bits = self.object.bits(first_bit, count)
        number = bits.value
        if _is_signed(bare):
            number = signed(number, count) & (1 << max(size, count)) - 1
        widened = Bits(number, max(size, count), bits.undefined, bits.unavailable)
        yield from self._scalar(member.type, bare, widened, depth, letter)

    def _vector(
        self, base: BaseType, count: int, first_bit: int, depth: int, letter: str | None
    ) -> Iterator[str]:
        """A vector base type (DW_AT_LLVM_vector_size): an array of numbers."""
        if count <= 0 or base.bit_size % count:
            yield "<error: vector of elements of unequal size>"
            return
        element = Base(evolve(base, bit_size=base.bit_size // count, vector_size=None))
        kind = Array(element, (count,), is_vector=True)
        yield from self._array_type(kind, first_bit, depth, letter)

    def _array_type(
        self, kind: Array, first_bit: int, depth: int, letter: str | None
    ) -> Iterator[str]:
        if len(kind.dimensions) > _DIMENSIONS or max(map(_count, kind.dimensions), default=0) >> 64:
            yield "<error: array of too many dimensions or elements>"
            return
        element = kind.element
        stride = self._size(element) if kind.stride_bits is None else kind.stride_bits
        strides = [stride]
        counts = [_count(dimension) for dimension in kind.dimensions] or [0]
        for count in reversed(counts[1:]):
            strides.insert(0, strides[0] * count)
        if kind.is_vector and letter is None and character_kind(element) is not None:
            letter = "d" if _is_signed(strip(element)) else "u"  # elements are numbers, not text
        yield from self._array(element, counts, strides, first_bit, depth, letter)

    def _array(
        self,
        element: Type | None,
        counts: list[int],
        strides: list[int],
        first_bit: int,
        depth: int,
        letter: str | None,
    ) -> Iterator[str]:
        count, stride = counts[0], strides[0]
        if count <= 0 or stride <= 0:  # C treats it as a pointer to its first element
            place = None if self.address is None else self.address + first_bit // 8
            yield "{}" if place is None else self._address(place)
            return
        last = len(counts) == 1
        text = self._string(element, first_bit, count, stride, letter) if last else None
        if text is not None:
            yield text
            return
        is_text = last and character_kind(element) is not None  # no level, even where it is numbers
        if depth >= _DEEPEST or (depth >= self.options.max_depth and not is_text):
            yield "{...}"
            return
        yield "{"
        index = shown = 0
        while index < count and shown < self.options.elements:
            start = first_bit + index * stride
            if index:
                yield ", "
            if not last:
                yield from self._array(element, counts[1:], strides[1:], start, depth + 1, letter)
            else:
                yield from self.value(element, start, depth + 1, letter)
            equal = self.object.equal_neighbours(start, stride, count - index)
            is_repeated = equal > self.options.repeats
            if is_repeated:
                yield f" <repeats {equal} times>"
            index += equal if is_repeated else 1
            shown += self.options.repeats if is_repeated else 1
        yield "...}" if index < count else "}"

    def _string(
        self, element: Type | None, first_bit: int, count: int, stride: int, letter: str | None
    ) -> str | None:
        """The array as a string, if it is one of characters that are all known."""
        kind = character_kind(element)
        if kind is None or stride != 8 * kind.unit_bytes or letter not in (None, "s", "r"):
            return None
        data = self.object.known_bytes(first_bit, count * stride)
        return None if data is None else self._quoted(data, kind, is_cut=False)

    def _quoted(self, data: bytes, kind: CharacterKind, *, is_cut: bool) -> str:
        options, endian = self.options, self.object.endian
        return quoted_string(
            data,
            kind,
            endian,
            elements=options.elements,
            repeats=options.repeats,
            is_cut=is_cut,
        )

    # Scalars

    def _scalar(
        self, kind: Type | None, bare: Type, bits: Bits, depth: int, letter: str | None
    ) -> Iterator[str]:
        if not bits.is_complete:
            yield OPTIMIZED_OUT if bits.undefined else UNAVAILABLE
            return
        number, size = bits.value, bits.size_bits
        if isinstance(bare, Pointer) and bare.kind != "pointer":
            yield from self._reference(kind, bare, number, depth, letter)
        elif letter in ("a", "c"):
            yield self._address_or_character(bare, number, size, letter)
        elif letter in ("x", "d", "u", "o", "t", "z") or (letter == "f" and not _is_float(bare)):
            yield scalars.lettered(letter, number, size, is_signed=_is_signed(bare))
        else:
            yield self._natural(kind, bare, number, size, depth)

    def _natural(
        self, kind: Type | None, bare: Type, number: int, size_bits: int, depth: int
    ) -> str:
        match bare:
            case Base(base=base) if base.encoding == "complex_float":
                half = size_bits // 2
                parts = Bits(number, size_bits)
                first, second = (parts.slice(n * half, half, base.endian).value for n in (0, 1))
                return scalars.complex_text(base, first, second, half)
            case Base(base=base):
                text = scalars.base_text(base, number, size_bits)
                characters = character_kind(kind)
                if characters is not None:
                    code = number & (1 << 8 * characters.unit_bytes) - 1
                    text += " " + quoted_character(code, characters)
                return text
            case Enum():
                return scalars.enum_text(bare, number & (1 << 8 * bare.size_bytes) - 1)
            case Pointer():
                return self._pointer(kind, bare, number, depth)
            case MemberPointer():
                return self._member_pointer(bare, number, size_bits)
            case Unspecified():
                return scalars.hexadecimal(number)
            case _:
                return scalars.raw(number, size_bits, "not a scalar")

    def _address_or_character(self, bare: Type, number: int, size_bits: int, letter: str) -> str:
        """`/a` and `/c`: the number, if need be truncated from floating point, as such."""
        is_signed = _is_signed(bare)
        if isinstance(bare, Base) and bare.base.encoding == "float":
            form = scalars.format_of(bare.base, size_bits)
            exact = "nan" if form is None else form.decode(number)
            number, is_signed = (0 if isinstance(exact, str) else int(exact)), True
        elif is_signed:
            number = signed(number, size_bits)
        if letter == "a":
            return self._address(number & (1 << max(64, size_bits)) - 1)
        code = number & 0xFF
        shown = signed(code, 8) if is_signed else code
        return f"{shown} {quoted_character(code, CharacterKind(1))}"

    # Pointers

    def _space_name(self, number: int) -> str:
        spaces = {} if self.architecture is None else self.architecture.address_spaces
        return spaces[number].name if number in spaces else f"aspace({number})"

    def _address(self, address: int, space: int = 0, *, symbol: bool = True) -> str:
        """`0x4508 <g+40>`; `private_lane#0x10` in an address space that is not the default."""
        if space:
            return f"{self._space_name(space)}#{address:#x}"
        name = self.symbolize(address) if self.symbolize is not None and symbol else None
        return f"{address:#x} <{name}>" if name else f"{address:#x}"

    def _pointer(self, kind: Type | None, bare: Pointer, number: int, depth: int) -> str:
        text = self._address(number, bare.address_space)
        target = _unqualified(bare.target)
        is_plain_char = isinstance(kind, Pointer) and getattr(target, "name", None) == "char"
        if depth == 0 and not is_plain_char:
            text = f"({type_name(kind, cplusplus=self.options.cplusplus)}) {text}"
        characters = character_kind(bare.target)
        if characters is None or self.read_memory is None or number == 0:
            return text
        return f"{text} {self._pointed_string(number, bare.address_space, characters)}"

    def _pointed_string(self, address: int, space: int, kind: CharacterKind) -> str:
        """The characters up to a NUL, the limit, or the first that cannot be read."""
        width, most = kind.unit_bytes, self.options.elements
        found = bytearray()
        while len(found) <= most * width:
            unit = self._read(address + len(found), space, width)
            if unit is None:
                where = self._address(address + len(found), space, symbol=False)
                error = f"<error: Cannot access memory at address {where}>"
                return (self._quoted(bytes(found), kind, is_cut=False) if found else "") + error
            found += unit
            if not any(unit):
                return self._quoted(bytes(found), kind, is_cut=False)
        return self._quoted(bytes(found[:-width]), kind, is_cut=True)

    def _read(self, address: int, space: int, size_bytes: int) -> bytes | None:
        if self.read_memory is None:
            return None
        try:
            return self.read_memory(address, space, size_bytes)
        except DwarfGpuError:
            return None

    def _reference(
        self, kind: Type | None, bare: Pointer, number: int, depth: int, letter: str | None
    ) -> Iterator[str]:
        """`@0x…`; at the top with its type and what it refers to."""
        place = "@" + self._address(number, bare.address_space, symbol=False)
        if depth:
            yield place
            return
        yield f"({type_name(kind, cplusplus=self.options.cplusplus)}) {place}"
        size = size_bits(bare.target)
        if self.read_memory is None or size is None or size > 8 * self.options.characters:
            return
        data = self._read(number, bare.address_space, (size + 7) // 8)
        yield ": "
        if data is None:
            where = self._address(number, bare.address_space, symbol=False)
            yield f"<error: Cannot access memory at address {where}>"
            return
        target = ObjectBytes(data, None, None, 8 * len(data), self.object.endian)
        inner = evolve(self, object=target, address=None if bare.address_space else number)
        is_aggregate = isinstance(strip(bare.target), Struct | Array)
        yield from inner.value(bare.target, 0, 0 if is_aggregate else 1, letter)

    def _member_pointer(self, bare: MemberPointer, number: int, size_bits: int) -> str:
        if isinstance(strip(bare.target), Function):
            address = number & (1 << size_bits // 2) - 1
            return self._address(address) if address else "NULL"
        return "NULL" if number == (1 << size_bits) - 1 else str(signed(number, size_bits))


def _count(dimension: int | None) -> int:
    """Elements of a dimension: none where that is not known, or makes no sense."""
    return max(dimension or 0, 0)


def _unqualified(kind: Type | None) -> Type | None:
    for _ in range(MAX_CHAIN):
        if not isinstance(kind, Qualified):
            break
        kind = kind.target
    return kind


def _is_signed(bare: Type | None) -> bool:
    if isinstance(bare, Base):
        return bare.base.is_signed
    return isinstance(bare, Enum) and bare.is_signed


def _is_float(bare: Type) -> bool:
    return isinstance(bare, Base) and "float" in bare.base.encoding
