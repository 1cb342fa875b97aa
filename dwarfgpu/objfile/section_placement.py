"""Assign addresses to the sections of a relocatable object, which has none before it is linked.

Law: sections that are loaded come one after the other from 0, in the order of the file and as they
are aligned, which is where GDB puts them: an address means the same in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.objfile.elf_structures import SHF_ALLOC, SHF_TLS, SHT_NOBITS, Section

_MAX_ALIGNED: Final = 1 << 32
CUBIN_GLOBAL: Final = (".text", ".nv.global")
"""What the names of sections of a cubin that are in global memory begin with.

The other loaded ones are constant banks and shared memory: symbols are offsets in these.
"""


def placed(rows: Sequence[Sequence[int]], limit: int, file_bytes: int) -> list[int]:
    """Return the address of each section from its header fields; 0 for unloaded sections.

    All are at 0 if they do not fit below `limit`. One that is larger than its file cannot be read,
    and displaces no other one.
    """
    addresses: list[int] = []
    lowest = 0
    for _, type_, flags, _, _, size_bytes, _, _, alignment, *_ in rows:
        if not flags & SHF_ALLOC:
            addresses.append(0)
            continue
        if 0 < alignment <= _MAX_ALIGNED:
            lowest += -lowest % alignment
        addresses.append(lowest)
        if type_ == SHT_NOBITS or size_bytes <= file_bytes:
            lowest += size_bytes
    return addresses if lowest <= limit else [0] * len(rows)


def are_placed(rows: Sequence[Sequence[int]]) -> bool:
    """Return whether the headers of a relocatable object have addresses: a loaded section has one,
    and no two with contents are at 0."""
    loaded = [row for row in rows if row[2] & SHF_ALLOC]
    at_0 = [row for row in loaded if row[5] and not row[3]]
    return any(row[3] for row in loaded) and len(at_0) < 2


def symbol_bases(machine: str, sections: Sequence[Section]) -> list[int | None]:
    """Return the start of each section of a relocatable object, where symbol values are offsets.

    0 for thread-local ones, which have no single address; None for memory of a cubin that has
    addresses of its own.
    """
    return [
        None
        if machine == "CUDA" and not section.flags & SHF_ALLOC
        else 0
        if section.flags & SHF_TLS
        else section.address
        for section in sections
    ]
