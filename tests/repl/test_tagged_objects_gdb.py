"""Objects of tagged types of Ada whose tag says that they have more components, against the
installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, with_core

UNITS = {
    "base.ads": """\
package Base is
   type Named is interface;
   procedure Show (X : Named) is abstract;
   type Shape is tagged record A : Integer := 3; end record;
   type Shape_Access is access all Shape'Class;
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Stop (S : Shape'Class; P : Shape_Access; N : Named'Class; O : Shape);
end Base;
""",
    "base.adb": """\
package body Base is
   procedure Stop (S : Shape'Class; P : Shape_Access; N : Named'Class; O : Shape) is
      Kept : Shape'Class := P.all;
   begin
      C_Abort;
      P.A := S.A + O.A + Kept.A;
      N.Show;
   end Stop;
end Base;
""",
    "derived.ads": """\
with Base;
package Derived is
   type Round is new Base.Shape with record B : Integer := 4; end record;
   type Both is new Round and Base.Named with record
      C : Integer := 5; Text : String (1 .. 3) := "abc";
   end record;
   procedure Show (X : Both) is null;
   Held : Base.Shape'Class := Round'(A => 9, B => 8);
   type Sized (N : Natural) is new Base.Shape with record
      List : String (1 .. N); D : Integer := 6;
   end record;
end Derived;
""",
    "example.adb": """\
with Base; with Derived;
procedure Example is
   R : Derived.Round;
   B : Derived.Both;
   S : aliased Derived.Sized := (Base.Shape with N => 2, List => "xy", D => 7);
   O : Base.Shape;
begin
   Base.Stop (R, S'Unchecked_Access, B, O);
end Example;
""",
}


def program(folder: Path, tool: Callable[[str], str], *options: str) -> list[str]:
    """Return a program of these units, and its core file. `options`: of Derived and Example."""
    gcc, make = tool("gcc"), tool("gnatmake")
    build(folder, UNITS, [
        [gcc, "-c", "-O0", "-g", "base.adb"],
        [gcc, "-c", "-O0", *options, "derived.ads"],
        [gcc, "-c", "-O0", *options, "example.adb"],
        [make, "-q", "-O0", "example.adb", "-o", "a"],
    ])  # fmt: skip
    return with_core(tool, folder)


def test_whole_objects(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Class-wide parameters and variables, and what an access value leads to, have all their
    components."""
    files = program(tmp_path, tool, "-g")
    commands = ["frame function base.stop", "info args", "print s", "print s.b", "print s.a"]
    commands += ["print p.all", "print p.d", "print p.list", "print p.all.d", "print p", "print n"]
    commands += ["print n.c", "print n.text", "print n.b", "print o", "print s.c", "print/x s"]
    commands += ["print derived.held", "print derived.held.b"]
    commands += ["print kept", "print kept.d", "print kept.list"]
    commands += ["whatis s.b", "whatis p.all", "whatis p", "print s = s"]
    commands += ["frame function example", "print r", "print b", "print s", "print o"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    number = re.findall(r"^#(\d+) .* base.stop", run("bt", *files).out, re.MULTILINE)[0]
    assert run("eval", *files, "--frame", number, "kept.d").out == "kept.d = 7\n"
    assert run("eval", *files, "--frame", number, "kept").out.startswith("kept = (a => 3, n => 2,")
    assert "(a => 3, b => 4)" in of_gdb[2] and 'd => 7, list => "xy"' in of_gdb[5]


def test_a_type_that_no_file_describes(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB does not say that there may be more."""
    files = program(tmp_path, tool)
    commands = ["frame function base.stop", "print s", "print p.all", "print o"]
    values = [re.sub(r" at 0x\w+", "", value) for value in answers(None, files, commands)]
    perhaps = " <perhaps with more components: the tag leads to no type>"
    assert values[1:] == [
        f"print s\n$1 = (a => 3){perhaps}\n",
        "print p.all\n$2 = (a => 3)\nnote: the object may be of a type derived from base.shape,"
        " with more components: its tag leads to no type\n",
        "print o\n$3 = (a => 3)\n",
    ]


def test_a_tag_that_is_none(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A number in its place leads nowhere; each object has its note."""
    files = program(tmp_path, tool, "-g")
    commands = [
        "frame function base.stop",
        "print *(base.shape *)&o.a",
        "print *(base.shape *)&s.a",
    ]
    for value in answers(None, files, commands)[1:]:
        assert "note: the object at 0x" in value and "base.shape, with more" in value


DISCRIMINATED = """\
with Ada.Text_IO;
procedure A is
   package Lib is
      type Root (N : Integer) is tagged record D : String (1 .. N); end record;
      type Leaf is new Root with record E : Integer; end record;
      type Leaf_Access is access Root'Class;
      procedure Show (X : Root'Class; Z : Leaf_Access);
   end Lib;
   package body Lib is
      procedure Show (X : Root'Class; Z : Leaf_Access) is
         V : Root'Class := X;
         procedure C_Abort;
         pragma Import (C, C_Abort, "abort");
      begin
         C_Abort;
         Ada.Text_IO.Put_Line (V.D & Z.D);
      end Show;
   end Lib;
   use Lib;
   Own : Leaf := (3, "abc", 55);
begin
   Own.E := Own.E + 1;
   Show (Own, new Leaf'(2, "xy", 66));
end A;
"""


def test_a_root_with_discriminants(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The components of the leaf are not left out; GDB does not nest those of the root."""
    tool("gcc")  # which gnatmake runs
    build(tmp_path, {"a.adb": DISCRIMINATED}, [[tool("gnatmake"), "-q", "-g", "a.adb"]])
    commands = ["frame function a.lib.show", "print x", "print z.all", "print v", "print v.e"]
    shown = answers(None, with_core(tool, tmp_path), commands)[1:]
    for text, end in zip(shown, ("e => 56)", "e => 66)", "e => 56)", "= 56"), strict=True):
        assert text.rstrip().endswith(end), shown
