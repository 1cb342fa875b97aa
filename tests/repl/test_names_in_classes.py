"""Names in classes and namespaces that `complete` and the lists of symbols show, as in GDB 13, with
and without type units."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.command import run

SOURCE = """\
namespace a { namespace b { int x;
struct T { static constexpr double pi = 3; enum class E { one, two }; static int q;
  template <class U> struct In { static const int k = 2; U u; }; In<int> in; };
int T::q = 1; template <class T> T var = 3; }
namespace ab = b; }
namespace z = a; namespace zz = a::b;
struct Outer { struct Inner; Inner *p; } outer;
struct Outer::Inner { static const int depth = 3; int i; } inner;
int main() {
  outer.p = &inner;
  return a::b::x + a::b::T::pi + a::b::T().in.k + z::b::x + (int)a::b::T::E::one + zz::var<int>;
}
"""
CANDIDATES = {
    "a::": [
        "a::ab", "a::b", "a::b::T", "a::b::T::E", "a::b::T::E::one", "a::b::T::E::two",
        "a::b::T::In<int>", "a::b::T::In<int>::k", "a::b::T::pi", "a::b::T::q", "a::b::var<int>",
        "a::b::x",
    ],
    "a::b::T::p": ["a::b::T::pi"],
    "z": ["z", "zz"],
    "Inn": [],
    "Outer::I": ["Outer::Inner", "Outer::Inner::depth"],
}  # fmt: skip
VARIANTS = [
    ("g++", "-gdwarf-5"),
    ("g++", "-gdwarf-5", "-fdebug-types-section"),
    ("g++", "-gdwarf-4"),
    ("g++", "-gdwarf-4", "-fdebug-types-section"),
    ("clang++-19", "-gdwarf-5"),
    ("clang++-19", "-gdwarf-5", "-fdebug-types-section"),
]


@pytest.fixture(params=VARIANTS, ids=" ".join)
def program(
    request: pytest.FixtureRequest, tool: Callable[[str], str], tmp_path: Path
) -> Sequence[str]:
    compiler, *options = request.param
    source, out = tmp_path / "names.cc", tmp_path / "names"
    source.write_text(SOURCE)
    command = [tool(compiler), "-O0", *options, "-o", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    return "debug", str(out), "--batch"


def answer(program: Sequence[str], command: str) -> list[str]:
    return run(*program, "-ex", command).out.splitlines()


def test_completion(program: Sequence[str]) -> None:
    got = {word: answer(program, f"complete p {word}") for word in CANDIDATES}
    assert got == {word: [f"p {name}" for name in names] for word, names in CANDIDATES.items()}


def test_constants_of_classes_are_listed(program: Sequence[str]) -> None:
    assert answer(program, "info variables -q ^a::b::T::pi$")[-1] == "2:\tconst double a::b::T::pi;"
    assert len(answer(program, "info variables -q ^a::b::T::pi$")) == 3
    assert answer(program, "info variables -q var")[-1] == "4:\tint a::b::var<int>;"


def test_aliases_of_namespaces_are_listed_as_what_they_name(program: Sequence[str]) -> None:
    listed = answer(program, "info types -q ^z")
    assert listed[-2:] == ["6:\ta", "6:\ta::b"]
    assert answer(program, "info types -q ^a::ab")[-1] == "5:\ta::b"


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_files_of_type_units_have_the_names_of_the_line_table(
    compiler: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """In DWARF 5 the directories are relative to the first one of the table; the unit has none."""
    (tmp_path / "part").mkdir()
    (tmp_path / "part/kind.h").write_text("struct Kind { int a; };\n")
    (tmp_path / "kind.cc").write_text(
        '#include "part/kind.h"\nKind k; int main() { return k.a; }\n'
    )
    options = ["-gdwarf-5", "-fdebug-types-section", "kind.cc", "-o", "kind"]
    subprocess.run([tool(compiler), *options], check=True, capture_output=True, cwd=tmp_path)
    program = "debug", str(tmp_path / "kind"), "--batch"
    assert answer(program, "info types -q ^Kind")[1:3] == ["File part/kind.h:", "1:\tKind;"]


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
@pytest.mark.parametrize("split", [(), ("-gsplit-dwarf",)], ids=["whole", "split"])
def test_types_of_type_units_are_on_lines_of_their_compilation_unit(
    compiler: str, split: tuple[str, ...], tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Before DWARF 5 the directory of a type unit is in no entry of its own: the compilation unit
    with the same line table has it."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kind.cc").write_text(
            f"struct Of_{name} {{ int a; }};\nOf_{name} of_{name};\n"
            f"int get_{name}() {{ return of_{name}.a; }}\n"
        )
        options = ["-gdwarf-4", "-fdebug-types-section", *split, "-c", "kind.cc"]
        subprocess.run([tool(compiler), *options], check=True, cwd=tmp_path / name)
    (tmp_path / "main.cc").write_text("int main() { return 0; }\n")
    objects = ["first/kind.o", "second/kind.o", "main.cc", "-o", "kinds"]
    subprocess.run([tool(compiler), *objects], check=True, cwd=tmp_path)
    program = "debug", str(tmp_path / "kinds"), "--batch"
    for name in ("first", "second"):
        [line] = answer(program, f"info line Of_{name}")
        assert line.startswith('Line 1 of "kind.cc" is at address 0x')
        assert line.endswith(f" <get_{name}()> but contains no code.")
        assert answer(program, f"list Of_{name}")[0] == f"1\tstruct Of_{name} {{ int a; }};"


OVERLOADED = """\
struct K { int a; K(); K(int); ~K();
  int g() const; int g(); int g(int) volatile; int g(int); int r() &; int r() &&;
  int c() const &; int c() const &&; };
K::K() : a(1) {} K::K(int x) : a(x) {} K::~K() {}
int K::g() const { return a; } int K::g() { return a + 1; }
int K::g(int x) volatile { return x; } int K::g(int x) { return x + 1; }
int K::r() & { return 1; } int K::r() && { return 2; }
int K::c() const & { return 3; } int K::c() const && { return 4; }
int main() { K k(2); return k.g() + k.g(1) + K().r(); }
"""
MEANT_OVERLOADS = {
    "K::g(void)": "K::g()",
    "'K::g()'": "K::g()",
    "'K::g() const'": "K::g() const",
    "K::g(int)": "K::g(int)",
    "'K::g(int) volatile'": "K::g(int) volatile",
    "'K::r() &'": "K::r() &",
    "'K::r() &&'": "K::r() &&",
    "'K::c() const&'": "K::c() const &",
    "'K::c()const&&'": "K::c() const &&",
    "K::K(int)": "K::K(int)",
    "K::~K": "K::~K()",
}


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
@pytest.mark.parametrize("version", ["-gdwarf-4", "-gdwarf-5"])
def test_overloads_of_type_units_have_their_own_definitions(
    compiler: str, version: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The declaration and the definition are entries of two units, with one linkage name."""
    (tmp_path / "a.cc").write_text(OVERLOADED)
    options = [version, "-fdebug-types-section", "-O0", "a.cc", "-o", "a"]
    subprocess.run([tool(compiler), *options], check=True, cwd=tmp_path)
    program = "debug", str(tmp_path / "a"), "--batch", "--pc", "main"
    symbols = {name: answer(program, f"info symbol {name}")[0] for name in MEANT_OVERLOADS}
    assert symbols == {name: f"{one} in section .text" for name, one in MEANT_OVERLOADS.items()}
    for name, overloads in (
        ("g", "K::g(int); K::g(int) volatile; K::g(void); K::g(void) const"),
        ("r", "'K::r(void) &&'; 'K::r(void) &'"),
        ("c", "'K::c(void) const &&'; 'K::c(void) const &'"),
    ):
        every = run(*program, "-ex", f"print &K::{name}").err
        assert every == f'"K::{name}" is overloaded; say which: {overloads}\n'
    meant = {
        "K::c() const&&": "K::c() const &&",
        "K::c()const&": "K::c() const &",
        "K::r()&&": "K::r() &&",
    }
    for written, shown in meant.items():
        assert f"<{shown}>" in answer(program, f"info line {written}")[0]


INHERITED = """\
namespace n { template <class T> struct TB { T t; TB(T x) : t(x) {} };
struct Q { int q; Q(int x, int y) : q(x) {} struct In { long z[2]; } in; static int qs; };
int Q::qs = 4; }
typedef n::Q QT;
struct TD : n::TB<int> { using n::TB<int>::TB; int d; };
struct DQ : QT { using QT::QT; int e; };
struct F : DQ { using DQ::DQ; int f; };
int main() { TD t(5); DQ q(1, 2); F f(3, 4); return t.t + q.q + f.q; }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_the_name_of_an_inherited_constructor_is_that_of_its_class(
    compiler: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """clang describes a member function of that name, which C++ [class.qual] does not name."""
    (tmp_path / "a.cc").write_text(INHERITED)
    subprocess.run([tool(compiler), "-g", "-O0", "a.cc", "-o", "a"], check=True, cwd=tmp_path)
    program = "debug", str(tmp_path / "a"), "--batch", "--pc", "main"
    shown = {
        "whatis TD::TB": "type = n::TB<int>", "output sizeof(TD::TB)": "4",
        "whatis DQ::Q": "type = n::Q", "output sizeof(DQ::Q::In)": "16",
        "whatis &DQ::Q::qs": "type = int *", "whatis F::Q": "type = n::Q",
        "whatis F::DQ": "type = DQ", "whatis &DQ::Q::q": "type = int n::Q::*",
    }  # fmt: skip
    assert {command: answer(program, command)[0] for command in shown} == shown
    of_object = run(*program, "-ex", "whatis q.Q")
    if compiler == "g++":  # GDB takes the constructor of the base class
        assert of_object.err == "Cannot take address of method Q.\n"
    else:
        assert of_object.out.endswith("type = void (DQ * const, int, int)\n")
    assert "Breakpoint 1 at " in answer(program, "break DQ::Q")[0]
