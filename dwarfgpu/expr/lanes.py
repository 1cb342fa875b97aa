"""One expression for many lanes of many waves in one pass (docs/decisions/0008).

The evaluator and the operations are those of one lane: the context's wave and lane are integers of
all lanes (`dwarfgpu.model.lanes`), and reading is the one thing that is done differently.

Law: the evaluation of one lane is the definition. Where lanes part they go on in groups, each from
the start; whatever an array cannot express, and every answer that is not bytes, comes from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import index
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from attrs import evolve, frozen

from dwarfgpu.access import OneLaneAccess
from dwarfgpu.arch.model import Apertures, Architecture, RegisterInfo
from dwarfgpu.bits import Endian
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.expr.context import Context, Limits
from dwarfgpu.expr.dialect import Dialect
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.fetch import Budget, Fetch, Run
from dwarfgpu.model.lanes import Array, Divergence, Lanes, lanes
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory, Register
from dwarfgpu.target import Target, WaveId

FEW = 4
"""Lanes that are evaluated one by one: fewer are not worth a pass."""
LANES_A_PASS = 16
"""Of so many lanes one pass may be spent: then lanes that go on parting cost what a loop costs."""
WORD_BYTES = 4
"""Bytes gathered at once."""


class Bulk(Target, Protocol):
    """The power to read for many waves and lanes at once. Nothing is raised for some of them."""

    def registers_of(self, waves: Sequence[WaveId], register: RegisterInfo) -> tuple[Array, Array]:
        """A register's bytes (waves, bytes), and which of them are known."""
        ...

    def gather(self, where: Memory, addresses: Array, size_bytes: int) -> tuple[Array, Array]:
        """Little-endian numbers of up to 4 bytes at addresses, and which of them are known.

        The wave and lane of `where` may be `Lanes`, which broadcast with the addresses.
        """
        ...


ContextOf: TypeAlias = Callable[[WaveId, int, Target | None], Context]
"""The context for a wave and a lane, which may be `Lanes`, and a target; all else is the same."""


@frozen(eq=False)
class LaneBits:
    """An object in each lane of each wave."""

    waves: tuple[WaveId, ...]
    lanes: tuple[int, ...]
    size_bits: int
    data: Array
    """Its run of bits (`dwarfgpu.bits`) as a little-endian number, uint8 (waves, lanes, bytes).

    0 where it is not known.
    """
    is_known: Array
    """Whether all of its bits are known, bool (waves, lanes)."""
    _one: Callable[[WaveId, int], Bits]

    def bits(self, wave: WaveId, lane: int) -> Bits:
        """Its bits in one lane; raises the error that evaluating or reading it there gives."""
        row, column = self.waves.index(wave), self.lanes.index(lane)
        if not self.is_known[row, column]:
            return self._one(wave, lane)
        held = self.data[row, column].tobytes()
        return Bits(int.from_bytes(held, "little"), self.size_bits)


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
    """The first `size_bits` bits of what an expression describes, for all lanes of all waves.

    Waves and lanes share every other element of the context (A.2.5.1). Never raises for some of
    them: what a lane has in place of bits is told by `LaneBits.bits`.
    """

    def one(wave: WaveId, lane: int) -> Bits:
        context = context_of(wave, lane, target)
        return context.access.read(_located(data, context, dialect), size_bits)

    passes = _Passes(target, context_of, tuple(waves), tuple(lanes), size_bits, one)
    passes.run(lambda context: _located(data, context, dialect))
    return LaneBits(passes.waves, passes.lanes, size_bits, passes.data, passes.is_known, one)


def _located(data: bytes, context: Context, dialect: Dialect | None) -> Location:
    result = evaluate(data, evolve(context, result_kind="location"), dialect=dialect)
    assert isinstance(result, Location)
    return result


@frozen(eq=False)
class _Group:
    """Lanes that go on together: rows (waves) and columns (lanes) that broadcast to each other."""

    rows: Array
    columns: Array
    is_whole: bool = False

    @classmethod
    def of(cls, rows: int, columns: int) -> _Group:
        """All lanes of all waves."""
        return cls(np.arange(rows)[:, None], np.arange(columns)[None, :], is_whole=True)

    @property
    def place(self) -> tuple[Any, Any]:
        """Where the group is in an array (waves, lanes, …)."""
        return (slice(None), slice(None)) if self.is_whole else (self.rows, self.columns)

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.rows.shape, self.columns.shape)

    @property
    def size(self) -> int:
        rows, columns = self.shape
        return rows * columns

    def split(self, key: Array) -> list[_Group]:
        """The lanes of which the key is the same; by whole rows or columns where it is theirs."""
        values = np.unique(key)
        if self.rows.shape[1] == 1 and self.columns.shape[0] == 1:
            if key.shape[0] == 1:
                return [_Group(self.rows, self.columns[:, key[0] == each]) for each in values]
            if key.shape[1] == 1:
                return [_Group(self.rows[key[:, 0] == each], self.columns) for each in values]
        rows, columns, keys = np.broadcast_arrays(self.rows, self.columns, key)
        chosen = [keys == each for each in values]
        return [_Group(rows[mask][:, None], columns[mask][:, None]) for mask in chosen]


class _Passes:
    """The passes over all lanes: what they found, and what they share."""

    def __init__(
        self,
        target: Target,
        context_of: ContextOf,
        waves: tuple[WaveId, ...],
        lanes: tuple[int, ...],
        size_bits: int,
        one: Callable[[WaveId, int], Bits],
    ) -> None:
        self.target, self.context_of, self.one = target, context_of, one
        self.waves, self.lanes, self.size_bits = waves, lanes, size_bits
        shape = (len(waves), len(lanes))
        self.data = np.zeros((*shape, (size_bits + 7) // 8), np.uint8)
        self.is_known = np.zeros(shape, bool)
        self.registers: dict[RegisterInfo, tuple[Array, Array]] = {}
        self.passes_left = 1 + len(waves) * len(lanes) // LANES_A_PASS

    def run(self, locate: Callable[[Context], Location]) -> None:
        pending = [_Group.of(*self.is_known.shape)] if self.is_known.size else []
        while pending:
            group = pending.pop()
            if group.size < FEW or self.passes_left <= 0:
                self._one_by_one(group)
                continue
            self.passes_left -= 1
            try:
                self._together(group, locate)
            except Divergence as divergence:
                parts = [] if divergence.key is None else group.split(divergence.key)
                if len(parts) * 2 > group.size or not parts:
                    self._one_by_one(group)
                else:
                    pending.extend(parts)
            except DwarfGpuError:
                pass  # the same in all of them: told by evaluating the one that is asked for

    def _together(self, group: _Group, locate: Callable[[Context], Location]) -> None:
        target = _LaneTarget(self, group)
        context = self.context_of(target.wave, target.lane, target)
        access = cast(LaneAccess, context.access)
        found: list[tuple[int, Bits]] = []
        at_byte = 0
        for held in access.chunks(locate(context), self.size_bits):
            if not held.is_complete:
                return
            found.append((at_byte, held))
            at_byte += held.size_bits // 8
        for at_byte, held in found:
            size_bytes = (held.size_bits + 7) // 8
            self.data[(*group.place, slice(at_byte, at_byte + size_bytes))] = _bytes(held)
        self.is_known[group.place] = True

    def _one_by_one(self, group: _Group) -> None:
        for row, column in zip(
            *(each.flat for each in np.broadcast_arrays(group.rows, group.columns)), strict=True
        ):
            try:
                held = self.one(self.waves[row], self.lanes[column])
            except DwarfGpuError:
                continue
            if held.is_complete:
                raw = held.value.to_bytes(self.data.shape[2], "little")
                self.data[row, column] = np.frombuffer(raw, np.uint8)
                self.is_known[row, column] = True

    @cached_property
    def architecture(self) -> Architecture:
        first, *others = [self.target.architecture_of(each) for each in self.waves]
        if any(each is not first and each != first for each in others):
            raise Divergence(None)
        return first

    def register(self, register: RegisterInfo) -> tuple[Array, Array]:
        """A register of all waves: bytes, a multiple of words, and which of them are known."""
        if register not in self.registers:
            bulk = getattr(self.target, "registers_of", None)
            read = _registers if bulk is None else _registers_in_bulk
            self.registers[register] = read(self.target, self.waves, register)
        return self.registers[register]


def _bytes(held: Bits) -> Array:
    """The bytes of a run in each lane: (rows, columns, bytes), or for all of them (bytes)."""
    size_bytes = (held.size_bits + 7) // 8
    if not isinstance(held.value, Lanes):
        return np.frombuffer(held.value.to_bytes(size_bytes, "little"), np.uint8)
    array = held.value.array
    if held.size_bits <= 8 * WORD_BYTES:
        words = np.ascontiguousarray(array.astype("<u4", copy=False))
        return words.view(np.uint8).reshape(*array.shape, WORD_BYTES)[..., :size_bytes]
    each = b"".join(int(number).to_bytes(size_bytes, "little") for number in array.flat)
    return np.frombuffer(each, np.uint8).reshape(*array.shape, size_bytes)


class _LaneTarget:
    """A target as a group of lanes sees it; it is read through `LaneAccess` alone."""

    def __init__(self, passes: _Passes, group: _Group) -> None:
        self.passes, self.group = passes, group
        self.wave: WaveId = lanes(np.asarray(passes.waves)[group.rows])
        self.lane: int = lanes(np.asarray(passes.lanes)[group.columns])
        self.stop = passes.target.stop

    def access(self, endian: Endian, limits: Limits) -> OneLaneAccess:
        return LaneAccess(self, endian, limits.read_bytes, limits.runs)

    def architecture_of(self, wave: WaveId) -> Architecture:
        """Of all waves, which share it."""
        return self.passes.architecture

    def apertures_of(self, wave: WaveId) -> Apertures:
        raise Divergence(None)

    def read_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        raise Divergence(None)

    def write_register(
        self, wave: WaveId, register: RegisterInfo, data: bytes, offset_bytes: int = 0
    ) -> None:
        raise Divergence(None)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        raise Divergence(None)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        raise Divergence(None)


class LaneAccess(OneLaneAccess):
    """Access for a group of lanes: what is read is a number for each of them."""

    @property
    def _lanes(self) -> _LaneTarget:
        return cast(_LaneTarget, self.target)

    def chunks(self, location: Location, size_bits: int) -> list[Bits]:
        """An object, in pieces of whole bytes no wider than a word where that is possible."""
        budget = Budget(self.runs_limit)
        runs = list(self.runs(location, size_bits, budget))
        if size_bits <= 8 * WORD_BYTES or any(run.size_bits % 8 for run in runs):
            return [self._read_runs(runs, budget)]
        return [self._read_runs([part], budget) for run in runs for part in _words(run)]

    def _fetched(self, runs: list[Run], budget: Budget) -> Fetch:
        return _Gathered(self._fetch, budget)

    def _fetch(self, storage: Memory | Register, bit_offset: int, size_bits: int) -> int:
        if self.endian == "big":
            raise Divergence(None)
        first_byte, bit = bit_offset // 8, index(bit_offset % 8)
        size_bytes = (bit + size_bits + 7) // 8
        held = 0
        for at in range(0, size_bytes, WORD_BYTES):
            count = min(WORD_BYTES, size_bytes - at)
            held |= self._word(storage, first_byte + at, count) << 8 * at
        return held >> bit & (1 << size_bits) - 1

    def _word(self, storage: Memory | Register, first_byte: int, size_bytes: int) -> int:
        """Up to four bytes of each lane; `Unavailable` where no lane has all of them."""
        if isinstance(storage, Register):
            held, is_known = self._of_register(storage, first_byte, size_bytes)
        else:
            held, is_known = self._of_memory(storage, first_byte, size_bytes)
        if not is_known.all():
            if is_known.any():
                raise Divergence(is_known)
            raise Unavailable("not available in any lane")
        return lanes(held)

    def _of_register(
        self, storage: Register, first_byte: int, size_bytes: int
    ) -> tuple[Array, Array]:
        held, is_known = self._lanes.passes.register(storage.register)
        if storage.wave is not self._lanes.wave:
            raise Divergence(None)
        group = self._lanes.group
        rows = group.rows if isinstance(storage.wave, Lanes) else group.rows[:1]
        at = first_byte.array if isinstance(first_byte, Lanes) else np.array([[first_byte]])
        known = np.array(is_known.all())
        if not known:
            each = [is_known[rows, at + byte] for byte in range(size_bytes)]
            known = np.logical_and.reduce(np.broadcast_arrays(*each))
        if size_bytes == WORD_BYTES and not (at % WORD_BYTES).any():
            words, at = held.view("<u4"), at // WORD_BYTES
            if group.is_whole and at.shape[0] == 1:
                return np.take(words, at[0], axis=1), known
            return words[rows, at], known
        number = held[rows, at].astype(np.int64)
        for byte in range(1, size_bytes):
            number |= held[rows, at + byte].astype(np.int64) << 8 * byte
        return number, known

    def _of_memory(self, storage: Memory, address: int, size_bytes: int) -> tuple[Array, Array]:
        target = self._lanes.passes.target
        parts = (address, storage.wave, storage.lane)
        arrays = [each.array if isinstance(each, Lanes) else np.array([[each]]) for each in parts]
        gather = getattr(target, "gather", None)
        if gather is not None:
            return cast("tuple[Array, Array]", gather(storage, arrays[0], size_bytes))
        held = np.zeros(np.broadcast_shapes(*(each.shape for each in arrays)), np.int64)
        known = np.ones(held.shape, bool)
        for at, (byte, wave, lane) in enumerate(np.broadcast(*arrays)):
            where = Memory(storage.space, wave, lane)
            try:
                raw = target.read_memory(where, int(byte), size_bytes)
                held.flat[at] = int.from_bytes(raw, "little")
            except Unavailable:
                known.flat[at] = False
        return held, known


@frozen
class _Gathered:
    """What `dwarfgpu.fetch.Fetched` is for one lane: here nothing is fetched ahead."""

    fetch: Callable[[Memory | Register, int, int], int]
    budget: Budget

    def read(self, storage: Memory | Register, first: int, count: int) -> Bits:
        try:
            return Bits(self.fetch(storage, first, count), count)
        except Unavailable:
            raise Divergence(None) from None  # some of the bits may be known


def _words(run: Run) -> list[Run]:
    """A run of whole bytes in parts of a word."""
    size_bits = 8 * WORD_BYTES
    return [
        Run(
            tuple(SingleLocation(p.storage, p.bit_offset + first) for p in run.places),
            min(size_bits, run.size_bits - first),
            run.stop,
        )
        for first in range(0, run.size_bits, size_bits)
    ]


def _registers_in_bulk(
    target: Target, waves: Sequence[WaveId], register: RegisterInfo
) -> tuple[Array, Array]:
    return _padded(*cast(Bulk, target).registers_of(waves, register))


def _registers(
    target: Target, waves: Sequence[WaveId], register: RegisterInfo
) -> tuple[Array, Array]:
    """By one read for each wave; of a register that is not known whole, one for each word."""
    size_bytes = (register.size_bits + 7) // 8
    held = np.zeros((len(waves), size_bytes), np.uint8)
    is_known = np.zeros(held.shape, bool)
    for row, wave in enumerate(waves):
        pending = [(0, size_bytes)]
        while pending:
            first, count = pending.pop()
            try:
                raw = target.read_register(wave, register, first, count)
            except Unavailable:
                if count > 1:
                    step = WORD_BYTES if count > WORD_BYTES else 1
                    pending += [
                        (at, min(step, first + count - at))
                        for at in range(first, first + count, step)
                    ]
                continue
            held[row, first : first + count] = np.frombuffer(raw, np.uint8)
            is_known[row, first : first + count] = True
    return _padded(held, is_known)


def _padded(held: Array, is_known: Array) -> tuple[Array, Array]:
    """To whole words, so that each can be looked up as one number."""
    padding = -held.shape[1] % WORD_BYTES
    if not padding:
        return held, is_known
    wider = ((0, 0), (0, padding))
    return np.pad(held, wider), np.pad(is_known, wider)
