"""The model of amd-dbgapi: agents, queues, dispatches, workgroups, waves, lanes.

The names, and the words of target ids, are those of amd-dbgapi and ROCgdb. Ids made here begin with
1; 0 is not an object of amd-dbgapi.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from math import prod
from typing import Final, TypeAlias

from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import integer
from dwarfgpu.base.records import Factory, field, frozen
from dwarfgpu.errors import UsageError, shown
from dwarfgpu.machine.target import Modelled, Target, WaveId

Position: TypeAlias = tuple[int, int, int]
"""X, y and z."""


class StopReason(Enum):
    """Why a wave stopped: `AMD_DBGAPI_WAVE_STOP_REASON_*` by bit number, then reasons of the
    simulator."""

    BREAKPOINT = "BREAKPOINT"
    WATCHPOINT = "WATCHPOINT"
    SINGLE_STEP = "SINGLE_STEP"
    FP_INPUT_DENORMAL = "FP_INPUT_DENORMAL"
    FP_DIVIDE_BY_0 = "FP_DIVIDE_BY_0"
    FP_OVERFLOW = "FP_OVERFLOW"
    FP_UNDERFLOW = "FP_UNDERFLOW"
    FP_INEXACT = "FP_INEXACT"
    FP_INVALID_OPERATION = "FP_INVALID_OPERATION"
    INT_DIVIDE_BY_0 = "INT_DIVIDE_BY_0"
    DEBUG_TRAP = "DEBUG_TRAP"
    ASSERT_TRAP = "ASSERT_TRAP"
    TRAP = "TRAP"
    MEMORY_VIOLATION = "MEMORY_VIOLATION"
    ADDRESS_ERROR = "ADDRESS_ERROR"
    ILLEGAL_INSTRUCTION = "ILLEGAL_INSTRUCTION"
    ECC_ERROR = "ECC_ERROR"
    FATAL_HALT = "FATAL_HALT"
    INTERRUPTED = "INTERRUPTED"
    """The debugger asks the machine to stop."""
    WAITING = "WAITING"
    """At a barrier for waves that do not run."""
    UNAVAILABLE = "UNAVAILABLE"
    """The instruction needs what the state does not have, from which the machine was made."""
    NOT_SIMULATED = "NOT_SIMULATED"
    """The instruction is one that a GPU has and this simulator has not."""


_SIMULATED: Final = frozenset(
    {StopReason.INTERRUPTED, StopReason.WAITING, StopReason.UNAVAILABLE, StopReason.NOT_SIMULATED}
)
STOP_REASONS: Final = tuple(
    reason.value.lower() for reason in StopReason if reason not in _SIMULATED
)
"""amd-dbgapi's, by bit number. None of them: the wave was stopped from outside."""


@frozen
class Agent:
    """A GPU."""

    id: int
    local_base: int = 0x1_0000_0000_0000
    private_base: int = 0x2_0000_0000_0000
    processor: str | None = None
    """`gfx942`; None if it is the same for all waves."""
    os_id: int | None = None
    """The driver's number."""
    cores: int | None = None
    """SIMDs."""
    threads: int | None = None
    """Waves that there can be at once."""
    location: str | None = None
    """On the PCI bus: `43:00.0`."""

    @property
    def target_id(self) -> str:
        """ROCgdb's name of it."""
        return f"AMDGPU Agent (GPUID {self.id if self.os_id is None else self.os_id})"


@frozen
class Queue:
    """An AQL queue of an agent."""

    id: int
    agent: int
    object_address: int | None = None
    """The address of its amd_queue_t."""
    packets_address: int | None = None
    """The address of the ring of packets."""
    packets_bytes: int | None = None
    read: int | None = None
    """The index of the next packet to be consumed."""
    write: int | None = None
    """The index of the next packet to be allocated."""
    os_id: int | None = None
    """The driver's number."""

    @property
    def target_id(self) -> str:
        """ROCgdb's name of it: `AMDGPU Queue A:Q (QID n)`."""
        os_id = self.id if self.os_id is None else self.os_id
        return f"AMDGPU Queue {self.agent}:{self.id} (QID {os_id})"


@frozen
class Dispatch:
    """A kernel dispatch packet of a queue that executes."""

    id: int
    queue: int
    packet: int | None = None
    """Its number in the queue."""
    kernel: str | None = None
    kernel_descriptor: int | None = None
    grid: Position | None = None
    """Work-items."""
    workgroup: Position | None = None
    """Work-items of a whole workgroup."""
    kernarg: int | None = None
    completion_signal: int | None = None
    group_bytes: int | None = None
    """LDS of a workgroup."""
    private_bytes: int | None = None
    """Scratch of a lane."""
    sgprs: int | None = None
    """SGPRs that a wave has: s0 and so on."""
    vgprs: int | None = None
    agprs: int | None = None

    def registers_of(self, bank: str) -> int | None:
        """Return how many registers of `s`, `v` or `a` a wave has; None if unknown."""
        return {"s": self.sgprs, "v": self.vgprs, "a": self.agprs}.get(bank)


@frozen
class Workgroup:
    """The waves that share an LDS."""

    id: int
    dispatch: int | None
    """None if unknown."""
    position: Position | None = None
    size: Position | None = None
    """Work-items, fewer than others at the edge of a grid that is not a multiple."""
    local_bytes: int | None = None
    """How many bytes of LDS were allocated."""
    queue: int | None = None
    """The queue of its dispatch, if the dispatch is unknown."""

    @property
    def is_dispatch_unknown(self) -> bool:
        """Whether a queue executes its dispatch, and which one is unknown."""
        return self.dispatch is None and self.queue is not None


@frozen
class Barrier:
    """What a wave has done about the split barrier of its workgroup (GFX12)."""

    signals: int = 0
    """Its signals of the barrier that is not met yet."""
    met: int = 0
    """Barriers that are met, and for which it has not waited yet."""
    is_recorded: bool = True
    """Whether these are known: a core file does not say."""


@frozen
class Wave:
    """Where a wave belongs, and why it stopped."""

    id: WaveId
    workgroup: int | None = None
    wave_in_group: int | None = None
    stop_reasons: tuple[str, ...] = ()
    number: int | None = None
    """amd-dbgapi's, where the waves of a process come after its threads."""
    lane_count: int | None = None
    """The lanes of this wave, if waves of a machine differ."""
    barrier: Barrier = Barrier()
    stop_lanes: tuple[int, ...] = ()
    """The lanes for which it stopped, ascending; none where it is the whole wave, or unknown."""


@frozen
class Machine:
    """The facts of a state about its waves besides registers and memory."""

    lane_count: int
    agents: Mapping[int, Agent] = field(default=Factory(dict))
    queues: Mapping[int, Queue] = field(default=Factory(dict))
    dispatches: Mapping[int, Dispatch] = field(default=Factory(dict))
    workgroups: Mapping[int, Workgroup] = field(default=Factory(dict))
    waves: Mapping[WaveId, Wave] = field(default=Factory(dict))

    def workgroup_of(self, wave: WaveId) -> Workgroup | None:
        try:
            record = self.waves.get(wave)
        except TypeError:
            require_right_arguments(Machine.workgroup_of, self, wave)
            raise
        return None if record is None or record.workgroup is None else self._group(record.workgroup)

    def _group(self, number: int) -> Workgroup | None:
        return self.workgroups.get(number)

    def dispatch_of(self, wave: WaveId) -> Dispatch | None:
        group = self.workgroup_of(wave)
        if group is None or group.dispatch is None:
            return None
        return self.dispatches.get(group.dispatch)

    def queue_of(self, wave: WaveId) -> Queue | None:
        dispatch, group = self.dispatch_of(wave), self.workgroup_of(wave)
        if dispatch is not None:
            return self.queues.get(dispatch.queue)
        return None if group is None or group.queue is None else self.queues.get(group.queue)

    def agent_of(self, wave: WaveId) -> Agent | None:
        queue = self.queue_of(wave)
        return None if queue is None else self.agents.get(queue.agent)

    def lds_end(self, wave: WaveId, allocated_bytes: int | None) -> int | None:
        """Return where the LDS that the dispatch of a wave asks for ends: before that of the
        allocation, which has granules."""
        dispatch = self.dispatch_of(wave)
        if allocated_bytes is None or dispatch is None or dispatch.group_bytes is None:
            return allocated_bytes
        return min(allocated_bytes, dispatch.group_bytes)

    def used_lanes(self, wave: WaveId) -> int | None:
        """Return the number of lanes with a work-item, as ROCgdb counts them; None if unknown."""
        group, record = self.workgroup_of(wave), self.waves.get(wave)
        if record is None or record.wave_in_group is None or group is None or group.size is None:
            return None
        lanes = record.lane_count or self.lane_count
        return max(0, min(lanes, prod(group.size) - record.wave_in_group * lanes))

    def first_item(self, wave: WaveId) -> int | None:
        """Return the flat id of the work-item of lane 0; None if unknown."""
        try:
            record = self.waves.get(wave)
        except TypeError:
            require_right_arguments(Machine.first_item, self, wave)
            raise
        if record is None or record.wave_in_group is None:
            return None
        return record.wave_in_group * (record.lane_count or self.lane_count)

    def work_item(self, wave: WaveId, lane: int) -> Position | None:
        """Return the work-item of a lane in its workgroup: x varies fastest; None if it has
        none."""
        if type(lane) is not int:
            lane = integer("lane", lane)
        first, group, used = self.first_item(wave), self.workgroup_of(wave), self.used_lanes(wave)
        if first is None or group is None or group.size is None or used is None:
            return None
        if not 0 <= lane < used:
            return None
        return work_item(first + lane, group.size)

    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        """Return ROCgdb's name of a wave or of a lane; unknown parts are `?`.

        `AMDGPU Wave A:Q:D:W (x,y,z)/n`, `AMDGPU Lane A:Q:D:W/lane (x,y,z)[x,y,z]`.
        """
        if lane is not None:
            return self.lane_target_ids(wave, (lane,))[0]
        words, where = self._words(wave)
        known_wave = self.waves.get(wave)
        number = None if known_wave is None else known_wave.wave_in_group
        return f"AMDGPU Wave {words} ({where})/{'?' if number is None else number}"

    def lane_target_ids(self, wave: WaveId, lanes: Iterable[int]) -> list[str]:
        """Return `target_id` of lanes of a wave; `UsageError` for one that it does not have."""
        words, where = self._words(wave)
        try:
            numbers = iter(lanes)
        except TypeError:
            require_right_arguments(Machine.lane_target_ids, self, wave, lanes)
            raise
        lanes = tuple(self._lanes(wave, numbers))
        first, group, used = self.first_item(wave), self.workgroup_of(wave), self.used_lanes(wave)
        size = None if group is None else group.size
        if first is None or size is None or used is None:
            return [f"AMDGPU Lane {words}/{lane} ({where})[?,?,?]" for lane in lanes]
        return [
            f"AMDGPU Lane {words}/{lane} ({where})"
            f"[{_item_text(first + lane, size) if lane < used else '?,?,?'}]"
            for lane in lanes
        ]

    def _lanes(self, wave: WaveId, lanes: Iterable[int]) -> Iterator[int]:
        """Yield lanes of a wave, as integers of Python; `UsageError` for one that it does not
        have."""
        record = self.waves.get(wave)
        count = (None if record is None else record.lane_count) or self.lane_count
        for lane in lanes:
            if type(lane) is not int:
                lane = integer("lanes", lane)
            if not 0 <= lane < count:
                raise UsageError(f"lane {shown(lane)}: the wave has {count} lanes, from 0")
            yield lane

    def _words(self, wave: WaveId) -> tuple[str, str]:
        """Return the ids of a wave and of what it belongs to, and the position of its workgroup."""
        if type(wave) is not int:
            wave = integer("wave", wave)
        known_wave, group = self.waves.get(wave), self.workgroup_of(wave)
        above = [self.agent_of(wave), self.queue_of(wave), self.dispatch_of(wave)]
        ids = ":".join("?" if owner is None else str(owner.id) for owner in above)
        if known_wave is not None and known_wave.number is not None:
            wave = known_wave.number
        return f"{ids}:{wave}", _position(None if group is None else group.position)


def model_of(target: Target | None) -> Machine | None:
    """Return the topology of a target; None if it lacks the capability, or has no topology."""
    return target.model if isinstance(target, Modelled) else None


def work_item(flat: int, size: Position) -> Position:
    """Return the work-item of a flat id."""
    return flat % size[0], flat // size[0] % size[1], flat // (size[0] * size[1])


@lru_cache(maxsize=1024)
def _item_text(flat: int, size: Position) -> str:
    """Return the text of a work-item; most workgroups of a dispatch have the same ones."""
    return _position(work_item(flat, size))


def _position(position: Position | None) -> str:
    return "?,?,?" if position is None else ",".join(map(str, position))


@frozen
class Geometry:
    """A grid and how it is divided (compute ABI; HSA, "Kernel dispatch packet")."""

    grid: Position
    workgroup: Position
    dimensions: int

    @property
    def whole_counts(self) -> Position:
        """Workgroups that are not partial, in each dimension."""
        x, y, z = (size // part for size, part in zip(self.grid, self.workgroup, strict=True))
        return x, y, z

    @property
    def counts(self) -> Position:
        """Workgroups, partial ones too, in each dimension."""
        x, y, z = (-(-size // part) for size, part in zip(self.grid, self.workgroup, strict=True))
        return x, y, z

    @property
    def remainders(self) -> Position:
        """The size of a partial workgroup in each dimension; 0 where there is none."""
        x, y, z = (size % part for size, part in zip(self.grid, self.workgroup, strict=True))
        return x, y, z

    def positions(self) -> Iterator[Position]:
        """Yield every workgroup, x fastest."""
        count_x, count_y, count_z = self.counts
        for z in range(count_z):
            for y in range(count_y):
                for x in range(count_x):
                    yield x, y, z

    def size_at(self, position: Position) -> Position:
        """Return the number of work-items of a workgroup: fewer at the edge of the grid."""
        x, y, z = (
            min(part, size - number * part)
            for size, part, number in zip(self.grid, self.workgroup, position, strict=True)
        )
        return x, y, z
