"""The space that gold leaves in debugging sections for later links (`--incremental-full`).

Law: only a file with gold's tables for such links has it. A hole in `.debug_info` or `.debug_types`
is a dummy header of version 4, for addresses of 4 bytes, and zeros: gold's
`Output_fill_debug_info`. At the end of `.debug_aranges` there are zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dwarfgpu.base.byte_reader import Data
    from dwarfgpu.dwarf.unit_header import UnitHeader
    from dwarfgpu.objfile.elf import ObjectFile

_TABLES: Final = ".gnu_incremental_inputs"
_VERSION: Final = 4
_ADDRESS_BYTES: Final = 4


def has_patch_space(file: ObjectFile) -> bool:
    """Return whether gold linked a file for incremental links."""
    return _TABLES in file.sections_by_name


def without_holes(
    headers: list[UnitHeader], data: Data, load: Callable[[int, int], object] | None
) -> list[UnitHeader]:
    """Return the headers in a section that are no dummies. `load`: as for `read_headers`."""
    return [header for header in headers if not _is_hole(header, data, load)]


def _is_hole(header: UnitHeader, data: Data, load: Callable[[int, int], object] | None) -> bool:
    form = header.format
    if (
        (form.version, form.offset_size, form.address_size) != (_VERSION, 4, _ADDRESS_BYTES)
        or header.abbreviations_at
        or header.signature
        or header.type_offset
    ):
        return False
    if load is not None:
        load(header.entries_at, header.end)
    return not any(data[header.entries_at : header.end])
