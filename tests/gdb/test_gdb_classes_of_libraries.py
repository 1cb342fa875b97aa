"""Classes that the program declares and a library defines: `dwarfgpu print` inside GDB against
GDB's own. gcc describes a class with virtual functions only beside the first of these."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.gdb.debugger import Debugger
from tests.repl.test_classes_of_libraries import HEADER, LIBRARY, PROGRAM

LOADING = """\
#include <dlfcn.h>
struct Root { virtual int get(); int one; };
struct Holder { Root *root; } holder;
static int use(int times) { return times; }
int main(int count, char **arguments) {
  use(0);
  void *library = dlopen(arguments[1], RTLD_NOW);
  if (!library) return 1;
  holder.root = ((Root *(*)())dlsym(library, "make"))();
  return use(1) != 1;
}
"""
LOADED = """\
struct Root { virtual int get(); int one; };
int Root::get() { return one; }
extern "C" Root *make() { static Root root; root.one = 42; return &root; }
"""


def _built(folder: Path, compiler: str, library: str, program: str) -> Path:
    (folder / "shapes.h").write_text(HEADER)
    (folder / "lib.cpp").write_text(library)
    (folder / "a.cpp").write_text(program)
    for words in (
        ["-fPIC", "-shared", "-o", "libshapes.so", "lib.cpp"],
        ["-no-pie", "-o", "a", "a.cpp", "-ldl",
         *([] if "dlopen" in program else [f"{folder}/libshapes.so"])],
    ):  # fmt: skip
        subprocess.run([compiler, "-g", "-O0", *words], cwd=folder, check=True, timeout=60)
    return folder / "a"


def _values(text: str) -> list[str]:
    """What is after the first ` = ` of each line that has it."""
    return [line.partition(" = ")[2] for line in text.splitlines() if " = " in line]


def test_linked(debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]) -> None:
    program = _built(tmp_path, tool("g++"), LIBRARY, PROGRAM)
    names = ("own", "own.side + own.sides", "sizeof(own)", "*pair", "square")
    commands = [f"{how} {name}" for name in names for how in ("print", "dwarfgpu print")]
    out, err = debugger.run("break 6", "run", *commands, file=program)
    values = _values(out.partition("abort();")[2])
    assert len(values) == 2 * len(names), out + err
    assert values[1::2] == values[::2]
    assert "sides = 4" in values[1]


def test_loaded_later(debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A class that no file defines is complete after `dlopen` of one that does."""
    program = _built(tmp_path, tool("g++"), LOADED, LOADING)
    out, err = debugger.run(
        "break use",
        f"run {tmp_path}/libshapes.so",
        "dwarfgpu print sizeof(*holder.root)",  # error: nothing loaded defines the class
        "continue",
        "print holder.root->one",
        "dwarfgpu print holder.root->one",
        file=program,
    )
    assert _values(out) == ["42", "42"], out + err
    assert "incomplete" in err
