"""A state as a machine that can resume its waves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.machine.simulated.debugger.simulated_target import SimulatedTarget
from dwarfgpu.machine.state.state_target import StateTarget

if TYPE_CHECKING:
    from dwarfgpu.dwarf.code_object import CodeObject
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine


def resumable_state(
    state: StateTarget,
    code_objects: Sequence[CodeObject],
    fill: int | None = None,
    seed: int = 0,
    most_bytes: int = DEFAULT_FILE_LIMITS.state_bytes,
) -> SimulatedTarget:
    """Return the state as a machine that runs on request.

    `fill`: the byte of what the state leaves out; None: what needs it stops its wave, unless the
    state says that nothing has written it. `most_bytes`: the most memory of the machine.
    """

    def adopt(edited: StateTarget) -> RunningMachine:
        # Only here: most states are looked at, and nothing else.
        from dwarfgpu.service.run.run_kernel import machine_of_state

        return machine_of_state(edited, code_objects, seed, fill, most_bytes)

    return SimulatedTarget(state, None, adopt)
