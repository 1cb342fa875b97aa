"""The core file that the GPU of a simulated run would leave (`dwarfgpu run --core`)."""

from __future__ import annotations

from pathlib import Path

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.simulated.launch.dispatch import Launched
from dwarfgpu.service.core.core_of_state import write_core_of_state
from dwarfgpu.service.run.run_kernel import Result
from dwarfgpu.service.run.state_of_run import all_of_run


def write_core_of_run(
    path: Path, code_object: CodeObject, launched: Launched, result: Result
) -> tuple[str, ...]:
    """Write the waves that have not ended and all memory; what the file cannot hold, one line each.

    `UsageError` where all waves have ended, and for a file that cannot be written.
    """
    if all(wave.is_ended for wave in result.machine.waves):
        raise UsageError("--core: all waves have ended: there is nothing to write")
    target, pcs = all_of_run(launched, result.machine)
    return write_core_of_state(path, target, pcs, [code_object])
