"""A state read for many waves and lanes at once gives what each lane is given."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from dwarfgpu.arch.model import Apertures
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.evaluate_lanes import evaluate_lanes
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.code_object_memory import LoadedSegment, TargetWithCodeObjects
from dwarfgpu.machine.state.bulk_state import BulkState
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.lane_integers import lanes as lanes_of
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Memory
from tests.cli.command import STATES

GPU = architecture("gfx942")
WAVES = (1, 2, 3)
SPACES = ("global", "generic", "local", "private_lane", "private_wave")
L, P, S = 1 << 48, 2 << 48, 0x7D00_0000_0000


def random_target(rng: Random) -> tuple[StateTarget, BulkState]:
    """Waves of two workgroups, with or without scratch in global memory; half of it known."""
    state = StateTarget(GPU)
    element_bytes = rng.choice((2, 4, 4, 16))
    for wave, group in zip(WAVES, (4, 4, 5), strict=True):
        state.add_wave(wave, group)
        base = rng.choice((None, S + 4096 * wave))
        state.wave_apertures[wave] = Apertures(
            scratch_base=base, scratch_bytes=rng.choice((None, 4096)),
            element_bytes=element_bytes, local_bytes=rng.choice((None, 256)),
        )  # fmt: skip
    for _ in range(60):
        space, wave = rng.choice(SPACES), rng.choice(WAVES)
        where = Memory(named(space), wave, rng.randrange(64))
        data = rng.randbytes(rng.randrange(1, 40))
        try:
            state.set_memory(where, random_address(rng, space), data)
        except (UsageError, DwarfGpuError):
            continue
    segment = LoadedSegment(
        0x1000, 0x100, False, lambda at, size: bytes(range(256))[at : at + size]
    )
    hidden = LoadedSegment(0x1100, 0x40, True, lambda at, size: bytes(size))
    target = TargetWithCodeObjects(state, (segment, hidden), has_started=True)
    return state, BulkState(target if rng.random() < 0.6 else state)


def named(space: str):  # type: ignore[no-untyped-def]
    return GPU.address_space_named(space)


def random_address(rng: Random, space: str) -> int:
    if space == "generic":
        return rng.choice((0x1000, L, P, L - 4, S + 4096, 3 << 48)) + rng.randrange(300)
    if space == "global":
        return rng.choice((0x1000, 0xFF0, 0x10F8, S + 4096, S + 8192)) + rng.randrange(300)
    return rng.randrange(300) if rng.random() < 0.9 else (1 << 32) - rng.randrange(8)


@pytest.mark.parametrize("seed", range(60))
def test_gather_agrees_with_each_lane(seed: int) -> None:
    rng = Random(seed)
    _, bulk = random_target(rng)
    for space in SPACES:
        size_bytes = rng.randrange(1, 5)
        shape = rng.choice(((3, 64), (1, 64), (3, 1), (1, 1)))
        count = shape[0] * shape[1]
        addresses = np.array([random_address(rng, space) for _ in range(count)]).reshape(shape)
        if rng.random() < 0.3:
            addresses = np.full(shape, int(addresses.flat[0]))
        if rng.random() < 0.2 and named(space).address_bits == 64:
            addresses = addresses.astype(object)
            addresses.flat[0] = (1 << 64) - rng.randrange(1, 9)
        wave = lanes_of(np.array(WAVES)[:, None]) if shape[0] == 3 else 2
        lane = lanes_of(np.arange(64)[None, :])
        contents, known = bulk.gather(Memory(named(space), wave, lane), addresses, size_bytes)
        broadcast_shapes = np.broadcast_shapes(shape, (shape[0] if shape[0] == 3 else 1, 64))
        assert contents.shape == known.shape == broadcast_shapes
        at = np.broadcast_to(addresses, broadcast_shapes)
        for row, column in np.ndindex(*broadcast_shapes):
            asked = Memory(named(space), WAVES[row] if shape[0] == 3 else 2, column)
            try:
                data = bulk.read_memory(asked, int(at[row, column]), size_bytes)
            except DwarfGpuError:
                assert not known[row, column], (space, hex(at[row, column]), column)
                continue
            # Where the state knows some of the bytes and a file the others, one lane is asked.
            if known[row, column]:
                assert contents[row, column] == int.from_bytes(data, "little")
            else:
                assert space == "global" and 0xFF0 <= at[row, column] < 0x1140


def test_registers() -> None:
    state, bulk = random_target(Random(1))
    register = GPU.by_name["v3"]
    state.set_lanes(1, register, [1, None, 3])
    data, known = bulk.registers_of(WAVES, register)
    assert data.shape == known.shape == (3, 256)
    assert known[0, :12].tolist() == [255] * 4 + [0] * 4 + [255] * 4
    assert data[0, 8] == 3 and not known[1:].any()
    assert bulk.read_register(1, register, 8, 4) == b"\3\0\0\0"
    with pytest.raises(Unavailable):
        bulk.read_register(2, register)


EXPRESSIONS = [
    "regx v0; LLVM_push_lane; lit4; mul; LLVM_offset",
    "lit16; LLVM_push_lane; lit4; mul; plus; lit5; LLVM_form_aspace_address",
    "LLVM_push_lane; lit4; mul; const8u 0x7e0000002100; plus",
    "regx v0; LLVM_push_lane; lit4; mul; LLVM_offset; deref_size 4; lit4; mul; "
    "const8u 0x7e0000002100; plus",
    "LLVM_push_lane; lit1; and; bra 6; const8u 0x7e0000002100; skip 8; const8u 0x7e0000002104",
    "regx s0; deref_size 4; regx s1; deref_size 4; const1u 32; shl; or; deref; LLVM_push_lane; "
    "lit4; mul; plus",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
@pytest.mark.parametrize("name", ["dispatch.gfx1100"])
def test_a_dispatch_in_one_pass(text: str, name: str, tmp_path: Path) -> None:
    """Of every lane of every wave, also those without a work-item, what it has alone."""
    path = STATES / f"{name}.json"
    assert json.loads(path.read_text("utf-8"))["schema"] == "dwarfgpu-state-2"
    state = load_state(path)
    bulk, arch = BulkState(state.target), state.architecture
    waves, lanes = tuple(wave.wave for wave in state.waves), tuple(range(arch.lane_count))
    base = Context(arch, waves[0], 0, frame=ExplicitFrame(arch), target=bulk, lane_count=32)
    base = evolve(base, result_kind="location")

    def context_of(wave: WaveId, lane: int, target: Target | None) -> Context:
        return evolve(base, wave=wave, lane=lane, target=target)

    data = assemble(text, arch=arch)
    result = evaluate_lanes(data, context_of, bulk, waves=waves, lanes=lanes, size_bits=32)
    for row, wave in enumerate(waves):
        for column, lane in enumerate(lanes):
            context = context_of(wave, lane, state.target)
            try:
                location = evaluate(data, context)
                assert isinstance(location, Location)
                contents = context.access.read(location, 32)
            except DwarfGpuError:
                assert not result.is_known[row, column]
                continue
            assert bool(result.is_known[row, column]) == contents.is_complete
            assert result.bits(wave, lane) == contents
