"""Read the waves of a core for many lanes at once, with NumPy.

Implements `SharesArchitecture` and `BulkMemory` (`dwarfgpu.machine.target`).

Law: a lane gets the bytes of `read_memory`; bytes that it refuses, for whatever reason, are unknown
here, and so are those of code objects, which each lane asks for alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.machine.bulk_addresses import (
    Array,
    KnownNumbers,
    SpaceAddresses,
    int64_array,
    wave_or_lane_array,
)
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.forwarding_target import ForwardingTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.storage import Memory

_PAGE_BYTES: Final = 4096
_MAX_PAGES: Final = 2048
"""Read at once: memory stays bounded, however far apart the addresses are."""


class BulkCore(ForwardingTarget[TargetWithCodeObjects]):
    """The waves of a core, with the power to read memory in bulk."""

    def __init__(
        self, machine: TargetWithCodeObjects, gpu: GpuTarget, architecture: Architecture
    ) -> None:
        """`architecture`: of the waves that will be asked about."""
        self.behind = machine
        self.gpu = gpu
        self.architecture = architecture

    @property
    def workgroups(self) -> Mapping[WaveId, int]:
        """The workgroups by their first wave, where the LDS is."""
        return _Leaders(self.gpu)

    def architecture_of_all(self, waves: Sequence[WaveId]) -> Architecture | None:
        return self.gpu.architecture_of_all(waves)

    def apertures_of(self, wave: WaveId) -> Apertures:
        return self.gpu.apertures_of(wave)

    def gather(self, where: Memory, addresses: Array, size_bytes: int) -> KnownNumbers:
        """Read numbers from memory (`dwarfgpu.machine.target.BulkMemory`)."""
        wave, lane = (wave_or_lane_array(part) for part in (where.wave, where.lane))
        chosen_addresses = int64_array(np.asarray(addresses))
        shape = np.broadcast_shapes(chosen_addresses.shape, wave.shape, lane.shape)
        values, is_known = np.zeros(shape, np.int64), np.ones(shape, bool)
        for byte in range(size_bytes):  # bytes of a number may be in two elements of scratch
            in_space = SpaceAddresses(
                self, where.space.number, chosen_addresses + byte, wave, lane, shape
            )
            part, has = np.zeros(shape, np.int64), np.zeros(shape, bool)
            for name, owner, is_inside, at_store, ends in in_space.in_stores():
                base = 0 if name != "local" or owner is None else self._lds_base(owner)
                fits = is_inside & (at_store >= 0) & (at_store < ends)
                if name != "private_wave":  # scratch that is nowhere in the core
                    self._take(fits, at_store + base, part, has)
            values |= part << 8 * byte
            is_known &= has
        return np.where(is_known, values, 0), is_known

    def _lds_base(self, leader: int) -> int:
        return self.gpu.gpu.lds(self.gpu.waves[leader])[0]

    def _take(self, chosen: Array, addresses: Array, values: Array, is_known: Array) -> None:
        """Take the bytes at addresses of the core, page by page."""
        indices = np.flatnonzero(chosen)
        chosen_addresses = addresses[chosen]
        page_of = chosen_addresses // _PAGE_BYTES
        pages = np.unique(page_of)
        for first in range(0, len(pages), _MAX_PAGES):
            some = pages[first : first + _MAX_PAGES]
            mine = (page_of >= some[0]) & (page_of <= some[-1])
            data, page_masks = self._pages(some)
            row = np.searchsorted(some, page_of[mine])
            inside = chosen_addresses[mine] % _PAGE_BYTES
            values.flat[indices[mine]] = data[row, inside]
            is_known.flat[indices[mine]] = page_masks[row, inside]

    def _pages(self, pages: Array) -> tuple[Array, Array]:
        """Return the bytes of pages, and which of them are known."""
        data = np.zeros((len(pages), _PAGE_BYTES), np.uint8)
        page_masks = np.zeros(data.shape, bool)
        begins = np.flatnonzero(np.diff(pages, prepend=pages[0] - 2) != 1)
        ends = [*begins[1:], len(pages)]
        for begin, end in zip(begins, ends, strict=True):
            size = int(end - begin) * _PAGE_BYTES
            flat, has = data[begin:end].reshape(-1), page_masks[begin:end].reshape(-1)
            for offset, piece in self.gpu.memory.known(int(pages[begin]) * _PAGE_BYTES, size):
                flat[offset : offset + len(piece)] = np.frombuffer(piece, np.uint8)
                has[offset : offset + len(piece)] = True
        return data, page_masks


class _Leaders(Mapping[WaveId, int]):
    """The first wave of the workgroup of each wave."""

    def __init__(self, gpu: GpuTarget) -> None:
        self._gpu = gpu

    def __getitem__(self, wave: WaveId) -> int:
        return self._gpu.waves[wave].leader + self._gpu.gpu.first - 1

    def __iter__(self) -> Any:
        return iter(self._gpu.waves)

    def __len__(self) -> int:
        return len(self._gpu.waves)
