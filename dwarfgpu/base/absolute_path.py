"""Absolute paths, also where the working folder was removed.

Law: these functions raise no `OSError`. Without a working folder a relative path stays as it is: it
leads to no file, and what opens it says so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dwarfgpu.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def absolute_path(path: str | Path) -> str:
    """Return the absolute path without `..`, as `os.path.abspath`."""
    try:
        return os.path.abspath(path)
    except OSError:
        return os.fspath(path)


def unquoted(text: str) -> str:
    """Return a typed name of a file without quotes as GDB has them, unless they belong to the
    name."""
    import shlex  # only the prompt

    try:
        words = shlex.split(text)
        return text if len(words) != 1 or os.path.lexists(text) else words[0]
    except ValueError:  # a single quote, or a NUL
        return text


def real_path(path: str | Path) -> str:
    """Return the absolute path without `..` and links, as `os.path.realpath`."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a NUL in the name
        return os.fspath(path)


def relative_path(path: str | Path, folder: str | Path) -> str:
    """Return the path from a folder, as `os.path.relpath`; `UsageError` where it is unknown,
    because one of them begins in a working folder that was removed."""
    try:
        return os.path.relpath(path, folder)
    except OSError:
        raise UsageError(
            "the working folder was removed: change to another one, and give absolute paths"
        ) from None
