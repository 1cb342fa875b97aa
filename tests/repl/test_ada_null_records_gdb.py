"""Records of Ada without components, and what consists of them, as GDB shows them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import ada_with_core, answers

SOURCE = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type E is null record;
   type R is record A : E; N : Integer := 3; end record;
   type Root is tagged null record;
   type Kid is new Root with null record;
   type Full is new Kid with record M : Integer := 2; end record;
   type Pair is array (1 .. 2) of E;
   type Grid is array (3 .. 4, 1 .. 3) of E;
   type Color is (Red, Green);
   type By_Color is array (Color) of E;
   type Many is array (1 .. 300) of E;
   type None is array (1 .. 0) of E;
   type Roots is array (1 .. 2) of Root;
   type Holder is record A : Pair; N : Integer := 5; end record;
   X : aliased E; Y : R; Z : Root; V : Kid; F : Full;
   A, Same : Pair; B : Grid; C : By_Color; L : Many; O : None; Ts : Roots; H : Holder;
   P : access E := X'Access;
   task type Worker;
   task body Worker is begin null; end Worker;
   W : Worker;
   Ws : array (1 .. 2) of Worker;
begin
   if Y.N = 3 then C_Abort; end if;
end Example;
"""
OBJECTS = (
    "w, ws, x, y, z, v, f, a, b, c, l, o, ts, h, p.all, a(1..2), b(3,1), a = same, b = b, a /= same"
)
TYPES = "x y z v f a p p.all ts w ws"
SETTINGS = "array on; array off; array-indexes on; array-indexes off; repeats 2"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCE)


def test_types_of_their_elements(files: list[str], tool: Callable[[str], str]) -> None:
    """An element has a type, though no index denotes one."""
    elements = ["a(1)", "b(3,1)", "c(red)", "h.a(2)", "ts(1)"]
    asked = [f"{command} {element}" for element in elements for command in ("whatis", "ptype")]
    commands = ["frame function example", *asked, "print a(1)"]
    own, of_gdb = answers(None, files, commands), answers(tool("gdb"), files, commands)
    assert own[1:] == of_gdb[1:]


def test_their_data(files: list[str]) -> None:
    """It has each element, as the text."""
    shown = json.loads(run("eval", "--json", "--core", files[1], files[0], "--frame", 4, "b").out)
    rows = shown["data"]["elements"]
    assert [len(row["elements"]) for row in rows] == [3, 3]


def test_their_values(files: list[str], tool: Callable[[str], str]) -> None:
    names = OBJECTS.split(", ")
    asked = [f"{command} {name}" for name in names for command in ("print", "print/x", "output")]
    for setting in SETTINGS.split("; "):
        asked += [f"set print {setting}", *(f"print {name}" for name in "abcl")]
    commands = ["frame function example", *asked]
    own, of_gdb = answers(None, files, commands), answers(tool("gdb"), files, commands)
    assert own[1:] == of_gdb[1:]
    assert own[1].splitlines()[-1] == "$1 = ()"
    assert "print a\n$15 = ((), ())\n" in own


def test_arrays_of_them_among_the_variables(files: list[str]) -> None:
    shown = answers(None, files, ["frame function example", "info locals"])[1].splitlines()
    assert {"a = ((), ())", "l = (() <repeats 300 times>)", "h = (a => ((), ()), n => 5)"} < {
        *shown
    }


def test_their_types(files: list[str], tool: Callable[[str], str]) -> None:
    """Also those of tasks, which are records without names."""
    asked = [f"{command} {name}" for name in TYPES.split() for command in ("ptype", "whatis")]
    commands = ["frame function example", *asked]
    own = answers(None, files, commands)[1:]
    assert own == answers(tool("gdb"), files, commands)[1:]
    assert "tagged record null; end record\n" in own[4]
