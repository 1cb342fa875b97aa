"""Contents missing in a state: an instruction that needs them stops its wave and names them.

Law: an instruction computes only with what is known, in the lanes that execute it. Copies (loads,
stores, moves, selections, moves between lanes) of what is unknown are unknown, because compilers
save and restore registers whole; so is what is made of bits one by one, as compilers merge masks of
lanes, and join bytes that are never read. Of what an instruction computes otherwise, the
bits are known that are the same whatever the unknown bits of its sources are; where none is, the
wave stops. What memory is accessed, which lanes execute and what is executed next must be known.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import counted
from dwarfgpu.isa.binding import Use, effects, uses
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.operation import Operation, type_bits
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
from dwarfgpu.machine.simulated.semantics.instruction_operands import Bound, bound
from dwarfgpu.machine.simulated.semantics.rounding import EXCEPTIONS_AT
from dwarfgpu.machine.simulated.semantics.vector_bytes import HIGH, LOW, WHOLE, bytes_computed
from dwarfgpu.machine.simulated.storage.scalar_slots import M0, PAIRS, TTMP
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory
from dwarfgpu.machine.simulated.storage.wave_registers import lanes_of, mask_of
from dwarfgpu.machine.simulated.unknown.known_memory import forget, is_known, known_bytes
from dwarfgpu.machine.simulated.unknown.partly_known import Undecided, parts_of
from dwarfgpu.machine.simulated.unknown.partly_known_lanes import known
from dwarfgpu.machine.simulated.unknown.partly_known_statements import compiled
from dwarfgpu.machine.simulated.unknown.partly_known_wave import (
    Assumed,
    Key,
    PartlyKnownWave,
    is_wholly_unknown,
)
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason

if TYPE_CHECKING:
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine

_FULL: Final = 0xFFFFFFFF
_WHOLE: Final = (1 << 64) - 1
_FIRST_NUMBERS: Final = {"s": 0, "ttmp": TTMP, "m0": M0, **PAIRS}
"""Where the registers of banks are in `WaveMemory.s`."""
_COPIES: Final = frozenset(
    {"a", "m", "d", "a if scc else b", "a if scc else d", "where(c, b, a)", "pair_of(a[0], b[0])"}
)
"""Expressions of declarations that give bits of sources as they are."""
_OF_BITS: Final = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.Constant, ast.Call),
    *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert, ast.LShift, ast.RShift),
)
"""What is in an expression whose bits are bits of sources, or made of one of each."""
_CALLS_OF_BITS: Final = frozenset(
    {"byte_permute", "chosen_bits", "halves", "reverse", "i16", "i32", "i64", "u32", "u64"}
)
_OF_ANOTHER: Final = pattern(r"r[0-9]?\b")
"""How the expression of a result begins that is made of another one, such as SCC."""
_BYTES: Final = {WHOLE: "{}", LOW: "{}.l", HIGH: "{}.h"}


class _Reads(NamedTuple):
    """What of a wave an instruction may read, and how its results are judged."""

    rows: tuple[int, ...]
    """Vector registers: the indices in `RunningWave.written`, those of AGPRs below 0."""
    numbers: tuple[int, ...]
    """The indices in `RunningWave.s`."""
    vcc: int
    """The bits of VCC."""
    is_scc: bool
    is_masked: bool
    """Whether vector registers are read in lanes alone that execute."""
    is_moved: bool
    """Whether M0 says which registers these are; those of others it does where MODE says so."""
    is_vector: bool
    needs_all: bool
    """Whether it is not executed on what is known in part."""
    is_copy: bool
    computed: tuple[int, ...]
    """The bits of the dwords of a vector result that are computed, 0 for a copy: of each operation
    of an instruction."""


class UnknownContents:
    """Observes all waves of a machine that resumes a state."""

    def __init__(self, machine: RunningMachine) -> None:
        self._reads: dict[Step, _Reads] = {}
        self._step: Step | None = None
        self._executed: PartlyKnownWave | None = None
        """The wave that has executed the instruction on what is known; None where all is."""
        self._stores: list[Access] = []

    def before(self, wave: WaveMemory, step: Step) -> None:
        self._step, self._executed = step, None
        self._stores.clear()
        reads = self._reads.get(step)
        if reads is None:
            reads = self._reads[step] = _reads_of(step.instruction)
        if _is_known(wave, reads):
            return
        if reads.needs_all or _raises_exceptions(wave):
            missing = _first_missing(wave, reads, step.instruction)
            if missing is not None:
                raise _unavailable(f"{step.instruction.mnemonic} needs {missing}")
            return
        self._execute(wave, step)

    def _execute(self, wave: WaveMemory, step: Step) -> None:
        """Execute an instruction on what is known; `WaveStop` if it needs more."""
        reads = self._reads[step]
        executed = PartlyKnownWave(wave)
        if _blank_lanes(executed, step, reads) is None:
            self._executed = executed
            return
        missing = _Search(wave, step, reads, executed).missing()
        raise _unavailable(f"{step.instruction.mnemonic} needs {missing}")

    def access(self, wave: WaveMemory, access: Access) -> None:
        assert self._step is not None
        if access.is_written:
            self._stores.append(access)
        if not access.is_read or is_known(wave, access):
            return
        if access.is_written:
            raise _at(wave, access)
        if self._executed is None:
            self._execute(wave, self._step)

    def after(self, wave: WaveMemory, step: Step) -> None:
        executed = self._executed
        if executed is None:
            return
        for row, on, unknown in executed.rows:
            before = wave.known_bits(row)
            wave.set_known_bits(row, ~unknown if on is None else np.where(on, ~unknown, before))
        for (bank, number), result in executed.numbers.items():
            _, unknown_bits = parts_of(result)
            if bank == "vcc":
                lacking = unknown_bits & _WHOLE
                wave.vcc = Undefined(wave.vcc, _WHOLE & ~lacking) if lacking else int(wave.vcc)
            elif bank == "scc":
                wave.scc = Undefined(wave.scc & 1) if unknown_bits & 1 else wave.scc
            elif lacking := unknown_bits & _FULL:
                wave.s[number] = Undefined(wave.s[number], _FULL & ~lacking)
        stored = executed.stored
        if stored is not None and stored.any():
            self._forget(wave, stored)

    def _forget(self, wave: WaveMemory, unknown: Any) -> None:
        """Make the bits of memory unknown that unknown bits were stored to."""
        total, first = unknown.shape[1], np.zeros(len(unknown), int)
        in_parts = sum(access.size_bytes for access in self._stores) == total
        for number, access in enumerate(self._stores):
            lanes = np.zeros(1, int) if access.lanes is None else access.lanes
            if in_parts and len(self._stores) > 1:
                first[:] = number * access.size_bytes
            columns = first[lanes, None] + np.arange(access.size_bytes)
            forget(wave, access, unknown[lanes[:, None], columns])
            first[lanes] += access.size_bytes


def _blank_lanes(executed: PartlyKnownWave, step: Step, reads: _Reads) -> int | None:
    """Execute an instruction, and return the lanes for which it needs more than is known; None if
    it does not."""
    try:
        with np.errstate(all="ignore"):
            compiled(step.lines)(executed)
        known(executed.pc)
    except Undecided:
        return int(executed.wave.exec if reads.is_masked else executed.wave.all_lanes)
    if reads.is_copy:
        return None
    if executed.rows:
        return _without_result(executed, reads) or None
    if reads.is_masked:  # masks of lanes, which are results for each lane
        unknown = 0
        for number, dword in enumerate(executed.numbers.values()):
            unknown |= parts_of(dword)[1] << 32 * number
        return unknown & executed.wave.exec or None
    numbers = {key: number for key, number in executed.numbers.items() if key[0] != "scc"}
    results = numbers or executed.numbers
    is_unknown = bool(results) and all(
        is_wholly_unknown(number, {"scc": 1, "vcc": _WHOLE}.get(key[0], _FULL))
        for key, number in results.items()
    )
    return -1 if is_unknown else None


def _without_result(executed: PartlyKnownWave, reads: _Reads) -> int:
    """Return the lanes that write no known bit of what is computed."""
    out = 0
    every = executed.wave.all_lanes
    blank = [every if bits else 0 for bits in reads.computed]
    for number, (_, on, unknown) in enumerate(executed.rows):
        bits = np.uint32(reads.computed[min(number, len(blank) - 1)])
        lanes = mask_of(unknown & bits == bits) & (every if on is None else mask_of(on))
        blank[min(number, len(blank) - 1)] &= lanes
    for lanes in blank:
        out |= lanes
    return out


class _Search:
    """The search for the first source that an instruction lacks: with it alone unknown, it needs
    more than is known, whatever the other unknown bits are."""

    def __init__(
        self, wave: WaveMemory, step: Step, reads: _Reads, executed: PartlyKnownWave
    ) -> None:
        self._wave, self._step, self._reads = wave, step, reads
        self._unknown = executed.read

    def missing(self) -> str:
        """Describe the source."""
        for key, unknown in self._unknown.items():
            lanes = self._needing({key: unknown})
            if lanes is not None:
                return self._described(key, unknown, lanes)
        for key, unknown in self._unknown.items():
            return self._described(key, unknown, -1)
        return "memory"

    def _needing(self, assumed: Assumed) -> int | None:
        """Return the lanes for which the instruction needs more, with these unknown bits and no
        others; None if it does not."""
        for fill in (0, -1):
            executed = PartlyKnownWave(self._wave, assumed, fill)
            try:
                lanes = _blank_lanes(executed, self._step, self._reads)
            except WaveStop:
                continue
            if lanes is not None:
                return lanes
        return None

    def _described(self, key: Key, unknown: Any, lanes: int) -> str:
        """Describe a register that some lanes need, with the unknown bits of it."""
        bank, number = key
        if bank == "vcc":
            dwords = [unknown & _FULL << 32 * n for n in range(2)]
            is_high = not dwords[0] or dwords[1] and self._needing({key: dwords[0]}) is None
            return Register("vcc", int(bool(is_high)), 1).name
        if bank != "v":
            return _name(bank, number)
        wave = self._wave
        name = f"v{number}" if number < wave.vgprs else f"a{number - wave.vgprs}"
        numbers = np.flatnonzero(unknown).tolist()
        numbers.sort(key=lambda lane: ~lanes >> lane & 1)
        of_lanes = [np.where(wave.lane == lane, unknown, np.uint32(0)) for lane in numbers]
        needed = (n for n, one in enumerate(of_lanes) if self._needing({key: one}) is not None)
        first = next(needed, 0)  # another lane is read first by a move between lanes
        return f"{self._bytes(key, name, of_lanes[first])} of lane {numbers[first]}"

    def _bytes(self, key: Key, name: str, unknown: Any) -> str:
        """Describe the bytes that are needed of those that are unknown in a lane."""
        bits = int(unknown.max())
        lacking = [byte for byte in range(4) if bits >> 8 * byte & 0xFF]
        if len(lacking) < 4:
            needed = [
                byte
                for byte in lacking
                if self._needing({key: unknown & np.uint32(0xFF << 8 * byte)}) is not None
            ]
            lacking = needed or lacking
        text = _BYTES.get(sum(1 << byte for byte in lacking))
        if text is not None:
            return text.format(name)
        noun = "bytes" if len(lacking) > 1 else "byte"
        return f"{noun} {', '.join(map(str, lacking))} of {name}"


def _name(bank: str, number: int) -> str:
    """Return the name of a dword of a scalar register."""
    if bank == "scc":
        return "scc"
    for name, first in sorted(_FIRST_NUMBERS.items(), key=lambda item: -item[1]):
        if number >= first:
            return Register(name, number - first, 1).name
    raise AssertionError


def _reads_of(instruction: Instruction) -> _Reads:
    """Return what an instruction may read."""
    instruction_uses, items = uses(instruction), bound(instruction)
    rows: list[int] = []
    numbers: list[int] = []
    vcc = 0
    is_scc = False
    for bank, first, size, _ in _registers_read(instruction):
        dwords = range(first, first + size)
        if bank == "v":
            rows += dwords
        elif bank == "a":
            rows += (~number for number in dwords)
        elif bank == "vcc":
            vcc |= sum(_FULL << 32 * number for number in dwords)
        elif bank == "scc":
            is_scc = True
        elif bank in _FIRST_NUMBERS:
            numbers += (_FIRST_NUMBERS[bank] + number for number in dwords)
    operations = [use.operation for use in instruction_uses]
    has_dpp = any(item.has_dpp for item in items)
    return _Reads(
        tuple(rows),
        tuple(numbers),
        vcc,
        is_scc,
        all(one.is_masked and "lanes" not in one.flags for one in operations) and not has_dpp,
        "_movrel" in instruction.mnemonic,
        instruction.mnemonic.startswith("v_"),
        any(_needs_all(operation) for operation in operations),
        all(_is_copy(use) for use in instruction_uses),
        tuple(
            0 if _is_copy(use) else _computed_bits(item)
            for use, item in zip(instruction_uses, items, strict=True)
        ),
    )


def _registers_read(instruction: Instruction) -> list[Register]:
    """Return the registers that an instruction may read. FLAT_SCRATCH is none of them where it is
    no operand: where the private memory of lanes is, the apertures say."""
    reads = effects(instruction, uses(instruction)).reads
    operands = (operand.value for use in uses(instruction) for operand in use.sources)
    if any(isinstance(one, Register) and one.bank == "flat_scratch" for one in operands):
        return [*reads]
    return [register for register in reads if register.bank != "flat_scratch"]


def _computed_bits(item: Bound) -> int:
    """Return the bits of a dword that an operation computes, of a vector result."""
    selected = bytes_computed(item, item.instruction.encoding.format.target)
    return sum(0xFF << 8 * byte for byte in range(4) if selected >> byte & 1)


def _needs_all(operation: Operation) -> bool:
    """Return whether an operation is not executed on what is known in part: updates of memory, and
    products of matrices."""
    declared_operands = (*operation.sources, *operation.results)
    return operation.is_atomic or any(one.type.startswith("[") for one in declared_operands)


def _is_copy(use: Use) -> bool:
    """Return whether the results are sources as they are, or those of other lanes, or made of their
    bits one by one."""
    operation = use.operation
    if operation.memory or "lanes" in operation.flags or not operation.expression:
        return True
    if operation.results[0].type and _is_of_bits(operation.expression):
        return True
    types = {
        one.type
        for one in (*operation.sources, *operation.results)
        if one.type and one.type != "mask"
    }
    is_same = len({type_bits(type, 64) for type in types}) == 1
    return is_same and all(part in _COPIES for part in operation.expression.split(" ; "))


@cache
def _is_of_bits(expression: str) -> bool:
    """Return whether a declared expression makes its results of bits of its sources one by one."""
    text = expression.replace("width - 1", "width")
    parts = [part for part in text.split(" ; ") if not _OF_ANOTHER.match(part)]
    nodes = [node for part in parts for node in ast.walk(ast.parse(part, mode="eval"))]
    return all(isinstance(node, _OF_BITS) for node in nodes) and all(
        isinstance(node.func, ast.Name) and node.func.id in _CALLS_OF_BITS
        for node in nodes
        if isinstance(node, ast.Call)
    )


def _raises_exceptions(wave: Any) -> bool:
    """Return whether MODE enables exceptions of floating point operations."""
    return bool(wave.step_mode.rounding >> EXCEPTIONS_AT)


def _is_known(wave: WaveMemory, reads: _Reads) -> bool:
    """Return whether all that an instruction may read is known."""
    if reads.is_moved or reads.is_vector and wave.indexed:
        return False
    lanes = wave.exec if reads.is_masked else wave.all_lanes
    written, s = wave.written, wave.s
    for row in reads.rows:
        if lanes & ~written[row if row >= 0 else wave.vgprs + ~row]:
            return False
    for number in reads.numbers:
        if isinstance(s[number], Undefined):
            return False
    if reads.vcc & ~known_bits(wave.vcc):
        return False
    return not (reads.is_scc and isinstance(wave.scc, Undefined))


def _first_missing(wave: WaveMemory, reads: _Reads, instruction: Instruction) -> str | None:
    """Describe the first register that is not known, of all that an instruction may read."""
    part = PartlyKnownWave(wave)
    lanes = lanes_of(wave.exec if reads.is_masked else wave.all_lanes, wave.lane_count)
    for register in _registers_read(instruction):
        for dword in register.parts():
            bank, first, _, _ = dword
            unknown: Any = 0
            if bank in ("v", "a"):
                row: Any = (part.v if bank == "v" else part.av)[first]
                unknown = np.where(lanes, row.unknown, 0)
                if unknown.any():
                    return f"{dword.name} of lane {int(np.flatnonzero(unknown)[0])}"
            elif bank in _FIRST_NUMBERS:
                unknown = parts_of(part.s[_FIRST_NUMBERS[bank] + first])[1]
            elif bank in ("vcc", "scc"):
                unknown = parts_of(getattr(part, bank))[1] >> 32 * first & _FULL
            if np.any(unknown):
                return dword.name
    return None


def _unavailable(text: str, lanes: tuple[int, ...] = ()) -> WaveStop:
    return WaveStop(StopReason.UNAVAILABLE, f"{text}, which is not known", lanes=lanes)


def _at(wave: WaveMemory, access: Access) -> WaveStop:
    """Return the stop of an access to what is not known, of the first lane with such."""
    index = int(np.argmax((known_bytes(wave, access) != 0xFF).any(1)))
    address, size = int(access.addresses[index]), access.size_bytes
    lanes = () if access.lanes is None else (int(access.lanes[index]),)
    who = f"lane {lanes[0]}" if lanes else "the wave"
    space = {"local": "local#", "private": "private_lane#"}.get(access.space, "")
    return _unavailable(f"{who} needs {counted(size, 'byte')} at {space}{address:#x}", lanes)


def is_all_known(machine: RunningMachine) -> bool:
    """Return whether nothing of a machine is undefined: then it need not be observed."""
    return all(
        allocation.written is None or bool((allocation.written == 0xFF).all())
        for allocation in machine.global_memory.allocations
    ) and all(_is_wave_known(wave) for wave in machine.waves)


def _is_wave_known(wave: WaveMemory) -> bool:
    numbers = (*wave.s, wave.vcc, wave.scc)
    return (
        not any(isinstance(number, Undefined) for number in numbers)
        and all(mask == wave.all_lanes for mask in wave.written)
        and (wave.lds.written is None or bool((wave.lds.written == 0xFF).all()))
    )
