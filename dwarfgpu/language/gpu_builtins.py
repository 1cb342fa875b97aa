"""Built-in names of GPU languages: `threadIdx.x` of HIP and CUDA, `get_global_id(0)` of OpenCL,
unless the program defines these names.

They follow from the dispatch packet and from the position of the wave in its dispatch, the global
offset and the number of dimensions from the hidden arguments of the kernel. No register is read, so
that they are valid at every program location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

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
    integer_value,
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
_Fact = TypeVar("_Fact")
NumberGetter: TypeAlias = Callable[[Machine, Session], int | None]
_INDEX_BITS: Final = 64


def _group_counts(machine: Machine, session: Session) -> Position | None:
    """Return workgroups of the dispatch, one that is smaller at the edge included."""
    grid, size = grid_size(machine, session), whole_workgroup_size(machine, session)
    if grid is None or size is None:
        return None
    x, y, z = (-(-total // part) for total, part in zip(grid, size, strict=True))
    return x, y, z


def _global_id(machine: Machine, session: Session) -> Position | None:
    in_grid = _id_in_grid(machine, session)
    if in_grid is None:
        return None
    offset = _global_offset(machine, session)
    x, y, z = (index + o for index, o in zip(in_grid, offset, strict=True))
    return x, y, z


def _id_in_grid(machine: Machine, session: Session) -> Position | None:
    """Return the global id without the global offset."""
    group, size = workgroup_id(machine, session), whole_workgroup_size(machine, session)
    item = work_item_id(machine, session)
    if group is None or size is None or item is None:
        return None
    x, y, z = (g * s + i for g, s, i in zip(group, size, item, strict=True))
    return x, y, z


def _global_linear_id(machine: Machine, session: Session) -> int | None:
    return _linear(_id_in_grid(machine, session), grid_size(machine, session))


def _local_linear_id(machine: Machine, session: Session) -> int | None:
    return _linear(work_item_id(machine, session), workgroup_size(machine, session))


def _linear(index: Position | None, size: Position | None) -> int | None:
    """Return the number of an index, counted x first (OpenCL C 6.15.1)."""
    if index is None or size is None:
        return None
    x, y, z = index
    return (z * size[1] + y) * size[0] + x


def _dimensions(machine: Machine, session: Session) -> int:
    """Return the dimensions of the dispatch; a grid with a z of 1 does not say them."""
    (dimensions,) = _hidden_arguments(machine, session, {"hidden_grid_dims": 16}, _no_dimensions)
    return dimensions


def _global_offset(machine: Machine, session: Session) -> Position:
    """Return the global offset, from the hidden arguments of the kernel; no packet has it.

    `Unavailable` where the kernel does not take them, or they cannot be read.
    """
    names = {f"hidden_global_offset_{axis}": _INDEX_BITS for axis in "xyz"}
    x, y, z = _hidden_arguments(machine, session, names, _no_offset)
    return x, y, z


def _hidden_arguments(
    machine: Machine,
    session: Session,
    bit_sizes: Mapping[str, int],
    unknown: Callable[[str], Unavailable],
) -> Iterator[int]:
    """Yield hidden arguments of the kernel, by name and size."""
    dispatch = machine.dispatch_of(session.wave)
    try:
        arguments = kernel_arguments(session, dispatch)
    except DwarfGpuError as error:
        raise unknown(error.message) from None
    kind, location = arguments.type, arguments.location
    members = {member.name: member for member in kind.members} if isinstance(kind, Struct) else {}
    for name, bit_size in bit_sizes.items():
        member = members.get(name)
        if member is None or location is None or member.bit_offset is None:
            raise unknown("the kernel does not take it as a hidden argument")
        try:
            member_location = location.displaced(member.bit_offset)
            bits = session.context().access.read(member_location, bit_size)
        except DwarfGpuError as error:
            raise unknown(error.message) from None
        if not bits.is_complete:
            raise unknown(f"{name} is unknown")
        yield int.from_bytes(bits.to_bytes("little"), "little")


def _no_offset(why: str) -> Unavailable:
    return Unavailable(
        f"the global offset of the dispatch is unknown: {why}; without it, "
        "get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0) counts from 0"
    )


def _no_dimensions(why: str) -> Unavailable:
    return Unavailable(
        f"the number of dimensions of the dispatch is unknown: {why}; "
        "get_global_size(1) and get_global_size(2) are the sizes of the others"
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
_NUMBERS: Final[dict[str, tuple[NumberGetter, int]]] = {
    "get_global_linear_id": (_global_linear_id, _INDEX_BITS),
    "get_local_linear_id": (_local_linear_id, _INDEX_BITS),
    "get_work_dim": (_dimensions, 32),
}
"""Functions of OpenCL without arguments, and the bits of their unsigned results."""
_WAVE_SIZE: Final = "warpSize"
BUILTIN_VARIABLES: Final = frozenset({*_VARIABLES, _WAVE_SIZE})
BUILTIN_FUNCTIONS: Final = frozenset({*_FUNCTIONS, *_NUMBERS})


def is_free(meanings: tuple[Meaning, ...]) -> bool:
    """Return whether the program gives a name no meaning of its own: none, or only declarations,
    which the headers of these languages have."""
    dies = (meaning.die if isinstance(meaning, Variable) else meaning for meaning in meanings)
    return all(die.flag(dw.AT_DECLARATION) and not code_ranges(die) for die in dies)


def builtin_variable(session: Session, name: str) -> TypedValue | None:
    """Return `threadIdx` as a structure, `warpSize` as a number; None for other names, and without
    a GPU.

    `Unavailable` where the machine does not say where the wave belongs.
    """
    if name == _WAVE_SIZE and session.architecture.is_simt:
        return integer_value(session.architecture, session.lane_count()[0])
    getter = _VARIABLES.get(name)
    if getter is None or not session.architecture.is_simt:
        return None
    position = _known(session, name, getter)
    endian = session.architecture.endian
    kind = Builtins(session.architecture).integer(32, is_signed=False)
    members = tuple(Member(axis, kind, 32 * n) for n, axis in enumerate("xyz"))
    bits = concatenate([Bits(coordinate, 32) for coordinate in position], endian)
    return TypedValue(Struct("struct", "dim3", 12, members), bits=bits)


def builtin_function(session: Session, name: str, arguments: list[int]) -> TypedValue | None:
    """Return the value of `get_local_id(0)`; None as in `builtin_variable`."""
    if not session.architecture.is_simt or name not in BUILTIN_FUNCTIONS:
        return None
    if name in _NUMBERS:
        if arguments:
            raise UsageError(f"{name} takes no argument")
        number_getter, bit_size = _NUMBERS[name]
        return _unsigned(session, _known(session, name, number_getter), bit_size)
    if len(arguments) != 1:
        raise UsageError(f"{name} takes one dimension, 0 to 2")
    getter, beyond = _FUNCTIONS[name]
    position = _known(session, name, getter)
    value = position[arguments[0]] if 0 <= arguments[0] < len(position) else beyond
    return _unsigned(session, value, _INDEX_BITS)


def _unsigned(session: Session, value: int, bit_size: int) -> TypedValue:
    kind = Builtins(session.architecture).integer(bit_size, is_signed=False)
    return TypedValue(kind, bits=Bits(value, bit_size))


def _known(
    session: Session, name: str, getter: Callable[[Machine, Session], _Fact | None]
) -> _Fact:
    machine = machine_of(session)
    fact = None if machine is None else getter(machine, session)
    if session.has_ended:
        raise Unavailable(f"{name} is unknown: all waves have ended")
    if fact is None:
        raise Unavailable(
            f"{name} is unknown: the machine does not have the position of wave "
            f"{session.wave} in a dispatch, and the dispatch's size"
        )
    return fact
