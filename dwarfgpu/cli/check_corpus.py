"""`dwarfgpu check --report`: what was found, by compiler and rule, as HTML and as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from dwarfgpu.base.printable import ESCAPES
from dwarfgpu.base.records import frozen
from dwarfgpu.base.writing import write_parts
from dwarfgpu.batch.corpus import Corpus
from dwarfgpu.batch.corpus_html import html_parts
from dwarfgpu.errors import UsageError
from dwarfgpu.options.written_files import WrittenFile, require_written_files
from dwarfgpu.service.error_text import empty

_FORMS: Final = (".html", ".json")


@frozen(eq=False)
class WrittenReport:
    """The report that is being made, and where it goes."""

    paths: tuple[Path, ...]
    corpus: Corpus

    @classmethod
    def at(cls, names: Iterable[str], inputs: Sequence[str]) -> WrittenReport:
        """Return the report for the names that the options give: files .html or .json, or folders
        for both. `UsageError` for another name, and for a file that cannot be written."""
        paths: list[Path] = []
        for name in names:
            if not name:
                raise UsageError(empty("--report"))
            path = Path(name)
            if os.path.isdir(path):
                paths += [path / f"report{form}" for form in _FORMS]
            elif path.suffix in _FORMS:
                paths.append(path)
            else:
                folder = "a folder that exists" if name.endswith("/") else "a folder"
                raise UsageError(
                    f"--report {name}: give a name that ends with .html or .json, or {folder}"
                )
        files = [WrittenFile(f"--report {path}", path) for path in paths]
        require_written_files(files, map(Path, inputs))
        return cls(tuple(paths), Corpus())

    def write(self) -> None:
        """Write the report; `UsageError` where that cannot be."""
        report = self.corpus.report()
        for path in self.paths:
            parts = [json.dumps(report)] if path.suffix == ".json" else html_parts(report)
            write_parts(path, (part.encode("utf-8", ESCAPES) for part in parts))
