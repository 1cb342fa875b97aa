"""Enumerations of Rust with variants that no value has, and the fields of a variant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, rust_with_core

SOURCE = """\
use std::convert::Infallible;
use std::hint::black_box;
#[derive(Clone, Copy)] pub enum Void {}
pub struct Hold { v: Void, n: u32 }
#[derive(Clone, Copy)] pub union Either { a: u32, v: Void }
pub enum Unit { Never(Void), One }
pub enum Rows { A([Void; 2]), B(u16) }
pub enum NoRows { A([Void; 0]), B(Infallible) }
pub enum Tuple { A((u8, Void)), B(u32), C(u64) }
pub enum Inner { A(bool), B(Void), C(u8, Void), D }
pub enum Outer { A(Inner), B(Void), C }
pub enum Held { A(Hold), B { n: u16 } }
pub enum OfUnion { A(Either), B(Void) }
pub enum Ref { A(&'static Void), B }
pub enum Nested { A(Result<Void, Infallible>), B(u8) }
pub enum Shape { Circle { r: f64 }, Pair(u8, u16), Empty }
fn main() {
    let unit = Unit::One; let rows = Rows::B(5); let no_rows = NoRows::A([]);
    let tuple = Tuple::C(10); let outer = Outer::A(Inner::D); let last = Outer::C;
    let held = Held::B { n: 4 }; let of_union = OfUnion::A(Either { a: 20 });
    let by_ref = Ref::B; let nested = Nested::B(8); let none: Option<Void> = None;
    let ok: Result<u32, Infallible> = Ok(6); let err: Result<Void, i32> = Err(-1);
    let inner: Option<Option<Void>> = Some(None);
    let shape = Shape::Circle { r: 1.5 }; let pair = Shape::Pair(2, 3); let some = Some(7i32);
    let empty = Shape::Empty; let boxed = Some(Box::new(8u16));
    black_box((&unit, &rows, &no_rows, &tuple, &outer, &last, &held, &of_union, &by_ref));
    black_box((&nested, &none, &ok, &err, &inner, &shape, &pair, &some, &empty, &boxed));
    unsafe { *black_box(8 as *mut i32) = 1; }
}
"""
START = "frame function a::main"
INHABITED = {
    "unit": "{One = {<No data fields>}}", "rows": "{B = {__0 = 5}}",
    "no_rows": "{A = {__0 = {}}}", "tuple": "{C = {__0 = 10}}",
    "outer": "{A = {__0 = {D = {<No data fields>}}}}", "last": "{C = {<No data fields>}}",
    "held": "{B = {n = 4}}", "of_union.A.__0.a": "20", "by_ref": "{B = {<No data fields>}}",
    "nested": "{B = {__0 = 8}}", "none": "{None = {<No data fields>}}",
    "ok": "{Ok = {__0 = 6}}", "ok.Ok.__0 + 1": "7", "err": "{Err = {__0 = -1}}",
    "inner": "{Some = {__0 = {None = {<No data fields>}}}}",
}  # fmt: skip
"""GDB 13 takes the last variant where there is no discriminant."""
FIELDS = "shape.r; pair.0; pair.1; some.0; *boxed.0; tuple.0; held.n"
REFUSED = {
    "shape.0": "There is no member named __0: the value is the variant Circle.",
    "shape.Pair": "There is no member named Pair: the value is the variant Circle.",
    "pair.2": "There is no member named __2: the value is the variant Pair.",
    "empty.r": "There is no member named r: the value is the variant Empty.",
}


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return rust_with_core(tool, tmp_path_factory.mktemp("variants"), SOURCE)


def test_variants_without_values_are_not_chosen(files: list[str]) -> None:
    own = answers(None, files, [START, *(f"output {text}" for text in INHABITED)])[1:]
    assert [answer.splitlines()[-1] for answer in own] == [*INHABITED.values()]
    shown = answers(None, files, [START, "info locals"])[1]
    assert "unit = {One = {<No data fields>}}" in shown
    assert "<error" not in shown


def test_fields_of_the_variant(tool: Callable[[str], str], files: list[str]) -> None:
    fields = [text.strip() for text in FIELDS.split(";")]
    commands = [START, *(f"{command} {text}" for text in fields for command in ("print", "whatis"))]
    assert answers(None, files, commands)[1:] == answers(tool("gdb"), files, commands)[1:]


@pytest.mark.parametrize("expression", REFUSED)
def test_another_variant_is_refused(files: list[str], expression: str) -> None:
    for command in ("print", "whatis"):
        own = answers(None, files, [START, f"{command} {expression}"])[1]
        assert own.splitlines()[1:] == [REFUSED[expression]]
