"""Whether the entry of a bundle has the contents that the bundle says: those that were hashed, and
a code object for the GPU that the entry names.

Law: the code object is believed, since loaders and its instructions go by its ELF header (AMDGPU
usage, "Code Object Target Identification"; `cuda_target` for cubins).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.processors import by_mach, may_run
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
_EM_CUDA: Final = (190).to_bytes(2, "little")
_ABI_VERSION_AT: Final = 8
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
    if entry.target_name is None:
        return None
    header = bytes(data[:_HEADER_BYTES])
    if len(header) < _HEADER_BYTES or not header.startswith(_ELF64_LITTLE):
        return None
    machine = header[_MACHINE_AT : _MACHINE_AT + 2]
    if machine == _EM_AMDGPU and entry.target is not None:
        name = _other_processor(header, entry.target.processor)
    elif machine == _EM_CUDA and entry.target is None:
        name = _other_sm(header, entry.target_name)
    else:
        return None
    if name is None:
        return None
    return Malformed(
        f"entry {entry.index}, {entry.id}, has a code object for {name} by its ELF header, and is "
        "read as that"
    )


def _other_processor(header: bytes, wanted: str) -> str | None:
    """Return the processor of a header if it is not the wanted one."""
    if header[_FLAGS_AT] < FIRST_GCN_MACH:
        return None
    try:
        name = by_mach(header[_FLAGS_AT]).name
    except Unsupported:
        return None
    return None if may_run(name, wanted) else name


def _other_sm(header: bytes, wanted: str) -> str | None:
    """Return the GPU of a cubin's header if it is not the wanted one. No cubin says whether it is
    for `sm_100f`."""
    from dwarfgpu.objfile.cuda_target import sm_of  # few files are cubins

    flags = int.from_bytes(header[_FLAGS_AT : _FLAGS_AT + 4], "little")
    sm = sm_of(header[_ABI_VERSION_AT], flags)
    return None if sm is None or f"sm_{sm}" == wanted.rstrip("af") else f"sm_{sm}"
