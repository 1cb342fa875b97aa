"""DW_AT_const_value that may be the value of one member.

DWARF 5 4.1 has the value of the object. Where LLVM writes a number, it drops DW_OP_LLVM_fragment,
which says the part of the object that the number is; GCC writes structures as blocks.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Array, Base, Struct, Type, strip

_MAX_DEPTH: Final = 64
"""Types inside one another that are looked into."""


def may_be_of_a_part(variable: Variable) -> bool:
    """Return whether the constant of a variable may be that of one of its members or elements."""
    holder = variable.die.holder(dw.AT_CONST_VALUE)
    value = None if holder is None else holder.attribute(dw.AT_CONST_VALUE)
    if value is None or value.kind != "constant":
        return False
    return _numbers(variable.type, {}) > 1 and not parse_producer(variable.unit.producer).is_gcc


def _numbers(type_: Type | None, known: dict[int, int], depth: int = 0) -> int:
    """Return how many numbers an object holds, 2 for more; a union holds those of one member.

    `known` has the counts of structures; one that is being counted has 0."""
    kind = strip(type_)
    if isinstance(kind, Array):
        count = _numbers(kind.element, known, depth + 1)
        return 2 * count if any(size != 1 for size in kind.dimensions) else count
    if not isinstance(kind, Struct):
        return 2 if isinstance(kind, Base) and kind.base.encoding == "complex_float" else 1
    if depth > _MAX_DEPTH:
        return 2
    if id(kind) not in known:
        known[id(kind)] = 0
        members = (member.type for member in kind.members if not member.is_static)
        counts = [_numbers(member, known, depth + 1) for member in members]
        count = max(counts, default=0) if kind.kind == "union" else sum(counts)
        known[id(kind)] = min(2, count)
    return known[id(kind)]
