"""Evaluate type attributes for one object, to numbers and locations.

Each is evaluated with the context that its section prescribes: those of DWARF 5 2.19 and A.5.18.1
with the object's location as the object and an empty stack, the bounds of a generic subrange with
the index of their dimension on the stack; DW_AT_data_member_location (A.5.7.3),
DW_AT_vtable_elem_location (A.5.7.8) and DW_AT_use_location (A.5.14) with their operands on the
stack, and by the letter without an object.

An expression of a type holds where the type was declared, and none ends before a call that changes
a register. So in an outer frame it has only the registers that call frame information preserves;
the location list of a length, and the location of a variable that holds one, have those of
`dwarfgpu.session.ipa_ra` too (docs/spec-notes.md).

Law: the cost of an answer is bounded, however its types are built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.dynamic_properties import (
    Computed,
    ComputedRange,
    Measure,
    StringLength,
)
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Base, Enum, Member, Range, Struct, Type, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    LimitExceeded,
    MissingContext,
    OutOfRange,
    UndefinedBits,
    counted,
)
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ConstValue, Context, ExprLoc, Frame, LocList, ResultKind
from dwarfgpu.expr.evaluate import Result, evaluate_attribute
from dwarfgpu.expr.implicit_conversions import as_value, constant_location
from dwarfgpu.model.location import (
    UNDEFINED_LOCATION,
    Entry,
    ImplicitPointerValue,
    Location,
    SingleLocation,
)
from dwarfgpu.model.storage import Composite, Implicit, ImplicitPointer, Memory
from dwarfgpu.model.value import Value
from dwarfgpu.session.bit_field import bit_order, read_field

if TYPE_CHECKING:
    from dwarfgpu.session.left_frames import LeftFrame

VIRTUAL_OF_COPY: Final = "where the virtual base class of a copy is, is not known"
"""Why it is unknown: only an object in memory says where it is."""
VIRTUAL_IN_PIECES: Final = (
    "where the virtual base class is, is not known: the object has no address"
)
PART_OF_COPY: Final = "it is found by the address of the object, and a copy has none"
"""Why a part of a value that is nowhere is unknown."""

STEPS: Final = 500
"""Maximum number of operations of one attribute; compilers write a dozen."""
EVALUATIONS: Final = 2_000
"""Attributes evaluated for one answer."""
MAX_LENGTH_BYTES: Final = 8
"""Maximum size of a string's length field."""


@frozen(eq=False)
class EnclosingObject:
    """The structure that an object is a part of, and what that is a part of."""

    kind: Struct
    location: Location
    outer: EnclosingObject | None = None


@frozen(eq=False)
class LocatedObject:
    """The object that has the type."""

    location: Location
    around: EnclosingObject | None


def displaced(location: Location, bits: int) -> Location:
    """Return a part of an object; producers omit the last pieces of a composite, which then have no
    location."""
    try:
        return location.displaced(bits)
    except OutOfRange:
        if bits > 0 and all(
            isinstance(single.storage, Composite) for single in location.single_locations
        ):
            return UNDEFINED_LOCATION
        raise


class TypeAttributes:
    """Evaluates attributes in one context, with one limit for all of them."""

    def __init__(self, context: Callable[[], Context]) -> None:
        """`context` returns that of the focus; called when something must be evaluated."""
        self._make_context = context
        self._evaluations_left = EVALUATIONS
        self._too_much: dict[int, LimitExceeded] = {}
        self._of_other_frames: dict[str, None] = {}
        """Whose the variables are that are of other frames, where only the stack says it."""
        self._meant: dict[str, None] = {}
        """What expressions mean that are not read literally."""

    @cached_property
    def endian(self) -> Endian:
        """The byte order of the machine."""
        return self._context.endian

    @property
    def architecture(self) -> Architecture | None:
        """The architecture of the machine, if there is one."""
        return self._context.architecture

    @cached_property
    def _context(self) -> Context:
        """The context of the focus, before its steps are limited."""
        return self._make_context()

    @cached_property
    def context(self) -> Context:
        context = self._context
        steps = min(STEPS, context.limits.steps)
        return evolve(context, limits=evolve(context.limits, steps=steps))

    @cached_property
    def _frame_of_types(self) -> Frame | None:
        """The call frame, of whose lost registers nothing is assumed."""
        from dwarfgpu.session.frame import SubprogramFrame  # few types need a frame

        frame = self._context.frame
        if isinstance(frame, SubprogramFrame) and frame.level:
            return evolve(frame, cfi_only=True)
        return frame

    @cached_property
    def _left_frame(self) -> LeftFrame | None:
        """What the function of the focus had until it jumped to its callee."""
        from dwarfgpu.session.frame import SubprogramFrame  # few types need a frame

        frame = self._context.frame
        return frame.left_frame() if isinstance(frame, SubprogramFrame) else None

    def assumed(self) -> tuple[str, ...]:
        """Return the assumptions about registers, frames and expressions so far."""
        if self._evaluations_left == EVALUATIONS:
            return ()
        from dwarfgpu.session.frame import SubprogramFrame  # few types need a frame

        frame = self._context.frame
        if not isinstance(frame, SubprogramFrame):
            return (*self._meant,)
        return (*frame.notes_on_preserved_registers(), *self._of_other_frames, *self._meant)

    def member_location(self, location: Location, member: Member) -> Location:
        """Return where a member of the structure at a location begins."""
        if member.error is not None:
            raise member.error.anew()
        if member.location is not None:
            if member.is_virtual and _has_no_address(location):
                raise UndefinedBits(VIRTUAL_IN_PIECES)
            whole, location = location, self.part_location(member.location, location)
            if member.is_virtual and not _is_address(whole):
                self._meant |= dict.fromkeys(_notes_on(member.location))
        return displaced(location, member.bit_offset or 0)

    def part_location(
        self, source: ExprLoc | LocList, whole: Location, stack: tuple[Entry, ...] = ()
    ) -> Location:
        """Return what the attribute of a part of the object at `whole` gives, whose initial stack
        ends with that location.

        By the letter there is no object (A.5.7.3). But GNAT computes the place of a component
        behind an array from the length of that, with DW_OP_push_object_address in a DWARF
        procedure: docs/spec-notes.md.
        """
        unit = source.unit
        is_of_file = isinstance(unit, CompilationUnit) and not unit.sections.program.is_literal
        whole_object = whole if is_of_file else None
        if _has_no_address(whole) and not stack:
            from dwarfgpu.session.descriptor_fields import computed_offset  # few objects are

            offset = computed_offset(source)
            if offset is not None:
                return displaced(whole, 8 * self._signed(offset, whole, ()))
        return self.evaluate_location(source, object=whole_object, stack=(*stack, whole))

    def string_length(self, length: StringLength, about: LocatedObject) -> int:
        """Return the number at the location that DW_AT_string_length gives (DWARF 5 5.11)."""
        source = length.where.source
        if isinstance(source, Die):
            return max(0, self._referenced(length.where.name, source, about.around))
        if not 0 < length.size_bytes <= MAX_LENGTH_BYTES:
            raise IllFormed(f"the length of a string has {counted(length.size_bytes, 'byte')}")
        length_location = self.evaluate_location(source, object=about.location)
        access = self.context.access
        return int.from_bytes(access.read_bytes(length_location, length.size_bytes), access.endian)

    def range(self, values: ComputedRange) -> Range:
        """Return the values of a subtype in the frame that has it; `UndefinedBits` if a bound is
        optimized out."""
        lower, upper = (self.bound(values, end) for end in ("lower", "upper"))
        return Range(lower, upper, values.is_modular)

    def bound(self, values: ComputedRange, end: str) -> int:
        """Return the "lower" or "upper" bound of a subtype; `UndefinedBits` if it is optimized
        out."""
        bound = values.lower if end == "lower" else values.upper
        if bound is None:
            raise UndefinedBits(f"the {end} bound of {values.name} is not described")
        return self.number(bound, LocatedObject(UNDEFINED_LOCATION, None))

    def size(self, measure: Measure, about: LocatedObject) -> int:
        size = self.number(measure, about)
        if size < 0:
            raise IllFormed(f"the size of a type is {size // 8}")
        return size

    def number(self, measure: Measure, about: LocatedObject, stack: tuple[Entry, ...] = ()) -> int:
        """Return the number of an attribute for an object; the generic type is taken as signed."""
        if not isinstance(measure, Computed):
            assert measure is not None
            return measure
        source = measure.source
        if isinstance(source, Die):
            return self._referenced(measure.name, source, about.around) * measure.factor
        try:
            number = self._signed(source, about.location, stack)
            return _with_sign(number, measure.sign_bits) * measure.factor
        except DwarfGpuError as error:
            error.context = error.context or measure.name
            raise

    def _signed(self, source: ExprLoc | LocList, object: Location, stack: tuple[Entry, ...]) -> int:
        """Return the number that an expression gives for an object."""
        result = self._evaluate(source, "value", object, stack)
        return as_value(self.context, result).displacement

    def _referenced(self, name: str, die: Die, around: EnclosingObject | None) -> int:
        """Return the value of the variable or member that an attribute refers to (DWARF 5 2.19)."""
        subject = f"{name} refers to {die.name or f'the entry {die.offset:#x}'}"
        if die.tag == dw.TAG_MEMBER:
            return self._of_member(subject, die, around)
        if die.tag not in DATA and not die.has(dw.AT_LOCATION) and not die.has(dw.AT_CONST_VALUE):
            raise IllFormed(f"{subject}, which is not a variable or member (tag {die.tag:#x})")
        from dwarfgpu.session.frame import SubprogramFrame  # few types need a frame
        from dwarfgpu.session.length_variables import placed_variable

        frame = self._context.frame
        if not isinstance(frame, SubprogramFrame):
            return self._of_variable(subject, die)
        try:
            placed = placed_variable(frame.session, die)
        except UndefinedBits as error:
            raise UndefinedBits(f"{subject}: {error.message}") from None
        if placed.session is frame.session:
            return self._of_variable(subject, placed.die)
        self._count()
        self._of_other_frames.update({} if placed.note is None else {placed.note: None})
        return TypeAttributes(placed.session.context)._of_variable(subject, placed.die)

    def _of_variable(self, subject: str, die: Die) -> int:
        """Return the integer that a variable of the frame is."""
        kind = types_of(die.unit).type_of(die)
        for holder in die.origins():
            attribute = holder.unit.location_attribute(holder)
            if isinstance(attribute, ConstValue):
                location = constant_location(attribute.data, self.context.endian)
                return self._integer(subject, kind, location)
            if attribute is not None:
                result = self._evaluate(attribute, "location", None, (), is_variable=True)
                assert isinstance(result, Location)
                location = result.of_object(size_bits(kind) or 0, self.context.endian)
                return self._integer(subject, kind, location)
        raise UndefinedBits(f"{subject}, which is optimized out: it has no location")

    def _of_member(self, subject: str, die: Die, around: EnclosingObject | None) -> int:
        """Return a member of the nearest structure around the object that has it."""
        while around is not None:
            member = around.kind.member_at(die.offset)
            if member is not None:
                member_location = self.member_location(around.location, member)
                return self._integer(subject, member.type, member_location, member.bit_size)
            around = around.outer
        raise MissingContext(
            f"{subject}, a member of a structure that is not known to contain the object"
        )

    def _integer(
        self, subject: str, type_: Type | None, location: Location, bit_size: int | None = None
    ) -> int:
        """Return the integer that an object is."""
        bare = strip(type_)
        if isinstance(bare, Enum):
            size, is_signed, endian = bare.value_bits, bare.is_signed, None
        elif isinstance(bare, Base) and _is_counted(bare):
            size, endian = bare.base.bit_size, bare.base.endian
            is_signed = bare.base.is_signed or bare.base.encoding == "signed_fixed"
        else:
            raise IllFormed(f"{subject}, which is not an integer")
        access = self.context.access
        size = size if bit_size is None else bit_size
        if not 0 < size <= 64:
            raise IllFormed(f"{subject}, an integer of {size} bits")
        is_turned = bit_size is not None and bit_order(type_, access.endian) != access.endian
        try:
            if is_turned:
                field = read_field(access, location, size, type_)
                field.to_bytes(access.endian)  # raises if it is unknown
                return signed(field.value, size) if is_signed else field.value
            if size % 8 == 0:
                data = access.read_bytes(location, size // 8)
                return int.from_bytes(data, endian or access.endian, signed=is_signed)
            number = access.retrieve(location, size)
        except EvaluationError as error:
            error.context = error.context or subject
            raise
        assert not isinstance(number, ImplicitPointer)
        return number - (1 << size) if is_signed and number >> size - 1 else number

    def evaluate_location(
        self,
        source: ExprLoc | LocList,
        *,
        object: Location | None = None,
        stack: tuple[Entry, ...] = (),
    ) -> Location:
        result = self._evaluate(source, "location", object, stack)
        assert isinstance(result, Location)
        return result

    def _evaluate(
        self,
        source: ExprLoc | LocList,
        result_kind: ResultKind,
        object: Location | None,
        stack: tuple[Entry, ...],
        *,
        is_variable: bool = False,
    ) -> Result:
        """Evaluate within the limit; what exceeded it once is not tried again.

        `is_variable`: the attribute is the location of a variable, not one of a type.
        """
        key = id(source)
        if key in self._too_much:
            raise self._too_much[key].anew()
        self._count()
        if object is not None and _has_no_address(object) and isinstance(source, ExprLoc):
            from dwarfgpu.session.descriptor_fields import with_fields_read  # few objects are

            source = with_fields_read(source, partial(self._field, object, stack))
        is_of_type = isinstance(source, ExprLoc) and not is_variable
        context = evolve(
            self.context,
            frame=self._frame_of_types if is_of_type else self._context.frame,
            unit=source.unit,
            result_kind=result_kind,
            object=object,
            initial_stack=stack,
        )
        self._require_no_left_frame(source, result_kind)
        try:
            if isinstance(source, LocList) and result_kind == "location":
                return self._listed(source, context)
            return evaluate_attribute(source, context)
        except LimitExceeded as error:
            if error.option == "--max-steps" and context.limits.steps == STEPS:  # no option helps
                error.args = (error.message.removesuffix(f" ({error.option})"),)
                error.option = None
            self._too_much[key] = error.anew()
            raise

    def _require_no_left_frame(self, source: ExprLoc | LocList, result_kind: ResultKind) -> None:
        """Raise `UndefinedBits` for what is in a frame that was given back before a tail call."""
        if self._left_frame is None:
            return
        expressions: Iterable[bytes]
        if isinstance(source, LocList):
            expressions = source.expressions(self._context.pc)
        else:
            expressions = (source.expression,)
        for expression in expressions:
            attribute = ExprLoc(expression, source.unit)
            self._left_frame.require_no_part_in(attribute, is_object=result_kind == "location")

    def _count(self) -> None:
        if self._evaluations_left <= 0:
            raise LimitExceeded(f"types with more than {EVALUATIONS} attributes to evaluate")
        self._evaluations_left -= 1

    def _field(
        self, object: Location, stack: tuple[Entry, ...], source: ExprLoc, offset: int
    ) -> Value | ImplicitPointerValue:
        """Return the value that an expression gives for the part of an object at an offset in
        bytes."""
        result = self._evaluate(source, "value", displaced(object, 8 * offset), stack)
        assert not isinstance(result, Location)
        return result

    def _listed(self, source: LocList, context: Context) -> Location:
        """Evaluate a location list, each entry with the stack of the attribute.

        A.2.5.5 specifies an empty stack, but then no list could describe a member:
        docs/spec-notes.md.
        """
        singles: dict[SingleLocation, None] = {}
        stop = context.stop
        for entry in source.matching(context.pc):
            location = evaluate_attribute(ExprLoc(entry.expression, source.unit), context)
            assert isinstance(location, Location)
            singles |= dict.fromkeys(location.single_locations)
            if len(singles) > context.limits.places:
                raise LimitExceeded(
                    f"{len(singles)} places, at most {context.limits.places}",
                    "--max-places",
                )
        return Location(tuple(singles), stop) if singles else UNDEFINED_LOCATION


def _has_no_address(location: Location) -> bool:
    """Return whether an object is in pieces or a constant."""
    singles = location.single_locations
    return len(singles) == 1 and isinstance(singles[0].storage, Composite | Implicit)


def _is_address(location: Location) -> bool:
    """Return whether an object is in the default address space, where it converts to a value."""
    return all(
        isinstance(single.storage, Memory) and single.storage.space.number == 0
        for single in location.single_locations
    )


def _notes_on(source: ExprLoc | LocList) -> tuple[str, ...]:
    """Return what the dialect changed of an expression."""
    if not isinstance(source, ExprLoc):
        return ()
    return prepare(source.expression, source.unit.dialect, source.unit.format).notes


def _is_counted(kind: Base) -> bool:
    """Return whether values of a type are whole numbers, or multiples of the scale of a fixed-point
    type."""
    base = kind.base
    is_discrete = base.is_integral or base.encoding in CHARACTERS
    return base.vector_size is None and (is_discrete or base.scale is not None)


def _with_sign(number: int, sign_bits: int | None) -> int:
    """Return a number that may have been read without the sign of its type."""
    is_cut = sign_bits is not None and number >= 0 and number.bit_length() <= sign_bits
    return signed(number, sign_bits) if is_cut and sign_bits else number
