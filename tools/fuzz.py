"""Fuzz the expression engine: only dwarfgpu's errors come out, within limits.

    python tools/fuzz.py --seconds 60 [--seed N] [--files]

With `--files` the reader instead: `tools/fuzz_files.py`.

Each round makes a world from its seed and tries expressions on it: meaningful ones, mutated ones,
random bytes. A failure prints the seed of its round, which alone reproduces it:
`--seed N --rounds 1`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from dwarfgpu.base.records import evolve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dwarfgpu.access.compare_single_locations import Comparison
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context, format_of
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.expr.evaluate import Result, Step, evaluate
from dwarfgpu.expr.static_check.checker import check
from dwarfgpu.expr.text.assembly import assemble, disassemble, expression_text
from dwarfgpu.model.location import ImplicitPointerValue, Location
from dwarfgpu.view.location_json import entry_json
from dwarfgpu.view.location_text import entry_text, location_text
from tools import fuzz_files
from tools.worlds import World, mutated, random_context, random_expression

EXPRESSIONS = 12
"""Tried in one world."""
SLOW_SECONDS = 20.0
"""Of processor time. With the tight limits of a world, no round takes that long."""


def one_round(seed: int) -> Counter[str]:
    """Outcomes by kind; raises whatever the engine should not have raised."""
    rng = Random(seed)
    world = World.random(rng, rng.choice(list(DIALECTS.values())))
    ctx = random_context(rng, world)
    outcomes: Counter[str] = Counter()
    for _ in range(EXPRESSIONS):
        data = random_expression(rng, world, rng.randrange(14))
        match rng.randrange(4):
            case 0:
                data = mutated(rng, data)
            case 1 if rng.random() < 0.3:
                data = rng.randbytes(rng.randrange(20))
        try:
            outcomes[_try(rng, world, ctx, data)] += 1
        except Exception as error:
            error.add_note(f"expression {data.hex()} in dialect {world.dialect}, seed {seed}")
            raise
    return outcomes


def _try(rng: Random, world: World, ctx: Context, data: bytes) -> str:
    """One expression: evaluated, its result used, shown; checked; printed as text and back."""
    steps: list[Step] = []
    observe = steps.append if rng.random() < 0.7 else None
    kind, result = "", None
    try:
        result = evaluate(data, ctx, dialect=world.dialect, observe=observe)
        kind = type(result).__name__
    except DwarfGpuError as error:
        assert str(error) and "\n" not in str(error), "not one line"
        kind = error.kind
    if result is not None:
        _use(rng, ctx, result)
    _check(world, ctx, data, steps if observe else None, result)
    if rng.random() < 0.3:
        form, arch = world.form, world.architecture
        lines = "\n".join(map(str, disassemble(data, world.dialect, form, arch)))
        assert assemble(lines, world.dialect, form, arch) == data, lines
        expression_text(data, world.dialect, form, arch)
    return kind


def _use(rng: Random, ctx: Context, result: Result) -> None:
    """Read, write and show a result."""
    assert len(repr(result)) < 200_000
    entry_text(result)
    entry_json(result, ctx.endian)
    if not isinstance(result, Location):
        return
    location_text(result)
    rest = result.remaining_bits
    size = rng.choice((0, 1, 8, 32, 64, 100, 5000, 1 << 20, 64 if rest is None else rest))
    access = ctx.access
    for use in (
        lambda: access.read(result, size),
        lambda: access.retrieve(result, size),
        lambda: access.read_bytes(result, size // 8),
        lambda: access.write(result, size, rng.getrandbits(64)),
        lambda: evolve(ctx, comparison=Comparison()).access.read(result, size),
        lambda: result.displaced(rng.randrange(-64, 64)),
    ):
        try:
            use()
        except DwarfGpuError as error:
            assert str(error) and "\n" not in str(error), "not one line"


def _check(
    world: World, ctx: Context, data: bytes, steps: list[Step] | None, result: Result | None
) -> None:
    """The law of the static check: what it calls an error does fail when it is performed."""
    findings = check(
        data,
        world.dialect,
        world.form if ctx.unit is not None else format_of(ctx.architecture),
        ctx.architecture,
        initial_stack_depth=len(ctx.initial_stack),
        result_kind=ctx.result_kind,
    )
    errors = {finding.offset: finding for finding in findings if finding.severity == "error"}
    endless = any("it never ends" in error.message for error in errors.values())
    if result is not None:
        assert not endless, "an endless loop that ended"
        assert len(data) not in errors or isinstance(result, ImplicitPointerValue), findings
    for step in steps or ():
        # What is called or nested is another expression, with offsets of its own.
        if step.depth == 0 and step.error is None:
            value = errors.get(step.instruction.offset)
            assert value is None or endless, (value, step)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parser.add_argument("--rounds", type=int, default=1 << 60)
    parser.add_argument("--files", action="store_true", help="files with debug information")
    arguments = parser.parse_args()
    outcomes: Counter[str] = Counter()
    end = time.monotonic() + arguments.seconds
    seed = arguments.seed
    while time.monotonic() < end and seed < arguments.seed + arguments.rounds:
        started = time.process_time()
        outcomes += fuzz_files.one_round(seed) if arguments.files else one_round(seed)
        took = time.process_time() - started
        assert took < SLOW_SECONDS, f"took {took:.1f} s, seed {seed}"
        seed += 1
    print(f"{seed - arguments.seed} rounds: {dict(outcomes.most_common())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
