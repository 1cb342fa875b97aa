"""Compile machine code to one Python function per block: instructions up to a possible branch.

A block is the statements of its instructions, one after the other, in one function. Law: it does
what its instructions do one at a time; where it cannot continue, the line of the source that raised
says which of them was about to be executed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from types import CodeType, TracebackType
from typing import Any, Final

from dwarfgpu.base.kept_answers import WeighedAnswers
from dwarfgpu.base.records import frozen
from dwarfgpu.machine.simulated.semantics.compiled_instructions import (
    MAX_KEPT,
    NAMESPACE,
    Program,
    Step,
    function_text,
)
from dwarfgpu.machine.simulated.semantics.source_statements import StepMode
from dwarfgpu.machine.simulated.wave_fault import WaveStop

MAX_INSTRUCTIONS: Final = 200
"""Maximum number of instructions of a block, so that an interrupt is not noticed late."""
_MAX_SETS: Final = 16
"""Sets of breakpoints for which blocks are kept."""
FIRST_LINE: Final = 3
"""The line of the first statement, after `def` and the prologue."""
MAX_SOURCE: Final = 128 * MAX_KEPT
"""Characters of the sources of functions that are kept."""


@frozen
class Block:
    """Consecutive instructions, ready to execute."""

    steps: tuple[Step, ...]
    execute: Callable[[Any], None]
    """Execute the block for a wave; the pc is written at the end."""
    first_lines: tuple[int, ...]
    """The first line of each instruction in the source of the function."""
    ends_turn: bool
    """Whether the last instruction is one after which the turn of a wave may end."""

    def reached(self, traceback: TracebackType | None) -> int:
        """Return how many instructions were executed before one raised."""
        return line_reached(traceback, self.execute.__code__, self.first_lines)


def line_reached(
    traceback: TracebackType | None, code: CodeType, first_lines: Sequence[int]
) -> int:
    """Return how many pieces of a function, with these first lines, precede what has raised."""
    while traceback is not None:
        if traceback.tb_frame.f_code is code:
            return bisect_right(first_lines, traceback.tb_lineno) - 1
        traceback = traceback.tb_next
    raise AssertionError("an exception of another function")


class Blocks:
    """The blocks of a program that were executed so far."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._by_set: dict[tuple[StepMode, frozenset[int]], dict[int, Block]] = {}
        self._kept = 0
        """How many instructions they have; one that is in several blocks counts in each."""
        program.decoded.add_keeper(self._forget)

    def _forget(self) -> None:
        for blocks in self._by_set.values():
            blocks.clear()
        self._kept = 0

    def of(self, mode: StepMode, breakpoints: frozenset[int]) -> dict[int, Block]:
        """Return the blocks of a mode that are cut at breakpoints, by address."""
        key = mode, breakpoints
        blocks = self._by_set.get(key)
        if blocks is None:
            if len(self._by_set) >= _MAX_SETS:
                self._by_set.clear()
            blocks = self._by_set[key] = {}
        return blocks

    def make(self, pc: int, mode: StepMode, breakpoints: frozenset[int]) -> Block:
        """Return the block at an address; `WaveStop` where its first instruction cannot be
        executed."""
        steps = self.steps(pc, mode, breakpoints)
        if self._kept + len(steps) > MAX_KEPT:
            self._forget()
        self._kept += len(steps)
        block = self.of(mode, breakpoints)[pc] = _BLOCKS.answer(tuple(steps), _compiled)
        return block

    def steps(
        self, pc: int, mode: StepMode, breakpoints: frozenset[int] = frozenset()
    ) -> list[Step]:
        """Return the instructions of a block; `WaveStop` as in `make`."""
        program = self._program
        steps = [program.step_at(pc, mode)]
        while len(steps) < MAX_INSTRUCTIONS and not steps[-1].ends_block:
            next_pc = steps[-1].next_pc
            if next_pc in breakpoints:
                break
            if steps[-1].may_change_code and steps[-1].instruction.address in program.decoded:
                break
            try:
                step = program.step_at(next_pc, mode)
            except WaveStop:
                break  # of a wave that comes there
            if step.reads_clock:
                break
            steps.append(step)
        return steps


def _compiled(steps: tuple[Step, ...]) -> Block:
    """Return the function of consecutive instructions."""
    lines: list[str] = []
    first_lines = []
    for step in steps:
        first_lines.append(len(lines) + FIRST_LINE)
        lines += step.lines
    last = steps[-1]
    at_end = f"w.pc = {last.next_pc:#x}"
    if last.ends_block:  # before it, as it may write another one
        lines.insert(len(lines) - len(last.lines), at_end)
    else:
        lines.append(at_end)
    execute = _FUNCTIONS.answer(function_text(lines), _function)
    return Block(steps, execute, tuple(first_lines), last.ends_block)


def _function(source: str) -> Callable[[Any], None]:
    names: dict[str, Any] = {}
    exec(compile(source, "<block>", "exec"), NAMESPACE, names)
    function: Callable[[Any], None] = names["execute"]
    return function


_BLOCKS: Final = WeighedAnswers[tuple[Step, ...], Block](MAX_KEPT, len)
"""Made once for all machines that execute them."""
_FUNCTIONS: Final = WeighedAnswers[str, Callable[[Any], None]](MAX_SOURCE, len)
"""By their source."""
