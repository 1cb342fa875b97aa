"""The base addresses of frames, of `info frame` and `$fp`: those of GDB."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """
#ifdef __x86_64__
asm(".globl _start\\n_start: mov $" FRAME_POINTER ",%rbp\\n call main\\n hlt\\n");
#else
asm(".globl _start\\n_start: mov $" FRAME_POINTER ",%ebp\\n call main\\n hlt\\n");
#endif
__attribute__((noinline)) int leaf(volatile int *at) { return *at + 1; }
__attribute__((noinline)) int middle(int n) { return leaf((int *)8) + n; }
int main(void) { return middle(2) + 1; }
"""
COMMANDS = [
    *("info frame", "p $fp", "up", "info frame", "p $fp", "info registers fp"),
    *("frame function main", "info frame", "p $fp"),
]


@pytest.mark.parametrize("frame_pointer", ["0", "0x1234"])
@pytest.mark.parametrize("option", ["-m32", "-m64"])
@pytest.mark.parametrize("omitting", ["-fomit-frame-pointer", "-fno-omit-frame-pointer"])
def test_frame_bases(
    tool: Callable[[str], str], tmp_path: Path, option: str, omitting: str, frame_pointer: str
) -> None:
    """On i386 a frame in which the frame pointer is 0 has none, whether or not it sets one."""
    make = [tool("gcc"), "-g", "-O1", "-static", "-nostdlib", "-fno-stack-protector", "-fno-pie"]
    make += ["-no-pie", option, omitting, f'-DFRAME_POINTER="{frame_pointer}"', "a.c", "-o", "a"]
    try:
        build(tmp_path, {"a.c": SOURCE}, [make])
    except subprocess.CalledProcessError:
        pytest.skip(f"gcc does not compile with {option}")
    files = with_core(tool, tmp_path)
    theirs, ours = (answers(gdb, files, COMMANDS) for gdb in (tool("gdb"), None))
    assert ours == theirs
