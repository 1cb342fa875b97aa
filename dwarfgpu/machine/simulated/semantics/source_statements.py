"""Statements that load an operation's sources into variables, by their types and the mode."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.modifiers import OP_SELECT, OP_SELECT_HIGH
from dwarfgpu.isa.operands import Constant
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.instruction_operands import Bound
from dwarfgpu.machine.simulated.semantics.operand_text import (
    Operand,
    TypeShape,
    scalar_register_text,
    type_shape,
)
from dwarfgpu.machine.simulated.semantics.tile_statements import TileStatements
from dwarfgpu.machine.simulated.semantics.vector_bytes import selects_half
from dwarfgpu.machine.simulated.storage.allocated_registers import AllocatedRegisters
from dwarfgpu.machine.simulated.storage.scalar_slots import M0
from dwarfgpu.machine.simulated.wave_fault import not_simulated

_LETTERS: Final = "abcdefgh".replace("d", "")
IMMEDIATE_TYPES: Final = frozenset({"imm", "imm16", "imm32", "label"})
MOVES_BY_M0: Final = {
    "v_movrels_b32": 1,
    "v_movreld_b32": 8,
    "v_movrelsd_b32": 9,
    "v_movrelsd_2_b32": 9,
}
"""Which operands of an instruction M0 moves, as bits of `StepMode.indexed`."""
_REPLICATED: Final = frozenset({"v_dot2_f16_f16", "v_dot2_bf16_bf16"})
"""Operations whose inline constants are in both halves of a source (RDNA3 ISA, 7.2.1)."""
_MOST_INTEGER: Final = 64
"""The greatest inline constant that is an integer."""
_FACTOR_FIRST: Final = ("v_fmamk_", "v_madmk_")
"""Operations with a constant before the last source."""
_MOVES: Final = ("v_mov_b", "v_accvgpr_write")
"""Operations whose result may be one number for all lanes."""
_TESTS_OF_BITS: Final = ("v_cmp_class_", "v_cmpx_class_")
"""Operations to which a denormal number is one, whatever MODE says: LLVM selects them for
`llvm.is.fpclass`, which does not depend on it."""
_EXTREMES: Final = pattern(r"v_(min|max|med)3?_f")
"""Operations that do not flush before GFX9 (`supportsMinMaxDenormModes` of LLVM)."""
VCC: Final = Register("vcc", 0, 2)


@frozen(eq=False)
class StepMode:
    """What instructions depend on besides their bits; one object for equal ones."""

    indexed: int = 0
    """Bits of `s_set_gpr_idx_on`, for the three sources and the destination."""
    denormals: int = 0xF
    """FP_DENORM of MODE: denormal sources (1) and results (2) of f32, and (4, 8) of others."""
    rounding: int = 0
    """FP_ROUND with FP16_OVFL and EXCP_EN, as `rounding.in_mode` takes it."""
    is_ieee: bool = True
    """IEEE of MODE: signalling NaN are not like others."""
    is_dx10_clamp: bool = True
    """DX10_CLAMP of MODE: `clamp` turns NaN into zero."""
    allocated: AllocatedRegisters | None = None
    """Registers that instructions may name; None for all."""

    def flushes(self, shape: TypeShape, *, is_source: bool) -> bool:
        """Return whether denormal numbers of a type are zeros."""
        if shape.kind != "f":
            return False
        bit = (1 if is_source else 2) << (0 if shape.bits == 32 else 2)
        return not self.denormals & bit


PLAIN_MODE: Final = StepMode()


class SourceStatements(TileStatements):
    """The sources of one operation of an instruction."""

    def __init__(
        self, item: Bound, target: IsaTarget, mode: StepMode, *, tracks_writes: bool
    ) -> None:
        super().__init__(item, target, tracks_writes=tracks_writes)
        self.mode = mode
        self.sources = list(item.sources)
        self.results = list(item.results)
        if item.operation.name.startswith("v_"):
            self._index(mode.indexed)

    def _index(self, indexed: int) -> None:
        """Say which VGPRs are those of a number and M0."""
        offset = to = f"s[{M0}] & 0xff"
        name = self.operation.name
        if name in MOVES_BY_M0:
            indexed, offset = MOVES_BY_M0[name], f"s[{M0}]"
            to = offset
        if name == "v_movrelsd_2_b32":
            offset, to = f"s[{M0}] & 0x3ff", f"s[{M0}] >> 16 & 0x3ff"
        if name.startswith(_FACTOR_FIRST) and indexed >> 1 & 1 != indexed >> 2 & 1:
            # The last source is in the field VSRC1, but the third of a product and a sum.
            raise not_simulated(f"{self.name} with an index")
        for number, source in enumerate(self.sources[:3]):
            register = source.register
            if indexed >> number & 1 and register is not None and register.bank == "v":
                self.sources[number] = evolve(source, offset=_offset(register, offset))
        destination = self.results[0].register if self.results else None
        if indexed & 8 and destination is not None and self.results[0].is_vector:
            self.results[0] = evolve(self.results[0], offset=_offset(destination, to))

    def _shape(self, text: str) -> TypeShape:
        if text == "mask":
            return TypeShape(1, "b", self.target.wave_size)
        try:
            return type_shape(text)
        except ValueError:
            raise not_simulated(self.name) from None

    def _width(self) -> int:
        """Return bits of the widest operand."""
        shapes = [
            self._shape(declared.type)
            for declared in (*self.operation.sources, *self.operation.results)
            if declared.type
            and not declared.is_memory
            and declared.type != "mask"
            and declared.type[0] != "["
        ]
        return max((shape.bits for shape in shapes), default=32)

    def _operand_sources(self) -> list[tuple[str, str]]:
        """Return the type and the letter of each source that is an operand."""
        letters = iter(_LETTERS)
        return [
            (declared.name_or_type, next(letters))
            for declared in self.operation.sources
            if declared.is_operand
        ]

    def _source_lines(self) -> list[str]:
        is_scalar = self.operation.is_scalar
        lines = []
        operands = iter(self.sources)
        values: list[tuple[str, str, bool]] = []
        for type, letter in self._operand_sources():
            if type == "mask":
                operand = next(operands, None)
                register = VCC if operand is None else operand.register
                if register is None and operand is not None:
                    number = operand.unsigned(64)
                else:
                    assert register is not None
                    number = scalar_register_text(register, self.target.wave_size // 32)
                values.append((letter, f"lanes_of({number} & w.all_lanes, w.lane_count)", True))
                continue
            operand = next(operands, None)
            if operand is None:
                raise not_simulated(self.name)
            if type in IMMEDIATE_TYPES:
                values.append((letter, self._immediate(type, operand), False))
                continue
            if type.startswith("["):
                values.append((letter, self._tile(type.strip("[]"), operand), True))
                continue
            shape = self._shape(type)
            if is_scalar:
                values.append((letter, self._scalar_source(operand, shape), False))
            else:
                values.append((letter, self._lane_source(operand, shape), operand.is_vector))
        if self._takes_destination:
            declared = next(declared for declared in self.operation.results if declared.type)
            before = (
                self._tile(declared.type.strip("[]"), self.results[0])
                if declared.type.startswith("[")
                else self._destination_before()
            )
            values.append(("d", before, not is_scalar))
        is_move = self.name.startswith(_MOVES)
        if not (is_scalar or is_move or any(is_array for _, _, is_array in values)) and values:
            letter, text, _ = values[0]
            values[0] = letter, f"broadcast({text}, w)", True
        for letter, text, _ in values:
            lines.append(f"{letter} = {text}")
        return lines

    @property
    def _takes_destination(self) -> bool:
        """Whether what the first destination has had is a source."""
        is_declared = "d" in [declared.name for declared in self.operation.sources]
        return is_declared or bool(re.search(r"\bd\b", self.operation.expression))

    def _lane_source(self, operand: Operand, shape: TypeShape) -> str:
        if isinstance(operand.value, Constant):
            operand = self._constant(operand)
        if self._is_mix and shape.kind == "f":
            return self._mixed(operand)
        if self.operation.name.startswith("v_mfma_scale"):
            operand = _without(operand, OP_SELECT | OP_SELECT_HIGH)  # they choose a byte
        has_signs = "src0_modifiers" in self.item.fields or "src1_modifiers" in self.item.fields
        if shape.count == 1 and "op_sel_hi" in self._form_text and shape.is_float:
            # Of a packed operation with a plain source (v_dot2): signs alone.
            operand = _without(operand, OP_SELECT | OP_SELECT_HIGH)
        return self._in_mode(operand.lane_values(shape, has_signs=has_signs), shape)

    def _in_mode(self, text: str, shape: TypeShape) -> str:
        """Return a source with zeros in place of denormal numbers, where MODE has it so."""
        if self.operation.memory or self.operation.name.startswith(_TESTS_OF_BITS):
            return text  # updates of memory flush what they compute with (float_atomics)
        if self._is_old_extreme or not self.mode.flushes(shape, is_source=True):
            return text
        return f"flushed({text})"

    @property
    def _is_old_extreme(self) -> bool:
        """Whether the operation is a minimum or maximum that keeps denormal numbers."""
        return self.target.generation < 9 and bool(_EXTREMES.match(self.operation.name))

    @property
    def _form_text(self) -> str:
        return self.item.instruction.encoding.format.syntax

    @property
    def _is_mix(self) -> bool:
        return "_mix" in self.operation.name

    def _constant(self, operand: Operand) -> Operand:
        """Return a source that is an inline constant with both halves the same, where they are."""
        name, number = self.operation.name, int(operand.unsigned(32), 16)
        is_packed = self.target.generation >= 11 and number
        is_integer = number <= _MOST_INTEGER or number >> 31
        if is_packed and (name == "v_dot2c_f32_f16" or name == "v_pk_fmac_f16" and is_integer):
            # No document has the high half of these, and of v_dot2acc_f32_f16 LLVM's tables of
            # dual instructions disagree on the low one.
            raise not_simulated(f"a constant as a source of {self.name}")
        if name in _REPLICATED or is_packed and name == "v_pk_fmac_f16":
            return _without(operand, OP_SELECT | OP_SELECT_HIGH)
        return operand

    def _mixed(self, operand: Operand) -> str:
        """Return an f32, or with op_sel_hi a half that op_sel chooses."""
        modifiers = operand.modifiers
        plain = _without(operand, OP_SELECT | OP_SELECT_HIGH | 3)
        if modifiers & OP_SELECT_HIGH:
            chosen = _without(operand, OP_SELECT_HIGH | 3)
            half = type_shape("f16")
            text = f"f32({self._in_mode(chosen.lane_values(half, has_signs=False), half)})"
        else:
            single = type_shape("f32")
            text = self._in_mode(plain.lane_values(single, has_signs=False), single)
        if modifiers & 2:
            text = f"absolute({text})"
        return f"-{text}" if modifiers & 1 else text

    def _scalar_source(self, operand: Operand, shape: TypeShape) -> str:
        if shape.is_float:
            text = (
                operand.lane_values(shape, has_signs=False)
                .replace("scalar32(", "one(")
                .replace("u32(", "one(", 1)
            )
            return self._in_mode(text, shape)
        return operand.scalar(shape)

    def _immediate(self, type: str, operand: Operand) -> str:
        instruction = self.item.instruction
        if type == "label":
            target = instruction.branch_target
            assert target is not None
            return hex(target)
        value = operand.value
        if not isinstance(value, int):
            raise not_simulated(self.name)
        if type == "imm32":
            kind = self.operation.results[0].name_or_type
            if kind in ("f16", "f32"):
                shape = self._shape(kind)
                number = value & (1 << shape.bits) - 1
                return self._in_mode(f"u{shape.bits}({number:#x}).view({kind})", shape)
            return hex(value & 0xFFFFFFFF)
        types = {declared.name_or_type for declared in self.operation.sources}
        if type == "imm16" and "u32" not in types:
            return str((value & 0xFFFF ^ 0x8000) - 0x8000)
        return hex(value)

    def _destination_before(self) -> str:
        """Return what the first destination has had."""
        declared = next(declared for declared in self.operation.results if declared.type)
        shape = self._shape(declared.type)
        destination = self.results[0]
        if self.operation.is_scalar:
            return self._scalar_source(destination, shape)
        if destination.offset:  # which of the two registers is read, AMD's documents do not say
            raise not_simulated(f"{self.name} with an index")
        high = destination.modifiers & OP_SELECT_HIGH and selects_half(self.item, self.target)
        operand = Operand(destination.value, modifiers=OP_SELECT if high else 0)
        if shape.count == 2 and shape.bits == 16:
            operand = Operand(destination.value, modifiers=OP_SELECT_HIGH)
        if shape.count == 2 and shape.bits == 32:
            operand = Operand(destination.value, modifiers=OP_SELECT_HIGH)
        return self._in_mode(operand.lane_values(shape, has_signs=False), shape)


def _offset(register: Register, index: str) -> str:
    """Return the Python text that adds the offset of a VGPR to its number."""
    return f" + w.vgpr_offset({register.first}, {index}, {register.size})"


def _without(operand: Operand, modifiers: int) -> Operand:
    """Return an operand without some modifiers."""
    return evolve(operand, modifiers=operand.modifiers & ~modifiers)
