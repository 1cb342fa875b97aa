"""Built-in names of GPU languages: `threadIdx.x` of HIP and CUDA, `get_global_id(0)` of OpenCL,
unless the program defines these names.

All follow from the dispatch packet and from the position of the wave in its dispatch; no register
is read, so that they are valid at every program location.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.scope_entries import code_ranges
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Member, Struct
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.kernarg_variable import kernel_arguments
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.wave_variables import (
    grid_size,
    machine_of,
    whole_workgroup_size,
    work_item_id,
    workgroup_id,
    workgroup_size,
)
from dwarfgpu.machine.topology import Machine, Position
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.meaning import Meaning

PositionGetter: TypeAlias = Callable[[Machine, Session], Position | None]
_INDEX_BITS: Final = 64


def _group_counts(machine: Machine, session: Session) -> Position | None:
    """Return workgroups of the dispatch, one that is smaller at the edge included."""
    grid, size = grid_size(machine, session), whole_workgroup_size(machine, session)
    if grid is None or size is None:
        return None
    x, y, z = (-(-total // part) for total, part in zip(grid, size, strict=True))
    return x, y, z


def _global_id(machine: Machine, session: Session) -> Position | None:
    group, size = workgroup_id(machine, session), whole_workgroup_size(machine, session)
    item = work_item_id(machine, session)
    if group is None or size is None or item is None:
        return None
    offset = _global_offset(machine, session)
    x, y, z = (g * s + i + o for g, s, i, o in zip(group, size, item, offset, strict=True))
    return x, y, z


def _global_offset(machine: Machine, session: Session) -> Position:
    """Return the global offset, from the hidden arguments of the kernel; no packet has it.

    `Unavailable` where the kernel does not take them, or they cannot be read.
    """
    dispatch = machine.dispatch_of(session.wave)
    try:
        arguments = kernel_arguments(session, dispatch)
    except DwarfGpuError as error:
        raise _no_offset(error.message) from None
    kind, location = arguments.type, arguments.location
    members = {member.name: member for member in kind.members} if isinstance(kind, Struct) else {}
    variables = []
    for axis in "xyz":
        member = members.get(f"hidden_global_offset_{axis}")
        if member is None or location is None or member.bit_offset is None:
            raise _no_offset("the kernel does not take it as a hidden argument")
        try:
            member_location = location.displaced(member.bit_offset)
            bits = session.context().access.read(member_location, _INDEX_BITS)
        except DwarfGpuError as error:
            raise _no_offset(error.message) from None
        if not bits.is_complete:
            raise _no_offset(f"{member.name} is unknown")
        variables.append(int.from_bytes(bits.to_bytes("little"), "little"))
    x, y, z = variables
    return x, y, z


def _no_offset(why: str) -> Unavailable:
    return Unavailable(
        f"the global offset of the dispatch is unknown: {why}; without it, "
        "get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0) counts from 0"
    )


_VARIABLES: Final[dict[str, PositionGetter]] = {
    "blockDim": whole_workgroup_size,
    "blockIdx": workgroup_id,
    "gridDim": _group_counts,
    "threadIdx": work_item_id,
}
"""The variables of HIP and CUDA, with x, y and z."""
_FUNCTIONS: Final[dict[str, tuple[PositionGetter, int]]] = {
    "get_enqueued_local_size": (whole_workgroup_size, 1),
    "get_global_id": (_global_id, 0),
    "get_global_offset": (_global_offset, 0),
    "get_global_size": (grid_size, 1),
    "get_group_id": (workgroup_id, 0),
    "get_local_id": (work_item_id, 0),
    "get_local_size": (workgroup_size, 1),
    "get_num_groups": (_group_counts, 1),
}
"""Functions of OpenCL, and their results for a nonexistent dimension (OpenCL C 6.15.1)."""
BUILTIN_VARIABLES: Final = frozenset(_VARIABLES)
BUILTIN_FUNCTIONS: Final = frozenset(_FUNCTIONS)


def is_free(meanings: tuple[Meaning, ...]) -> bool:
    """Return whether the program gives a name no meaning of its own: none, or only declarations,
    which the headers of these languages have."""
    dies = (meaning.die if isinstance(meaning, Variable) else meaning for meaning in meanings)
    return all(die.flag(dw.AT_DECLARATION) and not code_ranges(die) for die in dies)


def builtin_variable(session: Session, name: str) -> TypedValue | None:
    """Return `threadIdx` as a structure; None for other names, and without a GPU.

    `Unavailable` where the machine does not say where the wave belongs.
    """
    getter = _VARIABLES.get(name)
    if getter is None or not session.architecture.is_simt:
        return None
    position = _position(session, name, getter)
    endian = session.architecture.endian
    kind = Builtins(session.architecture).integer(32, is_signed=False)
    members = tuple(Member(axis, kind, 32 * n) for n, axis in enumerate("xyz"))
    bits = concatenate([Bits(coordinate, 32) for coordinate in position], endian)
    return TypedValue(Struct("struct", "dim3", 12, members), bits=bits)


def builtin_function(session: Session, name: str, arguments: list[int]) -> TypedValue | None:
    """Return the value of `get_local_id(0)`; None as in `builtin_variable`."""
    if name not in _FUNCTIONS or not session.architecture.is_simt:
        return None
    if len(arguments) != 1:
        raise UsageError(f"{name} takes one dimension, 0 to 2")
    getter, beyond = _FUNCTIONS[name]
    position = _position(session, name, getter)
    value = position[arguments[0]] if 0 <= arguments[0] < len(position) else beyond
    kind = Builtins(session.architecture).integer(_INDEX_BITS, is_signed=False)
    return TypedValue(kind, bits=Bits(value, _INDEX_BITS))


def _position(session: Session, name: str, getter: PositionGetter) -> Position:
    machine = machine_of(session)
    position = None if machine is None else getter(machine, session)
    if position is None:
        raise Unavailable(
            f"{name} is unknown: the machine does not have the position of wave "
            f"{session.wave} in a dispatch, and the dispatch's size"
        )
    return position
