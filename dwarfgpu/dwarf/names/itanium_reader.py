"""A place in a mangled name, and the substitutions before it.

Names, types and expressions contain each other; each has a module, and the reader declares what
all of them need of the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.itanium_names import last_word
from dwarfgpu.dwarf.names.itanium_tree import Arguments, Name, Node, NotSupported
from dwarfgpu.dwarf.names.itanium_types import HeadParameter

_MAX_DIGITS: Final = 20
_DEEPEST: Final = 60
_STREAM: Final = "<char, std::char_traits<char> >"
_SHORT: Final = {
    "Sa": Name("std::allocator", "allocator"),
    "Sb": Name("std::basic_string", "basic_string"),
    "Ss": Name(
        "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "basic_string"
    ),
    "Si": Name(f"std::basic_istream{_STREAM}", "basic_istream"),
    "So": Name(f"std::basic_ostream{_STREAM}", "basic_ostream"),
    "Sd": Name(f"std::basic_iostream{_STREAM}", "basic_iostream"),
}
"""In full, as GDB and the binutils have them."""


@frozen
class Way:
    """How to read what compilers do not write alike."""

    variables_count: bool | None = None
    """Whether a variable that a lambda initializes is a substitution; None reads no substitution
    whose number depends on it."""
    has_levels: bool = False
    """Whether `sr1A1BE1x` is `A::B::x`; else `sr1A1x`, of older compilers, is `A::x`."""
    inherits_template: bool = False
    """Whether arguments after the base of an inherited constructor, as gcc writes them, are those
    of the constructor; else they are those of the base."""


class Reader(ABC):
    """A mangled name, read from its begin."""

    def __init__(self, text: str, way: Way) -> None:
        self.text = text
        self.way = way
        self.position = 2
        self.depth = 0
        self.known: list[Node] = []
        """Substitutions of `S_`, `S0_`."""
        self.known_alike: int | None = None
        """Substitutions before this one have the same number for every compiler."""
        self.last = ""
        """The last simple name, which constructors have."""
        self.suffixes: tuple[Node, ...] = ()
        """Qualifiers of the member function whose name was read last."""
        self.is_conversion = False
        """Whether the type of a conversion is read, which may come before other arguments."""

    @abstractmethod
    def name(self) -> Node: ...

    @abstractmethod
    def simple(self, module: str = "") -> Node: ...

    @abstractmethod
    def encoding(self, *, is_local: bool = False) -> Node: ...

    @abstractmethod
    def type(self) -> Node: ...

    @abstractmethod
    def parameters(self) -> tuple[Node, ...]: ...

    @abstractmethod
    def expression(self) -> Node: ...

    @abstractmethod
    def arguments(self) -> Arguments: ...

    @abstractmethod
    def argument(self) -> Node: ...

    @abstractmethod
    def head(self) -> tuple[HeadParameter, ...]: ...

    def at(self, *options: str) -> str | None:
        """Consume and return the option that comes next; None if none matches."""
        for option in options:
            if self.text.startswith(option, self.position):
                self.position += len(option)
                return option
        return None

    def peek(self, count: int = 1) -> str:
        return self.text[self.position : self.position + count]

    def expect(self, expected: str) -> None:
        if self.at(expected) is None:
            raise NotSupported

    def number(self) -> int:
        start = self.position
        while is_decimal(self.peek()) and self.position - start < _MAX_DIGITS:
            self.position += 1
        if start == self.position:
            raise NotSupported
        return int(self.text[start : self.position])

    def compact_number(self) -> int:
        """Read `_`, `0_`, `1_`…: 1, 2, 3…"""
        if self.at("_") is not None:
            return 1
        count = self.number() + 2
        self.expect("_")
        return count

    def source_name(self) -> str:
        size = self.number()
        name = self.peek(size)
        if len(name) != size or not size:
            raise NotSupported
        self.position += size
        return name

    def enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotSupported

    def keep(self, node: Node) -> Node:
        self.known.append(node)
        return node

    def substitution(self) -> Node:
        """Read `S_`, `S0_`…, or the abbreviation of a class of `std`."""
        short = self.at(*_SHORT)
        if short is not None:
            node: Node = _SHORT[short]
        else:
            self.expect("S")
            index = self.sequence()
            if self.known_alike is not None and index >= self.known_alike:
                raise NotSupported
            if index >= len(self.known):
                raise NotSupported
            node = self.known[index]
        self.last = last_word(node)
        return node

    def sequence(self) -> int:
        """Read `_`, `0_`, `1_`… in base 36: 0, 1, 2…"""
        start = self.position
        while self.peek() not in ("_", "") and self.position - start < 5:
            self.position += 1
        digits = self.text[start : self.position]
        self.expect("_")
        if not digits:
            return 0
        if not (digits.isascii() and digits.isalnum()) or digits != digits.upper():
            raise NotSupported
        return int(digits, 36) + 1
