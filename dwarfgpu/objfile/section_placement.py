"""Assign addresses to the sections of a relocatable object, which has none before it is linked.

Law: sections that are loaded and have no address come one after the other from 0, in the order of
the file and as they are aligned. GDB puts them there if no section has an address, so that one
means the same in both; else it leaves them at 0.
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

    Those with an address keep it, as `ld -r -Ttext` and `objcopy --change-section-address` write
    them. One that is larger than its file, or than half of `limit`, is behind all others: it
    cannot be right, and must not have the addresses of the others.
    """
    addresses = [0] * len(rows)
    loaded = [index for index, row in enumerate(rows) if row[2] & SHF_ALLOC]
    fixed = list[tuple[int, int]]()
    unfit = dict[int, None]()
    for index in loaded:
        address, size_bytes = rows[index][3], rows[index][5]
        if size_bytes > (limit // 2 if rows[index][1] == SHT_NOBITS else file_bytes):
            unfit[index] = None
        elif address:
            addresses[index] = address
            fixed.append((address, address + size_bytes))
    fixed.sort()
    lowest, following = 0, 0
    for index in loaded:
        if rows[index][3] or index in unfit:
            continue
        size_bytes, alignment = rows[index][5], _alignment(rows[index][8])
        lowest += -lowest % alignment
        while following < len(fixed) and lowest + size_bytes > fixed[following][0]:
            lowest = max(lowest, fixed[following][1])
            lowest += -lowest % alignment
            following += 1
        if lowest + size_bytes > limit:
            unfit[index] = None
            continue
        addresses[index] = lowest
        lowest += size_bytes
    last = max(lowest, max((end for _, end in fixed), default=0))
    for index in unfit:
        addresses[index] = last
    return addresses


def _alignment(declared: int) -> int:
    return declared if 0 < declared <= _MAX_ALIGNED else 1  # 0 is none, and larger ones are damage


def are_placed(rows: Sequence[Sequence[int]]) -> bool:
    """Return whether the headers of a cubin have addresses: a loaded section has one, and no two
    with contents are at 0."""
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
