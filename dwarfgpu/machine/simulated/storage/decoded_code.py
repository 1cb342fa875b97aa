"""The instructions that were decoded in memory which waves can write.

Law: no executor keeps an instruction whose bytes have changed. Caches of instructions are not
coherent with stores ("S_ICACHE_INV" of AMD's ISA documents): between a store into code that was
fetched and the next `s_icache_inv`, a GPU executes the old or the new code, so a wave stops there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason


class DecodedCode:
    """What programs have decoded in writable memory, and who is to forget it."""

    def __init__(self) -> None:
        self._contents: dict[int, tuple[memoryview, bytes]] = {}
        """The bytes of each instruction, now and when it was decoded, by its address."""
        self._start = self._end = 0
        """A range that has all of them."""
        self._stale: set[int] = set()
        """The dwords that a wave has changed since they were fetched."""
        self._keepers: list[Callable[[], None]] = []

    def __contains__(self, pc: int) -> bool:
        return pc in self._contents

    def __bool__(self) -> bool:
        """Return whether it matters which wave stores before which other one executes."""
        return bool(self._contents or self._stale)

    def add_keeper(self, forget: Callable[[], None]) -> None:
        """Add what is called when instructions are to be decoded again."""
        self._keepers.append(forget)

    def add(self, pc: int, contents: memoryview) -> None:
        """Note an instruction, with its bytes in memory; `WaveStop` where a GPU may have an older
        one at its address."""
        end = pc + len(contents)
        if not self._stale.isdisjoint(range(pc, end, 4)):
            text = f"the code at {pc:#x} has changed since it was fetched, without s_icache_inv"
            raise WaveStop(
                StopReason.NOT_SIMULATED, f"{text}: a GPU executes the old or the new code"
            )
        self._start = min(self._start, pc) if self._contents else pc
        self._end = max(self._end, end) if self._contents else end
        self._contents[pc] = contents, bytes(contents)

    def stored(self, addresses: Any, size_bytes: int) -> None:
        """Note what a wave has stored at some addresses, an array of them or one."""
        if not self._contents:
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
        if self._contents:
            self._contents.clear()
            self._decode_again()

    def _decode_again(self) -> None:
        for forget in self._keepers:
            forget()

    def _forget_changed(self) -> list[int]:
        """Forget the instructions that have changed; return their dwords."""
        changed = [
            (pc, len(data)) for pc, (contents, data) in self._contents.items() if contents != data
        ]
        for pc, _ in changed:
            del self._contents[pc]
        if changed:
            self._decode_again()
        return [dword for pc, size in changed for dword in range(pc, pc + size, 4)]
