"""Names of Ada and D with what they are in, `pk.shape` and `Color.red`, against the installed
GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

UNITS = {
    "pk.ads": """\
package Pk is
   type Color is (Red, Green);
   type Shape is tagged record A : Integer := 3; end record;
   type Round is new Shape with record B : Integer := 4; end record;
   Counter : Integer := 5; Hue : Color := Green;
   procedure Work (N : Integer);
   generic type T is private; package Stack is
      Items : array (1 .. 3) of T; Top : Natural := 0;
      procedure Push (X : T);
   end Stack;
end Pk;
""",
    "pk.adb": """\
package body Pk is
   package body Stack is
      procedure Push (X : T) is
      begin
         Top := Top + 1;
         Items (Top) := X;
      end Push;
   end Stack;
   package Numbers is new Stack (Integer);
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Work (N : Integer) is
   begin
      Numbers.Push (N);
      C_Abort;
      Counter := Counter + N;
   end Work;
end Pk;
""",
    "example.adb": """\
with Pk;
procedure Example is
   R : Pk.Round;
   package Inner is
      Own : Integer := 77;
      procedure Go (N : Integer);
   end Inner;
   package body Inner is
      Hidden : Integer := 78;
      procedure Go (N : Integer) is
      begin
         Pk.Work (N + Hidden);
         Own := N;
      end Go;
   end Inner;
begin
   Inner.Go (R.A);
end Example;
""",
}


def lines(of_commands: list[str]) -> list[str]:
    """Return the last line of each answer."""
    return [answer.splitlines()[-1] for answer in of_commands]


def program_of_ada(folder: Path, tool: Callable[[str], str]) -> list[str]:
    tool("gcc")  # which gnatmake calls
    build(folder, UNITS, [[tool("gnatmake"), "-q", "-O0", "-g", "example.adb", "-o", "a"]])
    return with_core(tool, folder)


def test_names_of_the_bodies_of_packages(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GNAT adds X to a name, and b or n for each package around it."""
    files = program_of_ada(tmp_path, tool)
    commands = ["frame function pk.work", "print pk.numbers.items", "print Pk.Numbers.Top"]
    commands += ["break pk.numbers.push", "info line pk.numbers.push", "info scope pk.numbers.push"]
    commands += ["list pk.numbers.push", "frame function example", "print pk.numbers.items(1)"]
    of_gdb = answers(tool("gdb"), files, commands)
    shown = [text.replace("<pk__numbers__pushX", "<pk.numbers.push") for text in of_gdb]
    assert answers(None, files, commands) == shown  # plain names everywhere
    assert "$2 = 1" in of_gdb[2] and "Breakpoint 1 at" in of_gdb[3]


def test_parts_of_names_in_bodies(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB takes `numbers.top` for a variable without debugging information."""
    files = program_of_ada(tmp_path, tool)
    commands = ["frame function pk.work", "print numbers.top", "print top", "up"]
    commands += ["print inner.own", "print inner.hidden", "print inner", "up", "print inner.own"]
    own = lines(answers(None, files, commands))
    assert own[1:3] == ["$1 = 1", "$2 = 1"] and own[4:6] == ["$3 = 77", "$4 = 78"]
    assert own[6] == 'No symbol "inner" in current context.' and own[8] == "$5 = 77"


def test_types_of_packages(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A name with a package is a type, too, also one of another file."""
    files = program_of_ada(tmp_path, tool)
    commands = ["frame function pk.work", "ptype pk.shape", "whatis Pk.Shape", "ptype pk.round"]
    commands += ["ptype round", "print pk.green", "frame function example", "print counter"]
    commands += ["print pk.counter", "ptype pk.shape", "whatis round", "print green", "print r.b"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert lines(of_gdb)[2] == "type = pk.shape" and lines(of_gdb)[7] == "$2 = 5"


SOURCE_OF_D = """\
module m;
import core.stdc.stdlib;
enum Color { red = 1, green }
struct Point { int x, y; int sum() { return x + y; } }
__gshared int counter = 5;
int crash(Point p, int n) {
    Color c = Color.green;
    abort();
    return n + c + p.sum();
}
int main() { return crash(Point(3, 4), counter); }
"""


def test_names_of_d(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB has the module before the name of a type; the entries have it around the type."""
    build(tmp_path, {"m.d": SOURCE_OF_D}, [[tool("gdc"), "-g", "-O0", "-o", "a", "m.d"]])
    files = with_core(tool, tmp_path)
    commands = ["frame function m.crash", "break m.crash", "list m.crash", "info scope m.crash"]
    commands += ["break m.Point.sum", "print m.Color"]
    of_gdb = answers(tool("gdb"), files, commands)
    own = answers(None, files, commands)
    assert own[1:] == of_gdb[1:] and "Breakpoint 1 at" in of_gdb[1]
    commands = ["frame function m.crash", "print Color.red", "print m.Color.red", "whatis m.Point"]
    commands += ["print (m.Color)2", "print sizeof(m.Point)", "print m.counter"]
    assert lines(answers(None, files, commands))[1:] == [
        "$1 = m.Color.red", "$2 = m.Color.red", "type = struct m.Point", "$3 = m.Color.green",
        "$4 = 8", "$5 = 5",
    ]  # fmt: skip


def test_destructors_of_d(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB does not read their names in expressions."""
    source = (
        "module m;\n"
        "class C { int f; this(int a) { f = a; } ~this() { f = 0; } }\n"
        "struct Held(T) { T v; ~this() { v = 0; } }\n"
        "int main() { auto c = new C(3); Held!int h; h.v = 4; return c.f - 3; }\n"
    )
    tool("gcc")  # ldc2 links with it
    build(tmp_path, {"m.d": source}, [[tool("ldc2"), "-g", "-O0", "m.d", "--of=a"]])
    files = [str(tmp_path / "a")]
    commands = ["list m.C.~this", "info scope m.C.~this", "break m.C.~this"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    commands = ["info functions ~this", "break m.Held!int.~this", "print m.C.~this"]
    commands += ["print &m.C.~this", "whatis m.Held!int.~this", "break C.~this", "break m.C.~that"]
    listed, of_struct, named, pointer, kind, short, unknown = answers(None, files, commands)
    assert "void m.C.~this(const m.C*);" in listed
    assert ": file m.d, line 3." in of_struct and ": file m.d, line 2." in short
    assert "= {void (const m.C*)} 0x" in named and "= (void (m.C::*)(const m.C*)) 0x" in pointer
    assert lines([kind])[0].startswith("type = void (") and "not defined" in unknown


@pytest.mark.parametrize("compiler", ["ldc2", "gdc"])
def test_quoted_names_and_destructors_of_d(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """GDB has symbols for functions in quotes, whose names are the same. gdc names constructors and
    destructors otherwise; a name in quotes before `::` is that of a file."""
    tool("gcc")  # which ldc2 links with
    text = (
        "module em;\n"
        "class C { int f; this(int a) { f = a; } ~this() { f = 0; } int get() { return f; }\n"
        "  static int made; }\n"
        "__gshared int d, counter = 7;\n"
        "int main() { auto c = new C(1); C.made = c.get(); return counter + d; }\n"
    )
    options = ["-O0", "-of=a"] if compiler == "ldc2" else ["-O0", "-o", "a"]
    build(tmp_path, {"em.d": text}, [[tool(compiler), "-g", *options, "em.d"]])
    files = [str(tmp_path / "a")]
    commands = [
        f"{word} {name}"
        for word in ("info line", "list", "info scope")
        for name in ("em.C.~this", "'em.C.~this'", "em.C.this", "'em.C.get'")
    ]
    commands += ["print 'em.nosuch'", "print 'em.C.nosuch'"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    for name in ("C.get", "C.~this"):
        quoted, plain = answers(None, files, [f"output &'em.{name}'", f"info line em.{name}"])
        [address] = re.findall("0x[0-9a-f]+", quoted)
        assert f"address {address} " in plain
    (of_type,) = answers(None, files, ["whatis 'em.C'"])
    assert of_type.startswith("whatis 'em.C'\ntype = ") and of_type.endswith("em.C\n")
    (unlocated,) = answers(None, files, ["print 'em.C.made'"])
    assert "Cannot find thread-local storage" in unlocated


def test_frames_in_the_bodies_of_packages(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The names of their functions have no letters of GNAT."""
    tool("gcc")
    stop = 'procedure C_Abort;\n   pragma Import (C, C_Abort, "abort");\n'
    body = (
        UNITS["pk.adb"].replace(stop, "").replace("Items (Top) := X;", "Items (Top) := X; C_Abort;")
    )
    body = body.replace("package body Pk is\n", f"package body Pk is\n   {stop}", 1)
    make = [tool("gnatmake"), "-q", "-O0", "-g", "example.adb", "-o", "a"]
    build(tmp_path, {**UNITS, "pk.adb": body}, [make])
    files = with_core(tool, tmp_path)
    commands = ["frame function pk.numbers.push", "print x", "print top", "up", "print n"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert "in pk.numbers.push (x=81) at " in of_gdb[0] and "$2 = 1" in of_gdb[2]


WITH_A_MEMBER = """\
module config;
import core.stdc.stdlib;
struct Config { int counter = 50; }
__gshared int counter = 3;
class Game {
    Config config;
    int play(int n) { abort(); return config.counter + n; }
}
int main() { auto g = new Game; return g.play(counter); }
"""


def test_a_member_of_d_with_the_name_of_its_module(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """In a member function it is an object, which comes before the module."""
    command = [tool("gdc"), "-g", "-O0", "-o", "a", "config.d"]
    build(tmp_path, {"config.d": WITH_A_MEMBER}, [command])
    commands = ["frame function config.Game.play", "print config.counter", "print config"]
    commands += ["up", "print config.counter"]
    own = lines(answers(None, with_core(tool, tmp_path), commands))
    assert own[1:3] == ["$1 = 50", "$2 = {counter = 50}"] and own[4] == "$3 = 3"


def test_static_members_of_d_in_code_of_c(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """gdc describes them as variables of the module; GDB knows their symbols alone."""
    of_d = (
        "module pk.em;\n"
        "struct S { static __gshared int st = 9; }\n"
        "int twice(int a) { { static __gshared int x = 1; a += x; }\n"
        "  { static __gshared int x = 2; a += x; } static __gshared int y = 5; return a + y; }\n"
        "extern(C) int entry() { return twice(S.st); }\n"
    )
    of_c = (
        "#include <stdlib.h>\nint entry(void);\n"
        "int main(void) { int n = entry(); if (n) abort(); return n; }\n"
    )
    commands = [[tool("gcc"), "-g", "-c", "c.c"], [tool("gdc"), "-g", "-o", "a", "a.d", "c.o"]]
    build(tmp_path, {"a.d": of_d, "c.c": of_c}, commands)
    files = with_core(tool, tmp_path)
    same = ["frame function main", "print (int)'pk.em.S.st'", "print (int)'pk.em.twice(int).y'"]
    same += ["print 'pk.em.S.other'", "print (int)'pk.em.twice(int).z'"]
    assert answers(None, files, same) == answers(tool("gdb"), files, same)
    own = ["frame function main", "print 'pk.em.S.st' + 1", "whatis 'pk.em.S.st'"]
    own += ["info address pk.em.S.st", "print 'pk.em.twice(int).x'"]
    _, added, type_, where, ambiguous = lines(answers(None, files, own))
    assert added == "$1 = 10" and type_ == "type = int"
    assert where.startswith('Symbol "pk.em.S.st" is static storage at address 0x')
    assert ambiguous.startswith('"pk.em.twice(int).x" is ambiguous: _D2pk2em5twiceFiZ')


def test_static_members_of_templates_of_d(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """In quotes, as GDB shows their symbols; those with other arguments have no such name here."""
    text = (
        "module pk.em;\n"
        "struct S { int a; } interface K { } enum E { a, b }\n"
        "struct T(A...) { static __gshared int ts = 4;\n"
        "  static int f() { static __gshared int inner = 3; return inner + ts; } }\n"
        "struct V(bool b, uint u, ulong l, long n, byte y) { static __gshared int vs = 5; }\n"
        "struct N(int n) { static struct In { static __gshared int deep = 6; } }\n"
        "extern(C) int entry() { return T!(S).f() + T!(int, K).f() + T!(E).f() + N!(1).In.deep\n"
        "  + V!(true, 3, 4, -5, 6).vs; }\n"
    )
    names = ("T!(pk.em.S).T.ts", "T!(int, pk.em.K).T.f().inner", "T!(pk.em.E).T.ts")
    names += ("V!(true, 3u, 4uL, -5L, 6).V.vs", "N!(1).N.In.deep", "N!(1).N.In.none")
    of_c = (
        "#include <stdlib.h>\nint entry(void);\n"
        "int main(void) { int n = entry(); if (n) abort(); return n; }\n"
    )
    commands = [[tool("gcc"), "-g", "-c", "c.c"], [tool("gdc"), "-g", "-o", "a", "a.d", "c.o"]]
    build(tmp_path, {"a.d": text, "c.c": of_c}, commands)
    files = with_core(tool, tmp_path)
    asked = ["frame function main"]
    for name in names:
        asked += [f"print (int)'pk.em.{name}'", f"info symbol &'pk.em.{name}'"]
    own = answers(None, files, asked)
    assert own == answers(tool("gdb"), files, asked)
    assert "$1 = 4" in own[1] and "pk.em.T!(pk.em.S).T.ts in section .data" in own[2]


IN_A_PACKAGE = """\
module app.core;
import core.stdc.stdlib;
__gshared int counter = 42;
struct Point { double x, y; double sum() { return x + y; } }
enum Colour { red, green }
class Animal { int legs = 4; void speak() { stop(legs); } }
void stop(int n) { abort(); }
void main() {
    auto p = Point(1, 2); auto a = new Animal; auto c = Colour.green;
    counter += cast(int) p.sum() + c; a.speak();
}
"""


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_modules_of_packages(tmp_path: Path, tool: Callable[[str], str], compiler: str) -> None:
    """Compilers write `app.core` as the name of one module."""
    tool("gcc")  # ldc2 links with it
    output = ["-o", "a"] if compiler == "gdc" else ["-of=a"]
    build(tmp_path, {"c.d": IN_A_PACKAGE}, [[tool(compiler), "-g", "-O0", *output, "c.d"]])
    files = with_core(tool, tmp_path)
    commands = [
        "frame function app.core.stop",
        "break app.core.stop",
        "break app.core.Animal.speak",
    ]
    commands += ["list app.core.stop", "info scope app.core.stop", "list app.core.Point.sum"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands)[1:] == of_gdb[1:] and "Breakpoint 2 at" in of_gdb[2]
    shown = {
        "print app.core.counter": "$1 = 46", "print app.core.Colour.red == 0": "$2 = true",
        "print sizeof(app.core.Point)": "$3 = 16", "whatis app.core.counter": "type = int",
        "print app.nothing": 'No symbol "app" in current context.',
        "print app.core.nothing.x": 'No symbol "app.core.nothing" in current context.',
        "complete print app.core.cou": "print app.core.counter",
        "complete print app.core.Colour.r": "print app.core.Colour.red",
        "complete break app.core.Animal.": "break app.core.Animal.speak",
        "complete list app.core.sto": "list app.core.stop",
        "complete info scope app.core.mai": "info scope app.core.main",
    }  # fmt: skip
    commands = ["frame function app.core.stop", *shown]
    assert lines(answers(None, files, commands))[1:] == [*shown.values()]
    commands = ["ptype app.core.Point", "info scope app.core.main", "list app.core.main"]
    own = answers(None, files, ["frame function app.core.main", *commands])
    assert "in D main () at " in own[0] and "    double x;\n    double y;\n" in own[1]
    assert "\nSymbol a is " in own[2] and "\n8\tvoid main()" in own[3]


def test_what_is_listed_can_be_typed(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """ldc2 calls `main` of D `D main`, and declares in a class also what has no code."""
    tool("gcc")  # ldc2 links with it
    source = (
        "module pk.m;\n"
        "class C { int f; this(int a) { f = a; } this(string s) { f = 2; } this() {} }\n"
        "int main() {\n"
        "  int nested(int a) { return a + 1; }\n"
        "  auto c = new C(3), d = new C; return c.f + nested(d.f); }\n"
    )
    build(tmp_path, {"m.d": source}, [[tool("ldc2"), "-g", "-O0", "-of=a", "m.d"]])
    commands = ["info functions ^pk.m.main", "info functions D main", "break pk.m.main.nested"]
    commands += ["print pk.m.C.this", "print &pk.m.C.this"]
    listed, by_other_name, at_nested, *shown = answers(None, [str(tmp_path / "a")], commands)
    assert "int pk.m.main(void);" in listed and "D main" not in listed
    assert "int pk.m.main.nested(int);" in listed
    assert by_other_name.endswith(":\n")
    assert "m.d, line 4." in at_nested
    for text in shown:
        assert text.endswith("say which: pk.m.C.this(int); pk.m.C.this(void)\n")
    [listed] = answers(None, [str(tmp_path / "a")], ["list pk.m.main"])
    assert "int main() {" in listed


@pytest.mark.parametrize(
    ("compiler", "commands", "constructor"),
    [("ldc2", ["-g", "-O0", "-of=a"], "this"), ("gdc", ["-g", "-oa"], "__ctor")],
)
def test_overloads_are_listed(
    tmp_path: Path, tool: Callable[[str], str], compiler: str, commands: list[str], constructor: str
) -> None:
    tool("gcc")
    source = (
        "module pk.m;\n"
        "struct S { int a; this(int b) { a = b; } this(int b, int c) { a = c; }\n"
        "  int get(int b) { return a; } int get(string s) { return a + 1; } }\n"
        'int main() { auto s = S(1), t = S(1, 2); return s.get(1) + t.get("a"); }\n'
    )
    build(tmp_path, {"m.d": source}, [[tool(compiler), *commands, "m.d"]])
    asked = ["info functions -n ^pk.m.S.get", f"info functions -n ^pk.m.S.{constructor}"]
    for listed in answers(None, [str(tmp_path / "a")], asked):
        assert listed.count("pk.m.S.get(") + listed.count(f"pk.m.S.{constructor}(") == 2
