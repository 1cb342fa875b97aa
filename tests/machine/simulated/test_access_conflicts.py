"""Law: accesses of two waves conflict where one writes and no barrier of them is between."""

from __future__ import annotations

import numpy as np
import pytest

from dwarfgpu.machine.simulated.execution.access_conflicts import Conflict, Conflicts
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory

START = 0x1000
WORKGROUPS = [0, 0, 0, 1]


class Memory:
    """256 bytes that four waves access; the last wave is of another workgroup."""

    def __init__(self, *, is_writable: bool = True) -> None:
        global_memory = GlobalMemory()
        self.allocation = global_memory.add(
            "memory", START, bytes(range(256)), is_writable=is_writable
        )
        private = [np.zeros((0, 64), np.uint32)] * len(WORKGROUPS)
        self.conflicts = Conflicts(global_memory, WORKGROUPS, private)

    def read(self, wave: int, offset: int, size_bytes: int = 4) -> None:
        self._access(wave, offset, size_bytes, is_written=False)

    def write(self, wave: int, offset: int, size_bytes: int = 4) -> None:
        self._access(wave, offset, size_bytes, is_written=True)

    def _access(self, wave: int, offset: int, size_bytes: int, *, is_written: bool) -> None:
        where = np.array([START + offset], np.uint64)
        stamp = self.conflicts.stamps[wave]
        self.conflicts.access(where, size_bytes, stamp, reads=not is_written, writes=is_written)

    def add(self, kind: str, offset: int) -> None:
        where = np.array([START + offset], np.uint64)
        stamp = self.conflicts.stamp_of(kind)
        self.conflicts.access(where, 4, stamp, reads=True, writes=True)


def test_what_one_wave_does_conflicts_with_nothing() -> None:
    memory = Memory()
    memory.read(0, 8)
    memory.write(0, 8)
    memory.write(0, 8)
    memory.read(0, 8)
    memory.write(1, 12)
    memory.write(3, 4)


@pytest.mark.parametrize("other", [1, 3])
@pytest.mark.parametrize("kinds", ["rw", "wr", "ww"])
def test_a_write_conflicts_with_an_access_of_another_wave(other: int, kinds: str) -> None:
    memory = Memory()
    (memory.read if kinds[0] == "r" else memory.write)(0, 8)
    with pytest.raises(Conflict):
        (memory.read if kinds[1] == "r" else memory.write)(other, 8)


def test_all_may_read() -> None:
    memory = Memory()
    memory.write(0, 0)
    for wave in range(4):
        memory.read(wave, 8)
        memory.conflicts.scalar_read(START + 8, 8, wave)
    with pytest.raises(Conflict):
        memory.write(0, 12)


def test_a_barrier_orders_the_waves_of_its_workgroup() -> None:
    memory = Memory()
    memory.write(0, 8)
    for wave in range(3):
        memory.read(wave, 16)
    memory.conflicts.pass_barrier([0, 1, 2])
    memory.read(1, 8)
    memory.write(2, 16)
    with pytest.raises(Conflict):
        memory.read(3, 8)


def test_a_barrier_does_not_order_what_follows_it() -> None:
    memory = Memory()
    memory.write(0, 8)
    memory.conflicts.pass_barrier([0, 1, 2])
    memory.write(1, 8)
    with pytest.raises(Conflict):
        memory.read(2, 8)


def test_readers_of_two_workgroups_are_not_ordered_by_one_barrier() -> None:
    memory = Memory()
    memory.read(0, 8)
    memory.read(3, 8)
    memory.conflicts.pass_barrier([0, 1, 2])
    with pytest.raises(Conflict):
        memory.write(1, 8)


@pytest.mark.parametrize("reader", [0, 1])
def test_a_scalar_read_before_a_barrier_does_not_hide_a_read_behind_it(reader: int) -> None:
    memory = Memory()
    memory.conflicts.scalar_read(START + 8, 4, 0)
    memory.conflicts.pass_barrier([0, 1, 2])
    memory.read(reader, 8)
    with pytest.raises(Conflict):
        memory.write(2, 8)


def test_a_barrier_orders_scalar_reads_and_others() -> None:
    memory = Memory()
    memory.conflicts.scalar_read(START + 8, 4, 0)
    memory.conflicts.pass_barrier([0, 1, 2])
    memory.read(1, 8)
    memory.conflicts.pass_barrier([0, 1, 2])
    memory.write(2, 8)


def test_two_waves_in_one_access() -> None:
    memory = Memory()
    where = np.array([START, START + 4, START], np.uint64)
    stamps = memory.conflicts.stamps[[0, 1, 1]]
    memory.conflicts.access(where, 4, stamps, reads=True, writes=False)
    with pytest.raises(Conflict):
        memory.conflicts.access(where, 4, stamps, reads=False, writes=True)


def test_atomic_operations_that_commute() -> None:
    memory = Memory()
    memory.add("m + a", 8)
    memory.add("m + a", 8)
    memory.add("m | a", 12)
    for kind in ("m | a", "m - a"):
        with pytest.raises(Conflict):
            memory.add(kind, 8)
    with pytest.raises(Conflict):
        memory.read(0, 8)


def test_parts_of_one_dword_are_one_access() -> None:
    memory = Memory()
    memory.write(0, 8, 1)
    with pytest.raises(Conflict):
        memory.read(1, 11, 1)
    memory.write(0, 17, 4)  # two dwords
    with pytest.raises(Conflict):
        memory.read(1, 20)


def test_accesses_to_read_only_memory_are_not_recorded() -> None:
    memory = Memory(is_writable=False)
    memory.read(0, 8)
    assert not memory.conflicts._memories


def test_restoring() -> None:
    memory = Memory()
    memory.write(0, 8)
    memory.allocation.data[8:12] = 0
    memory.conflicts.restore()
    assert bytes(memory.allocation.contents) == bytes(range(256))


def test_private_memory_is_of_one_wave() -> None:
    global_memory = GlobalMemory()
    allocation = global_memory.add("scratch", START, bytes(512))
    rows = allocation.data.view(np.uint32).reshape(2, 1, 64)
    conflicts = Conflicts(global_memory, [0, 0], list(rows))
    where = np.array([START + 260], np.uint64)
    conflicts.access(where, 4, conflicts.stamps[1], reads=False, writes=True)
    with pytest.raises(Conflict):
        conflicts.access(where, 4, conflicts.stamps[0], reads=True, writes=False)


def test_private_memory_has_gaps_that_no_wave_owns() -> None:
    global_memory = GlobalMemory()
    allocation = global_memory.add("scratch", START, bytes(1024))
    rows = allocation.data.view(np.uint32).reshape(4, 1, 64)
    conflicts = Conflicts(global_memory, [0, 0], [rows[3], rows[1]])
    for offset, wave in ((768, 0), (256, 1), (508, 1)):
        where = np.array([START + offset], np.uint64)
        conflicts.access(where, 4, conflicts.stamps[wave], reads=False, writes=True)
    for offset, wave in ((0, 0), (512, 0), (508, 0), (510, 1), (1020, 1)):
        where = np.array([START + offset], np.uint64)
        with pytest.raises(Conflict):
            conflicts.access(where, 4, conflicts.stamps[wave], reads=True, writes=False)
