"""Convert a state to the core file that its GPUs would leave.

Law: everything known in the state is in the core. Parts of a save area that are unknown in the
state are zeros, and a note says so: a core file has no unknown bits. Unknown memory is omitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from dwarfgpu.arch.processors import Processor, processor
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import Unsupported, UsageError, counted
from dwarfgpu.machine.core.gpu.code_objects import LoadedUri
from dwarfgpu.machine.core.gpu.core_state_note import Agent
from dwarfgpu.machine.core.gpu.process_image import (
    ProcessImage,
    QueueImage,
    agent_of,
    dispatch_packet,
    tmpring_size,
)
from dwarfgpu.machine.core.gpu.save_area import SavedWave, blocks_of, saved_register
from dwarfgpu.machine.core.gpu.save_area_layout import SaveLayout, layout_of
from dwarfgpu.machine.core.gpu.save_area_write import GroupImage, WaveImage, state_word
from dwarfgpu.machine.core.gpu.wave_status import STATUS_HALT, WaveIds, status_words
from dwarfgpu.machine.sparse_memory import Data, Fill, SparseMemory, bytes_of
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import Dispatch

R_VERSION: Final = 10
_PACKETS: Final = 64
_MAX_SGPRS: Final = 112
_ALIASES: Final = 6
"""SGPR slots of VCC, XNACK_MASK and FLAT_SCRATCH."""
_FREE: Final = 1 << 32
"""Alignment of the memory that is added."""
_LAST: Final = 1 << 47
_MAX_RUNS: Final = 4
"""Maximum number of runs of waves with consecutive numbers, in a note."""
_NOT_IN_REGISTERS: Final = frozenset({"ecc_error", "fatal_halt"})
"""Stop reasons that no register of a wave has."""
_SMALL_FILL_BYTES: Final = 256
"""About what a state document takes to name a fill."""


@frozen(eq=False)
class StateImage:
    """The parts to write, and notes about them."""

    image: ProcessImage
    notes: tuple[str, ...] = field(default=())


def image_of_state(
    target: StateTarget,
    pcs: Mapping[WaveId, int | None],
    code_objects: Sequence[LoadedUri] = (),
    loaded: Iterable[tuple[int, bytes]] = (),
) -> StateImage:
    """Return the GPUs of a state. `pcs`: where waves are, if no register says so; `loaded`: memory
    of code objects, which known memory of the state overrides.

    `UsageError` for threads of a CPU, `Unsupported` for a processor with unknown save areas,
    `Malformed` for waves that do not fit a save area.
    """
    if not target.architecture.is_simt:
        raise UsageError(f"threads of {target.architecture.name} are in no core file of GPUs")
    if not target.waves:
        raise UsageError("there are no waves")
    return _State(target, pcs, code_objects, loaded).image()


class _State:
    """The objects placed so far."""

    def __init__(
        self,
        target: StateTarget,
        pcs: Mapping[WaveId, int | None],
        code_objects: Sequence[LoadedUri],
        loaded: Iterable[tuple[int, bytes]],
    ) -> None:
        self._target = target
        self._pcs = pcs
        self._code_objects = tuple(code_objects)
        self._described: Processor = processor(target.architecture.name)
        self._version = _target_version(self._described.name)
        self._layout: SaveLayout = layout_of(self._version)
        self._memory = SparseMemory("")
        for address, data in loaded:
            self._memory.replace(address, data)
        self._stores = {(name, owner): store for name, owner, store in target.memories()}
        store = self._stores.get(("", None))
        for address, run in () if store is None else store.runs():
            self._memory.replace(address, run)  # a fill stays one
        runs = self._memory.runs()
        end = max((address + len(run) for address, run in runs), default=0)
        self._free = max(_FREE, -(-end // _FREE) * _FREE)
        if self._free + _FREE > _LAST:
            self._free = _first_gap([(address, len(run)) for address, run in runs])
        self._notes: list[str] = []
        self._walked: list[WaveId] = []
        """The waves in the order of the save areas, in which amd-dbgapi numbers them."""
        self._unknown = 0

    def _runs(self, name: str, owner: int | None) -> Iterator[tuple[int, Data]]:
        store = self._stores.get((name, owner))
        yield from () if store is None else store.runs()

    def image(self) -> StateImage:
        by_queue: dict[int | None, list[WaveId]] = {}
        for wave in self._target.waves:
            queue = self._target.machine.queue_of(wave)
            by_queue.setdefault(None if queue is None else queue.id, []).append(wave)
        agents, indexes = self._agents()
        queues = []
        for number, waves in by_queue.items():
            queue = None if number is None else self._target.machine.queues[number]
            queues.append(self._queue(indexes.get(queue.agent, 0) if queue else 0, waves))
        if self._unknown:
            self._notes.append(
                "the core file has 0 in place of the unknown bits of "
                f"{counted(self._unknown, 'register')} of waves"
            )
        barriers = [wave.barrier for wave in self._target.machine.waves.values()]
        signalled = sum(bool(barrier.signals or barrier.met) for barrier in barriers)
        if signalled:
            self._notes.append(
                "the core file does not record that "
                f"{counted(signalled, 'wave')} signalled a barrier (s_barrier_signal)"
            )
        self._notes += _numbers_note(self._walked)
        memory = tuple((address, _small(run)) for address, run in self._memory.runs())
        image = ProcessImage(
            agents, tuple(queues), self._code_objects, memory, R_VERSION, 1, self._free
        )
        return StateImage(image, tuple(self._notes))

    def _agents(self) -> tuple[tuple[Agent, ...], dict[int, int]]:
        """Return the agents, and by their ids which one of them each is."""
        agents = self._target.machine.agents
        apertures = self._target.apertures
        if not agents:
            return (
                agent_of(
                    self._version, 1, lds_base=apertures.local_base,
                    scratch_base=apertures.private_base,
                ),
            ), {}  # fmt: skip
        gpu_agents = tuple(
            agent_of(
                self._version,
                contents.id,
                lds_base=contents.local_base,
                scratch_base=contents.private_base,
            )
            for contents in agents.values()
        )
        return gpu_agents, {number: index for index, number in enumerate(agents)}

    def _queue(self, agent: int, waves: Sequence[WaveId]) -> QueueImage:
        base, wave_bytes, slots = self._scratch(waves)
        groups: dict[int, list[WaveId]] = {}
        for wave in waves:
            groups.setdefault(self._target.workgroups[wave], []).append(wave)
        workgroups = tuple(
            self._group(owner, members, base, wave_bytes, slots)
            for owner, members in groups.items()
        )
        self._walked += [wave for members in groups.values() for wave in members]
        packets, read, write = self._packets(waves)
        granules = wave_bytes // self._described.scratch_granule_bytes
        count = max(slots.values(), default=0) + 1 if wave_bytes else 0
        return QueueImage(
            agent, (workgroups,), packets, read, write, tmpring_size(count, granules), base or 0,
            count * wave_bytes,
        )  # fmt: skip

    def _scratch(self, waves: Sequence[WaveId]) -> tuple[int | None, int, dict[WaveId, int]]:
        """Return where the scratch of a queue is, the bytes of a wave, and the slot of each wave.

        Scratch that is not evenly divided is moved.
        """
        granule = self._described.scratch_granule_bytes
        apertures = {wave: self._target.apertures_of(wave) for wave in waves}
        ends = {
            wave: max(
                [
                    apertures[wave].scratch_bytes or 0,
                    *(address + len(data) for address, data in self._runs("private_wave", wave)),
                ]
            )
            for wave in waves
        }
        size = -(-max(ends.values()) // granule) * granule
        bases = {wave: wave_apertures.scratch_base for wave, wave_apertures in apertures.items()}
        if not size:
            return None, 0, dict.fromkeys(waves, 0)
        known_bases = [base for base in bases.values() if base is not None]
        first = min(known_bases, default=0)
        slots = {wave: (base - first) // size for wave, base in bases.items() if base is not None}
        is_even = len(known_bases) == len(waves) and all(
            not (base - first) % size for base in known_bases
        )
        if is_even and len(set(slots.values())) == len(waves):
            return first, size, slots
        first, self._free = self._free, self._free + _FREE
        for slot, wave in enumerate(waves):
            for start, data in self._scratch_runs(wave, bases[wave], ends[wave]):
                self._memory.replace(first + slot * size + start, data)
        if known_bases:
            self._notes.append(f"the scratch memory of waves was moved to {first:#x}")
        return first, size, {wave: slot for slot, wave in enumerate(waves)}

    def _scratch_runs(
        self, wave: WaveId, base: int | None, size: int
    ) -> Iterator[tuple[int, Data]]:
        if base is None:
            return self._runs("private_wave", wave)
        return iter(self._memory.known(base, size))

    def _group(
        self,
        owner: int,
        waves: Sequence[WaveId],
        base: int | None,
        wave_bytes: int,
        slots: Mapping[WaveId, int],
    ) -> GroupImage:
        group = self._target.machine.workgroup_of(waves[0])
        lds = bytearray()
        for offset, data in self._runs("local", owner):
            lds = lds.ljust(offset, b"\0") if offset > len(lds) else lds
            lds[offset : offset + len(data)] = bytes_of(data)
        allocated = group.local_bytes if group is not None else None
        granule = self._layout.lds.granule
        size = -(-max(allocated or 0, len(lds)) // granule) * granule
        images = []
        for wave in waves:
            address = None if base is None else base + slots[wave] * wave_bytes
            images.append(self._wave(wave, size, slots[wave], address))
        return GroupImage(tuple(images), bytes(lds))

    def _wave(self, wave: WaveId, lds_bytes: int, slot: int, scratch: int | None) -> WaveImage:
        registers = self._registers(wave)
        state = self._state_word(wave, registers, lds_bytes)
        if scratch is not None and self._described.has_architected_flat_scratch:
            name = "scratch_base" if "scratch_base" in self._layout.hardware else "flat_scratch"
            registers[name] = scratch.to_bytes(8, "little")
        saved = SavedWave(0, blocks_of(self._layout, state), 0, 0)
        stored = {
            name: data
            for name, data in registers.items()
            if not isinstance(saved_register(self._layout, saved, name), str)
        }
        return WaveImage(state, stored, 0, slot, scratch is not None)

    def _registers(self, wave: WaveId) -> dict[str, bytes]:
        """Return the known registers of a wave, with the words that identify it."""
        target, registers_of_wave = self._target, self._target.waves[wave]
        out = {name: contents.data for name, contents in registers_of_wave.items()}
        self._unknown += sum(
            contents.known.count(0xFF) != len(contents.known)
            for contents in registers_of_wave.values()
        )
        pc = self._pcs.get(wave)
        if "pc" in registers_of_wave and registers_of_wave["pc"].known.count(0xFF) == 8:
            pc = int.from_bytes(registers_of_wave["pc"].data, "little")
        if pc is None:
            self._notes.append(f"wave {wave} has no pc: in the core file it is 0")
        wave_record = target.machine.waves.get(wave)
        reasons = () if wave_record is None else wave_record.stop_reasons
        lost_reasons = _NOT_IN_REGISTERS.intersection(reasons)
        if lost_reasons:
            self._notes.append(f"wave {wave}: no register holds {', '.join(sorted(lost_reasons))}")
        reasons = tuple(reason for reason in reasons if reason not in lost_reasons)
        status = int.from_bytes(out.get("status", b""), "little")
        words = status_words(
            self._layout,
            pc=pc or 0,
            ids=self._ids(wave),
            stop_reasons=reasons or None,
            r_version=R_VERSION,
            is_halted=bool(STATUS_HALT.of(status)),
        )
        for name, number in words.registers.items():
            value = (
                number if name == "pc" else number | int.from_bytes(out.get(name, b""), "little")
            )
            out[name] = value.to_bytes(8, "little")
        for number, value in words.ttmps.items():
            out[f"ttmp{number}"] = value.to_bytes(4, "little")
        return out

    def _ids(self, wave: WaveId) -> WaveIds:
        machine = self._target.machine
        wave_record, group = machine.waves.get(wave), machine.workgroup_of(wave)
        dispatch = machine.dispatch_of(wave)
        if wave_record is None or group is None or dispatch is None or dispatch.packet is None:
            return WaveIds()
        return WaveIds(dispatch.packet % _PACKETS, wave_record.wave_in_group, group.position)

    def _packets(self, waves: Sequence[WaveId]) -> tuple[tuple[bytes, ...], int, int]:
        """Return the packets of a ring, and the ids of the first and of the one after the last."""
        dispatches: dict[int, Dispatch] = {}
        for wave in waves:
            dispatch = self._target.machine.dispatch_of(wave)
            if dispatch is not None and dispatch.packet is not None:
                dispatches[dispatch.packet] = dispatch
        ring = [bytes(64)] * _PACKETS
        for number, dispatch_ in dispatches.items():
            ring[number % _PACKETS] = dispatch_packet(
                dispatch_.grid or (0, 0, 0),
                dispatch_.workgroup or (0, 0, 0),
                private_bytes=dispatch_.private_bytes or 0,
                group_bytes=dispatch_.group_bytes or 0,
                kernel_object=dispatch_.kernel_descriptor or 0,
                kernarg_address=dispatch_.kernarg or 0,
                completion_signal=dispatch_.completion_signal or 0,
            )
        return tuple(ring), min(dispatches, default=0), max(dispatches, default=-1) + 1

    def _state_word(self, wave: WaveId, registers: Mapping[str, bytes], lds_bytes: int) -> int:
        """Return a word with as many registers as the dispatch allocates, else up to the last one
        that is known."""
        layout, lanes = self._layout, self._target.architecture.lane_count
        dispatch = self._target.machine.dispatch_of(wave)

        def count(bank: str) -> int:
            allocated = None if dispatch is None else dispatch.registers_of(bank)
            numbers = (
                int(name[1:]) + 1 for name in registers if name[:1] == bank and is_decimal(name[1:])
            )
            return max([allocated or 0, *numbers])

        vgprs, accumulators = count("v"), count("a")
        granule = layout.vgprs.granule
        if lanes == 32 and layout.vgprs.wave32_granule is not None:
            granule = layout.vgprs.wave32_granule
        vgprs = -(-max(vgprs, 1) // granule) * granule
        if layout.is_unified:
            accumulators = -(-(vgprs + accumulators) // 8) * 8 - vgprs
        elif layout.accumulators is not None:
            vgprs = accumulators = max(vgprs, -(-accumulators // granule) * granule)
        else:
            accumulators = 0
        sgprs = min(_MAX_SGPRS, -(-(count("s") + _ALIASES) // 16) * 16)
        return state_word(
            layout,
            lanes,
            vgprs=vgprs,
            accumulators=accumulators,
            sgprs=sgprs,
            lds_bytes=lds_bytes,
        )


def _small(run: Data) -> bytes | Fill:
    """Return the bytes of a run, which join those beside it; a fill stays one unless it is
    small."""
    return run if isinstance(run, Fill) and len(run) > _SMALL_FILL_BYTES else bytes_of(run)


def _target_version(name: str) -> int:
    """Return the number of a target: `gfx90a` is 90010."""
    digits = name.removeprefix("gfx")
    try:
        major, minor, step = int(digits[:-2]), int(digits[-2], 16), int(digits[-1], 16)
    except ValueError:
        raise Unsupported(f"save areas of {name}, which is not a processor") from None
    return major * 10_000 + minor * 100 + step


def _first_gap(runs: Sequence[tuple[int, int]]) -> int:
    """Return an address with much free memory behind it; `runs`: ascending addresses and sizes."""
    free = _FREE
    for address, size in runs:
        if address >= free + 16 * _FREE:
            return free
        free = max(free, -(-(address + size) // _FREE) * _FREE)
    raise UsageError("the memory of the state has no gap in which the rest of a core file fits")


def _numbers_note(walked: Sequence[WaveId]) -> Iterator[str]:
    """Yield how a core numbers the waves, if they have other numbers."""
    runs: list[tuple[WaveId, int, int]] = []
    for number, wave in enumerate(walked, 1):
        if runs and (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]) == (wave, number):
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((wave, number, 1))
    changed = [run for run in runs if run[0] != run[1]]
    if changed:
        words = [
            f"wave {first} is wave {number}"
            if count == 1
            else f"waves {_span(first, count)} are waves {_span(number, count)}"
            for first, number, count in changed
        ]
        more = f", and {len(words) - _MAX_RUNS} more" if len(words) > _MAX_RUNS else ""
        yield (
            "a core file numbers its waves from 1, without those that have ended: "
            f"{', '.join(words[:_MAX_RUNS])}{more} there"
        )


def _span(first: int, count: int) -> str:
    return f"{first}-{first + count - 1}"
