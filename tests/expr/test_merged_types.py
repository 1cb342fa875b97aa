"""A signed base type of the size of the generic type, and the generic type, as one type.

DWARF 5 2.5.1.4 does not allow it; clang writes it, and GDB, whose generic type is signed, reads it.
The numbers and the errors are GDB 13's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import BINARY64
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import IllFormed
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import (
    ConstValue,
    Context,
    ExprLoc,
    LocationAttribute,
    LocList,
    format_of,
)
from dwarfgpu.expr.dialect.dialect import AMD, AMD_PROVISIONAL, DIALECTS, DWARF6, Dialect
from dwarfgpu.expr.evaluate import EVALUATIONS, Step, evaluate
from dwarfgpu.expr.evaluate_lanes import evaluate_lanes
from dwarfgpu.expr.explicit_context import ExplicitUnit
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.expr.merged_types import merged_type_notes
from dwarfgpu.expr.static_check.checker import check
from dwarfgpu.expr.static_check.extent import extent_of
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.value import Value
from tests.cli.command import run, run_json
from tests.expr.test_evaluate_lanes import LANES, machine
from tests.repl.side_by_side import answers, build, with_core
from tests.work import at_most

SIGNED, UNSIGNED, FLOAT, SMALL, WIDE = 0x20, 0x30, 0x40, 0x50, 0x60
ARCHITECTURES = ["x86_64", "i386", "gfx942"]
REFUSED = "both operands must have the same type"


def types_of(arch: Architecture) -> dict[int, BaseType]:
    size = arch.generic.bit_size
    return {
        SIGNED: BaseType("long", "signed", size),
        UNSIGNED: BaseType("unsigned long", "unsigned", size),
        FLOAT: BaseType("double", "float", 64, float_format=BINARY64),
        SMALL: BaseType("short", "signed", 16),
        WIDE: BaseType("__int128", "signed", 128),
    }


def context_of(name: str, dialect: Dialect = AMD, merges: bool = True) -> Context:
    arch = architecture(name)
    unit = ExplicitUnit(format_of(arch), dialect=dialect, base_types=types_of(arch))
    return Context(arch, unit=unit, merges_signed=merges)


def result(text: str, ctx: Context) -> Value:
    """Return the value that all ways to evaluate have."""
    assert ctx.unit is not None
    data = assemble(text, ctx.unit.dialect, ctx.unit.format, ctx.architecture)
    steps: list[Step] = []
    observed = evaluate(data, ctx, result_kind="value", observe=steps.append)
    for _ in range(EVALUATIONS + 2):  # one by one, bound, compiled
        assert evaluate(data, ctx, result_kind="value") == observed
    assert isinstance(observed, Value) and steps[-1].after == (observed,)
    return observed


OPERATIONS = {
    "and": (1, 5), "or": (-5, -1), "xor": (-6, -6), "plus": (-4, 4), "minus": (-10, 10),
    "mul": (-21, -21), "div": (-2, -2), "shl": (-56, 0), "shra": (-1, 0), "shr": (None, 0),
    "mod": (-1, 1),  # its sign is that of the dividend
    "eq": (0, 0), "ne": (1, 1), "lt": (1, 0), "le": (1, 0), "gt": (0, 1), "ge": (0, 1),
}  # fmt: skip
"""What -7 and 3, and 7 and -3, give."""


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_all_operations_on_two_operands(arch: str, operation: str) -> None:
    ctx = context_of(arch)
    is_comparison = len(operation) == 2 and operation != "or"
    for (a, b), expected in zip(((-7, 3), (7, -3)), OPERATIONS[operation], strict=True):
        if expected is None:
            expected = ((1 << ctx.generic.bit_size) - 7) >> 3
        for text in (
            f"consts {a}; convert {SIGNED}; consts {b}; {operation}",
            f"consts {a}; consts {b}; convert {SIGNED}; {operation}",
        ):
            value = result(text, ctx)
            assert (value.as_signed, str(value.type)) == (
                expected,
                "generic" if is_comparison else "long",
            )


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("second", [f"lit3; convert {SIGNED}", "lit3"])
def test_the_result_converts_with_its_sign(arch: str, second: str) -> None:
    first = "consts -70" if "convert" in second else f"consts -70; convert {SIGNED}"
    ctx = context_of(arch)
    for operation, expected in (("plus", -67), ("shra", -9)):
        text = f"{first}; {second}; {operation}"
        assert result(f"{text}; convert {FLOAT}", ctx).number == expected
        assert result(f"{text}; convert {WIDE}", ctx).number == expected
        assert result(f"{text}; lit2; mul; convert {SMALL}", ctx).number == 2 * expected


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_the_top_bit_is_a_sign_after_a_conversion(arch: str) -> None:
    """GDB 13 shows the same for a core file of either size."""
    ctx = context_of(arch)
    least = -1 << ctx.generic.bit_size - 1
    for first, second in ((f"; convert {SIGNED}", ""), ("", f"; convert {SIGNED}")):
        for operation, number, expected in (
            ("plus", 0, least),
            ("minus", 1, -least - 1),
            ("or", 1, least + 1),
            ("shra", 1, least >> 1),
            ("shr", 1, -least >> 1),
        ):
            text = f"consts {least}{first}; lit{number}{second}; {operation}"
            assert result(f"{text}; convert {WIDE}", ctx).number == expected
            assert result(f"{text}; convert {FLOAT}", ctx).number == float(expected)
            unsigned = result(f"{text}; convert {UNSIGNED}", ctx)
            assert unsigned.bits == expected & (1 << ctx.generic.bit_size) - 1


@pytest.mark.parametrize("other", [UNSIGNED, FLOAT, SMALL, WIDE])
@pytest.mark.parametrize("operation", ["plus", "shl", "lt"])
def test_any_other_type_is_refused(other: int, operation: str) -> None:
    for text in (f"lit7; convert {other}; lit3", f"lit3; lit7; convert {other}"):
        with pytest.raises(IllFormed, match=REFUSED):
            result(f"{text}; {operation}", context_of("x86_64"))
    with pytest.raises(IllFormed, match=REFUSED):
        result(f"lit1; convert {SIGNED}; lit7; convert {other}; {operation}", context_of("i386"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"LLVM_push_lane; convert {SIGNED}; lit3; mul; lit9; minus", lambda lane: 3 * lane - 9),
        (f"lit9; convert {SIGNED}; LLVM_push_lane; minus", lambda lane: 9 - lane),
        (f"LLVM_push_lane; dup; convert {SIGNED}; lit5; lt; bra a; lit7; minus; skip b; "
         f"a: convert {SIGNED}; lit7; swap; minus; b: nop",
         lambda lane: 7 - lane if lane < 5 else lane - 7),
        (f"LLVM_push_lane; lit31; gt; bra a; lit9; convert {SIGNED}; skip b; a: lit8; b: lit1; "
         "plus; LLVM_push_lane; swap; minus", lambda lane: lane - (9 if lane > 31 else 10)),
    ],
)  # fmt: skip
def test_many_lanes_have_the_value_of_each(text: str, expected: Callable[[int], int]) -> None:
    base = context_of("gfx942")
    assert base.unit is not None
    data = assemble(f"{text}; stack_value", AMD, base.unit.format, base.architecture)

    def in_lane(wave: WaveId, lane: int, target: Target | None) -> Context:
        return evolve(
            base, wave=wave, lane=lane, lane_count=64, target=target, result_kind="location"
        )

    many = evaluate_lanes(data, in_lane, machine(), waves=(0, 1), lanes=LANES, size_bits=64)
    for lane in LANES:
        value = evaluate(data[:-1], evolve(base, wave=0, lane=lane, lane_count=64))
        assert isinstance(value, Value) and value.as_signed == expected(lane)
        for wave in (0, 1):
            bits = many.bits(wave, lane)
            assert bits.value == expected(lane) & (1 << 64) - 1
    refused = evaluate_lanes(
        data, lambda *of: evolve(in_lane(*of), merges_signed=False), machine(),
        waves=(0,), lanes=LANES, size_bits=64,
    )  # fmt: skip
    with pytest.raises(IllFormed, match=REFUSED):
        refused.bits(0, 1)


MIXED = f"lit7; convert {SIGNED}; lit3; mul"


@pytest.mark.parametrize("name", DIALECTS)
def test_only_dialects_of_compilers_merge(name: str) -> None:
    ctx = context_of("gfx942", DIALECTS[name])
    if DIALECTS[name].is_of_compilers:
        assert result(MIXED, ctx).number == 21
    else:
        with pytest.raises(IllFormed, match=REFUSED):
            result(MIXED, ctx)
    with pytest.raises(IllFormed, match=REFUSED):
        result(MIXED, evolve(ctx, merges_signed=False))


def note_of(text: str, ctx: Context) -> tuple[str, ...]:
    assert ctx.unit is not None
    data = assemble(text, ctx.unit.dialect, ctx.unit.format, ctx.architecture)
    program = prepare(data, ctx.unit.dialect, ctx.unit.format)
    return merged_type_notes(program, ctx.architecture, ctx.unit)


NOTE = (
    "long and the generic type count as one type, as clang means them and GDB reads them; --strict "
    "refuses them"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MIXED, [NOTE]),
        (f"{MIXED}; lit2; plus", [NOTE]),
        (f"lit3; lit7; convert {SIGNED}; lt", [NOTE]),
        (f"lit1; bra a; {MIXED}; a:", []),
        (f"bregx exec 0; bra a; {MIXED}; drop; a: lit1; stack_value", [NOTE]),
        (f"lit7; convert {SIGNED}; dup; mul", []),
        (f"lit7; convert {SIGNED}; convert 0; lit3; mul", []),
        (f"lit7; convert {UNSIGNED}; lit3; mul", []),
        ("lit7; lit3; mul", []),
        (f"entry_value ({MIXED}); stack_value", [NOTE]),
        (f"entry_value (regval_type v1 {SIGNED}); lit3; mul", [NOTE]),
        (f"entry_value (lit1; entry_value (lit7; convert {SIGNED}); mul)", [NOTE]),
        (f"lit1; bra a; drop; a: entry_value ({MIXED})", [NOTE]),
        (f"entry_value (lit7; convert {SIGNED}); dup; mul", []),
        (f"lit7; convert {SIGNED}; entry_value (regx v1); drop", []),
        (f"entry_value (lit7; convert {UNSIGNED}); lit3; mul", []),
    ],
)
def test_a_note_for_each_type(text: str, expected: list[str]) -> None:
    assert list(note_of(text, context_of("gfx942"))) == expected
    assert note_of(text, context_of("gfx942", AMD_PROVISIONAL)) == ()


CALLED, OF_CALLER, BRANCHING, LISTED, ITSELF, CONSTANT = 0x100, 0x200, 0x300, 0x400, 0x500, 0x600


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (f"call4 {CALLED}", ["long"]),
        (f"call2 {OF_CALLER}; lit3; mul", ["long"]),
        (f"lit7; convert {SIGNED}; call4 {BRANCHING}; mul", ["long"]),
        (f"LLVM_push_lane; bra a; a: call4 {CALLED}", ["long"]),
        (f"call4 {LISTED}", ["long"]),
        (f"call_ref {CALLED}", ["another"]),
        (f"call4 {ITSELF}", ["long"]),
        (f"entry_value (call4 {CALLED})", ["long"]),
        (f"call4 {OF_CALLER}; dup; mul", []),
        (f"call4 {CONSTANT}; lit3; mul", []),
        ("call4 0x999", []),
    ],
)
def test_notes_on_what_is_called(text: str, notes: list[str]) -> None:
    ctx = context_of("gfx942")
    assert isinstance(ctx.unit, ExplicitUnit)
    form = ctx.unit.format
    other = evolve(ctx.unit, base_types={SIGNED: BaseType("another", "signed", 64)})

    def location(text: str) -> bytes:
        return assemble(text, AMD, form, ctx.architecture)

    entries = (
        LocationListEntry(location(f"{MIXED}; stack_value"), 0, 16, None),
        LocationListEntry(location(f"{MIXED}; convert {UNSIGNED}; stack_value"), 16, 32, None),
    )
    own: dict[int, LocationAttribute | None] = {}
    unit = evolve(ctx.unit, locations=own)
    own |= {
        CALLED: ExprLoc(location(MIXED), unit),
        OF_CALLER: ExprLoc(location(f"lit7; convert {SIGNED}"), unit),
        BRANCHING: ExprLoc(location("LLVM_push_lane; bra a; lit2; skip b; a: lit1; b:"), unit),
        LISTED: LocList(entries, unit),
        ITSELF: ExprLoc(location(f"{MIXED}; call4 {ITSELF}"), unit),
        CONSTANT: ConstValue(b"7"),
    }
    if "call_ref" in text:
        own[CALLED] = ExprLoc(location(MIXED), other)
    program = prepare(location(text), AMD, form)
    shown = merged_type_notes(program, ctx.architecture, unit, 8)
    assert [note.split()[0] for note in shown] == notes
    ctx = evolve(ctx, unit=unit, lane=3, lane_count=64, wave=0, pc=8)
    if notes == ["long"] and "entry_value" not in text and str(ITSELF) not in text:
        evaluate(location(text), ctx)
        with pytest.raises(IllFormed, match=REFUSED):
            evaluate(location(text), evolve(ctx, merges_signed=False))


def test_calls_of_calls_are_followed_to_a_bound() -> None:
    ctx = context_of("gfx942")
    assert isinstance(ctx.unit, ExplicitUnit)
    own: dict[int, LocationAttribute | None] = {}
    unit = evolve(ctx.unit, locations=own)
    for text in (f"{MIXED}; drop; ", f"lit0; bra a; a: {MIXED}; drop; "):
        text += "; ".join([f"call4 {ITSELF}"] * 20)
        data = assemble(text, AMD, unit.format, ctx.architecture)
        own[ITSELF] = ExprLoc(data, unit)
        program = prepare(data, AMD, unit.format)
        with at_most(1_000_000):  # of 20 ** 8 calls
            assert merged_type_notes(program, ctx.architecture, unit) == (NOTE,)


@pytest.mark.parametrize(
    ("innermost", "notes", "most"), [("lit1", (), 3_000), (MIXED, (NOTE,), 100_000)]
)
def test_what_is_called_often_is_looked_at_once(
    innermost: str, notes: tuple[str, ...], most: int
) -> None:
    """Each of 8 entries calls the next one twice."""
    ctx = context_of("gfx942")
    assert isinstance(ctx.unit, ExplicitUnit)
    own: dict[int, LocationAttribute | None] = {}
    unit = evolve(ctx.unit, locations=own)
    texts = [
        innermost,
        *(f"call4 {0x100 + level}; drop; call4 {0x100 + level}" for level in range(7)),
    ]
    for level, text in enumerate(texts):
        own[0x100 + level] = ExprLoc(assemble(text, AMD, unit.format, ctx.architecture), unit)
    program = prepare(assemble("call4 0x107", AMD, unit.format), AMD, unit.format)
    merged_type_notes(program, ctx.architecture, unit)  # the first time decodes all
    with at_most(most):
        assert merged_type_notes(program, ctx.architecture, unit) == notes


@pytest.mark.parametrize(
    ("text", "by_compilers"), [(MIXED, "whole"), (f"lit7; convert {UNSIGNED}; lit3; mul", "broken")]
)
def test_check_keeps_to_the_text_and_extents_to_compilers(text: str, by_compilers: str) -> None:
    ctx = context_of("x86_64")
    assert ctx.unit is not None
    form, arch, types = ctx.unit.format, ctx.architecture, types_of(architecture("x86_64"))
    data = assemble(f"{text}; stack_value", AMD, form)
    for known in (None, types):
        (finding,) = check(data, AMD, form, arch, base_types=known)
        assert (finding.rule, finding.severity) == ("mixed-types", "error")
    assert extent_of(data, AMD, form, arch, types).completeness == by_compilers
    assert extent_of(data, AMD, form, arch).completeness == "whole"  # with some type
    assert extent_of(data, DWARF6, form, arch, types).completeness == "broken"


SOURCE = r"""
volatile int zero;
__attribute__((noinline)) int f(int i) {
  long j = i;
  long k = j * 3 - 7, q = k ^ 0x55, r = 9 - j, s = k << 2;
  long low = j & 3, quotient = k / 3, half = k >> 1;
  asm volatile("int3\n nop" :: "D"(i));
  return zero;
}
int main(int argc, char **argv) { return f(argc - 6); }
"""


def test_a_program_of_clang(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Each of the variables is computed with a base type and literals."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("clang-19"), "-g", "-O2", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    names = ["j", "k", "q", "r", "s", "low", "quotient", "half"]
    commands = ["frame function f", *(f"print {name}" for name in names)]
    shown = answers(None, files, commands)
    values = [text.split("\n")[1] for text in shown[1:]]
    expected = [text.split("\n")[1] for text in answers(tool("gdb"), files, commands)[1:]]
    assert values == expected and "$2 = -22" in values
    program, core = files
    of_k = run_json("eval", "--file", program, "--core", core, "k")
    assert of_k.json["data"] == -22 and NOTE[4:] in " ".join(of_k.json["notes"])
    refused = run("eval", "--file", program, "--core", core, "--strict", "k")
    assert refused.error is not None and REFUSED in refused.error
    assert "100.0% of" in run("where", program, "f::k").out
    assert "[mixed-types, A.2.5.4.3.2]" in run("check", program, "--only", "mixed-types").out
