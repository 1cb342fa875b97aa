"""Pages of .bss that a process never wrote, which Linux leaves out of a core file: they are zeros.

Law: only the .bss of a loaded file is zeros, and only where one mapping has all of it; a heap and
other anonymous memory stay unknown, as in GDB.

Linux dumps the whole of a private mapping without a file if anything was ever written to it, and
otherwise nothing (`vma_dump_size` in fs/coredump.c). An exception is MADV_DONTDUMP, which splits
the mapping of a .bss unless it is for all of it. What split a mapping cannot be known from its
parts: guard pages (`mprotect`) may have, and the part between them may be left out by request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.machine.core.memory import Range
from dwarfgpu.machine.core.notes import MappedFile
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PF_W, PT_LOAD, Segment


def bss_spans(
    file: ObjectFile, load_address: int, parts: Iterable[MappedFile]
) -> Iterator[tuple[int, int]]:
    """Yield where the writable memory of a loaded file begins and ends that is behind what the file
    has of it, and behind the last page that is mapped from the file."""
    mapped = SpanIndex(((part.start, part.end), part.end) for part in parts)
    for segment in file.segments:
        if segment.type == PT_LOAD and segment.flags & PF_W:
            start = load_address + segment.address
            begin, behind = start + segment.file_bytes, start + segment.memory_bytes
            begin = next(mapped.covering(begin), begin)
            if begin < behind:
                yield begin, behind


def unwritten_pages(
    core: ObjectFile, mapped: Iterable[MappedFile], bss: Iterable[Sequence[tuple[int, int]]]
) -> list[Range]:
    """Return the .bss that the core describes and leaves out, of the files for which one mapping
    without a file has all of it.

    `bss`: the `bss_spans` of each file.
    """
    loads = [one for one in core.segments if one.type == PT_LOAD]
    if all(one.file_bytes or not one.memory_bytes for one in loads):  # often
        return []
    segments = SpanIndex((_span(one), one) for one in loads)
    files = SpanIndex(((part.start, part.end), part) for part in mapped)
    out: list[Range] = []
    for spans in bss:
        segment = _only_segment(segments, spans)
        if segment is None or segment.file_bytes or not segment.flags & PF_W:
            continue
        start, end = _span(segment)
        is_whole = all(start <= begin and behind <= end for begin, behind in spans)
        if is_whole and next(files.overlapping(start, end), None) is None:
            out += (Range(begin, behind, None, 0, is_zeros=True) for begin, behind in spans)
    return out


def _span(segment: Segment) -> tuple[int, int]:
    return segment.address, segment.address + segment.memory_bytes


def _only_segment(segments: SpanIndex[Segment], spans: Iterable[tuple[int, int]]) -> Segment | None:
    """Return the segment that has memory of some ranges; None if several have, or none."""
    only: Segment | None = None
    for begin, behind in spans:
        for segment in segments.overlapping(begin, behind):
            if only is not None and segment is not only:
                return None
            only = segment
    return only
