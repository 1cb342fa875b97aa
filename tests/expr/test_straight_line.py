"""Expressions that are one function: its answers are those of the operations one by one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from random import Random

import pytest

from dwarfgpu.access.coalesced_reads import READ_BUDGET
from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import CompiledForm
from dwarfgpu.expr.context import Context, ResultKind
from dwarfgpu.expr.dialect.dialect import AMD, AMD_PROVISIONAL
from dwarfgpu.expr.evaluate import EVALUATIONS, Evaluator, evaluate, program_of
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.expr.straight_line import compiled
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import Location
from tools.bench import EXPRESSIONS
from tools.bench import context as bench_context
from tools.worlds import ARCHITECTURES, Machine, World, random_context, random_expression

GFX942 = architecture("gfx942")


def answer(ask: Callable[[], object]) -> object:
    """What a question gives, with the stop of a location; an error is its kind, message and
    operation."""
    try:
        result = ask()
    except DwarfGpuError as error:
        return type(error), error.message, error.site
    return result, result.stop if isinstance(result, Location) else None, repr(result)


def performed(data: bytes, ctx: Context) -> object:
    """The answer of the operations one by one: observers see every step."""
    return answer(lambda: evaluate(data, ctx, dialect=AMD_PROVISIONAL, observe=lambda step: None))


def form_of(data: bytes, ctx: Context) -> CompiledForm:
    return compiled(program_of(data, ctx, AMD_PROVISIONAL), ctx)


def given(form: CompiledForm, ctx: Context) -> object | None:
    """What the function gives; None where the operations have to be performed."""
    assert form.evaluated is not None
    result = form.evaluated(ctx)
    return None if result is None else answer(lambda: result)


@cache
def pooled(seed: int) -> tuple[World, Context]:
    rng = Random(seed)
    world = World.random(rng, AMD_PROVISIONAL, ARCHITECTURES[seed % len(ARCHITECTURES)])
    return world, evolve(random_context(rng, world), initial_stack=(), object=None)


@pytest.mark.parametrize("seed", range(4))
def test_random_expressions(seed: int) -> None:
    rng = Random(seed)
    made = answered = 0
    for _ in range(150):
        world, ctx = pooled(rng.randrange(60))
        data = random_expression(rng, world, rng.randrange(1, 6))
        if ctx.architecture is None:
            continue
        form = form_of(data, ctx)
        if form.evaluated is None:
            continue
        made += 1
        result = given(form, ctx)
        if result is not None:
            answered += 1
            assert result == performed(data, ctx), data.hex()
    assert made > 5 and answered > 1


class Likely:
    """The texts of expressions as compilers write them, and of some that fail."""

    def __init__(self, rng: Random, arch: Architecture) -> None:
        self.choice = rng.choice
        self.registers = [rng.choice([*arch.registers]) for _ in range(3)]
        self.spaces = [number for number in arch.address_spaces if number < 32]

    def expression(self) -> str:
        extra = ("", "", "dup; drop; ", "lit1; swap; ", "lit1; over; ", "lit2; lit3; rot; ")
        whole = self.choice((self.value, self.place, self.place, self.pieces))
        return self.choice(extra) + whole(2)

    def value(self, depth: int) -> str:
        small = f"lit{self.choice(range(9))}"
        kind = self.choice(("leaf", "binary", "shift", "uconst") if depth > 0 else ("leaf",))
        if kind == "binary":
            operation = self.choice(("plus", "minus", "mul", "and", "or", "xor"))
            return f"{self.value(depth - 1)}; {self.value(depth - 1)}; {operation}"
        if kind == "shift":
            return f"{self.value(depth - 1)}; {small}; {self.choice(('shl', 'shr', 'div'))}"
        if kind == "uconst":
            return f"{self.value(depth - 1)}; plus_uconst {self.choice((5, 1 << 63))}"
        number = f"const8u {self.choice((0, 1, 3, 8, 1000, 1 << 31, (1 << 64) - 8))}"
        read = f"{self.place(depth - 1)}; deref_size 2"
        return self.choice(("LLVM_push_lane", small, number, read))

    def place(self, depth: int) -> str:
        small = f"lit{self.choice(range(9))}"
        leaves = [f"regx {self.choice(self.registers)}"] * 2 + [f"{small}; {self.space()}", small]
        if depth <= 0:
            return self.choice(leaves)
        match self.choice(range(10)):
            case 0:
                return f"{self.value(depth)}; {self.space()}"
            case 1:
                return f"{self.place(depth - 1)}; {self.value(1)}; LLVM_offset"
            case 2:
                return f"{self.place(depth - 1)}; LLVM_push_lane; lit2; mul; LLVM_offset"
            case 3:
                return f"{self.place(depth - 1)}; LLVM_offset_uconst {self.choice((0, 2, 9))}"
            case 4:
                return f"{self.place(depth - 1)}; lit3; LLVM_bit_offset"
            case 5:
                both = f"{self.place(depth - 2)}; {self.place(depth - 2)}"
                return f"{both}; {self.value(1)}; LLVM_select_bit_piece 8, 4"
            case 6:
                return f"{self.value(depth)}; stack_value"
            case 7:
                return f"{self.place(depth - 1)}; LLVM_extend 8, 3"
            case 8:
                return f"{self.pieces(depth - 1)}; LLVM_piece_end"
        return self.choice(leaves)

    def space(self) -> str:
        return f"lit{self.choice(self.spaces)}; LLVM_form_aspace_address"

    def pieces(self, depth: int) -> str:
        return "; ".join(self.piece(depth) for _ in range(self.choice((1, 2, 3))))

    def piece(self, depth: int) -> str:
        end = self.choice(("piece 1", "piece 2", "bit_piece 8, 0", "bit_piece 4, 4"))
        match self.choice(range(4)):
            case 0:
                return end
            case 1:
                return f"{self.value(1)}; stack_value; {end}"
        return f"{self.place(depth)}; {end}"


@pytest.mark.parametrize("seed", range(4))
def test_likely_expressions(seed: int) -> None:
    rng = Random(seed)
    made = answered = 0
    for index in range(150):
        arch = ARCHITECTURES[index % len(ARCHITECTURES)]
        level = 0 if rng.random() < 0.95 else 1
        ctx = Context(
            arch,
            wave=None if rng.random() < 0.03 else 0,
            lane=None if rng.random() < 0.03 else rng.randrange(arch.lane_count),
            frame=None if rng.random() < 0.03 else ExplicitFrame(arch, level),
            target=None if rng.random() < 0.03 else Machine(rng.randbytes(509), arch),
            result_kind=rng.choice((None, None, None, "location", "location", "value")),
        )
        data = assemble(Likely(rng, arch).expression(), AMD_PROVISIONAL, arch=arch)
        form = form_of(data, ctx)
        if form.evaluated is None:
            continue
        made += 1
        result, expected = given(form, ctx), performed(data, ctx)
        if result is not None:
            answered += 1
            assert result == expected, data.hex()
    assert made > 25 and answered > 20


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, text, _ in EXPRESSIONS if name != "branches"]
)
def test_the_expressions_of_the_benchmarks_are_functions(name: str, text: str) -> None:
    ctx = bench_context()
    data = assemble(text, arch=GFX942)
    for kind in (None, "location"):
        own = evolve(ctx, result_kind=kind)
        assert given(form_of(data, own), own) == performed(data, own)


def test_an_expression_is_compiled_when_it_is_evaluated_often() -> None:
    ctx = bench_context()
    data = assemble("lit11; lit12; plus; lit13; mul; LLVM_push_lane; plus", arch=GFX942)
    program = program_of(data, ctx)
    for _ in range(EVALUATIONS - 1):
        evaluate(data, ctx)
    assert program.bound_form.compiled is None
    expected = evaluate(data, ctx)
    form = program.bound_form.compiled
    assert form is not None and form.evaluated is not None
    for _ in range(EVALUATIONS):
        assert evaluate(data, ctx) == expected
    assert program.bound_form.compiled is form
    assert evaluate(data, evolve(ctx, lane=4)) != expected


@pytest.mark.parametrize(
    "change",
    [
        {
            "architecture": architecture("gfx90a"),
            "target": None,
            "frame": ExplicitFrame(architecture("gfx90a")),
        },
        {"limits": Limits(steps=3)},
        {"result_kind": "value"},
        {"object": Location(())},
        {"initial_stack": (Location(()),)},
    ],
    ids=["architecture", "limits", "result_kind", "object", "initial_stack"],
)
def test_it_is_for_contexts_like_the_one_that_it_was_made_for(change: dict[str, object]) -> None:
    ctx = bench_context()
    form = form_of(assemble("regx s4", arch=GFX942), ctx)
    assert given(form, ctx) is not None and given(form, evolve(ctx, **change)) is None


def test_a_register_is_that_of_its_wave_at_this_stop() -> None:
    """Its location is made once for a wave and a stop: another of either has its own."""
    ctx = bench_context()
    target = ctx.target
    assert isinstance(target, StateTarget)
    target.add_wave(1)
    target.set_register(1, GFX942.by_name["s4"], b"\1\2\3\4")
    form = form_of(assemble("regx s4", arch=GFX942), ctx)
    for stop in (0, 1, 0, 2):
        target.stop = stop
        for wave in (0, 1, 0):
            own = evolve(ctx, wave=wave)
            assert given(form, own) == performed(assemble("regx s4", arch=GFX942), own)
            location = evaluate(assemble("regx s4", arch=GFX942), own)
            assert isinstance(location, Location) and location.stop == stop
            assert own.access.read_bytes(location, 4) == (b"\1\2\3\4" if wave else bytes(4))


def test_a_register_takes_five_calls() -> None:
    """Of Python's functions: to evaluate, find the program, perform it, read and load."""
    ctx = bench_context()
    data = assemble("regx s4", arch=GFX942)

    def read() -> bytes:
        location = evaluate(data, ctx)
        assert isinstance(location, Location)
        return ctx.access.read_bytes(location, 4)

    for _ in range(EVALUATIONS + 1):
        read()
    calls: list[str] = []
    sys.setprofile(
        lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None
    )
    try:
        read()
    finally:
        sys.setprofile(None)
    assert calls == ["read", "evaluate", "program_of", "evaluated", "read_bytes", "read_register"]


def test_a_negative_displacement_is_not_a_large_one() -> None:
    """All but a few numbers are offsets within the default address space, which 64 bits fill."""
    ctx = bench_context()
    data = assemble("lit1; lit0; LLVM_push_lane; minus; LLVM_offset", arch=GFX942)
    assert given(form_of(data, ctx), ctx) is None
    assert "outside" in str(performed(data, ctx))


def test_a_read_that_fails_is_the_error_of_its_operation() -> None:
    ctx = bench_context()
    data = assemble("regx s5; deref_size 4; LLVM_push_lane; plus", AMD, arch=GFX942)
    for _ in range(EVALUATIONS):
        evaluate(data, ctx)
    form = program_of(data, ctx).bound_form.compiled
    assert form is not None and given(form, ctx) is not None
    ctx.target.forget_register(0, GFX942.by_name["s5"], 0, 4)  # type: ignore[union-attr]
    assert given(form, ctx) is None
    error = answer(lambda: evaluate(data, ctx))
    assert error == answer(lambda: evaluate(data, ctx, observe=lambda step: None))
    assert "s5" in str(error)


def test_reads_within_an_evaluation_count_as_its_own() -> None:
    """The function does not count what it reads: within another evaluation it is not used."""
    ctx = evolve(bench_context(), limits=Limits(total_bytes=10))
    data = assemble("regx s5; deref_size 4", AMD, arch=GFX942)
    for _ in range(EVALUATIONS + 2):
        evaluate(data, ctx)
    with Evaluator(ctx, None):
        assert READ_BUDGET.get() is not None
        evaluate(data, ctx)
        evaluate(data, ctx)
        with pytest.raises(DwarfGpuError, match="more than 10 bytes read"):
            evaluate(data, ctx)


def test_the_byte_limit_decides_whether_an_expression_is_compiled() -> None:
    data = assemble("regx s5; deref_size 4; regx s4; deref_size 4; plus", AMD, arch=GFX942)
    for total_bytes, is_made in ((8, True), (7, False)):
        ctx = evolve(bench_context(), limits=Limits(total_bytes=total_bytes))
        assert (form_of(data, ctx).evaluated is not None) == is_made


def test_kinds_of_results_that_alternate() -> None:
    data, ctx = assemble("regx v3; LLVM_push_lane; LLVM_offset", arch=GFX942), bench_context()
    kinds: tuple[ResultKind | None, ...] = (None, "location")
    for kind in kinds * (2 * EVALUATIONS):
        own = evolve(ctx, result_kind=kind)
        assert answer(lambda own=own: evaluate(data, own)) == performed(data, own)
