"""Completion of the functions that rustc names in braces, against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = """\
trait Price { fn price(&self) -> u32; }
struct Local { v: u32 }
impl Price for Local { fn price(&self) -> u32 { self.v } }
fn main() {
    struct In { a: u32 }
    impl In { fn get(&self) -> u32 { self.a } }
    impl Price for In { fn price(&self) -> u32 { self.a } }
    let add = |x: u32| { let g = |y: u32| y + x; g(x) + 5 };
    let sub = |x: u32| x - 1;
    println!("{}", add(3) + sub(4) + In { a: 3 }.get() + In { a: 3 }.price() + Local { v: 1 }.price());
}
"""  # noqa: E501
WITH_HASH = re.compile(r"^.*::h[0-9a-f]{16}'?\n", re.MULTILINE)
"""A symbol, which GDB offers beside the function."""


def test_closures_and_implementations(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"shop.rs": SOURCE}, [[tool("rustc"), "-g", "-Awarnings", "shop.rs"]])
    files = [str(tmp_path / "shop")]
    texts = ["break shop::main::", "break shop::", "tbreak shop::main::{", "until shop::main::{c",
             "break shop::{impl#0}::", "break -function shop::main::", "break 'shop::main::{",
             "break -qualified shop::{i", "break shop::main::{impl#1}::p"]  # fmt: skip
    commands = [f"complete {text}" for text in texts]
    ours = answers(None, files, commands)
    assert ours == [WITH_HASH.sub("", text) for text in answers(tool("gdb"), files, commands)]
    assert ours[0].splitlines()[1:] == [
        "break shop::main::In::get", "break shop::main::{closure#0}",
        "break shop::main::{closure#0}::{closure#0}", "break shop::main::{closure#1}",
        "break shop::main::{impl#1}::price",
    ]  # fmt: skip
    for command in ("list", "info line", "info scope", "print &'"):
        for begun in ("shop::main::", "shop::main::{"):
            (offered,) = answers(None, files, [f"complete {command} {begun}".replace("' ", "'")])
            assert "shop::main::{closure#0}::{closure#0}\n" in offered
            assert "shop::main::{impl#1}::price\n" in offered
    (offered,) = answers(None, files, ["complete print shop::main::"])
    assert "{" not in offered
    named = [line.partition(" ")[2] for line in ours[0].splitlines()[1:]]
    assert all("Breakpoint" in text for text in answers(None, files, [f"break {n}" for n in named]))
