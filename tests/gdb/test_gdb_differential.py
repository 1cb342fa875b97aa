"""A part of tools/gdb_differential.py: frames and variables of native programs against GDB."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.gdb.debugger import Debugger, indexed

STOPS = 3
"""The tool makes 20 of each of 60 builds."""
BUILDS = [
    ("values.c", "gcc", "O2", 5, "pie", "no-frame-pointer", 75),
    ("values.c", "clang", "O1", 4, "no-pie", "frame-pointer", 75),
    ("moved.c", "gcc", "O2", 4, "pie", "no-frame-pointer", 30),
    ("moved.c", "clang", "O3", 5, "no-pie", "no-frame-pointer", 30),
    ("threads.c", "gcc", "O0", 5, "pie", "frame-pointer", 50),
    ("classes.cpp", "gcc", "O0", 5, "pie", "no-frame-pointer", 30),
    ("classes.cpp", "clang", "O2", 5, "pie", "frame-pointer", 30),
]


@pytest.fixture(scope="module")
def differential(repository: Path) -> ModuleType:
    path = repository / "tools/gdb_differential.py"
    spec = importlib.util.spec_from_file_location("gdb_differential", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    seldom = "python import gc; gc.set_threshold(200_000, 20, 100)"  # as in the copies
    module.SETTINGS = (*module.SETTINGS, *indexed(), seldom)
    return module


@pytest.mark.parametrize("choice", BUILDS, ids=lambda choice: ".".join(map(str, choice[:4])))
def test_nothing_is_unexplained(
    debugger: Debugger,
    tool: Callable[[str], str],
    differential: ModuleType,
    tmp_path: Path,
    choice: tuple[object, ...],
) -> None:
    *given, least = choice
    build = differential.Build(*given)
    tool(build.command(tmp_path)[0])
    if choice is BUILDS[0]:  # as the tool runs it
        comparison = differential.compared(debugger.program, build, tmp_path, 11, STOPS)
    else:
        program = tmp_path / build.name
        subprocess.run(build.command(program), check=True)
        walk = f"python Walk(11).walk({build.source!r}, {STOPS}).report()"
        source = f"source {differential.INSIDE}"
        comparison = debugger.report("set breakpoint pending off", source, walk, file=program)
    counts = comparison["counts"]
    assert isinstance(counts, dict)
    assert comparison["unexplained"] == []
    assert counts["stops"] == STOPS
    assert counts["variables"] == counts["same"] + counts.get("explained", 0)
    assert counts["same"] >= least and counts["bits"] > 0 < counts["facts"]


def test_registers_that_gcc_knows_calls_leave_alone(
    debugger: Debugger, tool: Callable[[str], str], repository: Path, tmp_path: Path
) -> None:
    """gcc passes 77 and 1 (moved.c) and knows that the callee leaves their register alone."""
    program = tmp_path / "moved"
    source = repository / "fixtures/native/moved.c"
    command = [tool("gcc"), "-O2", "-g", "-fomit-frame-pointer", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    code = """
from dwarfgpu.gdb.gdb_session import Debugger
from dwarfgpu.gdb.variables import compare_variables
from dwarfgpu.session import ipa_ra
from dwarfgpu.gdb.command_text import explanation
debugger, found, lost, tracks = Debugger(), [], [], ipa_ra.tracks_calls
for _ in range(12):
    gdb.execute("continue", to_string=True)
    frame = gdb.newest_frame().older()
    if frame.name() == "entry":
        session = debugger.session(frame)
        notes = {each.name: session.read(each).notes for each in session.variables()}
        found += [(each.name, each.gdb_text, each.own_text, "-fipa-ra" in str(notes.get(each.name)))
                  for each in compare_variables(debugger, frame)]
        ipa_ra.tracks_calls = lambda producer: False
        session = Debugger().session(frame)
        lost += [line for each in session.variables() if "-fipa-ra" in str(notes[each.name])
                 for line in explanation(session, each).text().splitlines()]
        ipa_ra.tracks_calls = tracks
import json
print("##" + json.dumps([found, lost]))
"""
    out = debugger.python(code, "break external", "run", file=program)
    result, lost = json.loads(out.partition("##")[2])
    why = "which is caller-saved and has no CFI rule"
    text = [line for line in lost if line.startswith("=> the object is optimized out because")]
    assert text and all(why in line for line in text), "if another compiler had written the unit"
    preserved_by_callees = [row for row in result if row[3]]
    assert preserved_by_callees and all(
        theirs == ours for _, theirs, ours, _ in preserved_by_callees
    )
    assert {ours for name, _, ours, _ in preserved_by_callees if name == "b"} == {"77", "1"}
    assert {ours for name, _, ours, _ in preserved_by_callees if name == "e"} <= {"1.5", "2.5"}


CLOBBERED = """
__attribute__((noinline)) long change(long *p) { *p = 8; __asm__ volatile("" ::: "memory");
  for (int i = 0; i < 3; i++) __asm__ volatile("" : : "r"(i) : "rdi", "rsi", "rdx"); return *p; }
__attribute__((noinline)) long hold(long *p, long used) { long more = used * 3;
  __asm__ volatile("" : : "r"(more)); return change(p) + 1; }
int main(int argc, char **argv) { long x = argc; return (int)hold(&x, argc + 6); }
"""


REMOVED = """
struct node { int v; struct node *next; };
static int __attribute__((noinline)) sum(struct node *n, int depth) {
  int total = 0, lost = depth * 2;
  while (n) { total += n->v; n = n->next; }
  __builtin_printf("%d\\n", total);
  return total; }
int main(int argc, char **argv) { struct node a = {1, 0}, b = {2, &a}; return sum(&b, argc) - 3; }
"""


def test_a_removed_parameter_that_needs_the_caller_of_main(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """DW_OP_GNU_parameter_ref of `depth` is `argc`, whose value on entry nothing but the caller of
    main has."""
    (tmp_path / "main.c").write_text(REMOVED)
    program = tmp_path / "main"
    command = [tool("gcc"), "-O2", "-g", str(tmp_path / "main.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    code = """
from dwarfgpu.gdb.differences import PAST_MAIN
from dwarfgpu.gdb.gdb_session import Debugger
from dwarfgpu.gdb.variables import compare_variables
import json
gdb.execute("next")
depth = [(each.reason == PAST_MAIN, each.is_same)
         for each in compare_variables(Debugger(), gdb.newest_frame()) if each.name == "depth"]
print("##" + json.dumps(depth))
"""
    out = debugger.python(code, "break sum", "run", file=program)
    assert json.loads(out.partition("##")[2]) in ([[True, False]], [[False, True]])


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_what_needs_the_caller_of_main(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """At GDB's own settings, and only those; explain gives the reason for a lost register."""
    (tmp_path / "main.c").write_text(CLOBBERED)
    program = tmp_path / "main"
    command = [tool(compiler), "-O2", "-g", str(tmp_path / "main.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    code = """
from dwarfgpu.base.records import evolve
from dwarfgpu.gdb.differences import PAST_MAIN, reason_of
from dwarfgpu.gdb.gdb_session import Debugger
from dwarfgpu.gdb.gdb_variable import GdbVariable
from dwarfgpu.gdb.variables import compare_variables
import json
debugger, found = Debugger(), []
def look(frame):
    return [(each.name, each.gdb_text, each.own_text, each.reason == PAST_MAIN, each.is_same)
            for each in compare_variables(debugger, frame)]
main = gdb.newest_frame()
while main.name() != "main":
    main = main.older()
found.append(look(main))
session = debugger.session(gdb.newest_frame())
(p,) = [each for each in session.variables() if each.name == "p"]
theirs, ours = GdbVariable("<optimized out>"), GdbVariable("1")
found.append(reason_of(gdb.newest_frame(), session, p, theirs, ours))
gdb.execute("set backtrace past-main on")
main = gdb.newest_frame()
while main.name() != "main":
    main = main.older()
found.append(look(main))
print("##" + json.dumps(found))
"""
    out = debugger.python(code, "break change", "run", file=program)
    off, wrong, on = json.loads(out.partition("##")[2])
    assert next(row[:2] for row in off if row[0] == "argv") == ["argv", "<optimized out>"]
    assert all(same or excused for *_, excused, same in off)
    assert any(excused for *_, excused, _ in off)
    assert wrong is None, "what needs no caller of main is not excused"
    assert all(same and not excused for *_, excused, same in on)


def test_the_tool_writes_its_figures(differential: ModuleType, tmp_path: Path) -> None:
    result = differential.Found()
    report = {
        "counts": {"stops": 2, "variables": 5, "same": 4, "explained": 1},
        "reasons": {"a reason": 1}, "examples": {"a reason": ["x"]}, "unexplained": [],
    }  # fmt: skip
    result.add("one", "values.c, gcc", report)
    result.add("two", "values.c, gcc", {**report, "unexplained": ["y"]})
    lines = differential.table(result)
    assert "| values.c, gcc | 4 | 0 | 0 | 0 | 10 | 0 | 8 | 2 | 1 |" in lines
    assert "| 2 | a reason |" in lines and result.unexplained == ["two: y"]


def test_gdb_gets_the_packages_of_the_python_that_runs(
    debugger: Debugger, differential: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(debugger.cache))
    assert differential.sourced() == debugger.source
    assert not any(setting.startswith("source ") for setting in differential.SETTINGS)


def test_every_choice_is_built(differential: ModuleType) -> None:
    some = list(differential.builds(full=False))
    assert len(some) == len({row.name for row in some}) == 60
    for name in ("dwarf", "pie", "frame_pointer"):
        for level in differential.LEVELS:
            made = {getattr(row, name) for row in some if row.level == level}
            assert len(made) == 2, (name, level)
