"""Frames by the call frame information that LLVM 24 writes for HIP (`fixtures/llvm24`).

A kernel runs up to the inner of two functions that are called. The frame pointer of the callers is
in another register, or in memory, by then, and the offset of the CFA counts the bytes of a lane.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, run_json

UNOPTIMIZED = ["gfx90a", "gfx942", "gfx1100"]
LANE = 5
N = LANE + 5
"""`outer(x)`, where x is the number of the work-item plus 5."""


def stopped(folder: Path, file: str) -> Path:
    """The state at the end of the first call of `inner` in the first wave."""
    state = folder / "state.json"
    done = run(
        "run", FIXTURES / f"llvm24/call.{file}.co", "call", "--grid", 64, "--workgroup", 64,
        "--arg", "out=zeros:256", "--break", "call.hip:12", "--stops", 1, "--save", state,
    )  # fmt: skip
    assert done.status == 0
    return state


def values(state: Path, frame: int, *names: str) -> list[object]:
    arguments = ("eval", "--state", state, "--lane", LANE, "--frame", frame)
    return [run_json(*arguments, name).json["data"] for name in names]


@pytest.mark.parametrize("processor", UNOPTIMIZED)
def test_variables_of_every_frame(processor: str, tmp_path: Path) -> None:
    state = stopped(tmp_path, f"{processor}.O0")
    table = [N * i + 2 * N for i in range(8)]
    assert values(state, 0, "n", "table", "picked") == [N, {"elements": table}, table[N & 7]]
    assert values(state, 1, "n", "local") == [N, 2 * N + 1]
    assert values(state, 2, "t", "x") == [LANE, LANE + 5]
    # A pointer to a variable of the caller.
    assert values(state, 0, "*cell") == [2 * N + 1]


@pytest.mark.parametrize("file", [*(f"{name}.O0" for name in UNOPTIMIZED), "gfx942.O2"])
def test_the_stack_ends_at_the_kernel(file: str, tmp_path: Path) -> None:
    lines = run("bt", "--state", stopped(tmp_path, file), "--lane", LANE).lines
    frames = [line for line in lines if line.startswith("#")]
    assert [line.split(" in ")[-1].split()[0].removeprefix("#0") for line in frames[1:]] == [
        "outer", "call",
    ]  # fmt: skip
    assert "inner (" in frames[0] and f"n={N}" in frames[1]


@pytest.mark.parametrize("file", [*(f"{name}.O0" for name in UNOPTIMIZED), "gfx942.O2"])
def test_there_is_nothing_to_find_in_it(file: str) -> None:
    done = run("check", FIXTURES / f"llvm24/call.{file}.co")
    assert done.status == 0 and "3 FDEs" in done.out
    # The CFA is below the result of every DW_CFA_expression that does not use it.
    assert done.lines[-1] == "0 errors, 0 warnings"


def test_the_scaled_register_of_the_cfa() -> None:
    flat, swizzled = (run("frames", FIXTURES / f"llvm24/call.{name}.O0.co").out for name in
                      ("gfx942", "gfx90a"))  # fmt: skip
    scaled = "CFA = regx SGPR33, deref_size 0x4, lit6, shl, lit6, LLVM_form_aspace_address"
    assert scaled in flat
    assert "DW_CFA_LLVM_def_aspace_cfa: SGPR32 +0 in addrspace6" in swizzled
