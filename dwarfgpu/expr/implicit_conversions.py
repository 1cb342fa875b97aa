"""The implicit conversions of stack entries: a value to a memory location description, a location
description to a value (AMD text A.2.5.4.4.3), and the value of an implicit pointer to the location
of its object (A.2.5.4.4.5). `evaluate` applies the one that an operation requires.

Law: there are no other implicit conversions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final, cast

from dwarfgpu.arch.model import AddressSpace, Architecture, RegisterInfo
from dwarfgpu.base.bits import Endian, from_bytes
from dwarfgpu.errors import EvaluationError, IllFormed, RemovedPointee
from dwarfgpu.expr.context import ConstValue, Context, Unit, require
from dwarfgpu.expr.control_flow import Nested, Outcome
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.location import (
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
    SingleLocation,
)
from dwarfgpu.model.storage import Implicit, Memory, Register
from dwarfgpu.model.value import Value

REGISTER_LOCATION: Final = "a register location description"
NO_ADDRESS: Final = "a location description that converts to no value"


def memory_location(
    ctx: Context, space: AddressSpace, address: int, *, bind_lane: bool = True
) -> Location:
    """Return the location of an address, modulo the address size, in the memory of the current
    context.

    `bind_lane`: whether the memory of a lane requires a current lane.
    """
    scope = space.scope
    if scope in ("process", "agent"):
        storage = Memory(space)
    else:
        wave, lane = ctx.wave, ctx.lane
        if wave is None and scope != "any":
            require(wave, "thread")
        if lane is None and scope == "lane" and bind_lane:
            require(lane, "lane")
        if scope in ("wave", "workgroup"):
            lane = None
        storage = Memory(space, wave, lane)
    target = ctx.target
    return Location(
        (SingleLocation(storage, (address & space.end - 1) * 8),),
        None if target is None else target.stop,
    )


def whole_register(arch: Architecture, number: int, wave: WaveId, stop: int | None) -> Location:
    """Return the location of a register of a wave."""
    if type(wave) is int:  # a number for each of many waves is not a key of a cache
        return register_locations(arch, number)(wave, stop)
    return _whole_register(arch.register(number), wave, stop)


@lru_cache(maxsize=1024)
def register_locations(arch: Architecture, number: int) -> Callable[[WaveId, int | None], Location]:
    """Return what gives the location of a register of one wave, at a stop."""
    return lru_cache(maxsize=256)(partial(_whole_register, arch.register(number)))


def _whole_register(register: RegisterInfo, wave: WaveId, stop: int | None) -> Location:
    return Location((SingleLocation(Register(register, wave)),), stop)


def dated(location: Location, ctx: Context) -> Location:
    """Return a result as made at this stop, whatever its storage: what it depends on may change
    (A.2.5.3)."""
    if location.stop is not None or ctx.target is None:
        return location
    return Location(location.single_locations, ctx.target.stop)


def as_location(ctx: Context, entry: Entry) -> Location | Nested:
    """Return the entry as a location description, if it is one or is implicitly converted to
    one."""
    if isinstance(entry, Location):
        return entry
    if isinstance(entry, Value):
        if not entry.type.is_generic:
            raise IllFormed(
                f"a location description is required, not a value of type {entry.type}: "
                "only the generic type converts"
            )
        arch = require(ctx.architecture, "target architecture")
        return memory_location(ctx, arch.address_space(0), entry.bits)
    if isinstance(entry, IncompleteComposite):
        raise incomplete()
    if entry.storage.space.number != 0:
        raise EvaluationError(
            f"an implicit pointer to {entry.storage.space} converts only in the default "
            "address space"
        )
    return pointee(ctx, entry)


def as_value(ctx: Context, entry: Entry) -> Value:
    """Return the entry as a value, if it is one or is implicitly converted to one."""
    if isinstance(entry, Value):
        return entry
    if isinstance(entry, ImplicitPointerValue):
        raise EvaluationError(
            "an implicit pointer value has no number; only stack operations, stack_value, "
            "form_aspace_address and conversion to a location accept it"
        )
    if isinstance(entry, IncompleteComposite):
        raise incomplete()
    if len(entry.single_locations) == 1:
        single = entry.single_locations[0]
        address = single.byte_address
        if isinstance(single.storage, Memory):
            if address is None:
                raise IllFormed(
                    "a value is required, not a location within a byte of memory (bit "
                    f"{single.bit_offset % 8}), which converts to no value"
                )
            if single.storage.space.number == 0:
                return Value(address, ctx.generic)
            raise IllFormed(
                f"a value is required, not a location in {single.storage.space} memory: "
                "only the default address space converts"
            )
    is_register = len(entry.single_locations) == 1 and isinstance(
        entry.single_locations[0].storage, Register
    )
    kind = REGISTER_LOCATION if is_register else NO_ADDRESS
    raise IllFormed(f"a value is required, not {kind}")


def incomplete() -> IllFormed:
    """Return the error of using an incomplete composite in any but its own operations."""
    return IllFormed("an incomplete composite location description: DW_OP_LLVM_piece_end needed")


def pointee(ctx: Context, pointer: ImplicitPointerValue) -> Nested:
    """Return the object to which an implicit pointer value points (A.2.5.4.4.5)."""
    storage = pointer.storage
    unit = cast("Unit", require(storage.die.unit, "compilation unit of the implicit pointer"))
    attribute = unit.location_at(storage.die.section_offset)
    displacement_bits = storage.displacement_bytes * 8
    if attribute is None:
        raise RemovedPointee(
            f"the DIE at {storage.die.section_offset:#x} of an implicit pointer has neither "
            "DW_AT_location nor DW_AT_const_value"
        )

    def displaced(outcome: Outcome) -> Entry:
        assert isinstance(outcome.entry, Location)
        return outcome.entry.displaced(displacement_bits)

    located = ctx if isinstance(attribute, ConstValue) else ctx.nested(unit=attribute.unit)
    return Nested(attribute, located, displaced)


@lru_cache(maxsize=64)
def constant_location(data: bytes, endian: Endian) -> Location:
    """Return an implicit location of the bytes, as DW_OP_implicit_value does.

    Cached, so that a loop over a large constant makes it once.
    """
    size_bits = 8 * len(data)
    return Location((SingleLocation(Implicit(from_bytes(data, size_bits, endian), size_bits)),))


def and_then(result: Location | Nested, use: Callable[[Location], Entry]) -> Entry | Nested:
    """Continue with a location that may first need its own evaluation."""
    if isinstance(result, Location):
        return use(result)

    def after(outcome: Outcome) -> Entry:
        location = result.then(outcome)
        assert isinstance(location, Location)
        return use(location)

    return Nested(result.attribute, result.context, after)
