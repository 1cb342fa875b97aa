"""Expressions in frames of Free Pascal, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
program example;
{$mode objfpc}
type
  PNode = ^TNode;
  TNode = record V: Integer; Next: PNode; end;
  TColor = (cRed, cGreen, cBlue);
var
  Counter: Integer;
procedure Work(n: Integer);
var b: Boolean; c: Char; p: ^Integer; l: PNode; col: TColor; f: Single; u: Byte;
  s, t: string[10]; nowhere: ^Integer;
begin
  b := True; c := 'Q'; p := @n; col := cGreen; f := 1.25; u := 200; s := 'ten'; t := s;
  New(l); l^.V := 1; New(l^.Next); l^.Next^.V := 2; l^.Next^.Next := nil;
  Counter := n; nowhere := nil; nowhere^ := n;
end;
begin
  Work(4);
end.
"""
AS_IN_GDB = """\
n = 4; n = 5; n <> 4; n <> 5; 7 div 2; -7 div 2; 7 mod 2; -7 mod 2; n and 6; n or 3;
n xor 5; 1 shl 4; 256 shr 4; n AND 6; n Div 3; not b; NOT b; b and true; b or False; b xor TRUE;
not (n = 4); (n = 4) and b; p^ = 4; l^.V; l^.Next^.V; l^.Next^.V = 2; true; False; p^;
col = cGreen; c = 'Q'; c < 'Z'; $v := 5; $v; $v = 5; $v = 6; $1; $1F; 0x1f;
SizeOf(n); LongInt(c); f div 2; 'abc'; n in b; n n"""
OF_PASCAL = {
    "n, 3": "This language has no comma operator, near `, 3'.",  # GDB: 3
    "n = 2 or 4": "false",  # GDB: n = 2 or 4 is (n = 2) or 4
    "n = 4 and 6": "true",
    "not n": "-5",  # GDB: false
    "not n = -5": "true",
    "1 + 2 shl 3": "17",  # GDB: 24
    "1 + 2 div 2": "2",  # GDB: 1
    "2 shl 1 + 1": "5",
    "n = 4 = b": "true",
    "n <> 4 < b": "true",
    "false and (0 div 0 = 1)": "false",
    "true or (0 div 0 = 1)": "true",
    "@n = p": "true",
    "p = nil": "false",
    "s = t": "true",  # GDB compares what is behind the strings, too
    "s <> t": "false",
    "s < t": "false",
    "l^.Next^.Next = NIL": "true",
    "n == 5": "false",  # GDB has no operators of C
    "*p != 4": "false",
    "l->V": "1",
    "n := 6": "6",
    "n": "6",
    "p^=6": "true",
    "7 / 2": "3.5",  # GDB: of 80 bits
    "n / 2": "3",
    "f * 2": "2.5",
    "u + 100": "300",
    "2147483647 + n": "2147483653",
}
BESIDE = '"and" is between two Booleans or two integers; comparisons beside it need parentheses.'


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """A program of Free Pascal and its core file."""
    folder = tmp_path_factory.mktemp("pascal")
    build(folder, {"a.pas": SOURCE}, [[tool("fpc"), "-gw3", "a.pas"]])
    return with_core(tool, folder)


def test_operators_of_pascal(files: list[str], tool: Callable[[str], str]) -> None:
    commands = [f"{verb} {text.strip()}" for verb in ("print", "output", "print/x")
                for text in AS_IN_GDB.replace("\n", " ").split(";")]  # fmt: skip
    own, of_gdb = (answers(gdb, files, commands) for gdb in (None, tool("gdb")))
    assert own == of_gdb
    assert own[0] == "print n = 4\n$1 = true\n"
    commands = ["whatis b", "set var n = 9", "print n"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_expressions_that_gdb_reads_otherwise(files: list[str]) -> None:
    own = answers(None, files, [f"output {text}" for text in OF_PASCAL])
    shown = [answer.splitlines()[-1] for answer in own]
    assert shown == [*OF_PASCAL.values()]
    assert answers(None, files, ["print n = 4 and b"])[0].splitlines()[1] == BESIDE
