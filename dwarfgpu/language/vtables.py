"""The virtual function tables of an object (Itanium C++ ABI 2.5).

The static type of the object says how many functions they have; `real_types` finds the class that
it was created as.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.types import Pointer, Struct, strip
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Unavailable, UsageError
from dwarfgpu.language.created_class import DynamicClasses, has_virtual_table
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import read_memory
from dwarfgpu.view.object_printer import space_and_address

_MAX_PARTS: Final = 10_000
"""Base classes of one object, and functions of a table."""


@frozen
class VirtualTable:
    """The table to which an object, or a base class in it, points at its address."""

    kind: Struct
    """The outermost class that begins there."""
    object_address: int
    space: AddressSpace
    """Of the object; the table is in global memory."""
    address: int
    """The address of its first function."""
    functions: tuple[int | DwarfGpuError, ...]
    """Their code: those for which classes that begin there declare slots."""


def virtual_tables(objects: ObjectAccess, value: TypedValue) -> list[VirtualTable] | None:
    """Return the tables with functions of an object, or of that to which a pointer or reference
    leads, by address; None if its class has neither virtual functions nor virtual bases."""
    value = objects.read(value)
    if isinstance(strip(value.type), Pointer):
        value = objects.dereferenced(value)
    if not has_virtual_table(value.type):
        return None
    located = space_and_address(value.location)
    if located is None:
        raise UsageError("Attempt to take address of value not located in memory.")
    parts = _parts(objects, value)
    return [
        _table(objects, kind, located[0], address, counts[-1])
        for address, (kind, counts) in sorted(parts.items())
        if counts[-1]
    ]


def _parts(objects: ObjectAccess, value: TypedValue) -> dict[int, tuple[Struct, list[int]]]:
    """Return the outermost class at each address of a dynamic class, and how many slots are
    declared there, in ascending order."""
    parts: dict[int, tuple[Struct, list[int]]] = {}
    dynamic = DynamicClasses()
    visited: set[tuple[Struct, int]] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        bare, located = strip(part.type), space_and_address(part.location)
        if not isinstance(bare, Struct) or located is None or (bare, located[1]) in visited:
            continue
        address = located[1]
        if not dynamic.has(bare):
            continue
        visited.add((bare, address))
        if len(visited) > _MAX_PARTS:
            raise LimitExceeded(f"the object has more than {_MAX_PARTS} base classes")
        _, counts = parts.setdefault(address, (bare, [0]))
        counts += [
            method.slot_index + 1
            for method in bare.declared.methods
            if method.is_virtual and method.slot_index is not None
        ]
        counts.sort()
        pending += [objects.step(part, member) for member in reversed(bare.index.bases)]
    return parts


def _table(
    objects: ObjectAccess,
    struct_type: Struct,
    space: AddressSpace,
    object_address: int,
    count: int,
) -> VirtualTable:
    size_bytes = objects.architecture.address_space(0).address_bits // 8
    endian = objects.architecture.endian

    def word(address: int, space: AddressSpace) -> int | DwarfGpuError:
        try:
            data = read_memory(objects, address, space.number, size_bytes)
            return int.from_bytes(data, endian)
        except DwarfGpuError:
            where = objects.address_text(space, address)
            return Unavailable(f"Cannot access memory at address {where}")

    address = word(object_address, space)
    if isinstance(address, DwarfGpuError):
        raise address
    ends = range(address, address + min(count, _MAX_PARTS) * size_bytes, size_bytes)
    functions = tuple(word(end, objects.architecture.address_space(0)) for end in ends)
    return VirtualTable(struct_type, object_address, space, address, functions)
