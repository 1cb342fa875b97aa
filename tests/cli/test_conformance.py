"""`dwarfgpu conformance`: the cases of the fixtures, and made-up ones, failing and malformed."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.base.limits import Limits
from dwarfgpu.cli import conformance
from dwarfgpu.conformance import access_budget
from tests.cli.command import FIXTURES, REPOSITORY, run, run_json, validator
from tests.work import at_most

CASES = sorted((FIXTURES / "cases").glob("*.json"))
Json = Any
SUM: dict[str, Json] = {
    "name": "sum",
    "bytes_hex": "34351e",
    "address_size": 8,
    "endian": "little",
    "state": {},
    "expected": {"kind": "value", "type": "generic", "value": 20},
}


def write(folder: Path, *cases: Json) -> Path:
    path = folder / "cases.json"
    path.write_text(json.dumps({"format": "dwarfgpu-conformance-1", "cases": cases}), "utf-8")
    return path


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cases_of_the_fixtures(path: Path) -> None:
    answer = run_json("conformance", path)
    [report] = answer.json["files"]
    assert report["failures"] == []
    assert (report["failed"], report["skipped"]) == (0, 0)
    assert report["passed"] + report["disputed"] == len(json.loads(path.read_text())["cases"])
    assert answer.json["total"] == {key: report[key] for key in answer.json["total"]}
    assert answer.status == 0


def test_the_report_for_people(tmp_path: Path) -> None:
    wrong = {**SUM, "name": "wrong", "expected": {**SUM["expected"], "value": 21}}
    path = write(tmp_path, SUM, wrong)
    done = run("conformance", path)
    assert done.lines == [
        f"{path}: 1 passed, 1 failed, 0 skipped, 0 disputed",
        "  wrong",
        "    expected: 21",
        "    got:      20",
        "total: 1 passed, 1 failed, 0 skipped, 0 disputed",
    ]
    assert (done.err, done.status) == ("", 1)


def changed(**members: Json) -> dict[str, Json]:
    return {**SUM, **members}


def access(*accesses: Json) -> dict[str, Json]:
    """Accesses of a register that holds 7."""
    return changed(
        bytes_hex="55",
        state={"registers": {"5": 7}},
        expected={"kind": "location", "location": {"kind": "register", "reg": 5}},
        access=list(accesses),
    )


@pytest.mark.parametrize(
    ("case", "passes"),
    [
        (SUM, True),
        (changed(expected={"kind": "value", "type": "generic", "value": 21}), False),
        (changed(expected={"kind": "stack_top", "type": "generic", "value": 20}), True),
        (changed(expected={"kind": "stack", "entries": [{"kind": "value", "value": 20}]}), True),
        (changed(expected={"kind": "stack", "entries": []}), False),
        (changed(expected={"kind": "error"}), False),
        (changed(bytes_hex="34301b", expected={"kind": "error"}), True),
        (changed(bytes_hex="34301b", expected={"kind": "error", "class": "EvaluationError"}), True),
        (changed(bytes_hex="34301b", expected={"kind": "error", "class": "IllFormed"}), False),
        (changed(bytes_hex="341b", expected={"kind": "error", "class": "IllFormed"}), True),
        (changed(bytes_hex="0d", expected={"kind": "error", "class": "Malformed"}), True),
        (changed(bytes_hex="0d", expected={"kind": "no_crash"}), True),
        (changed(bytes_hex="2ffdff", expected={"kind": "error", "class": "LimitExceeded"}), True),
        (changed(bytes_hex="55", expected={"kind": "location",
                                           "location": {"kind": "register", "reg": 5}}), True),
        (changed(bytes_hex="55", expected={"kind": "location",
                                           "location": {"kind": "register", "reg": 6}}), False),
        (changed(bytes_hex="55", state={"registers": {"5": "bytes:0a0b0c0d"}},
                 expected={"kind": "object_bytes", "bytes_hex": "0a0b0c0d"},
                 object_type={"byte_size": 4}), True),
        (changed(bytes_hex="55", expected={"kind": "undefined"}), False),
        (changed(bytes_hex="", expected={"kind": "undefined"}), True),
        (changed(bytes_hex="34351e", expected={"kind": "decode", "ops": [
            {"op": "DW_OP_lit4", "operands": [], "length": 1},
            {"op": "DW_OP_lit5", "operands": [], "length": 1},
            {"op": "DW_OP_mul", "operands": [], "length": 1}]}), True),
        (changed(bytes_hex="34351e", expected={"kind": "decode", "ops": []}), False),
        (changed(text="DW_OP_lit4, DW_OP_lit5, DW_OP_mul", expected={"kind": "text"}), True),
        (changed(text="DW_OP_lit4", expected={"kind": "text"}), False),
        (changed(bytes_hex="55", state={"registers": {"5": 7}},
                 expected={"kind": "location", "location": {"kind": "register", "reg": 5}},
                 access=[{"op": "write", "byte_offset": 0, "bytes_hex": "08"},
                         {"op": "check_register", "reg": 5, "expect": 8}]), True),
        (changed(bytes_hex="55", state={"registers": {"5": 7}},
                 expected={"kind": "location", "location": {"kind": "register", "reg": 5}},
                 access=[{"op": "read_uint", "byte_offset": 0, "byte_size": 1, "expect": 8}]),
         False),
        # numbers that no object of the type has are never equal
        (changed(bytes_hex="30", expected={"kind": "value", "value": 2**64}), False),
        (changed(bytes_hex="30", expected={"kind": "value", "value": -(2**63) - 1}), False),
        (changed(bytes_hex="0fff", expected={"kind": "value", "value": 2**64}), False),
        (changed(bytes_hex="09ff", expected={"kind": "value", "value": -1}), True),
        (changed(bytes_hex="09ff", expected={"kind": "value", "value": 2**64 - 1}), True),
        (changed(bytes_hex="30", expected={"kind": "stack", "entries": [
            {"kind": "value", "value": 2**64}]}), False),
        (changed(bytes_hex="30", expected={"kind": "location", "location": {
            "kind": "memory", "address": 2**64}}), False),
        (access({"op": "read", "byte_offset": 0, "byte_size": -1, "expect_hex": ""}), None),
        (access({"op": "read", "byte_offset": 0, "byte_size": -1, "expect": "error"}), None),
        (access({"op": "read_bits", "bit_offset": 0, "bit_size": -1, "expect": 0}), None),
        (access({"op": "check_register", "reg": 5, "expect": 7}), True),
        (access({"op": "check_register", "reg": 5, "expect": 7 + 2**64}), False),
        (access({"op": "check_register", "reg": 5, "expect": 7, "low_bits": 3}), True),
        (access({"op": "check_register", "reg": 5, "expect": 7, "low_bits": -1}), None),
        (access({"op": "check_register", "reg": 5, "expect": 7, "low_bits": 2**60}), None),
        (access({"op": "check_register", "reg": 5, "expect": 10**4299}), None),
        (access({"op": "check_memory", "aspace": 10**4299, "address": 0, "expect_hex": "00"}),
         None),
        (changed(access=[{"op": "read", "byte_offset": 0, "byte_size": 1, "expect": 0}]), False),
        (changed(state={"lane": 63}), True),
        (changed(state={"lane": 64}), None),
        (changed(state={"lane": 10**4299}), None),
        # the evaluator's own limit ends what the case would let run on
        (changed(bytes_hex="3128fcff", state={"max_steps": 10**15},
                 expected={"kind": "error", "class": "LimitExceeded"}), True),
    ],
)  # fmt: skip
def test_made_up_cases(tmp_path: Path, case: Json, passes: bool | None) -> None:
    """`passes` is None for a case that does not follow the format."""
    answer = run_json("conformance", write(tmp_path, case))
    if passes is None:
        assert (answer.json["error"]["kind"], answer.status) == ("Malformed", 2)
        return
    assert answer.json["total"]["passed"] == int(passes), answer.json
    assert answer.json["total"]["failed"] == int(not passes)
    assert answer.status == (0 if passes else 1)


def test_names_of_cases_do_not_drive_the_terminal(tmp_path: Path) -> None:
    wrong = {"kind": "value", "value": 2, "note": "\x1b[2J"}
    done = run("conformance", write(tmp_path, changed(name="a\x1b[2J\nb", expected=wrong)))
    assert done.lines[1] == "  a\\x1b[2J\\nb"
    assert "\x1b" not in done.out


def test_a_disputed_case_does_not_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "disputed_cases", lambda: frozenset({"wrong"}))
    wrong = {**SUM, "name": "wrong", "expected": {"kind": "error"}}
    answer = run_json("conformance", write(tmp_path, SUM, wrong))
    assert answer.json["total"] == {"passed": 1, "failed": 0, "skipped": 0, "disputed": 1}
    assert answer.status == 0


def test_disputed_cases_cite_the_sentence_that_decides() -> None:
    document = json.loads((REPOSITORY / "dwarfgpu/data/disputed.json").read_text("utf-8"))
    for item in document["disputed"]:
        assert set(item) >= {"name"} and len(item) > 1, item


def test_the_example_of_the_documentation_passes(tmp_path: Path) -> None:
    text = (REPOSITORY / "docs/conformance-format.md").read_text("utf-8")
    example = json.loads(text.split("```json\n")[1].split("```")[0])
    validator("conformance").validate(example)
    assert run_json("conformance", write(tmp_path, *example["cases"])).json["total"]["passed"] == 1


def test_several_files_are_summed() -> None:
    two = CASES[:2]
    answer = run_json("conformance", *two)
    assert [file["file"] for file in answer.json["files"]] == [str(path) for path in two]
    passed = sum(file["passed"] for file in answer.json["files"])
    assert answer.json["total"]["passed"] == passed


def with_case(**members: Json) -> str:
    return json.dumps({"format": "dwarfgpu-conformance-1", "cases": [changed(**members)]})


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "not JSON"),
        ("[]", "document: expected an object"),
        ('{"format": "other", "cases": []}', "format: expected one of dwarfgpu-conformance-1"),
        ('{"format": "dwarfgpu-conformance-1"}', "'cases'"),
        ('{"format": "dwarfgpu-conformance-1", "cases": {}}', "cases: expected an array"),
        ('{"format": "dwarfgpu-conformance-1", "cases": [{}]}', "cases[0]: expected an object"),
        ('{"format": "dwarfgpu-conformance-1", "cases": [7]}', "cases[0]: expected an object"),
        (with_case(address_size=3), "cases[0].address_size: expected one of 2, 4, 8, not 3"),
        (with_case(address_size=1), "cases[0].address_size: expected one of 2, 4, 8, not 1"),
        (with_case(dwarf_format=33), "cases[0].dwarf_format: expected one of 32, 64, not 33"),
        (
            json.dumps({"format": "dwarfgpu-conformance-1", "cases": [SUM, SUM]}),
            'cases[1].name: expected a name that no other case has, not "sum"',
        ),
        (
            with_case(expected={"kind": "error", "class": "Illformed"}),
            "cases[0].expected.class: expected one of Malformed, IllFormed, EvaluationError, ",
        ),
        (  # about call frame instructions
            with_case(code_alignment=1, expected={"kind": "error", "class": "UsageError"}),
            "cases[0].expected.class: expected one of Malformed, IllFormed, EvaluationError, ",
        ),
    ],
)
def test_a_malformed_file_is_one_line(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "cases.json"
    path.write_text(content, "utf-8")
    done = run("conformance", path)
    assert done.error.startswith(f"{path}: ") and expected in done.error
    assert (done.out, done.status) == ("", 2)


@pytest.mark.parametrize(
    "change",
    [
        {"bytes_hex": "3"},
        {"bytes_hex": 3},
        {"address_size": 3},
        {"address_size": "8"},
        {"address_size": 0},
        {"endian": "middle"},
        {"dwarf_version": 6},
        {"dwarf_format": 16},
        {"dialect": "mine"},
        {"machine": "EM_NONE"},
        {"state": []},
        {"state": {"registers": {"a": 1}}},
        {"state": {"registers": {"-1": 1}}},
        {"state": {"registers": {"1": "bytes:0"}}},
        {"state": {"registers": {"1": "0a"}}},
        {"state": {"registers": {"1": 2**80}}},
        {"state": {"initial_stack": [2**64]}},
        {"state": {"memory": [{"address": 1}]}},
        {"state": {"memory": [{"address": -1, "bytes_hex": "00"}]}},
        {"state": {"memory": [{"address": 0, "bytes_hex": "00", "aspace": -1}]}},
        {"state": {"entry_values": {"zz": 1}}},
        {"state": {"entry_registers": {"zz": 1}}},
        {"state": {"debug_addr": {"zz": 1}}},
        {"state": {"tls": {"zz": 1}}},
        {"state": {"calls": [{"ref": "x", "offset": 0, "bytes_hex": ""}]}},
        {"state": {"calls": [{"ref": "unit", "offset": "a", "bytes_hex": ""}]}},
        {"state": {"dies": {"zz": {}}}},
        {"state": {"dies": {"1": 7}}},
        {"state": {"base_types": {"1": {"encoding": "odd", "byte_size": 4}}}},
        {"state": {"base_types": {"1": {"encoding": "signed", "byte_size": -4}}}},
        {"state": {"base_types": {"zz": {"encoding": "signed", "byte_size": 4}}}},
        {"state": {"initial_stack": [{"kind": "register"}]}},
        {"state": {"initial_stack": ["x"]}},
        {"state": {"lane": -1}},
        {"state": {"max_steps": 0}},
        {"state": {"variable_values": {"zz": 0}}},
        {"expected": {}},
        {"expected": {"kind": "magic"}},
        {"expected": {"kind": "value"}},
        {"expected": {"kind": "value", "type": "generic", "value": "x"}},
        {"expected": {"kind": "value", "type": {"encoding": "odd"}, "value": 1}},
        {"expected": {"kind": "location"}},
        {"expected": {"kind": "location", "location": {"kind": "moon"}}},
        {"expected": {"kind": "object_bytes", "bytes_hex": "0"}},
        {"expected": {"kind": "decode", "ops": 7}},
        {"expected": {"kind": "text"}},
        {"expected": {"kind": "cfi_rows", "rows": 7}},
        {"expected": {"kind": "cfi_decode"}},
        {"expected": {"kind": "composite", "parts": [{}]}},
        {"expected": {"kind": "pieces", "pieces": [7]}},
        {"access": [{"op": "fly"}]},
        {"access": {}},
        {"object_type": 7},
    ],
)
def test_a_malformed_case_is_a_wrong_file(tmp_path: Path, change: dict[str, Json]) -> None:
    """What is missing makes the file wrong, not the evaluator: one line, and no failed case."""
    answer = run_json("conformance", write(tmp_path, {**SUM, **change}))
    if answer.status == 0:  # what the kind of the case does not use
        assert answer.json["total"]["passed"] == 1
    elif answer.status == 1:  # found to differ before the wrong part is read
        [failure] = answer.json["files"][0]["failures"]
        assert "cases[0]" not in failure["got"]


REG5 = {"kind": "location", "location": {"kind": "register", "reg": 5, "byte_offset": 1}}
MEMORY7 = {"kind": "memory", "address": 7}
POINTER = "a0000100000006"
"""DW_OP_implicit_pointer to the entry at 0x100, which DW_OP_deref reads."""
POINTEE = {"dies": {"256": {"location_hex": "55", "byte_size": 8}}}


@pytest.mark.parametrize(
    ("case", "expected", "got"),
    [
        ({"bytes_hex": "55", "expected": REG5}, "bit offset 8", "bit offset 0"),
        ({"bytes_hex": "56", "expected": REG5}, "register 5", "register 6"),
        (
            {"bytes_hex": "", "expected": REG5},
            '{"kind": "register", "reg": 5, "byte_offset": 1}',
            '{"kind": "undefined"}',
        ),
        (
            {"bytes_hex": "56", "expected": {"kind": "undefined"}},
            "the undefined location",
            '{"kind": "register", "reg": 6, "bit_offset": 0}',
        ),
        (
            {
                "bytes_hex": "37",
                "expected": {"kind": "location", "location": MEMORY7, "register_value": 7},
            },
            "a register",
            '{"kind": "memory", "aspace": 0, "address": 7, "bit_offset": 0}',
        ),
        (
            {
                "bytes_hex": POINTER,
                "state": POINTEE,
                "expected": {"kind": "stack", "entries": [MEMORY7]},
            },
            '{"kind": "memory", "address": 7}',
            "an implicit pointer value",
        ),
    ],
)
def test_a_failure_says_what_differs(
    tmp_path: Path, case: dict[str, Json], expected: str, got: str
) -> None:
    """In the words of the format, not in those of this evaluator."""
    [failure] = run_json("conformance", write(tmp_path, {**SUM, **case})).json["files"][0][
        "failures"
    ]
    assert (failure["expected"], failure["got"]) == (expected, got)


MEMORY = {"address": 0, "bytes_hex": "00" * 9}
AT_0 = {"kind": "location", "location": {"kind": "memory", "address": 0}}
WRITE = {"op": "write_bits", "bit_offset": 1, "bit_size": 64, "value": -1}
LOOP = "0c4038000031 1c 12 28faff 13 55"
"""14,400 times DW_OP_lit1, minus, dup, bra; then register 5."""


@pytest.mark.parametrize(
    "case",
    [
        {
            "bytes_hex": "03" + "00" * 8,
            "state": {"memory": [MEMORY]},
            "expected": AT_0,
            "access": [WRITE] * 1_000,
        },
        {  # a composite of 500 pieces
            "bytes_hex": "309f9301" * 500,
            "expected": {"kind": "composite"},
            "access": [{"op": "read", "byte_offset": 0, "byte_size": 500, "expect_hex": "00" * 500}]
            * 100,
        },
        {
            "bytes_hex": "309f9301" * 500,
            "expected": {"kind": "composite"},
            "access": [{"op": "deref_read", "byte_offset": 0, "byte_size": 8, "expect": "error"}]
            * 1_000,
        },
        {
            "bytes_hex": "55",
            "state": {"registers": {"5": "bytes:" + "00" * 100_000}},
            "expected": {"kind": "location", "location": {"kind": "register", "reg": 5}},
            "access": [{"op": "check_register", "reg": 5, "expect": 0}] * 500,
        },
        {
            "bytes_hex": "30",
            "state": {"memory": [{**MEMORY, "bytes_hex": "00" * 10_000}]},
            "expected": {"kind": "value", "value": 0},
            "access": [
                {"op": "check_memory", "aspace": 0, "address": 0, "expect_hex": "00" * 10_000}
            ]
            * 1_000,
        },
    ],
)
def test_the_accesses_of_a_case_are_bounded(
    tmp_path: Path, case: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, changed(**case))
    assert run_json("conformance", path).json["total"]["passed"] == 1
    monkeypatch.setattr(access_budget, "_MOST", 1 << 18)
    with at_most(300_000):
        answer = run_json("conformance", path)
    [failure] = answer.json["files"][0]["failures"]
    assert failure["got"].startswith("LimitExceeded: the accesses of the case are more work")


def test_the_expressions_of_the_accesses_of_a_case_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each access evaluates the location that an implicit pointer leads to."""
    read = {"op": "deref_read", "byte_offset": 0, "byte_size": 8, "expect": 7}
    dies = {"dies": {"256": {"location_hex": LOOP, "byte_size": 8}}}
    case = changed(
        bytes_hex="a0" + "00010000" + "00",
        state={**dies, "registers": {"5": 7}},
        expected={"kind": "location", "location": {"kind": "implicit_pointer", "die_offset": 256,
                                                   "byte_offset": 0}},
        access=[read] * 200,
    )  # fmt: skip
    one = write(tmp_path, {**case, "access": [read]})
    assert run_json("conformance", one).json["total"]["passed"] == 1
    monkeypatch.setattr("dwarfgpu.conformance.case.Limits", partial(Limits, command_steps=100_000))
    with at_most(3_000_000):
        answer = run_json("conformance", write(tmp_path, case))
    [failure] = answer.json["files"][0]["failures"]
    assert failure["got"].startswith("LimitExceeded: ")


def test_cases_of_the_fixtures_are_far_below_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_budget, "_MOST", 1 << 18)
    assert run_json("conformance", *CASES).json["total"]["failed"] == 0


def test_mutated_cases_of_the_fixtures(tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    values: list[Json] = [None, -1, 0, 7, 2**70, 1.5, "", "zz", "bytes:0", [], {}, [{}], True]
    values += [10**4299, "\u0663", "\x1b[2J", "\ud800", 2**31]
    for _ in range(150):
        document = json.loads(chance.choice(CASES).read_text("utf-8"))
        case = chance.choice(document["cases"])
        holder: Json = case
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(holder[key], dict | list) and chance.random() < 0.7:
                holder = holder[key]
                continue
            holder[key] = chance.choice(values)
            break
        try:
            done = run("conformance", write(tmp_path, case))
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {json.dumps(case)}") from error
        assert done.status in (0, 1, 2)


@pytest.mark.parametrize("space", [0, 1, 3, 5, 6])
def test_a_location_on_the_initial_stack_is_in_memory_of_the_thread(
    tmp_path: Path, space: int
) -> None:
    place = {"aspace": space, "address": 16}
    case = changed(
        machine="EM_AMDGPU",
        bytes_hex="9404",  # deref_size 4
        state={
            "lane": 3,
            "memory": [{**place, "bytes_hex": "2a000000"}],
            "initial_stack": [{"kind": "memory", **place}],
        },
        expected={"kind": "stack_top", "type": "generic", "value": 42},
    )
    assert run("conformance", write(tmp_path, case)).status == 0


@pytest.mark.parametrize(("space", "is_read"), [(0, True), (3, True), (5, False), (6, True)])
def test_private_memory_on_the_initial_stack_needs_a_lane_to_be_read(
    tmp_path: Path, space: int, is_read: bool
) -> None:
    stack = [{"kind": "memory", "aspace": space, "address": 16}]
    kind = "Unavailable" if is_read else "MissingContext"  # no memory has contents
    case = changed(
        machine="EM_AMDGPU",
        bytes_hex="9404",
        state={"initial_stack": stack},
        expected={"kind": "error", "class": kind},
    )
    unused = changed(
        machine="EM_AMDGPU", bytes_hex="1334", state={"initial_stack": stack},  # drop; lit4
        expected={"kind": "stack_top", "type": "generic", "value": 4},
    )  # fmt: skip
    done = run("conformance", write(tmp_path, case, {**unused, "name": "unused"}))
    assert done.lines[-1] == "total: 2 passed, 0 failed, 0 skipped, 0 disputed"


DWARF6 = {**SUM, "dialect": "dwarf6"}
DWARF6.pop("bytes_hex")


@pytest.mark.parametrize(
    ("case", "passes"),
    [
        ({**DWARF6, "text": "DW_OP_lit4; DW_OP_lit5; DW_OP_mul"}, True),
        ({**DWARF6, "text": "DW_OP_lit4; DW_OP_lit4; DW_OP_mul"}, False),
        ({**DWARF6, "text": "DW_OP_push_lane; DW_OP_lit5; DW_OP_mul", "state": {"lane": 4}}, True),
        ({**DWARF6, "bytes_hex": "34351e"}, True),
        # a number of dwarfgpu's own is none of the format's
        ({**DWARF6, "bytes_hex": "e960351e", "state": {"lane": 4}}, False),
    ],
)
def test_a_case_of_dwarf_6_is_text(case: Json, passes: bool, tmp_path: Path) -> None:
    path = write(tmp_path, case)
    assert not [*validator("conformance").iter_errors(json.loads(path.read_text()))]
    assert run_json("conformance", path).json["total"]["passed"] == int(passes)


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ({**DWARF6, "text": "DW_OP_extend 8 4"}, "cases[0].text: 1:1: 'DW_OP_extend'"),
        ({**DWARF6, "text": 5}, "cases[0].text: expected a string"),
    ],
)
def test_a_wrong_case_of_dwarf_6(case: Json, why: str, tmp_path: Path) -> None:
    done = run("conformance", write(tmp_path, case))
    assert done.status == 2
    assert why in done.error


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (
            {**SUM, "bytes_hex": "96" * (1 << 20)},
            "bytes_hex: expected at most 256 KiB of operations, not ",
        ),
        (
            {**DWARF6, "text": "DW_OP_nop\n" * (1 << 16)},
            "text: expected at most 512 KiB of text, not ",
        ),
    ],
)
def test_a_case_of_very_many_operations_is_refused(case: Json, why: str, tmp_path: Path) -> None:
    done = run("conformance", write(tmp_path, case))
    assert done.status == 2
    assert f"cases[0].{why}" in done.err
    assert len(done.err) < 300


def test_an_empty_name_is_no_file_of_cases() -> None:
    done = run("conformance", "")
    assert (done.status, done.err) == (2, "dwarfgpu: an empty name is not a name of a file\n")


def test_other_files_are_run_where_one_cannot_be_read(tmp_path: Path) -> None:
    good, missing = write(tmp_path, SUM), tmp_path / "missing.json"
    half = tmp_path / "half.json"
    cases = [SUM, {**SUM, "address_size": 3}]
    half.write_text(json.dumps({"format": "dwarfgpu-conformance-1", "cases": cases}), "utf-8")
    done = run("conformance", missing, good, half, good)
    passed = "1 passed, 0 failed, 0 skipped, 0 disputed"
    total = "total: 2 passed, 0 failed, 0 skipped, 0 disputed; 2 cannot be read"
    assert done.lines == [f"{good}: {passed}", f"{good}: {passed}", total]
    first, second = done.err.splitlines()
    assert first == f"dwarfgpu: {missing} cannot be read: No such file or directory"
    assert str(half) in second and done.status == 2
    answer = run_json("conformance", missing, good, half)
    assert [report["file"] for report in answer.json["files"]] == [
        str(path) for path in (missing, good, half)
    ]
    assert ["error" in report for report in answer.json["files"]] == [True, False, True]
    assert (answer.json["total"]["passed"], answer.status) == (1, 2)
    validator("conformance-result").validate(answer.json)


@pytest.mark.parametrize("machine", ["EM_AMDGPU", "EM_X86_64"])
def test_a_machine_of_the_other_byte_order(tmp_path: Path, machine: str) -> None:
    done = run("conformance", write(tmp_path, {**SUM, "machine": machine, "endian": "big"}))
    assert done.status == 1
    assert "InconsistentContext: target architecture" in done.out
    assert "(little-endian) and compilation unit (big-endian) disagree" in done.out


@pytest.mark.parametrize(
    ("instruction", "cfa", "status"),
    [
        ("0cc00000", {"reg": 64, "offset": 0}, 0),  # DW_CFA_def_cfa
        ("0cc00000", {"reg": 64, "offset": 0, "address_space": 0}, 0),
        ("0cc00000", {"reg": 64, "offset": 0, "address_space": 6}, 1),
        ("30c0000006", {"reg": 64, "offset": 0, "address_space": 6}, 0),  # def_aspace_cfa
        ("30c0000006", {"reg": 64, "offset": 0}, 1),
        ("0f0130", {"expression": "30"}, 0),  # def_cfa_expression
    ],
)
def test_address_spaces_of_cfas(
    tmp_path: Path, instruction: str, cfa: dict[str, Json], status: int
) -> None:
    case = {
        **SUM,
        "machine": "EM_AMDGPU",
        "bytes_hex": "",
        "cie_bytes_hex": instruction,
        "initial_location": 4096,
        "address_range": 64,
        "expected": {"kind": "cfi_rows", "rows": [{"start": 4096, "end": 4160, "cfa": cfa}]},
    }
    assert run("conformance", write(tmp_path, case)).status == status
