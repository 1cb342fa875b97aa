"""DW_AT_const_value that may be the value of one member.

DWARF 5 4.1 has the value of the object. Where LLVM writes a number, it drops DW_OP_LLVM_fragment,
which says the part of the object that the number is; GCC writes structures as blocks.
"""

from __future__ import annotations

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Array, Struct, Type, strip


def may_be_of_a_part(variable: Variable) -> bool:
    """Return whether the constant of a variable may be that of one of its members or elements."""
    holder = variable.die.holder(dw.AT_CONST_VALUE)
    value = None if holder is None else holder.attribute(dw.AT_CONST_VALUE)
    if value is None or value.kind != "constant":
        return False
    return _has_parts(strip(variable.type)) and not parse_producer(variable.unit.producer).is_gcc


def _has_parts(kind: Type | None) -> bool:
    if isinstance(kind, Array):
        return any(count != 1 for count in kind.dimensions)
    return isinstance(kind, Struct) and kind.kind != "union" and len(kind.members) > 1
