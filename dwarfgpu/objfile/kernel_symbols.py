"""The kernels of a code object: symbols of kernel descriptors (AMDGPU usage, "Kernel Descriptor").

Law: the descriptors alone give the wave size; nothing is guessed.
"""

from __future__ import annotations

from dwarfgpu.base.records import frozen
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.symbols import DESCRIPTOR_SUFFIX


@frozen
class Kernel:
    """A kernel according to its descriptor (code object V3 and later)."""

    name: str
    descriptor: int
    """Address in the file (not relocated)."""
    entry: int
    """Address in the file at which waves start."""
    wave_size: int
    """Lanes per wave: 32 or 64."""


def kernels(file: ObjectFile) -> tuple[Kernel, ...]:
    """Return the kernels with a descriptor in the file, in the order of the symbol table."""
    # A program of a CPU, and a processor with waves of one size, need no descriptor.
    from dwarfgpu.objfile.kernel_descriptor import DESCRIPTOR_BYTES, entry_offset_and_wave_size

    out: list[Kernel] = []
    for symbol in file.symbols_ending(DESCRIPTOR_SUFFIX):
        if not symbol.section:
            continue
        data = file.bytes_of(symbol, DESCRIPTOR_BYTES)
        if data is None:
            continue
        offset, wave_size = entry_offset_and_wave_size(data)
        name = symbol.name.removesuffix(DESCRIPTOR_SUFFIX)
        out.append(Kernel(name, symbol.address, symbol.address + offset, wave_size))
    return tuple(out)


def wave_size(file: ObjectFile) -> int | None:
    """Return the wave size of all kernels; None if there are none or they differ."""
    sizes = {kernel.wave_size for kernel in kernels(file)}
    return sizes.pop() if len(sizes) == 1 else None
