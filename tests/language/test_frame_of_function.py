"""`FUNCTION::x` outside of frames of the function: only automatic variables need a frame."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.language.sessions import program, text

SOURCE = """int f(int n) {
  static __thread int of_thread = 7;
  static int of_file = 8;
  int automatic = n;
  of_thread += n; of_file += n;
  return of_thread + of_file + automatic;
}
int main(void) { return f(1); }
"""


@pytest.mark.parametrize(
    ("compiler", "options"), [("gcc", []), ("gcc", ["-gsplit-dwarf"]), ("clang", [])]
)
def test_storage_of_threads_needs_no_frame(
    tmp_path: Path, tool: Callable[[str], str], compiler: str, options: list[str]
) -> None:
    (tmp_path / "a.c").write_text(SOURCE)
    command = [tool(compiler), "-g", "-O0", *options, "-o", "a", "a.c"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    session = program(tmp_path / "a")
    assert text(session, "f::of_file") == "8"
    assert "thread-local storage" in text(session, "f::of_thread")  # which no thread has yet
    assert text(session, "f::automatic") == "No frame selected."
