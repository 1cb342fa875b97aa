"""A wave that executes an instruction on what is known, beside the one that executes it.

Law: it changes nothing but itself. Of memory it reads which bits are known; what it stores, it
notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.storage.buffer_addresses import BufferAddress
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.storage.wave_memory import Access, AccessVerb, WaveMemory
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes
from dwarfgpu.machine.simulated.unknown.known_memory import known_bytes
from dwarfgpu.machine.simulated.unknown.partly_known import (
    Number,
    PartlyKnown,
    Undecided,
    partly_known,
    parts_of,
)
from dwarfgpu.machine.simulated.unknown.partly_known_lanes import (
    PartlyKnownLanes,
    known,
    lanes_of_any,
)

_FULL: Final = 0xFFFFFFFF
_WHOLE: Final = (1 << 64) - 1

Key: TypeAlias = tuple[str, int]
"""A dword: `v` and the index in `RunningWave.written`, `s` and the one in `RunningWave.s`, `vcc` or
`scc`."""
Assumed: TypeAlias = Mapping[Key, Any]
"""The bits of dwords that are taken as unknown: a mask, or one for each lane."""


class Written(NamedTuple):
    """What an instruction writes to a dword of a vector register."""

    row: int
    on: Lanes | None
    """The lanes; None for all."""
    unknown: Lanes
    """The bits of each lane that are not known."""


class _Row(PartlyKnownLanes):
    """A vector register."""

    def __init__(self, wave: PartlyKnownWave, row: int, value: Lanes, unknown: Lanes) -> None:
        super().__init__(value, unknown)
        self._wave, self._row = wave, row

    def put(self, on: Lanes | None, values: PartlyKnownLanes) -> None:
        unknown = np.broadcast_to(values.unknown.view(np.uint32), self.shape)
        self._wave.rows.append(Written(self._row, on, unknown))


class _Rows:
    """A bank of vector registers as numbers of one type."""

    def __init__(self, wave: PartlyKnownWave, name: str) -> None:
        self._wave, self._name = wave, name
        self._first = wave.vgprs if name[0] == "a" else 0

    def __getitem__(self, number: Any) -> _Row:
        number = index(number)
        value = getattr(self._wave.wave, self._name)[number]
        row = self._first + number
        wave = self._wave.wave
        unknown = np.zeros(wave.lane_count, np.uint32)
        if wave.written[row] != wave.all_lanes:
            bits, unknown = self._wave.taken(
                ("v", row), value.view(np.uint32), ~wave.known_bits(row)
            )
            value = bits.view(value.dtype)
        return _Row(self._wave, row, value, unknown)


class _Scalars(list[Any]):
    """`RunningWave.s`."""

    def __init__(self, wave: PartlyKnownWave) -> None:
        super().__init__(map(int, wave.wave.s))
        self._wave = wave
        self._undefined = {
            n for n, number in enumerate(wave.wave.s) if isinstance(number, Undefined)
        }

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        if number in self._undefined:
            unknown = ~known_bits(self._wave.wave.s[number]) & _FULL
            return self._wave.taken_number(("s", number), super().__getitem__(number), unknown)
        return super().__getitem__(number)

    def __setitem__(self, number: Any, value: Any) -> None:
        if isinstance(number, slice):
            for n, one in zip(range(*number.indices(len(self))), value, strict=True):
                self[n] = one
            return
        self._undefined.discard(number)
        self._wave.numbers["s", number] = value
        super().__setitem__(number, value)


class PartlyKnownWave(SimulatedWave):
    """A wave before an instruction; its results are noted."""

    def __init__(self, wave: WaveMemory, assumed: Assumed | None = None, fill: int = 0) -> None:
        """`assumed`: the only bits that are taken as unknown, others are those of `fill`."""
        vars(self).update(vars(wave))
        self.wave: Any = wave
        self._assumed, self._fill = assumed, fill
        self.read: dict[Key, Any] = {}
        """What was read that is unknown, in this order, with the mask of the unknown bits."""
        self.rows: list[Written] = []
        """What was written to vector registers."""
        self.numbers: dict[Key, Number] = {}
        """What was written to scalar registers."""
        self.stored: Lanes | None = None
        """The unknown bits of what was stored, for each lane of the bytes; one row for a scalar."""
        self.s = _Scalars(self)
        for name in ("v", "i", "f", "av", "ai", "af"):
            vars(self)[name] = _Rows(self, name)

    def taken(self, key: Key, value: Any, unknown: Any) -> tuple[Any, Any]:
        """Return a register as it is taken, with its unknown bits."""
        if self._assumed is not None:
            value = value & ~unknown | unknown & (
                self._fill if isinstance(unknown, int) else np.uint32(self._fill & _FULL)
            )
            unknown = unknown & self._assumed.get(key, 0)
        if np.any(unknown):
            self.read.setdefault(key, unknown)
        return value, unknown

    def taken_number(self, key: Key, value: int, unknown: int) -> Number:
        return partly_known(*self.taken(key, value, unknown))

    # Registers.

    @property
    def vcc(self) -> Any:
        if ("vcc", 0) in self.numbers:
            return self.numbers["vcc", 0]
        number = self.wave.vcc
        return self.taken_number(("vcc", 0), int(number), ~known_bits(number) & _WHOLE)

    @vcc.setter
    def vcc(self, number: Any) -> None:
        self.numbers["vcc", 0] = number

    @property
    def scc(self) -> Any:
        number = self.wave.scc
        return self.taken_number(("scc", 0), int(number) & 1, ~known_bits(number) & 1)

    @scc.setter
    def scc(self, number: Any) -> None:
        self.numbers["scc", 0] = number

    def set_exec(self, mask: Any) -> None:
        super().set_exec(known(mask))

    def set_mode(self, value: Any) -> None:
        super().set_mode(known(value))

    def write_hardware_register(self, name: str, mask: int, value: Any) -> None:
        super().write_hardware_register(name, mask, known(value))

    # Memory.

    def _address(self, address: Any, on: Lanes | None) -> Any:
        """Return an address, which must be known in the lanes that are on."""
        if isinstance(address, PartlyKnownLanes) and on is not None and address.ndim:
            if (address.unknown[..., on] != 0).any():
                raise Undecided
            return address.value
        return known(address)

    def _loaded(
        self, load: Callable[..., Any], address: Any, kind: Any, count: int, on: Lanes | None
    ) -> PartlyKnownLanes:
        """Return what a load gives."""
        accesses: list[Access] = []
        value = self._observed(accesses, lambda: load(self._address(address, on), kind, count, on))
        is_in_parts = load.__name__ == "buffer_load"
        size = value.dtype.itemsize * (value.size // self.lane_count)
        unknown = np.zeros((self.lane_count, size), np.uint8)
        first = np.zeros(self.lane_count, int)
        for number, access in enumerate(accesses):
            if is_in_parts:  # lanes out of range have no access
                first[:] = number * access.size_bytes
            lanes, marks = access.lanes, known_bytes(self.wave, access)
            columns = first[lanes, None] + np.arange(access.size_bytes)
            unknown[np.asarray(lanes)[:, None], columns] = ~marks
            first[lanes] += access.size_bytes
        elements = np.ascontiguousarray(unknown.view(f"u{value.dtype.itemsize}").T)
        return PartlyKnownLanes(value, elements.reshape(value.shape))

    def _observed(self, accesses: list[Access], load: Callable[[], Any]) -> Any:
        """Return what a load of the wave itself gives, and note what it accesses."""
        wave, on_access = self.wave, self.wave.on_access
        wave.on_access = accesses.append
        try:
            return load()
        finally:
            wave.on_access = on_access

    def _store(self, address: Any, values: Any, kind: Any, on: Lanes | None) -> None:
        self._address(address, on)
        lanes = lanes_of_any(values)
        if lanes.dtype.kind == "f" and np.dtype(kind).kind == "u":
            lanes = lanes.view(f"u{lanes.itemsize}")
        unknown = lanes.astype(kind).unknown
        rows = np.broadcast_to(unknown, (*unknown.shape[:-1], self.lane_count))
        columns = np.ascontiguousarray(rows.reshape(-1, self.lane_count).T)
        self.stored = columns.view(np.uint8)

    def global_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Any:
        return self._loaded(self.wave.global_load, address, kind, count, on)

    def lds_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Any:
        return self._loaded(self.wave.lds_load, address, kind, count, on)

    def scratch_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Any:
        return self._loaded(self.wave.scratch_load, address, kind, count, on)

    def flat_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Any:
        return self._loaded(self.wave.flat_load, address, kind, count, on)

    def buffer_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Any:
        return self._loaded(self.wave.buffer_load, address, kind, count, on)

    global_store = lds_store = scratch_store = flat_store = buffer_store = _store

    def buffer_address(
        self,
        resource: Any,
        index: Any,
        offset: Any,
        immediate: int,
        scalar: Any,
        verb: AccessVerb,
    ) -> BufferAddress:
        where = self._address(index, self.active), self._address(offset, self.active)
        address: BufferAddress = self.wave.buffer_address(
            known(resource), *where, immediate, known(scalar), verb
        )
        return address

    @staticmethod
    def scalar_buffer_address(resource: Any, offset: Any, size_bytes: int) -> int:
        return SimulatedWave.scalar_buffer_address(known(resource), known(offset), size_bytes)

    def scalar_load(self, address: Any, size_bytes: int, is_signed: bool) -> Any:
        accesses: list[Access] = []
        value = self._observed(
            accesses, lambda: self.wave.scalar_load(known(address), size_bytes, is_signed)
        )
        marks = known_bytes(self.wave, accesses[0])
        return partly_known(value, int.from_bytes((~marks).tobytes(), "little", signed=is_signed))

    def scalar_store(self, address: Any, value: Any, size_bytes: int) -> None:
        known(address)
        unknown = parts_of(value)[1] & (1 << 8 * size_bytes) - 1
        row = unknown.to_bytes(size_bytes, "little")
        self.stored = np.frombuffer(row, np.uint8)[None]


def is_wholly_unknown(number: Number, bits: int) -> bool:
    """Return whether no bit of a mask is known of a number."""
    return isinstance(number, PartlyKnown) and not bits & ~number.unknown
