"""The files that a state or core file names for its code objects.

Law: each of them exists as long as what names it: a code object without a file of its own, or in
a folder that is removed, gets one beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from dwarfgpu.base.readable_files import folder_of
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.base.writing import content_name
from dwarfgpu.machine.state.state_document import LoadedFile
from dwarfgpu.machine.state.write import Saved
from dwarfgpu.objfile.elf import ObjectFile


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
    code_objects: Iterable[tuple[ObjectFile, int]], document: Path, removed: Path | None = None
) -> CodeObjectFiles:
    """Return the files of code objects for a document at a path.

    `code_objects`: each with its load address. `removed`: a folder that does not outlive the
    session. Code objects in memory, in a bundle or in another part of a file have no file.
    """
    loaded, own = list[LoadedFile](), dict[str, bytes]()
    for file, address in code_objects:
        path = Path(file.path)
        if not path.is_file() or path.parent == removed:
            data = file.file_bytes(0, file.size_bytes, "the code object")
            name = content_name(document.stem, data, "co")
            own[name] = data
            path = folder_of(document) / name
        loaded.append(LoadedFile(path, address))
    return CodeObjectFiles(tuple(loaded), own)
