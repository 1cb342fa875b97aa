"""Suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Final

MOST_SUGGESTED: Final = 10_000
"""Maximum number of names that an unknown one is compared with."""
_MAX_CHARACTERS: Final = 80
_MOST_REFUSED: Final = 16
"""Near names that are looked up in vain before none is suggested any more."""
_LEAST_PART: Final = 3
"""Characters of a word that suggest the names in which it is a part."""


def did_you_mean(
    name: str,
    names: Iterable[str],
    sigil: str = "",
    is_accepted: Callable[[str], bool] | None = None,
    written: Callable[[str], str] = str,
) -> str:
    """Return ` Did you mean "limit"?` with the nearest of the names, in any letter case, or "".
    `sigil` is their common prefix, and `written` makes of a name what must be written. Only the
    first names are considered, and of those that are near only the accepted ones."""
    typed = name.lower()[:_MAX_CHARACTERS]
    least, best = _most_edits(typed) + 1, ""
    refused: set[str] = set()
    for candidate in islice(names, MOST_SUGGESTED):
        folded = candidate.lower()
        if candidate == name or (len(typed) <= 3 and folded[:1] != typed[:1]):
            continue
        # The same in another scope is nearest.
        is_moved = (
            "::" in name + candidate and folded.rpartition("::")[2] == typed.rpartition("::")[2]
        )
        edits = 1 if is_moved and typed != folded else _edits(typed, folded, least - 1)
        is_near = edits < 2 or len(typed) > 5 or {*typed} <= {*folded}
        if edits >= least or not is_near or candidate in refused:
            continue
        if is_accepted is None or is_accepted(candidate):
            least, best = edits, candidate
            continue
        refused.add(candidate)
        if len(refused) == _MOST_REFUSED:
            break
    return f' Did you mean "{sigil}{written(best)}"?' if best else ""


class KnownNames:
    """Many names, such as all strings of a file, with which unknown ones are compared.

    Law: the distances are those of comparing with each name by itself.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._by_length: dict[int, list[tuple[str, str]]] = {}
        """Names in lower case, and as they are, by their length in lower case."""
        for name in dict.fromkeys(names):
            folded = name.lower()
            self._by_length.setdefault(len(folded), []).append((folded, name))
        self._texts: dict[int, bytes] = {}
        """The letters of those of one length in lower case; others than ASCII are `?`."""

    def similar(self, name: str) -> list[tuple[int, str]]:
        """Return the edit distance of a simple name to each of the names that is near enough to
        suggest, and that name; the nearest first."""
        most = _most_edits(name)
        typed = name.lower()[:_MAX_CHARACTERS].rpartition("::")[2]
        is_extra = bytearray(b"\1" * 256)
        for letter in typed.encode("ascii", "replace") + b"?":
            is_extra[letter] = 0
        is_few = bytes(count <= most for count in range(256))
        missing, positions = {*typed}.difference, _letter_positions(typed)
        distances: list[tuple[int, str]] = []
        for length in range(len(typed) - most, len(typed) + most + 1):
            group = self._by_length.get(length)
            if group is None:
                continue
            # Most of them have more other letters than edits: all are counted in C, in the bytes
            # of one number.
            extra, total = self._text(length).translate(is_extra), 0
            for index in range(length):
                total += int.from_bytes(extra[index::length], "little")
            candidates = total.to_bytes(len(group), "little").translate(is_few)
            number = candidates.find(1)
            while number >= 0:
                folded, spelling = group[number]
                if len(missing(folded)) <= most:
                    edits = _distance(positions, len(typed), folded)
                    if edits <= most:
                        distances.append((edits, spelling))
                number = candidates.find(1, number + 1)
        return sorted(distances)

    def _text(self, length: int) -> bytes:
        text = self._texts.get(length)
        if text is None:
            names = "".join(folded for folded, _ in self._by_length[length])
            text = self._texts[length] = names.encode("ascii", "replace")
        return text


def _most_edits(name: str) -> int:
    """Return how many letters a suggestion may differ in; one-letter names have none."""
    return 0 if len(name) < 2 else 1 if len(name) < 4 else 2 if len(name) < 10 else 3


def _edits(first: str, second: str, most: int) -> int:
    """Return how many letters to add, leave out, replace, or swap with the next to make one of the
    other; more than `most` where they are more."""
    if abs(len(first) - len(second)) > most or len({*first} - {*second}) > most:
        return most + 1
    return _distance(_letter_positions(first), len(first), second)


def _letter_positions(text: str) -> dict[str, int]:
    """Return where each letter of a text is: a bit for each index."""
    positions: dict[str, int] = {}
    for number, letter in enumerate(text):
        positions[letter] = positions.get(letter, 0) | 1 << number
    return positions


def _distance(positions: Mapping[str, int], length: int, second: str) -> int:
    """Return the edits between the text with letters at these indices and this length, and another
    one.

    A column of the table of distances is two numbers, with a bit for each letter of the first text
    (Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit distances, 2003).
    """
    if not length:
        return len(second)
    edits, last = length, 1 << length - 1
    every = 2 * last - 1
    larger, smaller = every, 0  # by one than in the row above
    diagonal = before = 0
    for letter in second:
        same = positions.get(letter, 0)
        swapped = ((~diagonal & same) << 1) & before
        diagonal = (((same & larger) + larger) ^ larger | same | smaller | swapped) & every
        right, left = smaller | ~(diagonal | larger), diagonal & larger
        edits += bool(right & last) - bool(left & last)
        right, left = right << 1 | 1, left << 1
        larger, smaller = (left | ~(diagonal | right)) & every, right & diagonal & every
        before = same
    return edits


def nearest(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean gfx90a or gfx90c?` to end a message, or ""."""
    return nearest_meaning(name, {candidate.lower(): candidate for candidate in names})


def followed(message: str, sentence: str) -> str:
    """Return a message and what comes after it: a sentence of its own after a question that was
    suggested, else after a semicolon."""
    if message.endswith("?"):
        return f"{message} {sentence[:1].upper()}{sentence[1:]}"
    return f"{message}; {sentence}"


def _begins_with(words: str, name: str) -> bool:
    """Return whether a name begins with these whole words, as `wide-base-register` does."""
    return len(words) >= _LEAST_PART and name.startswith((f"{words}-", f"{words}_"))


def _has_part(part: str, name: str) -> bool:
    """Return whether one of the words of a name, as `private_lane` or `--lane-base`, begins so."""
    return any(word.startswith(part) for word in name.replace("_", "-").split("-"))


def nearest_meaning(name: str, meanings: Mapping[str, str]) -> str:
    """Return the name nearest to a word, as `nearest` does, among names with several spellings
    each, which are in lower case."""
    from difflib import get_close_matches  # few names are unknown

    typed = name.lower()[:_MAX_CHARACTERS]
    part = typed.lstrip("-")
    close = [meaning for meaning in meanings if _begins_with(typed, meaning)][:3]
    close = close or get_close_matches(typed, meanings, 3, 0.7)
    if not close:  # two letters of a short word are much of it
        letters = sorted(typed)
        close = [
            word for word in meanings if sorted(word) == letters and _edits(typed, word, 1) == 1
        ]
    if not close and len(part) >= _LEAST_PART:
        close = [meaning for meaning in meanings if _has_part(part, meaning)][:3]
    suggestions = list(dict.fromkeys(meanings[candidate] for candidate in close))
    return f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""
