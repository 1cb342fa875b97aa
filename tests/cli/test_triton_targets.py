"""What Triton makes for each of its AMD targets: frames, variables, lanes, and no mistakes."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.scope.variable import variables_below
from dwarfgpu.expr.context import LocList
from tests.cli.command import FIXTURES, run, run_json

LANES = {
    "gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1200": 32, "gfx1250": 32,
}  # fmt: skip
KERNELS = sorted(path.name for path in (FIXTURES / "triton").glob("*.co"))


def in_register(processor: str, name: str) -> tuple[int, str]:
    """Where a variable of axpy begins to be in a vector register, and which that is."""
    lines = run("where", FIXTURES / f"triton/axpy.{processor}.co", name).lines
    [result] = [match for line in lines if (match := re.match(r".*\[(0x\w+),.* in (v\d+):", line))]
    return int(result[1], 16), result[2]


@pytest.mark.parametrize("processor", LANES)
def test_each_lane_has_its_own_value(processor: str) -> None:
    # On gfx1250 a lane computes two elements of `total` at once.
    name, letter, line = ("at", "i", 10) if processor == "gfx1250" else ("total", "f", 15)
    pc, register = in_register(processor, name)
    expected = [7 * lane for lane in range(LANES[processor])]
    contents = struct.pack(f"<{len(expected)}{letter}", *expected).hex()
    machine = ("--file", FIXTURES / f"triton/axpy.{processor}.co", "--pc", pc)
    given = ("--reg", f"{register}=bytes:{contents}")
    lanes = run_json("eval", *machine, *given, "--lane", "all", name).json["lanes"]
    assert isinstance(lanes, list)
    assert [lane["data"] for lane in lanes] == expected
    last = run("lanes", *machine, *given, name).lines[-1]
    place = f"{len(expected) - 1} ?     {pc:#x} triton/axpy.py:{line}"
    assert last.strip() == f"{place} {expected[-1]}"


@pytest.mark.parametrize("name", KERNELS)
def test_there_is_nothing_to_find(name: str) -> None:
    done = run("check", FIXTURES / "triton" / name)
    assert done.status == 0 and "0 errors, 0 warnings" in done.out


@pytest.mark.parametrize("processor", LANES)
def test_a_kernel_is_the_outermost_frame(processor: str) -> None:
    lines = run("frames", FIXTURES / f"triton/loops.{processor}.co").lines
    assert lines[-2].strip() == "CFA = lit0, lit6, LLVM_form_aspace_address"
    assert lines[-1].strip() == "PC_REG = undefined"


@pytest.mark.parametrize("processor", LANES)
def test_frames_of_inlined_functions(processor: str) -> None:
    """All have the name of the kernel; their lines are those of `scaled` and `gathered`."""
    file = FIXTURES / f"triton/loops.{processor}.co"
    pc = min(LineLookup(CodeObject.open(file).scopes).pcs_of("loops.py", 11))
    lines = run("bt", file, "--pc", pc, "--lane", 0).lines
    assert [line.rpartition(" at ")[2] for line in lines if line.startswith("#")] == [
        f"triton/loops.py:{line}" for line in (11, 19, 28)
    ]


@pytest.mark.parametrize("name", KERNELS)
def test_locations_are_those_of_llvm_dwarfdump(name: str, tool: Callable[[str], str]) -> None:
    """The ranges of every variable's location list, by the offset of its entry."""
    path = FIXTURES / "triton" / name
    dump = subprocess.check_output([tool("llvm-dwarfdump-19"), path], text=True)
    expected: dict[int, list[tuple[int, int]]] = {}
    offset = 0
    for line in dump.splitlines():
        if entry := re.match(r"(0x\w+):\s+DW_TAG", line):
            offset = int(entry[1], 16)
        if span := re.match(r"\s+\[(0x\w+), (0x\w+)\): DW_OP", line):
            expected.setdefault(offset, []).append((int(span[1], 16), int(span[2], 16)))
    assert ranges(path) == expected


def ranges(path: Path) -> dict[int, list[tuple[int, int]]]:
    out: dict[int, list[tuple[int, int]]] = {}
    for unit in CodeObject.open(path).info.units:
        for die in unit.root.children():
            for variable in variables_below(die):
                if isinstance(variable.location, LocList):
                    out[variable.die.offset] = [
                        (entry.begin or 0, entry.end or 0) for entry in variable.location.entries
                    ]
    return out
