"""Sets of Free Pascal, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
program example;
{$mode objfpc}
type
  TColor = (cRed, cGreen, cBlue, cGrey);
  TColors = set of TColor;
  TRec = record a: TColors; b: set of Byte; end;
procedure Work(const passed: TColors; var referred: TColors);
var
  a, none, f: TColors; b: set of Char; c: set of Boolean; d: set of 3..20; g: set of Byte;
  h: set of cGreen..cBlue; i: set of 40..49; r: TRec; k: array[1..2] of TColors; p: ^TColors;
  nowhere: ^Integer;
begin
  a := [cRed, cBlue]; none := []; f := [cRed..cGrey]; b := ['a'..'d', 'z', #10, '''', #127];
  c := [True]; d := [3, 5..7, 20]; g := [0, 1, 255]; h := [cBlue]; i := [40, 49];
  r.a := a; r.b := g; k[1] := a; k[2] := f; p := @a;
  nowhere := nil; nowhere^ := 1;
end;
var v: TColors;
begin
  v := [cGreen]; Work([cGrey], v);
end.
"""
SETS = ["a", "none", "f", "b", "c", "d", "g", "i", "r", "p^", "k[2]", "r.b", "passed", "referred"]
COMPARED = ["a = a", "a <> a", "a = k[1]", "a = none", "a < none", "a = 5", "a + none", "-a"]


@pytest.mark.parametrize("option", ["-g", "-gw3"])
def test_sets(
    tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str], option: str
) -> None:
    folder = tmp_path_factory.mktemp("sets")
    build(folder, {"a.pas": SOURCE}, [[tool("fpc"), option, "a.pas"]])
    files = with_core(tool, folder)
    commands = [f"print{letter} {name}" for name in SETS for letter in ("", "/x", "/d", "/s", "/z")]
    commands += [f"{verb} {name}" for name in SETS if name not in ("b", "r") and len(name) < 5
                 for verb in ("whatis", "ptype")]  # fmt: skip
    commands += [f"print {text}" for text in COMPARED]
    commands += ["print k", "whatis TColors", "ptype TColors",
                 "print sizeof(b)", "print $v := a", "print $v", "info args", "frame"]  # fmt: skip
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert own[0].lower() == "print a\n$1 = [cred, cblue]\n"
    (characters,) = answers(None, files, ["ptype b"])  # GDB writes the byte 255 itself
    assert characters == "ptype b\ntype = set of #0..#255\n"
    refused = answers(None, files, ["output/c a", "output/a a"])
    assert {said.splitlines()[1] for said in refused} == {"Value can't be converted to integer."}
    (subrange,) = answers(None, files, ["output h"])  # GDB: []
    assert subrange.splitlines()[1].lower() == "[cblue]"
