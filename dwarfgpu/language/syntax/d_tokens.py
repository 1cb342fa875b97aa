"""The words of expressions that D spells otherwise than C: slices, `values[1..3]`, `>>>`, `^^`,
`is`, `1_000`, strings without escape sequences or with a type behind them, and characters that are
no `char` (spec/lex, "Integer Literals", "String Literals", "Character Literals"); instances of
templates, `gen!int`, are names."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.names.d_spellings import instance_end
from dwarfgpu.language.syntax.ada_tokens import RANGE
from dwarfgpu.language.syntax.fortran_tokens import POWER
from dwarfgpu.language.syntax.tokens import Token
from dwarfgpu.language.syntax.words import IS, IS_NOT, JOIN, SHIFT_OF_BITS

_MARKS: Final = (
    (RANGE, RANGE), (f"{SHIFT_OF_BITS}=", f"{SHIFT_OF_BITS}="), (SHIFT_OF_BITS, SHIFT_OF_BITS),
    ("^^=", f"{POWER}="), ("^^", POWER), (f"{JOIN}=", f"{JOIN}="),
)  # fmt: skip
"""What the marks are here."""
_IS: Final = pattern(r"(?P<not>!\s*)?is\b")
_BEFORE_RANGE: Final = pattern(r"[0-9][0-9_]*(?=\.\.)")
"""A number that has no point: the next two are the mark."""
_NUMBER: Final = pattern(
    r"""(?=\w*_|\w*\.\w*_)(?:0[xX][0-9a-fA-F_]+ | 0[bB][01_]+
        | [0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9][0-9_]*)?)[uUlLfF]*(?![\w])""",
    re.VERBOSE,
)
"""One with `_` between its digits."""
_RAW_STRING: Final = pattern(r'(?:`(?P<quoted>[^`]*)`|r"(?P<raw>[^"]*)")(?P<suffix>[cwd]\b)?')
_STRING: Final = pattern(r'(?P<text>"(?:\\.|[^"\\])*")(?P<suffix>[cwd]\b)', re.DOTALL)
"""One with its type behind it."""
_PREFIXES: Final = {"c": "", "w": "u", "d": "U"}
"""What C has before a string of the same code units."""
_WIDE: Final = pattern(
    r"'(?P<plain>[^'\\\x00-\x7f])'|'\\(?P<escape>u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})'"
)
"""A character that no `char` holds, or is written as one of another type."""
_LAST_OF_WCHAR: Final = 0xFFFF


_DESTRUCTOR: Final = pattern(r"(?<=[^.]\.)~this\b")
"""The name of one in a class, `C.~this`."""
_NAME: Final = pattern(r"[^\W\d]\w*")
_SCOPE: Final = pattern(r"\s*::\s*(?=[^\W\d])")


def d_token(text: str, index: int) -> tuple[Token, int] | None:
    """Return the word of D at a position, and where it ends; None for one that C has, too."""
    if (end := _end_of_instance(text, index)) is not None:
        return Token("name", text[index:end], index), end
    if (match := _DESTRUCTOR.match(text, index)) is not None:
        return Token("name", match[0], index), match.end()
    for mark, written in _MARKS:
        if text.startswith(mark, index):
            return Token("mark", written, index), index + len(mark)
    if (match := _IS.match(text, index)) is not None:
        return Token("mark", IS_NOT if match["not"] else IS, index), match.end()
    if (match := _BEFORE_RANGE.match(text, index) or _NUMBER.match(text, index)) is not None:
        return Token("number", match[0].replace("_", ""), index), match.end()
    if (match := _RAW_STRING.match(text, index)) is not None:
        body = match["raw"] if match["quoted"] is None else match["quoted"]
        body = body.replace("\\", "\\\\").replace('"', '\\"')
        prefix = _PREFIXES[match["suffix"] or "c"]
        return Token("string", f'{prefix}"{body}"', index), match.end()
    if (match := _STRING.match(text, index)) is not None:
        return Token("string", f"{_PREFIXES[match['suffix']]}{match['text']}", index), match.end()
    if (match := _WIDE.match(text, index)) is not None:
        is_wchar = ord(match["plain"]) <= _LAST_OF_WCHAR if match["plain"] else False
        is_wchar = is_wchar or (match["escape"] or "").startswith("u")
        return Token("character", f"{'u' if is_wchar else 'U'}{match[0]}", index), match.end()
    return None


def _end_of_instance(text: str, index: int) -> int | None:
    """Return where a name ends that has an instance of a template between its `::`; None for
    another one."""
    is_any = False
    while (name := _NAME.match(text, index)) is not None:
        end = instance_end(text, index)
        is_any |= end is not None
        end = name.end() if end is None else end
        scope = _SCOPE.match(text, end)
        if scope is None:
            return end if is_any else None
        index = scope.end()
    return None
