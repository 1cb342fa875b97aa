"""Which functions and units may have a word of a pattern in a name: others are not read at all.

A pattern has one word or several: each of its matches contains one of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, ValueReader
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_WORD: Final = pattern(r"[A-Za-z_]\w{2,}|[a-z]{2}", re.ASCII)
_WHOLE_WORD: Final = pattern(r"(?<!\w)[A-Za-z_]\w+", re.ASCII)
_ESCAPE: Final = pattern(r"\\(?:x[0-9a-f]{0,2}|u[0-9a-f]{0,4}|U[0-9a-f]{0,8})")
"""Of a character of a name that is not printable, or the beginning of one."""
_OF_THE_COMPILER: Final = (b"T", b"G")
"""What follows `_Z` in the linkage names of functions that the compiler makes, such as thunks."""
_MADE_UP: Final = re.findall(
    r"\w+",
    "(anonymous namespace) operator unnamed lambda const volatile restrict __restrict__ _Atomic "
    "struct union class enum void bool char int long short signed unsigned float double true false "
    "nullptr __attribute__ ((vector_size)) <error> variable length "
    "std allocator basic_string string istream ostream iostream basic_istream basic_ostream "
    "basic_iostream char_traits wchar_t char8_t char16_t char32_t __int128 __float128 _Float16 "
    "decltype auto new delete 0ull vtable typeinfo name guard transaction clone virtual thunk type "
    "abi friend template typename default arg literal offsetof co_await transaction_safe enable_if "
    "_BitInt bfloat16_t __vector",
)
"""Words of names that may be in no string of the file, including the letter codes of mangled names
(Itanium C++ ABI 5.1.5.2, 5.1.8). All other words occur in the strings."""
_OF_EXPRESSIONS: Final = re.findall(
    r"\w+",
    "sizeof alignof typeid throw noexcept const_cast static_cast dynamic_cast reinterpret_cast "
    "requires this complex _Complex imaginary _Imaginary half fold initializer list parm pack "
    "gnu_cxx _GLOBAL__N_ decimal32 decimal64 decimal128 _Float32 _Float64 _Float128",
)
"""More words that demanglers write, and mangled names do not have."""
_NAMES: Final = (dw.AT_NAME, *dw.LINKAGE_NAMES)
_MOST_LINKS: Final = 3
"""An entry with code, its abstract instance, and the declaration in a class."""
COMPLETING: Final = (dw.AT_SPECIFICATION, dw.AT_ABSTRACT_ORIGIN, dw.AT_SIGNATURE)
"""References to entries that have more attributes of this one."""


class FunctionNames:
    """The names of the functions of a unit of C++ as its entries have them, read without objects
    for the entries."""

    def __init__(self, unit: CompilationUnit, words: Collection[str]) -> None:
        """`words`: what the names are searched for."""
        self._unit = unit
        self._readers: dict[Abbreviation, _NameReaders | None] = {}
        self._words = () if _are_of_expressions(words) else tuple(map(name_bytes, words))

    def texts_at(self, index: int) -> tuple[list[bytes], bool]:
        """Return the names of an entry and what it completes, and whether the last one is a linkage
        name; none if they are not readable here."""
        try:
            return self._texts_at(index, _MOST_LINKS)
        except DwarfGpuError:
            return [], False

    def _texts_at(self, index: int, links: int) -> tuple[list[bytes], bool]:
        unit = self._unit
        tree, data, end = unit.tree, unit.data, unit.end
        abbreviation, start = tree.abbreviations[index], tree.offsets[index]
        try:
            item = self._readers[abbreviation]
        except KeyError:
            item = self._readers[abbreviation] = _name_readers(abbreviation)
        if item is None or data[start] >= 0x80:
            return [], False
        texts: list[bytes] = []
        for value in item.names:
            raw = value.read(data, start + 1, end)
            if not isinstance(raw, bytes) or value.kind != "string":
                raw = unit.string_of(Attribute(value.form, value.kind, raw))
            texts.append(raw)
        if item.origin is None or item.has_linkage_name:
            return texts, item.has_linkage_name
        target = item.origin.read(data, start + 1, end)
        assert isinstance(target, int)
        above = tree.find(unit.offset + target) if links else None
        more, has_linkage_name = ([], False) if above is None else self._texts_at(above, links - 1)
        return (texts + more, True) if has_linkage_name else ([], False)

    def lack_words(
        self, texts: Collection[bytes], above: int, index: int, *, has_linkage_name: bool
    ) -> bool:
        """Return whether the shown name of an entry below another, with these names in entries, has
        none of the words.

        All words of that name are in a mangled linkage name. Without a linkage name, and without
        entries in it, such a function outside of namespaces has no more words than its own name.
        """
        words = self._words
        if not words:
            return False
        shows_all = False
        for text in texts:
            for word in words:
                if word in text:
                    return False
            if text[:2] == b"_Z":
                shows_all = text[2:3] not in _OF_THE_COMPILER
        if has_linkage_name or not texts:
            return shows_all
        return not above and self._unit.tree.ends[index] == index + 1


def mangled_lacks(symbol: str, words: Collection[str]) -> bool:
    """Return whether the name that a mangled one means has none of some words (`required_words`);
    False without words."""
    if not words or symbol[2:3].encode() in _OF_THE_COMPILER:
        return False
    return not any(word in symbol for word in words) and not _are_of_expressions(words)


def mangled_words(text: str) -> tuple[str, ...]:
    """Return words of a text that all mangled names have which mean a name with that text."""
    words = dict.fromkeys(_WHOLE_WORD.findall(text))
    return tuple(
        word for word in words if _is_in_strings(word) and not _are_of_expressions((word,))
    )


def _are_of_expressions(words: Collection[str]) -> bool:
    return any(word in made_up for word in words for made_up in _OF_EXPRESSIONS)


class _NameReaders(NamedTuple):
    """What reads the names of the entries of an abbreviation."""

    names: tuple[ValueReader, ...]
    has_linkage_name: bool
    origin: ValueReader | None
    """Of the entry that they complete, in the same unit."""


def _name_readers(abbreviation: Abbreviation) -> _NameReaders | None:
    """Return what reads the names; None where they can be elsewhere, too."""
    positions = abbreviation.positions
    names = [number for number in _NAMES if number in positions]
    completing = [number for number in COMPLETING if number in positions]
    values = tuple(abbreviation.value(positions[number]) for number in names)
    origins = [abbreviation.value(positions[number]) for number in completing]
    if any(value.kind == "indirect" for value in values) or len(origins) > 1:
        return None
    if any(value.kind != "unit_reference" for value in origins):
        return None
    if not origins and dw.AT_NAME not in names:
        return None
    has_linkage_name = any(number != dw.AT_NAME for number in names)
    if all(number in names for number in dw.LINKAGE_NAMES):
        return None
    return _NameReaders(values, has_linkage_name, origins[0] if origins else None)


def units_with_word(
    info: DebugInfo,
    word: str,
    kinds: Collection[int] | None = None,
    *,
    is_beginning: bool = False,
) -> Iterable[CompilationUnit]:
    """Yield the units that may have a name with a part of an identifier; all if the part is short.

    The part is in the name of one entry, or in a mangled name: only other characters separate the
    components of a name. `is_beginning`: an identifier begins with the part. `kinds`: those of the
    entries that matter (`StringIndex.units_containing`).
    """
    if not word or not _is_in_strings(word):
        return info.reported_units()
    units = info.strings.units_containing(name_bytes(word), kinds, is_beginning=is_beginning)
    return info.reported_units() if units is None else units


def units_with_words(info: DebugInfo, words: Collection[str]) -> Iterable[CompilationUnit]:
    """Yield the units that may have a name with a part of one of some words; all without words."""
    if len(words) < 2:
        return units_with_word(info, next(iter(words), ""))
    units = {unit for word in words for unit in units_with_word(info, word)}
    return (unit for unit in info.reported_units() if unit in units)


def required_words(text: str) -> tuple[str, ...]:
    """Return words of at least two characters; every match of a pattern contains one of them.

    None where the pattern does not show them, or where demanglers may write one themselves.
    """
    from dwarfgpu.base.regexp import regexp  # few commands have expressions

    try:
        sets = regexp(text).required
    except DwarfGpuError:
        return ()
    words = map(_words_of, sets)
    return max(
        words, key=lambda choice: (min(map(len, choice), default=0), -len(choice)), default=()
    )


def _words_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return a word of each text; none if one of them has none."""
    plain = (_ESCAPE.sub(" ", text) for text in texts)
    words = {
        max(filter(_is_in_strings, _WORD.findall(text)), key=len, default="") for text in plain
    }
    return () if "" in words else tuple(sorted(words))


def _is_in_strings(word: str) -> bool:
    """Return whether a word of a name is in strings of the file that has the name."""
    return not any(word in made_up for made_up in _MADE_UP)
