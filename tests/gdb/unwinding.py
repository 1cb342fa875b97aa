"""Run inside GDB: our frames against GDB's, at stops chosen by a seed. No test by itself."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import gdb

from dwarfgpu.arch import architecture
from dwarfgpu.backends.ingdb import GdbTarget, frame_cfa, frame_register
from dwarfgpu.callers import LoadedCode
from dwarfgpu.cfi.stack import CallStack
from dwarfgpu.cfi.unwind import PhysicalFrame
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context

X86 = architecture("x86_64")
SAVED = ("rbx", "rbp", "rsp", "r12", "r13", "r14", "r15", "rip")
_MAPPED = re.compile(r"^([0-9a-f]+)-\S+ \S+ ([0-9a-f]+) \S+ \S+ +(/.*)$", re.MULTILINE)


def code_objects(pid: int) -> list[CodeObject]:
    """What the kernel says is mapped, once for each file."""
    found: dict[str, int] = {}
    for start, offset, path in _MAPPED.findall(Path(f"/proc/{pid}/maps").read_text()):
        if not int(offset, 16):
            found.setdefault(path, int(start, 16))
    out = []
    for path, start in found.items():
        if Path(path).read_bytes()[:4] == b"\x7fELF":
            linked = CodeObject.open(path)
            lowest = min(
                each.address - each.offset for each in linked.file.segments if each.type == 1
            )
            out.append(CodeObject.open(path, start - lowest))
    return out


class Unwinding:
    """Stops, frames and registers compared, and where they differ."""

    def __init__(self) -> None:
        self.stops = self.frames = self.signals = 0
        self.ends: dict[str, int] = {}
        self.differences: list[str] = []
        self.deepest = 0

    def walk(self, seed: int, stops: int, most: int) -> None:
        """Stop after a number of instructions, again and again, while the program runs."""
        choice = random.Random(seed)
        target = GdbTarget()
        loaded: LoadedCode | None = None
        gdb.execute("set backtrace past-main on")
        gdb.execute("set backtrace past-entry off")
        for _ in range(stops):
            pid = gdb.selected_inferior().pid
            if not pid:
                break
            loaded = loaded or LoadedCode(code_objects(pid), X86)
            self.stop(target, loaded)
            try:
                gdb.execute(f"stepi {choice.randint(1, most)}", to_string=True)
            except gdb.error:
                break

    def stop(self, target: GdbTarget, loaded: LoadedCode) -> None:
        frame = gdb.newest_frame()
        wave = gdb.selected_thread().global_num
        stack = CallStack(Context(X86, wave, target=target), int(frame.pc()), loaded)
        level = 0
        self.stops += 1
        while frame is not None:
            if frame.type() in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                frame = frame.older()
                continue
            ours = stack.frame(level)
            if ours is None:
                reason = frame.unwind_stop_reason()
                self.differences.append(f"#{level} {frame.name()} {reason}: {stack.end}")
                return
            self._compare(frame, ours, is_last=frame.older() is None)
            level += 1
            frame = frame.older()
        self.deepest = max(self.deepest, level)
        further = stack.frame(level)
        if further is not None:
            self.differences.append(f"GDB ends before {further.pc:#x}")
        end = re.sub("0x[0-9a-f]+", "P", str(stack.end))
        self.ends[end] = self.ends.get(end, 0) + 1

    def _compare(self, frame: gdb.Frame, ours: PhysicalFrame, *, is_last: bool) -> None:
        self.frames += 1
        self.signals += frame.type() == gdb.SIGTRAMP_FRAME
        where = f"#{ours.level} {frame.name()}+{frame.pc():#x}"
        if ours.pc != frame.pc():
            self.differences.append(f"{where}: pc {ours.pc:#x}")
        for name in SAVED:
            info = X86.by_name[name]
            assert info.number is not None
            theirs = frame_register(frame, info)
            try:
                held = ours.contents(info.number)
                mine = held.value.to_bytes(8, "little") if held.is_complete else None
            except DwarfGpuError as error:
                self.differences.append(f"{where}: {name}: {error}")
                continue
            if mine != theirs:
                self.differences.append(f"{where}: {name} {mine!r}, not {theirs!r}")
        if ours.has_row and not is_last:
            address = ours.cfa().places[0].byte_address
            if address != frame_cfa(frame):
                self.differences.append(f"{where}: CFA {address:#x}, not {frame_cfa(frame):#x}")

    def report(self) -> None:
        print("\n@@" + json.dumps(vars(self)))  # GDB may be amid a line
