"""The bytes of instructions: one by one (`/b`), and as the words of a CPU (`/r`)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.cli.command import FIXTURES
from tests.repl.side_by_side import answers

AARCH64 = str(FIXTURES / "aarch64/stacks.gcc.O2")
X86_64 = str(FIXTURES / "x86_64/demo.gcc.O0.v5")
LETTERS = ("/b", "/r", "/rb", "/bs", "/rs")


@pytest.mark.parametrize(("file", "debugger"), [(AARCH64, "gdb-multiarch"), (X86_64, "gdb")])
def test_bytes_and_words(tool: Callable[[str], str], file: str, debugger: str) -> None:
    pytest.importorskip("capstone")
    commands = [f"disassemble {letters} main,+12" for letters in LETTERS]
    of_gdb, ours = (
        [
            re.findall(r"<main\+\d+>:\t([^\t]*?) *\t", text)
            for text in answers(gdb, [file], commands)
        ]
        for gdb in (tool(debugger), None)
    )
    assert ours == of_gdb and all(ours)
    assert (ours[0] == ours[1]) == (file == X86_64)


def test_words_have_no_padding() -> None:
    pytest.importorskip("capstone")
    [text] = answers(None, [AARCH64], ["disassemble /r main,+4"])
    assert re.search(r"<main\+0>:\t[0-9a-f]{8}\t\w", text)
