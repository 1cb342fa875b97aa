"""The schemas: themselves valid, and every answer of every command follows its own."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from tests.cli.command import FIXTURES, SCHEMAS, STATES, run_json, schema, validate, validator

ASM = STATES / "locations.gfx942.json"
Json = Any


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_a_schema_is_one(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(document)


def test_the_kinds_of_errors_are_the_twelve() -> None:
    kinds = schema("value")["$defs"]["error"]["properties"]["kind"]["enum"]
    assert sorted(kinds) == [
        "EvaluationError", "IllFormed", "InconsistentContext", "LimitExceeded", "Malformed",
        "MissingContext", "OutOfRange", "StaleLocation", "Unavailable", "UndefinedBits",
        "Unsupported", "UsageError",
    ]  # fmt: skip


PROGRAMS = [
    (state, pc)
    for state, pcs in {
        "locations.gfx942": (0x1600, 0x1624, 0x1690),
        "wave32.gfx1100": (0x1600, 0x1624),
        "nest.gfx942.O0": (None,),
        "call.gfx90a.O0": (None,),
        "kernels.gfx942.O0": (None,),
        "data.gfx942.O0": (None,),
        "data.gfx942.O2": (None, 0x1914, 0x19A0),
        "demo.gcc.O0": (None,),
        "shapes.gfx942": (None, 0x1604),
        "records.gfx942": (None,),
        "bases.gcc.O0": (None,),
    }.items()
    for pc in pcs
]


@pytest.mark.parametrize("command", ["eval", "explain"])
@pytest.mark.parametrize(("state", "pc"), PROGRAMS)
def test_every_variable_of_the_fixtures(command: str, state: str, pc: int | None) -> None:
    at = () if pc is None else ("--pc", pc)
    lane = () if state.startswith(("demo", "bases")) else ("--lane", 3)
    arguments = ("--state", STATES / f"{state}.json", *at, *lane)
    listed = run_json("eval", *arguments).json["variables"]
    assert listed
    for name in {item["name"] for item in listed}:
        answer = run_json(command, *arguments, name)
        if command == "eval":
            [first] = [item for item in listed if item["name"] == name][:1]
            expected = {key: first[key] for key in first.keys() - {"name", "line", "kind"}}
            if "error" in expected:
                del expected["type"]  # of the declaration: there is no object
            assert answer.json == {"schema": "dwarfgpu-eval-1", **expected}
            if "text" in expected:
                assert isinstance(expected["text"], str)


def test_all_variables_for_all_lanes() -> None:
    answer = run_json("eval", "--demo")
    names = [variable["name"] for variable in answer.json["variables"]]
    assert names == ["in", "out", "limit", "t", "a", "r", "sum", "launches"]
    for variable in answer.json["variables"]:
        assert [lane["lane"] for lane in variable["lanes"]] == list(range(64))


RESULTS = [
    (["lit1"], "value"),
    (["LLVM_form_aspace_address", "--push", "1", "--push", "3"], "memory"),
    (["regx s4"], "register"),
    (["implicit_value 2 0x01 0x02"], "implicit"),
    (["LLVM_undefined"], "undefined"),
    (["regx s4; piece 4; regx s5; piece 4"], "composite"),
    (["regx s4; piece 4; piece 4; regx s6; piece 4; LLVM_piece_end; lit2; LLVM_offset"],
     "composite"),
    (["regx v4; regx v5; lit5; LLVM_select_bit_piece 32, 64"], "composite"),
    (["regx s4; LLVM_extend 32, 64"], "composite"),
    (["lit5; stack_value"], "implicit"),
    (["LLVM_push_lane; lit0; div"], None),
    (["--hex", "a8"], None),
    (["fbreg 0"], None),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "storage"), RESULTS)
@pytest.mark.parametrize("lane", ["3", "all"])
@pytest.mark.parametrize("command", ["eval", "explain"])
def test_every_kind_of_result(
    command: str, lane: str, arguments: list[str], storage: str | None
) -> None:
    answer = run_json(command, *arguments, "--lane", lane).json
    result = answer["lanes"][7] if "lanes" in answer else answer
    if storage is None or (command, lane) == ("explain", "all"):
        assert "error" in result
    elif storage == "value":
        assert result["result"]["kind"] == "value"
    else:
        assert result["result"]["places"][0]["storage"] == storage


def test_more_parts_than_an_answer_holds() -> None:
    text = "; ".join(f"regx s{n % 7}; piece {n % 4 + 1}" for n in range(5000))
    [place] = run_json("eval", text).json["result"]["places"]
    assert len(place["parts"]) == 4096
    assert place["parts_omitted"] == 5000 - 4096


def test_equal_neighbours_are_one_part_with_a_count() -> None:
    [place] = run_json("eval", "regx s4; LLVM_extend 32, 1000000").json["result"]["places"]
    assert [(part["bit_size"], part["count"]) for part in place["parts"]] == [(32, 1_000_000)]


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        ("000000000000f87f", "nan"),
        ("000000000000f07f", "inf"),
        ("000000000000f0ff", "-inf"),
        ("0000000000000440", 2.5),
    ],
)
def test_floats_that_are_not_finite_are_strings(bits: str, expected: Json) -> None:
    const_type = f"a4c80108{bits}"  # of the double at 0xc8 of the unit
    answer = run_json("eval", "--state", ASM, "--lane", 3, "--hex", const_type)
    result = answer.json["result"]
    assert result["type"] == {"name": "double", "encoding": "float", "bit_size": 64}
    assert (result["value"], result["hex"]) == (expected, bits)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["bogus"],
        ["--bogus"],
        ["eval"],
        ["eval", "--bogus"],
        ["eval", "--lane"],
        ["eval", "--hex", "zz"],
        ["eval", "--file", "/nonexistent"],
        ["explain"],
        ["explain", "--lane", "all", "lit1"],
        ["explain", "--file", "/nonexistent", "t"],
        ["asm", "bogus"],
        ["dis", "zz"],
        ["check", "zz"],
        ["conformance"],
        ["conformance", "/nonexistent"],
    ],
)
def test_a_wrong_request_is_one_object_too(arguments: list[str]) -> None:
    answer = run_json(*arguments)
    assert answer.status == 2
    assert answer.json["error"]["kind"] == "UsageError"


@pytest.mark.parametrize("path", sorted((FIXTURES / "cases").glob("*.json")), ids=lambda p: p.stem)
def test_the_cases_follow_their_schema(path: Path) -> None:
    validator("conformance").validate(json.loads(path.read_text("utf-8")))


GOOD: dict[str, Json] = {
    "schema": "dwarfgpu-eval-1",
    "notes": [],
    "result": {"kind": "location", "places": [{"storage": "undefined"}]},
}


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "dwarfgpu-eval-1", "notes": None},
        {"result": {"kind": "location", "places": []}},
        {"result": {"kind": "location", "places": [{"storage": "memory", "address": 1}]}},
        {"bytes": "00"},  # without the others
        {"more": 1},
        {"error": {"kind": "UsageError", "message": "a", "operation": None, "offset": None,
                   "section": None}},
    ],
)  # fmt: skip
def test_a_schema_refuses_what_is_not_described(change: dict[str, Json]) -> None:
    validate(GOOD)
    with pytest.raises(ValidationError):
        validate({**GOOD, **change})


def test_random_bytes_give_one_valid_object() -> None:
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    for _ in range(60):
        data = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 12))).hex()
        command = chance.choice(["eval", "explain", "dis", "check"])
        as_hex = () if command == "dis" else ("--hex",)
        lane = ("--lane", chance.randrange(64)) if command in ("eval", "explain") else ()
        answer = run_json(command, *as_hex, data, *lane)
        assert answer.status in (0, 1), f"seed {seed}: {data}"
