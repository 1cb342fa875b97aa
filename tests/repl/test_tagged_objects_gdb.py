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


def program(
    folder: Path, tool: Callable[[str], str], *options: str, units: dict[str, str] = UNITS
) -> list[str]:
    """Return a program of these units, and its core file. `options`: of Derived and Example."""
    gcc, make = tool("gcc"), tool("gnatmake")
    build(folder, units, [
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


DISCRIMINATED = {
    "base.ads": """\
package Base is
   type Kind is (One, Two);
   type Root (N : Integer) is tagged record
      D : String (1 .. N); K : Integer := 5;
   end record;
   type Vary (V : Kind) is tagged record
      A : Integer;
      case V is when One => P : Integer; when Two => Q, R : Integer; end case;
   end record;
   type Root_Access is access Root'Class;
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Stop (X : Root'Class; Z : Root_Access; V : Vary'Class);
end Base;
""",
    "base.adb": """\
package body Base is
   procedure Stop (X : Root'Class; Z : Root_Access; V : Vary'Class) is
      Kept : Root'Class := X;
   begin
      C_Abort;
      Z.K := X.K + Kept.K + V.A;
   end Stop;
end Base;
""",
    "derived.ads": """\
with Base; use Base;
package Derived is
   type Leaf is new Root with record E : Integer; S : String (1 .. 2) := "zz"; end record;
   type Last is new Leaf with record F : Integer; end record;
   type Pair is new Root (2) with record G : Integer := 8; end record;
   type Varied is new Vary with record B : Integer; end record;
end Derived;
""",
    "example.adb": """\
with Base; use Base;
with Derived; use Derived;
procedure Example is
   Own : Leaf := (3, "abc", 6, 55, "yy");
   Two_Long : Pair := (2, "fi", 7, 9);
   Long : Last := (2, "xy", 8, 66, "yz", 77);
   Other : Varied := (Two, 21, 22, 23, 24);
begin
   Own.E := Own.E + Two_Long.G;
   Stop (Own, new Last'(Long), Other);
end Example;
""",
}


def test_parents_with_discriminants(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Their components are those of the derived types: in line, and by their own names."""
    files = program(tmp_path, tool, "-g", units=DISCRIMINATED)
    commands = ["frame function base.stop", "print x", "print z.all", "print v", "print kept"]
    commands += [f"print x.{name}" for name in ("n", "d", "k", "e", "d(2)", "k + 1", "none")]
    commands += ["print &x.k", "print z.d", "print z.e", "print z.s", "print z.f"]
    commands += ["print v.v", "print v.q", "print v.p", "print v.b", "print kept.d"]
    commands += ["frame function example", "print own", "print own.d", "print own.K", "print/x own"]
    commands += ["whatis own.k", "print two_long", "print two_long.d", "print two_long.n"]
    commands += ["print own = own"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert of_gdb[2].endswith('= (n => 2, k => 8, d => "xy", e => 66, s => "yz", f => 77)\n')
    more = ["frame function example", "print own.kk", "complete print long."]
    unknown, words = answers(None, files, more)[1:]
    assert unknown.endswith('There is no member named kk. Did you mean "k"?\n')
    components = ("_tag", "d", "e", "f", "k", "n", "s")
    assert words.splitlines()[1:] == [f"print long.{name}" for name in components]


def test_a_frame_has_no_word_of_more_components(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A record with discriminants is `...` in the line of a frame, as any other record."""
    files = program(tmp_path, tool, units=DISCRIMINATED)
    frame, value = answers(None, files, ["frame function base.stop", "print x"])
    assert "base.stop (x=..., z=0x" in frame and ", v=...) at " in frame, frame
    assert "<perhaps with more components" in value
