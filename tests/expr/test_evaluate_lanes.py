"""All lanes in one pass give what each lane gives (`dwarfgpu.expr.evaluate_lanes`)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, IllFormed, Unavailable
from dwarfgpu.expr import evaluate_lanes as lanes_module
from dwarfgpu.expr.context import Context, ExprLoc, NumberAt
from dwarfgpu.expr.decode import encode
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL, DIALECTS
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.evaluate_lanes import LaneBits, LaneTarget, evaluate_lanes
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.lane_integers import Array
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Memory
from tools.worlds import World, random_context, random_expression

ARCH = architecture("gfx942")
LANES = tuple(range(64))


@pytest.mark.parametrize("seed", range(120))
def test_lanes_agree_with_each_lane(seed: int) -> None:
    rng = Random(seed)
    world = World.random(rng, rng.choice(list(DIALECTS.values())))
    base = random_context(rng, world)
    while base.target is None or base.lane is None:
        base = random_context(rng, world)
    waves = (0, 1, 2) if rng.random() < 0.5 else (0,)
    lanes = tuple(range(min(base.lane_count or 16, 16)))
    for _ in range(6):
        size_bits = rng.choice((8, 16, 32, 64, 7, 33, 96))
        data = random_expression(rng, world, rng.randrange(14))
        if rng.random() < 0.7 and "LLVM_push_lane" in encodings(world.dialect).codes:
            data = encode(OPERATIONS["LLVM_push_lane"], (), world.dialect, world.form) + data

        def context_of(wave: WaveId, lane: int, target: Target | None) -> Context:
            return evolve(base, wave=wave, lane=lane, target=target)

        result = evaluate_lanes(
            data,
            context_of,
            base.target,
            waves=waves,
            lanes=lanes,
            size_bits=size_bits,
            dialect=world.dialect,
        )
        for row, wave in enumerate(waves):
            for column, lane in enumerate(lanes):
                context = evolve(context_of(wave, lane, base.target), result_kind="location")
                try:
                    location = evaluate(data, context, dialect=world.dialect)
                    assert isinstance(location, Location)
                    contents = context.access.read(location, size_bits)
                except DwarfGpuError as error:
                    assert not result.is_known[row, column], (data.hex(), wave, lane)
                    with pytest.raises(type(error)):
                        result.bits(wave, lane)
                    continue
                assert result.is_known[row, column] == contents.is_complete, (
                    data.hex(),
                    wave,
                    lane,
                )
                assert result.bits(wave, lane) == contents


class Waves(StateTarget):
    """A machine that is read in bulk; it counts how often it is asked for one wave."""

    asked = 0

    def registers_of(self, waves: Sequence[WaveId], register: RegisterInfo) -> tuple[Array, Array]:
        size_bytes = register.size_bits // 8
        zeros = np.zeros((len(waves), size_bytes), np.uint8)
        known = np.zeros(zeros.shape, bool)
        for row, wave in enumerate(waves):
            if register.name in self.waves[wave]:
                zeros[row] = np.frombuffer(bytes(self.waves[wave][register.name].data), np.uint8)
                known[row] = np.frombuffer(bytes(self.waves[wave][register.name].known), np.uint8)
        return zeros, known

    def read_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        self.asked += 1
        return super().read_register(wave, register, offset_bytes, size_bytes)


def machine() -> Waves:
    """Three waves; v3 and v4 are 1000 * wave + 7 * lane, of v5 ten lanes are known."""
    out = Waves(ARCH)
    private = ARCH.address_space_named("private_lane")
    assert private is not None
    for wave in range(3):
        out.add_wave(wave)
        numbers = [1000 * wave + 7 * lane for lane in LANES]
        for name, known in (("v3", 64), ("v4", 64), ("v5", 10)):
            register = ARCH.register_named(name)
            assert register is not None
            out.set_lanes(wave, register, numbers[:known])
        out.set_register(wave, ARCH.by_name["exec"], (0xF00D_BABE << wave).to_bytes(8, "little"))
        for lane in LANES:
            data = (wave << 8 | lane).to_bytes(4, "little") * 4
            out.set_memory(Memory(private, wave, lane), 0x10, data)
            if lane % 3:
                out.set_memory(Memory(private, wave, lane), 0x30, data)
    return out


def context_of(wave: WaveId, lane: int, target: Target | None) -> Context:
    return Context(
        ARCH,
        wave,
        lane,
        frame=ExplicitFrame(ARCH),
        target=target,
        lane_count=64,
        result_kind="location",
    )


def over_lanes(text: str, target: Waves, size_bits: int = 32) -> LaneBits:
    return evaluate_lanes(
        assemble(text, AMD_PROVISIONAL, arch=ARCH),
        context_of,
        target,
        waves=range(3),
        lanes=LANES,
        size_bits=size_bits,
        dialect=AMD_PROVISIONAL,
    )


AT_LANE = "LLVM_push_lane; lit4; mul; LLVM_offset"
LANE_OF_V3 = f"regx v3; {AT_LANE}"
BY_LANE = "regx exec; deref"
"""A mask of other lanes in each wave."""


def test_a_lane_of_a_vector_register_is_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []

    def counted(*given: Any) -> LaneTarget:
        passes.append(1)
        return LaneTarget(*given)

    monkeypatch.setattr(lanes_module, "LaneTarget", counted)
    target = machine()
    values = over_lanes(LANE_OF_V3, target)
    numbers = values.data.view("<u4")[..., 0]
    assert numbers.tolist() == [[1000 * wave + 7 * lane for lane in LANES] for wave in range(3)]
    assert values.is_known.all()
    assert (len(passes), target.asked) == (1, 0)


@pytest.mark.parametrize(
    "text",
    [
        f"regx v3; regx v4; {BY_LANE}; LLVM_select_bit_piece 32 64; {AT_LANE}",
        f"regx v5; {AT_LANE}",  # known in ten lanes
        f"regx v3; regx v5; {BY_LANE}; LLVM_select_bit_piece 32 64; {AT_LANE}",
    ],
)
def test_lanes_that_choose_or_know_differently_stay_together(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[int] = []

    def counted(*given: Any) -> LaneTarget:
        passes.append(1)
        return LaneTarget(*given)

    monkeypatch.setattr(lanes_module, "LaneTarget", counted)
    over_lanes(text, machine())
    assert len(passes) == 1


@pytest.mark.parametrize(
    ("text", "size_bits", "want"),
    [
        (f"{LANE_OF_V3}; deref_size 4; lit1; plus; stack_value", 32, lambda w, n: n + 1),
        (f"{LANE_OF_V3}; deref_size 4; neg; stack_value", 64, lambda w, n: -n % (1 << 64)),
        (
            "LLVM_push_lane; lit1; and; bra odd; lit5; skip end; odd: lit6; end: stack_value",
            32,
            lambda w, n: 5 + n % 2,
        ),
        (f"{LANE_OF_V3}; piece 2; regx v3; piece 2; LLVM_piece_end", 16, lambda w, n: n & 0xFFFF),
        ("regx v3; regx v4; const8u 0xff00ff00ff00ff00; LLVM_select_bit_piece 32 64; "
         "LLVM_push_lane; lit4; mul; LLVM_offset", 32, lambda w, n: n),
        (f"regx v3; regx v4; {BY_LANE}; LLVM_select_bit_piece 32 64; {AT_LANE}", 32,
         lambda w, n: n),
        (f"regx v3; regx v5; {BY_LANE}; LLVM_select_bit_piece 32 64; {AT_LANE}", 32, None),
        (f"regx v5; regx v9; {BY_LANE}; LLVM_select_bit_piece 32 64; {AT_LANE}", 32, None),
        (f"regx v3; LLVM_undefined; {BY_LANE}; LLVM_select_bit_piece 32 64; {AT_LANE}", 32, None),
        (f"regx v3; {BY_LANE}; stack_value; {BY_LANE}; lit3; and; LLVM_select_bit_piece 32 64; "
         f"{AT_LANE}", 32, None),  # 2 of the 64 elements are in the value
        (f"regx v3; regx v4; {BY_LANE}; LLVM_select_bit_piece 32 64; LLVM_push_lane; lit3; mul; "
         "LLVM_offset", 32, None),  # from the middle of an element
        ("regx v3; LLVM_push_lane; LLVM_offset", 32, None),
        ("regx v3; LLVM_push_lane; lit3; mul; LLVM_bit_offset", 11, None),
        ("lit16; lit5; LLVM_form_aspace_address", 32, lambda w, n: w << 8 | (n % 1000) // 7),
        ("lit16; LLVM_push_lane; lit12; and; plus; lit5; LLVM_form_aspace_address", 32, None),
        ("const1u 48; lit5; LLVM_form_aspace_address", 32, None),
        (f"{LANE_OF_V3}; bit_piece 12 0; {LANE_OF_V3}; bit_piece 20 4; {LANE_OF_V3}; "
         "bit_piece 32 0; LLVM_piece_end", 64,
         lambda w, n: n & 0xFFF | (n >> 4 & 0xFFFFF) << 12 | n << 32),
        ("regx v5; LLVM_push_lane; lit4; mul; LLVM_offset", 32, None),
        ("LLVM_push_lane; stack_value; LLVM_extend 64 2", 96, None),
        ("LLVM_push_lane; lit20; minus; abs; stack_value", 32, None),
    ],
)  # fmt: skip
def test_what_differs_by_lane(text: str, size_bits: int, want: object) -> None:
    target = machine()
    values = over_lanes(text, target, size_bits)
    data = assemble(text, AMD_PROVISIONAL, arch=ARCH)
    for wave in range(3):
        for lane in LANES:
            base = context_of(wave, lane, target)
            location = evaluate(data, base, dialect=AMD_PROVISIONAL)
            assert isinstance(location, Location)
            contents = base.access.read(location, size_bits)
            assert values.bits(wave, lane) == contents
            assert values.is_known[wave, lane] == contents.is_complete
            if callable(want):
                assert contents.value == want(wave, 1000 * wave + 7 * lane)


def test_lanes_that_have_no_bits_do_not_take_those_of_others() -> None:
    """Lane 60 and those after it are outside a composite of 60 parts."""
    values = over_lanes(
        "regx v3; LLVM_extend 32 60; LLVM_push_lane; lit4; mul; LLVM_offset", machine()
    )
    assert values.is_known[0].tolist() == [lane < 60 for lane in LANES]
    with pytest.raises(DwarfGpuError, match="outside the 1920 bits"):
        values.bits(1, 63)


def test_an_error_of_all_lanes_is_that_of_the_requested_lane() -> None:
    values = over_lanes("LLVM_push_lane; lit0; div; stack_value", machine())
    assert not values.is_known.any()
    with pytest.raises(DwarfGpuError, match="division by zero"):
        values.bits(2, 5)
    with pytest.raises(IllFormed):
        over_lanes("regx v3; lit4; mul", machine()).bits(0, 0)


def test_lanes_that_the_machine_does_not_have_are_unavailable() -> None:
    values = over_lanes("regx v5; LLVM_push_lane; lit4; mul; LLVM_offset", machine())
    assert values.is_known[2].tolist() == [lane < 10 for lane in LANES]
    unknown = values.bits(2, 10)
    assert (unknown.value, unknown.unavailable) == (0, 0xFFFFFFFF)
    with pytest.raises(Unavailable, match="register v9 of wave 1"):
        over_lanes("regx v9; deref_size 4; stack_value", machine()).bits(1, 0)


class OneVariable(ExplicitUnit):
    """A unit in which every variable is an `int` in v3."""

    def variable_value(self, section_offset: int) -> NumberAt:  # type: ignore[override]
        location = assemble(LANE_OF_V3, AMD_PROVISIONAL, arch=ARCH)
        return NumberAt(ExprLoc(location, self), BaseType("int", "signed", 32))


def test_each_lane_has_its_own_value_of_a_variable() -> None:
    def in_unit(wave: WaveId, lane: int, target: Target | None) -> Context:
        return evolve(context_of(wave, lane, target), unit=OneVariable(dialect=AMD_PROVISIONAL))

    text = "GNU_variable_value 0x20; lit1; plus; stack_value"
    data = assemble(text, AMD_PROVISIONAL, arch=ARCH)
    target = machine()
    result = evaluate_lanes(data, in_unit, target, waves=range(3), lanes=LANES, size_bits=32)
    numbers = result.data.view("<u4")[..., 0]
    assert result.is_known.all() and target.asked == 0
    assert numbers.tolist() == [[1000 * wave + 7 * lane + 1 for lane in LANES] for wave in range(3)]
