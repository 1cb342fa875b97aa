"""Functions that an instruction's statements call, for the lanes of several waves in one array.

Law: each wave has what the functions of one wave (`lane_functions.py`, `lane_moves.py`) give it. A
scalar is a number that all waves share, or an array of one for each wave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dwarfgpu.machine.simulated.semantics.compiled_instructions import NAMESPACE
from dwarfgpu.machine.simulated.semantics.lane_moves import (
    addressed_lanes,
    dpp_sources,
    permuted_rows,
)
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes


class NotTogether(Exception):
    """An instruction that the waves of a group have to execute one after the other."""


class GroupFunctions:
    """The functions for a group of waves."""

    def __init__(self, wave_size: int, wave_count: int, active_lanes: Callable[[], Lanes]) -> None:
        """`active_lanes`: which lanes are active now, for all waves."""
        self.wave_size = wave_size
        self.wave_count = wave_count
        self.lane_count = wave_count * wave_size
        self.lane = np.tile(np.arange(wave_size, dtype=np.uint32), wave_count)
        self._active_lanes = active_lanes

    def namespace(self) -> dict[str, Any]:
        """Return the functions that generated statements may call."""
        functions = (
            *(self.lanes_of, self.mask_of, self.scalar32, self.scalar64, self.moved, self.moved8),
            *(
                self.reached_by,
                self.first_of,
                self.lane_of,
                self.with_lane,
                self.other_half,
                self.permuted_rows,
            ),
            *(self.read_lanes, self.write_lanes),
        )
        return {**NAMESPACE, **{function.__name__: function for function in functions}}

    def by_wave(self, lanes: Any) -> Lanes:
        """Return lanes with the shape (waves, lanes)."""
        if np.ndim(lanes) == 0:
            return np.full((self.wave_count, self.wave_size), lanes)
        result: Lanes = lanes.reshape(-1, self.wave_size)
        return result

    def lanes_of_masks(self, masks: list[int]) -> Lanes:
        """Return a boolean for each lane of each mask."""
        data = np.array(masks, np.uint64).view(np.uint8).reshape(-1, 8)
        rows = np.unpackbits(data, axis=1, bitorder="little")[:, : self.wave_size]
        return rows.reshape(-1).astype(bool)

    def lanes_of(self, mask: Any, lane_count: int) -> Lanes:
        if isinstance(mask, np.ndarray):
            return self.lanes_of_masks(mask.tolist())
        return self.lanes_of_masks([mask] * self.wave_count)

    def mask_of(self, lanes: Lanes) -> Any:
        """Return a mask for each wave."""
        if not lanes.ndim:
            return -int(lanes)
        packed = np.packbits(lanes, bitorder="little").view(f"<u{self.wave_size // 8}")
        out: Lanes = packed.astype(object)
        return out

    def scalar32(self, number: Any) -> Any:
        if isinstance(number, np.ndarray):
            return np.repeat(number.astype(np.uint32), self.wave_size)
        return np.uint32(number)

    def scalar64(self, number: Any) -> Any:
        if isinstance(number, np.ndarray):
            return np.repeat(number.astype(np.uint64), self.wave_size)
        return np.uint64(number)

    def moved(self, a: Any, control: int, fetches_inactive: bool, wave: Any) -> Lanes:
        source, valid = dpp_sources(control, self.wave_size)
        if not fetches_inactive:
            valid = valid & self.by_wave(self._active_lanes())[:, source]
        return np.where(valid, self.by_wave(a)[:, source], np.uint32(0)).reshape(-1)

    def reached_by(
        self, control: int, rows: int, banks: int, is_zero: bool, fetches_inactive: bool, wave: Any
    ) -> Lanes:
        lane = self.lane
        out = (rows >> (lane >> 4) & 1 != 0) & (banks >> (lane >> 2 & 3) & 1 != 0)
        if not is_zero:
            source, valid = dpp_sources(control, self.wave_size)
            if not fetches_inactive:
                valid = valid & self.by_wave(self._active_lanes())[:, source]
            out = out & np.broadcast_to(valid, self.by_wave(out).shape).reshape(-1)
        result: Lanes = out & self._active_lanes()
        return result

    def moved8(self, a: Any, selectors: int, fetches_inactive: bool, wave: Any) -> Lanes:
        lane = np.arange(self.lane_count)
        source = lane & ~7 | selectors >> 3 * (lane & 7) & 7
        out: Lanes = self.by_wave(a).reshape(-1)[source]
        active = self._active_lanes()
        return out if fetches_inactive else np.where(active[source], out, np.uint32(0))

    def first_of(self, a: Any, active: Lanes) -> Any:
        first = self.by_wave(active).argmax(1)
        return self.by_wave(a)[np.arange(len(first)), first].astype(object)

    def lane_of(self, a: Any, number: Any) -> Any:
        return self.by_wave(a)[self._rows_and_lanes(number)].astype(object)

    def with_lane(self, a: Lanes, number: Any, value: Any) -> Lanes:
        out = a.copy()
        values = value if np.ndim(value) == 0 else self.by_wave(value)[:, 0]
        self.by_wave(out)[self._rows_and_lanes(number)] = values
        return out

    def _rows_and_lanes(self, number: Any) -> tuple[Any, Any]:
        """Return the waves, and a lane of each."""
        if np.ndim(number) == 0:
            return slice(None), int(number) & self.wave_size - 1
        return np.arange(self.wave_count), self.by_wave(number)[:, 0] & self.wave_size - 1

    def other_half(self, a: Lanes, old: Lanes) -> Lanes:
        if self.wave_size == 32:
            return old
        rows: Lanes = np.roll(self.by_wave(a), 32, 1)
        return rows.reshape(-1)

    def permuted_rows(
        self,
        a: Lanes,
        low: Any,
        high: Any,
        row_offset: int,
        old: Lanes,
        active: Lanes,
        fetch: int,
    ) -> Lanes:
        if np.size(low) > 1 or np.size(high) > 1:
            raise NotTogether
        return permuted_rows(a, low, high, row_offset, old, active, fetch)

    def read_lanes(self, a: Any, address: Any, active: Lanes, generation: int) -> Lanes:
        source = addressed_lanes(address, self.lane_count, self.wave_size, generation)
        a = np.broadcast_to(a, active.shape)
        out: Lanes = np.where(active[source], a[source], np.uint32(0))
        return out

    def write_lanes(self, a: Any, address: Any, active: Lanes, generation: int) -> Lanes:
        a = np.broadcast_to(a, active.shape)
        target = addressed_lanes(address, self.lane_count, self.wave_size, generation)
        out: Lanes = np.zeros_like(a)
        out[target[active]] = a[active]
        return out
