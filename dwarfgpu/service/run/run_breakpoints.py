"""Breakpoints of a non-interactive run: where they are, and what a stop shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.amdgpu import amdgpu
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.default_source import default_source
from dwarfgpu.language.source_lines import line_lookups
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.simulated.launch.dispatch import Launched
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import model_of
from dwarfgpu.service.code.break_addresses import (
    BreakAddress,
    break_addresses,
    line_used_instead,
    location_error,
    require_instruction,
    used_instead,
)
from dwarfgpu.service.lanes.lane_answer import LaneAnswer
from dwarfgpu.service.lanes.lane_choice import chosen_states
from dwarfgpu.service.lanes.lane_conditions import holds_in_lanes
from dwarfgpu.service.lanes.lane_questions import Question, lane_answers
from dwarfgpu.service.run.resumed_waves import Visit
from dwarfgpu.service.run.run_kernel import AtBreakpoint
from dwarfgpu.service.run.state_of_run import state_of_run
from dwarfgpu.service.value.condition import require_valid_condition
from dwarfgpu.service.value.expression_answer import DEFAULT
from dwarfgpu.service.value.subject import Expression, Subject, or_operations, subject
from dwarfgpu.service.value.value_history import ValueHistory
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.kernel_start import kernel_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import (
    before_inlined,
    call_position,
    declaration_at,
    frame_position,
    functions_at,
    inlined_beginning_at,
)

if TYPE_CHECKING:  # it imports NumPy
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave

_CONDITION: Final = re.compile(r"(?P<place>.*\S)\s+if\b\s*(?P<condition>\S.*)")


@frozen
class RunBreakpoint:
    """A breakpoint location, where waves stop."""

    text: str
    """As the user writes it."""
    addresses: frozenset[int]
    condition: str | None
    """An expression that is not zero in one of the active lanes of a wave that stops."""
    note: str | None = None
    """Which line is used instead of one without code."""
    bodies: frozenset[int] = frozenset()
    """The addresses at which bodies of the functions begin that the location names."""
    more_addresses: tuple[int, ...] = ()
    """Where more code of the line begins, at which no wave stops."""


@frozen(eq=False)
class RunStop:
    """A wave at a breakpoint."""

    breakpoint: RunBreakpoint
    session: Session
    """In the first of the lanes."""
    lanes: tuple[int, ...]
    """Active ones; with a condition, those for which it holds, or cannot be evaluated."""
    problem: str | None
    """Why the condition cannot be evaluated in the first of these lanes."""
    answers: tuple[tuple[str, tuple[LaneAnswer, ...]], ...]
    """The answers for each expression, for the lanes that are shown."""

    @property
    def innermost(self) -> Session:
        """The session in frame 0: a function that was named has not entered the calls that are
        inlined at its beginning."""
        is_body = self.session.pc in self.breakpoint.bodies
        return before_inlined(self.session) if is_body else self.session


@frozen(eq=False)
class Stops:
    """What a run does at its breakpoints."""

    breakpoints: Sequence[RunBreakpoint]
    expressions: Sequence[str]
    lanes: str | None
    """A choice of lanes (`chosen_states`); None: the active ones."""
    wave: int | None
    """The only one that stops; None: all do."""
    history: ValueHistory = field(factory=ValueHistory)
    """What conditions use and note."""

    @property
    def addresses(self) -> frozenset[int]:
        return frozenset[int]().union(*(breakpoint.addresses for breakpoint in self.breakpoints))

    def at(self, wave: WaveId, pc: int, session_of: Callable[[], Session]) -> RunStop | None:
        """Return the stop of a wave at a breakpoint; None if it continues.

        `session_of` makes what sees the wave. As at the prompt, a condition that cannot be
        evaluated counts as true; `UsageError` for one that has no meaning.
        """
        if self.wave not in (None, wave):
            return None
        session = session_of()
        for breakpoint in self.breakpoints:
            if pc not in breakpoint.addresses:
                continue
            meeting = tuple(_meeting(session, breakpoint, self.history))
            lanes = tuple(lane for lane, _ in meeting)
            if lanes or breakpoint.condition is None:
                session = session.focused(lanes[0] if lanes else None)
                problem = next((problem for _, problem in meeting if problem is not None), None)
                answers = tuple(self._answers(session, breakpoint, lanes))
                return RunStop(breakpoint, session, lanes, problem, answers)
        return None

    def _answers(
        self, session: Session, breakpoint: RunBreakpoint, lanes: tuple[int, ...]
    ) -> Iterator[tuple[str, tuple[LaneAnswer, ...]]]:
        if not self.expressions:
            return
        states = chosen_states(session, self.lanes or "active")
        if breakpoint.condition is not None and self.lanes is None:
            states = [state for state in states if state.lane in lanes]
        questions = [Question(session, states, _subject(session, t)) for t in self.expressions]
        for text, answers in zip(self.expressions, lane_answers(questions), strict=True):
            yield text, tuple(answers)


def visitor(
    visit: Visit,
    code_object: CodeObject,
    launches: Sequence[Launched],
    *,
    is_mangled: bool,
    quirks: frozenset[str],
) -> AtBreakpoint:
    """Return the function that `run_kernel` calls for dispatches of a code object."""

    def at_breakpoint(machine: RunningMachine, wave: SimulatedWave) -> tuple[int, ...] | None:
        number = wave.wave.id

        def session() -> Session:
            [launched] = [item for item in launches if number in item.machine.waves]
            target, pcs = state_of_run(launched, machine)
            return Session(
                target.architecture,
                (code_object,),
                TargetWithCodeObjects(target, tuple(code_object.loaded_segments()), True),
                wave=number,
                pc=pcs[number],
                is_mangled=is_mangled,
                quirks=quirks,
            )

        return visit(number, wave.pc, session)

    return at_breakpoint


def run_breakpoint(session: Session, text: str, around: FramePosition | None) -> RunBreakpoint:
    """Parse `PLACE [if CONDITION]`: `FILE:LINE`, `LINE` in the file of `around`, `FUNCTION`,
    `*ADDRESS`. `UsageError` for a location that does not exist."""
    match = _CONDITION.fullmatch(text.strip())
    linespec = text.strip() if match is None else match["place"]
    if linespec.endswith(" if"):
        raise UsageError(f"--break {text}: a condition is missing after if")
    try:
        locations = break_addresses(session, linespec, around, DEFAULT)
        addresses = [item.pc for item in locations]
        line = line_used_instead(session, linespec, around, DEFAULT)
        if linespec.startswith("*"):
            require_instruction(session, addresses[0])
        if match is not None and "$" not in match["condition"]:  # `$` is of a wave that stops
            _require_valid(session, addresses, match["condition"])
    except UsageError as error:
        in_file = around if is_decimal(linespec) else None
        why = location_error(session, error, in_file)
        raise UsageError(f"--break {text}: {why}") from None
    except DwarfGpuError as error:
        raise UsageError(f"--break {text}: {error.message}") from None
    note = None if line is None else used_instead(linespec, line, addresses[0])
    condition = None if match is None else match["condition"]
    bodies = frozenset(item.pc for item in locations if item.is_body)
    is_address = linespec.startswith("*")
    line_addresses = () if is_address else _line_addresses(session, locations)
    more_addresses = tuple(pc for pc in line_addresses if pc not in addresses)
    return RunBreakpoint(text, frozenset(addresses), condition, note, bodies, more_addresses)


def _line_addresses(session: Session, locations: Sequence[BreakAddress]) -> Iterator[int]:
    """Yield where code of the lines of some locations begins, unless a function was named."""
    for position in dict.fromkeys(item.position for item in locations if not item.is_body):
        if position is not None:
            for lines in line_lookups(session):
                with suppress(DwarfGpuError):
                    yield from lines.pcs_of(position.path, position.line)


def why_unprintable(
    session: Session, texts: Sequence[str], breakpoints: Sequence[RunBreakpoint]
) -> list[str]:
    """Return what is wrong with each expression if none has a meaning at any of the breakpoints;
    otherwise the stops report those without."""
    addresses = sorted(frozenset[int]().union(*(item.addresses for item in breakpoints)))
    errors: list[str] = []
    for text in texts:
        if "$" in text:  # of a wave that stops
            return []
        try:
            _require_valid(session, addresses, text)
            return []
        except UsageError as error:
            errors.append(f"--print {text}: {error.message}")
    return errors


def _require_valid(session: Session, addresses: Iterable[int], text: str) -> None:
    try:
        require_valid_condition(session, addresses, text, ValueHistory())
    except UsageError as error:
        raise or_operations(session, text, error) from None


def before_run(code_object: CodeObject, launched: Launched) -> tuple[Session, FramePosition | None]:
    """Return a session with the code of a kernel, and the source line that determines the file of
    a line without a file."""
    arch = amdgpu(launched.request.processor.name, launched.machine.lane_count)
    session = Session(arch, (code_object,))
    return session, _kernel_position(session, code_object, launched.pc)


def resumed_position(session: Session) -> FramePosition | None:
    """Return the same where waves are resumed: of the kernel that the wave in focus runs; if that
    is unknown, the line of the pc, and without one the default of the prompt."""
    position = _position_of_dispatch(session)
    if position is None and session.pc is not None:
        position = frame_position(session, session.pc) or default_source(session)
    return position


def _position_of_dispatch(session: Session) -> FramePosition | None:
    machine = model_of(session.target)
    dispatch = None if machine is None else machine.dispatch_of(session.wave)
    if dispatch is None:
        return None
    try:
        code_object, kernel = kernel_of(session, dispatch)
    except DwarfGpuError:
        return None
    if kernel.start is None:
        return None
    return _kernel_position(session, code_object, kernel.start + code_object.load_address)


def _kernel_position(session: Session, code_object: CodeObject, start: int) -> FramePosition | None:
    """Return where a kernel is declared, else its first instruction, or the call that is inlined
    there."""
    declared = _declaration(code_object, start)
    if declared is not None:
        return declared
    first = evolve(session, pc=start)
    inlined = inlined_beginning_at(first)
    if inlined:
        return call_position(functions_at(first)[inlined - 1])
    return frame_position(first, start)


def _declaration(code_object: CodeObject, pc: int) -> FramePosition | None:
    """Return where the function with a pc is declared; None if that is unknown."""
    with suppress(DwarfGpuError):
        return declaration_at(code_object, pc)
    return None


def _subject(session: Session, text: str) -> Subject:
    """Return what an expression means at a stop; one without a meaning there becomes an error
    answer."""
    try:
        return subject(session, text)
    except UsageError:
        return Expression(text)


def _meeting(
    session: Session, breakpoint: RunBreakpoint, history: ValueHistory
) -> Iterator[tuple[int, str | None]]:
    """Yield the active lanes in which the condition of a breakpoint holds, and those in which it
    cannot be evaluated with the reason."""
    lanes = [state.lane for state in chosen_states(session, "active")]
    if breakpoint.condition is None:
        yield from ((lane, None) for lane in lanes)
        return
    holds_in = holds_in_lanes(session, history, breakpoint.condition, lanes)
    for lane in lanes:
        try:
            if holds_in(lane):
                yield lane, None
        except UsageError as error:
            raise UsageError(f"--break {breakpoint.text}: lane {lane}: {error.message}") from None
        except DwarfGpuError as error:
            yield lane, f"Error in testing condition in lane {lane}: {error.message}"
