"""Names of operators and templates at the prompt, as GDB 13 shows them and as C++ spells them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from tests.cli.command import FIXTURES, run
from tests.repl.side_by_side import answers as answers_with
from tests.repl.side_by_side import build, last_lines, with_core

SOURCE = """
#include <cstddef>
template <class T> struct Pair { T *first; T second[2]; T &of(T *p, T q); };
struct Num { int v = 3;
  operator int &() { return v; }
  operator const char *() const { return ""; }
  Num operator+(const Num &o) const { return o; }
  bool operator<(const Num &o) const { return v < o.v; }
  int operator()(int a) { return a; }
  int operator[](int i) { return i; }
  operator long unsigned int() const { return 1; }
  operator const Pair<unsigned short> &() const { static Pair<unsigned short> p; return p; }
  Num *operator->() { return this; }
  int operator,(int x) { return x; }
  Num &operator++() { return *this; }
  Num operator++(int) { return *this; }
  void *operator new[](size_t n) { return ::operator new[](n); }
};
int operator""_x(unsigned long long v) { return v; }
namespace ns { struct P { int a; }; bool operator==(const P &x, const P &y) { return x.a == y.a; } }
int operator*(const Num &n, int b) { return b; }

struct Made { virtual int first() { return 1; } int &to; Made(int &n) : to(n) {} };
Pair<const char *> pair; Pair<int> numbers;
template <class F> struct Keeps { F f; void of(F &); };
template <class T, char C> struct Box { T t; };
template <unsigned char C> struct Byte { int t; };
int global; template <int *P> struct To { int t; };
template <char C> int chr(int a) { return a + C; }
template <int (*F)(int)> int call(int a) { return F(a); }
template <int *P> int to(int a) { return a + *P; }
template <unsigned N> int count() { return N; }
template <class T> T scaled = T(3);
template <class T> constexpr T pi = T(3.25);
const double *area = &pi<double>;
namespace std { template <class> struct char_traits; template <class> class allocator;
  inline namespace __cxx11 { template <class C, class T, class A> struct basic_string { C c; }; }
  using string = basic_string<char, char_traits<char>, allocator<char>>; }
template <class K, int N> struct Cache { Cache() {} int put(K k, int) { return k.c; } };
template <class T> T fresh() { return T(); }
Box<const char *, 'x'> box; Byte<'a'> byte; To<&global> pointer; Box<int, '\\''> quote;
int inc(int a) { return a + 1; }
int main() {
  Num n; Num m; const char *c = m; int &r = n; n + m; n < m; n(1); n[2]; n->v; n, 3;
  ++n; n++; n * 2;
  5_x; ns::P p{1}; p == p; new Num[2];
  chr<'x'>(1); call<inc>(1); to<&global>(1); count<9>();
  scaled<int> = 4; scaled<double> = 2.5;
  auto lambda = [&r](int a) { return a + r; }; Keeps<decltype(lambda)> keeps{lambda};
  struct Of { decltype(lambda) of; void take(decltype(lambda) &) {} }; Of of{lambda};
  of.take(lambda); Made made(global); Made copy(made);
  Cache<std::string, 4>().put(fresh<std::string>(), 1);
  return r + !c;
}
"""
STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
TYPES = {
    "whatis Num::operator int&": "int &(Num * const)",
    "whatis Num::operator const char*": "const char *(const Num * const)",
    "whatis Num::operator char const*": "const char *(const Num * const)",
    "whatis Num::operator+": "Num (const Num * const, const Num &)",
    "whatis Num::operator<": "bool (const Num * const, const Num &)",
    "whatis Num::operator()": "int (Num * const, int)",
    "whatis Num::operator[]": "int (Num * const, int)",
    "whatis Num::operator->": "Num *(Num * const)",
    "whatis Num::operator,": "int (Num * const, int)",
    "whatis Num::operator++(int)": "Num (Num * const, int)",
    "whatis Num::operator new[]": "void *(size_t)",
    "whatis ns::operator==": "bool (const ns::P &, const ns::P &)",
    "whatis operator*": "int (const Num &, int)",
    'whatis operator""_x': "int (unsigned long long)",
    'whatis operator"" _x': "int (unsigned long long)",
    "whatis &Num::operator+": "Num (Num::*)(const Num * const, const Num &)",
    "whatis box": "Box<char const*, (char)'x'>",
    "whatis quote": "Box<int, (char)'\\''>",
    "whatis &pointer": "To<&global> *",
    "whatis (Box<const char *, 'x'> *) 0": "Box<char const*, (char)'x'> *",
    "whatis (Box<char const*,(char)120> *) 0": "Box<char const*, (char)'x'> *",
    "whatis (To<(& global)> *) 0": "To<&global> *",
    "whatis chr<'x'>": "int (int)",
    "whatis chr<(char)120>": "int (int)",
    "whatis call<inc>": "int (int)",
    "whatis call<&(inc(int))>": "int (int)",
    "whatis to<&global>": "int (int)",
    "whatis count<9u>": "int (void)",
    "whatis scaled<int>": "int",
    "whatis scaled<double>": "double",
    "whatis sizeof(Cache<std::string,4>)": "unsigned long",
    "whatis fresh<std::string>": f"{STRING} (void)",
    "whatis &Cache<std::string,4>::put": (
        f"int (Cache<{STRING}, 4>::*)(Cache<{STRING}, 4> * const, {STRING}, int)"
    ),
    f"whatis Cache<std::string,4>::put({STRING},int)": (
        f"int (Cache<{STRING}, 4> * const, {STRING}, int)"
    ),
}
PLACES = {
    "info symbol Num::operator new[]": "Num::operator new[](unsigned long) in section .text",
    "info symbol operator*": "operator*(Num const&, int) in section .text",
    'info symbol operator""_x': 'operator"" _x(unsigned long long) in section .text',
    "info symbol chr<'x'>": "int chr<(char)120>(int) in section .text",
    "info symbol call<inc>": "int call<&(inc(int))>(int) in section .text",
    "info symbol to<&global>": "int to<&global>(int) in section .text",
}
BROKEN = (
    "Num::operator int&", "Num::operator new[]", "Num::operator,", "Num::operator<",
    "Num::operator->", 'operator"" _x', "ns::operator==", "chr<'x'>", "chr<(char)120>",
    "to<&global>", "call<inc>", "call<&(inc(int))>", "Cache<std::string, 4>::put",
    "fresh<std::string>", "Cache<std::string,4>::put(std::string,int)",
    "Cache<std::string,4>::Cache", f"Cache<{STRING},4>::put({STRING},int)",
)  # fmt: skip

NO_CALLS = "Unsupported: functions of the program cannot be called"
REFUSED = {
    "p *(Num *)0 * 2": NO_CALLS,
    "p *(Num *)0 + 2": NO_CALLS,
    "p *(ns::P *)0 == *(ns::P *)0": NO_CALLS,  # found in the namespace of the class
    "p *(ns::P *)0 * 2": "Cannot resolve function operator* to any overloaded instance",
    "p *(Num *)0 - 2": 'No symbol "operator-" in current context.',
    "p *(ns::P *)0 && 1": 'No symbol "operator&&" in current context.',
}
"""What GDB 13 says where it does not try to call a function, or our words for a call."""

COROUTINE = """\
#include <coroutine>
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
Task coro(int x) { co_await std::suspend_never{}; }
"""


@pytest.fixture(scope="module", params=["g++", "clang++-19"])
def program(
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
    request: pytest.FixtureRequest,
) -> Path:
    folder = tmp_path_factory.mktemp("names")
    (folder / "names.cpp").write_text(SOURCE)
    flags = ["-std=c++17", "-g", "-O0", "-w", "-no-pie", "names.cpp", "-o", "names"]
    subprocess.run([tool(request.param), *flags], cwd=folder, check=True)
    return folder / "names"


def answers(program: Path, commands: list[str]) -> list[str]:
    words = [word for line in commands for word in ("-ex", "echo @@", "-ex", line)]
    done = run("debug", "--batch", "-q", str(program), "--pc", "main", *words)
    return [text.strip() for text in "\n".join(done.lines).split("@@")[1:]]


def test_types(program: Path) -> None:
    types = [text.removeprefix("type = ") for text in answers(program, list(TYPES))]
    assert dict(zip(TYPES, types, strict=True)) == TYPES


def test_names_in_classes_are_those_of_gdb(program: Path) -> None:
    """Conversions are spelled as types are. A template parameter is for a whole type or one with a
    name: not for the pointer in another one."""
    number, pair, numbers = answers(program, ["ptype Num", "ptype pair", "ptype numbers"])
    assert "    operator unsigned long(void) const;" in number
    assert "    operator Pair<unsigned short> const&(void) const;" in number
    lines = (
        "    const char **first;", "    const char *second[2];",
        "    const char *& of(const char **, T);",
    )  # fmt: skip
    assert all(line in pair.splitlines() for line in lines), pair
    lines = "    T *first;", "    T second[2];", "    T & of(T *, T);"
    assert all(line in numbers.splitlines() for line in lines), numbers


def test_functions_of_one_name_are_together(program: Path, tool: Callable[[str], str]) -> None:
    """GDB keeps the functions of a class by name, in the order in which the names come first: gcc
    describes the copy constructor that it makes before the functions of the source."""
    [made] = answers(program, ["ptype Made"])
    functions = ["    virtual int first(void);", "    Made(int &);"]
    gdb = [tool("gdb"), "-nx", "-batch", "-ex", "ptype Made", program]
    theirs = subprocess.run(gdb, capture_output=True, text=True, check=True).stdout
    assert made == theirs.strip() and all(line in made for line in functions)


def test_a_function_may_have_only_a_linkage_name(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """clang describes the function that initialises the variables of a file without DW_AT_name."""
    (tmp_path / "made").write_text("int f() { return 1; }\nint x = f();\nint main() {}\n")
    flags = ["-g", "-O0", "-no-pie", "-x", "c++", "made", "-o", "program"]
    subprocess.run([tool("clang++-19"), *flags], cwd=tmp_path, check=True)
    [line] = answers(tmp_path / "program", ["info line *_GLOBAL__sub_I_made"])
    assert "<_GLOBAL__sub_I_made>" in line, line


def test_an_address_is_named_though_no_lines_are_listed(program: Path) -> None:
    """GDB prints where the address is before it looks at the last line, which is earlier."""
    [listed] = answers(program, ["list *main,1"])
    assert " is in main() (names.cpp:" in listed and "\n" not in listed, listed


def test_classes_without_names_in_classes_are_those_of_gdb(program: Path) -> None:
    """Of a lambda as argument of a template, and as type of a parameter."""
    keeps, of = answers(program, ["ptype keeps", "ptype of"])
    kind = "class" if "class {" in of else "struct"
    assert f"\n    F f;\n  public:\n    void of({kind} {{\n" in keeps
    assert f"    void take({kind} {{\n" in of
    assert keeps.endswith("\n} &);\n}") and of.endswith("\n} &);\n}")


def test_symbols(program: Path) -> None:
    assert dict(zip(PLACES, answers(program, list(PLACES)), strict=True)) == PLACES


def test_breakpoints(program: Path) -> None:
    said = answers(program, [f"break {name}" for name in BROKEN])
    assert [text.partition(" at ")[0] for text in said] == [
        f"Breakpoint {number}" for number in range(1, len(BROKEN) + 1)
    ]


def test_a_variable_template_has_no_value_without_its_arguments(program: Path) -> None:
    done = run("debug", "--batch", "-q", str(program), "--pc", "main", "-ex", "print scaled")
    assert 'No symbol "scaled" in current context.' in done.err


def test_an_instance_of_a_constant_template_may_have_a_symbol_only(program: Path) -> None:
    """As in GDB 13: the entry of gcc is named `pi`, that of clang `pi<double>`."""
    known = {
        "p (double) pi<double>": "$1 = 3.25",
        "output &pi<double> == (void *) area": "true",
        "info symbol &pi<double>": "pi<double> in section .rodata",
        "p scaled<int> < int(5)": "$2 = true",
    }
    assert dict(zip(known, answers(program, list(known)), strict=True)) == known
    for name in ("pi<float>", "pi<unsigned char>"):
        done = run("debug", "--batch", "-q", str(program), "--pc", "main", "-ex", f"print {name}")
        assert f'No symbol "{name}" in current context.' in done.err


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("hidden", "(anonymous namespace)::hidden"),  # as in GDB, in a frame of the unit
        ("ns::hidden_in_ns", "ns::(anonymous namespace)::hidden_in_ns"),
        ("::shared", "shared"),
    ],
)
def test_an_address_is_that_of_a_qualified_name(typed: str, name: str) -> None:
    program = FIXTURES / "x86_64/meanings.gcc.O0.v5"
    done = run("debug", "--batch", "-q", program, "--pc", "main", "-ex", f"info address {typed}")
    assert f'Symbol "{name}" is static storage at address 0x' in done.out


def test_completion_spells_template_arguments_as_types_are_shown(program: Path) -> None:
    """As in GDB 13."""
    said = answers(program, [f"complete ptype struct {name}" for name in ("To", "Box")])
    assert said == [
        "ptype struct To<&global>",
        "ptype struct Box<char const*, (char)'x'>\nptype struct Box<int, (char)'\\''>",
    ]


@pytest.mark.parametrize("command", REFUSED)
def test_operators_that_are_functions(program: Path, command: str) -> None:
    done = run("debug", program, "--batch", "-ex", command)
    assert done.err == f"{REFUSED[command]}\n"


@pytest.fixture(scope="module", params=["g++", "clang++-19"])
def coroutine(
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
    request: pytest.FixtureRequest,
) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    return with_coroutines(tool(request.param), folder, "int main() { coro(1); }")


def with_coroutines(compiler: str, folder: Path, more: str) -> Path:
    (folder / "a.cc").write_text(f"{COROUTINE}{more}\n")
    flags = ["-std=c++20", "-g", "-O0", "-no-pie", "a.cc", "-o", "a"]
    subprocess.run([compiler, *flags], cwd=folder, check=True)
    return folder / "a"


def test_the_name_of_a_coroutine_is_that_of_the_function_that_is_called(coroutine: Path) -> None:
    """As in GDB 13. The parts that clang makes have its name and type, and its linkage name."""
    [symbol] = CodeObject.open(coroutine).file.symbols_named("_Z4coroi")
    commands = "print coro", "print coro(int)", "whatis coro", "info address coro"
    assert answers(coroutine, list(commands)) == [
        f"$1 = {{Task (int)}} {symbol.address:#x} <coro(int)>",
        f"$2 = {{Task (int)}} {symbol.address:#x} <coro(int)>",
        "type = Task (int)",
        f'Symbol "coro(int)" is a function at address {symbol.address:#x}.',
    ]


def test_coroutines_of_a_file_and_of_a_class(tool: Callable[[str], str], tmp_path: Path) -> None:
    """gcc gives static functions no linkage name: their symbols tell which is the coroutine."""
    more = "static Task local() { co_return; } struct C { Task m(int) { co_return; } };"
    built = with_coroutines(tool("g++"), tmp_path, f"{more}\nint main() {{ local(); C().m(1); }}")
    file = CodeObject.open(built).file
    [local], [member] = (file.symbols_named(name) for name in ("_ZL5localv", "_ZN1C1mEi"))
    assert answers(built, ["print local", "print &C::m"]) == [
        f"$1 = {{Task (void)}} {local.address:#x} <local()>",
        f"$2 = (Task (C::*)(C * const, int)) {member.address:#x} <C::m(int)>",
    ]


@pytest.mark.parametrize("coroutine", ["clang++-19"], indirect=True)
def test_functions_without_symbols_are_listed_by_address(
    coroutine: Path, tool: Callable[[str], str]
) -> None:
    parts = [f"_Z4coroi{end}" for end in ("", ".resume", ".destroy", ".cleanup")]
    file = CodeObject.open(coroutine).file
    addresses = [file.symbols_named(name)[0].address for name in parts]
    removed = [f"--strip-symbol={name}" for name in parts]
    bare = coroutine.with_name("bare")
    subprocess.run([tool("objcopy"), *removed, coroutine, bare], check=True)
    done = run("debug", str(bare), "--batch", "-q", "-ex", "print coro")
    which = "; ".join(map(hex, sorted(addresses)))
    assert done.err == f'"coro" is overloaded; say which: {which}\n'


def test_names_with_parentheses_may_be_overloaded(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    source = (
        "namespace { int h() { return 1; } int h(long) { return 2; } }\n"
        "struct C { int operator()() { return 1; } int operator()(int) { return 2; } };\n"
        "int main() { C c; return h() + h(2) + c() + c(1); }\n"
    )
    (tmp_path / "a.cpp").write_text(source)
    subprocess.run([tool("g++"), "-g", "a.cpp", "-o", "a"], cwd=tmp_path, check=True)
    for typed, name in (("h", "(anonymous namespace)::h"), ("C::operator()", "C::operator()")):
        done = run("debug", str(tmp_path / "a"), "--batch", "-q", "-ex", f"print {typed}")
        kind = "long" if typed == "h" else "int"
        assert done.err == f'"{name}" is overloaded; say which: {name}({kind}); {name}(void)\n'


@pytest.mark.parametrize("coroutine", ["g++"], indirect=True)
def test_the_parts_of_a_coroutine_are_told_apart(coroutine: Path) -> None:
    """GCC's actor and destroyer have one name and one type: GDB 13 takes one of them."""
    name, frame = "_Z4coroPZ4coroiE14_Z4coroi.Frame", "_Z4coroi.Frame"
    done = run("debug", str(coroutine), "--batch", "-q", "-ex", f"print 'coro({frame} *)'")
    which = f"'{name}.actor'; '{name}.destroy'"
    assert done.err == f'"coro" is overloaded; say which: {which}\n'
    for part in ("actor", "destroy"):
        [symbol] = CodeObject.open(coroutine).file.symbols_named(f"{name}.{part}")
        printed, shown = answers(
            coroutine, [f"print '{name}.{part}'", f"info symbol {symbol.address}"]
        )
        assert printed.startswith(f"$1 = {{void ({frame} *)}} {symbol.address:#x} ")
        assert shown == f"coro(coro(int)::{frame}*) [clone .{part}] in section .text"
    [broken] = answers(coroutine, [f"break coro({frame}*)"])
    assert broken.endswith(f": coro({frame}*). (2 locations)"), broken


@pytest.mark.parametrize("name", ["inside", "deep"])
def test_a_class_does_not_have_the_variables_of_a_function_of_its_name(
    tmp_path: Path, tool: Callable[[str], str], name: str
) -> None:
    """As in GDB: those of another file, whose frame is another."""
    sources = {
        "a.cpp": "struct thing { int m(int q); };\n"
        "int thing::m(int q) { __builtin_trap(); return q; }\n"
        "void other(void); int main() { thing t; other(); return t.m(2); }\n",
        "b.cpp": "void thing(void) { volatile int inside = 5; { volatile int deep = inside; } }\n"
        "void other(void) { thing(); }\n",
    }
    build(tmp_path, sources, [[tool("g++"), "-g", "-O0", "a.cpp", "b.cpp", "-o", "a"]])
    (said,) = last_lines(with_core(tool, tmp_path), [f"print {name}"])
    assert said == f'No symbol "{name}" in current context.'


def test_the_destructor_of_an_instance_is_named_without_quotes(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """It was a syntax error behind the arguments of a template alone."""
    source = """template <int N> struct T { int m = N; ~T() { m = 0; } };
    int main() { T<1> t; return t.m; }"""
    build(tmp_path, {"a.cc": source}, [[tool("g++"), "-g", "-O0", "a.cc", "-o", "a"]])
    files = [str(tmp_path / "a")]
    names = ["T<1>::~T", "::T<1>::~T", "'T<1>::~T'", "1 ? 2 :~3"]
    commands = [f"output {name}" for name in names]
    assert answers_with(None, files, commands) == answers_with(tool("gdb"), files, commands)


def test_a_function_has_not_the_address_of_its_variable(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The symbol `K::f(int)::n` is not that of `K::f`, which is inlined everywhere."""
    source = """\
namespace geo { struct B { __attribute__((always_inline)) static int put(int c) {
  static int n = 5; return n += c; } }; }
int main(int c, char **) { return geo::B::put(c); }
"""
    build(tmp_path, {"a.cc": source}, [[tool("g++"), "-g", "-O2", "a.cc", "-o", "a"]])
    program, commands = [str(tmp_path / "a")], ["info address geo::B::put"]
    ours = answers_with(None, program, commands)
    gdbs = answers_with(tool("gdb"), program, commands)
    assert ours == gdbs and "No symbol" in ours[0]


REFERENCES = """\
struct A { int x; static int s; void m() {} }; struct B { int x; static int s; void m() {} };
int A::s = 3, B::s = 4;
struct D : A, B { } d;
struct P {
  int f() & { return 1; }
  int f() && { return 2; }
  int f() const & { return 3; }
  int f(int) const { return 4; }
} p;
int main() {
  const P &fixed = p; d.A::m(); d.B::m();
  return p.f() + P().f() + fixed.f() + p.f(1) + A::s + B::s + d.A::x;
}
"""


def test_functions_for_references_are_listed_and_named(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """They had their symbols in the list. GDB knows those names in quotes without `void`."""
    build(tmp_path, {"a.cpp": REFERENCES}, [[tool("g++"), "-g", "-O0", "a.cpp", "-o", "a"]])
    files = [str(tmp_path / "a")]
    [listed] = answers_with(None, files, ["print &P::f"])
    named = "'P::f(void) &&'; 'P::f(void) &'; 'P::f(void) const &'; P::f(int) const"
    assert listed.endswith(f'"P::f" is overloaded; say which: {named}\n')
    names = [name.replace("void", "") for name in named.split("; ")[:3]]
    commands = [f"{verb} {name}" for name in names for verb in ("output", "ptype")]
    commands += [f"break {name[1:-1]}" for name in names]
    given = answers_with(None, files, commands)
    assert given == answers_with(tool("gdb"), files, commands)
    for name in names:
        assert any(f" <{name[1:-1]}" in text for text in given)
    shown = answers_with(None, files, [f"output {name}" for name in named.split("; ")[:3]])
    values = [text.splitlines()[1].rstrip(">") for text in shown]
    assert values == [text.splitlines()[1] for text in given[:6:2]]


@pytest.mark.parametrize("subject", ["d.x", "D::x", "&D::x", "d.s", "D::s"])
def test_candidates_have_types(tmp_path: Path, tool: Callable[[str], str], subject: str) -> None:
    """As in GDB, which takes the last of the classes for `D::x`."""
    build(tmp_path, {"a.cpp": REFERENCES}, [[tool("g++"), "-g", "-O0", "a.cpp", "-o", "a"]])
    files = [str(tmp_path / "a")]
    own, of_gdb = (answers_with(gdb, files, [f"print {subject}"])[0] for gdb in (None, tool("gdb")))
    name = subject[-1]
    candidates = f"'int A::{name}' (D -> A), 'int B::{name}' (D -> B)"
    assert own.endswith(f"Candidates are: {candidates}\n")
    if "::" not in subject:
        lines = [line.strip() for line in of_gdb.splitlines()[2:]]
        assert ", ".join(lines) == candidates


UNNAMED = """
namespace { struct B { int b; static int bs; void bm() { b += ADD; }
  struct In { int i; void im() { i += ADD; } } in; };
int B::bs = ADD * 11; struct D : B { int d; void dm() { d += ADD; } };
namespace n { struct U { int u; void um() { u += ADD; } }; } }
D OBJ; n::U OTHER;
int use() { OBJ.bm(); OBJ.dm(); OBJ.in.im(); OTHER.um(); return B::bs; }
"""


@pytest.mark.parametrize("options", [(), ("-fdebug-types-section",), ("-gsplit-dwarf",)])
@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_an_object_has_the_members_of_its_own_unnamed_namespace(
    tmp_path: Path, tool: Callable[[str], str], compiler: str, options: tuple[str, ...]
) -> None:
    """The class of its name in the file in focus is another one. gcc gives both one type unit."""
    sources = {}
    for file, add in (("a", "1"), ("b", "2")):
        text = UNNAMED.replace("ADD", add).replace("OBJ", f"d{file}").replace("OTHER", f"u{file}")
        sources[f"{file}.cc"] = text.replace("use", "main" if file == "a" else "use")
    make = [tool(compiler), "-g", "-O0", *options, "a.cc", "b.cc", "-o", "a"]
    build(tmp_path, sources, [make])
    functions = ("dFILE.bm", "dFILE.dm", "dFILE.in.im", "dFILE.B::bm", "uFILE.um")
    named = dict(zip(functions, ("B::bm", "D::dm", "B::In::im", "B::bm", "n::U::um"), strict=True))
    for file, bs in (("a", "11"), ("b", "22")):
        path = f"'{file}.cc'::(anonymous namespace)"
        same = [
            f"output &{member.replace('FILE', file)} == &{path}::{name}"
            for member, name in named.items()
        ]
        commands = [*same, f"output d{file}.bs", f"output d{file}"]
        for focus in ("main", "use"):
            program = [str(tmp_path / "a"), "--pc", focus]
            *are_same, static, whole = last_lines(program, commands)
            assert are_same == ["true"] * len(same), (file, focus)
            assert static == bs and f"static bs = {bs}," in whole


UNNAMED_AND_CAST = """
namespace { struct Y { int v; struct Nx { int d; int g() { return d; } } nx;
  int mf() { return v + nx.g() + st; } static int st; }; int Y::st = NUMBER;
template<class T> struct TT { T t; static int ts; int tm() { return t + ts; } };
template<class T> int TT<T>::ts = NUMBER; struct Hold { Y *p; Y a[1]; }; }
Y yFILE; TT<int> tFILE; Hold hFILE; void *vFILE = &yFILE;
int FUNCTION() { Y loc; Y *lp = &loc; return lp->mf() + yFILE.mf() + tFILE.tm() + hFILE.p->mf(); }
"""


@pytest.mark.parametrize(
    "options", [(), ("-fdebug-types-section",), ("-fdebug-types-section", "-gdwarf-4"), ("-flto",)]
)
def test_a_cast_to_a_class_of_an_unnamed_namespace_has_the_members_in_focus(
    tmp_path: Path, tool: Callable[[str], str], options: tuple[str, ...]
) -> None:
    """The class of the cast is in the type unit; the members are those of the file in focus."""
    sources = {}
    for file, number, function in (("a", "11", "main"), ("b", "12", "use")):
        text = UNNAMED_AND_CAST.replace("NUMBER", number).replace("FILE", file)
        sources[f"{file}.cc"] = text.replace("FUNCTION", function)
    make = [tool("g++"), "-g", "-O0", *options, "-o", "a"]
    build(tmp_path, sources, [[*make, "a.cc", "b.cc"]])
    program = str(tmp_path / "a")
    for file, number, function in (("a", "11", "main"), ("b", "12", "use")):
        named = {f"y{file}.mf": "Y::mf", f"y{file}.nx.g": "Y::Nx::g", f"t{file}.tm": "TT<int>::tm"}
        shown = [f"y{file}", f"t{file}", f"h{file}"]
        if "-flto" not in options:  # gcc has no class of this name in the unit of the code
            named |= {f"((Y*)v{file})->mf": "Y::mf", f"((TT<int>*)&t{file})->tm": "TT<int>::tm"}
            shown += [f"(Y)y{file}", f"{{Y}}v{file}", f"*(Y*)v{file}", f"*(Hold*)&h{file}"]
            shown += [f"*(TT<int>*)&t{file}"]
        path = f"'{file}.cc'::(anonymous namespace)"
        commands = [f"output &{one} == &{path}::{name}" for one, name in named.items()]
        commands += [f"output {one}" for one in shown]
        lines = last_lines([program, "--pc", function], commands)
        assert lines[: len(named)] == ["true"] * len(named), file
        for line in lines[len(named) :]:
            assert f"static st = {number}" in line or f"static ts = {number}" in line
