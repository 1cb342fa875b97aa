"""Pages of .bss that a process never wrote, which Linux leaves out of a core file: they are zeros.

Law: only the .bss of a loaded file is zeros; a heap and other anonymous memory stay unknown, as in
GDB.

Linux dumps the whole of a private mapping without a file if anything was ever written to it, and
otherwise nothing (`vma_dump_size` in fs/coredump.c). An exception is MADV_DONTDUMP, which splits
the mapping of a .bss unless it is for all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.machine.core.memory import Range
from dwarfgpu.machine.core.notes import MappedFile
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PF_W, PT_LOAD, Segment


def bss_spans(file: ObjectFile, load_address: int) -> Iterator[tuple[int, int]]:
    """Yield where the writable memory of a loaded file begins and ends that the file has no bytes
    of."""
    for segment in file.segments:
        if segment.type == PT_LOAD and segment.flags & PF_W:
            begin = load_address + segment.address
            yield begin + segment.file_bytes, begin + segment.memory_bytes


def unwritten_pages(
    core: ObjectFile, mapped: Iterable[MappedFile], bss: Iterable[tuple[int, int]]
) -> list[Range]:
    """Return the parts of .bss without a mapped file that the core describes and leaves out."""
    loads = [one for one in core.segments if one.type == PT_LOAD and one.memory_bytes]
    omitted = [one for one in loads if not one.file_bytes and one.flags & PF_W]
    if not omitted:  # often
        return []
    spans = SpanIndex((span, span) for span in bss)
    mappings = _Mappings(loads, mapped)
    out: list[Range] = []
    for segment in omitted:
        start, end = _span(segment)
        for begin, behind in spans.overlapping(start, end):
            if mappings.is_whole(segment, begin, behind):
                out.append(Range(max(start, begin), min(end, behind), None, 0, is_zeros=True))
            break
    return out


def _span(segment: Segment) -> tuple[int, int]:
    return segment.address, segment.address + segment.memory_bytes


class _Mappings:
    """The mappings of a process, by where they begin and end."""

    def __init__(self, loads: Iterable[Segment], mapped: Iterable[MappedFile]) -> None:
        self._files = SpanIndex(((part.start, part.end), part) for part in mapped)
        spans = [(segment, _span(segment)) for segment in loads]
        self._by_start = {start: segment for segment, (start, _) in spans}
        self._by_end = {end: segment for segment, (_, end) in spans}

    def is_whole(self, segment: Segment, begin: int, end: int) -> bool:
        """Return whether a segment is a mapping without a file, and no part of one that was split
        within a range."""
        start, behind = _span(segment)
        before = self._by_end.get(start) if begin < start else None
        after = self._by_start.get(behind) if behind < end else None
        return not self._is_of_file(segment) and not any(
            one is not None and one.flags == segment.flags and not self._is_of_file(one)
            for one in (before, after)
        )

    def _is_of_file(self, segment: Segment) -> bool:
        return any(True for _ in self._files.overlapping(*_span(segment)))
