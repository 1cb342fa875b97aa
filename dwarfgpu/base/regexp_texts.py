"""The parts of a regular expression, and the texts that its matches contain.

Law: whatever has none of the texts of one set does not match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.records import frozen

Accepts: TypeAlias = Callable[[str], bool]
Assertion: TypeAlias = Callable[[str, str], bool]
"""Whether it holds between two characters; empty at the ends of the text."""
MAX_TEXTS: Final = 8
"""Texts that a part of an expression matches, so that each of them is looked for."""
_LONGEST_TEXT: Final = 100
"""Characters: repetitions in one another multiply them."""


@frozen
class Node:
    """A part of an expression."""

    kind: Literal["take", "assert", "sequence", "choice", "repeat"]
    parts: tuple[Node, ...] = ()
    accepts: Accepts | None = None
    texts: frozenset[str] | None = None
    """All characters that it takes; None for many."""
    holds: Assertion | None = None
    least: int = 1
    most: int | None = 1


def taken(character: str) -> Node:
    """Return the part that takes one character."""
    return Node("take", accepts=character.__eq__, texts=frozenset({character}))


_Texts: TypeAlias = tuple[frozenset[str] | None, tuple[frozenset[str], ...]]
"""All texts that a part matches, if they are few; else sets: its matches contain a text of each."""


def required_texts(node: Node) -> tuple[frozenset[str], ...]:
    """Return sets of texts; every match of a part contains at least one text of each set."""
    texts, required = _texts(node)
    sets = required if texts is None else (texts,)
    return tuple(texts for texts in sets if "" not in texts and 0 < len(texts) <= 2 * MAX_TEXTS)


def _texts(node: Node) -> _Texts:
    match node.kind:
        case "take":
            return node.texts, ()
        case "assert":
            return frozenset({""}), ()
        case "choice":
            return _choice_of(list(map(_texts, node.parts)))
        case "sequence":
            return _sequence_of(list(map(_texts, node.parts)))
        case "repeat":
            [part] = map(_texts, node.parts)
            if (node.least, node.most) == (0, 1):
                return _choice_of([part, (frozenset({""}), ())])
            is_whole = node.least == node.most and node.least <= MAX_TEXTS
            rest: list[_Texts] = [] if is_whole else [(None, ())]
            return _sequence_of([part] * min(node.least, MAX_TEXTS) + rest)


def _choice_of(parts: list[_Texts]) -> _Texts:
    """Return the texts of all parts; where they are many, those of one set of each part."""
    few = [texts for texts, _ in parts if texts is not None]
    if len(few) == len(parts) and sum(map(len, few)) <= MAX_TEXTS:
        return frozenset[str]().union(*few), ()
    sets = [required if texts is None else (texts,) for texts, required in parts]
    if not all(sets):
        return None, ()
    return None, (frozenset[str]().union(*map(longest, sets)),)


def _sequence_of(parts: list[_Texts]) -> _Texts:
    sets: list[frozenset[str]] = []
    current, is_whole = frozenset({""}), True
    for texts, required in parts:
        if texts is not None and _are_few(current, texts):
            current = frozenset(first + last for first in current for last in texts)
            continue
        is_whole = False
        sets += [current, *required]
        current = frozenset({""}) if texts is None else texts
    if is_whole:
        return current, ()
    different = dict.fromkeys(texts for texts in (*sets, current) if texts and "" not in texts)
    return None, tuple(sorted(different, key=_quality, reverse=True)[:MAX_TEXTS])


def _are_few(first: frozenset[str], last: frozenset[str]) -> bool:
    """Return whether each text of a set before each text of another are few and short."""
    size = max(map(len, first), default=0) + max(map(len, last), default=0)
    return len(first) * len(last) <= MAX_TEXTS and size <= _LONGEST_TEXT


def longest(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the set whose shortest text is longest: that is in the fewest names."""
    return max(sets, key=_quality)


def _quality(texts: frozenset[str]) -> tuple[int, int]:
    return min(map(len, texts), default=0), -len(texts)
