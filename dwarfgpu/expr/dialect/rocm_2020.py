"""Operations with the meaning of the 2020 document (LLVM 11, AMDGPU usage, "Expression Operation
Encodings", "Address Space Mapping").

Law: only here do the numbers 0x20 to 0x5f name an address space: the private memory of one lane.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from dwarfgpu.base.records import evolve
from dwarfgpu.expr import ops  # noqa: F401 - importing declares the operations
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.control_flow import Nested
from dwarfgpu.expr.implicit_conversions import and_then
from dwarfgpu.expr.operation import OPERATIONS, Code, Operation
from dwarfgpu.model.location import Entry, ImplicitPointerValue, Location, SingleLocation
from dwarfgpu.model.storage import Memory
from dwarfgpu.model.value import Value

_INTERPRETATION: Final = "address spaces 0x20 to 0x5f are the private memory of lanes 0 to 63"


def _private_location(
    ctx: Context, address: Value | ImplicitPointerValue, space: Value
) -> Location | None:
    """Return a location in the private memory of a lane, if the space names one."""
    space.require_integral()
    lane_space = require(ctx.architecture, "target architecture").space_of_lane(int(space.bits))
    if lane_space is None or isinstance(address, ImplicitPointerValue):
        return None
    private, lane = lane_space
    address.require_integral()
    bit_offset = (address.bits & (1 << private.address_bits) - 1) * 8
    memory = Memory(private, require(ctx.wave, "thread"), lane)
    return Location((SingleLocation(memory, bit_offset),), ctx.stop)


def _form(ctx: Context, address: Value | ImplicitPointerValue, space: Value) -> Location | Nested:
    private_location = _private_location(ctx, address, space)
    if private_location is not None:
        return private_location
    location: Location | Nested = OPERATIONS["LLVM_form_aspace_address"].function(
        ctx, address, space
    )
    return location


def _retrieving(name: str) -> Callable[..., Entry | Nested]:
    """Make xderef, xderef_size or xderef_type: `swap; LLVM_form_aspace_address`, then deref."""
    retrieve = OPERATIONS[name.removeprefix("x")].function

    def read(
        ctx: Context, space: Value, address: Value | ImplicitPointerValue, **operands: Any
    ) -> Entry | Nested:
        result: Entry | Nested = and_then(
            _form(ctx, address, space), lambda location: retrieve(ctx, location, **operands)
        )
        return result

    return read


def _reinterpreted(name: str, function: Callable[..., Any]) -> Operation:
    return evolve(OPERATIONS[name], function=function, equals=None, interpretation=_INTERPRETATION)


ADDED_OPERATIONS: Final[Mapping[Code, Operation]] = {
    0xE7: _reinterpreted("LLVM_form_aspace_address", _form),
    0xE9: OPERATIONS["LLVM_offset"],
    0xEA: OPERATIONS["LLVM_push_lane"],
}
"""Operations of the extensions with their encodings of 2020; the other operations did not exist."""
CHANGED_OPERATIONS: Final[Mapping[Code, Operation]] = {
    code: _reinterpreted(name, _retrieving(name))
    for code, name in ((0x18, "xderef"), (0x95, "xderef_size"), (0xA7, "xderef_type"))
}
"""Operations of DWARF 5 that take these address spaces too."""
