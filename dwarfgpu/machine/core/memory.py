"""The memory of a core file, completed by the mapped files.

Law: the core's contents win. Omitted memory is read from a mapped file that is known to be the
mapped one; pages of .bss that were never written are zeros. Everything else is `Unavailable` with
the reason.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.arguments import byte_range
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.core.unclaimed_bytes import (
    damaged_segments,
    has_lost_type,
    memory_segments,
    overlapping_segments,
)
from dwarfgpu.machine.sparse_memory import UNMAPPED
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import PT_NOTE
from dwarfgpu.objfile.elf_structures import PF_W, PF_X, PT_LOAD, PT_NULL, Segment
from dwarfgpu.objfile.file_bytes import FileBytes
from dwarfgpu.objfile.file_kinds import ELF_MAGIC

_CUT: Final = " is cut short"
_SEVERAL: Final = "several segments of the core file have it, with different bytes"
_MOST: Final = 8
"""How many segments with an address are compared; GDB's gcore writes up to three for a section."""
_PART: Final = "the core file leaves it out, but not all of its segment: it may have been modified"
_MANY: Final = f"more than {_MOST} segments of the core file have it"
_DAMAGED: Final = "the program header of its segment is damaged"
_NO_MEMORY_TYPE: Final = "its type is not that of memory"
_UNCLAIMED: Final = "bytes of the file that may be its own belong to no segment"
_SHARED: Final = "a part of its bytes in the file is that of another segment, too"
_HEADER_BYTES: Final = 52
"""Of an ELF header of 32 bits, the smaller one."""
_COMPARED_BYTES: Final = 1 << 20
"""How many bytes of each are compared at once."""
_RUN: Final = re.compile(rb"\0+|[^\0]+")
_PAGE_BYTES: Final = 4096
_PIPE_ALIGNMENT: Final = 16
"""To which ROCr rounds offsets of memory in a core file."""
_FAR: Final = 1 << 80
"""After all addresses, including those that a hostile core makes up."""


@frozen
class Range:
    """A range of addresses, and where its bytes are."""

    start: int
    end: int
    file: ObjectFile | None
    """The file with the bytes; None if there is none."""
    offset: int
    """In the file."""
    why: str = ""
    """Why no file has them."""
    alternatives: tuple[Range, ...] = ()
    """What other segments have at these addresses; the bytes are known where all agree."""
    is_zeros: bool = False
    """Whether all bytes are zeros, which no file has."""

    @property
    def is_known(self) -> bool:
        """Whether it has bytes."""
        return self.file is not None or self.is_zeros

    @property
    def is_final(self) -> bool:
        """Whether no file says what the process had here."""
        return self.why in (_MANY, _PART) or self.why.startswith(_DAMAGED)

    def read(self, address: int, size_bytes: int) -> bytes:
        """Read bytes in the range; zeros follow the end of a file up to the end of the page."""
        if self.is_zeros:
            return bytes(size_bytes)
        assert self.file is not None
        first = self.offset + address - self.start
        there = max(0, min(size_bytes, self.file.size_bytes - first))
        data = self.file.file_bytes(first, there, "mapped memory") if there else b""
        return data.ljust(size_bytes, b"\0")

    def window(self, address: int, size_bytes: int) -> bytes | FileBytes | None:
        """Return the bytes, not read yet; None for zeros, and behind the end of the file."""
        if self.is_zeros:
            return None
        assert self.file is not None
        first = self.offset + address - self.start
        if first + size_bytes > self.file.size_bytes:
            return None
        return self.file.part(first, size_bytes)

    def agreement(self, address: int, size_bytes: int) -> Iterator[tuple[int, int, Range | str]]:
        """Yield address and size of each part of the range, and either that range, where its
        alternatives have the same bytes, or the reason why the part is unknown."""
        whole = int.from_bytes(self.read(address, size_bytes))
        differing = 0
        for alternative in self.alternatives:
            differing |= whole ^ int.from_bytes(alternative.read(address, size_bytes))
        if not differing:
            yield address, size_bytes, self
            return
        for run in _RUN.finditer(differing.to_bytes(size_bytes)):
            is_same = run[0][0] == 0
            yield address + run.start(), len(run[0]), self if is_same else _SEVERAL


def _cut(core: ObjectFile) -> str:
    return f"{core.path}{_CUT}"


def core_ranges(core: ObjectFile, shift_bytes: int = 0) -> tuple[Range, ...]:
    """Return the ranges that the segments of a core file contain, and those that they omit, by
    address.

    What one segment omits may be in another one. Where several have different bytes of the file,
    these are compared when they are read: GDB's gcore writes a segment for each section of a
    program whose memory map it cannot see, and the addresses of .tbss are those of other sections.
    """
    present: list[Range] = []
    omitted: list[Range] = []
    damaged = _damaged(core, shift_bytes)
    for segment in memory_segments(core):
        dumped = min(segment.file_bytes, segment.memory_bytes)
        offset = segment.offset - shift_bytes
        dumped_bytes = min(dumped, max(0, core.size_bytes - offset))
        start = segment.address
        ends = (start + dumped_bytes, start + dumped, start + segment.memory_bytes)
        why = _contradiction(segment)
        if not why and segment in damaged:
            why = f"{_DAMAGED}: {damaged[segment]}"
        if why:
            omitted.append(Range(start, max(ends[2], start + segment.file_bytes), None, 0, why))
            continue
        present.append(Range(start, ends[0], core, offset))
        why = _PART if _is_odd_part(core, segment) else "the core file leaves it out"
        omitted += [
            Range(ends[0], ends[1], None, 0, _cut(core)),
            Range(ends[1], ends[2], None, 0, why),
        ]
    known = _over(_shared(_sorted(present)), _sorted(present))
    return _over(known, _sorted(omitted))


def _damaged(core: ObjectFile, shift_bytes: int) -> dict[Segment, str]:
    """Return the segments with bytes that the headers of all segments show to be damaged, and
    why."""
    if shift_bytes:
        return {}
    damaged = dict.fromkeys(damaged_segments(core), _UNCLAIMED)
    damaged |= dict.fromkeys(filter(has_lost_type, core.segments), _NO_MEMORY_TYPE)
    sound = [
        segment
        for segment in core.segments
        if segment.type == PT_LOAD and segment not in damaged and not _contradiction(segment)
    ]
    return dict.fromkeys(overlapping_segments(core, sound), _SHARED) | damaged


def damage_notes(core: ObjectFile, shift_bytes: int = 0) -> list[str]:
    """Return which segments have damaged offsets or sizes, as the bytes of the file show that no
    segment or several describe."""
    by_reason: dict[str, list[int]] = {}
    for segment, why in _damaged(core, shift_bytes).items():
        by_reason.setdefault(why, []).append(segment.address)
    return [
        f"{core.path}: the program header of memory at {min(damaged):#x}"
        f"{f' and {len(damaged) - 1} more' if len(damaged) > 1 else ''} is damaged: {why}"
        for why, damaged in by_reason.items()
    ]


def _contradiction(segment: Segment) -> str:
    """Return why the header of a segment is damaged; empty if nothing shows it."""
    if segment.file_bytes > segment.memory_bytes:
        return f"{_DAMAGED}: it has {segment.file_bytes} bytes of {segment.memory_bytes}"
    if segment.file_bytes and segment.offset < _HEADER_BYTES:
        return f"{_DAMAGED}: its bytes are those of the ELF header"
    return ""


def _is_odd_part(core: ObjectFile, segment: Segment) -> bool:
    """Return whether only a part of a segment is in the core that may have been modified.

    Linux dumps all of a mapping or nothing, or its first page, if that is an ELF header. Code is
    not modified.
    """
    if not 0 < segment.file_bytes < segment.memory_bytes or segment.flags & (PF_W | PF_X) == PF_X:
        return False
    if segment.offset + len(ELF_MAGIC) > core.size_bytes:
        return False  # it is cut short
    return core.file_bytes(segment.offset, len(ELF_MAGIC), "a segment") != ELF_MAGIC


def core_protection(core: ObjectFile) -> SpanIndex[bool] | None:
    """Return the segments of a core file, and whether each can be executed; None if none can: what
    wrote the file did not say so."""
    segments = [
        ((segment.address, segment.address + segment.memory_bytes), bool(segment.flags & PF_X))
        for segment in core.segments
        if segment.type == PT_LOAD
    ]
    return SpanIndex(segments) if any(is_code for _, is_code in segments) else None


def _shared(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Return where several of the ranges, which are sorted, not empty and of one file, have an
    address at different bytes of the file."""
    if all(before.end <= after.start for before, after in pairwise(ranges)):  # nearly always
        return ()
    edges: list[tuple[int, int, int]] = []
    file: ObjectFile | None = None
    for span in ranges:
        file, distance = span.file, span.offset - span.start
        edges += [(span.start, 1, distance), (span.end, -1, distance)]
    shared: list[Range] = []
    # Of the ranges here with each distance of bytes to addresses. What was deleted from the
    # beginning of a plain dictionary is passed over each time.
    counts = OrderedDict[int, int]()
    for (start, change, distance), (end, _, _) in pairwise(sorted(edges)):
        counts[distance] = counts.get(distance, 0) + change
        if not counts[distance]:
            del counts[distance]
        if len(counts) < 2 or start == end:
            continue
        if len(counts) > _MOST:
            if shared and shared[-1].end == start and shared[-1].why == _MANY:
                start = shared.pop().start
            shared.append(Range(start, end, None, 0, _MANY))
        else:
            contents = [Range(start, end, file, start + distance) for distance in counts]
            shared.append(evolve(contents[0], alternatives=tuple(contents[1:])))
    return tuple(shared)


def _over(upper: tuple[Range, ...], lower: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return ranges without overlaps: the upper ones, and what the lower ones have beside them;
    each are sorted."""
    if not upper or not lower:
        return upper or lower
    out = list(_apart(upper))
    starts = [span.start for span in out]
    for span in _apart(lower):
        start, index = span.start, max(bisect_right(starts, span.start) - 1, 0)
        while start < span.end:
            end, behind = span.end, span.end
            if index < len(starts) and out[index].start < span.end:
                end, behind = out[index].start, out[index].end
            index += 1
            if start < end:
                out.append(
                    evolve(span, start=start, end=end, offset=span.offset + start - span.start)
                )
            start = max(start, behind)
    return _sorted(out)


@frozen
class MemorySizes:
    """How much of the memory of a process a core file has, in bytes."""

    present: int
    omitted: int
    """Not dumped."""
    missing: int
    """Dumped, by the headers, but behind the end of the file."""


def memory_sizes(core: ObjectFile) -> MemorySizes:
    """Return the sizes of all segments of memory."""
    present_bytes = omitted = missing = 0
    for segment in core.segments:
        if segment.type == PT_LOAD:
            dumped = min(segment.file_bytes, segment.memory_bytes)
            there = min(dumped, max(0, core.size_bytes - segment.offset))
            present_bytes += there
            missing += dumped - there
            omitted += segment.memory_bytes - dumped
    return MemorySizes(present_bytes, omitted, missing)


def shift_of_pipe(core: ObjectFile) -> int:
    """Return how many bytes before its headers say the memory may be, where a pipe took it.

    ROCr rounds the offsets up, and leaves out the padding where it cannot seek. 0: it cannot be.
    """
    notes = [
        segment.offset + segment.file_bytes for segment in core.segments if segment.type == PT_NOTE
    ]
    loads = [
        segment.offset
        for segment in core.segments
        if segment.type == PT_LOAD and segment.file_bytes
    ]
    padding = min(loads, default=0) - max(notes, default=0)
    return padding if 0 < padding < _PIPE_ALIGNMENT else 0


def unmapped_reason(core: ObjectFile) -> str:
    """Return the reason why memory that no segment describes is unknown."""
    return _cut(core) if _empty_headers(core) else UNMAPPED


def _empty_headers(core: ObjectFile) -> int:
    """Return program headers that a writer has left empty, as ROCr does at a limit of the file's
    size."""
    return sum(segment.type == PT_NULL and not segment.memory_bytes for segment in core.segments)


def cut_short(core: ObjectFile, shift_bytes: int = 0) -> str | None:
    """Return that a core file ends before its segments do; None if it does not."""
    empty = _empty_headers(core)
    if empty:
        return f"{core.path} is cut short: {empty} of its program headers are empty"
    needed = max((segment.offset + segment.file_bytes for segment in core.segments), default=0)
    needed -= shift_bytes
    if needed <= core.size_bytes:
        return None
    return (
        f"{core.path} is cut short: its headers describe {needed} bytes, "
        f"and it has {core.size_bytes}"
    )


def mapped_range(start: int, end: int, offset: int, file: ObjectFile) -> tuple[Range, Range]:
    """Return a part of a file in memory, and the rest of the last page after the end of the
    file."""
    pages = -(-file.size_bytes // _PAGE_BYTES) * _PAGE_BYTES
    there = max(start, min(end, start + pages - offset))
    why = f"it is after the end of {file.path}"
    return Range(start, there, file, offset), Range(there, end, None, 0, why)


def _sorted(ranges: Iterable[Range]) -> tuple[Range, ...]:
    return tuple(sorted((e for e in ranges if e.start < e.end), key=lambda part: part.start))


@methods_name_wrong_arguments
class CoreMemory:
    """Ranges of the core, and below them those of mapped files.

    `UsageError` for a size below 0.
    """

    def __init__(self, *layers: Iterable[Range], unmapped: str = UNMAPPED) -> None:
        """`layers`: what an earlier one has goes over what later ones have; `unmapped`: why the
        rest is unknown."""
        self._layers = tuple(_Layer(_sorted(layer)) for layer in layers)
        self.unmapped = unmapped

    @property
    def is_complete(self) -> bool:
        """Whether the core describes all memory of the process, although it may leave bytes out."""
        return self.unmapped == UNMAPPED

    def window(self, address: int, size_bytes: int) -> bytes | FileBytes:
        """Return what `read` returns; a range within one segment of a large file is not read
        yet."""
        parts = list(islice(self._parts(address, size_bytes), 2))
        if len(parts) == 1 and isinstance(parts[0][2], Range):
            window = parts[0][2].window(address, size_bytes)
            if window is not None:
                return window
        return self.read(address, size_bytes)

    def read(self, address: int, size_bytes: int) -> bytes:
        """Return the bytes; `Unavailable` with the first unknown address, and why."""
        parts = []
        for start, count, held_part in self._parts(address, size_bytes):
            if isinstance(held_part, str):
                raise Unavailable(f"cannot access memory at address {start:#x}: {held_part}")
            parts.append(held_part.read(start, count))
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def first_bytes(self, address: int, most_bytes: int) -> bytes:
        """Return what one range has from an address on, up to `most_bytes`; empty if the address is
        unknown."""
        for start, count, held_part in self._parts(address, most_bytes):
            return b"" if isinstance(held_part, str) else held_part.read(start, count)
        return b""

    def known(self, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range: offsets in it, and bytes."""
        return [
            (start - address, source.read(start, count))
            for start, count, source in self._parts(address, size_bytes)
            if not isinstance(source, str)
        ]

    def extents(self) -> list[tuple[int, int]]:
        """Return the start and the end of each known range; neighbours are one.

        Memory of several segments, whose bytes may differ, is not among them.
        """
        out: list[tuple[int, int]] = []
        ranges = (part for layer in self._layers for part in layer.ranges)
        for start, end in sorted(
            (part.start, part.end) for part in ranges if part.is_known and not part.alternatives
        ):
            if out and start <= out[-1][1]:
                out[-1] = out[-1][0], max(end, out[-1][1])
            else:
                out.append((start, end))
        return out

    def why_unmapped(self, address: int, size_bytes: int) -> str:
        """Return why a part of a range is in no memory that the core describes; empty if all of it
        is, although the core may leave out its bytes."""
        address, size_bytes = byte_range(address, size_bytes)
        end = address + size_bytes
        while address < end:
            layer_parts = [layer.at(address) for layer in self._layers]
            if all(part is None for part, _ in layer_parts):
                return self.unmapped
            address = max(boundary for part, boundary in layer_parts if part is not None)
        return ""

    def _parts(self, address: int, size_bytes: int) -> Iterator[tuple[int, int, Range | str]]:
        """Yield address and size of each part, and its source, or why there is none."""
        if type(address) is not int or type(size_bytes) is not int or size_bytes < 0:
            address, size_bytes = byte_range(address, size_bytes)
        end = address + size_bytes
        while address < end:
            stop, source = end, None
            why = self.unmapped
            for layer in self._layers:
                layer_part, boundary = layer.at(address)
                stop = min(stop, boundary)
                if layer_part is not None and layer_part.is_known:
                    source = layer_part
                    break
                if layer_part is not None and layer_part.is_final:
                    why = layer_part.why
                    break
                if layer_part is not None and not why.endswith(_CUT):
                    why = layer_part.why
            if source is not None and source.alternatives:
                stop = min(stop, address + _COMPARED_BYTES)
                yield from source.agreement(address, stop - address)
            else:
                yield address, stop - address, source or why
            address = stop


def _apart(ranges: Iterable[Range]) -> Iterator[Range]:
    """Yield the ranges without overlaps: what begins first is read."""
    end = 0
    for span in ranges:
        if span.start >= end:
            yield span
        elif span.end > end:
            yield evolve(span, start=end, offset=span.offset + end - span.start)
        end = max(end, span.end)


class _Layer:
    """Ranges by address."""

    def __init__(self, ranges: tuple[Range, ...]) -> None:
        self.ranges = tuple(_apart(ranges))
        self._starts = [span.start for span in self.ranges]

    def at(self, address: int) -> tuple[Range | None, int]:
        """Return the range that has an address, and up to where that is the answer."""
        index = bisect_right(self._starts, address)
        after = self._starts[index] if index < len(self._starts) else _FAR
        if index and address < self.ranges[index - 1].end:
            return self.ranges[index - 1], min(self.ranges[index - 1].end, after)
        return None, after
