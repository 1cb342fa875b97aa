"""Concatenation of arrays of Ada, at the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers, build, last_lines, with_core

PACKED = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Nib is mod 16;
   type Low is range -4 .. 3;
   type Nibs is array (Positive range <>) of Nib with Pack;
   type Lows is array (Positive range <>) of Low with Pack;
   type Flags is array (Positive range <>) of Boolean with Pack;
   procedure Stop (F : Flags; N : Nibs) is
      T : Boolean := True;
      K : Nib := 9;
      L : Low := -3;
      M : Nibs (1 .. 3) := (1, 2, 3);
      S : Lows (1 .. 2) := (-1, 2);
      R1 : Flags := F & T;
      R2 : Flags := False & F;
      R3 : Nibs := K & N;
      R4 : Nibs := N & M;
      R5 : Nibs := M & 7;
      R6 : Lows := S & L;
      R7 : Lows := -4 & S;
   begin
      if R1 (1) and not R2 (1) and K = 9 and L = -3 and R6 (1) = R7 (2) then C_Abort; end if;
   end Stop;
begin
   Stop ((True, False, True), (4, 5));
end Example;
"""
OF_PACKED = {
    "r1": "f & t", "r2": "false & f", "r3": "k & n", "r4": "n & m", "r5": "m & 7", "r6": "s & l",
    "r7": "-4 & s",
}  # fmt: skip
"""By the variable that has the program's result."""
ADA = """\
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   type Ints is array (Positive range <>) of Integer;
   procedure Stop (S : String; V : Ints; C : Character) is
   begin
      if S'Length > 0 and V (1) > 0 and C /= ' ' then C_Abort; end if;
   end Stop;
begin
   Stop ("abc", (1, 2), 'z');
end Example;
"""


BOUNDS = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Ints is array (Integer range <>) of Integer;
   type Naturals is array (Positive range <>) of Integer;
   type Color is (Red, Green, Blue, Black);
   subtype Warm is Color range Green .. Blue;
   type Cs is array (Color range <>) of Integer;
   type Ws is array (Warm range <>) of Integer;
   type Bits is array (1 .. 12) of Boolean;
   subtype Three is Ints (1 .. 3);
   type CI is array (Character range <>) of Integer;
   Str : String := "zabc";
   procedure Stop
     (P : Naturals; I : Ints; C : Cs; W : Ws; T : Three; K : CI; B : Bits; S : String)
   is
      R01 : Naturals := 3 & P;
      R02 : Ints := 3 & I;
      R03 : Cs := C & 1;
      R04 : Ints := I (5 .. 4) & T;
      R06 : CI := K & 3;
      R07 : String := S (3 .. 2) & "xy";
      R08 : String := 'a' & S;
      R09 : String := S & 'a';
      R10 : Ws := 3 & W;
      R11 : String := "" & S;
      R12 : Ints := T (2 .. 3) & 9;
      R13 : Ints := I (5 .. 6) & 9;
      R14 : String := 'a' & "bc";
      R15 : Bits := B (2 .. 12) & True;
   begin
      C_Abort;
      if R01 (1) + R02 (R02'First) + R03 (Green) + R04 (1) + R06 ('c') > 0 then null;
      end if;
   end Stop;
begin
   Stop ((4 => 1, 5 => 2), (5 => 5, 6 => 6, 7 => 7), (Green => 1), (Green => 2), (1, 2, 3),
         ('c' => 3), (1 => True, others => False), Str (2 .. 4));
end Example;
"""
WITH_BOUNDS = {
    "r01": "3 & p", "r02": "3 & i", "r03": "c & 1", "r04": "i(5 .. 4) & t",
    "r06": "k & 3", "r07": 's(3 .. 2) & "xy"', "r08": "'a' & s", "r09": "s & 'a'", "r10": "3 & w",
    "r11": '"" & s', "r13": "i(5 .. 6) & 9", "r14": "'a' & \"bc\"",
}  # fmt: skip
"""By the variable that has the program's result."""
WITHOUT_BOUNDS = {
    "r12": "t(2 .. 3) & 9",  # the type of `t` could have been defined with its bounds, as that of b
    "r15": "b(2 .. 12) & true",
    "r02": "3 & t",  # whose index is a Positive or an Integer
}


OF_ACCESS = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Str is access String;
   type Strs is array (1 .. 3) of Str;
   procedure Stop (A : Strs; S : String) with No_Inline is
      R1 : String := A (2).all & "x";
      R2 : String := A (1) (1 .. 2) & A (2).all;
   begin
      if R1'Length + R2'Length > 0 then C_Abort; end if;
      A (1) (1) := 'z';  -- so that the call is no jump
   end Stop;
begin
   Stop ((new String'("ab"), new String'("cdefg"), null), "lost");
end Example;
"""


def test_bounds_of_concatenations(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They began with the index of the left operand, or with 1."""
    files = ada_with_core(tool, tmp_path, BOUNDS)
    pairs = [text for pair in WITH_BOUNDS.items() for text in pair]
    commands = [f"output ({text}){bound}" for text in pairs for bound in ("'first", "")]
    shown = last_lines(files, ["frame function stop", *commands])[1:]
    results = [*zip(shown[::4], shown[1::4], strict=True)]
    assert [*zip(shown[2::4], shown[3::4], strict=True)] == results
    assert results[1] == ("-2147483648", "(-2147483648 => 3, 5, 6, 7)")


def test_types_of_concatenations(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Those of parameters of unconstrained types were refused; GDB has that of the program's
    result."""
    files = ada_with_core(tool, tmp_path, BOUNDS)
    frame = ["frame function stop"]
    of_results = answers(tool("gdb"), files, frame + [f"whatis {one}" for one in WITH_BOUNDS])
    for command in ("whatis", "ptype"):
        asked = [f"{command} {text}" for text in WITH_BOUNDS.values()]
        shown = last_lines(files, frame + asked)
        assert shown[1:] == [text.splitlines()[-1].replace("<ref> ", "") for text in of_results[1:]]


def test_types_of_concatenations_of_elements(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The bounds are those of the element that the index means, not of the first one."""
    files = ada_with_core(tool, tmp_path, OF_ACCESS)
    joined = ('a(2).all & "x"', "a(1)(1 .. 2) & a(2).all")
    commands = ["frame function stop", "whatis r1", "whatis r2"]
    said = answers(tool("gdb"), files, commands)
    of_results = [text.splitlines()[-1].replace("<ref> ", "") for text in said]
    asked = [commands[0], *(f"whatis {text}" for text in (*joined, 'a(2) & "x"', 'a(3) & "x"'))]
    shown = last_lines(files, asked)
    assert of_results[1] == "type = array (1 .. 6) of character"
    assert shown[1:3] == of_results[1:] and shown[3] == of_results[1]
    assert shown[4] == "Cannot access memory at address 0x0"


def test_concatenation_of_what_is_lost(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """It was refused as one of other types."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O2", "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": OF_ACCESS}, [make])
    files = with_core(tool, tmp_path)
    asked = ["frame function example.stop", 'print s & "x"', 'whatis s & "x"']
    asked += ["output s"]
    said = last_lines(files, asked)
    assert said[3] == "<optimized out>"
    assert said[1] == said[2] and said[1].startswith("value has been optimized out: s is ")


def test_bounds_that_nothing_says(tmp_path: Path, tool: Callable[[str], str]) -> None:
    files = ada_with_core(tool, tmp_path, BOUNDS)
    texts = WITHOUT_BOUNDS.values()
    commands = [f"output ({text}){bound}" for text in texts for bound in ("'first", "'length", "")]
    shown = last_lines(files, ["frame function stop", *commands])[1:]
    assert {*shown[::3]} == {"The array has no bounds here: 'first is that of an object."}
    assert shown[1::3] == ["3", "12", "4"]
    assert shown[2::6] == ["(2, 3, 9)", "(3, 1, 2, 3)"]


def test_elements_beside_packed_arrays(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They have more bits than those in the array."""
    files = ada_with_core(tool, tmp_path, PACKED)
    commands = ["frame function stop", *(f"output {text}" for p in OF_PACKED.items() for text in p)]
    shown = last_lines(files, [*commands, "print n & 17", "print m & l"])[1:]
    assert shown[1:-2:2] == shown[:-2:2]
    assert (
        shown[-1]
        == shown[-2]
        == ("Concatenation is of arrays of one type, or of one and an element.")
    )


def test_concatenation_of_ada(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """It was refused; GDB has it for some strings."""
    files = ada_with_core(tool, tmp_path, ADA)
    frame = ["frame function example.stop"]
    strings = ['print s & "x"', "print s & s", 'print "a" & "b"', "print s & c"]
    own = answers(None, files, frame + strings)[1:]
    assert [said.splitlines()[-1].partition("= ")[2] for said in own] == [
        '"abcx"', '"abcabc"', '"ab"', '"abcz"'
    ]  # fmt: skip
    arrays = answers(None, files, [*frame, "print v & v", "print 3 & v", "print v & s"])[1:]
    assert [said.splitlines()[-1] for said in arrays] == [
        "$1 = (1, 2, 1, 2)", "$2 = (3, 1, 2)",
        "Concatenation is of arrays of one type, or of one and an element.",
    ]  # fmt: skip
    refused = answers(None, files, [*frame, "print 'a' & 'b'", "print c & c", "print c & 1"])[1:]
    assert all("Concatenation is of arrays" in said for said in refused)  # they were numbers
