"""`save breakpoints`: what it writes is read back as the same breakpoints, or is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import Shape
from tests.repl.repl_shell import demo_shell, output_of
from tests.repl.side_by_side import answers, build, with_core
from tools.bombs.elf import NAME, PLACE, START, program, word


@pytest.mark.parametrize("condition", ["1 ==\n1", "1 ==\r1", "1 == '\0'"])
def test_a_condition_that_a_line_cannot_have(tmp_path: Path, condition: str) -> None:
    shell, saved = demo_shell(), tmp_path / "saved"
    output_of(shell, "break mid", "break leaf", f"condition 2 {condition}")
    said = output_of(shell, f"save breakpoints {saved}")
    assert said.startswith('Breakpoint 2 cannot be saved: "condition $bpnum 1 ==')
    assert said.endswith(" is not one line of a script.\n")
    assert not saved.exists()


def test_a_command_that_ends_with_a_backslash(tmp_path: Path) -> None:
    shell, saved = demo_shell(), tmp_path / "saved"
    output_of(shell, "break mid")
    shell.breakpoints[1].commands = ("echo a\\",)
    said = output_of(shell, f"save breakpoints {saved}")
    assert said == 'Breakpoint 1 cannot be saved: "echo a\\" ends with a backslash.\n'


def test_a_file_whose_name_has_words_of_break(tmp_path: Path, tool: Callable[[str], str]) -> None:
    name = "a if b.c"
    build(
        tmp_path, {name: "int main(void) { return 0; }\n"}, [[tool("gcc"), "-g", name, "-o", "a"]]
    )
    files, saved = [str(tmp_path / "a")], tmp_path / "saved"
    answers(None, files, ["list main", "break 1 if 1", f"save breakpoints {saved}"])
    commands = [f"source {saved}", "info breakpoints"]
    ours = answers(None, files, commands)
    assert f"{name}:1\n\tstop only if 1\n" in ours[1]
    assert ours == answers(tool("gdb"), files, commands)


@pytest.mark.parametrize("name", [b"main", b"h' if 1 || 'a'=='a"])
def test_functions_of_a_unit_without_lines(
    tmp_path: Path, tool: Callable[[str], str], name: bytes
) -> None:
    """The name of the unit is that of its file; no name of a function becomes a condition."""
    function = Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE))
    other = b"\2f\0" + word(START + 8, 8) + word(8)
    data = program(b"\2" + name + b"\0" + word(START, 8) + word(8) + other, function)
    (tmp_path / "a").write_bytes(data)
    files, saved = [str(tmp_path / "a")], tmp_path / "saved"
    answers(None, files, ["rbreak .", f"save breakpoints {saved}"])
    commands = [f"source {saved}"]
    listed = answers(None, files, [*commands, "info breakpoints"])
    assert listed[0].count("Breakpoint ") == 2 and "stop only" not in listed[1]
    if name == b"main":
        commands += ["break u:f", "break u:nosuch", "break u:5", "tbreak -source u -function f"]
        commands += ["break v:f", "break x/u:f", "info line u:f", "info scope u:f"]
        assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


OTHER = """int total;
int leaf(int x)
{
  if (x > 3)
    goto out;
  total++;
out:
  total += 2;
  return *(int *)(long)(x == 9 ? 0 : (long)&total);
}
"""
FOCUS = ["list", "tbreak -line 6", "break 6 if x > 1", "break -line +1", "break -label out"]
FOCUS += ["break", "tbreak *$pc", "set $line = 4", "break $line", "break 'o ther.c':$line"]
FOCUS += [
    "break -source 'o ther.c' -line 8",
    "break -qualified leaf",
    "enable once 2",
    "ignore 4 3",
]
FOCUS += ["break leaf -force-condition if none", "enable count 3 6", "disable 7"]


def test_what_depends_on_the_focus_is_saved_without_it(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """A line has its file, a label its function; `$pc` and other values of the session are numbers.

    In another session they are the same breakpoints, also for GDB.
    """
    gdb, name = tool("gdb"), "o ther.c"
    calls = "int leaf(int);\nint main(void)\n{\n  int r = 0;\n  r += leaf(2);\n  r += leaf(9);\n"
    files = {name: OTHER, "main.c": f"{calls}  return r;\n}}\n"}
    build(tmp_path, files, [[tool("gcc"), "-g", "-O0", "main.c", name, "-o", "a"]])
    program, saved = with_core(tool, tmp_path), tmp_path / "saved"
    focus = ["frame function leaf", *FOCUS]
    *_, listed, _ = answers(
        None, program, [*focus, "info breakpoints", f"save breakpoints {saved}"]
    )
    path = f"'{tmp_path}/{name}'"
    written = saved.read_text().splitlines()
    assert written[0] == f"tbreak -source {path} -line 6"
    assert "break -function leaf -label out" in written
    expected = f"break {path}:4", f"break '{name}':4", "enable once $bpnum", "enable count 3 $bpnum"
    assert set(expected) < set(written) and "$pc" not in saved.read_text()
    again = ["frame function main", "list main", f"source {saved}", "info breakpoints"]
    for debugger in (None, gdb):
        *_, read = answers(debugger, program, again)
        assert _where(read) == _where(listed), debugger


def _where(text: str) -> list[str]:
    """Return the rows of `info breakpoints`: a breakpoint of an address has its function in a
    session that gets the address."""
    return [line.replace(" in leaf at ", " ") for line in text.splitlines()]


def test_a_file_with_a_colon_in_its_name(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Without quotes the colon would end the name."""
    name = "a:b.c"
    build(tmp_path, {name: OTHER, "main.c": "int leaf(int);\nint main(void) { return leaf(9); }\n"},
          [[tool("gcc"), "-g", "-O0", "main.c", name, "-o", "a"]])  # fmt: skip
    program, saved = with_core(tool, tmp_path), tmp_path / "saved"
    answers(None, program, [f"break '{name}':5", "break 6", f"save breakpoints {saved}"])
    assert saved.read_text().splitlines() == [f"break '{name}':5", f"break '{tmp_path}/{name}':6"]
    *_, read = answers(None, program, [f"source {saved}", "info breakpoints"])
    assert read.count(f"in leaf at {name}:") == 2
