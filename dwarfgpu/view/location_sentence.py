"""The location that an expression describes, in words (AMD text A.2.5.4).

Law: words stand only for operations with exactly that meaning; the operations themselves are shown
beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.bits import from_bytes
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.coverage.coverage import Description
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import padding_bits, size_bits
from dwarfgpu.dwarf.types.types import Dynamic, Pointer, strip
from dwarfgpu.errors import DwarfGpuError, plural
from dwarfgpu.expr.context import ConstValue, ExprLoc, Unit
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.upstream_clang import SCRATCH, register_read_two_ways, translated
from dwarfgpu.expr.dialect.vgpr_contents import register_of_address, registers_in_private_memory
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.expr.static_check.extent import Extent
from dwarfgpu.expr.text.assembly import readable_text
from dwarfgpu.expr.wide_registers import register_name
from dwarfgpu.model.object import Bits
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.values import format_value

_MAX_PARTS: Final = 4
_MAX_CHARACTERS: Final = 300
"""Maximum length of operations; the bytes of longer ones are in the JSON output."""
_CONSTANT: Final = FormatOptions(characters=_MAX_CHARACTERS)
_PIECE_END: Final = "LLVM_piece_end"
_VALUE_SECTIONS: Final = "A.2.5.4.3"
"""The section of the operations that leave a value, which as a location is a memory address."""


def extent_text(extent: Extent) -> str:
    """Return the parts that an expression omits: `bits 32-63 optimized out`; empty if none."""
    match extent.completeness:
        case "whole":
            return ""
        case "nothing":
            return "a value of 0 bytes" if extent.is_value else "optimized out"
        case "partly" if extent.is_value:
            ((given_bits, missing_bits),) = extent.undefined
            return f"{given_bits} of the {given_bits + missing_bits} bits of its type"
        case "partly":
            parts = [
                f"{first}-{first + count - 1}" if count > 1 else f"{first}"
                for first, count in extent.undefined[:_MAX_PARTS]
            ]
            more = ",…" if len(extent.undefined) > _MAX_PARTS else ""
            noun = plural(sum(count for _, count in extent.undefined), "bit")
            return f"{noun} {','.join(parts)}{more} optimized out"
        case "depends":
            return f"how much of it {extent.reason}"
        case "broken":
            return f"cannot be evaluated: {extent.reason}"


def description_words(
    description: Description, arch: Architecture | None, variable: Variable | None = None
) -> str:
    """Return `in v6`, `in 2 pieces, bits 32-63 optimized out`; empty if no words fit.

    `variable` is the described variable: its type gives the bytes of a constant a meaning.
    """
    source = description.source
    if isinstance(source, ConstValue):
        from dwarfgpu.dwarf.scope.partial_constants import may_be_of_a_part  # few are constants

        words = _constant(source.data, arch, variable)
        is_clear = variable is None or not may_be_of_a_part(variable)
        return words if is_clear else f"{words}, or that of a part"
    omitted = extent_text(description.extent)
    if description.extent.completeness in ("nothing", "broken"):
        return omitted
    words = location_words(source, arch, variable)
    if omitted and words.endswith(omitted):  # those of a constant say it
        return words
    return ", ".join(word for word in (words, omitted) if word)


def description_text(
    description: Description, arch: Architecture | None, variable: Variable | None = None
) -> str:
    """Return a description in words, then the operations: `in v6: DW_OP_regx VGPR6`."""
    source = description.source
    text = "DW_AT_const_value"
    if isinstance(source, ExprLoc):
        text = operations_text(source, arch) or "the description is empty"
    words = description_words(description, arch, variable)
    return f"{words}: {text}" if words else text


def operations_text(source: ExprLoc, arch: Architecture | None) -> str:
    """Return the operations of an expression, as llvm-dwarfdump writes them; a long list is cut."""
    text = readable_text(source.expression, source.unit.dialect, source.unit.format, arch)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


def _constant(data: bytes, arch: Architecture | None, variable: Variable | None) -> str:
    """Return the value as `eval` prints it; the bytes if the type does not determine it, or has
    more."""
    shortage = ""
    try:
        kind = None if variable is None else variable.type
        if variable is not None and strip(kind) is not None and not isinstance(kind, Dynamic):
            endian, given_bits = variable.unit.endian, 8 * len(data)
            value, object_bits = from_bytes(data, given_bits, endian), size_bits(kind) or 0
            padding = padding_bits(kind)  # which is not part of the value
            if 0 < object_bits - given_bits <= padding:
                given_bits = object_bits
            if object_bits <= given_bits:
                bits = Bits(value, given_bits)
                options = evolve(_CONSTANT, cplusplus=variable.unit.is_cplusplus)
                text = format_value(bits, kind, options, endian=endian, architecture=arch)
                return f"the constant {text}"
            shortage = f", {given_bits} of the {object_bits - padding} bits of its type"
    except DwarfGpuError:  # the caller that shows the type reports its error
        pass
    rest = "..." if len(data) > 16 else ""
    shown = f"the bytes {data[:16].hex(' ')}{rest}" if data else "0 bytes"
    return f"a constant of {shown}{shortage}"


def location_words(
    source: ExprLoc, arch: Architecture | None, variable: Variable | None = None
) -> str:
    """Return a location in a few words; empty if none fit."""
    instructions = decode(source.expression, source.unit.dialect, source.unit.format).instructions
    names = [_name(instruction) for instruction in instructions]
    if any(instruction.operation.transfers for instruction in instructions):
        return ""
    if names and names[-1] in (*PIECES, _PIECE_END):
        return _pieces_words(names)
    if not instructions:
        return ""
    if source.unit.dialect.upstream_clang:
        vector = register_read_two_ways(instructions)
        if vector is not None:
            meant = translated(instructions).instructions
            what = "the value or its address"
            if register_of_address(meant, declared_bits(variable)) is not None:
                what = "its address"
            elif registers_in_private_memory(meant) and _has_no_address(variable):
                what = "the value"
            return f"{_register_name(vector, arch)} holds {what}"
        is_location = names[-1] != "stack_value" and SCRATCH in translated(instructions).notes
        if is_location and _is_pointer(variable):
            return "in memory, or the address there"
    if len(instructions) == 1:
        return _one(instructions[0], source.unit, arch, variable)
    if names[-1] == "stack_value":
        return _computed(instructions[:-1], arch)
    if names[-1] in ("form_tls_address", "form_tls_location"):
        return "in thread-local memory"
    if "LLVM_select_bit_piece" in names[-5:] and not _after_choice(names):
        is_of_lane = names[-1] != "LLVM_select_bit_piece"
        return f"in {'one of ' if is_of_lane else ''}two places, by lane"
    if names[0] in ("reg", "regx") and (shared := _sharing(names)):
        return f"in {_register(instructions[0], arch)}, {shared}"
    if names[-1] == "LLVM_form_aspace_address" or instructions[-1].operation.section.startswith(
        _VALUE_SECTIONS
    ):
        return "in memory"
    return ""


def _has_no_address(variable: Variable | None) -> bool:
    """Return whether a register can only hold the value of a variable that is described in private
    memory."""
    if variable is None or variable.function is None:
        return False
    from dwarfgpu.dwarf.lds_layout import why_no_address  # few variables are so

    return why_no_address(Subprogram(variable.function)) is not None


def declared_bits(variable: Variable | None) -> int | None:
    """Return the size of a variable by its type; None where it depends on a machine or is
    unknown."""
    try:
        kind = None if variable is None else variable.type
        return None if isinstance(kind, Dynamic) else size_bits(kind)
    except DwarfGpuError:  # the caller that shows the type reports its error
        return None


def _is_pointer(variable: Variable | None) -> bool:
    try:
        return variable is not None and isinstance(strip(variable.type), Pointer)
    except DwarfGpuError:  # the caller that shows the type reports its error
        return False


def _pieces_words(names: Sequence[str]) -> str:
    """Say how many pieces a composite has, if they are not pieces of one another."""
    count = sum(name in PIECES for name in names)
    if _PIECE_END in names[:-1]:
        return "in pieces"
    return f"in {count} pieces" if count > 1 else "in 1 piece"


_OF_LANE: Final = (
    ["LLVM_push_lane", "lit", "mul", "LLVM_offset"],
    ["LLVM_push_lane", "lit", "shl", "LLVM_offset"],
    ["LLVM_push_lane", "LLVM_offset"],
    ["LLVM_push_lane", "LLVM_bit_offset"],
)
"""Operations that select a lane's part of a location."""


def _after_choice(names: Sequence[str]) -> bool:
    """Return whether operations follow the selection by a lane mask, besides the displacement to
    the lane's part."""
    following = [*names[names.index("LLVM_select_bit_piece") + 1 :]]
    return bool(following) and following not in _OF_LANE


def _sharing(names: Sequence[str]) -> str:
    """Return how the lanes share a register, with which an expression starts; empty where there is
    more in it than going to the lane's part."""
    if [*names[1:]] in _OF_LANE:
        return "by lane"
    if [*names[2:]] in _OF_LANE and names[1] == "LLVM_extend":
        return "the same for every lane"
    return ""


def _name(instruction: Instruction) -> str:
    """Return the name of the operation or of its numbered family, by whichever number it is
    encoded."""
    return instruction.operation.function.__name__


def _one(
    instruction: Instruction, unit: Unit, arch: Architecture | None, variable: Variable | None
) -> str:
    """Return the words of a single operation."""
    match _name(instruction), instruction.operands:
        case "reg" | "regx", _:
            return f"in {_register(instruction, arch, variable)}"
        case "fbreg", (displacement,):
            return f"in memory at the frame base{_moved(displacement)}"
        case "breg" | "bregx", (*_, displacement):
            return f"in memory at {_register(instruction, arch)}{_moved(displacement)}"
        case "addr", (int(address),):
            return f"in memory at {unit.relocate(address):#x}"
        case "addrx", (int(index),):
            return f"in memory{_indexed(unit, index)}"
        case "implicit_value", (bytes(data),):
            return _constant(data, arch, variable)
        case "implicit_pointer", _:
            return "an implicit pointer"
        case "call_frame_cfa", _:
            return "in memory at the CFA"
        case _:
            return ""


def _indexed(unit: Unit, index: int) -> str:
    try:
        return f" at {unit.relocate(unit.address(index)):#x}"
    except DwarfGpuError:  # its evaluation reports the error
        return ""


def _computed(instructions: Sequence[Instruction], arch: Architecture | None) -> str:
    """Return the words of a computed value."""
    if len(instructions) == 1:
        name, operands = _name(instructions[0]), instructions[0].operands
        if name == "entry_value":
            return "its value on entry to the function"
        if name == "lit":
            return f"the constant {instructions[0].operation.number}"
        if name.startswith("const") and name not in ("constx", "const_type"):
            return f"the constant {operands[0]!r}"
    registers = dict.fromkeys(
        _register(instruction, arch)
        for instruction in instructions
        if _name(instruction) in ("breg", "bregx")
    )
    return f"computed from {' and '.join(registers)}" if registers else "computed"


def _register(
    instruction: Instruction, arch: Architecture | None, variable: Variable | None = None
) -> str:
    """Return the debugger's name of the register that an operation names; `variable`: what is in
    it."""
    number = (
        instruction.operands[0]
        if instruction.operation.number is None
        else instruction.operation.number
    )
    return _register_name(number, arch, variable)


def _register_name(
    number: Operand, arch: Architecture | None, variable: Variable | None = None
) -> str:
    name = other = None
    if arch is not None and isinstance(number, int):
        name = register_name(arch, number, lambda: declared_bits(variable))
        if name is None and arch.other_wave_register is not None:
            other = arch.other_wave_register(number)  # which the file may be for, too
    if other is not None:
        return f"{other[0]} of wave{other[1]}"
    return f"register {number!r}" if name is None else name


def _moved(displacement: Operand) -> str:
    if not isinstance(displacement, int) or not displacement:
        return ""
    return f" {'-' if displacement < 0 else '+'} {abs(displacement)}"
