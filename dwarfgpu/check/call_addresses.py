"""The addresses of call sites: a call and its return address are in the code of the function that
calls (DWARF 5 3.4.1).

Law: a call may be the last instruction of the function, so that it returns, if at all, to its end.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

from dwarfgpu.check.attributes import AT_CALL_PC, CALLS
from dwarfgpu.check.entry_positions import EntryPositions
from dwarfgpu.dwarf.address_ranges import listed_spans
from dwarfgpu.dwarf.forms import FORMS, Attribute
from dwarfgpu.errors import DwarfGpuError


def call_fault(
    positions: EntryPositions, index: int, number: int, form: int, value: int
) -> str | None:
    """Return why the address of a call site is not one of a call in its function."""
    unit, code = positions.unit, positions.code(index)
    if not code:
        return None
    try:
        address = unit.address_of(Attribute(form, FORMS[form][0], value))
    except DwarfGpuError:
        return None  # reported itself, or in another file
    last = address if number == AT_CALL_PC else address - 1  # of the call, or before its return
    span = code[bisect_right(code, last, key=itemgetter(0)) - 1]
    if span.begin <= last < span.end:
        return None
    title = CALLS[unit.tree.abbreviations[index].tag, number]
    return f"{title} {address:#x} is not of a call in the function, {listed_spans(code)}"
