"""Expressions in frames of Go: elements of slices and strings, promoted fields, conversions."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, with_core

SOURCE = """\
package main

type Base struct {
	ID   int
	Name string
}
type Deep struct {
	Base
	level uint8
}
type ToBase struct {
	*Base
	extra int32
}
type Other struct{ ID2, same int }
type Third struct{ same int }
type Several struct {
	Other
	Third
}
type Shadow struct {
	Base
	ID string
}
type Loop struct {
	*Loop
	v int
}
type Number int
type IDs []int
type Text string
type Letter byte
type Letters []Letter
type Codes []rune
type Fake struct {
	str *byte
	len int
}
type Same struct {
	Base
	level uint8
}

var counter = 5
var table = []string{"x", "yy"}
var kept *Deep
var address *int
var number Number
var queue chan int

//go:noinline
func blocks(on bool) {
	x, only := 1, 4
	if on {
		x := 2
		address = &x
		if on {
			x := 3
			only := 5
			address = &only
			crash(nil)
			x, only = only, x
		}
	}
	_, _ = x, only
}

//go:noinline
func crash(p *int) { *p = 1 }

func main() {
	u8, i8, i, f, on := uint8(200), int8(-3), 42, 1.5, true
	s, empty, runed := "héllo", "", 'é'
	list := []int{10, 20, 30}
	part, words, data := list[1:2], []string{"a", "bc"}, []byte("abc")
	var none []int
	array, rows := [3]int{1, 2, 3}, [][]int{{1}, {2, 3}}
	toArray := &[3]int{4, 5, 6}
	people := []Base{{1, "one"}, {2, "two"}}
	deep := Deep{Base{7, "seven"}, 3}
	toDeep := &Deep{Base{8, "eight"}, 4}
	toBase := ToBase{&Base{9, "nine"}, 5}
	several, shadow := Several{}, Shadow{Base{1, "b"}, "shadow"}
	nothing, loop := ToBase{}, Loop{&Loop{v: 4}, 3}
	ids, text := IDs{5, 6}, Text("own")
	letters, codes, fake := Letters{65, 66}, Codes{'é', 0xD800, 'x'}, Fake{&data[0], 3}
	same := Same{Base{2, "same"}, 1}
	known := map[string]int{"k": 1}
	var unknown map[string]int
	var failure error
	var value interface{} = i
	escaped := Deep{Base{1, "heap"}, 9}
	kept = &escaped
	queue = make(chan int, 3)
	queue <- counter
	number = Number(len(table))
	_, _, _, _, _, _, _, _ = u8, i8, i, f, on, s, empty, runed
	_, _, _, _, _, _, _, _ = list, part, words, data, none, array, rows, toArray
	_, _, _, _, _, _, _, _ = people, deep, toDeep, toBase, several, shadow, nothing, loop
	_, _, _, _ = letters, codes, fake, same
	_, _, _, _, _, _, _ = ids, text, known, unknown, failure, value, table
	blocks(on)
}
"""
START = "frame function main.main"
NO_KEY = "Unsupported: no key of a map of Go is looked up: print *m shows the header of m"
SHOWN = {
    "list[1]": "20", "list[2] + 1": "31", "list[3]": "no such vector element",
    "list[-1]": "no such vector element", "list[1.0]": "20", "s[4 / 2.0 - 2]": "104 'h'",
    "list[1.0:]": "{20, 30}", "array[3.0]": "no such vector element",
    "list[1.5]": "A constant index of Go is an integer, not 1.5.",
    "list[f]": "Argument to subscript operation is not an integer.",
    "part[0]": "20", "words[1]": '"bc"',
    "data[0]": "97 'a'", "none[0]": "no such vector element", "rows[1][1]": "3",
    "people[1].Name": '"two"', "people[1].Name[0]": "116 't'", "toArray[1]": "5", "ids[1]": "6",
    "text": '"own"',
    "text[0]": "111 'o'", "main.table[1][0]": "121 'y'", "list[0]@3": "{10, 20, 30}",
    "*&list[1]": "20", "s[0]": "104 'h'", "s[1]": r"195 '\303'", "s[6]": "no such vector element",
    "empty[0]": "no such vector element", "i[0]": "cannot subscript something of type `int'",
    "list[1:2]": "{20}", "list[:2]": "{10, 20}", "list[1:]": "{20, 30}", "list[:]": "{10, 20, 30}",
    "list[3:]": "{}", "none[:]": "{}", "part[:2]": "{20, 30}", "part[1:]": "{}", "s[1:3]": '"é"',
    "s[:1]": '"h"', "s[3:]": '"llo"', "s[6:]": '""', "empty[:]": '""', "array[1:]": "{2, 3}",
    "array[3:]": "{}", "array[1:1]": "{}", "rows[2:]": "{}",
    "array[:i - 40]": "{1, 2}", "toArray[1:2]": "{5}", "words[1:]": '{"bc"}', "data[:1]": '"a"',
    "rows[1:][0][1:]": "{3}", "ids[1:]": "{6}", "len(text[:2])": "2", "list[1:][1]": "30",
    "len(list[1:])": "2", "none[0:0]": "{}", "part[:3]": "slice out of range",
    "list[:2][1:]": "{20}", 's[1:3] == "é"': "true", "main.table[1:]": '{"yy"}',
    "list[1:4]": "slice out of range", "list[2:1]": "slice out of range",
    "s[:7]": "slice out of range", "list[-1:]": "slice out of range",
    "array[:4]": "slice out of range", "i[1:]": "cannot take slice of non-array",
    "list[1:2][:2]": "{20, 30}", "list[1:2][:3]": "slice out of range", "list[:1][1:3]": "{20, 30}",
    "array[:1][:3]": "{1, 2, 3}", "toArray[:1][:2]": "{4, 5}", "list[3:][1:]": "slice out of range",
    "s[1:3][:4]": "slice out of range", "data[:1][:3]": '"abc"', "list[:1][1:]": "{}",
    "list[1:2:3]": "{20}", "list[0:1:2][:2]": "{10, 20}", "list[:1:2][:3]": "slice out of range",
    "array[1:2:2][:2]": "slice out of range", "list[1:2:4]": "slice out of range",
    "list[1:3:2]": "slice out of range", "cap(list[1:2])": "2", "cap(array[1:2:2])": "1",
    "list[1::3]": "A syntax error in expression, near `::3]'.", "cap(list[1:])": "2",
    "list[0:1:f]": "Argument to subscript operation is not an integer.",
    "s[0:1:2]": "A string of Go has no slices with three indices.",
    "list[:1]": "{10}",
    "cap($)": "The capacity of a slice expression is not kept in the history.",
    "len(s)": "6", "len(list)": "3", "cap(part)": "2",
    "cap(part[:1])": "2",
    "len(none)": "0", "len(array)": "3",
    "len(toArray)": "3", "known[3]": NO_KEY, 'known["k"]': NO_KEY,
    "len(known)": "1", "len(unknown)": "0", "len(main.queue)": "1",
    "cap(main.queue)": "3", "len(ids)": "2", "len(text)": "3", "s[len(s) - 1]": "111 'o'",
    "cap(s)": "Invalid argument of cap: the type is struct string.",
    "len(i)": "Invalid argument of len: the type is int.", "len()": "len has one argument: len(x)",
    "deep.ID": "7", "deep.Name": '"seven"', "toDeep.ID": "8", "toDeep.Base.ID": "8",
    "toBase.Name": '"nine"', "shadow.ID": '"shadow"', "shadow.Base.ID": "1", "loop.v": "3",
    "loop.Loop.v": "4", "*&deep.ID": "7", "several.ID2": "0",
    "several.same": "Ambiguous selector same: write one of Other.same, Third.same.",
    "nothing.ID": "the embedded pointer Base is nil: there is no ID",
    "deep.Nam": 'There is no member named Nam. Did you mean "Name"?',
    "^u8": "55 '7'", "^i8": r"2 '\002'", "^i": "-43", "^5": "-6", "5 ^ ^3": "-7",
    "u8 &^ 3": r"200 '\310'",
    "i^1": "43", "^f": "Go has ^ of integers, not of the type float64.",
    "^on": "Go has ^ of integers, not of the type bool.",
    "uint8(300)": "44 ','", "int(f)": "1", "float64(i) / 4": "10.5", "main.Number(i)": "42",
    "sizeof(int)": "8", "rune(65)": "65", "byte(i)": "42 '*'",
    "1_000": "1000", "0o17": "15", "0x_ff": "255", "010": "8", "1_": 'Invalid number "1_".',
    "1__0": 'Invalid number "1__0".', "1_0.2_5": "10.25",
    r'"a\x00"': r'"a\000"',
    "'é' == runed": "true",
    "'a'": "97",
    r"'\u00e9'": "233", r"`a\n`": r'"a\\n"', "sizeof(\"abc\")": "3",
    's == "héllo"': "true", 's != "x"': "true", 'empty == ""': "true",
    'words[1] == "bc"': "true",
    '"a" + "b"': '"ab"', 's + "b"': '"héllob"', '"x" + words[0] + words[1]': '"xabc"',
    'text + "x"': '"ownx"', "string(text) + s": '"ownhéllo"', "empty + empty": '""',
    "text + s": "Go does not compute with main.Text and string: write a conversion.",
    "s + 'a'": '"+" of Go is between two strings or two numbers.',
    "1 + s": '"+" of Go is between two strings or two numbers.',
    'len(s + "b")': "7", '(s + "b")[1:3]': '"é"', '(s + "b")[7]': "no such vector element",
    's + "b" == "héllob"': "true", 's < "x"': "true", '"a" < "b"': "true", "s >= s": "true",
    's + "é" > s': "true", 'empty < "a"': "true", '"é" > "z"': "true", '"b" <= "abc"': "false",
    "text < s": "Go does not compute with main.Text and string: write a conversion.",
    "data < s": "A slice of Go is compared with nil only; compare its elements.",
    "list == nil": "false", "none == nil": "true", "failure == nil": "true", "value != nil": "true",
    "toDeep == nil": "false", "nothing.Base == nil": "true", "nil": "(void *) 0x0",
    "list == list": "A slice of Go is compared with nil only; compare its elements.",
    "list == (void*)5": "A slice of Go is compared with nil only; compare its elements.",
    "none == (void*)0": "true",
    "main.nothing": 'No symbol "main.nothing" in current context.',
    "string(runed)": '"é"', "string(data)": '"abc"', "string(65)": '"A"', "Text(runed)": '"é"',
    "string(0x110000)": '"\ufffd"',
    "string(list)": "Go has no conversion of []int to string.",
    "string(f)": "Go has no conversion of float64 to string.",
    "string(value)": "Go has no conversion of interface {} to string.",
    "string(fake)": "Go has no conversion of main.Fake to string.",
    "string(array)": "Go has no conversion of [3]int to string.",
    "Fake(s)": "Go has no conversion of string to main.Fake.",
    "Fake(deep)": "Go has no conversion of main.Deep to main.Fake.",
    "Deep(same).level": r"1 '\001'", "Text(s)": '"héllo"', 'Text("abc")': '"abc"',
    "Text(fake)": "Go has no conversion of main.Fake to main.Text.",
    "string(data[1:3])": '"bc"', "string(letters)": '"AB"', "string(letters[1:])": '"B"',
    "string(codes)": '"é\ufffdx"', "string(codes[2:])": '"x"', "string(1 << 70)": '"\ufffd"',
    "string(-1)": '"\ufffd"', "Letters(s[:1])": '"h"', 'Codes("é\\xffx")': "{233, 65533, 120}",
    'string(Codes("é"))': '"é"', 'len(Letters("abc"))': "3", "IDs(list[1:])": "{20, 30}",
    "IDs(s)": "Go has no conversion of string to main.IDs.", "IDs(nil) == nil": "true",
    "Letters(data)": "Go has no conversion of []uint8 to main.Letters.",
    'Letters("a") + "x"': '"+" of Go is between two strings or two numbers.',
    "error(value)": "Unsupported: an interface of Go takes a value with its type, as only the"
    " program can",
    "len(string(runed))": "2", "string(data) + s": '"abchéllo"',
    "unsafe.Sizeof(deep)": "32", "unsafe.Sizeof(s)": "16", "unsafe.Sizeof(list)": "24",
    "unsafe.Sizeof(list[1:])": "24", "unsafe.Sizeof(s[1:])": "16", 'unsafe.Sizeof("abc")': "16",
    "unsafe.Sizeof(array)": "24", "unsafe.Sizeof(list[9]) + 1": "9", "unsafe.Sizeof(u8)": "1",
    "unsafe.Sizeof(1)": "8", "unsafe.Sizeof(main.table)": "24", "unsafe.Sizeof(crash)": "8",
    "unsafe.Sizeof(int32)": "4", "unsafe.Sizeof(main.Deep)": "32", "unsafe.Sizeof(Deep)": "32",
    "unsafe.Sizeof(string) + 1": "17", "unsafe.Sizeof(int32(5))": "4",
    "unsafe.Sizeof(nil)": "nil of Go has no type, and no size.",
    "sizeof(nil)": "nil of Go has no type, and no size.",
    "sizeof nil": "nil of Go has no type, and no size.",
    "unsafe.Sizeof()": "unsafe.Sizeof has one argument: unsafe.Sizeof(x)",
    "unsafe.Alignof(i)": 'No symbol "unsafe" in current context.',
    "counter": "5", "table[1]": '"yy"', "sizeof(Deep)": "32", "Number(4)": "4",
    "escaped": r"{Base = {ID = 1, Name = " '"heap"' r"}, level = 9 '\t'}", "escaped.Name": '"heap"',
    "&escaped == '&escaped'": "true", "kept == &escaped": "true",
}  # fmt: skip
AS_IN_GDB = "counter; ^i; ^5; float64(i); int(f); byte(300); 5 ^ 3; loop.v; toDeep.level"
AS_IN_GDB += "; unsafe.Sizeof(deep); unsafe.Sizeof(s); unsafe.Sizeof(list); unsafe.Sizeof(f)"
AS_IN_GDB += "; unsafe.Sizeof(int32); unsafe.Sizeof(main.Deep)"
TYPES = {
    "unsafe.Sizeof(u8)": "uintptr", "unsafe.Sizeof(int8)": "uintptr",
    "list[1:2]": "int [1]", "list[1:2][:4]": "int [4]", "array[:1][:3]": "int [3]",
    "array[1:][1:]": "int [1]", "cap(list[1:2])": "int", "s[1:]": "struct string",
    "array[1:]": "int [2]", "string(runed)": "struct string",
    "string(1 << 70)": "struct string", "Text(data[1:])": "struct main.Text",
    "Letters(s)": "struct main.Letters",
    "list[1]": "int", "s[0]": "uint8", "deep.ID": "int", "toBase.Name": "struct string",
    's + "b"': "struct string", '"a" + "b"': "uint8 [2]", 's < "b"': "bool",
    "^u8": "uint8", "uint8(i)": "uint8", "int(f)": "int", "len(s)": "int", "list[9]": "int",
    "main.Number(5)": "main.Number", "Number": "main.Number", "int": "int", "nothing.ID": "int",
    "int(-5)": "int", "uint8(^i8)": "uint8", "int(uint8(5))": "int", "uint8(int(5))": "uint8",
    "int((i))": "int", "int(*&i)": "int", "Deep(escaped)": "struct main.Deep",
    "int(len(s))": "int", "(uint8(5))": "uint8", "int(*)[4]": "int (*)[4]", "int(int)": "int (int)",
}  # fmt: skip


@pytest.fixture(scope="module")
def files(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory, go_cache: str
) -> list[str]:
    folder = tmp_path_factory.mktemp("go")
    (folder / "a.go").write_text(SOURCE)
    words = [tool("go"), "build", "-gcflags=-N -l", "-o", "a", "a.go"]
    offline = {**os.environ, "GO111MODULE": "off", "GOPROXY": "off", "CGO_ENABLED": "0"}
    offline |= {"GOCACHE": go_cache, "GOPATH": str(folder / "path")}
    subprocess.run(words, cwd=folder, check=True, timeout=60, env=offline)
    return with_core(tool, folder, GOGC="off", GOMAXPROCS="1")


def _shown(debugger: str | None, files: list[str], commands: list[str]) -> list[str]:
    """Return the last line of each answer, without the number of a value."""
    own = answers(debugger, files, [START, *commands])[1:]
    lines = [answer.splitlines()[-1] for answer in own]
    return [line.partition(" = ")[2] if line.startswith(("$", "type")) else line for line in lines]


@pytest.mark.usefixtures("utf8")
def test_values(files: list[str]) -> None:
    assert _shown(None, files, [f"print {text}" for text in SHOWN]) == [*SHOWN.values()]


def test_values_of_gdb(tool: Callable[[str], str], files: list[str]) -> None:
    commands = [f"print {text.strip()}" for text in AS_IN_GDB.split(";")]
    assert _shown(None, files, commands) == _shown(tool("gdb"), files, commands)


def test_types(files: list[str]) -> None:
    assert _shown(None, files, [f"whatis {text}" for text in TYPES]) == [*TYPES.values()]


def test_variables_on_the_heap_in_blocks(files: list[str]) -> None:
    commands = ["print x", "print only", "print &only == '&only'", "whatis only"]
    commands += ["set var only = 6", "print *main.address", "info locals"]
    own = answers(None, files, ["frame function main.blocks", *commands])[1:]
    lines = [answer.splitlines()[-1] for answer in own]
    assert [*lines[:4], lines[5]] == ["$1 = 3", "$2 = 5", "$3 = true", "type = int", "$4 = 6"]
    assert {"only = 4", "x = 1"} <= {*own[6].splitlines()}


def test_what_is_assigned_and_completed(files: list[str]) -> None:
    own = _shown(None, files, ["set var list[1] = 21", "print list[1]", "set var deep.ID = 6"])
    assert own[1] == "21"
    commands = ["set var deep.ID = 6", "print deep.Base.ID", "info locals"]
    assert _shown(None, files, commands)[1] == "6"
    commands = ["print $a = list[1:]", "print len($a)", "print $b = array[2:2]", "print len($b)"]
    assert _shown(None, files, commands) == ["{20, 30}", "2", "{}", "0"]
    asked = ["complete print main.co", "complete print deep.", "complete print esc"]
    offered = answers(None, files, [START, *asked])[1:]
    assert [answer.splitlines()[1:] for answer in offered] == [
        ["print main.counter"],
        ["print deep.Base", "print deep.ID", "print deep.Name", "print deep.level"],
        ["print escaped"],
    ]


def test_slices_and_interfaces_become(files: list[str], utf8: None) -> None:
    assigned = {
        "part = list[1:3]": ("len(part)", "2"), "part = part[:1]": ("cap(part)", "2"),
        "part = array[1:2]": ("part[0]", "2"), "words = nil": ("words == nil", "true"),
        "value = nil": ("value == nil", "true"), "failure = nil": ("failure == nil", "true"),
        "s = s[1:3]": ("s", '"é"'), "same = deep": ("same.Name", '"seven"'),
        "ids = list": ("ids[2]", "30"),
    }  # fmt: skip
    commands = [f"set var {text}" for text in assigned]
    asked = [command for pair in zip(commands, [f"print {text}" for text, _ in
             assigned.values()], strict=True) for command in pair]  # fmt: skip
    assert _shown(None, files, asked)[1::2] == [answer for _, answer in assigned.values()]
    refused = {
        "part = data": "A slice of uint8 is none of int.",
        "part = words[:1]": "A slice of struct string is none of int.",
        's = "abc"': "Unsupported: what is written out is in no memory of the program",
        "s = data[1:2]": "Go does not assign []uint8 to string.",
        "s = data": "Go does not assign []uint8 to string.",
        "data = s": "Go does not assign string to []uint8.",
        "s = array": "Go does not assign [3]int to string.",
        "s = fake": "Go does not assign main.Fake to string.",
        "s = value": "Go does not assign interface {} to string.",
        "data = 0": "Go does not assign int to []uint8.",
        "fake = s": "Go does not assign string to main.Fake.",
        "value = 5": "Unsupported: an interface of Go takes a value with its type, as only the"
        " program can",
        "failure = value": "Unsupported: an interface of Go takes a value with its type, as only"
        " the program can",
    }
    assert _shown(None, files, [f"set var {text}" for text in refused]) == [*refused.values()]


BESIDE_C = """\
package main

// int len = 5, cap = 6;
import "C"

var words = []string{"a", "b"}

func main() { println(C.len, C.cap, len(words)) }
"""


def test_functions_beside_names_of_c(
    tool: Callable[[str], str], tmp_path: Path, go_cache: str
) -> None:
    """Only what Go declares hides `len` and `cap`."""
    (tmp_path / "a.go").write_text(BESIDE_C)
    words = [tool("go"), "build", "-gcflags=-N -l", "-o", "a", "a.go"]
    offline = {**os.environ, "GO111MODULE": "off", "GOPROXY": "off", "CGO_ENABLED": "1"}
    offline |= {"GOCACHE": go_cache, "GOPATH": str(tmp_path / "path"), "CC": tool("gcc")}
    subprocess.run(words, cwd=tmp_path, check=True, timeout=120, env=offline)
    shown = answers(
        None, [str(tmp_path / "a")], ["output len(main.words)", "output cap(main.words)"]
    )
    assert [answer.splitlines()[-1] for answer in shown] == ["2", "2"]
