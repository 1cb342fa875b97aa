"""Where a function of an AMD GPU keeps the registers of its caller, read from its machine code.

LLVM's AMDGPU backend saves SGPRs in lanes of vector registers and in other SGPRs, and vector
registers in scratch, at constant distances from the stack pointer on entry. A forward analysis
follows these copies along every path from the entry to a program location: what it knows there
holds on all paths that lead there.

Law: a copy is known only if no instruction on any path may have changed it. Three things are
assumed, as call frame information assumes them: callees preserve what the calling convention says
(AMDGPU usage, "Non-Kernel Functions"), a function restores a vector register in the lanes in which
it saved it, and the program writes no save slot through a pointer.

The compiler knows which registers the functions of its own module change, and keeps values in
others over a call. The analysis therefore follows calls whose target the code computes. The
compiler also saves registers that it takes callees to change, against the convention; such a
register counts as unchanged (`intact`) where the code of the callees restores it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.cfi.known_registers import (
    CODE_HIGH,
    CONVENTION,
    ONES,
    SGPRS,
    STACK_POINTER,
    VGPRS,
    Entry,
    KnownRegisters,
    Preserved,
    SavedRegisters,
    ScalarDword,
    Slot,
    VectorLane,
    vector_number,
)
from dwarfgpu.isa.addressing import Addressing, addressing_of
from dwarfgpu.isa.binding import Use, effects, uses
from dwarfgpu.isa.decode import decoder
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.operands import Constant
from dwarfgpu.isa.registers import Register

_VECTORS: Final = 2 * VGPRS
"""VGPRs, then AGPRs."""
RETURN_ADDRESS: Final = 30
"""s30 and s31."""
MOST_INSTRUCTIONS: Final = 20_000
"""Of one function; longer ones are not analysed."""
_MOST_VISITS: Final = 100_000
"""Instructions visited, with those of loops once more for each change."""

_ADDS: Final = frozenset({"s_add_i32", "s_add_u32", "s_add_co_i32", "s_add_co_u32"})
_SUBTRACTS: Final = frozenset({"s_sub_i32", "s_sub_u32", "s_sub_co_i32", "s_sub_co_u32"})
_ADDS_CARRY: Final = frozenset({"s_addc_u32", "s_add_co_ci_u32", "s_sext_i32_i16"})
"""What code does with the high half of an address relative to the pc."""
_ADDS_IMMEDIATE: Final = frozenset({"s_addk_i32", "s_addk_co_i32"})
_MOVES: Final = frozenset({"s_mov_b32", "s_mov_b64"})
_VECTOR_COPIES: Final = frozenset(
    {"v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32", "v_mov_b32"}
)
_JUMP: Final = "s_setpc_b64"
_ENDS: Final = frozenset({"s_endpgm", _JUMP, "s_rfe_b64", "s_endpgm_saved"})
_CALLS: Final = frozenset({"s_swappc_b64", "s_call_b64"})
_DWORD: Final = 0xFFFF_FFFF
_MOST_LOCATIONS: Final = 32
"""Locations of a function whose answers are kept: a recursion asks again for each frame."""

Callees: TypeAlias = Callable[[int], Preserved | None]
"""What the function at an address of the file preserves beyond the convention; None if unknown."""


class _Operands(NamedTuple):
    """What an instruction reads and writes."""

    use: Use | None
    """None of an instruction with two operations."""
    writes: tuple[Register, ...]
    addressing: Addressing | None


class SavedRegisterAnalysis:
    """The analysis of one function."""

    def __init__(
        self,
        processor: str,
        wave_size: int,
        code: bytes,
        entry: int,
        callees: Callees = lambda address: None,
    ) -> None:
        """`code` is that of the function, `entry` its address; errors are those of `decoder`."""
        self._wave_size = wave_size
        self._callees = callees
        self._instructions: dict[int, Instruction] = {}
        decoded = decoder(processor, wave_size).instructions(code, entry)
        for number, instruction in enumerate(decoded):
            if number >= MOST_INSTRUCTIONS:
                self._instructions.clear()
                break
            if instruction is not None:
                self._instructions[instruction.address] = instruction
        self._blocks: dict[int, KnownRegisters] = {}
        self._operands: dict[int, _Operands] = {}
        self._run(entry)
        self._starts = {
            instruction.address: start
            for start in reversed(self._blocks)
            for instruction in self._block(start, self._blocks)
        }
        self._addresses = sorted(self._starts)

    @kept_with(first, _MOST_LOCATIONS)
    def at(self, location: int) -> SavedRegisters | None:
        """Return what is known at a program location; None if no path that is understood leads
        there.

        Within an instruction, the function is in a call: the callee has what the call passes.
        """
        number = bisect_right(self._addresses, location)
        address = self._addresses[number - 1] if number else location
        start = self._starts.get(address)
        if start is None or location >= address + self._instructions[address].size:
            return None
        state = self._blocks[start].copy()
        for instruction, before in self._walk(start, state, self._blocks):
            if instruction.address == address:
                if location != address:
                    self._forget(before, effects(instruction).writes)
                break
        return SavedRegisters(
            state.scalars,
            state.lanes,
            frozenset(state.vectors),
            state.slots,
            frozenset(state.intact),
        )

    @property
    def preserved(self) -> Preserved | None:
        """What a call of the function leaves as it was; None if it does not return, or jumps to
        another function."""
        exits = [
            (instruction, before.copy())
            for start, state in self._blocks.items()
            for instruction, before in self._walk(start, state.copy(), self._blocks)
            if instruction.mnemonic == _JUMP
        ]
        scalars, vectors, intact = set(range(SGPRS)), set(range(_VECTORS)), set(range(_VECTORS))
        for instruction, known in exits:
            target = uses(instruction)[0].sources[0].value
            if not isinstance(target, Register) or target[:2] != ("s", RETURN_ADDRESS):
                return None
            scalars = {n for n in scalars if known.scalars.get(("s", n)) == Entry("s", n)}
            vectors &= known.vectors
            intact &= known.intact
        if not exits:
            return None
        preserved = CONVENTION.vectors | vectors
        return Preserved(
            CONVENTION.scalars | scalars - {RETURN_ADDRESS, RETURN_ADDRESS + 1},
            preserved,
            preserved & intact,
        )

    def _run(self, entry: int) -> None:
        scalars: dict[ScalarDword, Entry] = {
            ("s", number): Entry("s", number) for number in range(SGPRS)
        }
        for half in range(self._wave_size // 32):
            scalars["exec", half] = Entry("exec", half)
        starts = [entry] if entry in self._instructions else []
        self._blocks = {
            start: KnownRegisters(scalars, {}, set(range(_VECTORS)), {}, set(range(_VECTORS)))
            for start in starts
        }
        leaders = {branch.branch_target for branch in self._instructions.values()} - {None}
        visits = 0
        while starts:
            start = starts.pop()
            state = self._blocks[start].copy()
            last: Instruction | None = None
            for instruction, before in self._walk(start, state, leaders):
                last, state = instruction, before
                visits += 1
            if visits > _MOST_VISITS:
                self._blocks.clear()
                return
            if last is None:
                continue
            self._execute(state, last)
            for target in self._successors(last):
                if target not in self._instructions:
                    continue
                known = self._blocks.get(target)
                if known is None:
                    self._blocks[target] = state.copy()
                    starts.append(target)
                elif known.meet(state) and target not in starts:
                    starts.append(target)

    def _walk(
        self, start: int, state: KnownRegisters, leaders: Container[int | None]
    ) -> Iterator[tuple[Instruction, KnownRegisters]]:
        """Yield the instructions of a block, with the state before each; the state changes."""
        previous: Instruction | None = None
        for instruction in self._block(start, leaders):
            if previous is not None:
                self._execute(state, previous)
            yield instruction, state
            previous = instruction

    def _block(self, start: int, leaders: Container[int | None]) -> Iterator[Instruction]:
        """Yield the instructions of a block, which ends where another one begins."""
        address = start
        while True:
            instruction = self._instructions.get(address)
            if instruction is None:
                return
            yield instruction
            name = instruction.mnemonic
            address += instruction.size
            if instruction.branch_target is not None and name not in _CALLS:
                return
            if name in _ENDS or address in leaders:
                return

    def _successors(self, instruction: Instruction) -> tuple[int, ...]:
        name = instruction.mnemonic
        if name in _ENDS:
            return ()
        following = instruction.address + instruction.size
        target = instruction.branch_target
        if target is None or name in _CALLS:
            return (following,)
        return (target,) if name == "s_branch" else (target, following)

    # What one instruction changes.

    def _operands_of(self, instruction: Instruction) -> _Operands:
        """Return the operands of an instruction, found once: several paths execute it."""
        operands = self._operands.get(instruction.address)
        if operands is None:
            instruction_uses = uses(instruction)
            writes = effects(instruction, instruction_uses).writes
            use = instruction_uses[0] if len(instruction_uses) == 1 else None
            operands = _Operands(use, writes, addressing_of(instruction))
            self._operands[instruction.address] = operands
        return operands

    def _execute(self, state: KnownRegisters, instruction: Instruction) -> None:
        use, writes, addressing = self._operands_of(instruction)
        scalars = {} if use is None else self._results(state, use, instruction)
        lane = None if use is None else self._lane_written(state, use)
        slot = None if addressing is None else self._slot(state, addressing)
        if addressing is not None and use is not None and slot is not None and addressing.is_store:
            self._store(state, addressing, use, *slot)
        callee = self._callee(state, use) if instruction.mnemonic in _CALLS else None
        loaded = restored = None
        if addressing is not None and use is not None and slot is not None and addressing.is_load:
            loaded = self._loaded(state, addressing, use, *slot)
            restored = _restored(loaded)
            loaded = loaded if self._has_all_lanes(state) else None
        if use is not None and use.operation.name in _VECTOR_COPIES:
            loaded = self._copied(state, use)
        if lane is None:
            self._forget(state, writes)
        if lane is not None:
            (vector, index), known = lane
            state.vectors.discard(vector)
            state.intact.discard(vector)
            state.lanes.pop((vector, index), None)
            if known is not None:
                state.lanes[vector, index] = known
        state.scalars.update(scalars)
        if loaded is not None:
            vector, contents = loaded
            if contents.vector == vector and contents.has_all_lanes:
                state.vectors.add(vector)
            if contents.has_all_lanes:
                state.lanes.update({(vector, index): known for index, known in contents.lanes})
        if restored is not None:
            state.intact.add(restored)
        if instruction.mnemonic in _CALLS:
            self._call(state, callee or CONVENTION)

    def _forget(self, state: KnownRegisters, registers: Iterable[Register]) -> None:
        for register in registers:
            if register.bank in ("v", "a"):
                first = vector_number(register)
                numbers = range(first, first + register.size)
                state.vectors.difference_update(numbers)
                state.intact.difference_update(numbers)
                for key in [key for key in state.lanes if key[0] in numbers]:
                    del state.lanes[key]
            else:
                for part in register.parts():
                    state.scalars.pop((part.bank, part.first), None)

    def _callee(self, state: KnownRegisters, use: Use | None) -> Preserved | None:
        """Return what the called function preserves, if the code computes its address."""
        source = None if use is None else next(iter(use.sources), None)
        if source is None:
            return None
        if isinstance(source.value, int):
            return self._callees(source.value)
        halves = _dwords(state, source.value, 2)
        low = halves[0]
        if low is None or low.bank != "code" or halves[1:] != [CODE_HIGH]:
            return None
        return self._callees(low.addend & _DWORD)

    def _call(self, state: KnownRegisters, kept: Preserved) -> None:
        """Forget what a callee may change: also scratch from the stack pointer on."""
        pointer = state.scalars.get(("s", STACK_POINTER))
        if pointer is not None and pointer[:2] == ("s", STACK_POINTER):
            for distance, slot in list(state.slots.items()):
                scale = self._wave_size if slot.is_swizzled_by_buffer else 1
                if distance * scale >= pointer.addend:
                    del state.slots[distance]
        for key in list(state.scalars):
            if key[0] != "exec" and (key[0] != "s" or key[1] not in kept.scalars):
                del state.scalars[key]
        for lane in [lane for lane in state.lanes if lane[0] not in kept.vectors]:
            del state.lanes[lane]
        state.vectors &= kept.vectors
        state.intact &= kept.intact

    def _results(
        self, state: KnownRegisters, use: Use, instruction: Instruction
    ) -> dict[ScalarDword, Entry]:
        """Return the scalar dwords that an instruction sets to something known."""
        name = use.operation.name
        known: dict[ScalarDword, Entry] = {}
        results = [operand.value for operand in use.results]
        target = results[0] if results else None
        if not isinstance(target, Register):
            return known
        parts = target.parts()
        if name in _MOVES:
            values = _dwords(state, use.sources[0].value, len(parts))
            for part, value in zip(parts, values, strict=False):
                if value is not None:
                    known[part.bank, part.first] = value
        elif name in _ADDS | _SUBTRACTS | _ADDS_IMMEDIATE:
            total = _sum(state, use)
            if total is not None:
                known[parts[0].bank, parts[0].first] = total
        elif name == "s_getpc_b64":
            address = instruction.address + 4
            if 0 <= address <= _DWORD:
                low, high = parts
                known[low.bank, low.first] = Entry("code", 0, _signed(address))
                known[high.bank, high.first] = CODE_HIGH
        elif name in _ADDS_CARRY:
            if _dwords(state, use.sources[0].value, 1) == [CODE_HIGH]:
                known[parts[0].bank, parts[0].first] = CODE_HIGH
        elif "_saveexec_" in name:
            for index, part in enumerate(parts):
                mask = state.scalars.get(("exec", index))
                if mask is not None:
                    known[part.bank, part.first] = mask
            if name.startswith("s_or_saveexec_") and use.sources[0].value == Constant(-1):
                known |= {("exec", index): ONES for index in range(len(parts))}
        elif name == "v_readlane_b32":
            lane = self._lane_read(use)
            value = None if lane is None else state.lanes.get(lane)
            if value is not None:
                known[parts[0].bank, parts[0].first] = value
        return known

    def _lane_read(self, use: Use) -> VectorLane | None:
        vector, index = (operand.value for operand in use.sources[:2])
        if not isinstance(vector, Register) or not isinstance(index, Constant):
            return None
        return vector_number(vector), index.value % self._wave_size

    def _lane_written(
        self, state: KnownRegisters, use: Use
    ) -> tuple[VectorLane, Entry | None] | None:
        if use.operation.name != "v_writelane_b32":
            return None
        target = use.results[0].value
        source, index = (operand.value for operand in use.sources[:2])
        if not isinstance(target, Register) or not isinstance(index, Constant):
            return None
        [value] = _dwords(state, source, 1)
        return (vector_number(target), index.value % self._wave_size), value

    # Scratch.

    def _slot(self, state: KnownRegisters, addressing: Addressing) -> tuple[int, bool] | None:
        """Return the distance from the stack pointer on entry, in bytes of a lane, and whether a
        buffer swizzles; None for other memory."""
        registers = addressing.registers
        if addressing.memory == "scratch":
            base, is_buffer = registers.get("saddr"), False
        elif addressing.memory == "buffer":
            base, is_buffer = registers.get("soffset"), True
        else:
            return None
        vector = registers.get("vaddr")
        if isinstance(vector, Register) and vector.bank == "v":
            return None
        if not isinstance(base, Register) or len(addressing.offsets) != 1:
            return None
        value = state.scalars.get((base.bank, base.first))
        if value is None or (value.bank, value.number) != ("s", STACK_POINTER):
            return None
        distance = value.addend
        if is_buffer:
            if distance % self._wave_size:
                return None
            distance //= self._wave_size
        return distance + addressing.offsets[0], is_buffer

    def _store(
        self,
        state: KnownRegisters,
        addressing: Addressing,
        use: Use,
        distance: int,
        is_buffer: bool,
    ) -> None:
        end = distance + addressing.size_bytes
        for other in [other for other in state.slots if distance - 4 < other < end]:
            del state.slots[other]
        data = next((o.value for o in use.sources if isinstance(o.value, Register)), None)
        if not isinstance(data, Register) or 4 * data.size != end - distance:
            return
        halves = range(self._wave_size // 32)
        masks = [state.scalars.get(("exec", half)) for half in halves]
        has_all = self._has_all_lanes(state)
        if not has_all and masks != [Entry("exec", half) for half in halves]:
            return
        for index in range(data.size):
            number = vector_number(data) + index
            known = _known_lanes(state, number)
            vector = number if number in state.vectors else None
            if vector is not None or known:
                is_assumed = vector is not None and vector not in state.intact
                slot = Slot(vector, has_all, is_buffer, known, is_assumed)
                state.slots[distance + 4 * index] = slot

    def _copied(self, state: KnownRegisters, use: Use) -> tuple[int, Slot] | None:
        """Return the register and the known contents of a copy of all lanes."""
        target, source = use.results[0].value, use.sources[0].value
        if not isinstance(target, Register) or not isinstance(source, Register):
            return None
        if source.bank not in ("v", "a") or not self._has_all_lanes(state):
            return None
        number = vector_number(source)
        known = _known_lanes(state, number)
        return vector_number(target), Slot(None, True, False, known)

    def _has_all_lanes(self, state: KnownRegisters) -> bool:
        halves = range(self._wave_size // 32)
        return all(state.scalars.get(("exec", half)) == ONES for half in halves)

    def _loaded(
        self,
        state: KnownRegisters,
        addressing: Addressing,
        use: Use,
        distance: int,
        is_buffer: bool,
    ) -> tuple[int, Slot] | None:
        """Return the register that a load writes, and the known contents of the slot."""
        target = next((o.value for o in use.results if isinstance(o.value, Register)), None)
        slot = state.slots.get(distance)
        if slot is None or slot.is_swizzled_by_buffer != is_buffer or target is None:
            return None
        if target.size != 1 or addressing.size_bytes != 4:
            return None
        return vector_number(target), slot


def _restored(loaded: tuple[int, Slot] | None) -> int | None:
    """Return the register that a load gives its contents on entry again; None if it does not.

    A function loads it in the lanes in which it saved it.
    """
    if loaded is None or loaded[1].vector != loaded[0] or loaded[1].is_assumed:
        return None
    return loaded[0]


def _known_lanes(state: KnownRegisters, number: int) -> tuple[tuple[int, Entry], ...]:
    """Return the lanes of a vector register whose contents are known, each with these."""
    return tuple(sorted((key[1], e) for key, e in state.lanes.items() if key[0] == number))


def _dwords(state: KnownRegisters, source: object, count: int) -> list[Entry | None]:
    """Return what the dwords of a source hold."""
    if isinstance(source, Register):
        return [state.scalars.get((part.bank, part.first)) for part in source.parts()][:count]
    return [ONES if source == Constant(-1) else None] * count


def _sum(state: KnownRegisters, use: Use) -> Entry | None:
    """Return the sum of a known dword and a constant."""
    name = use.operation.name
    values = [operand.value for operand in use.sources]
    if name in _ADDS_IMMEDIATE:
        target = use.results[0].value
        values = [target, *(value for value in values if not isinstance(value, Register))]
    if len(values) < 2:
        return None
    first, second = values[:2]
    if name in _ADDS and isinstance(first, Constant):
        first, second = second, first
    if isinstance(second, Constant):
        addend = second.value
    elif isinstance(second, int):
        addend = (second & 0xFFFF ^ 0x8000) - 0x8000
    else:
        return None
    [known] = _dwords(state, first, 1)
    if known is None or known in (ONES, CODE_HIGH):
        return None
    change = -addend if name in _SUBTRACTS else addend
    return Entry(known.bank, known.number, _signed(known.addend + change))


def _signed(number: int) -> int:
    return (number & _DWORD ^ 0x8000_0000) - 0x8000_0000
