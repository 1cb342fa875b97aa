"""What was perhaps meant by a name that means nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Final

_MOST_NAMES: Final = 50_000
_MOST_CHARACTERS: Final = 80


def _close_enough(name: str) -> float:
    """The least ratio of difflib: that of "tt" and "t" is 2/3, as is that of "head" and "ready"."""
    return 0.6 if len(name) <= 2 else 0.7


def did_you_mean(name: str, known: Iterable[str], sigil: str = "") -> str:
    """` Did you mean "limit"?` with the closest of the known names, in any letter case; else
    nothing. `sigil` is what they begin with."""
    names = {each.lower(): each for each in islice(known, _MOST_NAMES) if each != name}
    close = get_close_matches(name.lower()[:_MOST_CHARACTERS], names, 1, _close_enough(name))
    return f' Did you mean "{sigil}{names[close[0]]}"?' if close else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean gfx90a or gfx90c?`, for the end of a message that goes on; else nothing."""
    return nearest_meaning(name, {each.lower(): each for each in known})


def nearest_meaning(name: str, meanings: Mapping[str, str]) -> str:
    """As `nearest`, of names that each have several spellings, which are in lower case."""
    close = get_close_matches(name.lower()[:_MOST_CHARACTERS], meanings, 3, 0.7)
    told = list(dict.fromkeys(meanings[each] for each in close))
    return f"; did you mean {' or '.join(told)}?" if told else ""
