"""Callers by the calling convention of AMD GPUs: clang's code without call frame information."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dwarfgpu.arch.amdgpu import is_call
from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.calling_convention import Convention
from dwarfgpu.cfi.rule import ExpressionRule, SameValueRule, UndefinedRule
from dwarfgpu.errors import Unavailable
from dwarfgpu.objfile.elf import ObjectFile, open_object
from tests.cli.command import FIXTURES, Done, run, run_json

DEMO = FIXTURES.parent / "dwarfgpu/data"
FILES = sorted((FIXTURES / "hip").glob("call.*.co"))
UNSAVED = (
    r"where outer saved its return address: bits 0 to 63 of 64 are unavailable: register v\d+ of "
    r"wave 0 is not in the state \(by the calling convention\)"
)
"""`outer` saves it in two lanes of a vector register, which these states do not have."""


def extent(file: ObjectFile, name: str) -> tuple[int, int]:
    [result] = {(s.address, s.size_bytes) for s in file.symbols if s.name == name}
    return result


def calls(path: Path, name: str) -> list[int]:
    """Where the calls of a function return to."""
    file = open_object(path)
    start, size_bytes = extent(file, name)
    arch = architecture(path.name.split(".")[1])
    result = []
    for at in range(start, start + size_bytes, 4):
        word = file.memory_bytes(at, 4)
        assert word is not None
        if is_call(arch, int.from_bytes(word, "little")):
            result.append(at + 4)
    return result


def options(path: Path, pc: int, return_address: int, *more: object) -> list[object]:
    low, high = return_address & 0xFFFF_FFFF, return_address >> 32
    registers = ["--reg", f"s30={low:#x}", "--reg", f"s31={high:#x}"]
    return ["--file", path, "--pc", f"{pc:#x}", *registers, "--heuristic", *more]


def walked(path: Path, pc: int, return_address: int) -> tuple[list[str], str]:
    """Functions, those found so with a `?`, and why there are no more."""
    json = run_json("bt", *options(path, pc, return_address)).json
    names = [frame["func"] + "?" * frame["is_heuristic"] for frame in json["frames"]]
    guessed = [frame["level"] for frame in json["frames"] if frame["is_heuristic"]]
    note = "found by the calling convention only: frame"
    assert json["notes"] == [f"{note} {level}" for level in guessed]
    return names, json["end"]["reason"]


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_a_leaf_and_its_caller(path: Path) -> None:
    """`inner` calls nothing: s[30:31] are its return address everywhere."""
    start, size_bytes = extent(open_object(path), "inner")
    behind = calls(path, "outer")
    assert len(behind) == 2
    for return_address, line in zip(behind, (17, 18), strict=True):
        for pc in (start, start + size_bytes // 8 * 4, start + size_bytes - 4):
            names, reason = walked(path, pc, return_address)
            assert names == ["inner", "outer?"]
            assert re.fullmatch(UNSAVED, reason), reason
            output = run("bt", "--no-args", *options(path, pc, return_address))
            shown = rf"#1  0x0*{return_address:x} in outer \(\.\.\.\) at hip/call\.hip:(\d+)"
            match = re.fullmatch(rf"{shown}  \[heuristic\]", output.lines[1])
            assert match is not None, output.out
            if ".O0." in path.name:
                assert int(match[1]) == line
            assert output.status == 1 and output.notes == [
                "found by the calling convention only: frame 1"
            ]


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_a_function_before_and_behind_its_first_call(path: Path) -> None:
    """Its prologue saves s[30:31] in lanes of a vector register; the call then changes them."""
    start, _ = extent(open_object(path), "outer")
    [first, second], kernel = calls(path, "outer"), calls(path, "call")
    outermost = (["outer", "call?"], "outermost: call is a kernel")
    for pc in (start, first - 4):
        for return_address in kernel:
            assert walked(path, pc, return_address) == outermost
    for pc in (first, second):
        names, reason = walked(path, pc, first)
        assert names == ["outer"]
        assert re.fullmatch(UNSAVED, reason), reason


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_a_kernel_is_outermost(path: Path) -> None:
    [after, *_] = calls(path, "call")
    done = run("bt", *options(path, after, after))
    assert (len(done.lines), done.status) == (1, 0)
    assert walked(path, after, after) == (["call"], "outermost: call is a kernel")


FLAT = FIXTURES / "hip/call.gfx942.O0.v5.co"
INNER, IN_INNER, OUTER = 0x1A00, 0x1A50, 0x2244


@pytest.mark.parametrize(
    ("return_address", "reason"),
    [
        (0x2248, "s[30:31] of inner hold 0x2248, which does not follow a call"),
        (0x2246, "s[30:31] of inner hold 0x2246, which does not follow a call"),
        (0x1_0000_2244, "s[30:31] of inner hold 0x100002244, which does not follow a call"),
        (0, "s[30:31] of inner hold 0x0, which does not follow a call"),
    ],
)
def test_values_that_are_not_return_addresses(return_address: int, reason: str) -> None:
    assert walked(FLAT, IN_INNER, return_address) == (
        ["inner"],
        f"{reason} (by the calling convention)",
    )


def test_it_is_done_only_on_request() -> None:
    given = [option for option in options(FLAT, IN_INNER, OUTER) if option != "--heuristic"]
    done = run("bt", *given)
    assert done.lines[1:] == [
        "stopped: the frame information for pc 0x1a50 in call.gfx942.O0.v5.co has no rules "
        "(--heuristic finds callers by the machine code)"
    ]


def test_unknown_registers_are_reported() -> None:
    done = run("bt", "--file", FLAT, "--pc", f"{IN_INNER:#x}", "--heuristic")
    assert done.lines[1].startswith("stopped: s[30:31]: bits 0 to 63 of 64 are unavailable: ")


def test_frames_with_information_do_not_need_it() -> None:
    state = ("--state", FIXTURES / "states/chain_flat.gfx942.json")
    assert run("bt", *state, "--heuristic").out == run("bt", *state).out


def caller(pc: int, *names: str) -> Done:
    more = ["--frame", "1", "--lane", "0", "--reg", "s33=0x50", "--reg", "s5=7", *names]
    return run("eval", *options(FLAT, pc, OUTER, *more))


def test_registers_of_the_caller() -> None:
    """`inner` begins with s_mov_b32 s7, s33, and writes s5 for the first time behind 0x1a50."""
    done = caller(INNER, "$s33", "$s5", "$pc")
    assert done.lines[:2] == ["$s33 = 80", "$s5 = 7"]
    assert done.lines[2].startswith(f"$pc = (void (*)(void)) {OUTER:#x} <outer")
    done = caller(IN_INNER, "--reg", "s7=0x30", "$s33", "$s5", "$s7", "$pc")
    assert done.lines[:3] == ["$s33 = 48", "$s5 = 7", "$s7 = <optimized out>"]
    assert done.lines[3].startswith(f"$pc = (void (*)(void)) {OUTER:#x} <outer")
    assert caller(IN_INNER, "$s0").error == (
        "$s0: Unavailable: s0 of the caller of inner: inner may have saved and changed it, "
        "and has no call frame information"
    )


@pytest.mark.parametrize("name", ["n", "local"])
def test_variables_of_the_caller_say_why_they_are_not_known(name: str) -> None:
    assert "register s7 of wave 0 is not in the state" in caller(IN_INNER, name).error


@pytest.mark.parametrize(
    ("number", "at_entry", "later"),
    [
        (16, ExpressionRule, ExpressionRule),  # pc
        (62, UndefinedRule, UndefinedRule),  # s30, s31: the call has changed them
        (63, UndefinedRule, UndefinedRule),
        (36, SameValueRule, UndefinedRule),  # s4 to s31 and v0 to v31 are clobbered
        (61, SameValueRule, UndefinedRule),
        (35, SameValueRule, None),
        (64, SameValueRule, None),  # s32, s33
        (65, SameValueRule, None),
        (17, SameValueRule, None),  # exec
        (2560, SameValueRule, UndefinedRule),
        (2591, SameValueRule, UndefinedRule),
        (2592, SameValueRule, None),
        (2600, SameValueRule, None),
    ],
)
def test_rules(number: int, at_entry: type, later: type | None) -> None:
    arch = architecture("gfx942")
    assert isinstance(Convention(arch, "f", True).rule(number), at_entry)
    if later is None:
        with pytest.raises(Unavailable, match="f may have saved and changed it"):
            Convention(arch, "f", False).rule(number)
    else:
        assert isinstance(Convention(arch, "f", False).rule(number), later)


@pytest.mark.parametrize(
    ("name", "swap", "call", "jump"),
    [
        ("gfx803", 0xBE9E1E00, 0xBA9E0004, 0xBE801D1E),
        ("gfx90a", 0xBE9E1E00, 0xBA9E0004, 0xBE801D1E),
        ("gfx942", 0xBE9E1E05, 0xBA9EFFFF, 0xBE801D1E),
        ("gfx1030", 0xBE9E2100, 0xBB1E0004, 0xBE80201E),
        ("gfx1100", 0xBE9E4900, 0xBA1E0004, 0xBE80481E),
        ("gfx1200", 0xBE9E4900, 0xBA1E0004, 0xBE80481E),
    ],
)
def test_instructions_that_call(name: str, swap: int, call: int, jump: int) -> None:
    """s_swappc_b64, s_call_b64, and s_setpc_b64, which returns, as LLVM encodes them."""
    arch = architecture(name)
    assert is_call(arch, swap) and is_call(arch, call)
    assert not is_call(arch, jump) and not is_call(arch, swap ^ 1 << 16)


def test_a_processor_with_unknown_instructions() -> None:
    assert not is_call(architecture("gfx700"), 0xBE9E1E00)


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_kernel_with_a_damaged_descriptor_is_outermost(tmp_path: Path, is_lost: bool) -> None:
    """The metadata name it: its descriptor is zeros, or has no symbol."""
    demo = open_object(DEMO / "demo.co")
    data = bytearray((DEMO / "demo.co").read_bytes())
    descriptor = demo.sections_by_name[".rodata"]
    size_bytes = 0 if is_lost else descriptor.size_bytes
    data[descriptor.offset : descriptor.offset + size_bytes] = bytes(size_bytes)
    symbols = demo.sections_by_name[".symtab"]
    [number] = [n for n in range(6) if data[symbols.offset + 24 * n + 8 :][:2] == b"\x80\x05"]
    if is_lost:
        data[symbols.offset + 24 * number : symbols.offset + 24 * (number + 1)] = bytes(24)
    (tmp_path / "demo.co").write_bytes(data)
    (tmp_path / "demo.json").write_bytes((DEMO / "demo.json").read_bytes())
    done = run("bt", "--state", tmp_path / "demo.json")
    assert (len(done.lines), done.status) == (1, 0)
    assert "note: outermost: nest is a kernel" in done.err
