"""Slices and strings of Rust, at the prompt and in GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, rust_with_core

SOURCE = """\
use std::hint::black_box;
pub struct Own { pub data_ptr: *const u8, pub length: usize }
pub struct Life<'a> { s: &'a str, v: &'a [i32] }
static NAMES: [&str; 3] = ["a", "bb", "c\\u{c4}c"];
fn main() {
    let text: &str = "hello"; let arr = [1, 2, 3, 4, 5]; let sl = &arr[1..4];
    let none: &[i32] = &[]; let empty = ""; let bytes: &[u8] = b"by\\x00te";
    let boxed: Box<[i32]> = vec![7, 8].into(); let boxed_text: Box<str> = "boxed".into();
    let rc: std::rc::Rc<[i32]> = vec![9, 10].into(); let raw: *const [i32] = &arr[..2];
    let own = Own { data_ptr: text.as_ptr(), length: 3 }; let life = Life { s: "life", v: &arr };
    let mut m = [1u16, 2, 3]; let ms = &mut m[1..]; let rows: &[[i32; 2]] = &[[1, 2], [3, 4]];
    let strs: &[&str] = &NAMES; let deep: &[&[i32]] = &[&[1], &[2, 3]];
    let t = (1, 2.5f32, "three", (4u8, 'x')); let units: &[()] = &[(), ()];
    let opt: Option<&str> = Some("opt"); let u1: u8 = 200; let i4: i32 = 70000; let b = true;
    black_box((&text, &arr, &sl, &none, &empty, &bytes, &boxed, &boxed_text, &rc, &raw, &own));
    black_box((&own.data_ptr, &own.length, &life.s, &life.v, &ms, &rows, &strs, &deep, &t, &units));
    let to_slice = &sl; black_box((&opt, &u1, &i4, &b, &to_slice));
    unsafe { *black_box(8 as *mut i32) = 1; }
}
"""
START = "frame function a::main"


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return rust_with_core(tool, tmp_path_factory.mktemp("slices"), SOURCE)


VALUES = {
    "text": '"hello"', "sl": "{2, 3, 4}", "none": "{}", "empty": '""',
    "bytes": "{98, 121, 0, 116, 101}", "boxed": "{7, 8}", "boxed_text": '"boxed"',
    "raw": "{1, 2}", "life": '{s = "life", v = {1, 2, 3, 4, 5}}', "ms": "{2, 3}",
    "rows": "{{1, 2}, {3, 4}}", "strs": '{"a", "bb", "cÄc"}', "deep": "{{1}, {2, 3}}",
    "opt": '{Some = {__0 = "opt"}}', "a::NAMES": '{"a", "bb", "cÄc"}', "units": "{(), ()}",
    "to_slice[1]": "3", "to_slice[3]": "no such vector element",
    "sl[1]": "3", "&sl[1] == &arr[2]": "true", "deep[1][0]": "2", "text[0]": "104",
    "strs[1]": '"bb"', "life.v[4]": "5", "boxed[1]": "8", "raw[1]": "2", "rows[1][0]": "3",
    "ms[1] = 9": "9", "m": "{1, 2, 9}", "text.length": "5", "sizeof(sl)": "16", "sl == sl": "true",
    "sl == raw": "false", "sl[3]": "no such vector element", "none[0]": "no such vector element",
    "text[-1]": "no such vector element", "rows[1][2]": "no such vector element",
    "life.v[1.5]": "Argument to subscript operation is not an integer.",
}  # fmt: skip
SLICES = {
    "sl[1..3]": "{3, 4}", "&sl[..2]": "{2, 3}", "&sl[1..=2]": "{3, 4}", "&sl[..]": "{2, 3, 4}",
    "&sl[3..]": "{}", "&sl[u1 as usize - 199..]": "{3, 4}", "&arr[1..3]": "{2, 3}",
    "&arr[3..]": "{4, 5}", "&text[1..3]": '"el"', "&text[..]": '"hello"',
    "&text[5..]": '""', "&mut m[1..]": "{2, 3}", "&boxed[1..]": "{8}", "&boxed_text[1..3]": '"ox"',
    "&rows[1..]": "{{3, 4}}", "&strs[1..=1]": '{"bb"}', "&units[1..]": "{()}",
    "&none[..]": "{}", "&sl[1..][1..]": "{4}", "sl[1..][0]": "3", "&sl[..2] == &arr[1..3]": "true",
    "text[1..3].length": "2", "&deep[1][..1]": "{2}", "life.v[2..4]": "{3, 4}",
    "&to_slice[1..]": "{3, 4}",
    "&sl[1..4]": "slice out of range", "&sl[2..1]": "slice out of range",
    "&sl[4..]": "slice out of range", "&arr[..=5]": "slice out of range",
    "&text[-1..]": "slice out of range", "&arr[6..]": "slice out of range",
    "u1[1..2]": "cannot take slice of non-array", "&own[..]": "cannot take slice of non-array",
    "sl[1.5..]": "Argument to subscript operation is not an integer.",
    "sl[1..=]": "A syntax error in expression, near `]'.",
}  # fmt: skip
SHOWN_WITH_MEMBERS = {
    "print/r sl": "$1 = {data_ptr = 0x", "print own": "$2 = {data_ptr = 0x",
    "print rc": "$3 = {ptr = ",
    "whatis sl": "type = struct &[i32]", "whatis sl[1]": "type = i32",
    "whatis &sl[1..]": "type = struct &[i32]", "whatis &text[..2]": "type = struct &str",
    "whatis &arr[1..3]": "type = i32 [2]",
}  # fmt: skip


def last_lines(files: list[str], commands: list[str]) -> list[str]:
    return [answer.splitlines()[-1] for answer in answers(None, files, [START, *commands])[1:]]


def test_they_are_their_elements(files: list[str]) -> None:
    """GDB has the type before them: `&[i32] [2, 3, 4]`."""
    assert last_lines(files, [f"output {text}" for text in VALUES]) == [*VALUES.values()]


def test_slices_of_them(files: list[str]) -> None:
    assert last_lines(files, [f"output {text}" for text in SLICES]) == [*SLICES.values()]


def test_other_structures_are_not(files: list[str]) -> None:
    own = last_lines(files, [*SHOWN_WITH_MEMBERS])
    for shown, expected in zip(own, SHOWN_WITH_MEMBERS.values(), strict=True):
        assert shown.startswith(expected)


@pytest.mark.parametrize(
    "length", ["100000", "4000000000", "0x7fffffffffffffff", "0xffffffffffffffff"]
)
def test_no_length_is_believed(files: list[str], length: str) -> None:
    commands = [f"set var {name}.length = {length}" for name in ("sl", "text", "units", "deep")]
    commands += ["set print elements 2", "print sl", "print text", "print deep[1]", "print units"]
    count = int(length, 0) % (1 << 64)  # elements without bits are in no memory
    assert last_lines(files, commands)[5:] == [
        "$1 = {2, 3...}", '$2 = "he"...', "$3 = {2, 3}", f"$4 = {{() <repeats {count} times>}}",
    ]  # fmt: skip


def test_memory_that_cannot_be_read_is_named(files: list[str]) -> None:
    commands = ["set var sl.data_ptr = 8", "set var text.data_ptr = 8", "print sl", "print text"]
    bad = "<error: Cannot access memory at address 0x8>"
    assert last_lines(files, [*commands, "print sl[1]"])[2:] == [
        f"$1 = {bad}", f"$2 = {bad}",
        "Cannot access memory at address 0xc: nothing is mapped there",
    ]  # fmt: skip


def test_elements_are_those_of_gdb(tool: Callable[[str], str], files: list[str]) -> None:
    expressions = ["life.s", "strs[1]", "text[0]", "sl[1]", "deep[1][0]", "a::NAMES[1].length"]
    commands = [START, *(f"print {text}" for text in [*expressions, "t.2", "life.v[1] as u8"])]
    assert answers(None, files, commands)[1:] == answers(tool("gdb"), files, commands)[1:]
