"""Names of D as users write them, and as its compilers do: `app.core.gen!int`, `two!(int, 7)`.

Law: a point in a string, in brackets or in a number is none between names. That in an argument
without parentheses, `en!E.b`, may be one: the program decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.names.qualified import MAIN_OF_D

_MAX_PACKAGES: Final = 16
"""Packages and module before a name of D."""
_MAX_SPELLINGS: Final = 64
_TEXT: Final = r"""[rcwd]?"(?:[^"\\]|\\.)*"[cwd]?|`[^`]*`|'(?:[^'\\]|\\.)[^'\\]{0,8}'"""
_NUMBER: Final = r"-?[0-9](?:\.(?=[0-9])|(?<=[eEpP])[+-]|\w)*"
_MARK: Final = pattern(
    rf"(?P<text>{_TEXT})|(?P<number>(?<=!){_NUMBER})|(?P<bracket>[()\[\]])|\.|,\s*"
)
_BARE: Final = pattern(r"![^\W\d]\w*$")
"""An argument without parentheses behind which the next name may be a part of it."""
_INSTANCE: Final = pattern(r"[^\W\d]\w*!(?!=|is\b|in\b)")
_BARE_ARGUMENT: Final = pattern(rf"{_TEXT}|{_NUMBER}|[^\W\d]\w*")
_WITHOUT: Final = pattern(rf"([^!(]+!)({_TEXT}|{_NUMBER}|[^\W\d][\w.]*)")
_WITHIN: Final = pattern(rf"([^!(]+!)\(({_TEXT}|{_NUMBER}|[^\W\d][\w.]*)\)")


_OF_GDC: Final = {"this": "__ctor", "~this": "__dtor"}
"""What gdc calls constructors and destructors, which ldc2 calls as D does."""


def instance_end(text: str, begin: int) -> int | None:
    """Return where an instance of a template ends, `gen!int` or `two!(int, 7)`; None where none
    begins."""
    template = _INSTANCE.match(text, begin)
    if template is None:
        return None
    opening = template.end()
    if not text.startswith("(", opening):
        argument = _BARE_ARGUMENT.match(text, opening)
        return None if argument is None else argument.end()
    depth = 0
    for mark in _MARK.finditer(text, opening):
        depth += (mark["bracket"] in ("(", "[")) - (mark["bracket"] in (")", "]"))
        if not depth:
            return mark.end()
    return None


def d_spellings(name: str) -> tuple[str, ...]:
    """Return how the entries of D may have a name with points: that of a module has its packages,
    `app.core::counter`, and `main` has another name. ldc2 has the `main` of C in the module, too,
    which comes last. gdc names constructors and destructors otherwise. The parentheses of a
    template with one argument may be left out. Empty for a name that is always spelled so."""
    words = words_of(name)
    if len(words) < 2 and "!" not in name or not all(words):
        return ()
    spellings = (text for path in _paths(words) for text in _spelled(path))
    return tuple(dict.fromkeys(text for text in islice(spellings, _MAX_SPELLINGS) if text != name))


def words_of(name: str) -> list[str]:
    """Return the names between points; a comma is followed by a space, as in entries."""
    words, word, depth, begin = list[str](), "", 0, 0
    for mark in _MARK.finditer(name):
        depth += (mark["bracket"] in ("(", "[")) - (mark["bracket"] in (")", "]"))
        if mark[0].startswith(","):
            word, begin = f"{word}{name[begin : mark.start()].rstrip()}, ", mark.end()
        elif mark[0] == "." and not depth:
            words.append((word + name[begin : mark.start()]).strip())
            word, begin = "", mark.end()
    return [*words, (word + name[begin:]).strip()]


def _paths(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the components that words between points may be."""
    bare = [index for index, word in enumerate(words) if _BARE.search(word)]
    counts = [range(_plain_after(words, index) + 1) for index in bare]
    for chosen in product(*counts):
        path, index = list[str](), 0
        taken = dict(zip(bare, chosen, strict=True))
        while index < len(words):
            end = index + 1 + taken.get(index, 0)
            path.append(".".join(words[index:end]))
            index = end
        yield from map(list, product(*map(_forms, path)))


def _plain_after(words: Sequence[str], index: int) -> int:
    """Return how many words behind one are no templates."""
    behind = words[index + 1 :]
    return next((count for count, word in enumerate(behind) if "!" in word), len(behind))


def _forms(component: str) -> tuple[str, ...]:
    """Return a component, and with its only argument in parentheses, or without."""
    if (match := _WITHIN.fullmatch(component)) is not None:
        return component, f"{match[1]}{match[2]}"
    if (match := _WITHOUT.fullmatch(component)) is not None:
        return component, f"{match[1]}({match[2]})"
    return (component,)


def _spelled(path: Sequence[str]) -> Iterator[str]:
    """Yield the spellings of a path: the first of its components are the packages and module."""
    if any("!" in component for component in path):
        yield "::".join(path)  # in the module in focus
    for count in range(1, min(len(path), _MAX_PACKAGES)):
        if "!" in path[count - 1]:
            return
        inner = path[count:]
        in_main = [MAIN_OF_D if word == "main" else word for word in inner]
        of_gdc = [*inner[:-1], _OF_GDC.get(inner[-1], inner[-1])]
        for names in (*([in_main] if in_main != inner else ()), inner, of_gdc):
            yield "::".join((".".join(path[:count]), *names))
