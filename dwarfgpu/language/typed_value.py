"""The value of an expression: its type, its contents, and its location if it has one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve, field, frozen, no_number
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.variable_names import variable_name
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Base, Enum, Type, Unspecified, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, InconsistentContext, Unavailable, UsageError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.wide_registers import register_name, wider_registers
from dwarfgpu.machine.sparse_memory import NO_ACCESS, NO_MEMORY, NOT_IN_STATE, UNMAPPED
from dwarfgpu.machine.target import Extensible
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import ImplicitPointer, Register
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.session.read_variable import VariableLocation, register_described
from dwarfgpu.session.session import Session
from dwarfgpu.session.type_attributes import EnclosingObject

NOTHING_THERE: Final = (NOT_IN_STATE, UNMAPPED, NO_MEMORY)
"""Reasons that say no more than that memory cannot be accessed."""
INTERNAL: Final = Unspecified("<internal function>")
"""The type of a function built into the debugger, as `$_strlen`."""
_YMM_OF_GDB: Final = range(17, 33)
"""The DWARF numbers of x86-64 that GDB takes for ymm0 to ymm15."""
_GDBS: Final = ("Cannot access memory at", "Division by zero", "Left operand of assignment")


def is_in_gdbs_words(error: DwarfGpuError) -> bool:
    """Return whether a debugger's user knows the message: it then needs no kind before it."""
    if isinstance(error, InconsistentContext):
        return error.message.startswith(
            "lane "
        )  # the lane is not in the frame: this is the whole reason
    if isinstance(error, UsageError):
        return True
    return error.site is None and error.message.startswith(_GDBS)


@no_number("bits")
@frozen(eq=False)
class TypedValue(OfOpenFile):
    """What an expression means. Contents are read when they are needed, by `ObjectAccess.read`."""

    type: Type | None
    """None is void."""
    location: Location | None = None
    """The object's location; None for a computed value. Writable if its storage is."""
    bits: Bits | None = None
    """Its contents; None if not read yet, or unreadable."""
    pointer: ImplicitPointer | None = None
    """An implicit pointer, in place of contents."""
    error: DwarfGpuError | None = None
    """Why there are no contents: `UndefinedBits` for an optimized out value."""
    bit_size: int | None = None
    """Size of a bit-field; None for anything else."""
    constant_type: Base | None = None
    """The type that C gives a constant which is shown as one of another: int, of `'a'`."""
    unit: CompilationUnit | None = field(default=None, repr=False)
    """The unit of its type: its producer determines what address classes mean."""
    variable: Variable | None = field(default=None, repr=False)
    """The variable, if the value is all of it."""
    variable_location: VariableLocation | None = field(default=None, repr=False)
    """The location of that variable, once it was evaluated."""
    frame: Session | None = field(default=None, repr=False)
    """The session in the frame of the variable, or of an implicit pointer, if that is not the
    focus."""
    frame_stop: int | None = field(default=None, repr=False)
    """The stop of the machine at which an implicit pointer was kept: its frame ends later."""
    around: EnclosingObject | None = field(default=None, repr=False)
    """The structures that it is a part of."""
    convenience: str | None = None
    """The convenience variable that it is: `x` of `$x`."""
    part_of: tuple[TypedValue, int] | None = field(default=None, repr=False)
    """The convenience variable that it is a part of, and its first bit there."""
    source_space: int | None = None
    """The address space, in the source, of the pointer that leads to it; None if none does."""
    is_register: bool = False
    """A register of a frame, wherever a called function has saved it."""
    is_fixed: bool = False
    """Whether it is a value of the history: its contents stay, even if the object changes."""
    packed_bits: int | None = None
    """How many bits a record, an array or an element has in a packed one (Ada), where these are not
    all bytes of a type: the others are those of its neighbours."""
    capacity: int | None = None
    """How many elements a slice expression of Go has room for, from its first one on."""
    notes: tuple[str, ...] = ()
    """The assumptions."""

    @property
    def size_bits(self) -> int | None:
        """Bits of its contents; None for a type without a known size."""
        return size_bits(self.type) if self.bit_size is None else self.bit_size


def packed(part: TypedValue, bits: int | None) -> TypedValue:
    """Return a part of an object with its bits there, if they are not all bytes of its type."""
    size = size_bits(part.type) or 0
    is_packed = bits and (bits < size or (bits == size and size % 8))
    return evolve(part, packed_bits=bits) if is_packed else part


def own_bits(value: TypedValue, contents: Bits, endian: Endian) -> Bits:
    """Return the contents of an object without the bits that it does not have in a packed one."""
    if value.packed_bits is None:
        return contents
    return contents.slice(0, value.packed_bits, endian)


def is_in_register(value: TypedValue) -> bool:
    """Return whether a value is a register of its frame, or a variable that is described to be in
    one: as in GDB it has no address, even where a called function has saved the register."""
    return value.is_register or _register_of(value) is not None


def _register_of(value: TypedValue) -> str | None:
    """Return the name of the register that the description of a variable names."""
    if value.variable is None or value.variable_location is None:
        return None
    context = value.variable_location.context
    number = register_described(value.variable, context.pc)
    if number is None or context.architecture is None:
        return None
    return _widest_name(context, number) or register_name(
        context.architecture, number, lambda: value.size_bits
    )


def _widest_name(context: Context, number: int) -> str | None:
    """Return the name that GDB has for a vector register of x86-64, whose DWARF number it takes for
    ymm where the processor has that, whatever the size of the object; None for others, as xmm16
    and the following ones, whose numbers GDB 13 does not know."""
    architecture, target, wave = context.architecture, context.target, context.wave
    if (
        architecture is None
        or architecture.address_bits != 64
        or number not in _YMM_OF_GDB
        or not isinstance(target, Extensible)
    ):
        return None
    for pseudo in wider_registers(architecture).get(number, ())[:1]:
        parts = [part for part, _, _ in pseudo.pieces]
        if wave is not None and not any(target.lacks_register(wave, part) for part in parts):
            return pseudo.name
    return None


def why_no_address(value: TypedValue) -> str:
    """Return GDB's message for an object that is not in memory, and why a bit-field has no address,
    which may be in memory."""
    if value.bit_size is not None:
        return "A bit-field has no address."
    variable = value.variable
    if variable is None or _is_undefined_member(variable):
        return "Attempt to take address of value not located in memory."
    name = variable_name(variable.die) if variable.kind == "global" else variable.name
    storage = None if value.location is None else value.location.single_locations[0].storage
    register = _register_of(value)
    if register is None and isinstance(storage, Register):
        register = storage.register.name
    if register is not None:
        return f'Address requested for identifier "{name}" which is in register ${register}'
    return no_lvalue(name)


def no_lvalue(name: str) -> str:
    """Return GDB's message for a name of something that has no address."""
    return f"Can't take address of \"{name}\" which isn't an lvalue."


def no_address_of_constant(name: str, *, is_unread: bool) -> str:
    """Return GDB's message for the address of an enumerator, which is another one in an operand
    that is not evaluated."""
    return "Attempt to take address of register or constant." if is_unread else no_lvalue(name)


def is_enumerator(value: TypedValue) -> bool:
    """Return whether what a name denotes is an enumerator: no variable, nor a place."""
    is_apart = value.variable is None and value.location is None and value.convenience is None
    return is_apart and isinstance(strip(value.type), Enum) and not value.is_register


def _is_undefined_member(variable: Variable) -> bool:
    """Return whether it is a static member of a class that no code object defines."""
    above = variable.die.parent() if variable.location is None else None
    return above is not None and above.tag in CLASSES


def address_in(space: AddressSpace, address: int) -> str:
    """Return `0x10` or `private_lane#0x10`."""
    return f"{space.name}#{address:#x}" if space.number else f"{address:#x}"


def no_memory_access(address: str, reason: str) -> str:
    """Return why memory cannot be read or written, with GDB's wording, and with a reason that says
    more than that nothing is there."""
    wording = f"Cannot access memory at address {address}"
    if reason and not is_of_memory(reason):
        return f"{wording}: {reason}"
    message = no_access(reason)
    is_more = message.startswith(f"{wording}:") and not message.endswith(NOTHING_THERE)
    return message if is_more else wording


@contextmanager
def memory_in_gdbs_words() -> Iterator[None]:
    """Raise `Unavailable` with GDB's wording, without a DWARF operation, for memory read to
    place a part of an object, such as its table of virtual functions."""
    try:
        yield
    except Unavailable as error:
        if not is_of_memory(error.message):
            raise
        raise Unavailable(no_access(error.message)) from None


def is_of_memory(reason: str) -> bool:
    """Return whether a reason is that memory cannot be read."""
    return reason.startswith(NO_ACCESS)


def no_access(reason: str) -> str:
    """Return a reason as an error of its own, with GDB's wording: the first requested address."""
    return reason[:1].upper() + reason[1:]
