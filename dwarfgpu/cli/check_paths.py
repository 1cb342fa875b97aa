"""Decide whether the words of `dwarfgpu check` name files or operations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from dwarfgpu.expr.operation import OPERATIONS


def paths_of(words: Sequence[str]) -> list[str] | None:
    """Return the words, if they name files; None if they are operations.

    They name files if the first is not an operation and at least one exists or contains a slash.
    Write a file with the name of an operation with a slash: `./plus`.
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
