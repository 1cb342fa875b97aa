"""`save breakpoints`: a file of commands that sets them again, as GDB writes it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dwarfgpu.base.printable import on_one_line
from dwarfgpu.base.writing import NotWritten, write_file
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.run_control import WatchKind
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.running.canonical_location import canonical_location
from dwarfgpu.repl.running.catchpoint import Catchpoint
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.command_bodies import indented

_WATCHES: Final[dict[WatchKind, str]] = {"write": "watch", "read": "rwatch", "access": "awatch"}
_CHANGED: Final = re.compile(r"[\n\r\0]|\\\Z")
"""What a script does not keep: a backslash joins a line to the next one."""


@command("save breakpoints", topic="running", complete=completion.FILE, repeats=False)
def save_breakpoints(shell: Shell, argument: str) -> Iterator[Part]:
    """Save current breakpoint definitions as a script.

    Usage: save breakpoints FILE

    "source FILE" sets them again, also in another session. A breakpoint that was set without a
    location is saved with its address, one whose only location is disabled as a disabled one. A
    breakpoint that a line of a script cannot describe is an error: one with a line break in its
    condition, for example.
    """
    if not argument:
        raise UsageError("Argument required (file name in which to save)")
    if not shell.breakpoints:
        shell.console.warn("Nothing to save.")
        return
    text = "".join(
        f"{_required(line, number)}\n"
        for number, item in shell.breakpoints.items()
        for line in _lines(item)
    )
    path = Path(os.path.expanduser(argument))
    try:
        write_file(path, text.encode("utf-8", "surrogateescape"), replaces="script")
    except NotWritten as error:
        raise UsageError(f"Unable to open file '{argument}' for saving ({error.reason})") from None
    said = f"Saved to file '{argument}'." if shell.is_from_tty else ""
    yield Output(said, {"file": argument})


def _required(line: str, number: int) -> str:
    """Return a line that is read as it is written; `UsageError` for another one."""
    if _CHANGED.search(line):
        written = on_one_line(line.strip()).replace("\0", "\\0")
        why = "ends with a backslash" if written == line.strip() else "is not one line of a script"
        raise UsageError(f'Breakpoint {number} cannot be saved: "{written}" {why}.')
    return line


def _lines(item: Breakpoint) -> Iterator[str]:
    """Yield the commands that set one again."""
    yield _first_line(item)
    if item.condition:
        is_invalid = bool(item.locations) and len(item.invalid_locations) == len(item.locations)
        yield f"  condition {'-force ' if is_invalid else ''}$bpnum {item.condition}"
    if item.ignored:
        yield f"  ignore $bpnum {item.ignored}"
    if item.commands:
        yield "  commands"
        yield from (f"  {line}" for line in indented(item.commands))
        yield "  end"
    if item.disposition == "dis":
        how = f"count {item.stops_left}" if item.stops_left > 1 else "once"
        yield f"enable {how} $bpnum"
    is_of_one = len(item.locations) == 1  # `$bpnum.1` is the breakpoint
    if not item.is_enabled or (is_of_one and item.disabled_locations):
        yield "disable $bpnum"
    if not is_of_one:
        yield from (f"disable $bpnum.{number}" for number in sorted(item.disabled_locations))


def _first_line(item: Breakpoint) -> str:
    short = "t" if item.is_temporary else ""
    if isinstance(item, Catchpoint):
        return f"{short}catch {item.text}"
    if isinstance(item, Watchpoint):
        of_thread = "" if item.wave is None else f" thread {item.wave}"
        return f"{_WATCHES[item.watch.kind]} {item.typed}{of_thread}"
    line = f"{short}{'hbreak' if item.is_hardware else 'break'} {canonical_location(item)}"
    if item.wave is not None:
        line += f" thread {item.wave}"
    return line if item.lane is None else f"{line} lane {item.lane}"
