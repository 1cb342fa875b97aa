"""Without a frame, a name means what it means in the source file that was listed last (GDB:
`parse_exp_in_context` takes the static block of the current source file)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from tests.cli.command import run
from tests.repl.repl_shell import made, output_of
from tests.repl.side_by_side import answers, build

SOURCES = {
    "first.c": """struct S { int a; };
static struct S own = {1};
static int hidden(void) { return own.a; }
int use_first(void) { return hidden(); }
""",
    "second.c": """struct S { double d, e; };
static struct S own = {2.5, 3.5};
static int only;
static int hidden(void) { return own.d + only; }
int use_second(void) { return hidden(); }
""",
    "main.c": """int use_first(void), use_second(void);
int main(void) { return use_first() + use_second(); }
""",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text)
    subprocess.run(["gcc", "-g", "-o", "program", *SOURCES], cwd=tmp_path, check=True)
    program = CodeObject.open(str(tmp_path / "program"))
    arch = program.info.architecture or architecture("x86_64")
    return made(Session(arch, (program,)))


@pytest.mark.parametrize(("name", "size_bytes"), [("first.c", 4), ("second.c", 16)])
def test_names(shell: Shell, name: str, size_bytes: int) -> None:
    assert output_of(shell, f"list {name}:1", "output sizeof(own)") == str(size_bytes)
    assert output_of(shell, "output sizeof(struct S)") == str(size_bytes)
    own = output_of(shell, f"output &'{name}'::hidden")
    assert output_of(shell, "output &hidden") == own


def test_the_last_one_counts(shell: Shell) -> None:
    assert output_of(shell, "list second.c:1", "list first.c:1", "output sizeof(own)") == "4"
    assert output_of(shell, "list use_second", "output sizeof(own)") == "16"


def test_it_is_listed_even_if_no_line_is_shown(shell: Shell) -> None:
    assert "out of range" in output_of(shell, "list second.c:1", "list first.c:99")
    assert output_of(shell, "output sizeof(own)") == "4"


def test_places_are_not_listed(shell: Shell) -> None:
    output_of(shell, "list second.c:1", "info line first.c:3", "info scope use_first")
    assert output_of(shell, "output sizeof(own)") == "16"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("output &own", "own"),
        ("whatis own", "own"),
        ("output sizeof(own)", "own"),
        ("output sizeof(struct S)", "S"),
        ("ptype struct S", "S"),
        ("output &hidden", "hidden"),
    ],
)
def test_the_first_of_several_files_is_named(shell: Shell, command: str, name: str) -> None:
    """GDB 13 takes one of them, too, and does not say which; here the note says it once."""
    note = f"note: {name} is that of first.c: second.c has another one\n"
    assert note in output_of(shell, "list main.c:1", command)
    assert note not in output_of(shell, command)


def test_no_other_file_defines_it(shell: Shell) -> None:
    commands = ("whatis own", "output sizeof(struct S)", "output &hidden")
    for command in commands:
        assert "has another one" not in output_of(shell, "list second.c:1", command)
    assert "has another one" not in output_of(shell, "list main.c:1", "whatis only")


def test_a_type_of_a_header_is_one_type(tmp_path: Path, tool: Callable[[str], str]) -> None:
    (tmp_path / "kind.h").write_text("struct K { int a; };\n")
    for name in ("one", "two"):
        text = f'#include "kind.h"\nstatic struct K k; int {name}(void) {{ return k.a; }}\n'
        (tmp_path / f"{name}.c").write_text(text)
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    sources = ["main.c", "one.c", "two.c"]
    subprocess.run([tool("gcc"), "-g", "-o", "program", *sources], cwd=tmp_path, check=True)
    program = CodeObject.open(str(tmp_path / "program"))
    shell = made(Session(program.info.architecture or architecture("x86_64"), (program,)))
    assert output_of(shell, "output sizeof(struct K)") == "4"
    assert "note: k is that of one.c: two.c has another one\n" in output_of(shell, "whatis k")


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("version", ["-gdwarf-4", "-gdwarf-5"])
def test_type_units_share_the_line_table_of_their_file(
    compiler: str, version: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The unit of a type may come first; the names of its file are those of the other unit."""
    texts = {
        "first.cc": "struct A { int a; };\nstatic A own = {1};\nint first() { return own.a; }\n",
        "second.cc": "struct B { long b; };\nstatic B own = {2};\nint second() { return own.b; }\n",
        "main.cc": "int first(), second();\nint main() { return first() + second(); }\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    command = [tool(compiler), version, "-fdebug-types-section", "-o", "program", *texts]
    subprocess.run(command, cwd=tmp_path, check=True)
    program = CodeObject.open(str(tmp_path / "program"))
    shell = made(Session(program.info.architecture or architecture("x86_64"), (program,)))
    assert output_of(shell, "list first.cc:1", "whatis own") == "type = A\n"
    assert output_of(shell, "list second.cc:1", "whatis own") == "type = B\n"


@pytest.mark.parametrize("types", [[], ["-fdebug-types-section"]])
def test_a_structure_that_others_define(
    tmp_path: Path, tool: Callable[[str], str], types: list[str]
) -> None:
    """A file that only declares a structure takes the first of several; one that others define
    alike, or that one file defines, has no note. GDB does not say which one it takes."""
    texts = {
        "same.h": "struct same { int s; };\n",
        "main.c": "struct ctx; struct same; struct one;\n"
        "extern struct ctx c1; extern struct same s1; extern struct one o1;\n"
        "struct ctx *p = &c1; struct same *s = &s1; struct one *o = &o1;\n"
        "int main(void) { return p == 0; }\n",
        "first.c": '#include "same.h"\nstruct ctx { int id; } c1 = {7}; struct same s1 = {8};\n'
        "struct one { int a; } o1 = {9};\n",
        "second.c": '#include "same.h"\n\nstruct ctx { double w; } c2 = {1.5}; struct same s2;\n'
        "int in_second(struct ctx *own) { return own->w; }\n",
    }
    arguments = [tool("gcc"), "-g", "-no-pie", *types, "-o", "program"]
    build(tmp_path, texts, [[*arguments, *(name for name in texts if name.endswith(".c"))]])
    note = "note: ctx is that of first.c: second.c has another one\n"

    def answer(place: str, command: str) -> str:  # a session gives a note once
        given = answers(None, [str(tmp_path / "program")], [f"list {place}:1", command])
        return given[1].replace(f"{tmp_path}/", "")  # type units have no short name

    values = {
        "p *p": "{id = 7}", "p p->id": "7", "p (*p).id": "7", "p *(struct ctx *)p": "{id = 7}",
        "p sizeof(struct ctx)": "4", "p s->s": "8", "p o->a": "9",
    }  # fmt: skip
    for number, (command, value) in enumerate(values.items()):
        of_main = answer("main.c", command)
        assert f" = {value}\n" in of_main
        assert (note in of_main) == (number < 5), command
        if "struct" not in command or not types:  # a type unit is not of one file
            assert (note in answer("second.c", command)) == (number < 3), command
    assert types or " = 8\n" in answer("second.c", "p sizeof(struct ctx)")


@pytest.fixture
def namesakes(tmp_path: Path, tool: Callable[[str], str]) -> Shell:
    """A program with two files of one name in two folders."""
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        text = f"static int st;\nint f{folder}(int a{folder}) {{\n  return a{folder} + st;\n}}\n"
        (tmp_path / folder / "u.c").write_text(text)
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    sources = ["main.c", "x/u.c", "y/u.c"]
    subprocess.run([tool("gcc"), "-g", "-o", "program", *sources], cwd=tmp_path, check=True)
    program = CodeObject.open(str(tmp_path / "program"))
    return made(Session(program.info.architecture or architecture("x86_64"), (program,)))


def test_the_first_of_several_files_of_a_name_is_named(namesakes: Shell) -> None:
    """GDB 13 takes one of the files for `'u.c'::st`, too, and does not say which."""
    note = "note: 'u.c'::st is that of x/u.c: y/u.c has another one\n"
    assert note in output_of(namesakes, "whatis 'u.c'::st")
    assert output_of(namesakes, "whatis 'y/u.c'::st") == "type = int\n"


def test_the_scope_of_the_first_of_several_places_is_named(namesakes: Shell) -> None:
    """GDB 13 lists the scope of the first place, as the manual's `info scope` of one line."""
    output = output_of(namesakes, "info scope u.c:3")
    assert "Symbol ax is" in output and "Symbol ay is" not in output
    assert "note: u.c:3 has code at 2 places: " in output
    assert " in fx, " in output and " in fy; using " in output
    assert "note:" not in output_of(namesakes, "info scope y/u.c:3")


def test_lines_without_a_file_in_code_without_lines(tmp_path: Path) -> None:
    """The source is that of the frame that was shown last (GDB: the current source line), not the
    default one."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bare.c").write_text("int bare(void) { return 1; }\n")
    subprocess.run(["gcc", "-c", "bare.c"], cwd=tmp_path, check=True)
    build = ["gcc", "-g", "-no-pie", "-o", "program", *SOURCES, "bare.o"]
    subprocess.run(build, cwd=tmp_path, check=True)
    program = CodeObject.open(str(tmp_path / "program"))
    entries = {symbol.name: symbol.address for symbol in program.file.symbols}
    commands = (
        f"set var $pc = {entries['use_second'] + 4}", "frame", f"set var $pc = {entries['bare']}",
        "frame", "info line 5", "list 5,5", "break 5",
    )  # fmt: skip
    options = [option for line in commands for option in ("-ex", line)]
    done = run("debug", tmp_path / "program", "--reg", "rip=0", "--batch", *options)
    assert "use_second () at second.c:5" in done.out
    assert " in bare ()" in done.out
    assert 'Line 5 of "second.c"' in done.out
    assert "file second.c, line 5." in done.out
