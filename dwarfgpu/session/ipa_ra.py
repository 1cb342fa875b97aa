"""Caller-saved registers of outer frames that GCC's -fipa-ra guarantees are intact.

Law: an expression of the program finds such a register only if GCC wrote it and knew every called
function. GCC ends a location before the end of a call that may change its register; if it
continues, every function within the call preserves the register (-fipa-ra). So the register has the
next inner frame's value (docs/spec-notes.md).
"""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.producer import tracks_calls
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location


def preserved_by_callees(
    frame: CfiFrame, number: int, code_object: Callable[[int], CodeObject | None]
) -> Location | None:
    """Return where an outer frame has a register that no rule and no ABI preserves; None if lost.

    `code_object` returns the file of a frame's level; all frames within the call must share one
    file.
    """
    file = _tracking_file(code_object(frame.level), frame)
    if file is None:
        return None
    walked: list[CfiFrame] = []
    preserved: Location | None = None
    while number not in frame.preserved_by_callees:
        walked.append(frame)
        callee = frame.callee
        if callee is None or _tracking_file(code_object(callee.level), callee) is not file:
            break
        if not callee.is_tail_call and not callee.lacks_rule(number):
            break
        saved = callee.register(number)
        if not saved.is_undefined:
            preserved = saved
            break
        frame = callee
    else:
        preserved = frame.preserved_by_callees[number]
    for callee_frame in walked:
        callee_frame.preserved_by_callees[number] = preserved
    return preserved


def _tracking_file(code_object: CodeObject | None, frame: CfiFrame) -> DebugInfo | None:
    """Return the file of a frame if its unit records which registers calls preserve."""
    if code_object is None:
        return None
    try:
        unit = code_object.scopes.unit_at(frame.location)
        return code_object.info if unit is not None and tracks_calls(unit.producer) else None
    except DwarfGpuError:
        return None
