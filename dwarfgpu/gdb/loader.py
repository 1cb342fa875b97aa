"""Add dwarfgpu to GDB's Python: `source.py`, which GDB sources, runs this file.

GDB's Python then finds dwarfgpu, attrs and msgspec, and no other packages installed beside them.
They may be for another Python: then attrs is used, which is plain Python, and msgspec is not.
Nothing is installed into GDB's Python.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

PACKAGES = ("dwarfgpu", "attr", "attrs", "msgspec")
"""The package and what it needs."""
HERE = Path(__file__).resolve().parents[2]
"""Where the package is."""


class Finder:
    """Finds the packages in their folders; GDB's Python finds all others."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.folders = tuple(folders)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module (the interface of `sys.meta_path`)."""
        if path is not None or name not in PACKAGES:
            return None
        return PathFinder.find_spec(name, list(self.folders), target)


def folders() -> list[str]:
    """Return the folders of the packages when dwarfgpu is installed, or runs from a checkout."""
    return [str(HERE), *map(str, sorted(HERE.glob(".venv/lib/python3*/site-packages")))]


def load(folders: Iterable[str]) -> None:
    """Make the packages found in some folders known to GDB's Python, and add the commands."""
    import gdb

    if not any(type(finder).__name__ == Finder.__name__ for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder(folders))
    try:
        from dwarfgpu.gdb.commands import install
    except ModuleNotFoundError as error:
        raise gdb.GdbError(
            f"dwarfgpu: {error.name} is not found beside it; in a checkout run tools/dwarfgpu "
            "once, which gets it, or source what `dwarfgpu gdb-path` prints"
        ) from None
    install()
