"""Read and write the contents of objects of a program.

Law: everything is read on demand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from dwarfgpu.access.location_access import NO_BITS, too_large
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import (
    lost_length,
    padding_bits,
)
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Function,
    Struct,
    Type,
    Unspecified,
    strip,
)
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    LimitExceeded,
    OutOfRange,
    Unavailable,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.language.dereference import Dereference
from dwarfgpu.language.other_units import require_one_instance
from dwarfgpu.language.typed_value import (
    TypedValue,
    is_of_memory,
    no_memory_access,
    own_bits,
)
from dwarfgpu.model.location import UNDEFINED_LOCATION, narrowed, single_location_in
from dwarfgpu.model.object import REASON_LOST, REASON_UNDESCRIBED, Bits
from dwarfgpu.model.storage import ImplicitPointer, Memory
from dwarfgpu.session.bit_field import (
    as_stored,
    bit_order,
    has_turned_parts,
    read_field,
    with_padding,
    write_field,
)
from dwarfgpu.session.object_contents import described_bits, object_bits, write_object
from dwarfgpu.session.read_variable import require_one_reading
from dwarfgpu.session.session import Session

_MOST_PARTS: Final = 1 << 14
"""Elements and components that one expression takes one by one: a second of processor time."""
_BITS_OF_A_PART: Final = 8 << 14
"""Contents of an object that take no longer than an element."""


class _PartCount:
    """How many parts an expression has taken, or several that share the bound."""

    __slots__ = ("advice", "subject", "taken")

    def __init__(self, subject: str = "an expression takes", advice: str = "") -> None:
        self.subject, self.advice = subject, advice
        self.taken = 0


_SHARED_COUNT: Final[ContextVar[_PartCount | None]] = ContextVar(
    "the count of several expressions", default=None
)


@contextmanager
def parts_counted_together() -> Iterator[None]:
    """Let the expressions that are evaluated in the block share the bound on elements and
    components of one."""
    before = _SHARED_COUNT.set(
        _PartCount("the expressions of one command take", "; use several commands")
    )
    try:
        yield
    finally:
        _SHARED_COUNT.reset(before)


class StoredObjects(Dereference):
    """The contents of objects as the focus of a session sees them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.variables: dict[Variable, Session] = {}
        """The accessed variables, in order, and the session of the frame of each."""
        self._assumed: dict[str, None] = {}
        """What is assumed about the registers where variables are."""
        self._parts = _SHARED_COUNT.get() or _PartCount()

    def variable(self, variable: Variable, frame: Session | None = None) -> TypedValue:
        """Return a variable, not read yet unless it can only be evaluated as a whole; `frame` is
        its frame if that is not the one in focus."""
        if frame is None and variable.kind == "global" and self.session.is_absent:
            frame = self.session.focused(None)  # it needs no call frame
        self.variables[variable] = frame or self.session
        if frame is not None and frame is not self.session:
            objects = StoredObjects(frame)
            value = evolve(objects.variable(variable), frame=frame)
            self._assumed |= dict.fromkeys(objects.assumed())
            return value
        kind = variable.type
        value = TypedValue(kind, unit=variable.unit, variable=variable)
        attribute = variable.location
        symbol = self.session.at_symbol(variable)
        if attribute is not None or symbol is not None:
            try:
                variable_location = (
                    None
                    if symbol or not attribute
                    else self.session.locate_variable(attribute, variable)
                )
                location = variable_location.location if variable_location else symbol
                if variable_location and variable_location.frame.preserved_by_callees:
                    notes = variable_location.frame.notes_on_preserved_registers()
                    self._assumed |= dict.fromkeys(notes)
                if variable_location and not isinstance(kind, Base):
                    require_one_reading(
                        variable, variable_location.location, variable_location.context.pc
                    )
                if location is not None and not location.is_undefined:
                    resolved = self.resolver.variable(kind, location)
                    if variable_location is not None:
                        variable_location = evolve(variable_location, object=resolved)
                    return evolve(
                        value,
                        type=resolved.type,
                        location=resolved.location,
                        variable_location=variable_location,
                    )
            except UndefinedBits as error:
                return evolve(value, error=error)
        return self._sized(self.read(value))

    def assumed(self) -> tuple[str, ...]:
        """Return the assumptions about registers on which the objects so far depend."""
        return tuple(dict.fromkeys((*self._assumed, *self.resolver.assumed())))

    def _sized(self, value: TypedValue) -> TypedValue:
        """Return an object without a location with its size, or with the error that explains why
        the size is unknown. As in GDB, an array keeps its `[variable length]` then."""
        if not is_dynamic(value.type):
            return value
        try:
            resolved = self.resolver.resolved(value.type, UNDEFINED_LOCATION)
        except DwarfGpuError as error:
            return evolve(value, error=value.error or error)
        bare = strip(resolved.type)
        if isinstance(bare, Array) and (why := lost_length(bare)) is not None:
            return evolve(value, error=value.error or UndefinedBits(why))
        return evolve(value, type=resolved.type)

    def read(self, value: TypedValue) -> TypedValue:
        """Return the value with its contents, or with the error in their place."""
        if value.bits is not None or value.pointer is not None or value.error is not None:
            return value
        if value.type is None:
            return evolve(value, bits=Bits(0, 0))
        try:
            self._refuse_turned(value)
            require_one_instance(value.type)
            if isinstance(strip(value.type), Function):
                return self._read_function(value)
            if value.variable is not None and value.frame is not None:
                return StoredObjects(value.frame)._read_variable(value, value.variable)
            if value.variable is not None:
                return self._read_variable(value, value.variable)
            return self._read(value)
        except OutOfRange as error:
            return evolve(value, error=error_beyond_memory(value) or error)
        except DwarfGpuError as error:
            return evolve(value, error=error)

    def _read_function(self, value: TypedValue) -> TypedValue:
        """Read a function, which has no contents; as in GDB, its first byte must be readable."""
        location = value.location
        single = single_location_in(location)
        if location is not None and single is not None and isinstance(single.storage, Memory):
            try:
                self.context.access.read_bytes(location, 1)
            except Unavailable as error:
                where = self.address_text(single.storage.space, single.bit_offset // 8)
                _, _, reason = error.message.partition(": ")
                text = f"Cannot access memory at address {where}"
                raise Unavailable(f"{text}: {reason}" if reason else text) from None
        return evolve(value, bits=Bits(0, 0))

    def _read_variable(self, value: TypedValue, variable: Variable) -> TypedValue:
        reading = self.session.read(variable, variable_location=value.variable_location)
        value = evolve(
            value,
            type=reading.type,
            bits=reading.bits,
            pointer=reading.pointer,
            error=reading.failure,
            location=reading.location or value.location,
            notes=reading.notes,
        )
        if isinstance(value.error, OutOfRange):
            return evolve(value, error=error_beyond_memory(value) or value.error)
        return self._checked(value)

    def _read(self, value: TypedValue) -> TypedValue:
        size, bare = value.size_bits, strip(value.type)
        is_symbol = isinstance(bare, Unspecified) and bare.is_of_symbol
        if size is None and (is_symbol or isinstance(bare, Array | Struct | Enum)):
            size = 0  # as GDB: an array of unknown length is where it is, others are incomplete
        if size is None:
            raise UsageError("The type of the object is incomplete: its size is unknown.")
        if value.location is None:
            raise UndefinedBits("value has been optimized out")
        location = narrowed(value.location, size)
        access = self.context.access
        is_pointer = any(
            isinstance(single.storage, ImplicitPointer) for single in location.single_locations
        )
        if is_pointer and not _has_parts(value.type):
            pointer = access.retrieve(location, size)
            assert isinstance(pointer, ImplicitPointer)
            return evolve(value, pointer=pointer)
        if value.bit_size is not None and bit_order(value.type, access.endian) != access.endian:
            bits = read_field(access, value.location, size, value.type)
            return self._checked(evolve(value, bits=as_stored(bits, value.type, access.endian)))
        kind = value.type if value.bit_size is None else None
        if isinstance(bare, Base):  # a piece of a register is no register
            location = value.location
        return self._checked(evolve(value, bits=object_bits(kind, size, location, self.context)))

    def _checked(self, value: TypedValue) -> TypedValue:
        """Turn a completely unreadable object into an error, with GDB's wording for memory."""
        bits = value.bits
        if bits is None or bits.is_complete or not bits.size_bits:
            return value
        if value.bit_size is None:
            bits = with_padding(bits, strip(value.type))
            value = evolve(value, bits=bits)
        everything = (1 << bits.size_bits) - 1
        if bits.undefined == everything:
            why = _why_lost(bits)
            return evolve(value, error=UndefinedBits(f"value has been optimized out{why}"))
        if bits.unavailable != everything:
            missing = next(filter(is_of_memory, bits.reasons), None)
            if not bits.unavailable or missing is None or _has_parts(value.type):
                return value
            # As in GDB, a number has no value if one of its bytes cannot be read.
            return evolve(value, error=Unavailable(f"C{missing[1:]}"))
        if NO_BITS in bits.reasons and _has_parts(value.type):
            return value  # they may be implicit pointers
        location = value.location
        message = bits.why_unavailable or "the contents are not available"
        single = None if location is None else location.single_locations[0]
        if single is not None and isinstance(single.storage, Memory):
            where = self.address_text(single.storage.space, single.bit_offset // 8)
            message = no_memory_access(where, message)
        return evolve(value, error=Unavailable(message))

    def known(self, value: TypedValue) -> Bits:
        """Return the contents, with every bit known; an error otherwise."""
        bits = self.beginning(value)
        size_bits, limit = value.size_bits, self.context.limits.read_bytes
        if size_bits is not None and bits.size_bits < size_bits and size_bits > 8 * limit:
            raise too_large(size_bits, limit)
        return bits

    def beginning(self, value: TypedValue) -> Bits:
        """Return the contents as far as they are read, with every bit known: of an array that is
        too large, the first ones; an error otherwise."""
        value = self.read(value)
        if value.error is not None:
            raise value.error
        if value.pointer is not None:
            raise EvaluationError("a synthetic pointer has no number: it can only be dereferenced")
        assert value.bits is not None
        if value.bits.undefined:
            why = _why_lost(value.bits)
            raise UndefinedBits(f"value has been optimized out, at least in part{why}")
        if value.bits.unavailable:
            reason = value.bits.why_unavailable
            why = "" if reason is None else f": {reason}"
            raise Unavailable(f"value is not available, at least in part{why}")
        self.count_contents(value.bits.size_bits)
        return value.bits

    def write(self, value: TypedValue, bits: int) -> TypedValue:
        """Write all single locations of an object; return the object without its old contents."""
        location, size = value.location, value.size_bits
        if location is None or isinstance(strip(value.type), Function):
            if value.error is not None:
                raise value.error
            raise UsageError("Left operand of assignment is not an lvalue.")
        if size is None:
            raise UsageError("The type of the object is incomplete: its size is unknown.")
        if value.variable is not None and not isinstance(
            location.single_locations[0].storage, Memory
        ):
            self._refuse_unread(self.read(value))
        self._refuse_turned(value)
        own = own_bits(value, Bits(bits, size), self.context.endian)
        bits, size = own.value, own.size_bits
        whole_bits = described_bits(value.type, size, location)
        if whole_bits < size - padding_bits(value.type):
            raise UndefinedBits(
                f"{REASON_UNDESCRIBED} {whole_bits} of {size} bits: the rest cannot be written"
            )
        try:
            if value.bit_size is None:
                write_object(value.type, whole_bits, location, bits, self.context)
            else:
                write_field(self.context.access, location, whole_bits, value.type, bits)
            self.session.forget_frames()
        except OutOfRange as error:
            raise error_beyond_memory(value) or error from None
        except Unavailable as error:
            single = location.single_locations[0]
            if not isinstance(single.storage, Memory):
                raise
            where = self.address_text(single.storage.space, single.bit_offset // 8)
            raise Unavailable(no_memory_access(where, error.message)) from error
        return evolve(value, bits=None, pointer=None, error=None)

    def _refuse_turned(self, value: TypedValue) -> None:
        """Refuse a part of a packed object with components in the other byte order (DWARF 5
        5.7.6): its bits are no run of the object's."""
        if value.packed_bits is None or not isinstance(strip(value.type), Array | Struct):
            return
        if has_turned_parts(value.type, self.context.endian):
            raise Unsupported(
                "components that share bytes, in another byte order than the program's, are read "
                "and set one by one"
            )

    def _refuse_unread(self, value: TypedValue) -> None:
        """Refuse to write what cannot even be read as described: something else would change."""
        error = value.error
        if error is not None and (value.bits is None or not isinstance(error, Unavailable)):
            raise error

    def check_parts(self, count: int) -> None:
        """Raise `LimitExceeded` if the operators of the expression take too many elements and
        components with those that are to come, before they are taken one by one."""
        if self._parts.taken + count > _MOST_PARTS:
            raise LimitExceeded(
                f"{self._parts.subject} more than {_MOST_PARTS} elements and components one by "
                f"one, each {_BITS_OF_A_PART >> 13} KiB of an object counted as one"
                f"{self._parts.advice}"
            )

    def count_parts(self, count: int) -> None:
        """Count elements and components; `element` and `step` do so. Raises as `check_parts`."""
        self.check_parts(count)
        self._parts.taken += count

    def count_contents(self, size_bits: int) -> None:
        """Count contents that are used as a whole. Raises as `check_parts`."""
        self.count_parts(size_bits // _BITS_OF_A_PART)


def _has_parts(type_: Type | None) -> bool:
    return isinstance(strip(type_), Struct | Array)


def error_beyond_memory(value: TypedValue, skipped_bits: int = 0) -> DwarfGpuError | None:
    """Return the error of an object, or of its part behind bits, in which the address space ends;
    None if there is no such end in it."""
    from dwarfgpu.language.beyond_memory import beyond_memory  # few objects

    return beyond_memory(value.location, value.size_bits, skipped_bits)


def _why_lost(bits: Bits) -> str:
    """Return `: ` and why a register with bits of the value is lost; empty if none is."""
    reason = next((text for text in bits.reasons if text.startswith(REASON_LOST)), None)
    return "" if reason is None else f": {reason.removeprefix(REASON_LOST)}"
