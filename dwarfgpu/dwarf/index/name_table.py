"""One name index of `.debug_names`: header, abbreviations, hash table (DWARF 5 6.1.1.4).

Law: every table lies inside the index, or the index is `Malformed`; entries are read on demand.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import compress
from sys import byteorder
from typing import Final, Literal

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import FORMS, Attribute, WordReader, indirect_form, reader_of
from dwarfgpu.dwarf.unit_header import initial_length
from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported
from dwarfgpu.expr.context import UnitFormat

IDX_COMPILE_UNIT: Final = 1
IDX_TYPE_UNIT: Final = 2
IDX_DIE_OFFSET: Final = 3
IDX_PARENT: Final = 4
IDX_TYPE_HASH: Final = 5

MAX_ENTRIES: Final = 1_000_000
"""Maximum for one question: a hostile index gives every name the same long list."""

_VERSION: Final = 5
_DOTLESS_AND_DOTTED_I: Final = "\u0130\u0131"


def folded(name: str) -> str:
    """Return a name in simple case folding of Unicode, with both odd i as i (DWARF 5 6.1.1.4.5)."""
    return name.lower() if name.isascii() else "".join(map(_folded_character, name))


def _folded_character(character: str) -> str:
    if character in _DOTLESS_AND_DOTTED_I:
        return "i"
    for simple in (character.casefold(), character.lower()):
        if len(simple) == 1:
            return simple
    return character


def name_hash(name: str) -> int:
    """Return the hash of a name, the same in upper and lower case (DWARF 5 7.33)."""
    number = 5381
    for byte in folded(name).encode("utf-8", "replace"):
        number = number * 33 + byte & 0xFFFFFFFF
    return number


@frozen
class NameAbbreviation:
    """The shape of entries of one code."""

    code: int
    tag: int
    attributes: tuple[tuple[int, int], ...]
    """DW_IDX code and form of each."""


@frozen
class NameEntry:
    """What an index says of one entry of `.debug_info`."""

    offset: int
    """Bytes from the start of the entry pool."""
    tag: int
    unit: int | None
    """Index in the list of compilation units."""
    type_unit: int | None
    """Index in the lists of type units, local ones before foreign ones."""
    die_offset: int | None
    """Bytes from the start of the unit."""
    parent: int | Literal["not indexed"] | None
    """Offset of the parent's entry in the entry pool; None if the index does not have it."""
    type_hash: int | None
    other_values: tuple[tuple[int, Attribute], ...]
    """Values with other DW_IDX codes, by code."""


@frozen
class NameHeader:
    """The numbers of a header (DWARF 5 6.1.1.4.1) and where the tables are in `.debug_names`."""

    offset: int
    end: int
    format: UnitFormat
    augmentation: str
    unit_count: int
    local_type_unit_count: int
    foreign_type_unit_count: int
    bucket_count: int
    name_count: int
    units_at: int
    local_type_units_at: int
    foreign_type_units_at: int
    buckets_at: int
    hashes_at: int
    strings_at: int
    entries_at: int
    """The table of the offset of each name's entries."""
    abbreviations_at: int
    pool_at: int


def read_name_header(data: bytes, offset: int, endian_format: UnitFormat) -> NameHeader:
    """Return the header of the index at an offset; `Malformed` where its tables do not fit into
    it."""
    reader = Reader(data, endian_format.endian, offset)
    length, offset_size = initial_length(reader)
    if length > reader.remaining_bytes:
        raise Malformed(f"length {length:#x} reaches beyond the section")
    reader = Reader(data, reader.endian, reader.position, reader.position + length)
    version = reader.unsigned(2)
    if version != _VERSION:
        raise Unsupported(f"name index of version {version}")
    reader.unsigned(2)
    units, local, foreign, buckets, names, abbreviation_bytes = (
        reader.unsigned(4) for _ in range(6)
    )
    augmentation_bytes = reader.unsigned(4)
    # The size counts what pads the string to four bytes; some producers leave that out.
    augmentation = reader.take(augmentation_bytes)
    reader.take(-augmentation_bytes % 4)
    unit_list = _table(reader, units, offset_size)
    local_list = _table(reader, local, offset_size)
    foreign_list = _table(reader, foreign, 8)
    bucket_list = _table(reader, buckets, 4)
    # Without buckets there are no hashes either.
    hash_list = _table(reader, names if buckets else 0, 4)
    string_list = _table(reader, names, offset_size)
    entry_list = _table(reader, names, offset_size)
    abbreviation_list = _table(reader, abbreviation_bytes, 1)
    form = UnitFormat(endian_format.address_size, offset_size, _VERSION, reader.endian)
    text = augmentation.rstrip(b"\0").decode("utf-8", "backslashreplace")
    return NameHeader(
        offset, reader.end, form, text, units, local, foreign, buckets, names, unit_list,
        local_list, foreign_list, bucket_list, hash_list, string_list, entry_list,
        abbreviation_list, reader.position,
    )  # fmt: skip


def _table(reader: Reader, count: int, entry_bytes: int) -> int:
    """Return where a table starts; it is passed over."""
    start, size_bytes = reader.position, count * entry_bytes
    if size_bytes > reader.remaining_bytes:
        raise Malformed(f"table of {size_bytes:#x} bytes reaches beyond the name index")
    reader.position += size_bytes
    return start


@frozen(eq=False, slots=False)
class NameTable:
    """One name index."""

    data: bytes = field(repr=False)
    """The bytes of the section."""
    header: NameHeader

    def _number(self, offset: int, index: int, size_bytes: int) -> int:
        start = offset + index * size_bytes
        return int.from_bytes(self.data[start : start + size_bytes], self.header.format.endian)

    def unit_offset(self, index: int) -> int:
        """Return the offset in `.debug_info` of a unit of the list."""
        if not 0 <= index < self.header.unit_count:
            raise Malformed(f"unit {index} of the {self.header.unit_count} of the name index")
        return self._number(self.header.units_at, index, self.header.format.offset_size)

    def type_unit_offset(self, index: int) -> int | None:
        """Return the offset in `.debug_info` of a type unit; None for a foreign one, and for one
        that a linker dropped because another object has the same: LLD leaves the highest offset."""
        h = self.header
        if index < h.local_type_unit_count:
            size_bytes = h.format.offset_size
            offset = self._number(h.local_type_units_at, index, size_bytes)
            return None if offset == (1 << 8 * size_bytes) - 1 else offset
        self.type_signature(index)
        return None

    def type_signature(self, index: int) -> int:
        """Return the signature of a foreign type unit."""
        h = self.header
        foreign = index - h.local_type_unit_count
        if not 0 <= foreign < h.foreign_type_unit_count:
            raise Malformed(f"type unit {index} is not in any list of the name index")
        return self._number(h.foreign_type_units_at, foreign, 8)

    def string_offset(self, name: int) -> int:
        """Return the offset in `.debug_str` of a name; names are counted from 0."""
        return self._number(self.header.strings_at, name, self.header.format.offset_size)

    def hash_of(self, name: int) -> int | None:
        """Return the hash that the index gives a name; None if it has no hashes."""
        has_hashes = self.header.bucket_count > 0
        return self._number(self.header.hashes_at, name, 4) if has_hashes else None

    def bucket(self, index: int) -> int:
        """Return the first name of a bucket, counted from 1; 0 for an empty one."""
        return self._number(self.header.buckets_at, index, 4)

    def buckets(self) -> array[int]:
        """Return the first name of every bucket, counted from 1; 0 for an empty one."""
        return self._numbers(self.header.buckets_at, self.header.bucket_count, 4)

    def _numbers(self, start: int, count: int, size_bytes: int) -> array[int]:
        numbers = array("Q" if size_bytes == 8 else "I")
        numbers.frombytes(self.data[start : start + count * size_bytes])
        if self.header.format.endian != byteorder:
            numbers.byteswap()
        return numbers

    def names_at(self, is_wanted: Callable[[int], bool]) -> Iterator[int]:
        """Yield the names, counted from 0, whose offset in `.debug_str` is a wanted one; all are
        compared."""
        h = self.header
        offsets = self._numbers(h.strings_at, h.name_count, h.format.offset_size)
        yield from compress(range(h.name_count), map(is_wanted, offsets))

    def candidates(self, hash: int, count: Callable[[], None]) -> Iterator[int]:
        """Yield the names with that hash, counted from 0, of an index with buckets. `count` is
        called for each name that is read."""
        h = self.header
        bucket = hash % h.bucket_count
        name = self.bucket(bucket) - 1
        while 0 <= name < h.name_count:
            count()
            stored_hash = self._number(h.hashes_at, name, 4)
            if stored_hash % h.bucket_count != bucket:
                return
            if stored_hash == hash:
                yield name
            name += 1

    @cached_property
    def abbreviations(self) -> dict[int, NameAbbreviation]:
        """The abbreviation table, by code."""
        h = self.header
        reader = WordReader(self.data, h.format.endian, h.abbreviations_at, h.pool_at)
        table: dict[int, NameAbbreviation] = {}
        while reader and (code := reader.uleb()):
            tag = reader.uleb()
            attributes: list[tuple[int, int]] = []
            while (pair := (reader.uleb(), reader.uleb())) != (0, 0):
                attributes.append(pair)
            if code in table:
                raise Malformed(f"abbreviation {code} of the name index is declared twice")
            table[code] = NameAbbreviation(code, tag, tuple(attributes))
        return table

    def entries(self, name: int) -> Iterator[NameEntry]:
        """Yield the entries of a name."""
        h = self.header
        position = self._number(h.entries_at, name, h.format.offset_size)
        for _ in range(MAX_ENTRIES):
            record = self._read(position)
            if record is None:
                return
            entry, position = record
            yield entry
        raise LimitExceeded(f"a name has more than {MAX_ENTRIES} entries")

    def entry_at(self, offset: int) -> NameEntry | None:
        """Return the entry at an offset of the entry pool; None for the end of a list."""
        record = self._read(offset)
        return None if record is None else record[0]

    def _read(self, offset: int) -> tuple[NameEntry, int] | None:
        """Return the entry at an offset of the pool and where the next one is; None at a list's
        end."""
        h = self.header
        if h.pool_at + offset >= h.end:
            raise Malformed(f"entry {offset:#x} is outside the entry pool of the name index")
        reader = WordReader(self.data, h.format.endian, h.pool_at + offset, h.end)
        code = reader.uleb()
        if not code:
            return None
        abbreviation = self.abbreviations.get(code)
        if abbreviation is None:
            raise Malformed(f"entry {offset:#x} of the name index has unknown abbreviation {code}")
        values = tuple((kind, _value(reader, form, h)) for kind, form in abbreviation.attributes)
        return _entry(offset, abbreviation.tag, values), reader.position - h.pool_at


def _value(reader: Reader, form: int, header: NameHeader) -> Attribute:
    if form == dw.FORM_INDIRECT:
        form, reader.position = indirect_form(reader.data, reader.position, reader.end)
    if form == dw.FORM_IMPLICIT_CONST:
        raise Malformed("DW_FORM_implicit_const in a name index: it has no place for the value")
    raw, reader.position = reader_of(form, header.format)(reader.data, reader.position, reader.end)
    return Attribute(form, FORMS[form][0], raw)


def _entry(offset: int, tag: int, values: tuple[tuple[int, Attribute], ...]) -> NameEntry:
    named: dict[int, Attribute] = {}
    skipped: list[tuple[int, Attribute]] = []
    for kind, value in values:
        if IDX_COMPILE_UNIT <= kind <= IDX_TYPE_HASH and kind not in named:
            named[kind] = value
        else:
            skipped.append((kind, value))
    parent = named.get(IDX_PARENT)
    if parent is not None and parent.form == dw.FORM_FLAG_PRESENT:
        above: int | Literal["not indexed"] | None = "not indexed"
    else:
        above = _integer(named, IDX_PARENT)
    return NameEntry(
        offset,
        tag,
        _integer(named, IDX_COMPILE_UNIT),
        _integer(named, IDX_TYPE_UNIT),
        _integer(named, IDX_DIE_OFFSET),
        above,
        _integer(named, IDX_TYPE_HASH),
        tuple(skipped),
    )


def _integer(named: dict[int, Attribute], kind: int) -> int | None:
    value = named.get(kind)
    if value is None:
        return None
    if not isinstance(value.raw, int) or value.raw < 0:
        raise Malformed(f"DW_IDX {kind:#x} of a name index is not a number")
    return value.raw
