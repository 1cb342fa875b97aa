"""Build a machine that resumes from a state, whatever the source of its registers and memory.

Law: what the state leaves out is undefined, and the instruction that needs it stops its wave
(`unknown_contents.py`). Nothing is made up: what nothing had written in the run that the state is
from has the byte that it had there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from types import MappingProxyType
from typing import Final

import numpy as np

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.arch.processors import processor
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.machine.code_object_memory import LoadedSegment
from dwarfgpu.machine.simulated.debugger.debugger_registers import (
    contents,
    write_contents,
)
from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.launch.dispatch_request import require_lds, require_scratch
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program
from dwarfgpu.machine.simulated.storage.allocated_registers import allocated_registers
from dwarfgpu.machine.simulated.storage.global_memory import (
    Allocation,
    GlobalMemory,
    MemoryBudget,
    Source,
    Unread,
    segment_bytes,
)
from dwarfgpu.machine.simulated.storage.scalar_slots import PAIRS, TTMP
from dwarfgpu.machine.simulated.storage.undefined_numbers import FILL, Undefined
from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemories
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes
from dwarfgpu.machine.simulated.storage.written_registers import forget_bits
from dwarfgpu.machine.sparse_memory import Data, SparseMemory, bytes_of, part_of, pieces_of
from dwarfgpu.machine.state.register_bytes import RegisterBytes
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import Wave

_NEEDED: Final = {"pc": (1 << 48) - 1, "exec": -1, "mode": 0xFF}
"""Registers without which no instruction can be executed, and the bits of them: FP_ROUND and
FP_DENORM of MODE."""
_MASK32: Final = 0xFFFFFFFF
_CONDITION_BITS: Final = {"status": 0, "state_priv": 9}
"""The bit number of SCC, which is all that the simulator has of these registers."""
_ALL_OR_NOTHING: Final = frozenset({"scratch_base"})
"""Registers whose bits this machine cannot mark as undefined one by one: instructions write all of
them, or none."""
_IGNORED: Final = frozenset({"exec_hi", "pc_32"})
"""Nothing reads more of them than `exec` and `pc` have."""
_MAX_REGISTERS: Final = 256


def machine_of_state(
    state: StateTarget,
    segments: Iterable[LoadedSegment],
    seed: int = 0,
    fill: int | None = None,
    source: Source | None = None,
    kernargs: Mapping[int, int] = MappingProxyType({}),
    most_bytes: int = DEFAULT_FILE_LIMITS.state_bytes,
) -> RunningMachine:
    """Return the waves of a state as a running machine; errors are those of
    `machines_of_process`."""
    [machine] = machines_of_process([state], segments, seed, fill, source, kernargs, most_bytes)
    return machine


def machines_of_process(
    states: Sequence[StateTarget],
    segments: Iterable[LoadedSegment],
    seed: int = 0,
    fill: int | None = None,
    source: Source | None = None,
    kernargs: Mapping[int, int] = MappingProxyType({}),
    most_bytes: int = DEFAULT_FILE_LIMITS.state_bytes,
) -> list[RunningMachine]:
    """Return the waves of the states of one process as running machines that share global memory.

    Each state is of one processor and one size of waves.
    `source`: of global memory that is not in the states.
    `fill`: the byte of registers, LDS and scratch that the states leave out, which are known then.
    `kernargs`: addresses and sizes of kernarg segments, whose padding no state has.
    `most_bytes`: the most that vector registers, scratch, LDS, global memory and code objects may
    take.
    `UsageError` for a wave without pc, EXEC or MODE and for more LDS or scratch than the processor
    has, `Unsupported` for waves of no AMD GPU, scratch that is not interleaved by dwords, and code
    objects beyond 64 bits, `LimitExceeded` for more than `most_bytes`.
    """
    for state in states:
        if state.architecture.machine != "AMDGPU":
            name = state.architecture.name
            raise Unsupported(f"only waves of AMD GPUs are simulated, not {name}")
        for number in state.waves:  # before the memory is copied
            _require_needed(state, number)
    fills = [item for item in (fill, *(state.fill for state in states)) if item is not None]
    global_memory, byte = GlobalMemory(), fills[0] if fills else FILL
    budget = MemoryBudget(most_bytes)
    scratch = {base: size for state in states for base, size in _scratch_ranges(state).items()}
    stores = [store for state in states for name, _, store in state.memories() if not name]
    _add_memory(global_memory, segments, stores, scratch, kernargs, byte, budget)
    global_memory.is_partial, global_memory.source = True, source
    machines = [_machine(state, global_memory, seed, byte, budget) for state in states]
    if fill is not None:
        for machine in machines:
            machine.define_all()
    return machines


def _machine(
    state: StateTarget, global_memory: GlobalMemory, seed: int, byte: int, budget: MemoryBudget
) -> RunningMachine:
    """Return the waves of a state, with their LDS, over global memory."""
    architecture = state.architecture
    lane_count, gpu = architecture.lane_count, processor(architecture.name)
    stores = {(name, owner): store for name, owner, store in state.memories()}
    program = Program(global_memory, gpu.name, lane_count, tracks_writes=True)
    machine = RunningMachine(global_memory, program, lane_count, seed)
    lds: dict[int, Allocation] = {}
    groups: dict[int, list[SimulatedWave]] = {}
    for number in state.waves:
        group = state.workgroups[number]
        if group not in lds:
            lds[group] = _local(state, number, stores.get(("local", group)), byte, budget)
        apertures, private = state.apertures_of(number), stores.get(("private_wave", number))
        memories = WaveMemories(
            lds[group],
            apertures.local_base,
            apertures.private_base,
            *_scratch(state, number, global_memory, private, byte, budget),
            scratch_start=apertures.scratch_base,
        )
        wave = _wave(state, number, global_memory, byte, memories, groups.setdefault(group, []))
        budget.take(_array_bytes(state, wave), f"the array of vector registers of wave {number}")
        _set_registers(state, wave)
        machine.waves.append(wave)
    return machine


def _wave(
    state: StateTarget,
    number: WaveId,
    global_memory: GlobalMemory,
    fill: int,
    memories: WaveMemories,
    group: list[SimulatedWave],
) -> SimulatedWave:
    wave_record = state.machine.waves.get(number) or Wave(number)
    record = Wave(
        number,
        state.workgroups[number],
        wave_record.wave_in_group,
        (),
        wave_record.number,
        wave_record.lane_count,
    )
    dispatch = state.machine.dispatch_of(number)
    vgprs, agprs = (
        max((None if dispatch is None else dispatch.registers_of(bank)) or 0, _MAX_REGISTERS)
        for bank in "va"
    )
    return SimulatedWave(
        record,
        state.architecture.lane_count,
        vgprs,
        agprs,
        global_memory,
        fill,
        memories,
        generation=processor(state.architecture.name).generation,
        allocated=allocated_registers(dispatch),
        barrier=wave_record.barrier,
        group=group,
    )


def _array_bytes(state: StateTarget, wave: SimulatedWave) -> int:
    """Return the size of the banks of vector registers that the state has a register of: a bank is
    made as a whole."""
    banks = {name[0] for name in state.waves[wave.wave.id] if is_decimal(name[1:])}
    count = wave.vgprs * ("v" in banks) + wave.agprs * ("a" in banks)
    return 4 * wave.lane_count * count


def _require_needed(state: StateTarget, number: WaveId) -> None:
    """Raise `UsageError` for a wave that lacks a register without which it cannot continue."""
    for name, needed in _NEEDED.items():
        stored = state.waves[number].get(name)
        if stored is None or not _has_bits(stored, needed):
            remedy = f"set ${name}, or use --reg"
            if name == "mode":  # the other waves usually lack it, too, and need the same value
                remedy = "set $mode (thread apply all set $mode = 0xf0), or use run --reg mode=0xf0"
            raise UsageError(f"wave {number} cannot continue: its {name} is not known; {remedy}")


def _set_registers(state: StateTarget, wave: SimulatedWave) -> None:
    known_registers = state.waves[wave.wave.id]
    for register in (
        *state.architecture.registers.values(),
        *state.architecture.other_registers,
    ):
        stored = known_registers.get(register.name)
        if stored is not None:
            set_known(wave, register, stored)


def _has_bits(stored: RegisterBytes, needed: int) -> bool:
    needed &= (1 << 8 * len(stored.known)) - 1
    return int.from_bytes(stored.known, "little") & needed == needed


def set_known(wave: SimulatedWave, register: RegisterInfo, stored: RegisterBytes) -> None:
    """Write the known bytes of a register, and make the others undefined: they stay as they are.

    What nothing simulated reads is passed over: `s_getreg` of it stops the wave.
    """
    name, size = register.name, len(stored.data)
    before = contents(wave, register)
    if not any(stored.known) or name in _IGNORED or before is None:
        return
    known_mask = int.from_bytes(stored.known, "little")
    value = int.from_bytes(stored.data, "little") & known_mask
    value |= int.from_bytes(before, "little") & ~known_mask
    is_whole = known_mask == (1 << 8 * size) - 1
    if name == "mode":
        wave.set_mode(Undefined(value, known_mask))
        return
    if name in _CONDITION_BITS:
        bit = _CONDITION_BITS[name]
        if known_mask >> bit & 1:
            wave.scc = value >> bit & 1
        return
    if name.startswith("ttmp"):
        wave.s[TTMP + int(name[4:])] = Undefined(value & _MASK32, known_mask | ~_MASK32)
        return
    if name in PAIRS:
        for word in range(2):
            wave.s[PAIRS[name] + word] = Undefined(
                value >> 32 * word & _MASK32, known_mask >> 32 * word | ~_MASK32
            )
        return
    if name in _ALL_OR_NOTHING and not is_whole:
        raise UsageError(
            f"wave {wave.wave.id} cannot continue: only a part of its {name} is known; "
            f"set ${name}, or use --reg"
        )
    write_contents(wave, register, 0, value.to_bytes(size, "little"))
    lacking = ~known_mask & (1 << 8 * size) - 1
    if lacking and name not in _NEEDED and not forget_bits(wave, name, lacking):
        raise UsageError(f"{name} of a running machine cannot be unknown")


def _add_memory(
    global_memory: GlobalMemory,
    segments: Iterable[LoadedSegment],
    stores: Sequence[SparseMemory],
    scratch: Mapping[int, int],
    kernargs: Mapping[int, int],
    fill: int,
    budget: MemoryBudget,
) -> None:
    """Add the code objects, whose writable memory is what states know of it; then the rest of the
    states."""
    for segment in segments:
        if segment.address + segment.size_bytes > 1 << 64:
            raise Unsupported(f"a code object at {segment.address:#x} ends beyond 64 bits")
        if segment.is_writable:  # the program may have changed it
            name = "writable memory of the code object"
            size = segment.size_bytes
            global_memory.insert(_undefined(name, segment.address, size, fill, budget))
        elif segment.size_bytes:
            unread = Unread(segment.size_bytes, partial(segment_bytes, segment, budget))
            global_memory.insert(Allocation("the code object", segment.address, unread, False))
    for base, size in scratch.items():
        global_memory.insert(_undefined("scratch", base, size, fill, budget))
    known = [(address, address + len(run)) for store in stores for address, run in store.runs()]
    for base, size in kernargs.items():
        end = base + size
        is_known = any(start < end and base < stop for start, stop in known)
        if is_known and not any(
            item.start < end and base < item.end for item in global_memory.allocations
        ):
            global_memory.insert(_undefined("kernarg segment", base, size, fill, budget))
    write_known(global_memory, stores, budget)


def write_known(
    global_memory: GlobalMemory, stores: Iterable[SparseMemory], budget: MemoryBudget | None = None
) -> None:
    """Write known global memory into the allocations that there are, and add the rest."""
    occupied = sorted((item.start, item.end) for item in global_memory.allocations)
    known_runs = [(address, run) for store in stores for address, run in store.runs()]
    for address, data in known_runs:
        for start, end in _overlapping(occupied, address, address + len(data)):
            first, last = max(start, address), min(end, address + len(data))
            allocation = global_memory.at(start)
            if first < last and allocation is not None:
                for begin, piece in pieces_of(part_of(data, first - address, last - address)):
                    allocation.write(first - start + begin, piece)
    outside = list(_outside(known_runs, occupied))
    if budget is not None:
        for begin, part in outside:
            budget.take(len(part), f"memory of the state at {begin:#x}")
    for begin, joined in _joined(outside):
        global_memory.add("memory of the state", begin, joined)


def _outside(
    known_runs: Sequence[tuple[int, Data]], taken: list[tuple[int, int]]
) -> Iterator[tuple[int, Data]]:
    """Yield the parts of known memory that are in no other allocation, by address; `taken`: where
    these are, in order."""
    for address, data in known_runs:
        begin, end = address, address + len(data)
        for start, stop in _overlapping(taken, begin, end):
            if begin < start:
                yield begin, part_of(data, begin - address, start - address)
            begin = max(begin, stop)
        if begin < end:
            yield begin, part_of(data, begin - address, len(data))


def _overlapping(taken: list[tuple[int, int]], begin: int, end: int) -> list[tuple[int, int]]:
    """Return those of some ranges, in order and apart, that have bytes of another one."""
    first = max(bisect_left(taken, (begin, 0)) - 1, 0)
    if first < len(taken) and taken[first][1] <= begin:
        first += 1
    return taken[first : bisect_left(taken, (end, 0))]


def _joined(parts: list[tuple[int, Data]]) -> Iterator[tuple[int, bytearray]]:
    """Yield neighbours as one: an access may be in both."""
    begin, joined, end = 0, bytearray(), -1
    for address, data in sorted(parts, key=itemgetter(0)):
        if address != end:
            if joined:
                yield begin, joined
            begin, joined = address, bytearray()
        for _, piece in pieces_of(data):
            joined += piece
        end = address + len(data)
    if joined:
        yield begin, joined


def _undefined(
    name: str, start: int, size_bytes: int, fill: int, budget: MemoryBudget
) -> Allocation:
    budget.take(size_bytes, f"{name} at {start:#x}")
    written = np.zeros(size_bytes, np.uint8)
    return Allocation(name, start, bytearray([fill]) * size_bytes, True, written)


def _local(
    state: StateTarget,
    wave: WaveId,
    store: SparseMemory | None,
    fill: int,
    budget: MemoryBudget,
) -> Allocation:
    """Return the LDS of the workgroup of a wave."""
    runs = [] if store is None else store.runs()
    group, size = state.machine.workgroup_of(wave), state.apertures_of(wave).local_bytes
    if size is None and group is not None:
        size = group.local_bytes
    size, last = state.machine.lds_end(wave, size), None
    if size is None:
        size, last = _end(runs)
    with _naming(wave, "local", last):
        require_lds(processor(state.architecture.name), size)
    allocation = _undefined(f"LDS of workgroup {state.workgroups[wave]}", 0, size, fill, budget)
    for address, run in runs:
        allocation.write(address, bytes_of(run)[: max(size - address, 0)])
    return allocation


def _end(runs: Sequence[tuple[int, Data]]) -> tuple[int, int | None]:
    """Return the end of known memory, and where its last range begins."""
    return max(((address + len(run), address) for address, run in runs), default=(0, None))


def _require_scratch(
    state: StateTarget, wave: WaveId, size_bytes: int, last: int | None = None
) -> None:
    """Raise `UsageError` for more scratch than a wave of the processor has; `last`: the address of
    private memory that needs it."""
    lanes = state.architecture.lane_count
    with _naming(wave, "private_wave", last):
        require_scratch(processor(state.architecture.name), lanes, -(-size_bytes // lanes))


@contextmanager
def _naming(wave: WaveId, space: str, address: int | None) -> Iterator[None]:
    """Name the wave in errors for what it needs, and the memory that needs it."""
    try:
        yield
    except UsageError as error:
        memory = "" if address is None else f"its memory at {space}#{address:#x} needs "
        raise UsageError(f"wave {wave} cannot continue: {memory}{error.message}") from None


def _scratch_ranges(state: StateTarget) -> dict[int, int]:
    """Return where the scratch of waves is in global memory, and its sizes."""
    out = {}
    for number in state.waves:
        apertures = state.apertures_of(number)
        if apertures.scratch_base is not None and apertures.scratch_bytes:
            _require_scratch(state, number, apertures.scratch_bytes)
            out[apertures.scratch_base] = apertures.scratch_bytes
            if apertures.element_bytes != 4:
                raise Unsupported(f"scratch in elements of {apertures.element_bytes} bytes")
    return out


def _scratch(
    state: StateTarget,
    wave: WaveId,
    global_memory: GlobalMemory,
    store: SparseMemory | None,
    fill: int,
    budget: MemoryBudget,
) -> tuple[Lanes | None, Lanes | None, Allocation | None]:
    """Private memory of a wave, a part of global memory where that is known, else of its own: its
    dwords, what of them was written, and its own allocation."""
    apertures, lane_count = state.apertures_of(wave), state.architecture.lane_count
    allocation = (
        None if apertures.scratch_base is None else global_memory.at(apertures.scratch_base)
    )
    if allocation is None and store is not None and store.runs():
        row = 4 * lane_count
        size, last = _end(store.runs())
        _require_scratch(state, wave, size, last)
        name = f"scratch of wave {wave}"
        allocation = _undefined(name, 0, -(-size // row) * row, fill, budget)
        for address, run in store.runs():
            allocation.write(address, bytes_of(run))
    if allocation is None or allocation.written is None:
        return None, None, None
    rows = (allocation.end - allocation.start) // (4 * lane_count)
    used = rows * 4 * lane_count
    dwords, marks = (
        array[:used].view(np.uint32).reshape(rows, lane_count)
        for array in (allocation.data, allocation.written)
    )
    return dwords, marks, None if apertures.scratch_base is not None else allocation


def take_over(machine: RunningMachine, state: StateTarget) -> None:
    """Give a machine before its first instruction the known registers and memory of a state."""
    architecture = state.architecture
    registers = (*architecture.registers.values(), *architecture.other_registers)
    for wave in machine.waves:
        known_registers = state.waves[wave.wave.id]
        for register in registers:
            if register.name in known_registers:
                set_known(wave, register, known_registers[register.name])
    groups = {state.workgroups[wave.wave.id]: wave.lds for wave in machine.waves}
    memories = state.memories()
    for name, owner, store in memories:
        for address, run in store.runs() if name == "local" and owner in groups else ():
            groups[owner or 0].write(address, bytes_of(run))
    write_known(machine.global_memory, (store for name, _, store in memories if not name))
