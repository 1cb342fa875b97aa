"""Run inside GDB: our frames against GDB's, at stops chosen by a seed. No test by itself."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import gdb

from dwarfgpu.gdb import Debugger
from dwarfgpu.gdb.compare_frames import compare, gdb_frames
from dwarfgpu.gdb.variables import compare_variables

MAX_STEPS = 20
MAX_IGNORED = 4


class Unwinding:
    """Stops, frames and facts compared, and where they differ."""

    def __init__(self, seed: int, every: int = 0) -> None:
        """Of `every` so many stops, variables are compared at one."""
        self.stops = self.frames = self.facts = self.signals = self.inlined = self.deepest = 0
        self.variables = self.outer = self.explained = 0
        self.differences: list[str] = []
        self._every = every
        self._debugger = Debugger()
        self._choice = random.Random(seed)

    def walk(self, stops: int, groups: Sequence[str]) -> Unwinding:
        """Go on by some instructions or to functions of the next group, again and again."""
        gdb.execute("set backtrace past-main on")
        for number, group in enumerate(groups, 1):
            gdb.execute("delete")
            for word in group.split():
                gdb.execute(f"break {word}", to_string=True)
            gdb.execute("continue", to_string=True)
            while self.stops < stops * number // len(groups) and gdb.selected_inferior().pid:
                self.stop()
                self._go_on()
        return self

    def _go_on(self) -> None:
        steps, ignored = (self._choice.randint(1, item) for item in (MAX_STEPS, MAX_IGNORED))
        is_step = self._choice.random() < 0.6
        gdb.execute(f"stepi {steps}" if is_step else f"continue {ignored}", to_string=True)

    def stop(self) -> None:
        """Compare all frames."""
        changes = compare(self._debugger)
        self.stops += 1
        self.frames += changes.frames
        self.facts += changes.facts
        self.deepest = max(self.deepest, changes.frames)
        kinds = [gdb_frame.type() for gdb_frame in gdb_frames()]
        self.signals += kinds.count(gdb.SIGTRAMP_FRAME)
        self.inlined += kinds.count(gdb.INLINE_FRAME)
        where = f"{gdb.newest_frame().pc():#x}"
        if self._every and self.stops % self._every == 0:
            self._variables(where)
        # Tail calls that only dwarfgpu finds are not a mistake; those that only GDB finds are.
        unknown = [difference for difference in changes.differences if difference.reason is None]
        more = [item for item in unknown if (item.what, item.gdb_text) != ("tail call", "none")]
        self.differences += [f"{where}: {item}" for item in more]

    def _variables(self, where: str) -> None:
        """Compare the variables of all frames."""
        for frame in gdb_frames():
            for comparison in compare_variables(self._debugger, frame):
                self.variables += 1
                self.outer += frame.level() > 0
                self.explained += comparison.reason is not None
                if not comparison.is_same and comparison.reason is None:
                    self.differences.append(f"{where} in {frame.name()}: {comparison}")

    def report(self) -> None:
        known = {name: value for name, value in vars(self).items() if name[0] != "_"}
        print("\n@@" + json.dumps(known))  # GDB may be amid a line
