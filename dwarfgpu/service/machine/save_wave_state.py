"""Save one wave of a core file as a state file, for sharing.

Law: the state contains the registers, the LDS and the scratch memory of the wave, and of the rest
of the memory only requested ranges.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dwarfgpu.arch.amdgpu import LOCAL, PRIVATE_WAVE
from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.load import Core
from dwarfgpu.machine.state.state_document import state_document, topology_document
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.state.write import write
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.machine.code_object_files import CodeObjectFiles, code_object_files


def save_wave(
    core: Core, gpu: GpuTarget, number: WaveId, path: Path, ranges: Iterable[tuple[int, int]]
) -> tuple[str, ...]:
    """Write the state file; return what it cannot contain and the files beside it, one line each.

    `ranges`: addresses and sizes of global memory to include. `Unavailable` if the core lacks one,
    or contradicts itself about an aperture; `UsageError` if the file cannot be written.
    """
    arch, notes = gpu.architecture_of(number), list[str]()
    apertures = gpu.apertures_of(number).require_known()  # a state file has both
    target = StateTarget(arch, apertures)
    target.add_wave(number)
    target.wave_apertures[number] = apertures
    for register in (*arch.registers.values(), *arch.other_registers):
        try:
            target.set_register(number, register, gpu.read_register(number, register))
        except Unavailable:
            continue  # it is not allocated, not saved, or not in the core file
    global_memory = Memory(arch.address_space(0), number)
    for address, size in ranges:
        target.set_memory(global_memory, address, gpu.read_memory(global_memory, address, size))
    _add_own_memory(target, gpu, number, notes)
    files = files_of_core(core, path)
    document = files.added_to(state_document(target, path, files.loaded, _before(gpu, number)))
    write(document, path)
    return (*notes, *document.notes(path))


def _add_own_memory(target: StateTarget, gpu: GpuTarget, number: WaveId, notes: list[str]) -> None:
    """Add LDS of the workgroup and scratch of the wave, as far as the core has them."""
    arch, wave = target.architecture, gpu.wave(number)
    scratch = gpu.gpu.scratch(wave)
    sizes = ((LOCAL, gpu.gpu.lds(wave)[1]), (PRIVATE_WAVE, scratch.size_bytes or 0))
    for space, size in sizes:
        where = Memory(arch.address_space(space), number)
        known_bytes = gpu.known_memory(where, 0, size) if size else []
        for offset, data in known_bytes:
            target.set_memory(where, offset, data)
        missing = size - sum(len(data) for _, data in known_bytes)
        if missing:
            notes.append(f"{missing} bytes of {where.space} memory are not in the core file")
    if scratch.base is None and scratch.is_enabled:  # what a wave does not have is known
        notes.append(scratch.why_unavailable(number))


def files_of_core(core: Core, path: Path) -> CodeObjectFiles:
    """Return the code objects for GPUs, for a state at a path."""
    modules = () if core.gpu_modules is None else core.gpu_modules.files
    return code_object_files([(it.file, it.load_address) for it in modules], path)


def _before(gpu: GpuTarget, number: WaveId) -> dict[str, Json]:
    """Return the objects above the wave, and its position, in state file format."""
    scratch = gpu.gpu.scratch(gpu.wave(number))
    apertures = evolve(
        gpu.apertures_of(number), scratch_base=scratch.base, scratch_bytes=scratch.size_bytes
    )
    return {
        **topology_document(gpu.model, {number: apertures}),
        "note": f"wave {number} of a core file",
    }
