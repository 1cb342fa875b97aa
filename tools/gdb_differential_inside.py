"""Run inside GDB by tools/gdb_differential.py: GDB's frames and variables against ours.

python Walk(seed).walk("moved.c", 50).report()
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter

import gdb

from dwarfgpu.gdb.compare_frames import compare, gdb_frames
from dwarfgpu.gdb.gdb_session import Debugger
from dwarfgpu.gdb.variables import compare_variables

SETTINGS = (
    "set backtrace past-main on",
    "set max-value-size 1048576",
    "set target-charset ASCII",
    "handle SIGUSR1 nostop noprint pass",
)
MAX_STEPS = 30
MAX_EXAMPLES = 40
MAX_RESTARTS = 60


def functions(source: str) -> list[tuple[int, int]]:
    """Where the functions of a source file begin and end, by their addresses."""
    items = set()
    symtab = gdb.lookup_symbol("main")[0].symtab
    assert symtab.filename.endswith(source), symtab.filename
    for block in (symtab.global_block(), symtab.static_block()):
        for symbol in block:
            if symbol.is_function and not symbol.needs_frame:
                body = gdb.block_for_pc(int(symbol.value().address))
                while body is not None and body.function is None:
                    body = body.superblock
                if body is not None and body.end > body.start:
                    items.add((int(body.start), int(body.end)))
    return sorted(items)


class Walk:
    """Stops, and what was compared at them."""

    def __init__(self, seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}
        self.unexplained: list[str] = []
        self.deepest = 0
        self._debugger = Debugger()
        self._choice = random.Random(seed)
        self._seconds = 0.0

    def walk(self, source: str, stops: int) -> Walk:
        """Stop at that many places, instructions of the functions of the program and behind."""
        for setting in SETTINGS:
            gdb.execute(setting, to_string=True)
        gdb.execute("break main", to_string=True)
        gdb.execute("run", to_string=True)
        gdb.execute("delete", to_string=True)
        places = self._places(source)
        while self.counts["stops"] < stops and self.counts["restarts"] < MAX_RESTARTS:
            gdb.execute(
                f"tbreak *{self._choice.choice(self._choice.choice(places))}", to_string=True
            )
            if not self._go("continue"):
                self.counts["restarts"] += 1
                gdb.execute("delete", to_string=True)
                gdb.execute("tbreak main", to_string=True)
                self._go("run")
                continue
            if self._choice.random() < 0.4:
                self._go(f"stepi {self._choice.randint(1, MAX_STEPS)}")
            if gdb.selected_thread() is not None:
                self.stop()
        return self

    def run(self, stops: int, least: int, most: int) -> Walk:
        """Stop a program that does not end, again and again after some instructions."""
        for setting in SETTINGS:
            gdb.execute(setting, to_string=True)
        for _ in range(stops):
            self._go(f"stepi {self._choice.randint(least, most)}")
            self.stop()
        return self

    def _go(self, command: str) -> bool:
        """Whether the program is still there."""
        gdb.execute(command, to_string=True)
        return gdb.selected_thread() is not None

    def _places(self, source: str) -> list[list[int]]:
        architecture = gdb.selected_frame().architecture()
        return [
            [item["addr"] for item in architecture.disassemble(begin, end - 1)]
            for begin, end in functions(source)
        ]

    def stop(self) -> None:
        """Compare all variables of all frames of all threads."""
        self.counts["stops"] += 1
        selected = gdb.selected_thread()
        began = time.monotonic()
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda each: each.num):
            thread.switch()
            self._thread(f"{gdb.newest_frame().pc():#x}")
        self._seconds += time.monotonic() - began
        selected.switch()

    def _thread(self, where: str) -> None:
        self.counts["threads"] += 1
        changes = compare(self._debugger)
        self.deepest = max(self.deepest, changes.frames)
        self.counts["frames"] += changes.frames
        self.counts["facts"] += changes.facts
        for difference in changes.differences:
            # Functions that made tail calls have frames; each has some that the other
            # has not: counted, not compared.
            if difference.what == "tail call":
                whose = "only here" if difference.gdb_text == "none" else "only in GDB"
                self.counts[f"tail calls {whose}"] += 1
            elif difference.reason is not None:
                self._explained(difference.reason, f"{where}: {difference}")
            else:
                self.unexplained.append(f"{where}: {difference}")
        for frame in gdb_frames():
            kind = {gdb.INLINE_FRAME: "inlined", gdb.SIGTRAMP_FRAME: "signal"}.get(frame.type())
            if kind is not None:
                self.counts[f"{kind} frames"] += 1
            self._frame(where, frame)

    def _frame(self, where: str, frame: gdb.Frame) -> None:
        for comparison in compare_variables(self._debugger, frame):
            self.counts["variables"] += 1
            self.counts["outer"] += frame.level() > 0
            self.counts["optimized out"] += (
                comparison.is_same and comparison.own_text == "<optimized out>"
            )
            self.counts["bits"] += comparison.compared_bits
            text = f"{where} in {frame.name()}: {comparison}"
            if comparison.is_same:
                self.counts["same"] += 1
            elif comparison.reason is None:
                self.unexplained.append(text)
            else:
                self.counts["explained"] += 1
                self._explained(comparison.reason, text)

    def _explained(self, reason: str, text: str) -> None:
        self.reasons[reason] += 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append(text)

    def report(self) -> None:
        result = {name: value for name, value in vars(self).items() if name[0] != "_"}
        print("\n@@" + json.dumps({**result, "seconds": self._seconds}))
