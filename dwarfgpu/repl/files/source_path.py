"""Where source files are looked for: GDB's substitution rules and directories.

Law: the file at the path of the compilation is looked for again where its text has changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.absolute_path import absolute_path, real_path
from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.printable import one_line
from dwarfgpu.base.readable_files import is_source
from dwarfgpu.session.focused_frame import FramePosition, position_in_file

if TYPE_CHECKING:
    from dwarfgpu.base.text_lines import TextLines
    from dwarfgpu.dwarf.line.file_table import SourceFile

COMPILED, CURRENT = "$cdir", "$cwd"
DEFAULT: Final = f"{COMPILED}:{CURRENT}"


class SourcePath:
    """The rules of a debug session."""

    def __init__(self) -> None:
        self.rules: dict[str, str] = {}
        """Directories that were moved, and to where; the first that fits is taken."""
        self.directories = DEFAULT
        self._last: tuple[str, Path, TextLines] | None = None
        """The path of the text that was read last, also as it was spelled, and its lines."""

    def rule_for(self, path: str) -> tuple[str, str] | None:
        """Return the rule that rewrites a path; None if none matches."""
        for old, new in self.rules.items():
            if path == old or path.startswith(f"{old}/"):
                return old, new
        return None

    def rewritten(self, path: str) -> str:
        """Return the path after the substitution rules."""
        rule = self.rule_for(path)
        return path if rule is None else rule[1] + path.removeprefix(rule[0])

    def set_directories(self, text: str) -> None:
        """Set the folders from a text that separates them by `:`; the compilation folder and the
        working folder come last unless they are in it."""
        directories = [os.path.expanduser(directory) for directory in text.split(":") if directory]
        directories += [
            directory for directory in (COMPILED, CURRENT) if directory not in directories
        ]
        self.directories = ":".join(dict.fromkeys(directories))
        self._last = None  # another file may come first

    def text_file(self, position: FramePosition) -> Path | None:
        """Return the file with the text of a source line; None if it is missing. Only regular files
        outside of /proc, /sys and /dev count."""
        name = self.rewritten(position.source.path_to_open)
        last = self._last
        if last is not None and last[0] == name and name[0] == "/" and last[2].is_unchanged():
            return last[1]
        for path in self._candidates(position):
            if is_source(path):
                record_input(path)
                return path
        return None

    def full_path(self, file: SourceFile) -> str:
        """Return where the text of a file is, or else the path that the file is at by the debugging
        information, after the substitution rules."""
        position = position_in_file(file, 1, is_start=False)
        for path in self._candidates(position):
            if is_source(path):
                return one_line(real_path(path))
        return self.rewritten(file.path)

    def lines_of(self, path: Path) -> TextLines:
        """Return the lines of a file: those of the last one are kept."""
        from dwarfgpu.base.text_lines import TextLines  # few commands show source text

        last = self._last
        if last is None or (last[1] is not path and last[1] != path):
            last = self._last = str(path), path, TextLines.of_file(str(path))
        return last[2]

    def _candidates(self, position: FramePosition) -> Iterator[Path]:
        """Yield where a file may be, in GDB's order: as it was named to the compiler, with its
        path, and by its last component."""
        path = Path(self.rewritten(position.source.path_to_open))
        file = position.file_to_open
        is_relative = not file.startswith("/")
        if not is_relative:
            yield path
        folders = self.directories.split(":")
        for folder in folders:
            yield path if folder == COMPILED else Path(f"{_folder(folder)}/{file}")
        for folder in folders:
            if is_relative and folder != COMPILED:
                yield Path(f"{_folder(folder)}/{path}")
        compiled_in = position.source.table.compilation_directory(to_open=True)
        for folder in folders:
            if folder != COMPILED:
                yield _folder(folder) / path.name
            elif compiled_in:
                yield Path(self.rewritten(compiled_in)) / path.name


def _folder(directory: str) -> Path:
    return Path(absolute_path(".") if directory == CURRENT else directory)
