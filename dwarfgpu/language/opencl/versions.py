"""Versions of OpenCL C, which decide what a pointer without an address space is (OpenCL C 6.7)."""

from __future__ import annotations

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.errors import Unsupported
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.gpu_code import read_gpu_code


@kept_with(first)
def has_generic_pointers(file: ObjectFile) -> bool | None:
    """Return whether `int *` is generic, as in OpenCL C 2.0, rather than private, as before that.

    None where it is unknown: the metadata have no version, or several, and since 3.0 a compiler may
    have generic pointers or not. The debug information of all versions is the same.
    """
    try:
        described = [kernel.metadata for kernel in read_gpu_code(file).kernels]
    except Unsupported:  # of another machine
        return None
    versions = {
        None if kernel is None or not kernel.language_version else kernel.language_version[0]
        for kernel in described
    }
    if versions == {1}:
        return False
    return True if versions == {2} else None
