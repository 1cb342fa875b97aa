"""Watchpoints: an observer that stops a machine after an instruction that accesses an object.

Law: a write is seen by its effect, from whichever wave; a read by the addresses of the access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np

from dwarfgpu.base.records import define, frozen
from dwarfgpu.isa.binding import operations_of
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.machine.run_control import Watch
from dwarfgpu.machine.simulated.execution.observers import ObservedStop
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
from dwarfgpu.machine.simulated.storage.global_memory import extremes
from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes
from dwarfgpu.machine.target import RegisterOffset, WaveId
from dwarfgpu.machine.topology import StopReason

_SETPC: Final = "s_setpc_b64"
_RETURN: Final = "s_setpc_b64 s[30:31]"
_CALL_BYTES: Final = 4
_NONE: Final = np.zeros((), bool)
"""No access is inside."""
Contents: TypeAlias = Callable[[], bytes]
"""Bytes, with zeros for the bits that nothing has written, and the mask of those written: a first
write is a change, whatever was there before."""


@frozen(eq=False)
class WatchedRange:
    """Consecutive bytes of one memory: of the process, of a workgroup, or the scratch of a wave."""

    workgroup: int | None
    """The workgroup whose LDS it is; None for other memory."""
    begin: int
    end: int
    wave: WaveId | None = None
    """The wave whose scratch it is, where that is no part of global memory."""


@frozen(eq=False)
class Watching:
    """A watch and how the machine is asked for it."""

    watch: Watch
    memory: Contents
    """Those of the object now that are in memory."""
    registers: Contents
    """Those in registers."""
    ranges: tuple[WatchedRange, ...]
    """Its memory; empty for registers."""
    wave: WaveId | None
    """The wave whose registers it is in."""
    returns: list[int]
    """The return addresses of the calls that the scope's function has made; kept up to date."""


@define(eq=False)
class _State:
    """What is remembered of a watch from instruction to instruction."""

    memory: bytes
    registers: bytes


class Watchpoints:
    """Observes all waves for some watches."""

    def __init__(
        self,
        watching: Sequence[Watching],
        scratch: Callable[[WaveMemory], int],
        instruction_at: Callable[[int], Instruction | None] = lambda pc: None,
    ) -> None:
        """`scratch`: where the private memory of a wave is in global memory. `instruction_at`: the
        instruction at an address; without it, a return to the same function is none."""
        self._watching = watching
        self._scratch = scratch
        self._instruction_at = instruction_at
        self._states = [_State(one.memory(), one.registers()) for one in watching]
        self._accesses: list[Access] = []

    def follows(self, wave: WaveMemory) -> bool:
        """Return whether registers of a wave are watched, or the scope of an object ends in it."""
        number = wave.wave.id
        scopes = (one.watch.scope for one in self._watching)
        starts = (part.start for one in self._watching for part in one.watch.bytes)
        return (
            wave.own_scratch is not None
            or any(scope is not None and scope.wave == number for scope in scopes)
            or any(isinstance(start, RegisterOffset) and start.wave == number for start in starts)
        )

    def concerns(self, wave: WaveMemory, access: Access) -> bool:
        """Return whether an access is one of a watched object. An atomic operation may be in
        several memories, and not be executed anew when one of them is found to be watched."""
        if access.is_read and access.is_written:
            return True
        return any(
            self._is_of_kind(one, access)
            for one in self._watching
            if any(self._touches(access, wave, part) for part in one.ranges)
        )

    def before(self, wave: WaveMemory, step: Step) -> None:
        self._accesses.clear()

    def access(self, wave: WaveMemory, access: Access) -> None:
        self._accesses.append(access)

    def after(self, wave: WaveMemory, step: Step) -> ObservedStop | None:
        hit, remaining = [], []
        for one, state in zip(self._watching, self._states, strict=True):
            if one.watch.scope is not None and self._has_left(one, wave, step):
                remaining.append(one.watch.number)
            elif self._is_hit(one, state, wave):
                hit.append(one)
        if hit:
            numbers = tuple(one.watch.number for one in hit)
            lanes = tuple(self._lanes_of(one, wave) for one in hit)
            return ObservedStop(StopReason.WATCHPOINT, "watchpoint", numbers, lanes)
        if remaining:
            return ObservedStop(StopReason.WATCHPOINT, "scope", tuple(remaining))
        return None

    def _is_hit(self, one: Watching, state: _State, wave: WaveMemory) -> bool:
        is_changed = False
        if any(access.is_written for access in self._accesses):
            memory = one.memory()
            is_changed, state.memory = memory != state.memory, memory
        scope, code = one.watch.scope, one.watch.code
        if wave.wave.id == one.wave and not wave.is_ended and not (scope and one.returns):
            registers = one.registers()
            is_changed |= registers != state.registers
            state.registers = registers
        if scope is not None and code is not None and wave.wave.id == scope.wave:
            is_changed |= not one.returns and not code[0] <= wave.pc < code[1]
        if one.watch.kind == "write":
            return is_changed
        return any(self._touches(access, wave, part) for access, part in self._accesses_of(one))

    def _accesses_of(self, one: Watching) -> Iterator[tuple[Access, WatchedRange]]:
        """Yield the accesses of the instruction that may be those that a watch is about, each with
        each range."""
        for access in self._accesses:
            if self._is_of_kind(one, access):
                for part in one.ranges:
                    yield access, part

    @staticmethod
    def _is_of_kind(one: Watching, access: Access) -> bool:
        match one.watch.kind:
            case "write":
                return access.is_written
            case "read":
                return access.is_read
            case _:
                return True

    def _lanes_of(self, one: Watching, wave: WaveMemory) -> tuple[int, ...]:
        """Return the lanes that accessed an object."""
        lanes: set[int] = set()
        for access, part in self._accesses_of(one):
            if access.lanes is not None:
                inside = self._inside(access, wave, part)
                lanes.update(map(int, access.lanes[np.broadcast_to(inside, access.lanes.shape)]))
        return tuple(sorted(lanes))

    def _touches(self, access: Access, wave: WaveMemory, part: WatchedRange) -> bool:
        """Return whether an access reads or writes a byte of a range."""
        return bool(self._inside(access, wave, part).any())

    def _inside(self, access: Access, wave: WaveMemory, part: WatchedRange) -> Lanes:
        """Return which addresses of an access are of bytes of a range: shape (accesses,), or ()
        where none is."""
        if (access.space == "local") != (part.workgroup is not None):
            return _NONE
        if access.space == "local" and part.workgroup != wave.wave.workgroup:
            return _NONE
        own = wave.own_scratch if access.space == "private" else None
        if part.wave != (None if own is None else wave.wave.id) or not len(access.addresses):
            return _NONE
        least, most = extremes(access.addresses)
        most += access.size_bytes
        if access.space != "private":
            if most <= part.begin or least >= part.end:
                return _NONE
            first = access.addresses.astype(np.uint64)
            return (first < part.end) & (first + np.uint64(access.size_bytes) > part.begin)
        assert access.lanes is not None
        scratch = self._scratch(wave) if own is None else own.start
        row_bytes = 4 * wave.lane_count
        end = scratch + (most + 3) // 4 * row_bytes
        if end <= part.begin or scratch + least // 4 * row_bytes >= part.end:
            return _NONE
        byte_addresses = access.addresses.astype(np.int64)[:, None] + np.arange(access.size_bytes)
        lanes = access.lanes[:, None]
        offset = (
            (byte_addresses >> 2) * (4 * wave.lane_count)
            + lanes * 4
            + (byte_addresses & 3)
            + scratch
        )
        inside: Lanes = np.any((offset >= part.begin) & (offset < part.end), axis=1)
        return inside

    def _has_left(self, one: Watching, wave: WaveMemory, step: Step) -> bool:
        """Return whether the call has returned to which the object belongs."""
        scope = one.watch.scope
        assert scope is not None
        if wave.wave.id != scope.wave:
            return False
        if wave.is_ended:
            return True
        instruction = step.instruction
        if _is_call(instruction):
            one.returns.append(step.next_pc)
        elif instruction.mnemonic == _SETPC:
            if one.returns and wave.pc == one.returns[-1]:
                one.returns.pop()
            elif not one.returns:
                is_inside = any(begin <= wave.pc < end for begin, end in scope.ranges)
                return not is_inside or self._is_return(instruction, wave.pc)
        return False

    def _is_return(self, instruction: Instruction, pc: int) -> bool:
        """Return whether a jump within a function is a return of its deeper call: by the register
        pair of return addresses (AMDGPU usage, "Calling Convention"), to behind a call."""
        before = self._instruction_at(pc - _CALL_BYTES)
        return instruction.text == _RETURN and before is not None and _is_call(before)


def _is_call(instruction: Instruction) -> bool:
    return any("call" in operation.flags for operation in operations_of(instruction.encoding))
