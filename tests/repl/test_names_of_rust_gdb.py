"""Names of Rust that are keywords or primitive types, at the prompt and in GDB."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, last_lines, rust_with_core

SOURCE = """\
mod r#mod {
    pub static r#static: u32 = 9;
    #[derive(Clone, Copy)] pub struct r#struct { pub r#type: u32, pub r#as: u16 }
    pub struct Wrap<T>(pub T);
    #[inline(never)] pub fn r#match(r#fn: u32) -> u32 { std::hint::black_box(r#fn + r#static) }
}
std::arch::global_asm!(
    ".section .kept, \\"awR\\"", ".globl i16, isize, str", "i16: isize: str: .long 7", ".text");
mod f32 { pub static HALF: u32 = 2; }
mod f64 { pub static HALF: u32 = 4; }
mod char { pub static LAST: u32 = 3; }
mod bool { pub static YES: u32 = 1; }
mod u128 { pub static ONE: u32 = 1; }
#[inline(never)] fn r#loop(r#in: &r#mod::r#struct) -> u32 {
    let r#type = 5; let r#match = 6; let r#as = [1u8, 2]; let r = 3;
    let plain = r#mod::r#struct { r#type: 7, r#as: 8 }; let r#const = plain;
    let w = r#mod::Wrap(plain);
    let real = f32::HALF as f32 + (f64::HALF as f64) as f32;
    let letter = (char::LAST as u8 + 65) as char;
    let yes: bool = bool::YES == 1; let big = u128::ONE as u128;
    std::hint::black_box((&w, r, r#as, real, letter, yes, big, r#const));
    unsafe { *(std::hint::black_box(8) as *mut u32) = r#type + r#match + r#in.r#type; }
    r#mod::r#match(r#type)
}
fn main() { println!("{}", r#loop(&r#mod::r#struct { r#type: 1, r#as: 2 })); }
"""
AS_IN_GDB = """\
r#type; r#match + 1; r#as[1]; plain.r#type; plain.r#as; r#const.r#type; r#in.r#type; r; real; yes;
(*r#in).r#as; a::r#mod::r#static; plain.r#as as u64; *&r#type; sizeof(r#type); i16; &i16;
&isize; i16 + 1"""
OTHERS = {
    "r#mod::r#static": "9",  # GDB looks for names from the root only
    "crate::r#mod::r#static": "9",
    "w.0.r#type": "7",
    "(*(&plain as *const a::r#mod::r#struct)).r#as": "8",
    "sizeof(a::r#mod::Wrap<a::r#mod::r#struct>)": "8",
    'r#"raw"#': '"raw"',
    "r#nosuch": 'No symbol "nosuch" in current context.',
    "5 as f32": "5",  # the modules are no types
    "1.5 as f64": "1.5",
    "65u8 as char == 'A'": "true",
    "1u8 as bool": "true",
    "5 as u128": "5",
    "2.5f32": "2.5",
    "f32::HALF": "2",
    "sizeof([f32; 3])": "12",
    "sizeof([i32; 3])": "12",
    "sizeof([[i16; 2]; 3])": "12",
    "sizeof([isize; 3])": "24",
    "sizeof([1u8; 3])": "3",
    "sizeof([*const u8; 2])": "16",
    "sizeof([u8; 3usize])": "3",
    "sizeof([u8; 2 + 2 * 3])": "8",
    "sizeof([&u8; 2])": "16",
    "sizeof([[u8; 1 << 2]; 0x2])": "8",
    "sizeof([u8; 0])": "0",
    "sizeof([u8; 1 - 2])": "The type usize does not hold the number of elements.",
    "sizeof([u8; 3u8])": "The number of elements of an array is a constant.",
    "sizeof([u8; 1 << 48])": "Invalid number of elements of an array type.",
    "str": 'No symbol "str" in current context.',  # not that of another language
}
"""What Rust says of these; GDB 13 does not know it."""
PLACES = ["r#loop", "a.rs:r#loop", "a::r#mod::r#match", "r#mod::r#match", "r#match"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    return rust_with_core(tool, tmp_path_factory.mktemp("names"), SOURCE)


def test_raw_identifiers_as_in_gdb(files: list[str], tool: Callable[[str], str]) -> None:
    texts = [text.strip() for text in AS_IN_GDB.replace("\n", " ").split(";")]
    commands = [f"output {text}" for text in texts]
    own, of_gdb = (answers(debugger, files, commands) for debugger in (None, tool("gdb")))
    assert own == of_gdb


def test_names_that_gdb_does_not_know(files: list[str]) -> None:
    shown = last_lines(files, [f"output {text}" for text in OTHERS])
    assert dict(zip(OTHERS, shown, strict=True)) == OTHERS


@pytest.mark.parametrize("name", ["f32", "f64", "char", "bool", "u128", "i16", "usize"])
def test_primitive_types_beside_modules(files: list[str], name: str) -> None:
    assert last_lines(files, [f"whatis {name}"]) == [f"type = {name}"]


def test_array_types_are_spelled_as_those_of_arrays(files: list[str]) -> None:
    commands = ["whatis r#as", "whatis [u8; 2]", "ptype [u8; 2]", "whatis [1u8; 2]"]
    (spelled,) = {*last_lines(files, commands)}
    (nested,) = {*last_lines(files, ["whatis [[i16; 2]; 3]", "whatis [[1i16; 2]; 3]"])}
    assert spelled.startswith("type = ") and nested.startswith("type = ")


@pytest.mark.parametrize("place", PLACES)
def test_functions_with_raw_names(files: list[str], place: str) -> None:
    """They are those of the names without `r#`, as the file has them."""
    named, plain = answers(
        None, files, [f"info line {place}", f"info line {place.replace('r#', '')}"]
    )
    assert named.splitlines()[1:] == plain.splitlines()[1:]
    assert re.search(r'Line [0-9]+ of "a.rs" starts at', named)
