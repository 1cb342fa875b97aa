"""Subprograms of packages and of instances of generic ones of Ada: their types and their names,
against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import ada_with_core, answers

SOURCES = {
    "pk.ads": """\
package Pk is
   type Rec is record
      A : Integer;
   end record;
   generic
      type T is private;
   package Gen is
      procedure Put (X : T);
      Last : T;
   end Gen;
   function Twice (X : Integer; Y : Character) return Integer;
   function Zero return Float;
   procedure Show (R : Rec);
   procedure Halt;
end Pk;
""",
    "pk.adb": """\
package body Pk is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   package body Gen is
      procedure Put (X : T) is
      begin
         Last := X;
      end Put;
   end Gen;
   function Zero return Float is (0.0);
   function Twice (X : Integer; Y : Character) return Integer is
      Z : Integer := X;
      function Inner (W : Integer) return Integer is
      begin
         return W + Z;
      end Inner;
   begin
      return Inner (X + Character'Pos (Y));
   end Twice;
   procedure Show (R : Rec) is
   begin
      if R.A > 0 then
         Halt;
      end if;
   end Show;
   procedure Halt is
   begin
      C_Abort;
   end Halt;
end Pk;
""",
    "example.adb": """\
with Pk; use Pk;
procedure Example is
   package Ints is new Pk.Gen (Integer);
   R : Rec := (A => 3);
begin
   Ints.Put (4);
   R.A := Twice (R.A, 'x');
   Show (R);
end Example;
""",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """The program and its core file."""
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCES)


def test_types_of_subprograms(files: list[str], tool: Callable[[str], str]) -> None:
    asked = [f"whatis &pk.{name}" for name in ("twice", "zero", "show", "halt")]
    own = answers(None, files, ["frame function pk.show", *asked])
    assert own == answers(tool("gdb"), files, ["frame function pk.show", *asked])
    types = [text.partition("type = access ")[2] for text in own[1:]]
    assert types[0] == "function (a1: integer; a2: character) return integer\n"
    of_names = answers(None, files, [f"whatis pk.{name}" for name in ("twice", "show", "halt")])
    shown = [text.partition("type = ")[2] for text in of_names]
    assert shown == [types[number] for number in (0, 2, 3)]


def test_addresses_of_code_are_in_the_words_of_ada(
    files: list[str], tool: Callable[[str], str]
) -> None:
    asked = ["frame function pk.show", "print $pc", "whatis $pc", "ptype $pc", "print $pc + 1"]
    asked += ["info symbol $pc", "whatis $sp", "print &pk.twice"]
    asked += ["print *$pc", "output *$pc", "frame 0", "print *$pc", "up", "print $pc", "output $pc"]
    own, of_gdb = answers(None, files, asked), answers(tool("gdb"), files, asked)
    assert [text.split(" of /")[0].rstrip() for text in own] == [
        text.split(" of /")[0].rstrip() for text in of_gdb
    ]
    assert "(access procedure) 0x" in own[1] and "<pk.show+" in own[1]


def test_types_are_searched_by_their_names_in_the_source(
    files: list[str], tool: Callable[[str], str]
) -> None:
    asked = [f"info types {name}" for name in ("rec$", r"pk\.rec$", "^pk.rec$", "pk__rec")]
    own = answers(None, files, asked)
    assert own == answers(tool("gdb"), files, asked)
    assert [text.count("\tpk.rec;") for text in own] == [1, 1, 1, 0]


def test_breakpoints_are_in_subprograms_as_the_source_names_them(
    files: list[str], tool: Callable[[str], str]
) -> None:
    asked = ["break pk.twice", "break pk.adb:15", "break example.ints.put", "info breakpoints"]

    def shown(gdb: str | None) -> list[str]:
        lines = answers(gdb, files[:1], asked)[-1].splitlines()
        return [line.partition(" in ")[2].partition(" at ")[0] for line in lines[-3:]]

    own = shown(None)
    assert own == shown(tool("gdb"))
    assert own == ["pk.twice", "pk.twice.inner", "example.ints.put"]


def test_unknown_operators_have_their_quotes(files: list[str], tool: Callable[[str], str]) -> None:
    """As in Ada, those that are words, too; other names have none."""
    names = ['"xor"', '"mod"', '"="', '"XOR"', '"nosuch"', "xor", "'xor'", '-function "xor"',
             'example.adb:"mod"', '-source example.adb -function "abs"',
             '-qualified "rem"']  # fmt: skip
    commands = [f"{word} {name}" for name in names for word in ("list", "info line", "clear")]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert sum('Function ""' in text for text in ours) == 21
