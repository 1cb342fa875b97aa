"""Operands: from the bits of a field to a register, a constant or a number, and to text.

One `OperandKind` is one operand class of LLVM (`VSrc_f32`, `SReg_64_XEXEC`, `CPol` …), a line
`kind` of the tables. What fields mean is the same for every instruction that has the kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from dwarfgpu.isa.inline_constants import (
    FLOATS,
    INTEGERS,
    LITERAL,
    constant_text,
    inline_float,
    inline_integer,
)
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.registers import Register, RegisterClass, register_class, scalar_register


class Constant(NamedTuple):
    """A constant in the encoding of a source operand."""

    value: int
    """A signed integer, or the bits of a floating point number."""


class Literal(NamedTuple):
    """The constant is in the dword that follows the instruction."""

    shift: int
    """Its bits are shifted left by it: 32 for the high half of a double."""


RESERVED_FROM: Final = {
    "sdwa_dst_sel": 7,
    "sdwa_src0_sel": 7,
    "sdwa_src1_sel": 7,
    "sdwa_dst_unused": 3,
}
"""Fields that are reserved from a number on: LLVM 19 ends itself there, here it is undefined."""

_MATRIX_DWORDS: Final = (8, 8, 6, 6, 4)
"""Registers of 32 numbers in the formats of `v_mfma_f32_16x16x128_f8f6f4`."""

Value = Register | Constant | Literal | int
"""The value of a field; `int` if it is neither source nor destination."""


class OperandKind:
    """How the fields of one operand class are decoded on one target."""

    def __init__(self, line: str, target: IsaTarget, *, as_llvm_19: bool = False) -> None:
        """Parse a line `kind` of the tables, without its first word."""
        name, decoder, dwords, inline, self.type, register_class_name, self.text = line.split()
        self.name = name
        self.decoder = decoder
        self.dwords = int(dwords) or target.wave_size // 32
        self.inline = "f32" if inline == "-" else inline
        self.register_class_name = register_class_name
        self.registers: RegisterClass | None = (
            None if register_class_name == "-" else register_class(register_class_name)
        )
        self._has_halves = register_class_name.endswith("_Lo128") and not as_llvm_19
        """Whether numbers from 128 on are the high halves of v0 to v127 (16-bit operands since
        GFX11), as compilers after LLVM 19 have them."""
        self._target = target
        self._decode: Callable[[OperandKind, int], Value | None] = _DECODERS[decoder]
        self.texts: dict[int, str] = {}

    def value(self, field: int) -> Value | None:
        """Return the value of the field; None if it is meaningless, which makes the word
        undefined."""
        return self._decode(self, field)

    def is_checked(self) -> bool:
        """Return whether some values of the field are meaningless, or a literal."""
        if self.text in RESERVED_FROM:
            return True
        if self.decoder in ("number", "k", "smem_offset", "branch", "version"):
            return False
        return self.decoder not in ("vgpr", "agpr", "half", "half_lo", "dual_dst", "data") or (
            self.dwords > 1
        )

    def field_text(self, field: int, literal: int) -> str:
        """Register or constant as text; `literal` is the dword that follows, where one does."""
        if text := self.texts.get(field):
            return text
        value = self.value(field)
        if isinstance(value, Literal):
            return self.constant_text(literal << value.shift)
        if isinstance(value, Constant):
            text = self.constant_text(value.value)
        elif isinstance(value, Register):
            text = value.name + self._complaint(value)
        else:
            text = str(value)
        self.texts[field] = text
        return text

    def constant_text(self, value: int) -> str:
        """Return a constant as text, with LLVM's remark if the operand cannot be a constant."""
        if self.type == "-":
            return constant_text(value, "int32") + "/*Invalid immediate*/"
        return constant_text(value, self.type)

    def takes(self, value: Value) -> bool:
        """Return whether the operand class has a register or constant that a field encodes."""
        if isinstance(value, Constant | Literal):
            return self.type != "-"
        if not isinstance(value, Register) or self.registers is None:
            return True
        if value.is_constant:  # LLVM prints it for a VGPR too
            return self.registers.scalars
        return self.registers.has(value) and value.size == self.dwords

    def _complaint(self, register: Register) -> str:
        if register.is_constant or self.takes(register):
            return ""
        name = self.register_class_name
        return f"/*Invalid register, operand has '{name}' register class*/"

    def _vector(self, bank: str, number: int) -> Register | None:
        if number >= 128 and self._has_halves:
            return Register(bank, number - 128, 1, "h")
        return Register(bank, number, self.dwords) if number + self.dwords <= 256 else None

    def _vgpr(self, field: int) -> Value | None:
        return self._vector("v", field & 0xFF)

    def _low_vgpr(self, field: int) -> Value | None:
        return self._vector("v", field) if field < 128 or self._has_halves else None

    def _agpr(self, field: int) -> Value | None:
        return self._vector("a", field & 0xFF)

    def _half(self, field: int) -> Value | None:
        return Register("v", field & 0xFF, 1, "h" if field & 0x200 else "l")

    def _half_lo(self, field: int) -> Value | None:
        return Register("v", field & 0x7F, 1, "h" if field & 0x80 else "l")

    def _source(self, field: int) -> Value | None:
        if field & 0x100:
            return self._vector("a" if field & 0x200 else "v", field & 0xFF)
        return self._scalar(field & 0xFF)

    def _scalar(self, code: int) -> Value | None:
        if code in INTEGERS:
            return Constant(inline_integer(code))
        if code in FLOATS:
            return Constant(inline_float(code, self.inline))
        if code == LITERAL:
            return Literal(32 if self.type == "fp64" else 0)
        target = self._target
        return scalar_register(code, self.dwords, generation=target.generation, sgprs=target.sgprs)

    def _accumulator_source(self, field: int) -> Value | None:
        return self._source(field | 0x200)

    def _vector_or_accumulator(self, field: int) -> Value | None:
        return self._source(field | 0x100)

    def _matrix(self, field: int) -> Value | None:
        """Return a part of a matrix, whose format is in the bits above the register."""
        form = field >> 10
        if form >= len(_MATRIX_DWORDS) or not field & 0x100:
            return None
        size, number = _MATRIX_DWORDS[form], field & 0xFF
        return (
            Register("a" if field & 0x200 else "v", number, size) if number + size <= 256 else None
        )

    def _data(self, field: int) -> Value | None:
        if "gfx90a" not in self._target.features:
            field &= 0x1FF
        return self._source(field | 0x100)

    def _half_source(self, field: int) -> Value | None:
        return self._half(field) if field & 0x100 else self._scalar(field & 0xFF)

    def _half_lo_source(self, field: int) -> Value | None:
        return self._half_lo(field) if field & 0x100 else self._scalar(field & 0xFF)

    def _sdwa_source(self, field: int) -> Value | None:
        if self._target.generation == 8 or field < 0x100:
            return self._vector("v", field & 0xFF)
        code = field - 0x100
        return None if code == LITERAL else self._scalar(code)

    def _sdwa_mask(self, field: int) -> Value | None:
        return self._scalar(field & 0x7F) if field & 0x80 else Register("vcc", 0, self.dwords)

    def _dpp8_fetch_inactive(self, field: int) -> Value | None:
        return field if field in (0xE9, 0xEA) else None

    def _smem_offset(self, field: int) -> Value | None:
        generation = self._target.generation
        if generation == 8:
            return field & 0xFFFFF
        bits = 24 if generation >= 12 else 21
        return (field & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)

    def _branch(self, field: int) -> Value | None:
        return (field & 0xFFFF ^ 0x8000) - 0x8000

    def _number(self, field: int) -> Value | None:
        return None if field >= RESERVED_FROM.get(self.text, field + 1) else field


_DECODERS: Final[dict[str, Callable[[OperandKind, int], Value | None]]] = {
    "vgpr": OperandKind._vgpr,
    "vgpr_lo": OperandKind._low_vgpr,
    "agpr": OperandKind._agpr,
    "half": OperandKind._half,
    "half_lo": OperandKind._half_lo,
    "src": OperandKind._source,
    "src_k": OperandKind._source,
    "src_acc": OperandKind._accumulator_source,
    "src_half": OperandKind._half_source,
    "src_half_lo": OperandKind._half_lo_source,
    "vector": OperandKind._vector_or_accumulator,
    "data": OperandKind._data,
    "matrix": OperandKind._matrix,
    "mask": OperandKind._source,
    "sdwa_src": OperandKind._sdwa_source,
    "sdwa_mask": OperandKind._sdwa_mask,
    "dual_dst": OperandKind._vgpr,
    "dpp8_fi": OperandKind._dpp8_fetch_inactive,
    "smem_offset": OperandKind._smem_offset,
    "branch": OperandKind._branch,
    "version": OperandKind._number,
    "k": OperandKind._number,
    "number": OperandKind._number,
}
