"""Where the lane in focus is: at the wave's program location, elsewhere, or not in the frame."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from dwarfgpu.errors import InconsistentContext
from dwarfgpu.machine.target import EndsWaves
from dwarfgpu.session.lane_states import WaveLanes

if TYPE_CHECKING:
    from dwarfgpu.session.frame import SubprogramFrame

UNUSED: Final = "is unused: it has no work-item"


class FocusedLane(WaveLanes):
    """The lane in focus, if there is one: the base of a session."""

    __slots__ = ()

    @property
    @abstractmethod
    def lane(self) -> int | None: ...

    @property
    @abstractmethod
    def frame(self) -> SubprogramFrame: ...

    @property
    def program_location(self) -> int | None:
        """Where the lane in focus is (A.2.5.1): `pc`, unless DW_AT_LLVM_lane_pc says otherwise.

        `InconsistentContext` for a lane that was not active on entry to the call frame; the error
        of DW_AT_LLVM_lane_pc where that cannot be evaluated.
        """
        if self.is_absent:
            raise InconsistentContext(f"lane {self.lane} {self.why_absent}")
        return self.pc if self.lane is None else self.frame.program_location(self.lane)

    def _lane_pc(self, pc: int) -> int:
        """Return where the lane in focus is; `pc` without a lane, or where lanes have no own."""
        if self.lane is None or not self.focused_frame.has_lane_pc:
            return pc
        return self.frame.program_location(self.lane) or pc

    @property
    def has_ended(self) -> bool:
        """Whether the wave in focus ran to its end: it has no registers and no lanes any more."""
        return isinstance(self.target, EndsWaves) and self.target.has_ended(self.wave)

    @property
    def is_absent(self) -> bool:
        """Whether the lane in focus was not active on entry to the call frame, as a lane without a
        work-item never is."""
        if self.lane is None:
            return False
        return self.is_unused or (
            self.focused_frame.has_lane_pc
            and self.frame.lane_location(self.lane).was_active is False
        )

    @property
    def is_unlocated(self) -> bool:
        """Whether the lane in focus is inactive in the innermost frame, and nothing describes where
        it is: `program_location` is then that of the active lanes."""
        if self.lane is None or self.is_active(self.lane) is not False:
            return False
        location = self.frame.lane_location(self.lane)
        return location.was_active is None and location.error is None

    @property
    def is_unused(self) -> bool:
        """Whether the lane in focus is known to have no work-item."""
        named = self.focused_frame.named
        used = None if named is None else named.used_lanes(self.wave)
        if self.lane is None or used is None:
            return False
        return used <= self.lane < self.architecture.lane_count

    @property
    def why_absent(self) -> str:
        """The reason for `is_absent` of the lane in focus, as words that follow "the lane"."""
        return UNUSED if self.is_unused else "was not active on entry to the function"

    def lane_count(self) -> tuple[int, str | None]:
        """Return the number of lanes of the wave (DW_AT_LLVM_lanes, A.3.3.5), and a note if it is
        assumed."""
        return self.focused_frame.lane_count
