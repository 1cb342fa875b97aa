"""Regular expressions of users, in the syntax of Python's `re`, matched in linear time.

`re` tries one way after another, so that `(a+)+$` takes twice as long for each further `a`. Here
all ways are followed at once (Thompson 1968), and sets of places in the expression that came up
before are remembered with their successors, as in RE2.

Law: whether a text matches is what `re` says; what has no automaton (references to groups, looking
ahead and behind) is `UsageError`. Time is bounded by the text and the expression together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.pattern import pattern as precompiled
from dwarfgpu.base.records import frozen
from dwarfgpu.base.regexp_texts import (
    MAX_TEXTS,
    Accepts,
    Assertion,
    Node,
    longest,
    required_texts,
    taken,
)
from dwarfgpu.errors import LimitExceeded, UsageError

MAX_CHARACTERS: Final = 100_000
"""Of an expression, which takes about a second to compile."""
MAX_STEPS: Final = 2_000
"""Steps of an expression beyond its characters: `x{20}` counts 20 times."""
MAX_WORK: Final = 1_000_000
"""Steps that one expression may go through that were not remembered."""
_MAX_REMEMBERED: Final = 50_000
"""Successors of sets of steps, after which all are forgotten."""
_MAX_NESTED: Final = 100
_LITERAL: Final = precompiled(r"[A-Za-z0-9_]+")
_LAST_NEWLINE: Final = "\n$"
"""Represents the newline at the end of a text, before which `$` matches, too."""

Mode: TypeAlias = Literal["search", "match", "fullmatch"]


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_digit(character: str) -> bool:
    return character.isdecimal()


def _is_space(character: str) -> bool:
    return character.isspace()


def _is_any(character: str) -> bool:
    return character != "\n"


def _is_boundary(before: str, after: str) -> bool:
    return _is_word(before) is not _is_word(after[:1])


_CLASSES: Final[dict[str, Accepts]] = {"d": _is_digit, "s": _is_space, "w": _is_word}
_ASSERTIONS: Final[dict[str, Assertion]] = {
    "^": lambda before, after: not before,
    "$": lambda before, after: after in ("", _LAST_NEWLINE),
    "A": lambda before, after: not before,
    "Z": lambda before, after: not after,
    "b": _is_boundary,
    "B": lambda before, after: not _is_boundary(before, after) and bool(before or after),
}
_CONTROLS: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_HEX_DIGITS: Final = {"x": 2, "u": 4, "U": 8}


@frozen
class _Step:
    """One step of an expression: what it matches, and where it continues."""

    accepts: Accepts | None = None
    """A character that it takes; None where it takes none."""
    holds: Assertion | None = None
    """What must hold here; None for nothing."""
    successors: tuple[int, ...] = ()
    """Empty for the end of the expression."""


class _Set:
    """Steps that a text may have come to, and the successors that are known."""

    __slots__ = ("after", "before", "steps")

    def __init__(self, steps: tuple[int, ...], before: str) -> None:
        self.steps = steps
        self.before = before
        """The last character, as far as assertions see it."""
        self.after: dict[str, _Set | bool] = {}
        """Keyed by the next character; whether the text matches, where that is known then."""


class Regexp:
    """A compiled expression; `UsageError` for a text that is none, or that has no automaton."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        parser = _Parser(pattern)
        node = parser.node()
        self._steps = parser.steps(node)
        self._sets: dict[Mode, dict[tuple[tuple[int, ...], str], _Set]] = {}
        self._remembered = 0
        self._work_left = MAX_WORK
        self._literal = pattern if _LITERAL.fullmatch(pattern) else None
        """The text that it matches, if it has no special characters."""
        self.required = required_texts(node)
        """Sets of texts: every match contains at least one text of each set."""
        self._may_match: Callable[[str], object] | None = None
        if self.required:
            texts = sorted(longest(self.required))
            self._may_match = re.compile("|".join(map(re.escape, texts))).search

    def search(self, text: str) -> bool:
        """Return whether it matches somewhere in a text; `LimitExceeded` as a last resort."""
        if self._literal is not None:
            return self._literal in text
        if self._may_match is not None and self._may_match(text) is None:
            return False
        return self._run(text, "search")

    def match(self, text: str) -> bool:
        """Return whether it matches at the beginning of a text."""
        return self._run(text, "match")

    def fullmatch(self, text: str) -> bool:
        """Return whether it matches a whole text."""
        return self._run(text, "fullmatch")

    def _run(self, text: str, mode: Mode) -> bool:
        current = self._set((len(self._steps) - 1,), "", mode)
        for character in _characters(text):
            try:
                following = current.after[character]
            except KeyError:
                following = self._following(current, character, mode)
            if following is True or following is False:
                return following
            current = following
        answer = current.after.get("")
        return self._following(current, "", mode) is True if answer is None else answer is True

    def _set(self, steps: tuple[int, ...], before: str, mode: Mode) -> _Set:
        sets = self._sets.setdefault(mode, {})
        kind = "" if not before else "w" if _is_word(before) else " "
        state = sets.get((steps, kind))
        if state is None:
            state = sets[steps, kind] = _Set(steps, kind)
        return state

    def _following(self, current: _Set, character: str, mode: Mode) -> _Set | bool:
        """Return the set after a character, or the answer; empty: the end of the text."""
        reached = self._reached(current, character)
        is_at_end = any(not self._steps[index].successors for index in reached)
        if is_at_end and (mode != "fullmatch" or not character):
            return self._remember(current, character, True)
        if not character:
            return self._remember(current, character, False)
        taken = [
            self._steps[index].successors[0]
            for index in reached
            if (accepts := self._steps[index].accepts) is not None and accepts(character[0])
        ]
        if mode == "search":  # it may also begin behind this character
            taken.append(len(self._steps) - 1)
        if not taken:
            return self._remember(current, character, False)
        following = self._set(tuple(sorted(set(taken))), character[0], mode)
        return self._remember(current, character, following)

    def _reached(self, current: _Set, after: str) -> set[int]:
        """Return the steps of a set, and all that are reached without taking a character."""
        reached: set[int] = set()
        pending = list(current.steps)
        while pending:
            number = pending.pop()
            if number in reached:
                continue
            reached.add(number)
            step = self._steps[number]
            if step.accepts is None and (step.holds is None or step.holds(current.before, after)):
                pending += step.successors
            elif step.holds is not None:
                reached.discard(number)
        self._work_left -= len(reached) + 1
        if self._work_left < 0:
            raise LimitExceeded(
                f"the regular expression {self.pattern[:60]!r} takes too many steps"
            )
        return reached

    def _remember(self, current: _Set, character: str, answer: _Set | bool) -> _Set | bool:
        self._remembered += 1
        if self._remembered > _MAX_REMEMBERED:
            self._remembered = 0
            self._sets.clear()
        current.after[character] = answer
        return answer


@lru_cache(maxsize=256)
def regexp(pattern: str) -> Regexp:
    """Compile a regular expression; `UsageError` if it is invalid, `LimitExceeded` if it is too
    long."""
    if len(pattern) > MAX_CHARACTERS:
        raise LimitExceeded(f"a regular expression of more than {MAX_CHARACTERS} characters")
    return Regexp(pattern)


def _characters(text: str) -> Iterator[str]:
    if not text.endswith("\n"):
        return iter(text)
    return iter([*text[:-1], _LAST_NEWLINE])


class _Parser:
    """Reads an expression from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        self._steps_made: list[_Step] = []

    def node(self) -> Node:
        """Return the whole expression."""
        node = self._choice()
        if self._at < len(self._pattern):
            raise self._wrong("unbalanced parenthesis")
        return node

    def steps(self, node: Node) -> tuple[_Step, ...]:
        """Return the steps of the expression, the first one last."""
        start = self._add(node, self._step(_Step()))
        self._step(_Step(successors=(start,)))
        return tuple(self._steps_made)

    # Syntax

    def _choice(self) -> Node:
        self._depth += 1
        if self._depth > _MAX_NESTED:
            raise self._wrong(f"groups nested more than {_MAX_NESTED} deep")
        choices = [self._sequence()]
        while self._accept("|"):
            choices.append(self._sequence())
        self._depth -= 1
        return choices[0] if len(choices) == 1 else Node("choice", tuple(choices))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._at < len(self._pattern) and self._peek() not in "|)":
            parts.append(self._repeated(self._atom()))
        return Node("sequence", tuple(parts))

    def _repeated(self, node: Node) -> Node:
        counts = self._counts()
        if counts is None:
            return node
        if node.kind == "assert":
            raise self._wrong("nothing to repeat")
        if self._accept("+"):
            raise self._wrong("possessive repetition is not supported")
        self._accept("?")  # the shortest match first: whether there is one stays the same
        if self._counts() is not None:
            raise self._wrong("multiple repeat")
        least, most = counts
        return Node("repeat", (node,), least=least, most=most)

    def _counts(self) -> tuple[int, int | None] | None:
        """Return how often something is repeated, of `*`, `+`, `?` and `{1,2}`; None for no
        repetition."""
        for mark, counts in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._accept(mark):
                return counts
        if self._peek() != "{":
            return None
        end = self._pattern.find("}", self._at)
        first, comma, last = self._pattern[self._at + 1 : max(end, 0)].partition(",")
        is_count = all(bound.isascii() and bound.isdigit() for bound in (first, last) if bound)
        if end < 0 or not is_count or not (first or comma):
            return None  # as in `re`, a brace like any other character
        self._at = end + 1
        if max(len(first), len(last)) > len(str(MAX_STEPS)):
            raise self._too_large()
        least = int(first or "0")
        most = least if not comma else int(last) if last else None
        if most is not None and most < least:
            raise self._wrong("min repeat greater than max repeat")
        return least, most

    def _is_count(self, character: str) -> bool:
        """Return whether a count begins with the character that was read last."""
        self._at -= 1
        is_count = character == "{" and self._counts() is not None
        self._at += 1
        return is_count

    def _atom(self) -> Node:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return self._set()
        if character == ".":
            return Node("take", accepts=_is_any)
        if character in "^$":
            return Node("assert", holds=_ASSERTIONS[character])
        if character in "*+?" or self._is_count(character):
            raise self._wrong("nothing to repeat")
        if character == "\\":
            return self._escape()
        return taken(character)

    def _group(self) -> Node:
        start = self._at - 1
        if self._accept("?"):
            if self._accept("P<"):
                end = self._pattern.find(">", self._at)
                if not self._pattern[self._at : max(end, self._at)].isidentifier():
                    raise self._wrong("bad group name")
                self._at = end + 1
            elif not self._accept(":"):
                raise self._wrong("of the groups with ?, only (?:...) and (?P<name>...) are read")
        node = self._choice()
        if not self._accept(")"):
            raise self._wrong("missing ), unterminated subpattern", start)
        return Node("sequence", (node,))

    def _escape(self) -> Node:
        letter = self._next("bad escape (end of pattern)")
        if letter in "123456789":
            raise self._wrong("references to groups are not supported")
        if letter in _ASSERTIONS and letter.isalpha():
            return Node("assert", holds=_ASSERTIONS[letter])
        accepts = self._class(letter)
        return taken(self._escaped(letter)) if accepts is None else Node("take", accepts=accepts)

    def _class(self, letter: str) -> Accepts | None:
        accepts = _CLASSES.get(letter.lower())
        if accepts is None:
            return None
        return accepts if letter.islower() else lambda character: not accepts(character)

    def _escaped(self, letter: str) -> str:
        """Return the character that an escape means."""
        digits = _HEX_DIGITS.get(letter)
        if digits is not None:
            text = self._pattern[self._at : self._at + digits]
            self._at += digits
            try:
                return chr(int(text.ljust(digits, "-"), 16))
            except (ValueError, OverflowError):
                raise self._wrong(f"incomplete escape \\{letter}{text}") from None
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter.isascii() and letter.isalnum():
            raise self._wrong(f"bad escape \\{letter}")
        return letter

    def _set(self) -> Node:
        """Return what takes a character of the brackets."""
        is_negated = self._accept("^")
        single: set[str] = set()
        ranges: list[tuple[str, str]] = []
        classes: list[Accepts] = []
        is_first = True
        while is_first or self._peek() != "]":
            is_first = False
            first = self._member(classes)
            if self._peek() != "-" or self._pattern[self._at + 1 : self._at + 2] in ("]", ""):
                single |= {first} - {""}
                continue
            self._next()
            last = self._member(classes)
            if not first or not last or last < first:
                raise self._wrong("bad character range")
            ranges.append((first, last))
        self._next()

        def accepts(character: str) -> bool:
            return is_negated is not (
                character in single
                or any(first <= character <= last for first, last in ranges)
                or any(matches(character) for matches in classes)
            )

        is_listed = not (is_negated or ranges or classes) and len(single) <= MAX_TEXTS
        return Node("take", accepts=accepts, texts=frozenset(single) if is_listed else None)

    def _member(self, classes: list[Accepts]) -> str:
        """Return a character in brackets; empty for a class, which is added."""
        character = self._next("unterminated character set")
        if character != "\\":
            return character
        letter = self._next("unterminated character set")
        accepts = self._class(letter)
        if accepts is not None:
            classes.append(accepts)
            return ""
        return "\b" if letter == "b" else self._escaped(letter)

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self, what: str = "unexpected end") -> str:
        if self._at >= len(self._pattern):
            raise self._wrong(what)
        self._at += 1
        return self._pattern[self._at - 1]

    def _accept(self, text: str) -> bool:
        if not self._pattern.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _wrong(self, what: str, position: int | None = None) -> UsageError:
        return UsageError(f"{what} at position {self._at if position is None else position}")

    def _too_large(self) -> UsageError:
        return UsageError(f"its repetitions make more than {MAX_STEPS} steps")

    # Steps

    def _step(self, step: _Step) -> int:
        if len(self._steps_made) > MAX_STEPS + len(self._pattern):
            raise self._too_large()
        self._steps_made.append(step)
        return len(self._steps_made) - 1

    def _add(self, node: Node, following: int) -> int:
        """Return the first step of a part, which continues at another step."""
        match node.kind:
            case "take":
                return self._step(_Step(node.accepts, None, (following,)))
            case "assert":
                return self._step(_Step(None, node.holds, (following,)))
            case "sequence":
                for part in reversed(node.parts):
                    following = self._add(part, following)
                return following
            case "choice":
                starts = tuple(self._add(part, following) for part in node.parts)
                return self._step(_Step(successors=starts))
        return self._repeat(node, following)

    def _repeat(self, node: Node, following: int) -> int:
        [part] = node.parts
        if node.most is None:
            again = self._step(_Step(successors=(following,)))
            begin = self._add(part, again)
            self._steps_made[again] = _Step(successors=(begin, following))
            following = again
        else:
            end = following
            for _ in range(node.most - node.least):
                following = self._step(_Step(successors=(self._add(part, following), end)))
        for _ in range(node.least):
            following = self._add(part, following)
        return following
