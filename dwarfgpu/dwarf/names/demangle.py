"""Demangle Itanium C++ ABI names, which `itanium_grammar` reads, and Rust's that look so.

Law: a name with any unsupported part stays mangled; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes, printable

if TYPE_CHECKING:
    from dwarfgpu.dwarf.names.itanium_reader import Way
    from dwarfgpu.dwarf.names.itanium_tree import Node

MANGLED: Final = "_Z"
"""How each name begins that is demangled."""
_LONGEST: Final = 4_000
_CLONE: Final = pattern(r"\.[a-z0-9_]+(?:\.[0-9]+)*")
"""What compilers append to the name of a part or a copy of a function."""
_MOST_DOTS: Final = 8
"""In a symbol: a name may end before any of them."""
_PLAIN: Final = pattern(r"_Z(?:(N)(K?))?(?=[1-9])\w+", re.ASCII)
"""What may be a function with simple names and parameters of built-in types alone."""
_LENGTH: Final = pattern(r"[1-9][0-9]{0,3}")
_ANONYMOUS: Final = "_GLOBAL__N"
_PARAMETERS: Final = pattern(r"(?:[RO]?P{0,3}K?[wbcahstijlmxyfde])+|v")
_PARAMETER: Final = pattern(r"([RO]?)(P*)(K?)(.)")
_REFERENCES: Final = {"": "", "R": "&", "O": "&&"}


@lru_cache(maxsize=4_096)
def demangled(symbol: str) -> str | None:
    """Return `ns::f(int)` for `_ZN2ns1fEi`; None if it is not mangled, or not supported."""
    if not symbol.startswith(MANGLED) or len(symbol) > _LONGEST:
        return None
    plain = _plain_function(symbol) or _rust_path(symbol)
    return plain or _whole(symbol)[0]


def _plain_function(symbol: str) -> str | None:
    """Return the text of a function with simple names and parameters of built-in types, which is a
    tenth of the work of any name; None for every other name."""
    whole = _PLAIN.fullmatch(symbol)
    if whole is None:
        return None
    nested, constant = whole.groups()
    names: list[str] = []
    position = 2 if nested is None else whole.end(2)
    while True:
        length = _LENGTH.match(symbol, position)
        if length is None:
            return None
        start = length.end()
        position = start + int(length[0])
        name = symbol[start:position]
        if position >= len(symbol) or name.startswith(_ANONYMOUS):
            return None
        names.append(name)
        if nested is None:
            break
        if symbol[position] == "E":
            position += 1
            break
    parameters = _plain_parameters(symbol[position:])
    if parameters is None:
        return None
    return f"{'::'.join(names)}({parameters}){' const' if constant else ''}"


def last_of_path(path: str) -> str | None:
    """Return `Named` for `5Named` and `N2ns5NamedE`, which consist of simple names; None for every
    other name. Of a path of thousands only the last one is wanted, which is much less work."""
    is_nested = path.startswith("N")
    position, end = int(is_nested), len(path) - is_nested
    name = ""
    while position < end:
        length = _LENGTH.match(path, position, end)
        if length is None:
            return None
        start = length.end()
        position = start + int(length[0])
        if position > end or not is_nested and position < end:
            return None
        name = path[start:position]
    is_plain = path.isascii() and name.isidentifier() and not name.startswith(_ANONYMOUS)
    return name if is_plain and (not is_nested or path[end] == "E") else None


@lru_cache(maxsize=1_024)
def _plain_parameters(text: str) -> str | None:
    """Return the parameters of built-in types, and pointers and references to them."""
    from dwarfgpu.dwarf.names.itanium_type_grammar import BUILTIN

    if _PARAMETERS.fullmatch(text) is None:
        return None
    if text == "v":
        return ""
    texts = []
    for reference, pointers, constant, code in _PARAMETER.findall(text):
        pointed = BUILTIN[code] + (" const" if constant else "")
        texts.append(pointed + "*" * len(pointers) + _REFERENCES[reference])
    return ", ".join(texts)


def _read(symbol: str, part: Callable[[Node], Node | None]) -> str | None:
    """Return the text of a part of a mangled name, whose lengths count bytes: each is a letter
    meanwhile."""
    from dwarfgpu.dwarf.names.itanium_grammar import ItaniumName  # of C++ alone
    from dwarfgpu.dwarf.names.itanium_tree import NotSupported, written

    try:
        text = name_bytes(symbol).decode("latin-1")
        for way in _ways(text):
            with suppress(NotSupported):
                tree = ItaniumName(text, way).whole()
                whole = _decoded(written(tree))  # also for a part: else this way is wrong
                node = part(tree)
                if node is None:
                    return None
                return whole if node is tree else _decoded(written(node))
    except UnicodeError:
        pass
    return None


def _decoded(plain: str) -> str:
    data = plain.encode("latin-1")
    data.decode()
    return printable(data)


def _ways(text: str) -> Iterator[Way]:
    """Yield how a name may be read; the first way in which that succeeds is right."""
    from dwarfgpu.dwarf.names.itanium_reader import Way

    yield Way()
    if "sr" in text:
        yield Way(has_levels=True)
    if "CI" in text:
        yield Way(inherits_template=True)
    if "MUl" in text:
        from dwarfgpu.dwarf.names.lambdas import variables_count  # few have substitutions

        count = variables_count(text)
        if count is not None:
            yield Way(variables_count=count)


def demangled_clone(symbol: str) -> str | None:
    """Return `f() [clone .cold]` for `_Z1fv.cold`, as the binutils have it; None as for
    `demangled`."""
    base, suffix = _without_suffix(symbol)
    plain = demangled(base)
    if plain is None or not suffix:
        return plain
    clones = _CLONE.findall(suffix)
    if "".join(clones) != suffix or demangled_name(base) == plain:  # not of a function
        return None
    return plain + "".join(f" [clone {clone}]" for clone in clones)


def abridged(symbol: str) -> str | None:
    """Return `ns::f(...)` for a function whose parameters are longer than is written; None for
    every other symbol."""
    name = _too_long(_without_suffix(symbol)[0])
    return None if name is None else f"{name}(...)"


def _too_long(symbol: str) -> str | None:
    """Return `ns::f` for such a function, without what was appended to its name."""
    is_mangled = symbol.startswith(MANGLED) and len(symbol) <= _LONGEST
    return _whole(symbol)[1] if is_mangled and demangled(symbol) is None else None


@lru_cache(maxsize=4_096)
def _whole(symbol: str) -> tuple[str | None, str | None]:
    """Return the text of a mangled name, and where that is too long, the name of its function
    alone."""
    from dwarfgpu.dwarf.names.itanium_grammar import ItaniumName  # of C++ alone
    from dwarfgpu.dwarf.names.itanium_names import FunctionName
    from dwarfgpu.dwarf.names.itanium_tree import NotSupported, TooLong, written

    with suppress(UnicodeError):
        text = name_bytes(symbol).decode("latin-1")
        for way in _ways(text):
            with suppress(NotSupported):
                tree = ItaniumName(text, way).whole()
                try:
                    return _decoded(written(tree)), None
                except TooLong:
                    name = tree.name if isinstance(tree, FunctionName) else None
                    return None, None if name is None else _decoded(written(name))
    return None, None


def may_end_in(symbol: str, word: str) -> bool:
    """Return whether the name of a mangled function may end in a simple name: it is read up to its
    parameters, and not written. False only where it is another simple name."""
    if len(symbol) > _LONGEST or not word.isascii() or "17h" in symbol:  # of Rust, it has a hash
        return True
    from dwarfgpu.dwarf.names.itanium_grammar import ItaniumName  # of C++ alone
    from dwarfgpu.dwarf.names.itanium_names import ending
    from dwarfgpu.dwarf.names.itanium_reader import Way
    from dwarfgpu.dwarf.names.itanium_tree import Name, NotSupported

    try:
        last = ending(ItaniumName(name_bytes(symbol).decode("latin-1"), Way()).name())
    except (NotSupported, UnicodeError):
        return True
    return not isinstance(last, Name) or word in (last.word, last.last)


def _rust_path(symbol: str) -> str | None:
    """Return the name in Rust of a symbol with the hash of its legacy scheme; None for another."""
    if "17h" not in symbol:
        return None
    from dwarfgpu.dwarf.names.rust_legacy import demangled_rust  # most are of C++

    return demangled_rust(symbol)


def _without_suffix(symbol: str) -> tuple[str, str]:
    """Return the mangled name in a symbol, and what a compiler appended. A name in it may have dots
    too: gcc's parts of a coroutine have a parameter of type `_Z1fv.Frame`."""
    if _rust_path(symbol) is not None:  # without what LLVM appends, as in GDB
        return symbol, ""
    end = -1
    for _ in range(_MOST_DOTS):
        end = symbol.find(".", end + 1)
        if end < 0:
            break
        if demangled(symbol[:end]) is not None or _too_long(symbol[:end]) is not None:
            return symbol[:end], symbol[end:]
    return symbol, ""


def shown_symbol(symbol: str, *, is_mangled: bool = False) -> str:
    """Return `ns::f(int)` for `_ZN2ns1fEi`; the symbol itself if so requested, or not mangled.

    A suffix stays: `.kd` of a kernel descriptor, `.cold` of a part of a function.
    """
    if is_mangled:
        return symbol
    base, suffix = _without_suffix(symbol)
    plain = demangled(base)
    return symbol if plain is None else plain + suffix


@lru_cache(maxsize=4_096)
def demangled_function(symbol: str) -> str | None:
    """Return `ns::f<int>(int)` for `_ZN2ns1fIiEEvi`, without result type; None as for
    `demangled`."""
    if not symbol.startswith(MANGLED) or len(symbol) > _LONGEST:
        return None
    plain = _plain_function(symbol) or _rust_path(symbol)
    if plain is not None:
        return plain
    from dwarfgpu.dwarf.names.itanium_names import without_result

    return _read(symbol, without_result)


def demangled_name(symbol: str) -> str | None:
    """Return `ns::f` for `_ZN2ns1fEi`: without parameters and result; None as for `demangled`,
    unless only the parameters can be read in several ways."""
    if not symbol.startswith(MANGLED) or len(symbol) > _LONGEST:
        return None
    if (path := _rust_path(symbol)) is not None:
        return path
    from dwarfgpu.dwarf.names.itanium_names import name_alone

    name = _read(symbol, name_alone)  # None for `vtable for X`, too
    if name is not None or "MUl" not in symbol:
        return name
    from dwarfgpu.dwarf.names.lambdas import name_before_parameters  # few are so

    return name_before_parameters(symbol)


def demangled_last(symbol: str) -> str | None:
    """Return `Named` for `_ZN1AIiE5NamedE`: a simple name at the end; None as for `demangled`."""
    if len(symbol) > _LONGEST:
        return None
    from dwarfgpu.dwarf.names.itanium_names import last_part

    return _read(symbol, last_part)
