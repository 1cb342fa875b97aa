"""Where breakpoints of source lines are, against the installed GDB: once in each block."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import run

SOURCE = """\
int sum(int n)
{
    int s = 0;
    int v[n]; for (int i = 0; i < n; i++) { v[i] = i; s += v[i]; }
    for (int i = 0; i < n; i++) { int k = i; s += k; } for (int j = 0; j < n; j++) s += j;
    { s++; { s--; } } { int k = s; s += k; { s++; } } { int k = s; s += k; }
    return s;
}
int main(void) { return sum(3); }
"""


def test_lines_with_several_blocks(tmp_path: Path) -> None:
    gdb, gcc = shutil.which("gdb"), shutil.which("gcc")
    if gdb is None or gcc is None:
        pytest.skip("needs gdb and gcc")
    (tmp_path / "a.c").write_text(SOURCE)
    subprocess.run(
        [gcc, "-g", "-O0", "-gdwarf-5", "-o", "a", "a.c"], cwd=tmp_path, check=True, timeout=60
    )
    lines = [f"break {line}" for line in range(1, 10)]
    given = [word for line in (*lines, "info breakpoints") for word in ("-ex", line)]
    theirs = subprocess.run(
        [gdb, "-nx", "-q", "--batch", *given, "a"],
        cwd=tmp_path, env={**os.environ, "LC_ALL": "C.UTF-8"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    ours = run("debug", str(tmp_path / "a"), "--batch", *given)
    assert ours.out == theirs.stdout
    assert ours.out.count("locations)") >= 2
