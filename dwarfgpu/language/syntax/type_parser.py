"""The part of the parser that reads types: `unsigned char`, `struct s *`, `int (*)[4]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.language.syntax.ast import MAX_HEIGHT, Declarator, Integer, TypeName
from dwarfgpu.language.syntax.tokens import number

if TYPE_CHECKING:
    from dwarfgpu.language.syntax.parser import Parser

TYPE_WORDS: Final = frozenset(
    {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool"}
    | {"bool", "__int128", "_Complex"}
)
"""Words of which the names of base types are made."""
TAGS: Final = frozenset({"struct", "union", "class", "enum"})
QUALIFIERS: Final = frozenset(
    {"const", "volatile", "restrict", "__restrict", "__restrict__", "_Atomic"}
)


class TypeParser:
    """Reads a type at the position of a parser."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser

    def type_name(self) -> TypeName:
        """Specifiers and an abstract declarator (C 6.7.7)."""
        words: list[str] = []
        tag: str | None = None
        qualifiers = list(self._qualifiers())
        parser = self.parser
        while parser.token.kind == "name":
            text = parser.token.text
            if text in TAGS and not words and tag is None:
                tag = parser.next().text
                words.append(parser.name())
            elif text in TYPE_WORDS and tag is None and all(each in TYPE_WORDS for each in words):
                words.append(parser.next().text)
            elif not words:
                words.append(parser.name())
            else:
                break
            qualifiers += self._qualifiers()
        if not words:
            raise parser.syntax_error()
        declarators = tuple(self._declarators())
        return TypeName(tuple(words), tag, tuple(qualifiers), declarators)

    def _qualifiers(self) -> list[str]:
        out: list[str] = []
        parser = self.parser
        while True:
            if parser.token.kind == "name" and parser.token.text in QUALIFIERS:
                out.append(parser.next().text.strip("_").lower())
            elif parser.accept("@"):
                out.append("@" + parser.take("name"))
            else:
                return out

    def _declarators(self) -> list[Declarator]:
        """From the named type outwards: what is written last binds first."""
        parser = self.parser
        parser.depth += 1
        if parser.depth > MAX_HEIGHT:
            raise LimitExceeded(f"a type of more than {MAX_HEIGHT} parentheses in one another")
        out: list[Declarator] = []
        while mark := parser.accept("*", "&", "&&"):
            out.append(Declarator(mark, qualifiers=tuple(self._qualifiers())))
        inner: list[Declarator] = []
        if parser.token.text == "(" and self._opens_declarator():
            parser.next()
            inner = self._declarators()
            parser.expect(")")
        suffixes: list[Declarator] = []
        while mark := parser.accept("[", "("):
            suffixes.append(self._array() if mark == "[" else self._function())
        parser.depth -= 1
        if len(out) + len(suffixes) + len(inner) > MAX_HEIGHT:
            raise LimitExceeded(f"a type of more than {MAX_HEIGHT} declarators")
        return out + suffixes[::-1] + inner

    def _opens_declarator(self) -> bool:
        """Whether a parenthesis groups: otherwise it holds the parameters of a function."""
        following = self.parser.tokens[min(self.parser.at + 1, len(self.parser.tokens) - 1)]
        return following.kind == "mark" and following.text in ("*", "&", "&&", "(", "[")

    def _array(self) -> Declarator:
        parser = self.parser
        if parser.accept("]"):
            return Declarator("[]")
        count = number(parser.take("number"))
        parser.expect("]")
        if not isinstance(count, Integer) or count.number >> 48:
            raise UsageError("Invalid number of elements of an array type.")
        return Declarator("[]", count.number)

    def _function(self) -> Declarator:
        parser = self.parser
        parameters: list[TypeName] = []
        is_variadic = False
        while parser.accept(")") is None:
            if parser.accept("..."):
                is_variadic = True
            else:
                parameters.append(self.type_name())
            if parser.token.text != ")":
                parser.expect(",")
        if parameters == [TypeName(("void",))]:
            parameters = []
        return Declarator("()", None, tuple(parameters), is_variadic=is_variadic)
