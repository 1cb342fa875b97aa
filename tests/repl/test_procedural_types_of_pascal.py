"""Procedural types of Free Pascal, which describes no pointer for their values."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

ADDRESS = re.compile("0x[1-9a-f][0-9a-f]*")
SOURCE = """\
program p;
{$mode objfpc}
type
  TFunc = function(x: LongInt): LongInt;
  TMethod = procedure of object;
  THolder = record f: TFunc; n: LongInt; end;
  PFunc = ^TFunc;
  TDoc = class procedure Print; end;
var
  f, none: TFunc; m: TMethod; h: THolder; af: array[1..2] of TFunc; pf: PFunc; doc: TDoc;
  sub: procedure; nowhere: ^LongInt;
function Twice(x: LongInt): LongInt; begin Twice := 2 * x; end;
procedure TDoc.Print; begin nowhere^ := 3; end;
procedure Stop(q: TFunc); begin nowhere := nil; nowhere^ := q(3); end;
procedure Empty; begin end;
begin
  doc := TDoc.Create; m := @doc.Print; f := @Twice; none := nil; h.f := f; h.n := 2;
  af[1] := f; af[2] := nil; pf := @f; sub := @Empty; Stop(f);
end.
"""


@pytest.mark.parametrize("option", ["-gw2", "-gw3"])
def test_a_value_is_the_address_of_code(
    tmp_path: Path, tool: Callable[[str], str], option: str
) -> None:
    """Each was shown as code at the address of the variable, and none was equal to nil."""
    build(tmp_path, {"a.pas": SOURCE}, [[tool("fpc"), option, "a.pas"]])
    files = with_core(tool, tmp_path)
    expected = {
        "print f": "(tfunc) 0x1 <twice>", "print none": "(tfunc) 0x0",
        "print sub": "(void (*)(void)) 0x1 <empty>", "print h.f": "(tfunc) 0x1 <twice>",
        "print h": "{f = 0x1 <twice>, n = 2}", "print af": "{0x1 <twice>, 0x0}",
        "print af[2]": "(tfunc) 0x0", "print m.Proc": "(void (*)(pointer)) 0x1 <print>",
        "print pf^": "(tfunc) 0x1 <twice>", "print f^": "{longint (longint)} 0x1 <twice>",
        "print f = @Twice": "true", "print f = none": "false", "print none = nil": "true",
        "print m.Proc = nil": "false", "print sizeof(f)": "8", "whatis h.f": "tfunc",
        "ptype f": "longint (*)(longint)",
    }  # fmt: skip
    own = [answer.splitlines()[-1].lower() for answer in answers(None, files, [*expected])]
    assert [ADDRESS.sub("0x1", text.partition("= ")[2]) for text in own] == [*expected.values()]
    assert "q=0x" in answers(None, files, ["frame"])[0].lower()
