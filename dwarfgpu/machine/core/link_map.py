"""The names under which a process loaded its libraries, from the dynamic linker's list in a core.

DT_DEBUG of the program locates the list (`struct r_debug` and `struct link_map` of `<link.h>`;
every member used here has the size of an address). Law: a missing or corrupt list is ignored;
NT_FILE remains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final, Literal

from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.core.notes import AT_PHDR, CoreDump

AT_PHNUM: Final = 5
_PT_DYNAMIC: Final = 2
_PT_PHDR: Final = 6
_DT_DEBUG: Final = 21
_HEADER_BYTES: Final = {4: 32, 8: 56}
"""The size of a program header, and below the offset of its address, by the size of an address."""
_HEADER_ADDRESS_AT: Final = {4: 8, 8: 16}
_MAX_HEADERS: Final = 100
_MAX_ENTRIES: Final = 1_000
_MAX_LIBRARIES: Final = 10_000
_LONGEST_NAME: Final = 4_096


def library_names(dump: CoreDump, memory: CoreMemory) -> Mapping[int, str]:
    """Return the path by which each library was loaded, by the address of its dynamic section; in
    the order of the list. A path may be relative to a folder of the process."""
    modules: dict[int, str] = {}
    for _, section, name in _entries(dump, memory):
        if name:
            modules.setdefault(section, name)
    return modules


def link_maps(dump: CoreDump, memory: CoreMemory) -> Mapping[int, int]:
    """Return the address of the `struct link_map` of the program and of each library, by the
    address of its dynamic section."""
    return {section: entry for entry, section, _ in _entries(dump, memory)}


def _entries(dump: CoreDump, memory: CoreMemory) -> Iterator[tuple[int, int, str]]:
    with suppress(Unavailable):  # keep the entries before it
        yield from _libraries(_Words(memory, dump.file.endian, dump.file.address_bytes), dump)


class _Words:
    """Memory as numbers of the size of an address."""

    def __init__(
        self, memory: CoreMemory, endian: Literal["little", "big"], size_bytes: int
    ) -> None:
        self._memory = memory
        self._endian = endian
        self.size_bytes = size_bytes

    def at(self, address: int, count: int) -> tuple[int, ...]:
        size_bytes = self.size_bytes
        data = self._memory.read(address, count * size_bytes)
        return tuple(
            int.from_bytes(data[offset : offset + size_bytes], self._endian)
            for offset in range(0, len(data), size_bytes)
        )

    def kind(self, address: int) -> int:
        """Return the type of a program header, of four bytes."""
        return int.from_bytes(self._memory.read(address, 4), self._endian)

    def text(self, address: int) -> str:
        text, end, _ = self._memory.first_bytes(address, _LONGEST_NAME).partition(b"\0")
        return text.decode("utf-8", "surrogateescape") if end else ""


def _libraries(words: _Words, dump: CoreDump) -> Iterator[tuple[int, int, str]]:
    """Yield address, dynamic section and name of each entry: the program and its libraries."""
    section = _dynamic_section(words, dump)
    first = None if section is None else _value(words, section, _DT_DEBUG)
    if not first:
        return
    entry = words.at(first + words.size_bytes, 1)[0]
    for _ in range(_MAX_LIBRARIES):
        if not entry:
            return
        _, name, section, following = words.at(entry, 4)
        yield entry, section, words.text(name)
        entry = following


def _dynamic_section(words: _Words, dump: CoreDump) -> int | None:
    """Return where the dynamic section of the program is loaded, by its program headers."""
    headers = dump.auxiliary.get(AT_PHDR)
    if headers is None:
        return None
    count = min(dump.auxiliary.get(AT_PHNUM, 0), _MAX_HEADERS)
    header_bytes, address_at = _HEADER_BYTES[words.size_bytes], _HEADER_ADDRESS_AT[words.size_bytes]
    addresses = {
        words.kind(header): words.at(header + address_at, 1)[0]
        for header in range(headers, headers + count * header_bytes, header_bytes)
    }
    if _PT_DYNAMIC not in addresses:
        return None
    return addresses[_PT_DYNAMIC] + headers - addresses.get(_PT_PHDR, headers)


def _value(words: _Words, section: int, wanted_tag: int) -> int | None:
    for index in range(_MAX_ENTRIES):
        tag, value = words.at(section + 2 * words.size_bytes * index, 2)
        if tag in (0, wanted_tag):
            return value if tag else None
    return None
