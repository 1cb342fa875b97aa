"""What the functions preserve that a function of an AMD GPU calls, and those that they call: read
from their machine code (`dwarfgpu.cfi.saved_registers`).

Law: a function that calls itself preserves what it does where its own calls are taken to preserve
that: by induction over their number. What follows from an assumption that fails is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.cfi.known_registers import CONVENTION, Preserved
from dwarfgpu.cfi.saved_registers import SavedRegisterAnalysis

_MOST_CALLS: Final = 8
"""Functions that call one another whose code is read for one of them."""
_MOST_FUNCTIONS: Final = 64
"""Functions whose code is read for one of them; a recursive one counts for each assumption."""


class CalledFunctions:
    """The functions that are called from one."""

    def __init__(
        self, processor: str, wave_size: int, code_at: Callable[[int], bytes | None]
    ) -> None:
        """`code_at` returns the code of the function that begins at an address, if any does."""
        self._processor = processor
        self._wave_size = wave_size
        self._code_at = code_at
        self._known: dict[int, Preserved | None] = {}
        self._open: dict[int, Preserved] = {}
        """What functions are taken to preserve whose code is being read."""
        self._assumed: set[int] = set()
        """Those of them that are called again."""
        self._count = 0

    def analysis(self, code: bytes, entry: int) -> SavedRegisterAnalysis:
        """Return the analysis of a function; errors are those of `SavedRegisterAnalysis`."""
        return SavedRegisterAnalysis(
            self._processor, self._wave_size, code, entry, self._preserved_by
        )

    def _preserved_by(self, address: int) -> Preserved | None:
        """Return what the function at an address preserves; None if that is unknown."""
        if address in self._open:
            self._assumed.add(address)
            return self._open[address]
        if address not in self._known:
            self._known[address] = self._read(address)
        return self._known[address]

    def _read(self, address: int) -> Preserved | None:
        code = self._code_at(address) if len(self._open) < _MOST_CALLS else None
        intact, known = CONVENTION.vectors, self._known
        while code is not None and self._count < _MOST_FUNCTIONS:
            self._count += 1
            self._known = known.copy()
            self._assumed.discard(address)
            self._open[address] = Preserved(CONVENTION.scalars, CONVENTION.vectors, intact)
            try:
                preserved = self.analysis(code, address).preserved
            finally:
                del self._open[address]
            restored = frozenset[int]() if preserved is None else preserved.intact
            if address not in self._assumed or intact <= restored:
                return preserved
            self._known = known
            if preserved is None:
                return None
            intact &= restored
        return None
