"""Names of Ada as gnat writes them: `x` of the package `p` is `p__x`, or `unit__p__x`.

Law: a name of the code in focus comes before one of another file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import around
from dwarfgpu.errors import UsageError

_MOST: Final = 100_000
"""Entries of one scope that are looked at."""


def ada_spelling(scopes: Sequence[Die], name: str) -> str:
    """Return the name that the file has for `x` or `p.x`, in lower case; the name itself if no
    scope around the code has one.

    `scopes`: the blocks around the code, the outermost first. `UsageError` if several packages of
    the nearest scope have the name.
    """
    lowered = name.lower()
    if not scopes or "::" in name:
        return name
    for scope in chain(reversed(scopes), around(scopes[0])):
        named = {entry for entry in _names(scope) if _is_spelling(entry, lowered)}
        if lowered in named:
            return lowered
        if len(named) > 1:
            several = ", ".join(sorted(entry.replace("__", ".") for entry in named))
            raise UsageError(f'"{name}" is in several packages; say which: {several}')
        if named:
            return named.pop()
    return name


def _is_spelling(entry: str, lowered: str) -> bool:
    return entry == lowered or entry.endswith(f"__{lowered}")


def _names(scope: Die) -> Iterator[str]:
    """Yield the names of the entries of a scope, and of the enumerators of its types."""
    for index, child in enumerate(scope.children()):
        if index >= _MOST:
            return
        if child.name is not None:
            yield child.name
        if child.tag == dw.TAG_ENUMERATION_TYPE:
            yield from (inner.name for inner in child.children() if inner.name is not None)
