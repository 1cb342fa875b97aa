"""Read source lines, from the debugging information or from disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.readable_files import is_source
from dwarfgpu.base.text_lines import TextLines
from dwarfgpu.dwarf.line.line_lookup import SourceLine
from dwarfgpu.errors import DwarfGpuError, UsageError

_KEPT_FILES: Final = 64
"""Their blocks are in memory."""


class SourceText:
    """Texts of source lines; each file is looked for once."""

    def __init__(self) -> None:
        self._files = KeptAnswers[str, Sequence[str]](_KEPT_FILES)

    def line(self, source_line: SourceLine) -> str | None:
        """Return the text of a line; None if the file is missing or shorter."""
        lines = self.lines(source_line)
        try:
            return lines[source_line.line - 1] if source_line.line > 0 else None
        except (IndexError, UsageError):
            return None

    def lines(self, source_line: SourceLine) -> Sequence[str]:
        """Return all lines of its file; none if it is missing, or no
        regular file outside of /proc, /sys and /dev."""
        path = source_line.file.path
        lines = self._files.get(path)
        if lines is None:
            lines = self._files[path] = self._read(source_line)
        return lines

    def _read(self, source_line: SourceLine) -> Sequence[str]:
        try:
            if source := source_line.file.source:
                return TextLines.of_bytes(source.encode())
            path = Path(source_line.file.path_to_open)
            if not is_source(path):
                return ()
            record_input(path)
            lines = TextLines.of_file(path)
            lines.require_readable()
        except (DwarfGpuError, OSError, ValueError):  # a name that no file can have
            return ()
        return lines
