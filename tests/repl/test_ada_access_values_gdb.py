"""Access values of Ada that lead to arrays, parameters that are such arrays, objects that are
passed by reference, packed arrays and names that gnat has made up, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import ada_with_core, answers

SOURCE = """\
with System.Machine_Code; use System.Machine_Code;
procedure Example is
   type Colour is (Red, Green, Blue);
   for Colour use (Red => 1, Green => 5, Blue => 10);
   type Vec is array (Integer range <>) of Float;
   type Grid is array (Integer range <>, Integer range <>) of Integer;
   type Text is access String;
   type Any_Text is access all String;
   type Grid_Access is access Grid;
   type Name is new String;
   type By_Colour is array (Colour) of Integer;
   type Flags is array (1 .. 3) of Boolean with Pack;
   type Square is array (Colour, Colour) of Integer;
   type Padded is array (1 .. 2) of Short_Integer with Component_Size => 32;
   type Texts is array (Colour) of Text;
   type Holder is record
      T : Text;
      N : Integer;
   end record;
   type Shape is tagged record
      Id : Integer;
      Side : Vec (1 .. 2);
   end record;
   Static : aliased String := "static";
   G : Any_Text := Static'Access;
   H : Holder := (new String'("held"), 3);
   procedure Show
     (T : Text; E : Text; S : String; N : Name; V : Vec; D : Grid; A : access String;
      C : Shape'Class; R : in out Text; F : Grid_Access)
   is
      B : By_Colour := (10, 20, 30);
      P : Flags := (True, False, True);
      Q : Square := (others => (1, 2, 3));
      U : Padded := (4, 5);
      W : Texts := (T, E, T);
   begin
      Asm ("ud2", Volatile => True);
   end Show;
   Own : Text := new String'("own");
begin
   Show (new String'("hello"), null, "ab", "cd", (1.5, 2.5), ((1, 2), (3, 4)), Static'Access,
     Shape'(9, (1.0, 2.0)), Own, new Grid'((1, 2), (3, 4)));
end Example;
"""
COMMANDS = {
    "access values": [
        "print t", "print e", "print r", "print f", "print g", "print a", "print h", "print h.t",
        "print w", "print w(red)", "output t", "output h",
        "print t.all", "print *f", "print f.all", "print t(1)", "print h.t.all",
        "print/x t", "print/d e", "print/c e", "print/a g", "print/z t", "print/t e", "print/s t",
        "print/x h", "print/d w", "output/x h", "print $x := t", "print $x", "info args",
        "frame", "set print frame-arguments all", "frame",
    ],
    "addresses of parameters": [
        "print &s", "print &n", "print &v", "print &d", "output &s", "print/x &s", "print s'access",
        "print v'unrestricted_access", "print *&v", "print &t", "print &h", "print &q",
    ],
    "references": [
        "print -pretty -- c", "print -pretty -- h", "print -array -pretty -- c",
        "set print max-depth 1", "print c", "print h", "set print max-depth 0", "print c",
    ],
    "packed arrays": [
        "set print array on", "print b", "print p", "print q", "print w", "print d", "print u",
        "set print array-indexes on", "print b", "print q",
    ],
    "names that gnat has made up": [
        "info args", "frame", "info scope example.show", "print <aL>", "print <aL> + 1 < 3",
        "print &<aL>", "whatis <aL>", "info frame",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("access_values")
    return ada_with_core(tool, folder, SOURCE)


@pytest.mark.parametrize("subject", COMMANDS)
def test_as_in_gdb(tool: Callable[[str], str], files: list[str], subject: str) -> None:
    commands = COMMANDS[subject]
    own, gdb = answers(None, files, commands), answers(tool("gdb"), files, commands)
    assert dict(zip(commands, own, strict=True)) == dict(zip(commands, gdb, strict=True))
