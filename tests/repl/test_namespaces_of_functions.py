"""Functions of Rust beside the namespace of their closures, which has the same name."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.repl.side_by_side import answers, build, with_core

NAME = (dw.AT_NAME, dw.FORM_STRING)
CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1), *CODE), True),
    Shape(dw.TAG_NAMESPACE, (NAME,), True),
    Shape(dw.TAG_SUBPROGRAM, (NAME, *CODE, (dw.AT_EXTERNAL, dw.FORM_FLAG)), True),
    Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_CONST_VALUE, dw.FORM_DATA4))),
    Shape(dw.TAG_LEXICAL_BLOCK, CODE, True),
    Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]
RUST, END = b"\x1c", b"\0"


def function(name: bytes, low: int, inside: bytes = b"") -> bytes:
    return b"\3" + name + END + struct.pack("<QI", low, 4) + b"\1" + inside + END


def namespace(name: bytes, inside: bytes) -> bytes:
    return b"\2" + name + END + inside + END


def unit_of(low: int, size_bytes: int, inside: bytes) -> bytes:
    code = struct.pack("<QI", low, size_bytes)
    return unit(b"\1a.rs" + END + RUST + code + namespace(b"a", inside) + END)


MAIN = function(b"main", 0x1000)
CLOSURES_OF_MAIN = namespace(b"main", function(b"{closure#0}", 0x1004))
CLOSURES = namespace(b"send", function(b"{closure#0}", 0x1004))
SEND = function(b"send", 0x1008, b"\4v\0" + bytes(4))
UNITS = {
    "before it": unit_of(0x1000, 16, MAIN + CLOSURES + SEND),
    "after it": unit_of(0x1000, 16, MAIN + SEND + CLOSURES),
    "in the unit of the place": unit_of(0x1000, 8, MAIN + CLOSURES) + unit_of(0x1008, 8, SEND),
    "in another unit": unit_of(0x1000, 4, MAIN)
    + unit_of(0x1004, 4, CLOSURES)
    + unit_of(0x1008, 8, SEND),
}


@pytest.fixture(params=UNITS.values(), ids=UNITS)
def state(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A program that is stopped in `a::main`."""
    sections: dict[str, bytes | Content] = {
        ".debug_info": request.param,
        ".debug_abbrev": abbreviations(*SHAPES),
        ".text": Content(bytes(64), flags=6, address=0x1000),
    }
    (tmp_path / "a.so").write_bytes(elf(sections, machine=X86_64))
    path = tmp_path / "a.json"
    path.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": "a.so"}], "waves": [{"pc": 0x1000}],
    }))  # fmt: skip
    return path


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print a::send", "$1 = {void (void)} 0x1008 <send>"),
        ("print send", "$1 = {void (void)} 0x1008 <send>"),
        ("whatis a::send", "type = void (void)"),
        ("info address a::send", 'Symbol "a::send" is a function at address 0x1008.'),
        ("info scope a::send", "Scope for a::send:"),
        ("info scope -qualified a::send", "Scope for -qualified a::send:"),
        ("print 'a::send::{closure#0}'", "$1 = {void (void)} 0x1004 <{closure#0}>"),
        ("print a::other", 'No symbol "other" in namespace "a".'),
        ("ptype a", "type = namespace a"),
    ],
)
def test_the_function_precedes_the_namespace(state: Path, command: str, expected: str) -> None:
    """rustc puts what is in a function, as its closures, in a namespace with the name of the
    function beside it, which may be described first, or in another unit."""
    done = run("debug", "-q", "--batch", "--state", state, "-ex", command)
    assert (done.out + done.err).splitlines()[0] == expected


def test_a_linespec_names_what_is_in_the_namespace(state: Path) -> None:
    for name in ("a::send::{closure#0}", "send::{closure#0}"):
        done = run("debug", "-q", "--batch", "--state", state, "-ex", f"info scope {name}")
        assert done.out == f"Scope for {name} contains no locals or arguments.\n"
    done = run("debug", "-q", "--batch", "--state", state, "-ex", "info scope b::send")
    assert done.err.startswith('Function "b::send" not defined.')


IN_BLOCK = b"\5" + struct.pack("<QI", 0x1008, 4) + b"\4block\0" + bytes(4) + END
AT_FRAME_BASE = b"\6odd\0\x02\x91\0"
STATIC = b"\4kept\0" + (3).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("v", 'No symbol "v" in current context.'),
        ("block", 'No symbol "block" in current context.'),
        ("(int) kept", "$1 = 3"),
        ("(int) a::send::block", "$1 = 0"),
        (
            "(int) odd",
            "the location of odd has DW_OP_fbreg, but it is outside of functions: no frame base is "
            "its own",
        ),
    ],
)
@pytest.mark.parametrize("is_in_one_unit", [True, False])
def test_a_closure_does_not_see_the_variables_of_the_function(
    tmp_path: Path, name: str, expected: str, is_in_one_unit: bool
) -> None:
    """As in GDB 13: they are of another frame, though they are in a scope with the name of the
    namespace. A static variable of the function is in the namespace (rustc 1.95)."""
    closure = function(b"{closure#0}", 0x1004)
    closures = namespace(b"send", closure + STATIC + AT_FRAME_BASE)
    send = function(b"send", 0x1008, b"\4v\0" + bytes(4) + IN_BLOCK)
    info = unit_of(0x1004, 8, closures + send)
    if not is_in_one_unit:
        info = unit_of(0x1004, 4, closures) + unit_of(0x1008, 4, send)
    sections: dict[str, bytes | Content] = {
        ".debug_info": info,
        ".debug_abbrev": abbreviations(*SHAPES),
        ".text": Content(bytes(64), flags=6, address=0x1000),
    }
    (tmp_path / "a.so").write_bytes(elf(sections, machine=X86_64))
    done = run(
        "debug", "-q", "--batch", tmp_path / "a.so", "--pc", "0x1004", "-ex", f"print {name}"
    )
    assert expected in (done.out + done.err).splitlines()[0]


def test_the_nearest_module_counts_in_whichever_unit(tmp_path: Path) -> None:
    """rustc divides the modules of a crate between units: `kept` means that of the module with the
    code (The Rust Reference, "Paths"), not one of the crate in the unit of the code."""
    here = unit_of(0x1004, 4, namespace(b"m", function(b"send", 0x1004)) + STATIC)
    there = unit_of(0x1008, 4, namespace(b"m", b"\4kept\0" + (4).to_bytes(4, "little")))
    sections: dict[str, bytes | Content] = {
        ".debug_info": here + there,
        ".debug_abbrev": abbreviations(*SHAPES),
        ".text": Content(bytes(64), flags=6, address=0x1000),
    }
    (tmp_path / "a.so").write_bytes(elf(sections, machine=X86_64))
    done = run(
        "debug", "-q", "--batch", tmp_path / "a.so", "--pc", "0x1004", "-ex", "print (int) kept"
    )
    assert done.out == "$1 = 4\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("(int) main::STATE", "$1 = 3"),
        ("main::main", "$1 = {void (void)} 0x1000 <main>"),
        ("(int) main::of_function", "$1 = 5"),
        ("(int) main::config::LEVEL", "$1 = 9"),
    ],
)
@pytest.mark.parametrize("closures", [b"", CLOSURES_OF_MAIN], ids=["", "closures"])
def test_a_crate_with_the_name_of_its_function(
    tmp_path: Path, name: str, expected: str, closures: bytes
) -> None:
    """`rustc main.rs`: the function `main` is in the crate `main`, and its closures in a namespace
    `main` in that."""
    in_function = b"\4of_function\0" + (5).to_bytes(4, "little")
    inside = function(b"main", 0x1000, in_function) + b"\4STATE\0" + (3).to_bytes(4, "little")
    inside += closures + namespace(b"config", b"\4LEVEL\0" + (9).to_bytes(4, "little"))
    code = struct.pack("<QI", 0x1000, 16)
    info = unit(b"\1main.rs" + END + RUST + code + namespace(b"main", inside) + END)
    sections: dict[str, bytes | Content] = {
        ".debug_info": info,
        ".debug_abbrev": abbreviations(*SHAPES),
        ".text": Content(bytes(64), flags=6, address=0x1000),
    }
    (tmp_path / "a.so").write_bytes(elf(sections, machine=X86_64))
    done = run("debug", "-q", "--batch", tmp_path / "a.so", "--pc", "0x1000", "-ex", f"p {name}")
    assert (done.out + done.err).splitlines()[0] == expected


STATICS = """\
static CNT: i32 = 41;
#[inline(never)] fn stop() { unsafe { std::ptr::null_mut::<i32>().write_volatile(0) } }
fn noinner(n: i32) -> i32 { stop(); n + CNT }
struct Own { a: i32 }
struct Gen<T> { a: T }
trait Area {
    fn area(&self) -> i32;
    fn usual(&self) -> i32 { static CNT: i32 = 75; Own { a: 1 }.area() + CNT } }
impl Own { fn method(&self) -> i32 { static CNT: i32 = 60; noinner(self.a) + CNT } }
impl Area for Own { fn area(&self) -> i32 { static CNT: i32 = 70; self.method() + CNT } }
impl<T: Copy> Gen<T> { fn generic_method(&self) -> i32 { static CNT: i32 = 80; self.area() + CNT } }
impl<T: Copy> Area for Gen<T> { fn area(&self) -> i32 { static CNT: i32 = 85; self.usual() + CNT } }
fn generic<T: Copy>(t: T) -> i32 {
    static CNT: i32 = 50;
    fn deep<U>(u: U) -> i32 { static CNT: i32 = 51; Gen { a: 7u8 }.generic_method() + CNT }
    deep(t) + CNT }
fn work(n: i32) -> i32 {
    static CNT: i32 = 42;
    fn inner(q: i32) -> i32 { static CNT: i32 = 43; generic(q) + CNT }
    let closure = |q: i32| inner(q) + CNT;
    closure(n) + CNT }
fn blocks(n: i32) -> i32 {
    { static CNT: i32 = 45; std::hint::black_box(&CNT); }
    { static CNT: i32 = 46; work(n) + CNT } }
fn main() { std::hint::black_box(blocks(1)); }
"""
OF_STATICS = [
    "41", "60", "70", "75", "85", "80", "51", "50", "43", "42", "42",
    'several blocks of "a::blocks" declare "CNT", at lines 23, 24',
]  # fmt: skip


@pytest.mark.parametrize("mangling", ["", "v0"])
def test_the_nearest_static_counts(
    tmp_path: Path, tool: Callable[[str], str], mangling: str
) -> None:
    """The Rust Reference, "Static items": each function has its own, whose value is that in the
    source. GDB 13 takes that of a function around it, or none."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "-Awarnings"]
    make += [f"-Csymbol-mangling-version={mangling}"] if mangling else []
    build(tmp_path, {"a.rs": STATICS}, [[*make, "a.rs", "-o", "a"]])
    files = with_core(tool, tmp_path)
    frames = answers(None, files, [f"frame {level}" for level in range(9)])
    first = next(level for level, text in enumerate(frames) if "noinner" in text)
    for level, expected in enumerate(OF_STATICS, first):
        [_, shown] = answers(None, files, [f"frame {level}", "output CNT"])  # notes are shown once
        assert shown.splitlines()[-1] == expected
        assert ("the file does not say in which block" in shown) == (
            level != first and expected.isalnum()
        )
    [_, shown] = answers(None, files, [f"frame {first + 8}", "complete print CN"])
    assert shown.splitlines()[1:] == ["print CNT"]


ITEMS = """\
struct L { a: i64, b: i64 }
#[derive(Clone, Copy)] enum E { P = 300, Q = 301 }
struct Only { a: i32 }
fn help(a: i32) -> i32 { a + 7 }
mod side { #[inline(never)] pub fn send() -> i32 { 9 } }
fn f() -> i32 {
    {
        struct L(u8);
        #[derive(Clone, Copy)] enum E { P = 3, Q = 4 }
        struct Own(u16);
        fn help(a: i32) -> i32 { a + 8 }
        fn side() -> i32 { 5 }
        std::hint::black_box((L(1), [E::P, E::Q], Own(2), help(1), side()));
    }
    let closure = |z: i32| {
        fn inner(z: i32) { if z > 0 { std::process::abort(); } }
        inner(z + side::send());
        help(1) };
    closure(5) }
fn main() { std::hint::black_box((L { a: 1, b: 2 }, [E::P, E::Q], Only { a: 1 }, help(1), f())); }
"""
IN_UNKNOWN_BLOCK = "the file does not say in which block, and what is around the function has"


@pytest.mark.parametrize("function", ["f", "f::{closure#0}", "f::{closure#0}::inner"])
def test_items_of_blocks_are_noted(
    tmp_path: Path, tool: Callable[[str], str], function: str
) -> None:
    """The code of all three is outside of the block, and means what is around `f` (The Rust
    Reference, "Items", "Scopes"): of `L` 16 bytes."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "-Awarnings", "a.rs", "-o", "a"]
    build(tmp_path, {"a.rs": ITEMS}, [make])
    files = with_core(tool, tmp_path)
    commands = ["print sizeof(L)", "whatis L", "ptype L", "print (E) 3", "print E::P", "print help"]
    commands += ["print sizeof(Own)", "print sizeof(Only)", "print side"]
    doubtful = commands[:6]
    for command in commands:  # notes are shown once in a session
        [_, shown] = answers(None, files, [f"frame function a::{function}", command])
        assert (IN_UNKNOWN_BLOCK in shown) == (command in doubtful), command
        assert "at line 0" not in shown


OF_BLOCKS = """\
fn f() {
    { struct L(u8); enum E { P = 3, Q = 4 } std::hint::black_box((L(1), [E::P, E::Q])); }
    { struct L(i64); enum E { P = 30, Q = 40 } std::hint::black_box((L(1), [E::P, E::Q])); }
    std::process::abort(); }
fn main() { f(); }
"""


@pytest.mark.parametrize(
    ("command", "name"), [("print sizeof(L)", "L"), ("ptype L", "L"), ("print E::P", "E")]
)
def test_types_of_several_blocks_are_refused(
    tmp_path: Path, tool: Callable[[str], str], command: str, name: str
) -> None:
    """The first in the file was taken."""
    tool("gcc")  # which rustc links with
    build(tmp_path, {"a.rs": OF_BLOCKS}, [[tool("rustc"), "-g", "-Awarnings", "a.rs", "-o", "a"]])
    files = with_core(tool, tmp_path)
    [_, shown] = answers(None, files, ["frame function a::f", command])
    assert shown.splitlines()[-1] == f'several blocks of "a::f" declare "{name}"'


LIBRARY = """\
pub static CNT: i32 = 100;
pub static FAR: i32 = 101;
pub struct Gen<T>(pub T);
impl<T: Copy> Gen<T> {
    #[inline(never)] pub fn area(&self, n: i32, go: fn(i32) -> i32) -> i32 {
        static CNT: i32 = 7;
        go(n) + CNT } }
#[inline(never)] pub fn generic<T: Copy>(t: T, go: fn(i32) -> i32) -> i32 {
    static CNT: i32 = 8;
    let closure = |q: i32| Gen(t).area(q, go) + CNT;
    closure(1) + CNT }
#[inline(never)] pub fn blocks<T: Copy>(t: T, go: fn(i32) -> i32) -> i32 {
    { static CNT: i32 = 9; std::hint::black_box(&CNT); }
    { static CNT: i32 = 10; let closure = |q: i32| generic(t, go) + CNT + q; closure(1) + CNT } }
pub fn keep(go: fn(i32) -> i32) -> i32 { blocks(1u8, go) + CNT + FAR }
"""
OF_LIBRARY = """\
extern crate lib;
fn stop(_: i32) -> i32 { std::process::abort() }
fn main() {
    if std::env::args().count() > 5 { lib::keep(stop); }
    std::hint::black_box(lib::blocks("s", stop)); }
"""
SEVERAL = 'several blocks of "lib::blocks" declare "CNT", at lines 13, 14'
IN_LIBRARY = ["7", "8", "8", SEVERAL, SEVERAL]
"""In `area`, the closure of `generic`, `generic`, the closure of `blocks`, and `blocks`."""


@pytest.mark.parametrize("mangling", ["legacy", "v0"])
def test_statics_of_generic_functions_are_in_the_unit_of_their_crate(
    tmp_path: Path, tool: Callable[[str], str], mangling: str
) -> None:
    """The instances are in the unit that calls them. That of the crate around was taken."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "-Awarnings", f"-Csymbol-mangling-version={mangling}"]
    if mangling == "legacy":
        make.pop()  # newer compilers refuse it by name
    texts = {"lib.rs": LIBRARY, "a.rs": OF_LIBRARY}
    library = [*make, "--crate-type", "rlib", "lib.rs"]
    build(tmp_path, texts, [library, [*make, "a.rs", "--extern", "lib=liblib.rlib", "-o", "a"]])
    files = with_core(tool, tmp_path)
    frames = answers(None, files, [f"frame {level}" for level in range(12)])
    first = next(level for level, text in enumerate(frames) if " area<" in text)
    for level, expected in enumerate(IN_LIBRARY, first):
        [_, shown, far] = answers(None, files, [f"frame {level}", "output CNT", "output FAR"])
        assert shown.splitlines()[-1] == expected
        assert ("the file does not say in which block" in shown) == expected.isalnum()
        assert far.splitlines()[-1] == "101"


IMPLS = """\
static DEEP: i32 = 9;
pub struct H(i32);
pub struct Gen<T>(T);
#[inline(never)] fn stop() -> i32 { std::process::abort() }
mod inn {
    pub static DEEP: i32 = 4;
    pub static ONLY: i32 = 14;
    impl super::H { #[inline(never)] pub fn of_h(&self) -> i32 { super::stop() + DEEP + ONLY } }
    impl<T> super::Gen<T> {
        #[inline(never)] pub fn of_gen(&self, h: &super::H) -> i32 {
            static OWN: i32 = 6;
            h.of_h() + DEEP + OWN } }
    pub mod more {
        pub static DEEP: i32 = 3;
        impl crate::H { #[no_mangle] pub extern "C" fn unmangled(&self) -> i32 {
            crate::in_function(self) + DEEP } } } }
fn in_function(h: &H) -> i32 {
    static DEEP: i32 = 7;
    impl Gen<u8> { #[inline(never)] fn inside(&self, h: &H) -> i32 { self.of_gen(h) + DEEP } }
    Gen(1u8).inside(h) + DEEP }
impl H { #[inline(never)] fn beside(&self) -> i32 { self.unmangled() + DEEP } }
fn main() { std::hint::black_box(H(1).beside()); }
"""
UNKNOWN_MODULE = "the file does not say in which module the impl of a::H::unmangled is: names are "
UNKNOWN_MODULE += "those of a, which has the type"
OF_IMPLS = {
    "of_h": {"DEEP": "4", "ONLY": "14", "self::DEEP": "4", "super::DEEP": "9", "crate::DEEP": "9"},
    "of_gen<u8>": {"DEEP": "4", "OWN": "6", "self::ONLY": "14", "super::DEEP": "9"},
    "inside": {"DEEP": "7", "self::DEEP": "9", "inn::DEEP": "4"},
    "unmangled": {
        "DEEP": "9",
        "crate::DEEP": "9",
        "self::DEEP": UNKNOWN_MODULE,
        "super::DEEP": UNKNOWN_MODULE,
    },
    "beside": {"DEEP": "9", "self::DEEP": "9", "super::DEEP": "Too many super:: uses from 'a'"},
}
"""By the methods that are called, the last one first."""


@pytest.mark.parametrize("mangling", ["", "v0"])
def test_names_of_a_method_are_those_around_its_impl(
    tmp_path: Path, tool: Callable[[str], str], mangling: str
) -> None:
    """The Rust Reference, "Paths": not those around the type, in which rustc describes it. GDB 13
    has no name of a module without the module."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "-Awarnings"]
    make += [f"-Csymbol-mangling-version={mangling}"] if mangling else []
    build(tmp_path, {"a.rs": IMPLS}, [[*make, "a.rs", "-o", "a"]])
    files = with_core(tool, tmp_path)
    frames = answers(None, files, [f"frame {level}" for level in range(12)])
    levels = {
        name: level
        for level, text in enumerate(frames)
        for name in OF_IMPLS
        if f" {name} (" in text.replace("::", " ")
    }
    for name, expected in OF_IMPLS.items():
        commands = [f"frame {levels[name]}", *(f"output {text}" for text in expected)]
        said = answers(None, files, commands)[1:]
        assert [text.splitlines()[-1] for text in said] == [*expected.values()], name
        assert (UNKNOWN_MODULE in said[0]) == (name == "unmangled")


VERSIONS = {
    "old.rs": """\
pub struct X { pub a: u8 }
pub mod inner { pub struct Y(pub u8); pub static FAR: i32 = 3; }
pub static CNT: i32 = 1;
struct Own(u8);
pub enum Kind { Few(u32), Rest }
pub enum Odd { A(u32), B }
pub enum Num { A = 1, B = 2 }
pub union Un { pub a: u32, pub b: f32 }
pub struct One { pub a: u32 }
#[inline(never)] pub fn f() -> i32 {
    std::hint::black_box((Kind::Few(1), Kind::Rest, Odd::A(1), Odd::B, Num::A, Num::B));
    std::hint::black_box((Un { a: 1 }, One { a: 1 }));
    std::hint::black_box((CNT, inner::FAR, Own(1), String::new())); CNT }
""",
    "new.rs": """\
pub struct X { pub a: u64, pub b: u64 }
pub mod inner { pub struct Y(pub u64); pub static FAR: i32 = 4; }
pub static CNT: i32 = 2;
struct Own(u64);
pub enum Kind { Few(f32), Rest }
pub enum Odd { A(u32), C }
pub enum Num { A = 3, B = 4 }
pub union Un { pub a: u32, pub b: i32 }
pub struct One { pub a: f32 }
#[inline(never)] pub fn f() -> i32 {
    std::hint::black_box((Kind::Few(1.0), Kind::Rest, Odd::A(1), Odd::C, Num::A, Num::B));
    std::hint::black_box((Un { a: 1 }, One { a: 1.0 }));
    std::hint::black_box((CNT, inner::FAR, Own(1), String::new())); CNT }
""",
    "a.rs": """\
static HERE: i32 = old::CNT;
fn main() {
    let x = old::X { a: 3 };
    let y = new::X { a: 4, b: 5 };
    std::hint::black_box((&x, &y, old::inner::Y(1), new::inner::Y(2), &HERE));
    std::hint::black_box(old::f() + new::f());
    std::process::abort(); }
""",
}
OF_VERSIONS = {
    "sizeof(foo::X)": 'several crates "foo" declare "X"',
    "sizeof(foo::inner::Y)": 'several blocks of "foo::inner", or several crates "foo", declare "Y"',
}
NOTED = ["foo::CNT", "foo::inner::FAR", "foo::f", "sizeof(foo::Own)"]
NOTED += [f"sizeof(foo::{name})" for name in ("Kind", "Odd", "Num", "Un", "One")]


def test_crates_of_one_name(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """As two versions of one crate are: a path does not say which is meant."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "-Awarnings"]
    library = [*make, "--crate-name", "foo", "--crate-type", "rlib"]
    commands = [
        [*library, f"{one}.rs", f"-Cmetadata={one}", f"-Cextra-filename=-{one}"]
        for one in ("old", "new")
    ]
    program = [*make, "a.rs", "--extern", "old=libfoo-old.rlib", "--extern", "new=libfoo-new.rlib"]
    build(tmp_path, VERSIONS, [*commands, [*program, "-o", "a"]])
    files = with_core(tool, tmp_path)
    start = "frame function a::main"
    said = answers(None, files, [start, *(f"output {text}" for text in OF_VERSIONS)])[1:]
    assert [text.splitlines()[-1] for text in said] == [*OF_VERSIONS.values()]
    for shown in answers(None, files, [start, *(f"print {text}" for text in NOTED)])[1:]:
        assert re.search(r"is that of (old|new)\.rs.*: (old|new)\.rs.* has another one", shown)
    for expression in ("HERE", "sizeof(alloc::string::String)"):
        [_, shown] = answers(None, files, [start, f"print {expression}"])
        assert len(shown.splitlines()) == 2, shown


PATHS = """\
mod util {
    pub static X: i32 = 10;
    pub static ONLY: i32 = 11;
    pub struct T(pub u64);
    pub mod more { pub static DEEP: i32 = 12; }
    #[inline(never)] pub fn g() -> i32 { std::process::abort() } }
fn f(v: i32) -> i32 {
    fn util(k: i32) -> i32 {
        static X: i32 = 20;
        struct T(u8);
        struct Own(u16);
        std::hint::black_box((T(1), Own(2), X, k));
        self::util::g() }
    std::hint::black_box((util::T(5), util::X, util::ONLY, util::more::DEEP));
    util(v) }
fn main() { std::hint::black_box(f(1)); }
"""
OF_PATHS = {
    "util::X": "10", "util::ONLY": "11", "sizeof(util::T)": "8", "util::more::DEEP": "12",
    "crate::util::X": "10", "f::util::X": "20", "sizeof(f::util::T)": "1",
}  # fmt: skip
OF_FUNCTION = "note: util is that of a::f: the file does not say in which block, and what is "
OF_FUNCTION += "around the function has the name, too"


@pytest.mark.parametrize("function", ["f", "f::util", "main"])
def test_paths_go_through_modules(
    tmp_path: Path, tool: Callable[[str], str], function: str
) -> None:
    """The Rust Reference, "Paths": in any block, not through the inner function of the name. What
    no module has is that of the function, which is no path of Rust."""
    tool("gcc")  # which rustc links with
    build(tmp_path, {"a.rs": PATHS}, [[tool("rustc"), "-g", "-Awarnings", "a.rs", "-o", "a"]])
    files = with_core(tool, tmp_path)
    start = f"frame function a::{function}"
    said = answers(None, files, [start, *(f"output {text}" for text in OF_PATHS)])[1:]
    assert [text.splitlines()[1:] for text in said] == [[text] for text in OF_PATHS.values()]
    if function != "main":
        [_, shown] = answers(None, files, [start, "output sizeof(util::Own)"])
        assert sorted(shown.splitlines()[1:]) == ["2", OF_FUNCTION]


IN_METHODS = """\
static OWN: i32 = 1;
struct H;
struct G;
mod inn {
    impl super::H { #[inline(never)] pub fn outer(&self) {
        static OWN: i32 = 5;
        impl super::G { #[inline(never)] fn inside(&self) { std::hint::black_box(OWN); } }
        super::G.inside() } } }
impl H { #[inline(never)] fn other(&self) {
    static OWN: i32 = 6;
    impl G { #[inline(never)] fn within(&self) { std::hint::black_box(OWN); } }
    G.within() } }
fn main() { H.outer(); std::hint::black_box(OWN); H.other(); }
"""


@pytest.mark.parametrize("mangling", ["", "v0"])
@pytest.mark.parametrize("method", ["inside", "within"])
def test_an_impl_in_a_method(
    tmp_path: Path, tool: Callable[[str], str], mangling: str, method: str
) -> None:
    """Its symbol does not name the namespace of the method around, which has another `OWN`."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "-Awarnings"]
    make += [f"-Csymbol-mangling-version={mangling}"] if mangling else []
    build(tmp_path, {"a.rs": IN_METHODS}, [[*make, "a.rs", "-o", "a"]])
    at_method = [str(tmp_path / "a"), "--pc", f"a::G::{method}"]
    [shown] = answers(None, at_method, ["output OWN"])
    assert "the file does not say in which module the impl of a::G::" in shown


NO_MODULES = """\
static X: i32 = 1;
fn stop() -> i32 { std::process::abort() }
mod inn {
    pub static X: i32 = 2;
    pub trait Tr {
        fn direct(&self) -> i32 { crate::stop() + X }
        fn of_closure(&self) -> i32 {
            let c = |x: i32| { x + 0u8.direct() };
            c(X) }
        fn around(&self) -> i32 {
            fn in_trait() -> i32 { 0u8.of_closure() + X }
            in_trait() }
    }
    impl Tr for u8 {}
    pub fn outer() -> i32 {
        fn in_function() -> i32 {
            static X: i32 = 3;
            0u8.around() + X }
        in_function() }
    pub fn one_line() -> i32 { fn in_line() -> i32 { outer() } in_line() }
    pub fn generic<T>(_: T) -> i32 {
        fn in_generic() -> i32 { one_line() + X }
        let c = |x: i32| { x + in_generic() };
        c(X) }
    pub mod both {
        pub static X: i32 = 5;
        pub fn before() -> i32 { super::generic("") + X } }
    pub fn both() -> i32 {
        both::before() + X }
    pub fn twin() -> i32 { both() + X }
    pub mod twin {
        pub static X: i32 = 6;
        pub fn after() -> i32 { super::twin() + X } }
    pub static FROM: fn() -> i32 = || { twin::after() + X };
}
fn main() { std::hint::black_box(inn::FROM() + X); }
"""
IN_NO_MODULES = {
    "direct<u8>": "2 1",
    "{closure#0}<u8>": "2 1",
    "in_trait": "2 1",
    "in_function": "2 1",
    "in_line": "2 1",
    "in_generic": "2 1",
    "{closure#0}<&str>": "2 1",
    "before": "5 2",
    "both": "2 1",
    "after": "6 2",
    "{closure#0}": "2 1",
}
"""What `self::X` and `super::X` are, by the functions that are called, the last one first."""
IN_UNKNOWN_MODULES = {"in_line": "one_line", "after": "twin"}
"""By default, with what may be a function or a module around them."""


@pytest.mark.parametrize("mangling", ["", "v0"])
def test_traits_and_functions_are_no_modules(
    tmp_path: Path, tool: Callable[[str], str], mangling: str
) -> None:
    """The Rust Reference, "Paths". The symbols of v0 say what is a function; by default only lines
    do: code on the line of a function, or behind it, may be in it or in a module of its name."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "-Awarnings"]
    make += [f"-Csymbol-mangling-version={mangling}"] if mangling else []
    build(tmp_path, {"a.rs": NO_MODULES}, [[*make, "a.rs", "-o", "a"]])
    files = with_core(tool, tmp_path)
    levels = {}
    for level, shown in enumerate(answers(None, files, [f"frame {level}" for level in range(40)])):
        for name in IN_NO_MODULES:
            if f" {name} (" in shown:
                levels.setdefault(name, level)
    for name, expected in IN_NO_MODULES.items():
        commands = [f"frame {levels[name]}", *(f"output {one}::X" for one in ("self", "super"))]
        said = answers(None, files, [*commands, "output crate::X"])[1:]
        shown = [text.splitlines()[-1] for text in said]
        if name in IN_UNKNOWN_MODULES and not mangling:
            around = f"a::inn::{IN_UNKNOWN_MODULES[name]}"
            why = f"the file does not say in which module {around}::{name} is: "
            assert shown == [why + f"{around} may be a function, too"] * 2 + ["1"]
        else:
            assert shown == [*expected.split(), "1"], name
