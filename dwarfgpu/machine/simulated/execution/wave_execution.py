"""Execute an instruction, or a block of instructions, for one wave."""

from __future__ import annotations

import numpy as np

from dwarfgpu.machine.simulated.execution.access_stamps import Conflict
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics.compiled_blocks import Block, Blocks
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program, Step
from dwarfgpu.machine.simulated.wave_fault import WaveStop

_NO_BREAKPOINTS: frozenset[int] = frozenset()


class WaveExecution:
    """The functions of a program, with what is to be done where they raise."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.blocks = Blocks(program)

    def execute(self, step: Step, wave: SimulatedWave) -> None:
        """Do what an instruction does, without the pc; `WaveStop` where that is not possible."""
        try:
            step.execute(wave)
        except FloatingPointError:
            self.execute_carefully(step, wave)

    def execute_carefully(self, step: Step, wave: SimulatedWave) -> None:
        """Do once more what has made a NaN: nothing was written yet."""
        with np.errstate(all="ignore"):
            self.program.careful(step, wave.step_mode)(wave)

    def execute_block_at(self, wave: SimulatedWave) -> None:
        """Execute the block where a wave is, as `execute_block`."""
        mode = wave.step_mode
        block = self.blocks.of(mode, _NO_BREAKPOINTS).get(wave.pc)
        self.execute_block(block or self.blocks.make(wave.pc, mode, _NO_BREAKPOINTS), wave)

    def execute_block(self, block: Block, wave: SimulatedWave) -> bool:
        """Execute a block, or what of it is up to an instruction that makes a NaN, and that one.

        Whether a turn may end behind it. `WaveStop` of the instruction where the wave is then.
        """
        try:
            block.execute(wave)
        except Conflict as conflict:
            conflict.pc = block.steps[block.reached(conflict.__traceback__)].instruction.address
            raise
        except (FloatingPointError, WaveStop) as error:
            reached = block.reached(error.__traceback__)
            step = block.steps[reached]
            wave.instructions += reached
            wave.pc = step.instruction.address
            if isinstance(error, WaveStop):
                raise
        else:
            wave.instructions += len(block.steps)
            return block.ends_turn
        wave.pc = step.next_pc
        try:
            self.execute_carefully(step, wave)
        except WaveStop:
            wave.pc = step.instruction.address
            raise
        wave.instructions += 1
        return step.ends_block
