"""The files that a command reads: what it writes replaces none of them.

Law: what opens a program, core, archive, state, array of a state, debug or source file calls
`record_input`; `base/writing.py` writes to none of the recorded files. A run of the command line
records from its beginning to its end, a debug session too; outside of `recorded_inputs` nothing is
recorded, because a Python program decides itself which files it still needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["file", "state"]
"""A state may be replaced by its new contents; other files may not be replaced."""
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
    name = os.path.abspath(path)
    if kind == "state" or name not in _recorded:
        _recorded[name] = kind


def input_paths(*, with_states: bool = True) -> list[str]:
    """Return the paths of the recorded files."""
    recorded = _recorded or {}
    return [path for path, kind in recorded.items() if with_states or kind != "state"]


__all__ = ["input_paths", "record_input", "recorded_inputs"]
