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
