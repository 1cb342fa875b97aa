"""The primary file of a unit, where nothing but base types is in it: as other files are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.plain_gdb import printed
from tests.repl.side_by_side import answers, build

SOURCE = "int main(void) { return 0; }\n"


@pytest.mark.parametrize(
    ("options", "source", "file"),
    [
        (["-fdebug-prefix-map={folder}=./sub"], "a.c", "./sub/a.c"),  # as in the line table
        (["-fdebug-prefix-map={folder}=./sub"], "./a.c", "./a.c"),
        (["-fdebug-prefix-map={folder}=./sub", "-gdwarf-4"], "a.c", "a.c"),
        ([], "./a.c", "./a.c"),
    ],
)
def test_types_without_a_declaration(
    tmp_path: Path, tool: Callable[[str], str], options: list[str], source: str, file: str
) -> None:
    """`file` as GDB 13 has it; dwarfgpu leaves out components `.`."""
    flags = [option.format(folder=tmp_path) for option in options]
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", *flags, source, "-o", "a"]])
    (own,) = answers(None, [str(tmp_path / "a")], ["info types ."])
    assert f"\nFile {file.removeprefix('./')}:\n\tint\n" in own, own
    theirs = printed(tool("gdb"), tmp_path, ["a"], ["info types ."])
    assert f"\nFile {file}:\n\tint\n" in theirs, theirs
