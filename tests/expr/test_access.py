"""Reading and writing through locations: what the operations cannot show."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from dwarfgpu.access import OneLaneAccess
from dwarfgpu.arch import architecture
from dwarfgpu.model.location import Location, SingleLocation, composite
from dwarfgpu.model.storage import Part, Register
from tools.worlds import Machine

GFX942 = architecture("gfx942")
S0 = Register(GFX942.register(32))


def at(bit_offset: int) -> Location:
    return Location((SingleLocation(S0, bit_offset),))


def access() -> OneLaneAccess:
    return OneLaneAccess(Machine(bytes(509), GFX942), "little", 1 << 20, 1000)


def test_parts_of_one_byte_are_both_written() -> None:
    both = access()
    nibbles = composite([Part(at(4), 4), Part(at(0), 4)])
    both.write(nibbles, 8, 0xA5)
    assert both.read(at(0), 32).value == 0x5A
    assert both.read(nibbles, 8).value == 0xA5


def test_random_parts_of_one_register_are_written() -> None:
    rng = Random(1)
    for _ in range(200):
        cuts = sorted({0, 32, *(rng.randrange(32) for _ in range(4))})
        ranges = [(a, b - a) for a, b in pairwise(cuts)]
        rng.shuffle(ranges)
        shuffled = composite([Part(at(first), count) for first, count in ranges])
        target, bits = access(), rng.getrandbits(32)
        target.write(shuffled, 32, bits)
        assert target.read(shuffled, 32).value == bits
