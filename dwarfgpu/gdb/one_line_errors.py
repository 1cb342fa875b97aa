"""What the commands and the functions for scripts promise: one line where something is wrong, and
GDB as it was.

Law: what leaves here is a `gdb.GdbError`; the `DwarfGpuError` behind it is its `__cause__`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gdb

from dwarfgpu.base.printable import one_line
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.expr.operation_budget import budget_of_command
from dwarfgpu.gdb.machine.gdb_target import undisturbed
from dwarfgpu.gdb.machine.interruptions import interruptions
from dwarfgpu.language import is_in_gdbs_words


@contextmanager
def gdb_errors() -> Iterator[None]:
    """Convert errors to `gdb.GdbError`, which GDB shows as one line, with GDB's words where it has
    some; any other error begins with its kind."""
    try:
        with interruptions().noted():
            yield
    except DwarfGpuError as error:
        raise gdb.GdbError(one_line(_text(error))) from error
    except gdb.error as error:
        raise gdb.GdbError(one_line(" ".join(str(error).split()))) from None


def _text(error: DwarfGpuError) -> str:
    if isinstance(error, UndefinedBits):
        from dwarfgpu.service.gdb_error_text import message_of  # few commands end so

        return message_of(error)
    return str(error) if is_in_gdbs_words(error) else f"{error.kind}: {error}"


@contextmanager
def command() -> Iterator[None]:
    """Run a command; GDB stays in its thread, frame and lane."""
    with gdb_errors(), undisturbed(), budget_of_command():
        yield
