"""DWARF 6 operations whose meaning differs from that in the AMD text.

The comments give the section of the draft and, where it is not 230524.1, the issue that defines
what follows; `docs/dwarf6.md` has where they were read. What nothing here changes is as the AMD
text has it: DWARF 6 took its first part ("Locations on the stack", issue 230524.1).

Law: there is no incomplete composite: one is complete after each piece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias, cast

from dwarfgpu.access.coalesced_reads import READ_BUDGET
from dwarfgpu.errors import IllFormed, LimitExceeded, Unsupported, counted
from dwarfgpu.expr import ops  # noqa: F401 - importing declares the operations
from dwarfgpu.expr.context import ConstValue, Context, LocationAttribute, require
from dwarfgpu.expr.control_flow import Enter, Nested
from dwarfgpu.expr.dialect.dwarf6_names import names
from dwarfgpu.expr.implicit_conversions import and_then, as_location, pointee
from dwarfgpu.expr.operand_codec import (
    SLEB,
    ULEB,
    DieOffset,
    RegisterNumber,
    Size,
    Size8,
    TypeOffset,
    UnitRef2,
    UnitRef4,
)
from dwarfgpu.expr.operation import LLVM_USER, OPERATIONS, Code, Operation, Stack, standalone
from dwarfgpu.expr.ops import control, general, memory, special_value
from dwarfgpu.expr.ops.composite import part_of, require_composite_size
from dwarfgpu.model.location import (
    UNDEFINED_LOCATION,
    Entry,
    ImplicitPointerValue,
    Location,
    SingleLocation,
    composite,
)
from dwarfgpu.model.storage import (
    Composite,
    Implicit,
    Part,
    Register,
    Undefined,
    depth_of,
    is_compound,
)
from dwarfgpu.model.value import Value

_PART_BITS: Final = 128
"""What copying a part counts as reading: a piece copies those before it. Thousands of pieces are
within `--max-total-bytes`, and hostile expressions fill no memory."""

_Called: TypeAlias = Enter | Nested | Location | None
_Retrieved: TypeAlias = Value | Location | Nested


# Section 3.5 (issue 250924.2).


def mod_floor(second: Value, top: Value) -> Value:
    """Return the second entry modulo the top, for a division that rounds down; unsigned on
    generic."""
    remainder = second % top
    if remainder.bits and second.type.is_signed and (remainder.integer < 0) != (top.integer < 0):
        return remainder + top
    return remainder


# Section 3.6 (issues 211206.1, 241011.1).


def push_lane(ctx: Context) -> Value:
    """Push the current lane; 0 in a program that uses no lanes."""
    lane = ctx.lane
    if lane is None and ctx.wave is not None:
        arch = ctx.architecture
        lane = 0 if arch is not None and not arch.is_simt else None
    return Value.of(require(lane, "lane"), ctx.generic)


# Section 3.7 (draft 013).


def mem(ctx: Context, space: Value, address: Value) -> Location | Nested:
    """Make a memory location from an address space and an address."""
    return memory.LLVM_form_aspace_address(ctx, address, space)


def aspace_bregx(
    ctx: Context, space: Value, *, register: RegisterNumber, displacement: SLEB
) -> Location:
    """Make a memory location from a register, a displacement and an address space."""
    return memory.LLVM_aspace_bregx(ctx, space, register=register, displacement=displacement)


# Section 3.9.


def undefined(ctx: Context) -> Location:
    """Push an undefined location, at the start of storage as large as the largest memory."""
    size_bits = require(ctx.architecture, "target architecture").largest_space_bits
    return Location((SingleLocation(Undefined(size_bits)),))


# Section 3.12.


def empty_composite() -> Location:
    """Push a composite without parts."""
    return composite([])


def standard_piece(ctx: Context, stack: Stack, *, size: Size) -> Location | Nested:
    """Add a part of a number of bytes to a composite.

    The top becomes the part, and is added to the composite below it. The only entry of a stack
    begins a composite; if it is a composite, or there is no entry, the part is undefined.
    """
    return _piece(ctx, stack, size * 8, None)


def standard_bit_piece(
    ctx: Context, stack: Stack, *, size: Size, displacement: ULEB
) -> Location | Nested:
    """Add a part of a number of bits, from a bit displacement, to a composite.

    As DW_OP_piece. In a register or an implicit value the displacement is from the least
    significant bit; in undefined storage it is ignored.
    """
    return _piece(ctx, stack, size, displacement)


def _piece(
    ctx: Context, stack: Stack, size_bits: int, displacement: int | None
) -> Location | Nested:
    base = composite([])
    if len(stack) > 1:
        below = stack[-2]
        if not _is_composite(below):
            raise IllFormed(
                "a piece above an entry that is not a composite: DW_OP_composite needed"
            )
        part, base = stack.pop(), cast(Location, stack.pop())
    elif not stack:
        part = UNDEFINED_LOCATION
    elif _is_composite(stack[-1]):
        part, base = UNDEFINED_LOCATION, cast(Location, stack.pop())
    else:
        part = stack.pop()
    added = partial(_appended, ctx, base, size_bits=size_bits, displacement=displacement)
    return cast("Location | Nested", and_then(as_location(ctx, part), added))


def _is_composite(entry: Entry) -> bool:
    return (
        isinstance(entry, Location)
        and len(entry.single_locations) == 1
        and is_compound(entry.single_locations[0].storage)
    )


def _appended(
    ctx: Context, base: Location, location: Location, size_bits: int, displacement: int | None
) -> Location:
    if displacement is not None:
        location = _displaced(ctx, location, size_bits, displacement)
    part = part_of(ctx, location, size_bits)
    single = base.single_locations[0]
    storage = single.storage
    assert is_compound(storage)
    if not isinstance(storage, Composite):  # one of the AMD text's, of equal parts
        storage_part = Part(Location((SingleLocation(storage),)), storage.size_bits)
        storage = Composite((storage_part,), (0,), storage.size_bits)
    if len(storage.parts) >= ctx.limits.parts:
        raise LimitExceeded(f"a composite of more than {ctx.limits.parts} parts", "--max-parts")
    budget = READ_BUDGET.get()
    if budget is not None:
        budget.spend(_PART_BITS * len(storage.parts))
    total_bits = storage.size_bits + size_bits
    require_composite_size(ctx, total_bits)
    longer = Composite(
        (*storage.parts, part),
        (*storage.starts, storage.size_bits),
        total_bits,
        max(storage.depth, 1 + depth_of(part.location)),
    )
    return Location((SingleLocation(longer, single.bit_offset),), base.stop)


def _displaced(ctx: Context, location: Location, size_bits: int, displacement: int) -> Location:
    """Return the location of a part, `displacement` bits into what `location` has."""
    singles: list[SingleLocation] = []
    for single in location.single_locations:
        remaining_bits = single.remaining_bits
        if isinstance(single.storage, Undefined):
            singles.append(single)
        elif isinstance(single.storage, Register | Implicit) and ctx.endian == "big":
            assert remaining_bits is not None
            first = remaining_bits - displacement - size_bits
            if first < 0:
                raise IllFormed(
                    f"a part of {size_bits} bits at bit {displacement} of {remaining_bits}"
                )
            singles.append(single.displaced(first) if first else single)
        else:
            singles.append(single.displaced(displacement) if displacement else single)
    return Location(tuple(singles), location.stop)


def overlay(
    ctx: Context, base: Location, overlay: Location, offset: Value, width: Value
) -> Location:
    """Lay a location over a range of bytes of another.

    As DW_OP_bit_overlay, offset and width counted in bytes.
    """
    return _overlay(ctx, base, overlay, offset.displacement * 8, width.displacement * 8)


def bit_overlay(
    ctx: Context, base: Location, overlay: Location, offset: Value, width: Value
) -> Location:
    """Lay a location over a range of bits of another.

    The result has the position and the storage of `base`, with `width` bits from `offset` bits
    after that position on taken from `overlay` instead. Beyond the storage it is extended by
    undefined bits.
    """
    return _overlay(ctx, base, overlay, offset.displacement, width.displacement)


def _overlay(
    ctx: Context, base: Location, overlay: Location, offset_bits: int, width_bits: int
) -> Location:
    if len(base.single_locations) != 1:
        raise Unsupported("an overlay on a location of several places: no approved text defines it")
    single = base.single_locations[0]
    storage, start = single.storage, single.bit_offset + offset_bits
    size_bits = storage.size_bits
    if size_bits is None:
        size_bits = require(ctx.architecture, "target architecture").largest_space_bits
    if width_bits < 0:
        raise IllFormed(f"an overlay of {width_bits} bits")
    if start < 0:
        raise IllFormed(f"an overlay that begins {-start} bits before the storage of its base")
    if width_bits == 0 and start <= size_bits:
        return base
    end = start + width_bits
    require_composite_size(ctx, max(size_bits, end))
    parts: list[Part] = []

    def keep(first: int, last: int) -> None:
        """Bits of the base, as far as it has them."""
        if first < min(last, size_bits):
            kept = Location((SingleLocation(storage, first),), base.stop)
            parts.append(part_of(ctx, kept, min(last, size_bits) - first))

    keep(0, start)
    if start > size_bits:
        parts.append(Part(UNDEFINED_LOCATION, start - size_bits))
    if width_bits:
        parts.append(part_of(ctx, overlay, width_bits))
    keep(end, size_bits)
    composed = composite(parts).single_locations[0].storage
    return Location((SingleLocation(composed, single.bit_offset),), base.stop)


# Section 3.13.


def standard_deref(ctx: Context, location: Location) -> _Retrieved:
    """Retrieve a value of the generic type; of an implicit pointer, the location it points to."""
    return _pointed_to(ctx, special_value.deref(ctx, location))


def standard_deref_size(ctx: Context, location: Location, *, size: Size8) -> _Retrieved:
    """Retrieve a number of bytes, at most those of the generic type, zero-extended to it."""
    why = why_too_large(size, ctx.generic.size_bytes)
    if why is not None:
        raise IllFormed(why)
    return _pointed_to(ctx, special_value.deref_size(ctx, location, size=size))


def why_too_large(size: int, generic_bytes: int) -> str | None:
    """Return why DW_OP_deref_size may not read that many bytes; None if it may."""
    if size <= generic_bytes:
        return None
    return f"a size of {counted(size, 'byte')}, more than the {generic_bytes} of generic"


def standard_deref_type(
    ctx: Context, location: Location, *, size: Size8, type: TypeOffset
) -> _Retrieved:
    """Retrieve a value of a base type."""
    return _pointed_to(ctx, special_value.deref_type(ctx, location, size=size, type=type))


def _pointed_to(ctx: Context, retrieved: Value | ImplicitPointerValue) -> _Retrieved:
    if isinstance(retrieved, ImplicitPointerValue):
        return pointee(ctx, retrieved)
    return retrieved


# Section 3.15: an entry without DW_AT_location has no effect, DW_AT_const_value or not.


def call2(ctx: Context, *, die: UnitRef2) -> _Called:
    """Call the location of a DIE of the unit, on the same stack if it is an expression."""
    return _called_in_unit(ctx, die)


def call4(ctx: Context, *, die: UnitRef4) -> _Called:
    """Call the location of a DIE of the unit, on the same stack if it is an expression."""
    return _called_in_unit(ctx, die)


def call_ref(ctx: Context, *, die: DieOffset) -> _Called:
    """Call the location of a DIE in `.debug_info`, on the same stack if it is an expression."""
    return _called(ctx, require(ctx.unit, "compilation unit").location_at(die))


def _called_in_unit(ctx: Context, unit_offset: int) -> _Called:
    unit = require(ctx.unit, "compilation unit")
    return _called(ctx, unit.location_at(unit.section_offset(unit_offset)))


def _called(ctx: Context, attribute: LocationAttribute | None) -> _Called:
    return None if isinstance(attribute, ConstValue) else control.call(ctx, attribute)


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "push_object_location": general.push_object_address,
    "form_tls_location": memory.form_tls_address,
    "mod_trunc": OPERATIONS["mod"].function,
    "mod_floor": mod_floor,
    "push_lane": push_lane,
    "offset": general.LLVM_offset,
    "bit_offset": general.LLVM_bit_offset,
    "composite": empty_composite,
    "undefined": undefined,
    "overlay": overlay,
    "bit_overlay": bit_overlay,
    "mem": mem,
    "aspace_bregx": aspace_bregx,
    "aspace_deref": OPERATIONS["xderef"].function,
    "aspace_deref_size": OPERATIONS["xderef_size"].function,
    "aspace_deref_type": OPERATIONS["xderef_type"].function,
}
_CHANGED: Final[dict[str, tuple[str, Callable[..., Any]]]] = {
    "piece": ("3.12", standard_piece),
    "bit_piece": ("3.12", standard_bit_piece),
    "deref": ("3.13", standard_deref),
    "deref_size": ("3.13", standard_deref_size),
    "deref_type": ("3.13", standard_deref_type),
    "call2": ("3.15", call2),
    "call4": ("3.15", call4),
    "call_ref": ("3.15", call_ref),
}
"""The section of issue 230524.1, and the function."""

OPERATIONS_6: Final[Mapping[str, Operation]] = {
    name: standalone(function, name, spec=names().operations[name].spec)
    for name, function in _FUNCTIONS.items()
}
"""The operations with a name of DWARF 6."""
CHANGED: Final[Mapping[str, Operation]] = {
    name: standalone(function, name, spec=f"DWARF 6 {section} (issue 230524.1)")
    for name, (section, function) in _CHANGED.items()
}
"""Operations of DWARF 5 that mean something else."""


def _bare(name: str) -> str:
    return name.removeprefix("DW_OP_")


_ENTRIES: Final = tuple(names().operations.values())
ALIASES: Final[Mapping[str, str]] = {
    **{_bare(entry.was): entry.bare for entry in _ENTRIES if entry.was},
    **{_bare(entry.also): entry.bare for entry in _ENTRIES if entry.also},
}
"""Other names of operations: those of DWARF 5 that are renamed, and second names."""


def table(current: Mapping[Code, Operation], *, provisional: bool) -> dict[Code, Operation]:
    """Return the encodings of DWARF 6: those of `current`, and what DWARF 6 changes and adds."""
    out = {code: CHANGED.get(operation.name, operation) for code, operation in current.items()}
    for name, operation in OPERATIONS_6.items():
        entry = names().operations[name]
        code: Code | None = entry.number
        if code is None and provisional and entry.provisional is not None:
            code = LLVM_USER, entry.provisional
        if code is None:
            continue
        older = entry.was or entry.also
        renamed = older is not None and out[code].name == _bare(older)
        assert renamed or code not in out, f"{code} means {out[code]} and {operation}"
        out[code] = operation
    return out
