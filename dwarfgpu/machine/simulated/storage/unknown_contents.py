"""Contents missing in a state: an instruction that needs them stops its wave and names them.

Law: an instruction computes only with what is known, in the lanes that execute it. Copies (loads,
stores, moves) of what is unknown are unknown, because compilers save and restore registers whole.
Where lanes read registers of others (DPP, permutes), those of all lanes that execute must be known,
and with `fi` (DPP) those of all lanes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import counted
from dwarfgpu.isa.binding import Operand, Use, effects, uses
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.operands import Constant
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason

if TYPE_CHECKING:
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
    from dwarfgpu.machine.simulated.storage.wave_registers import Lanes

_M0: Final = 124
_FULL: Final = 0xFFFFFFFF
_COPIES_TO: Final = frozenset({"v", "a", "s", "vcc", "m0", "null"})
"""Registers that may be unknown: a copy to any other needs its source."""
_SEARCHED_BYTES: Final = 1 << 14
"""What lies between the lanes of an access is looked at with them, if it is not more."""
_FETCH_INACTIVE: Final = (1, 0xEA)
"""`fi` of dpp_ctrl and of dpp8."""
_MOVES: Final = ("v_mov_b32", "v_accvgpr_")
_SCALAR_COPIES: Final = ("s_mov_b", "v_readlane", "v_readfirstlane", "v_writelane")
"""They copy one number, from and to a scalar register or a lane."""
_CHOICES: Final = ("s_cselect_b", "s_cmov")
"""They copy one of two scalar sources, as SCC says."""
_KEEPS_OTHER_BITS: Final = (
    *("v_writelane", "v_mad_mixlo", "v_mad_mixhi", "v_fma_mixlo", "v_fma_mixhi"),
    *("v_cvt_pk_fp8", "v_cvt_pk_bf8", "v_cvt_sr_fp8", "v_cvt_sr_bf8"),
    *("v_permlane16_b", "v_permlanex16_b", "v_permlane16_var", "v_permlanex16_var"),
)
"""They write a part of the destination, or some of its lanes; the rest stays. Loads do, too."""


Choice: TypeAlias = tuple[Register | None, Register | None]
"""The source that is copied if SCC is 1, and the other; None for constants."""


@frozen(eq=False)
class _Needs:
    """What an instruction must know, and what it only copies."""

    needed: tuple[Register, ...]
    copied: tuple[Register, ...]
    results: tuple[Register, ...]
    is_masked: bool
    reads_inactive: bool
    """Whether it reads vector registers of lanes that do not execute, too."""
    is_load: bool
    is_store: bool
    scalar: Use | None
    """The copy of one number that it is."""
    choice: Choice | None
    """The two sources, if it copies one of them."""


class UnknownContents:
    """Observes all waves of a machine that resumes a state."""

    def __init__(self, machine: RunningMachine) -> None:
        self._global_memory = machine.global_memory
        self._needs: dict[int, _Needs] = {}
        self._copied = 0
        """The lanes for which the instruction copies something unknown."""
        self._stores: list[Access] = []
        self._now: _Needs | None = None
        """The needs of the instruction that executes."""

    def before(self, wave: WaveMemory, step: Step) -> None:
        address = step.instruction.address
        needs = self._needs.get(address)
        if needs is None:
            needs = self._needs[address] = _needs(step)
        self._now = needs
        lanes = wave.exec if needs.is_masked else wave.all_lanes
        read_lanes = wave.all_lanes if needs.reads_inactive else lanes
        for register in needs.needed:
            missing = _missing(wave, register, read_lanes)
            if missing is not None:
                raise _unavailable(f"{step.instruction.mnemonic} needs {missing}")
        self._stores.clear()
        self._copied = 0
        if needs.choice is not None:
            chosen = needs.choice[0 if wave.scc & 1 else 1]
            missing = None if chosen is None else _missing(wave, chosen, lanes)
            if missing is not None:
                if not needs.results:
                    raise _unavailable(f"{step.instruction.mnemonic} needs {missing}")
                self._copied = 1
            return
        if needs.scalar is not None:
            source = needs.scalar.sources[0].value
            lane = _lane(wave, needs.scalar)
            is_known = not isinstance(source, Register) or _missing(wave, source, lane) is None
            self._copied = 0 if is_known else lane
            return
        for register in needs.copied:
            self._copied |= _unknown_lanes(wave, register, lanes)

    def access(self, wave: WaveMemory, access: Access) -> None:
        if access.is_written:
            self._stores.append(access)
        if not access.is_read:
            return
        assert self._now is not None
        if self._is_known(wave, access):
            return
        for index, address in enumerate(access.addresses.tolist()):
            lane = 0 if access.lanes is None else int(access.lanes[index])
            marks = self._marks(wave, access, address, lane)
            if marks is None or marks.all():
                continue
            if not self._now.is_load or access.lanes is None:
                raise _at(access, index)
            self._copied |= 1 << lane

    def after(self, wave: WaveMemory, step: Step) -> None:
        needs = self._needs[step.instruction.address]
        if not self._copied:
            return
        if needs.is_store:
            for access in self._stores:
                for index, address in enumerate(access.addresses.tolist()):
                    lane = 0 if access.lanes is None else int(access.lanes[index])
                    if self._copied >> lane & 1:
                        self._forget(wave, access, address, lane)
            return
        for register in needs.results:
            if register.bank == "s":
                for number in range(register.first, register.first + register.size):
                    wave.s[number] = Undefined(wave.s[number])
                continue
            if register.bank == "m0":
                wave.s[_M0] = Undefined(wave.s[_M0])
                continue
            if register.bank == "vcc":
                wave.vcc = Undefined(wave.vcc, known_bits(wave.vcc) & ~_bits_of_vcc(register))
                continue
            for row in _rows(wave, register):
                wave.written[row] &= ~self._copied

    def _is_known(self, wave: WaveMemory, access: Access) -> bool:
        """Return whether the words of all lanes are known, at once for all of them; False also
        where they are not in one allocation."""
        if not access.addresses.size:
            return True
        first, last = access.addresses, access.addresses + (access.size_bytes - 1)
        if access.space == "private":
            written = wave.scratch_written
            if written is None:
                return True
            if access.lanes is None or int(last.max()) >= 4 * len(written):
                return False
            words = (np.minimum(first + skip, last) for skip in range(0, access.size_bytes + 3, 4))
            return all(bool((written[word >> 2, access.lanes] == _FULL).all()) for word in words)
        start, end = int(first.min()), int(last.max()) + 1
        allocation = wave.lds if access.space == "local" else self._global_memory.at(start)
        if allocation is None or end > allocation.end:
            return False
        if allocation.written is None:
            return True
        marks = allocation.written[start - allocation.start : end - allocation.start]
        return len(marks) <= _SEARCHED_BYTES and bool(marks.all())

    def _marks(self, wave: WaveMemory, access: Access, address: int, lane: int) -> Lanes | None:
        """Return which bytes of an access are known; None where all are."""
        size = access.size_bytes
        if access.space == "private":
            if wave.scratch_written is None:
                return None
            index = np.arange(address, min(address + size, 4 * len(wave.scratch_written)))
            row: Lanes = wave.scratch_written[index >> 2, lane] >> (8 * (index & 3)) & 0xFF
            return row
        allocation = wave.lds if access.space == "local" else self._global_memory.at(address)
        if allocation is None or allocation.written is None:
            return None  # the access itself says what is wrong
        first = address - allocation.start
        return allocation.written[first : first + size]

    def _forget(self, wave: WaveMemory, access: Access, address: int, lane: int) -> None:
        """Make the bytes of an access unknown."""
        size = access.size_bytes
        if access.space == "private":
            if wave.scratch_written is not None:
                for byte in range(address, address + size):
                    kept = ~(0xFF << 8 * (byte & 3)) & _FULL
                    wave.scratch_written[byte >> 2, lane] &= np.uint32(kept)
            return
        allocation = wave.lds if access.space == "local" else self._global_memory.at(address)
        if allocation is None:
            return
        if allocation.written is None:
            allocation.written = np.full(allocation.end - allocation.start, 0xFF, np.uint8)
        first = address - allocation.start
        allocation.written[first : first + size] = 0


def _needs(step: Step) -> _Needs:
    instruction = step.instruction
    instruction_uses = uses(instruction)
    reads, writes = effects(instruction, instruction_uses)
    use = instruction_uses[0]
    is_atomic = any(declared in use.operation.sources for declared in use.operation.results)
    sources = {operand.declared for operand in use.sources}
    results = {operand.declared for operand in use.results}
    memory = use.operation.memory
    is_load = (
        len(instruction_uses) == 1
        and not is_atomic
        and any(declared in sources for declared in memory)
    )
    is_store = (
        len(instruction_uses) == 1
        and not is_atomic
        and any(declared in results for declared in memory)
    )
    is_scalar = len(instruction_uses) == 1 and instruction.mnemonic.startswith(_SCALAR_COPIES)
    form = instruction.encoding.format
    is_dpp = "dpp_ctrl" in form.index or "dpp8" in form.index
    fetches = is_dpp and dict(_fields(instruction)).get("fi") in _FETCH_INACTIVE
    is_move = len(instruction_uses) == 1 and instruction.mnemonic.startswith(_MOVES) and not is_dpp
    copied: tuple[Register, ...] = ()
    if is_store or is_move:
        copied = tuple(
            operand.value
            for operand in use.sources
            if isinstance(operand.value, Register) and operand.value.bank in ("v", "a")
        )
    if is_scalar and isinstance(first_source := use.sources[0].value, Register):
        copied = (
            (first_source,)
            if all(first_source != source.value for source in use.sources[1:])
            else ()
        )
    is_copied = all(register.bank in _COPIES_TO for register in writes)
    if not is_copied:
        copied, is_scalar = (), False
    choice = _choice(use) if instruction.mnemonic.startswith(_CHOICES) else None
    old = {operand.value for operand in use.sources if _keeps_rest(use, operand, is_load=is_load)}
    old |= set(choice or ())
    needed = tuple(
        register
        for register in reads
        if not (register.bank == "m0" and instruction.mnemonic == "s_sendmsg")
        and (register not in copied or register in use.addresses)
        and register not in old
    )
    return _Needs(
        needed,
        copied,
        tuple(register for register in writes if register.bank in _COPIES_TO),
        any(part.operation.is_masked for part in instruction_uses),
        fetches,
        is_load,
        is_store,
        use if is_scalar else None,
        choice,
    )


def _fields(instruction: Instruction) -> Iterable[tuple[str, int]]:
    form = instruction.encoding.format
    return zip(form.names, form.values(instruction.word, instruction.extra), strict=True)


def _choice(use: Use) -> Choice:
    """Return the source that is copied if SCC is 1, and the other."""
    first, second = (operand.value for operand in use.sources if operand.declared.name != "scc")
    return _register(first), _register(second)


def _register(value: Register | Constant | int | None) -> Register | None:
    return value if isinstance(value, Register) else None


def _keeps_rest(use: Use, operand: Operand, *, is_load: bool) -> bool:
    """Return whether a source is the destination, and only the bits and lanes of it count that the
    instruction does not write."""
    if operand.declared.name != "d":
        return False
    is_computed_with = operand.declared in use.operation.sources  # unlike SDWA's dst_unused
    return is_load or not is_computed_with or use.operation.name.startswith(_KEEPS_OTHER_BITS)


def _bits_of_vcc(register: Register) -> int:
    """Return the bits of VCC that a register is, by halves."""
    if register.bank != "vcc":
        return 0
    return (1 << 32 * register.size) - 1 << 32 * register.first


def _lane(wave: WaveMemory, use: Use) -> int:
    """Return the mask of the lane that is read or written; of a scalar move it does not matter."""
    if len(use.sources) < 2:
        return wave.exec & -wave.exec or 1
    chosen = use.sources[1].value
    number = 0
    if isinstance(chosen, Constant):
        number = chosen.value
    elif isinstance(chosen, Register) and chosen.bank == "s":
        number = wave.s[chosen.first]
    return 1 << (number & wave.lane_count - 1)


def _rows(wave: WaveMemory, register: Register) -> range:
    """Return the rows of a vector register in `written`."""
    first = register.first + (wave.vgprs if register.bank == "a" else 0)
    return range(first, min(first + register.size, len(wave.written)))


def _unknown_lanes(wave: WaveMemory, register: Register, lanes: int) -> int:
    out = 0
    for row in _rows(wave, register):
        out |= lanes & ~wave.written[row]
    return out


def _missing(wave: WaveMemory, register: Register, lanes: int) -> str | None:
    """Describe the unknown part of a register; None if all of it is known."""
    bank = register.bank
    if bank in ("v", "a"):
        for row in _rows(wave, register):
            lacking = lanes & ~wave.written[row]
            if lacking:
                number = row - (wave.vgprs if bank == "a" else 0)
                return f"{bank}{number} of lane {(lacking & -lacking).bit_length() - 1}"
        return None
    if bank == "s":
        numbers = range(register.first, register.first + register.size)
        missing = (n for n in numbers if known_bits(wave.s[n]) & _FULL != _FULL)
        return next((f"s{number}" for number in missing), None)
    if bank == "vcc":
        missing = (
            n
            for n in range(register.first, register.first + register.size)
            if known_bits(wave.vcc) >> 32 * n & _FULL != _FULL
        )
        return next((Register("vcc", number, 1).name for number in missing), None)
    if bank == "scc" and not known_bits(wave.scc) & 1:
        return "scc"
    if bank == "m0" and known_bits(wave.s[_M0]) & _FULL != _FULL:
        return "m0"
    return None


def _unavailable(text: str, lanes: tuple[int, ...] = ()) -> WaveStop:
    return WaveStop(StopReason.UNAVAILABLE, f"{text}, which is not known", lanes=lanes)


def _at(access: Access, index: int) -> WaveStop:
    address = int(access.addresses[index])
    spaces = {"local": "local#", "private": "private_lane#"}
    address_text = f"{spaces.get(access.space, '')}{address:#x}"
    lanes = () if access.lanes is None else (int(access.lanes[index]),)
    who = f"lane {lanes[0]}" if lanes else "the wave"
    return _unavailable(
        f"{who} needs {counted(access.size_bytes, 'byte')} at {address_text}", lanes
    )


def is_all_known(machine: RunningMachine) -> bool:
    """Return whether nothing of a machine is undefined: then it need not be observed."""
    return all(
        allocation.written is None or bool(allocation.written.all())
        for allocation in machine.global_memory.allocations
    ) and all(_is_wave_known(wave) for wave in machine.waves)


def _is_wave_known(wave: WaveMemory) -> bool:
    numbers = (*wave.s, wave.vcc, wave.scc)
    return (
        not any(isinstance(number, Undefined) for number in numbers)
        and all(mask == wave.all_lanes for mask in wave.written)
        and (wave.lds.written is None or bool(wave.lds.written.all()))
    )
