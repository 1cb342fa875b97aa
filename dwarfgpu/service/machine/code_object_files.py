"""The files that a state or core file names for its code objects.

Law: each of them exists as long as what names it, and has the contents that were examined: a code
object without a file of its own, in a folder that is removed, or whose file was replaced, gets one
beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dwarfgpu.base.file_digests import MOST_BYTES
from dwarfgpu.base.readable_files import MOST_DIGESTED, digest_of, folder_of
from dwarfgpu.base.records import define, evolve, field, frozen
from dwarfgpu.base.writing import NotWritten, content_name
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.machine.state.state_document import LoadedFile
from dwarfgpu.machine.state.write import Saved
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.held_contents import digest_of_contents, is_on_disk

_NO_DIGESTS: Final[Mapping[ObjectFile, str]] = MappingProxyType({})


@frozen
class CodeObjectFiles:
    """What a document names, and what has to be written for that."""

    loaded: tuple[LoadedFile, ...]
    """The files; one that is loaded at several addresses is there for each."""
    own: Mapping[str, bytes]
    """Contents of those beside the document, by name."""

    def added_to(self, saved: Saved) -> Saved:
        """Return the state file with the code objects beside it."""
        return evolve(saved, files={**saved.files, **self.own})


def code_object_files(
    code_objects: Iterable[tuple[ObjectFile, int]],
    document: Path,
    removed: Path | None = None,
    recorded: Mapping[ObjectFile, str] = _NO_DIGESTS,
) -> CodeObjectFiles:
    """Return the files of code objects for a document at a path.

    `code_objects`: each with its load address. `removed`: a folder that does not outlive the
    session. `recorded`: as `Stopped.recorded`. Code objects in memory, in a bundle or in another
    part of a file have no file. `UsageError` for one whose file was changed in place so that what
    was examined is gone, `LimitExceeded` for one to be written that is too large.
    """
    files = _Files(document, removed, recorded)
    named: dict[ObjectFile, LoadedFile] = {}  # a state may load a file thousands of times
    loaded = list[LoadedFile]()
    for file, address in code_objects:
        if file not in named:
            named[file] = files.named(file)
        loaded.append(evolve(named[file], load_address=address))
    return CodeObjectFiles(tuple(loaded), files.own)


@define
class _Files:
    """The files that a document names."""

    document: Path
    removed: Path | None
    recorded: Mapping[ObjectFile, str]
    own: dict[str, bytes] = field(factory=dict, init=False)
    _bytes_left: int = field(default=MOST_BYTES, init=False)

    def named(self, file: ObjectFile) -> LoadedFile:
        """Return the file that has the contents of a code object, to be loaded at 0."""
        path = Path(file.path)
        try:
            if os.path.isfile(path) and path.parent != self.removed:
                recorded = self.recorded.get(file)
                if is_on_disk(file, path):
                    return LoadedFile(path, 0, recorded or self._digest(file))
                if recorded is not None and self._is_noted(file, path, recorded):
                    return LoadedFile(path, 0, recorded)
            data = file.file_bytes(0, file.size_bytes, "the code object")
            name = content_name(self.document.stem, data, "co")
            self.own[name] = data
            return LoadedFile(folder_of(self.document) / name, 0, self._digest(file))
        except (Malformed, UsageError) as error:
            raise NotWritten(self.document, error.message) from None

    def _is_noted(self, file: ObjectFile, path: Path, recorded: str) -> bool:
        """Return whether a file that was replaced since it was opened is what the state was saved
        with, or what was opened was not: then commands note a change as they did before."""
        if digest_of(path) == recorded:
            return True
        return file.size_bytes <= MOST_DIGESTED and digest_of_contents(file) != recorded

    def _digest(self, file: ObjectFile) -> str | None:
        """Return the hash of what was read of a file; None where that would take a while."""
        if file.size_bytes > min(MOST_DIGESTED, self._bytes_left):
            return None
        self._bytes_left -= file.size_bytes
        return digest_of_contents(file)
