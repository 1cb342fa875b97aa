"""Registers that callees may change, in outer frames of gcc's code: where those left them alone.

Law: what an expression of the program asks for is there only where gcc, which wrote it, knew of
every function that was called. gcc ends a location before the end of a call that may change its
register; where it goes on, every function within the call leaves the register alone (-fipa-ra).
So the register is what the next frame inwards has (docs/spec-notes.md).
"""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.cfi.tail_call_frame import TailFrame
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.info import DebugInfo
from dwarfgpu.dwarf.producer import tracks_calls
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location


def preserved_by_callees(
    frame: CfiFrame, number: int, code_object: Callable[[int], CodeObject | None]
) -> Location | None:
    """Where an outer frame has a register that no rule and no ABI gives it; None where it is lost.

    `code_object` is that of the frame of a level, which must be one file for all within the call.
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
        if not isinstance(callee, TailFrame) and not callee.is_untold(number):
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
    """The file of a frame, where its unit tells what calls leave alone."""
    if code_object is None:
        return None
    try:
        unit = code_object.scopes.unit_at(frame.location)
        return code_object.info if unit is not None and tracks_calls(unit.producer) else None
    except DwarfGpuError:
        return None
