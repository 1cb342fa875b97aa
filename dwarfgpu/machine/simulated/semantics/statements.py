"""Translate an instruction to Python statements, from the line that declares the instruction.

Every executor is made of these statements: they read `w`, the wave, also by the names of
`PROLOGUE`, compute all results, and only then write any.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.modifiers import OP_SELECT, OP_SELECT_HIGH
from dwarfgpu.isa.named_numbers import hardware_registers
from dwarfgpu.machine.simulated.semantics.control_statements import ControlStatements
from dwarfgpu.machine.simulated.semantics.float_atomics import flushes_of
from dwarfgpu.machine.simulated.semantics.instruction_operands import Bound, bound
from dwarfgpu.machine.simulated.semantics.lane_moves import require_swizzle
from dwarfgpu.machine.simulated.semantics.memory_statements import memory_access
from dwarfgpu.machine.simulated.semantics.operand_text import (
    Operand,
    TypeShape,
    scalar_write,
    type_shape,
)
from dwarfgpu.machine.simulated.semantics.rounding import SATURATES_F16, in_mode
from dwarfgpu.machine.simulated.semantics.scalar_functions import SCALAR_FUNCTIONS, SCALAR_PREFIX
from dwarfgpu.machine.simulated.semantics.small_floats import format_of
from dwarfgpu.machine.simulated.semantics.source_statements import (
    IMMEDIATE_TYPES,
    PLAIN_MODE,
    VCC,
    SourceStatements,
    StepMode,
)
from dwarfgpu.machine.simulated.storage.hardware_registers import (
    require_defined,
    require_writable,
)
from dwarfgpu.machine.simulated.wave_fault import not_simulated

PROLOGUE: Final = {
    "on": "active",
    **{name: name for name in ("s", "v", "i", "f", "av", "ai", "af")},
}
"""Names that statements may use, and the attribute of the wave that each is."""
_NAMES: Final = {
    "scc": "w.scc",
    "vcc": "w.vcc_of_lanes",
    "exec": "w.exec",
    "pc": "{next}",
    "mode": "w.mode",
    "clock": "w.clock",
    "active": "w.active_lanes",
    "lane": "w.lane",
}
"""Names of expressions that are not operands."""
_WORD: Final = pattern(r"\b[A-Za-z_]\w*\b(?!\()")
_CALL: Final = pattern(r"\b([A-Za-z_]\w*)\(")
_NUMBER: Final = pattern(r"\b(?:scalar32|u32)\(")
_FIELDS: Final = frozenset(
    {"key", "high", "byte", "clamp", "fetch", "part", "start", "scale_a", "scale_b"}
)
_FACTORS: Final = {1: "2", 2: "4", 3: "0.5"}
"""The factors of the modifier omod."""
_HALF: Final = type_shape("f16")
_MARKED_HALVES: Final = (("half_source(", True), ("half_result(", False))
"""What expressions write around an f16 that is a part of a b32, and whether it is a source."""
_OVERFLOWS: Final = pattern(r"_(add|sub|mul(?!_hi)|mad|m?sad|dot)")
"""In the names of integer operations, whose result may be out of the range of its type."""
_MASKED: Final = pattern(r"(?:\b(i16|i32|i64)|(?<!\w))\(([abc]) & (\d+)( - 1)?\)")


def statements(
    instruction: Instruction,
    target: IsaTarget,
    *,
    is_careful: bool = False,
    mode: StepMode = PLAIN_MODE,
    tracks_writes: bool = False,
) -> list[str]:
    """Return the statements; `WaveStop` where the instruction is not simulated.

    `is_careful`: for numbers that an operation turns into a NaN; the processor that executes this
    says so before anything is written (`FloatingPointError`).
    `tracks_writes`: keep `RunningWave.written` up to date.
    """
    pieces = [
        _Piece(item, target, is_careful, mode, tracks_writes=tracks_writes)
        for item in bound(instruction)
    ]
    out: list[str] = []
    if len(pieces) == 1:
        return [*pieces[0].computed(), *pieces[0].written()]
    for number, piece in enumerate(pieces):
        piece.suffix = "xy"[number]
        out += piece.computed()
    return [*out, *(line for piece in pieces for line in piece.written())]


class _Piece(SourceStatements, ControlStatements):
    """One operation of an instruction."""

    def __init__(
        self,
        item: Bound,
        target: IsaTarget,
        is_careful: bool,
        mode: StepMode,
        *,
        tracks_writes: bool,
    ) -> None:
        super().__init__(item, target, mode, tracks_writes=tracks_writes)
        self.is_careful = is_careful
        self.suffix = ""
        self.writes: list[str] = []

    # Results.

    def computed(self) -> list[str]:
        """Return statements up to the results, which are in variables then."""
        operation = self.operation
        if not operation.expression:
            if self._does_nothing:
                return ["pass"]
            return self._control()
        if operation.name == "ds_swizzle_b32":
            require_swizzle(self.item.fields["offset"])
        is_scalar_access = operation.is_scalar and bool(operation.memory)
        lines = [] if is_scalar_access else self._source_lines()
        expressions = [self._filled(part) for part in operation.expression.split(" ; ")]
        if operation.memory:
            flushes = self._flushes("global"), self._flushes("lds")
            access = memory_access(self.item, self.target, self._shape, expressions, flushes)
            if access.results and not self.results:
                raise not_simulated(self.name)
            lines += access.lines
            self.writes = access.writes
            self._write_results(access.results)
            return lines
        clamp = bool(self.item.fields.get("clamp"))
        if len(expressions) < len(operation.results):
            raise not_simulated(self.name)
        variables = []
        for number, (declared, expression) in enumerate(
            zip(operation.results, expressions, strict=True)
        ):
            variable = f"r{number}{self.suffix}"
            if number:
                expression = re.sub(r"\br1\b", f"r1{self.suffix}", expression)
                expression = re.sub(r"\br\b", f"r0{self.suffix}", expression)
                if operation.is_scalar:
                    expression = re.sub(r"\br0\b", self._typed_integer("r0"), expression)
            text = self._modified(declared.name_or_type, expression, clamp)
            # A register itself, which another result may change before this one is written.
            is_view = not operation.is_scalar and re.fullmatch(r"[a-d]", expression)
            if is_view and (len(operation.results) > 1 or self.suffix):
                text = f"copied({expression})"
            lines.append(f"{variable} = {text}")
            variables.append((declared.name_or_type, variable))
        self._write_results(variables)
        return lines

    def _typed_integer(self, name: str) -> str:
        """Return a scalar result as its type has it."""
        declared = self.operation.results[0]
        if not declared.type or self._shape(declared.type).is_float:
            return name
        shape = self._shape(declared.type)
        mask = (1 << shape.bits) - 1
        if shape.kind == "i":
            sign = 1 << shape.bits - 1
            return f"((({name} & {mask:#x}) ^ {sign:#x}) - {sign:#x})"
        return f"({name} & {mask:#x})"

    def _filled(self, expression: str) -> str:
        """Return an expression with the names that are not operands replaced."""
        next_pc = self.item.instruction.address + self.item.instruction.size
        is_scalar = self.operation.is_scalar

        def word(match: re.Match[str]) -> str:
            name = match[0]
            if name == "width":
                return str(self._width())
            if name == "offset":
                return f"{self.item.fields.get('offset', 0):#x}"
            if name == "generation":
                return str(self.target.generation)
            if name == "lane_count":
                return str(self.target.wave_size)
            if name == "table":
                return f"{self.item.fields['bitop3']:#x}"
            if name == "saturates":
                return str(bool(self.mode.rounding & SATURATES_F16))
            if name == "neg":
                return str(self._negations())
            if name == "flushes" and self.operation.memory[0].name != "flat":
                return str(self._flushes(self.operation.memory[0].name))
            if name in _FIELDS:
                return str(self._field(name))
            if name == "hwreg":
                register, mask = self._hardware_register()
                require_defined(register, mask)
                return f"w.hardware_register({register!r})"
            if name == "vcc" and not is_scalar:
                return "lanes_of(w.vcc_of_lanes, w.lane_count)"
            return _NAMES[name].format(next=hex(next_pc)) if name in _NAMES else name

        for marker, is_source in _MARKED_HALVES:
            is_flushed = self.mode.flushes(_HALF, is_source=is_source)
            expression = expression.replace(marker, "flushed(" if is_flushed else "(")
        for kind in ("fp8", "bf8"):
            expression = expression.replace(f'"{kind}"', f'"{format_of(kind, self.target)}"')
        if is_scalar:
            expression = _CALL.sub(lambda match: _scalar_name(match[1]) + "(", expression)
        if self.target.generation >= 12:  # v_min_num_f32 and the like: there is no MODE.IEEE
            expression = re.sub(r"\bfloat_(min|max|median)\b", r"number_\1", expression)
        elif not self.mode.is_ieee:
            expression = re.sub(r"\bfloat_(min|max)\b", r"plain_\1", expression)
        if self.mode.rounding and not self.operation.memory and self._has_floats:
            expression = in_mode(expression, self.mode.rounding)
        expression = _WORD.sub(word, expression)
        return expression if is_scalar else _MASKED.sub(self._shifts, expression)

    def _flushes(self, memory: str) -> int:
        """Return which denormals an update of numbers in a memory makes zeros."""
        declared = self.operation.memory[0]
        bits = 64 if declared.type == "f64" else 32
        is_sum = "atomic_sum(" in self.operation.expression
        return flushes_of(memory, is_sum, bits, self.mode.denormals, self.target)

    def _shifts(self, match: re.Match[str]) -> str:
        """Return the bits of an operand that matter, where it is a constant."""
        kind, letter, mask = match[1], match[2], int(match[3]) - bool(match[4])
        for (type, name), operand in zip(self._operand_sources(), self.sources, strict=False):
            is_plain = not (operand.modifiers & ~OP_SELECT_HIGH or operand.is_sdwa)
            if name == letter and is_plain and operand.register is None:
                shape = self._shape(type)
                if shape.count > 1 and operand.modifiers & OP_SELECT_HIGH:
                    return match[0]  # its elements may differ
                number = int(operand.unsigned(32), 16) & mask
                wide = "u64" if self._width() == 64 else shape.element
                return f"{kind or wide}({number:#x})"
        return match[0]

    @property
    def _has_floats(self) -> bool:
        """Whether MODE rounds what the operation computes; products of matrices it does not."""
        declared_operands = (*self.operation.sources, *self.operation.results)
        types = [declared.name_or_type for declared in declared_operands if declared.type]
        if any(type.startswith("[") for type in types):
            return False
        names = [type for type in types if type != "mask" and type_shape(type).is_float]
        return bool(names) or "_mix" in self.operation.name

    def _field(self, name: str) -> int:
        """Return a number that the encoding has for some operations."""
        fields = self.item.fields
        if name == "key" and "cbsz" in fields:
            return 0 if fields["cbsz"] else fields["abid"]
        if name == "key":
            return fields.get("index_key_8bit", fields.get("index_key_16bit", 0))
        if name == "fetch":
            return self._fetch
        if name == "start":
            return 16 * self._field("high")
        if name == "part":
            return sum(bool(fields[f"src{n}_modifiers"] & OP_SELECT) << n for n in range(2))
        if name in ("scale_a", "scale_b"):  # op_sel and op_sel_hi are the bits of the byte
            return fields[f"scale_src{'ab'.index(name[-1])}_modifiers"] >> 2
        if name == "high":
            return int(bool(fields.get("src0_modifiers", 0) & OP_SELECT_HIGH))
        return fields.get({"byte": "byte_sel"}.get(name, name), 0)

    def _negations(self) -> int:
        """Return neg_lo of the first two sources, which says of integers that they are signed."""
        fields = self.item.fields
        return fields.get("src0_modifiers", 0) & 1 | (fields.get("src1_modifiers", 0) & 1) << 1

    def _hardware_register(self) -> tuple[str, int]:
        """Return the register that an immediate names, and the mask of the bits of it."""
        field = self.item.fields["simm16"]
        name = hardware_registers(self.target).get(field & 63, str(field & 63))
        mask = (2 << (field >> 11 & 31)) - 1 << (field >> 6 & 31)
        return name, mask & 0xFFFFFFFF

    def _modified(self, type: str, expression: str, clamp: bool) -> str:
        """Return a result with output modifiers."""
        if type == "exec" and self.operation.is_scalar:
            return f"({expression}) & w.all_lanes"
        if type.startswith("["):
            return expression
        if type in ("mask", "scc", "exec", "pc", "mode", "hwreg", "a", "m0"):
            return expression
        shape = self._shape(type)
        if self.operation.is_scalar:
            return self._result_in_mode(expression, shape)
        clamping = "clamped" if self.mode.is_dx10_clamp else "clamped_but_nan"
        if "with_clamp(" in expression:
            return expression.replace("with_clamp(", f"{clamping}(" if clamp else "(")
        if shape.is_float:
            omod = self.item.fields.get("omod", 0)
            # It does nothing while denormals are on, or MODE.IEEE, which GFX12 has not.
            is_scaled = omod and not (self.mode.is_ieee and self.target.generation < 12)
            if is_scaled and self.mode.flushes(shape, is_source=False) and not self._moves_bits:
                factor = f"{shape.element}({_FACTORS[omod]})"
                expression = f"({expression}) * {factor} + {shape.element}(0)"  # no -0
            expression = self._result_in_mode(expression, shape)
            if self.is_careful and "logarithm" not in expression:
                expression = f"canonical({', '.join([f'({expression})', *self._float_letters()])})"
            return f"{clamping}({expression})" if clamp else expression
        return self._saturated(shape, expression) if clamp else expression

    def _result_in_mode(self, expression: str, shape: TypeShape) -> str:
        """Return a result with zeros in place of denormal numbers, where MODE has it so."""
        is_exempt = self._moves_bits or self._is_old_extreme
        if is_exempt or not self.mode.flushes(shape, is_source=False):
            return expression
        return f"flushed({expression})"

    def _float_letters(self) -> list[str]:
        """Return the letters of the sources that may be a NaN, of a floating point operation: the
        destination is one where it is read."""
        letters = [
            letter
            for type, letter in self._operand_sources()
            if type == "imm32"
            or (type not in IMMEDIATE_TYPES and type != "mask" and self._shape(type).is_float)
        ]
        return [*letters, "d"] if self._takes_destination else letters

    def _saturated(self, shape: TypeShape, expression: str) -> str:
        """Return an integer result with `clamp`, which is the nearest that its type has."""
        if not _OVERFLOWS.search(self.operation.name):
            if shape.kind == "b":
                raise not_simulated(f"{self.name} with clamp")
            return expression  # conversions, minima and the like are in range
        if shape.bits == 64:
            raise not_simulated(f"{self.name} with clamp")
        wide = re.sub(r"\b([abcd])\b", r"wide(\1)", expression)
        return f"saturated({wide}, '{shape.element}')"

    @property
    def _moves_bits(self) -> bool:
        """Whether a floating point result is an operand as it is, denormal or not."""
        return self.operation.name.startswith("v_div_scale")

    def _write_results(self, variables: list[tuple[str, str]]) -> None:
        destinations = list(self.results)
        for type, variable in variables:
            match type:
                case "scc":
                    self.writes.append(f"w.scc = 1 if {variable} else 0")
                case "pc":
                    self.writes.append(f"w.pc = {variable}")
                case "mode":
                    self.writes.append(f"w.set_mode({variable})")
                case "hwreg":
                    register, bits = self._hardware_register()
                    require_writable(register)
                    self.writes.append(
                        f"w.write_hardware_register({register!r}, {bits:#x}, {variable})"
                    )
                case "exec" if self.operation.is_scalar:
                    self.writes += [f"w.set_exec({variable})", "on = w.active"]
                case "exec":
                    mask = f"mask_of({variable}) & w.exec"
                    self.writes += [f"w.set_exec({mask})", "on = w.active"]
                case "mask":
                    self._write_mask(variable, destinations)
                case "a":
                    self.writes += self._vector_write(
                        self.sources[0], TypeShape(1, "b", 32), variable
                    )
                case _:
                    if not destinations:
                        continue  # an encoding without a field for it
                    destination = destinations.pop(0)
                    if type.startswith("["):
                        kind = type.strip("[]")
                        self.writes += self._tile_write(kind, destination, variable)
                        continue
                    self.writes += self._value_write(destination, self._shape(type), variable)

    def _write_mask(self, variable: str, destinations: list[Operand]) -> None:
        if self.operation.name.startswith("v_cmpx_") and self.target.generation >= 10:
            return
        mask = f"mask_of({variable}) & w.exec"
        register = destinations.pop(0).register if destinations else VCC
        assert register is not None
        if register.bank == "vcc" and not register.first:  # vcc_hi is a register of its own
            self.writes.append(f"w.set_vcc({mask})")
        else:
            self.writes.append(f"{variable} = {mask}")
            self.writes += scalar_write(register, self.target.wave_size // 32, variable)

    def _value_write(self, destination: Operand, shape: TypeShape, variable: str) -> list[str]:
        register = destination.register
        assert register is not None
        if register.bank in ("v", "a"):
            return self._vector_write(destination, shape, variable)
        is_array = not self.operation.is_scalar and "lanes" not in self.operation.flags
        if is_array or shape.is_float:
            return scalar_write(register, shape.dwords, f"int(bits({variable}).flat[0])")
        if self.operation.is_scalar and any(
            self._shape(type).is_float
            for type, _ in self._operand_sources()
            if type not in IMMEDIATE_TYPES
        ):
            return scalar_write(register, shape.dwords, f"int({variable}.flat[0])")
        return scalar_write(register, shape.dwords, f"({variable})")

    def written(self) -> list[str]:
        """Return statements that write the results."""
        return self.writes


def _scalar_name(name: str) -> str:
    """Return a function of expressions over integers, or one of arrays that scalars use as well."""
    scalar = SCALAR_PREFIX + name
    return scalar if scalar in SCALAR_FUNCTIONS else name
