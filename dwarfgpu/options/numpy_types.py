"""The types of NumPy for what debugging information describes: numbers, and structures of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, cast

from dwarfgpu.base.base_type import CHARACTERS, INTEGRAL
from dwarfgpu.base.float_format import BFLOAT16, BINARY16, BINARY32, BINARY64, FloatFormat
from dwarfgpu.base.npy_fields import MAX_DEPTH, Field, descr_of, structure
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Array,
    Base,
    Enum,
    Member,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.machine.simulated.launch.kernel_arguments import Integers, Vector
from dwarfgpu.view.scalars import MAX_BITS, format_of

_MOST_CHARACTERS: Final = 8_000
"""Of the fields of a structure: `numpy.load` reads headers of up to 10,000."""
_MOST_FIELDS: Final = _MOST_CHARACTERS // 10
"""More than such a header has room for: structures in one another, each with some more of the next,
have too many to be counted."""
_MOST_DEPTH: Final = 12
"""Of structures without a name in one another."""


def numbers_of(item: Type | None) -> tuple[Type | None, int]:
    """Return the type of the elements of a vector, and how many it has room for; any other type as
    it is, and 1."""
    element = None if vector_of(item) is None else strip(cast(Array, item).element)
    if item is None or not isinstance(element, Base) or numpy_type(element) is None:
        return item, 1
    lanes, rest = divmod(size_bytes(item) or 0, element.size_bytes)
    return (item, 1) if rest or not lanes else (element, lanes)


def vector_of(type_: Type | None) -> Vector | None:
    """Return the elements of a vector; None of anything else."""
    if not isinstance(type_, Array) or len(type_.dimensions) != 1 or type_.dimensions[0] is None:
        return None
    element = strip(type_.element)
    if not isinstance(element, Base):
        return None
    count, size = type_.dimensions[0], element.size_bytes
    return Vector(count, size, is_float(element), integers_of(element), form_of(element))


def is_float(kind: Base) -> bool:
    return kind.base.encoding == "float"


def is_complex(type_: Type | None) -> bool:
    return isinstance(type_, Base) and type_.base.encoding == "complex_float"


def form_of(type_: Type | None) -> FloatFormat | None:
    """Return the format of floating point numbers that an argument can be given as; None for any
    other type."""
    if not isinstance(type_, Base) or not is_float(type_):
        return None
    form = type_.base.float_format
    if form is None:
        form = format_of(type_.base, type_.base.bit_size)  # a name such as `__bf16`
    return form if form in (BFLOAT16, BINARY16, BINARY32, BINARY64) else None


def numpy_type(item: Type | None) -> str | None:
    """Return the type of NumPy that holds all bits of such a number, an enumeration or a pointer,
    which are integers; None if it has none.

    It has no bfloat16: the type is that of the bits.
    """
    if isinstance(item, Enum) and item.size_bytes in (1, 2, 4, 8):
        return _integer_type(item.size_bytes, item.is_signed)
    if isinstance(item, Pointer) and item.size_bytes in (4, 8):
        return _integer_type(item.size_bytes, is_signed=False)
    if not isinstance(item, Base):
        return None
    size, integers = item.size_bytes, integers_of(item)
    if integers is not None and size in (1, 2, 4, 8):
        has_padding = integers.most > 1 and item.base.bit_size != 8 * size  # _BitInt(24)
        return None if has_padding else _integer_type(size, integers.least < 0)
    if is_complex(item):
        return f"<c{size}" if size in (8, 16) else None
    form = form_of(item)
    return None if form is None else "<u2" if form is BFLOAT16 else f"<f{size}"


def _integer_type(size_bytes: int, is_signed: bool) -> str:
    return f"{'|' if size_bytes == 1 else '<'}{'i' if is_signed else 'u'}{size_bytes}"


def integers_of(type_: Type | None) -> Integers | None:
    """Return the range of an integer type, also of characters; None for any other type, and for a
    size that no machine has."""
    if not isinstance(type_, Base) or type_.base.encoding not in INTEGRAL | CHARACTERS:
        return None
    bits = 1 if type_.base.encoding == "boolean" else type_.base.bit_size
    if bits > MAX_BITS:
        return None
    if type_.base.is_signed:
        return Integers(type_.name, -(1 << bits - 1), (1 << bits - 1) - 1)
    return Integers(type_.name, 0, (1 << bits) - 1)


def structure_fields(item: Type | None) -> tuple[Field, ...]:
    """Return the fields of a structure with its padding; none of any other type, and of one with a
    member that NumPy has no type for: a bit-field, a union, a member that overlaps another."""
    if not isinstance(item, Struct):
        return ()
    fields = _fields(item, 0, iter(range(_MOST_FIELDS)))
    return fields if fields and len(descr_of(fields)) <= _MOST_CHARACTERS else ()


def _fields(item: Struct, depth: int, room: Iterator[int]) -> tuple[Field, ...]:
    """Return the fields of a structure; none if it has others than fields, or more than there is
    room for: an element for each."""
    if item.kind == "union" or not item.size_bytes or depth == MAX_DEPTH:
        return ()
    out: list[Field] = []
    position = 0
    members = islice(data_members(item), _MOST_FIELDS + 1)
    for offset_bits, member in sorted(members, key=lambda pair: pair[0]):
        first, rest = divmod(offset_bits, 8)
        own = None if next(room, None) is None else _field(member, depth, room)
        if own is None or rest or first < position:
            return ()
        out += [*_padding(first - position), own]
        position = first + own.size_bytes
    names = {field.name for field in out if field.name}
    count = sum(bool(field.name) for field in out)
    if not count or len(names) < count or position > item.size_bytes:
        return ()
    return (*out, *_padding(item.size_bytes - position))


def _padding(count: int) -> list[Field]:
    return [Field("", f"|V{count}")] if count else []


def data_members(item: Struct, first_bits: int = 0, depth: int = 0) -> Iterator[tuple[int, Member]]:
    """Yield the offset in bits of each data member with the member; those of structures without a
    name are members of the whole one, up to a depth: a damaged one contains itself."""
    for member in item.members:
        if member.is_static:
            continue
        bare = strip(member.type)
        is_structure = isinstance(bare, Struct) and bare.kind != "union" and depth < _MOST_DEPTH
        inner = data_members(bare, depth=depth + 1) if isinstance(bare, Struct) else ()
        if member.is_base_class and is_structure and not any(inner):
            continue  # an empty base class has no bytes
        offset_bits = first_bits + (member.bit_offset or 0)
        is_plain = member.location is None and member.bit_offset is not None
        if member.name is None and is_structure and is_plain and not member.is_base_class:
            assert isinstance(bare, Struct)
            yield from data_members(bare, offset_bits, depth + 1)
        else:
            yield offset_bits, member


def is_dense(array: Array) -> bool:
    """Return whether an array is its elements, one after another, and their number is known."""
    is_counted = all(array.dimensions) and array.declared_bits is None
    return is_counted and not any(array.strides_bits)


def has_elements(array: Array) -> bool:
    """Return whether the elements of an array have places of their own, counted from 0."""
    return not array.is_vector and is_dense(array) and not any(array.lower_bounds)


def is_empty(item: Struct) -> bool:
    """Return whether a structure has no data, also not in its members: all of its bytes are
    padding. An array of such structures has none, nor has one without elements."""
    pending, known = [item], {id(item)}
    while pending:
        part = pending.pop()
        if part.is_declaration or len(known) > MAX_CHAIN:
            return False
        for _, member in data_members(part):
            bare = strip(member.type)
            while isinstance(bare, Array) and 0 not in bare.dimensions:
                bare = strip(bare.element)
            if isinstance(bare, Array):
                continue
            if not isinstance(bare, Struct):
                return False
            if id(bare) not in known:
                known.add(id(bare))
                pending.append(bare)
    return True


def _field(member: Member, depth: int, room: Iterator[int]) -> Field | None:
    """Return a member as a field; None if NumPy has no type for it."""
    if member.is_bit_field or member.location is not None or member.bit_offset is None:
        return None
    shape: list[int] = []
    bare = strip(member.type)
    name = member.name
    if member.is_base_class and isinstance(bare, Struct):
        name = bare.name
    while isinstance(bare, Array) and not bare.is_vector:
        if len(shape) > MAX_CHAIN:
            return None  # it contains itself
        if not is_dense(bare):
            return None
        shape += [count for count in bare.dimensions if count]
        bare = strip(bare.element)
    number, lanes = numbers_of(bare)
    integers = integers_of(bare)
    is_text = bool(shape) and integers is not None and integers.name == "char"
    shape += [lanes] if lanes > 1 else []
    descr, fields = numpy_type(number), tuple[Field, ...]()
    if isinstance(bare, Struct):
        fields = _fields(bare, depth + 1, room)
        descr = structure(fields) if fields else None
    if not name or descr is None:
        return None
    return Field(name, descr, tuple(shape), fields, is_text)
