"""Paths of Rust: what a program prints of its names is what they are at those lines."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

PRINTED = "macro_rules! t { ($($e:expr),*) => { $( println!("
PRINTED += '"{} {} {}", line!(), stringify!($e), std::hint::black_box($e)); )* } }\n'
MANGLINGS = pytest.mark.parametrize("mangling", ["", "v0"])


def printed(
    folder: Path, tool: Callable[[str], str], mangling: str, source: str, crate: str = "a"
) -> dict[int, dict[str, str]]:
    """Build a program and return what it prints of each name, by the line with the name."""
    tool("gcc")  # which rustc links with
    make = [tool("rustc"), "-g", "-Awarnings", "--edition", "2021", "--crate-name", crate]
    make += [f"-Csymbol-mangling-version={mangling}"] if mangling else []
    make += ["a.rs", "-o", "a"]
    build(folder, {"a.rs": PRINTED + source}, [make])
    shown = subprocess.run([folder / "a"], check=True, capture_output=True, text=True, timeout=60)
    by_line: dict[int, dict[str, str]] = {}
    for text in shown.stdout.splitlines():
        line, _, rest = text.partition(" ")
        name, _, value = rest.rpartition(" ")
        by_line.setdefault(int(line), {})[name] = value
    return by_line


def said_at(folder: Path, line: int, commands: list[str]) -> list[str]:
    at_line = [str(folder / "a"), "--pc", f"a.rs:{line}"]
    return [text.splitlines()[-1] for text in answers(None, at_line, commands)]


IN_FUNCTIONS = """\
static X: u32 = 1;
static Y: u32 = 2;
mod inn {
    static X: u32 = 3;
    static Y: u32 = 4;
    pub fn outer() {
        static X: u32 = 5;
        mod m {
            static X: u32 = 6;
            static Y: u32 = 7;
            pub fn f() {
                t!(X, self::X, super::X, super::Y, super::super::X, crate::X);
            }
            pub mod n {
                static X: u32 = 8;
                pub fn f() {
                    t!(self::X, super::X, super::super::X, super::super::super::Y);
                }
            }
        }
        m::f();
        m::n::f();
        let closure = || {
            mod of_closure {
                static X: u32 = 9;
                pub fn f() {
                    t!(X, self::X, super::X, super::super::X);
                }
            }
            of_closure::f();
        };
        closure();
    }
    pub trait Tr {
        fn usual(&self) {
            mod of_trait {
                static X: u32 = 10;
                pub fn f() {
                    t!(X, self::X, super::X, super::super::X);
                }
            }
            of_trait::f();
        }
    }
    pub struct Own;
    impl Tr for Own {}
    impl Own {
        pub fn method(&self) {
            mod of_method {
                static X: u32 = 11;
                pub fn f() {
                    t!(X, self::X, super::X, super::super::X);
                }
            }
            of_method::f();
        }
    }
}
fn main() {
    inn::outer();
    inn::Tr::usual(&inn::Own);
    inn::Own.method();
}
"""


@MANGLINGS
def test_modules_in_functions(tmp_path: Path, tool: Callable[[str], str], mangling: str) -> None:
    """The Rust Reference, "Paths": `super` is the module around the module, not the function."""
    by_line = printed(tmp_path, tool, mangling, IN_FUNCTIONS)
    assert len(by_line) == 5
    for line, names in by_line.items():
        said = said_at(tmp_path, line, [f"output {name}" for name in names])
        assert said == [*names.values()], line


NAMED_TWICE = """\
static X: u32 = 1;
enum E { A = 10, B = 11 }
fn twice() -> u32 { 1 }
mod net {
    pub static X: u32 = 2;
    enum E { A = 20, B = 21 }
    pub fn only() -> u32 { 3 }
    pub mod net {
        pub static X: u32 = 3;
        pub fn twice() -> u32 { 4 }
        pub fn f() {
            t!(X, self::X, super::X, super::super::X, crate::X, crate::net::X, crate::net::net::X);
        }
    }
    pub fn f() {
        t!(X, self::X, super::X, crate::X, crate::net::X, self::net::X);
        t!(E::A as u32, crate::E::A as u32, self::E::A as u32);
        std::hint::black_box(([E::A, E::B], [crate::E::A, crate::E::B]));
    }
}
fn main() {
    t!(X, self::X, crate::X, crate::net::X, self::net::net::X);
    net::f();
    net::net::f();
    std::hint::black_box((twice(), net::net::twice(), net::only()));
}
"""


@MANGLINGS
def test_a_crate_with_the_name_of_a_module(
    tmp_path: Path, tool: Callable[[str], str], mangling: str
) -> None:
    """`crate::X` is not looked for in the modules around the code."""
    by_line = printed(tmp_path, tool, mangling, NAMED_TWICE, "net")
    assert len(by_line) == 4
    for line, names in by_line.items():
        said = said_at(tmp_path, line, [f"output {name}" for name in names])
        assert said == [*names.values()], line
    line = max(by_line)
    commands = ["info line crate::net::twice", "print crate::only", "info address crate::X"]
    no_line, no_value, address = said_at(tmp_path, line, commands)
    assert no_line.startswith('Function "net::net::twice" not defined.')
    assert no_value.startswith('No symbol "only" in namespace "net".')
    assert address.startswith('Symbol "net::X" is static storage')
    named = ["info line crate::twice", "explain crate::X", "where crate::X", "where crate::net::X"]
    at_function, explained, of_crate, of_module = said_at(tmp_path, line, named)
    assert at_function.startswith('Line 4 of "a.rs"')
    assert explained.split()[-1].endswith(of_crate.split()[-1].removeprefix("0x"))
    assert of_crate != of_module


OF_ONE_NAME = """\
static X: u32 = 7;
mod side {
    pub static X: u32 = 8;
    static Y: u32 = 9;
    pub fn far() {
        t!(X, Y, self::X);
    }
}
fn side<A>(_: A) {
    static Y: u32 = 10;
    fn inner() {
        t!(X, Y, self::X);
    }
    inner();
    t!(X, Y);
    struct Own(u8);
    impl Own {
        fn method(&self) {
            t!(X, self::X);
        }
    }
    impl Drop for Own {
        fn drop(&mut self) {
            t!(X, self::X);
        }
    }
    Own(1).method();
}
mod inn {
    pub static Y: u32 = 11;
    pub fn plain() {
        static Z: u32 = 12;
        t!(Y, Z);
        let closure = || {
            t!(Y, Z, self::Y);
        };
        closure();
    }
    pub mod plain {
        pub static Y: u32 = 13;
        static Z: u32 = 14;
        pub fn far() {
            t!(Y, Z, self::Y);
        }
    }
}
fn main() {
    side(1);
    side::far();
    inn::plain();
    inn::plain::far();
}
"""
UNKNOWN_SCOPES = (
    "the file does not say in which block, or whether in a module of that name, and what is around",
    "the file does not say in which module a::inn::plain::far is",
    'several blocks of "a::inn::plain" declare "Z", at lines ',
)
BEHIND = PRINTED.count("\n") + OF_ONE_NAME.partition("mod inn")[0].count("\n")
"""The line before the function with a module of its name behind it."""


@MANGLINGS
def test_a_function_with_the_name_of_a_module(
    tmp_path: Path, tool: Callable[[str], str], mangling: str
) -> None:
    """Neither has the items of the other one. By default only lines say whose they are: what is
    behind the code of a function may be in it."""
    by_line = printed(tmp_path, tool, mangling, OF_ONE_NAME)
    assert len(by_line) == 8
    unknown: list[tuple[int, str]] = []
    for line, names in by_line.items():
        at_line = [str(tmp_path / "a"), "--pc", f"a.rs:{line}"]
        for name, value in names.items():
            [shown] = answers(None, at_line, [f"output {name}"])
            said = shown.splitlines()[1:]
            if any(text in shown for text in UNKNOWN_SCOPES):
                unknown.append((line, name))
            else:
                assert said[-1] == value, (line, name)
                assert len([text for text in said if "note: " in text]) == 0, (line, name)
    assert [place for place in unknown if place[0] < BEHIND or mangling] == []


THROUGH_MODULES = """\
mod util { pub static X: u32 = 1; }
mod inn {
    pub mod util { pub static X: u32 = 2; }
    pub fn util<A>(_: A) {
        static W: u32 = 3;
        t!(util::X, W, crate::util::X);
    }
    pub fn plain() {
        t!(util::X, self::util::X);
    }
}
fn far() {
    fn util<A>(_: A) {
        static X: u32 = 4;
        t!(crate::util::X);
        std::hint::black_box(X);
    }
    t!(self::util::X);
    {
        use util as other;
        other(1);
    }
    t!(crate::inn::util::X);
}
mod of_function {
    pub fn f() {
        fn util<A>(_: A) {
            static X: u32 = 5;
            std::hint::black_box(X);
        }
        util(1);
        use crate::util;
        t!(util::X);
    }
}
fn main() {
    inn::util(1);
    inn::plain();
    far();
    of_function::f();
}
"""


@MANGLINGS
def test_paths_are_not_through_generic_functions(
    tmp_path: Path, tool: Callable[[str], str], mangling: str
) -> None:
    """A module beside a function of its name is one, too."""
    by_line = printed(tmp_path, tool, mangling, THROUGH_MODULES)
    assert len(by_line) == 6
    for line, names in by_line.items():
        said = said_at(tmp_path, line, [f"output {name}" for name in names])
        assert said == [*names.values()], line
