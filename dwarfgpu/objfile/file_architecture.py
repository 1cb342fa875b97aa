"""The machine of an object file (AMDGPU usage, "Code Object").

Law: the header names the processor, or in V2 a note; kernel descriptors give the wave size; nothing
else is guessed.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch import architecture
from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import Unsupported
from dwarfgpu.objfile.elf import ObjectFile

_DESCRIPTOR_SUFFIX: Final = ".kd"
_CPUS: Final[dict[tuple[str, Endian], str]] = {
    ("X86_64", "little"): "x86_64",
    ("AARCH64", "little"): "aarch64",
    ("AARCH64", "big"): "aarch64_be",
    ("386", "little"): "i386",
}


@frozen
class Kernel:
    """A kernel according to its descriptor (code object V3 and later)."""

    name: str
    descriptor: int
    """Address of the file."""
    entry: int
    """Address of the file at which waves start."""
    wave_size: int
    """Lanes."""


def kernels(file: ObjectFile) -> tuple[Kernel, ...]:
    """Return the kernels with a descriptor in the file, in the order of the symbol table."""
    # A program of a CPU, and a processor with waves of one size, need no descriptor.
    from dwarfgpu.objfile.kernel_descriptor import DESCRIPTOR_BYTES, entry_offset_and_wave_size

    out: list[Kernel] = []
    for symbol in file.symbols:
        if not symbol.name.endswith(_DESCRIPTOR_SUFFIX) or not symbol.section:
            continue
        data = file.bytes_of(symbol, DESCRIPTOR_BYTES)
        if data is None:
            continue
        offset, wave_size = entry_offset_and_wave_size(data)
        name = symbol.name.removesuffix(_DESCRIPTOR_SUFFIX)
        out.append(Kernel(name, symbol.address, symbol.address + offset, wave_size))
    return tuple(out)


def wave_size(file: ObjectFile) -> int | None:
    """Return the wave size of all kernels; None if there are none or they differ."""
    sizes = {kernel.wave_size for kernel in kernels(file)}
    return sizes.pop() if len(sizes) == 1 else None


def processor_name(file: ObjectFile) -> str:
    """Return the processor of the target; `Unsupported` for one that dwarfgpu does not know."""
    from dwarfgpu.objfile.gpu_code import target_of  # programs of a CPU need none of it

    name = target_of(file).processor
    if name not in PROCESSORS:
        raise Unsupported(f"the AMD GPU processor {name}")
    return name


def architecture_of(file: ObjectFile) -> Architecture:
    """Return the architecture of an object file; for an AMD GPU, with the wave size of its kernels.

    `Unsupported` for a machine or processor that dwarfgpu does not know.
    """
    if file.machine == "AMDGPU" and file.endian == "little":
        try:
            processor = PROCESSORS[processor_name(file)]
        except Unsupported as error:
            problem = f"{file.path} is for {error.message}, which dwarfgpu does not know"
            raise Unsupported(problem) from None
        if len(processor.wave_sizes) == 1:
            return architecture(processor.name)  # whatever its symbols say, or cannot say
        size = wave_size(file)
        return architecture(processor.name, size if size in processor.wave_sizes else None)
    if file.machine == "CUDA":
        from dwarfgpu.objfile.cuda_target import cuda_target

        return architecture(str(cuda_target(file)))
    name = _CPUS.get((file.machine, file.endian))
    if name is None:
        expected = f"{file.machine} with {file.endian}-endian data"
        raise Unsupported(f"{file.path} is for {expected}, which dwarfgpu does not know")
    return architecture(name)
