"""The words of expressions that Rust has and C has not: components of tuples, `t.0.1`, which rustc
names `__0`, casts, `x as u8` and `x as *const [u8; 4]`, and literals (The Rust Reference, "Tuple
indexing expressions", "Type cast expressions", "Tokens").

Law: a literal becomes one of C where C has the same value: `5_000` is `5000`, `'\\u{e9}'` is
`U'\\U000000e9'`.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.language.syntax.ada_tokens import RANGE
from dwarfgpu.language.syntax.tokens import Token
from dwarfgpu.language.syntax.words import AS, BYTE, MUTABLE, RANGE_TO_LAST, RAW, SEMICOLON

_POINT: Final = pattern(r"(?<=[\w)\]])\.(?=[0-9])")
"""After an operand; the point of a number is a part of it."""
_FIELD: Final = pattern(r"(?<=[\w)\]]\.)[0-9]+(?!\w)")
_AS: Final = pattern(r"\bas\b")
_MUTABLE: Final = pattern(r"&\s*mut\b")
_RAW_NAME: Final = pattern(
    r"(?<!\w)(?:::\s*)?(?:[^\W\d]\w*\s*::\s*)*r\#[^\W\d]\w*(?:\s*::\s*(?:r\#)?[^\W\d]\w*)*"
)
"""A path with a raw identifier: `r#type`, `a::r#mod::f`."""
_BEFORE_RAW: Final = pattern(r"(?<!\w)r\#(?=[^\W\d])")
_NUMBER: Final = pattern(
    r"""(?:0(?:x_*(?P<hex>[0-9a-fA-F][0-9a-fA-F_]*)|o_*(?P<octal>[0-7][0-7_]*)
            |b_*(?P<binary>[01][01_]*))
        | (?P<decimal>[0-9][0-9_]*(?:\.(?:[0-9][0-9_]*|(?![\w.])))?(?:[eE][+-]?_*[0-9][0-9_]*)?))
    (?P<suffix>[iu](?:8|16|32|64|128|size)|f(?:32|64))?(?![\w])""",
    re.VERBOSE,
)
_CHARACTER: Final = pattern(r"(?P<prefix>b?)'(?P<body>\\(?:[ux][^']*|.)|[^'\\])'", re.DOTALL)
_LONG_BYTE: Final = pattern(r"b'(?:\\.|[^'\\])*'", re.DOTALL)
_STRING: Final = pattern(r'(?P<prefix>b?)"(?P<body>(?:\\.|[^"\\])*)"', re.DOTALL)
_RAW_STRING: Final = pattern(r'(?P<prefix>b?)r(?P<hashes>\#*)"(?P<body>.*?)"(?P=hashes)', re.DOTALL)
_ESCAPE: Final = pattern(
    r"\\(?:u\{(?P<code>[^}]*)(?P<end>\}?)|(?P<hex>x[0-9a-fA-F]{2})|(?P<letter>.))|(?P<plain>.)",
    re.DOTALL,
)
_ESCAPED: Final = frozenset("nrt\\0'\"")
_MOST_DIGITS: Final = 6
_LAST_ASCII: Final = 0x7F


def rust_token(text: str, index: int) -> tuple[Token, int] | None:
    """Return the word of Rust at a position, and where it ends; None for one that C has, too."""
    if _POINT.match(text, index) is not None:
        return Token("mark", ".", index), index + 1
    if (field := _FIELD.match(text, index)) is not None:
        return Token("name", f"__{field[0]}", index), field.end()
    if (raw := _RAW_NAME.match(text, index)) is not None:
        name = "".join(without_raw(raw[0]).split())
        return Token("name", name, index), raw.end()
    for mark in (RANGE_TO_LAST, RANGE):
        if text.startswith(mark, index):
            return Token("mark", mark, index), index + len(mark)
    if (word := _AS.match(text, index)) is not None:
        return Token("mark", AS, index), word.end()
    if (mutable := _MUTABLE.match(text, index)) is not None:
        return Token("mark", MUTABLE, index), mutable.end()
    if text[index] == SEMICOLON:
        return Token("mark", SEMICOLON, index), index + 1
    if (number := _NUMBER.match(text, index)) is not None:
        return _number(number), number.end()
    return _text(text, index)


def without_raw(text: str) -> str:
    """Return names without the `r#` of raw identifiers, as rustc writes them (The Rust Reference,
    "Identifiers")."""
    return _BEFORE_RAW.sub("", text) if RAW in text else text


def _number(match: re.Match[str]) -> Token:
    """Return a number without `_`, whose zeros at the start make no octal one."""
    groups = {name: (digits or "").replace("_", "") for name, digits in match.groupdict().items()}
    if groups["octal"]:
        written = f"{int(groups['octal'], 8):#x}"
    elif groups["hex"] or groups["binary"]:
        written = f"0x{groups['hex']}" if groups["hex"] else f"0b{groups['binary']}"
    else:
        written = re.sub(r"^0+(?=[0-9])", "", groups["decimal"])
    if groups["suffix"]:
        return Token("suffixed", f"{written} {groups['suffix']}", match.start())
    return Token("number", written, match.start())


def _text(text: str, index: int) -> tuple[Token, int] | None:
    """Return a character or string literal with the escape sequences of C."""
    if (match := _RAW_STRING.match(text, index)) is not None:
        body = match["body"].replace("\\", "\\\\").replace('"', '\\"')
        return _string(match, body), match.end()
    if (match := _STRING.match(text, index)) is not None:
        body = _in_c(match["body"], is_byte=bool(match["prefix"]), quote='"')
        return _string(match, body), match.end()
    if (match := _CHARACTER.match(text, index)) is not None:
        body = _in_c(match["body"], is_byte=bool(match["prefix"]), quote="'")
        return Token("character", f"{match['prefix'] or 'U'}'{body}'", index), match.end()
    if _LONG_BYTE.match(text, index) is not None:
        raise UsageError("A byte literal has one character.")
    return None


def _string(match: re.Match[str], body: str) -> Token:
    if match["prefix"] == BYTE and not body.isascii():
        raise UsageError("A byte string literal has ASCII characters only; others are \\xff.")
    return Token("string", f'{match["prefix"]}"{body}"', match.start())


def _in_c(body: str, *, is_byte: bool, quote: str) -> str:
    """Return what is between the quotes of a literal with the escape sequences of C.

    `UsageError` for a sequence that Rust has not.
    """
    out: list[str] = []
    for match in _ESCAPE.finditer(body):
        if match["plain"] is not None:
            if is_byte and not match["plain"].isascii():
                raise UsageError("A byte literal has ASCII characters only; others are \\xff.")
            out.append(f"\\{quote}" if match["plain"] == quote else match["plain"])
        elif match["code"] is not None:
            if is_byte:
                raise UsageError("A byte literal has no \\u{...}; write \\xff, two digits.")
            out.append(f"\\U{_code_point(match):08x}")
        elif match["hex"] is not None:
            if not is_byte and int(match["hex"][1:], 16) > _LAST_ASCII:
                raise UsageError("\\x of text is at most 7f; write \\u{" + match["hex"][1:] + "}.")
            out.append(f"\\{int(match['hex'][1:], 16):03o}")  # a digit may follow
        elif match["letter"] not in _ESCAPED:
            letter = match["letter"]
            hint = {"u": ": write \\u{e9}", "x": ": write two digits, \\x41"}.get(letter, "")
            raise UsageError(f"Invalid escape \\{letter} in literal{hint}")
        else:
            out.append("\\000" if match["letter"] == "0" else match[0])
    return "".join(out)


def _code_point(match: re.Match[str]) -> int:
    digits = match["code"].replace("_", "")
    if not match["end"]:
        raise UsageError("Missing '}' in Unicode escape")
    if not 1 <= len(digits) <= _MOST_DIGITS:
        raise UsageError(f"A Unicode escape has 1 to {_MOST_DIGITS} hexadecimal digits.")
    try:
        number = int(digits, 16)
    except ValueError:
        raise UsageError(f'Invalid number "{match["code"]}".') from None
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        raise UsageError(f"{number:#x} is no Unicode scalar value, which a char of Rust is.")
    return number
