"""Colours of a line that is being typed.

Law: the texts of the tokens, joined, are the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer

from dwarfgpu.repl.terminal.source_tokens import Token

CLASS: Final = "token"
"""The style of a token is `token.KIND`."""
_COMMAND: Final = re.compile(
    r"\s*(?:(?P<comment>\#.*)|(?P<keyword>(?:i|inf|info)\s+[\w-]+|[A-Za-z][\w.-]*)(?P<type>/\w*)?)"
)
_ARGUMENT: Final = re.compile(
    r"(?P<variable>\$[\w$]*)|(?P<number>0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<string>\"[^\"\n]*\"?)|(?P<builtin>DW_\w+|[^\W\d]\w*#)|[^\W\d]\w*"
)


class CommandLexer(Lexer):
    """A command and its format in the first line; names, registers and numbers in all."""

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        lines = document.lines

        def styled(number: int) -> StyleAndTextTuples:
            if number >= len(lines):
                return []
            tokens = argument_tokens(lines[number]) if number else command_tokens(lines[number])
            return [(f"class:{CLASS}.{kind}" if kind else "", text) for kind, text in tokens]

        return styled


def command_tokens(line: str) -> Iterator[Token]:
    """Yield the tokens of a line that begins with a command."""
    match, position = _COMMAND.match(line), 0
    if match is not None:
        for kind, text in match.groupdict(default="").items():
            if text:
                yield "", line[position : match.start(kind)]
                yield kind, text
                position = match.end(kind)
    yield from argument_tokens(line[position:])


def argument_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of the argument of a command."""
    position = 0
    for match in _ARGUMENT.finditer(text):
        yield "", text[position : match.start()]
        yield match.lastgroup or "", match[0]
        position = match.end()
    yield "", text[position:]
