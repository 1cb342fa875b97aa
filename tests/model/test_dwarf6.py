"""The engine in the dialect of DWARF 6 gives the answers of the plain model, as DWARF 6 changes it.

Both evaluate the same scenario: the model gets it in the names of the AMD text, the engine with the
standard names in their place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from dwarfgpu.expr.dialect.dialect import DWARF6_PROVISIONAL
from dwarfgpu.expr.dialect.dwarf6_names import names
from tests.model import plain_dwarf6, plain_model
from tests.model.compare import Comparison
from tests.model.engine_side import Engine
from tests.model.generator import Maker
from tests.model.plain_code import encode
from tests.model.plain_model import Machinery
from tests.model.plain_side import Answer, Plain
from tests.model.plain_values import Open
from tests.model.scenario import (
    Block,
    DieData,
    EntryData,
    FrameData,
    LocationData,
    PlaceData,
    Scenario,
    Step,
    Steps,
    To,
    text,
)

SEEDS = range(1, 401)
SWAP, NOP, USER = b"\x16", b"\x96", b"\xe9"
NO_COUNTERPART = {
    "LLVM_push_iteration": "LLVM_push_lane",
    "implicit_pointer": "LLVM_undefined",
    "LLVM_aspace_implicit_pointer": "nop",
    "raw": "nop",
}
"""What the scenarios have in place of operations that the two texts do not share."""


def provisional(name: str) -> bytes:
    number = names().operations[name].provisional
    assert number is not None
    return USER + bytes([number])


STANDARD = {
    "LLVM_push_lane": provisional("push_lane"),
    "LLVM_offset": provisional("offset"),
    "LLVM_bit_offset": provisional("bit_offset"),
    "LLVM_undefined": provisional("undefined"),
    "LLVM_overlay": provisional("overlay"),
    "LLVM_bit_overlay": provisional("bit_overlay"),
    "LLVM_form_aspace_address": SWAP + provisional("mem"),
    "LLVM_nop": provisional("composite"),
    "LLVM_piece_end": NOP,
}
"""The bytes of the standard operation for one of the AMD text; of `composite` for `LLVM_nop`."""


class Maker6(Maker):
    """Makes scenarios in which composites begin with a mark."""

    def mark(self) -> None:
        if self.random.random() < 0.8:
            self.emit("LLVM_nop")

    def pieces(self, depth: int) -> None:
        self.mark()
        super().pieces(depth)

    def overlapping(self, depth: int) -> None:
        self.emit("LLVM_nop")
        super().overlapping(depth)

    def juggled(self, depth: int) -> None:
        at = len(self.steps)
        super().juggled(depth)
        if self.steps[-1].name == "LLVM_nop" and len(self.steps) > at:
            self.steps[-1] = Step("nop")

    def pointed(self, depth: int) -> None:
        self.offset(depth)

    def overlaid(self, depth: int) -> None:
        r = self.random
        self.location(depth - 1)
        self.location(depth - 1)
        self.small(0, 0, 1, 2, 4, -1, -2, 8, 16)
        self.small(0, 1, 1, 2, 4, 8, -1)
        self.emit(r.choice(("LLVM_overlay", "LLVM_bit_overlay")))


Change = Callable[[Step], Step]


def changed(steps: Steps, change: Change) -> Steps:
    """The operations, changed, also those within others."""
    out = []
    for step in steps:
        operands = tuple(
            Block(changed(operand.ops, change)) if isinstance(operand, Block) else operand
            for operand in step.operands
        )
        out.append(change(replace(step, operands=operands)))
    return tuple(out)


def changed_scenario(scenario: Scenario, change: Change) -> Scenario:
    """The scenario with a change in every operation of its expressions."""

    def die(data: DieData) -> DieData:
        entries = data.entries
        if entries is not None:
            entries = tuple((a, b, changed(steps, change)) for a, b, steps in entries)
        steps = None if data.steps is None else changed(data.steps, change)
        return replace(data, steps=steps, entries=entries)

    def frame(data: FrameData) -> FrameData:
        caller = None if data.caller is None else (frame(data.caller[0]), data.caller[1])
        values = tuple((changed(steps, change), value) for steps, value in data.entry_values)
        return replace(data, entry_values=values, caller=caller)

    return replace(
        scenario,
        steps=changed(scenario.steps, change),
        dies={offset: die(data) for offset, data in scenario.dies.items()},
        frame=None if scenario.frame is None else frame(scenario.frame),
    )


def without_pointers(scenario: Scenario) -> Scenario:
    """The scenario without implicit pointers, which DWARF 6 dereferences another way."""

    def place(data: PlaceData) -> PlaceData:
        if data.storage == "pointer":
            return PlaceData("undefined")
        return replace(data, parts=tuple((location(inner), bits) for inner, bits in data.parts))

    def location(data: LocationData) -> LocationData:
        return tuple(map(place, data))

    def entry(data: EntryData) -> EntryData:
        if isinstance(data, PlaceData):
            return (place(data),)
        return location(data) if isinstance(data, tuple) else data

    def frame(data: FrameData) -> FrameData:
        return replace(
            data,
            registers={n: location(held) for n, held in data.registers.items()},
            entry_registers={n: location(held) for n, held in data.entry_registers.items()},
            cfa=None if data.cfa is None else location(data.cfa),
            frame_base=None if data.frame_base is None else location(data.frame_base),
            caller=None if data.caller is None else (frame(data.caller[0]), data.caller[1]),
        )

    return replace(
        scenario,
        frame=None if scenario.frame is None else frame(scenario.frame),
        object=None if scenario.object is None else location(scenario.object),
        stack=tuple(map(entry, scenario.stack)),
    )


def shared(step: Step) -> Step:
    name = NO_COUNTERPART.get(step.name)
    return step if name is None else Step(name)


def scenario(seed: int) -> Scenario:
    """A scenario of what both texts have, in the names of the AMD text."""
    output = replace(Maker6(Random(seed)).scenario(seed), direct=False)
    return without_pointers(changed_scenario(output, shared))


def standard(scenario: Scenario) -> Scenario:
    """The scenario with the operations of DWARF 6."""

    def named(step: Step) -> Step:
        if step.name == "LLVM_aspace_bregx":
            encoded = encode(step.name, tuple(_numbers(step)), scenario.form)
            return Step("raw", (provisional("aspace_bregx") + encoded[2:],))
        data = STANDARD.get(step.name)
        return step if data is None else Step("raw", (data,))

    return changed_scenario(scenario, named)


def _numbers(step: Step) -> list[int | bytes]:
    assert not any(isinstance(operand, Block | To) for operand in step.operands)
    return [operand for operand in step.operands if isinstance(operand, int | bytes)]


def compare(scenario: Scenario) -> Comparison:
    engine = Engine(standard(scenario))
    engine.dialect = DWARF6_PROVISIONAL
    answer = engine.answer()
    try:
        plain: Answer | None = Plain(scenario).answer()
    except Open:
        plain = None
    return Comparison(plain, answer)


@pytest.fixture(autouse=True)
def _dwarf6(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, operation in plain_dwarf6.DWARF6.items():
        monkeypatch.setitem(plain_model.OPERATIONS, name, operation)


def differing(seeds: range) -> str | None:
    """The first scenario that differs, for a person."""
    for seed in seeds:
        output = scenario(seed)
        changes = compare(output)
        if changes.differ:
            return f"seed {seed}: {text(output.steps)}\n  {changes.plain}\n  {changes.engine}"
    return None


def test_same_answers() -> None:
    """Most scenarios have a result, so that the comparison is about more than errors."""
    compared = {seed: compare(scenario(seed)) for seed in SEEDS}
    differing_seeds = [seed for seed, changes in compared.items() if changes.differ]
    assert not differing_seeds, differing(SEEDS)
    answers = [changes.plain for changes in compared.values()]
    results = [answer for answer in answers if answer is not None and not answer.classes]
    composites = [answer for answer in results if "composite" in "".join(answer.places)]
    assert len(results) > len(SEEDS) // 4
    assert len(composites) > len(SEEDS) // 20


def _position_lost(m: Machinery) -> None:
    plain_dwarf6.overlay(m)
    top = m.stack[-1]
    if isinstance(top, plain_dwarf6.Location):
        m.stack[-1] = replace(top, places=tuple(replace(p, offset=0) for p in top.places))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("piece", plain_dwarf6.AMD["piece"]),
        ("bit_piece", plain_dwarf6.AMD["bit_piece"]),
        ("LLVM_overlay", plain_dwarf6.AMD["LLVM_overlay"]),
        ("LLVM_bit_overlay", _position_lost),
        ("call_ref", plain_dwarf6.AMD["call_ref"]),
        ("deref_size", plain_dwarf6.AMD["deref_size"]),
        ("LLVM_form_aspace_address", plain_dwarf6.AMD["nop"]),
    ],
)
def test_what_the_amd_text_means_is_found(
    name: str, wrong: plain_model.Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were an operation as in the AMD text, random scenarios would show it."""
    monkeypatch.setitem(plain_model.OPERATIONS, name, wrong)
    assert differing(range(1, 3000)) is not None
