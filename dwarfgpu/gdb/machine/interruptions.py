"""What Ctrl-C leaves behind: only inside GDB's own Python.

Law: an interrupted command may have kept half of a result (frames of a stack, entries of a file),
which would be taken for the whole; nothing that was kept before an interruption is used after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import gdb

from dwarfgpu.errors import DwarfGpuError


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
            raise


@cache
def interruptions() -> Interruptions:
    """Return those of this GDB."""
    return Interruptions()
