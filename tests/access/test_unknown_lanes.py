"""Bits that some lanes do not know are read for all lanes at once, and are those of each alone."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from random import Random

import pytest

pytest.importorskip("numpy")

import numpy as np

from dwarfgpu.access.lane_group import Group, Machine
from dwarfgpu.access.many_lanes import LaneTarget, VectorAccess
from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.limits import Limits
from dwarfgpu.errors import StaleLocation
from dwarfgpu.machine.state.bulk_state import BulkState
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.lane_extract import LaneExtractor
from dwarfgpu.model.lane_integers import Divergence
from dwarfgpu.model.lane_texts import LaneTexts
from dwarfgpu.model.location import Location, SingleLocation, composite
from dwarfgpu.model.storage import Part, Register

ARCH = architecture("gfx942")
WAVES, LANES = 3, 64
LIMITS = Limits()


def random_state(seed: int) -> StateTarget:
    """Waves whose v3 and v4 have unknown bits in each lane; the first knows nothing of v4."""
    random, out = Random(seed), StateTarget(ARCH)
    masks = [0, 0, 0xFF, 0xFF, 0xF0, 0x3C]
    for wave in range(WAVES):
        out.add_wave(wave)
        for name in ("v3", "v4")[: 1 if not wave else 2]:
            known = [random.choice(masks) for _ in range(256)]
            for lane in range(LANES):
                known[4 * lane + random.randrange(4)] = random.choice((0, 0x3C))
            data = bytes(random.randrange(256) & mask for mask in known)
            out.set_register(wave, ARCH.by_name[name], data, 0, bytes(known))
    return out


def in_register(name: str, wave: int, lane: int, offset_bytes: int = 0) -> Location:
    register = ARCH.by_name[name]
    at = 32 * lane + 8 * offset_bytes
    return Location((SingleLocation(Register(register, wave), at),))


def pair(wave: int, lane: int) -> Location:
    parts = [Part(in_register(name, wave, lane), 32) for name in ("v3", "v4")]
    return composite(parts)


OBJECTS: dict[str, tuple[Callable[[int, int], Location], int]] = {
    "a dword": (lambda wave, lane: in_register("v3", wave, lane), 32),
    "a byte": (lambda wave, lane: in_register("v4", wave, lane, 1), 8),
    "a pair": (pair, 64),
    "many dwords": (lambda wave, lane: in_register("v3", wave, lane - lane % 8), 256),
}


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("seed", range(3))
def test_they_are_those_of_each_lane(name: str, seed: int) -> None:
    make, size_bits = OBJECTS[name]
    target = random_state(seed)
    machine = Machine(BulkState(target), tuple(range(WAVES)), tuple(range(LANES)))
    pending, compared = [Group.of(WAVES, LANES)], 0
    while pending:
        group = pending.pop()
        view = LaneTarget(machine, group)
        access = VectorAccess(view, "little", LIMITS.read_bytes, LIMITS.runs)
        try:
            bits = access.read(make(view.wave, view.lane), size_bits)
        except Divergence as divergence:
            assert divergence.key is not None, "asked lane by lane"
            pending += group.split(divergence.key)
            continue
        pick = LaneExtractor(group.shape).of(bits)
        alone = ScalarAccess(target, "little", LIMITS.read_bytes, LIMITS.runs)
        for at, (wave, lane) in enumerate(group.members()):
            assert pick(at) == alone.read(make(wave, lane), size_bits)
            compared += 1
    assert compared == WAVES * LANES


def test_a_reason_is_of_the_machine_that_was_read() -> None:
    target = StateTarget(ARCH)
    target.add_wave(0)
    register = ARCH.by_name["v3"]
    view = LaneTarget(Machine(BulkState(target), (0,), tuple(range(LANES))), Group.of(1, LANES))
    access = VectorAccess(view, "little", LIMITS.read_bytes, LIMITS.runs)
    reasons = access.read(in_register("v3", view.wave, view.lane), 32).reasons
    assert isinstance(reasons, LaneTexts)
    assert reasons.of_lane(5) == ("register v3 of wave 0 is not in the state",)
    target.set_register(0, register, bytes(256))
    with pytest.raises(StaleLocation, match="changed since"):
        reasons.of_lane(5)


def test_texts_are_looked_at_one_lane_at_a_time() -> None:
    texts = LaneTexts(lambda lane: (f"lane {lane}", "all"))
    more = LaneTexts(lambda lane: ("all", f"more of {lane}"))
    assert texts
    assert (texts + more).of_lane(3) == ("lane 3", "all", "more of 3")
    for ask in (hash, list, len, lambda it: it == (), lambda it: it[0], lambda it: "all" in it):
        with pytest.raises(Divergence):
            ask(texts)
    for left, right in ((texts, ("one",)), (("one",), texts)):
        with pytest.raises(Divergence):
            add(left, right)


def test_a_target_that_knows_whole_bytes() -> None:
    class Whole(BulkState):
        def registers_of(self, waves, register):  # type: ignore[no-untyped-def]
            data, masks = super().registers_of(waves, register)
            return data, masks == 0xFF

    target = StateTarget(ARCH)
    target.add_wave(0)
    target.set_lanes(0, ARCH.by_name["v3"], [7, None, 9])
    contents = Machine(Whole(target), (0,), (0,)).register(ARCH.by_name["v3"])
    assert contents.masks[0, :12].tolist() == [255] * 4 + [0] * 4 + [255] * 4
    assert contents.masks.dtype == np.uint8
