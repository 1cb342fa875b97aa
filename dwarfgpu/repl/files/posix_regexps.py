"""Regular expressions as GDB takes them: POSIX basic ones, with GNU's additions."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import printable, text_bytes
from dwarfgpu.base.regexp import Regexp, regexp
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.setting import boolean
from dwarfgpu.view.command_options import require_option_name

_LITERAL: Final = "(){}|+?"
"""Characters that mean themselves without a backslash before them."""
INVALID: Final = "Invalid regexp: "
"""GDB's words before the reason; `search` has the reason alone."""
_UNMATCHED_GROUP: Final = "Unmatched ( or \\("
_NUMBER: Final = pattern(r"[0-9]{1,9}")
_MAX_COUNT: Final = 0x7FFF
"""RE_DUP_MAX."""
_ESCAPES: Final = {"w": r"\w", "W": r"\W", "b": r"\b", "B": r"\B", "`": r"\A", "'": r"\Z"} | {
    letter: letter for letter in "acdefghijklmnopqrtuvxyzACDEFGHIJKLMNOPQRTUVXYZ0"
}
"""What a backslash before a character means; letters without a meaning mean themselves."""
_CLASSES: Final = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\t-\r ",
    "blank": r"\t ",
    "punct": r"!-\/:-@\[-`{-~",
    "print": " -~",
    "graph": "!-~",
    "cntrl": r"\x00-\x1f\x7f",
    "xdigit": "0-9a-fA-F",
}
_MEMBER: Final = pattern(r"(?:\\.|[^\\])-(?:\\.|[^\\])|\\x[0-9a-f]{2}|\\.|[^\\]")
"""A range, or a character, of a translated set."""
_RANGE: Final = pattern(r"(?P<first>\\.|[^\\])-(?P<last>\\.|[^\\])")
_WORD_PART: Final = pattern(r"\\w|\w|\[\w\w\]")
"""A part that one letter, digit or underscore matches; of a letter in both cases."""
_OPTION: Final = pattern(r"-(?P<letter>[mqnt-])(?:\s+|$)")
_LONE_DASH: Final = pattern(r"-(?:\s+|$)")
_WORD: Final = pattern(r"(?P<word>[^ ]*)\s*")
_WITH_EXPRESSION: Final = "mt"
_EXPRESSION: Final = pattern(r"(?P<quote>['\"])(?P<quoted>.*?)(?P=quote)\s*|(?P<word>\S+)\s*")


def listing_options(argument: str, allowed: str = "qnt") -> tuple[str, str | None, str]:
    """Return the letters of `-q` and `-n` before a regular expression for names, the regular
    expression of `-t` for types, and the rest.

    A boolean may follow `-q` and `-n`, as in `-n off`. What begins with a letter that is not
    allowed is the regular expression.
    """
    letters, expressions, text = listing_expressions(argument, allowed)
    return letters, expressions.get("t"), text


def listing_expressions(argument: str, allowed: str) -> tuple[str, dict[str, str], str]:
    """Return what `listing_options` does, with the regular expressions of `-t` and of `-m`, for
    modules, by their letters."""
    text, letters, expressions = argument.strip(), "", dict[str, str]()
    position = 0
    while (match := _OPTION.match(text, position)) is not None:
        letter = match["letter"]
        if letter not in f"{allowed}-":
            return letters, expressions, text[position:]
        position = match.end()
        if letter == "-":
            break
        if letter in _WITH_EXPRESSION:
            value = _EXPRESSION.match(text, position)
            if value is None:
                raise UsageError(f"-{letter} requires an argument")
            expressions[letter], position = value["word"] or value["quoted"], value.end()
        else:
            is_on, position = _boolean_at(text, position)
            letters = letters.replace(letter, "") + letter * is_on
    else:
        if len(allowed) > 1:
            require_option_name(text[position:])
        elif (dash := _LONE_DASH.match(text, position)) is not None:  # the only option
            return listing_expressions(f"-{allowed} {text[dash.end() :]}", allowed)
    return letters, expressions, text[position:]


def _boolean_at(text: str, position: int) -> tuple[bool, int]:
    """Return the boolean at a position of a text, and the position after it; without one, True."""
    match = _WORD.match(text, position)
    assert match is not None
    try:
        return boolean(match["word"]), match.end()
    except UsageError:
        return True, position


def compiled(text: str, *, ignores_case: bool = False, is_of_names: bool = True) -> Regexp:
    """Compile a pattern, by default of names, whose unprintable characters are escapes;
    `UsageError` with GDB's wording if it is invalid."""
    if is_of_names and not text.isprintable():
        text = "".join(map(_as_in_names, text))
    try:
        return regexp(_Translation(text, ignores_case=ignores_case).result)
    except UsageError as error:
        raise UsageError(f"{INVALID}{error.message}") from None


def _as_in_names(character: str) -> str:
    is_kept = character.isprintable() or character.isspace()
    return character if is_kept else printable(text_bytes(character)).replace("\\", r"\\")


class _Translation:
    """The pattern in the syntax of Python's `re`."""

    def __init__(self, text: str, *, ignores_case: bool) -> None:
        self._text = text
        self._ignores_case = ignores_case
        self._parts: list[str] = []
        self._open = self._groups = 0
        position = 0
        while position < len(text):
            position = self._next(position)
        if self._open:
            raise UsageError(_UNMATCHED_GROUP)

    @property
    def result(self) -> str:
        return "".join(self._parts)

    @property
    def _is_start(self) -> bool:
        return not self._parts or self._parts[-1] in ("^", "(", "|")

    def _next(self, position: int) -> int:
        """Translate what is at a position; return the position after it."""
        character = self._text[position]
        if character == "\\":
            return self._escaped(position + 1)
        if character == "[":
            inside, end = _set(self._text, position, ignores_case=self._ignores_case)
            if self._ignores_case:
                inside = f"{inside[:-1]}{_other_case(inside)}]"
            self._parts.append(inside)
            return end
        if character == "*":
            self._repeat("*")
        elif character == "^":
            self._parts.append("^" if self._is_start else "\\^")
        elif character == "$":
            is_end = self._text[position + 1 : position + 3] in ("", "\\)", "\\|")
            self._parts.append("$" if is_end else "\\$")
        else:
            self._parts.append(self._literal(character))
        return position + 1

    def _literal(self, character: str) -> str:
        if self._ignores_case and character.isalpha():
            return f"[{character}{_swapped(character)}]"
        return f"\\{character}" if character in _LITERAL else character

    def _escaped(self, position: int) -> int:
        if position == len(self._text):
            raise UsageError("Trailing backslash")
        character = self._text[position]
        if character == "(":
            self._open += 1
            self._groups += 1
        elif character == ")":
            if not self._open:
                raise UsageError(_UNMATCHED_GROUP)
            self._open -= 1
        elif character in "+?":
            self._repeat(character)
            return position + 1
        elif character == "{" and not self._is_start:
            return self._bounds(position + 1)
        elif character in "123456789" and int(character) > self._groups:
            raise UsageError("Invalid back reference")
        elif character in "<>":
            return self._word_end(position)
        meaning = character if character in "()|" else _ESCAPES.get(character, f"\\{character}")
        self._parts.append(self._literal(character) if meaning.isalpha() else meaning)
        return position + 1

    def _repeat(self, operator: str) -> None:
        """Repeat the last part; literally where there is none, once where it is repeated."""
        if self._is_start:
            self._parts.append(f"\\{operator}")
        elif self._parts[-1] in ("*", "+", "?"):
            self._parts[-1] = operator if self._parts[-1] == operator else "*"
        else:
            self._parts.append(operator)

    def _bounds(self, position: int) -> int:
        end = self._text.find("\\}", position)
        if end < 0:
            raise UsageError("Unmatched \\{")
        first, comma, last = self._text[position:end].partition(",")
        numbers = [int(number) for number in (first, last) if _NUMBER.fullmatch(number)]
        is_valid = len(numbers) == bool(first) + bool(last) and (first or comma)
        if not is_valid or numbers != sorted(numbers) or max(numbers, default=0) > _MAX_COUNT:
            raise UsageError("Invalid content of \\{\\}")
        self._parts.append(f"{{{first or 0}{comma}{last}}}")
        return end + 2

    def _word_end(self, position: int) -> int:
        """Translate `\\<` before a letter, and `\\>` after one."""
        text = self._text
        if text[position] == ">":
            is_beside = bool(self._parts) and _WORD_PART.fullmatch(self._parts[-1]) is not None
        else:
            is_beside = _WORD_PART.match(text, position + 1) is not None
        if not is_beside:
            raise UsageError(f"\\{text[position]} is supported next to a letter only")
        self._parts.append(r"\b")
        return position + 1


def _set(text: str, start: int, *, ignores_case: bool) -> tuple[str, int]:
    """Translate `[...]`, whose first character may be `]`; return it with the position after it.

    Where case is ignored, a range is that of its ends in lower case, as in GDB: `[A-b]` is
    `[a-b]`, and `[Y-b]` an error.
    """
    position = start + 1 + text.startswith("^", start + 1)
    out = ["[" if position == start + 1 else "[^"]
    first = position
    while position < len(text) and (text[position] != "]" or position == first):
        if text.startswith("[:", position) and (end := text.find(":]", position)) > 0:
            name = text[position + 2 : end]
            if name not in _CLASSES:
                raise UsageError("Invalid character class name")
            out.append(_CLASSES[name])
            position = end + 2
            continue
        if text.startswith(("[.", "[="), position):
            raise UsageError("collating elements are not supported")
        after = text[position + 2 : position + 3]
        if text[position + 1 : position + 2] == "-" and after not in ("", "]"):
            begin = text[position]
            if ignores_case and f"{begin}{after}".isascii():
                begin, after = begin.lower(), after.lower()
            if after < begin:
                raise UsageError("Invalid range end")
            out.append(f"{_member(begin)}-{_member(after)}")
            position += 3
            continue
        out.append(_member(text[position]))
        position += 1
    if position >= len(text):
        raise UsageError("Unmatched [ or [^")
    return "".join(out) + "]", position + 1


def _other_case(inside: str) -> str:
    """Return the ranges and characters of a set in the other case, as members of the set."""
    members = _MEMBER.findall(inside[1:-1].removeprefix("^"))
    return "".join(
        _swapped(member) if _is_cased(member) else _other_letters(member) for member in members
    )


def _other_letters(member: str) -> str:
    """Return the letters of ASCII in the other case that are in a range of several kinds, as
    `0-Z`; nothing for another member."""
    match = _RANGE.fullmatch(member)
    if match is None:
        return ""
    first, last = match["first"][-1], match["last"][-1]
    common = ((max(first, a), min(last, z)) for a, z in ("AZ", "az"))
    return "".join(f"{a.swapcase()}-{z.swapcase()}" for a, z in common if a <= z)


def _swapped(member: str) -> str:
    """Return a letter or a range of letters in the other case; itself if that is not one letter."""
    other = member.swapcase()
    return other if len(other) == len(member) else member


def _is_cased(member: str) -> bool:
    """Return whether a member of a set is a letter, or a range of letters of one case."""
    letters = member.replace("-", "")
    return letters.isalpha() and (letters.islower() or letters.isupper())


def _member(character: str) -> str:
    """Return a character of a set as `re` has it: a letter after a backslash has a meaning."""
    is_plain = character.isalnum() or not character.isascii() or character.isspace()
    return character if is_plain else f"\\{character}"
