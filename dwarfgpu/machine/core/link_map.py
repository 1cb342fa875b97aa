"""The names under which a process loaded its libraries, from the dynamic linker's list in a core
(`dwarfgpu.machine.dynamic_linker`).

Law: a missing or corrupt list is ignored; NT_FILE remains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.core.notes import AT_PHDR, CoreDump
from dwarfgpu.machine.dynamic_linker import LinkMap, Words
from dwarfgpu.machine.dynamic_linker import link_maps as _link_maps

AT_PHNUM: Final = 5
_PT_DYNAMIC: Final = 2
_PT_PHDR: Final = 6
_HEADER_BYTES: Final = {4: 32, 8: 56}
"""The size of a program header, and below the offset of its address, by the size of an address."""
_HEADER_ADDRESS_AT: Final = {4: 8, 8: 16}
_MAX_HEADERS: Final = 100
_LONGEST_NAME: Final = 4_096


def library_names(dump: CoreDump, memory: CoreMemory) -> Mapping[int, str]:
    """Return the path by which each library was loaded, by the address of its dynamic section; in
    the order of the list. A path may be relative to a folder of the process."""
    modules: dict[int, str] = {}
    for entry in _entries(dump, memory):
        text, end, _ = memory.first_bytes(entry.name, _LONGEST_NAME).partition(b"\0")
        if text and end:
            name = text.decode("utf-8", "surrogateescape")
            modules.setdefault(entry.dynamic_section, name)
    return modules


def link_maps(dump: CoreDump, memory: CoreMemory) -> Mapping[int, int]:
    """Return the address of the `struct link_map` of the program and of each library, by the
    address of its dynamic section."""
    return {entry.dynamic_section: entry.address for entry in _entries(dump, memory)}


def _entries(dump: CoreDump, memory: CoreMemory) -> Iterator[LinkMap]:
    words = Words(memory.read, dump.file.endian, dump.file.address_bytes)
    section = None
    with suppress(Unavailable):
        section = _dynamic_section(words, dump)
    return iter(()) if section is None else _link_maps(words, section)


def _dynamic_section(words: Words, dump: CoreDump) -> int | None:
    """Return where the dynamic section of the program is loaded, by its program headers."""
    headers = dump.auxiliary.get(AT_PHDR)
    if headers is None:
        return None
    count = min(dump.auxiliary.get(AT_PHNUM, 0), _MAX_HEADERS)
    header_bytes, address_at = _HEADER_BYTES[words.size_bytes], _HEADER_ADDRESS_AT[words.size_bytes]
    addresses = {
        _type(words, header): words.at(header + address_at, 1)[0]
        for header in range(headers, headers + count * header_bytes, header_bytes)
    }
    if _PT_DYNAMIC not in addresses:
        return None
    return addresses[_PT_DYNAMIC] + headers - addresses.get(_PT_PHDR, headers)


def _type(words: Words, header: int) -> int:
    """Return the type of a program header, of four bytes."""
    return int.from_bytes(words.read(header, 4), words.endian)
