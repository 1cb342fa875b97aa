"""Whether an object can be read in a frame.

Law: a frame has the objects of the function that it executes, and of the calls inlined there. What
is the same in every frame needs none: static memory, constants, implicit pointers, and what is
optimized out everywhere. LDS and private memory are the same in all frames of a wave, but only of a
wave that runs the kernel of the object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.nameless_functions import owners_of
from dwarfgpu.dwarf.scope.scope_entries import calls_below
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable, function_around
from dwarfgpu.errors import DwarfGpuError, InconsistentContext
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocationAttribute, LocList
from dwarfgpu.expr.operation import Operation
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.expr.ops.memory import TLS_ADDRESSES
from dwarfgpu.session.frame import SubprogramFrame

if TYPE_CHECKING:
    from dwarfgpu.session.wave_kernel import WaveKernel

_OF_KERNELS: Final = frozenset({"LLVM_form_aspace_address", "xderef", "xderef_size", "xderef_type"})
"""Operations of addresses in memory that each kernel uses in its own way: LDS, private memory."""
_MOVING: Final = frozenset({"addr", "addrx", "GNU_addr_index", "stack_value", *PIECES})
"""Operations with which an implicit pointer stays one: none dereferences it."""
_WITHOUT_FRAME: Final = TLS_ADDRESSES | _OF_KERNELS | _MOVING | {
    "constx", "GNU_const_index", "const_type", "GNU_const_type", "deref", "deref_size",
    "deref_type", "GNU_deref_type", "convert", "GNU_convert", "reinterpret", "GNU_reinterpret",
}  # fmt: skip
"""Operations that use the context, but not its frame."""
_STATIC_ADDRESSES: Final = frozenset({"addr", "addrx", "GNU_addr_index"})
"""With one of `_OF_KERNELS`, of LDS: linkers know no private memory."""
_IMPLICIT_POINTERS: Final = frozenset(
    {"implicit_pointer", "LLVM_aspace_implicit_pointer", "GNU_implicit_pointer"}
)
"""What they point to may need a frame."""


def needs_no_frame(location: LocationAttribute | None) -> bool:
    """Return whether a location, or value, is the same in every frame. A location list is of the
    code of a function."""
    return isinstance(location, ConstValue) or _has_only(location, _WITHOUT_FRAME)


def points_implicitly(location: LocationAttribute | None) -> bool:
    """Return whether an object needs no frame for itself, but perhaps for what it points to: it is
    an implicit pointer, or has some in its pieces."""
    return _has_only(location, _MOVING | _IMPLICIT_POINTERS)


def _has_only(location: LocationAttribute | None, names: frozenset[str]) -> bool:
    """Return whether a location is an expression, and its operations that use the context are among
    some."""
    return isinstance(location, ExprLoc) and all(
        "context" not in operation.leading or operation.name in names
        for operation in _operations(location)
    )


def _operations(location: ExprLoc) -> list[Operation]:
    unit = location.unit
    instructions = prepare(location.expression, unit.dialect, unit.format).instructions
    return [instruction.operation for instruction in instructions.distinct]


def require_frame_with(
    die: Die, location: LocationAttribute | None, frame: SubprogramFrame, pc: int | None
) -> str | None:
    """Raise `InconsistentContext` for an object, by its entry, that a frame does not have; return a
    note where that is not known.

    `pc`: where the lane in focus is.
    """
    function = function_around(die)
    if frame.is_of(function):
        return None
    assert function is not None
    name, owner = die.name or f"the entry at {die.offset:#x}", Subprogram(function)
    try:
        own = frame.subprogram
    except DwarfGpuError:  # as of a missing split file
        if not needs_no_frame(location):
            raise
        return _note_on_kernel(name, owner, location, frame)
    if own is None and frame.pc is None:
        return _note_on_dispatch(die, owner, location, frame)
    if _executes(frame, function, location, pc):
        return None
    if needs_no_frame(location):
        return _note_on_kernel(name, owner, location, frame)
    if points_implicitly(location) or (location is None and _is_optimized_out(die)):
        return None
    if own is None:
        where = "no function is described where the frame is"
    elif own.name == owner.name:
        where = f"the frame is of another {owner.name} (the entry at {own.die.offset:#x})"
    else:
        where = f"the frame is of {own.name}"
    raise InconsistentContext(f"{name} is a variable of {owner.name}, and {where}")


def _executes(
    frame: SubprogramFrame, function: Die, location: LocationAttribute | None, pc: int | None
) -> bool:
    """Return whether a frame executes a function that is not the one by which it is known: where
    linkers fold functions with the same code, or a lane is in another one than its wave, or the
    entry is of an abstract instance.

    GCC also derives blocks of inlined calls from those of the copy that is not inlined, which
    describes places in frames of its own alone: an inlined call has what is in none.
    """
    spans = Subprogram(function).ranges
    locations = [location for location in (frame.pc, pc) if location is not None]
    if any(span.covers(location) for span in spans for location in locations):
        return True
    if spans and _is_described_at(location, pc):
        return False
    declared = declaration_of(function)
    return any(declaration_of(around.die) == declared for around in frame.subprograms)


def _is_described_at(location: LocationAttribute | None, pc: int | None) -> bool:
    """Return whether a location says, where a lane is, in which place of a frame something is."""
    return isinstance(location, ExprLoc | LocList) and (
        pc is None or bool(location.expressions(pc))
    )


def _is_optimized_out(die: Die) -> bool:
    """Return whether no entry of an object has a location or value."""
    from dwarfgpu.dwarf.scope.concrete_entries import may_have_location  # few have none

    return not may_have_location(declaration_of(die))


def _note_on_kernel(
    name: str, owner: Subprogram, location: LocationAttribute | None, frame: SubprogramFrame
) -> str | None:
    """Raise `InconsistentContext` for an object in the memory of a kernel, if the wave runs another
    one; return a note where it is not known which one the wave runs.

    Compilers inline kernels into other kernels, and describe LDS in the copy that is not inlined.
    """
    if not isinstance(location, ExprLoc) or not frame.session.architecture.is_simt:
        return None
    operations = {operation.name for operation in _operations(location)}
    if operations.isdisjoint(_OF_KERNELS):
        return None
    from dwarfgpu.session.wave_kernel import kernel_of_wave  # few are so

    running, declared = kernel_of_wave(frame.session), declaration_of(owner.die)
    if running is not None and any(span.covers(running.address) for span in owner.ranges):
        return None
    is_in_lds = not operations.isdisjoint(_STATIC_ADDRESSES)
    if is_in_lds and _have_inlined(frame, running, {declared}):
        return None
    is_called = is_in_lds and declared.has(dw.AT_INLINE)
    if running is not None and owner.is_kernel and not is_called:
        where = f"the wave runs {running.name}"
        raise InconsistentContext(f"{name} is a variable of {owner.name}, and {where}")
    return _of_kernels(name, owner)


def _note_on_dispatch(
    die: Die, owner: Subprogram, location: LocationAttribute | None, frame: SubprogramFrame
) -> str | None:
    """Return the same without a program location: a wave that has ended ran a kernel, and its LDS
    may still have what that stored there."""
    if not frame.session.architecture.is_simt or not needs_no_frame(location):
        return None
    from dwarfgpu.session.wave_kernel import kernel_of_wave  # few are so

    if not frame.session.has_ended and kernel_of_wave(frame.session) is None:
        return None
    return _note_on_kernel(die.name or f"the entry at {die.offset:#x}", owner, location, frame)


def note_on_nameless(variable: Variable, frame: SubprogramFrame) -> str | None:
    """Return a note on a variable in LDS of functions that are only inlined, unless the function of
    a frame, or the kernel of its wave, has such a call."""
    from dwarfgpu.session.wave_kernel import kernel_of_wave

    owners = [declaration_of(owner) for owner in owners_of(variable)]
    if not owners or _have_inlined(frame, kernel_of_wave(frame.session), {*owners}):
        return None
    return _of_kernels(variable.name, Subprogram(owners[0]))


def _of_kernels(name: str, owner: Subprogram) -> str:
    return (
        f"{name} is a variable of {owner.name}: its place has another use where that does not run"
    )


def _have_inlined(frame: SubprogramFrame, running: WaveKernel | None, declared: set[Die]) -> bool:
    """Return whether one of some functions, by their declarations, is inlined into the function of
    a frame or into the kernel of its wave."""
    outermost = frame.subprograms.outermost
    outer = [] if outermost is None else [outermost]
    if running is not None:
        loaded = code_object_at(frame.session.code_objects, running.address)
        kernel = None if loaded is None else loaded.scopes.subprogram_at(running.address)
        outer += [] if kernel is None else [kernel]
    return any(not declared.isdisjoint(_inlined_into(function.die)) for function in outer)


@kept_with(lambda function: function.unit)  # every lane asks
def _inlined_into(function: Die) -> frozenset[Die]:
    """Return the declarations of the functions that are inlined into one."""
    return frozenset(map(declaration_of, calls_below(function)))
