"""Qualified names as text: `ns::Box<int, 1>::made`, `f(int)::n`, `(anonymous namespace)::x`.

Law: two spellings of one name, whatever their spaces and the order of `unsigned long`, have one
canonical form, which is compared, and shown only in errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sized
from functools import lru_cache
from itertools import permutations
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import LimitExceeded

MAIN_PROGRAM: Final = "MAIN__"
"""What gfortran calls the main program."""
MAIN_OF_D: Final = "D main"
"""What compilers of D call `main`, which that of C calls."""
ANONYMOUS: Final = "(anonymous namespace)"
"""Represents the name of a namespace without one."""

_MOST_SCOPES: Final = 200
"""Around a name: each may be a class whose base classes are asked, in one another."""
_OPENING: Final = "<([{"
_CLOSING: Final = ">)]}"
_WORDS: Final = pattern(
    r"\b(?:unsigned|signed|long|short|int|char)(?:\s+(?:unsigned|signed|long|short|int|char))*\b"
)
_SINGLE_WORDS: Final = frozenset(("unsigned", "signed", "long", "short", "int", "char"))
_MAX_WORDS: Final = 5
"""Of the longest name of a built-in type: `signed long long int` and one more."""
_SPACE_BETWEEN_WORDS: Final = pattern(r"(?<=[\w>*&)])\s+(?=\w)")
_SPACE: Final = pattern(r"\s+")
_OPERATOR: Final = pattern(
    r"\boperator(?:\s*(?:\(\s*\)|<=>|<<=?|>>=?|->\*?|[<>]=?|,)|\s+[^\W\d][^()]*(?:\(\*+\)\([^()]*\))?)"
)
"""The name of an operator, with brackets or a comma, or with a type: `operator int&`."""
_STRING: Final = pattern(r""""(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)'""")
_CONVERSION: Final = pattern(r"operator\s+(?!(?:new|delete)\b)(?=[^\W\d])")


@frozen
class Part:
    """A name between two `::`, in its canonical form."""

    name: str
    """With the arguments of a template."""
    parameters: str | None = None
    """The canonical types of a function's parameters; None if not written."""
    text: str = ""
    """As it is written."""
    exact: str | None = None
    """The name with the types of the values among the template arguments, if these count."""
    exact_parameters: tuple[str | None, ...] = ()
    """The same of each of the parameters; none if these do not count."""


@lru_cache(maxsize=10_000)
def canonical(text: str) -> str:
    """Return the form of a name or type for comparison."""
    if not any(character in text for character in " <(,*&"):
        return text
    if "<" in text or text.startswith("operator"):
        text = _plain(text)
    return squeezed(text)


def squeezed(text: str) -> str:
    """Return a name or type without redundant words and spaces."""
    words = _WORDS.sub(lambda match: _base(match[0].split()), text)
    return _SPACE.sub("", _SPACE_BETWEEN_WORDS.sub("\0", words)).replace("\0", " ")


@lru_cache(maxsize=10_000)
def exact(text: str) -> str:
    """Return the same with the types of the values among template arguments: `W<3l>`."""
    return squeezed(_plain(text, is_exact=True)) if "<" in text else canonical(text)


def _plain(text: str, *, is_exact: bool = False) -> str:
    """Return a name with template arguments or of a conversion in one spelling:
    `Box<char const*>` for `Box<const char*>`."""
    from dwarfgpu.dwarf.names import comparable, cxx  # few names need them

    if (conversion := _CONVERSION.match(text)) is not None:
        text = f"operator {cxx.canonical(text[conversion.end() :])}"
    elif "const" in text or "volatile" in text:
        text = cxx.canonical(text)
    return comparable.exact(text) if is_exact else comparable.comparable(text)


def _base(words: list[str]) -> str:
    """Return the words of a base type in one order, without redundant words."""
    count = Counter(words)
    if "char" not in count:
        del count["signed"]
        if any(word in count for word in ("short", "long", "unsigned")):
            del count["int"]
    return " ".join(sorted(count.elements())) or "int"


@lru_cache(maxsize=100)
def spellings(name: str) -> tuple[str, ...]:
    """Return how compilers may spell a simple name: one way, but for built-in types, such as
    `unsigned` and `unsigned int`."""
    if (name.isidentifier() and name not in _SINGLE_WORDS) or _WORDS.fullmatch(name) is None:
        return (name,)
    words = canonical(f" {name}").split()
    more = [[], ["int"], ["signed"], ["signed", "int"]]
    orders = (order for added in more for order in permutations((*words, *added)))
    wanted = " ".join(words)
    spelled = (" ".join(order) for order in orders if len(order) <= _MAX_WORDS)
    return tuple(dict.fromkeys(text for text in spelled if canonical(f" {text}") == wanted))


@lru_cache(maxsize=1_000)
def parts(name: str) -> tuple[Part, ...]:
    """Return the components of a qualified name between `::`; a leading `::` is dropped."""
    return tuple(_part(piece) for piece in _pieces(name))


def with_types(part: Part) -> Part | None:
    """Return a part of a name where the types of the values among its template arguments count;
    None of one without such values."""
    if "<" not in part.text:
        return None
    from dwarfgpu.dwarf.names.comparable import has_values  # few names need it
    from dwarfgpu.dwarf.names.cxx import canonical as spelled

    if not has_values(part.text):
        return None
    opening = _parameters_at(part.text)
    name = part.text if opening is None else part.text[:opening].strip()
    listed = [] if opening is None else split_outside(_inside(part.text, opening), ",")
    types = tuple(exact(spelled(text)) if has_values(text) else None for text in listed)
    return evolve(
        part,
        exact=exact(name) if has_values(name) else None,
        exact_parameters=types if any(types) else (),
    )


def require_few_scopes(scopes: Sized) -> None:
    """Raise `LimitExceeded` if a name is written in too many scopes."""
    if len(scopes) > _MOST_SCOPES:
        raise LimitExceeded(f"a name in more than {_MOST_SCOPES} scopes")


def split_last(name: str) -> tuple[str, str]:
    """Split a qualified name at the last `::`."""
    *outer, last = _pieces(name) or [""]
    return "::".join(outer), last


def split_outside(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators outside of brackets."""
    out: list[str] = []
    depth = start = 0
    for index, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if not depth and character == separator:
            out.append(text[start:index].strip())
            start = index + 1
    return [*out, text[start:].strip()]


def _pieces(name: str) -> list[str]:
    out: list[str] = []
    depth = start = after_operator = 0
    marked = _without_strings(name)
    for index, character in enumerate(marked):
        if index < after_operator:
            continue
        if character == "o" and name.startswith("operator", index):
            after_operator = _end_of_operator(name, index)
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING and name[index - 1 : index] != "-":
            depth -= 1
        elif character == ":" and not depth and marked.startswith("::", index):
            out.append(name[start:index].strip())
            start = index + 2
    out.append(name[start:].strip())
    return [piece for piece in out if piece]


def _without_strings(text: str) -> str:
    """Return a text with marks instead of strings, which instances of D have, `str!"a(b"`."""
    return _STRING.sub(lambda match: '"' * len(match[0]), text) if "!" in text else text


def _end_of_operator(text: str, index: int) -> int:
    """Return where the name of an operator ends that may begin at a position."""
    operator = _OPERATOR.match(text, index)
    return index if operator is None else operator.end()


def _part(text: str) -> Part:
    opening = _parameters_at(text)
    if opening is None or text.startswith(ANONYMOUS):
        return Part(canonical(text), text=text)
    inside = canonical(_inside(text, opening))
    return Part(
        canonical(text[:opening].strip()),
        "" if inside == "void" else inside,
        text,
    )


def _inside(text: str, opening: int) -> str:
    """Return the parameters in the parenthesis that begins there."""
    return text[opening + 1 : text.rfind(")")].strip()


def _parameters_at(text: str) -> int | None:
    """Return where the parameters of a function begin: at the first parenthesis in no template's
    arguments, nor around those of D, `two!(int, 7)`."""
    depth = 0
    begin = _end_of_operator(text, 0) if text.startswith("operator") else 0
    for index, character in enumerate(_without_strings(text)[begin:], begin):
        is_opening = character == "("
        if character == "<" or (is_opening and (depth or has_arguments_of_d(text, index))):
            depth += 1
        elif character == ">" or (depth and character == ")"):
            depth -= 1
        elif is_opening and not depth and index:
            return index
    return None


def has_arguments_of_d(text: str, begin: int) -> bool:
    """Return whether a parenthesis begins the arguments of a template of D, `f!(int, 7)`."""
    if not text.endswith("!", 0, begin):
        return False
    return not text[: begin - 1].rstrip().endswith("operator")


def joined(names: tuple[str, ...]) -> str:
    """Return a qualified name of its parts."""
    return "::".join(names)


def fortran_spellings(text: str) -> tuple[str, ...]:
    """Return how compilers may write a name of Fortran, where the case of letters does not matter
    (Fortran 2018 6.1.2): in lower case, and gfortran the main program in upper case."""
    lowered = text.lower()
    return (lowered, MAIN_PROGRAM) if lowered == MAIN_PROGRAM.lower() else (lowered,)
