"""Records of Ada with discriminants as parameters and behind null, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers

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
