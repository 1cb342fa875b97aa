"""Run inside GDB by `tools/bench.py unwind`: its Python frames and ours, of one stack, in turn."""

from __future__ import annotations

import time
from collections.abc import Callable

import gdb

from dwarfgpu.gdb.gdb_session import Debugger

ROUNDS = 15


def frames_of_gdb() -> int:
    """All frames, each asked where it is; nothing is known of them before."""
    gdb.invalidate_cached_frames()
    frame, count = gdb.newest_frame(), 0
    while frame is not None:
        frame.pc()
        frame, count = frame.older(), count + 1
    return count


def frames_of_dwarfgpu(debugger: Debugger) -> int:
    """The same by our call frame information, read before; the memory is read anew."""
    debugger.forget_frames()
    stack = debugger.call_stack(gdb.selected_thread().global_num)
    count = 0
    while stack.frame(count) is not None:
        count += 1
    return count


def timed(action: Callable[[], int]) -> tuple[float, int]:
    """Seconds of the processor, and how many frames."""
    start = time.process_time()
    count = action()
    return time.process_time() - start, count


def main() -> None:
    debugger = Debugger()
    theirs, ours, count = 1e9, 1e9, 0
    for _ in range(ROUNDS):
        seconds, count = timed(frames_of_gdb)
        theirs = min(theirs, seconds)
        seconds, same = timed(lambda: frames_of_dwarfgpu(debugger))
        ours = min(ours, seconds)
        assert same == count
    for name, best in (("GDB's Python", theirs), ("dwarfgpu, inside GDB", ours)):
        per = best / count
        print(f"| {name} | {count} | {per * 1e6:.1f} | {1 / per:,.0f} | {best / theirs:.2f} |")


main()
