"""GDB's selected thread."""

from __future__ import annotations

import gdb

from dwarfgpu.errors import UsageError


def selected_thread() -> gdb.InferiorThread | None:
    """Return the selected thread; None without a program. `UsageError` for a thread that has
    exited, which stays selected if GDB stops while no other one runs."""
    try:
        return gdb.selected_thread()
    except SystemError:  # GDB 13 has no Python object of it
        raise UsageError(
            'the selected thread has exited: select another one ("info threads", "thread N")'
        ) from None
