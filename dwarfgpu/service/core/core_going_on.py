"""The waves of a core file of AMD GPUs with the power to go on from it.

Law: the core file is read, never written. Its memory is read when it is accessed; registers that it
does not have are undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dwarfgpu.arch.amdgpu import LOCAL
from dwarfgpu.errors import Unavailable, Unsupported
from dwarfgpu.machine.core.gpu.failures import Failures
from dwarfgpu.machine.core.gpu.faults import FAULTS
from dwarfgpu.machine.core.gpu.target import GpuTarget
from dwarfgpu.machine.simulated.debugger.target import SimulatedTarget
from dwarfgpu.machine.simulated.faults import StopReason
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:
    from dwarfgpu.dwarf.code_object import CodeObject
    from dwarfgpu.machine.core.load import Core
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine


def core_going_on(
    core: Core, code_objects: Sequence[CodeObject], seed: int = 0, fill: int | None = None
) -> SimulatedTarget:
    """The waves of a core file, with what was written over them, as a machine that runs.

    `Unsupported` for a core file with threads of CPUs, without waves, with waves of several
    processors, and without NumPy; others as of `dwarfgpu.machine.simulated.launch.adopted.adopted`.
    """
    gpu = core.gpu
    if gpu is None or core.threads:
        raise Unsupported("Cannot run: only core files of GPUs alone go on, without CPU threads.")
    architectures = {wave.architecture for wave in gpu.waves.values()}
    if len(architectures) != 1:
        raise Unsupported(f"Cannot run: the core file has waves of {len(architectures)} processors")
    state = _state(gpu)
    target = SimulatedTarget(state)
    target.attach(_machine(gpu, state, code_objects, seed, fill))
    failed = {}
    for number, record in state.machine.waves.items():
        reasons = [reason for reason in record.stop_reasons if reason in FAULTS]
        pc = gpu.gpu.pc(gpu.wave(number))
        if reasons and pc is not None:
            failed[number] = pc, StopReason[_reason(reasons[0])]
    target.failures = Failures(failed) if failed else None
    return target


def _reason(name: str) -> str:
    """The member of `StopReason` for a stop reason of amd-dbgapi."""
    return name.upper() if name.upper() in StopReason.__members__ else StopReason.TRAP.name


def _state(gpu: GpuTarget) -> StateTarget:
    """The topology, registers and LDS of the waves; global memory only where it was written."""
    architecture = next(iter(gpu.waves.values())).architecture
    state = StateTarget(architecture, machine=gpu.model)
    registers = (*architecture.registers.values(), *architecture.other_registers)
    groups: set[int] = set()
    for number, record in gpu.model.waves.items():
        group = number if record.workgroup is None else record.workgroup
        state.add_wave(number, group)
        state.place_wave(record)
        apertures = state.wave_apertures[number] = gpu.apertures_of(number)
        for register in registers:
            try:
                state.set_register(number, register, gpu.read_register(number, register))
            except Unavailable:
                continue  # it is undefined
        if group not in groups and apertures.local_bytes:
            groups.add(group)
            local = Memory(architecture.address_space(LOCAL), wave=number)
            for offset, data in gpu.known_memory(local, 0, apertures.local_bytes):
                written = state.without_memory()
                written.set_memory(local, offset, data)
                state.replace_memory(written)
    return state


def _machine(
    gpu: GpuTarget,
    state: StateTarget,
    code_objects: Sequence[CodeObject],
    seed: int,
    fill: int | None,
) -> RunningMachine:
    from dwarfgpu.service.machine.run_kernel import machine_of_state  # most cores are looked at

    machine = machine_of_state(state, code_objects, seed, fill, gpu.memory)
    for allocation in list(machine.arena.allocations):
        size = allocation.end - allocation.start
        if allocation.is_writable:
            for offset, data in gpu.memory.known(allocation.start, size):
                allocation.write(offset, data)
    for address, data in gpu.given_global_memory():
        machine.arena.write(address, data)
    return machine
