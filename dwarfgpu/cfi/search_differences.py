"""Where the search table `.eh_frame_hdr` and its section disagree."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from dwarfgpu.cfi.eh_frame_hdr import SECTION
from dwarfgpu.cfi.fde_columns import in_order
from dwarfgpu.cfi.section import FrameSection, wrong_pair
from dwarfgpu.errors import LimitExceeded


def each_search_difference(section: FrameSection) -> Iterator[str]:
    """Yield how the search table and the section disagree, all of both compared but FDEs that
    cannot be read.

    `LimitExceeded` where the table has more pairs than a section may have entries, or the
    section has more.
    """
    if section.search is None:
        return
    begin, named = section.address, section.search.frames_address
    if named != begin:
        yield f"{SECTION} is for {section.kind} at {named:#x}, which is at {begin:#x}"
    if not section.search.count:
        return
    if section.search.count > section.most_entries:
        pairs_text = f"{SECTION} has more than {section.most_entries} pairs"
        raise LimitExceeded(f"{pairs_text}: they are not compared", "--max-frame-entries")
    for end in (section.fde_columns.end, section.end):
        if end is not None and isinstance(end.error, LimitExceeded):
            raise end.error.anew()
    starts, addresses = section.search.pairs()
    for before, after in pairwise(starts):
        if after < before:
            yield f"{SECTION} is not sorted: {after:#x} follows {before:#x}"
    columns = section.fde_columns
    is_listed = bytearray(len(columns))
    for start, address in zip(starts, addresses, strict=True):
        row = columns.row_at(address - begin)
        location = None
        if row is not None:
            is_listed[row] = 1
            location = columns.starts[row] if columns.programs[row] else None
        if location is None and section.is_broken_fde(address - begin):
            continue
        problem = wrong_pair(section.kind, start, address - begin, location)
        if problem is not None:
            yield problem
    order = in_order(starts)
    for row, is_in_table in enumerate(is_listed):
        if is_in_table or not columns.sizes[row]:  # no location is in an empty one
            continue
        start, offset = columns.starts[row], columns.offsets[row]
        after = bisect_right(order, start, key=starts.__getitem__)
        other = None
        if after and starts[order[after - 1]] == start:
            other = columns.row_at(addresses[order[after - 1]] - begin)
        if other is None:
            yield f"{SECTION} has no entry for {start:#x} (FDE at offset {offset:#x})"
            continue
        # lld keeps the first of those that begin at one address.
        has_code = columns.sizes[other] > 0
        subject = f"the FDE at offset {columns.offsets[other]:#x}"
        yield (
            f"the entry of {SECTION} for {start:#x} is that of {subject}"
            f"{'' if has_code else ', which has no code,'} and the FDE at offset {offset:#x}, "
            "which begins there too, has none"
        )
