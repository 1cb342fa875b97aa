"""Watchpoints: an observer that stops a machine after an instruction that accesses an object.

Law: a write is seen by its effect, from whichever wave; a read by the addresses of the access.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from dwarfgpu.base.light_attrs import define, frozen
from dwarfgpu.isa.binding import operations_of
from dwarfgpu.machine.simulated.execution.observers import ObservedStop
from dwarfgpu.machine.simulated.faults import StopReason
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory
from dwarfgpu.machine.target import Watch, WaveId

_SETPC: Final = "s_setpc_b64"
Contents: TypeAlias = Callable[[], bytes]


@frozen(eq=False)
class WatchedRange:
    """Consecutive bytes of one memory: of the process, of a workgroup, or the scratch of a wave."""

    workgroup: int | None
    """Of LDS; None for global memory, which scratch is a part of."""
    begin: int
    end: int


@frozen(eq=False)
class Watching:
    """A watch and how the machine is asked for it."""

    watch: Watch
    contents: Contents
    """The bytes of the object now."""
    ranges: tuple[WatchedRange, ...]
    """Its memory; empty for registers."""
    wave: WaveId | None
    """The only wave whose instructions can change it; None for memory."""


@define(eq=False)
class _State:
    """What is remembered of a watch from instruction to instruction."""

    before: bytes
    returns: list[int]
    """Where the calls return to that the function of the scope has made."""


class Watchpoints:
    """Observes all waves for some watches."""

    def __init__(self, watching: Sequence[Watching], scratch: Callable[[WaveMemory], int]) -> None:
        """`scratch`: where the private memory of a wave is in global memory."""
        self._watching = watching
        self._scratch = scratch
        self._states = [
            _State(one.contents(), list(one.watch.scope.returns if one.watch.scope else ()))
            for one in watching
        ]
        self._needs_accesses = any(one.watch.kind != "write" for one in watching)
        self._accesses: list[Access] = []

    def before(self, wave: WaveMemory, step: Step) -> None:
        self._accesses.clear()

    def access(self, wave: WaveMemory, access: Access) -> None:
        if self._needs_accesses:
            self._accesses.append(access)

    def after(self, wave: WaveMemory, step: Step) -> ObservedStop | None:
        numbers, left = [], []
        for one, state in zip(self._watching, self._states, strict=True):
            if one.watch.scope is not None and self._has_left(one.watch, state, wave, step):
                left.append(one.watch.number)
            elif self._is_hit(one, state, wave):
                numbers.append(one.watch.number)
        if numbers:
            return ObservedStop(StopReason.WATCHPOINT, "watchpoint", tuple(numbers))
        if left:
            return ObservedStop(StopReason.WATCHPOINT, "scope", tuple(left))
        return None

    def _is_hit(self, one: Watching, state: _State, wave: WaveMemory) -> bool:
        if one.wave is not None and (one.wave != wave.wave.id or wave.is_ended):
            return False
        now = one.contents()
        is_changed, state.before = now != state.before, now
        if one.watch.kind == "write":
            return is_changed
        is_read_only = one.watch.kind == "read"
        return any(
            self._touches(access, wave, part)
            for access in self._accesses
            if access.is_read or not is_read_only
            for part in one.ranges
        )

    def _touches(self, access: Access, wave: WaveMemory, part: WatchedRange) -> bool:
        """Whether an access reads or writes a byte of a range."""
        if (access.space == "local") != (part.workgroup is not None):
            return False
        if access.space == "local" and part.workgroup != wave.wave.workgroup:
            return False
        if access.space != "private":
            first = access.addresses.astype(np.uint64)
            inside = (first < part.end) & (first + np.uint64(access.size_bytes) > part.begin)
            return bool(inside.any())
        assert access.lanes is not None
        at = access.addresses.astype(np.int64)[:, None] + np.arange(access.size_bytes)
        lanes = access.lanes[:, None]
        offset = (at >> 2) * (4 * wave.lane_count) + lanes * 4 + (at & 3) + self._scratch(wave)
        return bool(((offset >= part.begin) & (offset < part.end)).any())

    def _has_left(self, watch: Watch, state: _State, wave: WaveMemory, step: Step) -> bool:
        """Whether the call has returned to which the object belongs."""
        scope = watch.scope
        assert scope is not None
        if wave.wave.id != scope.wave:
            return False
        if wave.is_ended:
            return True
        instruction = step.instruction
        if any("call" in operation.flags for operation in operations_of(instruction.encoding)):
            state.returns.append(step.next_pc)
        elif instruction.mnemonic == _SETPC:
            if state.returns and wave.pc == state.returns[-1]:
                state.returns.pop()
            elif not state.returns:
                return not any(begin <= wave.pc < end for begin, end in scope.ranges)
        return False
