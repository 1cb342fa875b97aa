"""Law: accesses of two waves conflict where one writes and no barrier of them is between."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from dwarfgpu.machine.simulated.execution.access_conflicts import Conflicts
from dwarfgpu.machine.simulated.execution.access_stamps import Conflict, Unordered
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
        """Write bytes, another value for each wave."""
        self._access(wave, offset, size_bytes, is_written=True)
        self.allocation.data[offset : offset + size_bytes] = 100 + wave

    def store(self, waves: list[int], offset: int, rows: list[list[int]]) -> None:
        """Store dwords at one address; `rows`: for each dword, what each of the waves stores."""
        where = np.full(len(waves), START + offset, np.uint64)
        data = np.array(rows, np.uint32)
        stamps = self.conflicts.stamps[waves]
        size = 4 * len(rows)
        self.conflicts.access(where, size, stamps, reads=False, writes=True, stored=data)
        for row, dwords in enumerate(rows):
            first = offset + 4 * row
            self.allocation.data[first : first + 4] = list(dwords[-1].to_bytes(4, "little"))

    def _access(self, wave: int, offset: int, size_bytes: int, *, is_written: bool) -> None:
        where = np.array([START + offset], np.uint64)
        stamp = self.conflicts.stamps[wave]
        stored = np.full((size_bytes, 1), 100 + wave, np.uint8) if is_written else None
        self.conflicts.access(
            where, size_bytes, stamp, reads=not is_written, writes=is_written, stored=stored
        )

    def exchange(self, wave: int, offset: int) -> None:
        where = np.array([START + offset], np.uint64)
        stamp = self.conflicts.stamps[wave]
        self.conflicts.access(where, 4, stamp, reads=True, writes=True)

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


def seen(memory: Memory, act: Callable[[], None]) -> Unordered | None:
    with pytest.raises(Conflict) as caught:
        act()
    return caught.value.accesses


def test_what_was_seen() -> None:
    memory = Memory()
    memory.write(0, 8)
    assert seen(memory, lambda: memory.read(2, 4, 8)) == Unordered(START + 8, 2, False, 0, True)
    memory.read(3, 16)
    assert seen(memory, lambda: memory.write(1, 16)) == Unordered(START + 16, 1, True, 3, False)
    memory.read(2, 16)
    assert seen(memory, lambda: memory.write(1, 16)) == Unordered(START + 16, 1, True, None, False)
    read = partial(memory.conflicts.scalar_read, START + 4, 8, 1)
    assert seen(memory, read) == Unordered(START + 8, 1, False, 0, True)


def test_writes_of_two_waves_in_one_access_are_seen() -> None:
    memory = Memory()
    where, stamps = np.array([START, START], np.uint64), memory.conflicts.stamps[[0, 1]]
    access = partial(memory.conflicts.access, where, 4, stamps, reads=False, writes=True)
    assert seen(memory, access) is None  # they may be the same
    accesses = seen(memory, partial(access, stored=np.array([1, 2], np.uint32)))
    assert accesses is not None and accesses.is_written and accesses.is_written_by_other
    assert {accesses.wave, accesses.other} == {0, 1}


def test_stores_of_one_value_are_not_seen() -> None:
    """In any order they leave the same."""
    memory = Memory()
    memory.store([0], 8, [[5], [6]])
    assert seen(memory, lambda: memory.store([1], 8, [[5], [6]])) is None
    differs = Unordered(START + 12, 1, True, 0, True)
    assert seen(memory, lambda: memory.store([1], 8, [[5], [7]])) == differs
    assert seen(memory, lambda: memory.store([2, 3], 32, [[5, 5], [6, 6]])) is None
    accesses = seen(memory, lambda: memory.store([2, 3], 64, [[5, 5], [6, 7]]))
    assert accesses is not None and accesses.address == START + 68


def test_what_may_be_no_overlap_is_not_seen() -> None:
    """Bytes of a dword; and the neighbour of a dword, where another lane is not aligned."""
    memory = Memory()
    memory.write(0, 8, 1)
    assert seen(memory, lambda: memory.write(1, 9, 1)) is None
    assert seen(memory, lambda: memory.write(1, 8)) == Unordered(START + 8, 1, True, 0, True)
    where = np.array([START + 33, START + 64], np.uint64)
    memory.conflicts.access(where, 4, memory.conflicts.stamps[0], reads=False, writes=True)
    assert seen(memory, lambda: memory.read(1, 68)) is None


def test_atomic_operations_are_not_seen() -> None:
    memory = Memory()
    memory.add("m + a", 8)
    assert seen(memory, lambda: memory.read(0, 8)) is None
    memory.exchange(0, 12)
    assert seen(memory, lambda: memory.read(1, 12)) is None
    memory.write(0, 16)
    assert seen(memory, lambda: memory.exchange(1, 16)) is None
    assert seen(memory, lambda: memory.read(1, 16)) is not None


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
