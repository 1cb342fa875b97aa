"""Files that options name, before a command that takes long: it must be able to write them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dwarfgpu.base.input_files import input_paths
from dwarfgpu.base.records import frozen
from dwarfgpu.base.writing import file_identity, require_writable
from dwarfgpu.errors import UsageError


@frozen
class WrittenFile:
    """A file that an option names to be written."""

    option: str
    """As the user writes it: `--out a`."""
    path: Path
    updated: tuple[Path, ...] = ()
    """Inputs that it may replace."""


def require_written_files(outputs: Iterable[WrittenFile], inputs: Iterable[Path] = ()) -> None:
    """Raise `UsageError` for an output that cannot be written, that is one of the inputs or open
    already, or that another option writes too.

    Devices and pipes may be named several times.
    """
    read = {file_identity(path) for path in (*inputs, *map(Path, input_paths()))}
    options: dict[tuple[int, int] | str, str] = {}
    for output in outputs:
        require_writable(output.path)
        identity = file_identity(output.path)
        if identity is None:
            continue
        if identity in read - set(map(file_identity, output.updated)):
            raise UsageError(f"{output.option}: {output.path} is an input: give another file")
        if identity in options:
            raise UsageError(
                f"{output.option}: {options[identity]} writes {output.path}, too: give another file"
            )
        options[identity] = output.option
