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
    r"\s*(::|&&|\(anonymous namespace\)|[^\W\d]\w*|[0-9][\w.']*(?:(?<=[eE])[+-][0-9]+[fFlL]?)?"
    r"|'(?:\\.|[^'\\])+'|\.\.\.|[<>()\[\],*&-])"
)
_CHARACTER: Final = pattern(r"'(?:[^'\\]|\\[0-7]{1,3}|\\[^0-7])'")
"""The characters that GDB's parser of names reads: not `'\\x80'`."""
_REAL_TYPES: Final = {"f": "float", "l": "long double"}
"""By the suffix of a number."""
_INTEGER_WORDS: Final = frozenset(
    ["signed", "unsigned", "short", "long", "int", "char", "__int128"]
)
_QUALIFIERS: Final = ("const", "volatile")
_ALLOCATION: Final = frozenset({"new", "delete"})
_TAGS: Final = frozenset({"struct", "class", "union", "enum"})
_OPENING: Final = frozenset("<(")
_CLOSING: Final = frozenset(">)")
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
    read = parsed(name, replaced, is_shown=is_shown)
    return name if read is None else read


def parsed(name: str, replaced: Mapping[str, str] | None, *, is_shown: bool) -> str | None:
    """Return the form of `canonical`; None if the name cannot be parsed."""
    if "<" not in name and " " not in name and not replaced:
        return name
    if len(name) > _LONGEST:
        return None
    try:
        return _Parser(name, replaced or {}, has_functions=not is_shown).whole()
    except _NotUnderstood:
        return None


class _Parser:
    def __init__(self, text: str, replaced: Mapping[str, str], *, has_functions: bool) -> None:
        self.replaced = replaced
        self.has_functions = has_functions
        self.is_shown = not has_functions
        self.tokens: list[str] = []
        self.position = self.depth = 0
        index, end, brackets = 0, len(text.rstrip()), 0
        while index < end:
            match = _TOKEN.match(text, index)
            if match is None:
                raise _NotUnderstood
            token = match[1]
            brackets += (token in _OPENING) - (token in _CLOSING)
            if brackets > _DEEPEST:  # no need to read the rest
                raise _NotUnderstood
            self.tokens.append(token)
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

    def qualified(self, *, is_class: bool = False) -> str:
        """Return a name with its scopes; `is_class`: that before `::*`, which is read up to `*`."""
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
            elif part == "operator" and _is_name(self.next) and self.next not in _ALLOCATION:
                return "::".join([*parts, self.conversion()])
            if self.next == "<":
                part += self.arguments()
            parts.append(part)
            if self.next == "::":
                self.take()
            elif not is_class:
                return "::".join(parts)
            else:
                raise _NotUnderstood
            if is_class and self.next == "*":
                return "::".join(parts)

    def conversion(self) -> str:
        """Return the rest of a conversion's name: no parameters can follow its type."""
        has_functions, self.has_functions = self.has_functions, False
        text = f"operator {self.type()}"
        self.has_functions = has_functions
        return text

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
        if token == "-" or is_decimal(token[:1]):
            sign = self.take() if token == "-" else ""
            literal = self.take().lower()
            is_floating = "." in literal or ("e" in literal and not literal.startswith("0x"))
            if not (is_floating and self.is_shown):
                return sign + literal
            kind = _REAL_TYPES.get(literal[-1], "double")
            return f"({kind}){sign}[{literal.rstrip('fl')}]"
        if token[:1] == "'":
            return self.character()
        if token in ("&", "(") and self.follows_address():
            return self.address()
        if token == "(":  # `(unsigned char)'a'`
            self.enter()
            self.take()
            kind = self.type()
            self.expect(")")
            is_character = self.next[:1] == "'"
            value = self.character(is_cast=True) if is_character else self.argument()
            self.depth -= 1
            return f"({kind}){value}"
        return self.type()

    def character(self, *, is_cast: bool = False) -> str:
        """Return `(char)'c'`, as GDB shows it."""
        literal = self.take()
        if not self.is_shown:
            return literal
        if not _CHARACTER.fullmatch(literal):
            raise _NotUnderstood
        return literal if is_cast else f"(char){literal}"

    def follows_address(self) -> bool:
        """Return whether `&x`, `(& x)` or `&(x [1])` comes here."""
        index = self.position + (self.next == "(")
        mark, name, inner, bracket = (*self.tokens[index : index + 4], "", "", "", "")[:4]
        is_element = name == "(" and _is_name(inner) and bracket == "["
        return mark == "&" and (_is_name(name) or is_element)

    def address(self) -> str:
        is_grouped = self.next == "("
        self.position += 1 + is_grouped
        is_element = self.next == "("
        self.position += is_element
        name = self.qualified()
        indices = ""
        while self.next == "[":
            self.take()
            indices += f"[{self.take()}]"
            self.expect("]")
        if indices:  # as GDB shows it
            name = f"({name} {indices})"
        for _ in range(is_grouped + is_element):
            self.expect(")")
        return f"&{name}"

    def declarator(self, *, is_inner: bool = False) -> str:
        """Return `*`, `const` after it, `C::*`, `(*)(int)`, `[3]`.

        `is_inner`: in the parentheses of another one.
        """
        text = ""
        while True:
            token = self.next
            if token in ("&", "&&") and self.is_shown and ")" in text:
                raise _NotUnderstood  # GDB's parser has no functions with a ref-qualifier
            if token in ("*", "&", "&&"):
                text += self.take()
            elif token in _QUALIFIERS and text:
                text += f" {self.take()}"
            elif token == "(":
                text += self.parenthesis(text, is_inner=is_inner)
            elif token == "[":
                self.take()
                count = self.take() if self.next != "]" else ""
                self.expect("]")
                text += f"[{count}]" if text.endswith("]") else f" [{count}]"
            elif token == "::" or _is_name(token):
                text += f"{'' if is_inner and not text else ' '}{self.qualified(is_class=True)}::*"
                self.take()
            else:
                return text

    def parenthesis(self, before: str, *, is_inner: bool) -> str:
        """Return `(*)`, `(C::*)` or the parameters of a function.

        GDB's spaces: none after `(` or `*` before the parenthesis of a pointer to a function.
        """
        self.expect("(")
        is_pointer = self.next in ("*", "&", "&&")
        if is_pointer or (not before.endswith(")") and self.is_pointer_to_member()):
            self.enter()
            inner = self.declarator(is_inner=True)
            self.expect(")")
            self.depth -= 1
            is_close = is_pointer and is_inner and before[-1:] in ("", "*") and self.next == "("
            return f"{'' if is_close else ' '}({inner})"
        if not self.has_functions and not before.endswith(")"):
            raise _NotUnderstood
        names: list[str] = []
        while self.next != ")":
            names.append(self.take() if self.next == "..." else self.type())
            if self.next == ",":
                self.take()
            elif self.next != ")":
                raise _NotUnderstood
        self.expect(")")
        text = "" if names == ["void"] else ", ".join(names)
        return f"({text})" if before.endswith(")") else f" ({text})"

    def is_pointer_to_member(self) -> bool:
        """Return whether a name and `::*` come here."""
        depth = 0
        for index in range(self.position, len(self.tokens)):
            token = self.tokens[index]
            depth += (token == "<") - (token == ">")
            if depth <= 0 and token == "*":
                return index > self.position and self.tokens[index - 1] == "::"
            if depth < 0 or (depth == 0 and not (token in ("::", ">") or _is_name(token))):
                return False
        return False


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
