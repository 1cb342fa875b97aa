"""Literals and casts to pointers in frames of Rust, at the prompt and in GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, rust_with_core

SOURCE = """\
use std::hint::black_box;
pub mod shapes { #[derive(Clone, Copy)] pub struct Point { pub x: i32, pub y: i32 } }
fn main() {
    let u1: u8 = 97; let i4: i32 = 70000; let mut big = 5i64; let f = 1.5f64; let on = true;
    let letter = 'é'; let bytes = b"abc"; let slice: &[u8] = b"xyz"; let text = "héllo";
    let empty = ""; let ended = ["a\\0"]; let single = (7u8,);
    let point = shapes::Point { x: 1, y: 2 }; let pair = (1i32, 2u8);
    let by_ref = &point; let raw: *const i32 = &i4; let to_big: *mut i64 = &mut big;
    black_box((&u1, &i4, &f, &on, &letter, &bytes, &slice, &text, &empty, &point, &pair));
    black_box((&by_ref, &raw, &to_big, &ended, &single));
    unsafe { *black_box(8 as *mut i32) = 1; }
}
"""
START = "frame function a::main"
AS_IN_GDB = r"""
b'a'; b'\n'; b'\xff'; b'\''; b'a' + 1; u1 == b'a'; letter == '\u{e9}'; letter == 'é'; 'a' as u8;
b"abc"; b"a\nb\0c\t\"\\"; br"a\n"; br#"a"b"#; sizeof(b"abc"); 5u8; 5_000; 0xff_u8; 0o17;
b"a\0"; b"\0"; b"a\xff\0"; ended[0];
0b1010_0101; 1.5f32; 1_0.5; 5i64; 5usize; 010; 1u8 + 1u16; 255u8; 1e3f64; 2.; !5u8; -1i8;
-5i8 as u8; 1.0f32 + 1.0; *(&i4 as *const u8); *(raw as *const u8); raw as usize;
(by_ref as *const a::shapes::Point).x; *(raw as *const i32) + 1; raw as *const u8 as usize;
raw == &i4 as *const i32; *(to_big as *mut u64); *raw as u8"""
TYPES_AS_IN_GDB = "b'a'; 5u8; 1.5f32; 5i64; !5u8; 5u8 as i64; '\\u{e9}'"
OF_RUST = {
    r"'\u{e9}'": "233 U'é'", r"'\u{1F6_00}'": "128512 U'😀'", r"'\0'": r"0 U'\000'",
    r"'\x7f'": r"127 U'\177'",
    r"'\x80'": r"\x of text is at most 7f; write \u{80}.",
    r'"\xff"': r"\x of text is at most 7f; write \u{ff}.",
    r"'\''": r"39 U'\''",
    r"""'\u{}'""": "A Unicode escape has 1 to 6 hexadecimal digits.",
    r"'\u{110000}'": "0x110000 is no Unicode scalar value, which a char of Rust is.",
    r"'\u{d800}'": "0xd800 is no Unicode scalar value, which a char of Rust is.",
    r"'\u00e9'": r"Invalid escape \u in literal: write \u{e9}",
    r"'\x4'": r"Invalid escape \x in literal: write two digits, \x41",
    r"'\q'": r"Invalid escape \q in literal", r"'\u{e9'": "Missing '}' in Unicode escape",
    r"b'\u{41}'": r"A byte literal has no \u{...}; write \xff, two digits.",
    "b'é'": r"A byte literal has ASCII characters only; others are \xff.",
    "b'ab'": "A byte literal has one character.", "b''": "A byte literal has one character.",
    'b"é"': r"A byte literal has ASCII characters only; others are \xff.",
    'b""': 'b""', r'b"a\xffb"': r'b"a\377b"', 'bytes == b"abc"': "true",
    '*bytes == *b"abc"': "true",
    'slice == b"xyz"': "true", 'b"abc"[1] as u8': "98", '""': '""', r'"\u{e9}"': '"é"',
    r'"a\0"': r'"a\000"', r'ended[0] == "a\0"': "true", "ended": r'{"a\000"}',
    'text == "héllo"': "true", 'text == "x"': "false", 'empty == ""': "true",
    'sizeof("abc")': "3", r'r"a\n"': r'"a\\n"', 'r#"a"b"#': r'"a\"b"', '$_strlen("abc")': "3",
    "256u8": "256u8 is no value of u8.", "128i8": "128i8 is no value of i8.", "-128i8": "-128",
    "-1u8": "-1u8 is no value of u8.", "1.5u8": 'Invalid number "1.5u8".',
    "5u9": 'Invalid number "5u9".', "5f32": "5", "0x5f32": "24370",
    "&mut i4 == raw": "true", "raw as *const shapes::Point == by_ref": "false",
    "*(raw as *const [u8; 4])": "{112, 17, 1, 0}",
    "*(raw as *const [[u8; 2]; 2])": "{{112, 17}, {1, 0}}",
    "(*(by_ref as *const (i32, u8))).1": "2", "8 as *const ()": "(*const ()) 0x8",
    "(*(&single as *const (u8,))).0": "7", "*(&u1 as *const (u8))": "97",
    "18446744073709551616u128": "18446744073709551616",
    "raw as *u8": "A raw pointer of Rust is *const TYPE or *mut TYPE.",
    "raw as *const nothing": 'No symbol "nothing" in current context.',
    "raw as *const": "A syntax error in expression, near `'.",
    "raw as fn(i32)": "Unsupported: fn types are not supported: write *const ()",
    "raw as *const [u8]": "Unsupported: a slice has a length, which no cast gives: "
    "write [TYPE; COUNT]",
    "f as *const i32": "Invalid cast.",
    "!f": "Rust has ! of integers and of bool, not of the type f64; compare it with 0.",
    "!raw": "Rust has ! of integers and of bool, not of the type *const i32; compare it with 0.",
    "!letter": "Rust has ! of integers and of bool, not of the type char; compare it with 0.",
    "!on": "false", "!$undefined": "true",
}  # fmt: skip
POINTERS = {
    "raw as *const u8": "*const u8", "raw as *mut u8": "*mut u8", "raw as &i32": "&i32",
    "raw as &mut i32": "&mut i32", "raw as *const *const u8": "*const *const u8",
    "raw as *const &u8": "*const &u8", "raw as *const [i32; 2]": "*const [i32; 2]",
    "raw as *const [[u8; 2]; 3]": "*const [[u8; 2]; 3]", "raw as *const ()": "*const ()",
    "raw as *const shapes::Point": "*const a::shapes::Point",
    "raw as *const (i32,u8)": "*const (i32, u8)", "raw as *const (i32)": "*const i32",
    "raw as *const u8 as *mut u64": "*mut u64",
}  # fmt: skip
"""GDB calls each of them `*mut`."""


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return rust_with_core(tool, tmp_path_factory.mktemp("literals"), SOURCE)


def _asked(debugger: str | None, files: list[str], commands: list[str]) -> list[str]:
    """Return the last line of each answer, without what was asked."""
    numbered = answers(debugger, files, [START, *commands])[1:]
    return [answer.rstrip("\n").rpartition("\n")[2].partition(" = ")[2] for answer in numbered]


def _listed(expressions: str) -> list[str]:
    return [text.strip() for text in expressions.replace("\n", " ").split(";") if text.strip()]


def test_literals_are_those_of_gdb(tool: Callable[[str], str], files: list[str]) -> None:
    commands = [f"print {text}" for text in _listed(AS_IN_GDB)]
    commands += [f"whatis {text}" for text in _listed(TYPES_AS_IN_GDB)]
    assert _asked(None, files, commands) == _asked(tool("gdb"), files, commands)


def test_what_gdb_has_not(files: list[str]) -> None:
    own = answers(None, files, [START, *(f"print {text}" for text in OF_RUST)])[1:]
    shown = [answer.splitlines()[-1].partition(" Did you mean")[0] for answer in own]
    assert [line.partition(" = ")[2] if line[0] == "$" else line for line in shown] == [
        *OF_RUST.values()
    ]


def test_names_of_pointers(files: list[str]) -> None:
    commands = [f"whatis {text}" for text in POINTERS]
    assert _asked(None, files, commands) == [*POINTERS.values()]


def test_literals_are_assigned(files: list[str]) -> None:
    commands = ["set var u1 = b'z'", "print u1", r"set var letter = '\u{41}'", "print letter"]
    commands += ["set var *(to_big as *mut i64) = 7", "print big", "p/x b'a'", "whatis $"]
    own = answers(None, files, [START, *commands])[1:]
    assert [answer.splitlines()[-1] for answer in own[1::2]] == [
        "$1 = 122", "$2 = 65 U'A'", "$3 = 7", "type = u8",
    ]  # fmt: skip


def test_other_languages_have_no_such_literals(tool: Callable[[str], str], tmp_path: Path) -> None:
    source = "int b = 3, r = 4; int main(void) { return b + r; }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-O0", "a.c", "-o", "a"]])
    commands = ["p 010", "p 5u8", "p b'a'", "p 'a'", 'p "a"', "p !3"]
    own = answers(None, [str(tmp_path / "a")], commands)
    shown = [answer.splitlines()[-1].rpartition(" = ")[2] for answer in own]
    assert shown == [
        "8", 'Invalid number "5u8".', "A syntax error in expression, near `'a''.", "97 'a'", '"a"',
        "0",
    ]  # fmt: skip
