"""Types of a source file, `'a.cc'::T *`, where several files have one of the name, against the
installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCES = {
    "a.cc": """\
namespace { struct X { int a; X *next; }; typedef int Kind; enum E { one = 1, two };
template <class T> struct Box { T v; }; }
static X x = {1, 0}; static Kind kind = 4; static E e = two; static Box<int> box = {3};
struct Outer { struct In { int z; } in; typedef short S; }; static Outer outer; Outer::S s = 1;
namespace N { struct Y { int b; }; } static N::Y y;
typedef long Plain; static Plain plain = 3;
extern void *p; int other();
int main() { p = &x; return kind + e + box.v + other() + outer.in.z + s + plain + y.b; }
""",
    "b.cc": """\
namespace { struct X { double d; char c; }; typedef char Kind; enum E { three = 3 }; }
static X x = {2.5, 'c'}; static Kind kind = 'k'; static E e = three;
typedef double Plain; static Plain plain = 4;
void *p;
int other() { p = &x; __builtin_trap(); return (int)x.d + kind + e + (int)plain; }
""",
    "c.c": """\
struct tag { int m; }; typedef unsigned count;
struct tag tagged = {5}; static count counted = 7;
int of_c(void) { return tagged.m + counted; }
""",
}


def test_types_of_files(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A cast to one took the type of that name in the file in focus."""
    program = [tool("g++"), "-g", "-O0", "-o", "a", "a.cc", "b.cc", "c.o"]
    build(tmp_path, SOURCES, [[tool("gcc"), "-g", "-c", "c.c"], program])
    files = with_core(tool, tmp_path)
    types = ["'a.cc'::Kind", "'b.cc'::Kind", "'a.cc'::X", "'b.cc'::X", "'a.cc'::X *", "'b.cc'::X &",
             "'a.cc'::X const", "const 'a.cc'::X *", "'a.cc'::X[2]", "'a.cc'::X (*)[2]",
             "'a.cc'::E", "'a.cc'::Box<int>", "'a.cc'::Box<int> *", "'a.cc'::Plain",
             "'b.cc'::Plain", "'a.cc'::Outer::In", "'a.cc'::Outer::S", "'a.cc'::N::Y",
             "'c.c'::count", "'c.c'::tag",
             "'a.cc'::nosuch", "'nosuch.cc'::Kind", "'a.cc'::X::next", "'a.cc'::kind"]  # fmt: skip
    expressions = ["*('a.cc'::X *) p", "*('b.cc'::X *) p", "('a.cc'::Kind) 65", "('b.cc'::Kind) 65",
                   "('a.cc'::Plain) 3.5", "('b.cc'::Plain) 3.5", "('c.c'::count) -1",
                   "('a.cc'::E) 2", "{'b.cc'::X} p", "sizeof('a.cc'::X *)", "sizeof('a.cc'::Kind)",
                   "static_cast<'a.cc'::X *>(p)", "reinterpret_cast<'b.cc'::X *>(p)",
                   "(char) 'a.cc'::kind", "'a.cc'::Kind", "'a.cc'::x", "'b.cc'::three"]  # fmt: skip
    for frame in ("frame 0", "frame 1"):
        commands = [frame, *(f"{word} {kind}" for kind in types for word in ("whatis", "ptype")),
                    *(f"output {expression}" for expression in expressions)]  # fmt: skip
        ours = answers(None, files, commands)
        for mine, of_gdb in zip(ours, answers(tool("gdb"), files, commands), strict=True):
            assert mine == of_gdb


def test_files_of_one_name(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """One without a namespace hides nothing of the others; a type of an unknown file is unknown."""
    sources = {
        "a.cc": "namespace N { struct U { short s; }; enum class E { one = 1 }; }\n"
        "typedef unsigned char byte; N::U u = {3}; N::E e; byte b = 1; int other();\n"
        "int main() { return other() + u.s; }\n",
        "d/a.cc": "struct V { int v; }; static V v; int other() { return v.v; }\n",
    }
    (tmp_path / "d").mkdir()
    build(tmp_path, sources, [[tool("g++"), "-g", "-o", "a", "a.cc", "d/a.cc"]])
    commands = ["list main", "ptype 'a.cc'::N::U", "print sizeof('a.cc'::N::U)",
                "print ('a.cc'::N::U *) 0", "print 'a.cc'::N::E::one",
                "print ('nosuch.cc'::byte) 300", "print ('a.cc'::byte) 300"]  # fmt: skip
    files = [str(tmp_path / "a")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_quoted_words_of_locations_are_no_files(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A class that is sought by them was `''::`, which ended the session."""
    source = "struct T { int f() { return 1; } }; int main() { return T().f(); }\n"
    build(tmp_path, {"a.cc": source}, [[tool("g++"), "-g", "-o", "a", "a.cc"]])
    commands = [f"{verb} 'T'::f" for verb in ("break", "list", "info line", "info scope")]
    for answer in answers(None, [str(tmp_path / "a")], commands):
        assert "Function \"'T'::f\" not defined" in answer
