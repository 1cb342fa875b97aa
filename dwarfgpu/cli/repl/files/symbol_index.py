"""The names that completion offers beside those in scope: functions, variables and types.

Law: whoever completes never waits. The names are collected in the background; until they are there,
none is offered.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from threading import Thread
from typing import Final

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.outermost import names_of

MOST: Final = 200
"""Names that are offered for one word, as with GDB's max-completions."""


class SymbolIndex:
    """Sorted names, and what they are."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._kinds: dict[str, str] = {}
        self._of: tuple[CodeObject, ...] = ()
        self._worker: Thread | None = None

    def collect(self, code_objects: tuple[CodeObject, ...], *, waits: bool = False) -> None:
        """Collect the names of code objects, in the background unless somebody waits for them."""
        if code_objects != self._of:
            self._of = code_objects
            self._worker = Thread(target=self._collect, args=(code_objects,), daemon=True)
            self._worker.start()
        if waits and self._worker is not None:
            self._worker.join()

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
