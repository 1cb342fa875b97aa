"""Evaluate for many lanes of many waves in one pass (docs/decisions/0008).

The evaluator and the operations are those of one lane: the context's wave and lane are integers of
all lanes (`dwarfgpu.model.lane_integers`); only reading differs.

Law: the evaluation of one lane is the definition. Lanes that diverge continue in groups, each from
the start; anything that an array cannot express is evaluated for each lane separately.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Generic, TypeAlias, TypeVar, cast

import numpy as np

from dwarfgpu.access.lane_group import WORD_BYTES, Group, Machine
from dwarfgpu.access.many_lanes import Chunks, LaneTarget, VectorAccess
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.evaluate import Result, evaluate
from dwarfgpu.expr.lockstep_lanes import in_step, may_branch
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.lane_integers import Array, Divergence, Lanes
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits

T = TypeVar("T")

MIN_LANES = 2
"""Fewer are evaluated one by one. A pass costs as much as 1.5 lanes of a question about source, as
5 of an expression alone, which takes microseconds (docs/benchmarks.md, "Few lanes")."""
IN_VAIN = 2
"""Passes that may find that lanes part, before any answers,"""
LANES_IN_VAIN = 1024
"""and one more for that many lanes: little is lost on lanes that continue to diverge."""


ContextOf: TypeAlias = Callable[[WaveId, int, Target | None], Context]
"""The context for a wave and a lane, which may be `Lanes`, and a target; all else is the same."""


@frozen(eq=False)
class LaneGroupResult(Generic[T]):
    """Lanes that went through a question together."""

    group: Group
    answer: T | None
    """Its integers may be `Lanes`, which broadcast to the group; None: ask each lane separately."""
    error: DwarfGpuError | None = None
    """What kept all of them from an answer, in place of one; its words may differ by lane."""


def over_lanes(
    ask: Callable[[LaneTarget], T],
    target: Target,
    waves: Sequence[WaveId],
    lanes: Sequence[int],
    among: Collection[tuple[int, int]] | None = None,
) -> list[LaneGroupResult[T]]:
    """Answer a question for groups of lanes that together hold every (wave, lane) once.

    `ask` answers for the wave and lane of a target. `among`: rows (of `waves`) and columns (of
    `lanes`) to ask, if not all. Every pass with an answer earns further passes, so that lanes that
    keep diverging take little longer than one by one.
    """
    machine = Machine(target, tuple(waves), tuple(lanes))
    every_lane = Group.of(len(waves), len(lanes))
    pending = [every_lane if among is None else Group.among(among)]
    passes_left = IN_VAIN + pending[0].size // LANES_IN_VAIN
    results: list[LaneGroupResult[T]] = []
    while pending:
        group = pending.pop()
        if group.size < MIN_LANES or passes_left <= 0:
            results.append(LaneGroupResult(group, None))
            continue
        passes_left -= 1
        try:
            results.append(LaneGroupResult(group, ask(LaneTarget(machine, group))))
            passes_left += group.size // MIN_LANES
        except Divergence as divergence:
            parts = [] if divergence.key is None else group.split(divergence.key)
            if len(parts) * 2 > group.size or not parts:
                results.append(LaneGroupResult(group, None))
            else:
                pending.extend(parts)
        except DwarfGpuError as error:
            results.append(LaneGroupResult(group, None, error))
            passes_left += group.size // MIN_LANES
    return [group_bits for group_bits in results if group_bits.group.size]


@frozen(eq=False)
class LaneBits:
    """An object in each lane of each wave."""

    waves: tuple[WaveId, ...]
    lanes: tuple[int, ...]
    size_bits: int
    data: Array
    """The bits (`dwarfgpu.base.bits`) as little-endian numbers, uint8 (waves, lanes, bytes).

    Unknown bits are 0.
    """
    is_known: Array
    """Whether all of its bits are known, bool (waves, lanes)."""
    _one: Callable[[WaveId, int], Bits]

    def bits(self, wave: WaveId, lane: int) -> Bits:
        """Return the bits in one lane; raises the error that evaluating or reading it there
        gives."""
        row, column = self.waves.index(wave), self.lanes.index(lane)
        if not self.is_known[row, column]:
            return self._one(wave, lane)
        contents = self.data[row, column].tobytes()
        return Bits(int.from_bytes(contents, "little"), self.size_bits)


def evaluate_lanes(
    data: bytes,
    context_of: ContextOf,
    target: Target,
    *,
    waves: Sequence[WaveId],
    lanes: Sequence[int],
    size_bits: int,
    dialect: Dialect | None = None,
) -> LaneBits:
    """Return the first `size_bits` bits of the object of an expression, for all lanes of all waves.

    Waves and lanes share every other element of the context (A.2.5.1). Never raises for some of
    them: `LaneBits.bits` has the reason for a lane without bits.
    """

    def one(wave: WaveId, lane: int) -> Bits:
        context = context_of(wave, lane, target)
        return context.access.read(_located(data, context, dialect), size_bits)

    def chunks(view: LaneTarget) -> Chunks:
        context = context_of(view.wave, view.lane, view)
        access = cast(VectorAccess, context.access)
        return access.chunks(_located(data, context, dialect), size_bits)

    shape = (len(waves), len(lanes))
    out = np.zeros((*shape, (size_bits + 7) // 8), np.uint8)
    is_known = np.zeros(shape, bool)
    result = LaneBits(tuple(waves), tuple(lanes), size_bits, out, is_known, one)
    if not is_known.size:
        return result

    among = _fill_in_step(result, data, dialect, target, context_of)
    for answer in over_lanes(chunks, target, waves, lanes, among) if among != [] else []:
        if answer.answer is not None:
            _fill(result, answer.group, answer.answer)
        elif answer.error is None:
            _fill_one_by_one(result, answer.group)
    return result


def _fill_in_step(
    out: LaneBits, data: bytes, dialect: Dialect | None, target: Target, context_of: ContextOf
) -> list[tuple[int, int]] | None:
    """Fill in the lanes that go through a branching expression in step; return the others.

    None means all lanes.
    """
    machine = Machine(target, out.waves, out.lanes)
    every_lane = Group.of(len(out.waves), len(out.lanes))

    def located(view: LaneTarget) -> Context:
        return _for_location(context_of(view.wave, view.lane, view))

    def chunks(location: Result, context: Context) -> Chunks:
        assert isinstance(location, Location)
        return cast(VectorAccess, context.access).chunks(location, out.size_bits)

    if every_lane.size < MIN_LANES or not may_branch(data):
        return None
    parted = in_step(data, dialect, machine, every_lane, located, chunks)
    if parted is None:
        return None
    for answer in parted.answers:
        if answer.answer is not None:
            _fill(out, answer.group, answer.answer)
    return [member for group in parted.unanswered for member in group.members()]


def _for_location(context: Context) -> Context:
    kind = context.result_kind
    return context if kind == "location" else evolve(context, result_kind="location")


def _located(data: bytes, context: Context, dialect: Dialect | None) -> Location:
    result = evaluate(data, _for_location(context), dialect=dialect)
    assert isinstance(result, Location)
    return result


def _fill(out: LaneBits, group: Group, chunks: Chunks) -> None:
    if not all(chunk.is_complete for chunk in chunks.bits):
        return
    first_byte, is_known = 0, chunks.is_known
    for chunk in chunks.bits:
        size_bytes = (chunk.size_bits + 7) // 8
        data = _bytes(chunk)
        if is_known is not None:
            data = data * is_known[..., None]  # unknown bits are 0
        out.data[(*group.array_index, slice(first_byte, first_byte + size_bytes))] = data
        first_byte += chunk.size_bits // 8
    out.is_known[group.array_index] = True if is_known is None else is_known


def _fill_one_by_one(out: LaneBits, group: Group) -> None:
    for row, column in group.members():
        try:
            bits = out._one(out.waves[row], out.lanes[column])
        except DwarfGpuError:
            continue
        if bits.is_complete:
            raw = bits.value.to_bytes(out.data.shape[2], "little")
            out.data[row, column] = np.frombuffer(raw, np.uint8)
            out.is_known[row, column] = True


def _bytes(bits: Bits) -> Array:
    """Return the bytes of a run in each lane: (rows, columns, bytes), or for all of them
    (bytes)."""
    size_bytes = (bits.size_bits + 7) // 8
    if not isinstance(bits.value, Lanes):
        return np.frombuffer(bits.value.to_bytes(size_bytes, "little"), np.uint8)
    array = bits.value.array
    if bits.size_bits <= 8 * WORD_BYTES:
        words = np.ascontiguousarray(array.astype("<u4", copy=False))
        return words.view(np.uint8).reshape(*array.shape, WORD_BYTES)[..., :size_bytes]
    raw = b"".join(int(number).to_bytes(size_bytes, "little") for number in array.flat)
    return np.frombuffer(raw, np.uint8).reshape(*array.shape, size_bytes)


__all__ = [
    "ContextOf",
    "LaneBits",
    "LaneGroupResult",
    "LaneTarget",
    "evaluate_lanes",
    "over_lanes",
]
