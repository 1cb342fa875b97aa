"""The dynamic linker's list of the files of a process (`struct r_debug` and `struct link_map` of
`<link.h>`; every member used here has the size of an address).

DT_DEBUG of the program locates the list. Law: a list that is missing or corrupt ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, Literal, Protocol

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unavailable
from dwarfgpu.objfile.dynamic_segment import PT_DYNAMIC
from dwarfgpu.objfile.elf import ObjectFile

_DT_DEBUG: Final = 21
_MAX_ENTRIES: Final = 1_000
_MAX_FILES: Final = 10_000
_MAX_NAMESPACES: Final = 100
_VERSION_BYTES: Final = 4
_WITH_NAMESPACES: Final = 2
"""The version of `struct r_debug_extended`, in which the address of the next one follows."""
_NEXT_WORD: Final = 5


class Loaded(Protocol):
    """A file as loaded."""

    @property
    def file(self) -> ObjectFile: ...

    @property
    def load_address(self) -> int: ...


def dynamic_section(loaded: Loaded) -> int | None:
    """Return the address of the dynamic section of a file; None if it has none."""
    file = loaded.file
    for segment in file.segments:
        if segment.type == PT_DYNAMIC:
            return loaded.load_address + segment.address & (1 << 8 * file.address_bytes) - 1
    return None


@frozen
class LinkMap:
    """The entry of a file."""

    address: int
    name: int
    """The address of the path by which it was loaded; that of the program is empty."""
    dynamic_section: int
    """The address of its dynamic section."""


@frozen(eq=False)
class Words:
    """Memory as numbers of the size of an address."""

    read: Callable[[int, int], bytes]
    """Reads the process's memory."""
    endian: Literal["little", "big"]
    size_bytes: int

    def at(self, address: int, count: int) -> tuple[int, ...]:
        """Return numbers from an address on; `Unavailable` if they are unknown."""
        size_bytes = self.size_bytes
        data = self.read(address, count * size_bytes)
        return tuple(
            int.from_bytes(data[offset : offset + size_bytes], self.endian)
            for offset in range(0, len(data), size_bytes)
        )


def link_maps(words: Words, dynamic_section: int) -> Iterator[LinkMap]:
    """Yield the entries in the order of the list, the program first, then those of other namespaces
    (dlmopen(3)): `dynamic_section` is the address of the program's one."""
    with suppress(Unavailable):  # keep the entries before it
        listed: set[int] = set()
        for entry in _first_entries(words, _value(words, dynamic_section, _DT_DEBUG)):
            while entry and entry not in listed and len(listed) < _MAX_FILES:
                listed.add(entry)
                _, name, section, following = words.at(entry, 4)
                yield LinkMap(entry, name, section)
                entry = following


def _first_entries(words: Words, debug: int | None) -> Iterator[int]:
    """Yield the first entry of each namespace, from the address of a `struct r_debug`."""
    for _ in range(_MAX_NAMESPACES):
        if not debug:
            return
        yield words.at(debug + words.size_bytes, 1)[0]
        version = int.from_bytes(words.read(debug, _VERSION_BYTES), words.endian)
        if version < _WITH_NAMESPACES:
            return
        debug = words.at(debug + _NEXT_WORD * words.size_bytes, 1)[0]


def _value(words: Words, section: int, wanted_tag: int) -> int | None:
    for index in range(_MAX_ENTRIES):
        tag, value = words.at(section + 2 * words.size_bytes * index, 2)
        if tag in (0, wanted_tag):
            return value if tag else None
    return None
