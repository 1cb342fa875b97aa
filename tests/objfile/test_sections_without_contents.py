"""A section of debugging information of type NOBITS has lost its contents, except where eu-strip
leaves one in the program and not in the debug file."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.sections import Program, Sections
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.lost_sections import section_without_contents
from tests.cli.command import FIXTURES, run

PROGRAM = FIXTURES / "core/crash.x86_64.O2"
REASON = r"section .debug_info of 0x635 bytes has no contents (SHT_NOBITS)"


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = bytearray(PROGRAM.read_bytes())
    section = open_object(PROGRAM).sections_by_name[".debug_info"]
    at = int.from_bytes(data[40:48], "little") + 64 * section.index + 4
    data[at : at + 4] = (8).to_bytes(4, "little")
    path = tmp_path_factory.mktemp("damaged") / "crash.x86_64.O2"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("info",), ("where", "--all"), ("check",), ("eval", "--pc", "leaf", "--file"),
        ("debug", "--batch", "-ex", "info types"), ("debug", "--batch", "-ex", "list"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_section_of_units_without_contents_is_named(
    damaged: Path, arguments: tuple[str, ...]
) -> None:
    done = run(*arguments, damaged)
    assert (done.out + done.err).count(REASON) == 1


def test_frames_without_arguments_say_why(damaged: Path) -> None:
    done = run("bt", "--core", f"{PROGRAM}.core", "--file", damaged)
    assert "in leaf ()" in done.out
    assert done.err.count(REASON) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("objcopy", "-R", ".debug_info", PROGRAM, "main"),
        ("objcopy", "--strip-debug", PROGRAM, "main"),
        ("objcopy", "--only-keep-debug", PROGRAM, "debug"),
        ("llvm-objcopy", "--only-keep-debug", PROGRAM, "debug"),
        ("eu-strip", "-f", "debug", "-o", "main", PROGRAM),
        ("eu-strip", "--keep-section=.debug_info", "-f", "debug", "-o", "main", PROGRAM),
    ],
    ids=lambda command: " ".join(map(str, command[:2])),
)
def test_what_tools_leave_out_is_no_damage(
    tmp_path: Path, tool: Callable[[str], str], command: tuple[str | Path, ...]
) -> None:
    name, *arguments = map(str, command)
    subprocess.run([tool(name), *arguments], cwd=tmp_path, check=True)
    for path in tmp_path.iterdir():
        file = open_object(path)
        sections = Sections(file, Program(file))
        for section in file.sections:
            assert section_without_contents(file, section.name) is None
            if section.name.startswith(".debug_"):
                sections.section(section.name)


def test_a_section_is_read_as_damaged_again(damaged: Path) -> None:
    file = open_object(damaged)
    sections = Sections(file, Program(file))
    for _ in range(2):
        with pytest.raises(Malformed, match="of 0x635 bytes has no contents"):
            sections.section(".debug_info")


@pytest.mark.parametrize(
    "words",
    ["run FILE", "run FILE nest --grid 64 --workgroup 64", "disas FILE", "disas FILE nest",
     "debug FILE --dispatch nest --grid 64 --workgroup 64"],
)  # fmt: skip
def test_a_separate_debug_file_has_no_code(
    tmp_path: Path, tool: Callable[[str], str], words: str
) -> None:
    """It has the metadata of the kernels, and no descriptors."""
    path = tmp_path / "nest.debug"
    whole = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    subprocess.run([tool("llvm-objcopy"), "--only-keep-debug", whole, path], check=True)
    done = run(*words.replace("FILE", str(path)).split())
    assert done.status == 2
    assert "nest.debug has debugging information only: its code is in the file" in done.error
