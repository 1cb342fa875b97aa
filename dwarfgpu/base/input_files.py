"""The files that a command reads: what it writes replaces none of them.

Law: what opens a program, core, archive, state, array of a state, debug or source file or a script
calls `record_input`; `base/writing.py` writes to none of the recorded files. A run of the command
line records from its beginning to its end, a debug session too; outside of `recorded_inputs`
nothing is recorded, because a Python program decides itself which files it still needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from dwarfgpu.base.absolute_path import absolute_path

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["file", "state", "array", "argument", "script"]
"""A state may be replaced by its new contents. An `array` is one that the state names: it may be
removed when the state is replaced. An `argument` is an array that the user names: `run --out` may
write the new contents of the same argument to it. A `script` is a file of commands, to which `save
breakpoints` may write. Other files may not be replaced, and none but `array` be removed."""
_recorded: dict[str, Kind] | None = None


@contextmanager
def recorded_inputs(paths: Iterable[str] = ()) -> Iterator[None]:
    """Record the inputs of a command from here on; `paths` are open already."""
    global _recorded  # noqa: PLW0603
    before, _recorded = _recorded, {}
    try:
        for path in paths:
            record_input(path)
        yield
    finally:
        _recorded = before


def record_input(path: str | Path, kind: Kind = "file") -> None:
    """Record a file that is opened, under its absolute path."""
    if _recorded is None:
        return
    name = absolute_path(path)
    if kind == "state" or _recorded.get(name, "array") in ("array", "script"):
        _recorded[name] = kind


def input_paths(*, without: Kind | None = None) -> list[str]:
    """Return the paths of the recorded files, without those of one kind."""
    return [path for path, kind in (_recorded or {}).items() if kind != without]


__all__ = ["Kind", "input_paths", "record_input", "recorded_inputs"]
