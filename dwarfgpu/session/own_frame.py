"""Whether a frame is of the function that has a variable.

Law: a place in a frame means something in a frame of the variable's function alone. What needs no
frame is the same in all of them.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import InconsistentContext
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocationAttribute
from dwarfgpu.expr.operation import Operation
from dwarfgpu.expr.ops.memory import TLS_ADDRESSES
from dwarfgpu.session.frame import SubprogramFrame

_OF_KERNELS: Final = frozenset({"LLVM_form_aspace_address", "xderef", "xderef_size"})
"""Operations of addresses in memory that each kernel uses in its own way: LDS, private memory."""
_WITHOUT_FRAME: Final = TLS_ADDRESSES | _OF_KERNELS | {
    "addr", "addrx", "GNU_addr_index", "constx", "GNU_const_index",
    "piece", "bit_piece", "stack_value", "deref", "deref_size",
}  # fmt: skip
"""Operations that use the context, but not its frame."""


def needs_no_frame(location: LocationAttribute | None) -> bool:
    """Return whether a location, or value, is the same in every frame. A location list is of the
    code of a function."""
    if isinstance(location, ConstValue):
        return True
    if not isinstance(location, ExprLoc):
        return False
    return all(
        "context" not in operation.leading or operation.name in _WITHOUT_FRAME
        for operation in _operations(location)
    )


def _operations(location: ExprLoc) -> list[Operation]:
    unit = location.unit
    instructions = prepare(location.expression, unit.dialect, unit.format).instructions
    return [instruction.operation for instruction in instructions.distinct]


def kernel_note(
    name: str,
    function: Die | None,
    location: LocationAttribute | None,
    frame: SubprogramFrame,
    pc: int | None,
) -> str | None:
    """Return a note on a variable in memory that each kernel uses in its own way, in a frame of
    another function: nothing says that the wave runs its kernel. None for any other variable.

    The arguments are those of `require_own_frame`.
    """
    if function is None or not isinstance(location, ExprLoc):
        return None
    if _OF_KERNELS.isdisjoint(operation.name for operation in _operations(location)):
        return None
    own, subprogram = frame.subprogram, Subprogram(function)
    is_elsewhere = own is not None and own.die != function and bool(subprogram.ranges)
    if not is_elsewhere or _executes(frame, function, pc):
        return None
    return (
        f"{name} is a variable of {subprogram.name}: its place has another use where that does "
        "not run"
    )


def require_own_frame(
    name: str,
    function: Die | None,
    location: LocationAttribute | None,
    frame: SubprogramFrame,
    pc: int | None,
) -> None:
    """Raise `InconsistentContext` for a variable of a function, inlined calls included, that the
    frame does not execute, unless the variable needs no frame.

    `pc`: where the lane in focus is.
    """
    own = frame.subprogram
    if function is None or (own is not None and own.die == function):
        return
    if (own is None and frame.pc is None) or needs_no_frame(location):
        return
    if _executes(frame, function, pc):
        return
    owner = Subprogram(function).name
    if own is None:
        where = "no function is described where the frame is"
    elif own.name == owner:
        where = f"the frame is of another {owner} (the entry at {own.die.offset:#x})"
    else:
        where = f"the frame is of {own.name}"
    raise InconsistentContext(f"{name} is a variable of {owner}, and {where}")


def _executes(frame: SubprogramFrame, function: Die, pc: int | None) -> bool:
    """Return whether a frame executes a function that is not the one by which it is known: where
    linkers fold functions with the same code, or a lane is in another one than its wave, or the
    variable is of an abstract instance, or of a copy that is not inlined."""
    spans = Subprogram(function).ranges
    locations = [location for location in (frame.pc, pc) if location is not None]
    if any(span.covers(location) for span in spans for location in locations):
        return True
    declared = declaration_of(function)
    return any(declaration_of(around.die) == declared for around in frame.subprograms)
