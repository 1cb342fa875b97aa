"""No input makes the engine raise anything but its errors, hang, or fill the memory."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.operation_budget import OPERATION_BUDGET, OperationBudget, budget_of_command
from tests.expr import hostile
from tests.expr.hostile import context, op
from tests.work import assert_linear, at_most, sometimes_at_most
from tools.fuzz import one_round

CASES = Path(__file__).resolve().parent / "hostile.py"

MAX_CALLS = 5_000_000
"""Of functions, for one round of the fuzzer, whose limits are tight."""
FEW, SMALL, DECODED, LARGE = 6, 16, 18, 100
"""Megabytes: of 25,000 composites in one another; where nothing large is made; of 75,000
operations, 25,000 of them different; and where 25,000 different things are kept."""


@pytest.fixture(scope="module")
def processes() -> Iterator[subprocess.Popen[str]]:
    """What runs each case that it is given in a process of its own, without starting Python.

    A process that a program starts begins with the greatest size of that program, so that it would
    seem to need nothing beside the tests.
    """
    command, pipe = [sys.executable, str(CASES)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as made:
        yield made


@pytest.mark.parametrize(
    ("name", "outcome", "megabytes"),
    [
        ("extend 2**60", "Location", SMALL),
        ("extend 2**60 read", "LimitExceeded", SMALL),
        ("extend 2**60 a little", "bits", SMALL),
        ("extend 2**62", "IllFormed", SMALL),
        ("skip to itself", "LimitExceeded", SMALL),
        ("loop", "LimitExceeded", SMALL),
        ("growing stack", "LimitExceeded", SMALL),
        ("piece_end of piece", "bits", FEW),
        ("extend of extend", "bits", FEW),
        ("shrinking extends", "bits", LARGE),
        ("overlay of overlay", "bits", FEW),
        ("two-part nest", "bits", FEW),
        ("growing nest", "LimitExceeded", DECODED),
        ("growing nest, allowed", "bits", LARGE),
        ("select of select", "bits", FEW),
        ("pieces of a nest", "bits", LARGE),
        ("doubling extends", "bits", SMALL),
        ("doubling overlays", "bits", SMALL),
        ("doubling selects", "bits", SMALL),
        ("doubling read whole", "LimitExceeded", LARGE),
        ("pieces on a deep stack", "bits", LARGE),
        ("unfinished pieces shown", "str", LARGE),
        ("const_type of 255 bytes", "IllFormed", SMALL),
        ("padded ULEB", "Location", SMALL),
        ("padded SLEB", "Location", SMALL),
        ("padded ULEB of a megabyte", "Location", LARGE),
        ("huge ULEB", "Location", SMALL),
        ("huge size", "Malformed", SMALL),
        ("huge displacement", "OutOfRange", SMALL),
        ("huge block", "Malformed", SMALL),
        ("huge base type", "Unsupported", SMALL),
        ("huge pick", "IllFormed", SMALL),
        ("mutual calls", "LimitExceeded", SMALL),
        ("implicit pointer cycle", "LimitExceeded", SMALL),
        ("nested entry values", "MissingContext", SMALL),
        ("a piece of 2**20 bits", "unknown bits", SMALL),
        ("many places", "LimitExceeded", SMALL),
        ("places in places", "LimitExceeded", LARGE),
        ("loop over a list", "LimitExceeded", SMALL),
        ("large constants", "LimitExceeded", SMALL),
        ("bits of one large constant", "bits", LARGE),
        ("checked", "list", LARGE),
    ],
)
def test_hostile(
    processes: subprocess.Popen[str], name: str, outcome: str, megabytes: float
) -> None:
    assert processes.stdin and processes.stdout
    processes.stdin.write(f"{name}\n")
    processes.stdin.flush()
    measured = json.loads(processes.stdout.readline())
    assert measured["outcome"] == outcome
    assert measured["megabytes"] < megabytes


CALLS_OF_A_STEP = 22
"""At most, those of C included, for an operation of the loops below."""


@pytest.mark.parametrize(
    "body",
    [
        op("plus_uconst", 1) + op("dup") + op("bra", -6),
        op("lit1") + op("minus") + op("skip", -5),
        op("lit8") + op("deref") + op("plus") + op("lit1") + op("plus") + op("skip", -8),
        op("lit5") + op("mul") + op("lit1") + op("plus") + op("skip", -7),
    ],
    ids=["plus", "minus", "deref", "mul"],
)
def test_a_loop_that_counts_ends_after_little_work(body: bytes) -> None:
    """Within a second of processor time for 100,000 operations, where a call takes less than half a
    microsecond."""
    limits = Limits(steps=20_000)
    with at_most(CALLS_OF_A_STEP * limits.steps), pytest.raises(LimitExceeded) as caught:
        evaluate(op("lit3") + body, evolve(context(), limits=limits))
    assert caught.value.message == "more than 20000 operations performed (--max-steps)"


def test_expressions_of_a_command_share_its_operations() -> None:
    """A list of variables that all loop ends; the next command, and the next stop, begin anew."""
    loop = op("lit3") + op("plus_uconst", 1) + op("dup") + op("bra", -6)
    limits = Limits(steps=1256, command_steps=2500)

    def ended_by() -> list[str | None]:
        kinds = []
        for _ in range(4):
            with pytest.raises(LimitExceeded) as caught:
                evaluate(loop, evolve(context(), limits=limits))
            kinds.append(caught.value.option)
        return kinds

    assert ended_by() == ["--max-steps"] * 4, "outside of commands"
    for _ in range(2):
        with budget_of_command():
            assert ended_by() == ["--max-steps"] * 2 + ["--max-command-steps"] * 2
    budget = OperationBudget()
    for stop in (1, 2):
        budget.spend(2500, limits, stop)
    with pytest.raises(LimitExceeded, match="more than 2500 operations in one command"):
        budget.spend(1, limits, 2)


def test_a_budget_ends_with_its_command() -> None:
    """Also where output is left half-way, and its generator ends when it is freed."""

    def output() -> Iterator[int]:
        with budget_of_command():
            yield 1

    with budget_of_command():
        left = output()
        next(left)
    assert OPERATION_BUDGET.get() is None
    left.close()
    assert OPERATION_BUDGET.get() is None


@pytest.mark.parametrize("name", hostile.SIZED)
def test_takes_linear_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases above that are made of very many operations, with fewer."""

    def sized(count: int) -> Callable[[], object]:
        def work() -> object:
            monkeypatch.setattr(hostile, "MANY", count)
            with contextlib.suppress(DwarfGpuError):
                return hostile.CASES[name]()

        return work

    assert_linear(sized, 500)


@pytest.mark.parametrize("seed", range(0, 160, 40))
def test_fuzz(seed: int) -> None:
    """A short run of `tools/fuzz.py`; a failure prints the seed of its round."""
    for number in range(seed, seed + 40):
        with sometimes_at_most(number, MAX_CALLS):
            one_round(number)
