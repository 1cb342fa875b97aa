"""Globals of programs that GCC optimized at link time: their entries with locations have no name,
and are in another unit than those of the sources.

What is right is in the sources: GDB 13 shows `other`'s hidden variable as that of `main`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from tests.cli.command import run
from tests.repl.side_by_side import build

MAIN = """
int counter = 7;
static int hidden = 3;
extern int other(int);
int main(int argc, char **argv) { counter += argc; hidden += counter; return hidden + other(argc); }
"""
OTHER = """
static int hidden = 9;
int shared = 4;
struct pair { int a, b; } both = {1, 2};
int other(int n) { hidden += n; shared += both.a; return hidden; }
"""


HEADER = """
namespace ns {
extern int plain;
inline int shared = 77;
struct kind { static int member; int own; kind(int n); virtual int go(int n); };
}
"""
CLASSES = """
#include "header.h"
namespace { int hidden = 31; }
namespace ns {
int plain = 2, kind::member = 3;
kind::kind(int n) : own(n) {}
int kind::go(int n) { hidden += n; return own + member + plain + hidden + shared; }
}
"""
OBJECTS = """
#include "header.h"
namespace { int hidden = 41; }
int main(int argc, char **) { ns::kind k(argc); hidden += k.go(argc); return hidden + ns::shared; }
"""


@pytest.fixture
def program(tool: Callable[[str], str], tmp_path: Path) -> Path:
    return built(tool("gcc"), tmp_path, {"main.c": MAIN, "other.c": OTHER})


def built(compiler: str, folder: Path, sources: dict[str, str]) -> Path:
    for name, text in sources.items():
        (folder / name).write_text(text)
    names = [name for name in sources if not name.endswith(".h")]
    command = [compiler, "-std=gnu++17"] if compiler.endswith("g++") else [compiler]
    command += ["-g", "-O0", "-flto", *names, "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"gcc cannot optimize at link time: {done.stderr.splitlines()[-1:]}")
    out = folder / "program"
    producers = [unit.producer for unit in CodeObject.open(out).info.units]
    if not any(producer.startswith("GNU GIMPLE") for producer in producers):
        pytest.skip("this gcc writes no unit of its own at link time")
    return out


def test_globals_have_the_locations_of_link_time(program: Path) -> None:
    done = run("eval", "--file", program, "counter", "shared", "both", "hidden")
    assert done.out.splitlines() == [
        "counter = 7", "shared = 4", "both = {a = 1, b = 2}", "hidden = 3",
    ]  # fmt: skip
    commands = ("p &both", "info address counter", "p 'other.c'::hidden", "p 'main.c'::hidden")
    done = run("debug", program, "--batch", *(word for line in commands for word in ("-ex", line)))
    shown = [line for line in done.out.splitlines() if not line.startswith("note:")]
    assert shown[0].endswith("<both>") and "(struct pair *) 0x" in shown[0]
    assert shown[1].startswith('Symbol "counter" is static storage at address 0x')
    assert shown[2:] == ["$2 = 9", "$3 = 3"]


def test_hidden_variables_are_those_of_the_source_in_focus(program: Path) -> None:
    for function, value in (("main", 3), ("other", 9)):
        lines = run("eval", "--file", program, "--pc", function).out.splitlines()
        hidden = [line for line in lines if line.startswith("int hidden")]
        assert len(hidden) == 1 and hidden[0].startswith(f"int hidden = {value} ")


def test_each_global_is_listed_once(program: Path) -> None:
    lines = run("where", "--all", program).lines
    assert lines[-1].endswith("5 of 5 global variables described")
    assert sum("counter" in line for line in lines) == 1


def test_names_of_classes_and_namespaces(tool: Callable[[str], str], tmp_path: Path) -> None:
    sources = {"header.h": HEADER, "classes.cc": CLASSES, "objects.cc": OBJECTS}
    program = built(tool("g++"), tmp_path, sources)
    values = {"ns::plain": 2, "ns::shared": 77, "ns::kind::member": 3, "'objects.cc'::hidden": 41}
    done = run("eval", "--file", program, *values)
    shown = [line.partition(" = ")[2] for line in done.out.splitlines()]
    assert shown == list(map(str, values.values()))
    for function, hidden in (("ns::kind::go", 31), ("main", 41)):
        lines = run("eval", "--file", program, "--pc", function).lines
        assert [line for line in lines if line.startswith(f"int hidden = {hidden} ")], function


def test_a_function_of_a_source_file_is_where_its_code_is(
    program: Path, tool: Callable[[str], str]
) -> None:
    """Its code is described in another unit; without its symbol, nothing else says where."""
    subprocess.run([tool("objcopy"), "--strip-symbol=other", program], check=True)
    commands = ("output &'other.c'::other", "echo \\n", "info address other")
    words = [word for line in commands for word in ("-ex", line)]
    shown, address = run("debug", program, "--batch", *words).out.splitlines()
    assert shown.startswith("(int (*)(int)) 0x")
    assert shown.split()[2] in address


def test_static_variables_of_functions_need_no_frame(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Their locations are in the unit that was written at link time."""
    sources = {
        "main.c": "int f(int); int main(int n, char **v) { return f(n); }",
        "f.c": "int f(int x) { static int counter = 3; int y = x * 2; return counter += x + y; }",
    }
    program = str(built(tool("gcc"), tmp_path, sources))
    assert run("eval", "--file", program, "f::counter").out == "f::counter = 3\n"
    failed = run("eval", "--file", program, "f::y")
    assert "No frame selected." in failed.err


OVERLOADED = """
namespace ns {
int f(int a) { static int so = 1; enum { OI = 10 }; so += a; return so + OI; }
int f(double a) { static int so = 2; enum { OD = 20 }; so += a; return so + OD; }
}
int main(int n, char **) { return ns::f(n) + ns::f(n + 0.5); }
"""


def test_overloaded_functions_that_are_only_inlined(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    program = str(built(tool("g++"), tmp_path, {"main.cpp": OVERLOADED}))
    for name, value in (("ns::f(int)::so", 1), ("ns::f(double)::so", 2)):
        assert run("eval", "--file", program, name).out == f"{name} = {value}\n"
    assert run("eval", "--file", program, "ns::f(double)::OD").out.endswith("= OD\n")
    assert 'No symbol "OD"' in run("eval", "--file", program, "ns::f(int)::OD").err
    assert '"ns::f" is overloaded' in run("eval", "--file", program, "ns::f::so").err


def test_static_functions_of_a_header(tool: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "inc.h").write_text(
        "static inline int inl(int a) { static int si = 4; enum { IE = 40 }; si += a;"
        " return si + IE; }\n"
    )
    sources = {
        "main.c": '#include "inc.h"\nint other(void);\n'
        "int main(int n, char **v) { return inl(n) + other(); }\n",
        "other.c": '#include "inc.h"\nint other(void) { return inl(3); }\n',
    }
    program = str(built(tool("gcc"), tmp_path, sources))
    answer = run("eval", "--file", program, "'inc.h'::inl::si")
    assert answer.out == "'inc.h'::inl::si = 4\n"
    assert "'inc.h'::inl::si is that of main.c: other.c has another one" in answer.err
    assert run("eval", "--file", program, "'inc.h'::inl::IE").out.endswith("= IE\n")


def test_static_functions_of_several_files(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Their parameters do not say which of them is meant."""
    sources = {
        "a.cpp": """
static int loc(int x) { static int s = 40; return s += x; }
static int loc(long x) { static int s = 41; return s += x; }
int usea(int n) { return loc(n) + loc((long)n); }
""",
        "b.cpp": """int usea(int);
static int loc(int x) { static int s = 42; return s += x; }
int useb(int n) { return usea(n) + loc(n); }
""",
        "main.cpp": "int useb(int); int main(int n, char **) { return useb(n); }",
    }
    program = str(built(tool("g++"), tmp_path, sources))
    answer = run("eval", "--file", program, "loc(int)::s")
    first, value, second = ("a", 40, "b") if " = 40" in answer.out else ("b", 42, "a")
    assert answer.out == f"loc(int)::s = {value}\n"
    note = f"loc(int)::s is that of {first}.cpp: {second}.cpp has another one\n"
    assert note in answer.err and answer.err.count("has another one") == 1
    assert run("eval", "--file", program, "loc(long)::s").out == "loc(long)::s = 41\n"
    refused = run("eval", "--file", program, "loc::s")
    assert '"loc" is overloaded; say which: loc(int); loc(long)' in refused.err


@pytest.mark.parametrize("options", [["-O0"], ["-O2", "-flto"]])
def test_variables_of_static_functions_of_a_header(
    tool: Callable[[str], str], tmp_path: Path, options: list[str]
) -> None:
    """The function is one text, but each file has a variable of its own."""
    sources = {
        "inc.h": "static int hdr(int x) { static int hs = 60; return hs += x; }",
        "a.c": '#include "inc.h"\nint ua(int n) { return hdr(n); }\n',
        "b.c": '#include "inc.h"\nint ub(int n) { return hdr(n); }\n',
        "main.c": "int ua(int), ub(int); int main(int n, char **v) { return ua(n) + ub(n); }",
    }
    build(tmp_path, sources, [[tool("gcc"), "-g", *options, "-o", "a", "a.c", "b.c", "main.c"]])
    program = str(tmp_path / "a")
    answer = run("eval", "--file", program, "hdr::hs")
    assert answer.out == "hdr::hs = 60\n"
    notes = [f"hdr::hs is that of {one}.c: {two}.c has another one" for one, two in ("ab", "ba")]
    assert any(note in answer.err for note in notes)
    assert "another one" not in run("eval", "--file", program, "'b.c'::hdr::hs").err
