"""Constants of Free Pascal that are strings: they are in no memory, though their type says how far
the characters are from an address. GDB 13 reports that the location address is not set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import build, last_lines, with_core

SOURCE = """\
program a;
const text = 'const'; empty = '';
var name: shortstring;
procedure stop(const given: shortstring);
begin
  plongint(nil)^ := length(given);
end;
begin
  name := text + empty;
  stop(name);
end.
"""
EXPECTED = {
    "text": "'const'",
    "empty": "''",
    "text[1]": "99 'c'",
    "sizeof(text)": "5",
    "text = given": "true",
    "text < empty": "false",
    "&text": "Can't take address of \"text\" which isn't an lvalue.",
    "text@2": "Only values in memory can be extended with '@'.",
}


def test_constant_strings(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.pas": SOURCE}, [[tool("fpc"), "-g", "-gw3", "-O-", "a.pas"]])
    shown = last_lines(with_core(tool, tmp_path), [f"output {text}" for text in EXPECTED])
    assert dict(zip(EXPECTED, shown, strict=True)) == EXPECTED
