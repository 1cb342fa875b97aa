"""docs/spec-notes.md and docs/disputed.json name what exists; choices that are not clauses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dwarfgpu.errors import Malformed, MissingContext
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import UPSTREAM_CLANG
from dwarfgpu.expr.evaluate import evaluate
from tests.spec.clauses import read_clauses
from tests.spec.machine import GPU, raises, shown, world


def test_every_clause_and_test_that_is_named_exists(repository: Path) -> None:
    notes = (repository / "docs/spec-notes.md").read_text()
    named = re.findall(r"`(A\.[\d.]+/[\w-]+)`", notes)
    assert len(named) > 100
    assert set(named) <= set(read_clauses())
    notes += (repository / "docs/dispatch.md").read_text()
    tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", notes)
    assert tests
    for path, function in tests:
        assert f"def {function}(" in (repository / path).read_text()


def test_every_question_has_an_answer_that_is_tested(repository: Path) -> None:
    notes = (repository / "docs/spec-notes.md").read_text()
    questions = [part for part in re.split(r"\n\n(?=\*\*)", notes) if part.startswith("**")]
    assert len(questions) > 40
    for question in questions:
        heading = question.partition("\n")[0]
        assert "Clauses:" in question or "Tests:" in question, heading
        assert re.search(r"\b(A\.\d|2\.5\.1)|DWARF 5|The text", question), heading


def test_disputed_cases(repository: Path) -> None:
    """One file, in the package because `dwarfgpu conformance` reads it; docs/ links to it."""
    listed = repository / "docs/disputed.json"
    packaged = repository / "dwarfgpu/data/disputed.json"
    assert listed.read_text() == packaged.read_text()
    known = {
        case["name"]
        for path in (repository / "fixtures/cases").glob("*.json")
        for case in json.loads(path.read_text())["cases"]
    }
    for case in json.loads(packaged.read_text())["disputed"]:
        assert set(case) == {"name", "section", "decides", "reason"}
        assert case["name"] in known
        assert case["section"].startswith("A.")


@pytest.mark.parametrize("lane", [None, 3])
def test_upstream_clang_locates_without_a_lane(lane: int | None) -> None:
    """`fbreg`-like addresses with clang's suffix: located without a lane, read only with one."""
    made = GPU.changed(lane=lane)
    data = made.asm("lit16; lit1; swap; xderef")
    location = evaluate(data, made.context, dialect=UPSTREAM_CLANG)
    access = made.context.access
    if lane is None:
        assert shown(location) == "private_lane#0x10"
        raises(lambda: access.read(location, 8), MissingContext, "lane")  # type: ignore[arg-type]
    else:
        assert shown(location) == "private_lane[3]#0x10"
        assert access.read(location, 8).value == 0xA0  # type: ignore[arg-type]


@pytest.mark.clause("A.2.5.4.4.5/pointer-reference", "keeps")
def test_references_of_dwarf_2_have_the_size_of_an_address() -> None:
    old = world(form=UnitFormat(version=2), dies={0x100: "lit7"})
    assert len(old.asm("implicit_pointer 0x114 0")) == 1 + 8 + 1
    assert shown(old.result(".byte 0xa0, 0x14, 1, 0, 0, 0, 0, 0, 0, 4")) == (
        "pointer to 0x114+4 in global"
    )
    assert shown(old.result("call_ref 0x100")) == "7"
    raises(lambda: old.result(".byte 0x9a, 0, 1, 0, 0"), Malformed, "8 bytes needed")


def test_large_numbers() -> None:
    """A literal of any size is a number; a register number or size of more than 64 bits is none."""
    huge = ", ".join(["0xff"] * 11 + ["0x7f"])
    assert shown(GPU.result(f".byte 0x10, {huge}")) == "0xffffffffffffffff"
    for opcode in ("0x90", "0x93"):
        raises(lambda: GPU.result(f".byte {opcode}, {huge}"), Malformed, "64 bits")  # noqa: B023


def test_the_format_names_every_member_in_use(repository: Path) -> None:
    page = (repository / "docs/conformance-format.md").read_text()
    named = set(re.findall(r"`\"?(\w+)\"?[`:]", page)) | set(re.findall(r"\"(\w+)\"", page))
    for path in (repository / "fixtures/cases").glob("*.json"):
        for case in json.loads(path.read_text())["cases"]:
            used = {*case, *case["state"], *case["expected"], case["expected"]["kind"]}
            for access in case.get("access", ()):
                used |= {*access, access["op"]}
            assert used <= named, f"{path.name}: {case['name']}: {used - named}"
