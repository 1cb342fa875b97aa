"""The rules of registers that a function of an AMD GPU keeps for its caller, as the analysis of its
machine code (`dwarfgpu.cfi.saved_registers`) found them.

Law: every rule holds on every path through the function to its program location.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.amdgpu import PRIVATE_WAVE
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.known_registers import (
    STACK_POINTER,
    Entry,
    SavedRegisters,
    Slot,
    vector_name,
    vector_number,
)
from dwarfgpu.cfi.rule import ExpressionRule, Rule, SameValueRule
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.isa.registers import Register

_HALVES_OF_EXEC: Final = ("regx exec", "regx exec; LLVM_offset_uconst 4")
_RETURN_ENTRIES: Final = (Entry("s", 30), Entry("s", 31))


@frozen
class SavedRegisterRules:
    """Where the caller of a function has its registers, as far as the code of the function says."""

    architecture: Architecture
    saved: SavedRegisters

    @property
    def return_address(self) -> Rule | None:
        """The rule of the caller's program counter; None if the code does not say it."""
        halves = [self._locations(entry) for entry in _RETURN_ENTRIES]
        return self._expression(_composed(halves)) if all(halves) else None

    @property
    def keeps_return_address(self) -> bool:
        """Whether s[30:31] still hold the return address."""
        return [self._locations(entry)[:1] for entry in _RETURN_ENTRIES] == [
            ["regx s30"],
            ["regx s31"],
        ]

    def rule(self, number: int) -> Rule | None:
        """Return the rule of a register; None if the code does not say it."""
        lanes = self.architecture.lane_count
        name = self.architecture.register(number).name
        bank, index = name[:1], name[1:]
        if name == "exec":
            return self._mask(lanes)
        if bank == "s" and is_decimal(index):
            locations = self._locations(Entry("s", int(index)))
            if locations:
                return self._expression(locations[0])
            return self._stack_pointer() if int(index) == STACK_POINTER else None
        if bank in ("v", "a") and is_decimal(index):
            return self._vector(vector_number(Register(bank, int(index), 1)))
        return None

    def _mask(self, lanes: int) -> Rule | None:
        """Return the rule of EXEC."""
        parts = [self._locations(Entry("exec", half)) for half in range(lanes // 32)]
        if not all(parts):
            return None
        return self._expression(_composed(parts))

    def _locations(self, entry: Entry) -> list[str]:
        """Return operations for each location of 32 bits that a register had on entry.

        Copies that the function made come first: callees that the compiler knows may break the
        convention, and then the function does not rely on it. A call always changes s[30:31].
        """
        saved = self.saved
        locations = [
            f"regx {vector_name(vector)}; LLVM_offset_uconst {4 * lane}"
            for (vector, lane), known in sorted(saved.lanes.items())
            if known == entry
        ]
        for (bank, number), known in sorted(saved.scalars.items()):
            if known == entry and bank in ("s", "exec"):
                operations = f"regx s{number}" if bank == "s" else _HALVES_OF_EXEC[number]
                if entry not in _RETURN_ENTRIES and (bank, number) == entry[:2]:
                    locations.append(operations)
                else:
                    locations.insert(0, operations)
        return locations

    def _stack_pointer(self) -> Rule | None:
        base = next(self._bases(), None)
        if base is None:
            return None
        name, addend = base
        return self._expression(
            f"regx {name}; deref_size 4; const4u {-addend % 2**32}; plus; stack_value; piece 4"
        )

    def _bases(self) -> Iterator[tuple[str, int]]:
        """Yield SGPRs that hold the stack pointer on entry plus a constant, and that constant."""
        for (bank, number), known in sorted(self.saved.scalars.items()):
            if bank == "s" and known[:2] == ("s", STACK_POINTER):
                yield f"s{number}", known.addend

    def _vector(self, number: int) -> Rule | None:
        slots = [
            (distance, slot)
            for distance, slot in sorted(self.saved.slots.items())
            if slot.vector == number
        ]
        base = next(self._bases(), None)
        for distance, slot in slots:
            rule = None if base is None else self._slot(number, distance, slot, *base)
            if rule is not None:
                return rule
        is_kept = number in self.saved.intact or (number in self.saved.vectors and not slots)
        return SameValueRule() if is_kept else None

    def _slot(self, number: int, distance: int, slot: Slot, base: str, addend: int) -> Rule | None:
        """Return where a slot holds a register: memory of the wave, which swizzles the lanes.

        If only the lanes that were active on entry were stored, the register has the others; None
        where these lanes are not known.
        """
        lanes = self.architecture.lane_count
        scaled = "" if slot.is_swizzled_by_buffer else f"constu {lanes}; mul; "
        factor = 1 if slot.is_swizzled_by_buffer else lanes
        offset = distance * lanes - addend * factor
        memory = (
            f"regx {base}; deref_size 4; {scaled}consts {offset}; plus; constu {PRIVATE_WAVE}; "
            f"LLVM_form_aspace_address"
        )
        if slot.has_all_lanes:
            return self._expression(memory)
        parts = [self._locations(Entry("exec", half)) for half in range(lanes // 32)]
        if not all(parts):
            return None
        mask = _composed(parts)
        return self._expression(
            f"regx {vector_name(number)}; {memory}; {mask}; LLVM_piece_end; "
            f"deref_size {lanes // 8}; "
            f"LLVM_select_bit_piece 32 {lanes}"
        )

    def _expression(self, operations: str) -> Rule:
        return _expression(operations, self.architecture)


@lru_cache(maxsize=1024)
def _expression(operations: str, architecture: Architecture) -> Rule:
    return ExpressionRule(assemble(operations, arch=architecture))


def _composed(halves: list[list[str]]) -> str:
    """Return operations for the first location of each dword, one after the other."""
    return "; ".join(f"{locations[0]}; piece 4" for locations in halves)
