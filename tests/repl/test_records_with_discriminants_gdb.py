"""Records of Ada with discriminants as parameters and behind null, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import ada_with_core, answers, build, last_lines, with_core

SOURCE = """\
procedure Example is
   type Buf (N : Positive) is record
      Len  : Natural := 0;
      Data : String (1 .. N) := (others => '-');
   end record;
   type Kind is (Small, Large);
   type Account (K : Kind := Small) is record
      Id : Integer := 1;
      case K is
         when Small => Few : Boolean := False;
         when Large => Many : Long_Float := 0.0; Name : String (1 .. 4) := "bank";
      end case;
   end record;
   type Account_Ptr is access Account;
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Stop (B : Buf; C : in out Account; None : Account_Ptr) is
   begin
      C.Id := B.Len;
      if None = null then C_Abort; end if;
   end Stop;
   B : Buf (8);
   C : Account;
begin
   Stop (B, C, null);
end Example;
"""
COMMANDS = ["ptype b", "whatis b", "ptype c", "whatis none.all", "ptype none.all", "ptype none"]
NO_MEMORY = "Cannot access memory at address 0x0: nothing is mapped there"


def test_their_types(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A parameter had no bounds, and what null designates no type."""
    files = ada_with_core(tool, tmp_path, SOURCE)
    frame = ["frame function example.stop"]
    own, of_gdb = (answers(gdb, files, frame + COMMANDS)[1:] for gdb in (None, tool("gdb")))
    assert own == of_gdb
    assert "data: array (1 .. 8) of character;" in own[0]
    said = answers(
        None, files, [*frame, "print none.all", "print none.id", "print sizeof(none.all)"]
    )
    assert [answer.splitlines()[-1] for answer in said[1:]] == [NO_MEMORY] * 3


def test_completion_of_their_components(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Behind an access value, also null, and of a parameter, which is a reference."""
    files = ada_with_core(tool, tmp_path, SOURCE)
    words = ["b.", "b.d", "c.i", "none.", "none.na", "none.all."]
    commands = ["frame function example.stop", *(f"complete print {word}" for word in words)]
    ours, gdbs = (answers(gdb, files, commands)[1:] for gdb in (None, tool("gdb")))
    assert ours == gdbs
    assert ours[0].endswith("print b.data\nprint b.len\nprint b.n\n")


CONVERTED = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Kind is (Small, Large);
   type Buf (N : Natural) is record Data : String (1 .. N); end record;
   type Sub_Buf is new Buf;
   type Other (M : Natural) is record Text : String (1 .. M); end record;
   type Account (K : Kind := Small) is record
      Id : Integer := 1;
      case K is
         when Small => Few : Boolean := True;
         when Large => Many : Long_Float := 2.5; Name : String (1 .. 4) := "bank";
      end case;
   end record;
   type Two (A, B : Positive) is record
      S : String (A .. B) := (others => 's');
      T : String (1 .. B) := (others => 't');
      Last : Integer := 9;
   end record;
   type Shape is tagged record X : Integer := 7; end record;
   type Named (L : Natural) is new Shape with record
      Name : String (1 .. L) := (others => 'n');
   end record;
   type Colored is new Named with record C : Kind := Large; end record;
   procedure Stop (S, P : Shape'Class; B : Buf; N : Integer) is
      D : Sub_Buf := (2, "dd");
      O : Other := (3, "ooo");
      Ac : Account (Large);
      Af : Account;
      Tw : Two (2, N);
      Nm : Named (N);
      Co : Colored (N);
      type Local is record Q : String (1 .. N) := (others => 'q'); Z : Integer := 6; end record;
      Lo : Local;
      None : access Shape'Class := null;
   begin
      if B.N = N or else D.N = Tw.B or else O.M = Ac.Id or else Af.Few or else Nm.X = Lo.Z
        or else Co.X = S.X or else P.X = 1 or else None = null
      then
         C_Abort;
      end if;
   end Stop;
begin
   Stop (Named'(2, 3, "nm"), Shape'(X => 4), (5, "bytes"), 3);
end Example;
"""
CONVERSIONS = [
    "buf(b)", "account(ac)", "account(af)", "two(tw)", "named(nm)", "named(s)", "local(lo)",
    "named(s).name", "two(tw).last", "two(tw).s", "shape(nm)", "shape(s)", "colored(co)",
]  # fmt: skip
AS_IN_ADA = {
    "buf'(b)": '(n => 5, data => "bytes")',
    "buf(d)": '(n => 2, data => "dd")',
    "sub_buf(b)": '(n => 5, data => "bytes")',
    "sub_buf(buf(d)).data": '"dd"',
    "named(co)": '(x => 7, l => 3, name => "nnn")',
    "shape(co)": "(x => 7)",
}
"""What GDB 13 reads from where no object is."""
REFUSED = ["named(p)", "buf(o)", "account(tw)", "two(nm)", "buf(5)", "named(buf(b))"]


def test_conversions(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They were refused; an object has its discriminants in each type that it is converted to."""
    files = ada_with_core(tool, tmp_path, CONVERTED)
    commands = ["frame function example.stop"]
    commands += [f"{word} {text}" for word in ("print", "whatis") for text in CONVERSIONS]
    of_gdb = answers(tool("gdb"), files, commands)[1:]
    assert answers(None, files, commands)[1:] == of_gdb
    assert '(x => 3, l => 2, name => "nm")' in of_gdb[5]
    asked = [commands[0], *(f"output {text}" for text in AS_IN_ADA)]
    assert last_lines(files, asked)[1:] == [*AS_IN_ADA.values()]
    of_null = last_lines(files, [commands[0], "whatis named(none.all)"])[1]
    assert of_null == "type = example.named"  # whatever the object is (Ada 2012 4.6)
    refused = [commands[0], *(f"print {text}" for text in REFUSED)]
    assert last_lines(files, refused)[1:] == ["Invalid cast."] * len(REFUSED)


ARRAYS = """\
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   subtype Few is Integer range -2 .. 9;
   type Vec is array (Integer range <>) of Integer;
   type Named (N : Few := 2) is record
      Name : String (1 .. N);
      W : Integer := N;
   end record;
   type Part (A, B : Few := 2) is record
      V : Vec (A .. B);
   end record;
   Q : array (1 .. 3) of Named := ((3, "abc", 3), (5, "hello", 5), (0, "", 0));
   M : array (1 .. 1, 1 .. 2) of Part := (1 => ((1, 2, (11, 12)), (-1, 1, (91, 92, 93))));
   I : Integer := 2;
begin
   if I = 2 and Q (I).W = 5 and M (1, I).A = -1 then
      C_Abort;
   end if;
end Example;
"""


@pytest.mark.parametrize("encodings", ["minimal", "all"])
def test_types_of_components_of_elements(
    tool: Callable[[str], str], tmp_path: Path, encodings: str
) -> None:
    """Each element has its own discriminants (GDB: `array (<>)`, `array (1 .. n)`)."""
    tool("gcc")  # which gnatmake calls
    option = f"-fgnat-encodings={encodings}"
    make = [tool("gnatmake"), "-q", "-g", "-O0", option, "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": ARRAYS}, [make])
    expected = {
        "whatis q(1).name": "type = array (1 .. 3) of character",
        "whatis q(2).name": "type = array (1 .. 5) of character",
        "whatis q(i).name": "type = array (1 .. 5) of character",
        "print sizeof(q(2).name) + sizeof(q(3).name)": "$1 = 5",
        "whatis m(1, 2).v": "type = array (-1 .. 1) of integer",
    }
    commands = ["frame function example", *expected, "ptype q(2)"]
    *said, _ = last_lines(with_core(tool, tmp_path), commands)[1:]
    assert said == list(expected.values())
    own = answers(None, [str(tmp_path / "a"), str(tmp_path / "core")], commands)[-1]
    assert "name: array (1 .. 5) of character;" in own


CONSTANT = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Rec (K : Integer; B : Boolean) is record
      Name : String (1 .. K);
      case B is
         when True => X : Float; Y : Integer;
         when False => I, J : Integer;
      end case;
   end record;
   R : Rec (2, True) := (2, True, "xy", 1.5, 7);
   procedure Stop (N : Integer) is
      V : Integer := N with Volatile;
   begin
      if V > 0 then C_Abort; end if;
      V := 0;
   end Stop;
   pragma No_Inline (Stop);
begin
   Stop (R.K);
end Example;
"""


def test_a_constant_record(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """DW_AT_const_value has all of it, but no address, by which its type finds the discriminants;
    GDB has errors for the values."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O2", "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": CONSTANT}, [make])
    files = with_core(tool, tmp_path)
    types = ["frame function example", "whatis r", "ptype r"]
    own = answers(None, files, types)
    assert own[1] == answers(tool("gdb"), files, types)[1] == "whatis r\ntype = example.rec\n"
    assert "name: array (1 .. 2) of character;" in own[2]
    expected = {"r.k": "2", "r.name": '"xy"', "r.y": "7", "r.x * 2.0": "3.0",
                "r": '(k => 2, b => true, name => "xy", x => 1.5, y => 7)'}  # fmt: skip
    said = last_lines(files, [types[0], *(f"output {name}" for name in expected)])
    assert dict(zip(expected, said[1:], strict=True)) == expected


OF_TWO_LENGTHS = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Arr is array (Integer range <>) of Short_Integer;
   type Two (A, B : Natural) is record
      S : String (1 .. A);
      V : Arr (1 .. B);
      Z : Integer;
   end record;
   procedure Stop (N : Integer) is
      W : Integer := N with Volatile;
   begin
      if W > 0 then C_Abort; end if;
      W := 0;
   end Stop;
   pragma No_Inline (Stop);
   T : constant Two := (A => 3, B => 2, S => "xyz", V => (5, 6), Z => 77);
begin
   Stop (T.Z);
end Example;
"""


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_a_record_of_two_lengths(tmp_path: Path, tool: Callable[[str], str], level: str) -> None:
    """In a constant, DW_OP_deref_type reads the lengths, and the second array is at an offset that
    they give."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", level, "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": OF_TWO_LENGTHS}, [make])
    files = with_core(tool, tmp_path)
    expected = {
        "t.a": "3", "t.b": "2", "t.s": '"xyz"', "t.v": "(5, 6)", "t.v(2)": "6", "t.z": "77",
    }  # fmt: skip
    said = last_lines(files, ["frame function example", *(f"output {name}" for name in expected)])
    assert dict(zip(expected, said[1:], strict=True)) == expected
