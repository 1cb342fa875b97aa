"""Programs whose debug information the user names: `add-symbol-file`, `symbol-file`, inside GDB.

GDB's own `print` and frames decide. A debug file has no contents of the sections that run, such as
the call frame information of `.eh_frame`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger
from tests.gdb.test_gdb_name_lookup import COMPARE

PROGRAM = """\
struct pack { int a; char text[4]; } pack = { 3, "abc" };
int sum;
int work(struct pack *p, int k) {
  int local = p->a + k;
  sum += local;
  return local;
}
int main(int count, char **arguments) { int n = 5; return work(&pack, n + count) == 0; }
"""
GLOBALS = ["pack", "&pack", "sum", "sizeof(struct pack)"]
LOCALS = [*GLOBALS, "local", "k", "*p", "p"]


@pytest.fixture
def folder(tmp_path: Path, tool: Callable[[str], str]) -> Path:
    """`a` with all, `a.debug` with its debug information, `stripped` without."""
    (tmp_path / "a.c").write_text(PROGRAM)
    commands = [
        [tool("gcc"), "-g", "-O0", "-no-pie", "-o", "a", "a.c"],
        [tool("objcopy"), "--only-keep-debug", "a", "a.debug"],
        [tool("strip"), "-o", "stripped", "a"],
    ]
    for words in commands:
        subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    return tmp_path


def _differences(debugger: Debugger, expressions: list[str], *commands: str) -> list[object]:
    shown = debugger.python(COMPARE.format(expressions=expressions), *commands)
    document = json.loads(shown.splitlines()[-1])
    assert len(document) == len(expressions)
    assert not any("error" in item[1] for item in document), document
    return [item for item in document if item[1] != item[2]]


@pytest.mark.parametrize("loading", [
    "file {0}/stripped|add-symbol-file {0}/a.debug -o 0",
    "exec-file {0}/stripped|symbol-file {0}/a.debug",
    "exec-file {0}/a|symbol-file {0}/a.debug",
    "exec-file {0}/stripped|symbol-file {0}/a",
])  # fmt: skip
def test_frames(debugger: Debugger, folder: Path, loading: str) -> None:
    commands = [*loading.format(folder).split("|"), "break work", "run", "next", "next"]
    assert _differences(debugger, LOCALS, *commands) == []
    out, err = debugger.run(*commands, "dwarfgpu bt -compare", "dwarfgpu compare -all-frames")
    assert "2 frames: 38 of 38 facts are the same" in out, out + err
    assert "6 variables of 2 frames: 6 are the same, 0 differ for a known reason" in out, out + err


def test_addresses_are_those_of_the_symbols(debugger: Debugger, folder: Path) -> None:
    commands = [f"exec-file {folder}/stripped", f"symbol-file {folder}/a.debug -o 0x10000000"]
    assert _differences(debugger, ["&pack", "sizeof(struct pack)"], *commands) == []


def test_core_file_without_its_program(debugger: Debugger, folder: Path) -> None:
    """The parts of memory that a core file has are no sections of the program."""
    core = folder / "a.core"
    debugger.run(f"file {folder}/a", "break work", "run", f"generate-core-file {core}")
    commands = [f"core-file {core}", f"symbol-file {folder}/a"]
    assert _differences(debugger, GLOBALS, *commands) == []
