"""`dwarfgpu explain`: what operations used that the stack does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.expr.evaluate import Step, evaluate
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, stack_frames
from dwarfgpu.view import frame_inputs
from dwarfgpu.view import operation_inputs as looked_into
from tests.cli.command import FIXTURES, STATES, Json, run, run_json
from tests.dwarf.builder import Shape, state_in

O0 = ("--core", FIXTURES / "core/crash.x86_64.O0.core", "--file", FIXTURES / "core/crash.x86_64.O0")
O2 = ("--core", FIXTURES / "core/crash.x86_64.O2.core", "--file", FIXTURES / "core/crash.x86_64.O2")
LOCATIONS = ("--state", STATES / "locations.gfx942.json", "--lane", 3)
CHAIN = ("--state", STATES / "chain_flat.gfx942.json", "--lane", 1)

CASES = [
    # fbreg, and within it call_frame_cfa: the entry, the row, the rule, the register
    (
        (*O0, "n"),
        [
            "inside: the frame base of leaf, 0x7fffffffecf0",
            "  DW_AT_frame_base: DW_OP_call_frame_cfa",
            "inside: the CFA of frame 0 (leaf), 0x7fffffffecf0",
            "FDE 0xd4 of .eh_frame in crash.x86_64.O0, [0x7ffff7ffa15b,0x7ffff7ffa1c6), "
            "row [0x7ffff7ffa15f,0x7ffff7ffa1c5) for 0x7ffff7ffa1b4",
            "CFA = RBP+16",
            "RBP of the machine is 0x7fffffffece0",
        ],
    ),
    # of an outer frame: where the callee has saved the register
    (
        (*O0, "--frame", 1, "n"),
        [
            "inside: the CFA of frame 1 (down), 0x7fffffffed30",
            "inside: RBP on entry to frame 0 (leaf), 0x7fffffffece0",
            "RBP = [CFA-16]",
            "inside: the CFA of frame 0 (leaf), 0x7fffffffecf0",
        ],
    ),
    # entry_value by the parameters of calls, frame after frame
    (
        (*O2, "--frame", 1, "n"),
        [
            "inside: the value of DW_OP_reg4 RSI on entry to frame 1 (down), 0",
            "the caller is frame 2 (down), which continues at 0x7ffff7ffa086",
            "a call-site parameter gives it: DW_AT_call_value DW_OP_entry_value(DW_OP_reg4 RSI), "
            "DW_OP_lit1, DW_OP_minus, in frame 2 (down)",
            "inside: the value of DW_OP_reg4 RSI on entry to frame 4 (down), 3",
            "a call-site parameter gives it: DW_AT_call_value DW_OP_lit3, in frame 5 (begin)",
        ],
    ),
    # entry_value that is lost
    (
        (*O2, "n"),
        [
            "no call-site parameter gives it: it is evaluated in frame 1 (down)",
            "RSI = undefined, which is the default rule of the ABI of x86_64",
        ],
    ),
    # the entries of the variable's own list
    (
        (*LOCATIONS, "moving"),
        [
            "inside: DW_AT_location is a list of 3 entries",
            "=> [0x1600,0x160c) DW_OP_regx VGPR1, DW_OP_LLVM_user DW_OP_LLVM_push_lane",
            "   [0x163c,0x1684) DW_OP_lit9, DW_OP_stack_value",
        ],
    ),
    ((*LOCATIONS, "by_frame_base"), ["inside: the frame base of k, private_lane#0x0"]),
    (
        (*LOCATIONS, "called"),
        ["inside: the location of __slot, the entry at 0x34b", "  DW_AT_location: DW_OP_lit0"],
    ),
    (
        (*LOCATIONS, "called_step"),
        ["inside: the location of __scaled, the entry at 0x35d"],
    ),
    (
        (*LOCATIONS, "called_ref"),
        ["inside: the location of wide, the entry at 0x4eb"],
    ),
    (
        (*LOCATIONS, "pointer_implicit_4"),
        ["inside: the pointer was optimized out; it points to wide, the entry at 0x4eb"],
    ),
    # LLVM_call_frame_entry_reg, and a vector register that each callee saved in part
    (
        (*CHAIN, "--frame", 3, "a"),
        [
            "inside: VGPR41 on entry to frame 2 (f9), {bytes 0-27: private_wave#0x6100",
            "inside: VGPR41 on entry to frame 1 (f10), {bytes 0-15: private_wave#0x7100",
            "inside: EXEC on entry to frame 2 (f9), {bytes 0-7: v40 + byte 112}",
            "inside: the CFA of frame 2 (f9), private_wave#0x6000",
        ],
    ),
    # a scalar register that no frame has touched
    (
        (*CHAIN, "--frame", 3, "s"),
        [
            "  frame 2 (f9):",
            "SGPR40 = same, which is the default rule of the ABI of gfx942",
            "  it is SGPR40 of the machine",
        ],
    ),
]


@pytest.mark.parametrize(("arguments", "said"), CASES, ids=lambda case: str(case[-1])[:30])
def test_everything_that_was_used_is_shown(arguments: tuple[object, ...], said: list[str]) -> None:
    text = run("explain", *arguments, "--depth", "all").out
    for step in said:
        assert step in text


@pytest.mark.parametrize(("arguments", "said"), CASES, ids=lambda case: str(case[-1])[:30])
def test_json_has_all_of_it(arguments: tuple[object, ...], said: list[str]) -> None:
    text = "\n".join(words(run_json("explain", *arguments).json))
    for step in said:
        assert step.removeprefix("inside: ").strip() in text


def words(record: Json) -> Iterator[str]:
    """The titles and facts of everything inside."""
    for inside in record["inside"]:
        yield inside["title"]
        yield from inside["facts"]
        yield from words(inside)
    for step in record.get("steps", []):
        yield from words({"inside": step["inside"], "steps": []})


def test_it_is_folded_unless_it_is_asked_for() -> None:
    folded = run("explain", *O0, "n")
    assert (
        "inside: the frame base of leaf, 0x7fffffffecf0; --depth 1 shows 1 step of it" in folded.out
    )
    assert "DW_OP_call_frame_cfa" not in folded.out
    once = run("explain", *O0, "n", "--depth", 1)
    assert "inside: the CFA of frame 0 (leaf), 0x7fffffffecf0; --depth 2 shows it" in once.out
    assert "RBP" not in once.out
    answers = [step.out.split("=> ")[1] for step in (folded, once)]
    assert answers[0] == answers[1]


def test_a_call_is_folded_too() -> None:
    lines = run("explain", *LOCATIONS, "called").lines
    [line] = [line.strip() for line in lines if "inside" in line]
    assert line == (
        "inside: the location of __slot, the entry at 0x34b; --depth 1 shows 7 steps of it"
    )
    assert sum(line.startswith("0x") for line in lines) == 1


def test_a_variable_whose_value_is_used_has_its_location_shown(tmp_path: Path) -> None:
    """DW_OP_GNU_variable_value: `n` is 1 more than `m`."""
    named, typed = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF1)
    sizes = (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1)
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_BASE_TYPE, (named, *sizes)),
        Shape(dw.TAG_VARIABLE, (named, typed, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    ]
    integer, m = b"\2int\0\4\5", b"\3m\0\x0d\2\x37\x9f"  # lit7; stack_value
    n = b"\3n\0\x0d\x08\xfd\x14\0\0\0\x23\1\x9f"
    state = state_in(tmp_path, b"\1" + integer + m + n + b"\0", shapes)
    text = run("explain", "--state", state, "--depth", "all", "n").out
    assert "inside: the location of m, the entry at 0x14" in text
    assert "DW_AT_location: DW_OP_lit7, DW_OP_stack_value" in text
    assert "=> n = 8" in text


@pytest.mark.parametrize("depth", ["-1", "x", "0x"])
def test_a_depth_is_a_number(depth: str) -> None:
    done = run("explain", *O0, "n", f"--depth={depth}")
    assert done.status == 2 and done.error.startswith("--depth: expected an integer")


def test_at_the_prompt() -> None:
    folded = run("debug", "--batch", *O0, "-ex", "explain n").out
    assert "inside: the frame base of leaf, 0x7fffffffecf0; -depth 1 shows 1 step of it" in folded
    whole = run("debug", "--batch", *O0, "-ex", "explain -depth all n").out
    assert "RBP of the machine is 0x7fffffffece0" in whole


def test_what_was_shown_is_not_shown_again() -> None:
    text = run("explain", *CHAIN, "--frame", 3, "a", "--depth", "all").out
    title = "inside: VGPR40 on entry to frame 1 (f10), v40 (wave 0)\n"
    first, second, *_ = text.split(title)[1:]
    assert first.strip().startswith("frame 1 (f10):")
    assert second.strip().startswith("as above")


def test_there_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looked_into, "MAX_INPUTS", 2)
    text = run("explain", *O0, "--frame", 3, "n", "--depth", "all").out
    assert "not expanded: it is too large" in text
    assert text.rstrip().endswith("the object is at 0x7fffffffed74")


def test_a_deep_stack_is_followed_in_bounded_depth() -> None:
    """The CFA of each frame needs that of the frame it has called."""
    text = run("explain", *O0, "--frame", 5, "arguments", "--depth", "all").out
    assert text.count("inside: the CFA of frame") == 6


@pytest.mark.parametrize(
    "text",
    ["call2 0x10", "call4 0x10", "call_ref 0x10", "implicit_pointer 0x10 0", "fbreg 0",
     "call_frame_cfa", "LLVM_call_frame_entry_reg s4", "entry_value(lit1)"],
)  # fmt: skip
def test_without_a_file_there_is_nothing_to_look_into(text: str) -> None:
    explained, evaluated = (run_json(word, text, "--lane", 1) for word in ("explain", "eval"))
    assert explained.status == evaluated.status
    assert explained.json.get("error") == evaluated.json.get("error")


def test_frames_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of them are named: a stack can have ten thousand."""
    counted: list[int] = []

    def counting(session: Session) -> Iterator[StackFrame]:
        for stack_frame in stack_frames(session):
            counted.append(stack_frame.number)
            yield stack_frame

    monkeypatch.setattr(frame_inputs, "stack_frames", counting)
    text = run("explain", *CHAIN, "--frame", 9, "a", "--depth", "all").out
    assert len(set(re.findall(r"frame (\d+) \(", text))) == 9
    assert counted == list(range(9))


def test_steps_know_what_called_them() -> None:
    """Two calls one after the other: an expression and a location list are distinguished."""
    record = run_json("explain", *LOCATIONS, "called_step").json
    titles = {step["number"]: step["operation"] for step in record["steps"]}
    called = [step for step in record["steps"] if step["parent"] is not None]
    assert len(called) == 2
    assert {titles[step["parent"]] for step in called} == {"DW_OP_call4"}
    assert sorted(titles) == list(range(len(titles)))


def test_a_step_has_its_context() -> None:
    from dwarfgpu.arch.registry import architecture
    from dwarfgpu.expr.context import Context

    steps: list[Step] = []
    context = Context(architecture("gfx942"))
    evaluate(assemble("lit1; lit2; plus"), context, observe=steps.append)
    assert [step.number for step in steps] == [0, 1, 2]
    assert all(step.parent is None and step.context is context for step in steps)


def test_an_explanation_changes_no_answer() -> None:
    for arguments, _ in CASES:
        explained = run_json("explain", *arguments).json
        evaluated = run_json("eval", *arguments).json
        assert explained.get("text") == evaluated.get("text")
        assert explained.get("result") == evaluated.get("result")
