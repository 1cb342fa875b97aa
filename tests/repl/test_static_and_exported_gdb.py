"""A name that a file exports, and that an earlier file has for itself alone, in a core file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

Tool = Callable[[str], str]
FIRST = """\
static int level = 1; static int next(int n) { return level + n; }
int first(int n) { level += next(n); return level; }
"""
SECOND = "int level = 1000; int next(int n) { level++; return n; }\n"
THIRD = """\
int first(int), next(int), stop(void); extern int level;
int main(void) { level += first(1) + next(2); return stop(); }
"""
FOURTH = "#include <signal.h>\nint stop(void) { return raise(SIGTRAP); }\n"


@pytest.mark.parametrize(
    ("compiler", "options"),
    [
        ("gcc", ["-gdwarf-5"]),
        ("gcc", ["-gdwarf-4", "-gsplit-dwarf"]),
        ("clang-19", ["-gdwarf-5"]),
        ("clang-19", ["-gdwarf-5", "-gsplit-dwarf"]),
        ("clang-19", ["-gdwarf-4", "-gsplit-dwarf"]),
        ("clang-19", ["-gdwarf-5", "-flto"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "".join(value),
)
def test_the_exported_one_is_meant(
    tool: Tool, tmp_path: Path, compiler: str, options: list[str]
) -> None:
    """Clang refers to addresses by their indexes in `.debug_addr`; files of link-time optimization
    have one part there for all units."""
    command = [tool(compiler), "-O0", *options]
    files = {"1.c": FIRST, "2.c": SECOND, "3.c": THIRD, "4.c": FOURTH}
    linker = [f"--ld-path={tool('ld.lld-19')}"] if "-flto" in options else []
    objects = [f"{name[0]}.o" for name in files]
    compiling = [[*command, "-c", name] for name in files]
    build(tmp_path, files, [*compiling, [*command, *linker, "-o", "a", *objects]])
    names = ["level", "::level", "'1.c'::level", "next", "'1.c'::next", "'2.c'::next"]
    core = with_core(tool, tmp_path)
    for place in ("main", "stop"):  # one file declares both, the other one nothing
        commands = [f"frame function {place}", *(f"p {name}" for name in names)]
        ours = answers(None, core, commands)[1:]
        assert "note: " not in "".join(ours)
        values = [text.partition("=")[2].strip() for text in ours]
        assert values[:3] == ["1006", "1006", "3"]
        assert values[4] != values[3] == values[5] != ""
