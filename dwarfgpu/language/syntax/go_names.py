"""Names of Go with their package, `main.counter`, which its compiler writes as one name.

Law: a variable of a function comes before a package of its name, so that `main.x` is its member.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.language.syntax.tokens import Token

if TYPE_CHECKING:
    from dwarfgpu.language.syntax.cursor import Known

_MOST: Final = 8
"""The names between points that are looked up together."""
_ACCESS: Final = (".", "->")


def with_packages(tokens: Sequence[Token], known: Known) -> list[Token]:
    """Return the words of an expression in which each name and its package are one word."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        names = _between_points(tokens, index)
        is_member = bool(out) and out[-1].text in _ACCESS
        count = 1 if is_member or len(names) < 2 else known.names_in_package(names)
        out.append(token if count < 2 else Token("name", ".".join(names[:count]), token.start))
        index += 2 * count - 1
    return out


def _between_points(tokens: Sequence[Token], index: int) -> list[str]:
    """Return the names at a position that points connect."""
    names: list[str] = []
    while tokens[index].kind == "name" and len(names) < _MOST:
        names.append(tokens[index].text)
        if tokens[index + 1].text != "." or tokens[index + 1].kind != "mark":
            break
        index += 2
    return names
