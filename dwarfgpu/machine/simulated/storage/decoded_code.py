"""The instructions that were decoded in memory which waves can write.

Law: no executor keeps an instruction whose bytes have changed. Caches of instructions are not
coherent with stores ("S_ICACHE_INV" of AMD's ISA documents): between a store into code that was
fetched and the next `s_icache_inv`, a GPU executes the old or the new code, so a wave stops there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason

_PAGE: Final = 4096
"""Bytes of code that are compared at once."""


class _Page:
    """Consecutive bytes of one allocation, and those of them that were decoded."""

    def __init__(self, start: int, current: Any) -> None:
        self.start = start
        self.end = start + len(current)
        self.current = current
        """The bytes in memory."""
        self.fetched = np.zeros(len(current), np.uint8)
        """Those that were decoded, as they were then."""
        self.is_fetched = np.zeros(len(current), np.bool_)

    def add(self, pc: int, end: int) -> None:
        """Note that the bytes between two addresses were decoded."""
        part = slice(pc - self.start, end - self.start)
        self.fetched[part] = self.current[part]
        self.is_fetched[part] = True

    def forget_changed(self) -> Iterator[int]:
        """Forget the dwords that have changed since, and return their addresses."""
        changed = self.is_fetched & (self.current != self.fetched)
        if changed.any():
            for dword in sorted({(self.start + int(n)) & ~3 for n in changed.nonzero()[0]}):
                first = max(dword - self.start, 0)
                self.is_fetched[first : dword + 4 - self.start] = False
                yield dword


class DecodedCode:
    """What programs have decoded in writable memory, and who is to forget it.

    Its memory is in proportion to that of the code, however much of it is decoded.
    """

    def __init__(self) -> None:
        self._pages: dict[int, list[_Page]] = {}
        """What was decoded, by address / `_PAGE`; one for each allocation with bytes there."""
        self._start = self._end = 0
        """A range that has all of it."""
        self._stale: set[int] = set()
        """The dwords that a wave has changed since they were fetched."""
        self._keepers: list[Callable[[], None]] = []

    def __contains__(self, pc: int) -> bool:
        """Return whether an instruction at an address was decoded."""
        return any(
            page.start <= pc < page.end and bool(page.is_fetched[pc - page.start])
            for page in self._pages.get(pc // _PAGE, ())
        )

    def __bool__(self) -> bool:
        """Return whether it matters which wave stores before which other one executes."""
        return bool(self._pages or self._stale)

    def add_keeper(self, forget: Callable[[], None]) -> None:
        """Add what is called when instructions are to be decoded again."""
        self._keepers.append(forget)

    def add(self, pc: int, size_bytes: int, contents: Any, start: int) -> None:
        """Note an instruction in an allocation, an array of bytes that begins at `start`;
        `WaveStop` where a GPU may have an older one at its address."""
        end = pc + size_bytes
        if not self._stale.isdisjoint(range(pc, end, 4)):
            text = f"the code at {pc:#x} has changed since it was fetched, without s_icache_inv"
            raise WaveStop(
                StopReason.NOT_SIMULATED, f"{text}: a GPU executes the old or the new code"
            )
        self._start = min(self._start, pc) if self._pages else pc
        self._end = max(self._end, end) if self._pages else end
        while pc < end:
            page = self._page(pc, contents, start)
            page.add(pc, min(end, page.end))
            pc = page.end

    def _page(self, pc: int, contents: Any, start: int) -> _Page:
        pages = self._pages.setdefault(pc // _PAGE, [])
        for page in pages:
            if page.start <= pc < page.end:
                return page
        first = max(pc // _PAGE * _PAGE, start)
        end = (pc // _PAGE + 1) * _PAGE
        pages.append(_Page(first, contents[first - start : end - start]))
        return pages[-1]

    def stored(self, addresses: Any, size_bytes: int) -> None:
        """Note what a wave has stored at some addresses, an array of them or one."""
        if not self._pages:
            return
        if np.any((addresses < self._end) & (addresses + size_bytes > self._start)):
            self._stale.update(self._forget_changed())

    def replaced(self, address: int, size_bytes: int) -> None:
        """Note what a debugger has written, which also invalidates what a GPU has fetched."""
        self._stale.difference_update(range(address & ~3, address + size_bytes, 4))
        self._forget_changed()

    def invalidate(self) -> None:
        """Execute `s_icache_inv`: nothing is fetched then."""
        self._stale.clear()
        if self._pages:
            self._pages.clear()
            self._decode_again()

    def _decode_again(self) -> None:
        for forget in self._keepers:
            forget()

    def _forget_changed(self) -> list[int]:
        """Forget the instructions that have changed; return their dwords."""
        changed = [
            dword
            for pages in self._pages.values()
            for page in pages
            for dword in page.forget_changed()
        ]
        if changed:
            self._decode_again()
        return changed
