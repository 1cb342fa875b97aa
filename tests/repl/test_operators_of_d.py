"""Operators, casts and strings of D, at the prompt: GDB has no `is` between arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import build, last_lines, with_core

SOURCE = """\
module m;
enum Color { red = 1, blue = 5 }
struct Point { int x; static int made = 8; }
class Held { int id; static int made = 7; }
int made = 9;
int main() {
    string text = "abc"; string none; string empty = text[0 .. 0]; int[] few = [1, 2]; int[] more;
    int[2] fixed = [3, 4]; string[] texts = ["a", "bc"]; Held held = new Held; Held nothing;
    int k = 5; int delegate() get = () => k; int delegate() no; Point point; void* raw = &k;
    wchar wide = 'w'; int[string] table; long[] longs = [9];
    char letter = 'x'; const char always = 'k';
    ubyte[] bytes = [1]; wstring wtext = "wé"; int number = 5; auto color = Color.red;
    byte small = -56; short short_ = -30000; int[] minus = [-1]; double real_ = 0;
    int[] four = [1, -2, 3, 9]; int[4] held4 = [4, 5, 6, 7]; int[] part; string said = "spoken";
    int* nowhere; *nowhere = 1;
    return cast(int) (text.length + none.length + empty.length + few.length + more.length + k
        + longs.length + bytes.length + wtext.length + Held.made + Point.made + made + number
        + fixed[0]
        + texts.length + held.id + nothing.id + get() + no() + point.x + wide + color
        + letter + always)
        + small + short_ + minus[0] + four[0] + held4[0] + cast(int) (part.length + said.length)
        + cast(int) real_ + (raw is null) + cast(int) table.length;
}
"""
_ONLY_THE_PROGRAM = "Unsupported: ~= makes an array longer, as only the program can: write a ~ b"
VALUES = {
    '"abc" ~ "def"': '"abcdef"', "text ~ `d\\e`": '"abcd\\\\e"','r"a\\b"': '"a\\\\b"',
    "text ~ 'd'": '"abcd"',
    "few ~ 5": "{1, 2, 5}", "5 ~ few": "{5, 1, 2}", "few ~ fixed": "{1, 2, 3, 4}",
    "texts[0] ~ texts[1]": '"abc"', "few ~ more": "{1, 2}",
    'few ~ "x"': "Concatenation is of arrays of one type, or of one and an element.",
    'text == "abc"': "true", 'text == "abd"': "false", "text == null": "false",
    "none == null": "true", "empty == null": "true", "null != few": "true", 'empty == ""': "true",
    "none is null": "true", "empty is null": "false", "few is few": "true", "few !is more": "true",
    "few[0 .. 0] == null": "true", "null != few[0 .. 1]": "true", "more[0 .. 0] == null": "true",
    "few[0 .. 0] is null": "false", "more[0 .. 0] is null": "true", "few[0 .. 2] is few": "true",
    "few[0 .. 1] is few": "false", "few[1 .. 1] !is few[0 .. 0]": "true",
    "few is few[0 .. 2]": "true", "fixed[0 .. 2] is fixed[0 .. 2]": "true",
    "fixed[0 .. 0] is null": "false",
    "held is nothing": "false", "nothing is null": "true", "held is held": "true",
    "get is null": "false", "no is null": "true", "table is null": "true",
    "point is null": '"is" is between pointers, dynamic arrays or integers; == compares contents.',
    "text < null": "Invalid type combination in ordering comparison.",
    "*cast(int*) raw": "5", "cast(m.Color) 5 == m.Color.blue": "true", "m.Point.sizeof": "4",
    "few ~ texts": "Concatenation is of arrays of one type, or of one and an element.",
    "few ~ 1.5": "The elements are of the type int, not double: write cast(int) x.",
    "longs ~ number": "The elements are of the type long, not int: write cast(long) x.",
    "longs ~ cast(long) number": "{9, 5}", "longs ~ 6": "{9, 6}", "-1 ~ longs": "{-1, 9}",
    "bytes ~ 300": "The type ubyte does not hold 300.",
    "bytes ~ -1": "The type ubyte does not hold -1.",
    "bytes ~ number": "The elements are of the type ubyte, not int: write cast(ubyte) x.",
    "cast(Color) number == Color.blue": "true", "*fixed.ptr": "3", "fixed.ptr[1]": "4",
    "fixed.ptr == &fixed[0]": "true",
    "'é'": "233 u'é'", "'é' + 1": "234", r"'\u00e9' == 'é'": "true", "'😀' == 128512": "true",
    "wtext == \"wé\"w": "true", 'wtext == "wé"': "true", 'wtext ~ "é" == "wéé"w': "true",
    "wtext ~ 'é' == wtext ~ 'é'": "true",
    'wtext ~ "x"w == "wéx"': "true", '"é"d.length': "1", '"é"c.length': "2",
    "`a\\`w": 'u"a\\\\"', 'r"b"d': 'U"b"', 'wtext[1] == "é"w[0]': "true",
    "fixed.length": "2", "few.length": "2", "m.Color.red + 1": "2", "wide + 1": "120",
    "point.sizeof": "4", "text.length.sizeof": "8",
    'text ~= "x"': _ONLY_THE_PROGRAM, "few ~= 4": _ONLY_THE_PROGRAM,
    "fixed ~= 4": _ONLY_THE_PROGRAM,
    "fixed[1 .. 1]": "{}", "few[2 .. 2]": "{}", "fixed[2 .. 2].length": "0",
    "*(number > 1 ? &number : null)": "5", "(number < 1 ? &number : null) is null": "true",
    "number > 1 ? few : null": "{1, 2}", "(number < 1 ? null : few) is few": "true",
    "(number > 1 ? null : few) is null": "true",
    '"abc" < "abd"': "true", 'text < "b"': "true", 'text >= "abc"': "true",
    'text > "abcd"': "false", '"é" > "z"': "true", "few < fixed": "true", "longs > longs": "false",
    "few <= few": "true", "minus < few": "true", "few[0 .. 1] < few": "true",
    "texts < texts": "Invalid type combination in ordering comparison.",
    "0.1 + 0.2 == 0.3": "true", "0.1f + 0.2f == 0.3f": "true", "0.1 == 0.1f": "true",
    "0.1 * 3 == 0.3": "true", "1.1 * 1.1 == 1.21": "true", "0.1 * (1 + 2) == 0.3": "true",
    "9007199254740993.0 == 9007199254740992.0": "false", "1e308 * 10 / 10 == 1e308": "true",
    "0.1 == cast(float) 0.1": "true", "5.5 % 0.1 == 0": "false", "0.1 < 0.1L": "false",
    "real_ + 0.1 + 0.2 == 0.3": "false", "0.1 + 0.2 == 0.3 + real_": "true",
    "0.1 + 0.2 - 0.3 == 0": "true",
    "int.max": "2147483647", "byte.min + 0": "-128", "ulong.max": "18446744073709551615",
    "ulong.min": "0", "bool.max": "true", "bool.min": "false", "long.min": "-9223372036854775808",
    "float.max == 0x1.fffffep127": "true", "double.max": "1.7976931348623157e+308",
    "real.max > double.max": "true", "-float.max + 0": "-3.40282347e+38",
    "float.min_normal == 0x1p-126": "true", "double.epsilon == 0x1p-52": "true",
    "real.epsilon == 0x1p-63L": "true", "double.infinity": "inf", "-real.infinity": "-inf",
    "float.nan": "nan(0x400000)", "double.init == double.init": "false", "int.init": "0",
    "char.init + 0": "255", "wchar.init + 0": "65535", "dchar.init + 0": "65535",
    "char.max + 0": "255", "wchar.max + 0": "65535", "dchar.max + 0": "1114111",
    "dchar.min + 0": "0", "bool.init": "false", "ubyte.init + 0": "0",
    "size_t.max": "18446744073709551615",
    "ptrdiff_t.min": "-9223372036854775808", "byte.max + 0": "127",
    "float.dig": "6", "double.dig": "15", "real.dig": "18", "float.mant_dig": "24",
    "real.mant_dig": "64", "float.max_exp": "128", "double.max_exp": "1024",
    "real.max_exp": "16384", "float.min_exp": "-125", "real.min_exp": "-16381",
    "float.max_10_exp": "38", "double.max_10_exp": "308", "real.max_10_exp": "4932",
    "float.min_10_exp": "-37", "double.min_10_exp": "-307", "real.min_10_exp": "-4931",
    "float.max * 2 == float.infinity": "false", "number + float.dig": "11",
    "int.mangleof": "Unsupported: the property mangleof of int is not supported in expressions",
    "float.min": "Unsupported: the property min of float is not supported in expressions",
}  # fmt: skip
TYPES = {"k > 1 ? text.length : few.length": "ulong",
         "wide % 10u": "uint", "wide ^^ 2": "int", "k > 1 ? wide : wide": "wchar",
         "k > 1 ? cast(char) wide : wide": "dchar",
         "'a'": "char", "'é'": "wchar", "'€'": "wchar", "'😀'": "dchar", r"'\u00e9'": "wchar",
         r"'\xe9'": "char", r"'\U000000e9'": "dchar", '"abc"w': "wchar [3]", '"abc"d': "dchar [3]",
         "int.sizeof": "ulong", "float.dig": "int", "real.max": "real",
         "char.max": "char", "byte.min": "byte", "number.sizeof": "ulong", "fixed.ptr": "int *",
         "k > 1 ? text[0] : letter": "const(char)", "k > 1 ? always : letter": "const(char)",
         "k > 1 ? letter : always": "const(char)", "k > 1 ? text[0] : always": "const(char)",
         "k > 1 ? letter : letter": "char", "k > 1 ? letter : cast(char) 120": "char",
         "number > 1 ? &number : null": "int *", "number < 1 ? &number : null": "int *",
         "number > 1 ? null : &number": "int *", "number < 1 ? null : &number": "int *",
         "text ~ 'd'": "struct string", "few is more": "bool", '"abc"': "char [3]"}  # fmt: skip


@pytest.mark.usefixtures("utf8")
@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_operators(tool: Callable[[str], str], tmp_path: Path, compiler: str) -> None:
    tool("gcc")  # which ldc2 links with
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    build(tmp_path, {"m.d": SOURCE}, [[tool(compiler), "-g", *options, "m.d"]])
    files = with_core(tool, tmp_path)
    frame = "frame function m.main"
    asked = ["print $a = few[1 .. 2]", "print $a.length", "print $b = fixed[1 .. 1]", "print $b"]
    slices = last_lines(files, [frame, *asked])[1:]
    assert [text.partition(" = ")[2] for text in slices] == ["{2}", "1", "{}", "{}"]
    assert last_lines(files, [frame, *(f"output {text}" for text in VALUES)])[1:] == [
        *VALUES.values()
    ]
    statics = [
        "output Held.made",
        "output m.Held.made",
        "output Point.made",
        "output made",
        "output m.made",
    ]
    assert last_lines(files, [frame, *statics])[1:] == ["7", "7", "8", "9", "9"]
    (wrong,) = last_lines(files, [frame, "output Held.lost"])[1:]
    assert not wrong.isalnum()
    types = last_lines(files, [frame, *(f"whatis {text}" for text in TYPES)])[1:]
    types = [text.replace("const char", "const(char)") for text in types]  # as gdc has it
    assert types == [f"type = {name}" for name in TYPES.values()]


ASSIGNED = {
    "held4 = four": "{1, -2, 3, 9}", "held4 = few": "The arrays have 4 and 2 elements.",
    "held4 = longs": "An array of long is none of int.",
    "part = held4[1 .. 3]": "{-2, 3}", "part.ptr == &held4[1]": "true",
    "part = held4": "{1, -2, 3, 9}", "part.ptr == held4.ptr": "true", "held4 = 5": "{5, 5, 5, 5}",
    "part[0 .. 2] = 7": "{7, 7}", "held4": "{7, 7, 5, 5}",
    "held4[2 .. 4] = four[0 .. 2]": "{1, -2}",
    "(part = null).length": "0", "part is null": "true", "said = said[1 .. 3]": '"po"',
    "part = four": "{1, -2, 3, 9}",
    "(said = null).length": "0",
    'said = "abc"': "Unsupported: an array that is written out is in no memory of the program",
    "part = few ~ few": "Unsupported: an array that is written out is in no memory of the program",
    "part = longs": "An array of long is none of int.", "part = 5": "Invalid cast.",
}  # fmt: skip

SHIFTED = {"small >>>= 1": "100 'd'", "short_ >>>= 2": "8884"}


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_arrays_are_assigned(tool: Callable[[str], str], tmp_path: Path, compiler: str) -> None:
    tool("gcc")  # which ldc2 links with
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    build(tmp_path, {"m.d": SOURCE}, [[tool(compiler), "-g", *options, "m.d"]])
    files = with_core(tool, tmp_path)
    asked = ["frame function m.main", *(f"output {text}" for text in ASSIGNED)]
    assert last_lines(files, asked)[1:] == [*ASSIGNED.values()]
    for text, shown in SHIFTED.items():
        shift = f"set var {text}"  # which has the separator of the answers in it
        assert last_lines(files, [asked[0], shift, f"output {text.split()[0]}"])[-1] == shown
