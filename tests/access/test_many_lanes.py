"""Registers of many waves as arrays (`dwarfgpu.access.lane_group`)."""

from __future__ import annotations

import numpy as np
import pytest

from dwarfgpu.access.lane_group import Machine
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.evaluate_lanes import evaluate_lanes
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.lane_integers import Array
from dwarfgpu.model.location import Location

X86_64 = architecture("x86_64")

GFX942 = architecture("gfx942")


def test_a_register_is_padded_to_whole_words() -> None:
    st0, rax = X86_64.register_named("st0"), X86_64.register_named("rax")
    assert st0 is not None and rax is not None and st0.size_bits == 80
    target = StateTarget(X86_64)
    for wave in (0, 1):
        target.add_wave(wave)
    target.set_register(0, st0, bytes(range(1, 11)))
    target.set_register(1, st0, bytes(range(21, 31)))
    target.forget_register(1, st0, 9, 1)
    machine = Machine(target, (0, 1), (0,))
    padded = machine.register(st0)
    contents, is_known = padded.data, padded.is_known
    assert contents.tolist() == [[*range(1, 11), 0, 0], [*range(21, 30), 0, 0, 0]]
    assert is_known.tolist() == [[True] * 10 + [False] * 2, [True] * 9 + [False] * 3]
    target.set_register(0, rax, bytes(8))
    contents, is_known = machine.register(rax).data, machine.register(rax).is_known
    assert contents.dtype == np.uint8 and contents.shape == is_known.shape == (2, 8)


class Arrays(StateTarget):
    """A machine of gfx942 whose v3 is an array; `known` says which of its bytes are."""

    def __init__(self, known: bool | int) -> None:
        super().__init__(GFX942)
        self.data = np.random.default_rng(2).integers(0, 256, (3, 256), np.uint8)
        self.known = np.full((3, 256), known, bool if known is True else np.uint8)
        for wave in range(3):
            self.add_wave(wave)
            self.set_register(wave, GFX942.by_name["v3"], self.data[wave].tobytes())

    def registers_of(self, waves: object, register: object) -> tuple[Array, Array]:
        return self.data, self.known


@pytest.mark.parametrize("known", [True, 0xFF])
def test_a_register_of_whole_words_is_not_copied(known: bool | int) -> None:
    target = Arrays(known)
    contents = Machine(target, (0, 1, 2), (0,)).register(GFX942.by_name["v3"])
    assert np.shares_memory(contents.data, target.data)
    assert contents.is_all_known and contents.masks.dtype == np.uint8
    assert (contents.masks == 0xFF).all()


@pytest.mark.parametrize("size_bytes", [1, 2, 3, 4])
@pytest.mark.parametrize("offset_bytes", [0, 1, 2, 3])
@pytest.mark.parametrize("step", ["lit4; mul", "lit5; mul; lit3; and"])
def test_parts_of_words_are_those_of_each_lane(
    size_bytes: int, offset_bytes: int, step: str
) -> None:
    """The answer is its own: what the machine holds afterwards does not change it."""
    target, lanes = Arrays(True), range(60)
    text = f"regx v3; LLVM_push_lane; {step}; LLVM_offset; LLVM_offset_uconst {offset_bytes}"
    data = assemble(text, arch=GFX942)
    base = Context(
        GFX942, 0, 0, frame=ExplicitFrame(GFX942), target=target, lane_count=64,
        result_kind="location",
    )  # fmt: skip

    def context_of(wave: WaveId, lane: int, machine: Target | None) -> Context:
        return evolve(base, wave=wave, lane=lane, target=machine)

    result = evaluate_lanes(
        data, context_of, target, waves=range(3), lanes=lanes, size_bits=8 * size_bytes
    )
    expected = []
    for wave in range(3):
        for lane in lanes:
            context = context_of(wave, lane, target)
            location = evaluate(data, context)
            assert isinstance(location, Location)
            expected.append(context.access.read_bytes(location, size_bytes))
    target.data[:] = 0
    assert result.is_known.all()
    assert [item.tobytes() for item in result.data.reshape(-1, size_bytes)] == expected
