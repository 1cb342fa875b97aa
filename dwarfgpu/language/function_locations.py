"""Where the code of functions is, by their entries or symbols."""

from __future__ import annotations

from typing import Literal

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.function_names import name_in_frames
from dwarfgpu.dwarf.scope.functions_by_name import FunctionSymbol, NamedFunction
from dwarfgpu.dwarf.scope.scope_entries import decl_file, decl_line
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.language.source_lines import position_at, step_at
from dwarfgpu.session.focused_frame import FramePosition, position_in_file
from dwarfgpu.session.session import Session


@frozen
class CodeLocation:
    """A code location to which a location specification resolves."""

    kind: Literal["line", "function", "address", "label", "symbol"]
    position: FramePosition | None
    """None if the line is unknown, and for an inlined call that begins amid the code of a line."""
    pcs: tuple[int, ...]
    """Where its code begins, as loaded; the address itself."""
    name: str | None = None
    """The name of the function, in C++ with its parameters, or of the variable or type; for a
    label that of its function."""
    is_call: bool = False
    """Whether it is inlined there."""
    is_described: bool = True
    """Whether debugging information describes the function."""
    is_of_focus: bool = False
    """Whether the function of a label is not named, but the one in focus."""
    is_of_class: bool = False
    """Whether a class that is named has the function, by inheritance or by another name of it."""
    is_resolver: bool = False
    """Whether the code chooses which function the name means (STT_GNU_IFUNC)."""
    declared: FramePosition | None = None
    """Where the function is declared, if its first code is from another file: of another one."""
    unit: CompilationUnit | None = None
    """The unit that describes the function, also of one that is inlined into another unit."""


def location_of_function(session: Session, function: NamedFunction) -> CodeLocation:
    """Return the location of a described function, or of an inlined call of it."""
    step = step_at(session, function.entry)
    is_amid = step is not None and step.begin != function.entry and function.is_call
    position = None if step is None or is_amid else step.position
    line = decl_line(function.die)
    file = decl_file(function.die) if line else None
    declared = None
    if line and file is not None and not is_amid:
        own = position_in_file(file, line, is_start=True)
        declared = None if position is not None and position.path == own.path else own
    is_ada = function.die.unit.language in dw.ADA  # whose names the file has as GNAT encodes them
    name = name_in_frames(function.die) if is_ada else function.name
    *_, origin = function.die.origins()
    return CodeLocation(
        "function", position, (function.entry,), name, function.is_call, declared=declared,
        unit=origin.unit,
    )  # fmt: skip


def location_of_symbol(session: Session, symbol: FunctionSymbol) -> CodeLocation:
    """Return the location of a function that only a symbol table has; of an indirect one that of
    the chosen function, and if this is unknown, that of the code that chooses, which has no line.
    """
    target: int | None = symbol.entry
    if symbol.is_indirect:
        from dwarfgpu.language.indirect_functions import chosen_target  # few are indirect

        target = chosen_target(session, symbol.linkage_name)
    position = None if target is None else position_at(session, target)
    pcs = (symbol.entry if target is None else target,)
    return CodeLocation(
        "function", position, pcs, symbol.name, is_described=False, is_resolver=target is None
    )
