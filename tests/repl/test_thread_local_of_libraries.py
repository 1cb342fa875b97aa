"""Thread-local variables that a library and the program define, in core files.

GDB 13 reads the one that the library defines, which its code does not use.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, with_core

LIBRARY = """
__thread int before = 5, shared = 6, own = 7;
void stop(void) { shared += 1000; own++; before++; __builtin_trap(); }
"""
PROGRAM = """
__thread int padding[10] = {1};
__thread int shared = 50;
void stop(void);
int main(void) { shared++; padding[1]++; stop(); return 0; }
"""


@pytest.mark.parametrize(
    "options", [(), ("-ftls-model=initial-exec",), ("-mtls-dialect=gnu2",), ("-gsplit-dwarf",)]
)
def test_the_variable_that_the_code_of_the_library_uses(
    tmp_path: Path, tool: Callable[[str], str], options: tuple[str, ...]
) -> None:
    library = [tool("gcc"), "-g", *options, "-fPIC", "-shared", "-o", "lib.so", "lib.c"]
    program = [tool("gcc"), "-g", "-o", "a", "a.c", f"{tmp_path}/lib.so"]
    build(tmp_path, {"lib.c": LIBRARY, "a.c": PROGRAM}, [library, program])
    files = with_core(tool, tmp_path)
    commands = ["print shared", "print &shared", "frame 1", "print shared", "print &shared"]
    own = answers(None, files, commands)
    assert own[0] == "print shared\n$1 = 1051\n"
    assert own[1].split("=")[1] == own[4].split("=")[1]
    done = run("eval", "--file", files[0], "--core", files[1], "shared", "own", "before")
    assert done.lines == ["shared = 1051", "own = 8", "before = 6"]
    done = run("debug", "--batch", "-q", *files, "-ex", "explain shared", "-ex", "where shared")
    bound = "the dynamic linker binds shared to the definition at offset 0x28 in the thread-local"
    assert f"{bound} storage of a: that of lib.so is not used" in done.out
    assert bound in done.err
