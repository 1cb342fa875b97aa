"""Small files whose debug sections inflate to endless work are refused after bounded work."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.unit_header import read_headers
from dwarfgpu.errors import LimitExceeded
from tests.cli.command import run
from tests.work import at_most

ENTRIES = """
 .section .debug_abbrev,"",@progbits
 .byte 1,0x11,1,0,0
 .byte 2,0x34,0,0,0
 .byte 0
 .section .debug_info,"",@progbits
 .long 2f-1f
1: .short 5
 .byte 1,8
 .long 0
 .byte 1
 .fill 4000000,1,2
 .byte 0
2:
"""


@pytest.fixture
def bomb(tool: Callable[[str], str], tmp_path: Path) -> Path:
    """Four million entries of one byte in a file of some kilobytes."""
    source, path = tmp_path / "a.s", tmp_path / "a.o"
    source.write_text(ENTRIES)
    subprocess.run([tool("gcc"), "-c", str(source), "-o", str(path)], check=True, timeout=60)
    objcopy = [tool("objcopy"), "--compress-debug-sections=zlib-gabi", str(path)]
    subprocess.run(objcopy, check=True, timeout=60)
    assert path.stat().st_size < 10_000
    return path


def test_entries_of_a_compressed_section(bomb: Path) -> None:
    limits = FileLimits(inflated_ratio=2000, dies=10_000)
    (unit,) = CodeObject.open(bomb, 0, limits=limits).info.units
    _ = unit.abbreviations
    with (
        at_most(10_000 * 8),
        pytest.raises(LimitExceeded, match=r"from offset 0x271c of \.debug_info .*--max-dies"),
    ):
        _ = unit.tree


@pytest.mark.parametrize("command", [("where", "--all"), ("check",)])
def test_commands_print_the_note(bomb: Path, command: tuple[str, ...]) -> None:
    done = run(*command, bomb)
    text = done.out + done.err
    assert ".debug_info" in text and "--max-inflated-ratio" in text


def test_units_beyond_the_bound() -> None:
    unit = bytes.fromhex("09000000 0500 01 08 00000000 01".replace(" ", ""))
    headers, problems = read_headers(unit * 100, "little", most_units=10)
    assert len(headers) == 10
    assert [type(problem) for problem in problems.values()] == [LimitExceeded]
