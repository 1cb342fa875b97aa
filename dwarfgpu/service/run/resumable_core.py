"""A core file of AMD GPUs as a machine that can resume its waves.

Law: the core file is read, never written. Its memory is read when it is accessed; registers that it
does not have are undefined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from dwarfgpu.arch.amdgpu import LOCAL
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import split_by_machine
from dwarfgpu.errors import Unavailable, Unsupported
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.gpu.stop_reasons import FAULTS
from dwarfgpu.machine.core.process_target import ProcessTarget
from dwarfgpu.machine.simulated.debugger.failed_waves import FailedWave, FailedWaves, fails_at_pc
from dwarfgpu.machine.simulated.debugger.simulated_process import SimulatedProcess
from dwarfgpu.machine.simulated.debugger.simulated_target import SimulatedTarget
from dwarfgpu.machine.sparse_memory import bytes_of
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import StopReason
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine


def resumable_core(
    core: Core,
    code_objects: Sequence[CodeObject],
    seed: int = 0,
    fill: int | None = None,
    most_bytes: int = DEFAULT_FILE_LIMITS.state_bytes,
) -> SimulatedTarget | SimulatedProcess:
    """Return the waves of a core file as running machines, with the assignments made so far.

    `most_bytes`: the most memory of the machines, without that of the core file.
    Threads of CPUs stay as they are. `Unsupported` for a core file without waves, and without
    NumPy; other errors as of `dwarfgpu.machine.simulated.launch.machine_of_state.machine_of_state`.
    """
    gpu = core.gpu
    if gpu is None or not gpu.waves:
        raise Unsupported("Cannot run: the core file has no waves of a GPU.")
    states = [_state(gpu, waves) for waves in _by_architecture(gpu, gpu.waves)]
    code_objects, _ = split_by_machine(code_objects, states[0].architecture)
    targets = [SimulatedTarget(state) for state in states]
    machines = _machines(gpu, states, code_objects, seed, fill, most_bytes)
    failed = _failed(gpu, code_objects, fill, most_bytes)
    for target, machine in zip(targets, machines, strict=True):
        own = {wave: failed[wave] for wave in target.waves if wave in failed}
        target.attach(machine, FailedWaves(own) if own else None)
    if len(targets) == 1 and not core.threads:
        return targets[0]
    host = core.target.host if isinstance(core.target, ProcessTarget) else None
    if host is not None:
        for address, data in _overriding_memory(host.overrides):
            machines[0].global_memory.write(address, data)
    return SimulatedProcess(targets, host, seed)


def _by_architecture(gpu: GpuTarget, waves: Collection[WaveId]) -> list[list[WaveId]]:
    """Return waves of one processor and one size together, in the order of the core."""
    out: dict[Architecture, list[WaveId]] = {}
    for wave in waves:
        out.setdefault(gpu.architecture_of(wave), []).append(wave)
    return list(out.values())


def _overriding_memory(state: StateTarget) -> Iterator[tuple[int, bytes]]:
    """Yield the global memory that was written over the core."""
    for name, _, store in state.memories():
        yield from ((address, bytes_of(run)) for address, run in store.runs() if not name)


def _failed(
    gpu: GpuTarget, code_objects: Sequence[CodeObject], fill: int | None, most_bytes: int
) -> dict[WaveId, FailedWave]:
    """Return the waves that had failed at another instruction than the one at their pc.

    That is tried on machines of their own, with what the core has. A wave whose pc was written
    continues from there.
    """
    before = GpuTarget(gpu.gpu, gpu.memory, gpu.kernel_name, gpu.function_code)
    reasons: dict[WaveId, StopReason] = {}
    for number, record in gpu.model.waves.items():
        failures = [reason for reason in record.stop_reasons if reason in FAULTS]
        if failures and not gpu.is_given(number, "pc"):
            reasons[number] = _reason(failures[0])
    out: dict[WaveId, FailedWave] = {}
    states = [_state(before, waves) for waves in _by_architecture(before, reasons)]
    machines = _machines(before, states, code_objects, 0, fill, most_bytes) if states else []
    for machine in machines:
        for wave in machine.waves:
            number, pc = wave.wave.id, wave.pc
            if not fails_at_pc(machine, wave, reasons[number]):
                out[number] = FailedWave(pc, reasons[number], _why(before, number))
    return out


def _why(gpu: GpuTarget, number: WaveId) -> str:
    """Return what a wave says that had failed before its pc."""
    access = gpu.faulty_access(number)
    where = "before its pc"
    if access is not None and access.pc is not None and access.is_before_pc:
        where = f"at {access.instruction} at {access.pc:#x}, before its pc"
    return f"the wave failed {where}; set $pc to continue"


def _reason(name: str) -> StopReason:
    """Return the member of `StopReason` for a stop reason of amd-dbgapi."""
    upper = name.upper()
    return StopReason[upper] if upper in StopReason.__members__ else StopReason.TRAP


def _state(gpu: GpuTarget, waves: Collection[WaveId]) -> StateTarget:
    """Return the topology, registers and LDS of waves of one architecture; global memory only where
    it was written."""
    architecture = gpu.architecture_of(next(iter(waves)))
    state = StateTarget(architecture, machine=gpu.model)
    registers = (*architecture.registers.values(), *architecture.other_registers)
    groups: set[int] = set()
    for number in waves:
        record = gpu.model.waves[number]
        group = number if record.workgroup is None else record.workgroup
        state.add_wave(number, group)
        state.place_wave(record)
        apertures = gpu.apertures_of(number).require_known()
        state.wave_apertures[number] = apertures
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


def _machines(
    gpu: GpuTarget,
    states: Sequence[StateTarget],
    code_objects: Sequence[CodeObject],
    seed: int,
    fill: int | None,
    most_bytes: int,
) -> list[RunningMachine]:
    """Return a machine for each state, over the memory of the core."""
    from dwarfgpu.service.run.run_kernel import machines_of_core  # most cores are looked at

    machines = machines_of_core(states, code_objects, seed, fill, gpu.memory, most_bytes)
    global_memory = machines[0].global_memory
    for allocation in list(global_memory.allocations):
        size = allocation.end - allocation.start
        if allocation.is_writable:
            for offset, data in gpu.memory.known(allocation.start, size):
                allocation.write(offset, data)
    for address, data in gpu.given_global_memory():
        global_memory.write(address, data)
    return machines
