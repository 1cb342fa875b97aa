"""The registry of the normative sentences of the AMD text, read from `clauses.txt`.

The summaries are our own words; the section numbers are the AMD text's.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, cast, get_args

from dwarfgpu.base.records import field, frozen

Kind = Literal["ill-formed", "evaluation-error", "must", "result"]
Side = Literal["keeps", "breaks"]
HERE = Path(__file__).resolve().parent


@frozen
class Clause:
    """One normative sentence."""

    id: str
    """Section and a name within it: `A.2.5.4.4.6/piece-4`."""
    section: str
    title: str
    kind: Kind
    summary: str
    missing: tuple[tuple[Side, str], ...] = ()
    """Sides that no test can show, and why."""


@frozen
class Test:
    """One row of a table, or one test, and the clauses that it is about."""

    __test__ = False

    module: str
    function: str
    name: str
    clauses: tuple[tuple[str, Side], ...]


def read_clauses() -> dict[str, Clause]:
    """The clauses by id, in the order of the file."""
    out: dict[str, Clause] = {}
    section = title = ""
    for line in (HERE / "clauses.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section, _, title = line[1:].partition("] ")
        elif line.startswith("  no "):
            side, _, reason = line[5:].partition(": ")
            assert side in get_args(Side), line
            last = out.popitem()[1]
            missing = (*last.missing, (cast(Side, side), reason))
            out[last.id] = Clause(
                last.id, last.section, last.title, last.kind, last.summary, missing
            )
        else:
            name, kind, summary = line.split(None, 2)
            assert kind in get_args(Kind), line
            clause = Clause(f"{section}/{name}", section, title, cast(Kind, kind), summary)
            assert clause.id not in out, f"{clause.id} is declared twice"
            out[clause.id] = clause
    return out


def read_tests() -> Iterator[Test]:
    """Every test of this folder that names a clause, row by row."""
    sys.path.insert(0, str(HERE.parents[1]))
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(f"tests.spec.{path.stem}")
        for name, function in vars(module).items():
            if name.startswith("test_") and getattr(function, "__module__", "") == module.__name__:
                yield from _of_function(path.stem, name, getattr(function, "pytestmark", []))


def _of_function(module: str, function: str, marks: list[object]) -> Iterator[Test]:
    own = _clauses(marks)
    if own:
        yield Test(module, function, "", own)
    for mark in marks:
        if getattr(mark, "name", "") != "parametrize":
            continue
        for row in getattr(mark, "args")[1]:  # noqa: B009 - a pytest mark, whatever its version
            named = _clauses(getattr(row, "marks", ()))
            if named:
                yield Test(module, function, row.id, named)


def _clauses(marks: object) -> tuple[tuple[str, Side], ...]:
    out: list[tuple[str, Side]] = []
    for mark in cast("list[object]", marks):
        mark = getattr(mark, "mark", mark)
        if getattr(mark, "name", "") == "clause":
            clause, side = getattr(mark, "args")  # noqa: B009
            out.append((clause, side))
    return tuple(out)


@frozen
class Coverage:
    """The clauses and what tests of each there are."""

    clauses: dict[str, Clause] = field(factory=read_clauses)
    tests: tuple[Test, ...] = field(factory=lambda: tuple(read_tests()))

    def of(self, clause: str, side: Side) -> list[Test]:
        return [test for test in self.tests if (clause, side) in test.clauses]

    def complaints(self) -> list[str]:
        """What is wrong: unknown clauses, unknown sides, sides without a test."""
        out: list[str] = []
        for test in self.tests:
            for clause, side in test.clauses:
                if clause not in self.clauses:
                    out.append(f"{test.module}::{test.function}[{test.name}]: no clause {clause}")
                if side not in get_args(Side):
                    out.append(f"{test.module}::{test.function}[{test.name}]: no side {side}")
        for clause in self.clauses.values():
            missing = dict(clause.missing)
            for side in get_args(Side):
                result = bool(self.of(clause.id, side))
                if not result and side not in missing:
                    out.append(f"{clause.id}: no test {side} it")
                if result and side in missing:
                    out.append(f"{clause.id}: a test {side} it, which it says none can")
        return out
