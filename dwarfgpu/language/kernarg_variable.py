"""`$_kernarg`: the arguments of a wave's kernel in its kernarg segment.

Their places, including those of hidden arguments, come from the metadata (AMDGPU usage, "Code
Object Metadata"), their types from DWARF if it has the same size. Law: no register of the wave is
read, so that the arguments are readable at every program location.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.calls.kernel_parameters import (
    kernel_function,
    parameters_of,
    undeclared_parameters,
)
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Member, Pointer, Struct, Type
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.machine.topology import Dispatch
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.gpu_code import GpuKernel
from dwarfgpu.objfile.metadata import Argument
from dwarfgpu.session.kernel_start import kernel_at, kernel_of
from dwarfgpu.session.session import Session

_POINTERS: Final = (
    "hidden_hostcall_buffer", "hidden_printf_buffer", "hidden_multigrid_sync_arg",
    "hidden_heap_v1", "hidden_default_queue", "hidden_completion_action", "hidden_queue_ptr",
)  # fmt: skip
"""Hidden arguments that are pointers (AMDGPU usage, "Code Object Metadata", `.value_kind`)."""
_INTEGERS: Final = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long"}


def kernel_arguments(session: Session, dispatch: Dispatch | None) -> TypedValue:
    """Return the arguments as a structure in memory.

    `Unavailable` if neither the machine nor the code objects describe them.
    """
    if dispatch is None or dispatch.kernarg is None:
        raise Unavailable(f"the location of the kernel arguments of wave {session.wave} is unknown")
    code_object, kernel = kernel_of(session, dispatch)
    assert kernel.address is not None
    kind, unit = _structure(code_object, kernel.address, session.architecture.endian)
    memory = Memory(session.architecture.address_space(0))
    single = SingleLocation(memory, 8 * dispatch.kernarg)
    return TypedValue(kind, Location((single,), session.stop), unit=unit)


@lru_cache(maxsize=16)
def _structure(
    code_object: CodeObject, address: int, endian: Endian
) -> tuple[Struct, CompilationUnit | None]:
    """Return the arguments of such a kernel, and the unit of their types."""
    kernel = kernel_at(code_object, address)
    if kernel is None or kernel.metadata is None:
        name = "" if kernel is None else f" {kernel.name}"
        problem = None if kernel is None else kernel.metadata_problem
        why = "" if problem is None else f": {problem}"
        raise Unavailable(f"no metadata describe the arguments of kernel{name}{why}")
    arguments = kernel.metadata.arguments
    described, unit = _described(code_object, kernel, _passed(arguments))
    members = tuple(_members(arguments, described, endian))
    return Struct("struct", None, kernel.kernarg_bytes, members), unit


def _passed(arguments: Iterable[Argument]) -> list[Argument]:
    """Return the arguments of the programmer."""
    return [argument for argument in arguments if not argument.is_hidden]


def _described(
    code_object: CodeObject, kernel: GpuKernel, own: list[Argument]
) -> tuple[list[tuple[str | None, Variable | None]], CompilationUnit | None]:
    """Return the names and declarations of the parameters, and the unit of their types."""
    try:
        function = kernel_function(code_object, kernel)
        if function is None:
            return [], None
        declared = parameters_of(function)
        added = undeclared_parameters(function, len(declared), len(own))
    except DwarfGpuError:
        return [], None  # the metadata is enough
    known = [(None if variable is None else variable.name, variable) for variable in declared]
    return [*known, *((name, None) for name in added)], function.unit


def _members(
    arguments: tuple[Argument, ...],
    described: list[tuple[str | None, Variable | None]],
    endian: Endian,
) -> Iterator[Member]:
    """Yield the members: parameters belong to the arguments of the programmer in order, where they
    are as many."""
    own = _passed(arguments)
    if len(described) != len(own):
        described = [(None, None)] * len(own)
    parameters = dict(zip([argument.offset_bytes for argument in own], described, strict=True))
    for number, argument in enumerate(arguments):
        name: str | None = argument.value_kind
        variable = None
        if not argument.is_hidden:
            declared_name, variable = parameters[argument.offset_bytes]
            name = declared_name if argument.name is None else argument.name
        kind = _type_of(argument, variable, endian)
        yield Member(f"arg{number}" if name is None else name, kind, 8 * argument.offset_bytes)


def _type_of(argument: Argument, variable: Variable | None, endian: Endian) -> Type:
    """Return DWARF's type; else an unsigned integer, or bytes."""
    size_bytes = argument.size_bytes
    if variable is not None:
        try:
            kind = variable.type
        except DwarfGpuError:
            kind = None
        if kind is not None and size_bits(kind) == 8 * size_bytes:
            return kind
    if argument.value_kind in _POINTERS:
        return Pointer(lambda: None, size_bytes=size_bytes)
    name = _INTEGERS.get(size_bytes)
    if name is None:
        return Array(_integer("unsigned char", 1, endian), (size_bytes,))
    return _integer(name, size_bytes, endian)


def _integer(name: str, size_bytes: int, endian: Endian) -> Base:
    return Base(BaseType(name, "unsigned", 8 * size_bytes, endian), is_range=True)
