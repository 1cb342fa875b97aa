"""`ord`, `length`, characters by their codes and string literals of Pascal: what a program of Free
Pascal computes with them. GDB 13 has no such functions, and does not compare strings."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, last_lines, with_core

SOURCE = """\
program a;
type
  tcolor = (cRed, cGreen, cBlue);
const
  text = 'const';
var
  small: string[10]; name: shortstring; heap: ansistring; color: tcolor; c: char; b: boolean;
  w: wordbool; few: byte; n: longint; ar: array[0..3] of char; dyn, none: array of longint;
  r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11: int64;
  t1, t2, t3, t4, t5, t6: boolean;
  s1, s2, s3, s4, s5, s6: shortstring;

  uni, upper: unicodestring; wide: widestring; wc: widechar; pc, nowhere: pchar; same: ansistring;
  beyond: ansistring; r12, r13, r14, r15: int64; cut: array[0..3] of char; v10, v11, v12: boolean;
  u1, u2, u3, u4, u5, u6, u7, u8, u9: boolean;
  v1, v2, v3, v4, v5, v6, v7, v8, v9: boolean;
procedure stop(const given: string);
begin
  plongint(nil)^ := length(given);
end;
begin
  small := 'hello'; name := text; heap := 'ansi'; color := cBlue; c := 'c'; b := true; w := true;
  few := 200; n := -4; ar := 'abcd'; setlength(dyn, 3); none := nil;
  r1 := ord(c); r2 := ord(color); r3 := ord(b); r4 := ord(few) + 100; r5 := ord(n);
  r6 := length(small); r7 := length(heap); r8 := length(dyn); r9 := length(ar);
  r10 := ord(#$41) - 70;
  r11 := length(none);
  t1 := small = 'hello'; t2 := heap < 'b'; t3 := name <> 'const'; t4 := c = #99;
  t5 := small > 'hell';
  t6 := ord(w) = 1;
  s1 := c + small; s2 := small + c + #33; s3 := #65#66; s4 := c + c; s5 := small + name;
  s6 := heap + c;

  uni := 'ansi'; upper := 'Ansi'; wide := 'wide'; wc := 'y'; pc := 'pchar'; nowhere := nil;
  same := pc; beyond := #233;
  cut := 'ab'; v10 := cut = 'ab'; v11 := cut = 'ab'#0#0; v12 := 'b' > cut; r15 := length(cut + c);
  r12 := length(c); r13 := length('a'); r14 := length(pc);
  u1 := uni = 'ansi'; u2 := wide = 'wide'; u3 := uni = heap; u4 := uni < 'b'; u5 := uni < upper;
  u6 := uni <> wide; u7 := wc = 'y'; u8 := c = 'c'; u9 := 'a' = c;
  v1 := pc = 'pchar'; v2 := pc = same; v3 := pc < 'q'; v4 := nowhere = ''; v5 := c = small;
  v6 := wc = c; v7 := small = uni; v8 := wc = wide; v9 := 'd' > c;
  stop(name);
end.
"""
EXPRESSIONS = {
    "r1": "ord(c)", "r2": "ord(color)", "r3": "Ord(b)", "r4": "ord(few) + 100", "r5": "ORD(n)",
    "r6": "length(small)", "r7": "length(heap)", "r8": "length(dyn)", "r9": "length(ar)",
    "r10": "ord(#$41) - 70", "r11": "length(none)",
    "t1": 'small = "hello"', "t2": 'heap < "b"', "t3": 'name <> "const"', "t4": "c = #99",
    "s1": "c + small", "s2": "small + c + #33", "s3": "#65#66", "s4": "c + c",
    "s5": "small + name", "s6": "heap + c",
    "t5": 'small > "hell"', "t6": "ord(w) = 1",
    "r12": "length(c)", "r13": 'length("a")', "r14": "length(pc)",
    "u1": 'uni = "ansi"', "u2": 'wide = "wide"', "u3": "uni = heap", "u4": 'uni < "b"',
    "u5": "uni < upper", "u6": "uni <> wide", "u7": 'wc = "y"', "u8": 'c = "c"', "u9": '"a" = c',
    "v10": 'cut = "ab"', "v11": r'cut = "ab\000\000"', "v12": '"b" > cut', "r15": "length(cut + c)",
    "v1": 'pc = "pchar"', "v2": "pc = same", "v3": 'pc < "q"', "v4": 'nowhere = ""',
    "v5": "c = small", "v6": "wc = c", "v7": "small = uni", "v8": "wc = wide", "v9": '"d" > c',
}  # fmt: skip
"""By the variable that has the program's result."""
_NO_JOIN = (
    'Unsupported: "+" of a PChar and a string or character, which the program joins, is not'
    " supported"
)
OTHERS = {
    "length(text)": "5",
    "length(given)": "5",
    '"abc"[1]': "97 'a'",
    'sizeof("abc")': "3",
    "length(n)": "length is that of a string or an array whose type says it.",
    "uni = beyond": (
        "Unsupported: a character of 8 bits that is none of ASCII: the code page of the program"
        " decides which one of another size it is"
    ),
    "ord(1.5)": "ord is that of a character, an enumerator, a Boolean or an integer.",
    "ord(c, c)": "ord has one argument: ord(x)",
    "#65#66": "'AB'",
    "#$41#66#10": "'AB'#10",
    "#300": "Unsupported: #300 of Pascal is not supported: write #0 to #255 alone",
    "#65#300": "Unsupported: #65#300 of Pascal is not supported: write #0 to #255 alone",
    "#65'b'": "Unsupported: #65' of Pascal is not supported: write #0 to #255 alone",
    "c + 1": "100",
    "pc + c": _NO_JOIN,
    "#65 + pc": _NO_JOIN,
    "*(pc + 1)": "99 'c'",
    "char(few)": "200 #200",
    "char(few) > c": "true",
    "ord(Char(few))": "200",
    "ord(char(few))": "200",
    "ord(char(65))": "65",
    "cardinal(n)": "4294967292",
    "ord(WideChar(few)) + NativeInt(n)": "196",
}
TYPES = {
    "cardinal(n)": "LongWord",
    "char(few)": "Char",
    "ord(c)": "Byte",
    "ord(color)": "LongInt",
    "ord(few)": "Byte",
    "length(small)": "Int64",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("functions of pascal")
    build(folder, {"a.pas": SOURCE}, [[tool("fpc"), "-g", "-gw3", "-O-", "a.pas"]])
    return with_core(tool, folder)


ASSIGNED = {
    'small := "bye"': "'bye'",
    "small": "'bye'",
    "small[4]": "108 'l'",
    "name := c": "'c'",
    "name": "'c'",
    'name := ""': "''",
    "color": "cBlue",
}
"""A string that is assigned, and what its variable has then: characters behind it stay."""
_NO_ROOM = "The string has {0}, and its type does not say whether there is room for {1}."
OF_ARRAYS = {
    'name := "longer"': _NO_ROOM.format("0 characters", 6),
    'small := "hello"': _NO_ROOM.format("3 characters", 5),
}
OF_RECORDS = {"name := small + c": "'byec'", 'small := "abcdefghijkl"': "'abcdefghij'",
              'small = "abcdefghij"': "true"}  # fmt: skip
_ALLOCATED = (
    "Unsupported: {0} is a pointer to characters that the program allocates and counts the uses of:"
    " it is not assigned; its characters may be, as in s[1]"
)


@pytest.mark.parametrize("option", ["-gw3", "-gw2"])
def test_assignments_to_strings(tmp_path: Path, tool: Callable[[str], str], option: str) -> None:
    """As in the program, a string is cut where its type ends."""
    build(tmp_path, {"a.pas": SOURCE}, [[tool("fpc"), "-g", option, "-O-", "a.pas"]])
    rows = {**ASSIGNED, **(OF_ARRAYS if option == "-gw3" else OF_RECORDS)}
    rows["heap := c"] = _ALLOCATED.format("AnsiString" if option == "-gw3" else "ANSISTRING")
    rows["heap"] = "'ansi'"
    if option == "-gw2":
        rows["color"] = "CBLUE"
        del rows["heap"]
        rows["heap + c"] = "Unsupported: the type ANSISTRING does not say how long its strings are"
        rows["name := heap"] = rows["heap + c"]
        rows["small := uni"] = rows["heap + c"].replace("ANSI", "UNICODE")
    shown = last_lines(with_core(tool, tmp_path), [f"output {row}" for row in rows])
    shown = [line.partition("warning: ")[0] for line in shown]
    assert dict(zip(rows, shown, strict=True)) == rows


def test_results_are_those_of_the_program(files: list[str]) -> None:
    commands = [f"output {text}" for pair in EXPRESSIONS.items() for text in pair]
    shown = last_lines(files, commands)
    of_program = dict(zip(EXPRESSIONS, shown[::2], strict=True))
    assert dict(zip(EXPRESSIONS, shown[1::2], strict=True)) == of_program


def test_other_operands_and_types(files: list[str]) -> None:
    shown = last_lines(files, [f"output {text}" for text in OTHERS])
    assert dict(zip(OTHERS, shown, strict=True)) == OTHERS
    types = last_lines(files, [f"whatis {text}" for text in TYPES])
    assert dict(zip(TYPES, types, strict=True)) == {
        text: f"type = {name}" for text, name in TYPES.items()
    }


def test_types_of_what_has_no_length(files: list[str]) -> None:
    """The type of an error is the error."""
    shown = last_lines(files, ["whatis length(n)", "whatis length(color)", "whatis length(dyn)"])
    assert shown == [OTHERS["length(n)"], OTHERS["length(n)"], "type = Int64"]


def test_strings_without_lengths(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """In DWARF 2 they are pointers: their addresses say nothing of their characters."""
    build(tmp_path, {"a.pas": SOURCE}, [[tool("fpc"), "-g", "-gw2", "-O-", "a.pas"]])
    asked = ['heap = "ansi"', "pc = heap", "heap = heap", "length(heap)", 'pc = "pchar"']
    shown = last_lines(with_core(tool, tmp_path), [f"output {text}" for text in asked])
    unknown = "Unsupported: the debug information does not say how long the string is"
    assert shown == [unknown] * 4 + ["true"]


INDEXED = """\
program indexed;
{$mode objfpc}{$H+}
type
  TName = AnsiString; TOwn = type AnsiString; PCharacter = ^Char; TChar = type Char;
  PTChar = ^TChar; TBox = record Name: AnsiString; end; PName = ^AnsiString;
var
  s: AnsiString; named: TName; own: TOwn; u: UnicodeString; w: WideString; u8: UTF8String;
  p: PChar; wide: PWideChar; mine: PCharacter; other: PTChar; bare: ^Char; box: TBox; at: PName;
  list: array[1..2] of string; small: shortstring;
procedure stop(const given: AnsiString; var changed: AnsiString);
begin
  writeln(s[1], named[2], given[3], changed[1], u[2], w[1], u8[3], box.Name[2], at^[1], list[2][1]);
  writeln(p[1], wide[1], mine[1], other[1], bare[1], small[1], own[1]);
  plongint(nil)^ := 5;
end;
begin
  s := 'abc'; s := s + 'def'; named := s; own := s; u := 'abc'; w := u; u8 := 'abc'; p := PChar(s);
  wide := PWideChar(u); mine := p; other := PTChar(p); bare := p; box.Name := s; at := @s;
  list[2] := s; small := 'abc'; stop(s, s);
end.
"""
CHARACTERS = {
    "s[1]": "a", "named[2]": "b", "given[3]": "c", "changed[1]": "a", "u[2]": "b", "w[1]": "a",
    "u8[3]": "c", "box.Name[2]": "b", "at^[1]": "a", "list[2][1]": "a", "p[1]": "b", "wide[1]": "b",
    "mine[1]": "b", "other[1]": "b", "bare[1]": "b", "small[1]": "a", "own[1]": "a",
}  # fmt: skip
"""What the program writes."""
_UNKNOWN = (
    "Unsupported: the debug information does not say whether {0} is a string, whose characters are"
    " counted from 1, or a pointer to them: convert to AnsiString or PChar, or to UnicodeString or"
    " PWideChar"
)


@pytest.mark.parametrize("option", ["-gw3", "-gw2"])
def test_characters_of_strings(tmp_path: Path, tool: Callable[[str], str], option: str) -> None:
    """Those of a string are counted from 1, also where it is a pointer in the file, and what a
    PChar points to from 0."""
    build(tmp_path, {"a.pas": INDEXED}, [[tool("fpc"), "-g", option, "-O-", "a.pas"]])
    rows = {text: f"{ord(shown)} '{shown}'" for text, shown in CHARACTERS.items()}
    rows |= {"s[0]": "no such vector element", "s[2]@2": "'bc'"}
    if option == "-gw2":
        rows |= {"own[1]": _UNKNOWN.format("TOWN"), "mine[1]": _UNKNOWN.format("PCHARACTER")}
        rows |= {"AnsiString(own)[1]": "97 'a'", "PChar(mine)[1]": "98 'b'"}
    rows |= {"s[1] := 'Z'": "90 'Z'", "(&s[1])^": "90 'Z'"}
    shown = last_lines(with_core(tool, tmp_path), [f"output {text}" for text in rows])
    assert dict(zip(rows, shown, strict=True)) == rows


ARRAYS = """\
program arrays;
{$mode objfpc}{$H+}
type TColor = (cRed, cGreen, cBlue);
var
  c, same: array[0..7] of Char; d: array[1..3] of Char; e: array[TColor] of Char;
  g: array[0..1, 0..3] of Char; w: array[0..3] of WideChar; small: string[10]; letter: Char;
  dynamic: array of Char; heap: AnsiString; uni: UnicodeString; i: Integer;
procedure show(const text: array of Char);
begin
  for i := 0 to high(text) do write(ord(text[i]), ' ');
  writeln;
end;
begin
  c := 'abcdefgh'; same := 'abcdefgh'; d := 'abc'; small := 'short'; letter := 'q';
  setlength(dynamic, 2); dynamic[0] := 'x'; dynamic[1] := 'y'; heap := 'heap'; uni := 'uni';
  same := 'hi'; show(same); same := 'hello worlds'; show(same); same := ''; show(same);
  d := 'hello'; show(d); e := 'xy'; show(e); g[1] := 'q'; show(g[1]); same := small; show(same);
  same := letter; show(same); same := heap; show(same); same := uni; show(same); same := c;
  show(same); w := 'hi'; for i := 0 to 3 do write(ord(w[i]), ' '); writeln;
  d := 'abc'; plongint(nil)^ := 5;
end.
"""
OF_PROGRAM = {
    'same := "hi"': "104 105 0 0 0 0 0 0",
    'same := "hello worlds"': "104 101 108 108 111 32 119 111",
    'same := ""': "0 0 0 0 0 0 0 0",
    'd := "hello"': "104 101 108",
    'e := "xy"': "120 121 0",
    'g[1] := "q"': "113 0 0 0",
    "same := small": "115 104 111 114 116 0 0 0",
    "same := letter": "113 0 0 0 0 0 0 0",
    "same := heap": "104 101 97 112 0 0 0 0",
    "same := uni": "117 110 105 0 0 0 0 0",
    "same := c": "97 98 99 100 101 102 103 104",
    'w := "hi"': "104 105 0 0",
}
NOT_ASSIGNED = ["c := d", "d := c", 'dynamic := "abc"', "c := 65", "w := c", "c := w"]
"""What the compiler refuses, or what would need memory."""


@pytest.mark.parametrize("option", ["-gw3", "-gw2"])
def test_arrays_of_characters(tmp_path: Path, tool: Callable[[str], str], option: str) -> None:
    """A string is cut where the array ends, or has NUL behind it, as in the program."""
    build(tmp_path, {"a.pas": ARRAYS}, [[tool("fpc"), "-g", option, "-O-", "a.pas"]])
    written = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=False)
    lines = [line.strip() for line in written.stdout.splitlines()]
    assert dict(zip(OF_PROGRAM, lines, strict=True)) == OF_PROGRAM
    files = with_core(tool, tmp_path)
    for text, expected in OF_PROGRAM.items():
        target, _, value = text.partition(" := ")
        if option == "-gw2" and value in ("heap", "uni"):
            name = {"heap": "ANSISTRING", "uni": "UNICODESTRING"}[value]
            whole = f"Unsupported: the type {name} does not say how long its strings are"
            assert last_lines(files, [f"output {text}"]) == [whole]
            continue
        numbers = expected.split()
        first = {"d": 1}.get(target, 0)
        indexes = [str(index) for index in range(first, first + len(numbers))]
        indexes = ["cRed", "cGreen", "cBlue"] if target == "e" else indexes
        asked = [f"output ord({target}[{index}])" for index in indexes]
        assert last_lines(files, [f"output {text}", *asked])[1:] == numbers
    own = last_lines(files, [f"output {text}" for text in NOT_ASSIGNED])
    assert {*own} <= {"Invalid cast.", "Attempt to take address of value not located in memory."}


BESIDE_C = """\
program a;
{$L x.o}
var s: string[10]; c: char;
procedure inner; var ord: longint;
begin
  ord := 4; plongint(nil)^ := ord;
end;
begin
  s := 'abc'; c := 'q'; inner;
end.
"""


@pytest.mark.parametrize("option", ["-gw3", "-gw2"])
def test_functions_beside_names_of_c(
    tmp_path: Path, tool: Callable[[str], str], option: str
) -> None:
    """Only what Pascal declares hides the functions."""
    sources = {"a.pas": BESIDE_C, "x.c": "int length = 5, ord = 6;"}
    compiled = [[tool("gcc"), "-g", "-c", "x.c"], [tool("fpc"), "-g", option, "-O-", "a.pas"]]
    build(tmp_path, sources, compiled)
    files = with_core(tool, tmp_path)
    commands = ["frame 1", *(f"output {text}" for text in ("length(s)", "LENGTH(s)", "ord(c)"))]
    assert [answer.splitlines()[-1] for answer in answers(None, files, commands)[1:]] == [
        "3", "3", "113",
    ]  # fmt: skip
    assert last_lines(files, ["output length(s)", "output ord", "output ord(c)"]) == [
        "3", "4", "Unsupported: functions of the program cannot be called",
    ]  # fmt: skip
