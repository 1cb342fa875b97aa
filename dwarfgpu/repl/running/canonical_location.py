"""The location of a breakpoint as text that does not depend on the focus (GDB's canonical form)."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve
from dwarfgpu.language.explicit_location import (
    IN_FILE,
    ExplicitLocation,
    explicit_location,
    unquoted,
)
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.session.focused_frame import FramePosition

_LINE: Final = re.compile(r"(?:(?P<file>.+):)?(?P<line>[+-]?[0-9]+|[+-]|\$\w+)")


def canonical_location(item: Breakpoint) -> str:
    """Return the location of a breakpoint so that another session, in which another file and frame
    are in focus and `$x` has another value, finds it again.

    As in GDB, a line has its file, a breakpoint without a location its address. `*$pc` is an
    address, too.
    """
    if not item.locations:
        return item.pending
    first, typed = item.locations[0], item.linespec
    position = first.position
    explicit = explicit_location(typed)
    if first.label is not None and (explicit is None or explicit.linespec is not None):
        typed = first.label  # with the function, which may be that in focus
        explicit = explicit_location(typed)
    if typed.startswith("*") and "$" not in typed:
        return typed
    if not typed or typed.startswith("*") or explicit == ExplicitLocation(is_qualified=True):
        return f"*{first.pc:#0{item.address_digits + 2}x}"
    if explicit is not None and explicit.linespec is None:
        if not explicit.function and explicit.line is not None and position is not None:
            explicit.line = _number(explicit.line, position)
            explicit.source = explicit.source or position.path
        if explicit.label is not None:
            explicit.function = explicit.function or first.function
        source = "" if explicit.source is None else f"-source {_quoted(explicit.source)} "
        return f"{source}{evolve(explicit, source=None)}"
    qualified, linespec = ("", typed) if explicit is None else ("-qualified ", explicit.linespec)
    line, in_file = _LINE.fullmatch(linespec or ""), IN_FILE.fullmatch(linespec or "")
    if line is not None and position is not None:
        file = position.path if line["file"] is None else unquoted(line["file"])
        return f"{_quoted(file)}:{_number(line['line'], position)}"
    if in_file is not None:
        name = in_file["inside"]
        if name[0] == "'" and "'" in name[1:-1]:  # what is behind it would be a condition
            return f"*{first.pc:#0{item.address_digits + 2}x}"
        return f"{qualified}{_quoted(unquoted(in_file['file']))}:{name}"
    return typed


def _number(line: str, position: FramePosition) -> str:
    """Return the number of a line that may be an offset or a variable."""
    return line if is_decimal(line) else f"{position.line}"


def _quoted(path: str) -> str:
    """Return the name of a file as a location has it: a word in it could be `if`, and a colon ends
    it."""
    quote = '"' if "'" in path else "'"
    is_plain = " " not in path and ":" not in path
    return path if is_plain or quote in path else f"{quote}{path}{quote}"
