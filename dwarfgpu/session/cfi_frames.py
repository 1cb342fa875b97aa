"""Unwind a wave or a thread by the call frame information of the loaded code objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.quirk_names import CFI_QUIRKS
from dwarfgpu.dwarf.calls.gpu_callers import GpuCallers, kernel_in
from dwarfgpu.dwarf.calls.prologues import prologues_of
from dwarfgpu.dwarf.calls.tail_calls import CallChains
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import as_code_objects, code_object_at, code_objects_at
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context

_ADVICE: Final = " (--heuristic finds callers by the machine code)"


@frozen
class LoadedCallFrames:
    """The call frame information of all code objects (`dwarfgpu.cfi.call_stack.Loaded`)."""

    code_objects: Sequence[CodeObject]
    architecture: Architecture
    quirks: frozenset[str] = frozenset()
    """Mistakes to correct, by their names (`dwarfgpu.cfi.quirks`)."""

    def row_at(self, location: int) -> FrameRow | None:
        # A program and its debug file share the code, and each may have the rows.
        covering = code_objects_at(self.code_objects, location)
        rows = (one.info.call_frames.row_at(location) for one in covering)
        row = next((row for row in rows if row is not None), None)
        if row is None or not self.quirks:
            return row
        from dwarfgpu.cfi.quirks import corrected  # few sessions ask for corrections

        return corrected(row, self.quirks, self.architecture)

    def file_text(self, location: int) -> str:
        code_object = code_object_at(self.code_objects, location)
        if code_object is not None:
            return f" in {code_object.name}"
        for code_object in as_code_objects(self.code_objects).around(location):
            if any(part.covers(location) for part in code_object.loaded_segments()):
                return f" in {code_object.name}, which has no code there"
        return ", which is not in any code object"

    def why_incomplete(self, location: int) -> DwarfGpuError | None:
        code_object = code_object_at(self.code_objects, location)
        return None if code_object is None else code_object.info.call_frames.why_incomplete()

    def kernel_at(self, location: int) -> str | None:
        code_object = code_object_at(self.code_objects, location)
        return None if code_object is None else kernel_in(code_object, location)


def call_stack_of(
    context: Context,
    pc: int,
    code_objects: Sequence[CodeObject],
    quirks: frozenset[str],
    *,
    is_heuristic: bool,
) -> CallStack:
    """Return the frames of a wave that is at a program location.

    `context` has architecture, thread, lane, target and limits.
    """
    arch = context.architecture
    assert arch is not None
    is_amdgpu = arch.machine == "AMDGPU"
    return CallStack(
        context,
        pc,
        LoadedCallFrames(code_objects, arch, quirks.intersection(CFI_QUIRKS)),
        by_convention=GpuCallers(code_objects, arch) if is_heuristic and is_amdgpu else None,
        tail_calls=CallChains(code_objects),
        advice=_ADVICE if is_amdgpu else "",
        prologues=prologues_of(code_objects, arch),
    )
