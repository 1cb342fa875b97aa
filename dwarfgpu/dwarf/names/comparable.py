"""Names of C++ whose template arguments have one spelling, for comparison.

Compilers, GDB and demanglers spell one value `'x'`, `(char)'x'` or `(char)120`, `9` or `9u`, `1.5`,
`1.500000e+00` or `(double)[3ff8000000000000]`, `(& x)` or `&x`. Programs write `std::string` for
`std::__cxx11::basic_string<char, ...>`.

Law: the types of values are in the exact form of a name only: `W<3>` and `W<3l>` are instances of
`template<auto>`, but `9` of `template<unsigned>` is `9u`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from typing import Final

from dwarfgpu.base.pattern import pattern

_ESCAPES: Final = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_VARIED: Final = pattern(r"[<,(]\s*[-(&'LuU0-9.]")
_INTEGER_TYPE: Final = (
    r"\((?:(?:un)?signed char|(?:unsigned )?(?:__int128|short|int|long|long long)|wchar_t"
    r"|char(?:8|16|32)_t)\)"
)
_REAL: Final = (
    r"-?(?:[0-9]{1,99}\.[0-9]{0,99}|\.[0-9]{1,99}|[0-9]{1,99}(?=[eE]))(?:[eE][+-]?[0-9]{1,5})?"
)
_INTEGER: Final = r"-?(?:0[xX][0-9a-fA-F']{1,99}|0[bB][01']{1,199}|[0-9][0-9']{0,98})"
_LITERAL: Final = pattern(
    r"(?:(?<=[<,(])\s*+|(?<=\s)(?!\s))"
    rf"(?:(?P<real>{_REAL})(?P<of>[fFlL]?)"
    r"|\((?P<shown_of>float|(?:long )?double)\)(?P<minus>-?)"
    rf"\[(?:(?P<bits>[0-9a-f]{{8}}(?:[0-9a-f]{{8}})?)|(?P<shown>{_REAL}))\]"
    rf"|(?:(?:(?P<cast>{_INTEGER_TYPE})|\(char\))\s*+)?"
    r"(?:(?P<prefix>L|u8|u|U)?'(?P<code>\\x[0-9a-fA-F]+|\\[0-7]+|\\.|[^'\\])'"
    rf"|(?P<number>{_INTEGER})(?P<suffix>[uUlL]*)))(?=\s*[,>])"
)
_INDEX: Final = r"(?:\s*+\)?\[[0-9]++l?\]){0,9}"
_ADDRESS: Final = pattern(
    rf"(?<=[<,\s])(?:\(&\s*(?P<grouped>[\w:~]+{_INDEX})\)"
    rf"|&\s*+\(\(*+\s*(?P<function>[\w:~]+{_INDEX})(?:\([^()]*\))?\s*\)"
    rf"|&\s*(?P<plain>[^\W\d][\w:~]*{_INDEX}))(?=\s*[,>])"
)
"""Also of an element of an array: `(& row[1][2])`, `&(row [1][2])`, in a linkage name
`&((row[1l])[2l])`."""
_PLAIN: Final = str.maketrans("", "", " )")
"""The characters around an index that only some write."""
_NULL: Final = pattern(r"(?<=[<,\s])(?:\(decltype\(nullptr\)\)0|decltype\(nullptr\))(?=\s*[,>])")
"""A null pointer: gcc mangles it without a number, which demanglers write as they do its type."""
_BOOLEAN: Final = pattern(r"(?<=[<,\s])\(bool\)\s*(?P<value>[01])(?=\s*[,>])")
"""`true` or `false`, as GDB and demanglers show it."""
_STANDARD_CLASS: Final = pattern(
    r"(?<![\w:])std::(?P<version>(?:__cxx11|__\w*1)::)?basic_(?P<name>\w+)"
    r"<\s*(?P<letter>wchar_t|char(?:8_t|16_t|32_t)?)\s*,\s*"
    r"std::(?:__\w*1::)?char_traits<(?P=letter)>\s*"
    r"(?P<allocator>,\s*std::(?:__\w*1::)?allocator<(?P=letter)>\s*)?>(?:\s+(?=>))?"
)
"""A string, a view of one or a stream, with the default arguments of its template."""
_LETTERS: Final = {
    "char": "",
    "wchar_t": "w",
    "char8_t": "u8",
    "char16_t": "u16",
    "char32_t": "u32",
}
_OF_ALL_LETTERS: Final = frozenset({"string", "string_view"})
"""The other classes have a name for `char` and `wchar_t` alone."""
_PREFIXES: Final = {"L": "wchar_t", "u8": "char8_t", "u": "char16_t", "U": "char32_t"}
_SUFFIXES: Final = {
    "int": "",
    "unsigned int": "u",
    "long": "l",
    "unsigned long": "ul",
    "long long": "ll",
    "unsigned long long": "ull",
}
_BASES: Final = ("x", "X", "b", "B")
_MAX_INSTANCES: Final = 8
"""Instances of a template that a message names."""
_MAX_INT: Final = (1 << 31) - 1


def comparable(name: str) -> str:
    """Return a name of a template with each value and each standard class among its arguments in
    one spelling. The type `char` stays, as `Box<'x'>` and `Box<120>` may be different types."""
    return _with_arguments(name, _value, _entity)


def exact(name: str) -> str:
    """Return the same with the types of the values: `W<3l>`, `W<(short)3>`, `To<&x>`."""
    return _with_arguments(name, _typed_value, lambda match: f"&{_entity(match)}")


def has_values(name: str) -> bool:
    """Return whether a name has values among its template arguments."""
    return "<" in name and (_LITERAL.search(name) is not None or _ADDRESS.search(name) is not None)


def ambiguous_instance(name: str, instances: Sequence[str]) -> str:
    """Return the message that a name means instances which differ in the types of values alone."""
    more = [] if len(instances) <= _MAX_INSTANCES else ["…"]
    return f'"{name}" is ambiguous: {", ".join([*instances[:_MAX_INSTANCES], *more])}'


def _with_arguments(
    name: str, value: Callable[[re.Match[str]], str], entity: Callable[[re.Match[str]], str]
) -> str:
    if "<" not in name:
        return name
    if "::basic_" in name:
        name = _STANDARD_CLASS.sub(_standard_class, name)
    if "decltype(nullptr)" in name:
        name = _NULL.sub("nullptr", name)
    if "(bool)" in name:
        name = _BOOLEAN.sub(lambda match: ("false", "true")[int(match["value"])], name)
    if _VARIED.search(name) is None:
        return name
    return _ADDRESS.sub(entity, _LITERAL.sub(value, name))


def _standard_class(match: re.Match[str]) -> str:
    """Return `std::string`, without the space before a `>`. The classes with an allocator that
    libstdc++ had before C++11 keep their name: a program may have both."""
    name, letter = match["name"], match["letter"]
    is_old = match["allocator"] is not None and match["version"] is None
    if is_old or (letter not in ("char", "wchar_t") and name not in _OF_ALL_LETTERS):
        return match[0]
    return f"std::{_LETTERS[letter]}{name}"


def _value(match: re.Match[str]) -> str:
    real = _real(match)
    if real is not None:
        return f"{real[0]:.6e}"  # as many digits as clang writes
    number = _number(match)
    return f"(char){_signed(number)}" if _type_of(match) == "char" else str(number)


def _typed_value(match: re.Match[str]) -> str:
    real = _real(match)
    if real is not None:
        return f"({real[1]}){real[0]!r}"
    kind, number = _type_of(match), _number(match)
    if kind in ("char", "signed char"):
        number = _signed(number)
    suffix = _SUFFIXES.get(kind)
    return f"({kind}){number}" if suffix is None else f"{number}{suffix}"


def _real(match: re.Match[str]) -> tuple[float, str] | None:
    """Return the number of floating-point of an argument, and its type; None of any other one."""
    kind = match["shown_of"]
    if match["bits"] is not None:
        data = bytes.fromhex(match["bits"])
        return struct.unpack(">f" if len(data) == 4 else ">d", data)[0], kind
    text = match["real"] or match["shown"]
    if text is None:
        return None
    kind = kind or {"f": "float", "l": "long double"}.get(match["of"].lower(), "double")
    return as_real(float((match["minus"] or "") + text), kind), kind


def as_real(value: float, kind: str) -> float:
    """Return a number rounded to a type of floating-point."""
    if kind != "float":
        return value
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return value
    return rounded


def _type_of(match: re.Match[str]) -> str:
    """Return the type of an integer or character."""
    if match["cast"] is not None:
        return match["cast"][1:-1]
    if match["code"] is not None:
        return _PREFIXES.get(match["prefix"], "char")
    if match[0].lstrip().startswith("("):
        return "char"
    suffix = match["suffix"].lower()
    longs = suffix.count("l") or int(abs(_number(match)) > _MAX_INT)
    words = ["unsigned"] * ("u" in suffix) + (["long"] * longs or ["int"])
    return " ".join(words)


def _number(match: re.Match[str]) -> int:
    code = match["code"]
    if code is None:
        digits = match["number"].replace("'", "")
        return int(digits, 0 if digits.lstrip("-0")[:1] in _BASES else _base(digits.lstrip("-")))
    if code[:1] != "\\" or len(code) == 1:
        return ord(code)
    if code[1] in "01234567":
        return int(code[1:], 8)
    if code[1] == "x" and len(code) > 2:
        return int(code[2:], 16)
    return _ESCAPES.get(code[1], ord(code[1]))


def _base(digits: str) -> int:
    """Return the base of a number: 8 behind a `0`, unless `8` or `9` is in it."""
    is_octal = digits.startswith("0") and not {"8", "9"} & {*digits}
    return 8 if is_octal else 10


def _signed(number: int) -> int:
    return (number + 128) % 256 - 128


def _entity(match: re.Match[str]) -> str:
    written: str = match["grouped"] or match["function"] or match["plain"]
    return written.translate(_PLAIN).replace("l]", "]")
