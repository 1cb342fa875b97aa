"""A value has one shape in the JSON of every command: `docs/schema/value.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.command import STATES, run_json, validator

Json = Any
ASM = STATES / "locations.gfx942.json"
OWN = {"schema", "context_notes", "lane", "active", "pc", "wave", "name", "kind", "line"}
"""What commands add to an answer."""
EXPLAINED = {
    "heading", "steps", "steps_omitted", "inside", "verdict", "variables", "variables_omitted",
}  # fmt: skip


def answers(record: Json) -> Iterator[Json]:
    """Every answer in a document of `eval`, `lanes` or `explain`."""
    for key in ("waves", "lanes", "variables", "values"):
        for item in record.get(key, ()):
            yield from answers(item)
    if "result" in record or ("error" in record and "notes" in record):
        yield {key: value for key, value in record.items() if key not in OWN | EXPLAINED}


SUBJECTS = [
    ["t"], ["local_frame"], ["pointer_implicit"], ["half_undefined"], ["nosuch", "t"],
    ["local_frame.at[1].x + 1"], ["&local_frame"], ["pointer_implicit + 1"], ["(void) t"],
    ["-e", "regx v0"], ["-e", "lit1"], ["-e", "fbreg 0"], [],
]  # fmt: skip


@pytest.mark.parametrize("lane", [["--lane", 3], ["--lane", "0-2"], ["--lane", 3, "--wave", "all"]])
@pytest.mark.parametrize("subject", SUBJECTS, ids=" ".join)
def test_eval(subject: list[str], lane: list[object]) -> None:
    record = run_json("eval", "--state", ASM, *lane, *subject).json
    result = list(answers(record))
    assert result
    for value in result:
        validator("value").validate(value)


@pytest.mark.parametrize("subject", SUBJECTS[:-1], ids=" ".join)
def test_explain(subject: list[str]) -> None:
    record = run_json("explain", "--state", ASM, "--lane", 3, *subject[:2]).json
    for answer in answers(record):
        validator("value").validate(answer)


def test_lanes() -> None:
    record = run_json("lanes", "--state", ASM, "--lane", "0-3", "t", "local_frame", "$v2").json
    result = list(answers(record))
    assert len(result) == 12
    for value in result:
        validator("value").validate(value)


def test_a_variable_is_an_expression_that_is_a_name() -> None:
    """The answer to `x` is that to `(x)`, but for the words of notes."""
    at = ("--state", ASM, "--lane", 3)
    for name in ("t", "local_frame", "pointer_implicit", "half_undefined", "two_addresses"):
        plain, expression = (run_json("eval", *at, text).json for text in (name, f"({name})"))
        del plain["notes"], expression["notes"]
        assert plain == expression


@pytest.mark.parametrize(
    "wrong",
    [
        {"notes": []},
        {"result": {"kind": "value"}, "notes": []},
        {"notes": [], "error": {"kind": "Malformed"}},
    ],
)
def test_the_shape_can_be_violated(wrong: Json) -> None:
    assert not validator("value").is_valid(wrong)
