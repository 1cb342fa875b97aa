"""How an instruction addresses memory: registers, constants, and the number of bytes.

AMD's ISA documents: "Scalar Memory Operations", "Vector Memory Buffer Instructions", "Flat
Memory Instructions", "Data Share Operations".
"""

from __future__ import annotations

from typing import Any, Final

from dwarfgpu.base.records import frozen
from dwarfgpu.isa.formats import Format
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.operands import Value
from dwarfgpu.isa.operation import DeclaredOperand, Operation, operation_named, type_bits

_REGISTERS: Final = ("vaddr", "saddr", "addr", "srsrc", "soffset", "sbase")
_ADDRESSED: Final = frozenset({"global", "flat", "scratch", "lds", "buffer", "scalar"})


@frozen
class Addressing:
    """How one instruction addresses memory."""

    memory: str
    """`global`, `flat`, `scratch`, `lds`, `buffer` or `scalar`."""
    size_bytes: int
    """At each address."""
    element_bytes: int
    offsets: tuple[int, ...]
    """Added to the address; two of `ds_read2_b32`, one of others."""
    registers: dict[str, Value]
    """By LLVM's names: `vaddr`, `saddr`, `addr`, `srsrc`, `soffset`, `sbase`; `srsrc` also of a
    scalar instruction with a buffer."""
    has_index: bool = False
    """Whether `vaddr` begins with an index; only for buffers."""
    has_offset: bool = False
    """Whether `vaddr` ends with an offset; only for buffers."""
    is_scalar: bool = False
    """One access of the whole wave."""
    is_load: bool = False
    is_store: bool = False

    @property
    def verb(self) -> str:
        """`loads`, `stores`, or `changes` of an atomic operation."""
        if self.is_load and self.is_store:
            return "changes"
        return "loads" if self.is_load else "stores"


def addressing_of(instruction: Instruction) -> Addressing | None:
    """Return how an instruction addresses memory; None where it does not, where a descriptor says
    it (images, formats), or where M0 does (blocks of registers)."""
    form = instruction.encoding.format
    operation = operation_named(instruction.mnemonic, form.target.generation)
    if operation is None or not operation.memory:
        return None
    declared = operation.memory[0]
    values = form.values(instruction.word, instruction.extra)
    fields = dict(zip(form.names, values, strict=True))
    if declared.name not in _ADDRESSED or declared.type == "format" or fields.get("gds"):
        return None
    if operation.name.endswith("_block"):
        return None
    registers: dict[str, Value] = {
        name: value
        for name in _REGISTERS
        if name in form.index
        and (value := form.kinds[form.index[name]].value(fields[name])) is not None
    }
    is_scalar_scratch = declared.name == "scratch" and operation.is_scalar
    if is_scalar_scratch or (declared.name == "lds" and "addr" not in registers):
        return None
    memory = declared.name
    if operation.name.startswith("s_buffer_"):
        memory, registers["srsrc"] = "buffer", registers.pop("sbase")
    wave_size = form.target.wave_size
    return Addressing(
        memory,
        _size_bytes(operation, declared, wave_size, has_two="offset0" in fields),
        type_bits(declared.type, wave_size) // 8,
        immediate_offsets(instruction, operation, declared),
        registers,
        *index_and_offset(form),
        operation.is_scalar,
        declared in operation.sources,
        declared in operation.results,
    )


def index_and_offset(form: Format) -> tuple[bool, bool]:
    """Return whether `vaddr` of a buffer instruction begins with an index, and whether it ends with
    an offset."""
    return " idxen" in form.syntax, " offen" in form.syntax


def _size_bytes(
    operation: Operation, declared: DeclaredOperand, wave_size: int, *, has_two: bool
) -> int:
    """Return the size of the elements moved to or from registers: that of those in memory."""
    element = type_bits(declared.type, wave_size) // 8
    operands = operation.results if declared in operation.sources else operation.sources
    types = [operand.type for operand in operands if operand.type and not operand.is_memory]
    if has_two or not types or not types[0].startswith("v"):
        return element
    count = int(types[0][1:].partition(types[0][1:].lstrip("0123456789"))[0])
    per_element = type_bits(types[0], wave_size) // count
    return max(element, count * per_element // 8)


def immediate_offsets(
    instruction: Instruction, operation: Operation, declared: DeclaredOperand
) -> tuple[int, ...]:
    """Return the constants that are added to the address, in bytes: two for LDS accesses at two
    addresses."""
    form = instruction.encoding.format
    values = form.values(instruction.word, instruction.extra)
    fields = dict(zip(form.names, values, strict=True))
    if "offset0" in fields:
        step = type_bits(declared.type, form.target.wave_size) // 8
        step *= 64 if "st64" in operation.name else 1
        return fields["offset0"] * step, fields["offset1"] * step
    if "offset" not in fields:
        return (0,)
    kind, offset = form.kinds[form.index["offset"]], fields["offset"]
    generation = form.target.generation
    if kind.decoder == "smem_offset":
        value = kind.value(offset)
        assert isinstance(value, int)
        return (value,)
    if "FLAT" in form.flags:
        bits = {10: 12, 12: 24}.get(generation, 13)
        if form.flags & {"FlatGlobal", "FlatScratch"} or generation >= 12:
            return (_signed(offset, bits),)
        return (offset & (1 << bits - 1) - 1,)
    if generation >= 12 and form.flags & {"MUBUF", "MTBUF"}:
        return (_signed(offset, 24),)
    return (offset,)


def _signed(number: int, bits: int) -> int:
    return (number & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)


@frozen
class BufferResource:
    """The descriptor in four SGPRs ("Buffer Resource Descriptor")."""

    base: int
    stride: int
    records: int
    is_swizzled: bool
    element_bytes: int
    index_stride: int
    adds_lane: bool
    """The number of the lane is added to the index."""
    generation: int
    out_of_bounds: int
    """OOB_SELECT of GFX10 and later."""

    @classmethod
    def of(cls, word: int, generation: int) -> BufferResource:
        """Decode a resource from its 128 bits."""
        element_bytes = 4
        if generation >= 11:
            element_bytes = 16 if word >> 62 & 3 == 3 else 4
        elif generation == 8:
            element_bytes = 2 << (word >> 115 & 3)
        return cls(
            word & (1 << 48) - 1,
            word >> 48 & 0x3FFF,
            word >> 64 & 0xFFFFFFFF,
            bool(word >> 63 & 1) if generation < 11 else bool(word >> 62 & 1),
            element_bytes,
            8 << (word >> 117 & 3),
            bool(word >> 119 & 1),
            generation,
            word >> 124 & 3,
        )

    def address(self, index: Any, offset: Any, scalar: int) -> Any:
        """Return the global address of integers or of NumPy arrays of them; `scalar`: `soffset`."""
        if not self.is_swizzled:
            return index * self.stride + offset + (self.base + scalar)
        # LLVM adds constants to registers that may be below zero (`SelectMUBUFScratchOffen`).
        offset = offset & 0xFFFFFFFF
        step, element = self.index_stride, self.element_bytes
        where = (index // step * self.stride + offset // element * element) * step
        return where + index % step * element + offset % element + (self.base + scalar)

    @property
    def is_unbounded(self) -> bool:
        """Whether it is that of private memory, where nothing is checked."""
        return self.is_swizzled and self.adds_lane

    @property
    def scalar_bytes(self) -> int:
        """The size of what scalar instructions access."""
        return self.records * (self.stride or 1)

    def is_in_range(
        self, index: Any, offset: Any, scalar: int, size_bytes: int, *, has_index: bool
    ) -> Any:
        """Return whether an access is one to memory: loads read 0 elsewhere, and stores do nothing.

        `has_index`: the instruction has `idxen`. GFX8 and GFX9 have rules of their own (Mesa,
        `si_make_buffer_descriptor`), later ones OOB_SELECT (RDNA3.5 ISA, 9.4.1).
        """
        if self.is_unbounded:
            return True
        left = max(self.records - scalar, 0)
        if self.generation < 10:
            is_structured = self.is_swizzled if self.generation == 8 else has_index
            if self.stride and is_structured:
                return index < self.records
            return index * self.stride + offset < left
        end = offset + (size_bytes if self.generation >= 11 else 1)
        if self.out_of_bounds == 1:
            return index < self.records
        if self.out_of_bounds == 2:
            return bool(self.records)
        if self.out_of_bounds == 3 and not (self.is_swizzled and self.stride):
            return end <= left
        most = left if self.out_of_bounds == 3 else self.records
        return (index < most) & (end <= self.stride)
