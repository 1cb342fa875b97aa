"""What is said of files: programs that are opened through symbolic links, as /bin/bash is, and core
files, against the installed GDB."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

COMMANDS = ["info files", "info inferiors", "inferior", "maintenance info sections"]


def test_names_are_those_of_gdb(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB opens the file that is meant, and names the executable in the folder that is meant."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.c").write_text("int main(void) { return 0; }\n")
    command = [tool("gcc"), "-o", "a", "a.c"]
    subprocess.run(command, cwd=tmp_path / "real", check=True, timeout=60)
    (tmp_path / "real" / "link").symlink_to("a")
    (tmp_path / "folder").symlink_to("real")
    files = [str(tmp_path / "folder" / "link")]
    of_gdb, of_dwarfgpu = answers(tool("gdb"), files, COMMANDS), answers(None, files, COMMANDS)
    assert [text.split() for text in of_dwarfgpu] == [text.split() for text in of_gdb]
    assert f'Symbols from "{tmp_path}/real/a".' in of_dwarfgpu[0]
    assert f"({tmp_path}/real/link)" in of_dwarfgpu[2]


@pytest.mark.parametrize("flags", [(), ("-m32",)], ids=["64 bits", "32 bits"])
def test_mappings_and_segments_of_a_core(
    tmp_path: Path, tool: Callable[[str], str], flags: tuple[str, ...]
) -> None:
    """GDB lists notes as sections, too, and numbers all of them."""
    text = "int main(void) { __builtin_abort(); }\n"
    try:
        build(tmp_path, {"a.c": text}, [[tool("gcc"), *flags, "-g", "-o", "a", "a.c"]])
    except subprocess.CalledProcessError:
        pytest.skip("gcc cannot build it")
    files = with_core(tool, tmp_path)
    asked = ["info proc mappings", "maintenance info sections", "maintenance info sections CODE"]
    of_gdb, own = answers(tool("gdb"), files, asked), answers(None, files, asked)
    assert own[0] == of_gdb[0]
    number = re.compile(r"^ (\[\d+\])? +", re.MULTILINE)
    for text_of_gdb, shown in zip(of_gdb[1:], own[1:], strict=True):
        lines = [line for line in number.sub("", text_of_gdb).splitlines() if not is_of_notes(line)]
        assert number.sub("", shown).splitlines() == lines
        assert "Core file: `" in shown and ": load2 ALLOC LOAD READONLY CODE" in shown


def is_of_notes(line: str) -> bool:
    """Return whether a line is about what is in the notes of a core file."""
    return re.search(r": (?:note\d|\.reg|\.note\.linuxcore|\.auxv|\.gdb-tdesc)", line) is not None
