"""Contents missing in a state: an instruction that needs them stops its wave and names them.

Law: an instruction computes only with what is known, in the lanes that execute it. Copies (loads,
stores, moves) of what is unknown are unknown, because compilers save and restore registers whole.
Where lanes read registers of others (DPP), those of all lanes that execute must be known, and with
`fi` those of all lanes; of `v_permlane`, those of the lanes that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final, TypeGuard

import numpy as np

from dwarfgpu.errors import counted
from dwarfgpu.isa.operands import Constant
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.byte_influences import (
    are_same_bytes,
    influences,
    number_bits,
)
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
from dwarfgpu.machine.simulated.semantics.scalar_bits import Number, ScalarBits
from dwarfgpu.machine.simulated.semantics.vector_bytes import (
    COUNTS,
    HIGH,
    LOW,
    WHOLE,
    Dword,
    of_bits,
)
from dwarfgpu.machine.simulated.storage.instruction_needs import (
    Indexing,
    Influenced,
    Needs,
    Selection,
    Value,
    indexing_of,
    needs_of,
)
from dwarfgpu.machine.simulated.storage.scalar_slots import M0, PAIRS, TTMP
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason

if TYPE_CHECKING:
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
    from dwarfgpu.machine.simulated.storage.wave_registers import Lanes

_FIRST_NUMBERS: Final = {"s": 0, "ttmp": TTMP, "m0": M0, **PAIRS}
"""Where the registers of banks are in `WaveMemory.s`."""
_FULL: Final = 0xFFFFFFFF
_COPIES_TO: Final = frozenset({"v", "a", "s", "vcc", "m0", "null"})
"""Registers that may be unknown: a copy to any other needs its source."""
_SEARCHED_BYTES: Final = 1 << 14
"""What lies between the lanes of an access is looked at with them, if it is not more."""


class UnknownContents:
    """Observes all waves of a machine that resumes a state."""

    def __init__(self, machine: RunningMachine) -> None:
        self._global_memory = machine.global_memory
        self._needs: dict[tuple[int, Indexing], Needs] = {}
        self._unknown: dict[int, int] = {}
        """The lanes for which the instruction copies an unknown byte, by the offset of the byte in
        what it copies."""
        self._blanks: list[tuple[Register, int, int]] = []
        """Registers whose result is not known: the bytes of a dword of a vector, 0 for a mask of
        lanes, and in which lanes."""
        self._known_bits: int | None = None
        """The known bits of the one number that the instruction copies or computes; None for
        all."""
        self._is_scc_unknown = False
        """Whether it sets SCC by bits that are not known."""
        self._loads = 0
        self._stores: list[Access] = []
        self._now: Needs | None = None
        """The needs of the instruction that executes."""

    def before(self, wave: WaveMemory, step: Step) -> None:
        instruction = step.instruction
        indexing = indexing_of(instruction, wave.indexed, wave.s[M0])
        if indexing.bits & ~known_bits(wave.s[M0]):
            raise _unavailable(f"{instruction.mnemonic} needs m0")
        key = instruction.address, indexing
        needs = self._needs.get(key)
        if needs is None:
            needs = self._needs[key] = needs_of(instruction, indexing)
        self._now = needs
        self._stores.clear()
        self._unknown.clear()
        self._blanks.clear()
        self._known_bits, self._is_scc_unknown, self._loads = None, False, 0
        missing = self._looked_at(wave, needs)
        if missing is not None:
            raise _unavailable(f"{step.instruction.mnemonic} needs {missing}")

    def _looked_at(self, wave: WaveMemory, needs: Needs) -> str | None:
        """Describe what an instruction needs that is unknown; else see what it copies."""
        lanes = wave.exec if needs.is_masked else wave.all_lanes
        is_permuted = needs.permuted is not None
        read_lanes = wave.all_lanes if needs.reads_inactive and not is_permuted else lanes
        read = needs.read
        for register in needs.needed:
            missing = _missing(wave, register, read_lanes, read)
            if missing is not None:
                return missing
        for mask in needs.masks:
            missing = _missing_bits(wave, mask, lanes)
            if missing is not None:
                return missing
        if isinstance(needs.lane, Register):
            missing = _missing_bits(wave, needs.lane, wave.lane_count - 1)
            if missing is not None:
                return missing
        if needs.permuted is not None:
            return _missing(wave, needs.permuted, _permuted_lanes(wave, needs, lanes), read)
        if needs.choice is not None:
            chosen = needs.choice[0 if wave.scc & 1 else 1]
            if chosen is None:
                return None
            if not needs.results:
                return _missing(wave, chosen, lanes, read)
            self._known_bits = _number_bits(wave, chosen, lanes)
            return None
        if needs.scalar is not None:
            source = needs.scalar.sources[0].value
            if isinstance(source, Register):
                self._known_bits = _number_bits(wave, source, _lane(wave, needs))
            return None
        if needs.kept_of_m0:
            known = known_bits(wave.s[M0]) | _FULL & ~needs.kept_of_m0
            self._known_bits = None if known == _FULL else known
            return None
        if needs.scalar_bits is not None:
            return self._compute(wave, needs, needs.scalar_bits)
        for part in needs.influenced:
            missing = self._influence(wave, part, lanes)
            if missing is not None:
                return missing
        for selection in needs.selections:
            missing = _missing_selected(wave, selection, lanes, read_lanes, read)
            if missing is not None:
                return missing
        for number, register in enumerate(_parts(needs.copied)):
            self._add_unknown(wave, number, register, lanes, read.get(register[:2], WHOLE))
        return None

    def _add_unknown(
        self, wave: WaveMemory, number: int, register: Register, lanes: int, read: int
    ) -> None:
        """Note the unknown bytes of a dword that is copied to the dword of that number."""
        for byte, known in enumerate(_known_lanes(wave, register, lanes)):
            if read >> byte & 1 and lanes & ~known:
                offset = 4 * number + byte
                self._unknown[offset] = self._unknown.get(offset, 0) | lanes & ~known

    def _influence(self, wave: WaveMemory, part: Influenced, lanes: int) -> str | None:
        """See which bytes of the result of an operation are known. Describe the first source that
        is unknown where no byte would be."""
        reading = [lanes] * len(part.values)
        if part.selection is not None:
            reading = _selecting_lanes(wave, part.selection, lanes)
        sources = [*zip(part.values, reading, strict=True)]
        if not any(_lacking(wave, value, -1, where) for value, where in sources):
            return None
        counts = COUNTS.get(part.name, {})
        numbers = [_number_of_part(wave, part, number) for number, _ in enumerate(part.values)]
        of_parts = influences(part.name, numbers, part.modifiers)
        assert of_parts is not None
        rows = [
            tuple(source.bits(bits) for source, bits in zip(part.parts, row, strict=True))
            for row in of_parts
        ]

        def unknown_of(row: Iterable[int]) -> int:
            return reduce(
                or_,
                (
                    _lacking(wave, value, bits, where)
                    for (value, where), bits in zip(sources, row, strict=True)
                ),
            )

        blank = 0 if part.is_copy else lanes
        for row in part.placed.part(rows):
            byte_lanes = unknown_of(row)
            is_constant = not any(bits for n, bits in enumerate(row) if n not in counts)
            if not is_constant or are_same_bytes(part.name):
                blank &= byte_lanes
        for number, (value, where) in enumerate(sources if blank else ()):
            bits = reduce(or_, (row[number] for row in part.placed.part(rows)))
            if blank & _lacking(wave, value, bits, where):
                assert isinstance(value, Register)
                return _missing_of(wave, value, bits, blank & where)
        dwords = part.result.parts()
        for number, row in enumerate(part.placed.placed(rows)):
            if byte_lanes := unknown_of(row):
                self._blanks.append((dwords[number >> 2], 1 << (number & 3), byte_lanes))
        any_unknown = reduce(or_, map(unknown_of, rows)) if part.masks else 0
        if any_unknown:
            self._blanks += ((mask, 0, any_unknown) for mask in part.masks)
        return None

    def _compute(self, wave: WaveMemory, needs: Needs, operation: ScalarBits) -> str | None:
        """See which bits of the result of a scalar operation are known. Describe the first source
        that must be known, or that is unknown where no bit of the result is known."""
        sources = [_number(wave, value) for value in needs.values]
        lacking = [n for n, source in enumerate(sources) if operation.read(n) & ~source.known]
        if not lacking:
            return None
        known, is_scc_known = 0, False
        if operation.number in lacking:
            lacking = [operation.number]
        else:
            known, is_scc_known = operation.result(sources)
        registers = [value for n in lacking if isinstance(value := needs.values[n], Register)]
        whole = 0
        for register in needs.whole:
            whole |= wave.all_lanes >> 32 * register.first if register.bank == "exec" else -1
        missing = operation.mask & whole & ~known
        for register in registers if missing else ():
            text = _missing_bits(wave, register, missing & (1 << 32 * register.size) - 1)
            if text is not None:
                return text
        if missing or not known:
            return _missing(wave, registers[0], 0, {})
        if known != operation.mask and not operation.is_for_exec:
            self._known_bits = known
        self._is_scc_unknown = operation.sets_scc and not is_scc_known
        return None

    def access(self, wave: WaveMemory, access: Access) -> None:
        needs = self._now
        assert needs is not None
        if access.is_written:
            self._stores.append(access)
        if not access.is_read:
            return
        first = needs.first_byte + self._loads * access.size_bytes
        self._loads += needs.is_pair
        if self._is_known(wave, access):
            return
        for index, address in enumerate(access.addresses.tolist()):
            lane = 0 if access.lanes is None else int(access.lanes[index])
            marks = self._marks(wave, access, address, lane)
            if marks is None or marks.all():
                continue
            if not needs.is_load or access.lanes is None and not _is_of_dwords(needs, access):
                raise _at(access, index)
            for offset in np.flatnonzero(marks == 0).tolist():
                self._unknown[first + offset] = self._unknown.get(first + offset, 0) | 1 << lane

    def after(self, wave: WaveMemory, step: Step) -> None:
        needs = self._now
        assert needs is not None
        if self._is_scc_unknown:
            wave.scc = Undefined(wave.scc & 1)
        for register, selected, lanes in self._blanks:
            if selected:
                wave.forget_bytes(_rows(wave, register)[0], selected, lanes)
            else:
                _set_known_bits(wave, needs, register, ~lanes)
        if self._known_bits is not None:
            for register in needs.results:
                _set_known_bits(wave, needs, register, self._known_bits)
        if not self._unknown:
            return
        if needs.is_store:
            self._forget_stored(wave, needs)
            return
        for register in needs.results:
            if not _is_vector(register):  # a scalar load has one result
                count = 4 * register.size
                known = sum(0xFF << 8 * n for n in range(count) if n not in self._unknown)
                _set_known_bits(wave, needs, register, known)
        for number, register in enumerate(_dwords(needs.results)):
            row = _rows(wave, register)[0]
            written = needs.written.get(register[:2], WHOLE)
            for byte in range(4):
                lanes = self._unknown_at(needs, 4 * number + byte)
                if lanes and written >> byte & 1:
                    wave.forget_bytes(row, 1 << byte, lanes)

    def _unknown_at(self, needs: Needs, offset: int) -> int:
        """Return the lanes for which a byte of what is copied is unknown."""
        if needs.is_aligned:
            return self._unknown.get(offset, 0)
        return reduce(or_, self._unknown.values())

    def _forget_stored(self, wave: WaveMemory, needs: Needs) -> None:
        """Make the bytes of memory unknown that unknown bytes were stored to."""
        for number, access in enumerate(self._stores):
            size = access.size_bytes
            first = needs.first_byte + (number * size if needs.is_pair else 0)
            for index, address in enumerate(access.addresses.tolist()):
                lane = 0 if access.lanes is None else int(access.lanes[index])
                unknown = [
                    offset
                    for offset in range(size)
                    if self._unknown_at(needs, first + offset) >> lane & 1
                ]
                if len(unknown) == size:
                    self._forget(wave, access, address, size, lane)
                    continue
                for offset in unknown:
                    self._forget(wave, access, address + offset, 1, lane)

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

    def _forget(self, wave: WaveMemory, access: Access, address: int, size: int, lane: int) -> None:
        """Make bytes of an access unknown."""
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


def _lane(wave: WaveMemory, needs: Needs) -> int:
    """Return the mask of the lane that is read or written; of a scalar move it does not matter."""
    if needs.lane is None:
        return wave.exec & -wave.exec or 1
    return 1 << (_number(wave, needs.lane).value & wave.lane_count - 1)


def _rows(wave: WaveMemory, register: Register) -> range:
    """Return the rows of a vector register in `written`."""
    first = register.first + (wave.vgprs if register.bank == "a" else 0)
    return range(first, min(first + register.size, len(wave.written)))


def _dwords(registers: Iterable[Register]) -> Iterator[Register]:
    """Yield the dwords of vector registers."""
    for register in filter(_is_vector, registers):
        for number in range(register.size):
            yield Register(register.bank, register.first + number, 1)


def _parts(registers: Iterable[Register]) -> Iterator[Register]:
    """Yield the dwords of registers."""
    for register in registers:
        yield from register.parts()


def _is_vector(value: Value) -> TypeGuard[Register]:
    return isinstance(value, Register) and value.bank in ("v", "a")


def _same_in_all_lanes(wave: WaveMemory, value: Value, bits: int = _FULL) -> int | None:
    """Return the number that a source is; None for a vector register, and where one of the bits
    is unknown."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Register) and value.bank == "s" and value.size == 1:
        number, known = _number(wave, value)
        return None if bits & ~known else number
    return None


def _number_of_part(wave: WaveMemory, part: Influenced, source: int) -> int | None:
    """Return the number that a source is in all lanes; None where it is none, and where one of the
    bits that count is unknown."""
    selected = part.parts[source]
    bits = selected.bits(number_bits(part.name, source, part.modifiers))
    register = _same_in_all_lanes(wave, part.values[source], bits)
    return None if register is None else selected.number(register)


def _lacking(wave: WaveMemory, value: Value, bits: int, lanes: int) -> int:
    """Return the lanes where some of the bits of a source are unknown; bits beyond it do not
    count."""
    if not isinstance(value, Register):
        return 0
    if not _is_vector(value):
        size = (1 << 32 * value.size) - 1
        return lanes if bits & size & ~_number(wave, value).known else 0
    out = 0
    for number, row in enumerate(_rows(wave, value)):
        selected = of_bits(bits >> 32 * number & _FULL)
        if selected and lanes & ~wave.written[row]:
            for byte, known in enumerate(wave.known_lanes(row)):
                if selected >> byte & 1:
                    out |= lanes & ~known
    return out


def _missing_of(wave: WaveMemory, register: Register, bits: int, lanes: int) -> str | None:
    """Describe what is unknown of the bits of a source, in the first of some lanes."""
    if not _is_vector(register):
        return _missing_bits(wave, register, bits & (1 << 32 * register.size) - 1)
    read = {
        dword[:2]: of_bits(bits >> 32 * number & _FULL)
        for number, dword in enumerate(register.parts())
    }
    return _missing(wave, register, lanes, read)


def _permuted_lanes(wave: WaveMemory, needs: Needs, lanes: int) -> int:
    """Return the lanes that some lanes read, as numbers say that are known."""
    if needs.name == "v_permlane64_b32":
        half = wave.lane_count // 2
        return 0 if half == 16 else (lanes << half | lanes >> half) & wave.all_lanes
    to = 16 if "permlanex" in needs.name else 0
    if needs.name.endswith("_var_b32"):
        chosen = needs.values[1]
        if not _is_vector(chosen):
            return wave.all_lanes
        numbers = [int(number) & 15 for number in wave.v[chosen.first]]
    else:
        low, high = (_same_in_all_lanes(wave, value) for value in needs.values[1:3])
        if low is None or high is None:
            return wave.all_lanes
        selectors = low & _FULL | (high & _FULL) << 32
        numbers = [selectors >> 4 * (lane & 15) & 15 for lane in range(wave.lane_count)]
    out = 0
    for lane, number in enumerate(numbers):
        if lanes >> lane & 1:
            out |= 1 << (lane & ~15 ^ to | number)
    return out if needs.reads_inactive else out & wave.exec


def _is_of_dwords(needs: Needs, access: Access) -> bool:
    """Return whether a scalar load copies its bytes to whole registers of one result."""
    if len(needs.results) != 1:
        return False
    (register,) = needs.results
    return register.bank in ("s", "vcc", "m0") and access.size_bytes == 4 * register.size


def _number(wave: WaveMemory, value: Value) -> Number:
    """Return a scalar source with its known bits; 0 for what the hardware provides or is made of
    another register, which `Needs.needed` has."""
    if isinstance(value, Constant):
        return Number(value.value, -1)
    if not isinstance(value, Register):
        return Number(value or 0, -1)
    bank, first, size, _ = value
    if bank == "vcc":
        return Number(wave.vcc >> 32 * first, known_bits(wave.vcc) >> 32 * first)
    if bank == "exec":
        return Number(wave.exec >> 32 * first, -1)
    if bank == "scc":
        return Number(wave.scc, known_bits(wave.scc))
    if bank not in _FIRST_NUMBERS:
        return Number(0, -1)
    first += _FIRST_NUMBERS[bank]
    number = known = 0
    for index, dword in enumerate(wave.s[first : first + size]):
        number |= dword << 32 * index
        known |= (known_bits(dword) & _FULL) << 32 * index
    return Number(number, known)


def _known_lanes(wave: WaveMemory, register: Register, lanes: int) -> list[int]:
    """Return for each byte of a dword the mask of the lanes where it is known."""
    if _is_vector(register):
        rows = _rows(wave, register)
        return wave.known_lanes(rows[0]) if rows else [lanes] * 4
    known = _number(wave, register).known
    return [lanes if known >> 8 * byte & 0xFF == 0xFF else 0 for byte in range(4)]


def _number_bits(wave: WaveMemory, source: Register, lane: int) -> int | None:
    """Return the known bits of the number that is copied; None if all are."""
    if _is_vector(source):
        known = wave.known_lanes(_rows(wave, source)[0])
        return sum(0xFF << 8 * byte for byte in range(4) if known[byte] & lane)
    return _number(wave, source).known


def _set_known_bits(wave: WaveMemory, needs: Needs, register: Register, known: int) -> None:
    """Say which bits are known of a register that a number was copied to."""
    unknown = ~known & (1 << 32 * register.size) - 1
    if _is_vector(register):
        lane = 0 if needs.scalar is None else _lane(wave, needs)
        wave.forget_bytes(_rows(wave, register)[0], of_bits(unknown), lane)
    elif register.bank == "vcc":
        kept = known_bits(wave.vcc) & ~(unknown << 32 * register.first)
        wave.vcc = Undefined(wave.vcc, kept) if unknown else wave.vcc
    elif register.bank in ("s", "m0"):
        for number in range(register.size):
            index = M0 if register.bank == "m0" else register.first + number
            if bits := unknown >> 32 * number & _FULL:
                wave.s[index] = Undefined(wave.s[index], ~bits & _FULL)


def _missing(
    wave: WaveMemory, register: Register, lanes: int, read: Mapping[Dword, int]
) -> str | None:
    """Describe the unknown part of a register; None if all is known that is read of it."""
    bank = register.bank
    if bank in ("v", "a"):
        for row, dword in zip(_rows(wave, register), _dwords([register]), strict=False):
            if lanes & ~wave.written[row]:
                text = _missing_bytes(wave, row, dword, lanes, read.get(dword[:2], WHOLE))
                if text is not None:
                    return text
        return None
    known = _number(wave, register).known
    if bank == "scc":
        return None if known & 1 else "scc"
    for number, dword in enumerate(register.parts()):
        if of_bits(~known >> 32 * number & _FULL) & read.get(dword[:2], WHOLE):
            return dword.name
    return None


def _missing_bits(wave: WaveMemory, register: Register, bits: int) -> str | None:
    """Describe the first dword of a scalar of whose bits some are unknown; None if all are
    known. `bits`: a mask."""
    lacking = bits & ~_number(wave, register).known
    if not lacking:
        return None
    return register.parts()[(lacking & -lacking).bit_length() - 1 >> 5].name


def _selecting_lanes(wave: WaveMemory, selection: Selection, lanes: int) -> list[int]:
    """Return the lanes that read the first of two sources, and those that read the second."""
    if not isinstance(selection.mask, Register):
        return [lanes, lanes]
    mask = _number(wave, selection.mask).value
    return [lanes & ~mask, lanes & mask]


def _missing_selected(
    wave: WaveMemory,
    selection: Selection,
    lanes: int,
    read_lanes: int,
    read: Mapping[Dword, int],
) -> str | None:
    """Describe what is unknown of the source that a lane copies; None if all is known.

    `read_lanes`: those that DPP may take the first source from.
    """
    first, second = _selecting_lanes(wave, selection, lanes)
    if first and selection.is_moved:
        first = read_lanes
    for value, where in ((selection.first, first), (selection.second, second)):
        if where and isinstance(value, Register):
            missing = _missing(wave, value, where, read)
            if missing is not None:
                return missing
    return None


def _missing_bytes(
    wave: WaveMemory, row: int, dword: Register, lanes: int, read: int
) -> str | None:
    """Describe the bytes that are read of a vector register and are unknown, in the first lane with
    such."""
    known = wave.known_lanes(row)
    lacking = 0
    for byte in range(4):
        if read >> byte & 1:
            lacking |= lanes & ~known[byte]
    if not lacking:
        return None
    lane = (lacking & -lacking).bit_length() - 1
    unknown = sum(1 << byte for byte in range(4) if not known[byte] >> lane & 1)
    part = WHOLE if unknown == WHOLE else unknown & read
    halves = {WHOLE: dword.name, LOW: f"{dword.name}.l", HIGH: f"{dword.name}.h"}
    numbers = ", ".join(str(byte) for byte in range(4) if part >> byte & 1)
    noun = "bytes" if ", " in numbers else "byte"
    return f"{halves.get(part, f'{noun} {numbers} of {dword.name}')} of lane {lane}"


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
