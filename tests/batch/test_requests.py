"""Requests of a program that mean nothing: each is an error before a file is examined."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.batch import (
    Member,
    Options,
    corpus_html,
    corpus_report,
    examine,
    examine_all,
    members,
)
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
        (5, "check", Options(), "^member: expected a Member or a path as str or Path, not 5$"),
        (b"x.co", "check", Options(), "^member: expected a Member or a path as str or Path, not"),
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


@pytest.mark.parametrize("path", [None, 5, True, b"w", {}])
def test_a_path_is_a_text_or_a_path_object(path: Wrong) -> None:
    for function in (members, examine_all):
        with pytest.raises(UsageError, match=r"^paths.1.: expected a path as str or Path, not"):
            function([NEST, path])


def test_paths_may_be_path_objects() -> None:
    assert list(members([Path(NEST)])) == list(members([NEST]))
    assert list(examine_all([Path(NEST)], "info")) == list(examine_all([NEST], "info"))
    assert examine(Path(NEST), "info") == examine(NEST, "info")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 3}, "^target: expected str or None, not 3$"),
        ({"limits": 3}, "^limits: expected FileLimits, not 3$"),
    ],
)
def test_wrong_wishes(arguments: Wrong, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        members([NEST], **arguments)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"path": 3}, "^Member.path: expected str, not 3$"),
        ({"path": NEST, "steps": 3}, "^Member.steps: expected tuple of Step, not 3$"),
        ({"path": NEST, "problem": 3}, "^Member.problem: expected DwarfGpuError or None, not 3$"),
    ],
)
def test_wrong_members(fields: Wrong, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Member(**fields)


def test_a_report_is_made_of_records_of_check() -> None:
    with pytest.raises(UsageError, match=r"^records.0.: records of check are needed, not of info"):
        corpus_report(examine_all([NEST], "info"))
    for record in (5, {}, "no", {"files": 1, "by_status": {}}):
        wrong: Wrong = [record]
        with pytest.raises(UsageError, match=r"^records.0.: records of check are needed$"):
            corpus_report(wrong)
    for records in (5, None, "no", {}):
        wrong = records
        with pytest.raises(UsageError, match="^records: expected the records of examine_all, not"):
            corpus_report(wrong)


def damaged(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value in which one part has a value that it cannot have, or has
    none."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield {name: value[name] for name in value if name != key}
            yield from ({**value, key: other} for other in damaged(part))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from ([*value[:index], other, *value[index + 1 :]] for other in damaged(part))
        yield {"not": "a list"}
    else:
        yield from (Path("x"), [1], -1.5)


def test_every_part_of_a_record_and_of_a_report_is_checked() -> None:
    records = list(examine_all([FIXTURES / "hip/nest.gfx942.O2.v5.co"]))
    [record] = records
    refused = 0
    for other in damaged(record):
        try:
            corpus_report([other])
        except UsageError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > 50
    report = corpus_report(records)
    assert any(compiler["findings"] for compiler in report["compilers"])
    for other in damaged(report):
        if other.get("schema") == report["schema"]:
            with pytest.raises(UsageError, match="^report: "):
                corpus_html(other)
