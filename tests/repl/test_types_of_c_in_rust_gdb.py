"""Types of C in frames of Rust, which has no `struct` before them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

C = """\
struct item { int a; struct item *next; };
union part { int i; float f; };
enum color { red, green };
struct Own { long of_c; };
struct taken { int i; };
int taken = 4;
struct item first; union part part_of_c; enum color shade; struct Own own; struct taken t;
int of_c(int x) { return x + first.a + taken; }
"""
RUST = """\
extern "C" { fn of_c(x: i32) -> i32; }
struct Own { x: i32 }
#[inline(never)] fn stop(own: &Own) -> i32 {
    unsafe { *(std::hint::black_box(8) as *mut i32) = of_c(own.x); }
    own.x
}
fn main() { println!("{}", stop(&Own { x: 4 })); }
"""


def test_tags_of_c_are_types_of_rust(tmp_path: Path, tool: Callable[[str], str]) -> None:
    tool("gcc")
    build(tmp_path, {"c.c": C, "a.rs": RUST}, [
        ["gcc", "-g", "-c", "c.c"], [tool("rustc"), "-g", "a.rs", "-C", "link-arg=c.o", "-o", "a"],
    ])  # fmt: skip
    files = with_core(tool, tmp_path)
    same = ["sizeof(item)", "sizeof(part)", "sizeof(Own)", "1 as color", "sizeof([item; 2])",
            "item", "sizeof(*(0 as *const item))"]  # fmt: skip
    commands = [f"output {expression}" for expression in same]
    ours = answers(None, files, commands)[: len(commands)]
    assert ours == answers(tool("gdb"), files, commands)[: len(commands)]
    assert "Attempt to use a type name" in ours[5]
    commands = ["whatis item", "whatis part", "ptype color", "whatis a::item", "print taken"]
    shown = answers(None, files, commands)
    assert [text.splitlines()[-1] for text in shown] == [
        "type = struct item", "type = union part", "type = enum color {red, green}",
        'No symbol "item" in namespace "a".', "$1 = 4",
    ]  # fmt: skip
