"""Read variables for many lanes of many waves in one pass (docs/decisions/0008).

Law: each lane gets the answer of a session with that lane alone in focus. NumPy is imported for
large questions; without it, each lane is evaluated separately.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, names_wrong_arguments
from dwarfgpu.base.arguments import integer, require
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve, field, fields, frozen
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.errors import DwarfGpuError, NotUnderstood, Unsupported, UsageError, shown
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.evaluate import Result, evaluate
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.loaded_state import WaveState
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.session.lane_states import few_enough
from dwarfgpu.session.reading import Presenter, Reading
from dwarfgpu.session.resolve_type import Resolver
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.expr.evaluate_lanes import LaneTarget
    from dwarfgpu.model.lane_extract import LaneExtractor
    from dwarfgpu.model.object import Bits

T = TypeVar("T")
T2 = TypeVar("T2")

BATCH_THRESHOLD: Final = 400
"""Lanes for which importing NumPy takes less time than asking each alone."""


@names_wrong_arguments
def sessions_of(session: Session, waves: Iterable[WaveState]) -> tuple[Session, ...]:
    """Return one session per wave, for example of a loaded state."""
    out = []
    for wave in waves:
        require("waves", wave, WaveState)
        cfa = None if wave.cfa is None else ExplicitAddress(0, wave.cfa)
        out.append(evolve(session, wave=wave.wave, pc=wave.pc, given_cfa=cfa))
    return tuple(out)


@frozen(eq=False)
class LanesTogether(Generic[T]):
    """Answers of lanes of one wave that were asked together, with those of other waves."""

    pick: Callable[[int], T]
    """The answer at an index."""
    first: int
    """The index of the first lane."""
    lanes: Mapping[int, int]
    """How far after it the others are; waves share it."""


@methods_name_wrong_arguments
@frozen(eq=False)
class LaneAnswers(Generic[T]):
    """Answers to one question, of lanes of several waves."""

    sessions: tuple[Session, ...]
    """One session per wave."""
    alone: Callable[[Session], T] = field(repr=False)
    known: dict[int, list[LanesTogether[T]]] = field(repr=False, factory=dict)
    """Keyed by row."""
    mistakes: dict[int, list[tuple[UsageError, Collection[int]]]] = field(repr=False, factory=dict)
    """Of lanes that were asked together, keyed by row."""

    @property
    def together_count(self) -> int:
        """The number of lanes that were asked together with others."""
        return sum(len(part.lanes) for parts in self.known.values() for part in parts)

    def has(self, row: int, lane: int) -> bool:
        """Return whether the lane was asked together with others."""
        return any(lane in part.lanes for part in self.known.get(row, ()))

    def mistake(self, row: int, lane: int) -> UsageError | None:
        """Return what is wrong with the question in a lane and those that were asked together with
        it, which `of` may say in other words; None unless that is so."""
        for mistake, lanes in self.mistakes.get(row, ()):
            if lane in lanes:
                return mistake
        return None

    def of(self, row: int, lane: int) -> T:
        """Return the answer of a lane of the wave of `sessions[row]`.

        Raises what asking that lane alone raises.
        """
        for part in self.known.get(row, ()):
            if lane in part.lanes:
                return part.pick(part.first + part.lanes[lane])
        sessions = self.sessions
        if not 0 <= row < len(sessions):
            raise UsageError(f"row: expected an index below {len(sessions)}, not {shown(row)}")
        return self.alone(sessions[row].focused(lane))

    def with_bits(self, row: int) -> Iterator[tuple[LanePick[T], int, Mapping[int, int]]]:
        """Yield what picks the answers of lanes that were asked together, and whose bits were read:
        the index of the first, and the distances of the others from it."""
        for part in self.known.get(row, ()):
            if isinstance(part.pick, LanePick) and part.pick.contents is not None:
                yield part.pick, part.first, part.lanes


class LanePick(Generic[T]):
    """Extracts the answer of a lane, by its index, from one whose integers hold all lanes."""

    def __init__(
        self, whole: T, bits: Bits | None, pick: Callable[[int], T], picker: LaneExtractor
    ) -> None:
        self.whole = whole
        """Its type and notes are those of every lane."""
        self._bits, self._pick, self._picker = bits, pick, picker

    def __call__(self, index: int) -> T:
        return self._pick(index)

    def of(self, part: T2) -> Callable[[int], T2]:
        """Return a function that gives a part of the whole at an index."""
        return self._picker.of(part)

    def json_texts(self, record: object) -> list[str]:
        """Return plain data whose integers may be those of all lanes as JSON, at each index."""
        return self._picker.json_texts(record)

    @cached_property
    def contents(self) -> Sequence[Hashable] | None:
        """The bits at each index, with the masks of the unknown ones; None if nothing was read."""
        bits = self._bits
        if bits is None:
            return None
        if self.is_complete:
            return self._picker.numbers(bits.value)
        runs = bits.value, bits.undefined, bits.unavailable
        return list(zip(*map(self._picker.numbers, runs), strict=True))

    @property
    def is_complete(self) -> bool:
        """Whether bits were read, and all of them are known at every index."""
        bits = self._bits
        return bits is not None and type(bits.unknown) is int and not bits.unknown

    @cached_property
    def reasons(self) -> Callable[[int], tuple[str, ...]] | None:
        """Why bits at an index are unknown; None if all indices have the reasons of the whole."""
        from dwarfgpu.model.lane_texts import LaneTexts  # it needs NumPy

        reasons = None if self._bits is None else self._bits.reasons
        return reasons.of_lane if isinstance(reasons, LaneTexts) else None


@names_wrong_arguments
def read_lanes(
    sessions: Sequence[Session],
    variable: Variable,
    lanes: Iterable[int] | None = None,
    *,
    among: Collection[tuple[int, int]] | None = None,
    batch: bool = False,
) -> LaneAnswers[Reading]:
    """Read a variable in lanes of waves: each lane gets the `Reading` of `Session.read`.

    `sessions` belong to one machine, one per wave (`sessions_of`). `lanes`: of each wave, by
    default all. `among`: rows (of `sessions`) and lanes to ask instead. `batch`: import NumPy even
    for few lanes. `UsageError` for a lane that a wave does not have.

    The variable is read in every lane, even if its name denotes another one at the lane's program
    location. Where a wave runs another function, the error of the `Reading` is
    `InconsistentContext`, unless the variable is static.
    """

    @names_wrong_arguments
    def alone(session: Session) -> Reading:
        return session.read(variable)

    def picks(reading: Reading, picker: LaneExtractor) -> Callable[[int], Reading]:
        if reading.failure is not None:
            _ = reading.failure.message  # as it is for all of them, or `Divergence`
        elif is_dynamic(reading.variable.type):
            raise Unsupported("the type differs between lanes")
        bits = reading.bits if reading.failure is None and reading.pointer is None else None
        return LanePick(reading, bits, _picked(reading, picker), picker)

    answers = evaluate_for_lanes(sessions, alone, picks, lanes, among=among, batch=batch)
    return _Readings(answers.sessions, answers.alone, answers.known)


def _picked(reading: Reading, picker: LaneExtractor) -> Callable[[int], Reading]:
    """Return a function that extracts a lane's reading from that of all lanes."""
    lane, location = picker.of(reading.lane), picker.of(reading.location)
    bits, pointer = picker.of(reading.bits), picker.of(reading.pointer)

    def pick(index: int) -> Reading:
        return Reading(
            reading.variable, reading.type, lane(index), location(index), bits(index),
            pointer(index), reading.failure, reading.notes,
        )  # fmt: skip

    return pick


@frozen(eq=False)
class _Readings(LaneAnswers[Reading]):
    """Readings that print with the session of their wave."""

    presenters: dict[int, Presenter] = field(repr=False, factory=dict)
    """Of the waves whose readings were asked for, by row."""

    def of(self, row: int, lane: int) -> Reading:
        reading = super().of(row, lane)
        if reading.presenter is not None:
            return reading
        session, resolver = self.sessions[row], reading.resolver
        if resolver is None and reading.bits is not None and not reading.bits.is_complete:
            resolver = partial(_resolver, session, lane)
        presenter = self.presenters.get(row)
        if presenter is None and session.presenter is not None:
            presenter = self.presenters[row] = session.presenter(session)
        if presenter is None and resolver is None:
            return reading
        return Reading(
            reading.variable, reading.type, reading.lane, reading.location, reading.bits,
            reading.pointer, reading.failure, reading.notes, presenter, resolver,
        )  # fmt: skip


def _resolver(session: Session, lane: int) -> Resolver:
    return session.focused(lane).resolver()


@names_wrong_arguments
def evaluate_in_lanes(
    data: bytes,
    sessions: Sequence[Session],
    lanes: Iterable[int] | None = None,
    *,
    dialect: Dialect | None = None,
    batch: bool = False,
) -> LaneAnswers[Result]:
    """Evaluate operations in lanes of waves: each lane gets the result in `Session.context`.

    `dialect`: of the operations, by default that of the unit; the other arguments are those of
    `read_lanes`. `of` of the answers raises the error of a lane that has no result.
    """

    @names_wrong_arguments
    def alone(session: Session) -> Result:
        return evaluate(data, session.context(), dialect=dialect)

    return evaluate_for_lanes(sessions, alone, of_each_lane, lanes, batch=batch)


def of_each_lane(answer: T, picker: LaneExtractor) -> Callable[[int], T]:
    """Yield the part of nouns, and of tuples of them and of errors, that belongs to each lane."""
    for note in answer if isinstance(answer, tuple) else ():
        if isinstance(note, DwarfGpuError):
            _ = note.message  # may be different for each lane
    return picker.of(answer)


def evaluate_for_lanes(
    sessions: Sequence[Session],
    ask: Callable[[Session], T],
    picks: Callable[[T, LaneExtractor], Callable[[int], T]],
    lanes: Iterable[int] | None = None,
    *,
    among: Collection[tuple[int, int]] | None = None,
    batch: bool = False,
) -> LaneAnswers[T]:
    """Return the answers to a question about a session with one lane in focus, for lanes of waves.

    `sessions` belong to one machine, one per wave (`sessions_of`). `lanes`: of each wave, by
    default all. `among`: rows (of `sessions`) and lanes to ask instead. `picks` extracts a lane's
    answer from one whose integers hold all lanes. `batch`: import NumPy even for few lanes.
    `UsageError` for a lane that a wave does not have.
    """
    sessions = tuple(sessions)
    for session in sessions:
        require("sessions", session, Session)
    answers: LaneAnswers[T] = LaneAnswers(sessions, ask)
    if among is None:
        lane_numbers = (
            None if lanes is None else [integer("lanes", lane) for lane in few_enough(lanes)]
        )
        among = [
            (row, lane)
            for row, session in enumerate(sessions)
            for lane in (range(session.lane_count()[0]) if lane_numbers is None else lane_numbers)
        ]
    else:
        if any(len(pair) != 2 for pair in among):
            raise UsageError("among: expected pairs of a row and a lane")
        among = [(integer("among", row), integer("among", lane)) for row, lane in among]
        if not {row for row, _ in among} <= set(range(len(sessions))):
            raise UsageError(f"among: expected rows of the {len(sessions)} sessions, from 0")
    for row, lane in among:
        sessions[row].existing_lane(lane)
    alike: dict[object, list[tuple[int, int]]] = {}
    keys = [_shared(session) for session in sessions]
    for row, lane in among:
        alike.setdefault(keys[row], []).append((row, lane))
    is_compared = any(session.comparison is not None for session in sessions)  # by each lane alone
    is_much = batch or len(among) >= BATCH_THRESHOLD or "numpy" in sys.modules
    is_together = is_much and not is_compared and _has_numpy()
    for pairs in alike.values() if is_together else ():
        _evaluate_batch(answers, ask, picks, pairs)
    return answers


def _shared(session: Session) -> object:
    """Return what sessions of one machine must share to be asked together."""
    return session.pc, session.given_cfa, session.level, session.inline_level


def _has_numpy() -> bool:
    try:
        import dwarfgpu.expr.evaluate_lanes  # noqa: F401
    except ImportError:
        if sys.modules.get("numpy"):  # the mistake is our own
            raise
        return False
    return True


def _evaluate_batch(
    answers: LaneAnswers[T],
    ask: Callable[[Session], T],
    picks: Callable[[T, LaneExtractor], Callable[[int], T]],
    pairs: Collection[tuple[int, int]],
) -> None:
    """Answer for waves that share all but their own contents."""
    from dwarfgpu.expr.evaluate_lanes import over_lanes
    from dwarfgpu.model.lane_extract import LaneExtractor

    rows, lanes = (sorted({pair[part] for pair in pairs}) for part in (0, 1))
    first = answers.sessions[rows[0]]
    waves = [answers.sessions[row].wave for row in rows]
    target = _in_bulk(first.target, waves)
    if target is None or first.lane_count()[0] <= lanes[-1]:
        return
    row_at, column_at = ({n: index for index, n in enumerate(numbers)} for numbers in (rows, lanes))
    is_whole = len(pairs) == len(rows) * len(lanes)
    members = None if is_whole else [(row_at[row], column_at[lane]) for row, lane in pairs]

    def together(view: LaneTarget) -> Callable[[int], T]:
        return picks(ask(_looking(first, view)), LaneExtractor(view.group.shape))

    shared: dict[tuple[int, ...], dict[int, int]] = {}
    for lane in over_lanes(together, target, waves, lanes, members):
        mistake = _mistake(lane.error)
        if lane.answer is None and mistake is None:
            continue
        for row, first_index, columns in lane.group.by_row():
            lanes_by_number = shared.setdefault(
                columns, {lanes[column]: index for index, column in enumerate(columns)}
            )
            if mistake is not None:
                answers.mistakes.setdefault(rows[row], []).append((mistake, lanes_by_number))
            elif lane.answer is not None:
                part = LanesTogether(lane.answer, first_index, lanes_by_number)
                answers.known.setdefault(rows[row], []).append(part)


def _mistake(error: DwarfGpuError | None) -> UsageError | None:
    """Return what is wrong with a question in all lanes; None unless its words are the same."""
    from dwarfgpu.model.lane_integers import Divergence

    if not isinstance(error, UsageError) or type(error) not in (UsageError, NotUnderstood):
        return None  # the others may be about what an array cannot be
    try:
        _ = error.message
    except Divergence:
        return None
    return error


def _looking(session: Session, view: LaneTarget) -> Session:
    """Return the session, looking at all lanes of a group: not one of scripts, whose lane is one
    number."""
    top = None if session.top is None else _looking(session.top, view)
    parameters: dict[str, Any] = {
        spec.alias: getattr(session, spec.name)
        for spec in fields(Session)
        if spec.alias and spec.init
    }
    parameters |= {"wave": view.wave, "lane": view.lane, "target": view, "top": top}
    return Session(**parameters)


def _in_bulk(target: Target | None, waves: Sequence[WaveId]) -> Target | None:
    """Return the target for bulk reads of many lanes; None if lanes must be read one by one."""
    from dwarfgpu.machine.state.bulk_state import BulkState

    if isinstance(target, TargetWithCodeObjects):
        if not target.has_started:
            return None  # which reads were before the start is counted
        if isinstance(target.behind, StateTarget):
            return BulkState(target)
        return _core_in_bulk(target, waves)
    return BulkState(target) if isinstance(target, StateTarget) else target


def _core_in_bulk(target: TargetWithCodeObjects, waves: Sequence[WaveId]) -> Target:
    """Return the same of a core, unless waves are threads, are of several processors, or memory was
    given over that of the core."""
    if "dwarfgpu.machine.core.gpu.gpu_target" not in sys.modules:
        return target
    from dwarfgpu.machine.core.gpu.bulk_core import BulkCore
    from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
    from dwarfgpu.machine.core.process_target import ProcessTarget

    machine = target.behind
    gpu = machine.gpu if isinstance(machine, ProcessTarget) else machine
    if not isinstance(gpu, GpuTarget) or gpu.has_given_memory:
        return target
    architecture = gpu.architecture_of_all(waves)
    return target if architecture is None else BulkCore(target, gpu, architecture)
