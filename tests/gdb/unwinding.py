"""Run inside GDB: our frames against GDB's, at stops chosen by a seed. No test by itself."""

from __future__ import annotations

import json
import random

import gdb

from dwarfgpu.gdb import Debugger
from dwarfgpu.gdb_compare import compare, gdb_frames


class Unwinding:
    """Stops, frames and facts compared, and where they differ."""

    def __init__(self) -> None:
        self.stops = self.frames = self.facts = self.signals = self.inlined = self.deepest = 0
        self.differences: list[str] = []
        self._debugger = Debugger()

    def walk(self, seed: int, stops: int, most: int) -> None:
        """Stop after a number of instructions, again and again, while the program runs."""
        choice = random.Random(seed)
        gdb.execute("set backtrace past-main on")
        for _ in range(stops):
            if not gdb.selected_inferior().pid:
                break
            self.stop()
            try:
                gdb.execute(f"stepi {choice.randint(1, most)}", to_string=True)
            except gdb.error:
                break

    def stop(self) -> None:
        """Compare all frames."""
        found = compare(self._debugger)
        self.stops += 1
        self.frames += found.frames
        self.facts += found.facts
        self.deepest = max(self.deepest, found.frames)
        kinds = [each.type() for each in gdb_frames()]
        self.signals += kinds.count(gdb.SIGTRAMP_FRAME)
        self.inlined += kinds.count(gdb.INLINE_FRAME)
        where = f"{gdb.newest_frame().pc():#x}"
        self.differences += [f"{where}: {each}" for each in found.differences]

    def report(self) -> None:
        known = {name: value for name, value in vars(self).items() if name[0] != "_"}
        print("\n@@" + json.dumps(known))  # GDB may be amid a line
