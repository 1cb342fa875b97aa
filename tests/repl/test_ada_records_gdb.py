"""Records of Ada whose parts are where discriminants say, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
procedure A is
   type Kind is (None, Short, Long);
   type List is array (Positive range <>) of Integer;
   type Part (M : Natural) is record Items : List (1 .. M); Tail : Integer; end record;
   type Whole (N : Natural; K : Kind) is record
      First : Integer; Items : List (1 .. N); Inner : Part (N); Name : String (1 .. N);
      case K is
         when None => null;
         when Short => S : Short_Integer; T : String (1 .. N);
         when Long => L : Long_Float; U : List (3 .. N);
      end case;
   end record;
   type Changing (K : Kind := None) is record
      case K is
         when None => null;
         when Short => S : Short_Integer;
         when Long => F : Float;
      end case;
   end record;
   type Several is array (1 .. 3) of Changing;
   Near : Whole (2, Short) := (2, Short, 1, (1, 2), (2, (3, 4), 5), "ab", 7, "cd");
   Far  : Whole (3, Long)  :=
     (3, Long, 1, (1, 2, 3), (3, (3, 4, 5), 6), "abc", 7.5, (3 => 8));
   Each : Several := ((K => None), (Short, 5), (Long, 2.5));
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
begin
   if Near.First + Far.First > 1 then C_Abort; end if;
   Each (1) := Each (2);
end A;
"""


def test_parts_behind_what_a_discriminant_says(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GNAT computes such a place in a DWARF procedure with DW_OP_push_object_address."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O0", "-fgnat-encodings=gdb", "a.adb", "-o", "a"]
    build(tmp_path, {"a.adb": SOURCE}, [make])
    files = with_core(tool, tmp_path)
    names = ["near", "far", "near.s", "near.t", "near.inner.tail"]
    names += ["far.l", "far.u", "far.u(3)", "&far.l", "near.l"]
    names += ["each", "each(2).s", "each(3)", "each(1)", "&each(2)"]
    commands = ["frame function a", *(f"print {name}" for name in names)]
    commands += ["ptype each", "whatis each(2)"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert 't => "cd"' in of_gdb[1] and "f => 2.5" in of_gdb[11]
