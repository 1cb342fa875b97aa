"""Composite location description operations (AMD text A.2.5.4.4.6).

Law: only these operations make and complete a `IncompleteComposite`; the others reject it.

Declares DW_OP_piece, DW_OP_bit_piece, DW_OP_LLVM_piece_end, DW_OP_LLVM_extend,
DW_OP_LLVM_select_bit_piece, DW_OP_LLVM_overlay, DW_OP_LLVM_bit_overlay.
"""

from __future__ import annotations

from functools import partial
from typing import Final, cast

from dwarfgpu.errors import IllFormed, LimitExceeded, counted
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.control_flow import Nested
from dwarfgpu.expr.implicit_conversions import and_then, as_location
from dwarfgpu.expr.operand_codec import ULEB, Size
from dwarfgpu.expr.operation import LLVM_USER, Stack, op
from dwarfgpu.expr.wide_registers import in_wide_register
from dwarfgpu.model.location import (
    UNDEFINED_LOCATION,
    IncompleteComposite,
    Location,
    SingleLocation,
    composite,
    narrowed,
    selection,
    storage_name,
)
from dwarfgpu.model.storage import Memory, Part, Register, Repeated, Selected, depth_of
from dwarfgpu.model.value import Value

PIECES: Final = ("piece", "bit_piece")
"""The operations that add a part to an incomplete composite, by name."""


@op(0x93, spec="A.2.5.4.4.6")
def piece(ctx: Context, stack: Stack, *, size: Size) -> IncompleteComposite | Nested:
    """Add a part of a number of bytes to an incomplete composite.

    A location at the top becomes the part; on an empty stack, or straight after another part, the
    part is undefined. It is added to the incomplete composite below it, or begins a new one.
    """
    return _piece(ctx, stack, size * 8, None)


@op(0x9D, spec="A.2.5.4.4.6")
def bit_piece(
    ctx: Context, stack: Stack, *, size: Size, displacement: ULEB
) -> IncompleteComposite | Nested:
    """Add a part of a number of bits, from a bit displacement, to an incomplete composite.

    As DW_OP_piece; the part begins `displacement` bits into its location, whatever that is.
    """
    return _piece(ctx, stack, size, Value.of(displacement, ctx.generic).as_signed)


@op((LLVM_USER, 0x0A), spec="A.2.5.4.4.6")
def LLVM_piece_end(stack: Stack) -> Location:
    """Make the incomplete composite at the top complete."""
    if not stack or not isinstance(stack[-1], IncompleteComposite):
        raise IllFormed("no incomplete composite location description is at the top of the stack")
    return cast(IncompleteComposite, stack.pop()).completed()


@op((LLVM_USER, 0x0B), spec="A.2.5.4.4.6")
def LLVM_extend(ctx: Context, location: Location, *, element_size: Size, count: Size) -> Location:
    """Make a composite of a number of identical parts.

    Each of the `count` parts is the same `element_size` bits: a scalar seen as a vector.
    """
    _require_elements(ctx, element_size, count)
    part = part_of(ctx, location, element_size)
    return Location((SingleLocation(Repeated(part.location, element_size, count)),))


@op((LLVM_USER, 0x0C), spec="A.2.5.4.4.6")
def LLVM_select_bit_piece(
    ctx: Context, zero: Location, one: Location, mask: Value, *, element_size: Size, count: Size
) -> Location:
    """Make a composite whose parts come from one of two locations, selected by a bit mask.

    Part N is `element_size` bits at bit N * `element_size` of `one` where bit N of the mask, from
    the least significant, is 1, and of `zero` where it is 0: for example, a vector register with
    some lanes spilled under the execution mask.
    """
    _require_elements(ctx, element_size, count)
    mask.require_integral()  # its bits are what counts
    if mask.type.bit_size < count:
        raise IllFormed(f"a mask of {mask.type.bit_size} bits for {count} parts")
    chosen = mask.bits & (1 << count) - 1
    unchosen = chosen ^ (1 << count) - 1
    # The parts of each location ascend, so its last part decides whether all of them fit.
    if chosen:
        _require_bits(one, element_size, chosen.bit_length() - 1)
        one = _shallow(ctx, selection(one, chosen, element_size, count))
    if unchosen:
        _require_bits(zero, element_size, unchosen.bit_length() - 1)
        zero = _shallow(ctx, selection(zero, unchosen, element_size, count))
    return Location((SingleLocation(Selected(chosen, one, zero, element_size, count)),))


@op(None, spec="A.2.5.4.4.6")
def LLVM_overlay(
    ctx: Context, base: Location, overlay: Location, offset: Value, size: Value
) -> Location:
    """Lay a location over a range of bytes of another.

    As DW_OP_LLVM_bit_overlay, offset and size counted in bytes.
    """
    return _overlay(ctx, base, overlay, offset.displacement * 8, size.displacement * 8)


@op(None, spec="A.2.5.4.4.6")
def LLVM_bit_overlay(
    ctx: Context, base: Location, overlay: Location, offset: Value, size: Value
) -> Location:
    """Lay a location over a range of bits of another.

    The result is `base` with the `size` bits from bit `offset` on taken from `overlay` instead.
    """
    return _overlay(ctx, base, overlay, offset.displacement, size.displacement)


def _piece(
    ctx: Context, stack: Stack, size_bits: int, displacement_bits: int | None
) -> IncompleteComposite | Nested:
    """Return the four cases of DW_OP_piece, in the order of the text."""
    if not stack or isinstance(stack[-1], IncompleteComposite):
        return _append(ctx, stack, Part(UNDEFINED_LOCATION, size_bits))
    top = as_location(ctx, stack.pop())
    if isinstance(top, Location):
        return _append_location(ctx, stack, top, size_bits, displacement_bits)
    appended = partial(
        _append_location, ctx, stack, size_bits=size_bits, displacement_bits=displacement_bits
    )
    return cast("IncompleteComposite | Nested", and_then(top, appended))


def _append_location(
    ctx: Context, stack: Stack, location: Location, size_bits: int, displacement_bits: int | None
) -> IncompleteComposite:
    location = in_wide_register(ctx.architecture, location, size_bits + (displacement_bits or 0))
    if ctx.x87_as_compilers and not displacement_bits and _lacks_bits(location, size_bits):
        from dwarfgpu.expr.x87_registers import padded  # few pieces are larger than their storage

        location = padded(ctx, location, size_bits)
    if displacement_bits is not None:
        displaced = location.displaced(displacement_bits)  # an error where storage has no bits
        location = displaced if displacement_bits else location
    return _append(ctx, stack, part_of(ctx, location, size_bits))


def _lacks_bits(location: Location, size_bits: int) -> bool:
    rest_bits = location.remaining_bits
    return rest_bits is not None and rest_bits < size_bits


def _append(ctx: Context, stack: Stack, part: Part) -> IncompleteComposite:
    size_bits, count, before = part.size_bits, 1, None
    if stack and isinstance(stack[-1], IncompleteComposite):
        before = cast(IncompleteComposite, stack.pop())
        size_bits, count = before.size_bits + size_bits, before.count + 1
        if count > ctx.limits.parts:
            raise LimitExceeded(f"a composite of more than {ctx.limits.parts} parts", "--max-parts")
    require_composite_size(ctx, size_bits)
    return IncompleteComposite(part, before, count, size_bits)


def part_of(ctx: Context, location: Location, size_bits: int) -> Part:
    """Return a part whose bits all lie within each of its single locations."""
    singles = location.single_locations
    if len(singles) == 1:
        single = singles[0]
        storage = single.storage
        is_plain = type(storage) is Register or type(storage) is Memory
        if is_plain and size_bits <= (single.remaining_bits or 0):
            return Part(location, size_bits)
    _require_bits(location, size_bits)
    return Part(_shallow(ctx, narrowed(location, size_bits)), size_bits)


def _shallow(ctx: Context, location: Location) -> Location:
    """Return the location, flattened so that one more level of nesting is allowed."""
    if depth_of(location) >= ctx.limits.depth:
        raise LimitExceeded(f"composites nested more than {ctx.limits.depth} deep", "--max-depth")
    return location


def _require_bits(location: Location, size_bits: int, index: int | None = None) -> None:
    """Require that the location has that many bits; with an index, that it can be moved to that
    element of them."""
    rest_bits, needed_bits = location.remaining_bits, size_bits * (1 + (index or 0))
    if rest_bits is None or needed_bits <= rest_bits:
        return
    moved = location if index is None else location.displaced(size_bits * index)
    for single in moved.single_locations:
        remaining_bits = single.remaining_bits
        if remaining_bits is not None and remaining_bits < size_bits:
            raise IllFormed(
                f"a part of {size_bits} bits, but {storage_name(single.storage)} "
                f"has {remaining_bits} left"
            )


def _require_elements(ctx: Context, element_bits: int, count: int) -> None:
    if element_bits == 0 or count == 0:
        elements = counted(count, "element")
        raise IllFormed(f"{elements} of {counted(element_bits, 'bit')}: neither may be 0")
    require_composite_size(ctx, element_bits * count)


def require_composite_size(ctx: Context, size_bits: int) -> None:
    """Raise `IllFormed` for a composite larger than the largest address space."""
    largest_bits = require(ctx.architecture, "target architecture").largest_space_bits
    if size_bits > largest_bits:
        raise IllFormed(
            f"a composite of {size_bits} bits is larger than the largest address space "
            f"({largest_bits} bits)"
        )


def _rest(ctx: Context, base: Location, size_bits: int, first_bit: int = 0) -> Part:
    """Return the remaining part of an overlay's base."""
    return Part(_shallow(ctx, narrowed(base, size_bits, first_bit)), size_bits)


def _overlay(
    ctx: Context, base: Location, overlay: Location, offset_bits: int, size_bits: int
) -> Location:
    if offset_bits < 0 or size_bits < 0:
        raise IllFormed(f"overlay of {size_bits} bits at bit {offset_bits}: neither is negative")
    rest_bits = base.remaining_bits  # rbss(BL)
    end_bits = offset_bits + size_bits
    if rest_bits is not None and rest_bits < end_bits:
        raise IllFormed(
            f"overlay of {size_bits} bits at bit {offset_bits} of a base with {rest_bits} left"
        )
    if size_bits == 0:
        return base
    if offset_bits == 0 and size_bits == rest_bits:
        return overlay
    if rest_bits is None:
        raise IllFormed("cannot overlay undefined storage: its size is unknown")
    require_composite_size(ctx, rest_bits)
    overlay.displaced(0)  # as bit_piece does
    middle = part_of(ctx, overlay, size_bits)
    after_bits = rest_bits - end_bits
    after = _rest(ctx, base, after_bits, end_bits) if after_bits else None
    if not offset_bits:
        return composite([middle, after] if after else [middle])
    before = _rest(ctx, base, offset_bits)
    return composite([before, middle, after] if after else [before, middle])
