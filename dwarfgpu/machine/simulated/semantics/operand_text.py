"""Instruction operands as Python text: reading a register as a type, and writing it.

The text is of the body of a function of a wave `w` that has `s`, `v`, `i`, `f` (registers as
numbers, as signed numbers, as floats) and `on` (the lanes that are active, None for all).
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.bits import signed
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.isa.modifiers import ABSOLUTE, NEGATE, OP_SELECT, OP_SELECT_HIGH
from dwarfgpu.isa.operands import Constant, Literal, Value
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.storage.scalar_slots import M0, PAIRS, TTMP
from dwarfgpu.machine.simulated.wave_fault import not_simulated

_VECTOR_TYPE: Final = pattern(r"v(\d+)([a-z]+)(\d+)")
_TYPE: Final = pattern(r"([a-z]+)(\d+)")
_BASES: Final = {
    "src_shared_base": "shared_base",
    "src_private_base": "private_base",
    "src_shared_limit": "shared_limit",
    "src_private_limit": "private_limit",
}
_FULL: Final = 0xFFFFFFFF


@frozen
class TypeShape:
    """A type of the declarations."""

    count: int
    """Elements, 1 for a number."""
    kind: str
    """`b u i f bf fp`."""
    bits: int
    """The size in bits of one element."""

    @property
    def dwords(self) -> int:
        return max(1, -(-self.count * self.bits // 32))

    @property
    def element(self) -> str:
        """The name of NumPy's type, `u32` for a `b32`; bf16 are f32."""
        if self.kind == "bf":
            return "f32"
        return f"{'u' if self.kind == 'b' else self.kind}{self.bits}"

    @property
    def is_float(self) -> bool:
        return self.kind in ("f", "bf")


def type_shape(text: str) -> TypeShape:
    """Parse `u32` or `v2f16`; `ValueError` for any other text."""
    if match := _VECTOR_TYPE.fullmatch(text):
        return TypeShape(int(match[1]), match[2], int(match[3]))
    match = _TYPE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return TypeShape(1, match[1], int(match[2]))


@frozen
class Operand:
    """One source or destination of an instruction."""

    value: Value
    literal: int = 0
    modifiers: int = 0
    """`NEGATE`, `ABSOLUTE`, `OP_SELECT` …"""
    select: int = 6
    """For SDWA: 0 to 3 a byte, 4 and 5 a half, 6 all."""
    is_sdwa: bool = False
    is_sign_extended: bool = False
    """For SDWA: the part that `select` says is a signed integer."""
    lanes: str = ""
    """For DPP: the text of the function that moves lanes, `{}` for the register."""
    offset: str = ""
    """Text after the number of a VGPR, where a register says which one it is: ` + s[124]`."""

    @property
    def register(self) -> Register | None:
        return self.value if isinstance(self.value, Register) else None

    @property
    def is_vector(self) -> bool:
        """Has a value for each lane."""
        register = self.register
        return register is not None and register.bank in ("v", "a")

    # Scalars.

    def scalar(self, shape: TypeShape) -> str:
        """Return the operand as a Python integer of a type, signed where the type is."""
        bits = max(shape.bits, 32) if shape.bits != 16 else 16
        text = self.unsigned(bits, is_signed=shape.kind == "i")
        if shape.bits < 32:
            text = f"({text} & {(1 << shape.bits) - 1:#x})"
        if shape.kind == "i":
            sign = 1 << shape.bits - 1
            return f"(({text} ^ {sign:#x}) - {sign:#x})"
        return text

    def unsigned(self, bits: int, *, is_signed: bool = False) -> str:
        """Return the operand as an integer of that many bits, beginning with the lowest dword.

        `is_signed`: a literal, which has 32 bits, is extended by its sign.
        """
        value = self.value
        mask = (1 << max(bits, 32)) - 1
        if isinstance(value, Literal):
            literal = signed(self.literal, 32) if is_signed else self.literal
            return f"{(literal << value.shift) & mask:#x}"
        if isinstance(value, Constant):
            return f"{value.value & mask:#x}"
        if isinstance(value, int):
            return f"{value & mask:#x}"
        return scalar_register_text(value, -(-bits // 32))

    # Vectors.

    def raw(self, dword: int = 0) -> str:
        """Return one dword for each lane, or a NumPy scalar."""
        register = self.register
        if register is not None and self.is_vector:
            bank = "v" if register.bank == "v" else "av"
            text = f"{bank}[{register.first + dword}{self.offset}]"
        elif register is not None:
            number = scalar_register_text(register, dword + 1)
            number = f"{number} >> {32 * dword} & {_FULL:#x}" if dword else number
            text = f"scalar32({number})"
        else:
            constant = int(self.unsigned(64), 16) >> 32 * dword & _FULL
            text = f"u32({constant:#x})"
        if self.lanes:
            text = self.lanes.format(text)
        if self.is_sdwa and self.select != 6:
            text = f"selected({text}, {self.select}, {self.is_sign_extended})"
        return text

    @property
    def is_plain(self) -> bool:
        """A VGPR, as it is."""
        return self.is_vector and not self.lanes and (not self.is_sdwa or self.select == 6)

    def lane_values(self, shape: TypeShape, *, has_signs: bool = True) -> str:
        """Return the operand as an array of a type, or as a NumPy scalar where every lane has the
        same.

        `has_signs`: whether modifiers are signs of floating point numbers.
        """
        text = self._typed(shape)
        if not has_signs or shape.count > 1:
            return text
        if shape.is_float:
            if self.modifiers & ABSOLUTE:
                text = f"absolute({text})"
            return f"-{text}" if self.modifiers & NEGATE else text
        if shape.bits == 32 and shape.kind == "b":
            if self.modifiers & ABSOLUTE:
                text = f"({text} & 0x7fffffff)"
            if self.modifiers & NEGATE:
                text = f"({text} ^ 0x80000000)"
        return text

    def _typed(self, shape: TypeShape) -> str:
        if shape.count > 1:
            return self._elements(shape)
        match shape.bits:
            case 32:
                return self._dword(shape)
            case 64:
                text = self._pair(is_signed=shape.kind == "i")
                return text if shape.kind in "bu" else f"{text}.view({shape.element})"
            case 16:
                is_high = self.modifiers & OP_SELECT or (
                    self.register is not None and self.register.half == "h"
                )
                half = f"{self.raw()} >> 16" if is_high and not self.is_sdwa else self.raw()
                if shape.kind == "bf":
                    return f"(({half}) << 16).view(f32)"
                text = f"u16(({half}) & 0xffff)"
                return text if shape.kind in "bu" else f"{text}.view({shape.element})"
            case 24:
                if shape.kind == "i":
                    return f"({self.raw()}.view(i32) << 8 >> 8)"
                return f"({self.raw()} & 0xffffff)"
            case 8:
                return self.raw()
        raise not_simulated(f"an operand of type {shape.kind}{shape.bits}")

    def _pair(self, *, is_signed: bool = False) -> str:
        """Return the number of 64 bits that begins in a register."""
        if self.is_vector or self.lanes or self.is_sdwa:
            return f"pair({self.raw(0)}, {self.raw(1)})"
        number = self.unsigned(64, is_signed=is_signed)
        return f"scalar64({number})" if self.register is not None else f"u64({number})"

    def _dword(self, shape: TypeShape) -> str:
        register = self.register
        if shape.kind in "bu":
            return self.raw()
        if register is not None and self.is_plain:
            bank = {"v": "", "a": "a"}[register.bank] + shape.kind
            return f"{bank}[{register.first}{self.offset}]"
        return f"{self.raw()}.view({shape.element})"

    def _elements(self, shape: TypeShape) -> str:
        """Return an array of two axes: elements, lanes."""
        if shape.bits == 64:
            pairs = (f"pair({self.raw(2 * n)}, {self.raw(2 * n + 1)})" for n in range(shape.count))
            return f"stacked(({', '.join(pairs)}), w, {shape.element})"
        if shape.bits == 32 and shape.count == 2:
            first = 1 if self.modifiers & OP_SELECT else 0
            second = 1 if self.modifiers & OP_SELECT_HIGH else 0
            parts = [self.raw(first), self.raw(second)]
            return self._signed_pair(f"stacked(({', '.join(parts)}), w, {shape.element})", shape)
        if shape.bits == 32:
            raws = ", ".join(self.raw(n) for n in range(shape.count))
            return f"stacked(({raws}), w, {shape.element})"
        if shape.bits == 16 and shape.count == 2:
            first, second = bool(self.modifiers & OP_SELECT), bool(self.modifiers & OP_SELECT_HIGH)
            kind = "bf16" if shape.kind == "bf" else shape.element
            text = f"two_halves({self.raw()}, {first:d}, {second:d}, w, '{kind}')"
            return self._signed_pair(text, shape)
        if shape.bits in (4, 8) and shape.count * shape.bits == 32:
            return f"small_elements({self.raw()}, {shape.bits}, {shape.kind == 'i'}, w)"
        raise not_simulated(f"an operand of {shape.count} {shape.kind}{shape.bits}")

    def _signed_pair(self, text: str, shape: TypeShape) -> str:
        """Return two elements with neg_lo and neg_hi, which are the bits of neg and abs."""
        signs = self.modifiers & (NEGATE | ABSOLUTE)
        return f"negated({text}, {signs})" if signs and shape.is_float else text


def scalar_register_text(register: Register, dwords: int) -> str:
    """Return the text of scalar registers as one integer; `WaveStop` for one that is not
    simulated."""
    bank, first, _, _ = register
    if bank in ("s", "ttmp") or bank in PAIRS:
        number = first + {"s": 0, "ttmp": TTMP, **PAIRS}[bank]
        parts = [f"s[{number + n}] << {32 * n}" if n else f"s[{number}]" for n in range(dwords)]
        return parts[0] if dwords == 1 else f"({' | '.join(parts)})"
    if bank == "vcc" or bank == "exec":
        if dwords > 1:
            return f"w.{bank}"
        return f"(w.{bank} >> 32)" if first else f"(w.{bank} & {_FULL:#x})"
    if bank == "m0":
        return f"s[{M0}]"
    if bank == "null":
        return "0"
    if bank in _BASES and dwords > 1:
        return f"w.{_BASES[bank]}"
    conditions = {
        "src_scc": "w.scc",
        "src_vccz": "(not w.vcc_of_lanes)",
        "src_execz": "(not w.exec)",
    }
    if bank in conditions:
        return f"int({conditions[bank]})"
    raise not_simulated(f"{register.name} as an operand")


def scalar_write(register: Register, dwords: int, value: str) -> list[str]:
    """Return statements that write an integer to scalar registers."""
    bank, first, _, _ = register
    if bank in ("s", "ttmp") or bank in PAIRS:
        number = first + {"s": 0, "ttmp": TTMP, **PAIRS}[bank]
        if dwords == 1:
            return [f"s[{number}] = {value} & {_FULL:#x}"]
        return [
            f"s[{number + n}] = {value} >> {32 * n} & {_FULL:#x}"
            if n
            else f"s[{number}] = {value} & {_FULL:#x}"
            for n in range(dwords)
        ]
    if bank == "m0":
        return [f"s[{M0}] = {value} & {_FULL:#x}"]
    if bank == "null":
        return []
    if bank == "vcc":
        if dwords > 1:
            return [f"w.vcc = {value} & {(1 << 64) - 1:#x}"]
        return [f"w.set_vcc_dword({first}, {value})"]
    if bank == "exec":
        if dwords > 1:
            exec_text = value
        elif first:
            exec_text = f"w.exec & {_FULL:#x} | ({value} & {_FULL:#x}) << 32"
        else:
            exec_text = f"w.exec >> 32 << 32 | {value} & {_FULL:#x}"
        return [f"w.set_exec({exec_text})", "on = w.active"]
    raise not_simulated(f"writing {register.name}")
