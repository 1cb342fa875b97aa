"""GDB's groups of the registers of AArch64, in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from dwarfgpu.arch.model import RegisterGroups

_INTEGER: Final = (*(f"x{n}" for n in range(31)), "sp", "pc", "cpsr")
_STATUS: Final = ("fpsr", "fpcr")
_MASKS: Final = ("pauth_dmask", "pauth_cmask")
_VECTORS: Final = tuple(f"v{n}" for n in range(32))
_GROUPS: Final = ("general", "float", "system", "vector", "all", "save", "restore")


def _names(group: str, has: Callable[[str], bool]) -> Iterator[str]:
    """Yield the registers of a group that the processor has, according to `has`."""
    masks = _MASKS if has("pauth_cmask") else ()
    pointer = ("tpidr_el0",) if has("tpidr_el0") else ()
    if group == "general":
        yield from (*_INTEGER, *_STATUS, *masks, *pointer)
    elif group == "float":
        yield from _views("ds")
    elif group == "vector":
        yield from (*_VECTORS, *_views("qdshb"))
    elif group != "system":
        yield from (*_INTEGER, *_VECTORS, *_STATUS, *masks, *pointer)
        if group == "all":
            yield from (*_views("qdshb"), *(f"w{n}" for n in range(31)))


def _views(letters: str) -> Iterator[str]:
    return (f"{letter}{n}" for letter in letters for n in range(32))


GROUPS: Final = RegisterGroups(_GROUPS, _names)
