"""The exit status of `eval` for references: an object that cannot be read is no result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import build

SOURCE = """\
int n = 7;
int &good = n, &bad = *(int *)16;
int &&gone = (int &&)*(int *)24;
struct S { int a; int &r; };
S in = {1, *(int *)16}, &lost = *(S *)32, &kept = in;
struct left { int a; }; struct right { int b; }; struct two : left, right { int c; };
two both, &nothing = *(two *)16;
int main() { return good + both.c; }
"""
UNREAD = "<error reading variable: Cannot access memory at address {}>"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    folder = tmp_path_factory.mktemp("references")
    build(folder, {"a.cpp": SOURCE}, [[tool("g++"), "-g", "-no-pie", "a.cpp", "-o", "a"]])
    return folder / "a"


@pytest.mark.parametrize(
    ("expression", "status", "text"),
    [
        ("bad", 1, f"(int &) {UNREAD}".format("0x10")),
        ("gone", 1, f"(int &&) {UNREAD}".format("0x18")),
        ("lost", 1, f"(S &) {UNREAD}".format("0x20")),
        ("in.r", 1, f"(int &) {UNREAD}".format("0x10")),
        ("(right &) nothing", 1, f"(right &) {UNREAD}".format("0x14")),
        ("(right &) both", 0, None),
        ("good", 0, None),
        ("in", 0, "{a = 1, r = @0x10}"),  # as in GDB, without the object
        ("kept", 0, None),
    ],
)
def test_a_reference_that_cannot_be_read(
    program: Path, expression: str, status: int, text: str | None
) -> None:
    result = run("eval", program, expression)
    assert result.status == status
    assert text is None or result.out == f"{expression} = {text}\n"


def test_json_says_why_it_cannot_be_read(program: Path) -> None:
    reference = json.loads(run("eval", program, "in.r", "--json").out)
    assert reference["data"] == {
        "address": 16,
        "error": "Cannot access memory at address 0x10",
    }
    assert "error" not in json.loads(run("eval", program, "good", "--json").out)["data"]
    assert "error" not in json.loads(run("eval", program, "kept", "--json").out)["data"]
