"""Bytes of a core file that no header describes, where a segment of memory should have them, and
those that several describe.

Law: nothing is said of a file with padding, or with copies of segments. Linux, QEMU and GDB's gcore
write the bytes of their segments one after the other, in the order of the program headers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PT_LOAD, PT_NULL, SHT_NOBITS, Segment

_COMPARED_BYTES: Final = 1 << 16
"""Of the beginning and the end of a gap: one of zeros only is a hole that a writer skipped."""


_HIGHEST_TYPE: Final = 0x7FFF_FFFF
"""PT_HIPROC (System V ABI, chapter 5): no type is larger."""


def memory_segments(core: ObjectFile) -> list[Segment]:
    """Return the segments of memory, also those whose headers have lost the type."""
    return [one for one in core.segments if one.type == PT_LOAD or has_lost_type(one)]


def has_lost_type(segment: Segment) -> bool:
    """Return whether a header describes memory, but has a type that no segment has."""
    is_type = PT_NULL < segment.type <= _HIGHEST_TYPE
    return not is_type and segment.address != 0 and segment.memory_bytes != 0


def damaged_segments(core: ObjectFile) -> frozenset[Segment]:
    """Return the segments of memory whose sizes or offsets in the file are damaged: there are bytes
    that no header describes behind those of the segment before, as many as the segment has in
    memory or in the file, and the segment has none, or those of another one; or there are such
    bytes on one side of its own, and on the other side it shares bytes."""
    loaded = memory_segments(core)
    gaps = _gaps(core, loaded)
    if not gaps:
        return frozenset()
    try:
        sections = _Sections.of(core)
    except DwarfGpuError:
        return frozenset()  # what is in a gap may be their headers
    gaps = {
        begin: size
        for begin, size in gaps.items()
        if not sections.overlap(begin, begin + size) and _is_written(core, begin, size)
    }
    moved = _moved(core, gaps, loaded)
    return frozenset(
        segment
        for before, segment in pairwise(loaded)
        if _end(before) not in moved
        and (size := gaps.get(_end(before)))
        and size == (segment.file_bytes or segment.memory_bytes)
    ).union(moved.values())


def _moved(core: ObjectFile, gaps: dict[int, int], loaded: list[Segment]) -> dict[int, Segment]:
    """Return by their gap the segments with a gap between them and one neighbour, and bytes of the
    other."""
    out = dict[int, Segment]()
    written = [segment for segment in loaded if segment.file_bytes]
    for before, segment, after in zip(written, written[1:], [*written[2:], None], strict=False):
        begin, end = _end(before), _end(segment)
        following = core.size_bytes if after is None else after.offset
        is_later = segment.offset - begin == gaps.get(begin) and following < end
        is_earlier = following - end == gaps.get(end) and segment.offset < begin
        if is_later and after is not None and not _is_same_memory(segment, after):
            out[begin] = segment
        if is_earlier and not _is_same_memory(before, segment):
            out[end] = segment
    return out


def overlapping_segments(core: ObjectFile, loaded: Sequence[Segment]) -> frozenset[Segment]:
    """Return those of the segments of memory that share bytes of the file, where two have a part in
    common and each has more: the offset or the size of one is damaged. A segment that ends where a
    header has the next one, or at the end of the file, is not; without that both may be.

    Mappings of the same memory may share bytes: in a dump of a machine (QEMU) the distance of
    physical addresses to the bytes is the same, in /proc/kcore that of virtual addresses.
    """
    starts = {one.offset for one in core.segments} | {core.size_bytes}
    damaged, widest = set[Segment](), None
    for one in sorted(loaded, key=lambda one: (one.offset, _end(one))):
        if widest is not None and _share_a_part(widest, one):
            pair = widest, one
            damaged.update([half for half in pair if _end(half) not in starts] or pair)
        if widest is None or _end(one) >= _end(widest):
            widest = one
    return frozenset(damaged)


def _end(segment: Segment) -> int:
    return segment.offset + segment.file_bytes


def _share_a_part(before: Segment, after: Segment) -> bool:
    is_part = before.offset < after.offset < _end(before) < _end(after)
    return is_part and not _is_same_memory(before, after)


def _is_same_memory(before: Segment, after: Segment) -> bool:
    """Return whether segments that share bytes are mappings of the same memory: as far apart in
    virtual or in physical memory, which processes do not have, as in the file."""
    distance = after.offset - before.offset
    physical_distance = after.physical_address - before.physical_address
    is_same = physical_distance == distance and after.physical_address != 0
    return is_same or after.address - before.address == distance


def _gaps(core: ObjectFile, loaded: list[Segment]) -> dict[int, int]:
    """Return the sizes of the gaps behind the first of the loaded segments, by their beginning;
    none that is cut short."""
    spans = sorted((one.offset, one.file_bytes) for one in core.segments if one.file_bytes)
    first = min((one.offset for one in loaded if one.file_bytes), default=core.size_bytes)
    out, end = dict[int, int](), 0
    for offset, size_bytes in (*spans, (core.size_bytes, 0)):
        if first < end < offset <= core.size_bytes:
            out[end] = offset - end
        end = max(end, offset + size_bytes)
    return out


class _Sections(NamedTuple):
    """The bytes of a file that sections describe."""

    starts: list[int]
    """Where they begin, in order."""
    ends: list[int]
    """For each of them the last end of those up to it."""

    @classmethod
    def of(cls, core: ObjectFile) -> _Sections:
        """Return those of a core file; a `DwarfGpuError` if they cannot be read."""
        spans = sorted(
            (one.offset, one.offset + one.size_bytes)
            for one in core.sections
            if one.type != SHT_NOBITS and one.size_bytes
        )
        return cls([start for start, _ in spans], [*accumulate((end for _, end in spans), max)])

    def overlap(self, begin: int, end: int) -> bool:
        """Return whether one of them has bytes of a range."""
        count = bisect_left(self.starts, end)
        return count > 0 and begin < self.ends[count - 1]


def _is_written(core: ObjectFile, begin: int, size_bytes: int) -> bool:
    """Return whether a gap has something but zeros at one of its ends."""
    return any(data.count(0) < len(data) for data in _ends(core, begin, size_bytes))


def _ends(core: ObjectFile, begin: int, size_bytes: int) -> Iterator[bytes]:
    count = min(size_bytes, _COMPARED_BYTES)
    for start in (begin, begin + size_bytes - count):
        yield core.file_bytes(start, count, "unclaimed bytes")


__all__ = ["damaged_segments", "has_lost_type", "memory_segments", "overlapping_segments"]
