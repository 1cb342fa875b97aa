"""The part of the parser that reads types: `unsigned char`, `struct s *`, `int (*)[4]`."""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.language.syntax.ast import MAX_HEIGHT, Declarator, Integer, Node, TypeName
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.name_parser import name_at
from dwarfgpu.language.syntax.tokens import number
from dwarfgpu.language.syntax.words import (
    FORTRAN,
    FORTRAN_TYPES,
    OPENCL_SPACES,
    QUALIFIERS,
    TAGS,
    TYPE_WORDS,
)


def fortran_type(cursor: Cursor, index: int) -> tuple[str, int] | None:
    """Return the intrinsic type of Fortran that tokens name, as `integer*8`, and where it ends.

    `integer`, `integer*8`, `integer(kind=8)`, `integer_8` and `double precision`; None for another
    text, and for a name that the program has.
    """
    token = cursor.tokens[index]
    word = token.text.lower()
    if not cursor.language.is_fortran or token.kind != "name":
        return None
    if cursor.known.is_name(word) and not cursor.known.is_type(word):
        return None
    after = cursor.tokens[index + 1 :]
    if word == "double" and [token.text.lower() for token in after[:1]] == ["precision"]:
        return "real*8", index + 2
    family, _, kind = word.partition("_")
    if family not in FORTRAN_TYPES or (kind and not is_decimal(kind)):
        return None
    if kind:
        return f"{family}*{kind}", index + 1
    texts = [token.text.lower() for token in after[:5]]
    if texts[:1] == ["*"] and is_decimal(texts[1]):
        return f"{family}*{texts[1]}", index + 3
    if texts[:3] == ["(", "kind", "="] and is_decimal(texts[3]) and texts[4] == ")":
        return (family if family == "character" else f"{family}*{texts[3]}"), index + 6
    return family, index + 1


def is_opencl_space(cursor: Cursor, index: int) -> bool:
    """Return whether an address space of OpenCL comes at a position."""
    token = cursor.tokens[index]
    is_name = cursor.language.is_opencl and token.kind == "name"
    return is_name and token.text.removeprefix("__") in OPENCL_SPACES


class TypeParser:
    """Reads a type at a position."""

    def __init__(self, cursor: Cursor, type_of: Callable[[], Node | TypeName | None]) -> None:
        """`type_of`: parses `typeof(x)` and returns its operand; None where something else is."""
        self._cursor = cursor
        self._type_of = type_of

    def type_name(self) -> TypeName:
        """Parse specifiers and an abstract declarator (C 6.7.7)."""
        self._cursor.descend()
        name = self._type_name()
        self._cursor.depth -= 1
        return name

    def _type_name(self) -> TypeName:
        words: list[str] = []
        tag: str | None = None
        qualifiers = list(self._qualifiers())
        cursor = self._cursor
        if (operand := self._type_of()) is not None:
            qualifiers += self._qualifiers()
            declarators = tuple(self._declarators())
            return TypeName((), None, tuple(qualifiers), declarators, operand)
        if (named_type := fortran_type(cursor, cursor.at)) is not None:
            words = [FORTRAN, named_type[0]]
            cursor.move_to(named_type[1])
        while cursor.token.kind == "name" and words[:1] != [FORTRAN]:
            text = cursor.token.text
            if text in TAGS and not words and tag is None:
                tag = cursor.next().text
                words.append(name_at(cursor))
            elif text in TYPE_WORDS and tag is None and all(word in TYPE_WORDS for word in words):
                words.append(cursor.next().text)
            elif not words:
                words.append(name_at(cursor))
            else:
                break
            qualifiers += self._qualifiers()
        if not words:
            raise cursor.syntax_error()
        declarators = tuple(self._declarators())
        return TypeName(tuple(words), tag, tuple(qualifiers), declarators)

    def _qualifiers(self) -> list[str]:
        out: list[str] = []
        cursor = self._cursor
        while True:
            if cursor.token.kind == "name" and cursor.token.text in QUALIFIERS:
                out.append(cursor.next().text.strip("_").lower())
            elif is_opencl_space(cursor, cursor.at):
                out.append("@" + OPENCL_SPACES[cursor.next().text.removeprefix("__")])
            elif cursor.accept("@"):
                out.append("@" + cursor.take("name"))
            else:
                return out

    def _declarators(self) -> list[Declarator]:
        """Parse from the named type outwards: the last one binds first."""
        cursor = self._cursor
        cursor.descend()
        out: list[Declarator] = []
        while mark := cursor.accept("*", "&", "&&"):
            out.append(Declarator(mark, qualifiers=tuple(self._qualifiers())))
        inner: list[Declarator] = []
        if cursor.token.text == "(" and self._opens_declarator():
            cursor.next()
            inner = self._declarators()
            cursor.expect(")")
        suffixes: list[Declarator] = []
        while mark := cursor.accept("[", "("):
            suffixes.append(self._array() if mark == "[" else self._function())
        cursor.depth -= 1
        if len(out) + len(suffixes) + len(inner) > MAX_HEIGHT:
            raise LimitExceeded(f"a type of more than {MAX_HEIGHT} declarators")
        return out + suffixes[::-1] + inner

    def _opens_declarator(self) -> bool:
        """Return whether a parenthesis groups, rather than enclosing the parameters of a
        function."""
        following = self._cursor.tokens[min(self._cursor.at + 1, len(self._cursor.tokens) - 1)]
        return following.kind == "mark" and following.text in ("*", "&", "&&", "(", "[")

    def _array(self) -> Declarator:
        cursor = self._cursor
        if cursor.accept("]"):
            return Declarator("[]")
        count = number(cursor.take("number"), cursor.radix)
        cursor.expect("]")
        if not isinstance(count, Integer) or count.number >> 48:
            raise UsageError("Invalid number of elements of an array type.")
        return Declarator("[]", count.number)

    def _function(self) -> Declarator:
        cursor = self._cursor
        parameters: list[TypeName] = []
        is_variadic = False
        while cursor.accept(")") is None:
            if cursor.accept("..."):
                is_variadic = True
            else:
                parameters.append(self.type_name())
            cursor.expect_item_or(")")
        is_prototyped = is_variadic or bool(parameters)
        if parameters == [TypeName(("void",))]:
            parameters = []
        return Declarator(
            "()", None, tuple(parameters), is_variadic=is_variadic, is_prototyped=is_prototyped
        )
