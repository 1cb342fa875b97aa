"""Callers of upstream clang's code, found by what its machine code does with their registers.

The calls that a kernel has made are counted in a trace of its instructions.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.called_functions import CalledFunctions
from dwarfgpu.cfi.known_registers import Entry, SavedRegisters, Slot
from dwarfgpu.cfi.rule import SameValueRule
from dwarfgpu.cfi.saved_register_rules import SavedRegisterRules
from dwarfgpu.cfi.saved_registers import SavedRegisterAnalysis
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.objfile.elf import open_object
from tests.cli.command import FIXTURES, run

CALL = ("call", "--grid", 64, "--workgroup", 64, "--arg", "out=zeros:256")
RECURSION = (
    "recursion", "--grid", 64, "--workgroup", 64, "--scratch", 4096,
    "--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256",
)  # fmt: skip


def executed(path: Path, options: tuple[object, ...], most: int) -> list[tuple[int, list[int]]]:
    """The program location of each of the first instructions of wave 1, and where its callers
    continue."""
    done = run("run", path, *options, "--trace", "--trace-limit", most, "--wave", 1, "--json")
    rows = [json.loads(line) for line in done.lines]
    result: list[tuple[int, list[int]]] = []
    callers: list[int] = []
    for row in rows[:-1]:
        result.append((row["pc"], callers[::-1]))
        if row["instruction"].startswith("s_swappc_b64"):
            callers.append(row["pc"] + 4)
        elif row["instruction"] == "s_setpc_b64 s[30:31]":
            callers.pop()
    return result


STOPS = 9


@pytest.mark.parametrize(
    ("file", "options", "step"),
    [
        ("hip/call.gfx90a.O0.v5.co", CALL, 47),
        ("hip/call.gfx90a.O2.v5.co", CALL, 11),
        ("hip/call.gfx942.O0.v5.co", CALL, 47),
        ("hip/call.gfx942.O2.v5.co", CALL, 11),
        ("hip/call.gfx1100.O0.v5.co", CALL, 47),
        ("hip/call.gfx1100.O2.v5.co", CALL, 11),
        ("run/integers.gfx90a.O0.v5.co", RECURSION, 123),
        ("run/integers.gfx942.O2.v5.co", RECURSION, 83),
        ("run/integers.gfx1200.O0.v5.co", RECURSION, 123),
        ("run/integers.gfx1200.O2.v5.co", RECURSION, 83),
    ],
)
def test_frames_are_the_calls_that_were_made(
    file: str, options: tuple[object, ...], step: int
) -> None:
    path = FIXTURES / file
    steps = executed(path, options, STOPS * step + 1)
    sample = range(step, len(steps), step)
    commands = [f"tbreak *{steps[0][0]:#x}", "run"]
    last = 0
    for index in sample:
        commands += [f"stepi {index - last}", "echo bt\\n", "bt 60"]
        last = index
    kernel, *more = options
    words = [word for line in commands for word in ("-ex", line)]
    done = run("debug", path, "--heuristic", "--dispatch", kernel, *more, "--batch", *words)
    outputs = done.out.split("bt\n")[1:]
    assert len(outputs) == len(sample)
    deepest = 0
    for index, output in zip(sample, outputs, strict=True):
        pc, callers = steps[index]
        found = re.findall(r"^#[1-9]\d* +0x([0-9a-f]+) in ", output, re.M)
        assert [int(address, 16) for address in found] == callers, f"at {pc:#x}: {output}"
        assert "stopped" not in output
        deepest = max(deepest, len(callers))
    assert deepest >= 2


def test_variables_of_every_frame_of_a_recursion() -> None:
    """Lane 7 computes fibonacci(7), and each function call has passed one less."""
    path = FIXTURES / "run/integers.gfx90a.O0.v5.co"
    commands = ("break fibonacci if $_lane == 7 && n == 1", "run", "bt", "delete", *["finish"] * 7)
    words = [word for line in commands for word in ("-ex", line)]
    kernel, *more = RECURSION
    done = run("debug", path, "--heuristic", "--dispatch", kernel, *more, "--batch", *words)
    frames = re.findall(r"^#\d+ .*fibonacci \(n=(\d+)\) at .*:124", done.out, re.M)
    assert [int(n) for n in frames[:7]] == [1, 2, 3, 4, 5, 6, 7]
    returned = re.findall(r"^Value returned is \$\d+ = (\d+)$", done.out, re.M)
    assert [int(value) for value in returned] == [1, 1, 2, 3, 5, 8, 13]


FILE = FIXTURES / "hip/call.gfx942.O0.v5.co"


def assembled(tool: Callable[[str], str], folder: Path, text: str) -> SavedRegisterAnalysis:
    """The analysis of code for gfx942 at 0x1000."""
    source, file = folder / "k.s", folder / "k.o"
    source.write_text(f".text\n{text}\n")
    options = ("--target=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-c")
    subprocess.run([tool("clang-19"), *options, source, "-o", file], check=True)
    return SavedRegisterAnalysis("gfx942", 64, open_object(file).section_data(".text"), 0x1000)


def registers_at(analysis: SavedRegisterAnalysis, location: int) -> SavedRegisters:
    saved = analysis.at(location)
    assert saved is not None
    return saved


def test_what_paths_do_not_agree_on_is_unknown(tool: Callable[[str], str], tmp_path: Path) -> None:
    text = """
      v_writelane_b32 v40, s30, 0
      s_cbranch_scc0 other
      v_writelane_b32 v40, s31, 1
      s_branch end
    other:
      s_mov_b32 s31, 0
    end:
      s_endpgm
    """
    end = 0x1000 + 8 + 4 + 8 + 4 + 4
    saved = registers_at(assembled(tool, tmp_path, text), end)
    assert saved.lanes == {(40, 0): Entry("s", 30)}
    assert ("s", 31) not in saved.scalars and saved.scalars["s", 30] == Entry("s", 30)
    assert 40 not in saved.vectors and 41 in saved.vectors


def test_a_call_keeps_what_the_convention_preserves(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    text = """
      v_writelane_b32 v40, s30, 0
      v_writelane_b32 v39, s30, 0
      s_mov_b32 s20, s33
      s_mov_b32 s34, s33
      s_swappc_b64 s[30:31], s[16:17]
      s_endpgm
    """
    saved = registers_at(assembled(tool, tmp_path, text), 0x1000 + 28)
    assert saved.lanes == {(40, 0): Entry("s", 30)}
    assert ("s", 20) not in saved.scalars and saved.scalars["s", 34] == Entry("s", 33)
    assert not {("s", 30), ("s", 31)} & set(saved.scalars)
    assert not {0, 39, 48} & saved.vectors and {41, 47, 56} <= saved.vectors


def test_slots_of_scratch(tool: Callable[[str], str], tmp_path: Path) -> None:
    """A store to the middle of a slot ends it. A slot of the lanes on entry is marked."""
    text = """
      s_mov_b32 s33, s32
      s_addk_i32 s32, 0x40
      scratch_store_dword off, v41, s33 offset:4
      s_or_saveexec_b64 s[4:5], -1
      scratch_store_dword off, v42, s33 offset:8
      scratch_store_dword off, v43, s32 offset:-48
      s_mov_b64 exec, s[4:5]
      scratch_store_short off, v0, s33 offset:18
      s_endpgm
    """
    analysis = assembled(tool, tmp_path, text)
    before, after = registers_at(analysis, 0x1000 + 40), registers_at(analysis, 0x1000 + 48)
    slots = {4: Slot(41, False, False, ()), 8: Slot(42, True, False, ())}
    assert before.slots == slots | {16: Slot(43, True, False, ())}
    assert after.slots == slots
    assert after.scalars["exec", 0] == Entry("exec", 0)


def test_the_prologue_of_a_function() -> None:
    """As llvm-objdump shows it: s7 = s33, s33 = s32, s32 += 0x50."""
    file = open_object(FILE)
    [inner] = {(s.address, s.size_bytes) for s in file.symbols if s.name == "inner"}
    code = file.memory_bytes(*inner)
    assert code is not None
    analysis = SavedRegisterAnalysis("gfx942", 64, code, inner[0])
    at = analysis.at(inner[0])
    assert at is not None and at.scalars["s", 33] == Entry("s", 33) and not at.slots
    at = analysis.at(0x1A50)
    assert at is not None
    assert at.scalars["s", 7] == Entry("s", 33)
    assert at.scalars["s", 33] == Entry("s", 32)
    assert at.scalars["s", 32] == Entry("s", 32, 0x50)
    assert analysis.at(inner[0] - 4) is None


def test_a_location_is_looked_up_in_its_own_block(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in all before it, which would take longer the longer the function is."""
    block = "v_writelane_b32 v40, s30, 0\n s_cbranch_scc0 end\n"
    analysis = assembled(tool, tmp_path, f"{block * 50} end: s_nop 0\n s_nop 0\n s_endpgm")
    executed_at: list[int] = []
    execute = SavedRegisterAnalysis._execute

    def counted(self: SavedRegisterAnalysis, state: Any, instruction: Instruction) -> None:
        executed_at.append(instruction.address)
        execute(self, state, instruction)

    monkeypatch.setattr(SavedRegisterAnalysis, "_execute", counted)
    end = 0x1000 + 50 * 12
    assert registers_at(analysis, end + 8).lanes == {(40, 0): Entry("s", 30)}
    assert executed_at == [end, end + 4]
    assert analysis.at(end + 12) is None and analysis.at(0x1000 - 4) is None


REGISTERS = ("v40", "v41", "v42", "v43", "s32", "s33", "s34", "s35", "s40", "exec")


@pytest.mark.parametrize("built", ["gfx90a.O2", "gfx942.O2", "gfx1100.O2"])
def test_registers_of_the_caller_are_those_at_the_call(built: str) -> None:
    """Of the third call. The callee stores v43 with all lanes, v40 to v42 with the active ones."""
    path = FIXTURES / f"run/integers.{built}.v5.co"
    steps = executed(path, RECURSION, 1000)
    calls = [n for n, (_, callers) in enumerate(steps[1:]) if len(callers) > len(steps[n][1])]
    site = calls[2]
    behind = [site + more for more in (3, 9, 15, 21, 27)]
    assert all(len(steps[index][1]) == 3 for index in behind)
    printed = [f"print ${name}" for name in REGISTERS]
    commands = ["set print repeats 0", "set print elements 0", f"tbreak *{steps[0][0]:#x}", "run"]
    commands += [f"stepi {site}", "echo next\\n", *printed]
    last = site
    for index in behind:
        commands += [f"stepi {index - last}", "frame 1", "echo next\\n", *printed]
        last = index
    words = [word for line in commands for word in ("-ex", line)]
    kernel, *more = RECURSION
    done = run("debug", path, "--heuristic", "--dispatch", kernel, *more, "--batch", *words)
    first, *others = (
        re.findall(r"^\$\d+ = (.*)$", part, re.M) for part in done.out.split("next\n")[1:]
    )
    assert len(first) == len(REGISTERS) and len(others) == len(behind)
    for contents in others:
        assert len(contents) == len(REGISTERS)
        for name, before, after in zip(REGISTERS, first, contents, strict=True):
            lanes = zip(before.strip("{}").split(", "), after.strip("{}").split(", "), strict=True)
            assert all(a == b for a, b in lanes if a != "<unavailable>"), name


CALLEE = """
  s_or_saveexec_b64 s[2:3], -1
  scratch_store_dword off, v40, s32
  s_mov_b64 exec, s[2:3]
  v_writelane_b32 v40, s30, 0
  v_writelane_b32 v40, s31, 1
  s_add_i32 s32, s32, 16
  s_call_b64 s[30:31], callee
  v_readlane_b32 s31, v40, 1
  v_readlane_b32 s30, v40, 0
  s_add_i32 s32, s32, -16
  s_or_saveexec_b64 s[2:3], -1
  {restore}
  s_mov_b64 exec, s[2:3]
  s_setpc_b64 s[30:31]
"""
CALLER = """
  scratch_store_dword off, v40, s32
  s_add_i32 s32, s32, 16
  s_and_b64 exec, exec, vcc
  s_call_b64 s[30:31], callee
  s_nop 0
"""


@pytest.mark.parametrize(
    ("restore", "is_kept"), [("scratch_load_dword v40, off, s32", True), ("v_nop", False)]
)
def test_a_register_that_callees_restore_needs_no_lanes_on_entry(
    tool: Callable[[str], str], tmp_path: Path, restore: str, is_kept: bool
) -> None:
    """The caller saved v40 in the lanes on entry, which are not known any more; its callee calls
    itself."""
    source, file = tmp_path / "k.s", tmp_path / "k.o"
    callee = CALLEE.format(restore=restore)
    source.write_text(f".text\n{CALLER}callee:\n{callee}\n")
    options = ("--target=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-c")
    subprocess.run([tool("clang-19"), *options, source, "-o", file], check=True)
    code = open_object(file).section_data(".text")
    begin = 0x1000 + 8 + 4 + 4 + 4 + 4
    functions = {begin: code[begin - 0x1000 :]}
    callees = CalledFunctions("gfx942", 64, functions.get)
    saved = registers_at(callees.analysis(code[: begin - 0x1000], 0x1000), begin - 4)
    rules = SavedRegisterRules(architecture("gfx942"), saved)
    assert 40 in saved.vectors and ("exec", 0) not in saved.scalars
    assert rules.rule(2560 + 40) == (SameValueRule() if is_kept else None)
