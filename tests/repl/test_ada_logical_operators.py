"""`and`, `or`, `xor` and `in` of Ada: what the program itself computes with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import ada_with_core, answers, last_lines

SOURCE = """\
procedure Example is
   type M8 is mod 256;
   type M7 is mod 7;
   type M64 is mod 2 ** 64;
   type Color is (Red, Green, Blue);
   for Color use (Red => 1, Green => 5, Blue => 6);
   subtype Cold is Color range Green .. Blue;
   subtype Small is Integer range 1 .. 100;
   type Flags is array (Positive range <>) of Boolean;
   type Bits is array (1 .. 10) of Boolean with Pack;
   type Cents is delta 0.01 range -10.0 .. 100.0;
   type Money is delta 0.01 digits 8;
   type Point is record
      X : Integer := 1;
   end record;
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   procedure Show (Given : Flags) is
      A : M8 := 200;
      B : M8 := 100;
      C : M7 := 5;
      D : M7 := 6;
      W : M64 := M64'Last;
      T : Boolean := True;
      F : Boolean := False;
      N : Integer := -7;
      I : Integer := 3;
      Hue : Color := Green;
      Dim : Cold := Blue;
      Few : Small := 3;
      Ch : Character := 'x';
      Real : Float := 0.5;
      V : Flags (1 .. 3) := (True, False, True);
      U : Flags (5 .. 7) := (True, True, False);
      P : Bits := (1 | 4 => True, others => False);
      Q : Bits := (1 | 5 => True, others => False);
      R : Point;
      Cost : Cents := 0.3;
      Debt : Cents := -2.5;
      Price : Money := 0.29;
      A1 : M8 := A and B;
      A2 : M8 := A or 1;
      A3 : M8 := A xor B;
      A4 : M7 := C or D;
      A5 : M7 := C xor 2;
      A6 : M64 := W and 15;
      A7 : M8 := not A or B;
      A8 : M8 := A and not 16#0F#;
      A9 : M7 := C xor not 3;
      A10 : M8 := (not 16#F0#) or A;
      A11 : M8 := A and (not 1 or 2);
      A12 : M8 := A - (not 3 + 1);
      B1 : Boolean := T and F;
      B2 : Boolean := T or F;
      B3 : Boolean := T xor T;
      B4 : Boolean := not T or T;
      B5 : Boolean := A = 200 and I = 3 and T;
      B6 : Boolean := (T and F) or T;
      B7 : Boolean := A = not 55;
      B8 : Boolean := not 55 < A;
      E1 : Flags (1 .. 3) := V and U;
      E2 : Flags (1 .. 3) := V or U;
      E3 : Flags (5 .. 7) := U xor V;
      E4 : Flags (1 .. 3) := Given or V;
      E5 : Bits := P or Q;
      E6 : Bits := P and not Q;
      E7 : Flags (1 .. 3) := not Given;
      E8 : Flags (1 .. 3) := not (not Given or V);
      F1 : Boolean := Cost = 0.3;
      F2 : Boolean := Cost < 0.299;
      F3 : Boolean := Cost > 0.299;
      F4 : Boolean := Debt < -2.499;
      F5 : Boolean := Debt <= Cost;
      F6 : Boolean := Price = 0.29;
      F7 : Boolean := 0.28 /= Price;
      F8 : Boolean := Cost in Cents;
      F9 : Boolean := Cost in 0.3 .. 0.4;
      F10 : Boolean := Debt not in -2.0 | 0.0 .. Cost;
      I1 : Boolean := N in 1 .. 5;
      I2 : Boolean := N not in -10 .. 0;
      I3 : Boolean := Few in Small;
      I4 : Boolean := N in Natural;
      I5 : Boolean := Hue in Green .. Blue;
      I6 : Boolean := Dim not in Cold;
      I7 : Boolean := Ch in 'a' .. 'z';
      I8 : Boolean := Real in 0.0 .. 0.4;
      I9 : Boolean := I in 1 | 3 | 7 .. 9;
      I10 : Boolean := I in V'Range;
      I11 : Boolean := I in U'Range and T;
      I12 : Boolean := A + 100 in 40 .. 50;
      I13 : Boolean := Hue in Red | Blue;
      I14 : Boolean := I in Given'Range;
      I15 : Boolean := A in not 60 .. not 50;
   begin
      if A1 = 64 and R.X = 1 and B1 = F and E1 (1) and not (B2 and B3 and B4 and B5 and B6) then
         C_Abort;
      end if;
   end Show;
begin
   Show ((False, False, True));
end Example;
"""
EXPRESSIONS = {
    "a1": "a and b", "a2": "A OR 1", "a3": "a xor b", "a4": "c or d", "a5": "c xor 2",
    "a6": "w and 15", "a7": "not a or b",
    "a8": "a and not 16#0F#", "a9": "c xor not 3", "a10": "(not 16#F0#) or a",
    "a11": "a and (not 1 or 2)", "a12": "a - (not 3 + 1)",
    "b1": "t and f", "b2": "t or f", "b3": "t xor t", "b4": "not t or t",
    "b5": "a = 200 and i = 3 and t", "b6": "(t and f) or t",
    "e1": "v and u", "e2": "v or u", "e3": "u xor v", "e4": "given or v", "e5": "p or q",
    "e6": "p and not q", "e7": "not given", "e8": "not (not given or v)",
    "b7": "a = not 55", "b8": "not 55 < a",
    "f1": "cost = 0.3", "f2": "cost < 0.299", "f3": "cost > 0.299", "f4": "debt < -2.499",
    "f5": "debt <= cost", "f6": "price = 0.29", "f7": "0.28 /= price", "f8": "cost in cents",
    "f9": "cost in 0.3 .. 0.4", "f10": "debt not in -2.0 | 0.0 .. cost",
    "i1": "n in 1 .. 5", "i2": "n not in -10 .. 0", "i3": "few in small", "i4": "n in natural",
    "i5": "hue in green .. blue", "i6": "dim  NOT  IN cold", "i7": "ch in 'a'..'z'",
    "i8": "real in 0.0 .. 0.4", "i9": "i in 1 | 3 | 7 .. 9", "i10": "i in v'range",
    "i11": "i in u'range and t", "i12": "a + 100 in 40 .. 50", "i13": "hue in red | blue",
    "i14": "i in given'range -- of the parameter", "i15": "a in not 60 .. not 50",
}  # fmt: skip
"""By the variable that has the program's result."""
REFUSED = {
    "t and f or t": "Two logical operators need parentheses here, near `or t'.",
    "t and then f or else t": "Two logical operators need parentheses here, near `or else t'.",
    "t or f and then t": "Two logical operators need parentheses here, near `and then t'.",
    "n and i": "and of Ada is for Booleans and modular numbers; write & between other numbers.",
    "t xor 1": "xor of Ada is for Booleans and modular numbers.",
    "r or r": "or of Ada is for Booleans and modular numbers.",
    "v and p": "and of Ada is for arrays of the same length.",
    "v and then v": "and then of Ada is for Booleans.",
    "t or else r": "or else of Ada is for Booleans.",
    "a and 300": "The type example.m8 does not hold 300.",
    "i in 1 .. 5 in t": "A comparison needs parentheses here, near `in t'.",
    "r in point": "Unsupported: whether a value is of example.point: `in` is for discrete types",
    "v'range": "'range is no value: it stands behind in; write 'first or 'last.",
    "not 3": "not of Ada is for Booleans and modular numbers.",
    "i and not 3": "not of Ada is for Booleans and modular numbers.",
    "c and not 9": "The type example.m7 does not hold 9.",
    "cost < 1.0e9": "The type does not hold the number 1000000000.",
    "cost < real": "Unsupported: arithmetic on the fixed-point type example.cents",
    "real in cents": "Unsupported: arithmetic on the fixed-point type example.cents",
    "i in": "A syntax error in expression, near `'.",
}
SAME_AS_GDB = [
    "print a and b",
    "print n in 1 .. 5",
    "print n not in 1 .. 5",
    "print t xor f",
    "print i in small",
    "whatis a or b",
    "whatis t or f",
    "print t -- a comment",
    "print cost > debt",
    "print cost in cents",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    return ada_with_core(tool, tmp_path_factory.mktemp("logical of ada"), SOURCE)


def test_results_are_those_of_the_program(files: list[str]) -> None:
    commands = ["frame function show"]
    commands += [f"output {text}" for pair in EXPRESSIONS.items() for text in pair]
    shown = last_lines(files, commands)[1:]
    of_program = dict(zip(EXPRESSIONS, shown[::2], strict=True))
    assert dict(zip(EXPRESSIONS, shown[1::2], strict=True)) == of_program


def test_other_operands_are_refused(files: list[str]) -> None:
    shown = last_lines(files, ["frame function show", *(f"print {text}" for text in REFUSED)])[1:]
    assert dict(zip(REFUSED, shown, strict=True)) == REFUSED


def test_answers_are_those_of_gdb(files: list[str], tool: Callable[[str], str]) -> None:
    commands = ["frame function show", *SAME_AS_GDB]
    own, gdb = (answers(which, files, commands)[1:] for which in (None, tool("gdb")))
    assert own[1:] == gdb[1:]
