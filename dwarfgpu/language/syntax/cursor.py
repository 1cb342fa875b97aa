"""A position among the tokens of an expression, shared by all parts of the parser."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol

from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.ada_tokens import RANGE, ada_token
from dwarfgpu.language.syntax.ast import MAX_HEIGHT, Node, TypeName
from dwarfgpu.language.syntax.expression_language import SourceLanguage
from dwarfgpu.language.syntax.fortran_tokens import fortran_token
from dwarfgpu.language.syntax.precedences import ASSIGNMENT
from dwarfgpu.language.syntax.tokens import Kind, OfLanguage, Token, tokens


class Known(Protocol):
    """Queries about names during parsing."""

    def is_type(self, name: str) -> bool:
        """Return whether it is a type."""

    def is_name(self, name: str) -> bool:
        """Return whether it means anything."""

    def is_function(self, name: str) -> bool:
        """Return whether it is a function."""

    def is_unreserved(self, word: str) -> bool:
        """Return whether one of `words.WORDS` names an object in a language that does not reserve
        it."""

    @property
    def language(self) -> SourceLanguage:
        """The language of the unit in focus; that of C where there is none."""

    def is_opencl_vector(self, name: TypeName) -> bool:
        """Return whether it is a vector of OpenCL, which has literals."""

    def joined_names(self, names: Sequence[str]) -> tuple[int, str]:
        """Return how many of the names between points are one name, the first its package, module
        or enumeration, and that name; 1 if the first is none."""

    def quoted(self, name: str) -> str:
        """Return a name in quotes as the program's entries have it."""

    def is_hidden_symbol(self, name: str) -> bool:
        """Return whether a name has a symbol that only quotes can mean, as a type hides it."""

    def unknown(self, name: str) -> UsageError:
        """Return the error for an unknown name."""

    def unknown_type(self, name: TypeName) -> UsageError | None:
        """Return the error for the name of no type; None for that of one."""


MAX_SHOWN: Final = 200
"""Characters of the rest of an expression in a message."""
_SPELLED: Final = {
    "and": "&&", "or": "||", "not": "!", "bitand": "&", "bitor": "|", "xor": "^", "compl": "~",
    "not_eq": "!=", "and_eq": "&=", "or_eq": "|=", "xor_eq": "^=",
}  # fmt: skip
"""Operators of C++ that are words ([lex.digraph])."""


@lru_cache(maxsize=8)
def _words(
    text: str, radix: int, has_operators: bool, of_language: OfLanguage | None
) -> tuple[tuple[Token, ...], bool]:
    """Return the words of an expression, which `lanes` asks for in each lane, and whether one of
    them may be an operator of C++."""
    words = tuple(tokens(text, radix, has_operators=has_operators, of_language=of_language))
    return words, any(word.text in _SPELLED for word in words)


class Cursor:
    """A position in the words of an expression."""

    def __init__(self, text: str, names: Known, radix: int = 10) -> None:
        self.text = text
        self.known = names
        self.language = names.language
        if self.language.is_ada or self.language.is_rust:  # GDB's lexers of these ignore it
            radix = 10
        self.radix = radix
        """The base of integers without a prefix."""
        has_operators = "operator" in text and self.language.is_cplusplus
        of_language = self._of_language() if self.language.has_own_words or RANGE in text else None
        words, may_be_operators = _words(text, radix, has_operators, of_language)
        self.tokens = list(words)
        if may_be_operators and self.language.is_cplusplus:
            self.tokens = [_as_operator(token) for token in self.tokens]
        if not self.language.has_increments:
            self.tokens = [part for token in self.tokens for part in _signs(token)]
        self.move_to(0)
        self.depth = 0
        self.names: list[str] = []
        """The names parsed as operands."""
        self.extended_names: dict[tuple[int, bool], tuple[str, int]] = {}
        """By the position of a name and whether it is a member: what `extended_name` returns. Names
        with parameters in one another are read once each."""

    def _of_language(self) -> OfLanguage | None:
        """Return what finds the words that C does not have."""
        if self.language.is_pascal:
            from dwarfgpu.language.syntax.pascal_tokens import pascal_token  # few programs

            return pascal_token
        if self.language.is_fortran or self.language.is_ada:
            return fortran_token if self.language.is_fortran else ada_token
        if self.language.is_d:
            from dwarfgpu.language.syntax.d_tokens import d_token  # few have slices

            return d_token
        if self.language.is_go:
            from dwarfgpu.language.syntax.go_tokens import go_token  # few programs

            return go_token
        if self.language.is_rust:
            from dwarfgpu.language.syntax.rust_tokens import rust_token  # few programs

            return rust_token
        return None

    def descend(self) -> None:
        """Count one more part that is inside of another, which ends where `depth` is less again;
        `LimitExceeded` for too many."""
        self.depth += 1
        if self.depth > MAX_HEIGHT:
            raise self.too_deep()

    def too_deep(self) -> LimitExceeded:
        return LimitExceeded(f"an expression nested more than {MAX_HEIGHT} deep")

    @abstractmethod
    def expression(self, least: int) -> Node:
        """Return an expression of operators that bind at least so strongly."""

    def move_to(self, index: int) -> None:
        """Make a token the current one, by its index."""
        self.at, self.token = index, self.tokens[index]

    def next(self) -> Token:
        """Return the current token, and advance past it."""
        token = self.token
        if self.at + 1 < len(self.tokens):
            self.at += 1
            self.token = self.tokens[self.at]
        return token

    def accept(self, *marks: str) -> str | None:
        """Consume and return the current token if it is one of these marks."""
        if self.token.kind == "mark" and self.token.text in marks:
            return self.next().text
        return None

    def expect(self, mark: str) -> None:
        if self.accept(mark) is None:
            raise self.syntax_error()

    def expect_item_or(self, end: str) -> None:
        """Consume the comma before another item of a list, unless the mark that ends it comes."""
        if self.token.text != end:
            self.expect(",")
            if self.token.text == end:
                raise self.syntax_error()

    def is_mark(self, *marks: str) -> bool:
        return self.token.kind == "mark" and self.token.text in marks

    def listed(self, end: str) -> tuple[Node, ...]:
        """Parse expressions between commas up to a mark, which is consumed."""
        arguments: list[Node] = []
        while self.accept(end) is None:
            argument = self.expression(ASSIGNMENT)
            if self.accept(RANGE):  # of Ada: a(2..3)
                argument = ast.Triplet(argument, self.expression(ASSIGNMENT), None)
            arguments.append(argument)
            self.expect_item_or(end)
        return tuple(arguments)

    def take(self, kind: Kind) -> str:
        """Consume the current token, which must be of that kind, and return its text."""
        if self.token.kind != kind:
            raise self.syntax_error()
        return self.next().text

    def syntax_error(self) -> UsageError:
        for name in self.names:
            if not self.known.is_name(name):
                return self.known.unknown(name)
        if self.token.text == "#":
            return UsageError("Invalid character '#' in expression.")
        if (operator := self._increment()) is not None:
            excerpt = self.text[self.tokens[self.at - 2].start :][:MAX_SHOWN]
            return UsageError(f"This language has no {operator}, near `{excerpt}'.")
        excerpt = self.text[self.token.start :][:MAX_SHOWN]
        return UsageError(f"A syntax error in expression, near `{excerpt}'.")

    def _increment(self) -> str | None:
        """Return the `++` or `--` before the current token that is two signs here; None where
        anything else is before it."""
        if self.language.has_increments or self.at < 2:
            return None
        first, second = self.tokens[self.at - 2 : self.at]
        is_one = first.kind == second.kind == "mark" and second.start == first.start + 1
        operator = first.text + second.text
        return operator if is_one and operator in ("++", "--") else None


def _signs(token: Token) -> tuple[Token, ...]:
    """Return `--` or `++` as two signs; any other word as it is."""
    if token.kind != "mark" or token.text not in ("--", "++"):
        return (token,)
    sign = token.text[0]
    return Token("mark", sign, token.start), Token("mark", sign, token.start + 1)


def _as_operator(token: Token) -> Token:
    if token.kind != "name" or token.text not in _SPELLED:
        return token
    return Token("mark", _SPELLED[token.text], token.start)
