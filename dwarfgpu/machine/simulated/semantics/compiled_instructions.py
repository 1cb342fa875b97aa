"""Compile machine code to Python functions of a wave, once for each address."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Final

import numpy as np

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.pattern import pattern
from dwarfgpu.isa.binding import operations_of, uses
from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.instruction import Encoding, Instruction
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.registers import Register
from dwarfgpu.isa.tables import lacking
from dwarfgpu.machine.simulated.semantics.approximations import APPROXIMATIONS
from dwarfgpu.machine.simulated.semantics.cube_faces import CUBE_FACES
from dwarfgpu.machine.simulated.semantics.division import DIVISION
from dwarfgpu.machine.simulated.semantics.float_atomics import FLOAT_ATOMICS
from dwarfgpu.machine.simulated.semantics.lane_functions import FUNCTIONS
from dwarfgpu.machine.simulated.semantics.lane_moves import MOVES, TYPES
from dwarfgpu.machine.simulated.semantics.matrices import MATRICES
from dwarfgpu.machine.simulated.semantics.rounding import ROUNDED
from dwarfgpu.machine.simulated.semantics.scalar_functions import SCALAR_FUNCTIONS
from dwarfgpu.machine.simulated.semantics.small_floats import SMALL_FLOATS
from dwarfgpu.machine.simulated.semantics.source_statements import PLAIN_MODE, StepMode
from dwarfgpu.machine.simulated.semantics.statements import PROLOGUE, statements
from dwarfgpu.machine.simulated.storage.allocated_registers import AllocatedRegisters
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.simulated.storage.wave_memory import Commuting
from dwarfgpu.machine.simulated.storage.wave_registers import lanes_of, mask_of
from dwarfgpu.machine.simulated.wave_fault import WaveStop, not_simulated
from dwarfgpu.machine.topology import StopReason

NAMESPACE: Final[dict[str, Any]] = {
    **FUNCTIONS,
    **DIVISION,
    **CUBE_FACES,
    **MOVES,
    **TYPES,
    **SCALAR_FUNCTIONS,
    **MATRICES,
    **APPROXIMATIONS,
    **ROUNDED,
    **SMALL_FLOATS,
    **FLOAT_ATOMICS,
    "lanes_of": lanes_of,
    "mask_of": mask_of,
    "absolute": np.abs,
    "Commuting": Commuting,
}
"""What generated statements may call."""
MAX_KEPT: Final = 1 << 16
"""Instructions that a program keeps decoded, and that its blocks keep compiled: code of more is
decoded again each time that waves come through it."""

_VOP3: Final = 0b110101
_DS: Final = 0b110110
_ZERO: Final = 128


_ENDS: Final = pattern(
    r"w\.(pc = |is_ended|is_waiting|trap\(|halt\(|set_mode\(|index\(|write_hardware_register\()"
)
_CONSTANT: Final = pattern(r"\b([uif]\d+)\((0x[0-9a-f]+|\d+)\)(\.view\(\w+\))?")
_WORDS: Final = pattern(r"\b[a-z]+\b")
_CHANGES_CODE: Final = pattern(r"w\.\w+_(store|atomic)\(|w\.invalidate_code\(")
_SCOPED: Final = pattern(r"\w*(load|store)\w* .* (sc[01]|glc|scope:\w+)")
"""Atomic and volatile loads and stores."""
_CLOCK: Final = pattern(r"w\.(clock\b|hardware_register\()")


def function_text(lines: Sequence[str]) -> str:
    """Return the source of a function of statements, which begin at its third line. Its constants
    are created once, with the function."""
    functions: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        text = f"constant({match[1]}, {match[2]}){match[3] or ''}"
        return functions.setdefault(text, f"k{len(functions)}")

    body = "\n    ".join(_CONSTANT.sub(name, line) for line in lines)
    words = set(_WORDS.findall(body))
    names = [name for name in PROLOGUE if name in words] or ["s"]
    prologue = f"{', '.join(names)} = {', '.join(f'w.{PROLOGUE[name]}' for name in names)}"
    defaults = "".join(f", {name}={text}" for text, name in functions.items())
    return f"def execute(w{defaults}):\n    {prologue}\n    {body}"


class Step:
    """One instruction, ready to execute."""

    def __init__(self, instruction: Instruction, lines: tuple[str, ...]) -> None:
        self.instruction = instruction
        self.next_pc = instruction.address + instruction.size
        self.lines = lines
        """The Python text, without the prologue."""
        text = "\n".join(lines)
        self.ends_block = _ENDS.search(text) is not None
        """Whether the wave may jump, stop, or continue in another mode."""
        self.reads_clock = _CLOCK.search(text) is not None
        self.may_change_code = _CHANGES_CODE.search(text) is not None
        """Whether instructions behind it, in memory that waves can write, may be others then."""

    @cached_property
    def execute(self) -> Callable[[Any], None]:
        """The function of a wave."""
        return _function(function_text(self.lines))


class Program:
    """The code of one processor in global memory."""

    def __init__(
        self,
        global_memory: GlobalMemory,
        processor: str,
        wave_size: int,
        *,
        tracks_writes: bool = False,
    ) -> None:
        """`tracks_writes`: waves note which lanes of their registers are written."""
        self._global_memory = global_memory
        self.tracks_writes = tracks_writes
        self._decoder: Decoder = decoder(processor, wave_size)
        self._careful = KeptAnswers[tuple[int, StepMode], Callable[[Any], None]](MAX_KEPT)
        self._by_mode: dict[StepMode, dict[int, Step]] = {PLAIN_MODE: {}}
        self._kept = 0
        """How many steps these are."""
        self._had_scoped_access = False
        """Whether one of the forgotten steps is an atomic or volatile load or store."""
        self.decoded = global_memory.code
        """Those of its instructions that waves can change."""
        self.decoded.add_keeper(self._forget)

    def _forget(self) -> None:
        self._had_scoped_access = self.has_scoped_access()
        for steps in self._by_mode.values():
            steps.clear()
        self._careful.clear()
        self._kept = 0

    def steps_of(self, mode: StepMode) -> dict[int, Step]:
        """Return the steps of a mode that are kept, by address; the same object each time."""
        steps = self._by_mode.get(mode)
        if steps is None:
            steps = self._by_mode[mode] = {}
        return steps

    def has_scoped_access(self) -> bool:
        """Return whether an atomic or volatile load or store was executed so far."""
        return self._had_scoped_access or any(
            _is_scoped(step.instruction)
            for step in chain.from_iterable(steps.values() for steps in self._by_mode.values())
        )

    def step_at(self, pc: int, mode: StepMode = PLAIN_MODE) -> Step:
        """Return the instruction at an address; `WaveStop` if there is none, or if it is not
        simulated."""
        steps = self.steps_of(mode)
        step = steps.get(pc)
        if step is None:
            code = self._code_at(pc)
            step = _step(self._decoder, pc, code, mode, self.tracks_writes)
            allocation = self._global_memory.at(pc)
            if allocation is not None and allocation.is_writable:
                allocation.keep_decoded(pc, step.instruction.size, self.decoded)
            if self._kept >= MAX_KEPT:
                self._forget()
            self._kept += 1
            steps[pc] = step
        return step

    def _code_at(self, pc: int) -> bytes:
        """Return what an instruction is decoded from; `WaveStop` where no code is."""
        if pc & 3:
            raise WaveStop(StopReason.MEMORY_VIOLATION, f"no code at {pc:#x}: misaligned")
        allocation = self._global_memory.at(pc)
        if allocation is None:
            reason, why = self._global_memory.why_missing(pc, 4)
            raise WaveStop(reason, f"no code at {pc:#x}: {why}", address=pc)
        first = pc - allocation.start
        end = min(first + self._decoder.target.most_bytes, allocation.end - allocation.start)
        marks = allocation.written
        if marks is not None:
            unknown = np.flatnonzero(marks[first:end] != 0xFF)
            end = first + (int(unknown[0]) & ~3 if len(unknown) else end - first)
        code = allocation.data[first:end].tobytes()
        missing = pc + len(code)
        if not code or self._is_cut(code, pc):
            if missing < allocation.end:
                text = f"the code at {missing:#x} is not known"
                raise WaveStop(StopReason.UNAVAILABLE, text, address=missing)
            following = self._global_memory.at(missing)
            if following is not None:
                raise not_simulated(f"the instruction at {pc:#x} continues in {following.name}")
            reason, why = self._global_memory.why_missing(missing, 4)
            text = f"the instruction at {pc:#x} has no code at {missing:#x}: {why}"
            raise WaveStop(reason, text, address=missing)
        return code

    def _is_cut(self, code: bytes, pc: int) -> bool:
        """Return whether an instruction has more bytes than there are."""
        most_bytes = self._decoder.target.most_bytes
        if len(code) == most_bytes or self._decoder.decode(code, 0, pc) is not None:
            return False
        padded = code.ljust(most_bytes, b"\0")
        instruction = self._decoder.decode(padded, 0, pc)
        size = self._decoder.unknown_size(padded) if instruction is None else instruction.size
        return size is not None and size > len(code)

    def instruction_at(self, pc: int) -> Instruction | None:
        """Return the instruction at an address, simulated or not; None where there is none."""
        try:
            return _instruction(self._decoder, pc, self._code_at(pc))
        except WaveStop:
            return None

    def careful(self, step: Step, mode: StepMode) -> Callable[[Any], None]:
        """Return the same instruction for operands that produce a NaN."""
        key = step.instruction.address, mode
        if key not in self._careful:
            lines = _statements(
                step.instruction, self._decoder.target, mode, self.tracks_writes, is_careful=True
            )
            self._careful[key] = Step(step.instruction, lines).execute
        return self._careful[key]


@lru_cache(maxsize=1 << 14)
def _step(decoder: Decoder, pc: int, code: bytes, mode: StepMode, tracks_writes: bool) -> Step:
    """Return an instruction at an address, made once for all machines that execute it."""
    instruction = _instruction(decoder, pc, code)
    return Step(instruction, _statements(instruction, decoder.target, mode, tracks_writes))


def _is_scoped(instruction: Instruction) -> bool:
    name = instruction.mnemonic  # the text takes longer
    return ("load" in name or "store" in name) and _SCOPED.match(instruction.text) is not None


def _instruction(decoder: Decoder, pc: int, code: bytes) -> Instruction:
    """Return the decoded instruction; `WaveStop` where no instruction is."""
    instruction = decoder.decode(code, 0, pc)
    if instruction is None and decoder.target.generation >= 11:
        word = int.from_bytes(code, "little")
        plain = word & ~_ignored(word)
        instruction = decoder.decode(plain.to_bytes(len(code), "little"), 0, pc)
        if instruction is not None:
            instruction.word = word
    if instruction is None:
        word_text = f"{int.from_bytes(code[:4], 'little'):#010x} at {pc:#x}"
        processor = decoder.target.processor
        if decoder.unknown_size(code) is not None:
            raise not_simulated(f"{word_text} is {lacking(processor)}")
        known = f"is not a known instruction of {processor}"
        raise WaveStop(StopReason.ILLEGAL_INSTRUCTION, f"{word_text} {known}")
    if instruction.mnemonic == "v_illegal":
        raise WaveStop(StopReason.ILLEGAL_INSTRUCTION, f"v_illegal at {pc:#x}")
    return instruction


def _statements(
    instruction: Instruction,
    target: IsaTarget,
    mode: StepMode,
    tracks_writes: bool,
    *,
    is_careful: bool = False,
) -> tuple[str, ...]:
    """Return the statements of an instruction at its address; `WaveStop` if it is not simulated,
    or names a register that is not allocated."""
    try:
        if mode.allocated is not None:
            _require_allocated(instruction, mode.allocated)
        return _lines(
            instruction.encoding,
            instruction.address if _is_relative(instruction.encoding) else 0,
            instruction.size,
            instruction.word & (1 << 8 * instruction.size) - 1,
            instruction.literal,
            instruction.extra,
            target,
            is_careful,
            mode,
            tracks_writes,
        )
    except WaveStop as stop:
        text = f"{stop.text} at {instruction.address:#x}: {instruction.text.strip()}"
        raise WaveStop(stop.reason, text) from None


@lru_cache(maxsize=1 << 14)
def _lines(
    encoding: Encoding,
    address: int,
    size: int,
    word: int,
    literal: int,
    extra: bytes,
    target: IsaTarget,
    is_careful: bool,
    mode: StepMode,
    tracks_writes: bool,
) -> tuple[str, ...]:
    """Return the statements of an instruction, made once for all addresses."""
    instruction = Instruction(address, size, encoding, word, literal, extra)
    return tuple(
        statements(
            instruction, target, is_careful=is_careful, mode=mode, tracks_writes=tracks_writes
        )
    )


def _require_allocated(instruction: Instruction, allocated: AllocatedRegisters) -> None:
    """Raise `WaveStop` for an instruction with a register that a wave was not allocated."""
    for use in uses(instruction):
        operands = (operand.value for operand in (*use.results, *use.sources))
        for register in (*operands, *use.addresses):
            if isinstance(register, Register):
                allocated.require(register.bank, register.first, register.size)


@cache
def _is_relative(encoding: Encoding) -> bool:
    """Return whether what an instruction does depends on its address."""
    names = (
        declared.name
        for operation in operations_of(encoding)
        for declared in (*operation.sources, *operation.results)
    )
    return any(name in ("pc", "label") for name in names)


@lru_cache(maxsize=1 << 14)
def _function(source: str) -> Callable[[Any], None]:
    names: dict[str, Any] = {}
    exec(compile(source, "<instructions>", "exec"), NAMESPACE, names)
    function: Callable[[Any], None] = names["execute"]
    return function


def _ignored(word: int) -> int:
    """Return bits of the first 64 that GFX11 and GFX12 ignore, or that choose half of a register;
    in the tables of LLVM 19 they are zeros."""
    if word >> 26 & 0x3F == _VOP3:
        # LLVM since 20 encodes a third source that is none as the constant 0.
        return 0x1FF << 50 if word >> 50 & 0x1FF == _ZERO else 0
    if word >> 26 & 0x3F == _DS:
        return 0xFF << 56
    if not word >> 31 & 1:
        return 1 << 24  # VOP1, VOP2: the high half of a VGPR as destination
    return 0


def why_not_simulated(instruction: Instruction) -> str | None:
    """Return the part of an instruction that is not simulated; None if all of it is."""
    try:
        statements(instruction, instruction.encoding.format.target)
    except WaveStop as stop:
        return stop.text
    return None
