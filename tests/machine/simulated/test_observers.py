"""Observers see every access of memory before it happens, and change nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dwarfgpu.base.records import define, field
from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.execution.observers import ObservedStop
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason
from tests.cli.command import FIXTURES
from tests.machine.simulated.kernels import KERNELS, Array
from tests.machine.simulated.test_kernels import begun

NAMES = ("vadd", "histogram", "reduce", "stack_array", "atomics", "generic_pointer", "atomic_sum")


@define(eq=False)
class Undo:
    """Remembers what each write replaces, byte by byte."""

    machine: RunningMachine
    replaced: list[tuple[Array, int, int]] = field(factory=list)
    read: int = 0

    def before(self, wave: WaveMemory, step: Step) -> None:
        assert wave.pc == step.instruction.address

    def access(self, wave: WaveMemory, access: Access) -> None:
        self.read += access.is_read
        if not access.is_written:
            return
        lanes = np.zeros(len(access.addresses), int) if access.lanes is None else access.lanes
        for address, lane in zip(access.addresses.tolist(), lanes.tolist(), strict=True):
            for at in range(address, address + access.size_bytes):
                memory, offset = self.place(wave, access.space, at, lane)
                self.replaced.append((memory, offset, int(memory[offset])))

    def place(self, wave: WaveMemory, space: str, at: int, lane: int) -> tuple[Array, int]:
        if space == "local":
            return wave.lds.data, at
        if space == "private":
            return wave.scratch.view(np.uint8).reshape(-1), at // 4 * 256 + lane * 4 + at % 4
        allocation = self.machine.global_memory.at(at)
        assert allocation is not None
        return allocation.data, at - allocation.start

    def after(self, wave: WaveMemory, step: Step) -> None:
        return None


def contents(machine: RunningMachine) -> list[bytes]:
    """All memory."""
    lds = {id(wave.lds): wave.lds for wave in machine.waves}
    places = [*machine.global_memory.allocations, *lds.values()]
    return [allocation.data.tobytes() for allocation in places]


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("name", NAMES)
def test_memory_can_be_restored(name: str, level: str, tmp_path: Path) -> None:
    """Undoing all announced writes gives the memory of the start: none is missed or too late."""
    kernel = KERNELS[name]
    path = FIXTURES / "run" / f"{kernel.file}.gfx942.{level}.v5.co"
    plain, _ = begun(path, kernel, tmp_path)
    machine, _ = begun(path, kernel, tmp_path)
    before = contents(machine)
    undo = Undo(machine)
    machine.observe(undo)
    assert machine.run() is None and plain.run() is None
    assert contents(machine) == contents(plain)
    assert machine.instructions == plain.instructions
    assert contents(machine) != before and undo.read
    for memory, offset, byte in reversed(undo.replaced):
        memory[offset] = byte
    assert contents(machine) == before


@define(eq=False)
class Stopping:
    """Stops a machine at one instruction."""

    is_before: bool
    pc: int

    def before(self, wave: WaveMemory, step: Step) -> None:
        if self.is_before and wave.pc == self.pc:
            raise WaveStop(StopReason.TRAP, "not this one")

    def access(self, wave: WaveMemory, access: Access) -> None:
        pass

    def after(self, wave: WaveMemory, step: Step) -> ObservedStop | None:
        if step.instruction.address != self.pc:
            return None
        return ObservedStop(StopReason.WATCHPOINT, "it was executed", (7,))


@pytest.mark.parametrize("is_before", [True, False])
def test_an_observer_stops_the_machine(is_before: bool, tmp_path: Path) -> None:
    """Before an instruction it is as if that could not be executed; after it, it has been."""
    kernel = KERNELS["vadd"]
    path = FIXTURES / "run" / f"{kernel.file}.gfx942.O2.v5.co"
    machine, _ = begun(path, kernel, tmp_path)
    first = machine.waves[0].pc
    pc = machine.program.step_at(first).next_pc
    machine.observe(Stopping(is_before, pc))
    stopped = machine.run()
    assert stopped is not None
    if is_before:
        assert (stopped.text, stopped.wave.pc) == ("not this one", pc)
        assert stopped.wave.instructions == 1
    else:
        assert (stopped.watchpoints, stopped.wave.instructions) == ((7,), 2)
        assert stopped.wave.pc == machine.program.step_at(pc).next_pc
    machine.observe()
    assert all(wave.on_access is None for wave in machine.waves)
    assert machine.run() is None
