"""Resume the waves of a state or of a core file without a prompt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import split_by_machine
from dwarfgpu.errors import Unsupported
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.simulated.debugger.simulated_target import SimulatedTarget
from dwarfgpu.machine.simulated.launch.dispatch_request import FIRST_PLACEMENT, DispatchPlacement
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import Dispatch
from dwarfgpu.service.run.resumable_state import resumable_state
from dwarfgpu.service.run.run_kernel import Ending, stop_of_run
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.machine.simulated.debugger.simulated_process import SimulatedProcess
    from dwarfgpu.service.machine.open_machine import Stopped

_ROOM_BYTES: Final = 1 << 36
"""For the objects of a further dispatch, and for its scratch."""
Visit: TypeAlias = Callable[[WaveId, int, Callable[[], Session]], tuple[int, ...] | None]
"""Called when a wave is at a breakpoint, with the wave, its pc and a function that makes a session
in its focus; returns the lanes of the stop if the run ends there, else None."""


@frozen(eq=False)
class WavesOfDispatch:
    """Waves of one dispatch on one processor."""

    dispatch: Dispatch | None
    """None if unknown."""
    architecture: Architecture
    waves: tuple[WaveId, ...]


@frozen(eq=False)
class ResumedWaves:
    """The waves of a stopped machine that are resumed, and the machine that executes them."""

    target: SimulatedTarget | SimulatedProcess
    code_objects: tuple[CodeObject, ...]
    is_of_core: bool
    """Whether they are of a core file, which knows what is loaded."""
    parts: tuple[WavesOfDispatch, ...]
    """All of them, in their order."""

    @property
    def waves(self) -> tuple[WaveId, ...]:
        """All waves, ended ones too."""
        return tuple(wave for part in self.parts for wave in part.waves)

    @property
    def one_machine(self) -> SimulatedTarget | None:
        """The machine, if all waves are of one processor."""
        if isinstance(self.target, SimulatedTarget):
            return self.target
        first, *further = self.target.machines
        return None if further else first

    @property
    def code_objects_of_gpus(self) -> tuple[CodeObject, ...]:
        """The code objects of the waves, without those of the host."""
        target = self.target
        first = target if isinstance(target, SimulatedTarget) else target.machines[0]
        return split_by_machine(self.code_objects, first.architecture)[0]

    def placement(self) -> DispatchPlacement:
        """Return where a further dispatch is: with a queue of its own, where no memory is known."""
        model, global_memory = self.target.model, self.target.global_memory
        first = min(model.agents.values(), key=lambda agent: agent.id, default=None)
        return DispatchPlacement(
            first or FIRST_PLACEMENT.agent,
            first is None,
            queue=max(model.queues, default=0) + 1,
            dispatch=max(model.dispatches, default=0) + 1,
            workgroup=max((*model.workgroups, *self.waves)) + 1,
            wave=max(self.waves) + 1,
            objects_address=global_memory.free_range(FIRST_PLACEMENT.objects_address, _ROOM_BYTES),
            scratch_address=global_memory.free_range(FIRST_PLACEMENT.scratch_address, _ROOM_BYTES),
        )

    def session(
        self,
        wave: WaveId,
        pc: int | None,
        *,
        is_mangled: bool = False,
        quirks: frozenset[str] = frozenset(),
    ) -> Session:
        """Return a session with the wave in focus."""
        arch = self.target.architecture_of(wave)
        own, of_other_machines = split_by_machine(self.code_objects, arch)
        segments = tuple(
            segment for item in self.code_objects for segment in item.loaded_segments()
        )
        return Session(
            arch,
            own,
            TargetWithCodeObjects(self.target, segments, True),
            wave=wave,
            pc=pc,
            is_mangled=is_mangled,
            quirks=quirks,
            knows_loaded=self.is_of_core,
            other_code_objects=of_other_machines,
        )

    def run(
        self,
        addresses: frozenset[int],
        visit: Visit | None,
        progress: Callable[[int], None] | None = None,
        *,
        is_mangled: bool = False,
        quirks: frozenset[str] = frozenset(),
    ) -> Ending:
        """Run until all waves have ended, one cannot continue, or `visit` ends the run.

        No wave stops at the breakpoint where it is now. `progress` is called with the number of
        executed instructions. Raises what
        `dwarfgpu.machine.simulated.launch.machine_of_state.machine_of_state` raises.
        """
        target = self.target
        for number in self.waves:
            target.leave(number)
        with target.reporting(progress):
            stopped = target.run_on(addresses)
            while stopped is not None and stopped.is_inserted and visit is not None:
                number, pc = stopped.wave.wave.id, stopped.wave.pc
                session_of = partial(self.session, number, pc, is_mangled=is_mangled, quirks=quirks)
                lanes = visit(number, pc, session_of)
                if lanes is not None:
                    stopped = evolve(stopped, lanes=lanes)
                    break
                stopped.wave.reported_pc = stopped.wave.pc
                stopped = target.run_on(addresses)
        stop = None
        if stopped is not None:
            wave = stopped.wave
            if not stopped.is_inserted:
                wave.stop_reason = stopped.reason
            wave.stop_lanes = tuple(sorted(stopped.lanes))
            instruction = target.instruction_of(wave.wave.id)
            stop = stop_of_run(stopped, target.target_id, self.code_objects, instruction)
        return Ending(len(self.waves), target.instructions, stop)


def resumed_waves(stopped: Stopped, seed: int, fill: int | None, most_bytes: int) -> ResumedWaves:
    """Return the waves of a stopped machine, ready to run; `most_bytes`: the most memory of it.

    `Unsupported` for one without waves of a GPU; other errors as of
    `dwarfgpu.service.run.resumable_core.resumable_core`.
    """
    target: SimulatedTarget | SimulatedProcess
    code_objects = stopped.code_objects
    if stopped.core is not None:
        from dwarfgpu.service.run.resumable_core import resumable_core  # states need none

        target = resumable_core(stopped.core, code_objects, seed, fill, most_bytes)
    else:
        if stopped.given_state is None or stopped.architecture.machine != "AMDGPU":
            name = stopped.architecture.name
            raise Unsupported(f"Cannot run: only waves of AMD GPUs are simulated, not {name}.")
        target = resumable_state(stopped.given_state, code_objects, fill, seed, most_bytes)
    return ResumedWaves(target, code_objects, stopped.core is not None, _parts(target))


def _parts(target: SimulatedTarget | SimulatedProcess) -> tuple[WavesOfDispatch, ...]:
    model = target.model
    waves: dict[tuple[int | None, Architecture], list[WaveId]] = {}
    for wave in target.waves:
        dispatch = model.dispatch_of(wave)
        key = None if dispatch is None else dispatch.id, target.architecture_of(wave)
        waves.setdefault(key, []).append(wave)
    return tuple(
        WavesOfDispatch(model.dispatches.get(number or 0), architecture, tuple(numbers))
        for (number, architecture), numbers in waves.items()
    )
