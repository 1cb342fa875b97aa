"""Arguments for members of structures that a kernel takes by value: `--arg view.out=zeros:512`,
and for elements of such members: `--arg view.corner[0].x=1`.

Law: such a structure is given as a whole, or by all of its members, and an array by all of its
elements; padding is no argument.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Final, TypeGuard

from dwarfgpu.dwarf.calls.kernel_parameters import kernel_function, parameters_of
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import Array, Member, Pointer, Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.simulated.launch.kernel_arguments import BY_VALUE, NOT_DECLARED, Parameter
from dwarfgpu.objfile.gpu_code import GpuKernel
from dwarfgpu.objfile.metadata import Argument
from dwarfgpu.options.kernel_argument_options import declaration
from dwarfgpu.options.numpy_types import data_members, has_elements

_ADDRESS_BYTES: Final = 8
_MOST_DEPTH: Final = 12
_MOST_ELEMENTS: Final = 1_000
"""Of one array that is given by its elements."""


def with_members(
    parameters: Sequence[Parameter],
    names: Collection[str],
    code_object: CodeObject,
    kernel: GpuKernel,
) -> list[Parameter]:
    """Return the parameters, with its members in place of a structure that is given by members.

    `names`: those of the arguments of the user. `UsageError` for a structure that is given as a
    whole, too, and for members that cannot be given.
    """
    titles = {parameter.title for parameter in parameters}
    paths = [name for name in names if name not in titles and name.partition(".")[0] in titles]
    if not paths:
        return list(parameters)
    function = kernel_function(code_object, kernel)
    variables = [] if function is None else parameters_of(function)
    out: list[Parameter] = []
    for parameter in parameters:
        title, number = parameter.title, parameter.number
        is_split = any(path.startswith(f"{title}.") for path in paths)
        is_declared = parameter.declared is not NOT_DECLARED and number < len(variables)
        variable = variables[number] if is_declared else None
        struct = None if variable is None else strip(variable.type)
        if not is_split or not isinstance(struct, Struct):
            out.append(parameter)
            continue
        if not {title, str(number)}.isdisjoint(names):
            raise UsageError(f"argument {title} is given as a whole and by its members")
        out += _members(parameter, struct, title, 0, paths, 0)
    return out


def _members(
    parameter: Parameter,
    struct: Struct,
    title: str,
    first_bits: int,
    paths: Sequence[str],
    depth: int,
) -> Iterator[Parameter]:
    """Yield the members of a structure as parameters; instead of a base class, and of a member that
    is given by its parts, those."""
    for offset_bits, member in data_members(struct, first_bits):
        bare, name = strip(member.type), member.name
        if member.is_base_class and not member.is_virtual and _is_parted(bare, depth):
            yield from _members(parameter, bare, title, offset_bits, paths, depth + 1)
            continue
        size = size_bytes(member.type)
        if size == 0:
            continue
        is_plain = member.location is None and not member.is_bit_field and not offset_bits % 8
        if not name or not is_plain or struct.kind == "union" or size is None:
            raise _not_alone(parameter, struct, member)
        yield from _parts(parameter, member.type, f"{title}.{name}", offset_bits, paths, depth)


def _is_parted(bare: Type | None, depth: int) -> TypeGuard[Struct]:
    """Return whether the members of an object of a type may be given one by one."""
    return isinstance(bare, Struct) and bare.kind != "union" and depth < _MOST_DEPTH


def _parts(
    parameter: Parameter,
    type_: Type | None,
    path: str,
    first_bits: int,
    paths: Sequence[str],
    depth: int,
) -> Iterator[Parameter]:
    """Yield an object as a parameter; its members or elements instead, if they are given."""
    whole, bare = parameter.argument, strip(type_)
    if _is_parted(bare, depth) and any(one.startswith(f"{path}.") for one in paths):
        yield from _members(parameter, bare, path, first_bits, paths, depth + 1)
        return
    offset, size = first_bits // 8, size_bytes(type_) or 0
    if offset + size > whole.size_bytes:
        raise UsageError(f"{path} is outside of {parameter.text}")
    is_split = depth < _MOST_DEPTH and any(one.startswith(f"{path}[") for one in paths)
    if is_split and isinstance(bare, Array) and has_elements(bare):
        counts = [count or 0 for count in bare.dimensions]
        if (count := math.prod(counts)) > _MOST_ELEMENTS:
            raise UsageError(
                f"{path} has {count} elements: {_MOST_ELEMENTS} may be given one by one; "
                "bytes:HEX gives it"
            )
        element_bits = 8 * size // count
        for number, indexes in enumerate(product(*map(range, counts))):
            element = path + "".join(f"[{index}]" for index in indexes)
            first = first_bits + number * element_bits
            yield from _parts(parameter, bare.element, element, first, paths, depth + 1)
        return
    is_pointer = isinstance(bare, Pointer) and size == _ADDRESS_BYTES
    kind = "global_buffer" if is_pointer else BY_VALUE
    argument = Argument(kind, size, whole.offset_bytes + offset, path)
    declared = declaration(path, type_)
    yield Parameter(argument, path, declared.is_float, declared, parameter.number)


def _not_alone(parameter: Parameter, struct: Struct, member: Member) -> UsageError:
    """Return why the members of a structure cannot be given one by one."""
    what = "a bit-field" if member.is_bit_field else "no member with bytes of its own"
    subject = member.name or f"a member of {struct.name or 'a structure'}"
    return UsageError(f"{parameter.text}: {subject} is {what}; bytes:HEX gives the whole")
