"""Read the contents of a variable.

Law: a reading keeps the error that ended it (`filled`); the steps of reading raise theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, qualified_name, scope_name
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, CONTAINERS
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Enum, Function, Pointer, Struct, Type, strip
from dwarfgpu.errors import (
    Ambiguous,
    DwarfGpuError,
    IllFormed,
    MissingContext,
    PartlyDescribed,
    UndefinedBits,
    UsageError,
    counted,
    shortened,
)
from dwarfgpu.expr.bind import prepare, programs_at
from dwarfgpu.expr.context import ConstValue, Context, ExprLoc, LocationAttribute, LocList
from dwarfgpu.expr.dialect.upstream_clang import SCRATCH, pointer_read_two_ways
from dwarfgpu.expr.dialect.vgpr_contents import (
    is_in_private_memory,
    register_of_address,
    registers_in_private_memory,
)
from dwarfgpu.expr.evaluate import Observer, evaluate_attribute
from dwarfgpu.expr.implicit_conversions import constant_location
from dwarfgpu.expr.instruction import Instructions
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory, Register
from dwarfgpu.session.description_notes import LaneFocus, assumptions, described_size
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.kernel_start import Stopped, at_start
from dwarfgpu.session.object_contents import object_bits
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.resolve_type import Resolver, TypedObject, may_point


@frozen(eq=False)
class VariableLocation:
    """Where the description of a variable says that it is, and what that was evaluated in."""

    frame: SubprogramFrame
    context: Context
    location: Location
    stop: int | None
    """The stop of the machine."""
    writes: int
    """How often something had been written."""
    object: TypedObject | None = None
    """The object at the location with its resolved type; None before it is resolved."""


class ReadingFocus(Stopped, LaneFocus, Protocol):
    """Where a variable is read; `dwarfgpu.session.session.Session` is one."""

    @property
    def code_object(self) -> CodeObject | None: ...

    def focus(self) -> tuple[SubprogramFrame, Context]: ...

    def at_symbol(self, variable: Variable) -> Location | None: ...

    def loaded_objects(self) -> Iterable[CodeObject]: ...


def filled(
    focus: ReadingFocus,
    reading: Reading,
    observe: Observer | None,
    variable_location: VariableLocation | None,
) -> Reading:
    """Return the reading with the type, the location and the contents of its variable, or with the
    error that ended it. `variable_location`: where the variable is, if that is known."""
    variable = reading.variable
    try:
        reading = evolve(reading, type=variable.type)
        frame, context = (
            (variable_location.frame, variable_location.context)
            if variable_location
            else focus.focus()
        )
        reading = evolve(reading, notes=assumptions(focus, variable, frame, context.pc))
        typed = None if variable_location is None else variable_location.object
        if typed is not None:  # then something describes it here, and no symbol has its name
            reading = _with_assumed_registers(reading, frame)
            reading = evolve(reading, type=typed.type, location=typed.location)
            return contents(reading, context)
        attribute = variable.location
        symbol = focus.at_symbol(variable)
        if symbol is not None:
            reading = resolved(focus, evolve(reading, location=symbol), context)
            return contents(reading, context)
        if attribute is None and variable.is_only_declared:
            raise _only_declared(variable.die)
        if variable_location is None:
            require_frame_of(variable, frame, context)
        why = why_not_described(variable, focus.code_object, context.pc)
        if attribute is None and variable.kind != "parameter":
            from dwarfgpu.dwarf.scope.thread_statics import why_not_known  # most have a location

            not_known = why_not_known(variable)
            if not_known is not None:
                raise Ambiguous(not_known)
        if attribute is None or why is not None:
            raise UndefinedBits(why or _without_location(variable))
        location = (
            variable_location.location
            if variable_location
            else located(attribute, context, observe, variable)
        )
        storage = location.single_locations[0].storage
        if isinstance(storage, Register) and variable.unit.dialect.upstream_clang:
            _check_upstream(location, described_size(variable) or 0)
        reading = evolve(reading, location=location)
        reading = _with_assumed_registers(reading, frame)
        reading = resolved(focus, reading, context)
        return contents(_with_assumed_registers(reading, frame), context)
    except DwarfGpuError as error:
        return evolve(reading, failure=at_start(focus, error).with_traceback(None))


def require_frame_of(variable: Variable, frame: SubprogramFrame, context: Context) -> None:
    """Raise `InconsistentContext` for a variable of a function that the frame does not execute."""
    if variable.kind != "global" and not frame.is_of(variable.function):
        from dwarfgpu.session.own_frame import require_frame_with  # most frames are of its function

        require_frame_with(variable.die, variable.location, frame, context.pc)


def _with_assumed_registers(reading: Reading, frame: SubprogramFrame) -> Reading:
    """Return the reading with the assumptions about registers so far, of its location or type."""
    if not frame.preserved_by_callees:
        return reading
    notes = dict.fromkeys((*reading.notes, *frame.notes_on_preserved_registers()))
    return evolve(reading, notes=tuple(notes))


def _without_location(variable: Variable) -> str:
    """Return what is said of a variable without a location, at no program location."""
    if variable.why_dropped is not None:
        return f"{variable.name} is optimized out: {variable.why_dropped}"
    return f"{variable.name} has no location: it is optimized out"


def _only_declared(die: Die) -> DwarfGpuError:
    """Return the error of a variable that no code object defines; as in GDB, a member of a class is
    optimized out."""
    above = declaration_of(die).parent()
    if above is not None and above.tag in CLASSES:
        name = qualified_name(die)
        return UndefinedBits(f"{name} is declared, but no code object defines it: optimized out")
    if above is not None and above.tag == dw.TAG_COMMON_BLOCK:
        where = f"where {die.name} is in the common block {above.name}"
        return MissingContext(f"the debug information does not say {where}")
    # In a block, it is a member of the innermost namespace, not of a class (C++ [basic.link]).
    namespaces = [scope for scope in around(die) if scope.tag in CONTAINERS]
    scopes = (scope_name(scope) for scope in reversed(namespaces))
    name = die.unit.joint.join((*scopes, die.name or ""))
    from dwarfgpu.dwarf.names.demangle import demangled  # few variables are so

    linked = die.linkage_name
    if linked is not None and demangled(linked) is None:
        name = linked  # `extern int x asm("y")`
    why = "it is only declared, and no code object defines it"
    return MissingContext(f'Missing ELF symbol "{shortened(name)}": {why}')


def located(
    attribute: LocationAttribute,
    context: Context,
    observe: Observer | None,
    variable: Variable | None = None,
) -> Location:
    """Return where an attribute, of a variable, says that its object is."""
    if isinstance(attribute, ConstValue):
        return constant_location(attribute.data, context.endian)
    if variable is not None and variable.kind == "global":
        _require_no_frame_base(variable, attribute, context.pc)
    is_of_parameter = variable is not None and variable.kind == "parameter"
    context = evolve(
        context, unit=attribute.unit, result_kind="location", is_of_parameter=is_of_parameter
    )
    # Few are so: the others are not asked first, unless an observer would see the attempt.
    is_asked = observe is not None or context.vgpr_holds is not None
    at_address = _at_address(variable, attribute, context.pc) if is_asked else None
    if at_address is None:
        try:
            if is_asked:
                context = _with_certain_value(attribute, context)
            location = _evaluated(attribute, context, observe)
            if variable is not None and variable.unit.language == dw.LANG_GO:
                location = _in_words(variable, location, attribute, context.pc)
            return _without_left_frame(location, attribute, context)
        except Ambiguous:
            at_address = None if is_asked else _at_address(variable, attribute, context.pc)
            if at_address is None:
                certain = _with_certain_value(attribute, context)
                if certain is context:
                    raise
                return _evaluated(attribute, certain, observe)
    location = _evaluated(attribute, evolve(context, vgpr_holds="address"), observe)
    if variable is not None and isinstance(context.frame, SubprogramFrame):
        _require_private(variable, at_address, context.frame)
    return location


def _in_words(
    variable: Variable, location: Location, attribute: ExprLoc | LocList, pc: int | None
) -> Location:
    """Return the location of a variable of Go with the pieces that its compiler writes where they
    are in the object."""
    if location.is_undefined:
        return location
    from dwarfgpu.session.excess_pieces import in_words  # few programs are of Go

    return in_words(variable, location, programs_at(attribute, pc))


def _without_left_frame(
    location: Location, attribute: ExprLoc | LocList, context: Context
) -> Location:
    """Return the location without what is in a frame that was given back before a tail call."""
    frame = context.frame
    left = frame.left_frame() if isinstance(frame, SubprogramFrame) else None
    return location if left is None else left.without(location, programs_at(attribute, context.pc))


def _require_no_frame_base(
    variable: Variable, attribute: ExprLoc | LocList, pc: int | None
) -> None:
    """Raise `IllFormed` for a variable outside of functions at an offset from a frame base: none is
    its own, and that of the function in focus would lead to something else (A.2.5.4.4.3)."""
    unit = attribute.unit
    for expression in attribute.expressions(pc):
        if _FBREG in expression and any(  # few expressions are decoded for it
            instruction.operation.name == "fbreg"
            for instruction in prepare(expression, unit.dialect, unit.format).instructions.distinct
        ):
            raise IllFormed(
                f"the location of {variable.name} has DW_OP_fbreg, but it is outside of functions: "
                "no frame base is its own"
            )


def _evaluated(
    attribute: ExprLoc | LocList, context: Context, observe: Observer | None
) -> Location:
    location = evaluate_attribute(attribute, context, observe=observe)
    assert isinstance(location, Location)
    return location


def resolved(focus: ReadingFocus, reading: Reading, context: Context) -> Reading:
    """Return the reading with the type that the object has now, and the location of its
    data."""
    assert reading.location is not None
    resolver = Resolver(lambda: context, focus.loaded_objects)
    placed = resolver.variable(reading.type, reading.location)
    if resolver.unknown_tags:
        reading = evolve(reading, notes=(*reading.notes, *resolver.unknown_tags))
    return evolve(reading, type=placed.type, location=placed.location)


def contents(reading: Reading, context: Context) -> Reading:
    """Return the reading with the bits of the object, or with its implicit pointer.

    Raises the errors of reading, and `IllFormed` and `UsageError` if its type has no size.
    """
    location = reading.location
    assert location is not None
    size = size_bits(reading.type)
    if reading.type is None:
        raise IllFormed(f"{reading.variable.name} has no DW_AT_type: its size is unknown")
    bare = strip(reading.type)
    if size is None and isinstance(bare, Struct):
        _ = bare.members  # raises the reason if its type unit cannot be read
    if size is None and isinstance(bare, Array | Struct | Enum):
        size = 0  # as in GDB, an array of unknown length or incomplete type has a location only
    is_function = isinstance(bare, Function)
    if is_function:
        size = 8  # it has no contents, but as in GDB, its first byte must be readable
    if size is None:
        raise UsageError(f"the type of {reading.variable.name} is incomplete: it has no size")
    if reading.variable.unit.dialect.upstream_clang:
        _check_upstream(location, size)
        if SCRATCH in reading.notes and _is_pointer_in_memory(reading.type, location):
            raise pointer_read_two_ways(reading.variable.name, location)
    described = location.remaining_bits
    is_whole = described is None or described >= size
    if is_whole and may_point(reading.type):
        pointer = context.access.pointer(location, size)
        if pointer is not None:
            return evolve(reading, pointer=pointer)
    bits = object_bits(reading.type, size, location, context)
    if bits.size_bits < size:
        sizes = f"{counted(size // 8, 'byte')}: the first {bits.size_bits // 8} are read"
        note = f"{reading.variable.name} has {sizes}"
        reading = evolve(reading, notes=(*reading.notes, note))
    elif is_function and bits.is_complete:
        bits = Bits(0, 0)
    if not bits.is_complete:
        reading = evolve(reading, resolver=lambda: Resolver(lambda: context))
    return evolve(reading, bits=bits)


def require_one_reading(variable: Variable, location: Location, pc: int | None) -> None:
    """Raise `Ambiguous` for the location of a pointer that upstream clang describes as it does the
    address that another one holds."""
    unit = variable.unit
    if not unit.dialect.upstream_clang or not _is_pointer_in_memory(variable.type, location):
        return
    for program in programs_at(variable.location, pc):
        if SCRATCH in program.notes:
            raise pointer_read_two_ways(variable.name, location)


def _is_pointer_in_memory(type_: Type | None, location: Location) -> bool:
    is_in_memory = isinstance(location.single_locations[0].storage, Memory)
    return is_in_memory and isinstance(strip(type_), Pointer)


def _check_upstream(location: Location, size: int) -> None:
    single = location.single_locations[0]
    storage = single.storage
    if isinstance(storage, Register) and storage.register.number in VECTOR_REGISTERS and size > 32:
        raise PartlyDescribed(
            f"upstream clang: {size} bits in one lane of {storage.register}, which holds 32"
        )


_BREGX: Final = b"\x92"
_FBREG: Final = 0x91
"""The encoding of DW_OP_bregx, before its operands."""


def _at_address(
    variable: Variable | None, attribute: ExprLoc | LocList, pc: int | None
) -> Instructions | None:
    """Return the description of a variable whose address alone a vector register can hold; None for
    others."""
    expressions = attribute.expressions(pc)
    if variable is None or len(expressions) != 1 or expressions[0][:1] != _BREGX:
        return None
    unit = attribute.unit
    instructions = prepare(expressions[0], unit.dialect, unit.format).instructions
    number = register_of_address(instructions, described_size(variable))
    return None if number is None else instructions


def _with_certain_value(attribute: ExprLoc | LocList, context: Context) -> Context:
    """Return the context in which vector registers hold the value itself, if neither the user nor
    upstream clang says so, but no address is possible; else the context itself."""
    frame = context.frame
    if context.vgpr_holds is not None or not isinstance(frame, SubprogramFrame):
        return context
    programs = list(programs_at(attribute, context.pc))
    if len(programs) != 1 or not registers_in_private_memory(programs[0].instructions):
        return context
    from dwarfgpu.dwarf.lds_layout import why_no_address  # few variables are so

    why = why_no_address(frame.subprograms.outermost)
    return context if why is None else evolve(context, vgpr_holds="value")


def _require_private(variable: Variable, described: Instructions, frame: SubprogramFrame) -> None:
    """Raise `Ambiguous` for a variable at the address in a vector register that may be one in LDS
    instead of private memory."""
    if not is_in_private_memory(described):
        return
    from dwarfgpu.dwarf.lds_layout import (  # few variables are so
        why_no_scratch,
        why_perhaps_in_lds,
    )

    function = frame.subprograms.outermost
    why = why_perhaps_in_lds(function)
    if why is None:
        return
    number, displacement = described[0].operands
    assert isinstance(number, int)
    assert isinstance(displacement, int)
    register = frame.session.architecture.register(number).name
    address = f"${register}[$_lane]"
    if displacement:
        address = f"({address} {'-' if displacement < 0 else '+'} {abs(displacement)})"
    no_scratch = why_no_scratch(function)
    if no_scratch is not None:
        raise Ambiguous(
            f"{variable.name} is in LDS, at the address in {register}, not in private memory as "
            f"described: {no_scratch}; with its type T, *(T @local *){address} reads it"
        )
    raise Ambiguous(
        f"{variable.name} is in private memory or in LDS, at the address in {register}: LLVM moves "
        f"variables of kernels to LDS and leaves their descriptions, and {why}; with its type T, "
        f"*(T @private_lane *){address} is the one and *(T @local *){address} the other"
    )


def register_described(variable: Variable, pc: int | None) -> int | None:
    """Return the DWARF number of the register in which a variable is described to be at a program
    location; None for other descriptions."""
    for program in programs_at(variable.location, pc):
        instructions = list(program.instructions)
        if len(instructions) != 1:
            continue
        [instruction] = instructions
        name = instruction.operation.name
        number = instruction.operands[0] if name == "regx" else name.removeprefix("reg")
        if isinstance(number, int) or is_decimal(str(number)):
            return int(number)
    return None


def why_not_described(
    variable: Variable, code_object: CodeObject | None, pc: int | None
) -> str | None:
    """Return why nothing describes a variable at a program location; None if something does."""
    why = None if pc is None else variable.why_optimized_out_at(pc)
    if why is None or not variable.described or code_object is None:
        return why
    if not code_object.load_address or not variable.has_bits_somewhere:
        return why
    return f"{why}; {code_object.name} is loaded at {code_object.load_address:#x}"
