"""GDB's frames by the levels of a call stack, where tail calls may have other frames."""

from __future__ import annotations

import gdb

from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import functions_at


def code_address(frame: gdb.Frame) -> int:
    """Return the program location of a frame: for a frame that waits for a call to return, inside
    the call.

    Its pc is after the call, which may already be another scope or another function.
    """
    newer = frame.newer()
    while newer is not None and newer.type() == gdb.INLINE_FRAME:
        newer = newer.newer()
    calls = (gdb.NORMAL_FRAME, gdb.TAILCALL_FRAME)
    is_waiting = newer is not None and newer.type() in calls and frame.type() != gdb.SIGTRAMP_FRAME
    return int(frame.pc()) - is_waiting


class FrameLevels:
    """The levels in dwarfgpu of GDB's frames of one stack, each found once."""

    def __init__(self, stack: CallStack) -> None:
        self.stack = stack
        self._levels: list[tuple[int, str | None, gdb.Frame]] = []
        """By GDB's level: the own level, why there is none, and the physical frame."""

    def of(self, frame: gdb.Frame) -> tuple[int, str | None]:
        """Return the level of a frame of GDB, and the reason if dwarfgpu does not have it.

        Both have tail-call frames, though not always the same ones.
        """
        number = int(frame.level())
        while len(self._levels) <= number:
            level, why = -1, None
            newest = gdb.newest_frame()
            if self._levels:
                level, why, last = self._levels[-1]
                newest = last.older()
            physical, count = newest, 1
            while physical.type() == gdb.INLINE_FRAME:
                physical, count = physical.older(), count + 1
            if level < 0 or self.stack.frame(level) is not None:  # else it has ended before
                level, why = self._next(level, physical)
            self._levels += [(level, why, physical)] * count
        level, why, _ = self._levels[number]
        return level, why

    def _next(self, level: int, physical: gdb.Frame) -> tuple[int, str | None]:
        """Return the level of GDB's frame behind the one that has a level."""
        own_frame = self.stack.frame(level + 1)
        if physical.type() == gdb.TAILCALL_FRAME:
            is_own = (
                own_frame is not None and own_frame.is_tail_call and own_frame.pc == physical.pc()
            )
            return level + int(is_own), None if is_own else "it was left by a tail call"
        while own_frame is not None and own_frame.is_tail_call:
            level += 1
            own_frame = self.stack.frame(level + 1)
        if own_frame is None:
            return level + 1, str(self.stack.end)
        is_same = own_frame.pc == physical.pc()
        return level + 1, None if is_same else f"dwarfgpu's frame is at {own_frame.pc:#x}"


def inline_level_of(physical: Session, frame: gdb.Frame) -> int:
    """Return dwarfgpu's level of GDB's frame among the functions of a physical one.

    A function that tail-called has one frame, that of the innermost function.
    """
    if frame.type() == gdb.TAILCALL_FRAME:
        return 0
    return max(len(functions_at(physical)) - 1 - inline_depth(frame), 0)


def inline_depth(frame: gdb.Frame) -> int:
    """Return how many inlined functions lie between a frame's function and the physical frame."""
    depth = 0
    while frame is not None and frame.type() == gdb.INLINE_FRAME:
        depth += 1
        frame = frame.older()
    return depth
