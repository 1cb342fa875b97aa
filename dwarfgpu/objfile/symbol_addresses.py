"""Which symbol of a table names an address.

Law: a few addresses are searched for in the unsorted table, more in one that is sorted once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from heapq import nlargest
from itertools import islice
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.objfile.elf_structures import SHN_LORESERVE, SHN_XINDEX
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.objfile.symbol_entries import KINDS_AT_ADDRESSES, SymbolEntries

_MAX_SCANS: Final = 4
"""Addresses that are looked for in the unsorted table: sorting it takes as long as five do."""
_MAX_STEPS: Final = 8
"""Addresses of symbols without names, or of other kinds, that are passed over before the table is
sorted."""
_FEW: Final = 64
"""Symbols at one address, or around one, that are compared one by one: more of them are looked for
in the sorted table, and their names compared each once."""
_NO_LABELS: Final = (b"\0", b".L", b"$L")
"""How names begin that name nothing for a person: those of compilers, as in GDB."""


@frozen(eq=False)
class _ByAddress:
    """Symbols in the order of their addresses: millions of tuples take too much memory."""

    addresses: array[int]
    numbers: array[int]


class SymbolAddresses(OfOpenFile):
    """The numbers of the symbols of a table by their addresses."""

    def __init__(self, entries: SymbolEntries) -> None:
        self._entries = entries
        self._remaining = _MAX_SCANS
        """How often an address is searched for before all addresses are sorted."""
        self._remaining_covered = _MAX_SCANS
        """How often symbols that cover an address are searched for before these are sorted."""
        self._chosen: dict[int, int] = {}
        """The symbol that names an address, keyed by where the address ends in `_by_address`."""

    def before(self, address: int) -> int | None:
        """Return the number of the symbol before an address
        (`dwarfgpu.objfile.elf.ObjectFile.symbol_before`)."""
        if self._remaining and not self._entries.bases:
            self._remaining -= 1
            with suppress(LookupError):
                return self._nearest(address)
        end = bisect_right(self._by_address.addresses, address)
        return None if end == 0 else self._chosen_before(end)

    def label_before(self, address: int) -> int | None:
        """Return the number of the symbol without a type before an address
        (`dwarfgpu.objfile.elf.ObjectFile.label_before`)."""
        end = bisect_right(self._labels.addresses, address)
        return None if end == 0 else self._labels.numbers[end - 1]

    def covering(self, address: int) -> int | None:
        """Return the number of the innermost symbol that covers an address
        (`dwarfgpu.objfile.elf.ObjectFile.symbol_covering`)."""
        begin_of = self._entries.address_of
        innermost: list[int] = []
        for number in self._covering(address):
            if innermost and begin_of(number) < begin_of(innermost[0]):
                break
            innermost.append(number)
        return self._chosen_of(sorted(innermost)) if innermost else None

    def _covering(self, address: int) -> Iterable[int]:
        """Return the numbers of the symbols that cover an address, the one that begins last
        first."""
        entries = self._entries
        if not self._remaining_covered or entries.bases:
            return self._sized.covering(address)
        self._remaining_covered -= 1
        starts, sizes = entries.values, entries.sizes
        around = (
            number
            for number, (start, size_bytes) in enumerate(zip(starts, sizes, strict=True))
            if 0 <= address - start < size_bytes
        )
        few = [*islice(around, _FEW + 1)]
        if len(few) > _FEW:
            return self._sized.covering(address)
        covering = [number for number in few if self._is_sized(*entries.fields(number))]
        return sorted(covering, key=starts.__getitem__, reverse=True)

    @cached_property
    def _by_address(self) -> _ByAddress:
        """The named functions and objects; of those at one address, the ones with a size last."""
        entries = self._entries
        names, is_plain = entries.names.data, entries.is_plain
        end = len(names)
        keys, numbers = list[int](), array("I")
        for number, (name, info, _, section, value, size_bytes) in enumerate(entries):
            if info & 15 in KINDS_AT_ADDRESSES and section and name < end and names[name]:
                if section in entries.not_in_memory:
                    continue
                if not is_plain:
                    if not entries.has_address(section):
                        continue
                    value = entries.address(section, value)
                keys.append(value << 1 | (size_bytes > 0))
                numbers.append(number)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return _ByAddress(
            array("Q", (keys[index] >> 1 for index in order)),
            array("I", (numbers[index] for index in order)),
        )

    @cached_property
    def _labels(self) -> _ByAddress:
        """The named symbols of a section that have no type: as for functions, GDB takes of several
        the one whose name is last in the string table."""
        entries = self._entries
        names, addresses, numbers = entries.names.data, list[int](), list[int]()
        for number, (name, info, _, section, value, _) in enumerate(entries):
            if info & 15 or name >= len(names) or not entries.is_defined(section):
                continue
            if entries.is_plain:
                is_placed = section < SHN_LORESERVE or section == SHN_XINDEX
            else:
                is_placed = section > 0 and entries.has_address(section)
            if is_placed and self._is_label(name):
                addresses.append(entries.address(section, value))
                numbers.append(number)
        offsets = entries.name_offsets
        numbers_by_name = sorted(range(len(numbers)), key=lambda index: offsets[numbers[index]])
        order = sorted(numbers_by_name, key=addresses.__getitem__)
        return _ByAddress(
            array("Q", (addresses[index] for index in order)),
            array("I", (numbers[index] for index in order)),
        )

    def _is_label(self, name: int) -> bool:
        """Return whether a string names something for a person."""
        entries = self._entries
        return not entries.names.data.startswith(_NO_LABELS, name) and not entries.is_mark(name)

    @cached_property
    def _sized(self) -> SpanIndex[int]:
        """The numbers of the symbols that may cover addresses, in packed arrays."""
        most = 2**64 - 1
        begins, ends, numbers = list[int](), list[int](), array("I")
        for number, fields in enumerate(self._entries):
            if self._is_sized(*fields):
                begins.append(self._entries.address(fields[3], fields[4]))
                ends.append(min(begins[-1] + fields[5], most))
                numbers.append(number)
        order = sorted(range(len(begins)), key=begins.__getitem__)
        return SpanIndex.of_columns(
            array("Q", (begins[index] for index in order)),
            array("Q", (ends[index] for index in order)),
            array("I", (numbers[index] for index in order)),
        )

    def _is_sized(
        self, name: int, info: int, _: int, section: int, value: int, size_bytes: int
    ) -> bool:
        """Return whether the fields are those of a function, an object or a label with a name and
        a size."""
        entries, kind = self._entries, info & 15
        if not size_bytes or not entries.is_named(name) or not entries.is_defined(section):
            return False
        if not entries.is_plain and not entries.has_address(section):
            return False
        return kind in KINDS_AT_ADDRESSES or not kind and self._is_label(name)

    def _nearest(self, address: int) -> int | None:
        """Return what `before` does, from the values alone; `LookupError` where too many of those
        before the address are of symbols without names, or of other kinds, or of one address."""
        addresses, size_of = self._entries.values, self._entries.size_of
        limit = address
        for _ in range(_MAX_STEPS):
            nearest = max([start for start in addresses if start <= limit], default=None)
            if nearest is None:
                return None
            there = [*islice(_numbers_of(nearest, addresses), _FEW + 1)]
            if len(there) > _FEW:
                break
            numbers = [number for number in there if self._is_located(number)]
            if numbers:
                has_size = any(map(size_of, numbers))
                return self._chosen_of([one for one in numbers if bool(size_of(one)) == has_size])
            limit = nearest - 1
        raise LookupError

    def _is_located(self, number: int) -> bool:
        """Return whether a symbol is a named function or object of a section."""
        name, info, _, section, *_ = self._entries.fields(number)
        is_at_address = info & 15 in KINDS_AT_ADDRESSES
        return is_at_address and self._entries.is_named(name) and self._entries.is_defined(section)

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
        entries = self._entries
        if len(numbers) > _FEW:
            numbers = self._last_two(numbers)
        last = max(numbers, key=entries.name_bytes)
        before = max((one for one in numbers if one != last), key=entries.name_bytes)
        is_local = entries.fields(last)[1] >> 4 == 0
        binding, kind = divmod(entries.fields(before)[1], 16)
        is_alias = is_local and entries.size_of(last) == entries.size_of(before)
        return before if is_alias and binding and kind == 2 else last  # STT_FUNC

    def _last_two(self, numbers: list[int]) -> list[int]:
        """Return those of symbols, in their order, that may have the last name and the one before
        it: two of each of these names."""
        offsets = self._entries.name_offsets
        names = dict.fromkeys(map(offsets.__getitem__, numbers))
        last = nlargest(2, names, key=self._entries.name_at)
        two_of_each = {
            number
            for name in last
            for number in islice((one for one in numbers if offsets[one] == name), 2)
        }
        return [number for number in numbers if number in two_of_each]

    def _numbers_before(self, end: int) -> list[int]:
        addresses, numbers = self._by_address.addresses, self._by_address.numbers
        size_of = self._entries.size_of
        start = bisect_left(addresses, addresses[end - 1])
        if size_of(numbers[end - 1]):
            start = bisect_left(numbers, True, start, end, key=lambda number: size_of(number) > 0)
        return numbers[start:end].tolist()


def _numbers_of(value: int, values: Sequence[int]) -> Iterator[int]:
    """Yield the offsets of a value."""
    number = -1
    with suppress(ValueError):
        while True:
            number = values.index(value, number + 1)
            yield number
