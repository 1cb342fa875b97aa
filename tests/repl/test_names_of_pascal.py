"""Names in frames of Free Pascal, where the case of letters does not matter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

UNIT = """\
unit shapes;
{$mode objfpc}
interface
type
  TColor = (cRed, cGreen, cBlue);
  TShape = class
    Id: Integer;
    procedure Fail(Deep: Integer);
  end;
var
  Counter: Integer = 49;
  Level: Integer = 7;
implementation
procedure TShape.Fail(Deep: Integer);
var nowhere: ^Integer;
begin
  nowhere := nil; nowhere^ := Id + Deep;
end;
end.
"""
SOURCE = """\
program example;
{$mode objfpc}
uses shapes;
procedure Work(Amount: Integer);
var Level: Integer; shape: TShape; col: TColor;
begin
  Level := Amount + 1; col := cGreen;
  shape := TShape.Create; shape.Id := 5; shape.Fail(Amount);
end;
begin
  Work(4);
end.
"""
IN_WORK = {
    "amount": "4", "AMOUNT = 4": "true", "Level": "5", "LEVEL": "5", "level": "5",
    "counter": "49", "COUNTER": "49", "Shape.ID": "5", "shape^.id": "5",
    "col": "cGreen", "COL = CGREEN": "true", "sizeof(longint)": "4", "LongInt(COL)": "1",
    "level := 9": "9", "Level + counter": "58", "nosuch": 'No symbol "nosuch" in current context.',
    "self": 'No symbol "self" in current context.',
}  # fmt: skip
IN_METHOD = {"deep": "4", "ID": "5", "self.id": "5", "Self^.ID": "5", "level": "7"}


@pytest.mark.parametrize("option", ["-g", "-gw2", "-gw3"])
def test_letters_in_any_case(tmp_path: Path, tool: Callable[[str], str], option: str) -> None:
    """With `-g` the file has most names in upper case."""
    fpc = [tool("fpc"), option, "a.pas"]
    build(tmp_path, {"a.pas": SOURCE, "shapes.pas": UNIT}, [fpc])
    files = with_core(tool, tmp_path)
    for level, expected in ((0, IN_METHOD), (1, IN_WORK)):
        own = answers(None, files, [f"frame {level}", *(f"output {text}" for text in expected)])
        shown = [answer.splitlines()[-1] for answer in own[1:]]
        assert [text.replace("CGREEN", "cGreen") for text in shown] == [*expected.values()]


def test_names_as_gdb_has_them(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.pas": SOURCE, "shapes.pas": UNIT}, [[tool("fpc"), "-g", "a.pas"]])
    files = with_core(tool, tmp_path)
    commands = ["frame 1", "print amount", "print Level", "print counter", "print COL = cgreen"]
    assert answers(None, files, commands)[1:] == answers(tool("gdb"), files, commands)[1:]


FUNCTIONS = """\
program example;
{$mode objfpc}
type
  TShape = class procedure Fail; end;
procedure TShape.Fail;
var twice: Integer;
begin
  twice := 7; plongint(nil)^ := twice;
end;
function Twice(n: Integer): Integer;
begin
  Twice := n * 2;
  TShape.Create.Fail;
end;
begin
  Writeln(Twice(3));
end.
"""


@pytest.mark.parametrize("option", ["-gw2", "-gw3"])
def test_functions_beside_variables(
    tmp_path: Path, tool: Callable[[str], str], option: str
) -> None:
    """A variable of that name, as is the result of the function in focus, is no code."""
    build(tmp_path, {"a.pas": FUNCTIONS}, [[tool("fpc"), option, "-O-", "a.pas"]])
    files = with_core(tool, tmp_path)
    for name in ("twice", "TWICE", "tWice", "a.pas:twice", "'a.pas':TWICE"):
        commands = ["break {}", "info line {}", "list {}", "info scope {}", "frame function {}"]
        commands = [command.format(name) for command in commands]
        for level in (0, 1):
            shown = answers(None, files, [f"frame {level}", *commands])[1:]
            assert "file a.pas, line 12." in shown[0]
            assert 'Line 11 of "a.pas" starts at address' in shown[1]
            assert "function Twice(n: Integer): Integer;" in shown[2]
            assert "Symbol n is" in shown[3].lower().replace("symbol", "Symbol")
            assert "#1 " in shown[4]
    for name in ("fail", "tshape::FAIL"):
        assert "line 8." in answers(None, files, [f"break {name}"])[0]
    assert 'Function "nosuch" not defined.' in answers(None, files, ["break nosuch"])[0]
    for name in ("fail", "FAIL", "Fail"):
        spelled = "FAIL" if option == "-gw2" else "Fail"
        [shown] = answers(None, files, [f"print self.{name}"])
        assert shown.splitlines()[-1] == f"Cannot take address of method {spelled}."
    [shown] = answers(None, files, ["print self.nosuch"])
    assert shown.splitlines()[-1] == "There is no member or method named nosuch."


OBJECTS = """\
program example;
type
  TOld = object x: LongInt; arr: array[1..2] of Byte; procedure Move(dx: LongInt); end;
  TChild = object(TOld) z: LongInt; procedure Go; virtual; constructor Init; end;
var o: TOld; c: TChild; x: LongInt = 77;
procedure TOld.Move(dx: LongInt); begin x := x + dx; plongint(nil)^ := x; end;
constructor TChild.Init; begin z := 5; end;
procedure TChild.Go; begin z := z + 1; o.Move(5); end;
begin
  o.x := 3; o.arr[2] := 9; c.Init; c.x := 1; c.Go;
end.
"""


def test_fields_in_methods_of_an_object(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """In DWARF 2, `this` is the object and no pointer to it."""
    build(tmp_path, {"a.pas": OBJECTS}, [[tool("fpc"), "-gw2", "a.pas"]])
    files = with_core(tool, tmp_path)
    in_move = {
        "x": "8", "arr[2]": "9", "x + dx": "13", "sizeof(x)": "4", "self.x": "8",
        "@x = @o.x": "true", "z": 'No symbol "z" in current context.',
    }  # fmt: skip
    in_go = {"z": "6", "x": "1", "arr[1]": "0", "@x = @c.x": "true"}
    for level, expected in ((0, in_move), (1, in_go)):
        own = answers(None, files, [f"frame {level}", *(f"output {text}" for text in expected)])
        assert [said.splitlines()[-1] for said in own[1:]] == [*expected.values()]
    [said] = answers(None, files, ["whatis x"])
    assert said.splitlines()[-1] == "type = LONGINT"


def test_no_object_outside_of_methods(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.pas": OBJECTS}, [[tool("fpc"), "-gw2", "a.pas"]])
    files = with_core(tool, tmp_path)
    for text in ("self.x", "Self^.x", "self"):
        [_, said] = answers(None, files, ["frame 2", f"print {text}"])
        word = text[:4]
        assert said.splitlines()[-1] == f'No symbol "{word}" in current context.'
