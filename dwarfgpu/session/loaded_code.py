"""The call frame information of everything that is loaded."""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.cfi.quirks import corrected
from dwarfgpu.cfi.unwind import FrameRow
from dwarfgpu.dwarf.calls.gpu_callers import kernel_in
from dwarfgpu.dwarf.code_object import CodeObject, code_object_at


@frozen
class LoadedCode:
    """The call frame information of all code objects (`dwarfgpu.cfi.stack.Loaded`)."""

    code_objects: Sequence[CodeObject]
    architecture: Architecture
    quirks: frozenset[str] = frozenset()
    """Mistakes to correct, by their names (`dwarfgpu.cfi.quirks`)."""

    def row_at(self, location: int) -> FrameRow | None:
        code_object = code_object_at(self.code_objects, location)
        row = None if code_object is None else code_object.info.call_frames.row_at(location)
        return None if row is None else corrected(row, self.quirks, self.architecture)

    def file_text(self, location: int) -> str:
        code_object = code_object_at(self.code_objects, location)
        return ", which is in no code object" if code_object is None else f" in {code_object.name}"

    def kernel_at(self, location: int) -> str | None:
        code_object = code_object_at(self.code_objects, location)
        return None if code_object is None else kernel_in(code_object, location)
