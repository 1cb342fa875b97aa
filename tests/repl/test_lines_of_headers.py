"""`info line` of a header that several units share: as in GDB, the file has one next line."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run

_FILES = {
    "h.h": """struct A { int x;


  int one() { return x + 1; }

  int two() { return x + 2; }
};
""",
    "a.cpp": '#include "h.h"\nint fb(A *a);\nint main() { A a{1}; return a.one() + fb(&a); }\n',
    "b.cpp": '#include "h.h"\nint fb(A *a) { return a->two(); }\n',
}


@pytest.mark.parametrize(
    ("line", "functions"),
    [(2, ["one", "one"]), (4, ["one", "one"]), (5, ["two", "two"]), (7, [])],
)
def test_the_next_line_with_code_is_that_of_all_units(
    tool: Callable[[str], str], tmp_path: Path, line: int, functions: list[str]
) -> None:
    """GDB's find_line_symtab takes the best line of all symbol tables of a file: each unit has code
    of one of the two functions."""
    for name, text in _FILES.items():
        (tmp_path / name).write_text(text)
    command = [tool("g++"), "-g", "-O0", "a.cpp", "b.cpp", "-o", "ab"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    done = run("debug", tmp_path / "ab", "-q", "--batch", "-ex", f"info line h.h:{line}")
    places = re.findall(r"address 0x[0-9a-f]+ <A::(\w+)\(\)>", done.out)
    assert places == functions, done.out
    assert done.out.count("is out of range") == (0 if functions else 2)


def link_time_optimized(folder: Path, gcc: str, *arguments: str) -> None:
    """Make the program `a` with -flto; skip the test where gcc cannot."""
    command = [gcc, "-g", "-flto", *arguments, "-o", "a"]
    if subprocess.run(command, cwd=folder, timeout=120, check=False).returncode:
        pytest.skip("needs gcc with -flto")


def test_the_file_of_a_unit_without_code_is_shown_once(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """gcc -flto has a unit without code that names the file otherwise than that with its code."""
    source = "int one(int n)\n{\n  return n * 3;\n}\nint main(int c) { return one(c); }\n"
    (tmp_path / "a.c").write_text(source)
    link_time_optimized(tmp_path, tool("gcc"), "-O2", "-fno-inline", "a.c")
    done = run("debug", tmp_path / "a", "-q", "--batch", "-ex", "info line a.c:3")
    assert re.findall(r"^Line 3 of \S+ starts at", done.out, re.MULTILINE), done
    assert len(done.out.splitlines()) == 1, done


def test_a_header_is_shown_once_where_one_unit_has_code(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The units that gcc describes before -flto include the header, and have no code."""
    (tmp_path / "h.h").write_text("static int two(int n)\n{\n  return n * 2;\n}\n")
    (tmp_path / "a.c").write_text('#include "h.h"\nint one(int n) { return two(n); }\n')
    main = '#include "h.h"\nint one(int);\nint main(int c) { return one(c) + two(c); }\n'
    (tmp_path / "b.c").write_text(main)
    link_time_optimized(tmp_path, tool("gcc"), "-O0", "a.c", "b.c")
    done = run("debug", tmp_path / "a", "-q", "--batch", "-ex", "info line h.h:3")
    lines = done.out.splitlines()
    assert re.findall(r"^Line 3 of \S+h\.h. starts at", done.out, re.MULTILINE), done
    assert len(set(lines)) == len(lines), done
