"""Programs that are opened through symbolic links, as /bin/bash is, against the installed GDB."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers

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
