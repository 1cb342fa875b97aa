"""`*` of pointers to trait objects of Rust, at the prompt: the object that the source makes.

GDB has the same objects, but for those that `ENDING` is of, and writes them as Rust does.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, rust_with_core, with_core

SOURCE = """\
use std::{any::Any, pin::Pin, rc::Rc};
pub trait Area { fn area(&self) -> f64; }
pub struct Sq(f64);
impl Area for Sq { fn area(&self) -> f64 { self.0 } }
pub struct Unit;
impl Area for Unit { fn area(&self) -> f64 { 1.0 } }
pub enum Shape { A(u32), B { r: f64 } }
impl Area for Shape { fn area(&self) -> f64 { 2.0 } }
impl Area for i32 { fn area(&self) -> f64 { *self as f64 } }
impl Area for [u16; 3] { fn area(&self) -> f64 { 3.0 } }
impl Area for (u8, i64) { fn area(&self) -> f64 { 3.5 } }
pub struct Of<T> { t: T, n: u8 }
impl<T> Area for Of<T> { fn area(&self) -> f64 { 4.0 } }
mod inner {
    pub struct Sq(pub u8);
    impl super::Area for Sq { fn area(&self) -> f64 { 9.0 } }
}
pub struct Tail<T: ?Sized> { first: u8, last: T }
pub struct Raw { pointer: *const u8, vtable: &'static [usize; 3] }
#[inline(never)]
fn work(d: &dyn Area, m: &mut dyn Area, raw: *const dyn Area, b: &Box<dyn Area>, any: &dyn Any,
    f: &dyn Fn(i32) -> i32, sent: &(dyn Area + Send), all: &[&dyn Area], rc: Rc<dyn Area>,
    tail: &Tail<dyn Area>, slice: &[u16], text: &str, of_box: Box<[u8]>, pin: Pin<&mut Sq>,
    own: String, like: Raw, of_tail: Box<Tail<dyn Area>>) {
    std::hint::black_box((&like.pointer, &like.vtable, &of_tail));
    std::hint::black_box((d, m, raw, b, any, f, sent, all, rc, tail, slice, text));
    std::hint::black_box((of_box, pin, own));
    std::process::abort();
}
fn main() {
    let k = 3;
    let add = move |x| x + k;
    let mut sq = Sq(8.5);
    let boxed: Box<dyn Area> = Box::new(inner::Sq(12));
    let all: [&dyn Area; 8] = [&Unit, &Shape::A(7), &5i32, &[1u16, 2, 3], &(1u8, -2i64),
        &Of { t: 4u8, n: 5 }, &Of { t: 2.5f32, n: 6 }, &inner::Sq(11)];
    work(&Sq(2.5), &mut Shape::B { r: 1.5 }, &77i32, &boxed, &3u64, &add, &Sq(6.5), &all,
        Rc::new(Sq(4.5)), &Tail { first: 1, last: Sq(1.0) }, &[1, 2], "xyz", vec![1u8].into(),
        Pin::new(&mut sq), "own".to_string(),
        Raw { pointer: std::ptr::null(), vtable: &[0, 1, 2] },
        Box::new(Tail { first: 2, last: 6i32 }));
}
"""
CALLED = "Unsupported: Rust has * of references, pointers and Box; of {} it is a call of deref, if "
CALLED += "anything: functions of the program cannot be called"
SEVERAL = "{} leads to several elements: write it without *, or one of them."
OBJECTS = {
    "*d": "{__0 = 2.5}", "(*d).__0 + 1.0": "3.5", "*m": "{B = {r = 1.5}}", "(*m).B.r": "1.5",
    "*raw": "77", "*raw + 1": "78", "**b": "{__0 = 12}", "*any": "3", "*f": "{k = 3}",
    "*sent": "{__0 = 6.5}", "*all[0]": "{<No data fields>}", "*all[1]": "{A = {__0 = 7}}",
    "*all[2]": "5", "*all[3]": "{1, 2, 3}", "(*all[3])[1]": "2", "*all[4]": "{__0 = 1, __1 = -2}",
    "*all[5]": "{t = 4, n = 5}", "*all[6]": "{t = 2.5, n = 6}", "*all[7]": "{__0 = 11}",
    "sizeof(*d)": "8", "sizeof(*all[3])": "6", "tail.pointer.first": "1",
}  # fmt: skip
REFUSED = {
    "*rc": CALLED.format("alloc::rc::Rc<dyn a::Area, alloc::alloc::Global>"),
    "*pin": CALLED.format("core::pin::Pin<&mut a::Sq>"),
    "*own": CALLED.format("alloc::string::String"), "*like": CALLED.format("a::Raw"),
    "**d": CALLED.format("a::Sq"),
    "*slice": SEVERAL.format("&[u16]"), "*text": SEVERAL.format("&str"),
    "*of_box": SEVERAL.format("alloc::boxed::Box<[u8], alloc::alloc::Global>"),
}  # fmt: skip
ENDS = "Unsupported: a::Tail<dyn a::Area> ends with a trait object, whose type decides where it "
ENDS += "begins: write members"
ENDING = {"*tail": ENDS, "*of_tail": ENDS}
TYPES = {
    "whatis *d": "struct a::Sq", "whatis **b": "struct a::inner::Sq", "whatis *raw": "i32",
    "whatis (*m).B.r": "f64", "whatis *all[2]": "i32", "whatis *all[3]": "u16 [3]",
    "whatis *f": "struct a::main::{closure_env#0}",
    "ptype *all[7]": "struct a::inner::Sq {\n    u8 __0;\n}",
}  # fmt: skip
START = "frame function a::work"


def stopped_in(tool: Callable[[str], str], folder: Path, *options: str) -> list[str]:
    tool("cc")  # with which rustc links
    (folder / "a.rs").write_text(SOURCE)
    words = [tool("rustc"), "-g", "--edition", "2021", "-Awarnings", *options, "a.rs", "-o", "a"]
    subprocess.run(words, cwd=folder, check=True, timeout=60)
    return with_core(tool, folder)


def printed(files: list[str], expressions: list[str]) -> list[str]:
    """Return what `output` writes, without the command."""
    said = answers(None, files, [START, *(f"output {text}" for text in expressions)])[1:]
    return [text.splitlines()[-1].partition(" Did you mean")[0] for text in said]


@pytest.mark.parametrize("options", [
    (), ("-Cdwarf-version=5",), ("-Csplit-debuginfo=unpacked",),
    ("-Csplit-debuginfo=unpacked", "-Cdwarf-version=5"),
], ids=" ".join)  # fmt: skip
def test_objects(tool: Callable[[str], str], tmp_path: Path, options: tuple[str, ...]) -> None:
    files = stopped_in(tool, tmp_path, *options)
    expected = {**OBJECTS, **REFUSED, **ENDING}
    assert dict(zip(expected, printed(files, [*expected]), strict=True)) == expected
    said = answers(None, files, [START, *TYPES])[1:]
    shown = [text.partition("\n")[2].partition("type = ")[2].strip() for text in said]
    assert dict(zip(TYPES, shown, strict=True)) == TYPES


def test_the_table_of_several_types_or_of_none(tool: Callable[[str], str], tmp_path: Path) -> None:
    """The address in the description of another table becomes that of the first one."""
    files = stopped_in(tool, tmp_path, "-Crelocation-model=static")
    first, other = (
        int(text.split()[-1], 16) for text in printed(files, ["d.vtable", "all[0].vtable"])
    )
    content = Path(files[0]).read_bytes()
    places = [b"\x09\x03" + address.to_bytes(8, "little") for address in (first, other)]
    assert [content.count(place) for place in places] == [1, 1]
    Path(files[0]).write_bytes(content.replace(places[1], places[0]))
    before = "Unsupported: the type of the dyn a::Area is unknown: "
    assert printed(files, ["*d", "*all[0]", "*all[1]"]) == [
        f"{before}a::Sq and a::Unit share the vtable at {first:#x}",
        f"{before}the file describes no vtable at {other:#x}",
        "{A = {__0 = 7}}",
    ]


SHARED = """\
pub trait Mark {}
pub struct Id(u64);
pub struct Small(u8);
pub struct Owner(Box<u8>, u64);
impl Mark for f64 {}
impl Mark for u64 {}
impl Mark for Id {}
impl Mark for Small {}
impl Mark for Owner {}
fn helper(x: i32) -> i32 { x }
#[inline(never)]
fn work(real: &dyn Mark, whole: &dyn Mark, id: Box<dyn Mark>, sent: Box<dyn Send>,
    also: Box<dyn Send>, small: &dyn Mark, owner: &dyn Mark, f: &dyn Fn(i32) -> i32) {
    std::hint::black_box((real, whole, id, sent, also, small, owner, f));
    std::process::abort();
}
fn main() {
    work(&2.5f64, &7u64, Box::new(Id(9)), Box::new(1.5f64), Box::new(33u64), &Small(3),
        &Owner(Box::new(1), 4), &helper);
}
"""
UNIQUE = {"(*small).__0": "3", "(*owner).__1": "4", "whatis *owner": "type = struct a::Owner"}


def test_the_table_of_several_types_that_has_one_description(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """rustc makes one table of equal contents, and describes its address for one type alone."""
    files = rust_with_core(tool, tmp_path, SHARED)
    shared = ["*real", "*whole", "*id", "*sent", "*also", "whatis *real", "sizeof(*sent)"]
    refused = answers(None, files, [START, *map(evaluated, shared)])[1:]
    for said in refused:
        assert re.search(r"Unsupported: the type of the dyn .* is unknown: ", said)
        assert re.search(r"(a::Id|f64|u64) and (a::Id|f64|u64) may share the vtable at 0x", said)
    shown = answers(None, files, [START, *map(evaluated, UNIQUE)])[1:]
    assert [text.splitlines()[-1] for text in shown] == [*UNIQUE.values()]


@pytest.mark.parametrize("expression", ["*f", "sizeof(*f)", "whatis *f"])
def test_the_size_in_the_table_is_not_that_of_the_type(
    tool: Callable[[str], str], tmp_path: Path, expression: str
) -> None:
    """A function has a type without bytes in Rust, and rustc describes that of a pointer to it."""
    files = rust_with_core(tool, tmp_path, SHARED)
    [_, said] = answers(None, files, [START, evaluated(expression)])
    assert "is that of fn(i32) -> i32, but says that the object has 0 bytes" in said


def evaluated(expression: str) -> str:
    return expression if expression.startswith("whatis") else f"output {expression}"
