"""Types of one name in two files: GDB's is not always the one of the value."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

FIRST = """\
struct S { int a; int b; };
typedef long T;
static struct S s = {1, 2};
static T t = -5;
struct S *ps = &s;
int second(int);
int first(int n) { return second(n) + (int) t; }
int main(void) { return first(3); }
"""
SECOND = """\
struct S { double x; char y[6]; short a; };
typedef char T;
static struct S s = {2.5, "hey", 9};
static T t = 'q';
struct S *ps2 = &s;
int second(int n) { return s.a + t + n; }
"""
STOPPED = ("break second", "run")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    folder = tmp_path_factory.mktemp("names")
    for name, text in (("first.c", FIRST), ("second.c", SECOND)):
        (folder / name).write_text(text)
    command = [tool("gcc"), "-g", "-O0", "-o", "a", "first.c", "second.c"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return folder / "a"


def test_the_function_gives_the_type_of_the_value(debugger: Debugger, program: Path) -> None:
    commands = [f'print $dwarfgpu("{text}")' for text in ("*ps", "*ps2", "s", "ps->b")]
    out, err = debugger.run(*STOPPED, *commands, "up", *commands, file=program)
    values = [line.partition(" = ")[2] for line in out.splitlines() if line.startswith("$")]
    first, second = "{a = 1, b = 2}", '{x = 2.5, y = "hey\\000\\000", a = 9}'
    assert values == [first, second, second, "2", first, second, first, "2"], err


def test_a_type_of_another_file_is_no_guess(debugger: Debugger, program: Path) -> None:
    """A value of GDB has the name of its type only, which may be another one here."""
    out, err = debugger.run(
        *STOPPED, "set $x = ps", "dwarfgpu print *$x", "up", "dwarfgpu print *$x", file=program
    )
    assert "Unsupported: the type struct S * of $x is not the one of that name here" in err
    assert out.splitlines()[-1].endswith("{a = 1, b = 2}")
