"""The GPU of a cubin, by `e_flags` (LLVM's `llvm/BinaryFormat/ELF.h`, EF_CUDA_*; confirmed with
ptxas 12.9 to 13.5 and cuobjdump).

Law: the ABI version that the file claims decides which bits mean what.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unsupported
from dwarfgpu.objfile.cuda_attributes import attributes
from dwarfgpu.objfile.elf import ObjectFile

_FIRST_ABI: Final = 7
_SECOND_ABI: Final = 8
_FIRST_ACCELERATED: Final = 0x800
_SECOND_ACCELERATED: Final = 0x8
_COMPATIBILITY: Final = ".nv.compat"
_ACCELERATOR_TARGET: Final = 9
"""EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET, which CUDA 13 writes in place of the bit of `e_flags`."""


@frozen
class CudaTarget:
    """A real architecture, and the virtual one of the PTX that it was compiled from."""

    sm: int
    """As in `sm_90`: ten times the major and the minor compute capability."""
    is_specific: bool = False
    """Whether only that GPU runs it: the `a` of `sm_90a`."""

    def __str__(self) -> str:
        return f"sm_{self.sm}{'a' if self.is_specific else ''}"


def cuda_target(file: ObjectFile) -> CudaTarget:
    """Return the GPU of a cubin; `Unsupported` for a file of another machine or an unknown ABI
    version.

    `sm_100f` is `sm_100` here: no cubin says which of them it was compiled for.
    """
    if file.machine != "CUDA":
        raise Unsupported(f"{file.path} is for {file.machine}, not for an NVIDIA GPU")
    sm = sm_of(file.abi_version, file.flags)
    if sm is None:
        raise Unsupported(f"{file.path}: ABI version {file.abi_version} of cubins")
    if file.abi_version == _FIRST_ABI:
        return CudaTarget(sm, bool(file.flags & _FIRST_ACCELERATED))
    is_specific = bool(file.flags & _SECOND_ACCELERATED) or any(
        number == _ACCELERATOR_TARGET and value[:1] == b"\1"
        for number, value in attributes(file, _COMPATIBILITY)
    )
    return CudaTarget(sm, is_specific)


def sm_of(abi_version: int, flags: int) -> int | None:
    """Return the number of the GPU by the header of a cubin; None for an unknown ABI version."""
    if abi_version == _FIRST_ABI:
        return flags & 0xFF
    return flags >> 8 & 0xFF if abi_version == _SECOND_ABI else None
