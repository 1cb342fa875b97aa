"""Static variables that a process never wrote, in core files of Linux, against the installed
GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.test_gdb_core import crashed
from tests.repl.side_by_side import answers, build

SOURCE = """\
#include <stdlib.h>
#include <sys/mman.h>
static char first[0x10000] __attribute__((aligned(4096)));
static char other[0x10000] __attribute__((aligned(4096)));
char *heap = "";
int main(int argc, char **argv) {
  static char local[0x8000] __attribute__((aligned(4096)));
  heap = mmap(0, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (argv[1][0] == 'm') {
    first[0] = 5, other[9] = 7;
    madvise(other + 0x8000, 0x8000, MADV_DONTDUMP);
  }
  if (argv[1][0] == 'g') {
    other[0x2000] = first[0] = 5;
    mprotect(other, 0x1000, PROT_NONE);
    mprotect(other + 0x3000, 0x1000, PROT_NONE);
    madvise(other + 0x1000, 0x2000, MADV_DONTDUMP);
    abort();
  }
  if (first[argc] + other[argc] + local[argc] + heap[argc] > 0) return 1;
  abort();
}
"""
VALUES = [
    "p first", "p other", "p main::local", "p other[60000]", "x/4xb &first[4096]",
    "p main::local == other",
]  # fmt: skip


@pytest.fixture
def opened(tmp_path: Path, tool: Callable[[str], str]) -> Callable[[str], list[str]]:
    """Return the program and its core file, by what it does."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "-o", "a", "a.c"]])
    return lambda how: [str(tmp_path / "a"), str(crashed(tmp_path, tmp_path / "a", how))]


def test_variables_that_were_never_written_are_zeros(
    tool: Callable[[str], str], opened: Callable[[str], list[str]]
) -> None:
    files = opened("never")
    assert answers(None, files, VALUES) == answers(tool("gdb"), files, VALUES)


def test_what_is_left_out_by_request_is_unavailable(opened: Callable[[str], list[str]]) -> None:
    """GDB shows zeros, although the process wrote there."""
    files = opened("madvise")
    if Path(files[1]).name == "gcore":
        pytest.skip("Linux writes no core file here")
    part, whole = answers(None, files, ["p other", "p other[40000]"])
    assert "7 '\\a', 0 '\\000' <repeats 32758 times>, <unavailable> <repeats 32768 times>}" in part
    assert "reads were needed" not in part
    assert "Cannot access memory at address" in whole


def test_what_is_left_out_between_guard_pages_is_unavailable(
    opened: Callable[[str], list[str]],
) -> None:
    files = opened("guards")
    if Path(files[1]).name == "gcore":
        pytest.skip("Linux writes no core file here")
    (text,) = answers(None, files, ["p other[0x2000]"])
    assert "Cannot access memory at address" in text
