"""A dispatch that was changed before it started: what was written to its state holds."""

from __future__ import annotations

from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.launch.adopted import set_known, write_known
from dwarfgpu.machine.sparse_memory import bytes_of
from dwarfgpu.machine.state.state_target import StateTarget


def take_over(machine: RunningMachine, state: StateTarget) -> None:
    """Give a machine before its first instruction the known registers and memory of a state."""
    architecture = state.architecture
    registers = (*architecture.registers.values(), *architecture.other_registers)
    for wave in machine.waves:
        known = state.waves[wave.wave.id]
        for register in registers:
            if register.name in known:
                set_known(wave, register, known[register.name])
    groups = {state.workgroups[wave.wave.id]: wave.lds for wave in machine.waves}
    memories = state.memories()
    for name, owner, store in memories:
        for address, run in store.runs() if name == "local" and owner in groups else ():
            groups[owner or 0].write(address, bytes_of(run))
    write_known(machine.arena, (store for name, _, store in memories if not name))
