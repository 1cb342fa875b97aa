"""Abstract stack entries, and operations performed on known ones.

Laws: abstract facts hold on every path, so that whatever they exclude is certain. An operation
whose entries are all known is performed by the evaluator's own step, in a context with the
architecture only: anything missing there is unknown, any other error is certain.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    MissingContext,
    OutOfRange,
    StaleLocation,
    Unavailable,
    UndefinedBits,
)
from dwarfgpu.expr.context import Context, LocationAttribute, UnitFormat
from dwarfgpu.expr.control_flow import Nested
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.implicit_conversions import (
    NO_ADDRESS,
    REGISTER_LOCATION,
    as_location,
    as_value,
    incomplete,
)
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operation import Kind, Operation
from dwarfgpu.expr.ops.conversion import WIDEST_BITS
from dwarfgpu.expr.steps import Perform
from dwarfgpu.model.location import (
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
    SingleLocation,
)
from dwarfgpu.model.storage import Composite, Implicit, Memory, Register, Undefined, is_compound
from dwarfgpu.model.value import Value

GENERIC, TYPED, POINTER, ADDRESS, REGISTER, OTHER_LOCATION, PARTIAL = (1 << n for n in range(7))
"""Generic value, value of another type, implicit pointer value, byte address in the default
address space, register of the frame, other location, incomplete composite."""
ANY: Final = (1 << 6) - 1
LOCATION: Final = ADDRESS | REGISTER | OTHER_LOCATION

NAMES: Final = {
    GENERIC: "a value of the generic type",
    TYPED: "a value of a base type",
    POINTER: "an implicit pointer value",
    ADDRESS: "an address",
    REGISTER: REGISTER_LOCATION,
    OTHER_LOCATION: NO_ADDRESS,
    PARTIAL: "an incomplete composite location description",
}
ACCEPTED: Final[dict[Kind, int]] = {
    "value": GENERIC | TYPED | ADDRESS,
    "pointer": GENERIC | TYPED | ADDRESS | POINTER,
    "location": GENERIC | POINTER | LOCATION,
    "entry": ANY,
}
"""The kinds that are, or convert to, what an operation requires (A.2.5.4.4.3)."""

_MAX_PARTS: Final = 256
"""Maximum number of parts of a known composite: to make one takes time linear in them."""
_MAX_BITS: Final = 4096
"""Maximum size of implicit storage whose bits are tracked."""
_LIMITS: Final = Limits(steps=1, stack=1 << 20, read_bytes=_MAX_BITS // 8, runs=64)
_UNTOLD: Final = "only the context determines it"


def _identity(entry: Entry | None) -> object:
    """Return a key that is equal for entries that are known to be the same; composites are not
    looked into."""
    if isinstance(entry, Location) and any(
        is_compound(single.storage) for single in entry.single_locations
    ):
        return "composite", id(entry)
    return entry


@frozen
class Known:
    """What is known of a stack entry."""

    kinds: int = ANY
    entry: Entry | None = field(default=None, eq=_identity)
    """The entry itself, if known: a value of the generic type, or the single location of a
    location."""
    is_blank: bool = False
    """Whether only the size of its implicit storage is known, not the bits."""
    in_top_frame: bool = False
    """Whether it is so in the top call frame; in another one registers may be anywhere."""
    type: BaseType | None = None
    """The base type of a value of one, if known."""
    space: int | None = None
    """The number of the address space of a place in memory whose address is unknown, if known."""

    @property
    def constant(self) -> int | None:
        """The bits of a value of the generic type, where they are known."""
        return self.entry.bits if isinstance(self.entry, Value) else None

    @property
    def remaining_bits(self) -> int | None:
        """The bits from the location to the end of its storage; None if they are unknown, or the
        storage has no size."""
        if isinstance(self.entry, IncompleteComposite):
            return self.entry.size_bits
        if not isinstance(self.entry, Location):
            return None
        single = self.entry.single_locations[0]
        size_bits = single.storage.size_bits
        return None if size_bits is None else size_bits - single.bit_offset

    def joined(self, other: Known) -> Known:
        """Return what holds of both; the first one itself where it holds of the second one."""
        if other is self:
            return self
        kinds = self.kinds | other.kinds
        entry = self.entry
        is_same = entry is not None and _identity(entry) == _identity(other.entry)
        blank = is_same and (self.is_blank or other.is_blank)
        top = is_same and (self.in_top_frame or other.in_top_frame)
        type = self.type if self.type == other.type else None
        space = self.space if self.space == other.space else None
        known = kinds, blank, top, type, space
        if is_same is (entry is not None) and known == self._without_entry:
            return self
        return Known(kinds, entry if is_same else None, blank, top, type, space)

    @property
    def _without_entry(self) -> tuple[int, bool, bool, BaseType | None, int | None]:
        return self.kinds, self.is_blank, self.in_top_frame, self.type, self.space


BaseTypes: TypeAlias = Mapping[int, BaseType]
"""Base types of a unit by their offsets in it: those that are known."""


@frozen(eq=False)
class _Unit(ExplicitUnit):
    """A unit with a known format and perhaps known base types, and nothing else."""

    def __attrs_post_init__(self) -> None:
        """Check nothing: the base types are those of a file, for each of its expressions."""

    def base_type(self, unit_offset: int) -> BaseType:
        if unit_offset not in self.base_types:
            raise MissingContext(_UNTOLD)
        return self.base_types[unit_offset]

    def address(self, index: int) -> int:
        raise MissingContext(_UNTOLD)

    def relocate(self, address: int) -> int:
        raise MissingContext(_UNTOLD)

    def location_at(self, section_offset: int) -> LocationAttribute | None:
        raise MissingContext(_UNTOLD)

    def variable_value(self, section_offset: int) -> int:
        raise MissingContext(_UNTOLD)


class _Coercer:
    """The implicit conversions that need no other evaluation."""

    def coerced(self, entry: Entry, kind: Kind, ctx: Context) -> Entry:
        if isinstance(entry, IncompleteComposite):
            raise incomplete()
        if kind == "entry" or (kind == "pointer" and isinstance(entry, ImplicitPointerValue)):
            return entry
        if kind != "location":
            return as_value(ctx, entry)
        location = as_location(ctx, entry)
        if isinstance(location, Nested):
            raise MissingContext(_UNTOLD)
        return location


_COERCER: Final = _Coercer()
_UNKNOWN: Final = (MissingContext, StaleLocation, Unavailable)
"""Evaluation errors that another context may not give."""


@frozen(eq=False)
class _AnyCall(ExplicitFrame):
    """A top call frame that any caller may have called."""

    def parameter_value(self, section_offset: int) -> Value | None:
        raise MissingContext("the static check has no call site")


@lru_cache(maxsize=32)
def knowing(
    arch: Architecture | None,
    form: UnitFormat,
    widens_bases: bool = False,
    merges_signed: bool = False,
) -> Context:
    """Return the context of the static check: any thread, in its top call frame.

    Nothing changes it, so that all expressions share it.
    """
    own = None if arch is None else (arch.address_bits // 8, arch.endian)
    if arch is None or own != (form.address_size, form.endian):  # a context cannot have them
        return Context(unit=_Unit(form), limits=_LIMITS, merges_signed=merges_signed)
    return Context(
        arch,
        wave=0,
        frame=_AnyCall(arch),
        unit=_Unit(form),
        limits=_LIMITS,
        x87_as_compilers=True,
        widens_bases=widens_bases,
        merges_signed=merges_signed,
    )


def with_types(ctx: Context, form: UnitFormat, base_types: BaseTypes) -> Context:
    """Return a context of the static check in which base types are known."""
    return evolve(ctx, unit=_Unit(form, base_types=base_types))


def type_of_result(perform: Perform, types: list[BaseType], ctx: Context) -> BaseType | None:
    """Return the type of the value that an operation on values gives; None if it is unknown.

    Raises `IllFormed` if the operation is, whatever the values of these types are.
    """
    if any(type_.bit_size > WIDEST_BITS for type_ in types):
        return None  # no evaluation has such a value
    stack: list[Entry] = [Value.of(1, type_) for type_ in types]
    try:
        perform(_COERCER, stack, ctx)
    except IllFormed:
        raise
    except DwarfGpuError:  # another value may have a result
        return None
    return stack[0].type if len(stack) == 1 and isinstance(stack[0], Value) else None


def performed(perform: Perform, entries: list[Known], ctx: Context) -> Known | None:
    """Return the entry that an operation leaves of known entries; None if it is unknown.

    Raises the error with which every evaluation fails there; for entries that are `in_top_frame`,
    every evaluation in the top call frame.
    """
    stack: list[Entry] = []
    blank = in_top_frame = False
    for entry in entries:
        if entry.entry is None or _is_large(entry.entry):
            return None
        stack.append(entry.entry)
        blank, in_top_frame = blank or entry.is_blank, in_top_frame or entry.in_top_frame
    try:
        control = perform(_COERCER, stack, ctx)
    except IllFormed:
        raise
    except EvaluationError as error:
        if isinstance(error, _UNKNOWN):
            return None
        raise
    except DwarfGpuError:
        return None
    if control is not None or len(stack) != 1:
        return None
    top = stack[0]
    if isinstance(top, Value) and (blank or in_top_frame or not top.type.is_generic):
        return None
    if isinstance(top, Location):
        storage = top.single_locations[0].storage
        in_top_frame = in_top_frame or isinstance(storage, Register)
        if isinstance(storage, Implicit) and storage.size_bits > _MAX_BITS:
            top, blank = blank_location(storage.size_bits), True
    return Known(kind_of(top), top, blank, in_top_frame)


def undefined_location() -> Location:
    """Return the location that an empty stack gives (A.2.5.4)."""
    return Location((SingleLocation(Undefined()),))


def blank_location(size_bits: int) -> Location:
    """Return implicit storage of a size with unknown bits."""
    return Location((SingleLocation(Implicit(0, size_bits)),))


def _is_large(entry: Entry) -> bool:
    if isinstance(entry, IncompleteComposite):
        return entry.count > _MAX_PARTS
    storage = entry.single_locations[0].storage if isinstance(entry, Location) else None
    return isinstance(storage, Composite) and len(storage.parts) > _MAX_PARTS


def kind_of(entry: Entry) -> int:
    """Return the kind of an entry."""
    match entry:
        case Value():
            return GENERIC if entry.type.is_generic else TYPED
        case ImplicitPointerValue():
            return POINTER
        case IncompleteComposite():
            return PARTIAL
        case Location():
            single = entry.single_locations[0]
            if isinstance(single.storage, Register):
                return REGISTER
            is_address = single.byte_address is not None
            default = isinstance(single.storage, Memory) and single.storage.space.number == 0
            return ADDRESS if is_address and default else OTHER_LOCATION


_COMPOSITES: Final = ("A.2.5.4.4.6", "DWARF 6 3.12")


def is_arithmetic(operation: Operation) -> bool:
    """Return whether operands and result have one type."""
    return operation.section.startswith(("A.2.5.4.3.2", "DWARF 6 3.5"))


def rule_of(error: DwarfGpuError, instruction: Instruction) -> str:
    """Return the rule that an error of `performed` breaks (docs/check.md)."""
    operation = instruction.operation
    match error:
        case UndefinedBits():
            return "undefined-read"
        case OutOfRange():
            return "outside-storage"
        case EvaluationError():
            return "division-by-zero" if is_arithmetic(operation) else "implicit-pointer"
    if operation.section.startswith(_COMPOSITES):
        return "outside-storage"
    return "wrong-kind"
