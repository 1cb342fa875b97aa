"""The waves of a core file, and where the file keeps their state.

Law: opening reads the note and the control stacks of the save areas; registers and memory of a wave
are read on demand, from where the trap handler saved them. Inconsistencies become notes, and hide
the waves of their area: no position in it can be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from struct import unpack
from typing import Final

from dwarfgpu.arch.amdgpu import amdgpu
from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.arch.processors import PROCESSORS, processor
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import (
    DwarfGpuError,
    LimitExceeded,
    Malformed,
    Unavailable,
    Unsupported,
    counted,
)
from dwarfgpu.machine.core.gpu.agent_apertures import agent_apertures
from dwarfgpu.machine.core.gpu.core_state_note import AQL, NOTE, Agent, CoreState, Queue
from dwarfgpu.machine.core.gpu.queue_memory import QueueMemory
from dwarfgpu.machine.core.gpu.save_area import (
    HEADER,
    WORD_BYTES,
    Blocks,
    SavedWave,
    saved_register,
    saved_waves,
)
from dwarfgpu.machine.core.gpu.save_area_layout import BitField, SaveLayout, layout_of
from dwarfgpu.machine.core.gpu.wave_status import HardwareWords, WaveIds, hardware_range
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.target import WaveId

ASSUMED_R_VERSION: Final = 10
"""The version of the runtime if its `r_debug` is not in the core file."""
R_VERSIONS: Final = range(8, 13)
"""Versions with known trap handlers."""
MAX_WORDS: Final = 1 << 22
"""Of all control stacks, which a hostile core may share between its queues; those of an XCC have
some ten thousand."""
MAX_XCCS: Final = 64
MAX_NOTES: Final = 1_000
_TMPRING_WAVE_BYTES: Final = {
    9: BitField(12, 24),
    10: BitField(12, 24),
    11: BitField(12, 26),
    12: BitField(12, 29),
}
"""WAVESIZE of COMPUTE_TMPRING_SIZE, keyed by the major number of the GFX level."""
_SCRATCH_PER_ENGINE: Final = 11
"""The major number from which COMPUTE_TMPRING_SIZE counts the waves of one shader engine."""


@frozen(eq=False)
class GpuQueue:
    """A queue of the note."""

    id: int
    """From 1 on in the order of the note."""
    entry: Queue
    agent: Agent
    agent_id: int
    memory: QueueMemory


@frozen(eq=False)
class GpuWave:
    """A wave as it was saved."""

    number: int
    """amd-dbgapi's number: from 1, in the order of the control stacks."""
    queue: GpuQueue
    xcc: int
    saved: SavedWave
    layout: SaveLayout
    leader: int
    """The number of the first wave of its workgroup."""
    architecture: Architecture = field(repr=False)

    @property
    def blocks(self) -> Blocks:
        return self.saved.blocks


@frozen
class Scratch:
    """The scratch memory of a wave."""

    base: int | None
    size_bytes: int | None
    why: str = ""
    """Why it cannot be reached, where `base` is None."""
    is_enabled: bool = True
    """Whether the wave has any."""

    def why_unavailable(self, wave: WaveId) -> str:
        """Return why nothing of it can be read, where `base` is None."""
        if self.is_enabled:
            return f"the scratch memory of wave {wave} is unknown: {self.why}"
        return f"wave {wave} has no scratch memory: {self.why}"


class GpuWaves:
    """The agents, queues and waves of a core file."""

    def __init__(
        self,
        state: CoreState,
        memory: CoreMemory,
        first: WaveId = 1,
        most_waves: int = DEFAULT_FILE_LIMITS.waves,
    ) -> None:
        """`first`: the number of the first wave among threads and waves. `LimitExceeded` for more
        waves than `most_waves`."""
        self.state = state
        self.memory = memory
        self.first = first
        self.notes: list[str] = []
        self.damaged_areas = 0
        """Save areas that contradict themselves."""
        self.is_complete = True
        """Whether the waves of every queue are read; otherwise there is a note."""
        self._control_words_left = MAX_WORDS
        self.r_version = self._r_version()
        self.queues = tuple(self._queues())
        gpu_waves: list[GpuWave] = []
        for queue in self.queues:
            if len(self.notes) > MAX_NOTES:
                self._add_unread(f"queue {queue.id} and those after it are not read")
                break
            count = len(gpu_waves)
            self._add_waves(queue, gpu_waves, most_waves)
            if len(gpu_waves) > count and (unknown := _why_unknown(queue.memory)) is not None:
                self.notes.append(
                    f"queue {queue.id}: {unknown}: which packets its waves execute is unknown"
                )
        self.waves: Mapping[WaveId, GpuWave] = dict(enumerate(gpu_waves, first))
        self._words: dict[int, HardwareWords] = {}
        for agent in {queue.agent_id: queue.agent for queue in self.queues}.values():
            if fault := agent_apertures(agent).fault:
                self.notes.append(f"GPU {agent.gpu_id}: {fault}: no generic address is read there")
        for level in dict.fromkeys(wave.layout for wave in gpu_waves):
            if not level.is_compared:
                self.notes.append(
                    f"GFX level {level.level}: where its waves are saved was never compared with "
                    "AMD's library"
                )

    @property
    def busy_agents(self) -> list[Agent]:
        """The GPUs that execute packets."""
        busy = {q.agent_id: q.agent for q in self.queues if not q.memory.is_idle}
        return list(busy.values())

    def _add_unread(self, note: str) -> None:
        """Add a note that waves are not read."""
        self.is_complete = False
        self.notes.append(note)

    def _r_version(self) -> int:
        address = self.state.runtime.r_debug
        try:
            version = int.from_bytes(self.memory.read(address, 4), "little")
        except Unavailable:
            self.notes.append(
                f"the runtime's r_debug at {address:#x} is not in the core file: its version is "
                f"assumed to be {ASSUMED_R_VERSION}"
            )
            return ASSUMED_R_VERSION
        if version not in R_VERSIONS:
            self.notes.append(
                f"version {version} of the runtime's r_debug is unknown, only "
                f"{R_VERSIONS[0]} to {R_VERSIONS[-1]}: waves are read as in the nearest version"
            )
            return min(max(version, R_VERSIONS[0]), R_VERSIONS[-1])
        return version

    def _queues(self) -> Iterator[GpuQueue]:
        agents: dict[int, tuple[int, Agent]] = {}
        for number, agent in enumerate(self.state.agents, 1):
            agents.setdefault(agent.gpu_id, (number, agent))
        for number, entry in enumerate(self.state.queues, 1):
            known_agent = agents.get(entry.gpu_id)
            if known_agent is None:
                self._add_unread(f"queue {number}: the note lists no GPU {entry.gpu_id}")
                continue
            memory = QueueMemory(entry, self.memory, self.r_version)
            yield GpuQueue(number, entry, known_agent[1], known_agent[0], memory)

    def _add_waves(self, queue: GpuQueue, gpu_waves: list[GpuWave], most_waves: int) -> None:
        """Add the waves of a queue of AQL packets; other ones have none that are described."""
        if queue.entry.queue_type != AQL:
            return
        if not queue.entry.ctx_save_restore_area_size:
            if not queue.memory.is_idle:
                self._add_unread(
                    f"queue {queue.id}: its waves are not read: the size of its context save area "
                    "is 0 in the note"
                )
            return
        try:
            _require_known(queue.agent)
            layout = layout_of(queue.agent.gfx_target_version)
            if queue.agent.xcc_count > MAX_XCCS:
                raise LimitExceeded(f"{queue.agent.xcc_count} XCCs, more than {MAX_XCCS}")
        except (Unsupported, LimitExceeded) as error:
            self._add_unread(f"queue {queue.id}: its waves are not read: {error.message}")
            return
        for xcc in range(queue.agent.xcc_count):
            try:
                saved = self._saved(queue, xcc, layout)
            except DwarfGpuError as error:
                self.damaged_areas += isinstance(error, Malformed)
                self._add_unread(
                    f"queue {queue.id}, XCC {xcc}: its waves are not read: {error.message}"
                )
                if isinstance(error, LimitExceeded):
                    return
                continue
            if len(gpu_waves) + len(saved) > most_waves:
                raise LimitExceeded(
                    f"more than {counted(most_waves, 'wave')}; --max-waves allows more"
                )
            base = len(gpu_waves) + 1
            for index, wave in enumerate(saved):
                arch = amdgpu(queue.agent.processor, wave.blocks.lanes)
                leader = base + wave.leader
                gpu_waves.append(GpuWave(base + index, queue, xcc, wave, layout, leader, arch))

    def _saved(self, queue: GpuQueue, xcc: int, layout: SaveLayout) -> list[SavedWave]:
        size = queue.entry.ctx_save_restore_area_size
        base = queue.entry.ctx_save_restore_address + xcc * size
        try:
            header = HEADER.unpack(self.memory.read(base, HEADER.size))
        except Unavailable as error:
            _, _, why = error.message.partition(": ")
            raise Unavailable(f"the context save area at {base:#x} is missing: {why}") from None
        stack_at, stack_bytes, waves_end, waves_bytes = header[:4]
        if not any(header) and not queue.memory.is_idle:
            # the driver writes where the areas begin and end, also where a queue has no waves
            raise Malformed(f"the header of the context save area at {base:#x} is all zeros")
        if not stack_bytes and not waves_bytes:
            return []
        low, high = base + waves_end - waves_bytes, base + waves_end
        if base + stack_at + stack_bytes != low or waves_end > size or waves_bytes > waves_end:
            raise Malformed(
                f"the context save area at {base:#x} is inconsistent: a control stack of "
                f"{stack_bytes:#x} bytes at {stack_at:#x}, and waves of {waves_bytes:#x} bytes "
                f"that end at {waves_end:#x} of {size:#x}"
            )
        count = stack_bytes // WORD_BYTES
        if count > self._control_words_left:
            raise LimitExceeded(f"control stacks of more than {MAX_WORDS} words in all")
        self._control_words_left -= count
        words = unpack(f"<{count}I", self.memory.read(base + stack_at, count * WORD_BYTES))
        return saved_waves(layout, words, low, high)

    def hardware(self, wave: GpuWave) -> HardwareWords:
        """Return the hardware registers of a wave; `Unavailable` if the core file does not have
        them, or only zeros for them: no wave runs without a pc and a status."""
        words = self._words.get(wave.number)
        if words is None:
            begin, size_bytes = hardware_range(wave.saved)
            data = self.memory.read(begin, size_bytes)
            if not any(data):
                raise Unavailable(
                    f"the hardware registers of the wave, saved at {begin:#x}, are all zeros: they "
                    "were overwritten"
                )
            words = self._words[wave.number] = HardwareWords(wave.layout, wave.saved, data)
        return words

    def pc(self, wave: GpuWave) -> int | None:
        """Return where a wave stopped; None if the core does not have it."""
        try:
            return self.hardware(wave).pc(self.r_version)
        except Unavailable:
            return None

    def ids(self, wave: GpuWave) -> WaveIds:
        """Return the numbers that the packet processor assigned, with unknown parts as None."""
        if not (self.state.runtime.ttmp_setup or wave.queue.agent.has_ttmps_always):
            return WaveIds()
        try:
            return self.hardware(wave).ids(self.r_version)
        except Unavailable:
            return WaveIds()

    def lds(self, wave: GpuWave) -> tuple[int, int]:
        """Return the address in the core file and the size of the LDS of a wave's workgroup."""
        leader = self.waves[wave.leader + self.first - 1].saved
        return leader.start + leader.blocks.lds_at, leader.blocks.lds_bytes

    def apertures(self, wave: GpuWave) -> Apertures:
        """Return where the generic address space of a wave shows its other memories."""
        agent, scratch = wave.queue.agent, self.scratch(wave)
        known = agent_apertures(agent)
        return Apertures(
            known.local_base,
            known.private_base,
            scratch.base,
            scratch.size_bytes,
            local_bytes=self.lds(wave)[1],
            unknown=known.fault and f"GPU {agent.gpu_id}: {known.fault}",
        )

    def scratch(self, wave: GpuWave) -> Scratch:
        """Return where the scratch memory of a wave is."""
        if not wave.layout.scratch.of(wave.saved.word):
            return Scratch(None, None, "its WAVE word does not enable it", is_enabled=False)
        described, queue = processor(wave.architecture.name), wave.queue
        generation = described.generation
        field_, granule = _TMPRING_WAVE_BYTES[generation], described.scratch_granule_bytes
        sizes = queue.memory.scratch_sizes(field_, granule)
        flat = self._flat_scratch(wave) if described.has_architected_flat_scratch else None
        if sizes is None:
            if flat:
                return Scratch(flat, None)
            where = f"the amd_queue_t at {queue.memory.object_address:#x}, which says where it is,"
            is_wrong = queue.memory.is_of_another
            why = "is not that of the queue" if is_wrong else "is not in the core file"
            return Scratch(None, None, f"{where} {why}")
        waves, wave_bytes = sizes
        agent = queue.agent
        engines = agent.array_count // agent.simd_arrays_per_engine if agent.shader_engines else 0
        slot, of_xcc = wave.layout.scoreboard.of(wave.saved.word), waves * wave_bytes
        engine = wave.layout.shader_engine.of(wave.saved.word)
        if generation >= _SCRATCH_PER_ENGINE:
            offset, of_xcc = (waves * engine + slot) * wave_bytes, of_xcc * engines
        elif not engines or waves % engines:
            return Scratch(None, None, f"{waves} waves do not fit {engines} shader engines")
        else:
            offset = (waves // engines * engine + slot) * wave_bytes
        base = queue.memory.scratch_base(wave.xcc, of_xcc)
        if base is None:
            return Scratch(None, None, "the amd_queue_t does not say where it is")
        if flat is not None and flat != base + offset and wave_bytes:
            return Scratch(
                None,
                None,
                f"FLAT_SCRATCH is {flat:#x}, and by the queue it is at {base + offset:#x}",
            )
        return Scratch(base + offset, wave_bytes)

    def _flat_scratch(self, wave: GpuWave) -> int | None:
        """Return the register, where it is a hardware register that the packet processor sets."""
        name = "scratch_base" if "scratch_base" in wave.layout.hardware else "flat_scratch"
        try:
            if name in wave.layout.hardware:
                return self.hardware(wave).register(name)
            register = saved_register(wave.layout, wave.saved, name)
            if isinstance(register, str):
                return None
            return int.from_bytes(self.memory.read(register.address, register.size_bytes), "little")
        except Unavailable:
            return None


def _require_known(agent: Agent) -> None:
    """Raise `Unsupported` for a GPU whose processor is unknown."""
    if agent.processor not in PROCESSORS:
        raise Unsupported(
            f"by {NOTE}, GPU {agent.gpu_id} is the unknown {agent.processor} (gfx_target_version "
            f"{agent.gfx_target_version})"
        )


def _why_unknown(memory: QueueMemory) -> str | None:
    """Return why no packet of a queue is known to be executing; None if they are known."""
    unread = memory.unread_index
    return f"the {unread} is not in the core file" if unread is not None else memory.fault
