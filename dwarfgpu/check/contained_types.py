"""What types contain by value: members outside of their structure, and types that contain
themselves (DWARF 5 5.3, 5.5, 5.7).

Law: a pointer, a reference, a function or a static member contains nothing, so that recursive data
structures are right. What other units define is followed by `contained_beyond`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.check.contained_beyond import BEYOND, Beyond, LeadingOut, leading_out
from dwarfgpu.check.entry_chains import TYPES_OF_ONE, closing_edges
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.forms import FORMS, Raw
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.computed_attributes import constant_offset
from dwarfgpu.dwarf.types.type_entries import QUALIFIERS
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import MAX_CHAIN
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, counted

_RECORDS: Final = frozenset(
    {dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE, dw.TAG_UNION_TYPE, dw.TAG_INTERFACE_TYPE}
)
_OTHER_NAMES: Final = dw.TYPEDEFS | QUALIFIERS.keys()
_PARTS: Final = frozenset({dw.TAG_MEMBER, dw.TAG_INHERITANCE})
_VARIANTS: Final = frozenset({dw.TAG_VARIANT_PART, dw.TAG_VARIANT})
_READ: Final = _RECORDS | TYPES_OF_ONE | _PARTS | {dw.TAG_BASE_TYPE, dw.TAG_POINTER_TYPE}
_OF_BEGIN: Final = ("constant", "exprloc", "block")
"""Classes of DW_AT_data_member_location."""
_UNKNOWN: Final = -1
_MOST: Final = 1 << 60
"""Of offsets in bits and of sizes."""
_LONGEST_CHAIN: Final = 64
_IN_CIRCLE: Final = -(1 << 40)
"""Instead of how many types are below one that leads to a circle: there are fewer entries."""


@frozen
class TypeFault:
    """A type that cannot be as its entry says."""

    index: int
    """Of the entry in its unit."""
    message: str


@define(eq=False)
class ContainedTypes:
    """The types of one unit that contain others; by offsets in the unit."""

    unit: CompilationUnit
    without_types: set[Abbreviation] = field(init=False, factory=set)
    """The abbreviations whose entries `add` does not need."""
    _shapes: dict[Abbreviation, _Shape] = field(init=False, factory=dict)
    """Of the others."""
    _sizes: dict[int, int] = field(init=False, factory=dict)
    """Sizes in bytes that types have themselves, then also those that were computed."""
    _records: dict[int, int] = field(init=False, factory=dict)
    """The entries of structures, by their indexes."""
    _of_one: dict[int, int] = field(init=False, factory=dict)
    """The type that a type consists of."""
    _parts: array[int] = field(init=False, factory=lambda: array("q"))
    """Four numbers of each part of a structure: the index of its entry, its type, where it begins
    in bits, and how many bits it has."""
    _beyond: dict[int, list[Beyond]] = field(init=False, factory=dict)
    """The type of another unit that a type consists of, and in the end those of the parts of a
    structure."""
    _parts_beyond: dict[int, Beyond] = field(init=False, factory=dict)
    """The type of another unit that a part of a structure has, by the index of its entry."""
    _holders: dict[int, int] = field(init=False, factory=dict)
    """The entries of structures that have variants, by those of the variants."""
    leading_out: LeadingOut | None = field(init=False, default=None)
    """What leads out of the unit, if anything does, after `faults`."""

    def add(
        self, index: int, offset: int, abbreviation: Abbreviation, values: Sequence[Raw]
    ) -> None:
        """Read an entry."""
        shape = self._shapes.get(abbreviation) or _shape_of(abbreviation)
        if shape is None:
            self.without_types.add(abbreviation)
            return
        self._shapes[abbreviation] = shape
        offset -= self.unit.offset
        target = _number(values, shape.type)
        beyond = None if shape.form is None else (shape.form, _number(values, shape.beyond))
        if shape.tag in _PARTS:
            if beyond is not None:
                self._parts_beyond[index] = beyond
            begin = _begin(values, shape.begin)
            if begin != _UNKNOWN and not shape.is_in_bits:
                begin *= 8
            self._parts.extend((index, target, min(begin, _MOST), _number(values, shape.bits)))
            return
        if shape.size is not None:
            self._sizes[offset] = _number(values, shape.size)
        if shape.tag in _RECORDS:
            self._records[index] = offset
        elif shape.tag in TYPES_OF_ONE and beyond is not None:
            self._beyond[offset] = [beyond]
        elif shape.tag in TYPES_OF_ONE and target != _UNKNOWN:
            self._of_one[offset] = target

    def faults(self) -> Iterator[TypeFault]:
        """Yield the faults, at most one for each structure, after all entries were read."""
        if not (self._shapes or self._records):
            return
        contained = {offset: [target] for offset, target in self._of_one.items()}
        contained |= {offset: [] for offset in self._records.values()}
        beyond = self._beyond
        faulty = set[int]()
        tree = self.unit.tree
        parts = self._parts
        for first in range(0, len(parts), 4):
            index, target, begin, bits = parts[first : first + 4]
            above = self._holder(index)
            record = self._records.get(above)
            if record is None:
                continue
            if index in self._parts_beyond:
                beyond.setdefault(record, []).append(self._parts_beyond[index])
            elif target in contained or target in beyond:
                contained[record].append(target)
            size = self._sizes.get(record, _UNKNOWN)
            if size == _UNKNOWN or record in faulty:
                continue
            if begin == _UNKNOWN and tree.abbreviations[above].tag == dw.TAG_UNION_TYPE:
                begin = 0
            message = self._outside(index, target, begin, bits, size)
            if message is not None and not self._is_partial(above, begin, size):
                faulty.add(record)
                yield TypeFault(above, message)
        if beyond:
            records = frozenset(self._records.values())
            self.leading_out = leading_out(self.unit, contained, beyond, records)
        for _, offset in closing_edges(contained):
            index_of_type = tree.find(self.unit.offset + offset)
            if index_of_type is not None:
                yield TypeFault(index_of_type, "the type contains itself")

    def unread_chain(self) -> LimitExceeded | None:
        """Return that types have chains of others below them that are longer than what is read;
        None if none has, or only circles, which are faults."""
        of_one = self._of_one
        inner = of_one.keys() & of_one.values()
        if len(inner) < MAX_CHAIN:  # nearly always
            return None
        links = dict[int, int]()
        for start in inner:
            passed, offset = list[int](), start
            while offset in of_one and offset not in links:
                links[offset] = _IN_CIRCLE
                passed.append(offset)
                offset = of_one[offset]
            count = links.get(offset, 0)
            for above in reversed(passed):
                links[above] = count = count + 1
        unread = [offset for offset in of_one if links.get(of_one[offset], 0) >= MAX_CHAIN]
        if not unread:
            return None
        unit = self.unit
        which = f"the type at offset {unit.offset + unread[0]:#x} of {unit.section}"
        more = f" and {counted(len(unread) - 1, 'other')} have" if unread[1:] else " has"
        return LimitExceeded(
            f"{which}{more} more than {MAX_CHAIN:,} types in a chain below: they are not read to "
            "the end"
        )

    def _holder(self, part: int) -> int:
        """Return the entry that has a part of a structure, itself or in its variants."""
        tree, passed = self.unit.tree, list[int]()
        above = tree.parents[part]
        while above >= 0 and tree.abbreviations[above].tag in _VARIANTS:
            if above in self._holders:
                above = self._holders[above]
                break
            passed.append(above)
            above = tree.parents[above]
        self._holders.update(dict.fromkeys(passed, above))
        return above

    def _outside(self, index: int, target: int, begin: int, bits: int, size: int) -> str | None:
        """Return why a part of a structure does not end within its size in bytes; None if it does,
        or if that is unknown.

        A base class ends where it begins: its virtual base classes are in its size, but elsewhere.
        """
        if begin == _UNKNOWN:
            return None
        is_base = self.unit.tree.abbreviations[index].tag == dw.TAG_INHERITANCE
        if is_base:
            bits = 0
        elif bits == _UNKNOWN:
            bits = 8 * self._size_of(target)
        end = begin + bits
        if bits < 0 or end <= 8 * size or not (bits or is_base):
            return None
        try:
            name = self.unit.die(index).name
        except DwarfGpuError:
            name = None
        title = ("base class" if is_base else "member") + (f" {name}" if name else "")
        where = f"bit {end}" if end % 8 else f"byte {end // 8}"
        verb = "begins" if is_base else "ends"
        return f"the {title} {verb} at {where} of a type of {counted(size, 'byte')}"

    def _is_partial(self, record: int, begin: int, size: int) -> bool:
        """Return whether the size of a structure excludes what the language measures at run time.

        In Rust that is a last field without a size: rustc describes one element, which begins at
        the end, but for padding. In Ada it is each component of a record whose name has `___XVE`,
        and of a union with `___XVU`.
        """
        unit = self.unit
        try:
            if unit.language in dw.ADA:
                from dwarfgpu.dwarf.types.gnat_encodings import has_measured_parts

                return has_measured_parts(unit.die(record))
            if unit.language != dw.LANG_RUST:
                return False
            alignment = unit.die(record).integer(dw.AT_ALIGNMENT) or 1
        except DwarfGpuError:
            return False
        return 0 <= 8 * size - begin < 8 * alignment

    def _size_of(self, offset: int) -> int:
        """Return the size of a type in bytes; -1 if unknown."""
        passed: list[int] = []
        while offset not in self._sizes:
            passed.append(offset)
            target = self._of_one.get(offset)
            if target is None or len(passed) == _LONGEST_CHAIN or not self._is_other_name(offset):
                self._sizes[offset] = self._built_size(offset)
            else:
                offset = target
        size = self._sizes[offset]
        self._sizes.update(dict.fromkeys(passed, size))
        return size

    def _built_size(self, offset: int) -> int:
        try:
            built = types_of(self.unit).build(self.unit.die_at(self.unit.offset + offset))
            size = size_bytes(built)
        except DwarfGpuError:
            size = None
        return _UNKNOWN if size is None else size

    def _is_other_name(self, offset: int) -> bool:
        index = self.unit.tree.find(self.unit.offset + offset)
        return index is not None and self.unit.tree.abbreviations[index].tag in _OTHER_NAMES


@frozen
class _Shape:
    """Where the values of an abbreviation are that matter; None for those that it does not have, or
    has in another form."""

    tag: int
    type: int | None
    form: int | None
    """Of a type in another unit."""
    beyond: int | None
    size: int | None
    begin: int | None
    bits: int | None
    is_in_bits: bool


def _shape_of(abbreviation: Abbreviation) -> _Shape | None:
    names = abbreviation.positions
    if abbreviation.tag not in _READ:
        return None
    if abbreviation.tag in _PARTS and {dw.AT_EXTERNAL, dw.AT_DECLARATION} & names.keys():
        return None  # a static member
    # A bit field in a storage unit, which may exceed the structure, or a virtual base class.
    is_elsewhere = dw.AT_BIT_OFFSET in names or dw.AT_VIRTUALITY in names
    is_in_bits = dw.AT_DATA_BIT_OFFSET in names
    begin = dw.AT_DATA_BIT_OFFSET if is_in_bits else dw.AT_DATA_MEMBER_LOCATION
    form = abbreviation.attributes[names[dw.AT_TYPE]].form if dw.AT_TYPE in names else None
    return _Shape(
        abbreviation.tag,
        _position(abbreviation, dw.AT_TYPE, "unit_reference"),
        form if form in BEYOND else None,
        names.get(dw.AT_TYPE) if form in BEYOND else None,
        _position(abbreviation, dw.AT_BYTE_SIZE, "constant"),
        None if is_elsewhere else _position(abbreviation, begin, *_OF_BEGIN),
        _position(abbreviation, dw.AT_BIT_SIZE, "constant"),
        is_in_bits,
    )


def _position(abbreviation: Abbreviation, name: int, *kinds: str) -> int | None:
    """Return the position of an attribute among the values; None if it is of no such class."""
    position = abbreviation.positions.get(name)
    if position is None:
        return None
    form = abbreviation.attributes[position].form
    return position if form in FORMS and FORMS[form][0] in kinds else None


def _begin(values: Sequence[Raw], position: int | None) -> int:
    """Return where a part begins: a number, or an expression that is one, as before DWARF 4."""
    value = None if position is None else values[position]
    if not isinstance(value, bytes):
        return _number(values, position)
    offset = constant_offset(value)
    return _UNKNOWN if offset is None else min(offset, _MOST)


def _number(values: Sequence[Raw], position: int | None) -> int:
    value = _UNKNOWN if position is None else values[position]
    return min(value, _MOST) if isinstance(value, int) and value >= 0 else _UNKNOWN
