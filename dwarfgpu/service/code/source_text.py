"""Read source lines, from the debugging information or from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.readable_files import is_source
from dwarfgpu.dwarf.line.source_lines import SourceLine
from dwarfgpu.errors import DwarfGpuError

MAX_BYTES: Final = 16 << 20
"""Maximum size in bytes of a file that is read for its lines."""


class SourceText:
    """Texts of source lines; each file is read once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def line(self, source_line: SourceLine) -> str | None:
        """Return the text of a line; None if the file is missing or shorter."""
        lines = self.lines(source_line)
        return lines[source_line.line - 1] if source_line.line <= len(lines) else None

    def lines(self, source_line: SourceLine) -> list[str]:
        """Return all lines of its file; none if it is missing, or no
        regular file outside of /proc, /sys and /dev."""
        path = source_line.file.path
        lines = self._files.get(path)
        if lines is None:
            lines = self._files[path] = self._read(source_line).splitlines()
        return lines

    def _read(self, source_line: SourceLine) -> str:
        try:
            if source := source_line.file.source:
                return source
            path = Path(source_line.file.path)
            if not is_source(path) or path.stat().st_size > MAX_BYTES:
                return ""
            record_input(path)
            return path.read_text(encoding="utf-8", errors="replace")
        except (DwarfGpuError, OSError, ValueError):  # a name that no file can have
            return ""
