"""Values in a frame whose caller is of a unit without its split file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from tests.repl.side_by_side import answers, build, with_core

LIBRARY = """\
__attribute__((noinline)) int twice(volatile int n) { return n + n; }
int stop(int first, int second) {
  int sum = twice(first) + twice(second);
  return *(volatile int *)8 + sum + first * second;
}
"""
PROGRAM = """\
int stop(int first, int second);
int main(int argc, char **argv) { return stop(argc + 1, 7) + 1; }
"""


def test_each_value_has_a_short_reason(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The note behind the trace has the paths that were tried."""
    gcc = [tool("gcc"), "-O2"]
    build(tmp_path, {"lib.c": LIBRARY, "a.c": PROGRAM}, [
        [*gcc, "-g", "-fPIC", "-shared", "lib.c", "-o", "libown.so"],
        [*gcc, "-g", "-gsplit-dwarf", "-c", "a.c"],
        [*gcc, "a.o", "-o", "a", f"{tmp_path}/libown.so"],
    ])  # fmt: skip
    files = with_core(tool, tmp_path)
    (tmp_path / "a.dwo").unlink()
    trace, _, listed = answers(None, files, ["bt", "frame function stop", "info args"])
    (line,) = (line for line in trace.splitlines() if " stop (" in line)
    reason = "<error reading variable: split file a.dwo is not found>"
    assert reason in line and "tried" not in line and "debug_info" not in line
    assert "tried" not in listed
    described, *_ = answers(None, files, ["frame 1", "info frame"])[-1:]
    assert " Arglist at 0x" in described and "Saved registers:" in described, described
    assert "source language" not in described


_TWO = {
    "a.c": "int helper(int x);\nint main(void) { int local = 7; return helper(local); }\n",
    "b.c": (
        "int shared = 5;\nint helper(int x) {\n  int *none = 0;\n  return *none + x + shared;\n}\n"
    ),
}


def _without_one_split_file(
    tool: Callable[[str], str], folder: Path, sources: Mapping[str, str] = _TWO
) -> list[str]:
    """Build a program of two units; that of `helper` alone has its split file."""
    gcc = [tool("gcc"), "-O0", "-g", "-gsplit-dwarf"]
    build(
        folder, sources, [[*gcc, "-c", "a.c"], [*gcc, "-c", "b.c"], [gcc[0], "a.o", "b.o", "-oa"]]
    )
    files = with_core(tool, folder)
    (folder / "a.dwo").unlink()
    return files


_HIDDEN = "another shared may be meant, as the unit of the code here cannot be read"


def test_names_of_other_units_are_known(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Only what needs the missing unit is refused: its locals may hide what other units have."""
    files = _without_one_split_file(tool, tmp_path)
    commands = ["up", "print shared", "print &shared == 0", "info locals", "print local"]
    up, shared, compared, listed, local = answers(None, files, commands)
    assert "in main () at " in up
    assert "\n$1 = 5\n" in shared and f"note: {_HIDDEN}" in shared, shared
    assert compared.endswith("\n$2 = 0\n")
    for answer in (listed, local):
        assert "split file a.dwo with the entries of the unit" in answer, answer


@pytest.mark.parametrize(
    "command",
    ["info address shared", "where shared", "explain shared", "location shared", "ptype shared",
     "whatis shared", "watch shared", "info symbol &shared", "x/wx &shared", "display shared",
     'printf "%d", shared'],
)  # fmt: skip
def test_each_command_says_that_another_may_be_meant(
    tmp_path: Path, tool: Callable[[str], str], utf8: None, command: str
) -> None:
    _, answer = answers(None, _without_one_split_file(tool, tmp_path), ["up", command])
    assert f"note: {_HIDDEN}" in answer, answer


@pytest.mark.parametrize("command", ["location", "explain"])
def test_the_command_line_says_it_too(
    tmp_path: Path,
    tool: Callable[[str], str],
    capsys: pytest.CaptureFixture[str],
    utf8: None,
    command: str,
) -> None:
    program, core = _without_one_split_file(tool, tmp_path)
    assert main([command, "--core", core, "--file", program, "--frame", "1", "shared"]) == 0
    assert f"note: {_HIDDEN}" in capsys.readouterr().err


def test_functions_of_the_missing_unit_have_symbols(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    files = _without_one_split_file(tool, tmp_path)
    commands = ["print main", "info address main", "break main", "frame function main"]
    value, address, stop, frame = answers(None, files, commands)
    assert "note: main is only a symbol, as a unit cannot be read" in value
    assert "{<text variable, no debug info>} 0x" in value and "<main>" in value, value
    assert " in a file compiled without debugging" in address, address
    assert "a.c, line 2." in stop, stop
    assert "in main () at " in frame


def test_data_of_the_missing_unit_have_no_type(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """What a cast says is enough."""
    sources = {**_TWO, "a.c": f"{_TWO['a.c']}int here = 8;\n"}
    files = _without_one_split_file(tool, tmp_path, sources)
    bare, as_number = answers(None, files, ["print here", "print (int) here"])
    assert "split file a.dwo with the entries of the unit" in bare, bare
    assert "\n$1 = 8\n" in as_number, as_number


def test_a_value_on_entry_needs_the_caller(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """As in GDB: only what is known is shown."""
    frame, *_ = answers(None, _without_one_split_file(tool, tmp_path), ["frame"])
    assert "helper (x=7) at b.c:4" in frame, frame


def test_eval_finds_names_of_other_units(
    tmp_path: Path, tool: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    program, core = _without_one_split_file(tool, tmp_path)
    frame = ["eval", "--core", core, "--file", program, "--frame", "1"]
    assert main([*frame, "shared"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "shared = 5\n" and _HIDDEN in shown.err
    assert main([*frame, "local"]) == 1


def test_a_frame_that_cannot_be_read_has_a_symbol(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Each unit has a function of the name: the one that runs is that of the missing unit."""
    inner = "static int inner(int x) { return helper(x); }\n"
    sources = {
        "a.c": f"int helper(int x);\n{inner}int main(void) {{ return inner(7); }}\n",
        "b.c": f"{_TWO['b.c']}{inner}int (*kept)(int) = inner;\n",
    }
    files = _without_one_split_file(tool, tmp_path, sources)
    (frame,) = answers(None, files, ["frame function inner"])
    assert "#1 " in frame and " in inner () at " in frame, frame


_STATIC = {
    "a.c": f"static int own = 9;\n{_TWO['a.c']}int use(void) {{ return own; }}\n",
    "b.c": (
        "static int own = 21;\n"
        "int helper(int x) {\n  static int count = 5;\n  int *none = 0;\n"
        "  return *none + x + own + count;\n}\n"
    ),
}


def test_the_file_of_a_name_decides(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The missing unit is not asked for what is in another file, as in GDB."""
    files = _without_one_split_file(tool, tmp_path, _STATIC)
    commands = ["up", "print 'b.c'::own", "print 'b.c'::helper::count", "print 'b.c'::no"]
    _, own, count, unknown, missing = answers(None, files, [*commands, "print 'a.c'::own"])
    assert own.endswith("\n$1 = 21\n") and count.endswith("\n$2 = 5\n"), (own, count)
    assert 'No symbol "no" in specified context.' in unknown
    assert "split file a.dwo with the entries of the unit" in missing, missing


def test_what_is_static_needs_no_frame(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Another function of the name may be meant, but not that in focus."""
    files = _without_one_split_file(tool, tmp_path, _STATIC)
    commands = ["up", "print helper::count", "location helper::count", "explain helper::count"]
    _, value, location, explained, automatic = answers(
        None, files, [*commands, "print helper::none"]
    )
    assert "\n$1 = 5\n" in value and "another helper::count may be meant" in value, value
    assert ", 4 bytes." in location
    assert "\nlocal int count of helper, declared at line 3\n" in explained, explained
    assert "split file a.dwo with the entries of the unit" in automatic, automatic


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_instances_of_other_files_are_known(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """The file of another library may have a name like that of the template, or another instance:
    one that is found is enough, and the note says that not all files are read."""
    cxx = [tool(compiler), "-std=c++17", "-O0", "-g", "-gsplit-dwarf", "-fPIC"]
    commands = []
    sources = {"a.cc": "int of_b(), of_c(); int main() { of_b(); of_c(); __builtin_trap(); }\n"}
    for name, value in (("b", 3), ("c", 5)):
        sources[f"{name}.cc"] = (
            f"namespace ns {{ template <class T> T v_{name} = {value}; }}\n"
            f"int of_{name}() {{ return ns::v_{name}<int>; }}\n"
        )
        commands += [
            [*cxx, "-c", f"{name}.cc"],
            [cxx[0], "-shared", f"{name}.o", "-o", f"lib{name}.so"],
        ]
    libraries = [f"{tmp_path}/libb.so", f"{tmp_path}/libc.so"]
    build(tmp_path, sources, [*commands, [*cxx, "-o", "a", "a.cc", *libraries]])
    files = with_core(tool, tmp_path)
    for missing, known, value in (("b", "c", 5), ("c", "b", 3)):
        (tmp_path / f"{missing}.dwo").rename(tmp_path / "kept")
        asked = [f"print ns::v_{name}<int>" for name in (known, missing)]
        own, unknown = answers(None, files, asked)
        assert f"$1 = {value}" in own
        assert f"split file {missing}.dwo" in unknown
        (tmp_path / "kept").rename(tmp_path / f"{missing}.dwo")
