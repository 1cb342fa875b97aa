"""Commands that show lines say why a line program gives none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dwarfgpu import CodeObject
from dwarfgpu.repl.shell import Shell
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import output_of, program_shell

DEMO = FIXTURES.parent / "dwarfgpu/data"
END_SEQUENCE, UNKNOWN_OPCODE = b"\0\x01\x01", b"\0\x01\x80"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A program whose line program does not end its only sequence."""
    content = (FIXTURES / "x86_64/demo.gcc.O0.v5").read_bytes()
    lines = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5").info.sections.section(".debug_line")
    assert lines.endswith(END_SEQUENCE)
    path = tmp_path_factory.mktemp("lines") / "demo"
    path.write_bytes(content.replace(lines, lines[:-3] + UNKNOWN_OPCODE))
    return program_shell(CodeObject.open(path))


@pytest.mark.parametrize(
    ("command", "first"),
    [
        ("info line *leaf", "No line number information available for address 0x"),
        ("info line leaf", "No line number information available for address 0x"),
        ("break leaf", "Breakpoint "),
        ("tbreak *leaf", "Temporary breakpoint "),
        ("disassemble /s leaf", "Dump of assembler code for function leaf:"),
        ("disassemble /m leaf", "Dump of assembler code for function leaf:"),
    ],
)
def test_the_reason_follows_an_answer_without_a_line(
    shell: Shell, command: str, first: str
) -> None:
    output = output_of(shell, command)
    assert output.startswith(first)
    assert output.count("note: the line of 0x") == 1
    assert "rows without a DW_LNE_end_sequence describe no code" in output


def test_an_answer_without_lines_needs_no_reason(shell: Shell) -> None:
    assert "note" not in output_of(shell, "disassemble leaf")


def test_code_that_no_line_describes_has_no_reason() -> None:
    whole = program_shell(CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5"))
    for command in ("info line *_start", "break *_start", "disassemble /s _start"):
        assert "note" not in output_of(whole, command)


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state of the demo, whose code object has zeros for a line table."""
    folder = tmp_path_factory.mktemp("state")
    lines = CodeObject.open(DEMO / "demo.co").info.sections.section(".debug_line")
    content = (DEMO / "demo.co").read_bytes()
    (folder / "demo.co").write_bytes(content.replace(lines, bytes(len(lines))))
    (folder / "demo.json").write_bytes((DEMO / "demo.json").read_bytes())
    return folder / "demo.json"


@pytest.mark.parametrize(
    "arguments",
    [
        ("lanes",),
        ("lanes", "a"),
        ("lanes", "a", "--grid"),
        ("lanes", "a", "--compact"),
        ("lanes", "a", "--json"),
        ("waves",),
        ("waves", "--json"),
        *(
            ("debug", "--batch", "-ex", command)
            for command in (
                *("list", "info line", "info source", "frame", "pc", "info frame"),
                *("info lanes", "lanes a", "lanes -table a", "info threads"),
            )
        ),
    ],
    ids=" ".join,
)
def test_an_unreadable_line_of_all_lanes_is_told_once(
    state: Path, arguments: tuple[str, ...]
) -> None:
    done = run(*arguments, "--state", state)
    notes = [line for line in (done.out + done.err).splitlines() if "cannot be read" in line]
    assert len(notes) == 1, notes
    assert re.search("the line of (frame 0|0x7f0000001690) cannot be read: .*debug_line", notes[0])
    assert "cannot be read" not in run(*arguments, "--state", DEMO / "demo.json").err


def test_each_json_answer_tells_why_it_has_no_line(state: Path) -> None:
    commands = [word for _ in range(2) for word in ("-ex", "info line")]
    done = run("debug", "--batch", "-ex", "set output json", *commands, "--state", state)
    assert done.out.count("the line of frame 0 cannot be read: ") == 2
