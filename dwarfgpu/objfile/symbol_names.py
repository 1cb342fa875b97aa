"""Which symbols of a table have names that are, begin with, end with or contain a text.

Law: the texts are searched for in the strings, and no name is decoded.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Set
from contextlib import suppress
from os.path import commonprefix
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.objfile.symbol_entries import SymbolEntries

_FEW_NAMES: Final = 4
"""Names that are looked for one by one, each in a pass over the bytes of the table."""
_MAX_MISSES: Final = 1_000
"""How often the bytes of a name's offset may be in other fields of a table."""


class SymbolNames(OfOpenFile):
    """The numbers of the symbols of a table by their names."""

    def __init__(self, entries: SymbolEntries) -> None:
        self._entries = entries
        self._strings = entries.names.data
        self._absent: bytes | None = None
        """The text searched for last that no name contains: names that contain it are absent."""
        self._endings: dict[str, array[int]] = {}
        """The numbers of the symbols whose names end with a text."""

    def beginning(self, texts: Collection[bytes]) -> list[int]:
        """Return the numbers of the symbols whose names, with the zero byte at the end, begin with
        a text, in order. For texts with which few names begin."""
        if not self._may_contain(_common_end(texts)):
            return []  # one search instead of one for each text
        offsets = {offset for text in texts for offset in _offsets_of(text, self._strings)}
        return self._with_names(offsets) if offsets else []

    def each_beginning(self, texts: Iterable[str]) -> Iterator[int]:
        """Yield the numbers of the symbols whose names, with the zero byte at the end, begin with a
        text that is not empty, in order. For texts with which many names begin."""
        encoded = tuple(map(name_bytes, texts))
        for number, offset in enumerate(self._entries.name_offsets):
            if self._strings.startswith(encoded, offset):
                yield number

    def ending(self, text: str) -> array[int]:
        """Return the numbers of the symbols whose strings end with a text, in order."""
        if text not in self._endings:
            self._endings[text] = array("I", self._numbers_ending(text))
        return self._endings[text]

    def _numbers_ending(self, text: str) -> Iterator[int]:
        strings, end = self._strings, name_bytes(f"{text}\0")
        lasts = array("Q", _offsets_of(end, strings))
        if not lasts:
            return
        begins = array("Q", (strings.rfind(b"\0", 0, last) + 1 for last in lasts))
        for number, offset in enumerate(self._entries.name_offsets):
            index = bisect_left(lasts, offset)
            if index < len(lasts) and begins[index] <= offset:  # a name may be the end of another
                yield number

    def called(self, texts: Set[bytes]) -> Iterator[int]:
        """Yield the numbers of the symbols whose names are texts, in order."""
        strings, sizes = self._strings, {*map(len, texts)}
        most = max(sizes, default=0) + 1
        for number, offset in enumerate(self._entries.name_offsets if texts else ()):
            end = strings.find(b"\0", offset, offset + most)
            if end - offset in sizes and strings[offset:end] in texts:
                yield number

    def mangled_with(self, part: str) -> Iterator[int]:
        """Yield the numbers of the symbols whose names begin with `_Z` and contain a text, in
        order."""
        encoded, strings = name_bytes(part), self._strings
        if not self._may_contain(encoded):
            return
        offsets = {
            begin + start  # several names may share their ends
            for begin, end in _before_last(encoded, strings)
            for start in _offsets_of(b"_Z", strings[begin:end])
        }
        for number, offset in enumerate(self._entries.name_offsets if offsets else ()):
            if offset in offsets:
                yield number

    def _may_contain(self, text: bytes) -> bool:
        """Return whether a name contains a text. An unknown name is searched for in several
        spellings, and the strings of a library are long."""
        if self._absent is not None and self._absent in text:
            return False
        if text in self._strings:
            return True
        self._absent = text
        return False

    def _with_names(self, offsets: Collection[int]) -> list[int]:
        """Return the numbers of the symbols whose names are at some offsets, in order."""
        if len(offsets) <= _FEW_NAMES:
            with suppress(LookupError):
                return sorted(number for offset in offsets for number in self._with_name(offset))
        name_offsets = self._entries.name_offsets
        return [number for number, offset in enumerate(name_offsets) if offset in offsets]

    def _with_name(self, offset: int) -> Iterator[int]:
        """Yield the numbers of the symbols whose name is at an offset, found by the bytes of their
        first field; `LookupError` where these are in many other fields."""
        if offset >> 32:
            return  # the field has four bytes
        order: Endian = "little" if self._entries.form.format[0] == "<" else "big"
        data, size = self._entries.data, self._entries.form.size
        field_bytes = offset.to_bytes(4, order)
        misses = 0
        position = data.find(field_bytes)
        while position >= 0:
            number, remainder = divmod(position, size)
            if not remainder:
                yield number
            elif (misses := misses + 1) > _MAX_MISSES:
                raise LookupError
            position = data.find(field_bytes, position + 1)


def _common_end(texts: Collection[bytes]) -> bytes:
    """Return the end that all texts have, but for a zero byte."""
    backward = [text.removesuffix(b"\0")[::-1] for text in texts]
    end = commonprefix(backward)[::-1]  # noqa: RUF071 (of names, not of paths)
    assert isinstance(end, bytes)
    return end


def _offsets_of(text: bytes, data: bytes) -> Iterator[int]:
    offset = data.find(text)
    while offset >= 0:
        yield offset
        offset = data.find(text, offset + 1)


def _before_last(part: bytes, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each string that contains a text begins, and where it contains it last."""
    position = data.find(part)
    while position >= 0:
        end = data.find(b"\0", position)
        end = len(data) if end < 0 else end
        yield data.rfind(b"\0", 0, position) + 1, data.rfind(part, position, end)
        position = data.find(part, end + 1)
