"""Commands that show lines say why a line program gives none."""

from __future__ import annotations

import pytest

from dwarfgpu import CodeObject
from dwarfgpu.repl.shell import Shell
from tests.cli.command import FIXTURES
from tests.repl.repl_shell import output_of, program_shell

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
        ("break leaf", "Breakpoint 1 at 0x"),
        ("tbreak *leaf", "Temporary breakpoint 2 at 0x"),
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
