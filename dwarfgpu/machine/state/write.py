"""Write a state file and the arrays beside it (`docs/state-files.md`)."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Final

from dwarfgpu.base.json_reader import Json, why_too_large
from dwarfgpu.base.npy import Npy, npy_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.base.writing import content_name, write_set
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.sparse_memory import Data, Fill

_LONGEST_HEX_BYTES: Final = 256
"""Longer runs of memory are arrays in files beside the document."""

_MOST_LISTED: Final = 4
"""Files beside a document that a note names."""


@frozen
class Saved:
    """A document, and the files beside it by name."""

    document: dict[str, Json]
    files: dict[str, bytes]

    def notes(self, path: Path) -> list[str]:
        """Return which files the document at `path` needs beside it; nothing where it is whole."""
        if not self.files:
            return []
        listed = ", ".join(islice(self.files, _MOST_LISTED))
        more = len(self.files) - _MOST_LISTED
        further = f" and {more} more" if more > 0 else ""
        return [f"contents of {path} are in {listed}{further} beside it: keep them together"]


def write(saved: Saved, path: Path) -> None:
    """Write the document and its files; `UsageError` where that is not possible, and for a document
    that is too large to be read."""
    members = ",\n".join(_member(name, value) for name, value in saved.document.items())
    text = f"{{\n{members}\n}}\n"
    if (problem := why_too_large(text)) is not None:
        reason = f"{problem.partition(';')[0]}, which no command would read: save fewer waves"
        raise UsageError(f"{path} cannot be written: {reason}")
    write_set(path, text.encode(), saved.files)


def _member(name: str, value: Json) -> str:
    """Return a member of the document: of a list, each item on a line."""
    if not isinstance(value, list):
        return f'  "{name}": {json.dumps(value)}'
    items = ",\n".join(f"    {json.dumps(item)}" for item in value)
    return f'  "{name}": [\n{items}\n  ]'


class Arrays:
    """The files beside a document."""

    def __init__(self, stem: str) -> None:
        self.stem = stem
        self.files: dict[str, bytes] = {}

    def file(self, name: str, array: Npy) -> str:
        """Return the name of the file of an array."""
        safe = "".join(c if c.isalnum() or c in "_-" else "_" for c in name)
        data = npy_bytes(array)
        path = content_name(f"{self.stem}.{safe}", data, "npy")
        self.files[path] = data
        return path

    def memory(self, name: str, address: int, data: Data) -> Json:
        """Return an entry of `memory`."""
        if isinstance(data, Fill):
            return {"address": hex(address), "size": len(data), "fill": data.byte}
        data = bytes(data)
        if len(data) <= _LONGEST_HEX_BYTES:
            return {"address": hex(address), "bytes": data.hex()}
        return {"address": hex(address), "npy": self.file(name, Npy("|u1", (len(data),), data))}
