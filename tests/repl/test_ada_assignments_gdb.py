"""Objects of Ada that are assigned, also to convenience variables, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import ada_with_core, answers, last_lines

SOURCE = """\
procedure Example is
   type Kind is (A, B);
   type Vec is array (Positive range <>) of Integer;
   type Buf (N : Natural) is record
      Len : Natural := 0;
      Data : String (1 .. N);
      Nums : Vec (1 .. N);
      Last : Integer := 77;
   end record;
   type Outer (M : Natural) is record
      Id : Integer := 4;
      In1 : Buf (M);
      In2 : Buf (M);
      Z : Integer := 5;
   end record;
   type Var (N : Natural; K : Kind) is record
      case K is
         when A => Text : String (1 .. N); T2 : Integer;
         when B => V : Vec (1 .. N);
      end case;
   end record;
   type Str_Ref is access String;
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Show (S : String; V : Vec; X : Buf; Nul : Str_Ref) is
      Bu : Buf (5) := (5, 3, "hello", (1, 2, 3, 4, 5), 78);
      Ou : Outer (2) := (2, 3, (2, 1, "ab", (7, 8), 9), (2, 1, "cd", (5, 6), 10), 6);
      V1 : Var (3, A) := (3, A, "xyz", 5);
      V2 : Var (2, B) := (2, B, (4, 5));
      Sr : Str_Ref := new String'("heap");
   begin
      if S = "param" and V (1) = 5 and Bu.N = 5 and Ou.M = 2 and V1.N = 3 and V2.N = 2
        and Sr.all = "heap" and X.N = 2 and Nul = null
      then
         C_Abort;
      end if;
   end Show;
begin
   Show ("param", (5, 6), (2, 1, "ab", (7, 8), 9), null);
end Example;
"""
COMMANDS = """\
print $d := bu
print $d
print $d.data
print $d.nums
print $d.nums(2)
print $d.nums(integer(2))
print bu.nums(natural(3))
print $d.last
print $d.data(2..3)
print $o := ou
print $o.in2
print $o.in2.data
print $o.in1.last
print $o.z
print $v := s
print $v
print $v(1)
print $v'length
print $w := v
print $w(2)
print $x := x
print $x.data
print $a := v1
print $a.text
print $a.t2
print $b := v2
print $b.v(1)
print $r := sr
print $r.all
print $d = bu
print $v = s
""".splitlines()


ASSIGNMENTS = {
    'bu.data := "HELLO"': '"HELLO"',
    "bu": '(n => 5, len => 3, last => 78, data => "HELLO", nums => (1, 2, 3, 4, 5))',
    'bu.data(2..3) := "xy"': '"xy"',
    "bu.data": '"HxyLO"',
    's := "PARAM"': '"PARAM"',
    "s": '"PARAM"',
    "bu.data := s": '"PARAM"',
    'sr.all := "HEAP"': '"HEAP"',
    "sr.all": '"HEAP"',
    '$d.data := "other"': '"other"',
    'bu.data := "HELL"': "cannot assign arrays of different length",
    'bu.data := "HELLOO"': "cannot assign arrays of different length",
    's := "0123456789abcdef"': "cannot assign arrays of different length",
    'sr := "0123456789abcdef"': "Invalid cast.",
    'bu.nums := "abcde"': "Invalid cast.",
}
"""A parameter and an access value are 16 bytes of addresses."""


OF_NUMBERS = """\
procedure Example is
   type Fix is delta 0.25 range -10.0 .. 10.0;
   type M8 is mod 256;
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   I : Integer := 7;
   M : M8 := 3;
   F : Float := 1.5;
   X : Fix := 1.5;
   Y : Fix := -0.5;
   type Money is delta 0.01 digits 10;
   type Seven is delta 0.0000001 digits 17;
   type Eighth is delta 0.125 range -100.0 .. 100.0;
   type Tenth is delta 0.1 range -100.0 .. 100.0;
   type Thirds is delta 0.3 range -100.0 .. 100.0 with Small => 0.3;
   P : Money := 0.37;
   S : Seven := 0.0;
   E : Eighth := 0.375;
   T : Tenth := 0.0625;
   H : Thirds := 0.3;
   Fs : Float := 0.29;
   Ls : Long_Float := 0.29;
   L3 : Long_Float := -0.2;
   L4 : Long_Float := 0.24;
   L5 : Long_Float := 0.57;
   L6 : Long_Float := -0.1875;
   L7 : Long_Float := 74024.4112169;
   L8 : Long_Float := 5.0;
begin
   if I = 7 and M = 3 and F = 1.5 and X > Y and P > 0.0 and S = 0.0 and E > 0.0 and T > 0.0
     and H > 0.0 and Fs + Float (Ls + L3 + L4 + L5 + L6 + L7 + L8) > 0.0
   then
      C_Abort;
   end if;
end Example;
"""
_NO_REAL = "Ada assigns no real number to the type {0}: {0}(x) is the nearest integer."
NUMBERS = {
    "i := 2.6": _NO_REAL.format("integer"),
    "i := f": _NO_REAL.format("integer"),
    "m := 2.0": _NO_REAL.format("example.m8"),
    "i": "7",
    "i := integer(2.6)": "3",
    "$c := 2.5": "2.5",
    "x := y": "-0.5",
    "x := 1.75": "1.75",
    "x := fix(f)": "1.5",
    "x := 1.1": "1",  # as GNAT truncates
    "x := fix(-2.0 / 3.0)": "-0.5",
    "x := 1.0e9": "The type does not hold the number 1000000000.",
    "abs y": "0.5",
    "x + y": "-1",
    # A program of GNAT prints the same numbers.
    "money(fs)": "0.28",
    "money(ls)": "0.28",
    "money(l5)": "0.56",
    "money(-l5)": "-0.56",
    "money(l6)": "-0.18",
    "money(e)": "0.37",
    "money(t)": "0.06",
    "money(0.29)": "0.29",
    "money(long_float(0.29))": "0.29",
    "p := ls": "0.28",
    "p := l5": "0.56",
    "p := 0.57": "0.57",
    "p := money(0.37)": "0.37",
    "seven(l7)": "74024.4112169",
    "eighth(ls)": "0.25",
    "eighth(l3)": "-0.25",
    "eighth(l4)": "0.25",
    "eighth(l6)": "-0.25",
    "eighth(p)": "0.25",
    "eighth(0.2)": "0.125",
    "eighth(0.1 + 0.1)": "0.125",
    "eighth(long_float(0.2))": "0.125",
    "e := l3": "-0.25",
    "e := 0.2": "0.125",
    "tenth(fs)": "0.3125",
    "tenth(l4)": "0.25",
    "tenth(p)": "0.3125",
    "t := 0.24": "0.1875",
    "thirds(l8)": "5.1",
    "thirds(5)": "4.8",
}


def test_numbers_are_assigned(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A real number is converted to no integer without a conversion (Ada 2012 5.2)."""
    files = ada_with_core(tool, tmp_path, OF_NUMBERS)
    shown = last_lines(files, ["frame function example", *(f"output {one}" for one in NUMBERS)])[1:]
    assert dict(zip(NUMBERS, shown, strict=True)) == NUMBERS


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """Gives the program and its core file."""
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCE)


def test_components_that_depend_on_discriminants(
    files: list[str], tool: Callable[[str], str]
) -> None:
    """They are where they were in the object, and an array has the bounds that it had there."""
    asked = ["frame function example.show", *COMMANDS, "up"]
    asked += [line.partition(" :=")[0] for line in COMMANDS if ":=" in line]
    of_gdb = answers(tool("gdb"), files, asked)
    assert answers(None, files, asked)[1:] == of_gdb[1:]
    assert 'data => "hello", nums => (1, 2, 3, 4, 5))' in of_gdb[1]


def test_strings_are_assigned(files: list[str]) -> None:
    """Those of another length are refused, as in GDB, which writes to no core file."""
    asked = ["frame function example.show", "set var $d := bu"]
    texts = answers(None, files, [*asked, *(f"print {one}" for one in ASSIGNMENTS)])[2:]
    shown = [text.split("\n", 1)[1].partition("\n")[0] for text in texts]
    shown = [text.partition(" = ")[2] if text.startswith("$") else text for text in shown]
    assert dict(zip(ASSIGNMENTS, shown, strict=True)) == ASSIGNMENTS
