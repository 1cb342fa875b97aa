"""Functions, variables and types in modules of Rust, at the prompt and in GDB."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, rust_with_core

SOURCE = """\
mod r1 {
    pub static mut COUNT: u32 = 3;
    pub struct Own { pub a: u32, pub b: [u64; 2] }
    pub enum Shape { Rect(u32, u16), Unit }
    #[derive(Copy, Clone)] pub enum Color { Red = 1, Green = 200 }
    pub mod deep {
        pub struct Inner(pub u16);
        pub static LEVEL: Inner = Inner(4);
        #[inline(never)] pub fn leaf(n: u32) -> u32 { std::hint::black_box(n + 1) }
        #[inline(never)] pub fn generic<T>(x: T) -> T { std::hint::black_box(x) }
    }
    impl Own {
        #[inline(never)] pub fn new(a: u32) -> Own { std::hint::black_box(Own { a, b: [1, 2] }) }
    }
    pub trait Area { fn area(self) -> u32; }
    impl Area for Own { #[inline(never)] fn area(self) -> u32 { std::hint::black_box(self.a) } }
    #[inline(never)] pub fn deepest(n: u32) -> u32 {
        let twice = |x: u32| std::hint::black_box(2 * x);
        twice(n) }
}
static OWN: r1::Own = r1::Own { a: 1, b: [2, 3] };
static SHAPES: [r1::Shape; 2] = [r1::Shape::Rect(1, 2), r1::Shape::Unit];
static COLOR: r1::Color = r1::Color::Green;
#[inline(never)] fn plain(own: r1::Own) -> u32 { r1::Area::area(own) }
fn main() {
    unsafe { r1::COUNT += plain(r1::Own::new(2)); }
    let sum = r1::deep::leaf(1) + r1::deep::generic(3u32) + r1::deepest(4);
    std::hint::black_box((sum, r1::deep::generic(5u16), &r1::deep::LEVEL));
    std::hint::black_box((&OWN, &SHAPES, &COLOR));
}
"""


@pytest.fixture(scope="module")
def program(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "a.rs").write_text(SOURCE)
    words = [tool("rustc"), "-g", "--edition", "2021", "-Awarnings", "a.rs", "-o", "a"]
    subprocess.run(words, cwd=folder, check=True, timeout=60)
    return [str(folder / "a")]


TYPES = [
    "whatis a::OWN",
    "whatis a::SHAPES",
    "whatis a::SHAPES[0]",
    "ptype a::SHAPES[0]",
    "whatis &a::SHAPES",
    "whatis a::COLOR",
    "ptype a::COLOR",
    "print a::COLOR",
]
"""GDB uses the syntax of C after `set language c`."""


@pytest.fixture(scope="module")
def types(tool: Callable[[str], str], program: list[str]) -> dict[str, tuple[str, str]]:
    """What dwarfgpu and GDB answer to each command, each asked once: they read all of the program
    for the first one."""
    commands = ["set language c", *TYPES]
    own, gdbs = (answers(debugger, program, commands)[1:] for debugger in (None, tool("gdb")))
    return dict(zip(TYPES, zip(own, gdbs, strict=True), strict=True))


@pytest.mark.parametrize("command", TYPES)
def test_names_of_types_have_their_modules(types: dict[str, tuple[str, str]], command: str) -> None:
    own, gdbs = types[command]
    assert own == gdbs


def test_the_lists_have_the_names_of_gdb(tool: Callable[[str], str], program: list[str]) -> None:
    commands = [
        "info functions -q -n ^r1::",
        "info functions -q -n ^a::r1::deep::",
        "info functions -q -n ^a::r1::Own",
        "info functions -q -n leaf$",
        "info functions -q -n ^leaf",
        "info functions -q -n impl.*area",
        "info functions -q -n -t u16 ^a::",
        "info functions -q -n ^a::plain",
        "info functions -q -n ^a::main",
        "info variables -q -n r1::",
        "info variables -q -n ^LEVEL",
        "info types -q r1::",
        "info types -q Own$",
        "info types -q ^r1",
    ]
    commands = ["set language c", *commands]
    own, gdbs = (answers(debugger, program, commands) for debugger in (None, tool("gdb")))
    assert own == gdbs
    assert "static u32 a::r1::deep::leaf(u32);" in own[2]


def test_closures_are_listed(program: list[str]) -> None:
    """Pointers have names in Rust, by which GDB 13 does not call them."""
    [said] = answers(None, program, ["info functions -q -n deepest"])
    lines = [line.partition("\t")[2] for line in said.splitlines() if "deepest" in line]
    assert lines[1:] == [
        "static u32 a::r1::deepest(u32);",
        "static u32 a::r1::deepest::{closure#0}(&a::r1::deepest::{closure_env#0}, u32);",
    ]


def test_what_closures_capture_is_completed_between_quotes(program: list[str]) -> None:
    whole = "a::r1::deepest::{closure_env#0}"
    asked = [f"complete whatis {quote}a::r1::deepest::" for quote in ("", "'")]
    asked.append(f"whatis '{whole}'")
    offered = [answer.splitlines()[1:] for answer in answers(None, program, asked)]
    closure = "whatis 'a::r1::deepest::{closure#0}"
    assert offered == [[], [closure, f"whatis '{whole}"], [f"type = struct {whole}"]]


def test_a_line_is_in_the_symbol_that_its_code_is_in(program: list[str]) -> None:
    """The entry of the function is called `leaf` alone."""
    line, code = answers(None, program, ["info line a::r1::deep::leaf", "x/i a::r1::deep::leaf"])
    symbol = code.partition("<")[2].partition(">")[0]
    assert symbol.startswith("a::r1::deep::leaf")
    assert f" <{symbol}> and ends at " in line and f" <{symbol}+" in line


COMPLETED = {
    "print a::r1::deep::": ["Inner", "LEVEL", "generic<u16>", "generic<u32>", "leaf"],
    "print crate::r1::deep::L": ["LEVEL"],
    "print self::r1::deep::lea": ["leaf"],
    "print r1::CO": [],
    "ptype a::r1::Sh": ["Shape", "Shape::Rect", "Shape::Unit"],
    "whatis crate::r1::Color::": ["Green", "Red"],
    "print a::r1::Own::": ["new"],
    "print a::SHAPES[0].": ["Rect", "Unit"],
    "break crate::r1::deep::": ["generic<u16>", "generic<u32>", "leaf"],
    "break crate::r1::deepe": ["deepest", "deepest::{closure#0}"],
    "break deepe": ["a::r1::deepest", "a::r1::deepest::{closure#0}"],
    "print super::": [],
}
"""What each text is completed to, without the modules that it has."""


@pytest.fixture(scope="module")
def completed(program: list[str]) -> dict[str, str]:
    """What is said to the completion of each text, in one session."""
    said = answers(None, program, [f"complete {text}" for text in COMPLETED])
    return dict(zip(COMPLETED, said, strict=True))


@pytest.mark.parametrize("text", COMPLETED)
def test_names_are_completed_with_their_modules(completed: dict[str, str], text: str) -> None:
    said = completed[text]
    begun = re.sub(r"(?:(?<=::)|(?<=[. ]))\w*$", "", text)
    assert [line.removeprefix(begun) for line in said.splitlines()[1:]] == COMPLETED[text]


def test_completed_names_are_those_of_gdb(tool: Callable[[str], str], program: list[str]) -> None:
    """GDB has the symbols of the linker as well, `a::r1::COUNT::h5f4589cae3a8315f`."""
    commands = ["complete print a::r1::deep::L", "complete whatis a::r1::Color::"]
    own, gdbs = (
        [line for said in answers(debugger, program, commands) for line in said.splitlines()]
        for debugger in (None, tool("gdb"))
    )
    assert own == [line for line in gdbs if re.search(r"::h[0-9a-f]{16}$", line) is None]


def test_paths_begin_with_the_crate(program: list[str]) -> None:
    paths = {
        "output crate::r1::COUNT": "3", "output self::r1::deep::LEVEL": "{__0 = 4}",
        "whatis crate::r1::Own": "type = struct a::r1::Own",
        "output (int) crate::COLOR": "200", "output sizeof(crate::r1::Own)": "24",
        "output crate::r1::Color::Red": "a::r1::Color::Red",
        "output super::OWN": "Too many super:: uses from 'a'",
        "output self::super::OWN": "Too many super:: uses from 'a'",
        "output crate::nothing": 'No symbol "nothing" in namespace "a".',
        "show language": 'The current source language is "auto; currently rust".',
    }  # fmt: skip
    said = [answer.splitlines()[-1] for answer in answers(None, program, [*paths])]
    assert said == [*paths.values()]
    whole, path = answers(
        None, program, ["info line a::r1::deep::leaf", "info line crate::r1::deep::leaf"]
    )
    assert whole.splitlines()[1:] == path.splitlines()[1:]


IN_MODULE = """\
pub static COLOR: u8 = 7;
pub mod r1 {
    pub static COUNT: u32 = 5;
    pub mod deep {
        pub struct Inner(pub u16);
        pub fn leaf(own: &Inner) {
            let add = own.0 as usize;
            (|at: usize| unsafe { *std::hint::black_box((at + add) as *mut i32) = 1; })(8);
        }
    }
}
fn main() { std::hint::black_box((&COLOR, &r1::COUNT)); r1::deep::leaf(&r1::deep::Inner(0)); }
"""


@pytest.fixture(scope="module")
def in_module(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return rust_with_core(tool, tmp_path_factory.mktemp("in module"), IN_MODULE)


@pytest.mark.parametrize("frame", ["frame 0", "frame function a::r1::deep::leaf"])
def test_paths_of_a_module(in_module: list[str], frame: str) -> None:
    """The closure is in the namespace `a::r1::deep::leaf`, which is no module."""
    commands = {
        "complete print super::CO": "print super::COUNT", "print super::COUNT": "$1 = 5",
        "print super::super::COLOR": "$2 = 7", "print crate::r1::COUNT": "$3 = 5",
        "whatis self::Inner": "type = struct a::r1::deep::Inner",
        "print self::super::super::super::COLOR": "Too many super:: uses from 'a::r1::deep'",
        "complete print Inn": "print Inner", "complete print r1::CO": "print r1::COUNT",
    }  # fmt: skip
    said = answers(None, in_module, [frame, *commands])[1:]
    assert [answer.splitlines()[-1] for answer in said] == [*commands.values()]
