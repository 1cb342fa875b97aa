"""The words of which the names of types are made in C and C++."""

from __future__ import annotations

from typing import Final

TYPE_WORDS: Final = frozenset(
    {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool"}
    | {"bool", "__int128", "_Complex"}
)
"""Words of which the names of base types are made."""
TAGS: Final = frozenset({"struct", "union", "class", "enum"})
QUALIFIERS: Final = frozenset(
    {"const", "volatile", "restrict", "__restrict", "__restrict__", "_Atomic"}
)
