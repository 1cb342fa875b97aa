"""Indices outside of arrays in languages whose arrays have bounds, at the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

D = """\
module m;
__gshared int[3] few = [1, 2, 3]; __gshared int[2][2] rows = [[4, 5], [6, 7]];
int main() { return few[0] + rows[1][1]; }
"""
GO = """\
package main

var few = [3]int32{1, 2, 3}
var rows = [2][2]int32{{4, 5}, {6, 7}}
var few_p = &few
var rows_p = &rows

func main() { println(few_p[0], rows_p[1][1]) }
"""
PASCAL = """\
program m;
type TFew = array[0..2] of LongInt; TRows = array[0..1, 0..1] of LongInt;
const few: TFew = (1, 2, 3); rows: TRows = ((4, 5), (6, 7));
begin WriteLn(few[0] + rows[1, 1]); end.
"""
RUST = """\
static few: [i32; 3] = [1, 2, 3];
static rows: [[i32; 2]; 2] = [[4, 5], [6, 7]];
fn main() { println!("{} {}", std::hint::black_box(&few)[0], std::hint::black_box(&rows)[1][1]); }
"""
C = """\
int few[3] = {1, 2, 3}, rows[2][2] = {{4, 5}, {6, 7}};
int main(void) { return few[0] + rows[1][1]; }
"""
OUTSIDE = "no such vector element"
PROGRAMS = {
    "d": (D, "m.", ["gdc", "-g", "-O0", "-o", "a"]),
    "go": (GO, "main.", ["go", "build", "-o", "a"]),
    "pas": (PASCAL, "", ["fpc", "-gw3", "-oa"]),
    "rs": (RUST, "m::", ["rustc", "-g", "-Awarnings", "-o", "a"]),
    "c": (C, "", ["gcc", "-g", "-O0", "-o", "a"]),
}


@pytest.fixture(autouse=True)
def folders_of_go(go_cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go asks for them where there is no HOME."""
    monkeypatch.setenv("GOCACHE", go_cache)
    monkeypatch.setenv("GOPATH", str(tmp_path / "path"))


def shown(
    folder: Path, tool: Callable[[str], str], suffix: str, expressions: list[str]
) -> list[str]:
    """The values of expressions, whose names begin with `@`, in a program."""
    source, module, command = PROGRAMS[suffix]
    if suffix == "rs":
        tool("cc")  # which rustc calls
    build(folder, {f"m.{suffix}": source}, [[tool(command[0]), *command[1:], f"m.{suffix}"]])
    commands = [f"output {text.replace('@', module)}" for text in expressions]
    return [answer.splitlines()[-1] for answer in answers(None, [str(folder / "a")], commands)]


@pytest.mark.parametrize("suffix", ["d", "go", "pas", "rs"])
def test_they_are_refused(tmp_path: Path, tool: Callable[[str], str], suffix: str) -> None:
    inside = ["@few[2]", "@rows[1][0]", "sizeof(@few[3])"]
    outside = ["@few[3]", "@few[-1]", "@rows[2]", "@rows[1][2]", "@rows[-1][0]", "&@few[3]"]
    values = shown(tmp_path, tool, suffix, [*inside, *outside])
    assert values == ["3", "6", "4", *[OUTSIDE] * len(outside)]


def test_a_pointer_of_go_to_an_array_is_indexed_as_it(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The Go Programming Language Specification: `p[i]` is `(*p)[i]`."""
    inside = ["@few_p[2]", "@rows_p[1]", "@rows_p[1][0]", "sizeof(@rows_p[5])"]
    outside = ["@few_p[3]", "@rows_p[2]", "@rows_p[1][2]"]
    values = shown(tmp_path, tool, "go", [*inside, *outside])
    assert values == ["3", "{6, 7}", "6", "8", *[OUTSIDE] * len(outside)]


def test_c_counts_from_the_array(tmp_path: Path, tool: Callable[[str], str]) -> None:
    expressions = ["&few[3] - few", "&few[-1] - few", "rows[0][2]"]
    assert shown(tmp_path, tool, "c", expressions) == ["3", "-1", "6"]


OF_PASCAL = """\
program m;
type TColor = (cRed, cGreen, cBlue);
var mat: array[1..2, 5..7] of LongInt = ((1, 2, 3), (4, 5, 6));
  byColor: array[cGreen..cBlue] of LongInt = (8, 9);
  deep: array[0..1, 0..1, 0..1] of Byte = (((1, 2), (3, 4)), ((5, 6), (7, 8)));
  line: string[10] = 'ten';
begin WriteLn(mat[1, 5] + byColor[cBlue] + deep[1, 1, 1], line); end.
"""


def test_indices_of_pascal(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Several in one pair of brackets are those of the dimensions; no comma is an operator."""
    build(tmp_path, {"m.pas": OF_PASCAL}, [[tool("fpc"), "-gw3", "-oa", "m.pas"]])
    expected = {
        "mat[1,5]": "1", "mat[2, 7]": "6", "mat[2]": "{4, 5, 6}", "mat[(1), 6]": "2",
        "mat[2,6] + mat[1][7]": "8", "deep[1,0,1]": "6", "deep[1,0][1]": "6", "byColor[cBlue]": "9",
        "line[1]": "116 't'", "line[0]": "3 #3", "mat[1,4]": OUTSIDE, "mat[0,5]": OUTSIDE,
        "mat[3]": OUTSIDE, "byColor[cRed]": OUTSIDE, "line[256]": OUTSIDE, "deep[1,2,0]": OUTSIDE,
        "mat[1,]": "A syntax error in expression, near `]'.",
        "1, 2": "This language has no comma operator, near `, 2'.",
    }  # fmt: skip
    own = answers(None, [str(tmp_path / "a")], [f"output {text}" for text in expected])
    assert [answer.splitlines()[-1] for answer in own] == [*expected.values()]


STRING_OF_PASCAL = """\
program m;
var line: string[10]; nowhere: ^LongInt;
begin line := '0123456789'; line := 'ten'; nowhere := nil; nowhere^ := 1; end.
"""
UNKNOWN_ROOM = (
    "warning: the string has 3 characters, and its type does not say whether there is room"
)


@pytest.mark.parametrize("option", ["-gw2", "-gw3"])
def test_characters_behind_the_end_of_a_string(
    tmp_path: Path, tool: Callable[[str], str], option: str
) -> None:
    """They were refused, and in DWARF 2 all characters of a string, which is a record there."""
    build(tmp_path, {"m.pas": STRING_OF_PASCAL}, [[tool("fpc"), option, "-oa", "m.pas"]])
    files = with_core(tool, tmp_path)
    expected = {
        "line[1]": "116 't'", "line[3]": "110 'n'", "line[0]": "3 #3", "line[4]": "51 '3'",
        "line[10]": "57 '9'", "line[4] := 'x'": "120 'x'", "line": "'ten'", "line[0] := 4": "4 #4",
        "line[1] = 't'": "true", "sizeof(line[9])": "1", "line = line": "true",
        "line < line": "false",
        "line[-1]": OUTSIDE, "line[256]": OUTSIDE,
    }  # fmt: skip
    own = answers(None, files, [f"output {text}" for text in expected])
    assert [answer.splitlines()[-1] for answer in own] == [*expected.values()]
    assert (UNKNOWN_ROOM in own[3]) == (option == "-gw3")
    if option == "-gw2":  # the record has them
        assert OUTSIDE in answers(None, files, ["output line[11]"])[0]
