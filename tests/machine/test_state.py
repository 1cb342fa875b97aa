"""The machine given by hand: exactly the bytes asked for, or Unavailable; aliases; writes."""

from __future__ import annotations

import random
import tracemalloc
from itertools import pairwise

import pytest

from dwarfgpu.arch.model import Apertures, RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import DwarfGpuError, MissingContext, OutOfRange, Unavailable, UsageError
from dwarfgpu.machine.sparse_memory import Data, Fill, SparseMemory, bytes_of
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from tests.work import at_most

GPU = architecture("gfx942")


def machine(*waves: int) -> StateTarget:
    target = StateTarget(GPU)
    for wave in waves or (0,):
        target.add_wave(wave)
    return target


def register(name: str) -> RegisterInfo:
    result = GPU.register_named(name)
    assert result is not None
    return result


def where(space: str, wave: int | None = 0, lane: int | None = None) -> Memory:
    result = GPU.address_space_named(space)
    assert result is not None
    return Memory(result, wave, lane)


def test_a_register_has_what_was_last_written() -> None:
    """Reads between writes, of whole registers too, leave nothing behind that a write does not
    replace; what was read does not change."""
    rng = random.Random(7)
    target, vector = machine(0, 1), register("v3")
    expected: dict[int, list[int | None]] = {wave: [None] * 256 for wave in (0, 1)}
    read: list[tuple[bytes, bytes]] = []
    for _ in range(400):
        wave, first = rng.randrange(2), rng.choice((0, 0, rng.randrange(256)))
        size = rng.choice((256 - first, rng.randrange(1, 257 - first)))
        data = rng.randbytes(size)
        if rng.randrange(4):
            target.set_register(wave, vector, data, first)
            expected[wave][first : first + size] = data
        elif not rng.randrange(3):
            target.forget_register(wave, vector, first, size)
            expected[wave][first : first + size] = [None] * size
        for other in (0, 1):
            at = rng.choice((0, rng.randrange(256)))
            count = rng.choice((256 - at, 4, 5))
            wanted = expected[other][at : at + count]
            if None not in wanted and at + count <= 256:
                contents = target.read_register(other, vector, at, count)
                assert contents == bytes(byte for byte in wanted if byte is not None)
                read.append((contents, bytes([*contents])))
            else:
                with pytest.raises(DwarfGpuError):
                    target.read_register(other, vector, at, count)
    assert len(read) > 100 and all(contents == copy for contents, copy in read)


@pytest.mark.parametrize(("first", "size"), [(0, 5), (-1, 2), (-4, 4), (2, -1), (4, 1)])
def test_bytes_outside_a_known_register_are_refused(first: int, size: int) -> None:
    target = machine()
    target.set_register(0, register("s4"), bytes(4))
    with pytest.raises(OutOfRange, match="s4"):
        target.read_register(0, register("s4"), first, size)


def test_registers_are_read_in_part_and_as_a_whole() -> None:
    target = machine()
    target.set_register(0, register("exec"), bytes(range(8)))
    assert target.read_register(0, register("exec")) == bytes(range(8))
    assert target.read_register(0, register("exec"), 2, 3) == b"\2\3\4"
    assert target.read_register(0, register("exec"), 8, 0) == b""


@pytest.mark.parametrize(
    ("name", "wave", "offset_bytes", "size_bytes", "error"),
    [
        ("s4", 0, 0, 4, Unavailable),  # not given
        ("exec", 1, 0, 8, Unavailable),  # no such wave
        ("exec", 0, 8, 1, OutOfRange),
        ("exec", 0, 0, 9, OutOfRange),
        ("exec", 0, -1, 1, OutOfRange),
        ("exec", 0, 2, -1, OutOfRange),
    ],
)
def test_a_register_that_cannot_be_read(
    name: str, wave: int, offset_bytes: int, size_bytes: int, error: type[DwarfGpuError]
) -> None:
    target = machine()
    target.set_register(0, register("exec"), bytes(8))
    with pytest.raises(error):
        target.read_register(wave, register(name), offset_bytes, size_bytes)


@pytest.mark.parametrize(
    ("wave", "data", "offset_bytes", "error"),
    [
        (1, b"\0", 0, Unavailable),  # no such wave
        (0, b"\0", -1, UsageError),
        (0, b"\0", 4, UsageError),
        (0, bytes(5), 0, UsageError),
    ],
)
def test_bytes_that_no_register_has(
    wave: int, data: bytes, offset_bytes: int, error: type[DwarfGpuError]
) -> None:
    target = machine()
    with pytest.raises(error):
        target.set_register(wave, register("s4"), data, offset_bytes)
    with pytest.raises(DwarfGpuError):
        target.write_register(wave, register("s4"), data, offset_bytes)


def test_a_write_to_a_register_is_seen_and_ends_at_its_end() -> None:
    target = machine()
    target.write_register(0, register("s4"), b"\1\2\3\4")
    target.write_register(0, register("s4"), b"\xff", 1)
    assert target.read_register(0, register("s4")) == b"\1\xff\3\4"
    with pytest.raises(OutOfRange):
        target.write_register(0, register("s4"), b"\0\0", 3)


def test_a_write_through_one_memory_is_seen_through_the_others() -> None:
    target = machine()
    target.set_memory(where("private_wave"), 0x400, bytes(0x200))
    target.write_memory(where("private_lane", 0, 3), 0x10, b"abcdefgh")
    assert target.read_memory(where("private_wave"), 0x40C, 4) == b"abcd"
    assert target.read_memory(where("private_wave"), 0x50C, 4) == b"efgh"
    assert target.read_memory(where("generic", 0, 3), 0x2_0000_0000_0012, 4) == b"cdef"
    target.write_memory(where("generic", 0, 3), 0x2_0000_0000_0013, b"X")
    assert target.read_memory(where("private_lane", 0, 3), 0x10, 8) == b"abcXefgh"


def test_local_memory_is_seen_in_its_aperture() -> None:
    target = machine()
    target.set_memory(where("local"), 0x10, b"abcd")
    assert target.read_memory(where("generic"), 0x1_0000_0000_0011, 2) == b"bc"


def test_a_write_that_cannot_be_made_wholly_is_not_made() -> None:
    target = machine()
    target.set_memory(where("private_lane", 0, 3), 0x10, b"abcd")  # and nothing at 0x14
    with pytest.raises(Unavailable):
        target.write_memory(where("private_lane", 0, 3), 0x12, b"1234")
    assert target.read_memory(where("private_lane", 0, 3), 0x10, 4) == b"abcd"


def test_private_memory_needs_its_wave_and_lane() -> None:
    target = machine()
    for place in (where("private_lane", 0, None), where("private_wave", None)):
        with pytest.raises(MissingContext):
            target.read_memory(place, 0, 4)


def chosen(chance: random.Random) -> bytes | Fill:
    size_bytes = chance.randrange(6)
    if chance.randrange(2):
        return Fill(chance.randrange(2), size_bytes)
    return bytes(chance.randrange(2) for _ in range(size_bytes))


@pytest.mark.parametrize("seed", range(20))
def test_sparse_memory_is_what_was_written_and_nothing_in_between(seed: int) -> None:
    chance = random.Random(seed)
    memory, model = SparseMemory("global"), dict[int, int]()
    for _ in range(300):
        address, data = chance.randrange(400), chosen(chance)
        given = dict(enumerate(bytes_of(data), address))
        clash = any(model.get(at, byte) != byte for at, byte in given.items())
        way = chance.choice(["add", "add", "replace", "write"])
        if way == "add" and clash:
            with pytest.raises(UsageError, match="given twice, with other contents"):
                memory.add(address, data)
        elif way == "write" and not given.keys() <= model.keys():
            with pytest.raises(Unavailable):
                memory.write(address, bytes_of(data))
        elif way == "write" and given:
            memory.write(address, bytes_of(data))
            model |= given
        else:
            (memory.add if way == "add" else memory.replace)(address, data)
            model |= given
        start, size = chance.randrange(400), chance.randrange(1, 8)
        expected = [model.get(start + n) for n in range(size)]
        if None in expected:
            first = start + expected.index(None)
            with pytest.raises(Unavailable, match=f"at address global#{first:#x}: not in"):
                memory.read(start, size)
        else:
            assert list(memory.read(start, size)) == expected
        known = memory.known(start, size)
        assert {start + at + n: byte for at, part in known for n, byte in enumerate(part)} == {
            at: byte for at, byte in model.items() if start <= at < start + size
        }
        assert all(a + len(part) < b for (a, part), (b, _) in pairwise(known))
    runs = [(at, bytes_of(run)) for at, run in memory.runs()]
    assert {at + n: byte for at, data in runs for n, byte in enumerate(data)} == model
    assert all(a + len(data) <= b for (a, data), (b, _) in pairwise(runs))


MEBIBYTE = 1 << 20


def test_what_is_added_costs_its_own_bytes() -> None:
    """Neighbours are not copied, whichever way they come, and a fill takes no memory."""
    memory = SparseMemory("")
    tracemalloc.start()
    try:
        for number in range(1000):
            memory.add(number * MEBIBYTE, Fill(number % 251, MEBIBYTE))
        memory.add(5 * MEBIBYTE, Fill(5, MEBIBYTE))  # the same again
        assert len(memory.read(5 * MEBIBYTE - 8, 16)) == 16
        memory.write(700 * MEBIBYTE + 7, b"written")
        assert memory.read(700 * MEBIBYTE + 6, 9) == b"\xc6written\xc6"
        assert tracemalloc.get_traced_memory()[1] < MEBIBYTE
    finally:
        tracemalloc.stop()
    assert len(memory.runs()) == 1002


@pytest.mark.parametrize("step", [1, -1])
def test_many_neighbours_are_linear_work(step: int) -> None:
    memory = SparseMemory("")
    with at_most(60 * 20_000):
        for number in range(20_000)[::step]:
            memory.add(number * 64, bytes([number % 251]) * 64)
    sizes = [len(run) for _, run in memory.runs()]
    assert sum(sizes) == 20_000 * 64
    if step == 1:
        assert len(sizes) == 1  # it grew in place
    data = memory.read(0, 20_000 * 64)
    assert data[64 * 7000 : 64 * 7001] == bytes([7000 % 251]) * 64


@pytest.mark.parametrize("cover", [Fill(0, 8_000), bytes(8_000)], ids=["fill", "bytes"])
def test_what_covers_many_ranges_joins_them(cover: Data) -> None:
    """Adding it again compares one range, not thousands."""
    memory = SparseMemory("")
    for number in range(4_000):
        memory.add(1 + 2 * number, b"\0")
    memory.add(0, b"\0")
    with at_most(50 * 4_000):
        for _ in range(1_000):
            memory.add(0, cover)
    assert len(memory.runs()) == 1
    assert memory.read(0, 8_000) == bytes(8_000)


def test_a_long_range_is_not_copied_by_one_that_ends_in_it() -> None:
    memory = SparseMemory("")
    for start in 0, 2 * MEBIBYTE:
        memory.add(start, bytes(MEBIBYTE))
    (_, low), (_, high) = memory.runs()
    memory.add(2 * MEBIBYTE - 4, bytes(8))
    memory.add(MEBIBYTE - 4, bytes(8))
    (first, kept_low), (second, _), (third, kept_high) = memory.runs()
    assert kept_low is low and kept_high is high
    assert (first, second, third) == (0, 2 * MEBIBYTE - 4, 2 * MEBIBYTE)
    with at_most(1_000):
        memory.add(0, bytes(3 * MEBIBYTE))
    assert memory.runs() == [(0, bytearray(3 * MEBIBYTE))]


def test_a_neighbour_is_put_behind_without_a_copy() -> None:
    memory = SparseMemory("")
    memory.add(0, bytes(100))
    [(_, before)] = memory.runs()
    memory.add(100, bytes(100))
    [(_, after)] = memory.runs()
    assert after is before and len(after) == 200


def test_what_a_run_has_left_out_was_not_written() -> None:
    """LDS and scratch of a state with `fill`, however they are addressed; other memory is not in
    the state."""
    arch = architecture("gfx942")
    for fill, why in ((0xFD, "nothing has written it"), (None, "not in the state")):
        state = StateTarget(arch, fill=fill)
        state.add_wave(1)
        state.wave_apertures[1] = Apertures(1 << 48, 1 << 49, 0x7D00_0000_0000, 64 * 1024)
        spaces = (("local", 0x10), ("private_lane", 0x10), ("generic", (1 << 48) + 0x10))
        reasons = []
        for name, address in spaces:
            space = arch.address_space_named(name)
            assert space is not None
            with pytest.raises(Unavailable) as caught:
                state.read_memory(Memory(space, 1, 3), address, 4)
            reasons.append(caught.value.message)
        start = "cannot access memory at address "
        assert reasons[0] == f"{start}local#0x10: {why}"
        assert reasons[1] == f"{start}private_lane#0x10: of lane 3 it is 0x7d000000040c: {why}"
        assert reasons[2].endswith(f"it is local#0x10: {why}")
        with pytest.raises(Unavailable, match="at address 0x1000: not in the state$"):
            state.read_memory(Memory(arch.address_space(0), 1), 0x1000, 4)
