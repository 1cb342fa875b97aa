"""Waves and lanes that are asked together, and the registers of their machine as arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeVar

import numpy as np

from dwarfgpu.access.exact_reads import register_bytes
from dwarfgpu.arch.model import Apertures, Architecture, RegisterInfo
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.machine.target import BulkMemory, BulkRegisters, SharesArchitecture, Target, WaveId
from dwarfgpu.model.lane_integers import Array, Divergence

T = TypeVar("T")

WORD_BYTES: Final = 4
"""Bytes gathered at once."""


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
    def array_index(self) -> tuple[Any, Any]:
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


class RegisterContents:
    """A register of all waves, padded to whole words, so that each can be looked up at once.

    The arrays may be those of the machine, which does not change while a question is asked.
    """

    def __init__(self, data: Array, known: Array) -> None:
        """Takes what `BulkRegisters.registers_of` gives."""
        missing_bytes = -data.shape[1] % WORD_BYTES
        if missing_bytes:
            wider = ((0, 0), (0, missing_bytes))
            data, known = np.pad(data, wider), np.pad(known, wider)
        self._known = known
        self.data = np.ascontiguousarray(data)
        """Its bytes, uint8 (waves, bytes); unknown bits are 0."""
        is_known = known if known.dtype == bool else known == 0xFF
        self.is_known: Array = np.ascontiguousarray(is_known)
        """The bytes all of whose bits are known, bool."""
        self.is_all_known = bool(self.is_known.all())

    @cached_property
    def masks(self) -> Array:
        """The known bits of each byte, uint8."""
        return self._known * np.uint8(0xFF) if self._known.dtype == bool else self._known


class Machine:
    """The waves and lanes of a question, and what their passes share."""

    def __init__(self, target: Target, waves: tuple[WaveId, ...], lanes: tuple[int, ...]) -> None:
        self.target, self.waves, self.lanes = target, waves, lanes
        self.wave_numbers, self.lane_numbers = np.asarray(waves), np.asarray(lanes)
        self.registers: dict[RegisterInfo, RegisterContents] = {}

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
            first, *answers = [of_wave(wave) for wave in self.waves]
        except DwarfGpuError:
            raise Divergence(None) from None
        if any(answer is not first and answer != first for answer in answers):
            raise Divergence(None)
        return first

    def register(self, register: RegisterInfo) -> RegisterContents:
        """Return a register of all waves."""
        if register not in self.registers:
            if isinstance(self.target, BulkRegisters):
                data, known = self.target.registers_of(self.waves, register)
            else:
                data, known = _registers(self.target, self.waves, register)
            self.registers[register] = RegisterContents(data, known)
        return self.registers[register]

    @cached_property
    def bulk_memory(self) -> BulkMemory | None:
        """The target, where it has the power to read memory in bulk."""
        return self.target if isinstance(self.target, BulkMemory) else None


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
                raw = register_bytes(target, wave, register, first, count)
            except Unavailable:
                if count > 1:
                    step = WORD_BYTES if count > WORD_BYTES else 1
                    pending += [
                        (address, min(step, first + count - address))
                        for address in range(first, first + count, step)
                    ]
                continue
            contents[row, first : first + count] = np.frombuffer(raw, np.uint8)
            is_known[row, first : first + count] = True
    return contents, is_known
