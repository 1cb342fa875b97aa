"""How much of a type's definition is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

MAX_MEMBERS: Final = 10_000
"""Maximum number of members and enumerators of one definition, unnamed structures included."""
MAX_CHARACTERS: Final = 8_000_000
"""Maximum number of characters of these, each of them counted again in each structure around it:
members may share one long name."""


def shortened(parts: Iterable[str], end: str) -> Iterator[str]:
    """Yield the lines or words of a definition, and `end` in place of those beyond the bounds."""
    characters = 0
    for number, part in enumerate(parts):
        characters += len(part)
        if number == MAX_MEMBERS or characters > MAX_CHARACTERS:
            yield end
            return
        yield part
