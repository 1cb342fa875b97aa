"""In a frame of C all types are written as in C, in one of C++ as in C++: GDB 13's words."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.repl.settings import Settings
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import demo_shell, output_of

C = """
struct node { int v; struct node *next; } node = {1, &node};
enum kind { A, B } kind = B;
int count = 1;
int back(int n) { struct node inner = {n, 0}; return inner.v; }
"""
CPLUSPLUS = """
extern "C" int back(int);
namespace ns { struct Point { int x, y; int sum() const { return x + y; } };
enum class Color : unsigned char { red, green };
template<class T> struct Box { T value; Box *next; };
class Secret { public: int a = 1; }; }
ns::Point point = {1, 2};
ns::Color color = ns::Color::green;
ns::Box<ns::Point> box = {{3, 4}};
ns::Secret secret;
int ns::Point::*member = &ns::Point::y;
struct Left { int l; };
struct Both : Left, ns::Point { int b; };
int Both::*inherited = static_cast<int Both::*>(&ns::Point::y);
extern "C" int cpp(int n) {
  static int (ns::Point::*call)() const = &ns::Point::sum;
  ns::Point here = {n, n}; return back((here.*call)()); }
int main() { return cpp(1); }
"""
IN_C = {
    "whatis point": "struct ns::Point",
    "ptype point": """struct ns::Point {
    int x;
    int y;
  public:
    int sum() const;
}""",
    "whatis &secret": "class ns::Secret *",
    "whatis color": "enum ns::Color",
    "ptype color": "enum class ns::Color {ns::Color::red, ns::Color::green}",
    "ptype box": """struct ns::Box<ns::Point> [with T = struct ns::Point] {
    T value;
    struct ns::Box<T> *next;
}""",
    "whatis member": "int ns::Point::*",
    "whatis node": "struct node",
    "whatis kind": "enum kind",
    "whatis main": "int (void)",
    "whatis &main": "int (*)(void)",
    "whatis *count": "int",
    "ptype *(count + 1)": "int",
}
IN_CPLUSPLUS = {
    "whatis point": "ns::Point",
    "whatis &secret": "ns::Secret *",
    "whatis node": "node",
    "whatis &node": "node *",
    "whatis kind": "kind",
    "ptype node": """struct node {
    int v;
    node *next;
}""",
}


TYPEDEFS = {
    "int": "is a typedef.",
    "ns": "is a typedef.",
    "ns::Point": "is a typedef.",
    "ns::Color": "is a typedef.",
    "ns::Color::green": "is constant.",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> str:
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "c.c").write_text(C)
    (folder / "cpp.cpp").write_text(CPLUSPLUS)
    flags = ["-g", "-O0", "-c"]
    subprocess.run([tool("gcc"), *flags, "c.c"], cwd=folder, check=True)
    subprocess.run([tool("g++"), *flags, "cpp.cpp"], cwd=folder, check=True)
    subprocess.run([tool("g++"), "-no-pie", "c.o", "cpp.o", "-o", "mixed"], cwd=folder, check=True)
    return str(Path(folder) / "mixed")


@pytest.mark.parametrize(("function", "expected"), [("back", IN_C), ("cpp", IN_CPLUSPLUS)])
def test_types(program: str, function: str, expected: dict[str, str]) -> None:
    words = [word for line in expected for word in ("-ex", line)]
    done = run("debug", "--batch", "-q", program, "--pc", function, *words)
    answers = ("\n" + "\n".join(done.lines)).split("\ntype = ")[1:]
    assert dict(zip(expected, answers, strict=True)) == expected


@pytest.mark.parametrize("function", ["back", "cpp"])
def test_info_address_of_types(program: str, function: str) -> None:
    """To GDB, types and namespaces are typedefs; tags of C have no symbols, as members."""
    words = [word for name in TYPEDEFS for word in ("-ex", f"info address {name}")]
    done = run("debug", "--batch", "-q", program, "--pc", function, *words)
    assert done.lines == [f'Symbol "{name}" {text}' for name, text in TYPEDEFS.items()]
    for name in ("node", "ns::Point::x"):
        command = f"info address {name}"
        done = run("debug", "--batch", "-q", program, "--pc", "back", "-ex", command)
        expected = 'Symbol "node" is static' if name == "node" else f'No symbol "{name}" in'
        assert expected in done.out + done.err


def test_a_pointer_to_a_member_function_has_its_type_among_locals(program: str) -> None:
    done = run("debug", "--batch", "-q", program, "--pc", "cpp", "-ex", "info locals")
    [line] = [line for line in done.lines if line.startswith("call = ")]
    assert line.startswith("call = (int (ns::Point::*)(const ns::Point * const)) 0x")
    assert line.endswith(" <ns::Point::sum() const>")


def test_a_variable_is_no_instance_of_a_template(program: str) -> None:
    done = run(
        "debug", "--batch", "-q", program, "--pc", "cpp",
        "-ex", "print count <> 1", "-ex", "print count<int>",
    )  # fmt: skip
    assert done.err.startswith("A syntax error in expression, near `> 1'.\n")
    assert done.out == ""


def test_a_pointer_to_a_member_names_the_base_class_that_has_it(program: str) -> None:
    done = run("debug", "--batch", "-q", program, "--pc", "cpp", "-ex", "print inherited")
    assert done.lines[-1] == "$1 = &ns::Point::y"


def test_assembly_has_the_name_that_gdb_gives_it(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "a.S").write_text(".globl _start\n_start:\n\tnop\n\tnop\n")
    words = [tool("gcc"), "-g", "-nostdlib", "-static", "a.S", "-o", "a"]
    subprocess.run(words, cwd=tmp_path, check=True)
    words = ["--pc", "_start", "-ex", "info source", "-ex", "show language"]
    done = run("debug", "--batch", "-q", tmp_path / "a", *words)
    assert "Source language is asm." in done.lines
    assert 'The current source language is "auto; currently asm".' in done.lines


def test_code_without_a_unit_has_the_language_of_main() -> None:
    """GDB keeps a language where code has none, and begins with that of `main`."""
    program = FIXTURES / "core" / "containers.x86_64.libstdcxx"
    words = ("--ex", "show language", "--ex", "p true", "--ex", "whatis 1<2")
    done = run("debug", "--batch", "--q", program, "--pc", "_start", *words)
    language = 'The current source language is "auto; currently c++".'
    assert done.lines[-3:] == [language, "$1 = true", "type = bool"]


def test_the_source_of_a_split_unit_has_its_language_and_producer() -> None:
    """The skeleton has neither; GDB 13 shows those of the split unit."""
    words = ["--pc", "main", "-ex", "info source"]
    done = run("debug", "--batch", "-q", FIXTURES / "split/gcc5/prog", *words)
    assert "Source language is c++." in done.lines
    assert any(line.startswith("Producer is GNU C++") for line in done.lines)


def test_variables_of_listed_frames_are_written_in_their_own_language() -> None:
    """As in GDB, whose `bt full` in a frame of C shows `(1,2)` in a frame of Fortran."""
    settings = Settings()
    settings.of_frame = lambda: (False, "c")
    assert settings.format_options().language == (False, "c")
    assert settings.listing_options().language is None
    assert settings.frame_style().options.language is None
    settings["language"] = "c"
    assert settings.listing_options().language == (False, "c")


@pytest.mark.parametrize(("language", "separator"), [("c", " "), ("c++", "'")])
def test_digits_of_a_literal_are_grouped_as_in_the_language(language: str, separator: str) -> None:
    shell = demo_shell()
    output_of(shell, f"set language {language}", "set print nibbles on")
    assert output_of(shell, "p/t 255") == f"$1 = 1111{separator}1111\n"
