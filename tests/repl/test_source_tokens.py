"""Tokens with colours (`source_tokens` and `input_highlighting` in `dwarfgpu.repl.terminal`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.document import Document

from dwarfgpu.repl.terminal.input_highlighting import CommandLexer, argument_tokens, command_tokens
from dwarfgpu.repl.terminal.prompt import STYLE
from dwarfgpu.repl.terminal.source_tokens import COLOURS, source_tokens


@pytest.mark.parametrize(
    ("text", "coloured"),
    [
        ("static uint64_t x = f(1'000ull);",
         "keyword:static type:uint64_t function:f number:1'000ull"),
        ("#include <int.h> // x \"y\"", 'directive:#include type:int comment:// x "y"'),
        ("s = \"a\\\"b // c\" /* if", "string:\"a\\\"b // c\" comment:/* if"),
        ("c = '\\'' + 1", "string:'\\'' number:1"),
        ("x = /* int */ true ? .5e-3f : y1", "comment:/* int */ builtin:true number:.5e-3f"),
        ('s = "unterminated', 'string:"unterminated'),
        ("interior = format;", ""),
    ],
)  # fmt: skip
def test_source(text: str, coloured: str) -> None:
    tokens = [f"{kind}:{token}" for kind, token in source_tokens(text) if kind]
    assert " ".join(tokens) == coloured


@pytest.mark.parametrize(
    ("line", "coloured"),
    [
        ("  p/x $v0 + 0x10", "keyword:p type:/x variable:$v0 number:0x10"),
        ("info locals t", "keyword:info locals"),
        ("infos locals", "keyword:infos"),
        ("# p 3", "comment:# p 3"),
        ('list "a b DW_OP_x', 'keyword:list string:"a b DW_OP_x'),
        ("explain DW_OP_lit0 ns#a", "keyword:explain builtin:DW_OP_lit0 builtin:ns#"),
        ("", ""),
    ],
)
def test_a_typed_line(line: str, coloured: str) -> None:
    tokens = [f"{kind}:{token}" for kind, token in command_tokens(line) if kind]
    assert " ".join(tokens) == coloured


@given(st.text(alphabet="ab1 .\"'\\/*#$_(\n-'é\udc80", max_size=30))
def test_tokens_are_the_text(text: str) -> None:
    for tokens in (source_tokens, command_tokens, argument_tokens):
        parts = list(tokens(text))
        assert "".join(part for _, part in parts) == text
        assert {kind for kind, _ in parts} <= {"", *COLOURS}


def test_only_the_first_line_has_a_command() -> None:
    lines = CommandLexer().lex_document(Document("p (1\nif 2"))
    assert [[style for style, *_ in lines(number) if style] for number in range(3)] == [
        ["class:token.keyword", "class:token.number"], ["class:token.number"], []
    ]  # fmt: skip
    assert {f"token.{kind}" for kind in COLOURS} <= dict(STYLE.style_rules).keys()


def test_colours_do_not_load_pygments(repository: Path) -> None:
    code = (
        "import sys; from dwarfgpu.repl.terminal import colour, prompt; "
        "assert '\\x1b[38;5;63mif' in colour.source('1\\tif (a)'); "
        "print(sorted(name for name in sys.modules if name.startswith('pygments')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
