"""Names of subprograms of Ada that are declared in other ones, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import ada_with_core, answers, build, last_lines, with_core

SOURCE = """\
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Run (N : Integer) is
      procedure Inner (M : Integer) is
         N : Integer := M + 4;
      begin
         if M > 0 and N > 0 then
            C_Abort;
         end if;
      end Inner;
      procedure Same is
      begin
         Inner (N);
      end Same;
   begin
      Same;
   end Run;
   procedure Walk (N : Integer) is
      procedure Same is
      begin
         Run (N);
      end Same;
   begin
      Same;
   end Walk;
begin
   Walk (3);
end Example;
"""
OF_BLOCKS = """\
with Ada.Text_IO; use Ada.Text_IO;
procedure Example is
   I : Integer := 7;
   procedure Inner (X : Integer; P : String) is
      I : Integer := X + 1;
      Loc : Integer := 99;
      procedure Deep (J : Integer) is
         I : Integer := 1000;
         K : Integer := 5;
         procedure Stop;
         pragma Import (C, Stop, "abort");
      begin
         Put_Line (Integer'Image (I + J + Loc + K) & P & Integer'Image (Example.I));
         declare
            K : Integer := 6;
         begin
            Stop;
            Put_Line (Integer'Image (I + K));
         end;
      end Deep;
   begin
      Deep (I);
   end Inner;
begin
   Inner (I, "par");
end Example;
"""
OF_PACKAGES = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   generic
      Start : Integer;
   package Gen is
      type Pair is record A, B : Integer := Start; end record;
      Count : Integer := Start;
      Both  : Pair;
      package Deeper is Depth : Integer := Start + 1; end Deeper;
      procedure Stop (X : Integer);
   end Gen;
   package body Gen is
      Hidden : Integer := Start + 2;
      procedure Stop (X : Integer) is
      begin
         Hidden := Hidden + X;
         C_Abort;
      end Stop;
   end Gen;
   procedure Work (N : Integer) is
      package Own is new Gen (N);
      package Two is new Gen (20);
   begin
      if Two.Count > Own.Count then Own.Stop (100); end if;
   end Work;
begin
   Work (10);
end Example;
"""
NO_COMPONENT = "Attempt to extract a component of a value that is not a structure."
NAMES = ("run", "example.run", "RUN", "Example.Run", "inner", "example.run.inner")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """Gives the program and its core file."""
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCE)


@pytest.mark.parametrize("function", ["example.run.inner", "example.run", "example"])
def test_known_everywhere(files: list[str], tool: Callable[[str], str], function: str) -> None:
    asked = [f"frame function {function}", *(f"print/x &{name}" for name in NAMES)]
    own = answers(None, files, [*asked, "print/x inner'address"])
    assert own == answers(tool("gdb"), files, [*asked, "print/x inner'address"])
    assert all(" = 0x" in text for text in own[1:])


@pytest.mark.parametrize(("function", "expected"), [
    ("example.run.inner", {"n": "7", "inner.n": "7", "run.n": "3", "Example.Run.N": "3",
                           "example.run.inner.m": "3", "example.run.n + 1": "4"}),
    ("example.run", {"n": "3", "run.n": "3", "example.run.n": "3"}),
])  # fmt: skip
def test_expanded_names(files: list[str], function: str, expected: dict[str, str]) -> None:
    """A name after the subprogram around the code that declares it (Ada 2012 4.1.3), which GDB
    calls."""
    asked = [f"frame function {function}", *(f"output {name}" for name in expected)]
    assert dict(zip(expected, last_lines(files, asked)[1:], strict=True)) == expected


def test_expanded_names_of_blocks(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GNAT puts what a subprogram declares into a block where some of it needs to be computed."""
    expected = {
        "inner.i": "8", "inner.loc": "99", "inner.x": "7", "example.inner.i": "8",
        "deep.i": "1000", "Example.Inner.Deep.I": "1000", "example.i": "7", "deep.j": "8",
        "deep.k": 'Several blocks of deep declare k; "k" is the innermost.', "k": "6",
    }  # fmt: skip
    files = ada_with_core(tool, tmp_path, OF_BLOCKS)
    asked = ["frame function example.inner.deep", *(f"output {name}" for name in expected)]
    assert dict(zip(expected, last_lines(files, asked)[1:], strict=True)) == expected


@pytest.mark.parametrize("function", ["example.work.own.stop", "example.work"])
def test_packages_of_subprograms(tmp_path: Path, tool: Callable[[str], str], function: str) -> None:
    """They have the names of packages (Ada 2012 4.1.3); the subprogram has not what is in them."""
    expected = {
        "work.own.count": "10", "example.work.own.count": "10", "Work.Two.Count": "20",
        "work.own.both": "(a => 10, b => 10)", "example.work.two.both.b": "20",
        "work.own.deeper.depth": "11", "work.own.hidden": "112", "work.two.hidden": "22",
        "work.own.count + work.n": "20", "work.count": NO_COMPONENT, "work.depth": NO_COMPONENT,
        "work.own.depth": NO_COMPONENT, "work.own.nothing": NO_COMPONENT,
    }  # fmt: skip
    files = ada_with_core(tool, tmp_path, OF_PACKAGES)
    asked = [f"frame function {function}", *(f"output {name}" for name in expected)]
    assert dict(zip(expected, last_lines(files, asked)[1:], strict=True)) == expected


def test_info_address(files: list[str]) -> None:
    asked = [f"info address {name}" for name in (*NAMES, "run.inner")]  # GDB calls run
    own = answers(None, files, ["frame function example", *asked])
    assert all(" is a function at address 0x" in text for text in own[1:])


def test_several_of_a_name(files: list[str]) -> None:
    """The one of the innermost subprogram around the code is meant; of none, all are listed."""
    asked = ["frame function example.run", "print/x &same", "print/x &run.same"]
    asked += ["frame function example", "print &same"]
    own = answers(None, files, asked)
    assert own[1].partition(" = ")[2] == own[2].partition(" = ")[2]
    listed = '"same" is in several packages; say which: example.run.same, example.walk.same'
    assert listed in own[4]


INLINED = """\
procedure Example is
   Sink : Integer := 0 with Volatile;
   Nowhere : access Integer with Volatile;
   function F (N : Integer) return Integer with Inline_Always;
   function F (N : Integer) return Integer is
      type Kind is (En, Other);
      type Rec is record A, B : Integer; end record;
      R : Rec := (N, Sink);
      K : Kind := (if N > 100 then Other else En);
   begin
      Sink := Nowhere.all;
      return R.A + R.B + Kind'Pos (K);
   end F;
begin
   Sink := F (Sink) + F (Sink);
end Example;
"""


def test_types_of_an_inlined_subprogram(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Only the abstract instance has them."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O1", "-gnatp", "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": INLINED}, [make])
    files = with_core(tool, tmp_path)
    commands = ["ptype rec", "ptype kind", "ptype example.f.rec"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "type = record" in own[0] and "type = (en, other)" in own[1]
