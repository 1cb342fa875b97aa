"""Arrays that are known to have no elements, in C, Pascal and Rust, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

C = """\
#include <signal.h>
#include <string.h>
char *kept;
__attribute__((noinline)) int f(int n, int m, char (*p)[n]) {
  char v[n]; int w[n][2]; char u[n][m];
  memset(v, 'a', n); memset(w, 0, sizeof w); memset(u, 'b', sizeof u); kept = v;
  raise(SIGABRT);
  return sizeof u + sizeof w + kept[0] + ((char *)u)[0] + ((int *)w)[0] + (*p)[0];
}
int main(int count, char **words) { return f(count - 1, count, (void *)words); }
"""
PASCAL = """\
program a;
{$mode objfpc}{$H-}
type numbers = array of Integer;
     person = record id: Integer; name: string[15]; end;
var nowhere: PInteger;
procedure work;
var brief: ShortString; few: numbers; grown: AnsiString; who: person;
begin
  brief := 'secret'; brief := '';
  SetLength(few, 3); few[0] := 5; SetLength(few, 0);
  grown := '';
  who.id := 7; who.name := 'Robert'; who.name := '';
  nowhere := nil; nowhere^ := Length(brief);
end;
begin work; end.
"""
RUST = """\
struct Hold { none: [i32; 0], tail: [u8; 4] }
#[inline(never)]
fn work(nowhere: *mut usize) {
    let hold = Hold { none: [], tail: *b"tail" };
    let bytes: [u8; 0] = [];
    unsafe { *nowhere = hold.none.len() + hold.tail.len() + bytes.len(); }
}
fn main() { work(8 as *mut usize); }
"""


@pytest.mark.parametrize("level", ["-O0", "-Og", "-O2"])
def test_c(level: str, tmp_path: Path, tool: Callable[[str], str]) -> None:
    """An upper bound is a variable without a sign, in which the compiler writes -1."""
    build(tmp_path, {"a.c": C}, [[tool("gcc"), "-g", "-w", level, "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = ["frame function f", "print v", "print w", "print u", "print *p"]
    commands += [f"{what}({name})" for what in ("ptype", "print sizeof") for name in "vwu"]
    commands += ["whatis *p", "print sizeof(*p)"]
    assert answers(None, files, commands)[1:] == answers(tool("gdb"), files, commands)[1:]


def test_pascal(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Free Pascal describes the length of a string by its upper bound, where the lower one is 1."""
    build(tmp_path, {"a.pas": PASCAL}, [[tool("fpc"), "-gw3", "-O-", "a.pas"]])
    files = with_core(tool, tmp_path)
    commands = [f"print {name}" for name in ("brief", "few", "grown", "who", "who.name")]
    commands += ["print/x brief", "output brief"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert own[3].endswith("= {id = 7, name = ''}\n")


def test_rust(tmp_path: Path, tool: Callable[[str], str]) -> None:
    tool("cc")  # rustc links with it
    build(tmp_path, {"a.rs": RUST}, [[tool("rustc"), "-g", "a.rs", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = ["print bytes", "print hold.none", "print/x bytes"]
    own = answers(None, files, commands)
    assert own == [said.replace("= []", "= {}") for said in answers(tool("gdb"), files, commands)]
    assert "{none = {}, tail = {116, 97, 105, 108}}" in answers(None, files, ["print hold"])[0]
