"""Names of Ada's entities as the source has them; GNAT encodes them (exp_dbug.ads).

Law: a name is decoded as by GDB, which shows what it cannot decode in angle brackets.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern

_OPERATORS: Final = {
    "abs": "abs", "add": "+", "and": "and", "concat": "&", "divide": "/", "eq": "=", "expon": "**",
    "ge": ">=", "gt": ">", "le": "<=", "lt": "<", "mod": "mod", "multiply": "*", "ne": "/=",
    "not": "not", "or": "or", "rem": "rem", "subtract": "-", "xor": "xor",
}  # fmt: skip
_WORDS: Final = {operator: word for word, operator in _OPERATORS.items()}
_WRITTEN: Final = pattern(
    r"(?P<scope>(?:[^\W\d]\w*\.)*)(?:(?P<name>[^\W\d]\w*)|\"(?P<operator>[^\"]+)\")"
)
_VERBATIM: Final = pattern(r"<(?P<name>\w+)>")
_NUMBER: Final = pattern(r"(?:___?|[.$])[0-9]+\Z")
"""Of an overloaded subprogram, or of a nested one."""
_UNPROTECTED: Final = pattern(r"(?<=[0-9a-z])N\Z")
"""A subprogram of a protected object without the lock."""
_BODY: Final = pattern(r"(?<=.)(?:TKB|TB)?(?:(?<=.)B)?\Z")
"""Of a task, and of a block."""
_NUMBERS: Final = pattern(r"(?:(?<=.)__|[$])[0-9]+(?:_[0-9]+)*\Z")
"""Those of an overloaded subprogram and of the ones around it."""
_INNER: Final = pattern(
    r"(?<=.)TK(?=__.)"  # of a task
    r"|__B_[0-9]+(?=__.)"  # a block without a name
    r"|_E[0-9]+[bs](?=_|\Z)"  # the body or barrier of an entry
    r"|(?<![^_])(?P<of_object>[0-9a-z]+)N(?=__)"
)
_OPERATOR: Final = pattern(r"(?:(?<=__)|\A)O(?P<word>[a-z]+)(?![0-9A-Za-z])")
_IN_BODY: Final = pattern(r"(?<=[0-9A-Za-z])X")
"""What is in the body of a package, and how deep."""
_DEPTHS: Final = pattern(r"X[bn]*\Z")


def decoded(name: str) -> str | None:
    """Return the name of an entity as the source has it: `shapes.stop` for `shapes__stop`, `s` for
    `_ada_s`, `p.push` for `p__pushX__2`, `p."+"` for `p__Oadd`; None for one that is not encoded
    so, as GNAT's own."""
    encoded = name.removeprefix("_ada_").removeprefix("___ghost_")
    if encoded.startswith(("_", "<")):
        return None
    encoded = _UNPROTECTED.sub("", _NUMBER.sub("", encoded))
    before, marks, after = encoded.partition("___")
    if marks and after:
        if not after.startswith("X"):
            return None
        encoded = before
    encoded = _NUMBERS.sub("", _BODY.sub("", encoded))
    encoded = _INNER.sub(lambda mark: mark["of_object"] or "", encoded)
    if (deeper := _IN_BODY.search(encoded)) is not None:
        if _DEPTHS.match(encoded, deeper.start()) is None:
            return None
        encoded = encoded[: deeper.start()]
    shown = _OPERATOR.sub(_quoted, encoded).replace("__", ".")
    return None if " " in shown or shown != shown.lower() else shown


def _quoted(operator: re.Match[str]) -> str:
    word = operator["word"]
    return f'"{_OPERATORS[word]}"' if word in _OPERATORS else operator[0]


def encoded(written: str) -> str | None:
    """Return how GNAT encodes the name of a subprogram, `p__Oadd` for `p."+"`; None for text that
    is no name of Ada. An operator that is a word may be without its quotes."""
    parts = _WRITTEN.fullmatch(f'"{written}"' if written in _WORDS else written)
    if parts is None:
        return None
    name = (parts["name"] or "").lower()
    if parts["operator"] is not None:
        word = _WORDS.get(parts["operator"].lower())
        if word is None:
            return None
        name = f"O{word}"
    return parts["scope"].lower().replace(".", "__") + name


def is_operator(written: str, *, with_words: bool = False) -> bool:
    """Return whether a text is an operator of marks in quotes, which no other language has;
    `with_words`: or one that is a word, as others name functions."""
    operator = written[1:-1]
    is_known = operator in _WORDS and (with_words or not operator.isidentifier())
    return is_known and written == f'"{operator}"'


def verbatim(written: str) -> str | None:
    """Return the name in angle brackets, which GDB takes as the file has it; None for other
    text."""
    name = _VERBATIM.fullmatch(written)
    return None if name is None else name["name"]


def ada_function(name: str) -> str:
    """Return the name of a subprogram as the source has it, as GDB shows it; in angle brackets
    where it is not decoded."""
    shown = decoded(name)
    return name if shown is None and name.startswith("<") else shown or f"<{name}>"


def ada_object(name: str) -> str:
    """Return the name of an object as the source has it, as GDB shows it: `p.x` for `p__x`; one
    that gnat has made up, which has capitals, in angle brackets."""
    return decoded(name) or f"<{name}>"
