"""Functions, variables and types in modules of Rust, at the prompt and in GDB."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers

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


@pytest.mark.parametrize("command", TYPES)
def test_names_of_types_have_their_modules(
    tool: Callable[[str], str], program: list[str], command: str
) -> None:
    own, gdbs = (
        answers(debugger, program, ["set language c", command]) for debugger in (None, tool("gdb"))
    )
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


def test_a_line_is_in_the_symbol_that_its_code_is_in(program: list[str]) -> None:
    """The entry of the function is called `leaf` alone."""
    line, code = answers(None, program, ["info line a::r1::deep::leaf", "x/i a::r1::deep::leaf"])
    symbol = code.partition("<")[2].partition(">")[0]
    assert symbol.startswith("a::r1::deep::leaf")
    assert f" <{symbol}> and ends at " in line and f" <{symbol}+" in line
