"""Why an item of a batch has no result."""

from __future__ import annotations

import signal

from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError


def out_of_memory(item: object) -> LimitExceeded:
    """Return the error of an item for which there is not enough memory."""
    return LimitExceeded(f"{item} needs more memory than is available")


def nested_too_deep(item: object) -> LimitExceeded:
    """Return the error of an item that is nested deeper than Python calls."""
    return LimitExceeded(f"{item} is nested deeper than this command follows")


def process_ended(item: object, status: int | None) -> DwarfGpuError:
    """Return the error of an item whose process ended; `status` as in `Process.exitcode`."""
    if status == -signal.SIGKILL:
        return LimitExceeded(f"{item}: its process was killed, probably for lack of memory")
    if status is not None and status < 0:
        return UsageError(f"{item}: its process was ended by {signal.Signals(-status).name}")
    return UsageError(f"{item}: its process ended with status {status}")
