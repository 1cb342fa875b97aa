"""Assign addresses to the sections of a relocatable object, which has none before it is linked.

Law: sections that are loaded come one after the other from 0, in the order of the file and as they
are aligned, which is where GDB puts them: an address means the same in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.objfile.elf_structures import SHF_ALLOC, SHF_TLS, Section

_MAX_ALIGNED: Final = 1 << 32
CUBIN_GLOBAL: Final = (".text", ".nv.global")
"""What the names of sections of a cubin that are in global memory begin with.

The other loaded ones are constant banks and shared memory: symbols are offsets in these.
"""


def placed(rows: Sequence[Sequence[int]], limit: int) -> list[int]:
    """Return the address of each section from its header fields; 0 for unloaded sections.

    All are at 0 if they do not fit below `limit`.
    """
    addresses: list[int] = []
    lowest = 0
    for _, _, flags, _, _, size_bytes, _, _, alignment, *_ in rows:
        if not flags & SHF_ALLOC:
            addresses.append(0)
            continue
        if 0 < alignment <= _MAX_ALIGNED:
            lowest += -lowest % alignment
        addresses.append(lowest)
        lowest += size_bytes
    return addresses if lowest <= limit else [0] * len(rows)


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
