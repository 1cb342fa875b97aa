"""The type of a member that the discriminant of a real object selects, in Rust."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, with_core

SOURCE = """\
enum Shape { Rect(u32, u16), Circle { r: f64 }, Unit }
struct Holder { a: u8, own: Shape, many: [Shape; 3], grid: [[Shape; 2]; 2] }
#[inline(never)] fn work(sh: &Shape, held: &Holder, maybe: &Option<Shape>, list: &[Shape]) {
    let row: [Shape; 2] = [Shape::Unit, Shape::Rect(5, 6)];
    std::hint::black_box((sh, held, maybe, list, &row));
    std::process::abort(); }
fn main() {
    let held = Holder { a: 1, own: Shape::Circle { r: 2.5 },
        many: [Shape::Circle { r: 1.5 }, Shape::Rect(1, 2), Shape::Unit],
        grid: [[Shape::Unit, Shape::Circle { r: 0.5 }], [Shape::Rect(8, 9), Shape::Unit]] };
    work(&Shape::Rect(7, 8), &held, &Some(Shape::Rect(3, 4)), &held.many); }
"""
ANSWERS = {
    "whatis (*sh).Rect.__0": "type = u32",
    "print sizeof((*sh).Rect.__1)": "$1 = 2",
    "ptype sh.Rect.__0": "type = u32",
    "whatis (*held).own.Circle.r": "type = f64",
    "whatis held.a": "type = u8",
    "whatis (*maybe).Some.__0.Rect.__1": "type = u16",
    "whatis (*sh).Circle": "There is no member named Circle: the value is the variant Rect.",
    "whatis (*sh).nosuch": "There is no member named nosuch: the value is the variant Rect.",
    "print sizeof(*sh)": "$2 = 16",
    "whatis held.many[0].Rect.__1": "There is no member named Rect: "
    "the value is the variant Circle.",
    "whatis held.many[1].Circle": "There is no member named Circle: the value is the variant Rect.",
    "whatis (*(list.data_ptr+1)).Rect.__1": "type = u16",
    "whatis (list.data_ptr+1)->Rect.__1": "type = u16",
    "set $i = 1": "",
    "whatis held.many[$i = 1].Rect": "An operand on which the type depends assigns: "
    "only the type is wanted here.",
    "print $i": "$3 = 1",
}
AS_IN_GDB = [
    "whatis held.many[1].Rect.__1",
    "ptype held.many[1].Rect.__1",
    "whatis held.many[0].Circle.r",
    "whatis (*held).grid[1][0].Rect.__0",
    "whatis held.grid[0][1].Circle.r",
    "whatis row[1].Rect.__1",
    "print sizeof(row[1].Rect.__1)",
    "whatis list.data_ptr[1].Rect.__1",
    "whatis (*&held.many)[1].Rect.__1",
    "whatis &held.many[1].Rect.__1",
    "whatis held.many[held.a].Rect.__1",
    "set $p = sh",
    "whatis (*$p).Rect.__0",
    "whatis $p.Rect.__0",
    "whatis $p->Rect.__1",
    "print sizeof((*$p).Rect.__1)",
    "set $many = held.many",
    "whatis $many[1].Rect.__1",
    "set $held = *held",
    "whatis $held.many[1].Rect.__1",
    "output held.many[1].Rect.__0",
    "output sh.Rect.__0 + 1",
    "print *&sh.Rect.__0",
    "whatis $.Rect",
]


@pytest.fixture(scope="module")
def stopped(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    tool("cc")  # with which rustc links
    folder = tmp_path_factory.mktemp("variants")
    (folder / "a.rs").write_text(SOURCE)
    words = [tool("rustc"), "-g", "--edition", "2021", "-Awarnings", "a.rs", "-o", "a"]
    subprocess.run(words, cwd=folder, check=True, timeout=60)
    return with_core(tool, folder)


def test_types_of_the_variant_that_an_object_has(stopped: list[str]) -> None:
    """Without the type of the discriminant, GDB 13 has other words for what is no member."""
    said = answers(None, stopped, ["frame function a::work", *ANSWERS])[1:]
    assert dict(zip(ANSWERS, (text.partition("\n")[2].strip() for text in said), strict=True)) == (
        ANSWERS
    )


def test_elements_and_convenience_variables_have_the_types_of_gdb(
    tool: Callable[[str], str], stopped: list[str]
) -> None:
    """GDB evaluates these expressions in the syntax of C after `set language c`, which warns."""
    frames = answers(tool("gdb"), stopped, ["bt"])[0]
    found = re.search(r"#(\d+) .* a::work ", frames)
    assert found is not None
    commands = [f"frame {found[1]}", "set language c", *AS_IN_GDB]
    own, gdbs = (answers(debugger, stopped, commands)[2:] for debugger in (None, tool("gdb")))
    assert own == gdbs
