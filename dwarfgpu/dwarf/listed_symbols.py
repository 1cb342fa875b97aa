"""What a file defines outside of functions: functions, variables and types, in no order.

Law: entries are read as they are asked for; nothing is kept, and an entry that cannot be read does
not hide the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.class_builder import scope_of
from dwarfgpu.dwarf.declared import CLASSES, TAGGED, TYPES, qualified_name
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.function_names import full_function_name
from dwarfgpu.dwarf.info import DebugInfo
from dwarfgpu.dwarf.scopes import code_ranges
from dwarfgpu.dwarf.type_names import type_name
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.nouns import frozen

Kind = Literal["functions", "variables", "types"]
_SCOPES: Final = CLASSES | {dw.TAG_NAMESPACE, dw.TAG_MODULE}


@frozen
class ListedSymbol:
    """One definition."""

    name: str
    """As people write it, in C++ with what is around it and, of functions, the parameters."""
    die: Die
    is_static: bool
    """Whether it is of its file alone."""
    file: str
    """Where it is declared; of what is declared nowhere, the source file of its unit."""
    line: int | None


def listed_symbols(info: DebugInfo, kind: Kind) -> Iterator[ListedSymbol]:
    """All of a kind; what cannot be read is left out."""
    for unit in info.units:
        try:
            pending = [unit.full.root]
        except DwarfGpuError:
            continue
        while pending:
            try:
                children = list(pending.pop().children())
            except DwarfGpuError:
                continue
            for die in children:
                if die.tag in _SCOPES:
                    pending.append(die)
                found = _listed(die, kind)
                if found is not None:
                    yield found


def _listed(die: Die, kind: Kind) -> ListedSymbol | None:
    try:
        name = _name(die, kind)
        return None if name is None else _with_place(die, name, kind)
    except DwarfGpuError:
        return None


def _name(die: Die, kind: Kind) -> str | None:
    """None for what is no definition of that kind."""
    if kind == "functions":
        if die.tag != dw.TAG_SUBPROGRAM or not code_ranges(die):
            return None
        return full_function_name(die)
    if die.flag(dw.AT_DECLARATION):
        return None
    if kind == "variables":
        is_defined = die.has(dw.AT_LOCATION) or die.has(dw.AT_CONST_VALUE)
        return qualified_name(die) if die.tag == dw.TAG_VARIABLE and is_defined else None
    is_scope = die.tag == dw.TAG_NAMESPACE and die.unit.is_cplusplus
    if (die.tag not in TYPES and not is_scope) or (die.name is None and not is_scope):
        return None
    if is_scope:
        return f"{scope_of(die)}{die.name or '(anonymous namespace)'}"
    if die.tag == dw.TAG_BASE_TYPE or (die.unit.is_cplusplus and die.tag in TAGGED):
        return type_name(die.unit.info.types.build(die), cplusplus=True)
    return qualified_name(die)


def _with_place(die: Die, name: str, kind: Kind) -> ListedSymbol:
    unit = die.unit
    lined, filed = die.holder(dw.AT_DECL_LINE), die.holder(dw.AT_DECL_FILE)
    line = None if lined is None else lined.integer(dw.AT_DECL_LINE)
    number = None if filed is None else filed.integer(dw.AT_DECL_FILE)
    table = None if filed is None else filed.unit.line_table
    file = unit.name
    if number is not None and table is not None:
        folder = table.unit.root.string(dw.AT_COMP_DIR)
        file = table.file(number).path.removeprefix(f"{folder}/")
    if kind == "types":
        is_static = not (unit.is_cplusplus and die.tag in TAGGED | {dw.TAG_NAMESPACE})
    else:
        is_static = not any(each.flag(dw.AT_EXTERNAL) for each in die.origins())
    return ListedSymbol(name, die, is_static, file, line)
