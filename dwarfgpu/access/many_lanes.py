"""Registers and memories as many lanes of many waves read them at once.

Law: results equal those of one lane at a time. Lanes that cannot be read in the same way diverge
(`dwarfgpu.model.lane_integers.Divergence`); no lane learns more here than from a read of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import index
from typing import NamedTuple, TypeVar, cast

import numpy as np

from dwarfgpu.access.access_protocol import Access, HasAccess
from dwarfgpu.access.coalesced_reads import (
    PROBES,
    CoalescedReads,
    Fetch,
    Load,
    Run,
    RunBudget,
)
from dwarfgpu.access.exact_reads import memory_bytes, register_bytes
from dwarfgpu.access.lane_group import WORD_BYTES, Group, Machine
from dwarfgpu.access.location_access import LocationAccess
from dwarfgpu.arch.model import Apertures, Architecture, RegisterInfo
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import StaleLocation, Unavailable
from dwarfgpu.machine.target import (
    Modelled,
    WaveId,
)
from dwarfgpu.model.lane_extract import LaneExtractor
from dwarfgpu.model.lane_integers import Array, Divergence, Lanes, lanes
from dwarfgpu.model.lane_texts import LaneTexts
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.model.storage import Memory, Register, Selected

T = TypeVar("T")

MAX_BYTES = 1 << 26
"""Maximum size of what is read for a group of lanes at once; larger objects are read lane by
lane."""


_UNSIGNED = {1: "<u1", 2: "<u2", 4: "<u4"}
"""NumPy's numbers, by their bytes."""


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
        return register_bytes(self.machine.target, wave, register, offset_bytes, size_bytes)

    def write_register(
        self, wave: WaveId, register: RegisterInfo, data: bytes, offset_bytes: int = 0
    ) -> None:
        raise Divergence(None)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        if not _are_same(where.wave, where.lane, address, size_bytes):
            raise Divergence(None)
        return memory_bytes(self.machine.target, where, address, size_bytes)

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
        # They have at most 32 bits; a random mask makes np.where four times as slow as this.
        differing = numbers[0] ^ numbers[1]
        chosen = numbers[0] ^ (differing & -is_one.array.astype(np.int64))
        value = [Bits(lanes(chosen), size_bits)]
        if all(is_known is None for _, is_known in bits_and_known):
            return Chunks(value, None)
        known_masks = [
            np.array(True) if is_known is None else is_known for _, is_known in bits_and_known
        ]
        return Chunks(value, np.where(mask, known_masks[1], known_masks[0]))

    def _coalesced(self, runs: list[Run], budget: RunBudget) -> Fetch:
        return _Gathered(self._fetch, budget)

    def read_run_by_run(self, location: Location, size_bits: int) -> Bits:
        """Return the bits of an object, whose unknown ones may differ by lane."""
        budget = RunBudget(self.runs_limit)
        runs = list(self.runs(location, size_bits, budget))
        # A lane alone reads an unknown byte at most twice, and gives up where that is too much.
        is_little = self.endian == "little" and size_bits // 4 <= min(budget.remaining, PROBES)
        unknown = self._unknown if is_little else None
        return self._read_runs(runs, budget, _Gathered(self._fetch, budget, unknown=unknown))

    def _unknown(self, storage: Memory | Register, bit_offset: int, size_bits: int) -> Bits:
        """Return whole bytes that no lane knows completely, with the unknown bits of each lane."""
        if size_bits % 8 or index(bit_offset % 8):
            raise Divergence(None)
        lane = None if isinstance(storage, Register) else storage.lane
        if _are_same(bit_offset, storage.wave, lane):
            reads = CoalescedReads(self.load, self.endian, [], RunBudget(self.runs_limit))
            return reads.read(storage, bit_offset, size_bits)
        if isinstance(storage, Memory):  # what is unknown in bulk, a lane alone may know
            raise Divergence(None)
        first_byte, size_bytes, shape = bit_offset // 8, size_bits // 8, self._lanes.group.shape
        if self._lanes.group.size * size_bytes > MAX_BYTES:
            raise Divergence(None)
        contents, rows = self._lanes.machine.register(storage.register), self._rows(storage)
        first = first_byte.array if isinstance(first_byte, Lanes) else np.array([[first_byte]])
        byte_indices = first[..., None] + np.arange(size_bytes)
        data, masks = (
            np.broadcast_to(part[rows[..., None], byte_indices], (*shape, size_bytes))
            for part in (contents.data, contents.masks)
        )
        alone = evolve(self, target=self._lanes.machine.target)
        reasons = LaneTexts(_reasons(alone.load, storage, first_byte, size_bytes, shape))
        return Bits(_numbers(data), size_bits, 0, _numbers(~masks), reasons)

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
        for offset in range(0, size_bytes, WORD_BYTES):
            count = min(WORD_BYTES, size_bytes - offset)
            value |= self._word(storage, first_byte + offset, count, masks) << 8 * offset
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
        contents = self._lanes.machine.register(storage.register)
        values, is_known = contents.data, contents.is_known
        rows, group = self._rows(storage), self._lanes.group
        first_bytes = (
            first_byte.array if isinstance(first_byte, Lanes) else np.array([[first_byte]])
        )
        are_known = np.array(contents.is_all_known)
        if size_bytes in _UNSIGNED and not (first_bytes % size_bytes).any():
            kind, first_bytes = _UNSIGNED[size_bytes], first_bytes // size_bytes
            parts = [values.view(kind)]
            if not contents.is_all_known:
                parts.append(is_known.view(kind) == int.from_bytes(b"\1" * size_bytes))
            if group.is_whole and first_bytes.shape[0] == 1:
                taken = [np.take(part, first_bytes[0], axis=1) for part in parts]
            else:
                taken = [part[rows, first_bytes] for part in parts]
            return taken[0], taken[-1] if len(parts) > 1 else are_known
        if not contents.is_all_known:
            byte_masks = [is_known[rows, first_bytes + byte] for byte in range(size_bytes)]
            are_known = np.logical_and.reduce(np.broadcast_arrays(*byte_masks))
        number = values[rows, first_bytes].astype(np.int64)
        for byte in range(1, size_bytes):
            number |= values[rows, first_bytes + byte].astype(np.int64) << 8 * byte
        return number, are_known

    def _rows(self, storage: Register) -> Array:
        """Return the rows of the waves of a register; `Divergence` unless it is of each lane's own
        wave."""
        wave, group = self._lanes.wave, self._lanes.group
        if storage.wave is not wave and not (
            _are_same(storage.wave, wave) and storage.wave == wave
        ):
            raise Divergence(None)
        return group.rows if isinstance(storage.wave, Lanes) else group.rows[:1]

    def _of_memory(self, storage: Memory, address: int, size_bytes: int) -> tuple[Array, Array]:
        target = self._lanes.machine.target
        parts = (address, storage.wave, storage.lane)
        arrays = [part.array if isinstance(part, Lanes) else np.array([[part]]) for part in parts]
        bulk = self._lanes.machine.bulk_memory
        if bulk is not None:
            return bulk.gather(storage, arrays[0], size_bytes)
        total = np.zeros(np.broadcast_shapes(*(array.shape for array in arrays)), np.int64)
        is_known = np.ones(total.shape, bool)
        for number, (byte, wave, lane) in enumerate(np.broadcast(*arrays)):
            where = Memory(storage.space, wave, lane)
            try:
                raw = memory_bytes(target, where, int(byte), size_bytes)
                total.flat[number] = int.from_bytes(raw, "little")
            except Unavailable:
                is_known.flat[number] = False
        return total, is_known


@frozen
class _Gathered:
    """The counterpart of `coalesced_reads.CoalescedReads`; it prefetches nothing."""

    fetch: Callable[[Memory | Register, int, int], int]
    budget: RunBudget
    is_last: bool = False
    """Whether nothing needs to be read of an object that is not completely known."""
    unknown: Callable[[Memory | Register, int, int], Bits] | None = None
    """What reads bits that no lane knows completely; None where each lane has to."""

    def read(self, storage: Memory | Register, first: int, count: int) -> Bits:
        try:
            return Bits(self.fetch(storage, first, count), count)
        except Unavailable:
            if self.is_last:
                raise
            if self.unknown is None:
                raise Divergence(None) from None  # some of the bits may be known
        return self.unknown(storage, first, count)


def _numbers(data: Array) -> int:
    """Return the little-endian number of the bytes of each lane, uint8 (rows, columns, bytes)."""
    size_bytes = data.shape[-1]
    if size_bytes <= 8:
        words = np.zeros((*data.shape[:-1], 8), np.uint8)
        words[..., :size_bytes] = data
        return lanes(words.view("<u8")[..., 0])
    raw = np.ascontiguousarray(data).tobytes()
    numbers = [
        int.from_bytes(raw[index : index + size_bytes], "little")
        for index in range(0, len(raw), size_bytes)
    ]
    return lanes(np.array(numbers, object).reshape(data.shape[:-1]))


def _reasons(
    load: Load, storage: Register, first_byte: int, size_bytes: int, shape: tuple[int, ...]
) -> Callable[[int], tuple[str, ...]]:
    """Return a function that reads bytes that are not known in a lane, for the reason."""
    extractor = LaneExtractor(shape)
    registers, first_bytes = extractor.of(storage), extractor.of(first_byte)

    def of_lane(index: int) -> tuple[str, ...]:
        try:
            load(registers(index), first_bytes(index), size_bytes)
        except Unavailable as error:
            return (error.message,)
        raise StaleLocation("the machine has changed since lanes were read: read them again")

    return of_lane


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
