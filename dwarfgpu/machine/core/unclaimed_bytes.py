"""Bytes of a core file that no header describes, where a segment of memory should have them.

Law: nothing is said of a file with padding. Linux, QEMU and GDB's gcore write the bytes of their
segments one after the other, in the order of the program headers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PT_LOAD, SHT_NOBITS, Segment

_COMPARED_BYTES: Final = 1 << 16
"""Of the beginning and the end of a gap: one of zeros only is a hole that a writer skipped."""


def damaged_segments(core: ObjectFile) -> frozenset[Segment]:
    """Return the segments of memory whose sizes or offsets in the file are damaged: there are bytes
    that no header describes behind those of the segment before, as many as the segment has in
    memory or in the file, and the segment has none, or those of another one."""
    loaded = [segment for segment in core.segments if segment.type == PT_LOAD]
    gaps = _gaps(core, loaded)
    if not gaps:
        return frozenset()
    gaps = {begin: size for begin, size in gaps.items() if _is_unclaimed(core, begin, size)}
    return frozenset(
        segment
        for before, segment in pairwise(loaded)
        if (size := gaps.get(before.offset + before.file_bytes))
        and size == (segment.file_bytes or segment.memory_bytes)
    )


def _gaps(core: ObjectFile, loaded: list[Segment]) -> dict[int, int]:
    """Return the sizes of the gaps behind the first of the loaded segments, by their beginning."""
    spans = sorted((one.offset, one.file_bytes) for one in core.segments if one.file_bytes)
    first = min((one.offset for one in loaded if one.file_bytes), default=core.size_bytes)
    out, end = dict[int, int](), 0
    for offset, size_bytes in (*spans, (core.size_bytes, 0)):
        if first < end < offset:
            out[end] = offset - end
        end = max(end, offset + size_bytes)
    return out


def _is_unclaimed(core: ObjectFile, begin: int, size_bytes: int) -> bool:
    """Return whether a gap has something, and no section is in it."""
    try:
        sections = [one for one in core.sections if one.type != SHT_NOBITS and one.size_bytes]
    except DwarfGpuError:
        return False  # what is there may be their headers
    end = begin + size_bytes
    if any(one.offset < end and begin < one.offset + one.size_bytes for one in sections):
        return False
    return any(any(data) for data in _ends(core, begin, size_bytes))


def _ends(core: ObjectFile, begin: int, size_bytes: int) -> Iterator[bytes]:
    count = min(size_bytes, _COMPARED_BYTES)
    for start in (begin, begin + size_bytes - count):
        yield core.file_bytes(start, count, "unclaimed bytes")


__all__ = ["damaged_segments"]
