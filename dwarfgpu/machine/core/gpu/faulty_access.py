"""Find the lanes of a failed wave that made the faulty access, and the addresses.

The hardware records no lane. The registers of the wave give the addresses of the instruction at the
pc, and of those before it, because a wave runs on until the violation reaches it, at the latest
where it waits for the access. Law: a lane is named only if the core contradicts its access;
otherwise a note says why none is.

LDS has two ends: that of what the dispatch asks for, and that of the allocation, which is larger
because it has granules. Hardware compares with the second one (LDS_SIZE), `dwarfgpu run` with the
first one. An instruction whose lanes all stay in the allocation is named, with a note, only where
the core contradicts no other one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.amdgpu import GLOBAL
from dwarfgpu.arch.model import Apertures
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import DwarfGpuError, counted
from dwarfgpu.isa.addressing import Addressing, addressing_of
from dwarfgpu.isa.binding import effects, operations_of
from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.registers import Register
from dwarfgpu.isa.tables import lacking
from dwarfgpu.isa.wait_counters import finished_counters, wait_counters
from dwarfgpu.machine.core.gpu.instruction_addresses import SPACES, LaneAddresses, Undecided
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.machine.topology import model_of

OF_ACCESS: Final = frozenset({"memory_violation", "address_error"})
"""Stop reasons that an access to memory has."""
_NULL_PAGE_BYTES: Final = 4096
"""From address 0 on; no system maps anything there."""
_MAX_DECODED: Final = 16
"""Program locations whose instructions are kept."""
_ENDS_BLOCK: Final = frozenset({"branch", "call", "end"})

FunctionCode = Callable[[int], tuple[int, bytes]]
"""An address to the begin of its function, and the code from there on; where no symbol names the
function, to the address itself."""


@frozen
class LaneAccess:
    """An access that the core contradicts."""

    lane: int | None
    """None: of the whole wave, by a scalar instruction."""
    address: str
    """`0x7e00000076b0`, `local#0x4000`."""
    why: str
    """`nothing is mapped there`."""


@frozen
class FaultyAccess:
    """The instruction whose access failed, as far as the core shows it."""

    pc: int | None = None
    """None: no instruction is known."""
    instruction: str = ""
    verb: str = ""
    """`loads`, `stores`, `changes`."""
    size_bytes: int = 0
    lanes: tuple[LaneAccess, ...] = ()
    is_before_pc: bool = False
    """The wave has gone on before it was stopped."""
    note: str = ""
    """Why no lane is known, or why it may be another access."""

    @property
    def first_lane(self) -> int | None:
        """The first lane that failed; None if unknown, or if it is the whole wave."""
        return self.lanes[0].lane if self.lanes else None


def faulty_access(
    target: Target,
    memory: CoreMemory,
    number: WaveId,
    pc: int | None,
    reasons: Sequence[str],
    code: FunctionCode,
) -> FaultyAccess | None:
    """Return the access that a wave failed at; None where it failed for something else."""
    if OF_ACCESS.isdisjoint(reasons):
        return None
    if pc is None:
        return FaultyAccess(note="its pc is not in the core file")
    arch = target.architecture_of(number)
    processor = arch.name.partition("/")[0]
    decode = decoder(processor, arch.lane_count)
    begin, data = code(pc)
    candidates = _candidates(decode, pc, begin, data)
    if not candidates:
        if begin <= pc < begin + len(data) and decode.unknown_size(data, pc - begin) is not None:
            return FaultyAccess(note=f"the instruction at {pc:#x} is {lacking(processor)}")
        return FaultyAccess(note=f"{pc:#x} is not an instruction in the core file")
    allocated = target.apertures_of(number)
    asked_for = evolve(allocated, local_bytes=_lds_asked_for(target, number, allocated))
    failed: FaultyAccess | None = None
    in_granule: FaultyAccess | None = None
    intact, undecided = [], []
    for candidate in candidates:
        instruction, addressing = candidate.instruction, candidate.addressing
        if addressing is None:
            continue
        where = f"{instruction.text.strip()} at {instruction.address:#x}"
        try:
            addresses = LaneAddresses(target, number, candidate.changed)
            accesses = list(addresses.of(addressing, instruction.literal))
        except Undecided as error:
            if not candidate.is_finished:
                undecided.append(f"{error}: {where}")
            continue
        lanes = _contradicted(target, memory, number, addressing, accesses, reasons, asked_for)
        if not memory.is_complete and len(lanes) == len({lane for lane, _ in accesses}):
            # No address is in the core, which proves nothing: it may omit memory.
            lanes = tuple(item for item in lanes if item.why != memory.unmapped)
            if not lanes and accesses:
                missing = "the core file has no address of"
                undecided.append(f"{missing} {where}, and may leave memory out")
                continue
        if lanes:  # what was executed first was the first to fail
            access = FaultyAccess(
                instruction.address,
                instruction.text.strip(),
                addressing.verb,
                addressing.size_bytes,
                lanes,
                instruction.address != pc,
            )
            if asked_for == allocated or _contradicted(
                target, memory, number, addressing, accesses, reasons, allocated
            ):
                failed = access
            else:
                in_granule = access
        else:
            intact.append(where)
    doubts = [f"it may be another access: {undecided[-1]}"] if undecided else []
    if failed is None and in_granule is not None:
        failed = in_granule
        size = counted(allocated.local_bytes or 0, "byte")
        doubts.insert(0, f"a GPU allows it, because it has allocated {size}; a simulation does not")
    if failed is not None:
        return evolve(failed, note="; ".join(doubts))
    if undecided:
        return FaultyAccess(note=undecided[0])
    if intact:
        return FaultyAccess(note=f"the core file has all memory that is accessed by {intact[0]}")
    return FaultyAccess(note=f"no instruction at {pc:#x}, or before it, accesses memory")


def _lds_asked_for(target: Target, number: WaveId, allocated: Apertures) -> int | None:
    """Return the end of LDS by the dispatch; that of the allocation where it is unknown."""
    model = model_of(target)
    return allocated.local_bytes if model is None else model.lds_end(number, allocated.local_bytes)


@frozen(eq=False)
class _Candidate:
    """An instruction that may have failed."""

    instruction: Instruction
    addressing: Addressing | None
    """None: it accesses no memory, or its addresses are not in registers."""
    changed: frozenset[Register]
    """Registers, dword by dword, that were written by it or after it."""
    is_finished: bool
    """Whether the wave has waited for it."""


@lru_cache(_MAX_DECODED)
def _candidates(decode: Decoder, pc: int, begin: int, data: bytes) -> tuple[_Candidate, ...]:
    """Return the instruction at the pc, then those before it up to a branch or the target of one.

    Many waves fail at one instruction: it is decoded once.
    """
    decoded = {item.address: item for item in decode.instructions(data, begin) if item is not None}
    if pc not in decoded:
        return ()
    targets = {item.branch_target for item in decoded.values()}
    out: list[_Candidate] = []
    changed: set[Register] = set()
    finished: set[str] = set()
    end = None
    for address in sorted((address for address in decoded if address <= pc), reverse=True):
        instruction = decoded[address]
        flags = {flag for item in operations_of(instruction.encoding) for flag in item.flags}
        if end is not None:
            if address + instruction.size != end or flags & _ENDS_BLOCK:
                break
            changed |= {part for item in effects(instruction).writes for part in item.parts()}
            finished |= finished_counters(instruction)
        end = address
        addressing = addressing_of(instruction)
        is_finished = addressing is not None and finished.issuperset(wait_counters(instruction))
        out.append(_Candidate(instruction, addressing, frozenset(changed), is_finished))
        if address in targets:
            break
    return tuple(out)


def _contradicted(
    target: Target,
    memory: CoreMemory,
    number: WaveId,
    addressing: Addressing,
    accesses: Sequence[tuple[int | None, int]],
    reasons: Sequence[str],
    apertures: Apertures,
) -> tuple[LaneAccess, ...]:
    """Return the first access of each lane that the core contradicts."""
    out: dict[int | None, LaneAccess] = {}
    space = target.architecture_of(number).address_space(SPACES[addressing.memory])
    prefix = f"{space}#" if addressing.memory in ("lds", "scratch") else ""
    for lane, address in accesses:
        if lane in out:
            continue
        why = _why_not(target, memory, number, lane, address, addressing, apertures)
        element = addressing.element_bytes
        if not why and "address_error" in reasons and address % element:
            why = f"it is not a multiple of {element}"
        if why:
            out[lane] = LaneAccess(lane, f"{prefix}{address:#x}", why)
    return tuple(out.values())


def _why_not(
    target: Target,
    memory: CoreMemory,
    number: WaveId,
    lane: int | None,
    address: int,
    addressing: Addressing,
    apertures: Apertures,
) -> str:
    """Return why an access is not possible; empty where the core does not contradict it."""
    arch = target.architecture_of(number)
    examined = 0
    while examined < addressing.size_bytes:
        try:
            lowered = arch.lower(SPACES[addressing.memory], address + examined, lane, apertures)
        except DwarfGpuError as error:
            return error.message
        count = min(lowered.contiguous_bytes, addressing.size_bytes - examined)
        if lowered.space.number == GLOBAL:
            if lowered.address < _NULL_PAGE_BYTES:
                return "it is in the page of null"
            why = memory.why_unmapped(lowered.address, count)
            if why:
                return why
        examined += count
    return ""
