"""Lanes that part at branches and meet again have what each of them has alone."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from dwarfgpu.access.many_lanes import LaneTarget
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr import evaluate_lanes as lanes_module
from dwarfgpu.expr import lockstep_lanes
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.model.location import Location
from tests.expr.test_evaluate_lanes import ARCH, LANES, Waves, context_of, machine, over_lanes

AT_LANE = "LLVM_push_lane; lit4; mul; LLVM_offset"
NUMBERS = (
    "LLVM_push_lane",
    f"regx v3; {AT_LANE}; deref_size 4",
    f"regx v4; {AT_LANE}; deref_size 1",
    f"regx v5; {AT_LANE}; deref_size 4",  # known in ten lanes
    "lit7",
    "lit16; lit5; LLVM_form_aspace_address; deref_size 2",
)
WAYS = ("plus", "minus", "mul", "and", "or", "xor", "div", "mod", "shl", "lt", "eq")
OBJECTS = (
    f"drop; regx v3; {AT_LANE}",
    f"drop; regx v4; {AT_LANE}",
    f"drop; regx v5; {AT_LANE}",
    "stack_value",
    "drop; lit16; lit5; LLVM_form_aspace_address",
    f"drop; regx v3; {AT_LANE}; piece 2; regx v4; {AT_LANE}; piece 2; LLVM_piece_end",
)


class Program:
    """A random program that keeps one number on the stack, and ends with an object."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.labels = rng, 0

    def label(self) -> str:
        self.labels += 1
        return f"l{self.labels}"

    def number(self) -> str:
        return f"{self.rng.choice(NUMBERS)}; {self.rng.choice(WAYS)}"

    def block(self, depth: int) -> str:
        return "; ".join(self.one(depth) for _ in range(self.rng.randrange(1, 4)))

    def one(self, depth: int) -> str:
        rng, pick = self.rng, self.rng.randrange(6 if depth < 3 else 2)
        if pick < 2:
            return self.number()
        condition = f"{rng.choice(NUMBERS)}; lit{rng.choice((1, 2, 6, 31))}; and"
        a, b = self.label(), self.label()
        if pick == 2:
            return f"{condition}; bra {a}; {self.block(depth + 1)}; {a}: nop"
        if pick == 3:
            return (
                f"{condition}; bra {a}; {self.block(depth + 1)}; skip {b}; "
                f"{a}: {self.block(depth + 1)}; {b}: nop"
            )
        count = f"{rng.choice(NUMBERS)}; lit{rng.choice((3, 7))}; and; lit1; plus"
        return f"{count}; {a}: swap; {self.block(depth + 2)}; swap; lit1; minus; dup; bra {a}; drop"

    def text(self) -> str:
        a, b = self.label(), self.label()
        return (
            f"LLVM_push_lane; {self.block(0)}; LLVM_push_lane; lit3; and; bra {a}; "
            f"{self.rng.choice(OBJECTS)}; skip {b}; {a}: {self.rng.choice(OBJECTS)}; {b}: nop"
        )


def alone(data: bytes, wave: int, lane: int, target: Waves) -> bytes | None:
    """The object of a lane; None if some of it is unknown."""
    context = context_of(wave, lane, target)
    try:
        location = evaluate(data, context, dialect=AMD_PROVISIONAL)
        assert isinstance(location, Location)
        held = context.access.read(location, 32)
    except DwarfGpuError:
        return None
    return held.value.to_bytes(4, "little") if held.is_complete else None


@pytest.mark.parametrize("seed", range(6))
def test_random_branches_and_loops(seed: int) -> None:
    rng, target = Random(seed), machine()
    known = 0
    for _ in range(4):
        text = Program(rng).text()
        data = assemble(text, AMD_PROVISIONAL, arch=ARCH)
        together = over_lanes(text, target)
        for wave in range(3):
            for lane in LANES:
                is_known = together.is_known[wave, lane]
                found = together.data[wave, lane].tobytes() if is_known else None
                assert found == alone(data, wave, lane, target), (text, wave, lane)
                known += found is not None
    assert known > 20


SIXTEEN = (
    f"regx v3; {AT_LANE}; deref_size 2; "
    + "".join(f"dup; const2u {1 << n}; and; bra b{n}; lit1; plus; b{n}: " for n in range(16))
    + "stack_value"
)
LOOP = "LLVM_push_lane; again: dup; lit0; eq; bra end; lit1; minus; skip again; end: stack_value"


@pytest.mark.parametrize(("text", "most"), [(SIXTEEN, 6), (LOOP, 4)])
def test_lanes_meet_again(text: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contexts are made for all lanes, and for those that read; not for each way through."""
    views: list[int] = []

    def counted(*given: Any) -> LaneTarget:
        views.append(1)
        return LaneTarget(*given)

    monkeypatch.setattr(lockstep_lanes, "LaneTarget", counted)
    monkeypatch.setattr(lanes_module, "LaneTarget", counted)
    target = machine()
    together = over_lanes(text, target)
    assert together.is_known.all()
    assert len(views) <= most
    assert target.asked == 0


def test_a_loop_without_an_end_is_left_to_each_lane() -> None:
    together = over_lanes("LLVM_push_lane; again: lit1; plus; skip again", machine())
    assert not together.is_known.any()
    with pytest.raises(DwarfGpuError, match="operations performed"):
        together.bits(0, 5)


def test_lanes_with_different_stacks_do_not_meet() -> None:
    """After the branch some have a number below the object, and some an unfinished composite."""
    text = (
        "LLVM_push_lane; lit1; and; bra odd; lit9; skip end; "
        f"odd: regx v3; {AT_LANE}; piece 2; end: LLVM_push_lane; stack_value"
    )
    together = over_lanes(text, machine())
    assert together.data[1, :, 0].tolist() == list(LANES)
