"""Names that only the using-directives and -declarations of a namespace give, from outside."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.language.name_resolution import Names
from tests.language.sessions import program, text


def test_the_imports_of_a_namespace_count_outside_of_its_file(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """C++ [namespace.qual]: a qualified name follows the using-directives of the namespace."""
    source = """namespace a { namespace b { int v = 2; int w = 3; }
  namespace c { using namespace b; using b::w; int only = 7; } }
extern "C" int sum() { return a::c::v + a::c::w + a::c::only; }
"""
    (tmp_path / "b.cpp").write_text(source)
    (tmp_path / "a.c").write_text("int sum(void);\nint main(void) { return sum(); }\n")
    for name in ("a.c", "b.cpp"):
        subprocess.run([tool("g++"), "-g", "-c", "-xc" if name == "a.c" else "-xc++", name],
                       cwd=tmp_path, check=True, timeout=60)  # fmt: skip
    subprocess.run([tool("g++"), "-o", "p", "a.o", "b.o"], cwd=tmp_path, check=True, timeout=60)
    session = program(tmp_path / "p")
    in_c, *_ = LineLookup(session.code_objects[0].scopes).pcs_of("a.c", 2)
    for place in (session, evolve(session, pc=in_c)):
        assert [text(place, f"a::c::{name}") for name in ("v", "w", "only")] == ["2", "3", "7"]
        assert 'No symbol "x" in namespace "a::c"' in text(place, "a::c::x")


def test_all_files_are_asked_for_the_imports_of_a_namespace(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The files extend the namespace differently: the first one with the name counts, by a note."""
    sources = {
        "a.c": "int f(void), g(void);\nint main(void) { return f() + g(); }\n",
        "b.cpp": """namespace b1 { int w = 1, u1 = 11; } namespace b2 { int w = 2, u2 = 22, s = 3; }
namespace c { using b1::w; using namespace b2; using b2::s; }
extern "C" int f() { return c::w + c::u2 + c::s; }
""",
        "c.cpp": """namespace b1 { extern int w, u1; } namespace b2 { extern int w, s; }
namespace c { using b2::w; using namespace b1; using b2::s; }
extern "C" int g() { return c::w + c::u1 + c::s; }
""",
    }
    for name, source in sources.items():
        (tmp_path / name).write_text(source)
        subprocess.run([tool("gcc" if name == "a.c" else "g++"), "-g", "-c", name],
                       cwd=tmp_path, check=True, timeout=60)  # fmt: skip
    subprocess.run([tool("g++"), "-o", "p", "a.o", "b.o", "c.o"],
                   cwd=tmp_path, check=True, timeout=60)  # fmt: skip
    session = program(tmp_path / "p")
    in_c, *_ = LineLookup(session.code_objects[0].scopes).pcs_of("a.c", 2)
    place = evolve(session, pc=in_c)
    assert [text(place, f"c::{name}") for name in ("w", "u1", "u2", "s")] == ["1", "11", "22", "3"]
    names = Names(place)
    for name in ("u1", "u2", "s", "w"):
        assert not names.remarks and names.meaning(f"c::{name}")
    assert [*names.remarks] == ["c::w is that of b.cpp: c.cpp has another one"]
    assert 'No symbol "main" in namespace "c"' in text(place, "c::main")
