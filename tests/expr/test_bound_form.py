"""The bound form of straight expressions: its answers are those of the steps one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import Context, UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD, AMD_PROVISIONAL
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.text.assembly import assemble
from tools.worlds import ARCHITECTURES, World, random_context, random_expression

GFX942 = architecture("gfx942")


def answer(ask: Callable[[], object]) -> object:
    """What a question gives; an error is its kind, its message and its operation."""
    try:
        return ask()
    except DwarfGpuError as error:
        return type(error), error.message, error.site


def bound_and_stepped(data: bytes, ctx: Context) -> tuple[object, object]:
    """What the bound form and the steps answer: observers see every step."""
    for _ in range(2):  # the bound form is made when it is evaluated again
        bound = answer(lambda: evaluate(data, ctx, dialect=AMD_PROVISIONAL))
    return bound, answer(
        lambda: evaluate(data, ctx, dialect=AMD_PROVISIONAL, observe=lambda step: None)
    )


@cache
def pooled(seed: int) -> tuple[World, Context]:
    rng = Random(seed)
    world = World.random(rng, AMD_PROVISIONAL, ARCHITECTURES[seed % len(ARCHITECTURES)])
    return world, random_context(rng, world)


@pytest.mark.parametrize("seed", range(4))
def test_equal_answers(seed: int) -> None:
    rng = Random(seed)
    straight = folded = failed = 0
    for _ in range(100):
        world, ctx = pooled(rng.randrange(60))
        if rng.random() < 0.5:
            ctx = evolve(ctx, initial_stack=())
        data = random_expression(rng, world, rng.randrange(1, 9))
        form = world.form if ctx.unit is None else ctx.unit.format
        program = prepare(data, AMD_PROVISIONAL, form)
        if not program.is_straight:
            continue
        straight += 1
        bound, stepped = bound_and_stepped(data, ctx)
        folded += len(program.bound_form.steps or program.steps) < len(program.steps)
        failed += isinstance(stepped, tuple)
        assert bound == stepped, data.hex()
    assert straight > 50 and folded > 8 and failed > 4


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("lit0; lit6; shr; const1u 16; plus; lit5; LLVM_form_aspace_address", 1),
        ("lit1; lit2; swap; minus", 1),
        ("lit1; dup; plus; drop", 0),
        ("regx v3; LLVM_push_lane; lit4; mul; LLVM_offset", 4),
        ("lit1; lit0; div", 3),  # fails when it is performed
        ("lit3; pick 0; plus", 3),
    ],
)
def test_steps_of_the_bound_form(text: str, count: int) -> None:
    program = prepare(assemble(text, arch=GFX942), AMD, UnitFormat())
    assert len([*program.straight_steps()]) in (len(program.steps), count)
    assert len([*program.straight_steps()]) == count


@pytest.mark.parametrize(
    "text",
    ["lit1; lit0; div", "lit1; plus", "regx s0; lit1; mul", "lit1; drop; drop", "lit5; deref"],
)
def test_errors_name_the_operation(text: str) -> None:
    bound, stepped = bound_and_stepped(assemble(text, arch=GFX942), Context(GFX942))
    assert isinstance(stepped, tuple) and bound == stepped


def test_an_expression_that_is_evaluated_once_has_no_bound_form() -> None:
    """Making it takes as long as an evaluation."""
    data = assemble("lit11; lit12; plus; lit13; mul; stack_value", arch=GFX942)
    program = prepare(data, AMD, UnitFormat())
    evaluate(data, Context(GFX942))
    assert program.bound_form.steps is None
    evaluate(data, Context(GFX942))
    assert program.bound_form.steps is not None
    evaluate(data, Context(GFX942), observe=lambda step: None)
