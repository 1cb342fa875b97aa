"""Arrays and slices of Rust and C whose elements have no bits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, rust_with_core, with_core

SOURCE = """\
struct Unit;
struct Holder { a: [(); 3], b: [Unit; 2], n: i32 }
static STILL: Holder = Holder { a: [(); 3], b: [Unit, Unit], n: 7 };
#[inline(never)]
fn g(u: &[()], h: &Holder, m: [[(); 2]; 2]) {
    let z = [(); 3];
    println!("{}", u.len() + h.a.len() + (h.n + STILL.n) as usize + m.len() + z.len());
    std::process::abort();
}
fn main() { g(&[(), ()], &Holder { a: [(); 3], b: [Unit, Unit], n: 3 }, [[(); 2]; 2]); }
"""
EXPECTED = {
    "z": "{(), (), ()}", "z[2]": "()", "z[3]": "no such vector element", "u": "{(), ()}",
    "h.a": "{(), (), ()}", "h.b": "{{<No data fields>}, {<No data fields>}}",
    "z == h.a": "true", "sizeof(z)": "0", "m": "{{(), ()}, {(), ()}}",
}  # fmt: skip


def test_they_are_shown(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Each was an address, and their elements were refused."""
    files = rust_with_core(tool, tmp_path, SOURCE)
    asked = ["frame function a::g", *(f"output {text}" for text in EXPECTED)]
    own = answers(None, files, asked)[1:]
    assert [said.splitlines()[-1] for said in own] == [*EXPECTED.values()]
    still = json.loads(run("eval", "--json", "--core", files[1], files[0], "a::STILL").out)
    first = {value["name"]: value["value"] for value in still["data"]["members"]}["a"]
    assert len(first["elements"]) == 3
    limited = answers(None, files, [asked[0], "set print repeats 2", "output z"])
    assert limited[-1].splitlines()[-1] == "{() <repeats 3 times>}"


IN_C = """\
struct empty {}; struct pair { struct empty both[2]; int n; } pair; int rows[2][0];
int main(void) { struct empty all[3]; __builtin_trap(); return sizeof all; }
"""


def test_those_of_c_have_a_type(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """No index denotes one, as in GDB; the first is that to which the array is a pointer."""
    build(tmp_path, {"a.c": IN_C}, [[tool("gcc"), "-g", "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = ["print *all", "whatis *all", "print *pair.both"]
    for name in ("all[0]", "pair.both[1]", "rows[1]"):
        commands += [f"whatis {name}", f"ptype {name}", f"print sizeof({name})", f"print {name}"]
    own, by_gdb = (answers(gdb, files, commands) for gdb in (None, tool("gdb")))
    assert own == by_gdb
    data = [
        json.loads(run("eval", "--json", "--core", files[1], files[0], name).out)["data"]
        for name in ("pair.both", "rows")
    ]
    assert data == [{"elements": [{"members": []}] * 2}, {"elements": [{"elements": []}] * 2}]
