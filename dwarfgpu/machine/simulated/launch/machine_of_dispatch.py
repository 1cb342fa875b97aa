"""Turn a dispatch into a machine that can run: memory as allocations, waves with registers.

Law: what no document defines is undefined (`storage/undefined_numbers`), not zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import numpy as np

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.errors import LimitExceeded, Unsupported, counted
from dwarfgpu.machine.code_object_memory import LoadedSegment
from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.launch.dispatch import (
    PACKET_COUNT,
    Contents,
    Launched,
    WaveRegisters,
    require_contents,
)
from dwarfgpu.machine.simulated.launch.dispatch_packet import (
    PACKET_BYTES,
    QUEUE_BYTES,
    SIGNAL_BYTES,
)
from dwarfgpu.machine.simulated.launch.kernel_arguments import COPIES
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program
from dwarfgpu.machine.simulated.storage.allocated_registers import allocated_registers
from dwarfgpu.machine.simulated.storage.decoded_code import DecodedCode
from dwarfgpu.machine.simulated.storage.global_memory import (
    Allocation,
    GlobalMemory,
    MemoryBudget,
    segment_bytes,
)
from dwarfgpu.machine.simulated.storage.scalar_slots import FLAT_SCRATCH, TTMP
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, filled
from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemories
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes

_ABSENT_ADDRESS: Final = 0x7C00_0000_0000
"""The address of the first absent object; nothing else is in the 4 GiB there."""
_USES: Final = {
    "hidden_hostcall_buffer": ": printf and other calls of the host are not simulated",
    "hidden_printf_buffer": ": printf is not simulated",
    "hidden_heap_v1": ": malloc is not simulated",
    "hidden_default_queue": ": kernels that enqueue kernels are not simulated",
    "hidden_completion_action": ": kernels that enqueue kernels are not simulated",
    "hidden_multigrid_sync_arg": ": groups of several grids are not simulated",
}
_REGISTER_FACTOR: Final = 8
"""How many times as much memory as scratch and LDS the vector registers of running waves may take:
2 GiB by default."""


def machine_of_dispatch(
    launched: Launched,
    segments: Iterable[LoadedSegment],
    seed: int = 0,
    *,
    tracks_writes: bool = False,
    earlier: GlobalMemory | None = None,
    executor: Executor = "lockstep",
    progress: Callable[[int], None] | None = None,
    keeps_ended: bool = True,
    most_bytes: int = DEFAULT_FILE_LIMITS.state_bytes,
) -> RunningMachine:
    """Return the machine before the first instruction; `earlier` is the memory that another
    dispatch of the code object has left.

    `tracks_writes`: at every stop it is known what is undefined; else all is taken as written.
    `executor`, `progress` and `keeps_ended` are those of `RunningMachine`.
    `most_bytes`: the most that scratch and LDS may take, whose sizes the descriptor says, buffers
    with what they were given, and the code object.
    `UsageError` for a buffer without contents, `Unsupported` for a kernel whose modes are not
    simulated, `LimitExceeded` for more than `most_bytes`.
    """
    budget = MemoryBudget(most_bytes, _required_bytes(launched, earlier, most_bytes))
    global_memory = earlier or GlobalMemory()
    global_memory.code = DecodedCode()
    for segment in segments if earlier is None else ():
        name = "writable memory of the code object" if segment.is_writable else "the code object"
        data = segment_bytes(segment, budget)
        global_memory.add(name, segment.address, data, is_writable=segment.is_writable)
    fill = launched.request.fill
    _add_objects(global_memory, launched, fill, is_tracked=tracks_writes)
    require_contents(launched)
    for address, buffer, name in launched.kernarg.buffers:
        assert buffer.data is not None
        is_taken = any(item.name == f"buffer {name}" for item in global_memory.allocations)
        suffix = f".{launched.request.placement.dispatch}" if is_taken else ""
        global_memory.add(f"buffer {name}{suffix}", address, buffer.data)
    request, processor = launched.request, launched.request.processor
    lane_count = launched.machine.lane_count
    scratch = _add_scratch(global_memory, launched, fill, is_tracked=tracks_writes)
    program = Program(global_memory, processor.name, lane_count, tracks_writes=tracks_writes)
    machine = RunningMachine(
        global_memory,
        program,
        lane_count,
        seed,
        executor=executor,
        progress=progress,
        keeps_ended=keeps_ended,
        most_register_bytes=None if keeps_ended else _REGISTER_FACTOR * most_bytes,
    )
    [dispatch] = launched.machine.dispatches.values()
    memories: dict[int | None, Allocation] = {
        group: _undefined(
            f"LDS of workgroup {group}", 0, launched.group_bytes, fill, is_tracked=tracks_writes
        )
        for group in launched.machine.workgroups
    }
    agent = request.placement.agent
    descriptor = request.kernel.descriptor
    has_scratch = descriptor is not None and descriptor.fields.get("enable_private_segment")
    most_private_bytes = processor.most_scratch_bytes // lane_count if has_scratch else 0
    groups: dict[int | None, list[SimulatedWave]] = {}
    for registers in launched.waves:
        group = registers.wave.workgroup
        dwords, marks = _part_of_scratch(scratch, registers, lane_count)
        wave = SimulatedWave(
            registers.wave,
            lane_count,
            256 if dispatch.vgprs is None else dispatch.vgprs,
            256 if dispatch.agprs is None else dispatch.agprs,
            global_memory,
            fill,
            WaveMemories(
                memories[group],
                agent.local_base,
                agent.private_base,
                dwords,
                marks,
                scratch_start=registers.scratch_address,
                most_private_bytes=most_private_bytes,
            ),
            pc=launched.pc,
            generation=processor.generation,
            allocated=allocated_registers(dispatch),
            group=groups.setdefault(group, []),
        )
        _set_registers(wave, registers, fill)
        _set_vectors(wave, registers)
        machine.waves.append(wave)
    return machine


def _required_bytes(launched: Launched, earlier: GlobalMemory | None, most_bytes: int) -> int:
    """Return the size of the memory besides the code object; `LimitExceeded` for too much."""
    scratch_bytes = sum(wave.scratch_bytes for wave in launched.waves)
    lds_bytes = launched.group_bytes * len(launched.machine.workgroups)
    if scratch_bytes + lds_bytes > most_bytes:
        waves = counted(len(launched.waves), "wave")
        raise LimitExceeded(
            f"{waves} with {counted(scratch_bytes, 'byte')} of scratch and "
            f"{counted(lds_bytes, 'byte')} of LDS: at most {most_bytes} bytes are simulated",
            "--max-state-bytes",
        )
    earlier_bytes = 0
    for item in () if earlier is None else earlier.allocations:
        size = item.end - item.start
        earlier_bytes += size * (COPIES if item.name.startswith("buffer ") else 1)
    buffer_bytes = sum(buffer.size_bytes for _, buffer, _ in launched.kernarg.buffers)
    total = scratch_bytes + lds_bytes + COPIES * buffer_bytes + earlier_bytes
    if total > most_bytes:
        after = f" after {counted(earlier_bytes, 'byte')} of earlier dispatches"
        raise LimitExceeded(
            f"{counted(buffer_bytes, 'byte')} of buffers, as given and as the kernel changes them, "
            f"scratch and LDS{after if earlier_bytes else ''}: {total} bytes of memory, more than "
            f"{most_bytes}",
            "--max-state-bytes",
        )
    return total


def _undefined(
    name: str, start: int, size_bytes: int, fill: int, *, is_tracked: bool
) -> Allocation:
    written = np.zeros(size_bytes, np.uint8) if is_tracked else None
    return Allocation(name, start, bytearray([fill]) * size_bytes, True, written)


def _add_objects(
    global_memory: GlobalMemory, launched: Launched, fill: int, *, is_tracked: bool
) -> None:
    """Add what the runtime has made for the dispatch."""
    [queue] = launched.machine.queues.values()
    [dispatch] = launched.machine.dispatches.values()
    sizes: list[tuple[str, int | None, int]] = [
        ("amd_queue_t", queue.object_address, QUEUE_BYTES),
        ("the dispatch packets", queue.packets_address, PACKET_BYTES * PACKET_COUNT),
        ("the kernarg segment", dispatch.kernarg, launched.kernarg_bytes),
        ("the completion signal", dispatch.completion_signal, SIGNAL_BYTES),
    ]
    for name, address, size in sizes:
        if address is None or not size:
            continue
        allocation = global_memory.insert(
            _undefined(name, address, size, fill, is_tracked=is_tracked)
        )
        for start, piece in launched.memory:
            first, last = max(start, address), min(start + len(piece), address + size)
            if first < last:
                allocation.write(first - address, bytes(piece[first - start : last - start]))
        if address == dispatch.kernarg:
            _add_absent(global_memory, allocation, launched)


def _add_absent(global_memory: GlobalMemory, segment: Allocation, launched: Launched) -> None:
    """Let hidden arguments that only a runtime makes point to where nothing is, each elsewhere: a
    kernel that uses one stops, and says which. For a debugger, they are undefined."""
    for number, (offset, kind) in enumerate(launched.kernarg.absent):
        address = _ABSENT_ADDRESS + (number << 32)
        global_memory.absent[address >> 32] = (
            f"{kind}, which only a runtime creates{_USES.get(kind, '')}"
        )
        segment.contents[offset : offset + 8] = address.to_bytes(8, "little")


def _add_scratch(
    global_memory: GlobalMemory, launched: Launched, fill: int, *, is_tracked: bool
) -> Allocation | None:
    """Add the private memory of all waves, which lies in one piece."""
    size = sum(wave.scratch_bytes for wave in launched.waves)
    first = launched.waves[0].scratch_address
    if first is None or not size:
        return None
    return global_memory.insert(_undefined("scratch", first, size, fill, is_tracked=is_tracked))


def _part_of_scratch(
    scratch: Allocation | None, registers: WaveRegisters, lane_count: int
) -> tuple[Lanes | None, Lanes | None]:
    """Return the private memory of a wave, and what of it was written; shape (dwords, lanes)."""
    if scratch is None or registers.scratch_address is None:
        return None, None
    first = registers.scratch_address - scratch.start
    dwords, marks = (
        None
        if array is None
        else array[first : first + registers.scratch_bytes].view(np.uint32).reshape(-1, lane_count)
        for array in (scratch.data, scratch.written)
    )
    return dwords, marks


def _set_registers(wave: SimulatedWave, registers: WaveRegisters, fill: int) -> None:
    for name, contents in registers.scalars.items():
        number = _number(contents)
        match name:
            case "exec":
                wave.set_exec(number)
            case "vcc":
                wave.vcc = number
            case "mode":
                wave.set_mode(number)
            case "flat_scratch" | "scratch_base":
                wave.scratch_base = number
                wave.s[FLAT_SCRATCH : FLAT_SCRATCH + 2] = number & 0xFFFFFFFF, number >> 32
            case _ if name.startswith("ttmp"):
                wave.s[TTMP + int(name[4:])] = number
            case _ if name[0] == "s" and is_decimal(name[1:]):
                wave.s[int(name[1:])] = filled(number, 4, fill)
            case _:
                raise Unsupported(f"not simulated: {name} of a wave that begins")


def _set_vectors(wave: SimulatedWave, registers: WaveRegisters) -> None:
    wave.given_vectors = {int(name[1:]): values for name, values in registers.vectors.items()}
    for number, values in wave.given_vectors.items():
        wave.written[number] |= (1 << len(values)) - 1


def _number(contents: Contents) -> int:
    """Return a register whose unknown bits are undefined, and zeros."""
    if isinstance(contents, int):
        return contents
    out = known_mask = 0
    for index, word in enumerate(contents.split()):
        bits = word[1:] if word.startswith("%") else "?" * 8 if word == "??" else ""
        bits = bits or f"{int(word, 16):08b}"
        out |= int(bits.replace("?", "0"), 2) << 8 * index
        known_mask |= int("".join("01"[bit != "?"] for bit in bits), 2) << 8 * index
    return Undefined(out, known_mask)


def buffers(launched: Launched, machine: RunningMachine) -> Mapping[str, Allocation]:
    """Return the memory that arguments point to, by their names."""
    out: dict[str, Allocation] = {}
    for address, _, name in launched.kernarg.buffers:
        allocation = machine.global_memory.at(address)
        assert allocation is not None
        out[name] = allocation
    return out
