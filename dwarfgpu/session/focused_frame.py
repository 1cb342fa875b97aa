"""The frame in focus as described by files alone, computed once for a session.

Law: everything here follows from the files and from fields of the session that never change, so
it never becomes stale: no read of the machine is in it, neither when the machine runs nor when
something is written does it change. Errors are not kept: what failed is tried again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.subprogram import FunctionsAround, Subprogram
from dwarfgpu.errors import DwarfGpuError, InconsistentContext, UsageError
from dwarfgpu.machine.target import Named, NotStarted, Target

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.file_table import SourceFile
    from dwarfgpu.dwarf.unit import CompilationUnit


def not_in_code(pc: int, code_objects: Iterable[CodeObject]) -> str:
    """Return the message about a program location that is in none of the code objects."""
    names = ", ".join(f"{item.name} loaded at {item.load_address:#x}" for item in code_objects)
    return f"pc {pc:#x} is not in the code of any code object ({names})"


@frozen
class LaneLocation:
    """Where a lane is in a call frame (A.2.5.1, current program location)."""

    pc: int | None
    """As loaded; None if the lane was not active on entry to the frame, and with `error`."""
    was_active: bool | None = None
    """Whether it was active on entry to the frame; None if nothing describes it."""
    note: str | None = None
    """The assumption made, if any."""
    error: DwarfGpuError | None = None
    """Why it is unknown."""


@frozen
class FramePosition:
    """A line of source text."""

    file: str
    """Its path, without the directory of the compilation."""
    path: str
    line: int
    is_start: bool
    """Whether the frame's pc is where the code of the line begins."""
    source: SourceFile = field(eq=False, repr=False)

    @property
    def file_to_open(self) -> str:
        """`file` as it is on disk, without escapes."""
        if "\\" not in self.path:
            return self.file
        folder = self.source.table.compilation_directory(to_open=True)
        return self.source.path_to_open.removeprefix(f"{folder}/")

    def is_same_line(self, position: FramePosition) -> bool:
        """Return whether another position is of the same line of the same file."""
        return (self.path, self.line) == (position.path, position.line)


def position_in_file(file: SourceFile, line: int, *, is_start: bool) -> FramePosition:
    """Return a line of a file of a line table."""
    return FramePosition(file.shown_name, file.path, line, is_start, file)


class WriteCount:
    """How often something was written through sessions that share a machine."""

    def __init__(self) -> None:
        self.writes = 0


@frozen(eq=False, slots=False)
class FocusedFrame:
    """The code object, functions and lanes at the program location of a session."""

    architecture: Architecture
    code_objects: tuple[CodeObject, ...]
    pc: int | None
    """The wave's program location, as loaded."""
    can_be_anywhere: bool
    """Whether a program location outside of all code objects is valid: in an outer frame."""
    given_lanes: int | None
    strict: bool
    target: Target | None
    """The machine; only its capabilities are used: they do not change."""
    function: Subprogram | None = None
    """The function that runs, where the program location is unknown."""

    @cached_property
    def positions(self) -> dict[tuple[int, int, bool], FramePosition | None]:
        """The source positions of lanes in the frame (`dwarfgpu.session.stack_frames`), keyed by
        where a lane is, the number of functions inlined into the one in focus, and whether the
        frame continues where the lane is."""
        return {}

    @cached_property
    def code_object(self) -> CodeObject | None:
        """The code object of the program location; the only one where there is no location, unless
        a process has loaded it as a library.

        `UsageError` for a program location in no code object.
        """
        if self.pc is None:
            only = self.code_objects[0] if len(self.code_objects) == 1 else None
            is_library = only is not None and only.is_library and not self.architecture.is_simt
            return None if is_library else only
        code_object = code_object_at(self.code_objects, self.pc)
        if code_object is not None or not self.code_objects or self.can_be_anywhere:
            return code_object
        raise UsageError(not_in_code(self.pc, self.code_objects))

    @cached_property
    def named(self) -> Named | None:
        """The machine, where it names waves and lanes."""
        return self.target if isinstance(self.target, Named) else None

    @cached_property
    def not_started(self) -> NotStarted | None:
        """The machine, where it counts reads of memory as before the program starts."""
        return self.target if isinstance(self.target, NotStarted) else None

    @cached_property
    def subprogram(self) -> Subprogram | None:
        """The innermost function that is not inlined, at the program location."""
        if self.code_object is None or self.pc is None:
            return self.function if self.pc is None else None
        return self.code_object.scopes.subprogram_at(self.pc)

    @cached_property
    def subprograms(self) -> FunctionsAround:
        """The functions at the program location, inlined ones too, innermost first."""
        if self.code_object is None or self.pc is None:
            none = FunctionsAround()
            return none if self.subprogram is None else none.around(self.subprogram)
        return self.code_object.scopes.subprograms_at(self.pc)

    @cached_property
    def functions_with_lanes(self) -> FunctionsAround:
        """The same, for what they say of lanes; none where they cannot be read, and the machine has
        no lanes: then its registers and memory are known nevertheless."""
        try:
            return self.subprograms
        except DwarfGpuError:
            if self.architecture.is_simt:
                raise
            return FunctionsAround()

    @cached_property
    def unit(self) -> CompilationUnit | None:
        """The unit whose code covers the program location; None if there is none."""
        if self.code_object is None or self.pc is None:
            return None
        return self.code_object.scopes.unit_at(self.pc)

    @cached_property
    def has_lane_pc(self) -> bool:
        """Whether a function has DW_AT_LLVM_lane_pc (A.3.3.5), so that the machine decides where
        lanes are; without the wave's location nothing does."""
        return self.pc is not None and self.functions_with_lanes.has(dw.AT_LLVM_LANE_PC)

    @property
    def has_lane_attributes(self) -> bool:
        """Whether more than the wave's pc and execution mask says what lanes do."""
        return self.has_lane_pc or self.functions_with_lanes.has(dw.AT_LLVM_ACTIVE_LANE)

    @cached_property
    def wave_location(self) -> LaneLocation:
        """Where the wave is, and each of its lanes without DW_AT_LLVM_lane_pc."""
        return LaneLocation(self.pc)

    @cached_property
    def lanes(self) -> int | None:
        """DW_AT_LLVM_lanes (A.3.3.5); None if absent."""
        return self.functions_with_lanes.lanes

    @cached_property
    def lane_count(self) -> tuple[int, str | None]:
        """Lanes of the wave (DW_AT_LLVM_lanes, A.3.3.5), and a note where that was assumed."""
        has_function, lanes = bool(self.functions_with_lanes), self.lanes
        explicit = self.given_lanes
        if lanes is not None:
            if explicit not in (None, lanes):
                raise InconsistentContext(
                    f"lane count {explicit} and DW_AT_LLVM_lanes {lanes} of the subprogram disagree"
                )
            if self.architecture.is_simt and lanes > self.architecture.lane_count:
                raise InconsistentContext(
                    f"DW_AT_LLVM_lanes {lanes} of the subprogram and "
                    f"the wave of {self.architecture.lane_count} lanes disagree"
                )
            return lanes, None
        if explicit is not None:
            return explicit, None
        if has_function and self.strict:
            return 1, None
        count = self.architecture.lane_count
        if not has_function or count == 1:
            return count, None
        return count, f"DW_AT_LLVM_lanes absent: wave size {count} assumed"
