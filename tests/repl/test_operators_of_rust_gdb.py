"""Operators and words of expressions in frames of Rust, at the prompt and in GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, rust_with_core

SOURCE = """\
use std::hint::black_box;
struct Mixed { small: u16, large: u64, last: u8 }
fn main() {
    let t = (1, 2.5f32, (4u8, 'x')); let u1: u8 = 200; let i4: i32 = 70000; let b = true;
    let arr = [1, 2, 3]; let rest = [(5u8, 6u16), (7, 8)];
    let num = &i4; black_box(&num);
    let part = &arr; let twice = &part; let raw: *const [i32; 3] = &arr; let mut letter = 'x';
    let boxed = Box::new([7, 8, 9]); let of_box = &boxed; black_box((&boxed, &of_box));
    let mixed = Mixed { small: 1, large: 2, last: 3 }; black_box((&part, &twice, &raw, &mixed));
    let (slice, text, texts): (&[u8], _, _) = (&[1, 2], "word", ["a", "bc"]);
    black_box((&slice, &text, &texts));
    black_box((&t, &u1, &i4, &b, &arr, &rest, &mut letter));
    unsafe { *black_box(8 as *mut i32) = 1; }
}
"""
START = "frame function a::main"
AS_IN_GDB = """\
t.0; t.1; t.1 + 0.5; !u1; !!u1; !i4; !5; !u1 + 1; i4 as u8; i4 as u8 + 1; -1 as u8;
i4 as u8 as f32; i4 as u8 * 2; sizeof(i4 as u8); arr[1] as u8; 1.5 + 2.25; !b; !!b; !(u1 == 200);
u1 == 200 && b; rest[1].0; u1 != 200; b == true"""
OF_RUST = {
    "-0.0": "-0", "-(0.0)": "-0", "-0.0f32": "-0", "1.0 / -0.0": "-inf", "t.1 * -0.0": "-0",
    "-0i32": "0", "(!16 as char) as u32": "239", "101 as char": "101 U'e'",
    "-1 as char": "The type u8 does not hold -1.", "300 as char": "The type u8 does not hold 300.",
    "(&arr)[2]": "3", "(&arr)[3]": "no such vector element", "*num + 1": "70001",
    "num + 1": "Rust has + of what a reference leads to: write *.",
    "num == num": "Rust has == of what a reference leads to: write *.",
    "t.0 + t.1": "Rust does not compute with i32 and f32: write a cast.",
    "t.2.0": "4", "(t.2).0": "4", "t.2.1": "120 U'x'", "!u1 as i32": "55", "rest[1].1 == 8": "true",
    "t.9": "There is no member named __9.", "i4 as": "A syntax error in expression, near `'.",
    "i4 as nothing": 'No symbol "nothing" in current context.',
    "1 .5": "A syntax error in expression, near `.5'.", "i4 as u8 == 112": "true",
    "part[1]": "2", "part[3]": "no such vector element", "twice[2]": "3", "raw[0][1]": "2",
    "*&part[2]": "3", "sizeof(part[9])": "4", "*(part + 0)": "{1, 2, 3}",
    "boxed[1]": "8", "boxed[3]": "no such vector element", "of_box[0]": "7",
    "u1 as char": "200 U'È'", "sizeof(char)": "4", "u1 as char as i32": "200", "'é' as i32": "233",
    "sizeof('a')": "4", "letter == 'x'": "true", "letter = u1 as char": "200 U'È'",
    "sizeof(unsigned char)": "1", "[1, 2, 3]": "{1, 2, 3}", "[0u8; 4]": "{0, 0, 0, 0}",
    "arr == [1, 2, 3]": "true", "[1, 2, -3] == arr": "false", "part == [1, 2, 3]": "true",
    "boxed == [7, 8, 9]": "true", "sizeof([1u8, 2, 3,])": "3", "[[1, 2], [3, 4]][1][0]": "3",
    "[u1, 1] == [200, 1]": "true", "[200, 1] == [u1, 1]": "true", "[1u8, 2] == [1, 2]": "true",
    "[t.1, 0.1] == [2.5, 0.1]": "true", "[[1, 2], [3u8, 4]] == [[1, 2], [3, 4]]": "true",
    "[u1, 1] == [300, 1]": "The type u8 does not hold 300.", "[1, 2] == [1, 3]": "false",
    "[1, u1][0] == u1": "false", "sizeof([1, u1])": "2",
    "[1, 2.0]": "2.0 is no integer, as i32 needs.",
    "[1i32, 2f32]": "The elements of an array have one type, not f32 and i32.",
    "[]": "Unsupported: an array without elements has no type in an expression",
    "[0; 5000]": "LimitExceeded: an array expression of more than 4096 elements",
    "[0; 0]": "Invalid number of elements of an array type.",
    "sizeof([[0u8; 256]; 256])": "65536", "[[0u8; 256]; 256][3][4]": "0",
    "sizeof(" + "[" * 40 + "1" + "]" * 40 + ")": "4", "[u1 = u1 - 1; 3]": "{199, 199, 199}",
    "arr == [1, (u1 = u1 - 1) as i32, 3]": "false", "u1": "198",
    "arr == [1, 5000000000, 3]": "The type i32 does not hold 5000000000.",
    "arr = [1, 5000000000, 3]": "The type i32 does not hold 5000000000.",
    "arr = [1, 2]": "The array has 3 elements, not 2.", "arr = [4; 3]": "{4, 4, 4}",
    "arr = [(u1 = 7) as i32, 5000000000, 3]": "The type i32 does not hold 5000000000.",
    "arr = [(u1 = 8) as i32, 2]": "The array has 3 elements, not 2.", "u1 == 198": "true",
    "part = [1, 2, 3]": "No reference leads to an array that is written out: it is in no memory.",
    "slice = [1, 2]": "No reference leads to an array that is written out: it is in no memory.",
    "slice = &[1, 2]": "No reference leads to an array that is written out: it is in no memory.",
    'text = "0123456789abcdef"': "Invalid cast.", "slice == [1, 2]": "true",
    "slice == &[1, 2]": "true", "part == &[4, 4, 4]": "true", "&arr == &[4, 4, 4]": "true",
    "arr == &[1, 2]": "The array has 3 elements, not 2.", "&[1, 2]": "{1, 2}",
    "*&[1, 2]": "{1, 2}", "sizeof(&[1, 2])": "8",
    "[0; 2 * 3 - 1]": "{0, 0, 0, 0, 0}", "[0; (2 + 1)]": "{0, 0, 0}", "[0; 3usize]": "{0, 0, 0}",
    "[0; 7 / 2 as usize]": "{0, 0, 0}", "[0; 1 << 1 | 1]": "{0, 0, 0}",
    "[0; 1 - 2]": "The type usize does not hold the number of elements.",
    "[0; 1 / 0]": "The type usize does not hold the number of elements.",
    "[0; i4]": "The number of elements of an array is a constant.",
    "[0; 3u8]": "The number of elements of an array is a constant.",
    "[0; 3.0]": "The number of elements of an array is a constant.",
    "t.1 + 1": "1 is no f32: write 1.0.", "2 * t.1": "2 is no f32: write 2.0.",
    "t.1 - (1 + 2)": "1 is no f32: write 1.0.", "t.1 + -1": "-1 is no f32: write -1.0.",
    "t.1 < 3": "Rust does not compute with f32 and i32: write a cast.", "t.1 < 3.0": "true",
    "[t.1, 1]": "1 is no f32: write 1.0.", "t.1 = 1": "1 is no f32: write 1.0.",
    'texts == ["a", "bc"]': "true", '["a", "bd"] != texts': "true",
    'texts == [text, "bc"]': "false",
    '["a", "bc"] == ["a", "bc"]': "true",
    '["a", text]':
        "Unsupported: a text that is written out is in no memory: only == and != take it",
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return rust_with_core(tool, tmp_path_factory.mktemp("operators"), SOURCE)


def test_operators_of_rust(tool: Callable[[str], str], files: list[str]) -> None:
    expressions = [text.strip() for text in AS_IN_GDB.replace("\n", " ").split(";")]
    commands = [START, *(f"print {text}" for text in expressions), "whatis !u1", "whatis i4 as u8"]
    assert answers(None, files, commands)[1:] == answers(tool("gdb"), files, commands)[1:]
    own = answers(None, files, [START, *(f"output {text}" for text in OF_RUST)])[1:]
    shown = [answer.splitlines()[-1].partition(" Did you mean")[0] for answer in own]
    assert shown == [*OF_RUST.values()]


def test_offsets_are_in_their_order(tool: Callable[[str], str], files: list[str]) -> None:
    """GDB sorts the members of Rust for `ptype/o` only: rustc reorders them."""
    own, gdbs = (
        [
            line.replace(",", "").replace("/", "").replace("*", "").split()
            for line in answers(debugger, files, ["ptype/o a::Mixed"])[0].splitlines()
            if line.startswith("/*") and "type =" not in line
        ]
        for debugger in (None, tool("gdb"))
    )
    assert [line[:3] for line in own] == [line[:3] for line in gdbs]
    declared = answers(None, files, ["ptype a::Mixed"])[0]
    assert declared.index("small") < declared.index("large") < declared.index("last")


def test_other_languages_have_no_such_words(tool: Callable[[str], str], tmp_path: Path) -> None:
    source = "struct s { int __0; } as = {3}; int main(void) { return as.__0; }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-O0", "a.c", "-o", "a"]])
    own = answers(None, [str(tmp_path / "a")], ["whatis as", "print as.0", "output !as.__0"])
    assert [answer.splitlines()[-1] for answer in own] == [
        "type = struct s", "A syntax error in expression, near `.0'.", "0",
    ]  # fmt: skip
