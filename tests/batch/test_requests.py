"""Requests of a program that mean nothing: each is an error before a file is examined."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.batch import Options, corpus_report, examine, examine_all, members
from dwarfgpu.errors import UsageError
from tests.cli.command import FIXTURES

NEST = str(FIXTURES / "hip/nest.gfx942.O2.v5.co")
Wrong = Any
"""A value of a type that the function does not have."""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": frozenset({"stack_underflow"})}, 'Did you mean "stack-underflow"'),
        (
            {"rules": "stack-underflow"},
            "^Options.rules: expected frozenset of str or None, not",
        ),
        ({"rules": frozenset({5})}, "there is no rule 5"),
        ({"dialect": "zz"}, "unknown dialect zz; known: amd,"),
        ({"dialect": 5}, "^Options.dialect: expected str or None, not 5$"),
        ({"target": 0}, "^Options.target: expected str or None, not 0$"),
        (
            {"debug_directories": "/usr"},
            "debug_directories: expected tuple of str or Path, not '/usr'",
        ),
        ({"debug_directories": (5,)}, "debug_directories.0.: expected str or Path, not 5$"),
        ({"limits": None}, "^Options.limits: expected FileLimits, not None$"),
        ({"minimum": Fraction(101)}, "minimum: expected a Fraction from 0 to 100 or None"),
        ({"minimum": "5"}, "minimum: expected Fraction or None, not '5'"),
    ],
)
def test_wrong_options(options: Wrong, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Options(**options)


@pytest.mark.parametrize(
    ("member", "question", "options", "message"),
    [
        (NEST, "check", {}, "^options: expected Options, not an object of dict$"),
        (NEST, "what", Options(), "^question: expected one of check, .*, not 'what'$"),
        (NEST, ["check"], Options(), "^question: expected str, not an object of list$"),
        (5, "check", Options(), "^member: expected a Member or a path as str, not 5$"),
    ],
)
def test_wrong_requests(member: Wrong, question: Wrong, options: Wrong, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        examine(member, question, options)
    if member == NEST:
        with pytest.raises(UsageError, match=message):
            examine_all([member], question, options)


@pytest.mark.parametrize("paths", ["w/m/n.co", Path("w/m/n.co"), b"w"])
def test_one_path_is_not_several(paths: Wrong) -> None:
    for function in (members, examine_all):
        with pytest.raises(UsageError, match=r"^paths: expected a list of paths, not .*: write \["):
            function(paths)


@pytest.mark.parametrize("paths", [None, 5])
def test_what_is_no_list_of_paths(paths: Wrong) -> None:
    for function in (members, examine_all):
        with pytest.raises(UsageError, match=f"^paths: expected a list of paths, not {paths}$"):
            function(paths)


@pytest.mark.parametrize("jobs", [-1, "x"])
def test_a_wrong_number_of_processes(jobs: Wrong) -> None:
    with pytest.raises(UsageError, match="^jobs: expected a number of processes from 0 to 256"):
        examine_all([NEST], "info", jobs=jobs)


def test_a_report_is_made_of_records_of_check() -> None:
    with pytest.raises(UsageError, match="records of check are needed, not of info"):
        corpus_report(examine_all([NEST], "info"))
    for records in ([5], [{}], "no", [{"files": 1, "by_status": {}}]):
        wrong: Wrong = records
        with pytest.raises(UsageError, match="^records of check are needed$"):
            corpus_report(wrong)
