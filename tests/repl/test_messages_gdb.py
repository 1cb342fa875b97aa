"""Messages about addresses and types, against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core


def _same_as_gdb(tool: Callable[[str], str], program: Path, commands: list[str]) -> list[str]:
    ours = answers(None, [str(program)], commands)
    assert ours == answers(tool("gdb"), [str(program)], commands)
    return ours


def test_an_address_without_a_symbol_is_at_a_line(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    flags = ["-g", "-nostdlib", "-static", "-no-pie", "-Wl,-e,0x401000", "-Wl,-Ttext=0x401000"]
    build(tmp_path, {"a.s": ".text\n nop\n nop\n"}, [[tool("gcc"), *flags, "a.s", "-o", "a"]])
    [listed] = _same_as_gdb(tool, tmp_path / "a", ["list *0x401001"])
    assert "\n0x401001 is at a.s:3.\n" in listed


def test_code_that_ends_before_it_begins_is_none(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(tmp_path, {"a.c": "int main(void) { return 0; }\n"}, [[tool("gcc"), "-g", "a.c"]])
    spans = ("5,4", "main,5", "main,main", "5,+0")
    shown = _same_as_gdb(tool, tmp_path / "a.out", [f"disassemble {span}" for span in spans])
    assert "from 0x5 to 0x4:\n" in shown[0]


def test_code_that_cannot_be_read_has_its_address(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Of `/s`, too, where no file has the code."""
    pytest.importorskip("capstone")
    build(tmp_path, {"a.c": "int main(void) { return 0; }\n"}, [[tool("gcc"), "-g", "a.c"]])
    spans = ("0,+4", "0x10,0x14", "/r 0,+4", "/s 0,+4")
    shown = _same_as_gdb(tool, tmp_path / "a.out", [f"disassemble {span}" for span in spans])
    assert "\n   0x0000000000000010:\t\nCannot access memory at address 0x10\n" in shown[1]


def test_a_message_names_a_type_with_its_namespace(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    source = (
        "namespace ns { enum class E { A }; struct S { enum F { B } f; } s; E e; }\n"
        "int main() { return (int)ns::e + ns::s.f; }\n"
    )
    build(tmp_path, {"a.cpp": source}, [[tool("g++"), "-g", "a.cpp", "-o", "a"]])
    shown = _same_as_gdb(tool, tmp_path / "a", ["p ns::e[0]", "p ns::s.f[0]"])
    assert shown[1].endswith("type `ns::S::F'\n")


def test_a_variable_of_the_debugger_is_known_as_a_line(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(tmp_path, {"a.c": "int main(void) { return 0; }\n"}, [[tool("gcc"), "-g", "a.c"]])
    said = _same_as_gdb(
        tool, tmp_path / "a.out", ["list $_siginfo", "list $_thread", "list $unset"]
    )
    assert ["integer values" in text for text in said] == [True, True, False]


def test_how_the_program_ended_is_known_as_a_line(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(
        tmp_path,
        {"a.c": "#include <stdlib.h>\nint main(void) { abort(); }\n"},
        [[tool("gcc"), "-g", "a.c", "-o", "a"]],
    )
    commands = ["list $_exitcode", "list $_isvoid", "list $unset"]
    said = _same_as_gdb(tool, tmp_path / "a", commands)
    assert ["integer values" in text for text in said] == [False, True, False]
    files = with_core(tool, tmp_path)
    said = answers(None, files, commands)
    assert said == answers(tool("gdb"), files, commands)
    assert ["integer values" in text for text in said] == [True, True, False]


def test_a_static_member_without_a_definition_has_no_address(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    source = "struct S { static int gone; int m(); };\nint S::m() { return gone; }\n"
    build(tmp_path, {"a.cpp": source}, [[tool("g++"), "-g", "-c", "a.cpp"]])
    commands = ["p &S::gone", "p (long) &S::gone", "p *&S::gone", "p sizeof(S::gone)"]
    shown = _same_as_gdb(tool, tmp_path / "a.o", commands)
    assert "not located in memory" in shown[0]


def test_lines_of_a_function_at_address_0(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """As the first one of a file that is not linked."""
    source = "int f(int n) {\n  return n + 1;\n}\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-c", "a.c"]])
    shown = _same_as_gdb(tool, tmp_path / "a.o", ["info line f", "info line 2", "info line 3"])
    assert "0x0 <f>" in shown[0] and "<f+" in shown[1]


def test_a_frame_of_a_program_that_does_not_run(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(
        tmp_path, {"a.c": "int main(void) { return 0; }\n"}, [[tool("gcc"), "-g", "a.c", "-o", "a"]]
    )
    commands = [
        "frame", "frame 1", "frame 1+", "frame level 0", "frame level", "frame function main",
        "frame function", "frame address 0", "frame gone", "select-frame", "select-frame 0", "up",
        "down 1", "info frame",
    ]  # fmt: skip
    shown = _same_as_gdb(tool, tmp_path / "a", commands)
    assert "No stack." in shown[0] and "No registers." in shown[1]


def test_types_with_offsets_and_constructors(tmp_path: Path, tool: Callable[[str], str]) -> None:
    source = (
        "struct S { int a; char b; }; const S fixed = {}; volatile S moving;\n"
        "typedef const S T; T named = {}; const S several[2] = {}; const volatile S *both;\n"
        "template<class X> struct Box { X x; Box(X y) : x(y) {} template<class U> Box(U *u) {} };\n"
        "struct Own { Own(int) {} Own &m() { return *this; } };\n"
        "Box<S> box((S *) 0); Own own(1); int main() { return 0; }\n"
    )
    build(tmp_path, {"a.cpp": source}, [[tool("g++"), "-g", "a.cpp", "-o", "a"]])
    commands = [
        "ptype/o fixed", "ptype/o moving", "ptype/o const S", "ptype/o several", "ptype/o both",
        "ptype/o *both", "ptype/o S", "ptype box", "ptype own",
    ]  # fmt: skip
    shown = _same_as_gdb(tool, tmp_path / "a", commands)
    assert "/* offset      |    size */  type = const struct S {" in shown[0]


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_constructors_that_the_compiler_adds(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """GDB does not know all of gcc's as members, and takes one of several that have code."""
    source = (
        "struct B { virtual ~B() {} }; struct D : B { int k; D(int z) : k(z) {} };\n"
        "struct M { int z; M() : z(1) {} M(const M &o) : z(o.z) {} };\n"
        "struct P { M m; int k = 3; }; struct N { int n; };\n"
        "struct W : P { W(int q) { k = q; } };\n"
        "int main() { D d(1); P p, q(p); N n = {}; W w(2), v(w); return d.k + q.k + n.n + v.k; }\n"
    )
    build(tmp_path, {"a.cpp": source}, [[tool(compiler), "-g", "a.cpp", "-o", "a"]])
    commands = [
        "info address B::B", "info address P::P", "print D::D", "print W::W", "ptype W::W",
        "ptype W::W(const W&)", "whatis W::W(W const&)", "print W::W(const W&)", "ptype W::W(int)",
    ]  # fmt: skip
    _same_as_gdb(tool, tmp_path / "a", commands)
    files = [str(tmp_path / "a")]
    shown = answers(None, files, ["print B::B", "print P::P", "print P::P(P const&)", "print N::N"])
    taken = answers(None, files, ["print P::P(void)", "ptype P::P(void)", "ptype P::P()"])
    assert re.fullmatch(r"print B::B\n\$1 = \{void \(B \* const\)\} 0x\w+ <B::B\(\)>\n", shown[0])
    assert shown[1].endswith('"P::P" is overloaded; say which: P::P(const P&); P::P(void)\n')
    assert taken[0].endswith(" <P::P()>\n") and taken[1].endswith("\ntype = void (P * const)\n")
    assert "say which: P::P(const P&); P::P(void)" in taken[2]  # `()` would be a call
    assert shown[2].endswith(" <P::P(P const&)>\n")
    assert shown[3].endswith("There is no field named N\n")


def test_constructors_that_only_another_unit_uses(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """gcc declares what it adds to a class in the units that use it."""
    header = (
        "struct M { int z; M(int) {} M(const M &o) : z(o.z) {} }; struct P { M m; };\n"
        "struct W : P { W(int q) : P{M(q)} {} };\n"
    )
    uses = "P copied(const P &p) { return P(p); } W copied(const W &w) { return W(w); }\n"
    source = "int k(P *p) { return p->m.z; } int f(W *w) { return w->m.z; } int main() {}\n"
    sources = {"a.cpp": header + source, "b.cpp": header + uses}
    build(tmp_path, sources, [[tool("g++"), "-g", "a.cpp", "b.cpp", "-o", "a"]])
    commands = [
        "print P::P(P const&)", "print P::P", "ptype P::P(const P&)", "ptype W::W(const W&)",
        "print W::W(W const&)", "print M::M(const M&)",
    ]  # fmt: skip
    shown = _same_as_gdb(tool, tmp_path / "a", commands)
    assert " <P::P(P const&)>" in shown[0]


def test_what_a_dynamic_cast_is_of(tmp_path: Path, tool: Callable[[str], str]) -> None:
    source = (
        "struct A { virtual ~A() {} int x; }; struct B : A { int y; }; union U { int i; };\n"
        "B b; A *up = &b; U u; int n = 3, zero; void *any = &b; enum E { E0 } e; bool no;\n"
        "char16_t wide; double d; U *of_union = &u; A &ref = b; B *use;\n"
        "int main() { return use == dynamic_cast<B *>(up); }\n"
    )
    build(tmp_path, {"a.cpp": source}, [[tool("g++"), "-g", "-no-pie", "a.cpp", "-o", "a"]])
    arguments = (
        "any", "n", "zero", "0", "1", "0.0", "e", "no", "wide", "'a'", "u", "of_union", "&n",
        "b", "E0", "false", "&u",
    )  # fmt: skip
    types = ("B *", "B &", "void *", "A &", "A *", "U *", "U &", "int *", "int")
    commands = [f"print dynamic_cast<{kind}>({one})" for kind in types for one in arguments]
    files = [str(tmp_path / "a")]
    note = "note: no state is given: writable memory has its initial contents\n"
    shown = [text.replace(note, "") for text in answers(None, files, commands)]
    assert shown == answers(tool("gdb"), files, commands)
    assert shown[1].endswith("Argument to dynamic_cast does not have pointer type\n")
    assert shown[3].endswith("= (B *) 0x0\n")


def test_a_frame_without_debugging_information_has_no_language(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    sources = {
        "a.c": "void g(void); int main(void) { g(); return 1; }\n",
        "b.c": "void abort(void); void g(void) { abort(); }\n",
    }
    gcc = tool("gcc")
    build(tmp_path, sources, [[gcc, "-c", "b.c"], [gcc, "-g", "a.c", "b.o", "-o", "a"]])
    files = with_core(tool, tmp_path)
    selected = ["frame function main", "show language", "down", "show language"]
    commands = ["set language c", *selected, "set language c++", *selected]
    said = answers(None, files, commands)
    assert said[1:5] == answers(tool("gdb"), files, commands)[1:5]
    assert said[7] == "show language\n" + WRONG_LANGUAGE and WRONG_LANGUAGE not in said[9]
    # Neither has a program without a process one.
    assert (
        WRONG_LANGUAGE
        not in _same_as_gdb(tool, tmp_path / "a", ["set language c++", *selected[1::2]])[1]
    )


@pytest.mark.parametrize("suffix", ["c", "cpp"])
@pytest.mark.parametrize("language", ["c", "c++", "ada"])
def test_types_of_functions_are_in_words_of_the_selected_language(
    tmp_path: Path, tool: Callable[[str], str], suffix: str, language: str
) -> None:
    sources = {
        "a.c": "int main(void) { __builtin_trap(); }\n",
        "a.cpp": "namespace n { struct S { int f(char) { return 1; }\n"
        "int g(const S &) const { return 2; } }; }\n"
        "int (n::S::*pf)(char) = &n::S::f; int (n::S::*pg)(const n::S &) const = &n::S::g;\n"
        "int main() { __builtin_trap(); }\n",
    }
    build(tmp_path, sources, [[tool("g++" if suffix == "cpp" else "gcc"), "-g", "a." + suffix,
                               "-o", "a"]])  # fmt: skip
    files = with_core(tool, tmp_path)
    values = ["print pf", "print pg"] if suffix == "cpp" else []
    commands = [f"set language {language}", "print $pc", "whatis $pc", "print $sp", *values]
    given, expected = (answers(gdb, files, commands) for gdb in (None, tool("gdb")))
    assert given[1:] == expected[1:]


WRONG_LANGUAGE = """\
The current source language is "c++".
Warning: the current language does not match this frame.
"""


def test_the_language_that_is_set_and_that_of_frames(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB warns once, and again when the automatic language has changed since the setting did."""
    sources = {
        "b.cpp": 'extern "C" int in_c(int);\nint main() { return in_c(2); }\n',
        "c.c": "int in_c(int x) { __builtin_trap(); return x; }\n",
    }
    build(tmp_path, sources, [
        [tool("gcc"), "-g", "-c", "c.c"], [tool("g++"), "-g", "b.cpp", "c.o", "-o", "a"],
    ])  # fmt: skip
    files = with_core(tool, tmp_path)
    commands = ["set language c", "frame function main", "set language c", "set language auto"]
    commands += ["set language c", "set language auto", "frame function in_c", "set language c++"]
    commands += ["show language", "frame function main", "set language auto", "print nosuch"]
    commands += ["frame function in_c", "with language pascal -- print 1", "set language c++"]
    given, expected = (answers(gdb, files, commands) for gdb in (None, tool("gdb")))
    assert given == expected
    warning = WRONG_LANGUAGE.splitlines()[1]
    assert [text.count(warning) for text in given] == [0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0]


OVERLOADS = """struct Over {
  int f(int n) { return n; }
  int f(double) const { return 2; }
  int g(int n) { return n; }
  int g(double) const;
};
int main() {
  Over over; const Over &fixed = over;
  return over.f(1) + fixed.f(2.0) + over.g(1);
}
"""


VOLATILE = """
struct P { int w(int a) const volatile; };
int P::w(int a) const volatile { return a; }
int main() { P p; return p.w(1); }
"""


def test_the_words_behind_parameters_are_in_any_order(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(tmp_path, {"a.cpp": VOLATILE}, [[tool("g++"), "-g", "a.cpp", "-o", "a"]])
    both = ["P::w(int) const volatile", "P::w(int) volatile const"]
    _same_as_gdb(tool, tmp_path / "a", [f"break {name}" for name in both])
    _same_as_gdb(tool, tmp_path / "a", ["p P::w(int) const volatile", "info line P::w(int) const"])
    [said] = answers(None, [str(tmp_path / "a")], ["p &P::w(int) const"])
    assert "There is no field named w(int) const" in said
    [said] = answers(None, [str(tmp_path / "a")], ["p &P::w(int) const volatile"])
    assert "<P::w(int) const volatile>" in said


ASSIGNED = """
struct E {
  int v = 0;
  E &operator=(int n) { v = n; return *this; }
};
int main() { E a, b; a = 3; b = a; return b.v; }
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_functions_that_the_compiler_added(
    level: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The implicit assignment is no overload that a name without parameters means."""
    made = [[tool("g++"), "-g", level, "-fkeep-inline-functions", "a.cpp", "-o", "a"]]
    build(tmp_path, {"a.cpp": ASSIGNED}, made)
    _same_as_gdb(tool, tmp_path / "a", ["p E::operator=", "p &E::operator=", "whatis E::operator="])


def test_overloads_of_a_class(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """What follows the parameters must be that of the function; GDB also lists none."""
    build(tmp_path, {"a.cpp": OVERLOADS}, [[tool("g++"), "-g", "a.cpp", "-o", "a"]])
    wrong = "Over::f(int) const"
    commands = [
        f"list {wrong}", f"info line {wrong}", f"p '{wrong}'", "info line Over::f(double) volatile",
        "list Over::f(double) const", "p Over::f(double) const", "p Over::f(int)",
    ]  # fmt: skip
    _same_as_gdb(tool, tmp_path / "a", commands)
    for command in (f"p &{wrong}", f"p {wrong}"):
        [said] = answers(None, [str(tmp_path / "a")], [command])
        assert "There is no field named f(int) const" in said
    for command in ("p Over::g", "p &Over::g", "whatis Over::g"):
        [said] = answers(None, [str(tmp_path / "a")], [command])
        assert '"Over::g" is overloaded; say which: Over::g(double) const; Over::g(int)' in said


def test_numbers_have_one_point(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.c": "int main(void) { return 0; }\n"}, [[tool("gcc"), "-g", "a.c"]])
    written = (
        "12..5", "1.2.3", "1..x", "1...2", "12.5.", "1.5e3.2", "1e5.2", ".5.5", "0x12..5",
        "0x1p3.5", "1_000", "1.5_8", "1e5e5", "1.x", "12.", "1.e5", "0x1e+5", "0x12.",
        "0x.8", "0x1.8f", "0x1.8p1",
    )  # fmt: skip
    commands = [f"print {number}" for number in written]
    said = _same_as_gdb(tool, tmp_path / "a.out", [*commands, "whatis 0x1.8f"])
    assert said[0].endswith("near `.5'.\n")


def test_methods_and_destructors(tmp_path: Path, tool: Callable[[str], str]) -> None:
    source = (
        "struct S { int s; virtual ~S() {} int get() { return s; }"
        " static int one() { return 1; } };\n"
        "S object; int main() { return object.get() + S::one(); }\n"
    )
    build(tmp_path, {"a.cpp": source}, [[tool("g++"), "-g", "a.cpp", "-o", "a"]])
    methods = ("object.get", "(&object)->get", "object.one", "S::get", "S::~S", "main")
    commands = [f"print {mark}{name}" for name in methods for mark in ("", "*")]
    said = _same_as_gdb(
        tool, tmp_path / "a", [*commands, "print &object.get", "whatis *object.get"]
    )
    assert said[1].endswith("Attempt to take contents of a non-pointer value.\n")
    _same_as_gdb(
        tool, tmp_path / "a", ["p *object.~S", "p object.~T", "p object.~", "p object.s.~S"]
    )
    [shown] = answers(None, [str(tmp_path / "a")], ["p (&object)->~S"])  # GDB's type has an int
    assert "= {void (S * const)} 0x" in shown and shown.endswith(" <S::~S()>\n")
