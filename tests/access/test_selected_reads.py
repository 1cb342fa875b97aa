"""Selections that are read one range for each location (`dwarfgpu.access.selected_reads`)."""

from __future__ import annotations

from random import Random

import pytest

from dwarfgpu.access.coalesced_reads import RunBudget
from dwarfgpu.access.location_access import LocationAccess
from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.bits import Endian
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, StaleLocation
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Implicit, Memory, Register, Selected

ARCH = architecture("gfx942")
MEMORY = Memory(ARCH.address_space(6), 0)
"""Scratch of the wave: its bytes 256 to 511 are unknown."""
VECTORS = [Register(ARCH.register(2560 + index)) for index in range(4)]
"""Of the last one no register is known."""
LANES = 64
EXEC = 0x0FF0_FFFF_3FFF_00FF


class Counting(StateTarget):
    """A wave that notes what is read of it."""

    def __init__(self) -> None:
        super().__init__(ARCH)
        rng = Random(3)
        self.add_wave(0)
        for storage in VECTORS[:3]:
            self.set_register(0, storage.register, rng.randbytes(256))
        for start in (0, 512):
            self.set_memory(MEMORY, start, rng.randbytes(256 if not start else 1 << 14))
        self.reads: list[tuple[object, ...]] = []

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        self.reads.append((register.name, offset_bytes, size_bytes))
        return super().read_register(wave, register, offset_bytes, size_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        self.reads.append((address, size_bytes))
        return super().read_memory(where, address, size_bytes)


def at(storage: Memory | Register | Implicit, bit_offset: int = 0) -> Location:
    return Location((SingleLocation(storage, bit_offset),))


def select(
    mask: int, one: Location, zero: Location, bits: int = 32, count: int = LANES
) -> Location:
    return Location((SingleLocation(Selected(mask, one, zero, bits, count)),))


def access(target: StateTarget, endian: Endian = "little") -> ScalarAccess:
    return ScalarAccess(target, endian, 1 << 20, 200_000)


def run_by_run(one: ScalarAccess, location: Location, size_bits: int) -> Bits:
    """The definition: what every access without a shorter way does."""
    return LocationAccess._read(one, location, size_bits, RunBudget(one.runs_limit))


def some_place(rng: Random, element_bits: int) -> Location:
    """Known and unknown registers and memory, constants, places whose ends are near."""
    kind = rng.randrange(8)
    if kind < 3:
        return at(rng.choice(VECTORS), rng.choice((0, 0, 8, 2048 - element_bits)))
    if kind < 6:
        return at(MEMORY, rng.choice((4096, 4097, 8192, 8 * 240, 8 * 300)))
    if kind == 6:
        return UNDEFINED_LOCATION
    return at(Implicit(rng.getrandbits(2048), 2048))


def some_selection(rng: Random, bits: int, count: int, depth: int) -> Location:
    masks = (rng.getrandbits(count), 1 << rng.randrange(count), (1 << count) - 1, 0)
    one, zero = (
        some_selection(rng, bits, count, depth - 1)
        if rng.randrange(3) < depth
        else some_place(rng, bits)
        for _ in range(2)
    )
    return select(rng.choice(masks[:1] * 3 + masks), one, zero, bits, count)


@pytest.mark.parametrize("endian", ["little", "big"])
def test_selections_are_what_their_runs_are(endian: Endian) -> None:
    rng, target = Random(7), Counting()
    one, outcomes = access(target, endian), set()
    for _ in range(1500):
        bits, count = rng.choice(((32, 64), (32, 32), (8, 5), (3, 7), (64, 16), (1, 64)))
        location = some_selection(rng, bits, count, rng.randrange(4))
        results: list[object] = []
        reads: list[list[str]] = []
        for read in (ScalarAccess._read, LocationAccess._read):
            target.reads.clear()
            try:
                results.append(read(one, location, bits * count, RunBudget(200_000)))
            except DwarfGpuError as error:
                results.append((type(error), str(error)))
            reads.append(sorted(map(str, target.reads)))
        assert results[0] == results[1], location
        if isinstance(results[0], Bits) and results[0].is_complete:
            assert reads[0] == reads[1]
        outcomes.add(type(results[0]).__name__)
    assert outcomes == {"Bits", "tuple"}


def test_a_spilled_register_is_read_by_two_ranges(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = Counting()
    spilled = select(EXEC, at(MEMORY, 4096), at(VECTORS[0]))
    expected = run_by_run(access(target), spilled, 2048)
    at_once = list(target.reads)
    target.reads.clear()
    monkeypatch.setattr(LocationAccess, "runs", None)  # not one run is made
    assert access(target).read(spilled, 2048) == expected
    assert sorted(map(str, target.reads)) == sorted(map(str, at_once))
    assert len(target.reads) == 2


def test_ranges_that_have_been_read_are_not_read_again_where_another_is_unreadable() -> None:
    target = Counting()
    spilled = select(EXEC, at(MEMORY, 8 * 300), at(VECTORS[0]))
    bits = access(target).read(spilled, 2048)
    assert bits == run_by_run(access(Counting()), spilled, 2048)
    assert bits.unavailable
    assert [read for read in target.reads if read[0] == "v0"] == [("v0", 32, 224)]
    assert target.reads.count((300, 240)) == 1


def test_stale_locations_and_small_limits_are_refused() -> None:
    target = Counting()
    old = Location(at(MEMORY, 4096).single_locations, stop=target.stop + 1)
    spilled = select(EXEC, old, at(VECTORS[0]))
    with pytest.raises(StaleLocation):
        access(target).read(spilled, 2048)
    few = ScalarAccess(target, "little", 1 << 20, 5)
    with pytest.raises(LimitExceeded, match="--max-runs"):
        few.read(select(EXEC, at(MEMORY, 4096), at(VECTORS[0])), 2048)
    short = ScalarAccess(target, "little", 255, 200_000)
    with pytest.raises(LimitExceeded, match="--max-bytes"):
        short.read(select(EXEC, at(MEMORY, 4096), at(VECTORS[0])), 2048)
