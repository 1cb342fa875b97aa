"""Reading and writing through locations: what the operations cannot show."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.limits import Limits
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import Location, SingleLocation, composite
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Implicit, Memory, Part, Register
from tests.spec.machine import world
from tools.worlds import Machine

GFX942 = architecture("gfx942")
S0 = Register(GFX942.register(32))


def at(bit_offset: int) -> Location:
    return Location((SingleLocation(S0, bit_offset),))


def access() -> ScalarAccess:
    return ScalarAccess(Machine(bytes(509), GFX942), "little", 1 << 20, 1000)


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


WIDE = Register(GFX942.register(2560))
MEMORY = Memory(GFX942.address_spaces[0])


@pytest.mark.parametrize(
    "location",
    [
        Location((SingleLocation(WIDE, 0),)),
        Location((SingleLocation(MEMORY, 0),)),
        Location((SingleLocation(Implicit(1, 128), 0),)),
        composite([Part(at(0), 32)] * 4),
    ],
    ids=["register", "memory", "implicit", "composite"],
)
def test_every_object_is_bounded(location: Location) -> None:
    bounded = ScalarAccess(Machine(bytes(509), GFX942), "little", 8, 1000)
    assert bounded.retrieve(location, 64) in (0, 1)
    assert len(bounded.read_bytes(location, 8)) == 8
    for beyond in (
        lambda: bounded.retrieve(location, 65),
        lambda: bounded.read(location, 65),
        lambda: bounded.read_bytes(location, 9),
        lambda: bounded.write(location, 65, 0),
    ):
        with pytest.raises(LimitExceeded, match="an object of 9 bytes, at most 8"):
            beyond()


LOOP = "lit3; top: lit16; deref_size 8; drop; lit1; minus; dup; bra top"


@pytest.mark.parametrize(
    ("text", "read_bytes"),
    [
        ("lit16; deref; drop; lit16; deref_size 4", 12),
        ("lit16; const(i8,0); drop; deref_type 8 @i64", 8),
        ("lit1; stack_value; deref", 8),
        ("regval_type s0 @u32; lit3; LLVM_aspace_bregx s2, 0", 8),
        (LOOP, 24),
        ("lit0; call4 0x100; call4 0x100", 16),
        ("implicit_pointer 0x104, 0; deref; lit0; LLVM_form_aspace_address; deref_size 2", 18),
    ],
)
def test_all_that_an_evaluation_reads_is_bounded(text: str, read_bytes: int) -> None:
    dies = {0x100: "lit16; deref; drop", 0x104: "lit16; deref"}
    made = world(
        memory=((0, None, 0, bytes(64)),), registers={"s0": 1, "s2": 2, "s3": 0}, dies=dies
    )
    kept = made.changed(limits=Limits(total_bytes=read_bytes))
    for _ in range(2):  # each evaluation has all of it
        kept.stack(text)
    limits = Limits(total_bytes=read_bytes - 1)
    with pytest.raises(LimitExceeded, match=f"more than {read_bytes - 1} bytes read in one"):
        made.changed(limits=limits).stack(text)
    # What is read of the result is not part of the evaluation.
    assert made.changed(limits=limits).context.access.read_bytes(made.memory(0, 16), 64 - 16)


def scattered(known: dict[int, bytes], size_bytes: int) -> Bits:
    """Global memory with a few known ranges."""
    memory, target = Memory(GFX942.address_space(0)), StateTarget(GFX942)
    for address, data in known.items():
        target.set_memory(memory, address, data)
    place = Location((SingleLocation(memory),))
    return ScalarAccess(target, "little", 1 << 20, 200_000).read(place, 8 * size_bytes)


class Counting(StateTarget):
    """How often memory is read."""

    reads = 0

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        self.reads += 1
        return super().read_memory(where, address, size_bytes)


def test_every_second_number_of_many_is_known() -> None:
    numbers = {at: bytes([at % 251 + 1] * 4) for at in range(0, 1600, 8)}
    bits = scattered(numbers, 1600)
    assert bits.unavailable_ranges("little") == [(8 * at + 32, 32) for at in numbers]
    whole = bits.value.to_bytes(1600, "little")
    assert all(whole[at : at + 4] == data for at, data in numbers.items())


def test_reasons_count_the_bytes_that_were_not_read() -> None:
    bits = scattered(dict.fromkeys(range(0, 1 << 16, 2), b"\x01"), 1 << 16)
    first, count = bits.unavailable_ranges("little")[-1]
    assert first + count == 8 << 16
    assert bits.reasons == (
        "cannot access memory at address 0x1: not in the state; "
        f"the last {count // 8 - 1} bytes were not read: "  # and the gap before them
        "more than 16384 reads were needed to find the readable bytes",
    )


def test_a_gap_is_not_looked_at_byte_by_byte() -> None:
    """A machine that reports its known ranges is asked once for each part of a gap."""
    memory, target = Memory(GFX942.address_space(0)), Counting(GFX942)
    for address in (0, 8, 24, 1 << 20):
        target.set_memory(memory, address, b"\1\2\3\4")
    place = Location((SingleLocation(memory),))
    size_bytes = (1 << 20) - 4
    bits = ScalarAccess(target, "little", 1 << 20, 200_000).read(place, 8 * size_bytes)
    gaps = [(4, 8), (12, 24), (28, size_bytes)]
    assert bits.unavailable_ranges("little") == [(8 * a, 8 * (b - a)) for a, b in gaps]
    assert target.reads < 100
