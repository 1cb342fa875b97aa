"""The names of a large file's units, from the index cache or for it.

Law: a file is indexed by the second process that looks for a name in it, and after its last answer:
a file that is looked into once costs no more than a mark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dwarfgpu.errors import DwarfGpuError

if TYPE_CHECKING:
    from dwarfgpu.base.index_cache import Progress
    from dwarfgpu.dwarf.index.unit_names import UnitNames
    from dwarfgpu.dwarf.sections import Sections
    from dwarfgpu.dwarf.unit import CompilationUnit

MIN_BYTES: Final = 1 << 18
"""Entries of fewer bytes are searched as fast as an index is opened, in 0.5 ms."""
MAX_BYTES: Final = 64 << 20
"""Collecting the names of more entries would take too long, unasked: 0.15 s for each million
bytes."""
VERSION: Final = 3
"""Changes with what is collected from the same file, and with how it is encoded."""
_SHARED: Final = (".gnu_debugaltlink", ".debug_sup")
"""Sections of files whose units have entries and strings in another file."""
_SEEN: Final = b""
"""The content of a file in which one process looked for a name."""
_NEVER: Final = b"\0"
"""The content of a file whose names cannot be collected."""


def cached_names(
    sections: Sections, units: Callable[[], Sequence[CompilationUnit]]
) -> UnitNames | None:
    """Return the names of a file from the index cache; None if it has none.

    They are then collected when the process ends, if an earlier one has asked for them.
    """
    file = sections.object
    if not sections.is_whole_file or not file.limits.index_cache:
        return None
    try:
        if any(map(file.has_section, _SHARED)):
            return None
        size_bytes = sum(
            file.unpacked_bytes(section)
            for name in (".debug_info", ".debug_types")
            for section in file.sections_named(name)
        )
        if not MIN_BYTES <= size_bytes <= MAX_BYTES:
            return None
        from dwarfgpu.objfile.index_identity import index_identity  # few files are as large

        identity = index_identity(file)
    except DwarfGpuError:
        return None
    if identity is None:
        return None
    from dwarfgpu.base.index_cache import INDEX_CACHE

    if INDEX_CACHE.folder is None:
        return None
    bounds = file.limits.units, file.limits.dies
    name, content = identity.name, repr((VERSION, bounds)).encode() + identity.content
    stored = INDEX_CACHE.load(name, content)
    if stored is not None and len(stored) > len(_NEVER):
        from dwarfgpu.dwarf.index.unit_names import UnitNames

        with suppress(ValueError):
            return UnitNames(stored, len(units()))
        return None
    if stored is None:
        INDEX_CACHE.later[name] = lambda progress: INDEX_CACHE.store(name, content, _SEEN)
    elif bytes(stored) == _SEEN:

        def collect(progress: Progress) -> None:
            INDEX_CACHE.store(name, content, *_collected(sections, units, progress))

        INDEX_CACHE.later[name] = collect
    return None


def _collected(
    sections: Sections, units: Callable[[], Sequence[CompilationUnit]], progress: Progress
) -> tuple[bytes, ...]:
    from dwarfgpu.dwarf.index.collect_names import collected  # few processes do

    try:
        read = units()
        return collected(read, lambda number: progress(sections.path, number, len(read)))
    except DwarfGpuError:
        return (_NEVER,)
