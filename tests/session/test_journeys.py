"""How many functions answer a question (docs/benchmarks.md, "Calls"): a guard against asking again.

The bounds are the counts of the document and a tenth more; the aims of two of them are below.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dwarfgpu.expr.evaluate import EVALUATIONS
from tools.bench_journeys import calls_of_journey, questions

DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs/benchmarks.md"
ROW = re.compile(r"^\| ([a-g]'?) \| .* \| ([\d,]+) \| \d+ \|$", re.MULTILINE)
COUNTED = {
    letter: int(count.replace(",", "")) for letter, count in ROW.findall(DOCUMENT.read_text())
}
AIMS = {"d": 500, "f": 900, "g": 900}


def test_the_document_has_every_journey() -> None:
    assert COUNTED.keys() == questions().keys()


@pytest.mark.parametrize("letter", COUNTED)
def test_no_more_calls_than_the_document_says(letter: str) -> None:
    count, _ = calls_of_journey(questions()[letter][1])
    assert count <= 1.1 * COUNTED[letter]


@pytest.mark.parametrize("letter", AIMS)
def test_the_aims_are_met(letter: str) -> None:
    assert COUNTED[letter] < AIMS[letter]


def test_a_repeated_question_has_twice_the_calls() -> None:
    question = questions()["b"][1]
    once, _ = calls_of_journey(question)
    twice, _ = calls_of_journey(lambda: (question(), question()))
    assert twice == 2 * once + 2
    assert once > 100


def test_the_evaluation_that_compiles_an_expression_is_not_counted() -> None:
    """Whatever the process has evaluated before, one of these counts meets it."""
    question = questions()["b"][1]
    assert len({calls_of_journey(question) for _ in range(EVALUATIONS)}) == 1
