"""Whether the entry of a bundle has the contents that the bundle says: those that were hashed, and
a code object for the GPU that the entry names.

Law: the code object is believed, since loaders and its instructions go by its ELF header (AMDGPU
usage, "Code Object Target Identification").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.processors import by_mach
from dwarfgpu.errors import Malformed, Unsupported
from dwarfgpu.objfile.file_kinds import ELF_MAGIC
from dwarfgpu.objfile.target_id import FIRST_GCN_MACH

if TYPE_CHECKING:
    from dwarfgpu.objfile.bundle import BundleEntry
    from dwarfgpu.objfile.file_bytes import FileBytes

_HEADER_BYTES: Final = 64
_ELF64_LITTLE: Final = ELF_MAGIC + bytes((2, 1))
_MACHINE_AT: Final = 18
_EM_AMDGPU: Final = (224).to_bytes(2, "little")
_FLAGS_AT: Final = 48


def entry_fault(entry: BundleEntry, data: bytes | FileBytes) -> Malformed | None:
    """Return that the compressed bundle of an entry has another hash than its contents, or that the
    entry names another processor than the header of its code object, which is `data`; None where
    the header has none that is known, or a generic one of its family. A `DwarfGpuError` of the file
    if that cannot be read."""
    if not entry.has_hash:
        return Malformed(
            f"bundle {entry.bundle} is compressed, and its contents do not have the hash in its "
            "header: they may be damaged"
        )
    if entry.target is None:  # those of CUDA would be unpacked for it
        return None
    header = bytes(data[:_HEADER_BYTES])
    if (
        len(header) < _HEADER_BYTES
        or not header.startswith(_ELF64_LITTLE)
        or header[_MACHINE_AT : _MACHINE_AT + 2] != _EM_AMDGPU
        or header[_FLAGS_AT] < FIRST_GCN_MACH
    ):
        return None
    try:
        name = by_mach(header[_FLAGS_AT]).name
    except Unsupported:
        return None
    family, _, generic = name.partition("-")
    wanted = entry.target.processor
    if name == wanted or (generic and wanted.startswith(family)):  # it runs on several
        return None
    return Malformed(
        f"entry {entry.index}, {entry.id}, has a code object for {name} by its ELF header, and is "
        "read as that"
    )
