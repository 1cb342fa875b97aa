"""Renamings of Ada, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.names.ada_renamings import Renaming, Subscript, renaming_of
from tests.repl.side_by_side import answers, build, with_core

PACKAGE = """\
package Pk is
   type Bits is array (-3 .. 9) of Boolean; pragma Pack (Bits);
   type Nibble is mod 8;
   type Pair is record A, B : Nibble; Flag : Boolean; end record; pragma Pack (Pair);
   for Pair'Size use 7;
   type Pairs is array (1 .. 3) of Pair; pragma Pack (Pairs);
   type Grid is array (1 .. 2, 1 .. 9) of Boolean; pragma Pack (Grid);
   type Grids is array (1 .. 2) of Grid; pragma Pack (Grids);
   Set : Bits := (2 | 5 => True, others => False);
   Two : Pairs := ((1, 2, True), (3, 4, False), (5, 6, True));
   Nets : Grids := (others => (1 => (others => True), 2 => (3 => True, others => False)));
   Fifth : Boolean renames Set (5);
   Four : Nibble renames Two (2).B;
   type Narrow is range 1 .. 9;
   Slim : Narrow := 3;
   Total : Integer := 3;
   Also : Integer renames Total;
   package Inner is Deep : Integer := 8; end Inner;
   package Again renames Inner;
   function Calc (X : Integer) return Integer is (2 * X);
end Pk;
"""
EXAMPLE = """\
with Pk; use Pk;
procedure Example is
   package Q renames Pk;
   package R renames Pk.Inner;
   type Ref is access Pairs;
   procedure Stop is null;
   P : Ref := new Pairs'(Two);
   procedure Run (K : Integer) is
      procedure C_Abort;
      pragma Import (C, C_Abort, "abort");
      Bit : Boolean renames Set (K);
      Minus : Boolean renames Set (-2);
      Far : Nibble renames P.all (2).A;
      One : Pair renames Two (2);
      Net : Boolean renames Nets (K) (2, 3);
      Part : Bits renames Set (1 .. 4);
      Own : Integer renames Q.Also;
   begin
      P.all (2).A := 7;
      if Bit and not Minus and Far = 7 and One.B = 4 and Net and Own = 3 and Part (2) then
         C_Abort;
      end if;
   end Run;
begin
   if R.Deep = 8 then Run (2); end if;
   Stop;
end Example;
"""


@pytest.fixture(params=["-fgnat-encodings=minimal", "-fgnat-encodings=gdb"])
def files(tmp_path: Path, tool: Callable[[str], str], request: pytest.FixtureRequest) -> list[str]:
    """The program and its core file."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O0", request.param, "example.adb", "-o", "a"]
    build(tmp_path, {"pk.ads": PACKAGE, "example.adb": EXAMPLE}, [make])
    return with_core(tool, tmp_path)


def test_renamed_objects(files: list[str], tool: Callable[[str], str]) -> None:
    """Packed components have no address: GNAT says in the name of a variable what they are."""
    names = ["bit", "far", "one", "one.b", "net", "own", "fifth", "pk.fifth", "four"]
    names += ["pk.also", "BIT", "not bit"]
    commands = ["frame function example.run", *[f"print {name}" for name in names]]
    commands += ["whatis bit", "ptype far", "whatis one", "print bit'size"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "= true" in own[1] and "= 7" in own[2] and "= (a => 3, b => 4, " in own[3]
    said = answers(None, files, [commands[0], "print minus", "print part(2)", "info locals"])
    assert said[1].endswith("= false\n") and said[2].endswith("= true\n")
    assert "___XR" not in said[3]


def test_renamed_packages(files: list[str], tool: Callable[[str], str]) -> None:
    """A name in the package is that of the package that is renamed."""
    names = ["q.total", "q.four", "Q.Two(2).b", "r.deep", "q.inner.deep", "pk.again.deep"]
    names += ["q.again.deep", "q.total = 3"]
    commands = ["frame function example", *[f"print {name}" for name in names]]
    commands += ["whatis q.two", "whatis q.pair"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "= 3" in own[1] and "= 8" in own[4] and "= 8" in own[7]
    said = answers(None, files, [commands[0], "print q", "print q.nosuch"])
    assert 'No symbol "q" in current context.' in said[1]
    assert 'No symbol "q" in current context.' in said[2]


def test_what_names_say() -> None:
    """Each selection is decoded as GNAT's `exp_dbug.ads` has it."""
    assert renaming_of("far___XR_p___XEXAXS2XRa") == Renaming("p", ("all", Subscript("2"), "a"))
    assert renaming_of("e___XR_set___XEXL1mXSk") == Renaming(
        "set", (Subscript("-1", is_first_of_slice=True), Subscript("k"))
    )
    assert renaming_of("pk__q___XRP_pk__inner___XE") == Renaming("pk__inner", is_package=True)
    assert renaming_of("x") is renaming_of("x___XR_y") is renaming_of("x___XR_y___XEZ") is None


def test_completion_after_packages(files: list[str]) -> None:
    """GDB 13 offers nothing there."""
    commands = ["frame function example", "complete print pk.t", "complete print Pk.Inner.D"]
    commands += ["complete print pk.", "complete ptype pk.pai", "complete print pk.two(1).f"]
    own = answers(None, files, commands)
    assert own[1].endswith("\nprint pk.total\nprint pk.two\n")
    assert own[2].endswith("\nprint Pk.Inner.Deep\n")
    assert "\nprint pk.fifth\n" in own[3] and "\nprint pk.inner.deep\n" in own[3]
    assert "___" not in own[3] and "elabs" not in own[3]
    assert "\nptype pk.pair\n" in own[4] and own[5].endswith("\nprint pk.two(1).flag\n")


HIDING = """\
with Pk;
procedure Example is
   use type Pk.Nibble;
   package Q renames Pk;
   Two : aliased Pk.Pairs := Pk.Two;
   Outer : Pk.Nibble renames Two (3).A;
   procedure Run (K : Integer; P : access Pk.Pairs) is
      procedure C_Abort;
      pragma Import (C, C_Abort, "abort");
      Bit : Boolean renames Pk.Set (K);
      Far : Pk.Nibble renames P.all (2).A;
      Own : Pk.Nibble renames Two (2).A;
   begin
      declare
         Also : Pk.Nibble renames Two (1).A;
         K : Integer := 4;
         P : access Pk.Pairs := null;
         Two : Pk.Pairs := (others => (7, 7, False));
         Near : Pk.Nibble renames Two (1).A;
      begin
         if Bit and Far = 3 and Own = 3 and Outer = 5 and Also = 1 and Near = 7 and K = 4 then
            C_Abort;
         end if;
      end;
   end Run;
begin
   Run (2, Two'Access);
   if Q.Total = 8 then Two := Pk.Two; end if;
end Example;
"""


def test_what_hides_renamed_objects(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A renaming denotes the object that its names denote where it is declared (Ada 2012 8.5.1);
    GDB evaluates them in the innermost block."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O0", "example.adb", "-o", "a"]
    build(tmp_path, {"pk.ads": PACKAGE, "example.adb": HIDING}, [make])
    commands = ["frame function example.run", "print k", "print two(1).a"]
    commands += [f"print {name}" for name in ("bit", "far", "own", "outer", "also", "near")]
    own = answers(None, with_core(tool, tmp_path), commands)[1:]
    assert [said.split(" = ")[1].strip() for said in own] == [
        "4", "7", "true", "3", "3", "5", "1", "7",
    ]  # fmt: skip


def test_renamed_packages_in_nested_subprograms(
    files: list[str], tool: Callable[[str], str]
) -> None:
    """The renaming of a package is visible in the subprograms that are declared after it."""
    commands = ["frame function example.run", "print q.total", "print Q.Two(2).b"]
    commands += ["print r.deep", "print q.inner.deep", "whatis q.two"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "= 3" in own[1] and "= 8" in own[3]


def test_completion_of_places_and_in_renamed_packages(files: list[str]) -> None:
    """`break` completes names with points, and a renaming has the names of its package."""
    commands = ["frame function example.run", "complete break pk.c", "complete whatis pk.n"]
    commands += [
        "complete print q.t",
        "complete print Q.Inner.",
        "complete print r.",
        "complete break q.c",
    ]
    own = answers(None, files, commands)
    assert own[1].endswith("\nbreak pk.calc\n")
    assert own[2].endswith("\nwhatis pk.narrow\nwhatis pk.nets\n")
    assert own[3].endswith("\nprint q.total\nprint q.two\n")
    assert own[4].endswith("\nprint Q.Inner.deep\n")
    assert own[5].endswith("\nprint r.deep\n")
    assert own[6].endswith("\nbreak q.calc\n")
