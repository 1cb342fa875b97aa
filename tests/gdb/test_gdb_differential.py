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

from tests.gdb.debugger import Debugger

STOPS = 6
BUILDS = [
    ("values.c", "gcc", "O2", 5, "pie", "no-frame-pointer", 150),
    ("values.c", "clang", "O1", 4, "no-pie", "frame-pointer", 150),
    ("moved.c", "gcc", "O2", 4, "pie", "no-frame-pointer", 60),
    ("moved.c", "clang", "O3", 5, "no-pie", "no-frame-pointer", 60),
    ("threads.c", "gcc", "O1", 5, "pie", "frame-pointer", 100),
    ("classes.cpp", "gcc", "O0", 5, "pie", "no-frame-pointer", 60),
    ("classes.cpp", "clang", "Og", 4, "pie", "frame-pointer", 60),
]


@pytest.fixture(scope="module")
def differential(repository: Path) -> ModuleType:
    path = repository / "tools/gdb_differential.py"
    spec = importlib.util.spec_from_file_location("gdb_differential", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
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
    found = differential.compared(debugger.program, build, tmp_path, 11, STOPS)
    counts = found["counts"]
    assert found["unexplained"] == []
    assert counts["stops"] == STOPS
    assert counts["variables"] == counts["same"] + counts.get("explained", 0)
    assert counts["same"] >= least and counts["bits"] > 0 < counts["facts"]


def test_which_of_both_is_right_about_lost_registers(
    debugger: Debugger, tool: Callable[[str], str], repository: Path, tmp_path: Path
) -> None:
    """gcc passes 77 and knows that the callee leaves its register alone: GDB shows 77."""
    program = tmp_path / "moved"
    source = repository / "fixtures/native/moved.c"
    command = [tool("gcc"), "-O2", "-g", "-fomit-frame-pointer", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    code = """
from dwarfgpu.gdb.session import Debugger
from dwarfgpu.gdb.reasons import KEPT
from dwarfgpu.gdb.variables import compare_variables
debugger, found = Debugger(), []
for _ in range(12):
    gdb.execute("continue", to_string=True)
    frame = gdb.newest_frame().older()
    if frame.name() == "entry":
        found += [(each.name, each.theirs, each.ours, each.reason == KEPT)
                  for each in compare_variables(debugger, frame)]
import json
print("##" + json.dumps(found))
"""
    out = debugger.python(code, "break external", "run", file=program)
    found = json.loads(out.partition("##")[2])
    kept = [each for each in found if each[3]]
    assert kept and all(ours == "<optimized out>" for _, _, ours, _ in kept)
    assert {theirs for name, theirs, _, _ in kept if name == "b"} <= {"77", "1"}
    assert {theirs for name, theirs, _, _ in kept if name == "e"} <= {"1.5", "2.5"}


def test_the_tool_writes_its_figures(differential: ModuleType, tmp_path: Path) -> None:
    found = differential.Found()
    report = {
        "counts": {"stops": 2, "variables": 5, "same": 4, "explained": 1},
        "reasons": {"a reason": 1}, "examples": {"a reason": ["x"]}, "unexplained": [],
    }  # fmt: skip
    found.add("one", "values.c, gcc", report)
    found.add("two", "values.c, gcc", {**report, "unexplained": ["y"]})
    lines = differential.table(found)
    assert "| values.c, gcc | 4 | 0 | 0 | 0 | 10 | 0 | 8 | 2 | 1 |" in lines
    assert "| 2 | a reason |" in lines and found.unexplained == ["two: y"]


def test_gdb_gets_the_packages_of_the_python_that_runs(
    debugger: Debugger, differential: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(debugger.cache))
    assert differential.sourced() == debugger.source
    assert not any(each.startswith("source ") for each in differential.SETTINGS)


def test_every_choice_is_built(differential: ModuleType) -> None:
    some = list(differential.builds(full=False))
    assert len(some) == len({each.name for each in some}) == 60
    for name in ("dwarf", "pie", "frame_pointer"):
        for level in differential.LEVELS:
            made = {getattr(each, name) for each in some if each.level == level}
            assert len(made) == 2, (name, level)
