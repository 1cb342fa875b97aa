"""Effects of an instruction on registers and memory: `disas --registers`, `explain $pc`."""

from __future__ import annotations

from dwarfgpu.base.records import frozen
from dwarfgpu.isa.binding import Effects, effects, uses
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.registers import Register
from dwarfgpu.isa.wait_counters import wait_counters
from dwarfgpu.view.json_object import JsonObject


@frozen
class InstructionEffects:
    """What one instruction reads, writes and has counted."""

    registers: Effects
    memory: tuple[str, ...]
    """`loads flat.b32`, `stores lds.b64`, `changes global.u32` (an atomic operation)."""
    counters: tuple[str, ...]
    """Without `cnt`: `vm`, `lgkm`."""

    @property
    def text(self) -> str:
        """`writes v2, reads v[2:3] flat_scratch exec, loads flat.b32, vmcnt lgkmcnt`."""
        parts = []
        if self.registers.writes:
            parts.append(f"writes {names(self.registers.writes)}")
        if self.registers.reads:
            parts.append(f"reads {names(self.registers.reads)}")
        parts += self.memory
        if self.counters:
            parts.append(" ".join(f"{name}cnt" for name in self.counters))
        return ", ".join(parts)

    @property
    def record(self) -> JsonObject:
        """The members that `--registers` adds to an instruction."""
        return {
            "reads": [register.name for register in self.registers.reads],
            "writes": [register.name for register in self.registers.writes],
            "memory": list(self.memory),
            "counters": [f"{name}cnt" for name in self.counters],
        }


def effects_of(instruction: Instruction) -> InstructionEffects:
    """Return the effects of an instruction of an AMD GPU."""
    memory: dict[str, None] = {}
    instruction_uses = uses(instruction)
    for use in instruction_uses:
        operation = use.operation
        for declared in operation.memory:
            is_read, is_written = declared in operation.sources, declared in operation.results
            verb = "changes" if is_read and is_written else "loads" if is_read else "stores"
            memory[f"{verb} {declared}"] = None
    counters = wait_counters(instruction, instruction_uses[0])
    return InstructionEffects(effects(instruction, instruction_uses), tuple(memory), counters)


def names(registers: tuple[Register, ...]) -> str:
    """Return `v[2:3] exec`."""
    return " ".join(register.name for register in registers)
