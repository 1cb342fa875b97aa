"""Variables of units and of classes, and interfaces, of Free Pascal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, build, with_core

BANK = """\
unit bank;
{$mode objfpc}
interface
type
  TKind = (kNone, kLoan);
  TShape = class Id: LongInt; class var Made: LongInt; end;
  TSquare = class(TShape) Side: LongInt; procedure Grow; end;
  IPrint = interface procedure Print; end;
  TDoc = class(TInterfacedObject, IPrint) Pages: LongInt; procedure Print; end;
var Counter: LongInt = 7; Days: LongInt = 8; Made: LongInt = 4;
procedure Stop(Counter: LongInt);
implementation
procedure TSquare.Grow; begin Stop(1); Inc(Made, Side); end;
procedure TDoc.Print; begin Pages := 3; end;
procedure Stop(Counter: LongInt);
var nowhere: ^LongInt;
begin nowhere := nil; nowhere^ := Counter; end;
end.
"""
SOURCE = """\
program a;
{$mode objfpc}
uses bank;
var Days: LongInt = 9; square: TSquare; doc: TDoc; printed, none: IPrint;
begin
  square := TSquare.Create; TShape.Made := 5; doc := TDoc.Create; printed := doc; square.Grow;
end.
"""


@pytest.fixture(scope="module", params=["-gw2", "-gw3"])
def files(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
) -> list[str]:
    """A program of two units and its core file."""
    folder = tmp_path_factory.mktemp("pascal")
    build(folder, {"a.pas": SOURCE, "bank.pas": BANK}, [[tool("fpc"), request.param, "a.pas"]])
    return with_core(tool, folder)


def shown(files: list[str], expressions: list[str]) -> list[str]:
    own = answers(None, files, [f"print {text}" for text in expressions])
    values = [line for said in own for line in said.splitlines() if line.startswith("$")]
    return [value.partition(" = ")[2].lower() for value in values]


def test_names_of_units(files: list[str]) -> None:
    """The nearer name counts where the unit is not written."""
    expected = {
        "counter": "1", "bank.counter": "7", "Bank.Days": "8", "a.days": "9", "days": "8",
        "bank.kLoan": "kloan", "a.square.side": "0", "sizeof(bank.counter)": "4",
        "bank.counter := 3": "3", "bank.counter + a.days": "12",
    }  # fmt: skip
    assert shown(files, [*expected]) == [*expected.values()]
    own = answers(None, files, ["print bank.nothing", "print nobank.x", "print nobank.x := 1"])
    assert [said.splitlines()[1] for said in own] == [
        'No symbol "nothing" in specified context.', *['No symbol "nobank" in current context.'] * 2
    ]  # fmt: skip


def test_class_variables_are_those_of_derived_classes(files: list[str]) -> None:
    expected = {"square.made": "5", "square.Made := 6": "6", "a.square.made + 1": "7"}
    assert shown(files, [*expected]) == [*expected.values()]
    assert "There is no member" in answers(None, files, ["print square.nothing"])[0]


def test_class_variables_without_an_object(files: list[str]) -> None:
    """In a method the nearest name counts, before one of its unit."""
    expected = {"TSquare.Made": "5", "tshape.made := 7": "7", "bank.made": "4", "made": "4"}
    assert shown(files, [*expected]) == [*expected.values()]
    own = answers(None, files, ["up", "print made", "print side", "print TSquare.nothing"])
    assert [said.splitlines()[-1].partition(" = ")[-1] for said in own[1:3]] == ["5", "0"]
    assert own[3].splitlines()[-1] == "Attempt to use a type name as an expression"


def test_members_are_completed_with_class_variables(files: list[str]) -> None:
    said = answers(None, files, ["complete print a.square.", "complete print square.m"])
    words = [text.splitlines()[1:] for text in said]
    assert sorted(word.lower() for word in words[0]) == [
        "print a.square.id", "print a.square.made", "print a.square.side"
    ]  # fmt: skip
    assert [word.lower() for word in words[1]] == ["print square.made"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("bank.", "counter days kloan knone made stop"), ("BANK.c", "counter"),
        ("1 + bank.k", "kloan knone"), ("a.Da", "days"), ("a.square.ID", "id"),
        ("a.squ", "square"), ("Tsquare.", "made"), ("nobank.", ""), ("counter.", ""),
    ],
)  # fmt: skip
def test_names_behind_a_point_are_completed(files: list[str], typed: str, expected: str) -> None:
    """What is typed stays in its case of letters."""
    said = answers(None, files, [f"complete print {typed}"])[0].splitlines()[1:]
    assert all(text.startswith(f"print {typed}") for text in said)
    words = [text.rpartition(".")[2].lower() for text in said]
    # Free Pascal describes constants of its own unit `system` in each unit with classes.
    assert sorted(word for word in words if not word.startswith("et")) == expected.split()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("DA", ["DAys"]), ("da", ["days"]), ("NOWH", ["NOWHere"]), ("squ", ["square"]),
        ("coun", ["counter"]), ("KLo", ["KLoan"]), ("xyz", []),
    ],
)  # fmt: skip
def test_names_are_completed_in_any_case(files: list[str], typed: str, expected: list[str]) -> None:
    said = answers(None, files, [f"complete print {typed}"])[0].splitlines()[1:]
    words = [text.removeprefix("print ") for text in said]
    assert [word[: len(typed)] for word in words] == [typed] * len(expected)
    assert [word.lower() for word in words] == [word.lower() for word in expected]


def test_an_interface_is_a_reference(files: list[str]) -> None:
    """With `-gw3`, whose data location leads to the object, it was shown as a record."""
    values = shown(files, ["printed", "none", "none = nil", "printed = nil", "printed^"])
    assert values[0].startswith("(iprint) 0x")
    assert values[1:4] == ["(iprint) 0x0", "true", "false"]
    assert values[4] == "{<iunknown> = {<no data fields>}, <no data fields>}"
    assert answers(None, files, ["whatis printed"])[0].lower().endswith("type = iprint\n")
