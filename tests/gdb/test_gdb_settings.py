"""GDB's settings: which apply to our text, and that a comparison is by none of the user's."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

CHANGED = {
    "language": "c",
    "max-value-size": "16",
    "output-radix": "16",
    "print address": "off",
    "print array": "on",
    "print array-indexes": "on",
    "print elements": "unlimited",
    "print max-depth": "unlimited",
    "print null-stop": "on",
    "print object": "on",
    "print pretty": "on",
    "print repeats": "unlimited",
    "print static-members": "off",
    "print symbol": "off",
    "print union": "off",
    "print vtbl": "on",
}
COMPARE = f"""
import json
changed = {CHANGED!r}
before = said("dwarfgpu compare -all-frames")
for name, value in changed.items():
    gdb.execute(f"set {{name}} {{value}}", to_string=True)
own = {{name: gdb.parameter(name) for name in changed}}
after = said("dwarfgpu compare -all-frames")
print(json.dumps([before, after, own == {{name: gdb.parameter(name) for name in changed}}]))
"""


@pytest.mark.parametrize("program", ["bases.gcc.O0.v5", "members.gcc.O0.v5", "demo.gcc.O0.v5"])
def test_a_comparison_is_by_the_defaults(
    debugger: Debugger, repository: Path, program: str
) -> None:
    stop = {"bases": "stop", "members": "_start", "demo": "leaf"}[program.partition(".")[0]]
    file = repository / "fixtures/x86_64" / program
    before, after, is_restored = json.loads(
        debugger.python(COMPARE, f"break {stop}", "run", file=file)
    )
    assert after == before and is_restored
    assert before.splitlines()[-1].endswith(", 0 differ")


SETTINGS = (
    "array on", "array-indexes on", "characters 2", "elements 3", "elements 5", "max-depth 1",
    "null-stop on", "pretty on", "repeats 2", "symbol off", "union off",
)  # fmt: skip
ONE_BY_ONE = f"""
import json, dwarfgpu.gdb as dg
names = ["*sp", "array", "sp", "matrix", "text"]
found = {{}}
for setting in {SETTINGS!r}:
    name, value = setting.split()
    try:
        old = gdb.parameter(f"print {{name}}")
    except RuntimeError:
        continue
    gdb.execute(f"set print {{name}} {{value}}", to_string=True)
    found[setting] = [
        [[contents(said("print " + each)), contents(said("dwarfgpu print " + each))]
         for each in names],
        [dg.value(each).text for each in names[:3]],
    ]
    if isinstance(old, bool):
        old = "on" if old else "off"
    gdb.execute(f"set print {{name}} {{old}}", to_string=True)
print(json.dumps(found))
"""
Texts = tuple[list[tuple[str, str]], list[str]]
"""What GDB and dwarfgpu print, and what a script is given."""


@pytest.fixture(scope="module")
def texts(debugger: Debugger, repository: Path) -> dict[str, Texts]:
    """By setting, each alone."""
    file = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    result: dict[str, Texts] = json.loads(
        debugger.python(ONE_BY_ONE, "break leaf", "run", file=file)
    )
    return result


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_that_apply(texts: dict[str, Texts], setting: str) -> None:
    if setting not in texts:
        pytest.skip(f"this GDB has no `set print {setting.partition(' ')[0]}`")
    result, given = texts[setting]
    assert [ours for _, ours in result] == [theirs for theirs, _ in result]
    assert given == [ours for _, ours in result[:3]]


CLASSES = r"""
struct Empty {};
struct One { int a = 1; static int shared; };
int One::shared = 4;
struct Only { static int alone; };
int Only::alone = 5;
struct Both : One, Empty {};
struct All : Both { int own = 3; One part; Only only; Empty none; } all;
Both both;
Empty empty;
int main() { return all.own == 0 && One::shared + Only::alone == 0; }
"""


@pytest.mark.parametrize(
    "settings", ["pretty on", "static-members off", "pretty on|static-members off"]
)
def test_classes_by_settings(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, settings: str
) -> None:
    (tmp_path / "classes.cpp").write_text(CLASSES)
    program = tmp_path / "classes"
    command = [tool("g++"), "-g", "-w", str(tmp_path / "classes.cpp"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    code = f"""
import json
for each in {settings.split("|")!r}: gdb.execute("set print " + each, to_string=True)
print(json.dumps([[contents(said("print " + each)), contents(said("dwarfgpu print " + each))]
                  for each in ("all", "both", "empty")]))
"""
    document = json.loads(debugger.python(code, "break main", "run", file=program))
    assert [ours for _, ours in document] == [theirs for theirs, _ in document]
    assert all(theirs.startswith("{") for theirs, _ in document)


def test_the_function_takes_one_text(debugger: Debugger, repository: Path) -> None:
    file = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    code = """
for each in ('$dwarfgpu("n", 1)', "$dwarfgpu()"): print(said("print " + each))
"""
    out = debugger.python(code, "break leaf", "run", file=file)
    assert out.strip().splitlines() == [
        f"error: $dwarfgpu takes one text, not {count} arguments" for count in (2, 0)
    ]


def test_no_program_runs(debugger: Debugger, repository: Path) -> None:
    code = """
import dwarfgpu.gdb as dg
frame = dg.frame()
print(frame)
for each in ("level", "pc", "function", "cfa", "older", "variables"):
    try:
        found = getattr(frame, each)
        print(each, found() if callable(found) else found)
    except gdb.GdbError as error:
        print(error)
"""
    first, *others = debugger.python(
        code, file=repository / "fixtures/x86_64/demo.gcc.O0.v5"
    ).splitlines()
    assert first == "<dwarfgpu frame: no program runs>"
    assert others == ["No frame selected."] * 6


def test_a_program_that_is_gone(debugger: Debugger, repository: Path, tmp_path: Path) -> None:
    program = tmp_path / "demo"
    shutil.copy(repository / "fixtures/x86_64/demo.gcc.O0.v5", program)
    code = f"""
import os
os.rename({str(program)!r}, {str(program)!r} + ".away")
for each in ("compare", "compare -all-frames", "bt"): print(said("dwarfgpu " + each))
"""
    one, all_of_them, *stack = debugger.python(code, "break leaf", "run", file=program).splitlines()
    for item in (one, all_of_them):
        assert item.startswith("error: the file of 0x") and "demo cannot be read" in item
    notes = [item for item in stack if item.startswith("note: ")]
    assert notes and "demo cannot be read" in notes[0]
