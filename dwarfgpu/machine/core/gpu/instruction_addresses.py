"""Compute the addresses that a saved wave's memory instruction accesses, from its registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final

from dwarfgpu.arch.amdgpu import GENERIC, GLOBAL, LOCAL, PRIVATE_LANE
from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.processors import processor
from dwarfgpu.errors import Unavailable
from dwarfgpu.isa.addressing import Addressing, BufferResource
from dwarfgpu.isa.operands import Constant, Value
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.target import Target, WaveId

SPACES: Final = {
    "global": GLOBAL, "buffer": GLOBAL, "scalar": GLOBAL, "flat": GENERIC,
    "scratch": PRIVATE_LANE, "lds": LOCAL,
}  # fmt: skip
"""DWARF address spaces of the memories of instructions."""
_MASK_32: Final = (1 << 32) - 1
_MASK_64: Final = (1 << 64) - 1


class Undecided(Exception):
    """The addresses of an instruction are unknown: they, or the lanes, were overwritten."""


class LaneAddresses:
    """The addresses of one instruction of a wave."""

    def __init__(self, target: Target, number: WaveId, changed: Set[Register]) -> None:
        """`changed`: the registers, dword by dword, that were written since the instruction."""
        self._target = target
        self._number = number
        self._changed = changed
        self._arch: Architecture = target.architecture_of(number)
        self._apertures = target.apertures_of(number)

    def of(self, addressing: Addressing, literal: int) -> Iterator[tuple[int | None, int]]:
        """Yield active lanes and their addresses, several of a lane one after another.

        The lane of a scalar instruction is None. `Undecided` if a register is unknown.
        """
        registers = addressing.registers
        if addressing.memory == "scalar":
            offset = self._scalar(registers.get("soffset", 0), literal, 1)
            base = self._scalar(registers["sbase"], literal, 2)
            yield None, base + offset + addressing.offsets[0] & _MASK_64
        elif addressing.memory == "buffer":
            yield from self._buffer(addressing, literal)
        else:
            yield from self._flat(addressing, literal)

    def _flat(self, addressing: Addressing, literal: int) -> Iterator[tuple[int | None, int]]:
        """Yield the addresses of FLAT, GLOBAL, SCRATCH and DS: a vector, a scalar, and a
        constant."""
        registers, memory = addressing.registers, addressing.memory
        vector = registers.get("vaddr", registers.get("addr"))
        dwords = 2 if memory in ("global", "flat") else 1
        mask = _MASK_32 if memory == "scratch" else _MASK_64
        base = 0
        scalar = registers.get("saddr")
        if isinstance(scalar, Register) and scalar.bank != "null":
            base = self._scalar(scalar, literal, dwords)
            dwords = 1
        for lane in self._active():
            address = self._lane(vector, dwords, lane)
            for offset in addressing.offsets:
                accessed = address + base + offset & mask
                if memory == "flat" and self._apertures.may_lack(accessed):
                    raise Undecided(self._apertures.unknown)
                yield lane, accessed

    def _buffer(self, addressing: Addressing, literal: int) -> Iterator[tuple[int | None, int]]:
        registers = addressing.registers
        generation = processor(self._arch.name).generation
        resource = BufferResource.of(self._scalar(registers["srsrc"], literal, 4), generation)
        element_bytes = addressing.element_bytes
        scalar = self._scalar(registers.get("soffset", 0), literal, 1)
        if addressing.is_scalar:
            offset = scalar + addressing.offsets[0]
            if offset < resource.scalar_bytes:
                yield None, resource.base + offset & _MASK_64
            return
        vector, dword = registers.get("vaddr"), 0
        for lane in self._active():
            index = offset = dword = 0
            if addressing.has_index:
                index, dword = self._dword(vector, 0, lane), 1
            if addressing.has_offset:
                offset = self._dword(vector, dword, lane)
            index += lane if resource.adds_lane else 0
            offset += addressing.offsets[0]
            if resource.is_in_range(
                index, offset, scalar, element_bytes, has_index=addressing.has_index
            ):
                yield lane, resource.address(index, offset, scalar) & _MASK_64

    def _active(self) -> list[int]:
        mask = int.from_bytes(self._bytes(Register("exec", 0, 1), "exec"), "little")
        return [lane for lane in range(self._arch.lane_count) if mask >> lane & 1]

    def _lane(self, vector: Value | None, dwords: int, lane: int) -> int:
        return sum(self._dword(vector, n, lane) << 32 * n for n in range(dwords))

    def _dword(self, vector: Value | None, dword: int, lane: int) -> int:
        if not isinstance(vector, Register):
            return 0
        part = Register(vector.bank, vector.first + dword, 1)
        return self._vector(part)[lane]

    def _vector(self, part: Register) -> Sequence[int]:
        return memoryview(self._bytes(part, part.name)).cast("I")

    def _scalar(self, value: Value, literal: int, dwords: int) -> int:
        """Return a scalar operand as an unsigned integer."""
        mask = (1 << 32 * dwords) - 1
        if isinstance(value, Constant | int):
            return (value if isinstance(value, int) else value.value) & mask
        if not isinstance(value, Register):
            return literal & mask
        bank, first, _, _ = value
        if bank in ("s", "ttmp"):
            parts = (Register(bank, first + n, 1) for n in range(dwords))
            return sum(
                int.from_bytes(self._bytes(part, part.name), "little") << 32 * n
                for n, part in enumerate(parts)
            )
        if bank == "null":
            return 0
        if bank == "src_shared_base":
            return self._aperture(self._apertures.local_base) >> 32 * first & mask
        if bank == "src_private_base":
            return self._aperture(self._apertures.private_base) >> 32 * first & mask
        contents = int.from_bytes(self._bytes(Register(bank, first, 1), bank), "little")
        return contents >> 32 * first & mask

    def _aperture(self, base: int) -> int:
        """Return the base of an aperture; `Undecided` if it is not known."""
        try:
            return self._apertures.known(base)
        except Unavailable as error:
            raise Undecided(error.message) from None

    def _bytes(self, part: Register, name: str) -> bytes:
        """Return a saved register; `Undecided` if it was written since, or is not in the core."""
        if any(
            part.bank == changed.bank and part.first == changed.first for changed in self._changed
        ):
            raise Undecided(f"{name} was written after it")
        register = self._arch.register_named(name)
        if register is None:
            raise Undecided(f"{name} is not saved")
        try:
            return self._target.read_register(self._number, register)
        except Unavailable as error:
            raise Undecided(error.message) from None
