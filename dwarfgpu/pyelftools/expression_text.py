"""The text of expressions and location lists."""

from __future__ import annotations

from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.types.dynamic_properties import Computed
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.context import ConstValue, ExprLoc, UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.text.assembly import readable_text
from dwarfgpu.pyelftools.attribute import Attribute, described, is_attribute
from dwarfgpu.pyelftools.entry_of_die import DIE, code_object, entry_of, unit_of
from dwarfgpu.pyelftools.parsed_expression import bytes_of


def dis(attribute: Attribute, die: DIE | None = None, code: CodeObject | None = None) -> str:
    """Return the text of an expression as llvm-dwarfdump writes it, in one line;
    `dwarfgpu.assemble` returns its bytes, with every number in as few bytes as it needs. For a
    location list, return a line for each entry, with its program locations as loaded; one that
    covers none is among them.

    The DIE gives the sizes of addresses and offsets and the byte order: those of a 64-bit
    little-endian file without one. The code object gives the names of registers, and what vendors'
    encodings mean in the unit: AMD's meaning without one. `UsageError` for any other argument, and
    for a DIE of another file; an attribute needs both.
    """
    if code is not None:
        code_object(code)
    if die is not None and code is not None:
        entry = entry_of(die, code)
        arch = code.info.architecture
        match described(attribute, die, entry).source:
            case int() | ConstValue():
                raise UsageError("a constant has no operations")
            case Computed(name=name):
                raise UsageError(f"{name} refers to another DIE: it has no operations")
            case ExprLoc(expression=data, unit=unit):
                return readable_text(data, unit.dialect, unit.format, arch)
            case listed:
                dialect, form = listed.unit.dialect, listed.unit.format
                lines = [
                    ("default" if e.begin is None else f"[{e.begin:#x},{e.end:#x})", e.expression)
                    for e in listed.in_order or listed.entries
                ]
                return "\n".join(
                    f"{where} {readable_text(data, dialect, form, arch)}" for where, data in lines
                )
    if is_attribute(attribute):
        raise UsageError("the text of an attribute needs its DIE and the code object")
    form = UnitFormat() if die is None else _format_of(die)
    return readable_text(bytes_of(attribute, AMD, form), AMD, form)


def _format_of(die: DIE) -> UnitFormat:
    unit = unit_of(die)
    structs = unit.structs
    endian: Endian = "little" if structs.little_endian else "big"
    offset_size: int = structs.dwarf_format // 8
    return UnitFormat(structs.address_size, offset_size, unit["version"], endian)
