"""Explicit locations, which name their parts: `-source reduce.hip -line 45`, `-function nest`."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError

_PARTS: Final = ("source", "function", "line")
_UNSUPPORTED: Final = ("label", "qualified")
_NAME: Final = pattern(r"-(?P<name>[a-zA-Z]+)(?:\s+|$)")
_END: Final = pattern(r"\s+(?=-[a-zA-Z])|$")


def linespec_of(text: str) -> str:
    """Return the linespec of an explicit location, and any other text as it is.

    A function makes a line of it meaningless, as in GDB. `UsageError` with GDB's wording.
    """
    if _NAME.match(text) is None:
        return text
    values: dict[str, str] = {}
    rest = text
    while rest:
        match = _NAME.match(rest)
        if match is None:
            raise UsageError(f"Garbage '{rest}' at end of command")
        name = _full_name(match["name"])
        rest = rest[match.end() :]
        end = _END.search(rest)
        value, rest = (rest, "") if end is None else (rest[: end.start()], rest[end.end() :])
        if name != "function":  # the name of a function may have blanks
            value, _, junk = value.partition(" ")
            rest = f"{junk} {rest}".strip()
        if not value:
            raise UsageError(f'missing argument for "-{name}"')
        values[name] = value
    inside = values.get("function", values.get("line"))
    if inside is None:
        raise UsageError("Source filename requires function, label, or line offset.")
    return f"{values['source']}:{inside}" if "source" in values else inside


def _full_name(word: str) -> str:
    """Return the part that a word begins, as `func`."""
    for name in _PARTS:
        if name.startswith(word):
            return name
    if any(name.startswith(word) for name in _UNSUPPORTED):
        raise UsageError(f'"-{word}" is not supported in a location.')
    raise UsageError(f'invalid explicit location argument, "-{word}"')
