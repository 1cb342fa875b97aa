"""Functions of templates of D: what lists show and completion offers is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
module app.tp;
struct Stack(T) { T[4] a; int n; void push(T v) { a[n++] = v; } }
struct Pair(T, int k) { T a; void put(T v) { a = v + k; } }
T gen(T)(T a, T b) { return a > b ? a : b; }
T two(T, int k)(T a) { return a * k; }
int main() { Stack!int s; s.push(gen!int(2, 3)); Pair!(int, 3) p; p.put(two!(int, 7)(1));
  Stack!(Stack!int) z; z.push(s); return s.n; }
"""
METHODS = {"app.tp.Stack!int.push": 2, "Stack!int.push": 2, "app.tp.Stack!(Stack!int).push": 2,
           "app.tp.Pair!(int, 3).put": 3, "app.tp::Pair!(int, 3)::put": 3}  # fmt: skip
FUNCTIONS = {"app.tp.gen!int": 4, "gen!int": 4, "app.tp.two!(int, 7)": 5, "two!(int, 7)": 5}
"""By name, their lines; gdc leaves out the arguments of functions."""


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_names_with_arguments(tmp_path: Path, tool: Callable[[str], str], compiler: str) -> None:
    tool("gcc")  # which ldc2 links with
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    build(tmp_path, {"tp.d": SOURCE}, [[tool(compiler), "-g", *options, "tp.d"]])
    files = [str(tmp_path / "a")]
    names = METHODS if compiler == "gdc" else {**METHODS, **FUNCTIONS}
    for word, begin in (("break", "Breakpoint"), ("info line", "Line"), ("info scope", "S")):
        shown = answers(None, files, [f"{word} {name}" for name in names])
        for text, line in zip(shown, names.values(), strict=True):
            said = text.partition("\n")[2]
            assert said.startswith(begin) or "contains no locals" in said, text
            assert word == "info scope" or re.search(rf"\b[Ll]ine {line}\b", said), text
    [offered] = answers(None, files, ["complete break app.tp."])
    completed = offered.splitlines()[1:]
    for text in answers(None, files, completed):
        assert "\nBreakpoint " in text, text
    assert len(completed) == 6


VALUES = """\
module pk.em;
enum E { a, b }
struct S { int q; }
int en(E e)(int x) { int loc = x + e; return loc; }
int dec(double d)(int x) { return x + cast(int) d; }
int str(string s)(int x) { return x + cast(int) s.length; }
int chr(char c)(int x) { return x + c; }
int wrap(T)(T x) { return 1; }
struct Box(T, E e) { T t; int get(U)(U u) { return cast(int) u; } static int sf(int k) {return k;} }
template Outer(E e) { int inner(int x) { return x + e; } }
extern(C) int main() {
  S s; Box!(S, E.b) b;
  int r = en!(E.b)(3) + dec!(1.5)(2) + str!"a.b"(1) + str!"a, (b"(2) + chr!'.'(1);
  r += wrap(s) + wrap(b) + b.get!long(3) + b.get!E(E.b) + b.sf(2);
  return r + Outer!(E.b).inner(3);
}
"""
INSTANCES = {
    "pk.em.en!E.b": 4, "pk.em.en!(E.b)": 4, "en!(E.b)": 4, "pk.em.dec!1.5": 5, "dec!(1.5)": 5,
    'pk.em.str!"a.b"': 6, 'pk.em.str!("a.b")': 6, 'pk.em.str!"a, (b"': 6, "pk.em.chr!'.'": 7,
    "pk.em.wrap!(S)": 8, "pk.em.wrap!S": 8, "pk.em.wrap!(Box!(S,E.b))": 8,
    "pk.em.Box!(S, E.b).get!long": 9, "Box!(S,E.b).get!E": 9, "pk.em.Box!(S, E.b).sf": 9,
    "pk.em.Outer!E.b.inner": 10, "pk.em.Outer!(E.b).inner": 10,
}  # fmt: skip


@pytest.fixture(scope="module")
def values(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    tool("gcc")  # which ldc2 links with
    folder = tmp_path_factory.mktemp("values")
    build(folder, {"em.d": VALUES}, [[tool("ldc2"), "-g", "-betterC", "-of=a", "em.d"]])
    return [str(folder / "a")]


@pytest.mark.parametrize(("name", "line"), INSTANCES.items())
def test_arguments_that_are_values(values: list[str], name: str, line: int) -> None:
    """A point in them is part of the argument, and the only one may be without parentheses."""
    stop, shown = answers(None, values, [f"break {name}", f"info line {name}"])
    assert stop.endswith(f", line {line}.\n") and f"\nLine {line} " in shown


@pytest.mark.parametrize("name", [name for name in INSTANCES if name.startswith("pk.")])
def test_instances_in_expressions(values: list[str], name: str) -> None:
    value, type_, where = answers(
        None, values, [f"print &{name}", f"ptype {name}", f"info address {name}"]
    )
    assert "*)(" in value and "\ntype = int (" in type_
    assert " is a function at address 0x" in where


def test_variables_and_types_of_instances(values: list[str]) -> None:
    commands = ["whatis pk.em.en!E.b::loc", "print sizeof(pk.em.Box!(S,E.b))", "print 1 !is 2"]
    shown = [text.splitlines()[1:] for text in answers(None, values, commands)]
    assert shown == [["type = int"], ["$1 = 4"], ["$2 = true"]]


def test_suggestions_are_written_as_in_d(values: list[str]) -> None:
    meant = {"pk.em.en!E.a": "pk.em.en!E.b", "pk.em.mian": "pk.em.main"}
    shown = answers(None, values, [f"tbreak {name}" for name in meant])
    for text, name in zip(shown, meant.values(), strict=True):
        assert f' not defined. Did you mean "{name}"?\n' in text


NESTED = """\
module pk.ne;
int plain(int x) {
  int inner(int y) { int deep(int z) { return z + x + y; } return deep(y); }
  return inner(x);
}
struct S { int k; int h(int x) { int inner(int y) { return y + x + k; } return inner(x); } }
int gen(T)(T x) { int own(T y) { return y + x; } return own(x); }
extern(C) int main() { S s; return plain(1) + s.h(2) + gen(3); }
"""
LOCAL = {"plain.inner": 3, "plain.inner.deep": 3, "S.h.inner": 6}


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_nested_functions_are_named_after_their_functions(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """GDB names them so with parameters: `pk.ne.plain(int).inner(int)`."""
    tool("gcc")  # which ldc2 links with
    options = ["-O0", "-fno-druntime", "-o", "a"] if compiler == "gdc" else ["-betterC", "-of=a"]
    build(tmp_path, {"ne.d": NESTED}, [[tool(compiler), "-g", *options, "ne.d"]])
    names = {**LOCAL, "gen!int.own" if compiler == "ldc2" else "gen.own": 7}
    for name, line in names.items():
        commands = [f"break {name}", f"break pk.ne.{name}", "info breakpoints"]
        *stops, listed = answers(None, [str(tmp_path / "a")], commands)
        assert all(text.endswith(f", line {line}.\n") for text in stops)
        assert listed.count(f" in pk.ne.{name} at ") == 2
    [where] = answers(None, [str(tmp_path / "a")], ["info address pk.ne.plain.inner"])
    assert 'Symbol "pk.ne.plain.inner" is a function at address 0x' in where
    if compiler == "ldc2":  # those of gdc are not external: as in GDB, they are not listed
        [listed] = answers(None, [str(tmp_path / "a")], ["info functions inner"])
        assert "\tint pk.ne.plain.inner.deep(int);\n" in listed


STATIC = """\
module pk.vs;
int plain(int x) {
  __gshared static int kept = 2;
  int inner(int y) { __gshared static int deep = 4; return y + deep++; }
  return x + kept++ + inner(x);
}
struct S { int k; int h(int x) { __gshared static int kept = 5; return x + kept++; } }
extern(C) int main() { S s; return plain(1) + s.h(2); }
"""


def test_static_variables_are_named_after_their_functions(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """ldc2 has their entries in the module; what is listed is what print accepts."""
    tool("gcc")  # which ldc2 links with
    command = [tool("ldc2"), "-g", "-betterC", "-of=a", "vs.d"]
    build(tmp_path, {"vs.d": STATIC}, [command])
    values = {"pk.vs.plain.kept": 2, "pk.vs.plain.inner.deep": 4, "pk.vs.S.h.kept": 5}
    commands = ["info variables kept", "info variables deep", "print kept"]
    listed = answers(None, [str(tmp_path / "a")], commands)
    for name, value in values.items():
        assert f"\tint {name};\n" in "".join(listed[:2])
        commands = [f"print {name}", f"info address {name}"]
        shown, where = answers(None, [str(tmp_path / "a")], commands)
        assert f"$1 = {value}\n" in shown
        assert f'Symbol "{name}" is static storage at address 0x' in where
    assert 'Did you mean "pk.vs.plain.kept"?' in listed[2]
