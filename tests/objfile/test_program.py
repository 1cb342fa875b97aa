"""Programs and libraries: GDB names the file of a frame without a line where it is a library."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.dynamic_relocations import is_program
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES
from tests.objfile.deep_stacks import DEEP, deep_core

FILES = {
    "a program that is linked at its addresses": ("core/deep.x86_64.O2", True),
    "one that is placed anywhere": ("x86_64/demo.gcc.O2.v5", True),
    "a file that is not linked": ("objects/placed.gcc.o", True),
    "a library": ("x86_64/pointers.clang.O0.v5.so", False),
    "code of a GPU": ("hip/nest.gfx942.O2.v5.co", False),
}


@pytest.mark.parametrize(("name", "expected"), FILES.values(), ids=FILES)
def test_programs(name: str, expected: bool) -> None:
    path = FIXTURES / name
    assert is_program(ObjectFile(str(path), path.read_bytes())) is expected


def test_a_position_independent_program_that_is_linked_statically(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """It has no interpreter (PT_INTERP)."""
    (tmp_path / "a.s").write_text(".globl _start\n_start: nop\n.section .note.GNU-stack\n")
    options = ["-nostdlib", "-static-pie", "a.s", "-o", "program"]
    subprocess.run([tool("gcc"), *options], cwd=tmp_path, check=True)
    path = tmp_path / "program"
    assert is_program(ObjectFile(str(path), path.read_bytes()))


def test_a_frame_of_the_program_does_not_name_it(tmp_path: Path) -> None:
    done = run("bt", *deep_core(tmp_path / "core", 1))
    assert done.lines[-1].endswith(" in _start ()") and str(DEEP) not in done.out
