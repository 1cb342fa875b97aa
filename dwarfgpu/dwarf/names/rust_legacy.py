"""Demangle Rust's legacy names: a path as in the Itanium C++ ABI, whose last part is a hash.

rustc escapes what C++ has in no identifier, as the rustc book says ("Symbol Mangling", legacy
mangling): `$LT$` is `<`, `$u20$` a space, `..` is `::`. The hash stays, as in GDB.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern

_SYMBOL: Final = pattern(r"_ZN([\w.:$@]*)E(?:\.[\w.:$@]*)?", re.ASCII)
"""With what LLVM appends to the name of a copy."""
_LENGTH: Final = pattern(r"[1-9][0-9]{0,4}")
_HASH: Final = pattern(r"h[0-9a-f]{16}")
_FEWEST_DIGITS: Final = 5
"""Different digits of a hash, as the binutils take it: `h0000000000000000` may be of C++."""
_ESCAPE: Final = pattern(r"\.\.|\$([A-Za-z0-9]*)\$|\$")
_CHARACTERS: Final = {
    "SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}  # fmt: skip
_CODE_POINT: Final = pattern(r"u([0-9a-f]{1,6})")


def demangled_rust(symbol: str) -> str | None:
    """Return `<a::B as c::D>::f::h0123456789abcdef` for a symbol of the legacy scheme; None for any
    other."""
    if (whole := _SYMBOL.fullmatch(symbol)) is None:
        return None
    path, position = whole[1], 0
    parts: list[str] = []
    while position < len(path):
        length = _LENGTH.match(path, position)
        if length is None:
            return None
        position = length.end() + int(length[0])
        if position > len(path):
            return None
        parts.append(path[length.end() : position])
    if len(parts) < 2 or not _HASH.fullmatch(parts[-1]):
        return None
    if len(set(parts[-1][1:])) < _FEWEST_DIGITS:
        return None
    return "::".join(map(_unescaped, parts))


def _unescaped(part: str) -> str:
    """Return a part of a path without escapes; from an unknown one on, it stays as it is."""
    part = part.removeprefix("_") if part.startswith("_$") else part
    out: list[str] = []
    position = 0
    for escape in _ESCAPE.finditer(part):
        text = "::" if escape[0] == ".." else _character(escape[1] or "")
        if text is None:
            break
        out += [part[position : escape.start()], text]
        position = escape.end()
    return "".join((*out, part[position:]))


def _character(escape: str) -> str | None:
    """Return the character that is meant; None if rustc has no such escape."""
    number = _CODE_POINT.fullmatch(escape)
    if number is None:
        return _CHARACTERS.get(escape)
    code_point = int(number[1], 16)
    if code_point >= 0x110000 or 0xD800 <= code_point < 0xE000:
        return None
    return None if code_point < 0x20 or 0x7F <= code_point < 0xA0 else chr(code_point)
