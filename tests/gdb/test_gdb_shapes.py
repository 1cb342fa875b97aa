"""Kinds of objects on which GDB and dwarfgpu once differed without a reason."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

SHAPES = r"""
#include <tuple>
volatile int sink;
__attribute__((noinline)) int stop(int x) { sink = sink + x; return sink; }
struct Three {
  double v[3];
  double &at(int i) { double &r = v[i]; stop(i); return r; }
};
__attribute__((noinline)) int text(int n) { const char *s = "hello"; stop(n); return s[0] + n; }
struct Holder { decltype(nullptr) member; int other; };
int main(int argc, char **) {
  decltype(nullptr) none = nullptr;
  std::nullptr_t typed = nullptr;
  Holder holder = {nullptr, argc};
  std::tuple<int, char> both(argc, 'c');
  auto [first, second] = both;
  Three three = {{1.5, 2.5, 3.5}};
  __asm__ volatile("" :: "r"(&holder) : "memory");
  double &r = three.at(1);
  text(argc);
  stop(first + second + (int)r + (none == nullptr) + (typed == none) + holder.other);
  return 0;
}
"""
WALK = """
import json
from dwarfgpu.gdb.compare_frames import gdb_frames
from dwarfgpu.gdb.gdb_session import Debugger
from dwarfgpu.gdb.variables import compare_variables
debugger, found = Debugger(), {}
while gdb.selected_inferior().pid:
    for frame in gdb_frames():
        for each in compare_variables(debugger, frame):
            found.setdefault(each.name, []).append(
                [each.gdb_text, each.own_text, each.is_same, each.reason])
    gdb.execute("continue", to_string=True)
print("##" + json.dumps(found))
"""


def compared(
    debugger: Debugger, tool: Callable[[str], str], folder: Path, options: str
) -> dict[str, list[tuple[str, str, bool, str | None]]]:
    """Every variable at every stop."""
    compiler, *more = options.split()
    (folder / "shapes.cpp").write_text(SHAPES)
    program = folder / "shapes"
    command = [tool(compiler), "-g", "-std=c++20", "-w", *more, "-o", str(program)]
    subprocess.run([*command, str(folder / "shapes.cpp")], check=True, timeout=120)
    before = ("set backtrace past-main on", "break stop", "run")
    out = debugger.python(WALK, *before, file=program)
    result: dict[str, list[tuple[str, str, bool, str | None]]] = json.loads(
        out.partition("##")[2].splitlines()[0]
    )
    return result


@pytest.mark.parametrize("options", ["g++ -O0", "g++ -O1", "g++ -O2", "clang++-19 -O0"])
def test_nothing_is_unexplained(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, options: str
) -> None:
    comparison = compared(debugger, tool, tmp_path, options)
    assert {"none", "typed", "holder", "first", "second", "r", "s"} <= set(comparison)
    unexplained = {
        name: item
        for name, all_of_it in comparison.items()
        for item in all_of_it
        if not item[2] and item[3] is None
    }
    assert unexplained == {}
    assert comparison["none"][0][1].strip("0") == "", "nullptr is 0, and has the size of a pointer"
    assert (
        len(comparison["none"][0][1]) == 16
        and "member = 0" in comparison["holder"][0][1]
        or "-O1" in options
    )


def test_what_a_synthetic_pointer_is(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    comparison = compared(debugger, tool, tmp_path, "g++ -O2")
    assert {item[1] for item in comparison["s"]} == {"<synthetic pointer>"}, (
        "no type before characters"
    )
    removed = [item for item in comparison["r"] if "<synthetic pointer>" in item[1]]
    assert removed and all(item[1].endswith("<synthetic pointer>: 2.5") for item in removed)


def test_nullptr_in_expressions(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    compared(debugger, tool, tmp_path, "g++ -O0")
    asked = ["none", "none == 0", "!none", "sizeof(none)", "(long)none", "(void *)none == none"]
    code = f"for each in {asked}: print(said('dwarfgpu print ' + each))"
    before = ("break text", "run", "up")
    out = debugger.python(code, *before, file=tmp_path / "shapes")
    answers = [line.rpartition(" = ")[2] for line in out.strip().splitlines()]
    assert answers == ["0", "true", "true", "8", "0", "true"]


LISTS = r"""
#include <string.h>
volatile int sink;
__attribute__((noinline)) int stop(int x) { sink = sink + x; return sink; }
__attribute__((noinline)) int rows(int (*m)[3][2]) {
  int dim[2][3][2];
  memcpy(dim, m, sizeof dim[0]);
  memset(dim[1], 0, sizeof dim[1]);
  stop(m[0][0][0]);
  return dim[0][1][1];
}
__attribute__((noinline)) static int scalars(int n) {
  struct { int x, y; short s; char c; double d; } v = {n, n + 1, n + 2, n + 3, n + 4.5};
  for (int i = 0; i < n; i++) { v.x += v.y; v.s ^= i; v.d *= 1.5; stop(v.x); }
  return v.x + v.s + v.c + (int)v.d;
}
int main(int argc, char **argv) {
  static int m[1][3][2] = {{{1, 2}, {3, 4}, {5, 6}}};
  return (rows(m) + scalars(3) + argc) & 1;
}
"""


@pytest.mark.parametrize(
    ("options", "stop", "name", "reason"),
    [
        ("gcc -O2", "break *(&'scalars.constprop.0')", "v", "ENTRY"),
        ("clang-19 -O1", "break stop", "dim", "SHORT"),
        ("clang-19 -gdwarf-5 -gsplit-dwarf -O2", "break scalars", "v", "BASE"),
        ("clang-19 -gdwarf-5 -gsplit-dwarf -O2", "break stop", "argc", "BASE"),
    ],
)
def test_why_location_lists_differ(
    debugger: Debugger,
    tool: Callable[[str], str],
    tmp_path: Path,
    options: str,
    stop: str,
    name: str,
    reason: str,
) -> None:
    compiler, *more = options.split()
    (tmp_path / "lists.c").write_text(LISTS)
    command = [tool(compiler), "-g", "-w", *more, "-o", "lists", "lists.c"]
    subprocess.run(command, check=True, timeout=120, cwd=tmp_path)
    before = ("set backtrace past-main on", stop, "run")
    out = debugger.python(
        f"{WALK}\nfrom dwarfgpu.gdb import differences\nprint('##' + differences.{reason})",
        *before,
        file=tmp_path / "lists",
    )
    _, result, text = out.split("##")
    rows = [outcome for outcome in json.loads(result)[name] if not outcome[2]]
    if not rows and reason == "ENTRY":
        pytest.skip("this gcc writes no empty range at the function's entry")
    assert rows and text.strip() in {why for *_, why in rows}


CAPTURES = r"""
static volatile int sink;
__attribute__((noinline)) int stop(int n) { sink = n; return n; }
int main(int argc, char **) {
  int k = argc, *p = &k;
  auto add = [a = argc, k = 5, &p](int n) mutable { k += n + a; return stop(*p + k); };
  int total = 0;
  for (int i = 0; i < 3; i++) total += add(i);
  return total == 1;
}
"""


def test_gdb_lives_on_where_a_captured_reference_is_lost(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """DWARF 5, 2.6.1.2: bits after the last piece are unknown. GDB 13 follows a reference there as
    a synthetic pointer: `info locals` ends with its internal error (coerce_pieced_ref)."""
    source, program = tmp_path / "captures.cpp", tmp_path / "captures"
    source.write_text(CAPTURES)
    command = [tool("clang++-19"), "-g", "-O1", "-std=c++17", source, "-o", program]
    subprocess.run(command, check=True, timeout=120)
    code = 'print(said("dwarfgpu compare -all-frames"))'
    lines = debugger.python(code, "break stop", "run", "up", file=program).splitlines()
    assert len(lines) == 2 and "add: GDB has <not read>, dwarfgpu {a = " in lines[0]
    assert "p = <optimized out>} (GDB ends with an internal error" in lines[0]
    assert lines[1].endswith("1 differs for a known reason, 0 differ")
    state = tmp_path / "state.json"
    code = f'said("dwarfgpu save-state {state}"); print("alive")'
    assert debugger.python(code, "break stop", "run", file=program).splitlines() == ["alive"]
    assert state.is_file()
