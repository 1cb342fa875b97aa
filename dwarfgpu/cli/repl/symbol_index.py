"""The names that completion offers beside those in scope: functions, variables and types.

Law: whoever completes never waits. The names are collected in the background; until they are there,
none is offered.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from threading import Thread
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.errors import DwarfGpuError

MOST: Final = 200
"""Names that are offered for one word, as with GDB's max-completions."""
_KINDS: Final = {
    dw.TAG_SUBPROGRAM: "function",
    dw.TAG_VARIABLE: "variable",
    dw.TAG_BASE_TYPE: "type",
    dw.TAG_TYPEDEF: "type",
    dw.TAG_STRUCTURE_TYPE: "type",
    dw.TAG_CLASS_TYPE: "type",
    dw.TAG_UNION_TYPE: "type",
    dw.TAG_ENUMERATION_TYPE: "type",
}
_AROUND: Final = frozenset({dw.TAG_NAMESPACE, dw.TAG_MODULE})


class SymbolIndex:
    """Sorted names, and what they are."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._kinds: dict[str, str] = {}
        self._of: tuple[CodeObject, ...] = ()

    def collect(self, code_objects: tuple[CodeObject, ...]) -> None:
        """Collect the names of code objects, in the background."""
        if code_objects == self._of:
            return
        self._of = code_objects
        Thread(target=self._collect, args=(code_objects,), daemon=True).start()

    def _collect(self, code_objects: tuple[CodeObject, ...]) -> None:
        kinds: dict[str, str] = {}
        for each in code_objects:
            kinds.update(names_of(each))
        if code_objects == self._of:
            self.take(kinds)

    def take(self, kinds: dict[str, str]) -> None:
        """Offer these names from now on."""
        self._kinds, self._names = kinds, tuple(sorted(kinds))

    def starting_with(self, word: str) -> Iterator[tuple[str, str]]:
        """Names that begin so, with what they are; a limited number."""
        names, kinds = self._names, self._kinds
        first = bisect_left(names, word)
        for name in islice(names, first, first + MOST):
            if not name.startswith(word):
                return
            yield name, kinds.get(name, "")


def names_of(code_object: CodeObject) -> Iterator[tuple[str, str]]:
    """The names that a code object declares outside of functions and classes."""
    for unit in code_object.info.units:
        try:
            yield from _declared(unit.root.children(), "")
        except DwarfGpuError:
            continue  # what reads the unit reports it


def _declared(entries: Iterable[Die], around: str) -> Iterator[tuple[str, str]]:
    for die in entries:
        name = die.name
        if name is None:
            continue
        if die.tag in _KINDS:
            yield f"{around}{name}", _KINDS[die.tag]
        elif die.tag in _AROUND:
            yield from _declared(die.children(), f"{around}{name}::")
