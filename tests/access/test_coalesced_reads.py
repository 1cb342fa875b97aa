"""What is asked of a machine for one access (`dwarfgpu.access.coalesced_reads`)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dwarfgpu.access import coalesced_reads
from dwarfgpu.access.coalesced_reads import CoalescedReads, IsUnreadable, Run, RunBudget
from dwarfgpu.access.compare_single_locations import MAX_FINDINGS, Comparison, LocationFinding
from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import LimitExceeded, Unavailable, WhollyUnavailable
from dwarfgpu.model.location import SingleLocation
from dwarfgpu.model.storage import Memory, Register

ARCH = architecture("gfx942")
MEMORY = Memory(ARCH.address_spaces[0])
V3 = Register(ARCH.register(2563))
GAP = CoalescedReads.GAP_BYTES


class Asked:
    """A machine whose byte N is N, but for those that it lacks; it notes what is read."""

    def __init__(self, lacking: Sequence[int] = (), error: type[Unavailable] = Unavailable) -> None:
        self.lacking, self.error = lacking, error
        self.reads: list[tuple[int, int]] = []

    def load(self, storage: Memory | Register, first: int, count: int) -> bytes:
        self.reads.append((first, count))
        if any(first <= at < first + count for at in self.lacking):
            raise self.error(f"bytes {first} to {first + count - 1}")
        return bytes(at % 256 for at in range(first, first + count))


def reads(
    asked: Asked,
    *ranges: tuple[int, int],
    storage: Memory | Register = MEMORY,
    is_unreadable: IsUnreadable | None = None,
    budget: int = 1 << 20,
) -> CoalescedReads:
    """For an object made of ranges of bits, each by its first bit and size."""
    runs = [Run((SingleLocation(storage, first),), size, None) for first, size in ranges]
    return CoalescedReads(asked.load, "little", runs, RunBudget(budget), is_unreadable)


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([(0, 32), (32, 32)], [(0, 8)]),
        ([(0, 32), (16, 8)], [(0, 4)]),
        ([(72, 8), (64, 8)], [(8, 2)]),
        ([(79, 2), (64, 8)], [(8, 3)]),
        ([(0, 8), (8 * (1 + GAP), 8)], [(0, GAP + 2)]),
        ([(0, 8), (8 * (2 + GAP), 8)], [(0, 1), (GAP + 2, 1)]),
        ([(80_000, 8), (80_008 + 8 * GAP, 8)], [(10_000, GAP + 2)]),
        ([(0, 1_600), (8 * (200 + GAP), 8), (8, 8)], [(0, 201 + GAP)]),
    ],
)
def test_near_ranges_are_read_once(
    ranges: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    for storage in (MEMORY, V3):
        asked = Asked()
        fetch = reads(asked, *ranges, storage=storage)
        for first, size in (*ranges, *ranges):
            bits = fetch.read(storage, first, size)
            numbers = [at % 256 for at in range(first // 8, (first + size + 7) // 8)]
            whole = int.from_bytes(bytes(numbers), "little") >> first % 8
            assert bits.value == whole & (1 << size) - 1 and bits.is_complete
        assert sorted(asked.reads) == expected


def test_a_single_run_is_read_as_it_is() -> None:
    asked = Asked()
    fetch = reads(asked, (8, 16))
    assert fetch.read(MEMORY, 8, 16).value == 0x0201
    assert asked.reads == [(1, 2)]


def test_places_of_one_run_are_not_read_ahead() -> None:
    """Only one of them needs to be read."""
    places = tuple(SingleLocation(MEMORY, first) for first in (0, 64))
    runs = [Run(places, 8, None), Run((SingleLocation(MEMORY, 800),), 8, None)]
    asked = Asked()
    fetch = CoalescedReads(asked.load, "little", runs, RunBudget(9))
    fetch.read(MEMORY, 800, 8)
    assert asked.reads == [(100, 1)]


def unknown_bytes(fetch: CoalescedReads, count: int) -> list[int]:
    unknown = fetch.read(MEMORY, 0, 8 * count).unavailable
    return [at for at in range(count) if unknown >> 8 * at & 0xFF]


def test_what_can_be_read_is_found_by_halves() -> None:
    asked = Asked(lacking=(5,))
    assert unknown_bytes(reads(asked), 16) == [5]
    # The whole one once more, then two halves of each of four sizes.
    assert len(asked.reads) == 1 + 1 + 2 * 4


def test_probes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coalesced_reads, "PROBES", 9)
    asked = Asked(lacking=(15,))
    assert unknown_bytes(reads(asked), 16) == [15]
    asked = Asked(lacking=(5, 15))
    assert unknown_bytes(reads(asked), 16) == [5, *range(8, 16)]
    assert len(asked.reads) == 1 + 9
    bits = reads(asked).read(MEMORY, 0, 128)
    assert bits.undefined == 0
    assert len(bits.reasons) == 1 and "the last 8 bytes were not read" in bits.reasons[0]


def test_probes_are_pieces_of_the_access() -> None:
    with pytest.raises(LimitExceeded, match="more than 8 pieces"):
        unknown_bytes(reads(Asked(lacking=(5,)), budget=8), 16)
    assert unknown_bytes(reads(Asked(lacking=(5,)), budget=9), 16) == [5]


def test_nothing_is_probed_where_the_machine_says_that_nothing_is_there() -> None:
    asked = Asked(lacking=(5,), error=WhollyUnavailable)
    assert unknown_bytes(reads(asked), 16) == list(range(16))
    assert len(asked.reads) == 2
    asked = Asked(lacking=(5,))
    fetch = reads(asked, is_unreadable=lambda memory, first, count: first == 0 and count == 8)
    assert unknown_bytes(fetch, 16) == list(range(8))
    assert asked.reads == [(0, 16), (0, 16), (0, 8), (8, 8)]


def test_a_machine_that_cannot_say_is_probed() -> None:
    def unsure(memory: Memory, first: int, count: int) -> bool:
        raise Unavailable("the segment is unknown")

    assert unknown_bytes(reads(Asked(lacking=(5,)), is_unreadable=unsure), 16) == [5]


def test_findings_are_bounded() -> None:
    comparison = Comparison()
    findings = [
        LocationFinding(number, SingleLocation(MEMORY, number), None, None)
        for number in range(MAX_FINDINGS + 2)
    ]
    for finding in findings:
        comparison.add(finding)
    assert comparison.take_findings() == tuple(findings[:MAX_FINDINGS])
    assert comparison.take_findings() == ()
