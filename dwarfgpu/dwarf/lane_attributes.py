"""Evaluate the subprogram attributes of lanes: DW_AT_LLVM_lane_pc, DW_AT_LLVM_active_lane and
DW_AT_LLVM_iterations (AMD text A.3.3.5, low-level information, paragraphs 5 to 7).

Law: each attribute is evaluated with the context that its paragraph prescribes, and what the
paragraph calls ill-formed is `IllFormed`, named by the attribute.

`dwarfgpu.dwarf.scope.subprogram` has the attributes of the entry.
"""

from __future__ import annotations

from dwarfgpu.base.bits import signed
from dwarfgpu.dwarf.frame_attributes import located, only_single_location
from dwarfgpu.errors import IllFormed, OutOfRange, Unavailable, counted
from dwarfgpu.expr.context import Context, ExprLoc, LocList, require
from dwarfgpu.expr.evaluate import Observer
from dwarfgpu.model.storage import Implicit, ImplicitPointer


def lane_location(
    attribute: ExprLoc | LocList, context: Context, lane: int, observe: Observer | None = None
) -> int | None:
    """Return the conceptual program location of a lane, as loaded (paragraph 5).

    None if the lane was inactive when the subprogram was called.
    """
    location = located(attribute, context, observe)
    only_single_location("DW_AT_LLVM_lane_pc", location)
    size_bits = context.generic.bit_size
    try:
        of_lane = location.displaced(lane * size_bits)
    except OutOfRange:
        bits = location.remaining_bits or 0
        count = bits // size_bits
        known = f"the locations of {counted(count, 'lane')} alone"
        if not count:
            known = f"no location: it has {bits} bits, and that of one lane has {size_bits}"
        raise OutOfRange(f"it gives {known}") from None
    element = context.access.read(of_lane, size_bits)
    if element.undefined == (1 << size_bits) - 1:
        return None
    if element.undefined:
        raise IllFormed(f"DW_AT_LLVM_lane_pc gives lane {lane} a partly undefined location")
    return int.from_bytes(element.to_bytes(context.endian), context.endian)


def lane_locations(
    attribute: ExprLoc | LocList, context: Context, count: int
) -> tuple[int | None, ...]:
    """Return `lane_location` of the first lanes, in one evaluation without a lane.

    `MissingContext` if it needs a lane, `Unavailable` if not every lane can be read: then call
    `lane_location` for each.
    """
    location = located(attribute, context)
    only_single_location("DW_AT_LLVM_lane_pc", location)
    size_bits = context.generic.bit_size
    elements = context.access.read(location, count * size_bits)
    if elements.unavailable:
        raise Unavailable("where every lane is")
    every_bit = (1 << size_bits) - 1
    offsets: list[int | None] = []
    for lane in range(count):
        undefined = elements.undefined >> lane * size_bits & every_bit
        if undefined not in (0, every_bit):
            raise IllFormed(f"DW_AT_LLVM_lane_pc gives lane {lane} a partly undefined location")
        offsets.append(None if undefined else elements.value >> lane * size_bits & every_bit)
    return tuple(offsets)


def active_lanes(attribute: ExprLoc | LocList, context: Context) -> int:
    """Return the mask of the active lanes, with as many bits as the context has lanes (paragraph
    6)."""
    location = located(attribute, context)
    only_single_location("DW_AT_LLVM_active_lane", location)
    lanes = require(context.lane_count, "lane count")
    mask = context.access.retrieve(location, lanes)
    if isinstance(mask, ImplicitPointer):
        raise IllFormed("DW_AT_LLVM_active_lane gives an implicit pointer, not a mask")
    return mask


def iterations(attribute: ExprLoc | LocList, context: Context) -> int:
    """Return the iterations that execute concurrently, by an expression (paragraph 7)."""
    location = located(attribute, context)
    name = "DW_AT_LLVM_iterations"
    if not isinstance(only_single_location(name, location).storage, Implicit):
        raise IllFormed(f"{name} does not give an implicit location")
    generic = context.generic
    bits = context.access.retrieve(location, generic.bit_size)
    assert not isinstance(bits, ImplicitPointer)
    count = signed(bits, generic.bit_size)
    if count <= 0:
        raise IllFormed(f"{name} is {count}")
    return count
