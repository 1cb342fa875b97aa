"""The part of the parser that reads types as Rust writes them, after `as` and in `sizeof`: `u8`,
`*const T`, `&mut T`, `[T; 4]`, `(A, B)` (The Rust Reference, "Types"), and numbers with a type,
`5u8`."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.syntax.ast import (
    Cast,
    Declarator,
    Floating,
    Integer,
    Node,
    SizeOf,
    TypeName,
    Unary,
)
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.name_parser import extended_name, name_at
from dwarfgpu.language.syntax.rust_expressions import element_count
from dwarfgpu.language.syntax.tokens import number
from dwarfgpu.language.syntax.words import MUTABLE, SEMICOLON

_QUALIFIERS: Final = ("const", "mut")
_OBJECT: Final = "object"
"""The kind of a word of C that a variable has as its name: `char`, `r#const`."""
_WORDS: Final = ("name", _OBJECT)
_BEFORE_TYPES: Final = ("[", "(", "&", "&&", MUTABLE)
"""What a type may begin with before its name."""
_COUNT_BITS: Final = 48
"""Bits of the numbers of elements that a type may have: those of an address."""


def rust_type_name(cursor: Cursor) -> TypeName:
    """Parse a type of Rust."""
    cursor.descend()
    name = _type_name(cursor)
    cursor.depth -= 1
    return name


def array_type(cursor: Cursor) -> TypeName | None:
    """Parse the array type that is all of a text; None for an array expression."""
    if not _is_array_type(cursor, 0):
        return None
    name = rust_type_name(cursor)
    if cursor.token.kind != "end":
        raise cursor.syntax_error()
    return name


def size_of_array_type(cursor: Cursor) -> Node | None:
    """Parse what follows `sizeof` of an array type; None where something else comes."""
    if cursor.token.text != "(" or not _is_array_type(cursor, cursor.at + 1):
        return None
    cursor.next()
    size = SizeOf(rust_type_name(cursor))
    cursor.expect(")")
    return size


def _is_array_type(cursor: Cursor, index: int) -> bool:
    """Return whether the type `[T; 4]` comes at a position, and no array expression."""
    tokens = cursor.tokens
    if tokens[index].text != "[":
        return False
    while tokens[index].text in _BEFORE_TYPES:
        index += 1
    if tokens[index].text == "*":  # as before no expression
        return tokens[index + 1].text in _QUALIFIERS
    return tokens[index].kind == "name" and cursor.known.is_type(extended_name(cursor, index)[0])


def _type_name(cursor: Cursor) -> TypeName:
    mark = cursor.accept("*", "&", "&&", MUTABLE)
    if mark == "*":
        word = cursor.token.text if cursor.token.kind in _WORDS else ""
        if word not in _QUALIFIERS:
            raise UsageError("A raw pointer of Rust is *const TYPE or *mut TYPE.")
        cursor.next()
        return _derived(rust_type_name(cursor), Declarator("*", prefix=f"*{word} "))
    if mark is not None:
        pointer = Declarator("*", prefix="&mut " if mark == MUTABLE else "&")
        target = _derived(rust_type_name(cursor), pointer)
        return _derived(target, pointer) if mark == "&&" else target
    if cursor.accept("["):
        return _array(cursor)
    if cursor.token.text == "(":
        return _tuple(cursor)
    if cursor.token.kind == _OBJECT:
        return TypeName((cursor.next().text,))
    name = name_at(cursor)
    if name.startswith(("fn(", "dyn ")) or name in ("fn", "dyn"):
        raise Unsupported(f"{name[:3].strip('(')} types are not supported: write *const ()")
    return TypeName((name,))


def _derived(inner: TypeName, step: Declarator) -> TypeName:
    return TypeName(inner.words, declarators=(*inner.declarators, step))


def _array(cursor: Cursor) -> TypeName:
    """Parse what follows the bracket of `[T; 4]`."""
    element = rust_type_name(cursor)
    if cursor.accept("]"):
        raise Unsupported("a slice has a length, which no cast gives: write [TYPE; COUNT]")
    cursor.expect(SEMICOLON)
    count = element_count(cursor)
    if count >> _COUNT_BITS:
        raise UsageError("Invalid number of elements of an array type.")
    return _derived(element, Declarator("[]", count))


def _tuple(cursor: Cursor) -> TypeName:
    """Parse a tuple, with the name that rustc gives it: `(i32, u8)`, of `(i32,)` it is `(i32)`;
    `(i32)` is the type of the element."""
    cursor.expect("(")
    parts: list[str] = []
    while cursor.accept(")") is None:
        first = cursor.token.start
        element = rust_type_name(cursor)
        parts.append(" ".join(cursor.text[first : cursor.token.start].split()))
        if cursor.token.text != ")":
            cursor.expect(",")
        elif len(parts) == 1:
            cursor.next()
            return element
    return TypeName((f"({', '.join(parts)})",))


def suffixed(text: str, *, is_negative: bool = False) -> Node:
    """Return a number with its type, which a blank separates, or the negative of it.

    `UsageError` for one that the type does not hold.
    """
    written, _, name = text.partition(" ")
    literal = number(written)
    size, is_of_float = name[1:], name.startswith("f")
    if isinstance(literal, Floating) and not is_of_float:
        raise UsageError(f'Invalid number "{written}{name}".')
    if isinstance(literal, Integer) and is_decimal(size) and not is_of_float:
        is_signed = name.startswith("i")
        most = (1 << int(size) - is_signed) - 1
        if is_negative:
            most = most + 1 if is_signed else 0
        if literal.number > most:
            raise UsageError(f"{'-' * is_negative}{written}{name} is no value of {name}.")
    signed = Unary("-", literal) if is_negative else literal
    return Cast(TypeName((name,)), signed, how="literal")
