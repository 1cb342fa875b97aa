"""`explain` of long expressions: work and output that grow with the expression, not faster."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run, run_json
from tests.dwarf.builder import Shape, state_in
from tests.work import assert_linear, calls_of
from tools.bombs.entries import large_locals

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


def test_the_variables_of_an_expression_share_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The structures of the others are not read; a variable that occurs twice counts once."""
    monkeypatch.chdir(tmp_path)
    Path("bomb").write_bytes(large_locals(240 * 240)["bomb"])  # a value has 2,270 characters
    asked = ("--file", "bomb", "--pc", "0x1000")
    explained, work = [], []
    run("explain", *asked, "v0.m1,v1.m1")
    for count in (10, 45, 90):
        text = ",".join(f"v{number}.m1" for number in [*range(count), 0])
        work.append(calls_of(lambda text=text: run("explain", *asked, text)))
        done, record = run("explain", *asked, text), run_json("explain", *asked, text).json
        shown = len(record["variables"])
        explained.append(shown)
        assert record["variables_omitted"] == count - shown
        assert done.out.count("m7 = 0") == shown
        said = f"{count - shown} more variables, not explained: what is above counts as more than"
        assert (said in done.out) == (shown < count)
        assert record["heading"][0].startswith(said if shown < count else "expression")
    assert explained[0] == 10
    assert explained[1] == explained[2] in range(11, 25)
    assert work[2] - work[1] < work[1] - work[0]


def test_large_values_of_an_expression_count_by_their_bytes(tmp_path: Path) -> None:
    """Their texts are short, their digits in JSON are not."""
    typed = (dw.AT_TYPE, dw.FORM_REF4)
    named = (dw.AT_NAME, dw.FORM_STRING)
    size, encoding = (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1)
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_BASE_TYPE, (size, encoding)),
        Shape(dw.TAG_ARRAY_TYPE, (typed,), True),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA4),)),
        Shape(dw.TAG_VARIABLE, (named, typed, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    ]
    length, first = 500_000, 12
    value = b"\3" + (0x5000).to_bytes(8, "little")
    entries = b"\1" + b"\2\1\6" + b"\3" + (first + 1).to_bytes(4, "little")
    entries += b"\4" + length.to_bytes(4, "little") + b"\0"
    located = (first + 4).to_bytes(4, "little") + encode_uleb(len(value)) + value
    for number in range(40):
        entries += b"\5" + f"v{number}".encode() + b"\0" + located
    state = state_in(tmp_path, entries + b"\0", shapes)
    machine = json.loads(state.read_text())
    machine["memory"] = [{"address": 0x5000, "bytes": "00" * length}]
    state.write_text(json.dumps(machine))
    text = ",".join(f"v{number}[0]" for number in range(40))
    done = run_json("explain", "--state", state, text)
    shown = len(done.json["variables"])
    assert shown in range(10, 20)
    assert done.json["variables_omitted"] == 40 - shown


def test_hidden_steps_of_variables_leave_out_no_small_ones(tmp_path: Path) -> None:
    """They are not among the characters; very many of them end the explanation, too."""
    named, located = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOCATION, dw.FORM_EXPRLOC)
    code = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_SUBPROGRAM, (named, *code, (dw.AT_FRAME_BASE, dw.FORM_EXPRLOC)), True),
        Shape(dw.TAG_VARIABLE, (named, located)),
    ]
    base = b"\x0c\x00\x50\x00\x00" + b"\x96" * 1_900
    function = b"\2f\0" + (0x1000).to_bytes(8, "little") + (16).to_bytes(4, "little")
    entries = b"\1" + function + encode_uleb(len(base)) + base
    entries += b"".join(b"\3v%d\0\2\x91\4" % number for number in range(60))
    state = state_in(tmp_path, entries + b"\0\0", shapes)
    for names in (["v0", "v1"], ["v1", "v0"], [f"v{number}" for number in range(20)]):
        done = run("explain", "--state", state, ",".join(f"&{name}" for name in names))
        assert done.out.count("shows 1901 steps of it") == len(names)
        assert "not explained" not in done.out
    text = ",".join(f"&v{number}" for number in range(60))
    said = "{} more variables, not explained: what is above {}; no option raises it"
    characters = "counts as more than 50000 characters"
    hidden = run("explain", "--state", state, text)
    assert said.format(33, "took more than 50000 steps") in hidden.out
    assert said.format(59, characters) in run("explain", "--state", state, "--depth", 1, text).out
    record = run_json("explain", "--state", state, "--depth", 1, text).json
    assert (len(record["variables"]), record["variables_omitted"]) == (27, 33)
