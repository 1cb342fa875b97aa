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


def our_level(stack: CallStack, frame: gdb.Frame) -> tuple[int, str | None]:
    """Return the level in dwarfgpu of a frame of GDB, and the reason if dwarfgpu does not have it.

    Both have tail-call frames, though not always the same ones.
    """
    chain: list[gdb.Frame] = []
    while frame is not None:
        if frame.type() != gdb.INLINE_FRAME:
            chain.append(frame)
        elif not chain:
            frame = frame.older()
            continue
        frame = frame.newer()
    level, why = -1, None
    for block in reversed(chain):
        own_frame = stack.frame(level + 1)
        if block.type() == gdb.TAILCALL_FRAME:
            is_own = own_frame is not None and own_frame.is_tail_call and own_frame.pc == block.pc()
            level, why = level + is_own, None if is_own else "it was left by a tail call"
            continue
        while own_frame is not None and own_frame.is_tail_call:
            level += 1
            own_frame = stack.frame(level + 1)
        level += 1
        if own_frame is None:
            return level, str(stack.end)
        why = None if own_frame.pc == block.pc() else f"dwarfgpu's frame is at {own_frame.pc:#x}"
    return level, why


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
