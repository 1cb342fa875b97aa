"""Decide whether the words of `dwarfgpu check` name files or operations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.terminal.input import begins_as_path, is_existing, is_named_as_file, is_relative_path

FILE_NAME: Final = pattern(r"[\w.+~@-]+")


def paths_of(words: Sequence[str], *, with_file_options: bool = False) -> list[str] | None:
    """Return the words, if they name files; None if they are operations.

    They name files if the first is not an operation and at least one exists or contains a slash, or
    of several ends as code objects do, or, with options that are for files, can be the name of a
    file. Write a file with the name of an
    operation with a slash: `./plus`.
    """
    first = re.split(r"[\s;,]", words[0].strip(), maxsplit=1)[0] if words else ""
    if first.removeprefix("DW_OP_") in OPERATIONS:
        return None
    if with_file_options and words and all(map(FILE_NAME.fullmatch, words)) and words[0] != "-":
        return list(words)
    has_ending = len(words) > 1 and any(map(is_named_as_file, words))
    return list(words) if has_ending or any(map(_names_a_file, words)) else None


def _names_a_file(word: str) -> bool:
    is_one_word = "/" in word and len(word.split()) == 1
    is_path = is_one_word or begins_as_path(word) or is_relative_path(word)
    return is_path or is_existing(word)
