"""Linkage names of D as GDB shows them: `m.f(int).x` for `_D1m1fFiZ1xi`.

Law: a name with any part that is not shown has no shown name; nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.names.d_names import FAKE, NUMBER, REAL, REFERENCE, Step, d_name, is_d_type

_WORD: Final = pattern(r"[^\W\d]\w*")
_INTEGER: Final = pattern(r"(?P<sign>[iN]?)(?P<number>[0-9]+)")
_STRING: Final = pattern(r"(?P<unit>[awd])(?P<count>[0-9]+)_")
_HEXADECIMAL: Final = pattern(r"(?:[0-9a-fA-F]{2})*")
_FUNCTION: Final = pattern(r"(?:M(?P<modifiers>(?:[xyO]|Ng)*))?[FUWVRY]")
_TYPES: Final = {
    "v": "void", "n": "typeof(null)", "g": "byte", "h": "ubyte", "s": "short", "t": "ushort",
    "i": "int", "k": "uint", "l": "long", "m": "ulong", "f": "float", "d": "double", "e": "real",
    "o": "ifloat", "p": "idouble", "j": "ireal", "q": "cfloat", "r": "cdouble", "c": "creal",
    "b": "bool", "a": "char", "u": "wchar", "w": "dchar", "zi": "cent", "zk": "ucent",
}  # fmt: skip
_MODIFIERS: Final = {"x": "const", "y": "immutable", "O": "shared", "Ng": "inout"}
_STORAGE: Final = {"M": "scope", "Nk": "return", "I": "in", "K": "ref", "J": "out", "L": "lazy"}
_STORAGE_IN_ORDER: Final = (("M",), ("Nk",), ("I",), ("J", "K", "L"))
"""GDB does not show a name with another order."""
_SUFFIXES: Final = {"h": "u", "t": "u", "k": "u", "l": "L", "m": "uL"}
"""Of numbers, by their types."""
_CHARACTERS: Final = {"a": ("x", 2), "u": ("u", 4), "w": ("U", 8)}
"""Of characters that are shown as numbers: the escape, and how many digits it has."""
_ESCAPES: Final = {9: r"\t", 10: r"\n", 11: r"\v", 12: r"\f", 13: r"\r"}
_OWN_WORDS: Final = {"__ctor": "this", "__dtor": "~this"}
_POSTBLIT: Final = "10__postblitMFZ"
"""The function that D declares as `this(this)`. With attributes, GDB shows its word."""
_MADE_FOR: Final = {
    "__init": "initializer", "__vtbl": "vtable", "__Class": "ClassInfo",
    "__Interface": "Interface", "__ModuleInfo": "ModuleInfo",
}  # fmt: skip
"""What compilers make for a class or module, by its word in names without a type."""


class _NotShown(Exception):
    """GDB's text of a part is not known."""


@lru_cache(maxsize=4_096)
def shown_d_name(mangled: str) -> str | None:
    """Return `m.f(int).x` for `_D1m1fFiZ1xi`, as GDB shows symbols; None as for `d_name`, where no
    type ends the name, as in names of C, and for names with tuples, and types or literals of
    functions."""
    known = d_name(mangled)
    if known is None or "." in mangled:
        return None
    shown = list[str]()
    ends = (*(len(before) for before in known.before[1:]), known.path_end)
    try:
        for step, before, end in zip(known.steps, known.before, ends, strict=True):
            shown.append(_shown_step(step, mangled[len(before) : end]))
    except _NotShown:
        return None
    if mangled[known.path_end :] == "Z":
        made_for = _MADE_FOR.get(shown[-1])
        return ".".join(shown) if made_for is None else f"{made_for} for {'.'.join(shown[:-1])}"
    return ".".join(shown) if is_d_type(mangled, known.path_end) else None


def _shown_step(step: Step, mangled: str) -> str:
    """Return a step of a path as it is shown, that of a function with the modifiers of the object
    that it is of."""
    text = _behind_fakes(mangled)
    if text == _POSTBLIT:
        return "this(this)"
    reader = _ShownParts(step.word)
    if "!" in step.word:
        word = reader.instance()
        head = text
    else:
        reference = REFERENCE.match(text)  # to an earlier identifier
        head = f"{len(step.word.encode())}{step.word}" if reference is None else reference[0]
        word = reader.whole(reader.word)
    if not text.startswith(head) or (step.parameters is None and text != head):
        raise _NotShown
    if step.parameters is None:
        return word
    parameters, modifiers = _ShownParts(step.parameters).function()
    return f"{word}{parameters}{modifiers}"


def _behind_fakes(text: str) -> str:
    """Return what follows the parents that only distinguish names of several blocks."""
    while (length := NUMBER.match(text)) is not None:
        end = length.end() + int(length[0])
        if FAKE.fullmatch(text[length.end() : end]) is None:
            break
        text = text[end:]
    return text


class _ShownParts:
    """The parts of a step, as `Step` has them, as they are shown."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self, read: Callable[[], str]) -> str:
        """Return what is read, which is all that is left."""
        shown = read()
        if self.at != len(self.text):
            raise _NotShown
        return shown

    def instance(self) -> str:
        """Return the instance of a template that is all of the text: `T!(1, int)`."""
        word = self.word()
        self._skip("!")
        return self.whole(lambda: self._arguments(word))

    def word(self) -> str:
        """Return the identifier that is next, of a constructor `this`."""
        match = _WORD.match(self.text, self.at)
        if match is None:
            raise _NotShown
        self.at = match.end()
        return _OWN_WORDS.get(match[0], match[0])

    def function(self) -> tuple[str, str]:
        """Return the parameters of a function in brackets, and the modifiers of the object that it
        is of."""
        match = _FUNCTION.match(self.text, self.at)
        if match is None:
            raise _NotShown
        self.at = match.end()
        parameters = list[str]()
        while not self._take("X", "Y", "Z"):
            parameters.append(self._storage() + self.type())
        last = self.text[self.at - 1]
        if last == "X":
            parameters[-1:] = [f"{''.join(parameters[-1:])}..."]
        elif last == "Y":
            parameters.append("...")
        modifiers, shown = _ShownParts(match["modifiers"] or ""), ""
        while modifier := modifiers._take(*_MODIFIERS):
            shown += f" {_MODIFIERS[modifier]}"
        return f"({', '.join(parameters)})", shown

    def type(self) -> str:
        """Return the type that is next."""
        if modifier := self._take(*_MODIFIERS):
            return f"{_MODIFIERS[modifier]}({self.type()})"
        if basic := self._take(*_TYPES):
            return _TYPES[basic]
        letter = self._take("A", "P", "G", "H", "Nh", "C", "S", "E", "T")
        if letter == "A":
            return f"{self.type()}[]"
        if letter == "P":
            return f"{self.type()}*"
        if letter == "G":
            count = self._number()
            return f"{self.type()}[{count}]"
        if letter == "H":
            key = self.type()
            return f"{self.type()}[{key}]"
        if letter == "Nh":
            return f"__vector({self.type()})"
        if letter in ("C", "S", "E", "T"):
            return self._path()
        raise _NotShown  # functions, whose attributes are left out, and tuples, as in GDB

    def _take(self, *wanted: str) -> str:
        """Return the first of some texts that is next, and read it; empty if none is."""
        for text in wanted:
            if self.text.startswith(text, self.at):
                self.at += len(text)
                return text
        return ""

    def _skip(self, text: str) -> None:
        if not self._take(text):
            raise _NotShown

    def _number(self) -> str:
        match = NUMBER.match(self.text, self.at)
        if match is None:
            raise _NotShown
        self.at = match.end()
        return match[0]

    def _storage(self) -> str:
        """Return `ref ` and its like before a parameter."""
        taken = (self._take(*letters) for letters in _STORAGE_IN_ORDER)
        return "".join(f"{_STORAGE[letters]} " for letters in taken if letters)

    def _path(self, *, with_modifiers: bool = False) -> str:
        """Return the path in an argument or a type; that of a type is without the modifiers of the
        functions in it."""
        words = list[str]()
        while True:
            word = self.word()
            if self._take("!"):
                word = self._arguments(word)
            if self._take("("):
                parameters, modifiers = self.function()
                word += parameters + (modifiers if with_modifiers else "")
            words.append(word)
            if self._take(";"):
                return ".".join(words)
            self._skip(".")

    def _arguments(self, word: str) -> str:
        """Return an instance with the arguments that are next."""
        shown = list[str]()
        while self.at < len(self.text) and not self.text.startswith((".", ";", "("), self.at):
            shown.append(self._argument())
        return f"{word}!({', '.join(shown)})"

    def _argument(self) -> str:
        self._take("H")
        letter = self._take("T", "V", "S", "X")
        if letter == "T":
            return self.type()
        if letter == "S" and self._take("!"):
            path = self._path(with_modifiers=True)
            if not self._take("Z"):
                self.type()
            return path
        if letter == "S":
            return self._path()
        if letter == "X":  # an entity of another language
            start = self.at + len(count := self._number()) + len("_")
            self.at = start + int(count)
            return self.text[start : self.at]
        if letter != "V":
            raise _NotShown
        start = self.at
        kind = self.type()
        value = self._value(self.text[start], kind)
        self._skip(".")
        return value

    # Values

    def _value(self, kind: str = "", type_: str = "") -> str:
        """Return a value. `kind`: the first letter of a parameter's type, `type_`: that type as it
        is shown; the types of elements are not known."""
        if string := self._match(_STRING):
            return self._string(string["unit"], int(string["count"]))
        if integer := self._match(_INTEGER):
            sign = "-" if integer["sign"] == "N" else ""
            return sign + _shown_integer(int(integer["number"]), kind)
        letter = self._take("n", "e", "c", "A", "S")
        if letter == "n":
            return "null"
        if letter == "e":
            return self._real()
        if letter == "c":
            real = self._real()
            self._skip("c")
            return f"{real}+{self._real()}i"
        if letter == "A" and kind == "H":
            count = int(self._number()) // 2
            pairs = [f"{self._element()}:{self._element()}" for _ in range(count)]
            return f"[{', '.join(pairs)}]"
        if letter not in ("A", "S"):
            raise _NotShown
        elements = ", ".join(self._element() for _ in range(int(self._number())))
        return f"[{elements}]" if letter == "A" else f"{type_}({elements})"

    def _match(self, wanted: re.Pattern[str]) -> re.Match[str] | None:
        match = wanted.match(self.text, self.at)
        self.at = self.at if match is None else match.end()
        return match

    def _element(self) -> str:
        value = self._value()
        self._skip(",")
        return value

    def _real(self) -> str:
        real = self._match(REAL)
        if real is None:
            raise _NotShown
        if real[0] == "NAN":
            return "NaN"
        sign = "-" if real[0].startswith("N") else ""
        digits = real[0].removeprefix("N")
        if digits == "INF":
            return f"{sign}Inf"
        fraction, _, exponent = digits[1:].partition("P")
        return f"{sign}0x{digits[0]}.{fraction}p{exponent.replace('N', '-')}"

    def _string(self, unit: str, count: int) -> str:
        digits = self.text[self.at : self.at + 2 * count]
        self.at += len(digits)
        if _HEXADECIMAL.fullmatch(digits) is None:
            raise _NotShown
        shown = "".join(map(_shown_byte, bytes.fromhex(digits)))
        return f'"{shown}"{unit.removeprefix("a")}'


def _shown_integer(number: int, kind: str) -> str:
    """Return a number of a type, by the first letter of its linkage name."""
    if kind == "b":
        return "true" if number else "false"
    if kind not in _CHARACTERS:
        return f"{number}{_SUFFIXES.get(kind, '')}"
    if kind == "a" and 0x20 <= number < 0x7F:
        return f"'{chr(number)}'"
    letter, count = _CHARACTERS[kind]
    return rf"'\{letter}{number:0{count}x}'"


def _shown_byte(byte: int) -> str:
    if 0x20 <= byte < 0x7F:
        return chr(byte)
    return _ESCAPES.get(byte, rf"\x{byte:02x}")
