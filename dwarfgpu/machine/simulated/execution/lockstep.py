"""Run all waves of a dispatch in lockstep: those at the lowest pc execute a block, others wait.

Law: what a dispatch leaves is what it leaves one wave at a time. A run together ends early, and all
that it did is undone, where the order of waves may matter (`access_conflicts`) or a wave stops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import groupby
from types import CodeType
from typing import Any, Final

from dwarfgpu.base.kept_answers import WeighedAnswers
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.isa.binding import operations_of
from dwarfgpu.machine.simulated.execution.access_conflicts import Conflicts
from dwarfgpu.machine.simulated.execution.access_stamps import MAX_WAVES, Conflict, Unordered
from dwarfgpu.machine.simulated.execution.barriers import meet
from dwarfgpu.machine.simulated.execution.lockstep_functions import NotTogether
from dwarfgpu.machine.simulated.execution.lockstep_waves import WaveGroup
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.execution.wave_execution import WaveExecution
from dwarfgpu.machine.simulated.semantics.compiled_blocks import (
    FIRST_LINE,
    MAX_SOURCE,
    line_reached,
)
from dwarfgpu.machine.simulated.semantics.compiled_instructions import MAX_KEPT, Step, function_text
from dwarfgpu.machine.simulated.semantics.cube_faces import CUBE_FACES
from dwarfgpu.machine.simulated.semantics.division import DIVISION
from dwarfgpu.machine.simulated.semantics.lane_functions import FUNCTIONS
from dwarfgpu.machine.simulated.semantics.lane_moves import TYPES
from dwarfgpu.machine.simulated.semantics.source_statements import StepMode
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.simulated.wave_fault import WaveStop

MAX_LANES: Final = 1 << 12
"""Maximum number of lanes of a group."""
MAX_BYTES: Final = 1 << 28
"""Maximum size in bytes of memory that a dispatch may write: a copy of it is kept to restore it."""
MIN_WAVES: Final = 4
"""Fewer execute one after the other."""
_PATIENCE: Final = 1 << 10
"""Blocks that the waves at the lowest pc execute in a row; then the others have some."""
_TURN: Final = 16
_ANY_LANES: Final = frozenset(
    {
        *FUNCTIONS,
        *DIVISION,
        *CUBE_FACES,
        *TYPES,
        "pair",
        "high_dwords",
        "broadcast",
        "stacked",
        "two_halves",
        "small_elements",
        "negated",
    }
    | {"signed_if", "raw_bits", "joined_halves", "low_half", "high_half", "wide", "saturated"}
    | {"normalised", "copied", "selected", "placed", "moved", "reached_by", "moved8", "first_of"}
    | {
        "of_quad",
        "lane_of",
        "with_lane",
        "other_half",
        "permuted_rows",
        "read_lanes",
        "write_lanes",
        "put",
    }
    | {"swizzled", "two_addresses", "lanes_of", "mask_of", "absolute", "scalar32", "scalar64"}
    | {"Commuting", "view", "sum", "astype"}
    | {"set_vcc", "set_vcc_dword", "set_exec", "buffer_address"}
    | {
        f"{memory}_{verb}"
        for memory in ("global", "lds", "scratch", "flat", "buffer")
        for verb in ("load", "store", "atomic")
    }
)
"""What statements may call on the lanes of several waves."""
_CALL: Final = pattern(r"(\w+)\(")
_STOPS: Final = pattern(r"w\.(is_ended|is_waiting|signal\(|halt\()")


@frozen
class _Part:
    """Instructions of a block that are executed in the same way."""

    kind: str
    """`scalar`: wave by wave in one function; `vector`: all together; `each`: wave by wave."""
    steps: tuple[Step, ...]
    before: int
    """Instructions of the block before them."""
    execute: Callable[[Any], None] | None
    first_lines: tuple[int, ...]
    writes_exec: bool


@frozen
class _GroupBlock:
    """A block for several waves."""

    parts: tuple[_Part, ...]
    may_stop: bool
    """Whether waves end or wait at its end."""


class _Interrupted(Exception):
    """The debugger asks the machine to stop."""


def run_together(
    waves: Sequence[SimulatedWave],
    global_memory: GlobalMemory,
    execution: WaveExecution,
    is_interrupted: Callable[[], bool],
    progress: Callable[[int], None] | None = None,
    at_conflict: Callable[[Unordered], None] | None = None,
    *,
    keeps_ended: bool = True,
) -> bool:
    """Run waves, all that have not ended, to their end; or to an interrupt (False).

    Also False, and nothing has happened, where the order of waves may matter or one stops.
    `progress` is called with the number of instructions; `at_conflict` with the accesses for which
    the order of waves may matter, where they are certain: not those of a program with atomic or
    volatile loads and stores, which may order others. `keeps_ended`: as of `RunningMachine`.
    """
    size = sum(item.end - item.start for item in global_memory.allocations if item.is_writable)
    if len(waves) > MAX_WAVES or size > MAX_BYTES or global_memory.source is not None:
        return False  # what is read from a source meanwhile could not be restored
    names = {wave.wave.workgroup: None for wave in waves}
    workgroups = {name: number for number, name in enumerate(names)}
    numbers_of = [workgroups[wave.wave.workgroup] for wave in waves]
    conflicts = Conflicts(global_memory, numbers_of, [wave.scratch for wave in waves])
    groups: list[WaveGroup] = []
    is_ended, finished = True, 0
    try:
        for numbers in _batches(waves):
            part = [waves[number] for number in numbers]
            group = WaveGroup(part, numbers, conflicts)
            groups.append(group)
            report = None if progress is None else partial(_report, progress, finished)
            _GroupRun(execution, group, is_interrupted, report).run()
            finished += sum(wave.instructions for wave in group.members)
            if not keeps_ended:
                group.remove_registers()
    except _Interrupted:
        is_ended = False
    except WaveStop:
        _undo(global_memory, conflicts, groups)
        return False
    except Conflict as conflict:
        accesses, is_scoped = conflict.accesses, execution.program.has_scoped_access()
        if at_conflict is not None and accesses is not None and not is_scoped:
            at_conflict(_with_ids(accesses, conflict.pc, waves))
        _undo(global_memory, conflicts, groups)
        return False
    for group in groups:
        group.commit()
    return is_ended


def _undo(global_memory: GlobalMemory, conflicts: Conflicts, groups: Sequence[WaveGroup]) -> None:
    """Undo what groups have done; what was decoded may be undone with it."""
    conflicts.restore()
    for group in groups:
        group.remove_registers()
    global_memory.code.invalidate()


def _with_ids(accesses: Unordered, pc: int | None, waves: Sequence[SimulatedWave]) -> Unordered:
    """Return accesses with the numbers that waves have for the user."""
    other = None if accesses.other is None else waves[accesses.other].wave.id
    return evolve(accesses, wave=waves[accesses.wave].wave.id, other=other, pc=pc)


def _report(progress: Callable[[int], None], finished: int, executed: int) -> None:
    progress(finished + executed)


def _batches(waves: Sequence[SimulatedWave]) -> list[list[int]]:
    """Return numbers of waves that run together: whole workgroups."""
    workgroups: dict[int | None, list[int]] = {}
    for number, wave in enumerate(waves):
        workgroups.setdefault(wave.wave.workgroup, []).append(number)
    most = MAX_LANES // waves[0].wave_size
    out: list[list[int]] = []
    for numbers in workgroups.values():
        if not out or len(out[-1]) + len(numbers) > most:
            out.append([])
        out[-1] += numbers
    return out


class _GroupRun:
    """One group of waves from where they are to their end."""

    def __init__(
        self,
        execution: WaveExecution,
        group: WaveGroup,
        is_interrupted: Callable[[], bool],
        progress: Callable[[int], None] | None,
    ) -> None:
        self._execution = execution
        self._is_interrupted = is_interrupted
        self._progress = progress
        self._group = group
        self._names = group.functions.namespace()
        self._blocks: dict[tuple[int, StepMode], _GroupBlock] = {}
        self._kept = 0
        """How many instructions they have."""

    def run(self) -> None:
        """Run the waves; `Conflict` and `WaveStop` if the waves cannot continue together to their
        end."""
        members = self._group.members
        ready = list(range(len(members)))
        row = blocks = 0
        while True:
            if not ready:
                ready = self._release()
                if not ready:
                    return
            pcs = [members[n].pc for n in ready]
            pc = min(pcs)
            row = row + 1 if pcs.count(pc) < len(pcs) else 0
            if row > _PATIENCE:
                pc = max(pcs)
                row = row if row < _PATIENCE + _TURN else 0
            mode = members[ready[pcs.index(pc)]].step_mode
            running = [n for n in ready if members[n].pc == pc and members[n].step_mode is mode]
            if self._execute(pc, mode, running):
                if any(members[n].is_halted for n in running):
                    raise Conflict
                self._release()
                ready = self._ready()
            if self._execution.program.decoded:
                raise Conflict  # code that waves can change
            if self._is_interrupted():
                raise _Interrupted
            blocks += 1
            if self._progress is not None and not blocks % _PATIENCE:
                self._progress(sum(wave.instructions for wave in members))

    def _ready(self) -> list[int]:
        return [
            number
            for number, wave in enumerate(self._group.members)
            if not (wave.is_ended or wave.is_waiting)
        ]

    def _release(self) -> list[int]:
        """Release the workgroups that have met at a barrier; return the waves that can continue."""
        group = self._group
        met = [slot for slot, waves in enumerate(group.by_slot) if meet(waves)]
        if met:
            group.pass_barrier(met)
        ready = self._ready()
        if not ready and any(not wave.is_ended for wave in group.members):
            raise Conflict  # a barrier that is never met
        return ready

    def _execute(self, pc: int, mode: StepMode, running: list[int]) -> bool:
        """Execute the block at an address; whether waves may have stopped."""
        group = self._group
        waves = [group.members[n] for n in running]
        if len(running) < MIN_WAVES:
            for wave in waves:
                self._execution.execute_block_at(wave)
            group.exec_changed()
            return any(wave.is_ended or wave.is_waiting or wave.signals for wave in waves)
        group.run_only(running)
        block = self._blocks.get((pc, mode)) or self._make(pc, mode)
        for part in block.parts:
            if part.kind == "scalar":
                assert part.execute is not None
                try:
                    part.execute(waves)
                except Conflict as conflict:
                    conflict.pc = _pc_of(conflict, part)
                    raise
                except FloatingPointError:
                    raise Conflict from None  # some waves are behind it, and others are not
            elif not self._execute_lanes(part, waves):
                return False  # no instruction that waves can stop at
            if part.writes_exec:
                group.exec_changed()
        return block.may_stop

    def _execute_lanes(self, part: _Part, waves: list[SimulatedWave]) -> bool:
        """Return whether all instructions were executed; else the waves are behind the last that
        was."""
        if part.execute is None:
            self._one_by_one(part.steps[0], waves)
            return True
        try:
            part.execute(self._group)
        except Conflict as conflict:
            conflict.pc = _pc_of(conflict, part)
            raise
        except (FloatingPointError, NotTogether) as error:
            code = part.execute.__code__
            reached = line_reached(error.__traceback__, code, part.first_lines)
            step = part.steps[reached]
            if isinstance(error, NotTogether):
                self._one_by_one(step, waves)
            else:
                self._execute_carefully(step, waves)
            for wave in waves:
                wave.pc = step.next_pc
                wave.instructions += part.before + reached + 1
            self._group.exec_changed()
            return False
        return True

    def _one_by_one(self, step: Step, waves: list[SimulatedWave]) -> None:
        try:
            for wave in waves:
                self._execution.execute(step, wave)
        except Conflict as conflict:
            conflict.pc = step.instruction.address
            raise
        self._group.exec_changed()

    def _execute_carefully(self, step: Step, waves: list[SimulatedWave]) -> None:
        """Execute once more what has made a NaN, wave by wave: nothing was written yet."""
        self._one_by_one(step, waves)

    # Functions.

    def _make(self, pc: int, mode: StepMode) -> _GroupBlock:
        steps = self._execution.blocks.steps(pc, mode)
        last = steps[-1]
        parts: list[_Part] = []
        before = 0
        _require_wait(steps)
        kinds = [_kind(step) for step in steps]
        if last.ends_block and kinds[-1] != "scalar":
            raise Conflict
        for kind, pairs in groupby(zip(kinds, steps, strict=True), lambda pair: pair[0]):
            some = tuple(step for _, step in pairs)
            is_last = before + len(some) == len(steps)
            if kind == "each":
                parts += [
                    _Part(kind, (step,), before + n, None, (), True) for n, step in enumerate(some)
                ]
            elif kind == "vector":
                parts.append(self._vectors(some, before))
            elif is_last:
                parts.append(self._scalars(some, before, _at_end(last, len(steps))))
            else:
                parts.append(self._scalars(some, before, []))
            before += len(some)
        if kinds[-1] != "scalar":
            parts.append(self._scalars((), before, _at_end(last, len(steps))))
        may_stop = _STOPS.search("\n".join(last.lines)) is not None
        if self._kept + len(steps) > MAX_KEPT:
            self._blocks.clear()
            self._kept = 0
        self._kept += len(steps)
        block = self._blocks[pc, mode] = _GroupBlock(tuple(parts), may_stop)
        return block

    def _vectors(self, steps: tuple[Step, ...], before: int) -> _Part:
        source, first_lines = _SOURCES.answer(steps, _vector_source)
        return _Part("vector", steps, before, self._function(source), first_lines, False)

    def _scalars(self, steps: tuple[Step, ...], before: int, at_end: list[str]) -> _Part:
        """Collect the scalars. `at_end`: written before the last instruction, which may write the
        pc itself."""
        lines = ["def execute(waves):", "    for w in waves:", "        s = w.s"]
        first_lines = []
        for number, step in enumerate(steps):
            first_lines.append(len(lines) + 1)
            if number == len(steps) - 1:
                lines += [f"        {line}" for line in at_end]
            lines += [f"        {line}" for line in step.lines if line != "pass"]
        if not steps:
            lines += [f"        {line}" for line in at_end]
        text = "\n".join(lines)
        writes_exec = "set_exec(" in text
        return _Part("scalar", steps, before, self._function(text), tuple(first_lines), writes_exec)

    def _function(self, source: str) -> Callable[[Any], None]:
        names: dict[str, Any] = {}
        exec(_CODES.answer(source, _code), self._names, names)
        function: Callable[[Any], None] = names["execute"]
        return function


def _pc_of(conflict: Conflict, part: _Part) -> int:
    """Return the address of the instruction that has raised."""
    assert part.execute is not None
    code = part.execute.__code__
    reached = line_reached(conflict.__traceback__, code, part.first_lines)
    return part.steps[reached].instruction.address


def _require_wait(steps: Sequence[Step]) -> None:
    """Require that waves only wait: between signalling a barrier and waiting for it, others may
    continue or not: `Conflict` where a wave does something then."""
    signalled = False
    for step in steps:
        waits = any("has_to_wait" in line for line in step.lines)
        if signalled and not waits and step.lines != ("pass",):
            raise Conflict
        signalled = not waits and (signalled or "w.signal()" in step.lines)
    if signalled:
        raise Conflict


def _at_end(last: Step, count: int) -> list[str]:
    return [f"w.pc = {last.next_pc:#x}", f"w.instructions += {count}"]


def _vector_source(steps: tuple[Step, ...]) -> tuple[str, tuple[int, ...]]:
    """Return the function of instructions, and the first line of each."""
    lines: list[str] = []
    first_lines = []
    for step in steps:
        first_lines.append(len(lines) + FIRST_LINE)
        lines += step.lines
    return function_text(lines), tuple(first_lines)


@lru_cache(maxsize=1 << 14)
def _kind(step: Step) -> str:
    """Return how the waves of a group execute an instruction; `Conflict` where their order
    matters."""
    text = "\n".join(step.lines)
    if "is_first_to_signal" in text:
        raise Conflict
    if all(operation.is_scalar for operation in operations_of(step.instruction.encoding)):
        return "scalar"
    is_any = _ANY_LANES.issuperset(_CALL.findall(text)) and "w.vgpr_offset" not in text
    return "vector" if is_any else "each"


def _code(source: str) -> CodeType:
    return compile(source, "<block of a group>", "exec")


_SOURCES: Final = WeighedAnswers[tuple[Step, ...], tuple[str, tuple[int, ...]]](MAX_KEPT, len)
_CODES: Final = WeighedAnswers[str, CodeType](MAX_SOURCE, len)
