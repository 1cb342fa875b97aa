"""The files that `dwarfgpu check` checks: named files, and those in named folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from dwarfgpu.errors import UsageError
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.terminal.input import is_object

_MAX_FILES: Final = 100_000
"""Maximum number of files per request."""


def paths_of(words: Sequence[str]) -> list[str] | None:
    """Return the words, if they name files; None if they are operations.

    They name files if the first is no operation and at least one exists or contains a slash. Write
    a file with the name of an operation with a slash: `./plus`.
    """
    first = re.split(r"[\s;,]", words[0].strip(), maxsplit=1)[0] if words else ""
    if first.removeprefix("DW_OP_") in OPERATIONS:
        return None
    return list(words) if any(map(_names_a_file, words)) else None


def _names_a_file(word: str) -> bool:
    try:
        return Path(word).exists() or ("/" in word and len(word.split()) == 1)
    except (OSError, ValueError):  # too long for a name, or with a NUL in it
        return False


def files_in(paths: Iterable[str]) -> Iterator[str]:
    """Yield each file once, in the given order; for a folder its object files, by name.

    `UsageError` for a folder without object files, or with too many.
    """
    seen_paths: set[str] = set()
    for path in paths:
        files = _files_of_folder(path) if Path(path).is_dir() else [path]
        for name in files:
            real = _real_path(name)
            if real not in seen_paths:
                seen_paths.add(real)
                yield name


def _real_path(path: str) -> str:
    """The path without links; the path itself where it is no name of a file."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _files_of_folder(folder: str) -> list[str]:
    """The ELF files, fat binaries and bundles below a folder, without core files; links to folders
    are not followed."""
    paths: list[str] = []
    looked_at = 0
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            looked_at += 1
            if looked_at > _MAX_FILES:
                raise UsageError(f"{folder}: more than {_MAX_FILES} files: name a smaller folder")
            if is_object(path) and not is_core(path):
                paths.append(path)
    if not paths:
        raise UsageError(f"{folder}: no ELF file, fat binary or bundle is in this folder")
    return paths
