"""The stacks of programs that crash here, as lines of `bt`, against GDB.

All of it is skipped where gcc or GDB are absent.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run
from tests.gdb.debugger import indexed
from tests.gdb.test_gdb_core import crashed
from tests.repl.test_gdb_sessions import gdb_version

Tool = Callable[[str], str]
SETTINGS = (
    "set debuginfod enabled off", "set width 0",
)  # fmt: skip


def built(folder: Path, compiler: str, name: str, *flags: str) -> Path:
    program = folder / Path(name).stem
    shutil.copy(FIXTURES / "core" / name, folder)
    command = [compiler, "-g", *flags, name, "-o", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{compiler} cannot build it: {done.stderr.splitlines()[-1:]}")
    return program


def frames(text: str) -> list[str]:
    """The frames of the last stack that is shown, with the variables below them."""
    lines = text[text.rindex("#0  ") :].splitlines()
    return [line for line in lines if re.match(r"#|\s+\w+ = ", line)]


def by_gdb(gdb: str, program: Path, core: Path, *commands: str) -> str:
    options = [word for setting in (*indexed(), *SETTINGS) for word in ("-iex", setting)]
    options += [word for command in commands for word in ("-ex", command)]
    done = subprocess.run(
        [gdb, "-nx", "-q", "-batch", *options, program, core],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout


def by_us(core: Path, *commands: str) -> str:
    options = [word for command in commands for word in ("-ex", command)]
    return run("debug", "--core", core, "--batch", "-ex", "set width 0", *options).out


def test_parameters_that_are_removed(tool: Tool, tmp_path: Path) -> None:
    tool("gcc")
    gdb = tool("gdb")
    program = built(tmp_path, "gcc", "clones.c", "-O2")
    core = crashed(tmp_path, program, "")
    theirs = frames(by_gdb(gdb, program, core, "bt full"))
    ours = frames(by_us(core, "bt full"))
    listing = subprocess.run(
        ["readelf", "--debug-dump=loc", program], capture_output=True, text=True, check=False
    )
    if "DW_OP_GNU_parameter_ref" not in listing.stdout:
        pytest.skip("this gcc removes no parameters of it")
    # Here more callers of main are known, and so is more of what it was called with.
    last = next(n for n, their in enumerate(theirs) if " main (" in their)
    assert last >= 6 and ours[:last] == theirs[:last]
    # `explain` shows where such a value is from.
    explained = by_us(core, "explain -depth all other", "explain other")
    if "DW_OP_GNU_parameter_ref" in explained:
        assert "inside: the value of unused, the entry at 0x" in explained
        assert "a call-site parameter gives it: DW_AT_call_value " in explained
        assert explained.count("=> other = ") == 2


@pytest.mark.parametrize(
    ("how", "functions", "gap"),
    [
        ("begin", ["leaf", "tail_end", "begin", "main"], 1),
        ("direct", ["leaf", "main"], 0),
    ],
)
def test_frames_that_all_chains_of_jumps_share(
    tool: Tool, tmp_path: Path, how: str, functions: list[str], gap: int
) -> None:
    tool("gcc")
    gdb = tool("gdb")
    program = built(tmp_path, "gcc", "ways.c", "-O2")
    core = crashed(tmp_path, program, how)
    theirs = frames(by_gdb(gdb, program, core, "bt -frame-arguments presence"))
    ours = frames(by_us(core, "bt -frame-arguments presence"))
    called = [re.search(r"(\w+) \(", their) for their in theirs]
    assert [item and item[1] for item in called] == functions
    assert [our.partition("  [")[0] for our in ours] == theirs
    assert [n for n, our in enumerate(ours) if "called by a tail call]" in our] == [gap]
    lines = by_us(core, f"frame {gap}", "info frame").splitlines()
    assert " tail call; the callers are unknown: ambiguous" in lines


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_names_of_functions(tool: Tool, tmp_path: Path, opt: str) -> None:
    tool("g++")
    gdb = tool("gdb")
    if not gdb_version(gdb).startswith("13."):
        pytest.skip("newer GDBs leave out parameters after `function<int(int)>`, too")
    program = built(tmp_path, "g++", "callables.cpp", f"-{opt}")
    core = crashed(tmp_path, program, "")
    # Arguments of inlined functions have no values on entry here.
    commands = ("set print entry-values no", "bt")
    theirs = frames(by_gdb(gdb, program, core, *commands))
    ours = [frame.partition("  [")[0] for frame in frames(by_us(core, *commands))]
    assert any(their.partition(" at ")[0].endswith("ns::crashing (a=2)") for their in theirs)
    assert any("(std::function<int (int)> const&, int) (f=" in their for their in theirs)
    assert any(" in passed<int, int, 0ul, 1ul> (" in their for their in theirs)
    assert ours == theirs


def test_types_of_functions_as_the_compiler_writes_them(tool: Tool, tmp_path: Path) -> None:
    tool("g++")
    gdb = tool("gdb")
    program = built(tmp_path, "g++", "callables.cpp", "-O0")
    core = crashed(tmp_path, program, "")
    commands = ["frame function applied", "whatis f", "whatis Held::go", "ptype Held"]
    theirs, ours = by_gdb(gdb, program, core, *commands), by_us(core, *commands)
    for text in (
        "type = const std::function<int(int)> &",
        "go(std::function<int(int)>, int (&)[3])",
    ):
        assert text in theirs and text in ours


def test_info_frame_of_signals_and_of_a_saved_register(tool: Tool, tmp_path: Path) -> None:
    tool("gcc")
    gdb = tool("gdb")
    if platform.machine() != "x86_64":
        pytest.skip("saved.c has code of x86-64")
    program = built(tmp_path, "gcc", "saved.c", "-O1")
    core = crashed(tmp_path, program, "")
    handler = re.search(r"(?m)^#(\d+) .* in handler \(", by_gdb(gdb, program, core, "bt"))
    assert handler is not None
    commands = [f"frame {handler[1]}", "info frame"] + 3 * ["up", "info frame"]
    theirs = by_gdb(gdb, program, core, *commands).splitlines()
    ours = by_us(core, *commands).splitlines()
    text = [[line for line in lines if line.startswith(" ")] for lines in (theirs, ours)]
    assert any(" unknown address, Previous frame's sp at 0x" in line for line in text[0])
    assert any(" in pushes; saved rip = 0x" in line for line in text[0])
    assert text[1] == text[0]


def test_functions_by_their_symbols(tool: Tool, tmp_path: Path) -> None:
    tool("gcc")
    gdb = tool("gdb")
    (tmp_path / "alias.c").write_text(
        "#include <stdlib.h>\nint twice(int);\nextern int absent(int);\n"
        "int own_twice(int n) { return 2 * n; }\n"
        'extern __typeof(own_twice) other __attribute__((alias("own_twice")));\n'
        "int main(void) { int (*volatile used)(int) = twice; if (used(2)) abort(); return 0; }\n"
        '__asm__(".globl twice\\n.set twice, own_twice");\n'
    )
    program = tmp_path / "alias"
    command = ["gcc", "-g", "-O0", "-o", program, tmp_path / "alias.c"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("gcc cannot build it")
    core = crashed(tmp_path, program, "")
    commands = ["frame function main", *(f"{word} twice" for word in ("print", "whatis", "ptype"))]
    commands += ["print other", "print &other"]
    theirs, ours = by_gdb(gdb, program, core, *commands), by_us(core, *commands)
    values = [[line for line in text.splitlines() if line[:1] == "$"] for text in (theirs, ours)]
    assert len(values[0]) == 3 and "= {int (int)} 0x" in values[0][0]
    assert values[0] == values[1]
    assert ours.count("type = int (int)") == 2


VIRTUAL = """
#include <cstdlib>
struct A { virtual ~A() {} virtual int f() { return 1; } int a = 1; };
struct B { virtual int g() { return 2; } virtual int h(int x) { return x; } int b = 2; };
struct C : A, B {
  int f() override { return 3; }
  int h(int x) override { return x + 1; }
  virtual void own() {}
};
struct L : virtual A { virtual int left() { return 1; } };
struct R : virtual A { virtual int right() { return 2; } };
struct D : L, R { int f() override { return 9; } };
struct Plain { int x; };
struct E : virtual Plain { int e; };
int main() {
  C c, several[2], *null = nullptr;
  const C constant;
  B *b = &c, copy = c;
  A &ra = c;
  D d;
  L *l = &d;
  E e;
  int i = 0;
  static Plain plain;
  std::abort();
  return i;
}
"""


def test_tables_of_virtual_functions(tool: Tool, tmp_path: Path) -> None:
    tool("g++")
    gdb = tool("gdb")
    (tmp_path / "virtual.cpp").write_text(VIRTUAL)
    program = tmp_path / "virtual"
    command = ["g++", "-g", "-O0", "-o", program, tmp_path / "virtual.cpp"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("g++ cannot build it")
    core = crashed(tmp_path, program, "")
    frame = re.search(r"(?m)^#(\d+) .* in main ", by_gdb(gdb, program, core, "bt"))
    assert frame is not None
    names = ("c", "&several[1]", "several", "null", "constant", "b", "*b", "copy", "ra", "d", "l",
             "e", "i", "plain", "5", "C", "")  # fmt: skip
    commands = [f"frame {frame[1]}", "echo ##\\n", *(f"info vtbl {name}" for name in names)]
    theirs, ours = by_gdb(gdb, program, core, *commands), by_us(core, *commands)
    assert ours.partition("##\n")[2] == theirs.partition("##\n")[2]
    assert "vtable for 'R' @ 0x" in ours and "<virtual thunk to D::f()>" in ours


@pytest.mark.parametrize("level", ["-O2", "-Og"])
def test_values_on_entry(tool: Tool, tmp_path: Path, level: str) -> None:
    """In each manner of `set print entry-values`."""
    tool("g++")
    gdb = tool("gdb")
    program = built(tmp_path, "g++", "entry_values.cc", level, "-fno-inline")
    core = crashed(tmp_path, program, "")
    manners = ("default", "only", "preferred", "if-needed", "both", "compact", "no")
    commands = [line for manner in manners for line in (f"set print entry-values {manner}", "bt")]
    theirs, ours = by_gdb(gdb, program, core, *commands), by_us(core, *commands)
    shown = [
        [line for line in text.splitlines() if line.startswith("#") and "entry_values.cc" in line]
        for text in (theirs, ours)
    ]
    assert len(shown[0]) > len(manners) * 10 and shown[1] == shown[0]
    assert any("n=16, n@entry=9" in line for line in shown[0])


MAIN = """
volatile int sink;
struct S { long a; __attribute__((noinline)) int main(int n, char **v); };
namespace ns {
__attribute__((noinline)) int main(int n, double d) { *(volatile int *)16 = n; return n + d; }
}
int S::main(int n, char **v) { sink = ns::main(n * 3, 2.5); return sink + n + **v; }
int main(int argc, char **argv)
{
  S object = {argc};
  sink = object.main(argc + 1, argv);
  return sink + argc + **argv;
}
"""


def test_values_on_entry_to_main(tool: Tool, tmp_path: Path) -> None:
    """The stack ends at the main function, not at others named main."""
    tool("g++")
    gdb = tool("gdb")
    (tmp_path / "mains.cpp").write_text(MAIN)
    program = tmp_path / "mains"
    command = ["g++", "-g", "-O2", "-o", program, tmp_path / "mains.cpp"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("g++ cannot build it")
    core = crashed(tmp_path, program, "")
    manners = ("default", "only", "preferred", "if-needed", "both", "compact", "no")
    commands = [line for manner in manners for line in (f"set print entry-values {manner}", "bt")]
    commands = ["echo ##\\n", *commands]
    both = by_gdb(gdb, program, core, *commands), by_us(core, *commands)
    texts = [text.partition("##\n")[2].splitlines() for text in both]
    shown = [[line for line in text if line[:1] == "#" and "mains" in line] for text in texts]
    inner = [[line for line in lines if "::main (" in line] for lines in shown]
    assert len(inner[0]) == 2 * len(manners) and inner[1] == inner[0]
    assert any("ns::main (n=9, n@entry=9, d=2.5, d@entry=2.5)" in line for line in inner[0])
    # Where a value on entry has a place in the line of main, it is there: GDB has no caller of it.
    outer = [[line for line in lines if "::main (" not in line] for lines in shown]
    assert len(outer[0]) == len(manners)
    for manner, their, our in zip(manners, *outer, strict=True):
        is_known = re.search(r"argc=2, argc@entry=2, argv=(0x\w+), argv@entry=\1\) at ", our)
        assert our == their or (manner == "both" and is_known) or manner == "only", manner
        if manner == "only":
            assert re.search(r"main \(argc@entry=2, argv@entry=0x\w+\) at ", our)
    assert "$1 = 2" in by_us(core, "frame 2", "print argc@entry")
