"""Characters, strings and small integers of Free Pascal, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
program example;
{$mode objfpc}{$H+}
type
  TRec = record i: ShortInt; c: Char; w: WideChar; s: string[20]; b: Boolean; end;
  PText = PChar;
procedure Work(n: Integer);
var
  i: ShortInt; u: Byte; b, f: Boolean; c, q, z, low: Char; w: WideChar;
  us: UnicodeString; ss: ShortString;
  s10: string[10]; quoted, control, many, runs: string[80]; an: AnsiString; pc: PText;
  bytes: array[1..3] of Byte; chars: array[1..4] of Char; r: TRec; pb: ^Boolean; nowhere: ^Integer;
begin
  i := -5; u := 200; b := True; f := False; c := 'Q'; q := ''''; z := #0; low := #10; w := 'W';
  us := 'wide'; ss := 'short'; s10 := 'ten'; quoted := 'it''s "so" \\n'; control := 'a'#9'b'#13#10;
  many := StringOfChar('x', 70);
  runs := 'ab' + StringOfChar('c', 20) + 'de' + StringOfChar(#0, 30) + 'f';
  an := 'ansi'; pc := 'pchar'; bytes[1] := 1; bytes[2] := 65; bytes[3] := 3;
  chars := 'abcd'; r.i := -1; r.c := 'r'; r.w := 'v'; r.s := 'inner'; r.b := True; pb := @b;
  nowhere := nil; nowhere^ := n;
end;
begin
  Work(4);
end.
"""
NAMES = [
    "i", "u", "b", "f", "c", "q", "z", "low", "w", "us", "ss", "s10", "quoted", "control", "many",
    "runs", "an", "bytes", "chars", "r", "r.s", "pb^", "r.i", "r.w",
]  # fmt: skip


@pytest.mark.parametrize("option", ["-g", "-gw3"])
def test_values(tmp_path: Path, tool: Callable[[str], str], option: str) -> None:
    """With `-g`, short strings are records of their length and their characters."""
    build(tmp_path, {"a.pas": SOURCE}, [[tool("fpc"), option, "a.pas"]])
    files = with_core(tool, tmp_path)
    commands = [f"output{letter} {name}" for name in NAMES for letter in ("", "/s", "/x")
                if letter == "" or name not in ("an", "us")]  # fmt: skip
    commands += ["output/c i", "output/c w", "x/s pc", "x/2c pc", "whatis w",
                 "set print elements 4", *(f"output {name}" for name in ("many", "runs", "quoted")),
                 "set print repeats 2", "output runs", "output many"]  # fmt: skip
    own = answers(None, files, commands)
    pointed = [name for name in ("an", "us") if option == "-g"]  # here with the type
    for mine, of_gdb in zip(own, answers(tool("gdb"), files, commands), strict=True):
        if not any(mine.startswith(f"output {name}\n") for name in pointed):
            assert mine == of_gdb
    shown = answers(None, files, ["output i", "output w", "output runs"])
    assert [text.split("\n", 1)[1].strip() for text in shown] == [
        "-5", "87 'W'", "'ab', 'c' <repeats 20 times>, 'de', #0 <repeats 30 times>, 'f'"
    ]  # fmt: skip


@pytest.mark.usefixtures("utf8")
def test_characters_beyond_ascii(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB writes the bytes as they are, which may be text in no encoding."""
    source = SOURCE.replace("an := 'ansi'", "an := #$C3#$89't'#$C3#$A9#200")
    build(tmp_path, {"a.pas": source}, [[tool("fpc"), "-gw3", "a.pas"]])
    own = answers(None, with_core(tool, tmp_path), ["output an", "output/c u"])
    assert [said.splitlines()[1] for said in own] == ["'Été'#200", "200 #200"]


def test_the_language_of_another_frame(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """`set language pascal` was refused, although values of a frame of Pascal are written so."""
    source = """char t[] = "it's"; int a[] = {1, 2}; struct { int n; double d; } v = {3, 2.5};
#include <stdlib.h>
int main(void) { abort(); }
"""
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "a.c", "-o", "a"]])
    asked = ["set language pascal", "show language", "output t", "output a", "output v"]
    files = with_core(tool, tmp_path)
    own = answers(None, files, ["frame function main", *asked])
    assert own[4:] == answers(tool("gdb"), files, ["frame function main", *asked])[4:]
    assert 'The current source language is "pascal".' in own[2]
    assert "'it''s'" in own[3]  # a list of numbers in GDB, where a character of C is one
