"""Dynamic arrays and strings of D, at the prompt and in GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
module m;
struct Tree { int n; Tree[] below; }
struct Pair { string name; int[] values; }
class Held { string[] names; Pair[2] pairs; }
int run(string text, int[] values, Held held) {
    ubyte[] few = [1, 2, 3]; wstring wide = "wide"; Pair pair = Pair("key", values[1 .. 3]);
    int[] none; string empty = values.length ? "" : text; int[4] fixed = [1, 2, 3, 4];
    int[] zeros = new int[500]; int[][] rows = [[1], [2, 3]]; char[] long_ = new char[300];
    long_[] = 'a'; Tree[] trees = new Tree[1]; trees[0] = Tree(7, trees);
    int* nowhere; *nowhere = 1;
    return cast(int) (few.length + wide.length + pair.values.length + none.length + empty.length
        + fixed[0] + zeros.length + rows.length + long_.length + trees.length);
}
int main() {
    auto held = new Held; held.names = ["a", "bb"]; held.pairs[0] = Pair("one", [1]);
    return run("hello", [10, 20, 30], held);
}
"""
START = "frame"


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("arrays")
    build(folder, {"m.d": SOURCE}, [[tool("gdc"), "-g", "-O0", "-o", "a", "m.d"]])
    return with_core(tool, folder)


AS_IN_GDB = [
    START, "print text", "print values", "output values", "print few", "print wide", "print pair",
    "print none", "print held.names", "print held.pairs", "print zeros", "print rows",
    "print long_", "print text.length", "print text.ptr", "print values.ptr[1]", "print/x values",
    "print/x text", "print/c text", "ptype values.ptr", "print fixed", "print trees",
    "set print elements 2", "print values", "print text", "set print array on", "print values",
    "print pair", "set print pretty on", "print held.pairs",
    "set print array off", "set print pretty off", "print $x = text", "print $x",
    "set print array on", "print held.pairs[0]", "set print max-depth 1", "print held.pairs",
    "print rows", "print values", "set print max-depth 2", "print held.pairs", "print rows",
    "print pair", "set print max-depth 0", "print text", "print none", "print pair", "print values",
]  # fmt: skip


def test_they_are_their_elements(tool: Callable[[str], str], files: list[str]) -> None:
    """GDB warns that it does not know the tables of virtual functions of D."""
    of_gdb = [
        [line for line in answer.splitlines() if not line.startswith("warning: ")]
        for answer in answers(tool("gdb"), files, AS_IN_GDB)[1:]
    ]
    own = [answer.splitlines() for answer in answers(None, files, AS_IN_GDB)[1:]]
    assert own == of_gdb
    assert '$1 = "hello"' in of_gdb[0]


LITERALS = [
    START, "print [1, 2, 3]", "print [1 + 1]", "print [1, 2, 3][1]", "print [1.5, 2.5]",
    "whatis [1, 2]", "print [1, 2,]", "print [1, 2L]", "print [1 2]",
]  # fmt: skip


def test_literals_are_arrays(tool: Callable[[str], str], files: list[str]) -> None:
    """GDB ends at arrays of arrays, and takes one without elements for an array of -1 of them."""
    own = answers(None, files, LITERALS)
    assert own[1:] == answers(tool("gdb"), files, LITERALS)[1:]
    assert "$1 = {1, 2, 3}" in own[1]
    rows, joined, none = answers(None, files, [START, "print [[1], [2]]", "print [1] ~ [2]",
        "print []"])[1:]  # fmt: skip
    assert "$1 = {{1}, {2}}" in rows and "$2 = {1, 2}" in joined
    assert "an array without elements has no type" in none


EXPRESSIONS = {
    "print text[1]": "101 'e'",
    "print values[1]": "20",
    "print values[values.length - 1]": "30",
    "print rows[1][0]": "2",
    "print held.names[1][1]": "98 'b'",
    "print fixed[1..3]": "{2, 3}",
    "print values[0 .. 2]": "{10, 20}",
    "print text[1..4]": '"ell"',
    "print pair.values == values[1..3]": "true",
    "print text == pair.name": "false",
    "print values == values": "true",
    "print sizeof(values)": "16",
    "print empty": '""',
    "print/r pair": "{name = {length = 3, ptr = 0x",
}
"""GDB 13 has no subscript of these, and a slice there ends with the upper bound itself."""
ERRORS = {
    "print values[3]": "no such vector element",
    "print none[0]": "no such vector element",
    "print values[1..4]": "slice out of range",
    "print values[2..1]": "slice out of range",
    "print held[1..2]": "cannot take slice of non-array",
    "print values[1..": "A syntax error in expression, near `'.",
    "print values[1.5]": "Argument to subscript operation is not an integer.",
    "print values[$-1]": "$ is not the length here: that of a dynamic array is values.length",
    "print text[0..$]": "$ is not the length here: that of a dynamic array is text.length",
    "print held.names[$ - 1]": "$ is not the length here: that of a dynamic array is its member"
    " length",
    "print 1": "$1 = 1",
    "print values[$1]": "$2 = 20",
    "print values[$$]": "$3 = 20",
    "print $ + 1": "$4 = 21",
    "whatis values[1]": "type = int",
    "whatis values[1..3]": "type = int [2]",
    "whatis values": "type = struct int[]",
}


def test_subscripts_and_slices(files: list[str]) -> None:
    for answer, value in zip(
        answers(None, files, [START, *EXPRESSIONS])[1:], EXPRESSIONS.values(), strict=True
    ):
        assert answer.splitlines()[1].partition(" = ")[2].startswith(value)
    for answer, words in zip(
        answers(None, files, [START, *ERRORS])[1:], ERRORS.values(), strict=True
    ):
        assert answer.splitlines()[1] == words


@pytest.mark.parametrize("length", ["100000", "4000000000", "0x7fffffffffffffff", "-1"])
def test_no_length_is_believed(files: list[str], length: str) -> None:
    """As one that was never set, or was overwritten."""
    commands = [START, f"set var values.length = {length}", f"set var text.length = {length}"]
    commands += [f"set var trees.length = {length}", "set print elements 2", "print values"]
    commands += [
        "print text",
        "print trees[0].n",
        "print values == fixed",
        "print values == values",
    ]
    own = [answer.splitlines()[1:] for answer in answers(None, files, commands)][5:]
    assert own[0] == ["$1 = {10, 20...}"] and own[1] == ['$2 = "he"...']
    assert own[2:4] == [["$3 = 7"], ["$4 = false"]]
    limit = r"LimitExceeded: (a comparison of arrays of|an object of \d+ bytes, at most) .*"
    assert own[4] == ["$5 = true"] or re.fullmatch(limit, own[4][0])


def test_memory_that_cannot_be_read_is_named(files: list[str]) -> None:
    commands = [START, "set var values.ptr = 8", "set var text.ptr = 8", "print values"]
    commands += ["print text", "print pair", "set var pair.name.ptr = -2", "print pair"]
    commands += ["set var none.ptr = 8", "print none"]
    own = [answer.splitlines()[-1] for answer in answers(None, files, commands)]
    bad = "<error: Cannot access memory at address 0x8>"
    assert own[3:5] == [f"$1 = {bad}", f"$2 = {bad}"]
    assert own[5] == '$3 = {name = "key", values = {20, 30}}'
    assert own[7] == (
        "$4 = {name = <error: Cannot access memory at address 0xfffffffffffffffe>, "
        "values = {20, 30}}"
    )
    assert own[9] == "$5 = 0x8"


def test_an_array_in_itself_ends(files: list[str]) -> None:
    commands = [START, "print trees", "set print max-depth unlimited", "print trees"]
    own = answers(None, files, commands)
    assert own[1].count("{n = 7, below = ") == 6 and "{...}" in own[1]
    assert 10 < own[3].count("{n = 7, below = ") < 1000


STRUCTURES = """\
module s;
struct Real { double length; int* ptr; }
struct Truth { bool length; int* ptr; }
struct Signed { int length; int* ptr; }
struct Called { size_t length; int function(int) ptr; }
struct Own { size_t length; int* ptr; }
struct Of(T) { size_t length; T* ptr; }
enum Name : string { one = "x" }
int twice(int x) { return 2 * x; }
int run(int[] values, const(string) text, shared(int[]) shares, Name name) {
    Real real_ = Real(2.5, values.ptr); Truth truth = Truth(true, values.ptr);
    Signed signed = Signed(-1, values.ptr); Called called = Called(2, &twice);
    Own own = Own(2, values.ptr); Of!(int[]) of = Of!(int[])(1, &values);
    int* nowhere; *nowhere = 1;
    return cast(int) (own.length + called.length + of.length) + signed.length + truth.length;
}
int main() { return run([10, 20], "hello", [30], Name.one); }
"""
COMPILERS = [["gdc", "-g", "-O0", "-o"], ["ldc2", "-g", "-of"]]


@pytest.mark.parametrize("command", COMPILERS)
def test_a_structure_of_the_user_is_none(
    tool: Callable[[str], str], tmp_path: Path, command: list[str]
) -> None:
    compiler, *options = command
    tool("gcc")  # ldc2 links with it
    build(tmp_path, {"s.d": STRUCTURES}, [[tool(compiler), *options, "a", "s.d"]])
    shown = {
        "real_": "{length = 2.5, ptr = 0x", "truth": "{length = true, ptr = 0x",
        "signed": "{length = -1, ptr = 0x", "called": "{length = 2, ptr = 0x",
        "own": "{length = 2, ptr = 0x", "of": "{length = 1, ptr = 0x",
        "values": "{10, 20}", "text": '"hello"', "shares": "{30}", "name": '"x"',
    }  # fmt: skip
    commands = ["frame function s.run", *(f"print {name}" for name in shown)]
    own = answers(None, with_core(tool, tmp_path), commands)[1:]
    for answer, expected in zip(own, shown.values(), strict=True):
        assert answer.splitlines()[1].partition(" = ")[2].startswith(expected)
