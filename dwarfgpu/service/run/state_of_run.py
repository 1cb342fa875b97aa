"""A stopped simulated run, as a machine for commands to examine and as a state file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dwarfgpu.arch.amdgpu import amdgpu
from dwarfgpu.arch.model import Apertures
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.simulated.debugger.simulated_target import SimulatedTarget
from dwarfgpu.machine.simulated.launch.dispatch import Launched
from dwarfgpu.machine.simulated.launch.save_dispatch import saved
from dwarfgpu.machine.state.state_document import state_document
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.state.write import write
from dwarfgpu.machine.target import WaveId
from dwarfgpu.service.machine.code_object_files import code_object_files
from dwarfgpu.service.run.run_kernel import Result

if TYPE_CHECKING:  # it imports NumPy
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine


def state_of_run(
    launched: Launched, machine: RunningMachine
) -> tuple[SimulatedTarget, dict[WaveId, int]]:
    """Return the state of the waves that have not ended: their locations, and all writable
    memory."""
    arch = amdgpu(launched.request.processor.name, launched.machine.lane_count)
    before = StateTarget(arch, machine=launched.machine, fill=launched.request.fill)
    for begun in launched.waves:
        number = begun.wave.id
        before.add_wave(number, begun.wave.workgroup)
        before.place_wave(begun.wave)
        agent = launched.request.placement.agent
        before.wave_apertures[number] = Apertures(
            agent.local_base,
            agent.private_base,
            begun.scratch_address,
            begun.scratch_bytes,
            begun.element_bytes,
            launched.group_bytes,
        )
    target = SimulatedTarget(before)
    target.attach(machine)
    return target, {wave.wave.id: wave.stop_pc for wave in machine.waves if not wave.is_ended}


def all_of_run(
    launched: Launched, machine: RunningMachine
) -> tuple[SimulatedTarget, dict[WaveId, int]]:
    """Return the state with what is undefined, as a GPU has it; the machine does not know it any
    more."""
    machine.define_all()
    return state_of_run(launched, machine)


def write_state_of_run(
    path: Path, code_object: CodeObject, launched: Launched, result: Result
) -> list[str]:
    """Write the state file of a run where it stopped or ended, and return notes on the files beside
    it.

    `UsageError` for a file that cannot be written.
    """
    target, _ = state_of_run(launched, result.machine)
    files = code_object_files([(code_object.file, code_object.load_address)], path)
    [file] = files.loaded
    before = saved(launched, path, file).document
    stop = result.stop
    why = "after its end" if stop is None else f"stopped: {stop.reason}, {stop.text}"
    before["note"] = f"run of {launched.request.kernel.name}, {why}"
    document = files.added_to(state_document(target, path, files.loaded, before))
    write(document, path)
    return document.notes(path)
