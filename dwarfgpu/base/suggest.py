"""Suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

_MAX_NAMES: Final = 10_000
_MAX_CHARACTERS: Final = 80


def did_you_mean(name: str, names: Iterable[str], sigil: str = "") -> str:
    """Return ` Did you mean "limit"?` with the nearest of the names, in any letter case, or "".
    `sigil` is their common prefix. Only the first names are considered."""
    typed = name.lower()[:_MAX_CHARACTERS]
    least, best = _most_edits(typed) + 1, ""
    for candidate in islice(names, _MAX_NAMES):
        folded = candidate.lower()
        if candidate == name or (len(typed) <= 3 and folded[:1] != typed[:1]):
            continue
        # The same in another scope is nearest.
        is_moved = (
            "::" in name + candidate and folded.rpartition("::")[2] == typed.rpartition("::")[2]
        )
        edits = 1 if is_moved and typed != folded else _edits(typed, folded, least - 1)
        is_near = edits < 2 or len(typed) > 5 or {*typed} <= {*folded}
        if edits < least and is_near:
            least, best = edits, candidate
    return f' Did you mean "{sigil}{best}"?' if best else ""


def near(name: str, others: Iterable[str]) -> list[tuple[int, str]]:
    """Return the edit distance of a simple name to each string that is near enough to suggest, and
    that string; the nearest first."""
    most = _most_edits(name)
    typed = name.lower()[:_MAX_CHARACTERS].rpartition("::")[2]
    letters, shortest, longest = {*typed}, len(typed) - most, len(typed) + most
    distances: list[tuple[int, str]] = []
    for other in others:  # most of them differ in length or letters
        folded = other.lower()
        if shortest <= len(folded) <= longest and len(letters.difference(folded)) <= most:
            edits = _edits(typed, folded, most)
            if edits <= most:
                distances.append((edits, other))
    return sorted(distances)


def _most_edits(name: str) -> int:
    """Return how many letters a suggestion may differ in; one-letter names have none."""
    return 0 if len(name) < 2 else 1 if len(name) < 4 else 2 if len(name) < 10 else 3


def _edits(first: str, second: str, most: int) -> int:
    """Letters to add, leave out, replace, or swap with the next to make one of the other; more
    than `most` where they are more."""
    too_many = most + 1
    if abs(len(first) - len(second)) > most or len({*first} - {*second}) > most:
        return too_many
    before: list[int] = []
    row: list[int] = [*range(len(second) + 1)]
    for i, letter in enumerate(first, 1):
        earlier, before, row = before, row, [i]
        for j, opposite in enumerate(second, 1):
            cost: int = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != opposite))
            if i > 1 and j > 1 and letter == second[j - 2] and opposite == first[i - 2]:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]


def nearest(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean gfx90a or gfx90c?` to end a message, or ""."""
    return nearest_meaning(name, {candidate.lower(): candidate for candidate in names})


def nearest_meaning(name: str, meanings: Mapping[str, str]) -> str:
    """Return the name nearest to a word, as `nearest` does, among names with several spellings
    each, which are in lower case."""
    from difflib import get_close_matches  # few names are unknown

    close = get_close_matches(name.lower()[:_MAX_CHARACTERS], meanings, 3, 0.7)
    suggestions = list(dict.fromkeys(meanings[candidate] for candidate in close))
    return f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""
