"""Fields of a descriptor that is in pieces, as gfortran -O2 keeps those of pointers and allocatable
arrays: `DW_OP_push_object_address; DW_OP_plus_uconst N; DW_OP_deref` reads one.

By the letter DW_OP_plus_uconst takes a value, and a location in pieces converts to none (AMD text
A.2.5.4.4.3): docs/spec-notes.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.decode import decode

_FIELD: Final = ("push_object_address", "plus_uconst", "deref")
_AT_BEGINNING: Final = b"\x97\x06"
"""DW_OP_push_object_address, DW_OP_deref."""
_CONST8U: Final = b"\x0e"
_JUMPS: Final = frozenset({"bra", "skip"})


def with_fields_read(source: ExprLoc, read: Callable[[ExprLoc, int], int]) -> ExprLoc:
    """Return an expression for an object in pieces with the numbers of the fields in place of their
    reads; the expression itself with `--strict`.

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
        if tuple(names[index : index + 3]) == _FIELD and isinstance(offset[0], int):
            number = read(ExprLoc(_AT_BEGINNING, unit), offset[0])
            data += source.expression[position : instructions[index].offset]
            data += _CONST8U + (number % (1 << 64)).to_bytes(8, unit.format.endian)
            position = instructions[index + 2].end
    return ExprLoc(data + source.expression[position:], unit) if data else source
