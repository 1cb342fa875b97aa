"""Whether a linker leaves room in the sections that it writes, which is no damage."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile

_ZIG: Final = b"zig "
_MOST_BYTES: Final = 1 << 16
"""Of `.comment`, where each tool writes its name once."""


@kept_with(first)
def leaves_room(file: ObjectFile) -> bool:
    """Return whether the linker of a file fills the end of units, of lists and of entries of call
    frame information with zeros, as Zig's own does, so that a later link can add contents."""
    section = file.sections_by_name.get(".comment")
    if section is None or section.size_bytes > _MOST_BYTES:
        return False
    try:
        return any(name.startswith(_ZIG) for name in file.data_of(section).split(b"\0"))
    except DwarfGpuError:
        return False
