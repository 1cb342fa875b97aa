"""Decide what the lanes of a wave do: where each is in a call frame, whether the wave executes it
(AMD text A.3.3.5). `dwarfgpu.dwarf.lane_attributes` evaluates DW_AT_LLVM_lane_pc and
DW_AT_LLVM_active_lane.

Law: a lane is at the wave's pc only if no function has DW_AT_LLVM_lane_pc; where the attribute
cannot be evaluated, the location of the lane is unknown.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, integer
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import lane_attributes
from dwarfgpu.dwarf.scope.subprogram import FunctionsAround, Subprogram
from dwarfgpu.errors import (
    DwarfGpuError,
    MissingContext,
    Unavailable,
    Unsupported,
    UsageError,
    shown,
)
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.evaluate import Observer
from dwarfgpu.expr.operation_budget import OPERATION_BUDGET
from dwarfgpu.machine.target import Failed, Target, WaveId
from dwarfgpu.session.focused_frame import FocusedFrame, LaneLocation

if TYPE_CHECKING:
    from dwarfgpu.cfi.unwind import CfiFrame


UNKNOWN: Final = "the location of the lane is unknown: "
"""The beginning of the error where DW_AT_LLVM_lane_pc cannot be evaluated."""
_FREE_FUNCTIONS: Final = 16
"""Functions around one another that a lane never entered, and that cost the command nothing."""
_MOST_LANES: Final = 1 << 16
"""Lanes of a wave to ask: more than any wave has."""
_STEPS_OF_A_FUNCTION: Final = 100
"""Operations that take as long as finding that a lane never entered one more of them."""


def few_enough(lanes: Iterable[int]) -> Iterator[int]:
    """Yield lanes to ask, which may be the same; `UsageError` for more than any wave has, as from
    an endless iterator."""
    for index, lane in enumerate(lanes):
        if index == _MOST_LANES:
            raise UsageError(f"lanes: expected at most {_MOST_LANES} lanes of a wave, not more")
        yield lane


@methods_name_wrong_arguments
@frozen
class LaneState:
    """What a lane of the wave is doing."""

    lane: int
    is_active: bool | None
    """For the innermost frame, from DW_AT_LLVM_active_lane, else from the execution mask; None if
    unknown."""
    location: LaneLocation | None
    """The lane's location in the call frame; None with `error`."""
    error: DwarfGpuError | None = None

    @classmethod
    def at(cls, lane: int, is_active: bool | None, location: LaneLocation) -> LaneState:
        """Return the state of a lane at a location, which may be unknown."""
        try:
            error = location.error
            return cls(lane, is_active, location if error is None else None, error)
        except FOREIGN:
            require_right_arguments(LaneState.at, lane, is_active, location)
            raise

    @property
    def is_absent(self) -> bool:
        """Whether it was not active on entry to the call frame, and so has no location in it."""
        return self.location is not None and self.location.was_active is False


class KnownLaneLocations:
    """The lane locations that one state of a machine was asked for."""

    def __init__(self) -> None:
        self._state: object = None
        self._known: dict[object, LaneLocation] = {}

    def of(
        self, key: object, state: Callable[[], object], locate: Callable[[], LaneLocation]
    ) -> LaneLocation:
        """Return the location of a key, evaluated once for each state; again each time where the
        state is None, and so unknown."""
        now = state()
        if now is None:
            return locate()
        if now != self._state:
            self._state, self._known = now, {}
        if key not in self._known:
            location = locate()
            if state() != now:
                return location
            self._known[key] = location
        return self._known[key]


class LaneFocus(Protocol):
    """What decides which lanes are asked about."""

    @property
    def lane(self) -> int | None: ...

    @property
    def is_pc_forced(self) -> bool: ...

    @property
    def known_lane_locations(self) -> KnownLaneLocations:
        """The known lane locations of sessions that differ in the lane alone."""
        ...

    def machine_state(self) -> object | None:
        """Return what equals itself while nothing that an evaluation reads has changed; None if
        that is unknown."""
        ...


class FrameLanes:
    """Where the lanes are in a call frame: the base of a frame."""

    __slots__ = ()

    @property
    @abstractmethod
    def session(self) -> LaneFocus: ...

    @property
    @abstractmethod
    def pc(self) -> int | None: ...

    @property
    @abstractmethod
    def level(self) -> int: ...

    @property
    @abstractmethod
    def is_scalar(self) -> bool: ...

    @property
    @abstractmethod
    def is_innermost(self) -> bool: ...

    @property
    @abstractmethod
    def _lanes(self) -> dict[int, LaneLocation]: ...

    @property
    @abstractmethod
    def described(self) -> FocusedFrame: ...

    @property
    @abstractmethod
    def subprogram(self) -> Subprogram | None: ...

    @property
    @abstractmethod
    def subprograms(self) -> FunctionsAround: ...

    @property
    @abstractmethod
    def _physical(self) -> CfiFrame: ...

    @property
    @abstractmethod
    def execution_mask(self) -> int | None: ...

    @abstractmethod
    def active_lanes(self) -> int | None: ...

    @abstractmethod
    def _of_thread(self) -> Context: ...

    def lane_location(self, lane: int | None) -> LaneLocation:
        """Return where a lane is, by DW_AT_LLVM_lane_pc (A.3.3.5), else where the thread is.

        An inlined call that the lane never entered leaves it in the function around the call.
        """
        if lane is None or self.is_scalar:
            return LaneLocation(self.pc)
        described = self.described
        if not described.has_lane_pc:
            return described.wave_location
        is_forced = self.session.is_pc_forced and not self.level
        locate = self._forced_location if is_forced else self._lane_location
        if type(lane) is not int:  # many lanes at once (docs/decisions/0008)
            return locate(lane)
        if lane not in self._lanes:
            self._lanes[lane] = self._known_location(lane, locate)
        return self._lanes[lane]

    def _known_location(self, lane: int, locate: Callable[[int], LaneLocation]) -> LaneLocation:
        """Return the location of a lane, evaluated once for each state of the machine. An outer
        frame notes what it assumes of its registers, in each evaluation."""
        if self.level or not self.is_innermost:
            return locate(lane)
        session = self.session
        key = self.pc, session.lane, lane
        state = session.machine_state
        return session.known_lane_locations.of(key, state, lambda: locate(lane))

    def lane_locations(self, count: int) -> tuple[LaneLocation, ...] | None:
        """Return `lane_location` of the first lanes in one pass; None if each needs its own
        evaluation."""
        if self.session.is_pc_forced or self.session.lane is not None:
            return None
        vectors: list[tuple[int | None, ...]] = []
        try:
            for subprogram in self.subprograms.having(dw.AT_LLVM_LANE_PC):
                if (attribute := subprogram.lane_pc) is not None:
                    context = self._of_thread()
                    vectors.append(lane_attributes.lane_locations(attribute, context, count))
        except DwarfGpuError:
            return None  # perhaps not of every lane
        if not vectors:
            return (LaneLocation(self.pc),) * count
        lane_pcs = (
            next((pc for pc in vector if pc is not None), None)
            for vector in zip(*vectors, strict=True)
        )
        return tuple(self._location_at(pc) for pc in lane_pcs)

    def _forced_location(self, lane: int) -> LaneLocation:
        """Return the wave's location; a lane that never entered still has none."""
        try:
            location = self._lane_location(lane)
        except DwarfGpuError as error:
            location = LaneLocation(None, error=error)
        if self.pc is None or location.was_active is False or location.pc == self.pc:
            return location
        note = f"lanes are assumed to be at {self.pc:#x}, wherever DW_AT_LLVM_lane_pc puts them"
        return LaneLocation(self.pc, location.was_active, note)

    def observed_lane_location(
        self, lane: int, observer_of: Callable[[Subprogram], Observer] | None = None
    ) -> LaneLocation:
        """Return `lane_location`, evaluated again for an observer of each function's attribute."""
        return self._lane_location(lane, observer_of)

    def _lane_location(
        self, lane: int, observer_of: Callable[[Subprogram], Observer] | None = None
    ) -> LaneLocation:
        has_lane_pc = False
        budget = OPERATION_BUDGET.get()
        for index, subprogram in enumerate(self.subprograms.having(dw.AT_LLVM_LANE_PC)):
            if (attribute := subprogram.lane_pc) is None:
                continue
            has_lane_pc = True
            context = self._of_thread()
            if index >= _FREE_FUNCTIONS and budget is not None:
                budget.spend(_STEPS_OF_A_FUNCTION, context.limits, context.stop)
            observe = None if observer_of is None else observer_of(subprogram)
            try:
                pc = lane_attributes.lane_location(attribute, context, lane, observe)
            except (MissingContext, Unavailable, Unsupported) as error:
                return LaneLocation(None, error=_unknown(subprogram, error))
            except DwarfGpuError as error:
                raise _unknown(subprogram, error) from None
            if pc is not None:
                return self._location_at(pc)
        return self._location_at(None) if has_lane_pc else LaneLocation(self.pc)

    def _location_at(self, pc: int | None) -> LaneLocation:
        """Return the lane location that the attributes describe."""
        if pc is None:
            return LaneLocation(None, was_active=False)
        # The program counter of an outer frame is after the call that it waits for.
        is_waiting = self.level > 0 and pc == self._physical.pc
        return LaneLocation(self.pc if is_waiting else pc, was_active=True)


class WaveLanes:
    """What the lanes of the wave in focus do: the base of a session."""

    __slots__ = ()

    @property
    @abstractmethod
    def architecture(self) -> Architecture: ...

    @property
    @abstractmethod
    def target(self) -> Target | None: ...

    @property
    @abstractmethod
    def wave(self) -> WaveId: ...

    @property
    @abstractmethod
    def pc(self) -> int | None: ...

    @property
    @abstractmethod
    def top(self) -> WaveLanes | None: ...

    @property
    @abstractmethod
    def level(self) -> int: ...

    @property
    @abstractmethod
    def inline_level(self) -> int: ...

    @property
    @abstractmethod
    def given_lanes(self) -> int | None: ...

    @property
    @abstractmethod
    def focused_frame(self) -> FocusedFrame: ...

    @property
    @abstractmethod
    def frame(self) -> FrameLanes: ...

    @property
    @abstractmethod
    def has_ended(self) -> bool: ...

    @abstractmethod
    def lane_count(self) -> tuple[int, str | None]: ...

    @abstractmethod
    def focused(self, lane: int | None) -> WaveLanes: ...

    @property
    @abstractmethod
    def is_unused(self) -> bool: ...

    def active_lanes(self) -> tuple[int | None, str | None]:
        """Return the frame's mask of DW_AT_LLVM_active_lane, else its execution mask (A.3.3.5).

        None if unknown; then with a note, if there is more to say.
        """
        try:
            mask = self.frame.active_lanes()
        except UsageError:
            mask = None  # the program location is not in any code object
        except DwarfGpuError as error:
            return None, f"the active lanes are unknown: DW_AT_LLVM_active_lane: {error}"
        if mask is None:
            mask = 1 if self._is_scalar() else self.frame.execution_mask
        return mask, None

    def _is_scalar(self) -> bool:
        """Return whether the function has one lane, the thread itself: it needs no execution
        mask."""
        try:
            is_in_function = self.frame.subprogram is not None
            return self.architecture.is_simt and is_in_function and self.lane_count()[0] == 1
        except DwarfGpuError:
            return False

    def executing_lanes(self) -> tuple[int | None, str | None]:
        """Return `active_lanes` of the innermost frame, whichever is in focus: the lanes that the
        wave executes."""
        return (self.top or self).active_lanes()

    @property
    def decides_lanes(self) -> object:
        """What decides `lane_states` of this wave and others of the machine: their program location
        and execution mask. None if there is more, as DW_AT_LLVM_lane_pc and other frames."""
        top = self.focused_frame
        if self.top is not None or self.level or self.inline_level or top.has_lane_attributes:
            return None
        mask = self.frame.execution_mask
        return None if mask is None else (self.architecture, self.pc, self.given_lanes, mask)

    def is_active(self, lane: int) -> bool | None:
        """Return whether the wave executes a lane; None if unknown. `UsageError` for a lane that
        the wave does not have."""
        lane = self.existing_lane(lane)
        mask, _ = self.executing_lanes()
        return None if mask is None else bool(mask >> lane & 1)

    def lane_states(self, lanes: Iterable[int]) -> list[LaneState]:
        """Return the states of lanes of the wave: whether the wave executes them, and their
        locations in the frame. `UsageError` for a lane that the wave does not have."""
        mask, _ = self.executing_lanes()
        numbers, states = tuple(map(self.existing_lane, few_enough(lanes))), []
        locations = self._lane_locations(max(numbers) + 1) if len(numbers) > 1 else ()
        for lane in numbers:
            is_active = None if mask is None else bool(mask >> lane & 1)
            try:
                is_included = 0 <= lane < len(locations)
                location = (
                    locations[lane] if is_included else self.focused(lane).frame.lane_location(lane)
                )
                states.append(LaneState.at(lane, is_active, location))
            except DwarfGpuError as error:
                states.append(LaneState(lane, is_active, None, error))
        return states

    def existing_lane(self, lane: int) -> int:
        """Return the lane; `UsageError` if the wave has no such lane."""
        if type(lane) is not int:
            lane = integer("lane", lane)
        count = self.architecture.lane_count
        if lane >= count:
            with suppress(DwarfGpuError):
                count = max(count, self.lane_count()[0])
        if not 0 <= lane < count:
            own = "a thread has lane 0 alone" if count == 1 else f"the wave has {count}, from 0"
            raise UsageError(f"there is no lane {shown(lane)}: {own}")
        return lane

    def _lane_locations(self, count: int) -> tuple[LaneLocation, ...]:
        """Return where the first lanes are; empty if each needs its own evaluation."""
        try:
            count = min(count, self.lane_count()[0])
            return self.focused(None).frame.lane_locations(count) or ()
        except DwarfGpuError:
            return ()

    def first_active_lane(self) -> int | None:
        """Return the first lane of the execution mask; lane 0 if the mask is unknown, None on a CPU
        and in a wave that has ended."""
        if not self.architecture.is_simt or self.has_ended:
            return None
        try:
            count, _ = self.lane_count()
        except DwarfGpuError:
            count = self.architecture.lane_count
        mask, _ = self.active_lanes()
        return next((lane for lane in range(min(count, 1024)) if (mask or 0) >> lane & 1), 0)

    def faulty_lane(self) -> int | None:
        """Return the first lane of the wave that failed, where the target knows it, as a core file
        or a state with `stop_lanes` does."""
        target = self.target
        return target.faulty_lane(self.wave) if isinstance(target, Failed) else None

    def initial_lane(self) -> int | None:
        """Return the lane for the initial focus: the first one that failed, or else the first
        active one, or else lane 0. Code for whole waves also executes in lanes without a
        work-item, which have no frame."""
        lane: int | None = None
        for lane in (self.faulty_lane(), self.first_active_lane()):
            if lane is not None and not self.focused(lane).is_unused:
                return lane
        return None if lane is None else 0


def _unknown(subprogram: Subprogram, error: DwarfGpuError) -> DwarfGpuError:
    """Return the error for A.3.3.5: a lane is at the wave's pc only if the attribute is absent."""
    name = f"DW_AT_LLVM_lane_pc of {subprogram.name}"
    unknown = error.anew()
    unknown.args = (f"{UNKNOWN}{name} cannot be evaluated ({error.text})",)
    unknown.site = unknown.context = None  # the message has them
    return unknown
