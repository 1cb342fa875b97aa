"""The machine of an object file (AMDGPU usage, "Code Object").

Law: the header names the processor, or in V2 a note; kernel descriptors give the wave size; nothing
else is guessed.
"""

from __future__ import annotations

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.arch.registry import architecture, cpu_of, other_wave_size
from dwarfgpu.base.arguments import WrongValue
from dwarfgpu.errors import DwarfGpuError, Unsupported
from dwarfgpu.objfile.elf import ObjectFile


def processor_name(file: ObjectFile) -> str:
    """Return the processor of the target; `Unsupported` for an unknown one."""
    from dwarfgpu.objfile.gpu_code import target_of  # programs of a CPU need none of it

    try:
        name = target_of(file).processor
        if name not in PROCESSORS:
            raise Unsupported(f"the AMD GPU processor {name}")
    except DwarfGpuError as error:
        error.context = error.context or file.path
        raise
    return name


def architecture_of(file: ObjectFile) -> Architecture:
    """Return the architecture of an object file; for an AMD GPU, with the wave size of its kernels.

    `Unsupported` for an unknown machine or processor.
    """
    if file.machine == "AMDGPU" and file.endian == "little":
        try:
            processor = PROCESSORS[processor_name(file)]
        except Unsupported as error:
            problem = f"{file.path} is for {error.message}, which is not supported"
            raise Unsupported(problem) from None
        if len(processor.wave_sizes) == 1:
            return architecture(processor.name)  # whatever its symbols say, or cannot say
        from dwarfgpu.objfile.kernel_symbols import wave_size  # other processors need no symbols

        size = wave_size(file)
        return architecture(processor.name, size if size in processor.wave_sizes else None)
    if file.machine == "CUDA":
        from dwarfgpu.objfile.cuda_target import cuda_target

        name = str(cuda_target(file))
        try:
            return architecture(name)
        except WrongValue:
            problem = f"{file.path} is for the NVIDIA GPU {name} by its e_flags {file.flags:#x}"
            raise Unsupported(f"{problem}, which is not supported") from None
    cpu = cpu_of(file.machine, file.endian)
    if cpu is None:
        machine = f"{file.machine} with {file.endian}-endian data"
        raise Unsupported(f"{file.path} is for {machine}, which is not supported")
    return cpu


def other_architecture_of(file: ObjectFile, arch: Architecture) -> Architecture | None:
    """Return the same processor with its other wave size, if the file specifies neither; None if it
    does, and for all other machines."""
    other = other_wave_size(arch)
    if other is None:
        return None
    from dwarfgpu.objfile.kernel_symbols import wave_size  # few processors have two

    return other if wave_size(file) is None else None
