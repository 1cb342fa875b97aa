"""dwarfgpu for scripts inside GDB: `import dwarfgpu.gdb as dg`.

`dg.frame(2).variable("s")["a"].text` is the value of a member according to DWARF; `dg.evaluate`
returns the result of DWARF operations. Errors are a `gdb.GdbError` of one line, with the
`DwarfGpuError` as `__cause__`; GDB stays in its thread and frame.
"""

from __future__ import annotations

from collections.abc import Iterator

import gdb

from dwarfgpu.errors import UsageError
from dwarfgpu.expr.evaluate import Result
from dwarfgpu.gdb.gdb_session import Debugger, GdbSession
from dwarfgpu.gdb.machine.gdb_target import selected_wave
from dwarfgpu.gdb.machine.interruptions import older_frame
from dwarfgpu.gdb.one_line_errors import gdb_errors
from dwarfgpu.gdb.print_options import print_options
from dwarfgpu.gdb.script_arguments import integer_argument
from dwarfgpu.gdb.script_objects import Frame, Value, frame_of, the_debugger
from dwarfgpu.model.location import Location
from dwarfgpu.view.location_text import location_text as location_in_text

__all__ = [
    "Debugger",
    "Frame",
    "GdbSession",
    "Value",
    "evaluate",
    "frame",
    "frames",
    "location_text",
    "print_options",
    "value",
    "variable",
]


def frame(level: int | None = None) -> Frame:
    """Return a frame of the selected thread by GDB's number, by default the selected one.

    Without a running program and without a number, the scope outside of all frames.
    """
    with gdb_errors():
        if level is not None:
            level = integer_argument("frame: level", level, expected="an integer or None")
        wave = selected_wave()
        if wave is None and level is None:
            return Frame(the_debugger(), None)
        if wave is None:
            raise UsageError("No stack.")
        if level is None:
            return frame_of(gdb.selected_frame())
        frame = gdb.newest_frame()
        while frame is not None and frame.level() < level:
            frame = older_frame(frame)
        if frame is None or frame.level() != level:
            raise UsageError(f"No frame at level {level}.")
        return frame_of(frame)


def frames() -> Iterator[Frame]:
    """Return an iterator of the frames of the selected thread, the newest first: each is unwound
    when it is reached."""
    return _outwards(frame(0))


def _outwards(newest: Frame) -> Iterator[Frame]:
    current: Frame | None = newest
    while current is not None:
        yield current
        current = current.older()


def variable(name: str) -> Value:
    """Return the variable that a name denotes in the selected frame."""
    return frame().variable(name)


def value(expression: str) -> Value:
    """Return the value of an expression of the source language in the selected frame."""
    return frame().value(expression)


def evaluate(operations: str) -> Result:
    """Return the result of DWARF operations in the selected frame."""
    return frame().evaluate(operations)


def location_text(location: Location) -> str:
    """Return a location in one line, as `dwarfgpu.location_text` does."""
    with gdb_errors():
        return location_in_text(location)
