"""Describe the access at which a wave failed, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dwarfgpu.errors import counted
from dwarfgpu.service.waves.wave_rows import ranges
from dwarfgpu.view.json_object import JsonObject, Plain

if TYPE_CHECKING:
    from dwarfgpu.machine.core.gpu.faulty_access import FaultyAccess


def access_lines(access: FaultyAccess) -> Iterator[str]:
    """Yield `Lane 63 loads 4 bytes at 0x7e00000076b0: nothing is mapped there.`, and more."""
    if not access.lanes:
        yield f"The lane that failed is unknown: {access.note}."
        return
    first = access.lanes[0]
    numbers = [item.lane for item in access.lanes if item.lane is not None]
    size = counted(access.size_bytes, "byte")
    if len(numbers) > 1:
        who = f"Lanes {ranges(numbers)} {access.verb[:-1]} {size} each, lane {numbers[0]}"
    else:
        who = f"Lane {numbers[0]}" if numbers else "The wave"
        who += f" {access.verb} {size}"
    yield f"{who} at {first.address}: {first.why}."
    where = f"{access.pc:#x}{', before the pc' if access.is_before_pc else ''}"
    yield f"The instruction is {access.instruction} at {where}."
    if access.note:
        yield f"note: {access.note}"


def access_cell(access: FaultyAccess | None) -> str:
    """Return `63: 0x7e00000076b0`: the first lane and its address; `?` if it is unknown."""
    if access is None:
        return "-"
    if not access.lanes:
        return "?"
    first = access.lanes[0]
    lane = "" if first.lane is None else f"{first.lane}: "
    return f"{lane}{first.address}"


def access_record(access: FaultyAccess | None) -> JsonObject | None:
    """Return the access as data."""
    if access is None:
        return None
    lanes: list[Plain] = [
        {"lane": item.lane, "address": item.address, "reason": item.why} for item in access.lanes
    ]
    return {
        "pc": None if access.pc is None else f"{access.pc:#x}",
        "instruction": access.instruction or None,
        "verb": access.verb or None,
        "size_bytes": access.size_bytes or None,
        "lanes": lanes,
        "note": access.note or None,
    }
