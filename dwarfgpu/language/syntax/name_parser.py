"""Parse names of several tokens: `ns::Box<int, 2>::made`, `f(int)::n`, `over(int, long)`.

Law: `<` and `(` belong to a name only if the result exists, or no other interpretation is possible;
otherwise they are operators.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.syntax.ada_tokens import QUALIFICATION
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.words import COMPLEMENT, IN_TYPES, INVERSION, TAGS, TYPE_WORDS

_MAX_TOKENS: Final = 200
"""Words of the arguments of a template or function."""
_MAX_PARTS: Final = 50
"""Templates and functions in one name."""
_CLOSERS: Final = {"<": ">", "(": ")"}
_INSIDE: Final = frozenset({",", "*", "&", "::", "[", "]", "(", ")", "<", ">", ">>", "-", "..."})

_DECLARATORS: Final = frozenset({"*", "&", "&&", "("})
"""With which an operand may begin, too."""
_SIGNS: Final = frozenset({"-", "+", "!", "~", "--", "++", "{", COMPLEMENT, INVERSION})


def simple_type(cursor: Cursor) -> tuple[str, int]:
    """Return the name that may be one of a type at a position, and where it ends."""
    word = cursor.token.text
    return (word, cursor.at + 1) if word in TYPE_WORDS else extended_name(cursor, cursor.at)


def extended_name(cursor: Cursor, index: int, *, is_member: bool = False) -> tuple[str, int]:
    """Return the longest name at a position, and the position after it: `Box<int, 2>::made`,
    `f(int)::n`.

    `is_member`: a member of the object before it, which is not looked up here.
    """
    after = cursor.tokens[index + 1]
    if after.kind != "mark" or after.text not in _CLOSERS:
        return cursor.tokens[index].text, index + 1
    key = index, is_member
    if key not in cursor.extended_names:
        cursor.extended_names[key] = _extended_name(cursor, index, is_member=is_member)
    return cursor.extended_names[key]


def _extended_name(cursor: Cursor, index: int, *, is_member: bool) -> tuple[str, int]:
    tokens = cursor.tokens
    name, index = tokens[index].text, index + 1
    is_in_unknown_scope = False
    for _ in range(_MAX_PARTS):
        if tokens[index].kind != "mark" or tokens[index].text not in _CLOSERS:
            break
        is_function = tokens[index].text == "("
        if is_member and not is_function and not _is_template_of_member(cursor, index):
            break
        end = _after_closer(cursor, index)
        if end is None:
            break
        inside = cursor.text[tokens[index].start : _end_of_word(cursor, end)]
        if cursor.language.is_rust:
            from dwarfgpu.language.syntax.rust_tokens import without_raw  # few programs

            inside = without_raw(inside)
        has_parameters = is_function and not cursor.language.is_fortran
        if is_function and not (has_parameters and _is_parameters(cursor, index, end)):
            break
        is_ada = is_function and cursor.language.is_ada
        if is_ada and (is_member or not cursor.known.is_function(name)):
            break  # an index
        following = tokens[end]
        while is_function and following.text in ("const", "volatile"):
            inside, end = f"{inside} {following.text}", end + 1
            following = tokens[end]
        longer = name + inside
        if following.kind == "name" and following.text.startswith("::"):
            scoped_name = longer + following.text
            if not (is_function or is_in_unknown_scope or cursor.known.is_name(longer)):
                if cursor.known.is_name(name):
                    break
                is_in_unknown_scope = True  # no unit is searched for each longer name
            name, index = scoped_name, end + 1
            continue
        try:
            is_meant = is_member or cursor.known.is_name(name) == is_function
        except DwarfGpuError:  # a unit that cannot be read may have the name
            if is_function or not cursor.known.is_name(longer):
                raise
            is_meant = True
        is_meant = is_meant or not is_function and _begins_with_type(cursor, index)
        if not is_meant and not cursor.known.is_name(longer):
            break
        name, index = longer, end
    return name, index


def name_at(cursor: Cursor, *, is_member: bool = False) -> str:
    """Parse a name with everything that belongs to it, and advance past it.

    `UsageError` where no name is here.
    """
    if cursor.token.kind != "name":
        raise cursor.syntax_error()
    name, end = extended_name(cursor, cursor.at, is_member=is_member)
    cursor.move_to(end)
    return name


def is_converting(cursor: Cursor, index: int) -> bool:
    """Return whether the name at a position, if it is that of a type of Ada, begins a conversion,
    a qualified expression or an attribute."""
    if [token.text for token in cursor.tokens[index + 1 : index + 4]] == ["(", "*", ")"]:
        return False  # a type of C
    after = cursor.tokens[min(index + 1, len(cursor.tokens) - 1)]
    is_mark = after.kind == "mark" and after.text in ("(", QUALIFICATION)
    return is_mark or after.kind == "attribute"


def is_conversion(cursor: Cursor, index: int) -> bool:
    """Return whether a type with a single name and its operand come at a position, as in C++, Go
    and Pascal: `int(5)` and `int(-x)`, not `int(*)[4]` or `int(char)`."""
    token = cursor.tokens[index]
    if token.kind != "name" or not cursor.language.has_functional_casts:
        return False
    end = _end_of_type(cursor, index)
    return end is not None and cursor.tokens[end].text == "(" and _is_operand(cursor, end + 1)


def _is_operand(cursor: Cursor, index: int) -> bool:
    """Return whether an operand begins at a position, perhaps with marks with which a declarator
    begins, too: `*l` or `(x)`, not `*)` or `(*)(int)`."""
    while True:
        token = cursor.tokens[index]
        if token.kind == "mark" and token.text in _DECLARATORS:
            index += 1
        elif token.kind != "name":
            return token.text in _SIGNS or token.kind not in ("mark", "end")
        elif (end := _end_of_type(cursor, index)) is None:
            name, end = extended_name(cursor, index)
            is_called = token.text == "sizeof" or cursor.tokens[end].text == "("
            return is_called or cursor.known.is_name(name)
        elif cursor.tokens[end].text == "(":
            index = end + 1
        else:
            return False


def _end_of_type(cursor: Cursor, index: int) -> int | None:
    """Return the position after the single name of a type; None where another name is."""
    text = cursor.tokens[index].text
    if text in IN_TYPES:
        return index + 1
    name, end = extended_name(cursor, index)
    return end if cursor.known.is_type(name) else None


def _after_closer(cursor: Cursor, position: int) -> int | None:
    """Return the position after the mark that closes the one at a position; None if there is
    none."""
    tokens = cursor.tokens
    open_marks: list[str] = []
    for index in range(position, min(position + _MAX_TOKENS, len(tokens))):
        token = tokens[index]
        if token.kind == "mark":
            if token.text not in _INSIDE and not _ends_reference(cursor, index):
                return None
            closing = [">", ">"] if token.text == ">>" else [token.text]
            if token.text in _CLOSERS:
                open_marks.append(_CLOSERS[token.text])
                closing = []
            for mark in closing:
                is_closer = mark in _CLOSERS.values()
                if is_closer and (not open_marks or open_marks.pop() != mark):
                    return None
            if not open_marks:
                return index + 1
        elif token.kind not in ("name", "number", "character"):
            return None
    return None


def _ends_reference(cursor: Cursor, index: int) -> bool:
    """Return whether `&&` ends a type, `S&&`; between operands it is an operator."""
    following = cursor.tokens[min(index + 1, len(cursor.tokens) - 1)]
    return cursor.tokens[index].text == "&&" and following.text in (",", ")", ">", ">>", "...")


def _is_template_of_member(cursor: Cursor, index: int) -> bool:
    """Return whether `<` after a member is for arguments of a template, not a comparison. C has
    none; in C++ nothing is before it, as in GDB, or a type after it."""
    is_adjoining = _end_of_word(cursor, index) == cursor.tokens[index].start
    return cursor.language.is_cplusplus and (is_adjoining or _begins_with_type(cursor, index))


def _begins_with_type(cursor: Cursor, index: int) -> bool:
    """Return whether a type comes after `<`, where an operand would be a cast: `pi<double>`."""
    first = cursor.tokens[index + 1]
    if first.kind != "name" or first.text not in TYPE_WORDS:
        return False
    return cursor.tokens[index + 2].text != "("


def _end_of_word(cursor: Cursor, end: int) -> int:
    """Return where in the text the word before a position ends."""
    last = cursor.tokens[end - 1]
    return last.start + len(last.text)


def _is_parameters(cursor: Cursor, index: int, end: int) -> bool:
    """Return whether parentheses contain types, not the arguments of a call; empty ones do before
    `::`."""
    first = cursor.tokens[index + 1]
    if first.text == ")":
        return cursor.tokens[end].text.startswith("::")
    if first.kind != "name":
        return False
    if is_conversion(cursor, index + 1):
        return False
    if first.text in TYPE_WORDS or first.text in TAGS or first.text in ("const", "volatile"):
        return True
    if cursor.language.is_ada and is_converting(cursor, index + 1):
        return False
    return cursor.known.is_type(extended_name(cursor, index + 1)[0])
