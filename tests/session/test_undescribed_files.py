"""What a session says of files without debugging information."""

from __future__ import annotations

from pathlib import Path

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.session.unknown_name import undescribed
from tests.cli.command import run
from tests.dwarf.builder import elf


def _opened(path: Path) -> CodeObject:
    link = b"k.debug\0" + bytes(4)
    path.write_bytes(elf({".gnu_debuglink": link}, machine=62))
    return CodeObject.open(path, debug_directories=[])


def test_their_number(tmp_path: Path) -> None:
    files = [_opened(tmp_path / "a.co"), _opened(tmp_path / "b.co")]
    assert undescribed(files[:1]) == "a.co has no debugging information"
    assert undescribed(files) == "a.co, b.co have no debugging information"


def test_a_debug_file_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "k.debug").write_bytes(elf({".debug_info": b""}, machine=62))
    file = _opened(tmp_path / "a.co")
    message = undescribed([file])
    assert message == f"a.co has no debugging information; {file.unusable_debug_file}"
    assert file.opening_notes == [str(file.unusable_debug_file)]
    assert str(file.unusable_debug_file).startswith(
        f"the debug file of {tmp_path}/a.co cannot be used: {tmp_path}/k.debug has the checksum 0x"
    )


def test_a_function_of_it_that_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "k.debug").write_bytes(elf({".debug_info": b""}, machine=62))
    file = _opened(tmp_path / "a.co")
    done = run("disas", tmp_path / "a.co", "leaf")
    assert f"debugging information: give an address; {file.unusable_debug_file}" in done.error
