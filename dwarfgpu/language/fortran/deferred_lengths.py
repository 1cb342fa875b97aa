"""Strings of deferred length in derived types.

gfortran describes the component `character(:), allocatable :: name` as a pointer to a string of no
characters, and has its length in another component of the same object, `_name_length`.
"""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.types import Array, Member, Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, EvaluationError
from dwarfgpu.language.function_context import FunctionContext
from dwarfgpu.language.member_lookup import path_to
from dwarfgpu.language.typed_value import TypedValue


def path_to_length(struct_type: Struct, name: str) -> list[Member] | None:
    """Return the members from a structure to the length of a component; None for a component that
    is no string of deferred length."""
    path = path_to(struct_type, name) or []
    holder: Type | None = struct_type
    for step in path[:-1]:
        holder = strip(step.type)
    if not path or not isinstance(holder, Struct) or _string(path[-1].type) is None:
        return None
    of_length = f"_{path[-1].name}_length"
    length = next((member for member in holder.members if member.name == of_length), None)
    return None if length is None else [*path[:-1], length]


def _string(type_: Type | None) -> Array | None:
    """Return the string of no characters to which a component points; None for another one."""
    bare = strip(type_)
    string = strip(bare.target) if isinstance(bare, Pointer) else None
    if not isinstance(string, Array) or not is_string(string) or string.dimensions != (0,):
        return None
    return string


def with_length(
    context: FunctionContext,
    pointer: TypedValue,
    structure: Callable[[], TypedValue],
    path: list[Member],
) -> TypedValue:
    """Return a component that points to a string as one to a string with its length, to which
    members of a structure lead; where that cannot be read, the string says why."""
    bare, string = strip(pointer.type), _string(pointer.type)
    assert isinstance(bare, Pointer) and string is not None
    try:
        part = structure()
        for step in path:
            part = context.objects.step(part, step)
        length = context.arithmetic.number(part).value.integer
        if length < 0:
            raise EvaluationError(f"the length of the string is negative: {length}")
    except DwarfGpuError as error:
        string = evolve(string, dimensions=(None,), lost_length=str(error))
    else:
        string = evolve(string, dimensions=(length,))
    return evolve(pointer, type=evolve(bare, target=string))
