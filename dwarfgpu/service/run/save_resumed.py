"""Save resumed waves where they stopped, as a state file or as a core file."""

from __future__ import annotations

from pathlib import Path

from dwarfgpu.base import json_reader
from dwarfgpu.machine.state.state_document import state_document
from dwarfgpu.machine.state.write import write
from dwarfgpu.service.core.core_of_state import write_core_of_state
from dwarfgpu.service.machine.code_object_files import code_object_files
from dwarfgpu.service.machine.open_machine import Stopped
from dwarfgpu.service.run.resumed_waves import ResumedWaves


def save_resumed(
    path: Path, stopped: Stopped, resumed: ResumedWaves, state: Path | None
) -> list[str]:
    """Write the state file, and return notes on the files beside it; `state`: the file where the
    waves are from, if it is one.

    `UsageError` for a file that cannot be written.
    """
    machine = resumed.one_machine
    assert machine is not None
    before = None if state is None else json_reader.load(state).value
    code_objects = [(it.file, it.load_address) for it in resumed.code_objects]
    files = code_object_files(code_objects, path, recorded=stopped.recorded)
    if stopped.core is not None:
        from dwarfgpu.service.machine.save_wave_state import files_of_core  # for core files only

        files = files_of_core(stopped.core, path)
    document = before if isinstance(before, dict) else None
    saved = files.added_to(state_document(machine, path, files.loaded, document))
    write(saved, path)
    return saved.notes(path)


def write_core_of_resumed(path: Path, resumed: ResumedWaves) -> tuple[str, ...]:
    """Write the core file; what it cannot hold, one line each. Errors as of
    `write_core_of_state`."""
    machine = resumed.one_machine
    assert machine is not None
    counter = machine.architecture.register_named("pc")
    assert counter is not None
    pcs = {
        wave: int.from_bytes(machine.read_register(wave, counter), "little")
        for wave in machine.waves
    }
    return write_core_of_state(path, machine, pcs, resumed.code_objects_of_gpus)
