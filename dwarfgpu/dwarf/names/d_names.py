"""What linkage names of D say: the modules, classes and functions around a declared entity
(https://dlang.org/spec/abi.html, "Name Mangling").

Law: of a name with any part that the grammar does not have nothing is known; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen

MANGLED: Final = "_D"
"""How each name of D begins."""
_LONGEST: Final = 4_000
_DEEPEST: Final = 100
_MOST_TEXT: Final = 100_000
"""References to earlier parts may repeat what repeats others."""
NUMBER: Final = pattern(r"[0-9]{1,6}")
REFERENCE: Final = pattern(r"Q([A-Z]{0,4}[a-z])")
FAKE: Final = pattern(r"__S[0-9]+")
"""A parent that only distinguishes names of several blocks."""
_TEMPLATES: Final = ("__T", "__U")
_CONVENTIONS: Final = "FUWVRY"
_FUNCTION: Final = pattern(r"(?:M(?:[xyO]|Ng)*)?[FUWVRY]")
_ATTRIBUTES: Final = pattern(r"(?:N[a-fijlm])*")
_STORAGE: Final = pattern(r"(?:[MIJKL]|Nk)*")
_MODIFIERS: Final = pattern(r"(?:[xyO]|Ng)*")
_BASIC: Final = pattern(r"[vghstikmlfdeopjqrcbauwn]|z[ik]|Nn")
REAL: Final = pattern(r"NAN|N?INF|N?[0-9A-F]+PN?[0-9]+")


@frozen
class Step:
    """A part of a path: a module, class or function, or the entity itself."""

    word: str
    """The identifier; of the instance of a template `T!`, with its mangled arguments behind it,
    without references. A path in them ends with `;` and has `(` before the parameters of each
    function; a value ends with a point; `S!` is an entity with its type."""
    parameters: str | None = None
    """Of a function: its mangled parameters, without attributes, which compilers leave out in the
    names of what is in it, and without references to earlier parts. None for any other entity."""

    @property
    def is_function(self) -> bool:
        return self.parameters is not None


@frozen
class DName:
    """What a linkage name says."""

    steps: tuple[Step, ...]
    """The path of the entity, itself at the end."""
    beginning: str
    """The text of the name up to the attributes of the function that it is; all for any other."""
    before: tuple[str, ...]
    """For each step, the text of the name before it."""
    path_end: int
    """Where the type of the entity begins, or what compilers write in its place."""


class _Unknown(Exception):
    """The grammar does not have the name."""


@lru_cache(maxsize=4_096)
def d_name(mangled: str) -> DName | None:
    """Return what a linkage name says; None for one of another language, and for one with a part
    that the grammar does not have."""
    if not mangled.startswith(MANGLED) or len(mangled) > _LONGEST:
        return None
    try:
        reader = _Reader(mangled)
        steps = reader.path()
        beginning = mangled[: reader.attributes_at or len(mangled)]
        before = tuple(mangled[:start] for start in reader.starts)
        return DName(steps, beginning, before, reader.at) if steps else None
    except _Unknown:
        return None


def is_d_type(mangled: str, start: int) -> bool:
    """Return whether the rest of a linkage name, from a position on, is one type."""
    return _Reader(mangled, start).is_type()


class _Reader:
    """Reads a name from a position onwards. What it returns has no references."""

    def __init__(self, text: str, start: int = len(MANGLED)) -> None:
        self.text = text
        self.at = start
        self.attributes_at = 0
        """Where those of the last step of the outermost path are; 0 if it is no function."""
        self.starts: list[int] = []
        """Where the steps of the path that was read last begin: at the end, of the outermost."""
        self._depth = 0
        self._written = 0

    def is_type(self) -> bool:
        """Return whether one type follows, and no more."""
        try:
            return bool(self._type()) and self.at == len(self.text)
        except _Unknown:
            return False

    def _match(self, wanted: str) -> bool:
        is_next = self.text.startswith(wanted, self.at)
        self.at += len(wanted) * is_next
        return is_next

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _number(self) -> int:
        match = NUMBER.match(self.text, self.at)
        if match is None:
            raise _Unknown
        self.at = match.end()
        return int(match[0])

    def _kept(self, text: str) -> str:
        """Return a text, unless there was too much of it."""
        self._written += 1 + len(text)
        if self._written > _MOST_TEXT:
            raise _Unknown
        return text

    def _take(self, count: int) -> str:
        taken = self.text[self.at : self.at + count]
        if len(taken) != count:
            raise _Unknown
        self.at += count
        return taken

    def _target(self) -> tuple[int, int] | None:
        """Return where a reference leads and where it ends; None if none is next."""
        match = REFERENCE.match(self.text, self.at)
        if match is None:
            return None
        distance = 0
        for letter in match[1]:
            distance = distance * 26 + ord(letter.lower()) - ord("a")
        target = self.at - distance
        if target < len(MANGLED) or not distance:
            raise _Unknown
        return target, match.end()

    def _at(self, target: int, end: int, read: Callable[[], str]) -> str:
        """Return what is read at an earlier position, and continue at another one."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unknown
        self.at = target
        text = read()
        self.at = end
        self._depth -= 1
        return text

    # Paths

    def path(self, *, is_whole: bool = True) -> tuple[Step, ...]:
        """Return the steps of a qualified name.

        `is_whole`: the last step may be a function, as in no type, behind which letters of other
        meanings follow.
        """
        steps: list[Step] = []
        starts = [self.at]
        while self._is_symbol():
            if self._match("0"):  # without a name
                continue
            word = self._symbol()
            if word is None:
                if not self._is_symbol():
                    raise _Unknown
                continue
            self.attributes_at = 0
            steps.append(Step(word, self._parameters_of_step(is_whole)))
            starts.append(self.at)
        self.starts = starts[: len(steps)]
        return tuple(steps)

    def _is_symbol(self) -> bool:
        """Return whether a further name follows, and no type."""
        target = self._target() if self._next() == "Q" else None
        if target is not None:
            return _is_digit(self.text[target[0]])
        return _is_digit(self._next()) or self.text.startswith(_TEMPLATES, self.at)

    def _symbol(self) -> str | None:
        """Return a name; None for a parent that only distinguishes names of several blocks."""
        if self.text.startswith(_TEMPLATES, self.at):
            return self._instance()
        word = self._identifier()
        if word.startswith(_TEMPLATES):
            raise _Unknown  # as compilers before 2017 wrote an instance
        return None if FAKE.fullmatch(word) else word

    def _identifier(self) -> str:
        target = self._target() if self._next() == "Q" else None
        if target is None:
            return self._kept(self._take(self._number()))
        if not _is_digit(self.text[target[0]]):
            raise _Unknown
        return self._at(*target, self._identifier)

    def _instance(self) -> str:
        """Return the instance of a template."""
        self._take(len(_TEMPLATES[0]))
        word = self._identifier()
        arguments = ""
        while not self._match("Z"):
            arguments += self._argument()
        return self._kept(f"{word}!{arguments}")

    def _parameters_of_step(self, is_whole: bool) -> str | None:
        """Return the parameters of a function; None where what follows is of something else."""
        match = _FUNCTION.match(self.text, self.at)
        if match is None:
            return None
        start, depth = self.at, self._depth
        attributes_at = self.at = match.end()
        try:
            parameters = self._parameters()
        except _Unknown:
            if is_whole:
                raise
        else:
            if is_whole or self._is_symbol():
                self.attributes_at = attributes_at
                return match[0] + parameters
        self.at, self._depth = start, depth
        return None

    # Types

    def _modifiers(self) -> str:
        match = _MODIFIERS.match(self.text, self.at)
        return "" if match is None else self._take(match.end() - self.at)

    def _parameters(self) -> str:
        """Return the parameters of a function behind its attributes, which are left out."""
        attributes = _ATTRIBUTES.match(self.text, self.at)
        self.at = self.at if attributes is None else attributes.end()
        written = ""
        while self._next() not in ("X", "Y", "Z"):
            storage = _STORAGE.match(self.text, self.at)
            written += "" if storage is None else self._take(storage.end() - self.at)
            written += self._type()
        return self._kept(written + self._take(1))

    def _type(self) -> str:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unknown
        modifiers = self._modifiers()
        text = self._kept(modifiers + self._bare_type())
        self._depth -= 1
        return text

    def _bare_type(self) -> str:
        basic = _BASIC.match(self.text, self.at)
        if basic is not None:
            return self._take(basic.end() - self.at)
        target = self._target() if self._next() == "Q" else None
        if target is not None:
            if _is_digit(self.text[target[0]]):
                raise _Unknown
            return self._at(*target, self._type)
        letter = self._take(1)
        if letter in ("A", "P"):
            return letter + self._type()
        if letter == "G":
            return f"G{self._number()}{self._type()}"
        if letter == "H":
            return letter + self._type() + self._type()
        if letter == "N" and self._match("h"):
            return "Nh" + self._type()
        if letter == "D":
            modifiers = self._modifiers()
            if self._next() not in (*_CONVENTIONS, "Q"):
                raise _Unknown
            return letter + modifiers + self._type()
        if letter == "B":
            written = letter
            while not self._match("Z"):
                written += self._type()
            return f"{written}Z"
        if letter in _CONVENTIONS:
            return letter + self._parameters() + self._type()
        if letter in ("C", "S", "E", "T"):
            return letter + self._path_text()
        raise _Unknown

    def _path_text(self, *, is_whole: bool = False) -> str:
        """Return a path in a type or an argument."""
        attributes_at = self.attributes_at
        steps = self.path(is_whole=is_whole)
        self.attributes_at = attributes_at
        if not steps:
            raise _Unknown
        words = (step.word + (f"({step.parameters}" if step.is_function else "") for step in steps)
        return ".".join(words) + ";"

    # Arguments of templates

    def _argument(self) -> str:
        special = "H" if self._match("H") else ""
        letter = self._take(1)
        if letter == "T":
            return f"{special}T{self._type()}"
        if letter == "S":
            entity = f"!{self._whole()}" if self._match(MANGLED) else self._path_text()
            return f"{special}S{entity}"
        if letter == "X":
            text = self._take(self._number())
            return f"{special}X{len(text)}_{text}"
        if letter == "V":
            kind = self._type()
            return f"{special}V{kind}{self._value(kind)}."
        raise _Unknown

    def _whole(self) -> str:
        """Return a linkage name behind its first letters, with its type."""
        path = self._path_text(is_whole=True)
        return path + ("Z" if self._match("Z") else self._type())

    def _value(self, kind: str) -> str:
        """Return a value of a type; of one that is not known where that is empty."""
        if _is_digit(self._next()):
            return str(self._number_text())
        letter = self._take(1)
        if letter == "n":
            return letter
        if letter in ("i", "N"):
            return letter + self._number_text()
        if letter == "e":
            return letter + self._real()
        if letter == "c":
            first = self._real()
            return f"c{first}{self._take(1)}{self._real()}"
        if letter in ("a", "w", "d"):
            count = self._number()
            if not self._match("_"):
                raise _Unknown
            return f"{letter}{count}_{self._kept(self._take(2 * count))}"
        if letter == "A":
            count = self._number()
            is_table = kind.lstrip("xyO").startswith("H")
            return letter + self._values(2 * count if is_table else count)
        if letter == "S":
            return letter + self._values(self._number())
        if letter == "f" and self._match(MANGLED):
            return letter + self._whole()
        raise _Unknown

    def _number_text(self) -> str:
        start = self.at
        while _is_digit(self._next()):
            self.at += 1
        if self.at == start:
            raise _Unknown
        return self.text[start : self.at]

    def _real(self) -> str:
        match = REAL.match(self.text, self.at)
        if match is None:
            raise _Unknown
        return self._take(match.end() - self.at)

    def _values(self, count: int) -> str:
        self._depth += 1
        if self._depth > _DEEPEST or count > len(self.text):
            raise _Unknown
        text = f"{count}" + "".join(f"{self._value('')}," for _ in range(count))
        self._depth -= 1
        return text


def _is_digit(letter: str) -> bool:
    """Return whether a text, which is empty behind the name, is a digit."""
    return "0" <= letter <= "9"
