"""What a structural bomb is: small files that ask for much work, and what must come of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from dwarfgpu.base.records import frozen

Files = Mapping[str, bytes]
"""By name; `bomb` is the one that the commands open."""


class Hollow(bytes):
    """The beginning of a file; the rest is a hole, of zeros that take no room on a disk or in a
    package."""

    size_bytes: int

    def __new__(cls, data: bytes, size_bytes: int) -> Hollow:
        hollow = super().__new__(cls, data)
        hollow.size_bytes = max(size_bytes, len(data))
        return hollow


def write_files(files: Files, folder: Path) -> int:
    """Write the files of a bomb; how many bytes of contents they have."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
        if isinstance(data, Hollow):
            os.truncate(folder / name, data.size_bytes)
    return sum(map(len, files.values()))


CPU_SECONDS: Final = 5.0
MEMORY_MEGABYTES: Final = 512
"""What any one command may take of a bomb in full size."""
CALLS: Final = 3_000_000
"""Python calls that any one command may make for a bomb of four times its small size."""


@frozen
class Bomb:
    """One structure, of any size."""

    name: str
    subject: str
    """The section or format."""
    shape: str
    """What there is much of, with `{}` for how much."""
    make: Callable[[int], Files]
    """The files of a size."""
    full: int
    """The size for `tools/bombs`."""
    commands: tuple[str, ...]
    """Of `dwarfgpu`, run where the files are; what is typed comes after ` <<< `."""
    small: int = 100
    """The size for the tests; they try four times as much too."""
    cpu_seconds: float = CPU_SECONDS
    says: str = ""
    """A regular expression: what one of the commands must say of the full size."""
