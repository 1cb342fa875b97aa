"""Registers and memories as many lanes of many waves read them at once.

Law: results equal those of one lane at a time. Lanes that cannot be read in the same way diverge
(`dwarfgpu.model.lane_integers.Divergence`); no lane learns more here than from a read of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property, partial
from itertools import groupby
from operator import index, itemgetter
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from dwarfgpu.access.coalesced_reads import Fetch, Run, RunBudget
from dwarfgpu.access.location_access import Access, HasAccess, LocationAccess
from dwarfgpu.arch.model import Apertures, Architecture, RegisterInfo
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.machine.target import (
    BulkMemory,
    BulkRegisters,
    Modelled,
    SharesArchitecture,
    Target,
    WaveId,
)
from dwarfgpu.model.lane_integers import Array, Divergence, Lanes, lanes
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.model.storage import Memory, Register, Selected

T = TypeVar("T")

WORD_BYTES = 4
"""Bytes gathered at once."""
MAX_BYTES = 1 << 26
"""Read for a whole group at once; larger objects are read for each lane."""


@frozen(eq=False)
class Group:
    """Lanes evaluated together: rows (waves) and columns (lanes) that broadcast to each other."""

    rows: Array
    columns: Array
    is_whole: bool = False

    @classmethod
    def of(cls, rows: int, columns: int) -> Group:
        """Return all lanes of all waves."""
        return cls(np.arange(rows)[:, None], np.arange(columns)[None, :], is_whole=True)

    @classmethod
    def among(cls, members: Collection[tuple[int, int]]) -> Group:
        """Return the group of some of the rows and columns, in any order."""
        pairs = np.array(list(members), np.int64).reshape(-1, 2)
        return cls(pairs[:, :1], pairs[:, 1:])

    def members(self) -> Iterator[tuple[int, int]]:
        """Yield the row and column of each lane, in the order of its arrays."""
        rows, columns = np.broadcast_arrays(self.rows, self.columns)
        return zip(rows.ravel().tolist(), columns.ravel().tolist(), strict=True)

    def by_row(self) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Yield rows with the number of their first lane in the order of its arrays, and the
        columns, which follow on there."""
        if self.rows.shape[1] == 1 and self.columns.shape[0] == 1:
            columns = tuple(self.columns[0].tolist())
            for index, row in enumerate(self.rows[:, 0].tolist()):
                yield row, index * len(columns), columns
        else:
            first = 0
            for row, members in groupby(self.members(), itemgetter(0)):
                columns = tuple([column for _, column in members])
                yield row, first, columns
                first += len(columns)

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

    def split(self, key: Array) -> list[Group]:
        """Split the lanes by key; into whole rows or columns where the key depends on one of them
        only."""
        values = np.array([False, True]) if key.dtype == bool else np.unique(key)
        if self.rows.shape[1] == 1 and self.columns.shape[0] == 1:
            if key.shape[0] == 1:
                return [Group(self.rows, self.columns[:, key[0] == value]) for value in values]
            if key.shape[1] == 1:
                return [Group(self.rows[key[:, 0] == value], self.columns) for value in values]
        rows, columns, keys = np.broadcast_arrays(self.rows, self.columns, key)
        chosen = [keys == value for value in values]
        return [Group(rows[mask][:, None], columns[mask][:, None]) for mask in chosen]


class Machine:
    """The waves and lanes of a question, and what their passes share."""

    def __init__(self, target: Target, waves: tuple[WaveId, ...], lanes: tuple[int, ...]) -> None:
        self.target, self.waves, self.lanes = target, waves, lanes
        self.wave_numbers, self.lane_numbers = np.asarray(waves), np.asarray(lanes)
        self.registers: dict[RegisterInfo, tuple[Array, Array]] = {}

    @cached_property
    def architecture(self) -> Architecture:
        """The architecture of all waves; `Divergence` where they differ, or some wave does not
        exist."""
        if isinstance(self.target, SharesArchitecture):
            shared = self.target.architecture_of_all(self.waves)
            if shared is None:
                raise Divergence(None)
            return shared
        return self._shared(self.target.architecture_of)

    @cached_property
    def apertures(self) -> Apertures:
        """The apertures of all waves; `Divergence` where they differ."""
        return self._shared(self.target.apertures_of)

    def _shared(self, of_wave: Callable[[WaveId], T]) -> T:
        try:
            first, *others = [of_wave(wave) for wave in self.waves]
        except DwarfGpuError:
            raise Divergence(None) from None
        if any(answer is not first and answer != first for answer in others):
            raise Divergence(None)
        return first

    def register(self, register: RegisterInfo) -> tuple[Array, Array]:
        """Return a register of all waves: bytes, a multiple of words, and a mask of the known
        ones."""
        if register not in self.registers:
            if isinstance(self.target, BulkRegisters):
                read = _padded(*self.target.registers_of(self.waves, register))
            else:
                read = _registers(self.target, self.waves, register)
            self.registers[register] = read
        return self.registers[register]

    @cached_property
    def bulk_memory(self) -> BulkMemory | None:
        """The target, where it has the power to read memory in bulk."""
        return self.target if isinstance(self.target, BulkMemory) else None


class LaneTarget(HasAccess):
    """A target as a group of lanes sees it; it is read through `VectorAccess` alone."""

    def __init__(self, machine: Machine, group: Group) -> None:
        self.machine, self.group = machine, group
        self.wave: WaveId = lanes(machine.wave_numbers[group.rows])
        self.lane: int = lanes(machine.lane_numbers[group.columns])

    @property
    def stop(self) -> int:
        return self.machine.target.stop

    def access(self, endian: Endian, limits: Limits) -> Access:
        return VectorAccess(self, endian, limits.read_bytes, limits.runs)

    @property
    def model(self) -> object:
        """Return the topology (`dwarfgpu.machine.target.Modelled`); each wave answers
        separately."""
        target = self.machine.target
        return target.model if isinstance(target, Modelled) else None

    def architecture_of(self, wave: WaveId) -> Architecture:
        """Return the architecture that all waves share."""
        return self.machine.architecture

    def apertures_of(self, wave: WaveId) -> Apertures:
        """Return the apertures of all waves, where they share them."""
        return self.machine.apertures

    def read_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        if not _are_same(wave, offset_bytes, size_bytes):
            raise Divergence(None)
        return self.machine.target.read_register(wave, register, offset_bytes, size_bytes)

    def write_register(
        self, wave: WaveId, register: RegisterInfo, data: bytes, offset_bytes: int = 0
    ) -> None:
        raise Divergence(None)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        if not _are_same(where.wave, where.lane, address, size_bytes):
            raise Divergence(None)
        return self.machine.target.read_memory(where, address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        raise Divergence(None)


def _are_same(*numbers: int | None) -> bool:
    """Return whether the numbers are the same in all lanes."""
    return not any(type(number) is Lanes for number in numbers)


class Chunks(NamedTuple):
    """An object in each lane of a group, in pieces of whole bytes, the lowest first."""

    bits: list[Bits]
    is_known: Array | None
    """The lanes that know all of it, which broadcasts to the group; None: all of them."""


def _all(masks: list[Array]) -> Array | None:
    """Return the lanes that are in every mask; None without any."""
    return np.logical_and.reduce(np.broadcast_arrays(*masks)) if masks else None


class NotInAnyLane(Unavailable):
    """No lane has the contents; each lane gives its own reason."""

    @property
    def message(self) -> str:
        raise Divergence(None)


@frozen
class VectorAccess(LocationAccess):
    """Access for a group of lanes: a read gives one number per lane."""

    @property
    def _lanes(self) -> LaneTarget:
        return cast(LaneTarget, self.target)

    def chunks(self, location: Location, size_bits: int) -> Chunks:
        """Return an object in pieces of whole bytes, the lowest first, no wider than a word where
        possible, and the lanes that know all of it.

        Raises `NotInAnyLane` if a part of it is in no lane: then no lane knows all of it.
        """
        chosen = self._chosen(location, size_bits)
        if chosen is not None:
            return chosen
        budget = RunBudget(self.runs_limit)
        runs = list(self.runs(location, size_bits, budget))
        masks: list[Array] = []
        fetched = _Gathered(partial(self._fetch, masks=masks), budget, is_last=True)
        is_narrow = size_bits <= 8 * WORD_BYTES
        if is_narrow or self.endian == "big" or any(run.size_bits % 8 for run in runs):
            bits = [concatenate([self._read_run(run, fetched) for run in runs], self.endian)]
        else:
            bits = [self._read_run(part, fetched) for run in runs for part in _words(run)]
        return Chunks(bits, _all(masks))

    def _chosen(self, location: Location, size_bits: int) -> Chunks | None:
        """Read what each lane has in one of two locations, as its bit of a mask says.

        None for any other object, and where either location has to be read in several pieces.
        """
        single = location.single_locations[0]
        storage = single.storage
        if not isinstance(storage, Selected) or size_bits > 8 * WORD_BYTES:
            return None
        if len(location.single_locations) != 1 or not isinstance(single.bit_offset, Lanes):
            return None
        self._check_fresh(location.stop)
        number, within = divmod(single.bit_offset, storage.element_bits)
        is_one = storage.mask >> number & 1
        if not isinstance(is_one, Lanes) or within + size_bits > storage.element_bits:
            return None
        bits_and_known: list[tuple[Bits, Array | None]] = []
        for source in (storage.zero, storage.one):
            left_bits = source.remaining_bits
            if left_bits is None or single.bit_offset.most + size_bits > left_bits:
                return None
            plain = self._plain(source.displaced(single.bit_offset), size_bits)
            if plain is None:
                return None
            masks: list[Array] = []
            try:
                bits_and_known.append(
                    (Bits(self._fetch(*plain, size_bits, masks), size_bits), _all(masks))
                )
            except NotInAnyLane:
                bits_and_known.append((Bits(0, size_bits), np.array(False)))
        mask = is_one.array != 0
        numbers = [
            bits.value.array if isinstance(bits.value, Lanes) else bits.value
            for bits, _ in bits_and_known
        ]
        known = [np.array(True) if is_known is None else is_known for _, is_known in bits_and_known]
        value = np.where(mask, numbers[1], numbers[0])
        return Chunks([Bits(lanes(value), size_bits)], np.where(mask, known[1], known[0]))

    def _coalesced(self, runs: list[Run], budget: RunBudget) -> Fetch:
        return _Gathered(self._fetch, budget)

    def _fetch(
        self,
        storage: Memory | Register,
        bit_offset: int,
        size_bits: int,
        masks: list[Array] | None = None,
    ) -> int:
        """Return bits of each lane; they diverge by whether they know them.

        With `masks`, the lanes that know a word are added to these instead.
        """
        lane = None if isinstance(storage, Register) else storage.lane
        if _are_same(bit_offset, storage.wave, lane):
            return self._fetch_same(storage, bit_offset, size_bits)
        if self.endian == "big" or self._lanes.group.size * size_bits > 8 * MAX_BYTES:
            raise Divergence(None)
        first_byte, bit = bit_offset // 8, index(bit_offset % 8)
        size_bytes = (bit + size_bits + 7) // 8
        value = 0
        for at in range(0, size_bytes, WORD_BYTES):
            count = min(WORD_BYTES, size_bytes - at)
            value |= self._word(storage, first_byte + at, count, masks) << 8 * at
        return value >> bit & (1 << size_bits) - 1

    def _word(
        self,
        storage: Memory | Register,
        first_byte: int,
        size_bytes: int,
        masks: list[Array] | None,
    ) -> int:
        """Return up to four bytes of each lane; `NotInAnyLane` where no lane has all of them."""
        if isinstance(storage, Register):
            values, is_known = self._of_register(storage, first_byte, size_bytes)
        else:
            values, is_known = self._of_memory(storage, first_byte, size_bytes)
        if not is_known.all():
            if not is_known.any():
                raise NotInAnyLane
            if masks is None:
                raise Divergence(is_known)
            masks.append(is_known)
        return lanes(values)

    def _of_register(
        self, storage: Register, first_byte: int, size_bytes: int
    ) -> tuple[Array, Array]:
        values, is_known = self._lanes.machine.register(storage.register)
        wave = self._lanes.wave
        if storage.wave is not wave and not (
            _are_same(storage.wave, wave) and storage.wave == wave
        ):
            raise Divergence(None)
        group = self._lanes.group
        rows = group.rows if isinstance(storage.wave, Lanes) else group.rows[:1]
        at = first_byte.array if isinstance(first_byte, Lanes) else np.array([[first_byte]])
        are_known = np.array(is_known.all())
        if not are_known:
            byte_masks = [is_known[rows, at + byte] for byte in range(size_bytes)]
            are_known = np.logical_and.reduce(np.broadcast_arrays(*byte_masks))
        if size_bytes == WORD_BYTES and not (at % WORD_BYTES).any():
            words, at = values.view("<u4"), at // WORD_BYTES
            if group.is_whole and at.shape[0] == 1:
                return np.take(words, at[0], axis=1), are_known
            return words[rows, at], are_known
        number = values[rows, at].astype(np.int64)
        for byte in range(1, size_bytes):
            number |= values[rows, at + byte].astype(np.int64) << 8 * byte
        return number, are_known

    def _of_memory(self, storage: Memory, address: int, size_bytes: int) -> tuple[Array, Array]:
        target = self._lanes.machine.target
        parts = (address, storage.wave, storage.lane)
        arrays = [part.array if isinstance(part, Lanes) else np.array([[part]]) for part in parts]
        bulk = self._lanes.machine.bulk_memory
        if bulk is not None:
            return bulk.gather(storage, arrays[0], size_bytes)
        total = np.zeros(np.broadcast_shapes(*(array.shape for array in arrays)), np.int64)
        is_known = np.ones(total.shape, bool)
        for at, (byte, wave, lane) in enumerate(np.broadcast(*arrays)):
            where = Memory(storage.space, wave, lane)
            try:
                raw = target.read_memory(where, int(byte), size_bytes)
                total.flat[at] = int.from_bytes(raw, "little")
            except Unavailable:
                is_known.flat[at] = False
        return total, is_known


@frozen
class _Gathered:
    """The counterpart of `coalesced_reads.CoalescedReads`; it prefetches nothing."""

    fetch: Callable[[Memory | Register, int, int], int]
    budget: RunBudget
    is_last: bool = False
    """Whether nothing needs to be read of an object that is not completely known."""

    def read(self, storage: Memory | Register, first: int, count: int) -> Bits:
        try:
            return Bits(self.fetch(storage, first, count), count)
        except Unavailable:
            if self.is_last:
                raise
            raise Divergence(None) from None  # some of the bits may be known


def _words(run: Run) -> list[Run]:
    """Return a run of whole bytes in parts of a word."""
    size_bits = 8 * WORD_BYTES
    return [
        Run(
            tuple(SingleLocation(p.storage, p.bit_offset + first) for p in run.single_locations),
            min(size_bits, run.size_bits - first),
            run.stop,
        )
        for first in range(0, run.size_bits, size_bits)
    ]


def _registers(
    target: Target, waves: Sequence[WaveId], register: RegisterInfo
) -> tuple[Array, Array]:
    """Read once per wave; a register that is not completely known, once per word."""
    size_bytes = (register.size_bits + 7) // 8
    contents = np.zeros((len(waves), size_bytes), np.uint8)
    is_known = np.zeros(contents.shape, bool)
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
            contents[row, first : first + count] = np.frombuffer(raw, np.uint8)
            is_known[row, first : first + count] = True
    return _padded(contents, is_known)


def _padded(values: Array, is_known: Array) -> tuple[Array, Array]:
    """Pad to whole words, so that each can be looked up as one number."""
    padding = -values.shape[1] % WORD_BYTES
    if not padding:
        return values, is_known
    wider = ((0, 0), (0, padding))
    return np.pad(values, wider), np.pad(is_known, wider)
