"""Which fields of an instruction are the operands of its operation, in their order."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.isa.binding import operations_of
from dwarfgpu.isa.formats import Format
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.modifiers import OP_SELECT, OP_SELECT_HIGH
from dwarfgpu.isa.operands import Value
from dwarfgpu.isa.operation import Operation
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.faults import not_simulated
from dwarfgpu.machine.simulated.semantics.operand_text import Operand

_SOURCE: Final = re.compile(r"(v?src\d|idx|imm|simm16|vdata|sdata|data\d)[XY]?")
_RESULT: Final = re.compile(r"[vs]dst[XY]?")
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
    """The operations of an instruction with their operands; `WaveStop` for one that has a register
    or a constant where its encoding takes none."""
    operations = operations_of(instruction.encoding)
    halves = "XY" if len(operations) > 1 else ("",)
    return tuple(
        _one(instruction, operation, half)
        for operation, half in zip(operations, halves, strict=True)
    )


def _one(instruction: Instruction, operation: Operation, half: str) -> Bound:
    form = instruction.encoding.format
    values = form.values(instruction.word, instruction.extra)
    fields = dict(zip(form.names, values, strict=True))
    decoded: dict[str, Value] = {}
    for name, kind, field in zip(form.names, form.kinds, values, strict=True):
        value = kind.value(field)
        if kind.decoder == "dual_dst" and isinstance(value, Register):
            value = value._replace(first=value.first | ~fields["vdstX"] & 1)
        if value is None and kind.decoder == "vgpr_lo":
            value = Register("v", field & 0x7F, 1, "h")
        if value is not None:
            if not (kind.takes(value) or _is_taken_anyway(form, value)):
                text = kind.field_text(field, instruction.literal).partition("/*")[0]
                raise not_simulated(f"{text} as {name} of {instruction.mnemonic}")
            decoded[name] = value
    control = fields.get("dpp_ctrl")
    if control is not None and "/*" in form.dpp_control_text(control):
        raise not_simulated(f"dpp_ctrl {control:#x} of {form.target.processor}")
    lanes = _lane_moves(fields)
    results: list[Operand] = []
    sources: list[Operand] = []
    address: dict[str, Operand] = {}
    has_results = any(place.type for place in operation.results)
    has_true16 = _has_true16(form)
    takes_address = "lanes" in operation.flags  # ds_bpermute_b32
    for name in form.names:
        if name not in decoded:
            continue
        if half and name[-1] in "XY" and name[-1] != half:
            continue
        value = decoded[name]
        if has_true16 and isinstance(value, Register) and value.bank == "v":
            value = _half_register(value, name, operation)
        is_loaded = name == "vdata" and operation.is_load and "vdst" not in decoded
        if is_loaded and (not operation.is_atomic or "IsAtomicRet" in form.flags):
            results.append(Operand(value))
        if is_loaded and not operation.is_atomic:
            continue
        if _RESULT.fullmatch(name) and has_results:
            modifiers = fields.get("src0_modifiers", 0) | _selects(form, instruction.word, 3) << 1
            results.append(Operand(value, modifiers=modifiers))
        elif _SOURCE.fullmatch(name) or _RESULT.fullmatch(name) or takes_address and name == "addr":
            if name == "imm" and not _takes_immediate(operation):
                continue
            stem = name.rstrip("XY")
            sources.append(
                Operand(
                    value,
                    fields.get("imm", instruction.literal),
                    _modifiers(form, instruction.word, stem, fields),
                    fields.get(f"{stem}_sel", 6),
                    f"{stem}_sel" in fields,
                    lanes if stem == "src0" else "",
                )
            )
        elif name in ("vaddr", "saddr", "addr", "srsrc", "soffset", "sbase"):
            address[name] = Operand(value, instruction.literal)
    return Bound(operation, tuple(results), tuple(sources), fields, address, instruction)


def _has_true16(form: Format) -> bool:
    """Whether VGPRs from 128 on are high halves where an operand has 16 bits."""
    is_short = form.flags & {"VOP1", "VOP2", "VOPC"} and form.size == 4
    return form.target.generation >= 11 and bool(is_short)


def _is_taken_anyway(form: Format, value: Value) -> bool:
    """Whether hardware has a register that LLVM 19 calls invalid: a high half, or an SGPR of
    `v_interp_p10_f32` and its like."""
    if not isinstance(value, Register):
        return False
    return "VINTERP" in form.flags or _has_true16(form) and value.bank == "v"


def _half_register(value: Register, name: str, operation: Operation) -> Register:
    """On GFX11 the registers from 128 on are high halves, where 32-bit encodings have 16 bits."""
    places = operation.results if _RESULT.fullmatch(name) else operation.sources
    operands = [place for place in places if place.is_operand]
    number = 0 if _RESULT.fullmatch(name) else int(name[-1]) if name[-1].isdigit() else 0
    if number >= len(operands) or value.first < 128:
        return value
    is_half = operands[number].name in ("b16", "u16", "i16", "f16", "bf16")
    return value._replace(first=value.first - 128, half="h") if is_half else value


def _modifiers(form: Format, word: int, stem: str, fields: dict[str, int]) -> int:
    """The modifiers of a source; without any, packed elements are in order."""
    known = fields.get(f"{stem}_modifiers")
    selects = _selects(form, word, int(stem[-1])) if stem[-1].isdigit() else 0
    if known is None or "VOP3P" not in form.flags:
        selects |= OP_SELECT_HIGH
    return (known or 0) | selects


def _selects(form: Format, word: int, number: int) -> int:
    """The bit of op_sel of VOP3 on GFX11, which tables of "fake16" do not have as a field."""
    if form.target.generation < 11 or "VOP3" not in form.flags or "VOP3P" in form.flags:
        return 0
    if "sdst" in form.index and "vdst" in form.index:
        return 0
    return OP_SELECT if word >> 11 + number & 1 else 0


def _takes_immediate(operation: Operation) -> bool:
    return any(place.name in ("imm32", "imm", "imm16") for place in operation.sources)


def _lane_moves(fields: dict[str, int]) -> str:
    """The text of the function that DPP applies to the first source."""
    if _DPP8 in fields:
        return f"moved8({{}}, {fields[_DPP8]:#x}, {fields['fi'] in (1, 0xEA)}, w)"
    if "dpp_ctrl" in fields:
        return f"moved({{}}, {fields['dpp_ctrl']:#x}, {bool(fields.get('fi', 0))}, w)"
    return ""
