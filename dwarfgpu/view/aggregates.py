"""Structures and arrays as GDB prints them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.constants import WITH_TYPES_OF_C, Style
from dwarfgpu.dwarf.names.fortran_ada import is_added, tagged_records
from dwarfgpu.dwarf.names.type_names import full_name
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import (
    empty_array,
    member_error,
    offset_bits,
    size_bits,
    strides_of,
)
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Member,
    Struct,
    Type,
    may_be_dynamic_array,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, Unavailable, UndefinedBits
from dwarfgpu.model.object import Bits
from dwarfgpu.session.bit_field import field_bits
from dwarfgpu.session.type_attributes import EnclosingObject
from dwarfgpu.session.variants import variant_members
from dwarfgpu.view import scalars
from dwarfgpu.view.ada_arrays import unconstrained_array
from dwarfgpu.view.format_options import OPTIMIZED_OUT, UNAVAILABLE
from dwarfgpu.view.fortran_arrays import FortranArray
from dwarfgpu.view.object_bits import ObjectBytes, Parts, parts_of
from dwarfgpu.view.object_printer import (
    Shown,
    Whole,
    address_of,
    unknown_text,
)
from dwarfgpu.view.strings import character_kind

if TYPE_CHECKING:
    from dwarfgpu.dwarf.names.fortran_ada import Indexes

_DEEPEST: Final = 100
_DIMENSIONS: Final = 100
_LISTED_AS_ONE: Final = 64
"""Members that take as long to list, perhaps to show none of them, as one takes to show."""
_INVALID_ADDRESS: Final = "<invalid address>"
_TABLE_POINTER: Final = ("_vptr.", "_vptr$")  # of gcc, of clang


@frozen
class _Marks:
    """The delimiters of structures and arrays."""

    opening: str
    closing: str
    of_member: str
    first: str
    last: str


_Index: TypeAlias = "tuple[int | None, Indexes | None]"
"""The first index of a dimension; what the indexes are, in Ada."""

_MARKS: Final[dict[Style, _Marks]] = {
    "c": _Marks("{", "}", " = ", "{", "}"),
    "fortran": _Marks("( ", " )", " = ", "(", ")"),
    "ada": _Marks("(", ")", " => ", "(", ")"),
    "pascal": _Marks("{", "}", " = ", "{", "}"),
}


def struct_pieces(
    shown: Shown, struct_type: Struct, first_bit: int, depth: int, letter: str | None
) -> Iterator[str]:
    """Yield `{<Base> = {...}, x = 1, y = 2}`."""
    key = struct_type, id(shown.object)
    if key in shown.inside:
        name = _name(struct_type) or "without a name"
        yield f"<error: {struct_type.kind} {name} contains itself>"
        return
    shown.inside.add(key)
    try:
        yield from _struct_pieces(shown, struct_type, first_bit, depth, letter)
    finally:
        shown.inside.discard(key)


def _struct_pieces(
    shown: Shown, struct_type: Struct, first_bit: int, depth: int, letter: str | None
) -> Iterator[str]:
    array = unconstrained_array(shown, struct_type, first_bit)
    if array is not None:
        yield from shown.placed(array, None, depth, letter)
        return
    if may_be_dynamic_array(struct_type):
        from dwarfgpu.view.dynamic_array_pieces import dynamic_array_pieces  # few have them

        pieces = dynamic_array_pieces(shown, struct_type, first_bit, depth, letter)
        if pieces is not None:
            yield from pieces
            return
    if shown.options.style == "pascal":
        from dwarfgpu.view.pascal_records import string_in_record  # few programs

        if (text := string_in_record(shown, struct_type, first_bit)) is not None:
            yield text
            return
    bases, records = _parts(shown, struct_type)
    has_fields = any(own for *_, own in records)
    if struct_type.is_declaration or (struct_type.size_bytes is None and not has_fields):
        yield shown.incomplete_text(struct_type)
        return
    is_left_out = struct_type.kind == "union" and depth and not shown.options.union
    marks = _MARKS[shown.options.style]
    if depth >= min(shown.options.max_depth, _DEEPEST) or is_left_out:
        yield f"{marks.first}...{marks.last}"
        return
    fields = [
        (field, record, first_bit + begin)
        for record, begin, own in records
        for field in (*own, *_variants(shown, record, first_bit + begin))
    ]
    shown.members.add(len(bases) + len(fields) // _LISTED_AS_ONE)
    has_fields = bool(fields)
    if not shown.options.static_members:
        fields = [
            field
            for field in fields
            if isinstance(field[0], DwarfGpuError) or not field[0].is_static
        ]
    is_pretty = shown.options.pretty and shown.options.style != "fortran"  # as in GDB
    new_line = "\n" + "  " * (depth + 1) if is_pretty else ""
    yield marks.opening.rstrip() if new_line else marks.opening
    visited = shown.bases if shown.bases is not None else set()
    for member in bases:
        base = strip(member.type)
        if member.is_virtual and base is not None:
            if base in visited:  # it is shown once, where it is first
                continue
            visited.add(base)
        name = member.name or (_name(base) if isinstance(base, Struct) else None)
        yield f"{new_line}<{name or ''}> = "
        inner = evolve(shown, bases=visited, is_static=False)
        if depth + 1 >= shown.options.max_depth:  # as in GDB also where a printer would show it
            yield "{...}, "
            continue
        yield from shown.guarded(_base(inner, struct_type, member, first_bit, depth + 1, letter))
        yield ", "
    if not has_fields and shown.options.style != "ada":
        yield "<No data fields>"
    forgotten = nullcontext() if shown.is_static or not fields else shown.statics.of_fields(depth)
    if shown.bases is not None or shown.has_targets or shown.is_static:
        shown = evolve(shown, bases=None, has_targets=False, is_static=False)
    with forgotten:
        for index, (field, record, begin) in enumerate(fields):
            if index:
                yield "," if new_line and shown.options.style != "ada" else ", "  # as in GDB
            elif bases and new_line:
                yield f"{new_line}members of {_name(struct_type) or ''}:"
            if isinstance(field, DwarfGpuError):
                yield f"{new_line}{shown.error_text(field)}"
                continue
            shown.members.add()
            static = "static " if field.is_static else ""
            yield new_line + (f"{static}{field.name}{marks.of_member}" if field.name else "")
            yield from shown.guarded(_member(shown, record, field, begin, depth + 1, letter))
    is_on_its_own = bool(new_line and has_fields)
    yield "\n" + "  " * depth + marks.closing.lstrip() if is_on_its_own else marks.closing


def _name(struct_type: Struct) -> str | None:
    """Return the name of a class in full; None for one without."""
    return full_name(struct_type) if struct_type.name else None


def _parts(
    shown: Shown, struct_type: Struct
) -> tuple[list[Member], list[tuple[Struct, int, list[Member]]]]:
    """Return the base classes of a structure and its other members, as `Shown.parts` has them."""
    if struct_type not in shown.parts:
        bases = [member for member in struct_type.members if member.is_base_class]
        is_ada = shown.options.style == "ada"
        records = [*_tagged(struct_type)] if is_ada else [(struct_type, 0, struct_type.members)]
        parts = []
        for record, begin, members in records:
            fields = [m for m in members if not (m.is_base_class or (is_ada and is_added(m)))]
            if shown.static is None:
                fields = [m for m in fields if not m.is_static]
            shown.located_elsewhere.update(filter(_must_be_evaluated, fields))
            parts.append((record, begin, fields))
        shown.located_elsewhere.update(filter(_must_be_evaluated, bases))
        shown.parts[struct_type] = bases, parts
    return shown.parts[struct_type]


def _tagged(struct_type: Struct) -> Iterator[tuple[Struct, int, tuple[Member, ...]]]:
    """Yield a record of Ada, behind those from which it is derived, without the components that
    have these. A record ends where the whole one does."""
    first = 0
    for record, begin in [*tagged_records(struct_type)][::-1]:
        members, first = record.members[first:], 1
        size = struct_type.size_bytes
        if record is not struct_type and size is not None:
            record = evolve(record, size_bytes=max(0, size - begin // 8))
        yield record, begin, members


def _variants(shown: Shown, struct_type: Struct, first_bit: int) -> list[Member | DwarfGpuError]:
    """Return the members that only this object has, or why they are unknown."""
    parts = struct_type.declared.variant_parts
    if not parts:
        return []

    def read(member: Member) -> Bits:
        if member.location is not None:
            whole = shown.required()
            member_object = whole.resolver.member(
                struct_type, whole.part(first_bit), member, whole.around
            )
            return whole.resolver.contents(member_object)
        size = member.bit_size or shown.size(member.type)
        return shown.object.bits(first_bit + (member.bit_offset or 0), min(size, scalars.MAX_BITS))

    variants = [*variant_members(parts, read)]
    members = [member for member in variants if isinstance(member, Member)]
    shown.located_elsewhere.update(filter(_must_be_evaluated, members))
    return variants


def _must_be_evaluated(member: Member) -> bool:
    """Return whether the member's location or shape must be evaluated."""
    try:
        if member.location is not None or member.error is not None:
            return True
        return member.bit_size is None and is_dynamic(member.type)
    except DwarfGpuError:
        return False  # the text of the member has the error


def _base(
    shown: Shown,
    struct_type: Struct,
    member: Member,
    first_bit: int,
    depth: int,
    letter: str | None,
) -> Iterator[str]:
    """Format a base class; with GDB's wording if the table with its offset is unreadable."""
    base = strip(member.type)
    if isinstance(base, Struct) and base.is_declaration:
        yield "{<No data fields>}"
        return
    pieces = _member(shown, struct_type, member, first_bit, depth, letter)
    if member.location is None:
        yield from pieces
        return
    try:
        first = next(pieces, "")
    except (Unavailable, UndefinedBits):  # the machine or the compiler has lost its pointer
        first = UNAVAILABLE
    yield _INVALID_ADDRESS if first == UNAVAILABLE else first
    yield from pieces


def _member(
    shown: Shown,
    struct_type: Struct,
    member: Member,
    first_bit: int,
    depth: int,
    letter: str | None,
) -> Iterator[str]:
    is_unnamed = member.name is None and not member.is_base_class
    if is_unnamed and not isinstance(member.type, Base):  # it is not a level to the reader
        options = evolve(shown.options, max_depth=shown.options.max_depth + 1)
        shown = evolve(shown, options=options)
    if member.is_static:
        yield from _static(shown, member, depth, letter)
        return
    error = member_error(struct_type, member, member.declared_bit_size or shown.size(member.type))
    if isinstance(error, UndefinedBits):
        yield OPTIMIZED_OUT
        return
    if error is not None:
        raise error
    if member in shown.located_elsewhere:
        whole = shown.required(member.type, is_virtual=member.is_virtual)
        location, around = whole.part(first_bit), whole.around
        try:
            member_object = whole.resolver.member(struct_type, location, member, around)
        except UndefinedBits:
            if member.is_base_class:
                raise
            yield OPTIMIZED_OUT  # its place, or its descriptor
            return
        if member.bit_size is not None:
            bits = whole.resolver.bit_field(member_object.location, member.bit_size, member.type)
            yield from shown.bit_field(member.type, bits, depth, letter)
            return
        yield from shown.placed(
            member_object, EnclosingObject(struct_type, location, around), depth, letter
        )
        return
    first_bit += member.bit_offset or 0
    if member.name is not None and member.name.startswith(_TABLE_POINTER):
        letter = None  # as in GDB, with the symbol, which also "set print symbol off" leaves
        shown = evolve(shown, options=evolve(shown.options, symbol=True))
    if member.bit_size is None:
        yield from shown.value(member.type, first_bit, depth, letter)
    elif 0 < member.bit_size <= scalars.MAX_BITS:
        object = shown.object
        bits = field_bits(object.bits, first_bit, member.bit_size, member.type, object.endian)
        yield from shown.bit_field(member.type, bits, depth, letter)
    else:
        yield "<error: bit-field of no bits or of too many>"


def _static(shown: Shown, member: Member, depth: int, letter: str | None) -> Iterator[str]:
    """Yield a static member: the variable that it is; a structure that is in itself is shown
    once."""
    static = None if shown.static is None else shown.static(member)
    if static is None:
        yield OPTIMIZED_OUT
        return
    bits, location = static
    kind = strip(member.type)
    if _is_repeated(shown, kind, member, address_of(location)):
        yield "<same as static member of an already seen type>"
        return
    is_static = isinstance(kind, Struct) and kind.kind != "union"
    options = shown.options
    if is_static:  # as in GDB, its own fields are shown
        options = evolve(options, max_depth=max(options.max_depth, depth + 1))
    unknown = unknown_text(bits)
    if unknown is not None:
        yield unknown
        return
    whole = None
    if shown.resolver is not None and location is not None:
        whole = Whole(location, shown.resolver)
    inner = evolve(
        shown,
        object=ObjectBytes.of(bits, shown.object.endian),
        address=address_of(location),
        whole=whole,
        is_cut=False,
        bases=None,
        options=options,
        is_static=is_static,
    )
    yield from inner.value(member.type, 0, depth, letter)


def _is_repeated(shown: Shown, kind: Type | None, member: Member, address: int | None) -> bool:
    """Return whether a static member that may contain itself was shown, and note that it is."""
    statics = shown.statics
    if isinstance(kind, Array) and isinstance(element := strip(kind.element), Struct):
        is_repeated = element in statics.arrays
        statics.arrays[element] = None
        return is_repeated
    if isinstance(kind, Struct):
        key = member.entry if address is None else address
        is_repeated = key in statics.members
        statics.members[key] = None
        return is_repeated
    return False


def vector_pieces(
    shown: Shown, base: BaseType, count: int, first_bit: int, depth: int, letter: str | None
) -> Iterator[str]:
    """Yield a vector base type (DW_AT_LLVM_vector_size) as an array of numbers."""
    if count <= 0 or base.bit_size % count:
        yield "<error: vector of elements of unequal size>"
        return
    element = Base(evolve(base, bit_size=base.bit_size // count, vector_size=None))
    kind = Array(element, (count,), is_vector=True)
    yield from array_pieces(shown, kind, first_bit, depth, letter)


def array_pieces(
    shown: Shown, array_type: Array, first_bit: int, depth: int, letter: str | None
) -> Iterator[str]:
    """Yield `{1, 2, 3 <repeats 20 times>...}`, or a string if its elements are characters."""
    if (
        len(array_type.dimensions) > _DIMENSIONS
        or max(map(_count, array_type.dimensions), default=0) >> 64
    ):
        yield "<error: array of too many dimensions or elements>"
        return
    is_of_c = shown.options.style in WITH_TYPES_OF_C
    if array_type.indexes and array_type.lost_length is not None:
        yield OPTIMIZED_OUT
        return
    if not is_of_c and None in array_type.dimensions:  # C: as a pointer
        yield "<error reading variable: failed to get range bounds>"
        return
    element = array_type.element
    strides = strides_of(array_type, shown.size(element))
    counts = [_count(dimension) for dimension in array_type.dimensions] or [0]
    if array_type.is_vector and letter != "s":
        bare = strip(element)
        if isinstance(bare, Base) and character_kind(element, shown.options.style) is not None:
            element = evolve(bare, is_range=True)  # a number, not text
    is_value = _is_value(shown, array_type) and None not in array_type.dimensions
    is_pointer = not is_value and min(counts) <= 0  # whichever dimension has no element
    if not strides or is_pointer:
        has_rows = is_pointer and len(counts) > 1  # whose first one is no character
        row = Array(element, array_type.dimensions[1:]) if has_rows else element
        yield _without_elements(shown, row, counts[0], first_bit, letter, depth)
        return
    if shown.options.style == "fortran":
        text = None
        if len(counts) == 1:
            text = _string(shown, element, first_bit, counts[0], strides[0], letter)
        lower = array_type.lower_bounds or (0,) * len(counts)
        array = FortranArray(shown, element, counts, [*strides], lower, depth, letter)
        yield from array.pieces(first_bit) if text is None else (text,)
        return
    indexes = _indexes(shown, array_type, counts)
    is_shown = array_type.is_value or shown.options.style == "ada"
    has_values = is_shown and size_bits(element) == 0  # as `[(); 3]` of Rust, null records of Ada
    yield from _elements(
        shown, element, counts, [*strides], first_bit, depth, letter, indexes,
        has_values=has_values, is_counted=array_type.is_value,
        is_packed=_is_packed(shown, array_type),
    )  # fmt: skip


def _elements(
    shown: Shown,
    element: Type | None,
    counts: list[int],
    strides: list[int],
    first_bit: int,
    depth: int,
    letter: str | None,
    indexes: list[_Index],
    *,
    has_values: bool = False,
    is_counted: bool = False,
    is_packed: bool = False,
) -> Iterator[str]:
    """Format the elements of the first dimension. `has_values`: although they have no bits.
    `is_counted`: characters have no NUL behind the last one. `is_packed`: as in GDB, no line ends
    behind the last one."""
    count, stride = counts[0], strides[0]
    marks = _MARKS[shown.options.style]
    if count <= 0:
        yield _empty(shown, element, letter, depth)
        return
    has_rows = 0 in counts[1:] or _is_empty_value(shown, element)
    if not (stride or has_rows or has_values or shown.size(element)):
        yield _without_elements(shown, element, count, first_bit, letter, depth)
        return
    last = len(counts) == 1
    text = None
    if last:
        text = _string(shown, element, first_bit, count, stride, letter, is_counted=is_counted)
    if text is not None:
        yield text
        return
    is_text = (
        last and character_kind(element, shown.options.style) is not None
    )  # no level, even where it is numbers
    if depth >= _DEEPEST or (depth >= shown.options.max_depth and not is_text):
        yield f"{marks.first}...{marks.last}"
        return
    yield marks.first
    first, words = next(iter(indexes), (None, None))
    is_first_shown = words is not None and not shown.options.array_indexes  # else all of them
    if is_first_shown and words is not None and first is not None and not words.is_usual(first):
        yield f"{words.text(first)} => "
    margin = "\n" + "  " * (depth + 1) if shown.options.array else ""
    has_dynamic_elements = last and is_dynamic(element)
    parts: Parts = ()
    if count > shown.options.repeats:  # what is between elements is not compared
        parts = parts_of(counts[1:], strides[1:], min(shown.size(element), abs(strides[-1])))
    index = printed = 0
    while index < count and printed < shown.options.elements:
        start = first_bit + offset_bits(stride, count, index)
        if shown.is_cut and start + abs(stride) > shown.object.size_bits:
            break
        if index:
            yield "," if margin else ", "
        if margin or shown.options.array_indexes:
            yield margin + _index(shown, first, index, words)
        if not last:
            yield from _elements(
                shown, element, counts[1:], strides[1:], start, depth + 1, letter, indexes[1:],
                has_values=has_values, is_counted=is_counted, is_packed=is_packed,
            )  # fmt: skip
        elif has_dynamic_elements:
            yield from shown.guarded(_dynamic_element(shown, element, start, depth + 1, letter))
        else:
            yield from shown.value(element, start, depth + 1, letter)
        equal = 1
        if stride > 0 and count - index > shown.options.repeats:
            equal = shown.object.equal_neighbours(start, stride, count - index, parts)
        elif not stride:  # nothing is in any of the rows
            equal = count - index
        is_repeated = equal > shown.options.repeats
        if is_repeated:
            yield f" <repeats {equal} times>"
        index += equal if is_repeated else 1
        printed += shown.options.repeats if is_repeated else 1
    yield "..." if index < count else ""
    yield ("\n" + "  " * depth if margin and not is_packed else "") + marks.last


def _without_elements(
    shown: Shown, element: Type | None, count: int, first_bit: int, letter: str | None, depth: int
) -> str:
    """Format an empty array, or one with elements of size 0; C treats it as a pointer to its first
    one, with the characters that are there. As in GDB, it is a level of `set print max-depth`."""
    if count <= 0 and shown.options.style not in WITH_TYPES_OF_C:
        return _empty(shown, element, letter, depth)
    if depth >= shown.options.max_depth:
        return "{...}"
    byte_address = None if shown.address is None else shown.address + first_bit // 8
    kind = character_kind(element, shown.options.style)
    if byte_address is None:  # of characters: a literal of Rust
        return "{}" if kind is None else shown.quoted(b"", kind, is_cut=False, has_length=True)
    text = shown.printed_address(byte_address, symbol=shown.options.symbol)
    if kind is None or shown.read_memory is None or letter not in (None, "s"):
        return text
    from dwarfgpu.view.pointers import pointed_string  # few arrays are of unknown length

    return f"{text} {pointed_string(shown, byte_address, 0, kind)}".lstrip()


def _is_packed(shown: Shown, array_type: Array) -> bool:
    """Return whether it is an array of Ada with a stride in bits, which the compiler gives to those
    that may be packed; one in bytes is for elements with padding."""
    if shown.options.style != "ada" or not array_type.strides_bits:
        return False
    stride = array_type.strides_bits[-1]
    return stride is not None and stride <= shown.size(array_type.element)


def _is_value(shown: Shown, array_type: Array) -> bool:
    """Return whether an array is shown by its elements, also if it has none."""
    return shown.options.style != "c" or array_type.is_value


def _is_empty_value(shown: Shown, type_: Type | None) -> bool:
    """Return whether a type is an array without elements, or one of these, shown as that."""
    bare = strip(type_)
    empty = empty_array(bare) if isinstance(bare, Array) else None
    return empty is not None and _is_value(shown, empty)


def _empty(shown: Shown, element: Type | None, letter: str | None, depth: int) -> str:
    """Format an array that is known to have no elements."""
    kind, marks = character_kind(element, shown.options.style), _MARKS[shown.options.style]
    if kind is not None and (letter in (None, "s", "r") or shown.options.style == "fortran"):
        return shown.quoted(b"", kind, is_cut=False)
    is_level = kind is None and depth >= shown.options.max_depth
    return f"{marks.first}{'...' if is_level else ''}{marks.last}"


def _indexes(shown: Shown, array_type: Array, counts: list[int]) -> list[_Index]:
    """Return the indexes of each dimension, as far as they are shown."""
    lower = array_type.lower_bounds or (0,) * len(counts)
    style, is_shown = shown.options.style, shown.options.array_indexes
    if style != "ada" and not (style == "pascal" and is_shown):
        return [(first, None) for first in lower] if is_shown else []
    from dwarfgpu.dwarf.names.fortran_ada import indexes_of  # few arrays are of Ada or Pascal

    return [(first, indexes_of(array_type, number)) for number, first in enumerate(lower)]


def _index(shown: Shown, first: int | None, index: int, words: Indexes | None) -> str:
    """Return `[2] = ` before an element, in Ada `red => `, if so requested."""
    if not shown.options.array_indexes:
        return ""
    index += first or 0
    if words is None:
        return f"[{index}] = "
    if shown.options.style == "pascal":
        from dwarfgpu.view.pascal_indexes import pascal_index  # few programs

        return f"[{pascal_index(words.kind, index)}] = "
    return f"{words.value_text(index)} => "


def _dynamic_element(
    shown: Shown, element: Type | None, first_bit: int, depth: int, letter: str | None
) -> Iterator[str]:
    """Yield an element with a shape of its own."""
    whole = shown.required(element)
    element_object = whole.resolver.resolved(element, whole.part(first_bit), whole.around)
    yield from shown.placed(element_object, whole.around, depth, letter)


def _string(
    shown: Shown,
    element: Type | None,
    first_bit: int,
    count: int,
    stride: int,
    letter: str | None,
    *,
    is_counted: bool = False,
) -> str | None:
    """Return the array as a string, if it is one of characters that are all known."""
    is_asked_for = letter == "s" and shown.options.style == "pascal"  # also of bytes, as in GDB
    kind = character_kind(element, shown.options.style, is_text=is_asked_for)
    # In Fortran GDB prints a string as text whatever the letter.
    is_text = letter in (None, "s", "r") or shown.options.style == "fortran"
    if kind is None or stride != 8 * kind.unit_bytes or not is_text:
        return None
    is_cut = shown.is_cut and first_bit + count * stride > shown.object.size_bits
    if is_cut:
        count = max(0, shown.object.size_bits - first_bit) // stride
    data = shown.object.known_bytes(first_bit, count * stride)
    return None if data is None else shown.quoted(data, kind, is_cut=is_cut, is_counted=is_counted)


def _count(dimension: int | None) -> int:
    """Return the number of elements of a dimension: 0 if unknown or invalid."""
    return max(dimension or 0, 0)
