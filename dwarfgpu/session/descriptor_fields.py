"""Fields of an object that is in pieces, as gfortran -O2 keeps the descriptors of pointers and
allocatable arrays, or of a constant, as gnat -O2 keeps records with discriminants:
`DW_OP_push_object_address; DW_OP_plus_uconst N; DW_OP_deref` reads one, or `DW_OP_deref_size`.

By the letter DW_OP_plus_uconst takes a value, and these locations convert to none (AMD text
A.2.5.4.4.3): docs/spec-notes.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import EvaluationError
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.model.location import ImplicitPointerValue
from dwarfgpu.model.value import Value

_FIELD: Final = ("push_object_address", "plus_uconst")
_READS: Final = frozenset({"deref", "deref_size"})
_TYPED_READS: Final = {0xA6: b"\xa4", 0xF6: b"\xf4"}
"""DW_OP_deref_type and its GNU form, and the operations that push a constant of the type."""
_OBJECT: Final = b"\x97"
"""DW_OP_push_object_address."""
_NULL_TEST: Final = ["push_object_address", "deref", "lit0", "ne"]
"""How gfortran writes DW_AT_allocated and DW_AT_associated: the address of the data is not null."""
_TRUE: Final = b"\x31"
"""DW_OP_lit1."""
_ADDITIONS: Final = (["plus"], ["plus_uconst", "plus"])
_CONST8U: Final = b"\x0e"
_EFFECTS: Final = {
    "push_object_address": 1, "dup": 1, "deref": 0, "deref_size": 0, "deref_type": 0, "convert": 0,
    "plus_uconst": 0, "not": 0, "neg": 0, "abs": 0, "plus": -1, "minus": -1, "mul": -1, "div": -1,
    "mod": -1, "and": -1, "or": -1, "xor": -1, "shl": -1, "shr": -1, "shra": -1,
}  # fmt: skip
"""By how much operations that compute a number from fields change the depth of the stack."""
_JUMPS: Final = frozenset({"bra", "skip"})


def with_fields_read(
    source: ExprLoc, read: Callable[[ExprLoc, int], Value | ImplicitPointerValue]
) -> ExprLoc:
    """Return an expression for an object without an address with the numbers of the fields in place
    of their reads; the expression itself with `--strict`.

    `read` evaluates an expression for the part of the object at an offset in bytes. An implicit
    pointer points to an object: it is not null, and has no other number.
    """
    unit = source.unit
    if not isinstance(unit, CompilationUnit) or unit.sections.program.is_literal:
        return source
    instructions = decode(source.expression, unit.dialect, unit.format).instructions
    names = [instruction.operation.name for instruction in instructions]
    if _JUMPS.intersection(names):
        return source  # they count bytes
    if names == _NULL_TEST:
        address = read(ExprLoc(_OBJECT + instructions[1].encoding, unit), 0)
        return ExprLoc(_TRUE, unit) if isinstance(address, ImplicitPointerValue) else source
    data, position = b"", 0
    for index in range(len(names) - 2):
        offset, deref = instructions[index + 1].operands, instructions[index + 2]
        is_typed = deref.encoding[0] in _TYPED_READS
        is_read = is_typed or names[index + 2] in _READS
        if is_read and tuple(names[index : index + 2]) == _FIELD and isinstance(offset[0], int):
            field = read(ExprLoc(_OBJECT + deref.encoding, unit), offset[0])
            if isinstance(field, ImplicitPointerValue):
                where = f"the field at byte {offset[0]}"
                raise EvaluationError(f"{where} is an implicit pointer, which has no number")
            number = field.bits
            data += source.expression[position : instructions[index].offset]
            data += (
                _typed_constant(deref, number, unit.format.endian)
                if is_typed
                else _CONST8U + (number % (1 << 64)).to_bytes(8, unit.format.endian)
            )
            position = deref.end
    return ExprLoc(data + source.expression[position:], unit) if data else source


def _adds_one_number(names: Sequence[str]) -> bool:
    """Return whether operations compute one number from the object, and add it to what is on the
    stack before them."""
    if names[:1] != ["push_object_address"] or names[-1] != "plus":
        return False
    depth = 0
    for name in names[:-1]:
        is_literal = name.startswith(("lit", "const"))
        effect = 1 if is_literal else _EFFECTS.get(name)
        if effect is None or depth + effect < 1:
            return False
        depth += effect
    return depth == 1


def _typed_constant(deref: Instruction, number: int, endian: Endian) -> bytes:
    """Return the operation that pushes what DW_OP_deref_type has read."""
    operation, size_bytes, type_offset = deref.encoding[0], deref.encoding[1], deref.encoding[2:]
    data = (number % (1 << 8 * size_bytes)).to_bytes(size_bytes, endian)
    return _TYPED_READS[operation] + type_offset + bytes([size_bytes]) + data


def computed_offset(source: ExprLoc | LocList) -> ExprLoc | None:
    """Return the expression for the number of bytes that gnat adds to the place of a record, by a
    DWARF procedure or from the record's discriminants, for the place of a component; None for any
    other expression, and with `--strict`."""
    unit = source.unit
    is_of_file = isinstance(unit, CompilationUnit) and not unit.sections.program.is_literal
    if not is_of_file or not isinstance(source, ExprLoc):
        return None
    instructions = decode(source.expression, unit.dialect, unit.format).instructions
    names = [instruction.operation.name for instruction in instructions]
    is_called = names[:1] in (["call2"], ["call4"]) and names[1:] in _ADDITIONS
    if not is_called and not _adds_one_number(names):
        return None
    return ExprLoc(source.expression[: instructions[-1].offset], unit)
