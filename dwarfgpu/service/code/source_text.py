"""Read source lines, from the debugging information or from disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.readable_files import is_source
from dwarfgpu.base.text_lines import TextBudget, TextLines
from dwarfgpu.dwarf.line.line_lookup import SourceLine
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.service.error_text import error_line

_KEPT_TEXTS: Final = 1 << 14
_KEPT_BLOCKS: Final = 64
"""Texts that have a block in memory."""
_EMBEDDED_BYTES: Final = 1 << 25
"""Of the kept texts in debugging information; one text may be larger."""

FindFile: TypeAlias = Callable[[SourceLine], Path | None]
"""Returns the file with the text of a source line, which can be read; None if it is missing."""


def compiled_file(source_line: SourceLine) -> Path | None:
    """Return the file as the compiler named it, unless it is missing, or no regular file outside of
    /proc, /sys and /dev."""
    path = Path(source_line.file.path_to_open)
    if not is_source(path):
        return None
    record_input(path)
    return path


class SourceText:
    """Texts of the source lines of one command. Each file is looked for once, and one of many names
    is gone through once; all together no further than the limit."""

    def __init__(
        self, limits: FileLimits = DEFAULT_FILE_LIMITS, find: FindFile = compiled_file
    ) -> None:
        self._budget = TextBudget(limits.source_bytes)
        self._find = find
        self._texts_by_path = KeptAnswers[str, TextLines | None](_KEPT_TEXTS)
        self._texts_by_file = KeptAnswers[tuple[int, int], TextLines](_KEPT_TEXTS)
        self._with_block: dict[TextLines, None] = {}
        """Those that were used last, the last one at the end."""
        self._embedded_bytes = 0

    @property
    def notes(self) -> list[str]:
        """Why lines may be missing that there are."""
        error = self._budget.error
        return [] if error is None else [f"source lines may be missing: {error_line(error)}"]

    def line(self, source_line: SourceLine) -> str | None:
        """Return the text of a line; None if the file is missing or shorter, or the line is beyond
        the limit."""
        return text_at(self.lines(source_line), source_line.line)

    def lines(self, source_line: SourceLine) -> TextLines | None:
        """Return all lines of its file, which raise `LimitExceeded` where they are beyond the
        limit; None if it is missing."""
        path = source_line.file.path
        if path not in self._texts_by_path:
            self._texts_by_path[path] = self._read(source_line)
        lines = self._texts_by_path[path]
        if lines is not None:
            self._use(lines)
        return lines

    def _use(self, lines: TextLines) -> None:
        """Free the block of the text that was not used for longest."""
        self._with_block.pop(lines, None)
        self._with_block[lines] = None
        if len(self._with_block) > _KEPT_BLOCKS:
            oldest = next(iter(self._with_block))
            del self._with_block[oldest]
            oldest.forget_block()

    def _read(self, source_line: SourceLine) -> TextLines | None:
        file = source_line.file
        try:
            if file.entry.source is not None and self._budget.error is not None:
                return None
            if (source := file.source) is not None:
                return self._embedded(source.encode())
            path = self._find(source_line)
            if path is None:
                return None
            status = os.stat(path)
            key = status.st_dev, status.st_ino
            lines = self._texts_by_file.get(key)
            if lines is None:
                lines = TextLines.of_file(path, self._budget)
                lines.require_readable()
                self._texts_by_file[key] = lines
        except (DwarfGpuError, OSError, ValueError):  # a name that no file can have
            return None
        return lines

    def _embedded(self, data: bytes) -> TextLines:
        self._budget.spend(len(data))
        self._embedded_bytes += len(data)
        if self._embedded_bytes > _EMBEDDED_BYTES:
            self._texts_by_path.clear()
            self._with_block.clear()
            self._embedded_bytes = len(data)
        return TextLines.of_bytes(data, self._budget)


def text_at(lines: Sequence[str] | None, number: int) -> str | None:
    """Return the text of a line, which counts from 1; None if there is none, or it cannot be
    read."""
    try:
        return lines[number - 1] if lines is not None and number > 0 else None
    except (IndexError, LimitExceeded, UsageError):
        return None
