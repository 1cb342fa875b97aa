"""Indexes of arrays of Free Pascal that are no integers, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
program example;
type
  color = (red, green, blue, cyan);
  sub = green..cyan;
var
  e: array[color] of integer = (1, 2, 3, 4);
  s: array[sub] of integer = (5, 6, 7);
  c: array['a'..'d'] of integer = (1, 2, 3, 3);
  every: array[char] of byte;
  b: array[boolean] of integer = (10, 11);
  one: array[true..true] of integer = (9);
  n: array[-1..1] of integer = (1, 2, 3);
  m: array[color, 'x'..'y'] of integer;
  text: array[color] of char = 'abcd';
  w: array[word(1)..word(2)] of integer;
  control: array[#0..#3] of integer = (1, 2, 3, 4);
  high: array[#200..#202] of integer = (1, 2, 3);
  wide: array[widechar('a')..widechar('c')] of integer = (1, 2, 3);
  rows: array[red..green] of array[0..1] of integer = ((1, 2), (3, 4));
  rec: record f: array[color] of integer; end;
  nowhere: ^integer;
begin
  every['a'] := 1; rec.f[red] := 5; nowhere := nil; nowhere^ := e[red];
end.
"""
NAMES = ["e", "s", "c", "every", "b", "one", "n", "m", "text", "w", "control", "wide", "rows",
         "rec", "s[green]", "m[red]"]  # fmt: skip


@pytest.mark.parametrize("option", ["-g", "-gw3"])
def test_indexes_have_their_types(tmp_path: Path, tool: Callable[[str], str], option: str) -> None:
    build(tmp_path, {"a.pas": SOURCE}, [[tool("fpc"), option, "a.pas"]])
    files = with_core(tool, tmp_path)
    commands = ["set print array-indexes on", *(f"output {name}" for name in NAMES),
                "print -array on -- e", "set print repeats 2", "output c", "output m"]  # fmt: skip
    ours = answers(None, files, commands)
    for mine, of_gdb in zip(ours, answers(tool("gdb"), files, commands), strict=True):
        assert mine == of_gdb
    high = answers(None, files, ["set print array-indexes on", "output high", "output sizeof(e)"])
    assert high[1].endswith("{[200 #200] = 1, [201 #201] = 2, [202 #202] = 3}")
    assert high[2].endswith("\n8")
