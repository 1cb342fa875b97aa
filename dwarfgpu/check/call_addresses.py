"""The addresses of call sites: a call and its return address are in the code of the function that
calls (DWARF 5 3.4.1), and so is where an entry within it is entered (2.18).

Law: a call may be the last instruction of the function, so that it returns, if at all, to its end.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

from dwarfgpu.check.attributes import AT_CALL_PC, CALLS
from dwarfgpu.check.entry_positions import EntryPositions
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import listed_spans
from dwarfgpu.dwarf.forms import FORMS, Attribute
from dwarfgpu.errors import DwarfGpuError


def call_fault(
    positions: EntryPositions, index: int, number: int, form: int, value: int
) -> str | None:
    """Return why the address of a call site is not one of a call in its function, or where an entry
    is entered not one of its code."""
    unit, code = positions.unit, positions.code(index)
    if not code:
        return None
    try:
        address = unit.address_of(Attribute(form, FORMS[form][0], value))
    except DwarfGpuError:
        return None  # reported itself, or in another file
    is_own = number in (AT_CALL_PC, dw.AT_ENTRY_PC)
    last = address if is_own else address - 1  # before the return of the call
    span = code[bisect_right(code, last, key=itemgetter(0)) - 1]
    if span.begin <= last < span.end:
        return None
    title = CALLS[unit.tree.abbreviations[index].tag, number]
    if number == dw.AT_ENTRY_PC:
        return f"{title} {address:#x} is not in the code of the function, {listed_spans(code)}"
    return f"{title} {address:#x} is not of a call in the function, {listed_spans(code)}"
