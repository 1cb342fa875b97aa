"""Symbol tables (System V ABI, "Symbol Table").

Law: entries become `Symbol` objects on demand; a look-up by name or address makes one.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from itertools import count
from re import Pattern
from struct import Struct
from typing import Final, Literal, overload

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.errors import LimitExceeded, shortened
from dwarfgpu.objfile.elf_structures import (
    RESERVED_BELOW_ZERO,
    SHN_LORESERVE,
    SHN_XINDEX,
    SHT_SYMTAB_SHNDX,
    Section,
)
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.objfile.string_table import StringTable

SymbolKind = Literal["function", "object", "thread_local", "other"]
_INDIRECT: Final = 10
_KINDS: Final[dict[int, SymbolKind]] = {
    1: "object", 2: "function", 6: "thread_local", _INDIRECT: "function",
}  # fmt: skip
_AT_ADDRESSES: Final = _KINDS.keys() - {6}
"""The value of a thread-local symbol is an offset in the thread-local storage of the file (System V
ABI, "Symbol Values"), not an address."""
SHN_ABS: Final = 0xFFF1 - RESERVED_BELOW_ZERO
"""Values that no loading changes (System V ABI, "Special Section Indexes")."""
UNKNOWN_SECTION: Final = SHN_XINDEX - RESERVED_BELOW_ZERO
"""SHT_SYMTAB_SHNDX should have the number of the section, and has not."""
DESCRIPTOR_SUFFIX: Final = ".kd"
"""How the names of kernel descriptors end (AMDGPU usage, "Code Object Symbols")."""
_MAX_KEPT: Final = 1_000
"""Names whose symbols are kept."""
_MAX_KEPT_SYMBOLS: Final = 16
"""Of a name with more, they are searched for again."""
_FEW_NAMES: Final = 4
"""Names that are looked for one by one, each in a pass over the bytes of the table."""
_MAX_MISSES: Final = 1_000
"""How often the bytes of a name's offset may be in other fields of a table."""
_MAX_KEPT_TABLE: Final = 1 << 16
"""Symbols of a table that are kept; those of a larger one are made anew for each pass."""
_MAX_COMPARED: Final = 4096
"""Bytes of names that choose between symbols of one address."""
_MAX_SCANS: Final = 4
"""Addresses that are looked for in the unsorted table: sorting it takes as long as five do."""
_MAX_STEPS: Final = 8
"""Addresses of symbols without names, or of other kinds, that are passed over before the table is
sorted."""
_NO_LABELS: Final = (b"\0", b".L", b"$L")
"""How names begin that name nothing for a person: those of compilers, as in GDB."""
MARKS: Final = {
    "AARCH64": pattern(r"\$[xdmfp](?:\..*)?"),
    "ARM": pattern(r"\$[adtmfp](?:\..*)?"),
    "RISCV": pattern(r"\$(?:[xd]|xrv[^.]*)(?:\..*)?"),
}
"""By machine, the names of the symbols, without a type or thread-local, that say what is code
("ELF for the Arm Architecture", mapping symbols), and of older marks of Arm's tools."""


@frozen
class Symbol:
    """One entry of a symbol table."""

    name: str
    address: int
    size_bytes: int
    kind: SymbolKind
    section: int
    """Index of its section; 0 for a symbol that is not defined here; for the reserved indices less
    than 0, of 16 bits: SHN_ABS is -15."""
    is_local: bool = False
    """Whether other files cannot mean it (STB_LOCAL)."""
    is_protected: bool = False
    """Whether references in its own file are to it, whatever others define (STV_PROTECTED)."""
    is_hidden: bool = False
    """Whether other files cannot mean it although it is not local (STV_HIDDEN)."""
    is_indirect: bool = False
    """Whether its code only chooses the function to be called (STT_GNU_IFUNC)."""
    is_mark: bool = False
    """Whether it says what is code, in files for Arm and RISC-V, and names nothing."""

    @property
    def is_in_section(self) -> bool:
        """Whether it is an address of the file, not an absolute number or of another kind."""
        return self.section > 0 or self.section == UNKNOWN_SECTION

    @property
    def is_absolute(self) -> bool:
        """Whether it is a number that a linker or an assembler was given, wherever the file is
        loaded."""
        return self.section == SHN_ABS


def wide(row: tuple[int, ...]) -> tuple[int, ...]:
    """Return the fields of a 32-bit symbol in the 64-bit order."""
    name, address, size, info, visibility, index = row
    return name, info, visibility, index, address, size


class SymbolTable(OfOpenFile):
    """The entries of one table."""

    def __init__(
        self,
        data: bytes,
        names: StringTable,
        form: Struct,
        address_bits: int,
        bases: Collection[int | None],
        section_numbers: Sequence[int] = (),
        not_in_memory: Set[int] = frozenset(),
        *,
        marks: Pattern[str] | None = None,
    ) -> None:
        """`bases`: added to the values of the symbols of each section; None where these are not
        addresses. `section_numbers`: of the symbols whose fields are too small (SHT_SYMTAB_SHNDX),
        by the number of the symbol. `not_in_memory`: the sections of symbols that are offsets in
        them, which no question about names and addresses finds. `marks`: how the symbols are
        called that say what is code (`Symbol.is_mark`)."""
        self._data = data[: len(data) - len(data) % form.size]
        self._names = names
        self._form = form
        self._is_wide = address_bits == 64
        self._mask = (1 << address_bits) - 1
        self._bases = tuple(bases)
        self._section_numbers = section_numbers
        self._not_in_memory = not_in_memory
        self._marks = marks
        self._is_plain = not self._bases and not section_numbers
        """Whether no question needs more than the field of a section."""
        self._named = KeptAnswers[tuple[object, ...], tuple[Symbol, ...]](_MAX_KEPT)
        """The symbols of names that were searched for; the table never changes."""
        self._endings: dict[str, array[int]] = {}
        """The numbers of the symbols whose names end with a text."""
        self._absent: bytes | None = None
        """The text searched for last that no name contains: names that contain it are absent."""
        self._remaining = _MAX_SCANS
        """How often an address is searched for before all addresses are sorted."""
        self._remaining_covered = _MAX_SCANS
        """How often symbols that cover an address are searched for before these are sorted."""
        self._chosen: dict[int, int] = {}
        """The symbol that names an address, keyed by where the address ends in `_by_address`."""

    def _rows(self) -> Iterator[tuple[int, ...]]:
        """Name, info, other, section, value and size of each."""
        rows: Iterable[tuple[int, ...]] = self._form.iter_unpack(self._data)
        rows = rows if self._is_wide else map(wide, rows)
        return iter(rows) if self._is_plain else map(self._with_section, count(), rows)

    def _with_section(self, number: int, row: tuple[int, ...]) -> tuple[int, ...]:
        """Return the fields of a symbol with the number of its section, as `Symbol` has it."""
        name, info, other, section, value, size_bytes = row
        if section < SHN_LORESERVE:
            return row
        if section == SHN_XINDEX and number < len(self._section_numbers):
            section = self._section_numbers[number]
        else:
            section -= RESERVED_BELOW_ZERO
        return name, info, other, section, value, size_bytes

    def _symbol(self, row: tuple[int, ...]) -> Symbol:
        name, info, other, section, value, size_bytes = row
        kind = _KINDS.get(info & 15, "other")
        if self._is_plain and section >= SHN_LORESERVE:
            section -= RESERVED_BELOW_ZERO
        address, is_indirect = self.address(section, value), info & 15 == _INDIRECT
        name_text, is_local, is_protected = self._names.at(name), not info >> 4, other & 3 == 3
        is_hidden = other & 3 == 2
        marks = self._marks if kind in ("other", "thread_local") else None
        is_mark = marks is not None and marks.fullmatch(name_text) is not None
        return Symbol(
            name_text, address, size_bytes, kind, section, is_local, is_protected, is_hidden,
            is_indirect, is_mark,
        )  # fmt: skip

    def address(self, section: int, value: int) -> int:
        """Return the address of a symbol from the number of its section and its value."""
        base = self._bases[section] if 0 <= section < len(self._bases) else None
        return value if base is None else value + base & self._mask

    def _has_address(self, section: int) -> bool:
        """Return whether the value of a symbol of a section is an address, or a number."""
        if 0 <= section < len(self._bases):
            return self._bases[section] is not None
        return section != UNKNOWN_SECTION or not self._bases

    @cached_property
    def symbols(self) -> Sequence[Symbol]:
        """All of them."""
        symbols = _Symbols(self)
        return tuple(symbols) if len(symbols) <= _MAX_KEPT_TABLE else symbols

    def __len__(self) -> int:
        return len(self._data) // self._form.size

    def __iter__(self) -> Iterator[Symbol]:
        return map(self._symbol, self._rows())

    def symbol(self, number: int) -> Symbol:
        """Return the entry with a number."""
        return self._symbol(self._row(number))

    def named(
        self,
        name: str,
        beginnings: Iterable[str],
        *,
        with_untyped: bool = False,
        limits: FileLimits = DEFAULT_FILE_LIMITS,
    ) -> tuple[Symbol, ...]:
        """Return the symbols of a name (`dwarfgpu.objfile.elf.ObjectFile.symbols_named`)."""
        texts = (f"{name}\0", *beginnings)
        key = (with_untyped, *texts)
        cached = self._named.get(key)
        if cached is not None:
            return cached
        numbers = self._numbers_beginning(texts)
        if len(numbers) > limits.namesakes:
            raise LimitExceeded(
                f"{len(numbers)} symbols have the name {shortened(name)}: more than "
                f"{limits.namesakes}",
                "--max-namesakes",
            )
        kinds = {*_KINDS, 0} if with_untyped else _KINDS
        rows = map(self._row, numbers)
        named = (
            self._symbol(row) for row in rows if row[1] & 15 in kinds and self._is_defined(row[3])
        )
        symbols = tuple(symbol for symbol in named if not symbol.is_mark)
        if len(symbols) <= _MAX_KEPT_SYMBOLS:
            self._named[key] = symbols
        return symbols

    def takes(self, name: str, *beginnings: str) -> bool:
        """Return whether a symbol of a name, or with a prefix, is one that another file defines."""
        numbers = self._numbers_beginning((f"{name}\0", *beginnings))
        return any(not self._row(number)[3] for number in numbers)

    def _is_defined(self, section: int) -> bool:
        """Return whether a symbol of a section is one of the program, as in GDB."""
        return bool(section) and section not in self._not_in_memory

    def _numbers_beginning(self, texts: Collection[str]) -> list[int]:
        """Return the numbers of the symbols whose names, with the zero byte at the end, begin with
        a text."""
        encoded = tuple(name_bytes(text) for text in texts)
        if not self._may_contain(_common_end(encoded)):
            return []  # one search instead of one for each text
        name_offsets = {
            name_offset for text in encoded for name_offset in _name_offsets(text, self._names.data)
        }
        return self._numbers_named(name_offsets) if name_offsets else []

    def _may_contain(self, text: bytes) -> bool:
        """Return whether a name contains a text. An unknown name is searched for in several
        spellings, and the strings of a library are long."""
        if self._absent is not None and self._absent in text:
            return False
        if text in self._names.data:
            return True
        self._absent = text
        return False

    def _numbers_named(self, name_offsets: Collection[int]) -> list[int]:
        """Return the numbers of the symbols whose names are at some offsets, in order."""
        if len(name_offsets) <= _FEW_NAMES:
            with suppress(LookupError):
                return sorted(
                    number for offset in name_offsets for number in self._numbers_with_name(offset)
                )
        return [
            number for number, offset in enumerate(self._name_offsets) if offset in name_offsets
        ]

    def _numbers_with_name(self, offset: int) -> Iterator[int]:
        """Yield the numbers of the symbols whose name is at an offset, found by the bytes of their
        first field; `LookupError` where these are in many other fields."""
        if offset >> 32:
            return  # the field has four bytes
        order: Endian = "little" if self._form.format[0] == "<" else "big"
        data, field_bytes = self._data, offset.to_bytes(4, order)
        misses = 0
        position = data.find(field_bytes)
        while position >= 0:
            number, remainder = divmod(position, self._form.size)
            if not remainder:
                yield number
            elif (misses := misses + 1) > _MAX_MISSES:
                raise LookupError
            position = data.find(field_bytes, position + 1)

    @cached_property
    def _name_offsets(self) -> array[int]:
        """The offset of the name of each symbol, its first field."""
        return self._column("I", 0)

    def _column(self, code: str, index: int) -> array[int]:
        """Return a field of all symbols, the `index`th number of its size (`array`)."""
        field_bytes = array(code).itemsize
        numbers = array(code, self._data)[index :: self._form.size // field_bytes]
        if self._form.format[0] != ("<" if sys.byteorder == "little" else ">"):
            numbers.byteswap()
        return numbers

    @cached_property
    def sections_and_values(self) -> tuple[array[int], array[int]]:
        """The section, as the field of 16 bits has it, and the value of each symbol."""
        if self._is_wide:
            return self._column("H", 3), self._column("Q", 1)
        return self._column("H", 7), self._column("I", 1)

    def ending(self, text: str) -> Iterator[Symbol]:
        """Yield the symbols whose names end with a text, in order."""
        numbers = self._endings.get(text)
        if numbers is None:
            numbers = self._endings[text] = array("I", self._numbers_ending(text))
        for number in numbers:
            symbol = self.symbol(number)
            if symbol.name.endswith(text):  # not a long one, which is cut
                yield symbol

    def _numbers_ending(self, text: str) -> Iterator[int]:
        """Yield the numbers of the symbols whose strings end with a text."""
        data, end = self._names.data, name_bytes(f"{text}\0")
        lasts = array("Q", _name_offsets(end, data))
        if not lasts:
            return
        begins = array("Q", (data.rfind(b"\0", 0, last) + 1 for last in lasts))
        for number, offset in enumerate(self._name_offsets):
            index = bisect_left(lasts, offset)
            if index < len(lasts) and begins[index] <= offset:  # a name may be the end of another
                yield number

    def called(self, names: Collection[str]) -> Iterator[Symbol]:
        """Yield the symbols that have one of some names, in order."""
        numbers: Iterable[int] = range(len(self))
        if all(map(is_literal, names)):
            numbers = self._numbers_called({*map(name_bytes, names)})
        symbols = map(self.symbol, numbers)
        return (symbol for symbol in symbols if symbol.name in names)

    def _numbers_called(self, texts: Set[bytes]) -> Iterator[int]:
        data, sizes = self._names.data, {*map(len, texts)}
        most = max(sizes, default=0) + 1
        for number, offset in enumerate(self._name_offsets if texts else ()):
            end = data.find(b"\0", offset, offset + most)
            if end - offset in sizes and data[offset:end] in texts:
                yield number

    def numbers_beginning(self, texts: Iterable[str]) -> Iterator[int]:
        """Yield the numbers of the symbols whose names, with the zero byte at the end, begin with a
        text that is not empty, in order."""
        data, encoded = self._names.data, tuple(map(name_bytes, texts))
        for number, offset in enumerate(self._name_offsets):
            if data.startswith(encoded, offset):
                yield number

    def labels(self) -> Iterator[tuple[int, int, bool]]:
        """Yield the address and the number of each symbol of a section that has a name and is no
        mark, and whether it is a function, in order."""
        names, is_plain, marks = self._names.data, self._is_plain, self._marks
        end = names.rfind(b"\0")  # a string without an end is no name
        for number, (name, info, _, section, value, _) in enumerate(self._rows()):
            if name >= end or not names[name]:
                continue
            if is_plain and section >= SHN_LORESERVE:
                section -= RESERVED_BELOW_ZERO
            if section <= 0 and section != UNKNOWN_SECTION:
                continue
            kind = _KINDS.get(info & 15, "other")
            may_be_mark = marks is not None and kind in ("other", "thread_local")
            if may_be_mark and self._is_mark(name):
                continue
            yield value if is_plain else self.address(section, value), number, kind == "function"

    def _is_mark(self, name: int) -> bool:
        return self._marks is not None and self._marks.fullmatch(self._names.at(name)) is not None

    def mangled_with(self, part: str, *, with_objects: bool = False) -> tuple[Symbol, ...]:
        """Return the functions whose names begin with `_Z` and contain a text; `with_objects`: and
        the objects, also thread-local ones."""
        encoded, data = name_bytes(part), self._names.data
        if not self._may_contain(encoded):
            return ()
        kinds = ("function", "object", "thread_local") if with_objects else ("function",)
        name_offsets = {
            begin + start  # several names may share their ends
            for begin, end in _before_last(encoded, data)
            for start in _name_offsets(b"_Z", data[begin:end])
        }
        return tuple(
            self._symbol(row)
            for row in (self._rows() if name_offsets else ())
            if row[0] in name_offsets
            and _KINDS.get(row[1] & 15) in kinds
            and self._is_defined(row[3])
        )

    @cached_property
    def _by_address(self) -> _ByAddress:
        """The named functions and objects; of those at one address, the ones with a size last."""
        names, is_plain = self._names.data, self._is_plain
        end = len(names)
        keys, numbers = list[int](), array("I")
        for number, (name, info, _, section, value, size_bytes) in enumerate(self._rows()):
            if info & 15 in _AT_ADDRESSES and section and name < end and names[name]:
                if section in self._not_in_memory:
                    continue
                if not is_plain:
                    if not self._has_address(section):
                        continue
                    value = self.address(section, value)
                keys.append(value << 1 | (size_bytes > 0))
                numbers.append(number)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return _ByAddress(
            array("Q", (keys[index] >> 1 for index in order)),
            array("I", (numbers[index] for index in order)),
        )

    def before(self, address: int) -> Symbol | None:
        """Return the symbol before an address (`dwarfgpu.objfile.elf.ObjectFile.symbol_before`)."""
        if self._remaining and not self._bases:
            self._remaining -= 1
            with suppress(LookupError):
                return self._nearest(address)
        end = bisect_right(self._by_address.addresses, address)
        return None if end == 0 else self._symbol(self._row(self._chosen_before(end)))

    @cached_property
    def _labels(self) -> _ByAddress:
        """The named symbols of a section that have no type: as for functions, GDB takes of several
        the one whose name is last in the string table."""
        names, addresses, numbers = self._names.data, list[int](), list[int]()
        for number, (name, info, _, section, value, _) in enumerate(self._rows()):
            if info & 15 or name >= len(names) or not self._is_defined(section):
                continue
            if self._is_plain:
                is_placed = section < SHN_LORESERVE or section == SHN_XINDEX
            else:
                is_placed = section > 0 and self._has_address(section)
            if is_placed and not names.startswith(_NO_LABELS, name):
                if self._marks is not None and self._marks.fullmatch(self._names.at(name)):
                    continue
                addresses.append(self.address(section, value))
                numbers.append(number)
        offsets = self._name_offsets
        numbers_by_name = sorted(range(len(numbers)), key=lambda index: offsets[numbers[index]])
        order = sorted(numbers_by_name, key=addresses.__getitem__)
        return _ByAddress(
            array("Q", (addresses[index] for index in order)),
            array("I", (numbers[index] for index in order)),
        )

    def label_before(self, address: int) -> Symbol | None:
        """Return the symbol without a type before an address
        (`dwarfgpu.objfile.elf.ObjectFile.label_before`)."""
        end = bisect_right(self._labels.addresses, address)
        return None if end == 0 else self._symbol(self._row(self._labels.numbers[end - 1]))

    def covering(self, address: int) -> Symbol | None:
        """Return the innermost symbol that covers an address
        (`dwarfgpu.objfile.elf.ObjectFile.symbol_covering`)."""
        innermost: list[int] = []
        for number in self._covering(address):
            if innermost and self._begin_of(number) < self._begin_of(innermost[0]):
                break
            innermost.append(number)
        return self._symbol(self._row(self._chosen_of(innermost))) if innermost else None

    def _covering(self, address: int) -> Iterable[int]:
        """Return the numbers of the symbols that cover an address, the one that begins last
        first."""
        if not self._remaining_covered or self._bases:
            return self._sized.covering(address)
        self._remaining_covered -= 1
        code = "Q" if self._is_wide else "I"
        starts, sizes = self._column(code, 1), self._column(code, 2)
        covering = [
            number
            for number, (start, size_bytes) in enumerate(zip(starts, sizes, strict=True))
            if 0 <= address - start < size_bytes and self._is_sized(*self._row(number))
        ]
        return sorted(covering, key=starts.__getitem__, reverse=True)

    def _begin_of(self, number: int) -> int:
        _, _, _, section, value, _ = self._row(number)
        return self.address(section, value)

    def _is_sized(
        self, name: int, info: int, _: int, section: int, value: int, size_bytes: int
    ) -> bool:
        """Return whether the fields are those of a function, an object or a label with a name and
        a size."""
        names, kind = self._names.data, info & 15
        if not size_bytes or name >= len(names) or not names[name]:
            return False
        if not self._is_defined(section) or not (self._is_plain or self._has_address(section)):
            return False
        if kind in _AT_ADDRESSES:
            return True
        is_mark = self._marks is not None and self._marks.fullmatch(self._names.at(name))
        return not kind and not names.startswith(_NO_LABELS, name) and not is_mark

    @cached_property
    def _sized(self) -> SpanIndex[int]:
        """The numbers of the symbols that may cover addresses, in packed arrays."""
        most = 2**64 - 1
        begins, ends, numbers = list[int](), list[int](), array("I")
        for number, row in enumerate(self._rows()):
            if self._is_sized(*row):
                begins.append(self.address(row[3], row[4]))
                ends.append(min(begins[-1] + row[5], most))
                numbers.append(number)
        order = sorted(range(len(begins)), key=begins.__getitem__)
        return SpanIndex.of_columns(
            array("Q", (begins[index] for index in order)),
            array("Q", (ends[index] for index in order)),
            array("I", (numbers[index] for index in order)),
        )

    def _nearest(self, address: int) -> Symbol | None:
        """Return what `before` does, from the values alone; `LookupError` where too many of those
        before the address are of symbols without names, or of other kinds."""
        addresses = self._column("Q" if self._is_wide else "I", 1)
        limit = address
        for _ in range(_MAX_STEPS):
            nearest = max([start for start in addresses if start <= limit], default=None)
            if nearest is None:
                return None
            numbers = [
                number for number in _numbers_of(nearest, addresses) if self._is_located(number)
            ]
            if numbers:
                has_size = any(self._size_of(number) for number in numbers)
                same = [number for number in numbers if bool(self._size_of(number)) == has_size]
                return self._symbol(self._row(self._chosen_of(same)))
            limit = nearest - 1
        raise LookupError

    def _is_located(self, number: int) -> bool:
        """Return whether a symbol is a named function or object of a section."""
        name, info, _, section, *_ = self._row(number)
        names = self._names.data
        is_named = name < len(names) and bool(names[name])
        return is_named and info & 15 in _AT_ADDRESSES and self._is_defined(section)

    def _size_of(self, number: int) -> int:
        return self._row(number)[5]

    def _chosen_before(self, end: int) -> int:
        """Return the number of the symbol that names the address before an end."""
        if end not in self._chosen:
            self._chosen[end] = self._chosen_of(self._numbers_before(end))
        return self._chosen[end]

    def _chosen_of(self, numbers: list[int]) -> int:
        """Return the number of the symbol with the last name of those at one address, but of `f`,
        not of gcc's local `f.localalias`.

        So GDB chooses (`compare_minimal_symbols`, `lookup_minimal_symbol_by_pc_section`): `clone3`,
        not `__clone3`; no local symbol where the one before is a global function of its size.
        """
        if len(numbers) == 1:
            return numbers[0]
        last = max(numbers, key=self._name_bytes)
        before = max((one for one in numbers if one != last), key=self._name_bytes)
        is_alias = self._row(last)[1] >> 4 == 0 and self._size_of(last) == self._size_of(before)
        binding, kind = divmod(self._row(before)[1], 16)
        return before if is_alias and binding and kind == 2 else last  # STT_FUNC

    def _numbers_before(self, end: int) -> list[int]:
        addresses, numbers = self._by_address.addresses, self._by_address.numbers
        start = bisect_left(addresses, addresses[end - 1])
        if self._size_of(numbers[end - 1]):
            start = bisect_left(
                numbers, True, start, end, key=lambda number: self._size_of(number) > 0
            )
        return numbers[start:end].tolist()

    def _name_bytes(self, number: int) -> bytes:
        names, start = self._names.data, self._row(number)[0]
        end = names.find(b"\0", start, start + _MAX_COMPARED)
        return bytes(names[start : start + _MAX_COMPARED if end < 0 else end])

    def _row(self, number: int) -> tuple[int, ...]:
        row = self._form.unpack_from(self._data, number * self._form.size)
        row = row if self._is_wide else wide(row)
        return row if self._is_plain else self._with_section(number, row)


@frozen(eq=False)
class _ByAddress:
    """Symbols in the order of their addresses: millions of tuples take too much memory."""

    addresses: array[int]
    numbers: array[int]


class _Symbols(Sequence[Symbol]):
    """The symbols of a table, each made when it is asked for: millions of them take too much
    memory."""

    def __init__(self, table: SymbolTable) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[Symbol]:
        return iter(self._table)

    @overload
    def __getitem__(self, index: int) -> Symbol: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Symbol, ...]: ...

    def __getitem__(self, index: int | slice) -> Symbol | tuple[Symbol, ...]:
        numbers = range(len(self))[index]
        if isinstance(numbers, int):
            return self._table.symbol(numbers)
        return tuple(map(self._table.symbol, numbers))


def is_literal(name: str) -> bool:
    """Return whether a name is written as in a file: not empty, without escapes, and not cut."""
    return bool(name) and "\\" not in name and not name.endswith("...")


def _common_end(texts: Collection[bytes]) -> bytes:
    """Return the end that all texts have, but for a zero byte."""
    first, *following = (text.removesuffix(b"\0") for text in texts)
    start = 0
    while not all(text.endswith(first[start:]) for text in following):
        start += 1
    return first[start:]


def _name_offsets(text: bytes, data: bytes) -> Iterator[int]:
    name_offset = data.find(text)
    while name_offset >= 0:
        yield name_offset
        name_offset = data.find(text, name_offset + 1)


def _before_last(part: bytes, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each string that contains a text begins, and where it contains it last."""
    position = data.find(part)
    while position >= 0:
        end = data.find(b"\0", position)
        end = len(data) if end < 0 else end
        yield data.rfind(b"\0", 0, position) + 1, data.rfind(part, position, end)
        position = data.find(part, end + 1)


def _numbers_of(value: int, values: Sequence[int]) -> Iterator[int]:
    """Yield the offsets of a value."""
    number = -1
    with suppress(ValueError):
        while True:
            number = values.index(value, number + 1)
            yield number


def extension_of(table: Section, sections: Sequence[Section]) -> Section | None:
    """Return the section with the numbers of the sections of a table's symbols, for those whose
    field is too small (System V ABI, SHT_SYMTAB_SHNDX); None where no symbol needs it."""
    if len(sections) <= SHN_LORESERVE:
        return None
    extensions = (section for section in sections if section.type == SHT_SYMTAB_SHNDX)
    return next((section for section in extensions if section.link == table.index), None)


def section_numbers(data: bytes, endian: Endian) -> Sequence[int]:
    """Return the numbers in the contents of such a section."""
    numbers = array("I", data[: len(data) & ~3])
    if endian != sys.byteorder:
        numbers.byteswap()
    return numbers
