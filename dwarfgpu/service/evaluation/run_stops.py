"""Breakpoints of a run without a user at a prompt: where they are, and what a stop shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from attrs import evolve

from dwarfgpu.arch.amdgpu import amdgpu
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.linespec import spots_of
from dwarfgpu.machine.image import ImageTarget
from dwarfgpu.machine.simulated.launch.dispatch import Launched
from dwarfgpu.service.code.break_addresses import break_addresses
from dwarfgpu.service.core.state_of_run import state_of_run
from dwarfgpu.service.lanes.lane_answer import LaneAnswer
from dwarfgpu.service.lanes.lane_choice import chosen_states
from dwarfgpu.service.lanes.lane_questions import Question, lane_answers
from dwarfgpu.service.machine.run_kernel import AtBreakpoint
from dwarfgpu.service.value.expression import DEFAULT
from dwarfgpu.service.value.subject import Expression, Subject, subject
from dwarfgpu.service.value.value_history import ValueHistory, holds
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import FramePosition, place_of

if TYPE_CHECKING:  # it imports NumPy
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave

_CONDITION: Final = re.compile(r"(?P<place>.*\S)\s+if\b\s*(?P<condition>\S.*)")


@frozen
class RunBreakpoint:
    """A place where waves stop."""

    text: str
    """As the user writes it."""
    addresses: frozenset[int]
    condition: str | None
    """An expression that is not zero in one of the active lanes of a wave that stops."""


@frozen(eq=False)
class RunStop:
    """A wave at a breakpoint."""

    breakpoint: RunBreakpoint
    session: Session
    """In the first of the lanes."""
    lanes: tuple[int, ...]
    """Active ones; with a condition, those for which it holds."""
    answers: tuple[tuple[str, tuple[LaneAnswer, ...]], ...]
    """Of each expression, for the lanes that are shown."""


@frozen(eq=False)
class Stops:
    """What a run does at its breakpoints."""

    code_object: CodeObject
    launches: Sequence[Launched]
    """The dispatches of the run."""
    breakpoints: Sequence[RunBreakpoint]
    expressions: Sequence[str]
    lanes: str | None
    """A choice of lanes (`chosen_states`); None: the active ones."""
    wave: int | None
    """The only one that stops; None: all do."""
    is_mangled: bool = False

    @property
    def addresses(self) -> frozenset[int]:
        return frozenset[int]().union(*(place.addresses for place in self.breakpoints))

    def visitor(self, show: Callable[[RunStop], bool]) -> AtBreakpoint:
        """What `run_kernel` calls: a stop is shown, which says whether the run ends there.

        `UsageError` for a condition that has no value.
        """

        def visit(machine: RunningMachine, wave: SimulatedWave) -> bool:
            stop = self._at(machine, wave)
            return stop is not None and show(stop)

        return visit

    def _at(self, machine: RunningMachine, wave: SimulatedWave) -> RunStop | None:
        """The stop of a wave that is at a breakpoint; None where it goes on."""
        if self.wave not in (None, wave.wave.id):
            return None
        session = self._session(machine, wave)
        for place in self.breakpoints:
            if wave.pc not in place.addresses:
                continue
            lanes = tuple(_meeting(session, place))
            if lanes or place.condition is None:
                session = session.focused(lanes[0] if lanes else None)
                return RunStop(place, session, lanes, tuple(self._answers(session, place, lanes)))
        return None

    def _session(self, machine: RunningMachine, wave: SimulatedWave) -> Session:
        [launched] = [item for item in self.launches if wave.wave.id in item.machine.waves]
        target, pcs = state_of_run(launched, machine)
        return Session(
            target.architecture,
            (self.code_object,),
            ImageTarget(target, tuple(self.code_object.images()), True),
            wave=wave.wave.id,
            pc=pcs[wave.wave.id],
            is_mangled=self.is_mangled,
        )

    def _answers(
        self, session: Session, place: RunBreakpoint, lanes: tuple[int, ...]
    ) -> Iterator[tuple[str, tuple[LaneAnswer, ...]]]:
        if not self.expressions:
            return
        states = chosen_states(session, self.lanes or "active")
        if place.condition is not None and self.lanes is None:
            states = [state for state in states if state.lane in lanes]
        questions = [Question(session, states, _subject(session, t)) for t in self.expressions]
        for text, answers in zip(self.expressions, lane_answers(questions), strict=True):
            yield text, tuple(answers)


def run_breakpoint(code_object: CodeObject, launched: Launched, text: str) -> RunBreakpoint:
    """The breakpoint of `PLACE [if CONDITION]`: `FILE:LINE`, `LINE` in the file of the kernel,
    `FUNCTION`, `*ADDRESS`. `UsageError` for a place that does not exist."""
    arch = amdgpu(launched.request.processor.name, launched.machine.lane_count)
    session = Session(arch, (code_object,))
    match = _CONDITION.fullmatch(text.strip())
    place = text.strip() if match is None else match["place"]
    around = _place_of_kernel(session, launched)
    try:
        addresses, _ = break_addresses(session, place, around, DEFAULT)
    except DwarfGpuError as error:
        raise UsageError(f"--break {text}: {error.message}") from None
    return RunBreakpoint(text, frozenset(addresses), None if match is None else match["condition"])


def _place_of_kernel(session: Session, launched: Launched) -> FramePosition | None:
    """Where the kernel is declared; its first code may be of an inlined function."""
    try:
        [spot, *_] = spots_of(session, launched.request.kernel.name, None, DEFAULT)
    except DwarfGpuError:
        return place_of(evolve(session, pc=launched.pc), launched.pc)
    return spot.declared or spot.place


def _subject(session: Session, text: str) -> Subject:
    """What an expression means at a stop; one without a meaning there becomes an error answer."""
    try:
        return subject(session, text)
    except UsageError:
        return Expression(text)


def _meeting(session: Session, place: RunBreakpoint) -> Iterator[int]:
    """The active lanes in which the condition of a breakpoint holds."""
    for state in chosen_states(session, "active"):
        if place.condition is None:
            yield state.lane
            continue
        try:
            is_met = holds(session.focused(state.lane), ValueHistory(), place.condition)
        except DwarfGpuError as error:
            raise UsageError(f"--break {place.text}: lane {state.lane}: {error.message}") from None
        if is_met:
            yield state.lane
