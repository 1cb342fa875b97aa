"""Subprogram attributes that describe call frames: DW_AT_frame_base, DW_AT_return_addr and
DW_AT_static_link (AMD text A.3.3.5, low-level information, paragraphs 1 to 3).

Law: each attribute is evaluated with the context that its paragraph prescribes, and what the
paragraph calls ill-formed is `IllFormed`, named by the attribute.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import Architecture, RegisterInfo
from dwarfgpu.arch.processors import processor
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import IllFormed, OutOfRange
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import Context, ExprLoc, LocList, require
from dwarfgpu.expr.evaluate import Observer, evaluate_attribute, register_of
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import ImplicitPointer, Memory, Register

SCRATCH_BASES: Final = frozenset({"s32", "s33"})
"""The registers that upstream clang uses as stack and frame pointer."""


def located(
    attribute: ExprLoc | LocList, context: Context, observe: Observer | None = None
) -> Location:
    """Return the location of an attribute, evaluated without an object and with an empty stack."""
    context = evolve(
        context, unit=attribute.unit, result_kind="location", object=None, initial_stack=()
    )
    location = evaluate_attribute(attribute, context, observe=observe)
    assert isinstance(location, Location)
    return location


def only_single_location(name: str, location: Location) -> SingleLocation:
    """Return the only single location of a location; `IllFormed` with the attribute's name for
    several."""
    if len(location.single_locations) != 1:
        raise IllFormed(f"{name} does not give exactly one single location")
    return location.single_locations[0]


def frame_base(
    attribute: ExprLoc | LocList,
    context: Context,
    *,
    is_outer: bool,
    observe: Observer | None = None,
) -> Location:
    """Return the frame base (paragraph 2), in memory.

    The frame of the context refuses DW_OP_fbreg; `is_outer` where it is not the top one.
    """
    location = located(attribute, context, observe)
    storage = only_single_location("DW_AT_frame_base", location).storage
    architecture = require(context.architecture, "target architecture")
    named = _named_register(attribute, context.pc) if is_outer else None
    if named is not None and storage != Register(architecture.register(named), context.wave or 0):
        # The register's contents, wherever an outer frame saved them.
        register = architecture.register(named)
        if attribute.unit.dialect.upstream_clang and register.name in SCRATCH_BASES:
            return _scratch_base(context, architecture, location, register)
        address = context.access.retrieve(location, _base_bits(architecture, register))
        assert not isinstance(address, ImplicitPointer)
        return memory_location(context, architecture.address_space(0), address)
    if isinstance(storage, Register):
        # DW_OP_bregx R, 0: of the whole register, wherever in it the location is.
        storage_location = Location((SingleLocation(storage),), location.stop)
        is_scratch = storage.register.name in SCRATCH_BASES
        if attribute.unit.dialect.upstream_clang and is_scratch:
            return _scratch_base(context, architecture, storage_location, storage.register)
        address = context.access.retrieve(
            storage_location, _base_bits(architecture, storage.register)
        )
        assert not isinstance(address, ImplicitPointer)
        return memory_location(context, architecture.address_space(0), address)
    if not isinstance(storage, Memory):
        raise IllFormed("DW_AT_frame_base gives neither a register nor a memory location")
    return location


def return_address(attribute: ExprLoc | LocList, context: Context) -> Location:
    """Return where the return address of the current frame's subprogram is stored (paragraph 1)."""
    return _in_memory("DW_AT_return_addr", attribute, context)


def static_link(attribute: ExprLoc | LocList, context: Context) -> Location:
    """Return the canonical frame address of the frame of the enclosing subprogram (paragraph 3)."""
    return _in_memory("DW_AT_static_link", attribute, context)


def _in_memory(name: str, attribute: ExprLoc | LocList, context: Context) -> Location:
    location = located(attribute, context)
    if not isinstance(only_single_location(name, location).storage, Memory):
        raise IllFormed(f"{name} does not give a memory location")
    return location


def _base_bits(architecture: Architecture, register: RegisterInfo) -> int:
    """Return the bits of an address, which DW_OP_bregx reads: a narrower register has none
    (A.2.5.4.4.3)."""
    if register.size_bits < architecture.address_bits:
        raise OutOfRange(
            f"the frame base register {register} of {register.size_bits} bits is "
            f"narrower than an address of {architecture.address_bits} bits"
        )
    return architecture.address_bits


def _scratch_base(
    context: Context, architecture: Architecture, location: Location, register: RegisterInfo
) -> Location:
    """Return upstream clang's base: a scratch offset, for the whole wave where scratch is not
    architected."""
    offset = context.access.retrieve(location, register.size_bits)
    assert not isinstance(offset, ImplicitPointer)
    if not processor(architecture.name).has_architected_flat_scratch:
        offset //= architecture.lane_count
    private_lane = architecture.address_space_named("private_lane")
    assert private_lane is not None
    return memory_location(context, private_lane, offset, bind_lane=False)


def _named_register(attribute: ExprLoc | LocList, pc: int | None) -> int | None:
    """Return the register of an expression that ends in DW_OP_reg*."""
    if isinstance(attribute, LocList):
        expressions = [entry.expression for entry in attribute.matching(pc)]
    else:
        expressions = [attribute.expression]
    unit = attribute.unit
    for expression in expressions:
        instructions = prepare(expression, unit.dialect, unit.format).instructions
        if instructions and (number := register_of(instructions[-1])) is not None:
            return number
    return None
