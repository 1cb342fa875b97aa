"""C++ type names in one spelling, that of GDB and of demanglers.

Compilers spell one type in many ways: `Box<const char *>` and `Box<char const*>`, `long unsigned
int` and `unsigned long`. Law: a name that cannot be parsed stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern

_TOKEN: Final = pattern(
    r"\s*(::|&&|\(anonymous namespace\)|[^\W\d]\w*|[0-9][\w.']*|'(?:\\.|[^'\\])+'|[<>()\[\],*&-])"
)
_INTEGER_WORDS: Final = frozenset(
    ["signed", "unsigned", "short", "long", "int", "char", "__int128"]
)
_QUALIFIERS: Final = ("const", "volatile")
_TAGS: Final = frozenset({"struct", "class", "union", "enum"})
_LONGEST: Final = 10_000
_DEEPEST: Final = 40


class _NotUnderstood(Exception):
    """The name cannot be parsed."""


def canonical(
    name: str, replaced: Mapping[str, str] | None = None, *, is_shown: bool = False
) -> str:
    """Return the name in GDB's spelling: `Box<char const*, 2>`, `unsigned long`.

    `replaced`: how to show canonical names of types in it. `is_shown`: for display, not for
    comparison. GDB's name parser has no function types, so that names with such types keep the
    compiler's spelling: `function<int(int)>`.
    """
    if "<" not in name and " " not in name and not replaced:
        return name
    if len(name) > _LONGEST:
        return name
    try:
        return _Parser(name, replaced or {}, has_functions=not is_shown).whole()
    except _NotUnderstood:
        return name


class _Parser:
    def __init__(self, text: str, replaced: Mapping[str, str], *, has_functions: bool) -> None:
        self.replaced = replaced
        self.has_functions = has_functions
        self.tokens: list[str] = []
        self.position = self.depth = 0
        index, end = 0, len(text.rstrip())
        while index < end:
            match = _TOKEN.match(text, index)
            if match is None:
                raise _NotUnderstood
            self.tokens.append(match[1])
            index = match.end()

    @property
    def next(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        token = self.next
        self.position += 1
        return token

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise _NotUnderstood

    def whole(self) -> str:
        text = self.type()
        if self.next:
            raise _NotUnderstood
        return text

    def enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _NotUnderstood

    def type(self) -> str:
        self.enter()
        qualifiers: set[str] = set()
        words: list[str] = []
        name = ""
        while True:
            token = self.next
            if token in _QUALIFIERS:
                qualifiers.add(self.take())
            elif token in _INTEGER_WORDS and not name:
                words.append(self.take())
            elif token in _TAGS and not name and not words:
                self.take()
            elif token == "double" and words == ["long"]:
                self.take()
                name, words = "long double", []
            elif not name and not words and (token == "::" or _is_name(token)):
                name = self.qualified()
            else:
                break
        base = _integer(words) if words else name
        if not base:
            raise _NotUnderstood
        base = self.replaced.get(base, base)
        base += "".join(f" {qualifier}" for qualifier in _QUALIFIERS if qualifier in qualifiers)
        text = base + self.declarator()
        self.depth -= 1
        return text

    def qualified(self) -> str:
        parts: list[str] = []
        if self.next == "::":
            self.take()
        while True:
            part = self.take()
            if not _is_name(part):
                raise _NotUnderstood
            if part == "operator" and self.next in ("(", "["):
                opening = self.take()
                self.expect({"(": ")", "[": "]"}[opening])
                part += {"(": "()", "[": "[]"}[opening]
            if self.next == "<":
                part += self.arguments()
            parts.append(part)
            if self.next != "::":
                return "::".join(parts)
            self.take()

    def arguments(self) -> str:
        self.expect("<")
        names: list[str] = []
        while self.next != ">":
            names.append(self.argument())
            if self.next == ",":
                self.take()
            elif self.next != ">":
                raise _NotUnderstood
        self.expect(">")
        text = ", ".join(names)
        return f"<{text} >" if text.endswith(">") else f"<{text}>"

    def argument(self) -> str:
        token = self.next
        if token == "-" or is_decimal(token[:1]) or token[:1] == "'":
            sign = self.take() if token == "-" else ""
            literal = self.take()
            return sign + (literal if literal[:1] == "'" else literal.lower())
        if token == "(":  # `(unsigned char)'a'`
            self.enter()
            self.take()
            kind = self.type()
            self.expect(")")
            value = self.argument()
            self.depth -= 1
            return f"({kind}){value}"
        return self.type()

    def declarator(self) -> str:
        """Return `*`, `const` after it, `(*)(int)`, `[3]`."""
        text = ""
        while True:
            token = self.next
            if token in ("*", "&", "&&"):
                text += self.take()
            elif token in _QUALIFIERS and text:
                text += f" {self.take()}"
            elif token == "(":
                text += self.parenthesis(text)
            elif token == "[":
                self.take()
                count = self.take() if self.next != "]" else ""
                self.expect("]")
                text += f"[{count}]" if text.endswith("]") else f" [{count}]"
            else:
                return text

    def parenthesis(self, before: str) -> str:
        """Return `(*)` or the parameters of a function."""
        self.expect("(")
        if self.next in ("*", "&", "&&"):
            self.enter()
            inner = self.declarator()
            self.expect(")")
            self.depth -= 1
            return f" ({inner})"
        if not self.has_functions and not before.endswith(")"):
            raise _NotUnderstood
        names: list[str] = []
        while self.next != ")":
            names.append(self.type())
            if self.next == ",":
                self.take()
            elif self.next != ")":
                raise _NotUnderstood
        self.expect(")")
        text = "" if names == ["void"] else ", ".join(names)
        return f"({text})" if before.endswith(")") else f" ({text})"


def _is_name(token: str) -> bool:
    return token == "(anonymous namespace)" or (token[:1].isalpha() or token[:1] == "_")


def _integer(words: list[str]) -> str:
    """Return `unsigned long` of `long unsigned int`."""
    if len(words) > 5:
        raise _NotUnderstood
    sign = "unsigned " if "unsigned" in words else ""
    longs = words.count("long")
    if "char" in words:
        return ("signed " if "signed" in words else sign) + "char"
    if "__int128" in words:
        return f"{sign}__int128"
    if "short" in words:
        return f"{sign}short"
    return sign + (" ".join(["long"] * longs) if longs else "int")
