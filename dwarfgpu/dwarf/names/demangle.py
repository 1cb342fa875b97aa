"""Demangle Itanium C++ ABI names; `itanium_grammar` reads them.

Law: a name with any unsupported part stays mangled; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.pattern import pattern

if TYPE_CHECKING:
    from dwarfgpu.dwarf.names.itanium_reader import Way
    from dwarfgpu.dwarf.names.itanium_tree import Node

_LONGEST: Final = 4_000
_CLONE: Final = pattern(r"\.[a-z0-9_]+(?:\.[0-9]+)*")
"""What compilers append to the name of a part or a copy of a function."""


@lru_cache(maxsize=4_096)
def demangled(symbol: str) -> str | None:
    """Return `ns::f(int)` for `_ZN2ns1fEi`; None if it is not mangled, or not supported."""
    if not symbol.startswith("_Z") or len(symbol) > _LONGEST:
        return None
    return _read(symbol, lambda node: node)


def _read(symbol: str, part: Callable[[Node], Node | None]) -> str | None:
    """Return the text of a part of a mangled name, whose lengths count bytes: each is a letter
    meanwhile."""
    from dwarfgpu.dwarf.names.itanium_grammar import ItaniumName  # of C++ alone
    from dwarfgpu.dwarf.names.itanium_tree import NotSupported, written

    try:
        text = symbol.encode().decode("latin-1")
        for way in _ways(text):
            with suppress(NotSupported):
                tree = ItaniumName(text, way).whole()
                whole = written(tree)  # also for a part: else this way is wrong
                node = part(tree)
                if node is None:
                    return None
                plain = whole if node is tree else written(node)
                return plain.encode("latin-1").decode()
    except UnicodeError:
        pass
    return None


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
    base, dot, suffixes = symbol.partition(".")
    plain = demangled(base)
    if plain is None or not dot:
        return plain
    clones = _CLONE.findall(dot + suffixes)
    if "".join(clones) != dot + suffixes or demangled_name(base) == plain:  # not of a function
        return None
    return plain + "".join(f" [clone {clone}]" for clone in clones)


def shown_symbol(symbol: str, *, is_mangled: bool = False) -> str:
    """Return `ns::f(int)` for `_ZN2ns1fEi`; the symbol itself if so requested, or not mangled.

    A suffix stays: `.kd` of a kernel descriptor, `.cold` of a part of a function.
    """
    if is_mangled:
        return symbol
    base, dot, suffix = symbol.partition(".")
    plain = demangled(base)
    return symbol if plain is None else plain + dot + suffix


@lru_cache(maxsize=4_096)
def demangled_function(symbol: str) -> str | None:
    """Return `ns::f<int>(int)` for `_ZN2ns1fIiEEvi`, without result type; None as for
    `demangled`."""
    if not symbol.startswith("_Z") or len(symbol) > _LONGEST:
        return None
    from dwarfgpu.dwarf.names.itanium_names import without_result

    return _read(symbol, without_result)


def demangled_name(symbol: str) -> str | None:
    """Return `ns::f` for `_ZN2ns1fEi`: without parameters and result; None as for `demangled`."""
    if demangled(symbol) is None:
        return None
    from dwarfgpu.dwarf.names.itanium_names import name_alone

    return _read(symbol, name_alone)  # None for `vtable for X`, too
