"""Fields of an object that is in pieces, as gfortran -O2 keeps the descriptors of pointers and
allocatable arrays, or of a constant, as gnat -O2 keeps records with discriminants:
`DW_OP_push_object_address; DW_OP_plus_uconst N; DW_OP_deref` reads one, or `DW_OP_deref_size`.

By the letter DW_OP_plus_uconst takes a value, and these locations convert to none (AMD text
A.2.5.4.4.3): docs/spec-notes.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.expr.decode import decode

_FIELD: Final = ("push_object_address", "plus_uconst")
_READS: Final = frozenset({"deref", "deref_size"})
_OBJECT: Final = b"\x97"
"""DW_OP_push_object_address."""
_ADDITIONS: Final = (["plus"], ["plus_uconst", "plus"])
_CONST8U: Final = b"\x0e"
_JUMPS: Final = frozenset({"bra", "skip"})


def with_fields_read(source: ExprLoc, read: Callable[[ExprLoc, int], int]) -> ExprLoc:
    """Return an expression for an object without an address with the numbers of the fields in place
    of their reads; the expression itself with `--strict`.

    `read` evaluates an expression for the part of the object at an offset in bytes.
    """
    unit = source.unit
    if not isinstance(unit, CompilationUnit) or unit.sections.program.is_literal:
        return source
    instructions = decode(source.expression, unit.dialect, unit.format).instructions
    names = [instruction.operation.name for instruction in instructions]
    if _JUMPS.intersection(names):
        return source  # they count bytes
    data, position = b"", 0
    for index in range(len(names) - 2):
        offset = instructions[index + 1].operands
        is_field = tuple(names[index : index + 2]) == _FIELD and names[index + 2] in _READS
        if is_field and isinstance(offset[0], int):
            deref = source.expression[instructions[index + 2].offset : instructions[index + 2].end]
            number = read(ExprLoc(_OBJECT + deref, unit), offset[0])
            data += source.expression[position : instructions[index].offset]
            data += _CONST8U + (number % (1 << 64)).to_bytes(8, unit.format.endian)
            position = instructions[index + 2].end
    return ExprLoc(data + source.expression[position:], unit) if data else source


def computed_offset(source: ExprLoc | LocList) -> ExprLoc | None:
    """Return the expression for the number of bytes that gnat adds to the place of a record, by a
    DWARF procedure, for the place of a component; None for any other expression, and with
    `--strict`."""
    unit = source.unit
    is_of_file = isinstance(unit, CompilationUnit) and not unit.sections.program.is_literal
    if not is_of_file or not isinstance(source, ExprLoc):
        return None
    instructions = decode(source.expression, unit.dialect, unit.format).instructions
    names = [instruction.operation.name for instruction in instructions]
    if names[:1] not in (["call2"], ["call4"]) or names[1:] not in _ADDITIONS:
        return None
    return ExprLoc(source.expression[: instructions[-1].offset], unit)
