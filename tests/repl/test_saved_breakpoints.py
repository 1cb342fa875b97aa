"""`save breakpoints`: what it writes is read back as the same breakpoints, or is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.repl_shell import demo_shell, output_of
from tests.repl.side_by_side import answers, build


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
