"""The operands of an instruction as it executes: `dwarfgpu.isa.binding`, with all modifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import frozen
from dwarfgpu.isa.binding import OperandFields, Where, operand_fields
from dwarfgpu.isa.formats import Format
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.modifiers import OP_SELECT, OP_SELECT_HIGH, SIGN_EXTEND
from dwarfgpu.isa.operands import Value
from dwarfgpu.isa.operation import ALIASES, DeclaredOperand, Operation
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.operand_text import Operand
from dwarfgpu.machine.simulated.wave_fault import not_simulated

_HALVES: Final = frozenset({"b16", "u16", "i16", "f16", "bf16"})
_DPP8: Final = "dpp8"


@frozen
class Bound:
    """One operation with its operands; a VOPD instruction has two."""

    operation: Operation
    results: tuple[Operand, ...]
    sources: tuple[Operand, ...]
    fields: dict[str, int]
    """All fields of the instruction by LLVM's names."""
    address: dict[str, Operand]
    """`vaddr`, `saddr`, `addr`, `srsrc`, `soffset`, `sbase`."""
    instruction: Instruction

    @property
    def has_dpp(self) -> bool:
        return "dpp_ctrl" in self.fields or _DPP8 in self.fields

    @property
    def is_sdwa(self) -> bool:
        return "src0_sel" in self.fields


def bound(instruction: Instruction) -> tuple[Bound, ...]:
    """Return the operations of an instruction with their operands; `WaveStop` for an instruction
    with a register or a constant that its encoding does not allow."""
    return tuple(_one(instruction, fields) for fields in operand_fields(instruction.encoding))


def _one(instruction: Instruction, bound_fields: OperandFields) -> Bound:
    form = instruction.encoding.format
    values = form.values(instruction.word, instruction.extra)
    fields = dict(zip(form.names, values, strict=True))
    decoded = _decoded(instruction, values, fields)
    control = fields.get("dpp_ctrl")
    if control is not None and "/*" in form.dpp_control_text(control):
        raise not_simulated(f"dpp_ctrl {control:#x} of {form.target.processor}")

    def chosen(
        operands: Sequence[tuple[DeclaredOperand, Where]],
    ) -> Iterator[tuple[str, Value]]:
        """Yield the fields of operands, except aliases."""
        for declared, where in operands:
            name = form.names[where] if isinstance(where, int) else "vdata"
            is_field = isinstance(where, int) or where == "returned"
            if is_field and declared.name not in ALIASES and name in decoded:
                yield name, _half_register(form, decoded[name], declared)

    lanes = _lane_moves(fields)
    results: list[Operand] = []
    for name, value in chosen(bound_fields.results):
        modifiers = 0
        if name != "vdata":
            modifiers = fields.get("src0_modifiers", 0) | _selects(form, instruction.word, 3) << 1
        results.append(Operand(value, modifiers=modifiers))
    sources: list[Operand] = []
    for name, value in chosen(bound_fields.sources):
        stem = name.rstrip("XY")
        modifiers = _modifiers(form, instruction.word, stem, fields)
        # The lowest bit of integers is `sext`, that of floats `neg`.
        is_sign_extended = _has_sign_extension(form, stem) and bool(modifiers & SIGN_EXTEND)
        sources.append(
            Operand(
                value,
                fields.get("imm", instruction.literal),
                modifiers & ~SIGN_EXTEND if is_sign_extended else modifiers,
                fields.get(f"{stem}_sel", 6),
                f"{stem}_sel" in fields,
                is_sign_extended,
                lanes if stem == "src0" else "",
            )
        )
    addresses = [form.names[index] for index in bound_fields.addresses]
    address = {
        name: Operand(decoded[name], instruction.literal) for name in addresses if name in decoded
    }
    return Bound(
        bound_fields.operation, tuple(results), tuple(sources), fields, address, instruction
    )


def _decoded(
    instruction: Instruction, values: Sequence[int], fields: Mapping[str, int]
) -> dict[str, Value]:
    """Return what the fields mean; `WaveStop` for a value that the encoding does not take."""
    form = instruction.encoding.format
    decoded: dict[str, Value] = {}
    for name, kind, field in zip(form.names, form.kinds, values, strict=True):
        value = kind.value(field)
        if kind.decoder == "dual_dst" and isinstance(value, Register):
            value = value._replace(first=value.first | ~fields["vdstX"] & 1)
        if value is None and kind.decoder == "vgpr_lo":
            value = Register("v", field & 0x7F, 1, "h")
        if value is not None:
            is_taken = kind.takes(value) or _is_taken_anyway(form, value)
            if not is_taken or _is_missing(form, value):
                text = kind.field_text(field, instruction.literal).partition("/*")[0]
                raise not_simulated(f"{text} as {name} of {instruction.mnemonic}")
            decoded[name] = value
    return decoded


def _has_true16(form: Format) -> bool:
    """Return whether VGPRs from 128 on are high halves where an operand has 16 bits."""
    is_short = form.flags & {"VOP1", "VOP2", "VOPC"} and form.size == 4
    return form.target.generation >= 11 and bool(is_short)


def _is_taken_anyway(form: Format, value: Value) -> bool:
    """Return whether hardware has a register that LLVM 19 calls invalid: a high half, or an SGPR of
    `v_interp_p10_f32` and its like."""
    if not isinstance(value, Register):
        return False
    return "VINTERP" in form.flags or _has_true16(form) and value.bank == "v"


def _is_missing(form: Format, value: Value) -> bool:
    """Return whether a register is `null`, which LLVM's tables have for processors before GFX10,
    too: there its number is reserved."""
    return isinstance(value, Register) and value.bank == "null" and form.target.generation < 10


def _half_register(form: Format, value: Value, declared: DeclaredOperand) -> Value:
    """Return the register with its half: on GFX11 the registers from 128 on are high halves, where
    32-bit encodings have 16 bits."""
    if not (isinstance(value, Register) and value.bank == "v" and _has_true16(form)):
        return value
    if value.first < 128 or declared.name_or_type not in _HALVES:
        return value
    return value._replace(first=value.first - 128, half="h")


def _modifiers(form: Format, word: int, stem: str, fields: dict[str, int]) -> int:
    """Return the modifiers of a source; without any, packed elements are in order."""
    modifiers = fields.get(f"{stem}_modifiers")
    selects = _selects(form, word, int(stem[-1])) if is_decimal(stem[-1]) else 0
    if modifiers is None or "VOP3P" not in form.flags:
        selects |= OP_SELECT_HIGH
    return (modifiers or 0) | selects


def _has_sign_extension(form: Format, stem: str) -> bool:
    """Return whether an encoding has the modifier `sext` for a source, as SDWA has."""
    index = form.index.get(f"{stem}_modifiers")
    return index is not None and form.kinds[index].text == "operand_and_int_input_mods"


def _selects(form: Format, word: int, number: int) -> int:
    """Return the bit of op_sel of VOP3 on GFX11, which tables of "fake16" do not have as a
    field."""
    if form.target.generation < 11 or "VOP3" not in form.flags or "VOP3P" in form.flags:
        return 0
    if "sdst" in form.index and "vdst" in form.index:
        return 0
    return OP_SELECT if word >> 11 + number & 1 else 0


def _lane_moves(fields: dict[str, int]) -> str:
    """Return the text of the function that DPP applies to the first source."""
    if _DPP8 in fields:
        return f"moved8({{}}, {fields[_DPP8]:#x}, {fields['fi'] in (1, 0xEA)}, w)"
    if "dpp_ctrl" in fields:
        return f"moved({{}}, {fields['dpp_ctrl']:#x}, {bool(fields.get('fi', 0))}, w)"
    return ""
