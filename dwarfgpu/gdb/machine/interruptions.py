"""What Ctrl-C leaves behind: only inside GDB's own Python.

Law: an interrupted command may have kept half of a result (frames of a stack, entries of a file),
which would be taken for the whole; nothing that was kept before an interruption is used after it,
nor what GDB kept of its own frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import gdb

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.gdb.machine.gdb_values import function_name


class Interruptions:
    """How often something was interrupted in this GDB."""

    def __init__(self) -> None:
        self.count = 0

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Count what ends a block and is no error of GDB or dwarfgpu: Ctrl-C, or no memory left."""
        try:
            yield
        except (DwarfGpuError, gdb.error, gdb.GdbError):
            raise
        except BaseException:
            self.count += 1
            find_frames_again()
            raise


def find_frames_again() -> None:
    """Let GDB search for all its frames again; it keeps the selected one.

    GDB 13 keeps a frame without a caller if the search for it was interrupted: its stack ends
    there until the program runs.
    """
    try:
        selected = gdb.selected_frame()
    except gdb.error:  # no program, or the thread runs
        return
    gdb.invalidate_cached_frames()
    if selected.is_valid():
        selected.select()


def older_frame(frame: gdb.Frame) -> gdb.Frame | None:
    """Return GDB's caller of a frame, also where a command of GDB's own was interrupted amid the
    search for it."""
    older: gdb.Frame | None = frame.older()
    if older is not None or function_name(frame) == "main":
        return older
    if frame.unwind_stop_reason() == gdb.FRAME_UNWIND_NO_REASON:
        find_frames_again()
        older = frame.older()
    return older


@cache
def interruptions() -> Interruptions:
    """Return those of this GDB."""
    return Interruptions()
