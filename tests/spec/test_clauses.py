"""Every clause of clauses.txt has a test that keeps it and one that breaks it, and
docs/conformance.md says so. The clauses were chosen from the AMD text by reading it."""

from __future__ import annotations

from pathlib import Path

from tests.spec.clauses import Clause, Coverage, Test
from tools.gen_conformance import OUTPUT, document

COVERAGE = Coverage()


def test_every_clause_is_kept_and_broken() -> None:
    assert COVERAGE.complaints() == []


def test_the_document_is_up_to_date() -> None:
    assert OUTPUT.read_text() == document(COVERAGE), "run tools/gen_conformance.py"


def test_every_table_is_collected(repository: Path) -> None:
    files = sorted((repository / "tests/spec").glob("test_a_*.py"))
    assert {test.module for test in COVERAGE.tests} >= {path.stem for path in files}


def test_complaints() -> None:
    """What the first test is for."""
    clause = Clause("A.1/x", "A.1", "made up", "must", "a rule", (("breaks", "it has none"),))
    kept = Test("m", "f", "row", (("A.1/x", "keeps"),))
    wrong = Test("m", "f", "row", (("A.1/x", "breaks"), ("A.1/y", "keeps")))
    assert Coverage({clause.id: clause}, (kept,)).complaints() == []
    assert Coverage({clause.id: clause}, (wrong,)).complaints() == [
        "m::f[row]: no clause A.1/y",
        "A.1/x: no test keeps it",
        "A.1/x: a test breaks it, which it says none can",
    ]
