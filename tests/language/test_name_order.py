"""Which of several entities with a name is meant: the order in which GDB 13 searches files.

The expected values are those of GDB 13 for these programs, stopped in `enter`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.unit_search import UnitSearch
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.session.session import Session
from tests.language.sessions import program, text

PROGRAM = """enum InProgram { shown = 1, own_static = 2, own_block = 3 };
static int both_static(void) { return 4; }
int both_global = 5;
static int weak_here = 6;
typedef enum InProgram kind;
int enter(int);
int main(void) { kind k = shown; return enter(k) + both_static() + both_global + weak_here; }
"""
NEAR = """int beyond(int), later(int);
static int own_static = 12;
int enter(int n) {
  char own_block[13]; own_block[0] = 0; return beyond(n) + later(n) + own_block[0] + own_static;
}
"""
FAR = """enum InLibrary { shown = 21, both_static = 24, only_library = 25 };
typedef struct { int x; } kind;
enum First { as_function = 26, as_variable };
static int static_variable = 27;
typedef enum First as_type;
int both_global = 35;
int weak_here = 36;
int beyond(int n) {
  enum InLibrary l = shown; kind k = { n }; as_type t = as_function;
  return n + l + k.x + t + both_global + weak_here + static_variable;
}
"""
LATER = """int as_function(int n) { return n; }
int as_variable = 47;
int static_variable = 48;
int as_type = 49;
int later(int n) { return as_function(n) + as_variable + static_variable + as_type; }
"""
LATER_CPLUSPLUS = """enum Later { static_variable = 58 };
struct as_type { int x[15]; } of_tag;
int as_function(int n) { return n + static_variable; }
extern "C" int later(int n) { return as_function(n) + of_tag.x[0]; }
"""
IN_C = {
    "sizeof(own_block)": "13",
    "own_static": "12",
    "weak_here": "36",
    "both_global": "5",
    "(int) shown": "1",
    "sizeof(kind)": "4",
    "(int) only_library": "25",
    "as_variable": "47",
    "static_variable": "48",
    "as_type": "49",
}
IN_CPLUSPLUS = {
    "own_static": "12",
    "weak_here": "36",
    "(int) static_variable": "58",
    "(int) as_variable": "27",
    "sizeof(as_type)": "60",
}


def built(tmp_path: Path, compiler: str, options: list[str], later: str) -> tuple[Path, Path]:
    """A program and its library, whose units are in the order of the search."""
    texts = {"program.c": PROGRAM, "near.c": NEAR, "far.c": FAR, later: LATER}
    if later.endswith(".cc"):
        texts[later] = LATER_CPLUSPLUS
    for name, source in texts.items():
        (tmp_path / name).write_text(source)
    command = [compiler, "-g", "-O0", "-fPIC", "-nostdlib", *options]
    library, executable = tmp_path / "libfar.so", tmp_path / "program"
    units = [str(tmp_path / name) for name in ("near.c", "far.c", later)]
    subprocess.run(
        [*command, "-shared", *units, "-o", str(library)], check=True, capture_output=True
    )
    command += ["-no-pie", "-Wl,-e,main", str(tmp_path / "program.c"), str(library)]
    subprocess.run([*command, "-o", str(executable)], check=True, capture_output=True)
    return executable, library


@pytest.mark.parametrize("has_symbols", [True, False])
@pytest.mark.parametrize("later", ["later.c", "later.cc"])
@pytest.mark.parametrize(
    ("compiler", "options"),
    [("gcc", ["-gdwarf-4"]), ("gcc", ["-gdwarf-5"]), ("clang-19", ["-gdwarf-5", "-gpubnames"])],
)
def test_order_of_files(
    tool: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiler: str,
    options: list[str],
    later: str,
    has_symbols: bool,
) -> None:
    paths = built(tmp_path, tool(compiler), options, later)
    if not has_symbols:
        monkeypatch.setattr(UnitSearch, "exporting", lambda *of_name: None)
    of_program, of_library = files = tuple(map(CodeObject.open, paths))
    (enter,) = of_library.file.symbols_named("enter")
    session = program(paths[0])
    segments = (*of_program.loaded_segments(), *of_library.loaded_segments())
    machine = StateTarget(session.architecture)
    machine.add_wave(0)
    target = TargetWithCodeObjects(machine, segments, has_started=False)
    session = Session(session.architecture, files, target, pc=enter.address + 24)
    expected = IN_C if later == "later.c" else IN_CPLUSPLUS
    assert {name: text(session, name) for name in expected} == expected
    units = {"both_static": of_program, "as_function": of_library, "main": of_program}
    for name, file in units.items():
        (function,) = session.meanings(name).of(name)
        assert isinstance(function, Die) and function.tag == dw.TAG_SUBPROGRAM
        assert function.unit.info is file.info
