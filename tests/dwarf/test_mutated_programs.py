"""Programs in several files, some of which are broken: every question gets an answer or one clear
error, soon. `tools/fuzz.py --files` runs as many as wanted."""

from __future__ import annotations

import random

import pytest

from tests.work import sometimes_at_most
from tools.fuzz_files import SPLIT, asked, mutated_file, one_round

MAX_CALLS = 20_000_000
"""Of functions, for all questions to one program of a few kilobytes."""


def test_mutated_programs_give_only_our_errors() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    for number in range(60):
        with sometimes_at_most(number, MAX_CALLS):
            assert one_round(seed + number)


@pytest.mark.parametrize("name", ["a.dwo", "prog.dwp", "common.debug"])
def test_mutations_reach_the_reader(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the rounds do is not an empty exercise: whole files give answers, broken ones errors."""
    kind = "dwz4" if name == "common.debug" else "gcc5"
    source = random.Random(7)
    kinds: set[str] = set()
    for number in range(12):
        folder = tmp_path_factory.mktemp("program")
        for file in ("prog", name):
            data = (SPLIT / kind / file).read_bytes()
            broken = number and file == name
            (folder / file).write_bytes(mutated_file(source, data) if broken else data)
        outcomes = asked(folder / "prog", folder)
        if not number:
            assert set(outcomes) <= {"answer", "MissingContext"} and outcomes["answer"] > 50
        kinds |= set(outcomes)
    assert kinds & {"Malformed", "IllFormed"} or "InconsistentContext" in kinds
