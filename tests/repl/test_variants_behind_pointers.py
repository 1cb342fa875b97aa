"""The type of a member that the discriminant of an object behind a reference selects, in Rust."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from dwarfgpu.dwarf.types.types import Array, Member, Pointer, Struct
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION
from tests.language.sessions import demo
from tests.repl.side_by_side import answers, with_core

SOURCE = """\
enum Shape { Rect(u32, u16), Circle { r: f64 }, Unit }
struct Holder { a: u8, own: Shape }
#[inline(never)] fn work(sh: &Shape, held: &Holder, maybe: &Option<Shape>) {
    std::hint::black_box((sh, held, maybe));
    std::process::abort(); }
fn main() {
    let held = Holder { a: 1, own: Shape::Circle { r: 2.5 } };
    work(&Shape::Rect(7, 8), &held, &Some(Shape::Rect(3, 4))); }
"""
ANSWERS = {
    "whatis (*sh).Rect.__0": "type = u32",
    "print sizeof((*sh).Rect.__1)": "$1 = 2",
    "ptype sh.Rect.__0": "type = u32",
    "whatis (*held).own.Circle.r": "type = f64",
    "whatis held.a": "type = u8",
    "whatis (*maybe).Some.__0.Rect.__1": "type = u16",
    "whatis (*sh).Circle": "There is no member named Circle.",
    "whatis (*sh).nosuch": "There is no member named nosuch.",
    "print sizeof(*sh)": "$2 = 16",
}


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


def test_types_in_circles_end() -> None:
    """Only a wrong file has an array of itself: nothing is known of its parts."""
    around: Array = Array(lambda: around, (2,))
    holder = Struct("struct", "s", 8, (Member("many", around, 0),))
    pointer = TypedValue(Pointer(holder, size_bytes=8), UNDEFINED_LOCATION)
    value = Unevaluated(demo()).dereferenced(pointer)
    assert value.type is holder and value.location is UNDEFINED_LOCATION
