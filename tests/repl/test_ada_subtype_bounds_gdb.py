"""Subtypes of Ada whose bounds are in variables of the program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import VOLATILE_PACKAGE, answers, build, last_lines, with_core

SOURCE = """\
procedure Example is
   procedure C_Raise (Signal : Integer);
   pragma Import (C, C_Raise, "raise");
   Start : Integer := 3;
   pragma Volatile (Start);
   Sink : Integer;
   pragma Volatile (Sink);
   type R is range 0 .. 100;
   type Color is (Red, Green, Blue, Pink);
   for Color use (1, 3, 5, 9);
   type Fix is delta 0.25 range -100.0 .. 100.0;
   type Vec is array (Integer range <>) of Integer;
   procedure Show (N : Integer; C : Color; B : Boolean; Ch : Character; F : Fix) is
      subtype Idx is Integer range N .. N * 2;
      subtype Up is Integer range 1 .. N;
      subtype Low is Integer range N .. 100;
      subtype Dyn is R range R (N) .. R (N + 1);
      subtype Sub is Idx range Idx'First + 1 .. Idx'Last;
      type New_Idx is new Idx;
      subtype Warm is Color range Red .. C;
      subtype Truth is Boolean range B .. True;
      subtype Letter is Character range 'a' .. Ch;
      subtype Small is Fix range 0.0 .. F;
      subtype Part is Vec (Idx);
      type Ref is access Idx;
      V : Part := (others => 3);
      I : Idx := N + 1;
      W : Warm := Red;
      D : Dyn := R (N);
      U : Up := 1;
      X : Low := 100;
      S : Sub := Sub'First;
      NX : New_Idx := New_Idx'First;
      T : Truth := True;
      L : Letter := 'b';
      M : Small := 0.25;
      P : Ref := new Idx'(N);
      J : Integer := 100;
   begin
      Sink := V (N) + I + Integer (D) + U + X + S + Integer (NX) + P.all + J;
      if W = Red and T and L = 'b' and M = 0.25 then
         C_Raise (6);
      end if;
   end Show;
begin
   Show (Start, Blue, Start = 2, Character'Val (99 + Start), Fix (Start));
end Example;
"""
BOUNDS = {
    "idx": ("3", "6"),
    "up": ("1", "3"),
    "low": ("3", "100"),
    "dyn": ("3", "4"),
    "sub": ("4", "6"),
    "new_idx": ("3", "6"),
    "warm": ("red", "blue"),
    "truth": ("false", "true"),
    "letter": ("97 'a'", "102 'f'"),
    "small": ("0", "3"),
    "part": ("3", "6"),
}
"""Those of the source, with N = 3."""
MEMBERSHIPS = {
    "i in idx": True,
    "j in idx": False,
    "j not in idx": True,
    "3 in sub": False,
    "d in dyn": True,
    "green in warm": True,
    "pink in warm": False,
    "j in idx'range": False,
    "5 in part'range": True,
    "false in truth": True,
}
DEFINITIONS = ["idx", "up", "low", "dyn", "sub", "new_idx", "warm", "truth", "letter", "part"]
DEFINITIONS += ["i", "w", "d", "s", "l"]


def _build(
    tool: Callable[[str], str], folder: Path, level: str, sources: dict[str, str]
) -> list[str]:
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", level, "example.adb", "-o", "a"]
    build(folder, sources, [make])
    return with_core(tool, folder)


def test_bounds_are_those_of_the_call(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Each bound is a number, a parameter or a variable that GNAT adds."""
    files = _build(tool, tmp_path, "-O0", {"example.adb": SOURCE})
    asked = [f"output {name}'{bound}" for name in BOUNDS for bound in ("first", "last")]
    asked += [f"output {text}" for text in MEMBERSHIPS]
    assert last_lines(files, ["frame function example.show", *asked])[1:] == [
        *(bound for pair in BOUNDS.values() for bound in pair),
        *("true" if is_member else "false" for is_member in MEMBERSHIPS.values()),
    ]


def test_definitions_are_as_in_gdb(tool: Callable[[str], str], tmp_path: Path) -> None:
    """GDB shows the bounds that the call has."""
    files = _build(tool, tmp_path, "-O0", {"example.adb": SOURCE})
    asked = [f"{command} {name}" for name in DEFINITIONS for command in ("ptype", "whatis")]
    asked.append("ptype p")
    commands = ["frame function example.show", *asked]
    own = answers(None, files, commands)[1:]
    assert own == answers(tool("gdb"), files, commands)[1:]
    assert own[0].splitlines()[-1] == "type = range 3 .. 6"


OPTIMIZED = """\
with Pk; use Pk;
procedure Example is
   procedure C_Raise (Signal : Integer);
   pragma Import (C, C_Raise, "raise");
   procedure Show (N : Integer; M : Integer) is
      subtype Idx is Integer range N .. M;
      type Color is (Red, Green);
      I : Idx := Start;
      K : Color := Color'Val (I - 3);
   begin
      Sink := M;
      Sink := Color'Pos (K);
      C_Raise (6);
      Sink := N;
   end Show;
begin
   Show (Start, Start);
end Example;
"""


def test_bounds_that_are_optimized_out(tool: Callable[[str], str], tmp_path: Path) -> None:
    """The base type has other bounds: they are no answer. The subtypes of a subprogram that is
    inlined are in its abstract instance."""
    files = _build(tool, tmp_path, "-O2", {"pk.ads": VOLATILE_PACKAGE, "example.adb": OPTIMIZED})
    lost = ["output idx'last", "output 5 in idx", "ptype idx"]
    known = {
        "output idx'first": "3",
        "output 2 in idx": "false",
        "whatis idx": "type = example.show.idx",
        "whatis color'first": "type = example.show.color",
        "output green": "green",
    }
    said = last_lines(files, ["frame function example.show", *lost, *known])[1:]
    assert all("optimized out" in answer for answer in said[: len(lost)]), said
    assert said[len(lost) :] == list(known.values())
