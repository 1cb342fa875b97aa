"""Functions and lines as users write them in `break` and `list`, against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCES = {
    "h.h": "static inline int twice(int v)\n{\n  return 2 * v;\n}\n",
    "a.c": "#include \"h.h\"\nstatic int helper(int x)\n{\n  return x;\n}\nint next(int n)\n{\n"
    "  return twice(helper(n));\n}\nint second(int);\n"
    "int main(void) { return next(1) + second(2); }\n",
    "b.c": "#include \"h.h\"\nstatic int helper(int x)\n{\n  int local = -x;\n  return local;\n}\n"
    "int second(int n)\n{\n  return twice(helper(n));\n}\n",
}  # fmt: skip


def _both(folder: Path, tool: Callable[[str], str], commands: list[str]) -> list[str]:
    build(folder, SOURCES, [[tool("gcc"), "-g", "-O0", "-o", "a", "a.c", "b.c"]])
    ours = answers(None, [str(folder / "a")], commands)
    assert ours == answers(tool("gdb"), [str(folder / "a")], commands)
    return ours


def test_functions_of_c_are_not_named_with_parameters(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """One of several functions with the name would be as wrong as another one."""
    wrong = ["break helper(int)", "tbreak a.c:helper(int)", "list helper(int)",
             "info line next(int)"]  # fmt: skip
    said = _both(tmp_path, tool, ["break helper", *wrong, "info breakpoints"])
    assert "helper. (2 locations)" in said[0]
    assert all("not defined" in text for text in said[1:5])


def test_conditions_and_counts(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A location that is disabled is not said to be; hits that count are additional to others."""
    said = _both(tmp_path, tool, [
        "break helper", "disable 1.1", "condition 1 local > 3", "info breakpoints", "condition 1",
        "condition 1 x > 3", "ignore 1 3", "enable count 2 1", "info breakpoints", "ignore 1 0",
        "info breakpoints",
    ])  # fmt: skip
    assert "location 1.1" not in said[2] and "location 1.2" not in said[2]
    assert "disable after additional 2 hits" in said[8]
    assert "disable after next 2 hits" in said[10]


def test_enabling_clears_the_count_of_hits(tmp_path: Path, tool: Callable[[str], str]) -> None:
    commands = ["break twice"]
    for command in ["enable 1", "enable", "enable once 1", "enable delete 1", "disable 1"]:
        commands += ["enable count 3 1", command, "info breakpoints"]
    said = _both(tmp_path, tool, [*commands, "enable 1", "info breakpoints"])
    assert ["hits" in text for text in said[3::3]] == [False, False, False, False, True]


def test_unknown_functions_with_types(tmp_path: Path, tool: Callable[[str], str]) -> None:
    commands = ["p nosuch(int)", "whatis nosuch(double, int)", "p helper::nosuch(int)"]
    assert all("No symbol" in text for text in _both(tmp_path, tool, commands))


def test_locations_are_shown_without_quotes_and_blanks(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    places = ["'helper'", "-q 'helper'", "-function 'helper'", "'h.h' : twice", "h.h : 'twice'",
              "h.h : 3", '"h.h":3', "'h.h:3'", "-q h.h:3", "-source 'h.h' -line 3"]  # fmt: skip
    said = _both(tmp_path, tool, [f"break {place}" for place in places])
    assert all("locations)" in text for text in said)


def test_the_name_of_a_function_has_no_file(tmp_path: Path, tool: Callable[[str], str]) -> None:
    commands = [
        "list -function a.c:helper", "list -function a.c:3", "list -function 3",
        "list -source a.c -function helper",
    ]  # fmt: skip
    said = _both(tmp_path, tool, commands)
    assert ["not defined" in text for text in said] == [True, True, True, False]


def test_quotes_and_words_of_break_are_characters_of_files(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    names = ["it's.c", "a if 1.c"]
    build(tmp_path, dict.fromkeys(names, "static int f(int x)\n{\n  return x;\n}\n"), [])
    build(tmp_path, {"a.c": "int main(void) { return 0; }\n"}, [
        [tool("gcc"), "-g", "-O0", "-fkeep-static-functions", "-o", "a", *names, "a.c"]
    ])  # fmt: skip
    commands = [f"info line {text}" for text in (
        "it's.c:3", "it's.c:3 if 1", "it's.c:3 if it's", "it's.c:f if 1",
        "nosuch's.c:3 if 1", "it's.c:nosuch if 1", "'a if 1.c':3", "'a if 1.c':3 if 1",
        "'a if 1.c':f task 2", '"a if 1.c":3 thread 2',
    )]  # fmt: skip
    commands += ["clear it's.c:3 if 1", "clear 'a if 1.c':3 if 1"]
    ours = answers(None, [str(tmp_path / "a")], commands)
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert sum("Junk" in text for text in ours) == 8


TEMPLATES = """\
namespace net {
template <class T> struct Ring {
  struct Node { T item; };
  static inline int created = 0;

  template <class U> struct Part {
    static inline int made = 2;
  };
  T get() const { return first.item; }
  Node first{};
};
struct Plain {
  static inline int created = 1;
};
}
net::Ring<int> whole;
net::Ring<net::Ring<long>::Part<char>> nested;
int main() {
  return whole.get() + net::Ring<int>::Part<char>::made + net::Plain::created
    + net::Ring<long>::created + net::Ring<net::Ring<long>::Part<char>>::created;
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_members_of_templates_without_their_arguments(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """The name of a template is that of its instances alone, not of what is in them or has them as
    arguments. Of variables with a constant value, as clang has them, GDB takes that for an address.
    """
    command = [tool(compiler), "-std=c++17", "-g", "-O0", "-o", "a", "a.cc"]
    build(tmp_path, {"a.cc": TEMPLATES}, [command])
    names = ["net::Ring", "Part", "net::Ring::Node", "Ring::Part", "net::Ring::Part::made",
             "Ring<int>::Part::made", "Part<char>::made", "net::Ring::created", "Ring::created",
             "::net::Ring::created", "a.cc:Ring::created", "Plain::created",
             "Ring<net::Ring<long>::Part<char>>::created", "net::Ring<long>::created"]  # fmt: skip
    commands = ["set print asm-demangle on", *(f"list {name},{name}" for name in names)]
    if compiler == "g++":
        commands += [f"info line {name}" for name in names[4:]]
    commands.append("list created,created")
    ours = answers(None, [str(tmp_path / "a")], commands)
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert "not defined" not in "".join(ours)
    assert "\n4\t" in ours[8] and ours[-1].count("::created") == 2


SYMBOL = re.compile(r" <.*?>(?= |\.\n|\.$)")
"""Which GDB shows by its linkage name, where it is an inherited constructor."""
INHERITED = """\
namespace n {
struct Base {
  virtual ~Base() {}
  int own() { return 1; }
  virtual int virt() { return 2; }
  int ov(int a) { return a; }
  int ov(double a) { return (int)a; }
  int same() { return 3; }
};
}
struct Second { int same() { return 4; } };
struct Third { int same() { return 6; } };
struct Mid : n::Base {
  int virt() { return 5; }
};
struct Derived : Mid, Second, Third {
  int all() { return own() + virt() + ov(1) + ov(2.0) + Second::same() + Third::same(); }
};
template <class T> struct Of : Derived { T t; };
typedef Derived Named;
int main() {
  Of<int> of;
  Named named;
  return of.all() + named.all() + named.Mid::same();
}
"""


def test_members_of_base_classes(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """All of the nearest classes that declare one are meant: overloads, of several base classes,
    the destructors. A typedef names the class, too."""
    functions = ["own", "virt", "ov", "same", "~Base", "~Mid", "Base", "nosuch", "virt()"]
    names = [f"{scope}::{name}" for scope in ("Derived", "Of<int>") for name in functions]
    names += [f"Named::{name}" for name in ("own", "virt", "all", "ov", "nosuch")]
    names += ["a.cpp:Derived::virt", "-qualified Derived::virt", "a.cpp:Named::all"]
    names += ["-function Derived::ov", "::Derived::same", "Derived::ov:nolabel"]
    commands = [f"break {name}" for name in names] + ["info breakpoints"]
    commands += [f"list {name}" for name in ("Derived::same", "Derived::virt")]
    commands += ["info scope Derived::virt", "info scope Of<int>::own"]
    build(tmp_path, {"a.cpp": INHERITED}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    gdbs, ours = (
        [_without_advice(text) for text in answers(gdb, [str(tmp_path / "a")], commands)]
        for gdb in (tool("gdb"), None)
    )
    assert ours == gdbs
    assert "(2 locations)" in ours[2] and "(2 locations)" in ours[3]


OF_TWO_FILES = """\
namespace { struct Base { int both() { return 1; } }; struct Own : Base {}; }
static Own own;
int second();
int main() { return own.both() + second(); }
"""
OF_SECOND_FILE = """\
namespace {
struct Other { int both() { return 3; } int here() { return 4; } };
struct Own : Other {};
}
static Own own;
int second() { return own.both() + own.here(); }
"""


def test_members_of_classes_of_several_files(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Each file has its class in an unnamed namespace; a file selects one."""
    own = "(anonymous namespace)::Own::"
    names = [own + name for name in ("both", "here", "nosuch")]
    names += [f"{file}.cpp:{name}" for file in "ab" for name in names]
    names += [f"-source b.cpp -function '{own}both'"]
    commands = [f"break {name}" for name in names] + ["info breakpoints"]
    commands += [f"{word} b.cpp:{own}both" for word in ("info scope", "list", "info line")]
    build(
        tmp_path, {"a.cpp": OF_TWO_FILES, "b.cpp": OF_SECOND_FILE},
        [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp", "b.cpp"]],
    )  # fmt: skip
    gdbs, ours = (
        [_without_advice(text) for text in answers(gdb, [str(tmp_path / "a")], commands)]
        for gdb in (tool("gdb"), None)
    )
    assert ours == gdbs
    assert "(2 locations)" in ours[0]


WITH_INHERITED_CONSTRUCTORS = """\
namespace n {
struct B {
  int b;
  B(int x) : b(x) {}
  B(double) : b(2) {}
  B(const B &o) : b(o.b) {}
};
template <class T> struct Of { T t; Of(T x) : t(x) {} };
}
struct D : n::B {
  using n::B::B;
};
struct F : D {
  using D::D;
};
struct T : n::Of<int> {
  using n::Of<int>::Of;
};
int main() {
  D d(1), e(2.0);
  D copy(d);
  F f(3);
  T t(4);
  return copy.b + e.b + f.b + t.t;
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_inherited_constructors_hide_their_class(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """Its name after another class is that of the constructors for commands that take code."""
    names = ["D::B", "F::B", "F::D", "T::Of", "n::B::B"]
    commands = [f"{word} {name}" for word in ("break", "list", "info line") for name in names]
    commands += [f"info address {name}" for name in (*names[:4], "n::B", "n::Of<int>")]
    build(
        tmp_path, {"a.cpp": WITH_INHERITED_CONSTRUCTORS},
        [[tool(compiler), "-g", "-O0", "-fno-elide-constructors", "-o", "a", "a.cpp"]],
    )  # fmt: skip
    gdbs, ours = (
        [SYMBOL.sub("", text) for text in answers(gdb, [str(tmp_path / "a")], commands)]
        for gdb in (tool("gdb"), None)
    )
    assert ours == gdbs


def _without_advice(text: str) -> str:
    return text.partition(" Did you mean")[0]


def test_completion_of_files_in_folders(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Two files have one name: functions and names of the other one are not offered."""
    sources = {
        "h.h": "static inline int twice(int v) { return 2 * v; }\n",
        "m.c": "int fa(int), fb(int);\nint main(void) { return fa(1) + fb(2); }\n",
        "a/x.c": '#include "../h.h"\nint fa(int v) { return twice(v); }\n',
        "b/x.c": '#include "../h.h"\nstruct diff { int c; } dd;\n'
        "int fb(int v) { return twice(v) + dd.c; }\n",
    }
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    build(tmp_path, sources, [[tool("gcc"), "-g", "-O0", "-o", "p", "m.c", "a/x.c", "b/x.c"]])
    begun = ["b a/", "b a/x", "b x", "b 'a/x", "until b/", f"b {tmp_path}", "p 'b/x", "p 'b/",
             "b -source a/", "tbreak m"]  # fmt: skip
    inside = ["b b/x.c:f", "b x.c:f", "b 'b/x.c':f", f"b {tmp_path}/a/x.c:f", "p 'a/x.c'::d",
              "p 'b/x.c'::d", "p 'x.c'::d", "b -source b/x.c -function f",
              "b  b/x.c: f", "b b/x.c : f", "b b/x.c :f",
              "b b/x.c: fb i", "b b/x.c: zz"]  # fmt: skip
    commands = [f"complete {text}" for text in begun + inside]
    ours = answers(None, [str(tmp_path / "p")], commands)
    assert ours == answers(tool("gdb"), [str(tmp_path / "p")], commands)
    assert ours[1].endswith("b a/x.c:\n") and ours[len(begun)].endswith("b b/x.c:fb\n")


OF_REFERENCES = """\
namespace { struct P {
  int f() const & { return 1; }
  int f() const && { return 2; }
  int f() & { return 3; }
  int f() && { return 4; }
}; }
int main() { P p; const P c{}; return p.f() + P{}.f() + c.f() + ((const P &&)c).f(); }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_functions_of_other_references(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    source = OF_REFERENCES.replace("namespace {", "").replace("}; }", "};")
    build(tmp_path, {"a.cc": source}, [[tool(compiler), "-g", "-o", "a", "a.cc"]])
    unknown = "P::f() const", "P::f() volatile", "a.cc:P::f() const"
    commands = [f"{word} {name}" for word in ("tbreak", "info line") for name in unknown]
    commands += ["tbreak P::f() const&&", "tbreak P::f()&"]
    ours = answers(None, [str(tmp_path / "a")], commands)
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], commands)


def test_functions_of_references_in_unnamed_namespaces(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """g++ gives them no linkage name: only the symbol has the reference. Blanks do not count."""
    written = ["const&", "const&&", "const &", "&", "&&", "const", "volatile", "volatile&", "&&&"]
    names = [f"{scope}P::f(){blank}{reference}" for reference in written for blank in ("", " ")
             for scope in ("", "(anonymous namespace)::")]  # fmt: skip
    commands = [f"{word} {name}" for name in names for word in ("tbreak", "info line")]
    build(tmp_path, {"a.cc": OF_REFERENCES}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cc"]])
    ours = answers(None, [str(tmp_path / "a")], commands)
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert sum("not defined" in text for text in ours) == 24


def test_a_class_with_its_keyword_is_no_function(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    source = """\
struct Base { int b; Base(int x) : b(x) {} static int f(int a) { return a + 1; } };
int main() { Base b(1); return Base::f(b.b); }
"""
    build(tmp_path, {"k.cpp": source}, [[tool("g++"), "-g", "-o", "k", "k.cpp"]])
    names = ["struct Base", "class Base", "struct Base::f", "k.cpp:struct Base"]
    commands = [
        f"{command} {name}" for name in names for command in ("break", "list", "info scope")
    ]
    commands += ["info line struct Base", "break -function struct Base", "tbreak struct Base if 1"]
    ours = answers(None, [str(tmp_path / "k")], commands)
    without_advice = [text.replace(' Did you mean "f"?', "") for text in ours]
    assert without_advice == answers(tool("gdb"), [str(tmp_path / "k")], commands)
    assert all("not defined" in text for text in ours)
