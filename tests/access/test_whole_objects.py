"""The short ways of reading, for objects that one place has whole or that are pieces of several:
their answers are those of reading run by run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.base.records import define
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.location import Location, SingleLocation, composite
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import ImplicitPointer, Memory, Part, Register
from tools.worlds import ARCHITECTURES, Machine, World, random_location, random_unit


def answer(ask: Callable[[], object]) -> object:
    """What a question gives; an error is its kind and its message."""
    try:
        return ask()
    except DwarfGpuError as error:
        return type(error), error.message


def points(access: ScalarAccess, location: Location, size_bits: int) -> bool:
    """Whether an implicit pointer is among the places of an object, taken run by run."""
    runs = list(access.runs(location, size_bits))
    storages = [single.storage for run in runs for single in run.single_locations]
    return any(isinstance(storage, ImplicitPointer) for storage in storages)


@pytest.mark.parametrize("seed", range(4))
def test_random_locations(seed: int) -> None:
    rng = Random(seed)
    complete = incomplete = 0
    worlds = [World.random(rng, AMD_PROVISIONAL, architecture) for architecture in ARCHITECTURES]
    units = [random_unit(rng, world) for world in worlds]
    for index in range(400):
        world, unit = worlds[index % len(worlds)], units[index % len(worlds)]
        architecture = world.architecture
        target = rng.choice((Machine(rng.randbytes(509), architecture), None))
        limits = rng.choice((1, 3, 1000))
        access = ScalarAccess(target, architecture.endian, rng.choice((2, 1 << 20)), limits)
        location = random_location(rng, world, unit)
        size_bits = min(rng.choice((0, 8, 16, 32, 64, 12, location.remaining_bits or 8)), 512)
        long = answer(partial(access.read_run_by_run, location, size_bits))
        assert answer(partial(access.read, location, size_bits)) == long
        pointer = answer(partial(access.pointer, location, size_bits))
        has_pointer = answer(partial(points, access, location, size_bits))
        assert has_pointer is True or pointer == (has_pointer or None)
        if size_bits % 8 or not size_bits or not isinstance(long, Bits):
            continue
        data = answer(partial(access.read_bytes, location, size_bits // 8))
        if long.is_complete:
            complete += 1
            assert data == long.to_bytes(architecture.endian)
        else:
            incomplete += 1
            assert not isinstance(data, bytes)
    assert complete > 15 and incomplete > 5


@define
class Counting(Machine):
    """Counts reads of registers; those of the register `lost` fail."""

    reads: int = 0
    lost: RegisterInfo | None = None

    def read_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        self.reads += 1
        if register == self.lost:
            raise Unavailable("lost")
        return super().read_register(wave, register, offset_bytes, size_bytes)


def pair() -> tuple[Counting, Location, list[RegisterInfo]]:
    """A composite of two registers, and a machine that has them."""
    machine = Counting(bytes(range(200)) + bytes(309), ARCHITECTURES[0])
    registers = list(ARCHITECTURES[0].registers.values())[:2]
    parts = [
        Part(Location((SingleLocation(Register(register)),), 1), register.size_bits)
        for register in registers
    ]
    return machine, composite(parts), registers


def test_each_piece_is_read_once() -> None:
    machine, location, registers = pair()
    access = ScalarAccess(machine, "little", 1 << 20, 1000)
    size_bytes = sum(register.size_bits for register in registers) // 8
    assert len(access.read_bytes(location, size_bytes)) == size_bytes
    assert machine.reads == 2


def test_a_lost_piece_gives_its_reason() -> None:
    machine, location, registers = pair()
    machine.lost = registers[1]
    access = ScalarAccess(machine, "little", 1 << 20, 1000)
    with pytest.raises(Unavailable, match="lost"):
        access.read_bytes(location, sum(register.size_bits for register in registers) // 8)


def test_pieces_of_one_memory_are_read_together() -> None:
    """Adjacent pieces of a memory are one read, however many they are."""
    space = ARCHITECTURES[0].address_space(0)
    reads: list[tuple[int, int]] = []

    class Memories(Machine):
        def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
            reads.append((address, size_bytes))
            return super().read_memory(where, address, size_bytes)

    parts = [Part(Location((SingleLocation(Memory(space), 8 * at),)), 8) for at in (5, 4, 7, 6)]
    machine = Memories(bytes(range(200)) + bytes(309), ARCHITECTURES[0])
    access = ScalarAccess(machine, "little", 1 << 20, 1000)
    expected = [machine.read_memory(Memory(space), at, 1) for at in (5, 4, 7, 6)]
    reads.clear()
    assert access.read_bytes(composite(parts), 4) == b"".join(expected)
    assert reads == [(4, 4)]
