"""Names with what they are in, as Ada, D and Go write them: `pk.shape`, `Color.red`,
`main.counter`.

Law: a variable comes before a package or module of its name, so that `main.x` is its member.
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
    """Return the words of an expression in which each name and what it is in are one word, as the
    program's description has it; so is a name of D in quotes, which has its scopes, too."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        is_file = token.kind == "quoted" and tokens[index + 1].text.startswith("::")
        if token.kind == "quoted" and known.language.is_d and not is_file:
            token = Token("quoted", _of_d(token.text, known), token.start)
        names = _between_points(tokens, index)
        is_member = bool(out) and out[-1].text in _ACCESS
        is_one = is_member or not (len(names) > 1 or any("!" in name for name in names))
        count, name = (1, token.text) if is_one else known.joined_names(names)
        out.append(token if name == token.text else Token("name", name, token.start))
        index += 2 * count - 1
    return out


def _of_d(quoted: str, known: Known) -> str:
    """Return a name in quotes as the program's description has it, if it is all of one there; else
    the linkage name of the symbol that is shown so."""
    from dwarfgpu.dwarf.names.d_spellings import words_of  # few names are quoted

    words = words_of(quoted)
    if len(words) < 2 or not all(words):
        return quoted
    count, name = known.joined_names(words)
    return name if count == len(words) else known.quoted(quoted)


def _between_points(tokens: Sequence[Token], index: int) -> list[str]:
    """Return the names at a position that points connect."""
    names: list[str] = []
    while tokens[index].kind == "name" and len(names) < _MOST:
        names.append(tokens[index].text)
        if tokens[index + 1].text != "." or tokens[index + 1].kind != "mark":
            break
        index += 2
    return names
