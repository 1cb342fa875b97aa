"""`explain` of long expressions: work and output that grow with the expression, not faster."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run, run_json
from tests.dwarf.builder import Shape, state_in
from tests.work import assert_linear

PIECES = "reg0; piece 4; "
MADE_OF_PIECES = PIECES + "{}LLVM_piece_end; "

LONG = {
    "pieces": lambda count: PIECES * count,
    "pieces on a deep stack": lambda count: "lit0; " * 64 + PIECES * count,
    "a composite on the stack": lambda count: (
        MADE_OF_PIECES.format(PIECES * count) + "lit0; drop; " * count
    ),
    "copies of a composite": lambda count: (
        MADE_OF_PIECES.format(PIECES * count) + "dup; " * count + "lit0; drop; " * count
    ),
    "offsets into a composite": lambda count: (
        MADE_OF_PIECES.format(PIECES * count) + "lit0; LLVM_offset; " * count
    ),
    "an undefined part": lambda count: (
        "LLVM_undefined; piece 4; " + PIECES * count + "LLVM_piece_end; " + "lit0; drop; " * count
    ),
    "undefined places above a composite": lambda count: (
        MADE_OF_PIECES.format(PIECES * count) + "LLVM_undefined; drop; " * count
    ),
    "parts of composites": lambda count: (
        MADE_OF_PIECES.format(PIECES * count)
        + "lit0; LLVM_offset; piece 8; LLVM_piece_end; " * count
    ),
    "a deep stack": lambda count: "lit0; " * count,
}


def typed(text: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()))


@pytest.mark.parametrize("form", ["text", "--json"])
@pytest.mark.parametrize("name", LONG)
def test_work_grows_with_the_expression(
    name: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(count: int) -> object:
        def explain() -> None:
            monkeypatch.setattr("sys.stdin", typed(LONG[name](count)))
            options = ["--json"] if form == "--json" else []
            done = run("explain", "-", "--arch", "gfx942", *options)
            assert done.status in (0, 1), done.err

        return explain

    assert_linear(work, 60)


def test_json_of_copies_of_a_wide_composite_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the stacks would be as long as all copies of the composite."""
    parts = "".join(f"regx v{number % 200}; piece 4; " for number in range(1_000))
    expression = f"{parts}LLVM_piece_end; {'dup; ' * 100}"
    monkeypatch.setattr("sys.stdin", typed(expression))
    done = run("explain", "-", "--arch", "gfx942", "--json")
    assert done.status == 0
    assert len(done.out) < 10_000_000


def test_omitted_entries_are_counted() -> None:
    steps = run_json("explain", "lit0; " * 40, "--arch", "gfx942").json["steps"]
    first, *shown = steps[-1]["stack_after"]
    assert first == {"kind": "omitted", "entry_count": 40 - len(shown)}
    assert {entry["kind"] for entry in shown} == {"value"}
    assert len(steps[2]["stack_after"]) == 3


def test_a_location_of_very_many_operations_is_not_listed(tmp_path: Path) -> None:
    located = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOCATION, dw.FORM_EXPRLOC))
    shapes = [Shape(dw.TAG_COMPILE_UNIT, (), True), Shape(dw.TAG_VARIABLE, located)]
    operations = b"\x96" * 300_000
    entry = b"\2x\0" + encode_uleb(len(operations)) + operations
    state = state_in(tmp_path, b"\1" + entry + b"\0", shapes)
    done = run("explain", "--state", state, "x", "--max-steps", "10")
    why = "DW_AT_location: 300000 bytes, not listed: more than 262144; no option raises it"
    assert why in done.out
    assert len(done.out) < 2_000


@pytest.mark.parametrize("made", [b"\x10" + b"\x81" * 30_000 + b"\x01", b"\x31" + b"\x96" * 30_000])
def test_lines_for_people_are_no_longer_than_they_read(made: bytes, tmp_path: Path) -> None:
    """A number of 30,000 bytes, and as many operations."""
    located = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOCATION, dw.FORM_EXPRLOC))
    shapes = [Shape(dw.TAG_COMPILE_UNIT, (), True), Shape(dw.TAG_VARIABLE, located)]
    entry = b"\2x\0" + encode_uleb(len(made) + 1) + made + b"\x9f"
    state = state_in(tmp_path, b"\1" + entry + b"\0", shapes)
    done = run("explain", "--state", state, "x")
    assert "more characters)" in done.out
    assert max(map(len, done.out.splitlines())) < 11_000
